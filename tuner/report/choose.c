/* What a page is about: words, devices, days. */
#include <string.h>

#include "tuner/base/json.h"
#include "tuner/report/internal.h"

extern const char report_query_words[];
extern const char report_query_environments[];

enum { WORDS_MAX = 4096 };

void page_parameters(const struct page *page, struct store_parameter out[PAGE_PARAMETERS])
{
    out[0] = (struct store_parameter){"words", page->words_json};
    out[1] = (struct store_parameter){"environments", page->environments_json};
    out[2] = (struct store_parameter){"device", page->request->device};
    out[3] = (struct store_parameter){"n", NULL};
    out[4] = (struct store_parameter){"objective", NULL};
}

/* The first column of a query's rows. */
static enum status read_names(struct page *page, const char *sql, const char **names, size_t *count,
                              struct error *error)
{
    struct store_query *query = NULL;
    bool row = true;
    *count = 0;
    enum status status = store_query_open(page->store, sql, NULL, 0, &query, error);
    while (status == STATUS_OK && *count < WORDS_MAX) {
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        const char *name = store_query_text(query, 0);
        names[*count] = arena_strdup(&page->arena, name ? name : "");
        if (!names[(*count)++])
            status = error_no_memory(error);
    }
    store_query_close(query);
    return status;
}

static enum status say_unknown(const struct page *page, const char *what, const char *word,
                               const char *const *names, size_t count, struct error *error)
{
    const char *nearest = nearest_word(word, names, count);
    struct text list = {0};
    for (size_t i = 0; i < count && i < 12; i++)
        text_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    if (nearest)
        (void)error_set(error, STATUS_NOT_FOUND, "no %s '%s' in %s; did you mean '%s'?", what, word,
                        page->request->database, nearest);
    else
        (void)error_set(error, STATUS_NOT_FOUND, "no %s '%s' in %s; there %s: %s%s", what, word,
                        page->request->database, count == 1 ? "is" : "are", text_string(&list),
                        count > 12 ? ", ..." : "");
    text_free(&list);
    return error->status;
}

static enum status check_words(struct page *page, struct error *error)
{
    size_t count = 0;
    struct text json = {0};
    const char **known = arena_alloc(&page->arena, WORDS_MAX, sizeof *known);
    if (!known)
        return error_no_memory(error);
    enum status status = read_names(page, report_query_words, known, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < page->request->word_count; i++) {
        const char *word = page->request->words[i];
        bool found = false;
        for (size_t k = 0; k < count && !found; k++)
            found = strcmp(known[k], word) == 0;
        if (!found)
            status = say_unknown(page, "experiment or problem", word, known, count, error);
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

/* Notes one environment: its key, its device's name, its days. */
static bool take_environment(struct page *page, struct store_query *row, struct text *ids,
                             struct text *names, struct text *uuids, int64_t *device_id)
{
    const char *uuid = store_query_text(row, 4);
    const char *first = store_query_text(row, 13);
    const char *last = store_query_text(row, 14);
    const char *name = store_query_text(row, 2);
    text_printf(ids, "%s%lld", ids->length == 0 ? "[" : ",",
                (long long)store_query_integer(row, 0));
    if (store_query_integer(row, 1) != *device_id) {
        *device_id = store_query_integer(row, 1);
        page->device_count++;
        text_printf(uuids, "%s,", uuid ? uuid : "");
        /* Boards of one model are named once. */
        if (name && (names->length == 0 || !strstr(text_string(names), name)))
            text_printf(names, "%s%s", names->length == 0 ? "" : ", ", name);
    }
    if (first && (!page->first_day || strcmp(first, page->first_day) < 0))
        page->first_day = arena_strdup(&page->arena, first);
    if (last && (!page->last_day || strcmp(last, page->last_day) > 0))
        page->last_day = arena_strdup(&page->arena, last);
    return page->first_day && page->last_day;
}

static enum status read_environments(struct page *page, struct error *error)
{
    struct store_parameter parameters[PAGE_PARAMETERS];
    struct store_query *query = NULL;
    struct text ids = {0};
    struct text names = {0};
    struct text uuids = {0};
    int64_t device_id = 0;
    bool row = true;
    page_parameters(page, parameters);
    text_append(&uuids, ",");
    enum status status = store_query_open(page->store, report_query_environments, parameters,
                                          PAGE_PARAMETERS, &query, error);
    while (status == STATUS_OK) {
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        if (!take_environment(page, query, &ids, &names, &uuids, &device_id))
            status = error_no_memory(error);
    }
    store_query_close(query);
    text_append(&ids, "]");
    page->environments_json = arena_strdup(&page->arena, text_string(&ids));
    page->devices = arena_strdup(&page->arena, text_string(&names));
    page->uuids = arena_strdup(&page->arena, text_string(&uuids));
    if (status == STATUS_OK && (ids.failed || names.failed || uuids.failed ||
                                !page->environments_json || !page->devices || !page->uuids))
        status = error_no_memory(error);
    text_free(&ids);
    text_free(&names);
    text_free(&uuids);
    return status;
}

bool page_has_device(const struct page *page, const char *uuid)
{
    size_t length = uuid ? strlen(uuid) : 0;
    for (const char *at = page->uuids; length > 0 && (at = strstr(at, uuid)); at++)
        if (at[-1] == ',' && at[length] == ',')
            return true;
    return false;
}

static enum status say_no_device(struct page *page, struct error *error)
{
    static const char sql[] = "SELECT DISTINCT d.name FROM trials AS t"
                              " JOIN environments AS e ON e.id = t.environment_id"
                              " JOIN devices AS d ON d.id = e.device_id ORDER BY 1";
    size_t count = 0;
    const char **names = arena_alloc(&page->arena, WORDS_MAX, sizeof *names);
    if (!names)
        return error_no_memory(error);
    enum status status = read_names(page, sql, names, &count, error);
    if (status != STATUS_OK)
        return status;
    if (count == 0)
        return error_set(error, STATUS_NOT_FOUND, "%s: nothing was tuned yet: run 'tune' first",
                         page->request->database);
    if (page->request->word_count > 0 || !page->request->device)
        return error_set(error, STATUS_NOT_FOUND, "%s: nothing of that was measured%s%s",
                         page->request->database, page->request->device ? " on " : "",
                         page->request->device ? page->request->device : "");
    return say_unknown(page, "measurement of a device", page->request->device, names, count, error);
}

enum status page_choose(struct page *page, struct error *error)
{
    const char *slash = strrchr(page->request->database, '/');
    struct text word = {0};
    page->database = slash ? slash + 1 : page->request->database;
    append_word(&word, page->database);
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
