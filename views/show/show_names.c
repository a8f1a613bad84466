/* Checks that the request's names exist in the database, and sets the queries' parameters. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json.h"
#include "views/show/embedded.h"
#include "views/show/internal.h"
#include "views/show/parts.h"

enum { PARAMETERS = 6 };

static void set_parameters(const struct show *show, struct store_parameter out[PARAMETERS])
{
    out[0] = (struct store_parameter){"words", show->words_json};
    out[1] = (struct store_parameter){"n", show->n_text[0] ? show->n_text : NULL};
    out[2] = (struct store_parameter){"top", show->top};
    out[3] = (struct store_parameter){"trial", show->trial};
    out[4] = (struct store_parameter){"objective", show->by};
    out[5] = (struct store_parameter){"picks", show->picks_json};
}

enum status show_read(const struct show *show, struct store *store, const char *sql,
                      struct rows *rows, struct error *error)
{
    struct store_parameter parameters[PARAMETERS];
    set_parameters(show, parameters);
    return rows_read(store, sql, parameters, PARAMETERS, rows, error);
}

/* Reads the existing names, one column of a query: `known` becomes an array of const char * or
 * int64_t. */
static enum status read_known(const struct show *show, struct store *store, const char *sql,
                              struct store_column column, struct arena *arena, void *known,
                              size_t *count, struct error *error)
{
    struct store_parameter parameters[PARAMETERS];
    set_parameters(show, parameters);
    const struct store_reading reading = {
        .sql = sql,
        .parameters = parameters,
        .parameter_count = PARAMETERS,
        .columns = &column,
        .column_count = 1,
        .row_bytes = column.kind == STORE_TEXT ? sizeof(const char *) : sizeof(int64_t),
    };
    return store_read(store, &reading, arena, known, count, error);
}

enum status show_list_words(struct store *store, const char *database, const char *const *words,
                            size_t count, struct text *json, struct error *error)
{
    static const struct store_column column = {"word", 0, STORE_TEXT};
    const struct store_reading reading = {.sql = show_query_words,
                                          .columns = &column,
                                          .column_count = 1,
                                          .row_bytes = sizeof(const char *)};
    struct arena arena = {0};
    const char **known = NULL;
    size_t known_count = 0;
    enum status status = store_read(store, &reading, &arena, &known, &known_count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        bool found = false;
        for (size_t k = 0; k < known_count && !found; k++)
            found = strcmp(known[k], words[i]) == 0;
        if (known_count == 0)
            status = error_set(error, STATUS_NOT_FOUND, "%s: nothing was tuned yet", database);
        else if (!found)
            status = store_no_such("experiment or problem", words[i], database, known, known_count,
                                   error);
        text_append(json, i == 0 ? "[" : ",");
        json_append_string(json, words[i]);
    }
    text_append(json, "]");
    if (status == STATUS_OK && json->failed)
        status = error_no_memory(error);
    arena_free(&arena);
    return status;
}

static enum status check_size(const struct show *show, struct store *store, struct arena *arena,
                              struct error *error)
{
    const int64_t *known = NULL;
    size_t count = 0;
    struct text list = {0};
    int64_t nearest = 0;
    if (!show->n || show->wanted[SHOW_RANGES])
        return STATUS_OK;
    enum status status =
        read_known(show, store, show_query_sizes, (struct store_column){"n", 0, STORE_INTEGER},
                   arena, &known, &count, error);
    const long long wanted = strtoll(show->n_text, NULL, 10);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || llabs(known[i] - wanted) < llabs(nearest - wanted))
            nearest = known[i];
        text_printf(&list, "%s%lld", i > 0 ? ", " : "", (long long)known[i]);
    }
    if (status == STATUS_OK && nearest == 0)
        status = error_set(error, STATUS_NOT_FOUND, "%s: nothing was tuned yet", show->db);
    else if (status == STATUS_OK && nearest != wanted)
        status =
            error_set(error, STATUS_NOT_FOUND, "n = %lld is not in %s; the nearest is %lld, of %s",
                      wanted, show->db, (long long)nearest, text_string(&list));
    text_free(&list);
    return status;
}

/* Compares objectives as the database does: blanks do not count. */
static bool same_objective(const char *a, const char *b)
{
    while (*a || *b) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b)
            return false;
        a += *a != '\0';
        b += *b != '\0';
    }
    return true;
}

/* Finds the objective; without --objective: time, or the first with a winner. */
static enum status check_objective(struct show *show, struct store *store, struct arena *arena,
                                   struct error *error)
{
    const char *const *known = NULL;
    size_t count = 0;
    struct text list = {0};
    const char *wanted = show->objective ? show->objective : "time";
    const char *meant = NULL;
    enum status status =
        read_known(show, store, show_query_objectives,
                   (struct store_column){"objective", 0, STORE_TEXT}, arena, &known, &count, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        meant = same_objective(known[i], wanted) ? known[i] : meant;
        text_printf(&list, "%s%s", i > 0 ? ", " : "", known[i]);
    }
    if (!meant && !show->objective)
        meant = count > 0 ? known[0] : "time";
    if (!meant && count == 0)
        status = error_set(error, STATUS_NOT_FOUND, "%s has no winner yet", show->db);
    else if (!meant)
        status = error_set(error, STATUS_NOT_FOUND, "no winner by '%s' in %s; there are by: %s",
                           wanted, show->db, text_string(&list));
    else if (!string_format(show->by, sizeof show->by, "%s", meant))
        status = error_set(error, STATUS_BAD_INPUT, "%s: an objective is too long", show->db);
    text_free(&list);
    return status;
}

enum status show_check_names(struct show *show, struct store *store, struct error *error)
{
    struct arena arena = {0};
    struct text json = {0};
    enum status status = STATUS_OK;
    if (show->word_count > 0)
        status = show_list_words(store, show->db, show->words, show->word_count, &json, error);
    show->words_json = json.data;
    if (status == STATUS_OK)
        status = check_size(show, store, &arena, error);
    if (status == STATUS_OK)
        status = check_objective(show, store, &arena, error);
    arena_free(&arena);
    return status;
}
