/* Headers that a source names and that are not there. */
#ifndef TUNE_DEVICE_CUDA_SIGNATURE_HEADERS_H
#define TUNE_DEVICE_CUDA_SIGNATURE_HEADERS_H

#include <stdbool.h>

#include "tuner/base/arena.h"
#include "tuner/device/gpu/tokens.h"

/* The file that the compiler, or a host's compiler for it, could not open, or that the source asks
 * for by #error; NULL: that was not why. */
const char *cuda_missing_file(struct arena *arena, const char *message);
/* Fills in `unread`: what the text includes and the compiler would not find. False: memory is
 * short. */
bool cuda_list_unread(struct arena *arena, const char *text, struct source_signature *out);

#endif
