/* Plain names of kernels. */
#ifndef TUNE_CAPTURE_NAME_H
#define TUNE_CAPTURE_NAME_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Finds the last identifier of a mangled name (Itanium C++ ABI): "blur" of "_ZN3app4blurIfEEvPT_i".
 * Returns false if the name is not mangled or too long. */
static inline bool cap_plain_name(const char *name, char *out, size_t bytes)
{
    const char *at = name, *last = NULL;
    size_t length = 0;
    if (strncmp(name, "_Z", 2) != 0)
        return false;
    at += 2;
    at += *at == 'L';
    const bool is_nested = *at == 'N';
    at += is_nested;
    for (bool more = true; more && *at >= '0' && *at <= '9'; more = is_nested) { /* then: types */
        char *end = NULL;
        length = strtoul(at, &end, 10);
        if (length == 0 || length > strlen(end))
            return false;
        last = end;
        at = end + length;
    }
    if (!last || length >= bytes)
        return false;
    memcpy(out, last, length);
    out[length] = '\0';
    return true;
}

#endif
