/* Resolution of type names in a kernel's text through preprocessor conditions and macros, enough to
 * tell `REAL` from `float`. Definitions that depend on a parameter or on the compiler are unknown.
 */
#include <stdlib.h>
#include <string.h>

#include "frontends/t1/internal.h"

enum { NAMES_MAX = 256, DEPTH_MAX = 32, STEPS_MAX = 8 };
enum truth { NO, MAYBE, YES };

struct name {
    const char *name;
    const char *stands_for; /* NULL: unknown, or empty */
};

/* An #if: whether its text is compiled, and whether a previous branch was. */
struct branch {
    enum truth outer, taken, here;
};

struct names {
    struct translation *t;
    struct name items[NAMES_MAX];
    size_t count;
    struct branch branches[DEPTH_MAX];
    size_t depth;
};

static enum truth both(enum truth a, enum truth b)
{
    return a < b ? a : b;
}

static enum truth negated(enum truth a)
{
    return (enum truth)(YES - a);
}

static struct name *find(struct names *names, const char *name, size_t length)
{
    for (size_t i = 0; i < names->count; i++)
        if (strncmp(names->items[i].name, name, length) == 0 && !names->items[i].name[length])
            return &names->items[i];
    return NULL;
}

/* Defines a name. A second, different definition makes it unknown. */
static void mean(struct names *names, const char *name, size_t length, const char *stands_for,
                 enum truth sure)
{
    struct name *item = find(names, name, length);
    size_t end = stands_for ? strlen(stands_for) : 0;
    while (end > 0 && strchr(" \t\r", stands_for[end - 1]))
        end--;
    stands_for = stands_for ? t1_printf(names->t, "%.*s", (int)end, stands_for) : NULL;
    const bool same =
        item && item->stands_for && stands_for && strcmp(item->stands_for, stands_for) == 0;
    if (length == 0 || (!item && names->count == NAMES_MAX))
        return;
    if (!item) {
        item = &names->items[names->count++];
        item->name = t1_printf(names->t, "%.*s", (int)length, name);
    }
    item->stands_for = sure == YES || same ? stands_for : NULL;
}

static enum truth is_defined(struct names *names, const char *name, size_t length)
{
    const char *text = t1_printf(names->t, "%.*s", (int)length, name);
    const struct name *item = find(names, name, length);
    if (item)
        return item->stands_for ? YES : MAYBE;
    return t1_parameter(names->t, text) || strncmp(name, "__", 2) == 0 ? MAYBE : NO;
}

/* Evaluates a number or a name that stands for one; as in C, an undefined name is 0. */
static bool number_of(struct names *names, const char *word, size_t length, long *out)
{
    for (int step = 0; step < STEPS_MAX; step++) {
        char *end = NULL;
        *out = strtol(word, &end, 0);
        if (end == word + length && length > 0)
            return true;
        if (is_defined(names, word, length) == NO)
            return length > 0 && !strchr("0123456789", *word);
        const struct name *item = find(names, word, length);
        if (!item || !item->stands_for)
            return false;
        word = item->stands_for;
        length = strlen(word);
    }
    return false;
}

/* Evaluates a condition as an expression of experiment files, which has the same comparisons; what
 * names something uncertain is uncertain. */
static enum truth condition(struct names *names, const char *text)
{
    static const char *const words[][2] = {{"&&", "and"}, {"||", "or"}, {"!", "not"}};
    struct arena *arena = &names->t->document->arena;
    const struct scope scope = {.count = 0};
    struct environment *environment = arena_alloc(arena, 1, sizeof *environment);
    struct source_text source = {.place = {names->t->document->file, 0, 1}};
    struct formula formula = {0};
    struct value value;
    struct error ignored = {0};
    struct tokens tokens;
    struct text python = {0};
    enum truth sure = tokens_read(arena, text, &tokens) && environment ? YES : MAYBE;
    for (size_t i = 0; i < tokens.count && sure == YES; i++) {
        bool asks = token_is(&tokens, i, "defined");
        const bool in_brackets = asks && token_is(&tokens, i + 1, "(");
        i += asks ? 1 + in_brackets : 0;
        if (i >= tokens.count)
            break;
        const struct token *token = &tokens.items[i];
        const char *word = t1_printf(names->t, "%.*s", (int)token->length, token->start);
        long number = 0;
        if (asks) {
            const enum truth is = is_defined(names, word, token->length);
            sure = is == MAYBE ? MAYBE : YES;
            word = is == YES ? "1" : "0";
            i += in_brackets;
        } else if (token->kind == TOKEN_NAME || token->kind == TOKEN_NUMBER) {
            sure = number_of(names, word, strcspn(word, "uUlL"), &number) ||
                           number_of(names, word, token->length, &number)
                       ? YES
                       : MAYBE;
            word = t1_printf(names->t, "%ld", number);
        }
        for (size_t j = 0; j < sizeof words / sizeof *words; j++)
            if (token_is(&tokens, i, words[j][0]))
                word = words[j][1];
        if (strcmp(word, "not") == 0 && strpbrk(text, "=<>"))
            sure = MAYBE; /* binds otherwise */
        text_printf(&python, " %s", word);
    }
    source.text = t1_printf(names->t, "%s", text_string(&python));
    text_free(&python);
    if (sure != YES || expression_parse(arena, &source, &scope, &formula, &ignored) != STATUS_OK)
        return MAYBE;
    environment->file = names->t->document->file;
    environment->scope = &scope;
    return expression_evaluate(formula.tree, environment, &value, NULL) != STATUS_OK ? MAYBE
           : value_is_true(value)                                                    ? YES
                                                                                     : NO;
}

