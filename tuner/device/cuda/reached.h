/* Which declarations of a source a kernel reaches, by their names: what is left when nothing else
 * is compiled. */
#ifndef TUNE_DEVICE_CUDA_REACHED_H
#define TUNE_DEVICE_CUDA_REACHED_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/device/gpu/tokens.h"

enum piece_kind {
    PIECE_TYPE,        /* a class, struct, union or enum with its members */
    PIECE_DECLARATION, /* a function, a variable, another name ... */
    PIECE_MACRO_CALL,
};

enum { NO_PIECE = -1 };

/* One declaration of a namespace, or a function among a type's members. */
struct piece {
    enum piece_kind kind;
    long parent;       /* the type whose member it is, which stands before it; or NO_PIECE */
    size_t first, end; /* tokens */
    size_t start;      /* behind `template <...>` */
    size_t head;       /* of a type, its brace */
    size_t call;       /* the bracket of a function's parameters; 0: none */
    bool is_reached;
};

/* Sets is_reached of what the words of `roots` (names of kernels, variables; of options the values
 * of macros) need, directly or through others. `is_cut`: tokens that are left out whatever is
 * reached. Of functions and specialisations of one name those are left that take types which are
 * not reached otherwise. False: memory is short. */
bool reached_mark(struct arena *arena, const struct tokens *tokens, const bool *is_cut,
                  struct piece *pieces, size_t count, const char *const *roots, size_t root_count);

#endif
