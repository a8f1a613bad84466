#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/cutter.h"

static bool is(const struct cutter *cutter, size_t index, const char *text)
{
    return token_is(&cutter->tokens, index, text);
}

static bool is_any(const struct cutter *cutter, size_t index, const char *const *words,
                   size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is(cutter, index, words[i]))
            return true;
    return false;
}

#define IS_ANY(cutter, index, words) is_any(cutter, index, words, sizeof(words) / sizeof *(words))

bool cutter_has_line(const struct text *lines, const char *name, size_t length)
{
    const char *at = text_string(lines);
    for (; *at; at += strcspn(at, "\n") + 1)
        if (strcspn(at, "\n") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

void cutter_add_line(struct text *lines, const char *name, size_t length)
{
    text_append_bytes(lines, name, length);
    text_append(lines, "\n");
}

/* ---- macros ---- */

size_t cutter_word(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && name_goes_on(at[length]))
        length++;
    return length;
}

static bool names_device(const struct cutter *cutter, const char *at, const char *end)
{
    static const char *const words[] = {"__device__", "__global__",  "__constant__",
                                        "__shared__", "__managed__", "__nv_pure__"};
    while (at < end) {
        size_t length = cutter_word(at, end);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (length == strlen(words[i]) && strncmp(at, words[i], length) == 0)
                return true;
        if (length > 0 && cutter_has_line(&cutter->device_macros, at, length))
            return true;
        at += length ? length : 1;
    }
    return false;
}

/* The word behind '#'; *rest is what follows it. */
bool cutter_is_directive(const struct token *token, const char *word, const char **rest)
{
    const char *end = token->start + token->length;
    const char *at = token->start + 1;
    if (token->kind != TOKEN_DIRECTIVE)
        return false;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    size_t length = cutter_word(at, end);
    *rest = at + length;
    while (*rest < end && (**rest == ' ' || **rest == '\t'))
        ++*rest;
    return length == strlen(word) && strncmp(at, word, length) == 0;
}

static void read_macros(struct cutter *cutter)
{
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        const struct token *token = &cutter->tokens.items[i];
        const char *end = token->start + token->length;
        const char *name = NULL;
        if (!cutter_is_directive(token, "define", &name))
            continue;
        size_t length = cutter_word(name, end);
        if (length > 0 && names_device(cutter, name + length, end))
            cutter_add_line(&cutter->device_macros, name, length);
        if (length > 0 && name + length < end && name[length] == '(')
            cutter_add_line(&cutter->call_macros, name, length);
    }
}

/* The headers of libraries call theirs LIBRARY_DEVICE and the like. */
static bool is_device_word(const struct cutter *cutter, size_t index)
{
    const struct token *token = &cutter->tokens.items[index];
    if (token->kind != TOKEN_NAME)
        return false;
    if (names_device(cutter, token->start, token->start + token->length))
        return true;
    bool capital = true;
    for (size_t i = 0; i < token->length; i++)
        capital = capital && !islower((unsigned char)token->start[i]);
    return capital && memmem(token->start, token->length, "DEVICE", 6) != NULL;
}

/* ---- declarations ---- */

/* One declaration: a head, and its body or values. */
struct declaration {
    size_t first;
    size_t start; /* behind `template <...>` */
    size_t head;  /* the end of the head: where body, values or ; begin */
    size_t end;   /* behind all of it */
    size_t call;  /* the bracket of a function's parameters; 0: none */
    bool device, is_constexpr, is_const, type, enumeration, has_body, kept, host_std;
};

/* Of the standard library, what no device has. */
static bool is_host_std(const struct cutter *cutter, size_t index)
{
    static const char *const words[] = {"vector",
                                        "string",
                                        "map",
                                        "set",
                                        "list",
                                        "deque",
                                        "queue",
                                        "unordered_map",
                                        "unordered_set",
                                        "ostream",
                                        "istream",
                                        "fstream",
                                        "ifstream",
                                        "ofstream",
                                        "stringstream",
                                        "shared_ptr",
                                        "unique_ptr",
                                        "function",
                                        "thread",
                                        "mutex",
                                        "chrono",
                                        "mt19937",
                                        "random_device",
                                        "stack",
                                        "ostringstream",
                                        "istringstream",
                                        "default_random_engine",
                                        "uniform_real_distribution"};
    bool within = is(cutter, index - 1, "::") || is(cutter, index - 1, ".");
    bool named = is(cutter, index, "std") && is(cutter, index + 1, "::");
    bool bare = cutter->opens_std && (is(cutter, index + 1, "<") || is(cutter, index, "string"));
    return !within && (named || bare) && IS_ANY(cutter, index + (named ? 2 : 0), words);
}

