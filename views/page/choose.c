/* What a page is about: words, devices, days. */
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/json.h"
#include "tuner/base/shell.h"
#include "views/page/embedded.h"
#include "views/page/internal.h"

enum { WORDS_MAX = 4096 };

void page_parameters(const struct page *page, struct store_parameter out[PAGE_PARAMETERS])
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
    page_parameters(page, parameters);
    reading.parameters = parameters;
    reading.parameter_count = PAGE_PARAMETERS;
    return store_read(page->store, &reading, &page->arena, rows, count, error);
}

/* One column of texts. */
static enum status read_names(struct page *page, const char *sql, const char *column,
                              const char ***names, size_t *count, struct error *error)
{
    const struct store_column columns[] = {{column, 0, STORE_TEXT}};
    const struct store_reading reading = {
        .sql = sql, STORE_COLUMNS(columns), .row_bytes = sizeof **names, .row_most = WORDS_MAX};
    return page_read(page, reading, names, count, error);
}

static enum status check_words(struct page *page, struct error *error)
{
    size_t count = 0;
    struct text json = {0};
    const char **known = NULL;
    enum status status = read_names(page, report_query_words, "word", &known, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < page->request->word_count; i++) {
        const char *word = page->request->words[i];
        bool found = false;
        for (size_t k = 0; k < count && !found; k++)
            found = strcmp(known[k], word) == 0;
        if (!found)
            status = store_no_such("experiment or problem", word, page->request->database, known,
                                   count, error);
        text_append(&json, i == 0 ? "[" : ",");
        json_append_string(&json, word);
    }
    text_append(&json, "]");
    page->words_json = arena_strdup(&page->arena, text_string(&json));
    if (status == STATUS_OK && (json.failed || !page->words_json))
        status = error_no_memory(error);
    text_free(&json);
    return status;
}

#define IN(member, kind) STORE_MEMBER(struct environment, member, kind)
static const struct store_column environment_columns[] = {
    IN(id, INTEGER),         IN(device_id, INTEGER), IN(memory_bytes, INTEGER),
    IN(unit_count, INTEGER), IN(device, TEXT),       IN(kind, TEXT),
    IN(uuid, TEXT),          IN(architecture, TEXT), IN(driver, TEXT),
    IN(compiler, TEXT),      IN(tool_version, TEXT), IN(host, TEXT),
    IN(first_day, TEXT),     IN(last_day, TEXT),     IN(read_gbs, REAL),
    IN(write_gbs, REAL),     IN(copy_gbs, REAL),     IN(arithmetic, TEXT)};

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

bool page_has_device(const struct page *page, const char *uuid)
{
    for (size_t i = 0; uuid && i < page->environment_count; i++)
        if (strcmp(page->environments[i].uuid, uuid) == 0)
            return true;
    return false;
}

static enum status say_no_device(struct page *page, struct error *error)
{
    static const char sql[] = "SELECT DISTINCT d.name FROM trials AS t"
                              " JOIN environments AS e ON e.id = t.environment_id"
                              " JOIN devices AS d ON d.id = e.device_id ORDER BY 1";
    size_t count = 0;
    const char **names = NULL;
    enum status status = read_names(page, sql, "name", &names, &count, error);
    if (status != STATUS_OK)
        return status;
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

enum status page_choose(struct page *page, struct error *error)
{
    struct text word = {0};
    page->database = path_file(page->request->database);
    shell_append_word(&word, page->database);
    page->database_word = word.failed ? NULL : arena_strdup(&page->arena, text_string(&word));
    text_free(&word);
    if (!page->database_word)
        return error_no_memory(error);
    enum status status = page->request->word_count > 0 ? check_words(page, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = read_environments(page, error);
    if (status == STATUS_OK && page->device_count == 0)
        status = say_no_device(page, error);
    return status;
}
