/* Loading a text in tests of libtuned; the text must be valid. */
#ifndef TUNE_TESTS_RUNTIME_LOAD_H
#define TUNE_TESTS_RUNTIME_LOAD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libtuned/tuned.h"
#include "tests/unit/suite.h"

static inline struct tuned *load(const char *text)
{
    struct tuned_error error;
    struct tuned *tuned = tuned_load_memory(text, strlen(text), "t.conf", &error);
    if (!tuned)
        fail_msg("%s", error.text);
    return tuned;
}

/* Loads with a lower least grade, or a greater factor of sizes (0: the defaults). */
static inline struct tuned *load_with(const char *text, enum tuned_grade least_grade,
                                      double size_factor)
{
    char path[] = "/tmp/tuned_load_XXXXXX";
    const char *const paths[] = {path};
    const struct tuned_options options = {
        .paths = paths,
        .path_count = 1,
        .skip = TUNED_SKIP_ENVIRONMENT | TUNED_SKIP_USER | TUNED_SKIP_SYSTEM,
        .least_grade = least_grade,
        .size_factor = size_factor,
    };
    struct tuned_error error;
    int file = mkstemp(path);
    ssize_t length = (ssize_t)strlen(text);
    if (file < 0 || write(file, text, (size_t)length) != length || close(file) != 0)
        fail_msg("%s cannot be written", path);
    struct tuned *tuned = tuned_open(&options, &error);
    (void)unlink(path);
    if (!tuned)
        fail_msg("%s", error.text);
    return tuned;
}

#endif
