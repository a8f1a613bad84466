/* How to do it again: commands, versions, the device. */
#include <inttypes.h>
#include <string.h>

#include "tuner/device/traits.h"
#include "tuner/report/html.h"
#include "tuner/report/internal.h"
#include "tuner/stats/protocol.h"

extern const char report_query_runs[];
extern const char report_query_environments[];
extern const char report_query_facts[];

enum {
    RUN_ID,
    RUN_COMMAND,
    RUN_KIND,
    RUN_EFFORT,
    RUN_BUDGET,
    RUN_L2,
    RUN_OBJECTIVE,
    RUN_SEED,
    RUN_PROTOCOL,
    RUN_STARTED,
    RUN_OUTCOME,
    RUN_WALL,
    RUN_MEASURING,
    RUN_WAITING,
    RUN_COMPILED,
    RUN_CACHED,
    RUN_DEVICE,
    RUN_DRIVER,
    RUN_COMPILER,
    RUN_TOOL,
    RUN_HOST,
    RUN_TRIALS,
    RUN_EXPERIMENTS,
};

static void append_option(struct text *out, const char *name, const char *value)
{
    text_printf(out, " --%s ", name);
    append_word(out, value);
}

/* Of an older database: the command that the run's options come to. Sizes and the like are not
 * known, so it may measure more. */
static void append_made(struct text *out, struct store_query *row)
{
    struct text changes = {0};
    const char *objective = store_query_text(row, RUN_OBJECTIVE);
    const char *effort = store_query_text(row, RUN_EFFORT);
    const char *experiments = store_query_text(row, RUN_EXPERIMENTS);
    text_append(out, "tune run ");
    text_append(out, experiments ? experiments : "");
    char device[DEVICE_NAME_BYTES];
    device_name(store_query_text(row, RUN_KIND), 0, device);
    append_option(out, "device", device);
    if (effort)
        append_option(out, "effort", effort);
    if (store_query_integer(row, RUN_BUDGET) > 0)
        text_printf(out, " --budget %gs", (double)store_query_integer(row, RUN_BUDGET) / 1e9);
    append_option(out, "l2", store_query_text(row, RUN_L2));
    text_printf(out, " --seed %" PRId64, store_query_integer(row, RUN_SEED));
    if (objective && strcmp(objective, "time") != 0)
        append_option(out, "objective", objective);
    if (protocol_changes(store_query_text(row, RUN_PROTOCOL), effort,
                         device_traits(store_query_text(row, RUN_KIND))->is_shared, &changes))
        for (const char *at = text_string(&changes); *at; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");
            text_printf(out, " --set %.*s", (int)length, at);
            at += length;
        }
    text_free(&changes);
}

static void write_facts(struct text *out, struct store_query *row)
{
    char shown[3][SHOWN_BYTES];
    double wall = store_query_real(row, RUN_WALL);
    double measuring = store_query_real(row, RUN_MEASURING);
    html(out, "<p class=\"note\">Run %lld, %s, %s; %s trials",
         (long long)store_query_integer(row, RUN_ID), store_query_text(row, RUN_STARTED),
         store_query_text(row, RUN_OUTCOME),
         shown_count(store_query_integer(row, RUN_TRIALS), shown[0]));
    if (wall > 0)
        html(out, " in %s, of which measuring took %s", shown_time(wall, shown[1]),
             shown_time(measuring, shown[2]));
    html(out, "; on %s with %s, %s, tune %s, host %s.</p>\n", store_query_text(row, RUN_DEVICE),
         store_query_text(row, RUN_DRIVER), store_query_text(row, RUN_COMPILER),
         store_query_text(row, RUN_TOOL), store_query_text(row, RUN_HOST));
}

static void write_protocol(struct text *out, const char *protocol)
{
    if (!protocol)
        return;
    text_append(out, "<details><summary>Every number that it measured by</summary><p>");
    write_configuration(out, protocol);
    text_append(out, "</p></details>\n");
}

static enum status write_run(struct page *page, struct store_query *row, struct error *error)
{
    struct text *out = &page->out;
    const char *stored = store_query_text(row, RUN_COMMAND);
    struct text command = {0};
    (void)error;
    if (stored)
        text_append(&command, stored);
    else
        append_made(&command, row);
    html(out, "<pre tabindex=\"0\">%s</pre>\n", text_string(&command));
    out->failed = out->failed || command.failed;
    text_free(&command);
    if (!stored)
        text_append(out, "<p class=\"note\">Made of the options that were recorded: the command "
                         "itself was not.</p>\n");
    write_facts(out, row);
    write_protocol(out, store_query_text(row, RUN_PROTOCOL));
    return STATUS_OK;
}

