/* What a program hands to the driver as its kernels: a cubin, PTX, or a fatbin with several of
 * both. Reads what comes from anywhere: whatever does not fit is an error, or not there. */
#ifndef TUNE_DEVICE_CUDA_IMAGE_H
#define TUNE_DEVICE_CUDA_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/device/image.h"

/* Other: nothing of it is known, but the driver may take it. */
enum image_kind { IMAGE_OTHER, IMAGE_CUBIN, IMAGE_PTX, IMAGE_FATBIN };

struct image {
    enum image_kind kind;
    const void *data; /* all of it, borrowed */
    size_t bytes;
    /* What there is for the architecture; NULL: nothing, or nothing that can be read. */
    const void *cubin;
    size_t cubin_bytes;
    const char *ptx; /* NUL-terminated, in arena memory */
    size_t ptx_bytes;
    /* Why something was not read, "compressed: ..."; "": all was. */
    char unread[128];
};

/* `capability`: 90 for sm_90; of a fatbin, what the driver of such a device would take is taken.
 * STATUS_BAD_INPUT: a fatbin or a cubin that is cut short or damaged. */
enum status image_open(struct arena *arena, const void *data, size_t bytes, int capability,
                       struct image *out, struct error *error);
/* 90 of "sm_90a"; 0 of what is no architecture. */
int image_capability(const char *architecture);

/* By its name in the image. STATUS_NOT_FOUND where what was read of the image has none of it. */
enum status image_kernel(const struct image *image, const char *name, struct image_kernel *out,
                         struct error *error);
/* device_api.image */
enum status cuda_image(const void *data, size_t bytes, const char *architecture, const char *kernel,
                       struct image_kernel *out, struct error *error);

#endif
