/* Tests of commands, each in an empty folder. */
#ifndef TUNE_TESTS_UNIT_CLI_FIXTURE_H
#define TUNE_TESTS_UNIT_CLI_FIXTURE_H

#include <stdio.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/temporary.h"

static inline void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Enters an empty folder for a test. */
static inline int enter_folder(void **state)
{
    static struct temporary folder;
    struct error error;
    *state = &folder;
    return temporary_folder_in_tmp("unit", &folder, &error) == STATUS_OK && chdir(folder.path) == 0
               ? 0
               : 1;
}

static inline int leave_folder(void **state)
{
    const int code = chdir("/");
    temporary_folder_remove(*state);
    return code;
}

#define TEST_IN_FOLDER(name) TEST_WITH(name, enter_folder, leave_folder)

#endif
