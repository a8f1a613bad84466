/* The page's tables: rows of queries, as in `tune show --json`, and side by side. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/conditions.h"
#include "tuner/base/files.h"
#include "tuner/base/json.h"
#include "tuner/base/shell.h"
#include "tuner/device/traits.h"
#include "tuner/stats/protocol.h"
#include "views/explain/comparison.h"
#include "views/export/export.h"
#include "views/page/embedded.h"
#include "views/page/internal.h"
#include "views/show/parts.h"

static void append_option(struct text *out, const char *name, const char *value)
{
    text_printf(out, " --%s ", name);
    shell_append_word(out, value);
}

/* Makes the commands that an older database lacks: those that a run's options come to, with
 * `command_made` true. Sizes and the like are not known, so such a run may measure more. */
static bool make_commands(struct rows *rows)
{
    static const char *const added[] = {"command_made"};
    bool good = rows_add_columns(rows, added, 1);
    for (size_t i = 0; good && i < rows->row_count; i++) {
        struct text out = {0};
        struct text changes = {0};
        char device[DEVICE_NAME_BYTES];
        const char *kind = rows_text(rows, i, "kind", "");
        const char *effort = rows_text(rows, i, "effort", NULL);
        const double budget_ns = rows_number(rows, i, "budget_ns");
        const char *objective = rows_text(rows, i, "objective", "time");
        if (rows_text(rows, i, "command", NULL))
            continue;
        text_printf(&out, "tune run %s", rows_text(rows, i, "experiments", ""));
        device_name(kind, 0, device);
        append_option(&out, "device", device);
        if (effort)
            append_option(&out, "effort", effort);
        if (budget_ns > 0)
            text_printf(&out, " --budget %gs", budget_ns / 1e9);
        append_option(&out, "l2", rows_text(rows, i, "l2_mode", ""));
        text_printf(&out, " --seed %s", rows_text(rows, i, "seed", "0"));
        if (strcmp(objective, "time") != 0)
            append_option(&out, "objective", objective);
        if (protocol_changes(rows_text(rows, i, "protocol", NULL), effort,
                             device_traits(kind)->is_shared, &changes))
            for (const char *at = text_string(&changes); *at; at += strspn(at, " ")) {
                const size_t length = strcspn(at, " ");
                text_printf(&out, " --set %.*s", (int)length, at);
                at += length;
            }
        good = !out.failed && rows_set_text(rows, i, "command", text_string(&out)) &&
               rows_set_text(rows, i, "command_made", "yes");
        text_free(&changes);
        text_free(&out);
    }
    return good;
}

#define SELDOM                                                                                     \
    "parameters first_id driver compiler chosen_at device_kind version sizes_measured domain "     \
    "checks"
static const struct table {
    const char *name, *sql, *omitted; /* members that the page does not have */
    bool (*extend)(struct rows *rows);
} tables[] = {
    {"ranges", report_query_ranges,
     SELDOM " domain_reason within_percent bound_percent measured_loss_percent configuration",
     NULL},
    {"failures", report_query_failures, SELDOM, NULL},
    {"without", report_query_without, SELDOM, NULL},
    {"searches", report_query_searches, SELDOM, NULL},
    {"trust", report_query_trust_runs, SELDOM, show_name_throttling},
    {"runs", report_query_runs, NULL, make_commands},
    {"environments", report_query_environments, NULL, NULL},
};

/* Appends a table. tune show's queries do not filter by device: rows of others are left out. */
static enum status append_table(struct page *page, const struct table *table, struct text *out,
                                struct error *error)
{
    struct rows rows = {0};
    struct text row = {0};
    enum status status = page_rows(page, table->sql, &rows, error);
    if (status == STATUS_OK && table->extend && !table->extend(&rows))
        status = error_no_memory(error);
    text_printf(out, ",\"%s\":[", table->name);
    const bool is_of_device = rows_column(&rows, "device_uuid") >= 0;
    for (size_t i = 0, written = 0; status == STATUS_OK && i < rows.row_count; i++) {
        const char *uuid = rows_text(&rows, i, "device_uuid", NULL);
        bool is_ours = !is_of_device;
        for (size_t k = 0; uuid && !is_ours && k < page->environment_count; k++)
            is_ours = strcmp(page->environments[k].uuid, uuid) == 0;
        if (!is_ours)
            continue;
        text_clear(&row);
        rows_append_json(&row, &rows, i);
        text_append(out, written++ > 0 ? "," : "");
        page_append_json(out, text_string(&row), table->omitted);
    }
    text_append(out, "]");
    out->failed = out->failed || row.failed;
    text_free(&row);
    rows_free(&rows);
    return status;
}

