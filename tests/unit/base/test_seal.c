/* A file that was cut, damaged or never sealed is known. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/arena.h"
#include "tuner/base/files.h"
#include "tuner/base/seal.h"

static char path[64];

static int set_up(void **state)
{
    (void)state;
    (void)strcpy(path, "/tmp/tune-seal-test.XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "contents of a kernel", 20), 20);
    return close(file);
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

TEST_WITH(sealed_is_whole, set_up, tear_down)
{
    struct arena arena = {0};
    struct error error = {0};
    char *data = NULL;
    size_t bytes = 0;
    assert_int_equal(seal_check(path, &error), STATUS_BAD_INPUT);
    assert_int_equal(seal_file(path, &error), STATUS_OK);
    assert_int_equal(seal_check(path, &error), STATUS_OK);
    assert_int_equal(file_read(&arena, path, 1000, &data, &bytes, &error), STATUS_OK);
    size_t contents = 0;
    assert_true(seal_contents(data, bytes, &contents));
    assert_int_equal(contents, 20);
    assert_memory_equal(data, "contents of a kernel", 20);
    assert_true(seal_contents("plain", 5, &contents));
    assert_int_equal(contents, 5);
    data[3] ^= 1;
    assert_false(seal_contents(data, bytes, &contents));
    arena_free(&arena);
}

TEST_WITH(every_cut_and_every_changed_byte_is_seen, set_up, tear_down)
{
    struct arena arena = {0};
    struct error error = {0};
    char *data = NULL;
    size_t bytes = 0;
    assert_int_equal(seal_file(path, &error), STATUS_OK);
    assert_int_equal(file_read(&arena, path, 1000, &data, &bytes, &error), STATUS_OK);
    for (size_t i = 0; i < bytes; i++) {
        data[i] ^= 1;
        assert_int_equal(file_write_atomically(path, data, bytes, &error), STATUS_OK);
        assert_int_equal(seal_check(path, &error), STATUS_BAD_INPUT);
        data[i] ^= 1;
        assert_int_equal(file_write_atomically(path, data, i, &error), STATUS_OK);
        assert_int_equal(seal_check(path, &error), STATUS_BAD_INPUT);
    }
    assert_int_equal(file_write_atomically(path, data, bytes, &error), STATUS_OK);
    assert_int_equal(seal_check(path, &error), STATUS_OK);
    arena_free(&arena);
}

TEST(numbers_from_the_environment)
{
    static const char *const wrong[] = {"abc",
                                        "-1",
                                        "1e9",
                                        " 5",
                                        "5 ",
                                        "0x10",
                                        "9",
                                        "101",
                                        "",
                                        "\xff",
                                        "99999999999999999999999999"};
    int64_t number = 0;
    struct error error = {0};
    assert_int_equal(unsetenv("TUNE_TEST_NUMBER"), 0);
    assert_int_equal(environment_integer("TUNE_TEST_NUMBER", 10, 100, 42, &number, &error),
                     STATUS_OK);
    assert_int_equal(number, 42);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(setenv("TUNE_TEST_NUMBER", wrong[i], 1), 0);
        enum status status = environment_integer("TUNE_TEST_NUMBER", 10, 100, 42, &number, &error);
        assert_int_equal(status, wrong[i][0] ? STATUS_BAD_INPUT : STATUS_OK);
        if (wrong[i][0])
            assert_non_null(strstr(error.text, "TUNE_TEST_NUMBER"));
    }
    assert_int_equal(setenv("TUNE_TEST_NUMBER", "100", 1), 0);
    assert_int_equal(environment_integer("TUNE_TEST_NUMBER", 10, 100, 42, &number, &error),
                     STATUS_OK);
    assert_int_equal(number, 100);
}

TEST_MAIN(NULL, NULL)
