#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/internal.h"

bool cuda_error_is_fatal(CUresult result)
{
    int code = (int)result;
    return code == 214 || code == 220 || code == 226 || code == 700 || code == 702 || code == 710 ||
           (code >= 714 && code <= 719) || code == 721 || code == 810 || code == 911;
}

static enum status status_of(struct device *device, CUresult result)
{
    if (cuda_error_is_fatal(result))
        return STATUS_DEVICE_LOST;
    /* A code of a later driver that is not known here: ask whether the context still answers. */
    if (device && device->context && device->driver->cuCtxSynchronize() != CUDA_SUCCESS)
        return STATUS_DEVICE_LOST;
    return result == CUDA_ERROR_OUT_OF_MEMORY ? STATUS_NO_MEMORY : STATUS_LAUNCH_FAILED;
}

enum status cuda_error(struct device *device, CUresult result, struct error *error,
                       const char *format, ...)
{
    char what[ERROR_TEXT_BYTES / 2];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const char *name = NULL;
    const char *text = NULL;
    if (device) {
        (void)device->driver->cuGetErrorName(result, &name);
        (void)device->driver->cuGetErrorString(result, &text);
    }
    return error_set(error, status_of(device, result), "%s: %s (%d): %s", what,
                     name ? name : "CUDA error", (int)result,
                     text ? text : "unknown to the driver");
}

static void dimensions(const uint32_t size[3], char *out, size_t bytes)
{
    if (size[1] == 1 && size[2] == 1)
        (void)string_format(out, bytes, "%u", size[0]);
    else
        (void)string_format(out, bytes, "%ux%ux%u", size[0], size[1], size[2]);
}

enum { KERNEL_SHOWN = 160 };

void cuda_launch_text(const struct launch *launch, char *out, size_t bytes)
{
    char grid[40];
    char block[40];
    dimensions(launch->grid, grid, sizeof grid);
    dimensions(launch->block, block, sizeof block);
    /* A template's name can be as long as all that the text has room for. */
    bool whole = strlen(launch->kernel) <= KERNEL_SHOWN;
    (void)string_format(out, bytes, "kernel %.*s%s <<<%s, %s, %u>>>", KERNEL_SHOWN, launch->kernel,
                        whole ? "" : "...", grid, block, launch->shared_bytes);
}

void cuda_plan_text(const struct launch_plan *plan, char *out, size_t bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < plan->launch_count && used + 3 < bytes; i++) {
        char one[256];
        cuda_launch_text(&plan->launches[i], one, sizeof one);
        int length = snprintf(out + used, bytes - used, "%s%s", i ? ", " : "", one);
        used += length > 0 ? (size_t)length : 0;
    }
}
