#include "tuner/base/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"

/* Returns the length of a backslash that joins the next line to this one, "\\\n" or "\\\r\n"; 0:
 * none. */
static size_t join_length(const char *at)
{
    if (at[0] != '\\')
        return 0;
    return at[1] == '\n' ? 2 : at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

/* Returns the length of a comment at `at`; 0: none. */
static size_t comment_length(const char *at)
{
    if (at[0] != '/' || (at[1] != '/' && at[1] != '*'))
        return 0;
    if (at[1] == '/') {
        size_t length = 0;
        for (size_t join; at[length] && at[length] != '\n'; length += join ? join : 1)
            join = join_length(at + length);
        return length;
    }
    const char *end = strstr(at + 2, "*/");
    return end ? (size_t)(end - at) + 2 : strlen(at);
}

/* R"mark( ... )mark" */
static size_t raw_length(const char *at)
{
    char end[24];
    size_t mark = strcspn(at + 2, "(\n");
    if (at[2 + mark] != '(' || !string_format(end, sizeof end, ")%.*s\"", (int)mark, at + 2))
        return 1;
    const char *close = strstr(at + 3 + mark, end);
    return close ? (size_t)(close - at) + strlen(end) : strlen(at);
}

static size_t sign_length(const char *at)
{
    static const char *const signs[] = {
        "<<=", ">>=", "...", "::", "->", "+=", "-=", "*=", "/=", "%=", "&=",
        "|=",  "^=",  "==",  "!=", "<=", ">=", "&&", "||", "++", "--", "<<"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(at, signs[i], strlen(signs[i])) == 0)
            return strlen(signs[i]);
    return 1;
}

static bool read_all(const char *text, struct tokens *out)
{
    size_t capacity = 0;
    uint32_t line = 1;
    bool line_begins = true;
    while (*text) {
        size_t length = comment_length(text);
        if (length == 0 && (isspace((unsigned char)*text) || join_length(text)))
            length = 1;
        if (length == 0) {
            struct token token = {.start = text};
            if (*text == '#' && line_begins) {
                token.kind = TOKEN_DIRECTIVE;
                /* A line of the preprocessor, with those that a backslash joins. */
                while (text[length] && text[length] != '\n') {
                    const size_t comment = comment_length(text + length);
                    const size_t passed = comment ? comment : join_length(text + length);
                    length += passed ? passed : 1;
                }
            } else if (text[0] == 'R' && text[1] == '"') {
                token.kind = TOKEN_TEXT;
                length = raw_length(text);
            } else if (name_begins(*text)) {
                token.kind = TOKEN_NAME;
                while (is_name_character(text[length]))
                    length++;
            } else if (isdigit((unsigned char)*text) ||
                       (*text == '.' && isdigit((unsigned char)text[1]))) {
                token.kind = TOKEN_NUMBER;
                length = 1;
                while (is_name_character(text[length]) || text[length] == '.' ||
                       text[length] == '\'' ||
                       ((text[length] == '+' || text[length] == '-') &&
                        strchr("eEpP", text[length - 1])))
                    length++;
            } else if (*text == '"' || *text == '\'') {
                token.kind = TOKEN_TEXT;
                length = 1;
                while (text[length] && text[length] != text[0] && text[length] != '\n')
                    length += text[length] == '\\' && text[length + 1] ? 2 : 1;
                length = text[length] == text[0] ? length + 1 : length;
            } else {
                token.kind = TOKEN_SIGN;
                length = sign_length(text);
            }
            token.length = (uint32_t)length;
            token.line = line;
            if (!array_grow(&out->items, out->count, &capacity, sizeof *out->items))
                return false;
            out->items[out->count++] = token;
            length = token.length;
            line_begins = false;
        }
        for (; length > 0; length--, text++) {
            line += *text == '\n';
            line_begins |= *text == '\n';
        }
    }
    return true;
}

bool tokens_read(struct arena *arena, const char *text, struct tokens *out)
{
    struct tokens tokens = {0};
    *out = tokens;
    bool done = read_all(text, &tokens);
    arena->failed |= !done;
    struct token *items =
        done && tokens.count ? arena_copy(arena, tokens.items, tokens.count * sizeof *items) : NULL;
    if (items)
        *out = (struct tokens){items, tokens.count};
    free(tokens.items);
    return done && (items || tokens.count == 0);
}

bool token_is_name(const struct tokens *tokens, size_t index)
{
    return index < tokens->count && tokens->items[index].kind == TOKEN_NAME;
}

bool token_is(const struct tokens *tokens, size_t index, const char *text)
{
    return index < tokens->count && strlen(text) == tokens->items[index].length &&
           memcmp(tokens->items[index].start, text, tokens->items[index].length) == 0;
}

bool token_is_in(const struct tokens *tokens, size_t index, const char *list)
{
    return index < tokens->count &&
           word_is_in(tokens->items[index].start, tokens->items[index].length, list);
}

/* Returns the begin of the comment that ends the line; `end`: none does. */
static const char *last_comment(const char *at, const char *end)
{
    char quote = '\0';
    for (; at + 1 < end; at++) {
        if (quote && *at == '\\')
            at++;
        else if (quote || *at == '"' || *at == '\'')
            quote = quote == *at ? '\0' : quote ? quote : *at;
        else if (at[0] == '/' && at[1] == '/')
            return at;
        else if (at[0] == '/' && at[1] == '*') {
            const char *close = memmem(at + 2, (size_t)(end - at) - 2, "*/", 2);
            if (!close || skip_blanks(close + 2, end) == end)
                return at;
            at = close + 1;
        }
    }
    return end;
}

bool token_is_directive(const struct token *token, const char *list, const char **rest,
                        const char **end)
{
    if (token->kind != TOKEN_DIRECTIVE)
        return false;
    *end = token->start + token->length;
    const char *word = skip_blanks(token->start + 1, *end);
    const size_t length = word_bytes(word, *end);
    *rest = skip_blanks(word + length, *end);
    *end = last_comment(*rest, *end);
    while (*end > *rest && isspace((unsigned char)(*end)[-1]))
        --*end;
    return word_is_in(word, length, list);
}

const char *tokens_text(struct arena *arena, const struct tokens *tokens, size_t first, size_t end)
{
    struct text text = {0};
    for (size_t i = first; i < end && i < tokens->count; i++) {
        const struct token *token = &tokens->items[i];
        if (i > first && token->start != token[-1].start + token[-1].length)
            text_append(&text, " ");
        text_append_bytes(&text, token->start, token->length);
    }
    const char *copy = text_to_arena(&text, arena);
    return copy;
}

/* Finds the #else, #elif or #endif that ends the branch which begins behind `index`. */
static size_t branch_end(const struct tokens *tokens, size_t index)
{
    const char *rest = NULL, *end = NULL;
    size_t depth = 0;
    for (size_t i = index + 1; i < tokens->count; i++) {
        if (depth == 0 && token_is_directive(&tokens->items[i], "else elif endif", &rest, &end))
            return i;
        depth += token_is_directive(&tokens->items[i], "if ifdef ifndef", &rest, &end);
        depth -= token_is_directive(&tokens->items[i], "endif", &rest, &end);
    }
    return tokens->count;
}

size_t nesting_pass(const struct tokens *tokens, struct nesting *nesting, size_t index)
{
    const char *rest = NULL, *end = NULL;
    const struct token *token = &tokens->items[index];
    if (token_is_directive(token, "if ifdef ifndef", &rest, &end)) {
        /* The first branch of the #if is read: the second if it is `#if 0`. */
        const size_t level = nesting->conditions++;
        if (level >= CONDITIONS_MAX)
            return index + 1;
        nesting->before[level] = nesting->depth;
        nesting->has_first[level] = false;
        if (!token_is_directive(&tokens->items[index], "if", &rest, &end) || end != rest + 1 ||
            *rest != '0')
            return index + 1;
        const size_t next = branch_end(tokens, index);
        return next < tokens->count &&
                       token_is_directive(&tokens->items[next], "else elif", &rest, &end)
                   ? next + 1
                   : next;
    }
    const bool is_other = token_is_directive(token, "else elif", &rest, &end);
    if (!is_other && !token_is_directive(token, "endif", &rest, &end))
        return index + 1;
    if (nesting->conditions == 0) {
        while (index < tokens->count &&
               token_is_directive(&tokens->items[index], "else elif", &rest, &end))
            index = branch_end(tokens, index);
        return index < tokens->count ? index + 1 : index;
    }
    const size_t level = nesting->conditions - 1;
    if (level < CONDITIONS_MAX) {
        if (!nesting->has_first[level])
            nesting->behind[level] = nesting->depth;
        nesting->has_first[level] = true;
        nesting->depth = is_other ? nesting->before[level] : nesting->behind[level];
    }
    nesting->conditions -= !is_other;
    return index + 1;
}

size_t tokens_behind(const struct tokens *tokens, size_t index)
{
    struct nesting nesting;
    nesting.depth = nesting.conditions = 0;
    for (size_t i = index; i < tokens->count;) {
        if (tokens->items[i].kind == TOKEN_DIRECTIVE) {
            i = nesting_pass(tokens, &nesting, i);
            continue;
        }
        nesting.depth += token_is_in(tokens, i, "( [ {");
        if (token_is_in(tokens, i, ") ] }") && --nesting.depth == 0)
            return i + 1;
        i++;
    }
    return tokens->count;
}

size_t tokens_behind_angle(const struct tokens *tokens, size_t index)
{
    size_t depth = 0;
    for (size_t i = index; i < tokens->count; i++) {
        if (token_is_in(tokens, i, "( [ {")) {
            i = tokens_behind(tokens, i) - 1;
            continue;
        }
        depth += token_is(tokens, i, "<");
        if (token_is(tokens, i, ">") && --depth == 0)
            return i + 1;
        if (token_is(tokens, i, ";"))
            break;
    }
    return tokens->count;
}
