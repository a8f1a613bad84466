/* Selection of problems, by prefixes of their keys; and of values. */
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/maker.h"

/* Finds the problems whose key begins so: since the last axis varies fastest, and sizes within it,
 * these are consecutive: *count from *first on. `beginning` has whole parts only. */
static enum status find_problems(const struct experiment *experiment, const char *beginning,
                                 size_t *first, size_t *count, size_t *parts, struct error *error)
{
    const char *rest = beginning + strlen(experiment->head.name);
    *first = 0;
    *count = experiment_problem_count(experiment);
    for (*parts = 0; *rest == '.'; (*parts)++) {
        char value[VALUE_TEXT_BYTES];
        size_t length = strcspn(++rest, ".");
        if (*parts == experiment->axis_count) {
            struct text key = {0};
            for (size_t i = 0; i < experiment->axis_count; i++)
                text_printf(&key, ".%s", experiment->axes[i].name);
            (void)error_set(error, STATUS_NOT_FOUND,
                            "'%s' has more parts than the problems of %s: %s%s", beginning,
                            experiment->head.name, experiment->head.name,
                            key.failed ? "" : text_string(&key));
            text_free(&key);
            return STATUS_NOT_FOUND;
        }
        (void)string_format(value, sizeof value, "%.*s", (int)length, rest);
        size_t index = length < sizeof value ? 0 : experiment->axes[*parts].count;
        for (; index < experiment->axes[*parts].count; index++) {
            char text[VALUE_TEXT_BYTES];
            if (value_format(experiment->axis_values[*parts][index], text, sizeof text) &&
                strcmp(text, value) == 0)
                break;
        }
        if (index == experiment->axes[*parts].count) {
            const size_t axis = *parts;
            const struct named_list *list = &experiment->axes[axis];
            char texts[AXIS_VALUES_MAX][VALUE_TEXT_BYTES];
            const char *words[AXIS_VALUES_MAX];
            struct text all = {0};
            for (size_t j = 0; j < list->count; j++) {
                (void)value_format(experiment->axis_values[axis][j], texts[j], sizeof texts[j]);
                words[j] = texts[j];
                text_printf(&all, "%s%s", j > 0 ? ", " : "", texts[j]);
            }
            const char *nearest = nearest_word(value, words, list->count);
            enum status status =
                nearest
                    ? error_set(error, STATUS_NOT_FOUND,
                                "'%s': '%s' of %s is never '%s'; did you mean '%s'?", beginning,
                                list->name, experiment->head.name, value, nearest)
                    : error_set(error, STATUS_NOT_FOUND, "'%s': '%s' of %s is never '%s', but %s",
                                beginning, list->name, experiment->head.name, value,
                                all.failed ? "another" : text_string(&all));
            text_free(&all);
            return status;
        }
        *count /= experiment->axes[*parts].count;
        *first += index * *count;
        rest += length;
    }
    return STATUS_OK;
}

enum status experiment_select(const struct experiment *experiment, const char *beginning,
                              bool *wanted, struct error *error)
{
    size_t first = 0;
    size_t count = 0;
    size_t parts = 0;
    TRY(find_problems(experiment, beginning, &first, &count, &parts, error));
    for (size_t i = 0; i < count; i++)
        wanted[first + i] = true;
    return STATUS_OK;
}

void experiment_keep_shapes(const struct experiment *experiment, const char *sizes, bool *wanted)
{
    for (size_t i = 0; i < experiment_problem_count(experiment); i++) {
        struct problem problem;
        bool kept = false;
        experiment_problem(experiment, i, &problem);
        for (const char *word = sizes; *word && !kept;) {
            word += strspn(word, " ");
            const size_t length = strcspn(word, ",");
            kept = problem.shape ? strlen(problem.shape) == length &&
                                       strncmp(problem.shape, word, length) == 0
                                 : !memchr(word, 'x', length);
            word += length + (word[length] == ',' ? 1 : 0);
        }
        wanted[i] = wanted[i] && kept;
    }
}

enum status experiment_add_size(struct experiment *experiment, const int64_t *sizes,
                                struct error *error)
{
    size_t *count = &experiment->size.count, at = 0;
    if (experiment->size_name_count > 1) {
        /* Sizes of several names are values of an axis. */
        const size_t index = experiment->axis_count - 1;
        struct named_list *axis = &experiment->axes[index];
        struct value *values = experiment->axis_values[index];
        struct problem problem, added;
        struct formula *formulas = NULL;
        experiment_problem(experiment, 0, &problem);
        if (!problem_at_sizes(&problem, sizes, experiment->size_name_count, &experiment->arena,
                              &added))
            return error_set(error, STATUS_NOT_FOUND,
                             "%s: the name of a problem of this size is too long",
                             experiment->head.name);
        for (size_t i = 0; i < axis->count; i++)
            if (strcmp(values[i].text, added.shape) == 0)
                return STATUS_OK;
        if (axis->count == AXIS_VALUES_MAX)
            return error_set(error, STATUS_NOT_FOUND, "%s: more than %d sizes",
                             experiment->head.name, AXIS_VALUES_MAX);
        formulas = arena_alloc(&experiment->arena, axis->count + 1, sizeof *formulas);
        TRY_MEMORY(formulas);
        memcpy(formulas, axis->values, axis->count * sizeof *formulas);
        values[axis->count] = value_text(added.shape);
        TRY(expression_constant(&experiment->arena, axis->place, values[axis->count],
                                &formulas[axis->count], error));
        axis->values = formulas;
        axis->count++;
        return STATUS_OK;
    }
    while (at < *count && experiment->sizes[at] < sizes[0])
        at++;
    if (!experiment->head.has_size || (at < *count && experiment->sizes[at] == sizes[0]))
        return STATUS_OK;
    if (*count == EXPERIMENT_SIZES_MAX)
        return error_set(error, STATUS_NOT_FOUND, "%s: more than %d sizes", experiment->head.name,
                         EXPERIMENT_SIZES_MAX);
    memmove(experiment->sizes + at + 1, experiment->sizes + at,
            (*count - at) * sizeof *experiment->sizes);
    experiment->sizes[at] = sizes[0];
    ++*count;
    return STATUS_OK;
}

