/* How to do it again: commands, versions, the device. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/shell.h"
#include "tuner/device/traits.h"
#include "tuner/stats/protocol.h"
#include "views/page/embedded.h"
#include "views/page/html.h"
#include "views/page/internal.h"

struct run_row {
    int64_t run, budget_ns, seed, trials;
    const char *command, *kind, *effort, *l2_mode, *objective, *protocol, *started_at, *outcome;
    const char *device, *driver, *compiler, *tool_version, *host, *experiments;
    double wall_ns, measuring_ns;
};
#define OF(member, kind) STORE_MEMBER(struct run_row, member, kind)
static const struct store_column run_columns[] = {
    OF(run, INTEGER),    OF(budget_ns, INTEGER), OF(seed, INTEGER),    OF(trials, INTEGER),
    OF(command, TEXT),   OF(kind, TEXT),         OF(effort, TEXT),     OF(l2_mode, TEXT),
    OF(objective, TEXT), OF(protocol, TEXT),     OF(started_at, TEXT), OF(outcome, TEXT),
    OF(device, TEXT),    OF(driver, TEXT),       OF(compiler, TEXT),   OF(tool_version, TEXT),
    OF(host, TEXT),      OF(experiments, TEXT),  OF(wall_ns, REAL),    OF(measuring_ns, REAL)};

static void append_option(struct text *out, const char *name, const char *value)
{
    text_printf(out, " --%s ", name);
    shell_append_word(out, value);
}

/* Of an older database: the command that the run's options come to. Sizes and the like are not
 * known, so it may measure more. */
static void append_made(struct text *out, const struct run_row *run)
{
    struct text changes = {0};
    char device[DEVICE_NAME_BYTES];
    text_printf(out, "tune run %s", run->experiments ? run->experiments : "");
    device_name(run->kind, 0, device);
    append_option(out, "device", device);
    if (run->effort)
        append_option(out, "effort", run->effort);
    if (run->budget_ns > 0)
        text_printf(out, " --budget %gs", (double)run->budget_ns / 1e9);
    append_option(out, "l2", run->l2_mode);
    text_printf(out, " --seed %" PRId64, run->seed);
    if (run->objective && strcmp(run->objective, "time") != 0)
        append_option(out, "objective", run->objective);
    if (protocol_changes(run->protocol, run->effort, device_traits(run->kind)->is_shared, &changes))
        for (const char *at = text_string(&changes); *at; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");
            text_printf(out, " --set %.*s", (int)length, at);
            at += length;
        }
    text_free(&changes);
}

static void write_run(struct text *out, const struct run_row *run)
{
    struct text command = {0};
    char shown[3][SHOWN_BYTES];
    if (run->command)
        text_append(&command, run->command);
    else
        append_made(&command, run);
    html(out, "<pre tabindex=\"0\">%s</pre>\n", text_string(&command));
    out->failed = out->failed || command.failed;
    text_free(&command);
    if (!run->command)
        text_append(out, "<p class=\"note\">Made of the options that were recorded: the command "
                         "itself was not.</p>\n");
    html(out, "<p class=\"note\">Run %lld, %s, %s; %s trials", (long long)run->run, run->started_at,
         run->outcome, shown_count(run->trials, shown[0]));
    if (run->wall_ns > 0)
        html(out, " in %s, of which measuring took %s", shown_time(run->wall_ns, shown[1]),
             shown_time(run->measuring_ns, shown[2]));
    html(out, "; on %s with %s, %s, tune %s, host %s.</p>\n", run->device, run->driver,
         run->compiler, run->tool_version, run->host);
    if (!run->protocol)
        return;
    text_append(out, "<details><summary>Every number that it measured by</summary><p>");
    write_configuration(out, run->protocol);
    text_append(out, "</p></details>\n");
}

static enum status write_runs(struct page *page, struct error *error)
{
    const struct store_reading reading = {
        .sql = report_query_runs, STORE_COLUMNS(run_columns), .row_bytes = sizeof(struct run_row)};
    struct run_row *runs = NULL;
    size_t count = 0;
    const enum status status = page_read(page, reading, &runs, &count, error);
    for (size_t i = 0; i < count; i++)
        write_run(&page->out, &runs[i]);
    return status;
}

