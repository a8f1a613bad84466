/* A source of C++ as tokens: enough to find declarations. */
#ifndef TUNE_BASE_TOKENS_H
#define TUNE_BASE_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/text.h"

enum token_kind {
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_TEXT,      /* in quotes */
    TOKEN_SIGN,      /* one character, or one of :: -> += and the like */
    TOKEN_DIRECTIVE, /* a line of the preprocessor, whole */
};
struct token {
    enum token_kind kind;
    const char *start; /* into the source */
    uint32_t length;
    uint32_t line;
};
struct tokens {
    struct token *items;
    size_t count;
};

/* Reads a text's tokens, never behind its end. Returns false when memory is short. */
bool tokens_read(struct arena *arena, const char *text, struct tokens *out);
/* Compares a token with a text. Returns false past the end, too. */
bool token_is(const struct tokens *tokens, size_t index, const char *text);
/* Returns true for a name. Returns false past the end, too. */
bool token_is_name(const struct tokens *tokens, size_t index);
/* Returns whether a token is in the list: words with blanks between. */
bool token_is_in(const struct tokens *tokens, size_t index, const char *list);
/* Tells whether the token is a directive `#word`, `word` being one of the list; the rest of its
 * line lies between *rest and *end, without blanks around it or a comment behind it. */
bool token_is_directive(const struct token *token, const char *list, const char **rest,
                        const char **end);
/* Returns the tokens from `first` up to `end`, with one blank where there was any. NULL: no memory.
 */
const char *tokens_text(struct arena *arena, const struct tokens *tokens, size_t first, size_t end);
/* Open brackets. The branches of an #if may open and close their own: each begins with the brackets
 * open before the #if, and behind the #endif the first branch's count. */
enum { CONDITIONS_MAX = 64 };
struct nesting {
    size_t depth; /* counted by the caller */
    size_t
        conditions; /* #if that are open; of those in more than CONDITIONS_MAX all branches count */
    size_t before[CONDITIONS_MAX], behind[CONDITIONS_MAX];
    bool has_first[CONDITIONS_MAX]; /* whether the first branch is over, and `behind` known */
};
/* Takes the directive at `index`. Returns the index to continue at: behind an `#if 0`. The other
 * branches of an #if that `nesting` does not track are skipped. */
size_t nesting_pass(const struct tokens *tokens, struct nesting *nesting, size_t index);
/* Returns the index behind the bracket ( [ { at `index`, which branches of an #if may close or open
 * once more; the count of tokens if the bracket is never closed. */
size_t tokens_behind(const struct tokens *tokens, size_t index);
/* Returns the index behind the '>' that closes a template's '<'. */
size_t tokens_behind_angle(const struct tokens *tokens, size_t index);

#endif
