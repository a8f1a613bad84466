#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/environment.h"
#include "tuner/device/cpu/cpu.h"
#include "tuner/device/device.h"
#ifdef TUNE_WITH_CUDA
#include "tuner/device/cuda/cuda.h"
#endif

const struct device_api *const device_kinds[] = {
#ifdef TUNE_WITH_CUDA
    &device_cuda,
#endif
    &device_cpu,
    NULL,
};

const struct device_api *device_kind(const char *kind)
{
    for (size_t i = 0; device_kinds[i]; i++)
        if (strcmp(device_kinds[i]->kind, kind) == 0)
            return device_kinds[i];
    return NULL;
}

enum status device_ceiling_bytes(int64_t *bytes, struct error *error)
{
    int64_t wanted = 0;
    enum status status =
        environment_integer("TUNE_CEILING_BYTES", 0, INT64_C(1) << 40, -1, &wanted, error);
    *bytes = wanted < 0 ? 0 : wanted == 0 ? -1 : wanted;
    return status;
}

static bool parse_index(const char *text, int *out)
{
    char *end = NULL;
    if (*text < '0' || *text > '9')
        return false;
    long index = strtol(text, &end, 10);
    if (*end != '\0' || index > 1023)
        return false;
    *out = (int)index;
    return true;
}

enum status device_parse(const char *text, const struct device_api **api, int *index,
                         struct error *error)
{
    char kind[16] = "cuda";
    const char *digits = text;
    const char *colon = strchr(text, ':');
    *index = 0;
    if (colon) {
        if (!string_format(kind, sizeof kind, "%.*s", (int)(colon - text), text))
            kind[0] = '\0';
        digits = colon + 1;
    } else if (*text < '0' || *text > '9') {
        if (!string_format(kind, sizeof kind, "%s", text))
            kind[0] = '\0';
        digits = "0";
    }
    *api = device_kind(kind);
    if (*api && parse_index(digits, index))
        return STATUS_OK;
    if (!*api && strcmp(kind, "cuda") == 0)
        return error_set(error, STATUS_UNAVAILABLE,
                         "device '%s': this tune was built without CUDA; build it where the "
                         "toolkit is, or use --device cpu",
                         text);
    return error_set(error, STATUS_USAGE,
                     "device '%s': write a number (0), cuda:0 or cpu; 'tune devices' lists them",
                     text);
}
