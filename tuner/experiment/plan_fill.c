/* What vectors are filled with, and what series and files come to. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/text.h"
#include "tuner/experiment/plan.h"
#include "tuner/experiment/token.h"

/* Of the name and the axes, not of the size: the data of n is the beginning of that of a larger n,
 * and arguments differ from one another. */
static uint64_t argument_seed(const char *name, const struct problem *problem)
{
    uint64_t seed = hash_u64(name, strlen(name), 0);
    for (size_t i = 0; i < problem->axis_count; i++) {
        char value[VALUE_TEXT_BYTES];
        (void)value_format(problem->axes[i].value, value, sizeof value);
        seed = hash_u64(problem->axes[i].name, strlen(problem->axes[i].name), seed);
        seed = hash_u64(value, strlen(value), seed);
    }
    return seed;
}

/* ---- series ---- */

static void append_value(struct text *text, struct value value)
{
    char number[VALUE_TEXT_BYTES];
    if (value.kind == VALUE_TEXT)
        text_printf(text, "'%s'", value.text);
    else if (value.kind == VALUE_BOOLEAN)
        text_append(text, value.integer ? "True" : "False");
    else if (value.kind == VALUE_INTEGER && value.integer == INT64_MIN)
        text_append(text, "(-9223372036854775807 - 1)");
    else if (value_format(value, number, sizeof number))
        text_printf(text, number[0] == '-' ? "(%s)" : "%s", number);
}

static size_t slot_of(const struct scope *scope, const char *name)
{
    size_t slot = 0;
    while (slot < scope->count && !(scope->names[slot] && strcmp(scope->names[slot], name) == 0))
        slot++;
    return slot;
}

/* The variable's value in place of its name, unless it is i or the name of a function. */
static enum status append_name(const struct experiment *experiment, const struct formula *series,
                               const struct token *token, struct environment *environment,
                               struct text *text, struct error *error)
{
    size_t slot = slot_of(&experiment->series_scope, token->text);
    if (slot >= SLOT_INDEX) {
        text_append_bytes(text, series->text + token->offset, token->length);
        return STATUS_OK;
    }
    const struct expression variable = {.kind = EXPRESSION_VARIABLE,
                                        .depth = 1,
                                        .index = (uint16_t)slot,
                                        .line = series->place.line,
                                        .column = series->place.column};
    struct value value;
    enum status status = expression_evaluate(&variable, environment, &value, error);
    if (status == STATUS_OK)
        append_value(text, value);
    return status;
}

static enum status append_series(const struct experiment *experiment, const struct formula *series,
                                 struct environment *environment, struct arena *arena,
                                 struct text *text, struct error *error)
{
    const struct source_text source = {.place = series->place, .text = series->text};
    struct token token = {0};
    size_t end = 0;
    enum status status = token_read(arena, &source, 0, &token, error);
    while (status == STATUS_OK && token.kind != TOKEN_END) {
        struct token next = {0};
        text_append_bytes(text, series->text + end, token.offset - end);
        end = token.offset + token.length;
        status = token_read(arena, &source, end, &next, error);
        if (status == STATUS_OK && token.kind == TOKEN_NAME)
            status = append_name(experiment, series, &token, environment, text, error);
        else
            text_append_bytes(text, series->text + token.offset, token.length);
        token = next;
    }
    return status;
}

/* Whether it has a number at the first and the last element: what is wrong with all is found here.
 */
static enum status try_series(const struct formula *series, int64_t count,
                              struct environment *environment, struct error *error)
{
    enum status status = STATUS_OK;
    for (int end = 0; end < 2 && count > 0 && status == STATUS_OK; end++) {
        double real = 0;
        environment_bind(environment, SLOT_INDEX, value_integer(end == 0 ? 0 : count - 1));
        status = formula_real(series, "an element of the series", -HUGE_VAL, HUGE_VAL, 0,
                              environment, &real, error);
    }
    return status;
}

enum status series_text(const struct experiment *experiment, const struct formula *series,
                        int64_t count, struct environment *environment, struct arena *arena,
                        const char **out, struct error *error)
{
    struct text text = {0};
    const struct scope *scope = environment->scope;
    environment->scope = &experiment->series_scope;
    enum status status = try_series(series, count, environment, error);
    if (status == STATUS_OK)
        status = append_series(experiment, series, environment, arena, &text, error);
    environment->scope = scope;
    if (status == STATUS_OK && text.length > EXPRESSION_BYTES_MAX)
        status =
            place_error(error, STATUS_BAD_INPUT, series->place,
                        "the series has more than %d characters when its variables are written "
                        "out",
                        EXPRESSION_BYTES_MAX);
    if (status == STATUS_OK) {
        *out = text.failed ? NULL : arena_strdup(arena, text_string(&text));
        if (!*out)
            status = error_no_memory(error);
    }
    text_free(&text);
    return status;
}

/* ---- files ---- */

enum status file_path(const struct experiment *experiment, const struct template *file,
                      struct environment *environment, struct arena *arena, const char **out,
                      struct error *error)
{
    const char *name = NULL;
    char absolute[PATH_MAX];
    enum status status = template_text(file, environment, arena, &name, error);
    if (status != STATUS_OK)
        return status;
    if (!path_near(experiment, name, false, false, absolute))
        return place_error(error, STATUS_BAD_INPUT, file->place,
                           "there is no file '%.200s' in the folder of this file", name);
    *out = arena_strdup(arena, absolute);
    return *out ? STATUS_OK : error_no_memory(error);
}