/* ---- side by side ---- */

static void append_side(struct text *out, const char *name, const struct comparison_side *side)
{
    text_printf(out, "\"%s\":{\"device\":", name);
    json_append_string(out, side->device);
    text_append(out, ",\"day\":");
    json_append_string(out, side->day);
    text_append(out, ",\"database\":");
    json_append_string(out, side->database);
    text_append(out, "},");
}

/* Appends comparisons with the request's earlier database, else those within the database. */
static enum status append_comparisons(struct page *page, struct store *before, struct text *out,
                                      size_t *written, struct error *error)
{
    const char *name = page->request->before_database;
    const struct comparison_request request = {.store = page->store,
                                               .before = before,
                                               .database = before ? page->database : NULL,
                                               .before_database = before ? path_file(name) : name,
                                               .words = page->words_json};
    struct arena arena = {0};
    struct comparison *comparisons = NULL;
    struct text rows = {0};
    size_t count = 0;
    const enum status status = explain_comparisons(&request, &arena, &comparisons, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const struct comparison *comparison = &comparisons[i];
        if (!page_has_environment(page, comparison->b.environment_id) ||
            (!before && !page_has_environment(page, comparison->a.environment_id)))
            continue;
        text_append(out, (*written)++ > 0 ? ",{" : "{");
        append_side(out, "a", &comparison->a);
        append_side(out, "b", &comparison->b);
        text_append(out, "\"sentences\":[");
        for (size_t k = 0; k < comparison->sentence_count; k++) {
            text_append(out, k > 0 ? "," : "");
            json_append_string(out, comparison->sentences[k]);
        }
        text_append(out, "],\"winners\":");
        text_clear(&rows);
        out->failed = !show_append_compare(&rows, comparison, 1) || out->failed;
        page_append_json(out, text_string(&rows), NULL);
        text_append(out, "}");
    }
    text_free(&rows);
    arena_free(&arena);
    return status;
}

enum status page_append_tables(struct page *page, struct text *out, struct error *error)
{
    struct text conf = {0};
    size_t written = 0;
    for (size_t i = 0; i < COUNT(tables); i++)
        TRY(append_table(page, &tables[i], out, error));
    text_append(out, ",\"comparisons\":[");
    if (page->request->before)
        TRY(append_comparisons(page, page->request->before, out, &written, error));
    TRY(append_comparisons(page, NULL, out, &written, error));
    text_append(out, "],\"conf\":");
    enum status status = export_conf_text(page->store, &conf, NULL, NULL, error);
    if (status != STATUS_OK && status != STATUS_NO_MEMORY) {
        /* Without winners, or with such as no tuned.conf can have, the page goes without. */
        error_clear(error);
        text_clear(&conf);
        status = STATUS_OK;
    }
    struct text sections = {0};
    /* Appends those sections of tuned.conf that are of the page's devices. */
    bool is_ours = false;
    for (const char *line = text_string(&conf); *line;) {
        const size_t length = strcspn(line, "\n");
        for (size_t i = 0; line[0] == '[' && i <= page->environment_count; i++) {
            const struct environment *own = &page->environments[i];
            struct text heading = {0};
            is_ours = i < page->environment_count;
            if (is_ours)
                text_printf(&heading, "[%s \"%s\"]", own->kind, own->device);
            const bool found = is_ours && strncmp(line, text_string(&heading), heading.length) == 0;
            text_free(&heading);
            if (found)
                break;
        }
        if (is_ours) {
            text_append_bytes(&sections, line, length);
            text_append(&sections, "\n");
        }
        line += length + (line[length] == '\n');
    }
    json_append_string(out, text_string(&sections));
    out->failed = out->failed || conf.failed || sections.failed;
    text_free(&sections);
    text_free(&conf);
    return status;
}
