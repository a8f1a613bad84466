/* Shared by the tests of the CPU device: a folder of their own and kernels compiled from text. */
#ifndef TESTS_UNIT_DEVICE_CPU_TEST_H
#define TESTS_UNIT_DEVICE_CPU_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/device/kinds.h"

static char folder[64];

/* No warm-up: these tests do not depend on the speed of the machine. */
static const struct warm_up no_warm_up = {0};

static inline int make_folder(void **state)
{
    (void)state;
    (void)strcpy(folder, "/tmp/tune-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* Returns a path in the test's folder; valid until the fourth call after this one. */
static inline const char *in_folder(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline const char *write_source(const char *name, const char *text)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline struct binary_request request_for(const char *source)
{
    return (struct binary_request){.source_path = source, .architecture = "native"};
}

/* Compiles the text to `binary` in the folder. */
static inline void must_compile(const char *text, const char *binary)
{
    struct binary_request request = request_for(write_source("kernel.c", text));
    struct error error = {0};
    struct text log = {0};
    if (device_cpu.compile(&request, binary, &log, &error) != STATUS_OK)
        fail_msg("%s\n%s", error.text, text_string(&log));
    text_free(&log);
}

#endif
