/* A program's kernel image: a cubin, PTX, or a fatbin with several of both. Readers accept data
 * from anywhere: malformed parts are errors, or left out. */
#ifndef TUNE_DEVICE_CUDA_IMAGE_H
#define TUNE_DEVICE_CUDA_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/device/image.h"

/* Other: an unknown format that the driver may take. */
enum image_kind { IMAGE_OTHER, IMAGE_CUBIN, IMAGE_PTX, IMAGE_FATBIN };

struct image {
    enum image_kind kind;
    const void *data; /* the whole image, borrowed */
    size_t bytes;
    /* Parts for the architecture; NULL: none, or unreadable. */
    const void *cubin;
    size_t cubin_bytes;
    const char *ptx; /* NUL-terminated, in arena memory */
    size_t ptx_bytes;
    /* Reason why a part was not read, "compressed: ..."; "": all parts were. */
    char unread[128];
};

/* Opens an image for `capability` (90 for sm_90); from a fatbin, takes the part that the driver of
 * such a device would. STATUS_BAD_INPUT: a truncated or damaged fatbin or cubin. */
enum status image_open(struct arena *arena, const void *data, size_t bytes, int capability,
                       struct image *out, struct error *error);
/* Returns 90 for "sm_90a"; 0 for text that is no architecture. */
int image_capability(const char *architecture);

/* Finds a kernel by its name in the image. STATUS_NOT_FOUND where the readable parts have none. */
enum status image_kernel(const struct image *image, const char *name, struct image_kernel *out,
                         struct error *error);

#endif