enum status file_holds(const char *path, struct place place, int64_t count, enum element_type type,
                       struct error *error)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return error_set_errno(error, errno, "%s", path);
    const int64_t needed = count * (int64_t)element_bytes(type);
    if (info.st_size >= needed)
        return STATUS_OK;
    return place_error(
        error, STATUS_BAD_INPUT, place, "the file %s has %lld bytes; %lld elements (%s) need %lld",
        path, (long long)info.st_size, (long long)count, element_name(type), (long long)needed);
}

/* ---- fills ---- */

enum status argument_fill(const struct fill_rule *rule, struct environment *environment,
                          struct arena *arena, enum argument_fill *out, struct error *error)
{
    const char *names[ARGUMENT_FILLS];
    const char *name = NULL;
    *out = rule->kind;
    if (rule->word.count == 0)
        return STATUS_OK;
    enum status status = template_text(&rule->word, environment, arena, &name, error);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i <= FILL_RANDOM_ODD; i++) {
        *out = (enum argument_fill)i;
        names[i] = fill_name(*out);
        if (strcmp(names[i], name) == 0)
            return STATUS_OK;
    }
    return place_error(error, STATUS_BAD_INPUT, rule->word.place, "no fill is named '%.60s'%s",
                       name, suggest(name, names, FILL_RANDOM_ODD + 1).text);
}

/* A number of a fill: for integers it must be one of theirs. */
static enum status fill_number(const struct formula *formula, const char *what,
                               enum element_type type, struct environment *environment, double *out,
                               struct error *error)
{
    double most = HUGE_VAL;
    double least = -HUGE_VAL;
    if (!element_is_real(type)) {
        int64_t low = 0;
        int64_t high = 0;
        integer_range(type, &low, &high);
        least = (double)low;
        most = (double)high;
    }
    enum status status = formula_real(formula, what, least, most, 0, environment, out, error);
    if (status == STATUS_OK && !element_is_real(type) && *out != floor(*out))
        status = place_error(error, STATUS_BAD_INPUT, formula->place,
                             "%s must be an integer, since the elements are (%s), not %g", what,
                             element_name(type), *out);
    if (status == STATUS_OK && element_is_real(type) && !isfinite(narrowed(*out, type)))
        status = place_error(error, STATUS_BAD_INPUT, formula->place,
                             "%s must be within %s, not %g", what, element_name(type), *out);
    return status;
}

static enum status uniform(const struct fill_rule *rule, struct environment *environment,
                           struct argument *out, struct error *error)
{
    enum status status =
        fill_number(&rule->low, "the lower end", out->type, environment, &out->fill_low, error);
    if (status == STATUS_OK)
        status = fill_number(&rule->high, "the upper end", out->type, environment, &out->fill_high,
                             error);
    const bool real = element_is_real(out->type);
    if (status == STATUS_OK &&
        !(out->fill_low < out->fill_high || (!real && out->fill_low == out->fill_high)))
        status = place_error(error, STATUS_BAD_INPUT, rule->low.place,
                             "uniform from %g to %g: the first must be the smaller", out->fill_low,
                             out->fill_high);
    return status;
}

/* The deviation of integers need be none. */
static enum status normal(const struct fill_rule *rule, struct environment *environment,
                          struct argument *out, struct error *error)
{
    enum status status = formula_real(&rule->low, "the mean", -HUGE_VAL, HUGE_VAL, 0, environment,
                                      &out->fill_low, error);
    if (status == STATUS_OK)
        status = formula_real(&rule->high, "the deviation", 0, HUGE_VAL, 0, environment,
                              &out->fill_high, error);
    return status;
}

static enum status filled_from_file(const struct experiment *experiment,
                                    const struct fill_rule *rule, struct environment *environment,
                                    struct arena *arena, struct argument *out, struct error *error)
{
    enum status status =
        file_path(experiment, &rule->file, environment, arena, &out->fill_text, error);
    if (status == STATUS_OK)
        status = file_holds(out->fill_text, rule->file.place, out->count, out->type, error);
    return status;
}

enum status make_fill(const struct experiment *experiment, const struct argument_rule *argument,
                      const struct problem *problem, struct environment *environment,
                      struct arena *arena, struct argument *out, struct error *error)
{
    const struct fill_rule *rule = &argument->fill;
    int64_t seed = 0;
    enum status status = argument_fill(rule, environment, arena, &out->fill, error);
    if (status == STATUS_OK)
        status = formula_integer(&rule->seed, "seed", 0, INT64_MAX, 0, environment, &seed, error);
    if (status != STATUS_OK)
        return status;
    out->seed = rule->seed.tree ? (uint64_t)seed : argument_seed(argument->name, problem);
    switch (out->fill) {
    case FILL_CONSTANT:
        return fill_number(&rule->low, "the constant", out->type, environment, &out->fill_low,
                           error);
    case FILL_UNIFORM:
        return uniform(rule, environment, out, error);
    case FILL_NORMAL:
        return normal(rule, environment, out, error);
    case FILL_SERIES:
        return series_text(experiment, &rule->series, out->count, environment, arena,
                           &out->fill_text, error);
    case FILL_FILE:
        return filled_from_file(experiment, rule, environment, arena, out, error);
    default:
        return STATUS_OK;
    }
}