static bool takes_attribute(const struct cutter *cutter, size_t index)
{
    static const char *const words[] = {"__align__",         "alignas",           "__attribute__",
                                        "__declspec",        "__builtin_align__", "decltype",
                                        "__launch_bounds__", "noexcept",          "asm"};
    return IS_ANY(cutter, index, words) && is(cutter, index + 1, "(");
}

static size_t skip_template(const struct cutter *cutter, size_t i, size_t end)
{
    while (i + 1 < end && is(cutter, i, "template") && is(cutter, i + 1, "<"))
        i = tokens_behind_angle(&cutter->tokens, i + 1);
    return i;
}

/* Where the braces of a class, struct, union or enum open; `end` when it is none. */
static size_t find_type_body(const struct cutter *cutter, size_t i, size_t end, bool *enumeration)
{
    static const char *const before[] = {"typedef",  "const",  "static",
                                         "volatile", "extern", "friend"};
    static const char *const keys[] = {"class", "struct", "union", "enum"};
    while (i < end && (IS_ANY(cutter, i, before) || takes_attribute(cutter, i)))
        i = takes_attribute(cutter, i) ? tokens_behind(&cutter->tokens, i + 1) : i + 1;
    if (i >= end || !IS_ANY(cutter, i, keys))
        return end;
    *enumeration = is(cutter, i, "enum");
    for (; i < end && !is(cutter, i, ";") && !is(cutter, i, "="); i++) {
        if (is(cutter, i, "{"))
            return i;
        if (takes_attribute(cutter, i))
            i = tokens_behind(&cutter->tokens, i + 1) - 1;
        else if (is(cutter, i, "<"))
            i = tokens_behind_angle(&cutter->tokens, i) - 1;
        else if (is(cutter, i, "("))
            return end;
    }
    return end;
}

/* Behind the values of members in front of a constructor's body: `: a(1), b{2}`. */
static size_t behind_initialisers(const struct cutter *cutter, size_t i, size_t end)
{
    const struct tokens *tokens = &cutter->tokens;
    for (i++; i < end; i++) {
        while (i < end && !is(cutter, i, "(") && !is(cutter, i, "{"))
            i = is(cutter, i, "<") ? tokens_behind_angle(tokens, i) : i + 1;
        i = tokens_behind(tokens, i);
        if (!is(cutter, i, ","))
            return i;
    }
    return end;
}

/* Up to the end of the statement. */
static size_t behind_statement(const struct cutter *cutter, size_t i, size_t end)
{
    while (i < end && !is(cutter, i, ";")) {
        bool opens = is(cutter, i, "{") || is(cutter, i, "(") || is(cutter, i, "[");
        i = opens ? tokens_behind(&cutter->tokens, i) : i + 1;
    }
    return i < end ? i + 1 : end;
}

/* Looks at one word of a head; gives where to go on. */
static size_t take_word(const struct cutter *cutter, struct declaration *d, size_t i)
{
    d->device = d->device || is_device_word(cutter, i);
    d->is_constexpr = d->is_constexpr || is(cutter, i, "constexpr") || is(cutter, i, "consteval");
    d->is_const = d->is_const || is(cutter, i, "const");
    d->host_std = d->host_std || is_host_std(cutter, i);
    if (is(cutter, i, "operator")) {
        /* operator()(...), operator=(...) */
        i += is(cutter, i + 1, "(") ? 3 : 1;
        while (i < cutter->tokens.count && !is(cutter, i, "(") && !is(cutter, i, ";"))
            i++;
        return i;
    }
    if (takes_attribute(cutter, i))
        return tokens_behind(&cutter->tokens, i + 1);
    if (is(cutter, i, "(")) {
        d->call = d->call ? d->call : i;
        return tokens_behind(&cutter->tokens, i);
    }
    if (is(cutter, i, "["))
        return tokens_behind(&cutter->tokens, i);
    return i + 1;
}

