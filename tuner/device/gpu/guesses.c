#include "tuner/device/gpu/tokens.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "tuner/base/text.h"

/* ---- what is taken where the source says nothing ---- */

const char *guess_value(const char *name)
{
    static const char *const switches[] = {"use", "enable", "with", "has", "is_", "do_", "min"};
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (strncasecmp(name, switches[i], strlen(switches[i])) == 0)
            return "1";
    const size_t length = strlen(name);
    const bool tile = strcasestr(name, "block") || strcasestr(name, "tile");
    if (tile && length > 2 && name[length - 2] == '_' && strchr("mnkMNK", name[length - 1]))
        return strchr("kK", name[length - 1]) ? "8" : "64"; /* of a product of matrices */
    bool block = strcasestr(name, "block") || strcasestr(name, "thread") || strcasestr(name, "tpb");
    char last = (char)tolower((unsigned char)name[strlen(name) - 1]);
    if (block && (last == 'y' || last == 'z'))
        return last == 'y' ? "8" : "1";
    return block ? last == 'x' ? "32" : "256" : strcasestr(name, "warp") ? "32" : "4";
}

const char *guess_type(const char *name)
{
    static const char *const integers[] = {"ind", "idx", "int", "offset", "ordinal", "label"};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (strcasestr(name, integers[i]))
            return "int";
    return "float";
}

const char *guess_as_set(struct arena *arena, const struct tokens *tokens, const char *name)
{
    for (size_t i = 0; i + 3 < tokens->count; i++)
        if (token_is(tokens, i, name) && token_is_in(tokens, i + 1, "= {") &&
            tokens->items[i + 2].kind == TOKEN_NUMBER && token_is_in(tokens, i + 3, "; , }")) {
            const struct token *number = &tokens->items[i + 2];
            size_t length = number->length;
            while (length > 1 && strchr("uUlL", number->start[length - 1]))
                length--;
            return arena_strndup(arena, number->start, length);
        }
    return NULL;
}

/* Whether a number may stand for it everywhere: no function, no array, no type. */
bool guess_may_be_number(const struct tokens *tokens, const char *name)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (token_is(tokens, i, name) &&
            (token_is_in(tokens, i + 1, "( :: [") ||
             (i + 1 < tokens->count && tokens->items[i + 1].kind == TOKEN_NAME) ||
             (i > 0 && token_is(tokens, i - 1, "const"))))
            return false;
    return true;
}

/* ---- misspelt names ---- */

static bool is_capital(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (islower((unsigned char)name[i]))
            return false;
    return true;
}

/* TILE_M and TILE_N, block_x and block_size_x, n1 and n2 are names of one author, not mistakes:
 * one begins as the other, or they differ in a last letter or in digits. */
static bool are_siblings(const char *a, const char *b)
{
    size_t same = 0;
    while (a[same] && a[same] == b[same])
        same++;
    bool begins = !a[same] || !b[same];
    bool last = (!a[same] || !a[same + 1]) && (!b[same] || !b[same + 1]);
    size_t end_a = strlen(a), end_b = strlen(b);
    while (end_a > same && end_b > same && a[end_a - 1] == b[end_b - 1])
        end_a--, end_b--;
    bool digits = end_a > same || end_b > same;
    bool word = end_a == same + 1 && end_b == same + 1 && same > 0 && a[same - 1] == '_' &&
                (a[end_a] == '_' || !a[end_a]);
    for (size_t i = same; i < end_a; i++)
        digits = digits && isdigit((unsigned char)a[i]);
    for (size_t i = same; i < end_b; i++)
        digits = digits && isdigit((unsigned char)b[i]);
    return begins || last || digits || word;
}

/* A name that stands where a declaration has it: behind a word, * or &, in front of = ; , [ ) or (
 */
static bool is_declared_at(const struct tokens *tokens, size_t i)
{
    if (i == 0 || tokens->items[i].kind != TOKEN_NAME || token_is(tokens, i - 1, "return"))
        return false;
    if (tokens->items[i - 1].kind != TOKEN_NAME && !token_is_in(tokens, i - 1, "* & >"))
        return false;
    return token_is_in(tokens, i + 1, "= ; , [ ) ( {");
}

enum { WORD_BYTES = 64 };

