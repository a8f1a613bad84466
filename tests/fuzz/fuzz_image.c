/* Any bytes as the source of a program's kernels: refused, or read in part, and no byte outside is
 * read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/device/cuda/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"view_copy", "copy_by_128", "k"};
    struct arena arena = {0};
    struct error error = {0};
    struct image image;
    void *copy = malloc(size ? size : 1); /* exactly that size */
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    if (image_open(&arena, copy, size, 90, &image, &error) == STATUS_OK)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            struct image_kernel kernel;
            if (image_kernel(&image, names[i], &kernel, &error) == STATUS_OK &&
                kernel.parameter_count > IMAGE_PARAMETERS_MAX)
                abort();
        }
    free(copy);
    arena_free(&arena);
    return 0;
}