static void read_declaration(const struct cutter *cutter, struct declaration *d, size_t end)
{
    static const char *const kept[] = {"using",   "typedef",   "static_assert",
                                       "texture", "surface",   "asm",
                                       "friend",  "namespace", "__extension__"};
    size_t i = d->start;
    d->kept = IS_ANY(cutter, i, kept);
    while (i < end && !is(cutter, i, ";") && !is(cutter, i, "{") && !is(cutter, i, "=") &&
           !(is(cutter, i, ":") && d->call))
        i = take_word(cutter, d, i);
    d->head = i;
    if (is(cutter, i, ":"))
        i = behind_initialisers(cutter, i, end);
    d->has_body = d->call && is(cutter, i, "{");
    d->end = d->has_body ? tokens_behind(&cutter->tokens, i) : behind_statement(cutter, i, end);
}

/* A variable that NVRTC would take for the host's: not constant. */
static bool is_host_variable(const struct cutter *cutter, const struct declaration *d)
{
    if (d->host_std || (!d->is_const && !d->is_constexpr))
        return true;
    for (size_t i = d->head; i > d->start; i--)
        if (is(cutter, i - 1, "*"))
            return !is(cutter, i, "const");
    return false;
}

static bool begins_macro_call(const struct cutter *cutter, size_t i)
{
    const struct token *token = &cutter->tokens.items[i];
    return token->kind == TOKEN_NAME && is(cutter, i + 1, "(") &&
           cutter_has_line(&cutter->call_macros, token->start, token->length);
}

void cutter_cut(struct cutter *cutter, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (cutter->tokens.items[i].kind != TOKEN_DIRECTIVE)
            cutter->fates[i] = CUT;
}

static bool names_type(const struct cutter *cutter, const struct declaration *d)
{
    static const char *const keys[] = {"class", "struct", "union", "enum", "namespace"};
    for (size_t i = d->start; i < d->head; i++)
        if (IS_ANY(cutter, i, keys))
            return true;
    return false;
}

static void decide(struct cutter *cutter, const struct declaration *d, bool in_class)
{
    const struct token *name = d->call ? &cutter->tokens.items[d->call - 1] : NULL;
    bool defaulted = is(cutter, d->head, "=") &&
                     (is(cutter, d->head + 1, "default") || is(cutter, d->head + 1, "delete"));
    /* A pointer to a function among a type's members; a type behind a macro that nobody knows. */
    bool pointer = in_class && d->call && is(cutter, d->call + 1, "*");
    bool unclear = !d->call && is(cutter, d->head, "{") && names_type(cutter, d);
    if (d->device || (d->kept && !d->host_std) || defaulted || pointer || unclear)
        return;
    if (d->call && d->is_constexpr && !d->host_std)
        cutter->fates[d->start] = MADE_DEVICE;
    else if (d->call) {
        cutter_add_line(&cutter->left_out, name->start, name->length);
        cutter_cut(cutter, d->first, d->end);
    } else if (!in_class && is_host_variable(cutter, d))
        cutter_cut(cutter, d->first, d->end);
}

/* ---- scopes ---- */

static void read_scope(struct cutter *cutter, size_t i, size_t end, bool in_class);

/* A type's members; what it defines with it (`} name;`) stays. A type with a member that only a
 * host has is left out whole. */
static size_t read_type(struct cutter *cutter, size_t first, size_t open, size_t end,
                        bool enumeration)
{
    size_t behind = tokens_behind(&cutter->tokens, open);
    size_t whole = behind_statement(cutter, behind, end);
    struct declaration d = {.first = first};
    for (size_t i = open + 1; i + 1 < behind; i += is(cutter, i, "{") ? 0 : 1) {
        if (is(cutter, i, "{") || is(cutter, i, "("))
            i = tokens_behind(&cutter->tokens, i);
        d.host_std = d.host_std || is_host_std(cutter, i);
    }
    if (d.host_std)
        cutter_cut(cutter, first, whole);
    else if (!enumeration)
        read_scope(cutter, open + 1, behind - 1, true);
    return whole;
}