/* Returns whether the current text is compiled; uncertain beyond DEPTH_MAX. */
static enum truth is_here(const struct names *names)
{
    return names->depth == 0          ? YES
           : names->depth > DEPTH_MAX ? MAYBE
                                      : names->branches[names->depth - 1].here;
}

static void begin_branch(struct names *names, enum truth is)
{
    const enum truth outer = is_here(names);
    if (names->depth++ < DEPTH_MAX)
        names->branches[names->depth - 1] = (struct branch){outer, is, both(outer, is)};
}

static void take_directive(struct names *names, const struct token *token)
{
    const char *rest = NULL, *end = NULL;
    struct branch *branch =
        names->depth > 0 && names->depth <= DEPTH_MAX ? &names->branches[names->depth - 1] : NULL;
    const bool defines = token_is_directive(token, "define undef", &rest, &end);
    const size_t length = word_bytes(rest, end);
    const char *behind = skip_blanks(rest + length, end);
    const char *text = t1_printf(names->t, "%.*s", (int)(end - rest), rest);
    if (defines && is_here(names) != NO && rest[length] != '(') { /* functions are no types */
        if (token_is_directive(token, "undef", &rest, &end))
            mean(names, rest, length, NULL, MAYBE);
        else
            mean(names, rest, length, t1_printf(names->t, "%.*s", (int)(end - behind), behind),
                 is_here(names));
    } else if (token_is_directive(token, "if", &rest, &end)) {
        begin_branch(names, condition(names, text));
    } else if (token_is_directive(token, "ifdef", &rest, &end)) {
        begin_branch(names, is_defined(names, rest, length));
    } else if (token_is_directive(token, "ifndef", &rest, &end)) {
        begin_branch(names, negated(is_defined(names, rest, length)));
    } else if (token_is_directive(token, "elif", &rest, &end) && branch) {
        const enum truth is = condition(names, text);
        branch->here = both(branch->outer, both(negated(branch->taken), is));
        branch->taken = branch->taken > is ? branch->taken : is;
    } else if (token_is_directive(token, "else", &rest, &end) && branch) {
        branch->here = both(branch->outer, negated(branch->taken));
    } else if (token_is_directive(token, "endif", &rest, &end)) {
        names->depth -= names->depth > 0 ? 1 : 0;
    }
}

/* Reads `typedef float REAL;` and `using REAL = float;` from the token on. */
static void take_alias(struct names *names, const struct tokens *tokens, size_t first)
{
    struct arena *arena = &names->t->document->arena;
    const bool is_using = token_is(tokens, first, "using");
    size_t end = first;
    while (end < tokens->count && !token_is(tokens, end, ";"))
        end++;
    size_t name = is_using ? first + 1 : end - 1;
    while (!is_using && name > first + 1 && tokens->items[name].kind != TOKEN_NAME)
        name--;
    if (end == tokens->count || name <= first || name >= end || is_here(names) == NO ||
        (is_using && !token_is(tokens, name + 1, "=")))
        return;
    mean(names, tokens->items[name].start, tokens->items[name].length,
         is_using ? tokens_text(arena, tokens, name + 2, end)
                  : tokens_text(arena, tokens, first + 1, name),
         is_here(names));
}

/* Reads `-D NAME=VALUE` from the compiler's options. */
static void take_options(struct names *names)
{
    const json_t *list = json_member(names->t->kernel, "CompilerOptions");
    const json_t *option;
    size_t index;
    json_array_foreach(list, index, option)
    {
        const char *word = json_string_value(option);
        if (!word || strncmp(word, "-D", 2) != 0)
            continue;
        const char *const end = word + strlen(word), *name = skip_blanks(word + 2, end);
        const size_t length = word_bytes(name, end);
        mean(names, name, length, name[length] == '=' ? name + length + 1 : "1", YES);
    }
}

const char *t1_named_type(struct translation *t, const struct tokens *tokens, const char *type)
{
    struct names *names = arena_alloc(&t->document->arena, 1, sizeof *names);
    if (!names) {
        t->failed = true;
        return NULL;
    }
    names->t = t;
    take_options(names);
    for (size_t i = 0; i < tokens->count; i++) {
        if (tokens->items[i].kind == TOKEN_DIRECTIVE)
            take_directive(names, &tokens->items[i]);
        else if (token_is_in(tokens, i, "typedef using"))
            take_alias(names, tokens, i);
    }
    for (int step = 0; type && step < STEPS_MAX; step++) {
        const struct name *item = find(names, type, strlen(type));
        if (!item)
            break;
        type = item->stands_for;
    }
    return type;
}
