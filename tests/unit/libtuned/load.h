/* What tests of libtuned load: a text that must be read. Included behind cmocka. */
#ifndef TUNE_TESTS_RUNTIME_LOAD_H
#define TUNE_TESTS_RUNTIME_LOAD_H

#include <string.h>

#include "libtuned/tuned.h"

static inline struct tuned *load(const char *text)
{
    struct tuned_error error;
    struct tuned *tuned = tuned_load_memory(text, strlen(text), "t.conf", &error);
    if (!tuned)
        fail_msg("%s", error.text);
    return tuned;
}

#endif