enum status experiment_select_usual(const struct experiment *experiment, bool *wanted,
                                    struct error *error)
{
    for (size_t i = 0; i < experiment_problem_count(experiment); i++) {
        struct problem problem;
        struct maker maker;
        bool usual = true;
        experiment_problem(experiment, i, &problem);
        maker_start(&maker, experiment, &problem, NULL, NULL, error);
        if (!make_truth(&maker, &experiment->usual, &usual))
            return error->status;
        wanted[i] = wanted[i] || usual;
    }
    return STATUS_OK;
}

void experiment_complete(const struct experiment *experiment, const char *typed,
                         void (*each)(void *context, const char *word), void *context)
{
    const char *last = strrchr(typed, '.');
    const char *part = last ? last + 1 : typed;
    const size_t part_length = strlen(part);
    char whole[PROBLEM_KEY_BYTES];
    char word[PROBLEM_KEY_BYTES + VALUE_TEXT_BYTES];
    struct error ignored = {0};
    size_t first = 0;
    size_t count = 0;
    size_t parts = 0;
    if (!last) {
        if (strncmp(experiment->head.name, part, part_length) == 0)
            each(context, experiment->head.name);
        return;
    }
    size_t name = strlen(experiment->head.name);
    if (!string_format(whole, sizeof whole, "%.*s", (int)(last - typed), typed) ||
        strncmp(whole, experiment->head.name, name) != 0 ||
        (whole[name] != '.' && whole[name] != '\0') ||
        find_problems(experiment, whole, &first, &count, &parts, &ignored) != STATUS_OK ||
        parts == experiment->axis_count)
        return;
    for (size_t i = 0; i < experiment->axes[parts].count; i++) {
        char value[VALUE_TEXT_BYTES];
        if (value_format(experiment->axis_values[parts][i], value, sizeof value) &&
            strncmp(value, part, part_length) == 0 &&
            string_format(word, sizeof word, "%s.%s", whole, value))
            each(context, word);
    }
}

/* ---- values ---- */

bool list_accepts(const struct named_list *list, struct value value)
{
    char text[VALUE_TEXT_BYTES];
    if (!list->restriction || !value_format(value, text, sizeof text))
        return !list->restriction;
    const size_t length = strlen(text);
    const char *at = list->restriction;
    while (strncmp(at, text, length) != 0 || (at[length] != ',' && at[length] != '\0')) {
        at = strchr(at, ',');
        if (!at)
            return false;
        at++;
    }
    return true;
}

bool check_restriction(struct maker *maker, const struct named_list *list)
{
    enum { WORDS_MAX = 1024 };
    const char **words = arena_alloc(maker->arena, WORDS_MAX, sizeof *words);
    struct value *values = NULL;
    struct error *error = maker->error;
    struct error unknown;
    size_t count = list->count;
    maker->error = &unknown;
    bool is_known =
        words && (!list->list.tree ||
                  expression_evaluate_list(list->list.tree, &maker->environment, maker->arena,
                                           &values, &count, &unknown) == STATUS_OK);
    is_known = is_known && count <= WORDS_MAX;
    for (size_t i = 0; i < count && is_known; i++) {
        char text[VALUE_TEXT_BYTES];
        struct value value = values ? values[i] : value_integer(0);
        is_known = (values || make_value(maker, &list->values[i], &value)) &&
                   value_format(value, text, sizeof text) &&
                   (words[i] = arena_strdup(maker->arena, text)) != NULL;
    }
    maker->error = error;
    for (const char *at = list->restriction; is_known; at++) {
        const int length = (int)strcspn(at, ",");
        const char *written = arena_strndup(maker->arena, at, (size_t)length);
        bool known = false;
        for (size_t i = 0; written && i < count && !known; i++)
            known = strcmp(words[i], written) == 0;
        if (!written)
            return maker_no_memory(maker);
        if (!known)
            return maker_error(maker, list->place, "'%s' is never '%.60s'%s", list->name, written,
                               suggest(written, words, count).text);
        at += length;
        if (*at == '\0')
            break;
    }
    return true;
}

enum status experiment_restrict(struct experiment *experiment, const char *name, const char *values,
                                struct error *error)
{
    const char *const *names = experiment->head.parameter_names;
    const size_t count = experiment->head.parameter_count;
    const size_t index = WORD_INDEX(name, names, count);
    struct arena arena = {0};
    struct maker maker;
    enum status status = STATUS_OK;
    if (index == count)
        return error_set(error, STATUS_NOT_FOUND, "%s has no parameter '%.60s'%s",
                         experiment->head.name, name, suggest(name, names, count).text);
    struct named_list *list = &experiment->parameters[index];
    list->restriction = arena_strdup(&experiment->arena, values);
    maker_start(&maker, experiment, NULL, NULL, &arena, error);
    if (!list->restriction)
        status = error_no_memory(error);
    else if (!check_restriction(&maker, list))
        status = error->status = STATUS_USAGE;
    arena_free(&arena);
    return status;
}
