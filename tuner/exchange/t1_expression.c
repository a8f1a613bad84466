/* Expressions of Kernel Tuner's dialect: what they may name besides parameters is put in. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/exchange/internal.h"
#include "tuner/experiment/expression.h"

const json_t *t1_parameter(const struct translation *t, const char *name)
{
    const json_t *parameters = json_member(t->space, "TuningParameters");
    const json_t *parameter;
    size_t index;
    json_array_foreach(parameters, index, parameter)
    {
        const char *its = json_string_value(json_object_get(parameter, "Name"));
        if (its && strcmp(its, name) == 0)
            return parameter;
    }
    return NULL;
}

static const char *bound_of(struct translation *t, const struct value *values, size_t count,
                            bool most)
{
    char text[VALUE_TEXT_BYTES];
    double best = 0;
    size_t at = count;
    for (size_t i = 0; i < count; i++) {
        double number = 0;
        if (!value_number(values[i], &number))
            return NULL;
        if (at == count || (most ? number > best : number < best)) {
            best = number;
            at = i;
        }
    }
    return at < count && value_format(values[at], text, sizeof text) ? t1_printf(t, "%s", text)
                                                                     : NULL;
}

bool t1_parameter_bound(struct translation *t, const char *name, bool most, const char **out)
{
    const json_t *values = json_member(t1_parameter(t, name), "Values");
    const char *text = json_is_string(values) ? json_string_value(values) : yaml_of_json(t, values);
    const struct scope scope = {.count = 0};
    const struct source_text source = {.place = {t->path, 1, 1}, .text = text};
    struct formula formula = {0};
    struct environment *environment = arena_alloc(t->arena, 1, sizeof *environment);
    struct value *list = NULL;
    size_t count = 0;
    if (!environment)
        return error_no_memory(t->error) == STATUS_OK;
    environment->file = t->path;
    environment->scope = &scope;
    const char *origin = t1_printf(t, "ConfigurationSpace.TuningParameters, '%s'", name);
    if (expression_parse_list(t->arena, &source, &scope, &formula, t->error) != STATUS_OK ||
        expression_evaluate_list(formula.tree, environment, t->arena, &list, &count, t->error) !=
            STATUS_OK)
        return error_prefix(t->error, "%s: %s", t->path, origin) == STATUS_OK;
    if (count > 1 && !strstr(text_string(&t->shaping), name))
        text_printf(&t->shaping, "%s%s", t->shaping.length ? ", " : "", name);
    *out = bound_of(t, list, count, most);
    return *out || t1_error(t, origin, "has no %s: its values are no numbers",
                            most ? "maximum" : "minimum");
}

/* ProblemSize is a number, a text, or a list of up to three of these. */
static const char *problem_size(struct translation *t, size_t index)
{
    const json_t *sizes = json_member(t->kernel, "ProblemSize");
    const json_t *size = json_is_array(sizes) ? json_array_get(sizes, index)
                         : index == 0         ? sizes
                                              : NULL;
    if (json_is_string(size))
        return t1_printf(t, "(%s)", json_string_value(size));
    return size ? json_number_text(t, size, true) : NULL;
}

/* Whether an overlay has made an axis or the size of what was a parameter: one value at a time. */
static bool is_of_problem(const struct translation *t, const char *name)
{
    return json_member(json_member(t->tune, "axes"), name) ||
           json_member(json_member(t->tune, "sizes"), name);
}

/* `text` begins at a name of `length`; what it and what is behind it come to, with where that ends;
 * NULL: it stays. */
static const char *replacement(struct translation *t, const char *text, size_t length,
                               const char **end)
{
    char name[VALUE_TEXT_BYTES];
    const char *next = text + length;
    while (isspace((unsigned char)*next))
        next++;
    if (length == strlen("ProblemSize") && strncmp(text, "ProblemSize", length) == 0 &&
        *next == '[') {
        char *after = NULL;
        unsigned long index = strtoul(next + 1, &after, 10);
        if (after == next + 1 || *after != ']' || index >= DIMENSIONS)
            return NULL;
        *end = after + 1;
        return problem_size(t, index);
    }
    bool most = length == 3 && strncmp(text, "max", 3) == 0;
    if ((!most && !(length == 3 && strncmp(text, "min", 3) == 0)) || *next != '(')
        return NULL;
    next += 1 + strspn(next + 1, " ");
    size_t inner = strspn(next, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    const char *close = next + inner + strspn(next + inner, " ");
    if (*close != ')' || !string_format(name, sizeof name, "%.*s", (int)inner, next))
        return NULL;
    bool fixed = is_of_problem(t, name);
    if (!fixed && !t1_parameter(t, name))
        return NULL;
    *end = close + 1;
    if (fixed)
        return t1_printf(t, "%s", name);
    const char *bound = NULL;
    return t1_parameter_bound(t, name, most, &bound) ? bound : NULL;
}

const char *t1_expression(struct translation *t, const char *origin, const char *text)
{
    struct text result = {0};
    if (t->dialect != T1_KERNEL_TUNER)
        return text;
    for (const char *c = text; *c;) {
        size_t length = 0;
        while (name_goes_on(c[length]))
            length++;
        const char *end = c + (length ? length : 1);
        const char *replaced = length ? replacement(t, c, length, &end) : NULL;
        if (t->error->status != STATUS_OK)
            break;
        if (replaced)
            text_append(&result, replaced);
        else if (end > c + (length ? length : 1))
            (void)t1_error(t, origin, "ProblemSize has no such element");
        else
            text_append_bytes(&result, c, (size_t)(end - c));
        c = end;
    }
    const char *kept =
        t->error->status == STATUS_OK ? t1_printf(t, "%s", text_string(&result)) : NULL;
    t->failed = t->failed || result.failed;
    text_free(&result);
    return kept;
}
