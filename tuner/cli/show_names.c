#include "tuner/cli/show.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/json.h"
#include "tuner/cli/command.h"

extern const char show_query_words[];
extern const char show_query_sizes[];
extern const char show_query_objectives[];

/* Words that name nothing in the database: the nearest word, or what there is. */
static enum status check_word(const struct rows *known, const char *word, const char *db,
                              struct error *error)
{
    for (size_t i = 0; i < known->row_count; i++)
        if (strcmp(known->cells[i][0].text, word) == 0)
            return STATUS_OK;
    if (known->row_count == 0)
        return error_set(error, STATUS_NOT_FOUND, "%s: nothing was tuned yet", db);
    const char **names = calloc(known->row_count, sizeof *names);
    if (!names)
        return error_no_memory(error);
    for (size_t i = 0; i < known->row_count; i++)
        names[i] = known->cells[i][0].text;
    const char *nearest = nearest_word(word, names, known->row_count);
    if (nearest) {
        (void)error_set(error, STATUS_NOT_FOUND,
                        "no experiment or problem '%s' in %s; did you mean '%s'?", word, db,
                        nearest);
    } else {
        struct text list = {0};
        for (size_t i = 0; i < known->row_count && i < 12; i++)
            text_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
        (void)error_set(error, STATUS_NOT_FOUND,
                        "no experiment or problem '%s' in %s; there %s: %s%s", word, db,
                        known->row_count == 1 ? "is" : "are", text_string(&list),
                        known->row_count > 12 ? ", ..." : "");
        text_free(&list);
    }
    free(names);
    return error->status;
}

static enum status check_words(struct show *show, struct store *store, struct error *error)
{
    struct rows known = {0};
    struct text json = {0};
    if (show->word_count == 0)
        return STATUS_OK;
    enum status status = rows_read(store, show_query_words, NULL, 0, &known, error);
    for (size_t i = 0; status == STATUS_OK && i < show->word_count; i++) {
        status = check_word(&known, show->words[i], show->db, error);
        text_append(&json, i == 0 ? "[" : ",");
        json_append_string(&json, show->words[i]);
    }
    text_append(&json, "]");
    rows_free(&known);
    if (status == STATUS_OK && json.failed)
        status = error_no_memory(error);
    show->words_json = json.data;
    return status;
}

enum status show_parse_size(struct show *show, struct error *error)
{
    long long value = 0;
    enum status status = option_size("n", show->n, &value, error);
    if (status == STATUS_OK)
        (void)string_format(show->n_text, sizeof show->n_text, "%lld", value);
    return status;
}

void show_parameters(const struct show *show, struct store_parameter out[SHOW_PARAMETERS])
{
    out[0] = (struct store_parameter){"words", show->words_json};
    out[1] = (struct store_parameter){"n", show->n_text[0] ? show->n_text : NULL};
    out[2] = (struct store_parameter){"top", show->top};
    out[3] = (struct store_parameter){"trial", show->trial};
    out[4] = (struct store_parameter){"objective", show->by};
}

static enum status check_size(const struct show *show, struct store *store, struct error *error)
{
    struct store_parameter parameters[SHOW_PARAMETERS];
    struct rows known = {0};
    struct text list = {0};
    long long nearest = 0;
    bool found = false;
    if (!show->n || show->ranges)
        return STATUS_OK;
    show_parameters(show, parameters);
    enum status status =
        rows_read(store, show_query_sizes, parameters, SHOW_PARAMETERS, &known, error);
    long long wanted = strtoll(show->n_text, NULL, 10);
    for (size_t i = 0; status == STATUS_OK && i < known.row_count; i++) {
        long long size = strtoll(known.cells[i][0].text, NULL, 10);
        found = found || size == wanted;
        if (i == 0 || llabs(size - wanted) < llabs(nearest - wanted))
            nearest = size;
        text_printf(&list, "%s%lld", i > 0 ? ", " : "", size);
    }
    if (status == STATUS_OK && !found)
        status = nearest == 0
                     ? error_set(error, STATUS_NOT_FOUND, "%s: nothing was tuned yet", show->db)
                     : error_set(error, STATUS_NOT_FOUND,
                                 "n = %lld is not in %s; the nearest is %lld, of %s", wanted,
                                 show->db, nearest, text_string(&list));
    text_free(&list);
    rows_free(&known);
    return status;
}

/* As the winners' objectives are compared: blanks do not count. */
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

/* Without --objective: time, or where there is no winner by time what there are winners by. */
static enum status choose_objective(struct show *show, const struct rows *known,
                                    struct error *error)
{
    struct text list = {0};
    const char *wanted = show->objective ? show->objective : "time";
    const char *meant = NULL;
    for (size_t i = 0; i < known->row_count; i++) {
        const char *name = known->cells[i][0].text;
        meant = same_objective(name, wanted) ? name : meant;
        text_printf(&list, "%s%s", i > 0 ? ", " : "", name);
    }
    if (!meant && !show->objective)
        meant = known->row_count > 0 ? known->cells[0][0].text : "time";
    enum status status = STATUS_OK;
    if (!meant && known->row_count == 0)
        status = error_set(error, STATUS_NOT_FOUND, "%s has no winner yet", show->db);
    else if (!meant)
        status = error_set(error, STATUS_NOT_FOUND, "no winner by '%s' in %s; there are by: %s",
                           wanted, show->db, text_string(&list));
    else if (!string_format(show->by, sizeof show->by, "%s", meant))
        status = error_set(error, STATUS_BAD_INPUT, "%s: an objective is too long", show->db);
    text_free(&list);
    return status;
}

static enum status check_objective(struct show *show, struct store *store, struct error *error)
{
    struct rows known = {0};
    enum status status = rows_read(store, show_query_objectives, NULL, 0, &known, error);
    if (status == STATUS_OK)
        status = choose_objective(show, &known, error);
    rows_free(&known);
    return status;
}

enum status show_check_names(struct show *show, struct store *store, struct error *error)
{
    enum status status = check_words(show, store, error);
    if (status == STATUS_OK)
        status = check_size(show, store, error);
    return status == STATUS_OK ? check_objective(show, store, error) : status;
}
