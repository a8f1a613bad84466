/* What `tune init` takes a name for that a source leaves open. */
#ifndef TUNE_DEVICE_GPU_GUESSES_H
#define TUNE_DEVICE_GPU_GUESSES_H

#include "tuner/device/gpu/tokens.h"

/* A number to compile with, by the name: of threads, of a switch ... */
const char *guess_value(const char *name);
/* The number that the source, its host's part too, gives to something of that name:
 * `const int BLOCK_M = 128;`. NULL: none. */
const char *guess_as_set(struct arena *arena, const struct tokens *tokens, const char *name);
/* A type to compile with: "int" of an index or an offset, else "float". */
const char *guess_type(const char *name);
/* Whether a number may stand for it everywhere: no function, no type. */
bool guess_may_be_number(const struct tokens *tokens, const char *name);
/* The name of the source, or of CUDA, that a name was meant for which nothing defines; NULL: it is
 * near none. */
const char *guess_misspelt(struct arena *arena, const struct tokens *tokens, const char *name);
/* Adds the macros that only conditions name (#if WAY == 2), and that nothing defines. False: memory
 * is short. */
bool guess_conditions(struct arena *arena, const struct tokens *tokens,
                      struct source_signature *out);

#endif
