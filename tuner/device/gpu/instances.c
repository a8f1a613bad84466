/* Which instance of a kernel's template a source names: where it launches one, or asks for one by
 * `template __global__ void scale<half, 64>(...)`, also by a macro. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/element.h"
#include "tuner/device/gpu/tokens.h"

struct naming {
    struct arena *arena;
    const struct tokens *tokens; /* the whole source */
    struct kernel_signature *kernel;
    const char *name; /* of the kernel, without its namespaces */
    size_t best;      /* how many arguments could be taken of the instance that is taken so far */
    const char *taken[SIGNATURE_TEMPLATE_MAX];
    enum template_kind kinds[SIGNATURE_TEMPLATE_MAX];
};

/* The end of a template's argument: a comma or the closing '>'. */
static size_t argument_end(const struct tokens *tokens, size_t at)
{
    while (at < tokens->count && !token_is_in(tokens, at, ", > ; {"))
        at = token_is(tokens, at, "(")   ? tokens_behind(tokens, at)
             : token_is(tokens, at, "<") ? tokens_behind_angle(tokens, at)
                                         : at + 1;
    return at;
}

/* `enum class NAME : int {`: where its list opens; 0: it is another. NULL: of any name, or none. */
static size_t enumerators_open(const struct tokens *tokens, size_t at, const char *name)
{
    size_t i = at + 1;
    i += token_is_in(tokens, i, "class struct") ? 1 : 0;
    if (!token_is(tokens, at, "enum") || (name && !token_is(tokens, i, name)))
        return 0;
    while (i < tokens->count && !token_is_in(tokens, i, "{ ; ( )"))
        i++;
    return token_is(tokens, i, "{") ? i : 0;
}

/* Whether one of the source's enumerations has that name. */
static bool is_enumerator(const struct tokens *tokens, const struct tokens *name, size_t at)
{
    const char *word = name->items[at].start;
    const size_t length = name->items[at].length;
    for (size_t i = 0; i < tokens->count; i++) {
        const size_t open = enumerators_open(tokens, i, NULL);
        const size_t end = open > 0 ? tokens_behind(tokens, open) : 0;
        for (size_t j = open; j < end; j++)
            if (tokens->items[j].length == length &&
                strncmp(tokens->items[j].start, word, length) == 0)
                return true;
    }
    return false;
}

/* Whether the source declares a struct or a class of that name. */
static bool is_class(const struct tokens *tokens, const char *name)
{
    for (size_t i = 0; i + 1 < tokens->count; i++)
        if (token_is_in(tokens, i, "struct class") && token_is(tokens, i + 1, name) &&
            token_is_in(tokens, i + 2, "{ : final"))
            return true;
    return false;
}

bool type_from_cuda_name(const char *name, enum element_type *out)
{
    static const char *const halves[] = {"half", "__half", "nv_bfloat16", "__nv_bfloat16"};
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        if (strcmp(name, halves[i]) == 0) {
            *out = i < 2 ? ELEMENT_F16 : ELEMENT_BF16;
            return true;
        }
    return element_from_c_name(name, out);
}

/* Order::ROWS of kernel layout::transpose is layout::Order::ROWS. */
static const char *qualified(struct naming *naming, const char *value)
{
    const char *kernel = naming->kernel->name;
    const size_t space = (size_t)(naming->name - kernel);
    const bool whole = value && space > 0 && strncmp(value, kernel, strcspn(kernel, ":")) == 0;
    return !value || whole ? value
                           : arena_printf(naming->arena, "%.*s%s", (int)space, kernel, value);
}

/* The argument as it can be given again, elsewhere; NULL: it cannot. *kind is what it is then. */
static const char *usable(struct naming *naming, const struct tokens *of, size_t first, size_t end,
                          enum template_kind *kind)
{
    const bool single = end == first + 1;
    const char *text = end > first ? tokens_text(naming->arena, of, first, end) : NULL;
    enum element_type type;
    if (!text)
        return NULL;
    if (*kind == TEMPLATE_BOOLEAN)
        return single && token_is_in(of, first, "true false") ? text : NULL;
    if (*kind == TEMPLATE_NUMBER && single && of->items[first].kind == TOKEN_NUMBER) {
        const size_t digits = strcspn(text, "uUlL");
        return arena_strndup(naming->arena, text, digits > 0 ? digits : 1);
    }
    if (*kind == TEMPLATE_NUMBER && single)
        return guess_as_set(naming->arena, naming->tokens, text);
    if (*kind == TEMPLATE_TYPE && type_from_cuda_name(text, &type))
        return text;
    if (*kind == TEMPLATE_TYPE && single && is_class(naming->tokens, text)) {
        *kind = TEMPLATE_OTHER;
        return qualified(naming, text);
    }
    if (*kind != TEMPLATE_OTHER)
        return NULL;
    if (single && of->items[first].kind == TOKEN_NUMBER) { /* of a type that has another name */
        *kind = TEMPLATE_NUMBER;
        return usable(naming, of, first, end, kind);
    }
    if (single && of->items[first].kind == TOKEN_NAME)
        return is_enumerator(naming->tokens, of, first) ? text : NULL;
    return token_is(of, first + 1, "::") ? qualified(naming, text) : NULL;
}

/* A macro's parameters, and the arguments of one call of it. */
struct macro_call {
    const struct tokens *names, *values;
    size_t first_name, first_value; /* behind the '(' */
};

