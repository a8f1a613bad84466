/* A source of C++ with kernels as tokens: enough to find what is declared in it; what the types
 * are, the compiler says. */
#ifndef TUNE_DEVICE_GPU_TOKENS_H
#define TUNE_DEVICE_GPU_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/text.h"
#include "tuner/device/signature.h"

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

/* False when memory is short. Never reads behind the text's end, whatever it holds. */
bool tokens_read(struct arena *arena, const char *text, struct tokens *out);
/* False past the end, too. */
bool token_is(const struct tokens *tokens, size_t index, const char *text);
/* Whether it is one of the list's words, which blanks part. */
bool token_is_in(const struct tokens *tokens, size_t index, const char *list);
bool word_is_in(const char *word, size_t length, const char *list);
/* Whether the token is a directive `#word`, `word` being one of the list; what follows it lies
 * between *rest and *end, without blanks around it or a comment behind it. */
bool token_is_directive(const struct token *token, const char *list, const char **rest,
                        const char **end);
/* The tokens from `first` up to `end`, with one blank where there was any. NULL: no memory. */
const char *tokens_text(struct arena *arena, const struct tokens *tokens, size_t first, size_t end);
/* Behind the bracket ( [ { that is at `index`; count when it is never closed. */
size_t tokens_behind(const struct tokens *tokens, size_t index);
/* The same of a template's '<'. */
size_t tokens_behind_angle(const struct tokens *tokens, size_t index);

/* declarations.c. Kernels, macros and symbols of a source, by its text alone: of parameters names,
 * fields' names and how they are used are filled in. */
enum status declarations_read(struct arena *arena, const char *text, struct source_signature *out,
                              struct error *error);

bool macro_is_listed(const struct source_signature *out, const char *name, size_t length);
/* Leaves out what only kernels use that are not asked about: macros are marked, symbols and
 * dynamic shared memory taken away. False: memory is short. */
bool uses_mark(struct arena *arena, const struct tokens *tokens, struct source_signature *out);
/* Whether an array has it as both sides: [NAME][NAME], [NAME * NAME]. */
bool uses_as_square(const struct tokens *tokens, const char *name);
/* fields.c. A struct's fields, elements of arrays and fields of structs in it each by itself, as
 * they are reached; none when the source does not have it, or when it is more than a list of
 * variables. */
size_t fields_of(struct arena *arena, const struct tokens *tokens, const char *name,
                 const char *fields[SIGNATURE_FIELDS_MAX]);

/* texture_references.c. `texture<float, 2> image;`, which CUDA had before version 12. */

/* Whether the source names them; false where it has a type of that name itself. */
bool texture_references_exist(const struct tokens *tokens);
/* Whether `texture<` at the index is CUDA's type. */
bool is_texture_type(const struct tokens *tokens, size_t index);
/* Whether a texture reference is declared with the type at the index. */
bool declares_texture_reference(const struct tokens *tokens, size_t index);
/* The name that the type at the index is given by a typedef or `using`; 0: none. */
size_t texture_alias(const struct tokens *tokens, size_t index);
/* Whether one is declared with that name at the index. */
bool declares_by_alias(const struct tokens *tokens, size_t alias, size_t index);
/* How it is read, by what the source, its host's part too, sets of it; else as CUDA did. */
void texture_settings_read(const struct tokens *tokens, struct symbol_signature *out);

/* reach.c. The functions that a source defines, one behind the other. */
struct reach_function {
    size_t name, body, end; /* tokens */
    bool is_asked, is_answered;
};
struct reach {
    const struct tokens *tokens;
    const struct kernel_signature *kernel;
    struct reach_function *functions;
    size_t count;
};
/* False: memory is short. */
bool reach_read(struct arena *arena, const struct tokens *tokens,
                const struct kernel_signature *kernel, struct reach *out);
/* Whether the token is in the kernel, in a function that it may call, directly or through others,
 * or in none. */
bool reach_token(struct reach *reach, size_t token);

/* guesses.c. What `tune init` takes a name for that a source leaves open. */

/* A number to compile with, by the name: of threads, of a switch ... */
const char *guess_value(const char *name);
/* The number that the source, its host's part too, gives to something of that name:
 * `const int BLOCK_M = 128;`, `constexpr unsigned BLOCK_M{128U};`. NULL: none. */
const char *guess_as_set(struct arena *arena, const struct tokens *tokens, const char *name);
/* Argument `index` of the template as the host's part launches or names it, where it is a name in a
 * class or a namespace: "layout::Order::ROWS" of `kernel<Order::ROWS><<<` in namespace layout.
 * NULL: none. */
const char *guess_as_launched(struct arena *arena, const struct tokens *tokens, const char *kernel,
                              size_t index);
/* A type to compile with: "int" of an index or an offset, else "float". */
const char *guess_type(const char *name);
/* Whether a number may stand for it everywhere: no function, no array, no type. */
bool guess_may_be_number(const struct tokens *tokens, const char *name);
/* The name of the source, or of CUDA, that a name was meant for which nothing defines; NULL: it is
 * near none. */
const char *guess_misspelt(struct arena *arena, const struct tokens *tokens, const char *name);
/* Adds the macros that only conditions name (#if WAY == 2), and that nothing defines. False: memory
 * is short. */
bool guess_conditions(struct arena *arena, const struct tokens *tokens,
                      struct source_signature *out);

#endif
