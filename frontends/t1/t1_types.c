/* Resolution of type names in a kernel's text through preprocessor conditions and macros, enough to
 * tell `REAL` from `float`. Definitions that depend on a parameter, on the compiler or on more than
 * a comparison are unknown. */
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

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (is_name_character(text[length]))
        length++;
    return length;
}

static const char *behind_blanks(const char *text)
{
    return text + strspn(text, " \t\r");
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

static enum truth truth_of(bool is)
{
    return is ? YES : NO;
}

/* Evaluates `defined(A)`, `defined A`, `A` or `A == 1`; other conditions are uncertain. */
static enum truth comparison(struct names *names, const char *text)
{
    static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};
    long left = 0, right = 0;
    size_t length = word_length(text);
    const char *next = behind_blanks(text + length);
    if (length == strlen("defined") && strncmp(text, "defined", length) == 0) {
        const bool parted = *next == '(';
        next = behind_blanks(next + (parted ? 1 : 0));
        length = word_length(next);
        const char *end = behind_blanks(next + length);
        end = behind_blanks(end + (parted && *end == ')' ? 1 : 0));
        return *end ? MAYBE : is_defined(names, next, length);
    }
    if (!number_of(names, text, length, &left))
        return MAYBE;
    if (!*next)
        return truth_of(left != 0);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const size_t width = strlen(operators[i]);
        if (strncmp(next, operators[i], width) != 0)
            continue;
        const char *other = behind_blanks(next + width);
        length = word_length(other);
        if (*behind_blanks(other + length) || !number_of(names, other, length, &right))
            return MAYBE;
        const bool is[] = {left == right, left != right, left <= right, left >= right,
                           left<right, left> right};
        return truth_of(is[i]);
    }
    return MAYBE;
}

/* Evaluates a comparison, also in brackets or negated. */
static enum truth condition(struct names *names, const char *text)
{
    bool negates = false;
    for (int step = 0; step < STEPS_MAX; step++) {
        text = behind_blanks(text);
        const size_t inner = strcspn(text, ")");
        if (*text == '!') {
            negates = !negates;
            text++;
        } else if (*text == '(' && text[inner] && !*behind_blanks(text + inner + 1)) {
            text = t1_printf(names->t, "%.*s", (int)inner - 1, text + 1);
        } else {
            break;
        }
    }
    const enum truth is = comparison(names, text);
    return !negates ? is : strpbrk(text, "=<>") ? MAYBE : negated(is);
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

static bool begins(const char *text, const char *word, const char **rest)
{
    const size_t length = strlen(word);
    *rest = behind_blanks(text + length);
    return strncmp(text, word, length) == 0 && !is_name_character(text[length]);
}

static void take_directive(struct names *names, const char *text)
{
    const char *rest = NULL;
    struct branch *branch =
        names->depth > 0 && names->depth <= DEPTH_MAX ? &names->branches[names->depth - 1] : NULL;
    if (begins(text, "if", &rest)) {
        begin_branch(names, condition(names, rest));
    } else if (begins(text, "ifdef", &rest)) {
        begin_branch(names, is_defined(names, rest, word_length(rest)));
    } else if (begins(text, "ifndef", &rest)) {
        begin_branch(names, negated(is_defined(names, rest, word_length(rest))));
    } else if (begins(text, "elif", &rest) && branch) {
        const enum truth is = condition(names, rest);
        branch->here = both(branch->outer, both(negated(branch->taken), is));
        branch->taken = branch->taken > is ? branch->taken : is;
    } else if (begins(text, "else", &rest) && branch) {
        branch->here = both(branch->outer, negated(branch->taken));
    } else if (begins(text, "endif", &rest)) {
        names->depth -= names->depth > 0 ? 1 : 0;
    } else if (begins(text, "define", &rest) && is_here(names) != NO) {
        const size_t length = word_length(rest);
        if (rest[length] != '(') /* functions are no types */
            mean(names, rest, length, behind_blanks(rest + length), is_here(names));
    } else if (begins(text, "undef", &rest) && is_here(names) != NO) {
        mean(names, rest, word_length(rest), NULL, MAYBE);
    }
}

/* Reads `typedef float REAL;` and `using REAL = float;`. */
static void take_alias(struct names *names, const char *text)
{
    const char *rest = NULL;
    const char *end = strchr(text, ';');
    if (!end || is_here(names) == NO)
        return;
    if (begins(text, "using", &rest)) {
        const size_t length = word_length(rest);
        const char *equals = behind_blanks(rest + length);
        if (*equals == '=')
            mean(names, rest, length,
                 t1_printf(names->t, "%.*s", (int)(end - equals - 1), behind_blanks(equals + 1)),
                 is_here(names));
    } else if (begins(text, "typedef", &rest)) {
        while (end > rest && !is_name_character(end[-1]))
            end--;
        const char *name = end;
        while (name > rest && is_name_character(name[-1]))
            name--;
        mean(names, name, (size_t)(end - name),
             t1_printf(names->t, "%.*s", (int)(name - rest), rest), is_here(names));
    }
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
        const char *name = behind_blanks(word + 2);
        const size_t length = word_length(name);
        mean(names, name, length, name[length] == '=' ? name + length + 1 : "1", YES);
    }
}

static void take_lines(struct names *names, const char *text)
{
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        const char *words = behind_blanks(line);
        const char *ignored = NULL;
        const size_t rest = length - (size_t)(words - line);
        if (*words == '#')
            take_directive(names,
                           behind_blanks(t1_printf(names->t, "%.*s", (int)rest - 1, words + 1)));
        else if (begins(words, "typedef", &ignored) || begins(words, "using", &ignored))
            take_alias(names, t1_printf(names->t, "%.*s", (int)rest, words));
        line += length + (line[length] ? 1 : 0);
    }
}

const char *t1_named_type(struct translation *t, const char *text, const char *type)
{
    struct names *names = calloc(1, sizeof *names);
    if (!names) {
        t->failed = true;
        return NULL;
    }
    names->t = t;
    take_options(names);
    take_lines(names, text);
    for (int step = 0; type && step < STEPS_MAX; step++) {
        const struct name *item = find(names, type, strlen(type));
        if (!item)
            break;
        type = item->stands_for;
    }
    free(names);
    return type;
}
