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
/* Brackets that stand open, where the branches of an #if may open and close each its own: each
 * branch begins with what stood open before the #if, and behind the #endif the first one's count.
 */
enum { CONDITIONS_MAX = 64 };
struct nesting {
    size_t depth; /* the caller counts it */
    size_t
        conditions; /* #if that are open; of those in more than CONDITIONS_MAX all branches count */
    size_t before[CONDITIONS_MAX], behind[CONDITIONS_MAX];
    bool has_first[CONDITIONS_MAX]; /* whether the first branch is over, and `behind` known */
};
/* Takes the directive at `index`; gives where to go on: behind an `#if 0`. Of an #if that the
 * nesting does not have the other branches are passed over. */
size_t nesting_pass(const struct tokens *tokens, struct nesting *nesting, size_t index);
/* Behind the bracket ( [ { that is at `index`, which branches of an #if may close or open once
 * more; count when it is never closed. */
size_t tokens_behind(const struct tokens *tokens, size_t index);
/* The same of a template's '<'. */
size_t tokens_behind_angle(const struct tokens *tokens, size_t index);

/* declarations.c. Kernels, macros and symbols of a source, by its text alone: of parameters names,
 * fields' names and how they are used are filled in. */
enum status declarations_read(struct arena *arena, const char *text, struct source_signature *out,
                              struct error *error);

/* One more header that was not read, if it is not listed; as far as there is room. */
void unread_add(struct source_signature *out, const char *name);
/* choice.c. The kernel that is asked about: the one that is named, with all, some or none of its
 * namespaces; else the only one of the file itself, or of those that it includes. `contents`: of
 * the source with those. STATUS_NOT_FOUND: there is none, or there are several. */
enum status kernel_choose(struct arena *arena, const struct signature_question *question,
                          const char *contents, struct source_signature *out,
                          struct kernel_signature **chosen, struct error *error);
/* Whether a `__global__` is followed by the name, a list of parameters and a body. */
bool kernel_has_body(const struct tokens *tokens, const char *name);

bool macro_is_listed(const struct source_signature *out, const char *name, size_t length);
/* Leaves out what only kernels use that are not asked about: macros are marked, symbols and
 * dynamic shared memory taken away. False: memory is short. */
bool uses_mark(struct arena *arena, const struct tokens *tokens, struct source_signature *out);
/* Whether an array has it as both sides: [NAME][NAME], [NAME * NAME]. */
bool uses_as_square(const struct tokens *tokens, const char *name);
/* definitions.c. Whether a variable or a function of the device is defined so that other files have
 * it, too; a function's body counts as its value. */
enum defined { NOT_DEFINED, DEFINED, DEFINED_WITH_VALUE };
enum defined tokens_define(const struct tokens *tokens, const char *name);
/* fields.c. The members of a struct or class, of what it is derived from and of the structs in it,
 * as they are reached: "low.x", "sizes"; of an array of structs each element's. None when the
 * source does not have it, or when a member has no name or no address. */
size_t members_of(struct arena *arena, const struct tokens *tokens, const char *name,
                  const char *names[SIGNATURE_FIELDS_MAX]);

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

/* launches.c. How the kernel that is asked about is meant to be launched, and what of the numbers
 * that it names is to be tuned. `whole`: with the host's part; `tokens`: what the device runs.
 * False: memory is short. */
bool launches_read(struct arena *arena, const struct tokens *whole, const struct tokens *tokens,
                   struct source_signature *out);
/* Its launch alone, in another file of the project. */
void launches_find(struct arena *arena, const struct tokens *whole, const char *path,
                   struct source_signature *out);

/* uses.c. How the name at the token is used: read, written, handed on.
 * `whole`: the name is not of a pointer or an array, but of the element itself. */
void use_read(const struct tokens *tokens, struct kernel_parameter *parameter, size_t at,
              bool whole);

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

/* instances.c. Gives what a template's parameters have no default for what the source gives them
 * where it names an instance: `scale<half, 64><<<...`. False: memory is short. */
bool guess_instance(struct arena *arena, const struct tokens *tokens,
                    struct kernel_signature *kernel);
/* The enumerator that the parameter has for a default, or the first of its enumeration, as the
 * kernel's template is given it from elsewhere. Of no enumeration that the source has: its default,
 * or NULL. */
const char *guess_enumerator(struct arena *arena, const struct tokens *tokens,
                             const struct kernel_signature *kernel,
                             const struct template_parameter *parameter);
/* The element type of that C++ name, half's names too. False: there is none. */
bool type_from_cuda_name(const char *name, enum element_type *out);

/* guesses.c. What `tune init` takes a name for that a source leaves open. */

/* A number to compile with, by the name: of threads, of a switch ... */
const char *guess_value(const char *name);
/* The number that the source, its host's part too, gives to something of that name:
 * `const int BLOCK_M = 128;`, `constexpr unsigned BLOCK_M{128U};`. NULL: none. */
const char *guess_as_set(struct arena *arena, const struct tokens *tokens, const char *name);
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
/* Adds the macros that conditions around the token want defined, as #ifdef USE_CUDA around a whole
 * file; *wanted: there are any. False: memory is short. */
bool guess_wanted(struct arena *arena, const struct tokens *tokens, size_t token,
                  struct source_signature *out, bool *wanted);

#endif
