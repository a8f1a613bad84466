/* Collects a page's content: words, devices, days, and the winners in their settings; writes texts
 * and JSON as a page has them. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/json.h"
#include "views/page/embedded.h"
#include "views/page/internal.h"
#include "views/show/parts.h"

enum { WORDS_MAX = 4096, GAINS_MAX = 12, PAGE_PARAMETERS = 6 };

/* ---- texts of the page ---- */

void page_escape(struct text *out, const char *text)
{
    static const char special[] = "<>&\"'";
    static const char *const escaped[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    for (const char *at = text; *at;) {
        const size_t bytes = utf8_bytes(at);
        const unsigned char lead = (unsigned char)*at;
        const char *found = strchr(special, *at);
        /* Control characters: those of ASCII but for blanks, and those of Latin 1 (U+0080 ...). */
        const bool control = (lead < 0x20 && !strchr("\t\n", *at)) || lead == 0x7f ||
                             (lead == 0xc2 && bytes == 2 && (unsigned char)at[1] < 0xa0);
        if (found)
            text_append(out, escaped[found - special]);
        else if (bytes == 0 || control)
            text_append(out, "\xef\xbf\xbd");
        else
            text_append_bytes(out, at, bytes);
        at += bytes == 0 ? 1 : bytes;
    }
}

static void drop_nulls(json_t *json)
{
    const char *name = NULL;
    json_t *value = NULL;
    void *next = NULL;
    size_t i = 0;
    json_object_foreach_safe(json, next, name, value)
    {
        if (json_is_null(value))
            (void)json_object_del(json, name);
        else
            drop_nulls(value);
    }
    json_array_foreach(json, i, value)
    {
        drop_nulls(value);
    }
}

/* Returns true if the names, separated by blanks, contain the name. */
static bool is_listed(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* Drops members from an object and from objects in arrays inside, except objects with names chosen
 * by users. */
static void drop_members(json_t *json, const char *without)
{
    const char *name = NULL;
    json_t *value = NULL;
    void *next = NULL;
    size_t i = 0;
    json_object_foreach_safe(json, next, name, value)
    {
        if (is_listed(without, name))
            (void)json_object_del(json, name);
        else if (json_is_array(value))
            drop_members(value, without);
    }
    json_array_foreach(json, i, value)
    {
        drop_members(value, without);
    }
}

void page_append_json(struct text *out, const char *json, const char *without)
{
    json_t *read = json_read(json, JSON_DECODE_ANY, NULL);
    if (without)
        drop_members(read, without);
    drop_nulls(read);
    char *dumped =
        read ? json_dumps(read, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9)) : NULL;
    text_append(out, dumped ? dumped : "null");
    free(dumped);
    json_decref(read);
}

void page_append_in_script(struct text *out, const char *json)
{
    for (const char *at = json; *at;) {
        const char *plain = at;
        while (*at >= ' ' && *at < 0x7f && *at != '<')
            at++;
        text_append_bytes(out, plain, (size_t)(at - plain));
        if (!*at)
            break;
        const size_t bytes = utf8_bytes(at);
        const unsigned long code = bytes > 0 ? utf8_code(at, bytes) : 0xfffd;
        if (bytes < 2 || code < 0xa0)
            text_printf(out, "\\u%04lx", code);
        else
            text_append_bytes(out, at, bytes);
        at += bytes > 0 ? bytes : 1;
    }
}

/* ---- the request ---- */

static void get_parameters(const struct page *page, struct store_parameter out[PAGE_PARAMETERS])
{
    out[0] = (struct store_parameter){"words", page->words_json};
    out[1] = (struct store_parameter){"environments", page->environments_json};
    out[2] = (struct store_parameter){"device", page->request->device};
    out[3] = (struct store_parameter){"n", NULL};
    out[4] = (struct store_parameter){"objective", NULL};
    out[5] = (struct store_parameter){"most", page->most};
}

enum status page_read(struct page *page, struct store_reading reading, void *rows, size_t *count,
                      struct error *error)
{
    struct store_parameter parameters[PAGE_PARAMETERS];
    get_parameters(page, parameters);
    reading.parameters = parameters;
    reading.parameter_count = PAGE_PARAMETERS;
    return store_read(page->store, &reading, &page->arena, rows, count, error);
}

enum status page_rows(struct page *page, const char *sql, struct rows *rows, struct error *error)
{
    struct store_parameter parameters[PAGE_PARAMETERS];
    get_parameters(page, parameters);
    return rows_read(page->store, sql, parameters, PAGE_PARAMETERS, rows, error);
}

#define IN(member, kind) STORE_MEMBER(struct environment, member, kind)
static const struct store_column environment_columns[] = {
    IN(id, INTEGER), IN(device_id, INTEGER), IN(device, TEXT),  IN(kind, TEXT),
    IN(uuid, TEXT),  IN(first_day, TEXT),    IN(last_day, TEXT)};

static enum status read_environments(struct page *page, struct error *error)
{
    const struct store_reading reading = {.sql = report_query_environments,
                                          STORE_COLUMNS(environment_columns),
                                          .row_bytes = sizeof(struct environment)};
    struct text ids = {0};
    struct text names = {0};
    enum status status =
        page_read(page, reading, &page->environments, &page->environment_count, error);
    text_append(&ids, "[");
    for (size_t i = 0; i < page->environment_count; i++) {
        const struct environment *environment = &page->environments[i];
        text_printf(&ids, "%s%lld", i == 0 ? "" : ",", (long long)environment->id);
        if (!page->first_day || strcmp(environment->first_day, page->first_day) < 0)
            page->first_day = environment->first_day;
        if (!page->last_day || strcmp(environment->last_day, page->last_day) > 0)
            page->last_day = environment->last_day;
        if (i > 0 && environment->device_id == environment[-1].device_id)
            continue;
        page->device_count++;
        /* Boards of one model are named once. */
        if (names.length == 0 || !strstr(text_string(&names), environment->device))
            text_printf(&names, "%s%s", names.length == 0 ? "" : ", ", environment->device);
    }
    text_append(&ids, "]");
    page->environments_json = arena_strdup(&page->arena, text_string(&ids));
    page->devices = arena_strdup(&page->arena, text_string(&names));
    if (status == STATUS_OK &&
        (ids.failed || names.failed || !page->environments_json || !page->devices))
        status = error_no_memory(error);
    text_free(&ids);
    text_free(&names);
    return status;
}

bool page_has_environment(const struct page *page, int64_t id)
{
    for (size_t i = 0; i < page->environment_count; i++)
        if (page->environments[i].id == id)
            return true;
    return false;
}

static enum status fail_without_device(struct page *page, struct error *error)
{
    static const char sql[] = "SELECT DISTINCT d.name FROM trials AS t"
                              " JOIN environments AS e ON e.id = t.environment_id"
                              " JOIN devices AS d ON d.id = e.device_id ORDER BY 1";
    const struct store_column columns[] = {{"name", 0, STORE_TEXT}};
    size_t count = 0;
    const char **names = NULL;
    const struct store_reading reading = {
        .sql = sql, STORE_COLUMNS(columns), .row_bytes = sizeof *names, .row_max = WORDS_MAX};
    TRY(page_read(page, reading, &names, &count, error));
    if (count == 0)
        return error_set(error, STATUS_NOT_FOUND, "%s: nothing was tuned yet: run 'tune' first",
                         page->request->database);
    if (page->request->word_count > 0 || !page->request->device)
        return error_set(error, STATUS_NOT_FOUND, "%s: nothing of that was measured%s%s",
                         page->request->database, page->request->device ? " on " : "",
                         page->request->device ? page->request->device : "");
    return store_no_such("measurement of a device", page->request->device, page->request->database,
                         names, count, error);
}

/* ---- winners ---- */

#define OF(member, kind) STORE_MEMBER(struct winner, member, kind)
static const struct store_column key_columns[] = {
    OF(environment_id, INTEGER), OF(run_id, INTEGER),     OF(rounds, INTEGER),
    OF(rounds_dropped, INTEGER), OF(problem_id, INTEGER),
};

#define GAIN(member, kind) STORE_MEMBER(struct gain, member, kind)
static const struct store_column gain_columns[] = {
    GAIN(name, TEXT), GAIN(about, TEXT), GAIN(ratio, REAL),   GAIN(low, REAL),
    GAIN(high, REAL), GAIN(peer, TRUTH), GAIN(standing, TEXT)};

/* Finds keys that the query of `tune show` lacks. */
static enum status find_keys(struct page *page, struct winner *winner, struct error *error)
{
    const struct store_parameter parameters[] = {
        {"trial", rows_text(&page->rows, winner->row, "trial_id", NULL)},
        {"objective", winner->objective}};
    const struct store_reading reading = {.sql = report_query_winner,
                                          STORE_PARAMETERS(parameters),
                                          STORE_COLUMNS(key_columns),
                                          .row_bytes = sizeof(struct winner),
                                          .row_max = 1};
    struct winner *keys = NULL;
    size_t count = 0;
    const enum status status =
        store_read(page->store, &reading, &page->arena, &keys, &count, error);
    if (count == 0)
        return status;
    for (size_t i = 0; i < COUNT(key_columns); i++) /* all of eight bytes */
        memcpy((char *)winner + key_columns[i].offset, (char *)keys + key_columns[i].offset,
               sizeof(int64_t));
    return STATUS_OK;
}

/* Reads the winners with gains, without those of other devices. */
static enum status read_winners(struct page *page, struct error *error)
{
    enum status status = page_rows(page, report_query_winners, &page->rows, error);
    if (status != STATUS_OK)
        return status;
    page->winners = arena_alloc(&page->arena, page->rows.row_count + 1, sizeof *page->winners);
    if (!page->winners)
        return error_no_memory(error);
    for (size_t row = 0; status == STATUS_OK && row < page->rows.row_count; row++) {
        struct winner *winner = &page->winners[page->winner_count];
        const char *verdict = rows_text(&page->rows, row, "verdict", "unknown");
        *winner = (struct winner){
            .row = row,
            .id = (int64_t)rows_number(&page->rows, row, "winner_id"),
            .n = (int64_t)rows_number(&page->rows, row, "n"),
            .device = rows_text(&page->rows, row, "device", ""),
            .device_uuid = rows_text(&page->rows, row, "device_uuid", ""),
            .l2_mode = rows_text(&page->rows, row, "l2_mode", ""),
            .objective = rows_text(&page->rows, row, "objective", ""),
            .experiment = rows_text(&page->rows, row, "experiment", ""),
            .problem = rows_text(&page->rows, row, "problem", ""),
            .verdict = verdict_named(verdict),
            .time_ns = rows_number(&page->rows, row, "time_ns"),
            .gbs = rows_number(&page->rows, row, "gbs"),
        };
        status = find_keys(page, winner, error);
        if (status != STATUS_OK || !page_has_environment(page, winner->environment_id))
            continue;
        const struct store_parameter parameters[] = {
            {"baselines", rows_text(&page->rows, winner->row, "baselines", NULL)},
            {"environment", arena_printf(&page->arena, "%lld", (long long)winner->environment_id)},
            {"problem", winner->problem},
            {"n", arena_printf(&page->arena, "%lld", (long long)winner->n)},
            {"l2_mode", winner->l2_mode},
            {"objective", winner->objective},
            {"time", arena_printf(&page->arena, "%.17g", winner->time_ns)}};
        const struct store_reading reading = {.sql = report_query_gains,
                                              STORE_PARAMETERS(parameters),
                                              STORE_COLUMNS(gain_columns),
                                              .row_bytes = sizeof(struct gain),
                                              .row_max = GAINS_MAX};
        status = store_read(page->store, &reading, &page->arena, &winner->gains,
                            &winner->gain_count, error);
        if (status == STATUS_OK) {
            status = explain_winner(page->store, winner->id, &page->arena, &winner->why, error);
            winner->explained = status == STATUS_OK;
            if (status == STATUS_NOT_FOUND)
                error_clear(error);
            status = status == STATUS_NOT_FOUND ? STATUS_OK : status;
        }
        page->winner_count++;
    }
    return status;
}

/* ---- settings ---- */

static bool same_device(const struct winner *a, const struct winner *b)
{
    return strcmp(a->device_uuid, b->device_uuid) == 0;
}

/* Returns a setting's label: "NVIDIA H200 (GPU-2a53ec06), L2 cold, by energy", only as long as
 * needed to distinguish settings. */
static const char *label_of(struct page *page, const struct winner *winner)
{
    bool boards = false;
    bool modes = strcmp(winner->l2_mode, "cold") != 0;
    struct text label = {0};
    for (size_t i = 0; i < page->winner_count; i++) {
        const struct winner *other = &page->winners[i];
        bool same = same_device(winner, other);
        boards = boards || (!same && strcmp(winner->device, other->device) == 0);
        modes = modes || (same && strcmp(winner->l2_mode, other->l2_mode) != 0);
    }
    text_append(&label, winner->device);
    if (boards)
        text_printf(&label, " (%.12s)", winner->device_uuid);
    if (modes)
        text_printf(&label, ", L2 %s", winner->l2_mode);
    if (strcmp(winner->objective, "time") != 0)
        text_printf(&label, ", by %s", winner->objective);
    return text_to_arena(&label, &page->arena);
}

enum status page_collect(struct page *page, struct error *error)
{
    page->database = path_file(page->request->database);
    if (page->request->word_count > 0) {
        struct text json = {0};
        const enum status status =
            show_list_words(page->store, page->request->database, page->request->words,
                            page->request->word_count, &json, error);
        page->words_json = text_to_arena(&json, &page->arena);
        TRY(status);
        TRY_MEMORY(page->words_json);
    }
    TRY(read_environments(page, error));
    if (page->device_count == 0)
        return fail_without_device(page, error);
    TRY(read_winners(page, error));
    for (size_t i = 0; i < page->winner_count; i++) {
        page->winners[i].setting = label_of(page, &page->winners[i]);
        TRY_MEMORY(page->winners[i].setting);
    }
    return STATUS_OK;
}