/* A namespace or extern "C" {; 0: none begins here. */
static size_t find_scope(const struct cutter *cutter, size_t i, size_t end)
{
    size_t at = i + (is(cutter, i, "inline") ? 1 : 0);
    if (is(cutter, i, "extern") && i + 2 < end && cutter->tokens.items[i + 1].kind == TOKEN_TEXT)
        return is(cutter, i + 2, "{") ? i + 2 : 0;
    if (!is(cutter, at, "namespace"))
        return 0;
    while (at < end && !is(cutter, at, "{") && !is(cutter, at, ";") && !is(cutter, at, "="))
        at++;
    return is(cutter, at, "{") ? at : 0;
}

static size_t read_one(struct cutter *cutter, size_t i, size_t end, bool in_class)
{
    static const char *const access[] = {"public", "private", "protected"};
    struct declaration d = {.first = i};
    size_t open = find_scope(cutter, i, end);
    if (cutter->tokens.items[i].kind == TOKEN_DIRECTIVE || is(cutter, i, ";"))
        return i + 1;
    if (open > 0) {
        size_t behind = tokens_behind(&cutter->tokens, open);
        read_scope(cutter, open + 1, behind - 1, false);
        return behind;
    }
    if (in_class && IS_ANY(cutter, i, access) && is(cutter, i + 1, ":"))
        return i + 2;
    if (begins_macro_call(cutter, i))
        return tokens_behind(&cutter->tokens, i + 1);
    d.start = skip_template(cutter, i, end);
    open = find_type_body(cutter, d.start, end, &d.enumeration);
    if (open < end)
        return read_type(cutter, i, open, end, d.enumeration);
    static const char *const types[] = {"class", "struct", "union", "enum"};
    bool forward = IS_ANY(cutter, d.start, types) && is(cutter, d.start + 2, ";");
    read_declaration(cutter, &d, end);
    if (!forward)
        decide(cutter, &d, in_class);
    return d.end > i ? d.end : i + 1;
}

static void read_scope(struct cutter *cutter, size_t i, size_t end, bool in_class)
{
    while (i < end)
        i = read_one(cutter, i, end, in_class);
}

/* ---- the whole ---- */

static bool opens_std(const struct cutter *cutter)
{
    for (size_t i = 0; i < cutter->tokens.count; i++)
        if (is(cutter, i, "using") && is(cutter, i + 1, "namespace") && is(cutter, i + 2, "std"))
            return true;
    return false;
}

/* Of braces alone: those behind #if and #else may well stand there twice. */
static bool is_balanced(const struct cutter *cutter)
{
    size_t depth = 0;
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        if (is(cutter, i, "}") && depth == 0)
            return false;
        depth += is(cutter, i, "{") ? 1 : 0;
        depth -= is(cutter, i, "}") ? 1 : 0;
    }
    return depth == 0;
}

bool cuda_device_part(struct arena *arena, const char *source, const struct named_value *defines,
                      size_t define_count, struct device_part *out)
{
    struct cutter cutter = {.arena = arena};
    *out = (struct device_part){0};
    if (!tokens_read(arena, source, &cutter.tokens))
        return false;
    cutter.fates = arena_alloc(arena, cutter.tokens.count + 1, 1);
    if (!cutter.fates)
        return false;
    memset(cutter.fates, KEPT, cutter.tokens.count + 1);
    if (is_balanced(&cutter)) {
        cutter.opens_std = opens_std(&cutter);
        read_macros(&cutter);
        read_scope(&cutter, 0, cutter.tokens.count, false);
    }
    bool done = cutter_write(&cutter, source, defines, define_count, out);
    text_free(&cutter.device_macros);
    text_free(&cutter.call_macros);
    text_free(&cutter.left_out);
    return done;
}

bool cuda_left_out(const struct device_part *part, const char *name, size_t length)
{
    const struct text lines = {.data = (char *)part->left_out, .length = strlen(part->left_out)};
    return cutter_has_line(&lines, name, length);
}
