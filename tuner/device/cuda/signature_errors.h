/* What the compiler's words say of a source. */
#ifndef TUNE_DEVICE_CUDA_SIGNATURE_ERRORS_H
#define TUNE_DEVICE_CUDA_SIGNATURE_ERRORS_H

#include <stdbool.h>

#include "tuner/base/arena.h"
#include "tuner/base/status.h"
#include "tuner/device/gpu/tokens.h"

/* The name that nothing defines; NULL: the error is another. */
const char *cuda_undefined_name(struct arena *arena, const char *message);
/* What is declared and defined in another file; NULL: the error is another. */
const char *cuda_unresolved_name(struct arena *arena, const char *message);
/* Whether the error is that there are several kernels of that name. */
bool cuda_is_overloaded(const char *message);

/* Of what is told. */
struct telling {
    struct arena *arena;
    const char *path;   /* of the source */
    const char *kernel; /* that is asked about */
    const struct tokens *tokens;
    struct source_signature *out; /* `missing` and `unresolved` are filled in */
};
/* Adds to the compiler's error what to do about it. `undefined` (NULL: none): the name that nothing
 * defines, `meant` the one that was meant. The error's status. */
enum status cuda_explain(const struct telling *telling, const char *undefined, const char *meant,
                         struct error *error);

#endif