/* Keeps `word` as *meant when it is near `name`, and no name of its own kind. */
static void hold_against(const char *name, const char *word, size_t length, char meant[WORD_BYTES],
                         bool *found)
{
    char copy[WORD_BYTES];
    const char *one = copy;
    size_t own = strlen(name);
    if (*found || length < 3 || length > WORD_BYTES - 1 || own < 4 ||
        is_capital(name, own) != is_capital(word, length))
        return;
    memcpy(copy, word, length);
    copy[length] = '\0';
    /* MDIM and NDIM are two. */
    bool letter = length == own && is_capital(copy, length) && strcmp(copy + 1, name + 1) == 0;
    if (letter || strcmp(copy, name) == 0 || are_siblings(copy, name) ||
        !nearest_word(name, &one, 1))
        return;
    memcpy(meant, copy, length + 1);
    *found = true;
}

const char *guess_misspelt(struct arena *arena, const struct tokens *tokens, const char *name)
{
    static const char *const words[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
    char meant[WORD_BYTES];
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hold_against(name, words[i], strlen(words[i]), meant, &found);
    for (size_t i = 0; i < tokens->count && !found; i++) {
        const struct token *token = &tokens->items[i];
        const char *defined = NULL, *end = NULL;
        if (token_is_directive(token, "define", &defined, &end))
            hold_against(name, defined, word_bytes(defined, end), meant, &found);
        else if (is_declared_at(tokens, i) && !is_capital(token->start, token->length))
            hold_against(name, token->start, token->length, meant, &found);
    }
    return found ? arena_strdup(arena, meant) : NULL;
}

/* ---- macros of conditions ---- */

/* Whether a line defines the name, or asks whether it is defined: then it may well not be. */
static bool is_settled(const struct tokens *tokens, const char *name, size_t length)
{
    const char *operand = NULL, *end = NULL;
    for (size_t i = 0; i < tokens->count; i++)
        if (token_is_directive(&tokens->items[i], "define ifdef ifndef undef", &operand, &end) &&
            word_bytes(operand, end) == length && strncmp(operand, name, length) == 0)
            return true;
    return false;
}

/* The number that the name is compared with there, "" when with none. */
static size_t compared_with(const char *behind, const char *end, const char **number)
{
    const char *at = skip_blanks(behind, end);
    if (end - at < 2 || (strncmp(at, "==", 2) != 0 && strncmp(at, "!=", 2) != 0))
        return 0;
    *number = skip_blanks(at + 2, end);
    size_t length = 0;
    while (*number + length < end && isdigit((unsigned char)(*number)[length]))
        length++;
    return length;
}

/* A bare #if SOMETHING is a switch. */
static bool add_condition(struct arena *arena, struct source_signature *out, const char *name,
                          size_t length, const char *preset, size_t preset_length)
{
    struct macro_signature *macro = &out->macros[out->macro_count++];
    *macro = (struct macro_signature){
        .name = arena_strndup(arena, name, length),
        .preset = preset_length > 0 ? arena_strndup(arena, preset, preset_length) : "0",
        .guessed = true};
    return macro->name && macro->preset;
}

/* Behind the bracket that the one at `open` is closed by. */
static const char *behind_call(const char *open, const char *end)
{
    size_t depth = 0;
    for (; open < end; open++) {
        depth += *open == '(';
        depth -= *open == ')';
        if (depth == 0)
            return open + 1;
    }
    return end;
}

/* The names of one #if or #elif. */
static bool take_condition(struct arena *arena, const struct tokens *tokens, const char *at,
                           const char *end, struct source_signature *out)
{
    bool asked = false; /* behind `defined` */
    const bool file = memmem(at, (size_t)(end - at), "__has_include", 13);
    while (at < end) {
        size_t length = word_bytes(at, end);
        if (*at == '/' && at + 1 < end && strchr("*/", at[1])) { /* a comment */
            const char *close = at[1] == '*' ? memmem(at, (size_t)(end - at), "*/", 2) : NULL;
            at = close ? close + 2 : end;
            continue;
        }
        if (*at == '"' || (*at == '<' && memchr(at, '>', (size_t)(end - at)) && file)) {
            const char *close = memchr(at + 1, *at == '"' ? '"' : '>', (size_t)(end - at - 1));
            at = close ? close + 1 : end; /* of __has_include("file") */
            continue;
        }
        if (length == 0 || isdigit((unsigned char)*at)) {
            asked = asked && (*at == '(' || *at == ' ');
            at += length ? length : 1;
            continue;
        }
        const char *number = NULL;
        size_t digits = compared_with(at + length, end, &number);
        /* Of the compiler, of a library or the platform; or a macro with arguments. */
        const char *behind = skip_blanks(at + length, end);
        bool own =
            word_is_in(at, length,
                       "defined true false and or not WIN32 WIN64 DEBUG LINUX UNIX MACOS VERBOSE "
                       "CHAR_BIT UCHAR_MAX USHRT_MAX INT_MAX UINT_MAX LONG_MAX ULONG_MAX "
                       "LLONG_MAX ULLONG_MAX SIZE_MAX WCHAR_MAX") ||
            *at == '_' || strncmp(at, "CUDA", 4) == 0 || strncmp(at, "NV", 2) == 0 ||
            (behind < end && strchr("(<>", *behind));
        if (!own && !asked && out->macro_count < SIGNATURE_MACROS_MAX &&
            !macro_is_listed(out, at, length) && !is_settled(tokens, at, length) &&
            !add_condition(arena, out, at, length, number, digits))
            return false;
        asked = word_is_in(at, length, "defined");
        /* What a macro is given need be no macro: HAS_ATTRIBUTE(warning) */
        at = !asked && behind < end && *behind == '(' ? behind_call(behind, end) : at + length;
    }
    return true;
}

/* #if NAME != 8, then #error: there is no other value. */
static void mark_only(const char *condition, const char *end, struct source_signature *out)
{
    for (size_t i = 0; i < out->macro_count; i++) {
        const char *number = NULL;
        const size_t length = strlen(out->macros[i].name);
        const char *at = memmem(condition, (size_t)(end - condition), out->macros[i].name, length);
        const bool whole = at && (at == condition || !name_goes_on(at[-1]));
        const size_t digits = whole ? compared_with(at + length, end, &number) : 0;
        if (digits > 0 && word_is_in(number, digits, out->macros[i].preset))
            out->macros[i].single_valued = true;
    }
}

bool guess_conditions(struct arena *arena, const struct tokens *tokens,
                      struct source_signature *out)
{
    const char *rest = NULL, *end = NULL, *message = NULL, *behind = NULL;
    for (size_t i = 0; i < tokens->count; i++) {
        if (!token_is_directive(&tokens->items[i], "if elif", &rest, &end))
            continue;
        if (!take_condition(arena, tokens, rest, end, out))
            return false;
        if (memmem(rest, (size_t)(end - rest), "!=", 2) && i + 1 < tokens->count &&
            token_is_directive(&tokens->items[i + 1], "error", &message, &behind))
            mark_only(rest, end, out);
    }
    return true;
}

/* The names that one condition wants defined: #ifdef NAME, #if defined(A) && defined(B). */
static bool want_condition(struct arena *arena, const struct token *directive,
                           struct source_signature *out, bool *wanted)
{
    const char *rest = NULL, *end = NULL;
    const bool one = token_is_directive(directive, "ifdef", &rest, &end);
    if (!one && !token_is_directive(directive, "if", &rest, &end))
        return true;
    if (!one &&
        (memchr(rest, '!', (size_t)(end - rest)) || memchr(rest, '|', (size_t)(end - rest))))
        return true;
    bool asked = one;
    for (const char *at = rest; at < end;) {
        const size_t length = word_bytes(at, end);
        const bool word = length > 0 && !isdigit((unsigned char)*at);
        if (word && asked && *at != '_' && !macro_is_listed(out, at, length) &&
            out->macro_count < SIGNATURE_MACROS_MAX) {
            struct macro_signature *macro = &out->macros[out->macro_count++];
            *macro = (struct macro_signature){.name = arena_strndup(arena, at, length),
                                              .preset = "1",
                                              .guessed = true,
                                              .single_valued = true};
            *wanted = true;
            if (!macro->name)
                return false;
        }
        asked = word ? word_is_in(at, length, "defined") : asked;
        at += length ? length : 1;
    }
    return true;
}

bool guess_wanted(struct arena *arena, const struct tokens *tokens, size_t token,
                  struct source_signature *out, bool *wanted)
{
    enum { DEPTH_MAX = 32 };
    size_t open[DEPTH_MAX], depth = 0;
    const char *rest = NULL, *end = NULL;
    *wanted = false;
    for (size_t i = 0; i < token && i < tokens->count; i++) {
        if (token_is_directive(&tokens->items[i], "if ifdef ifndef", &rest, &end)) {
            if (depth == DEPTH_MAX)
                return true;
            open[depth++] = i;
        } else if (depth > 0 && token_is_directive(&tokens->items[i], "endif", &rest, &end)) {
            depth--;
        } else if (depth > 0 && token_is_directive(&tokens->items[i], "else elif", &rest, &end)) {
            open[depth - 1] = token; /* of another branch: the condition is no help */
        }
    }
    for (size_t i = 0; i < depth; i++)
        if (open[i] < token && !want_condition(arena, &tokens->items[open[i]], out, wanted))
            return false;
    return true;
}