/* The tokens of what the macro's parameter is given; false: it is none. */
static bool find_given(const struct macro_call *call, const struct tokens *body, size_t at,
                       size_t *first, size_t *end)
{
    size_t name = call->first_name;
    *first = call->first_value;
    while (name < call->names->count && !token_is(call->names, name, ")")) {
        const struct token *a = &call->names->items[name], *b = &body->items[at];
        *end = *first;
        while (*end < call->values->count && !token_is_in(call->values, *end, ", )"))
            *end = token_is(call->values, *end, "<") ? tokens_behind_angle(call->values, *end)
                                                     : *end + 1;
        if (a->length == b->length && strncmp(a->start, b->start, a->length) == 0)
            return *end > *first;
        name += 1 + token_is(call->names, name + 1, ",");
        *first = *end + 1;
    }
    return false;
}

static void add_named(struct template_parameter *parameter, const char *text)
{
    char *end = NULL;
    const long number = strtol(text, &end, 0);
    size_t at = 0;
    while (at < parameter->named_count && parameter->named[at] < number)
        at++;
    if (*end || parameter->named_count == SIGNATURE_NAMED_MAX ||
        (at < parameter->named_count && parameter->named[at] == number))
        return;
    memmove(&parameter->named[at + 1], &parameter->named[at],
            (parameter->named_count - at) * sizeof *parameter->named);
    parameter->named[at] = number;
    parameter->named_count++;
}

/* The instance whose '<' is at `open`; in a macro's body that of a call. */
static void take_instance(struct naming *naming, const struct tokens *tokens, size_t open,
                          const struct macro_call *call)
{
    const char *taken[SIGNATURE_TEMPLATE_MAX] = {0};
    enum template_kind kinds[SIGNATURE_TEMPLATE_MAX];
    size_t first = open + 1, count = 0;
    for (size_t i = 0; i < naming->kernel->template_count && first < tokens->count; i++) {
        const size_t end = argument_end(tokens, first);
        const struct tokens *of = tokens;
        size_t value = first, value_end = end;
        if (call && end == first + 1 && find_given(call, tokens, first, &value, &value_end))
            of = call->values;
        kinds[i] = naming->kernel->template[i].kind;
        taken[i] = usable(naming, of, value, value_end, &kinds[i]);
        if (taken[i] && kinds[i] == TEMPLATE_NUMBER)
            add_named(&naming->kernel->template[i], taken[i]);
        count += taken[i] != NULL;
        if (token_is(tokens, end, ">") || end >= tokens->count)
            break;
        first = end + 1;
    }
    if (count <= naming->best)
        return;
    naming->best = count;
    memcpy(naming->taken, taken, sizeof taken);
    memcpy(naming->kinds, kinds, sizeof kinds);
}

/* #define MAKE(type, width) template __global__ void scale<type, width>(...); MAKE(half, 64) */
static bool look_into_macro(struct naming *naming, const struct token *directive)
{
    const char *rest = NULL, *end = NULL;
    struct tokens body;
    if (!token_is_directive(directive, "define", &rest, &end) ||
        !memmem(rest, (size_t)(end - rest), naming->name, strlen(naming->name)))
        return true;
    const char *text = arena_strndup(naming->arena, rest, (size_t)(end - rest));
    if (!text || !tokens_read(naming->arena, text, &body))
        return false;
    const char *macro = body.count > 0 ? tokens_text(naming->arena, &body, 0, 1) : NULL;
    for (size_t i = 1; macro && i + 1 < body.count; i++) {
        if (!token_is(&body, i, naming->name) || !token_is(&body, i + 1, "<"))
            continue;
        for (size_t j = 0; j + 1 < naming->tokens->count; j++)
            if (token_is(naming->tokens, j, macro) && token_is(naming->tokens, j + 1, "("))
                take_instance(naming, &body, i + 1,
                              &(struct macro_call){&body, naming->tokens, 2, j + 2});
    }
    return macro || body.count == 0;
}

bool guess_instance(struct arena *arena, const struct tokens *tokens,
                    struct kernel_signature *kernel)
{
    struct naming naming = {
        .arena = arena, .tokens = tokens, .kernel = kernel, .name = unqualified_name(kernel->name)};
    for (size_t i = 0; i + 1 < tokens->count; i++) {
        if (tokens->items[i].kind == TOKEN_DIRECTIVE &&
            !look_into_macro(&naming, &tokens->items[i]))
            return false;
        if (token_is(tokens, i, naming.name) && token_is(tokens, i + 1, "<"))
            take_instance(&naming, tokens, i + 1, NULL);
    }
    for (size_t i = 0; i < kernel->template_count && naming.best > 0; i++) {
        struct template_parameter *parameter = &kernel->template[i];
        if (parameter->preset || !naming.taken[i])
            continue;
        parameter->preset = naming.taken[i];
        parameter->kind = naming.kinds[i];
    }
    return true;
}

const char *guess_enumerator(struct arena *arena, const struct tokens *tokens,
                             const struct kernel_signature *kernel,
                             const struct template_parameter *parameter)
{
    const char *type = parameter->declared ? parameter->declared : "";
    const char *name = unqualified_name(type);
    if (parameter->preset && unqualified_name(kernel->name) == kernel->name)
        return parameter->preset; /* means the same everywhere */
    const size_t space =
        strstr(type, "::") ? 0 : (size_t)(unqualified_name(kernel->name) - kernel->name);
    for (size_t i = 0; *name && i < tokens->count; i++) {
        const size_t open = enumerators_open(tokens, i, name);
        const size_t end = open > 0 ? tokens_behind(tokens, open) : 0;
        for (size_t j = open + 1; j < end; j++) {
            const struct token *word = &tokens->items[j];
            if (word->kind == TOKEN_NAME &&
                (!parameter->preset || token_is(tokens, j, parameter->preset)))
                return arena_printf(arena, "%.*s%s::%.*s", (int)space, kernel->name, type,
                                    (int)word->length, word->start);
        }
    }
    return parameter->preset;
}