static enum status each_row(struct page *page, const char *sql,
                            enum status (*write)(struct page *page, struct store_query *row,
                                                 struct error *error),
                            struct error *error)
{
    struct store_parameter parameters[PAGE_PARAMETERS];
    struct store_query *query = NULL;
    bool row = true;
    page_parameters(page, parameters);
    enum status status =
        store_query_open(page->store, sql, parameters, PAGE_PARAMETERS, &query, error);
    while (status == STATUS_OK) {
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        status = write(page, query, error);
    }
    store_query_close(query);
    return status;
}

/* ---- the devices ---- */

/* Columns of report_environments.sql. */
enum {
    WHERE_ID,
    WHERE_DEVICE_ID,
    WHERE_DEVICE,
    WHERE_KIND,
    WHERE_UUID,
    WHERE_ARCHITECTURE,
    WHERE_MEMORY,
    WHERE_UNITS,
    WHERE_FACTS,
    WHERE_DRIVER,
    WHERE_COMPILER,
    WHERE_TOOL,
    WHERE_HOST,
    WHERE_FIRST,
    WHERE_LAST,
    WHERE_READ,
    WHERE_WRITE,
    WHERE_COPY,
    WHERE_ARITHMETIC,
};

static void write_ceilings(struct text *out, struct store_query *row)
{
    char shown[3][SHOWN_BYTES];
    const char *arithmetic = store_query_text(row, WHERE_ARITHMETIC);
    if (store_query_text(row, WHERE_READ))
        html(out, "<dt>measured ceilings</dt><dd>read %s GB/s, write %s GB/s, copy %s GB/s</dd>",
             shown_rate(store_query_real(row, WHERE_READ), shown[0]),
             shown_rate(store_query_real(row, WHERE_WRITE), shown[1]),
             shown_rate(store_query_real(row, WHERE_COPY), shown[2]));
    if (arithmetic)
        html(out, "<dt>10<sup>9</sup> operations/s</dt><dd>%s</dd>", arithmetic);
}

static enum status write_facts_of(struct page *page, const char *environment, struct error *error)
{
    const struct store_parameter parameter = {"environment", environment};
    struct store_query *query = NULL;
    bool row = true;
    enum status status =
        store_query_open(page->store, report_query_facts, &parameter, 1, &query, error);
    text_append(&page->out, "<details><summary>All that is known of it</summary><dl>");
    while (status == STATUS_OK) {
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        const char *value = store_query_text(query, 1);
        html(&page->out, "<dt>%s</dt><dd>%s</dd>", store_query_text(query, 0), value ? value : "");
    }
    store_query_close(query);
    text_append(&page->out, "</dl></details>");
    return status;
}

static enum status write_device(struct page *page, struct store_query *row, struct error *error)
{
    static const struct {
        const char *label;
        int column;
    } lines[] = {{"uuid", WHERE_UUID},           {"architecture", WHERE_ARCHITECTURE},
                 {"driver", WHERE_DRIVER},       {"compiler", WHERE_COMPILER},
                 {"tune", WHERE_TOOL},           {"host", WHERE_HOST},
                 {"measured from", WHERE_FIRST}, {"to", WHERE_LAST}};
    struct text *out = &page->out;
    char shown[SHOWN_BYTES];
    html(out, "<div class=\"card\"><h4>%s</h4><dl>", store_query_text(row, WHERE_DEVICE));
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const char *value = store_query_text(row, lines[i].column);
        html(out, "<dt>%s</dt><dd>%s</dd>", lines[i].label, value ? value : "");
    }
    html(out, "<dt>memory</dt><dd>%s bytes</dd>",
         shown_count(store_query_integer(row, WHERE_MEMORY), shown));
    html(out, "<dt>%s</dt><dd>%s</dd>", device_traits(store_query_text(row, WHERE_KIND))->unit_word,
         shown_count(store_query_integer(row, WHERE_UNITS), shown));
    write_ceilings(out, row);
    text_append(out, "</dl>");
    enum status status = write_facts_of(page, store_query_text(row, WHERE_ID), error);
    text_append(out, "</div>\n");
    return status;
}

static enum status write_schema(struct page *page, struct error *error)
{
    struct store_query *query = NULL;
    bool row = false;
    enum status status = store_query_open(
        page->store, "SELECT user_version FROM pragma_user_version", NULL, 0, &query, error);
    if (status == STATUS_OK)
        status = store_query_next(query, &row, error);
    if (status == STATUS_OK && row)
        html(&page->out, "<p class=\"note\">%s is an SQLite file of tune’s schema %lld.</p>\n",
             page->database, (long long)store_query_integer(query, 0));
    store_query_close(query);
    return status;
}

enum status write_repeat(struct page *page, struct error *error)
{
    section_begin(page, "repeat", "Repeat", "How to repeat it");
    enum status status = each_row(page, report_query_runs, write_run, error);
    text_append(&page->out, "<h3>Where</h3>\n<div class=\"cards\">\n");
    if (status == STATUS_OK)
        status = each_row(page, report_query_environments, write_device, error);
    text_append(&page->out, "</div>\n");
    if (status == STATUS_OK)
        status = write_schema(page, error);
    section_end(page);
    return status;
}
