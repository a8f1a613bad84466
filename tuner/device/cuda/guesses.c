#include "tuner/device/cuda/guesses.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tuner/base/text.h"

/* ---- what is taken where the source says nothing ---- */

static bool has_word(const char *name, const char *word)
{
    size_t length = strlen(word);
    for (; *name; name++)
        if (strncasecmp(name, word, length) == 0)
            return true;
    return false;
}

static bool is_switch(const char *name)
{
    static const char *const beginnings[] = {"use", "enable", "with", "has", "is_", "do_"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncasecmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

const char *guess_value(const char *name)
{
    if (is_switch(name) || strncasecmp(name, "min", 3) == 0)
        return "1";
    bool block = has_word(name, "block") || has_word(name, "thread") || has_word(name, "tpb");
    char last = (char)tolower((unsigned char)name[strlen(name) - 1]);
    if (block && (last == 'y' || last == 'z'))
        return last == 'y' ? "8" : "1";
    return block ? last == 'x' ? "32" : "256" : has_word(name, "warp") ? "32" : "4";
}

/* Whether a number may stand for it everywhere: no function, no type. */
bool guess_may_be_number(const struct tokens *tokens, const char *name)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (token_is(tokens, i, name) &&
            (token_is(tokens, i + 1, "(") || token_is(tokens, i + 1, "::") ||
             (i + 1 < tokens->count && tokens->items[i + 1].kind == TOKEN_NAME) ||
             (i > 0 && token_is(tokens, i - 1, "const"))))
            return false;
    return true;
}

bool guess_is_defined(const struct source_signature *out, const char *name)
{
    for (size_t i = 0; i < out->macro_count; i++)
        if (strcmp(out->macros[i].name, name) == 0)
            return true;
    return false;
}

/* ---- words of directives ---- */

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static size_t word_length(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && name_goes_on(at[length]))
        length++;
    return length;
}

/* The first word behind '#', and where it ends. */
static size_t directive_word(const struct token *token, const char **word)
{
    const char *end = token->start + token->length;
    *word = token->kind == TOKEN_DIRECTIVE ? skip_blanks(token->start + 1, end) : end;
    return word_length(*word, end);
}

static bool is_word(const char *at, size_t length, const char *word)
{
    return length == strlen(word) && strncmp(at, word, length) == 0;
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
    static const char *const behind[] = {"=", ";", ",", "[", ")", "(", "{"};
    if (i == 0 || tokens->items[i].kind != TOKEN_NAME || token_is(tokens, i - 1, "return"))
        return false;
    if (tokens->items[i - 1].kind != TOKEN_NAME && !token_is(tokens, i - 1, "*") &&
        !token_is(tokens, i - 1, "&") && !token_is(tokens, i - 1, ">"))
        return false;
    for (size_t j = 0; j < sizeof behind / sizeof *behind; j++)
        if (token_is(tokens, i + 1, behind[j]))
            return true;
    return false;
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
        const char *end = token->start + token->length;
        const char *word = NULL;
        size_t used = directive_word(token, &word);
        const char *defined = skip_blanks(word + used, end);
        if (is_word(word, used, "define"))
            hold_against(name, defined, word_length(defined, end), meant, &found);
        else if (is_declared_at(tokens, i) && !is_capital(token->start, token->length))
            hold_against(name, token->start, token->length, meant, &found);
    }
    return found ? arena_strdup(arena, meant) : NULL;
}

/* ---- macros of conditions ---- */

/* Whether a line defines the name, or asks whether it is defined: then it may well not be. */
static bool is_settled(const struct tokens *tokens, const char *name, size_t length)
{
    static const char *const lines[] = {"define", "ifdef", "ifndef", "undef"};
    for (size_t i = 0; i < tokens->count; i++) {
        const char *word = NULL;
        const char *end = tokens->items[i].start + tokens->items[i].length;
        size_t used = directive_word(&tokens->items[i], &word);
        const char *operand = skip_blanks(word + used, end);
        for (size_t j = 0; used > 0 && j < sizeof lines / sizeof *lines; j++)
            if (is_word(word, used, lines[j]) && word_length(operand, end) == length &&
                strncmp(operand, name, length) == 0)
                return true;
    }
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

static bool add_condition(struct arena *arena, struct source_signature *out, const char *name,
                          size_t length, const char *preset, size_t preset_length)
{
    struct macro_signature *macro = &out->macros[out->macro_count++];
    *macro = (struct macro_signature){.name = arena_strndup(arena, name, length), .guessed = true};
    if (!macro->name)
        return false;
    macro->preset =
        preset_length > 0 ? arena_strndup(arena, preset, preset_length) : guess_value(macro->name);
    /* A bare #if SOMETHING is a switch. */
    if (preset_length == 0)
        macro->preset = "0";
    return macro->preset != NULL;
}

static bool is_known(const struct source_signature *out, const char *name, size_t length)
{
    for (size_t i = 0; i < out->macro_count; i++)
        if (is_word(name, length, out->macros[i].name))
            return true;
    return false;
}

/* Of the compiler, of a library or the platform; or a macro with arguments. */
static bool is_anothers(const char *at, size_t length, const char *end)
{
    static const char *const words[] = {"defined", "true",  "false", "WIN32", "WIN64",
                                        "DEBUG",   "LINUX", "UNIX",  "MACOS", "VERBOSE"};
    const char *behind = skip_blanks(at + length, end);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(at, length, words[i]))
            return true;
    return *at == '_' || strncmp(at, "CUDA", 4) == 0 || strncmp(at, "NV", 2) == 0 ||
           (behind < end && strchr("(<>", *behind));
}

/* The names of one #if or #elif. */
static bool take_condition(struct arena *arena, const struct tokens *tokens, const char *at,
                           const char *end, struct source_signature *out)
{
    bool asked = false; /* behind `defined` */
    while (at < end) {
        size_t length = word_length(at, end);
        if (length == 0 || isdigit((unsigned char)*at)) {
            asked = asked && (*at == '(' || *at == ' ');
            at += length ? length : 1;
            continue;
        }
        const char *number = NULL;
        size_t digits = compared_with(at + length, end, &number);
        bool own = is_anothers(at, length, end);
        if (!own && !asked && out->macro_count < SIGNATURE_MACROS_MAX &&
            !is_known(out, at, length) && !is_settled(tokens, at, length) &&
            !add_condition(arena, out, at, length, number, digits))
            return false;
        asked = is_word(at, length, "defined");
        at += length;
    }
    return true;
}

bool guess_conditions(struct arena *arena, const struct tokens *tokens,
                      struct source_signature *out)
{
    bool done = true;
    for (size_t i = 0; done && i < tokens->count; i++) {
        const char *word = NULL;
        size_t used = directive_word(&tokens->items[i], &word);
        if (is_word(word, used, "if") || is_word(word, used, "elif"))
            done = take_condition(arena, tokens, word + used,
                                  tokens->items[i].start + tokens->items[i].length, out);
    }
    return done;
}
