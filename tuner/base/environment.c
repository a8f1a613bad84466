#include "tuner/base/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum status environment_integer(const char *name, int64_t low, int64_t high, int64_t otherwise,
                                int64_t *out, struct error *error)
{
    const char *text = getenv(name);
    *out = otherwise;
    if (!text || !*text)
        return STATUS_OK;
    errno = 0;
    long long number = strtoll(text, NULL, 10);
    if (strspn(text, "0123456789") != strlen(text) || errno != 0 || number < low || number > high)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s=%.40s: write a whole number from %lld to %lld, or unset it", name,
                         text, (long long)low, (long long)high);
    *out = number;
    return STATUS_OK;
}