/* ---- the devices ---- */

static enum status write_facts(struct page *page, const struct environment *environment,
                               struct error *error)
{
    struct fact_row {
        const char *key, *value;
    } *facts = NULL;
    static const struct store_column columns[] = {
        {"key", offsetof(struct fact_row, key), STORE_TEXT},
        {"value", offsetof(struct fact_row, value), STORE_TEXT}};
    char id[24];
    (void)string_format(id, sizeof id, "%" PRId64, environment->id);
    const struct store_parameter parameter = {"environment", id};
    const struct store_reading reading = {.sql = report_query_facts,
                                          .parameters = &parameter,
                                          .parameter_count = 1,
                                          STORE_COLUMNS(columns),
                                          .row_bytes = sizeof *facts};
    size_t count = 0;
    const enum status status =
        store_read(page->store, &reading, &page->arena, &facts, &count, error);
    text_append(&page->out, "<details><summary>All that is known of it</summary><dl>");
    for (size_t i = 0; i < count; i++)
        html(&page->out, "<dt>%s</dt><dd>%s</dd>", facts[i].key,
             facts[i].value ? facts[i].value : "");
    text_append(&page->out, "</dl></details>");
    return status;
}

static enum status write_device(struct page *page, const struct environment *environment,
                                struct error *error)
{
    const struct {
        const char *label, *value;
    } lines[] = {{"uuid", environment->uuid},
                 {"architecture", environment->architecture},
                 {"driver", environment->driver},
                 {"compiler", environment->compiler},
                 {"tune", environment->tool_version},
                 {"host", environment->host},
                 {"measured from", environment->first_day},
                 {"to", environment->last_day}};
    struct text *out = &page->out;
    char shown[3][SHOWN_BYTES];
    html(out, "<div class=\"card\"><h4>%s</h4><dl>", environment->device);
    for (size_t i = 0; i < COUNT(lines); i++)
        html(out, "<dt>%s</dt><dd>%s</dd>", lines[i].label, lines[i].value ? lines[i].value : "");
    html(out, "<dt>memory</dt><dd>%s bytes</dd>", shown_count(environment->memory_bytes, shown[0]));
    html(out, "<dt>%s</dt><dd>%s</dd>", device_traits(environment->kind)->unit_word,
         shown_count(environment->unit_count, shown[0]));
    if (!isnan(environment->read_gbs))
        html(out, "<dt>measured ceilings</dt><dd>read %s GB/s, write %s GB/s, copy %s GB/s</dd>",
             shown_rate(environment->read_gbs, shown[0]),
             shown_rate(environment->write_gbs, shown[1]),
             shown_rate(environment->copy_gbs, shown[2]));
    if (environment->arithmetic)
        html(out, "<dt>10<sup>9</sup> operations/s</dt><dd>%s</dd>", environment->arithmetic);
    text_append(out, "</dl>");
    const enum status status = write_facts(page, environment, error);
    text_append(out, "</div>\n");
    return status;
}

enum status write_repeat(struct page *page, struct error *error)
{
    section_begin(page, "repeat", "Repeat", "How to repeat it");
    enum status status = write_runs(page, error);
    text_append(&page->out, "<h3>Where</h3>\n<div class=\"cards\">\n");
    for (size_t i = 0; status == STATUS_OK && i < page->environment_count; i++)
        status = write_device(page, &page->environments[i], error);
    text_append(&page->out, "</div>\n");
    if (status == STATUS_OK) {
        static const struct store_column columns[] = {{"user_version", 0, STORE_INTEGER}};
        const struct store_reading reading = {.sql = "SELECT user_version FROM pragma_user_version",
                                              STORE_COLUMNS(columns),
                                              .row_bytes = sizeof(int64_t)};
        int64_t *version = NULL;
        size_t count = 0;
        status = page_read(page, reading, &version, &count, error);
        if (count > 0)
            html(&page->out, "<p class=\"note\">%s is an SQLite file of tune’s schema %lld.</p>\n",
                 page->database, (long long)*version);
    }
    section_end(page);
    return status;
}
