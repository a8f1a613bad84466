#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/device/kinds.h"
#include "tuner/device/traits.h"

#define KIND(folder, ...) &device_##folder,
const struct device_api *const device_kinds[] = {
#include "tuner/device/kinds.inc"
    NULL,
};

const struct device_api *device_host(void)
{
    for (size_t i = 0; device_kinds[i]; i++)
        if (device_traits(device_kinds[i]->kind)->is_host)
            return device_kinds[i];
    return NULL;
}

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

enum status device_parse(const char *text, const struct device_api **api, int *index,
                         struct error *error)
{
    char full[DEVICE_NAME_BYTES], kind[DEVICE_NAME_BYTES] = "";
    const char *word = device_full_name(text, full);
    const size_t length = strcspn(word, ":");
    *index = 0;
    *api = NULL;
    if (device_replayed_name(word))
        return error_set(error, STATUS_USAGE,
                         "device '%s': a recording is played by 'tune run', as its only device",
                         text);
    if (length < sizeof kind)
        (void)string_format(kind, sizeof kind, "%.*s", (int)length, word);
    *api = device_kind(kind);
    const char *digits = word[length] == ':' ? word + length + 1 : "0";
    const long number = strtol(digits, NULL, 10);
    if (*api && *digits && digits[strspn(digits, "0123456789")] == '\0' && number <= 1023) {
        *index = (int)number;
        return STATUS_OK;
    }
    const char *needs = device_traits(kind)->needs;
    if (!*api && needs)
        return error_set(error, STATUS_UNAVAILABLE,
                         "device '%s': this tune was built without %s; './bootstrap --with-toolkit "
                         "tune' among its sources builds one with it",
                         text, needs);
    return error_set(error, STATUS_USAGE,
                     "device '%s': write a number (0), cuda:0 or cpu; 'tune devices' lists them",
                     text);
}
