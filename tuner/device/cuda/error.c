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
    if (device && cuda_of(device)->context &&
        cuda_of(device)->driver->cuCtxSynchronize() != CUDA_SUCCESS)
        return STATUS_DEVICE_LOST;
    return result == CUDA_ERROR_OUT_OF_MEMORY ? STATUS_NO_MEMORY : STATUS_LAUNCH_FAILED;
}

enum status cuda_fail(struct device *device, int code, const char *what, struct error *error)
{
    const CUresult result = (CUresult)code;
    const char *name = NULL;
    const char *text = NULL;
    if (device) {
        (void)cuda_of(device)->driver->cuGetErrorName(result, &name);
        (void)cuda_of(device)->driver->cuGetErrorString(result, &text);
    }
    return error_set(error, status_of(device, result), "%s: %s (%d): %s", what,
                     name ? name : "CUDA error", code, text ? text : "unknown to the driver");
}

enum status cuda_error(struct device *device, CUresult result, struct error *error,
                       const char *format, ...)
{
    char what[ERROR_TEXT_BYTES / 2];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return cuda_fail(device, (int)result, what, error);
}
