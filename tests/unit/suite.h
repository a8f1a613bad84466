/* Tests without a list: each test that is written is run. `state` is cmocka's. */
#ifndef TUNE_TESTS_UNIT_SUITE_H
#define TUNE_TESTS_UNIT_SUITE_H

/* Headers that cmocka.h needs first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { SUITE_TESTS_MAX = 128 };
static struct CMUnitTest suite_tests[SUITE_TESTS_MAX];
static size_t suite_test_count; /* also of those that found no room, so that this fails below */

/* TEST(numbers_are_added) { assert_int_equal(1 + 1, 2); } defines a test; tests run in the order of
 * the file. */
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, set_up_, tear_down_)                                                       \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        if (suite_test_count < SUITE_TESTS_MAX)                                                    \
            suite_tests[suite_test_count] =                                                        \
                (struct CMUnitTest){#name, name, set_up_, tear_down_, NULL};                       \
        suite_test_count++;                                                                        \
    }                                                                                              \
    static void name(void **state __attribute__((unused)))

/* Runs all tests between `begin` and `end`; NULL: none. */
static inline int run_suite(CMFixtureFunction begin, CMFixtureFunction end)
{
    if (suite_test_count == 0 || suite_test_count > SUITE_TESTS_MAX)
        return 1;
    return _cmocka_run_group_tests("tests", suite_tests, suite_test_count, begin, end);
}
/* Ends where the test is started again as a worker, which it does not serve: else it would start
 * itself without end. */
#define TEST_MAIN(begin, end)                                                                      \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        return argc > 1 && argv[1][0] == '_' ? 2 : run_suite(begin, end);                          \
    }
/* Serves as the workers that the tests start, too (tuner/worker/worker.h). */
#define TEST_MAIN_WITH_WORKERS(begin, end)                                                         \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        return argc > 1 && worker_is_entry(argv[1]) ? worker_main(argc, argv)                      \
                                                    : run_suite(begin, end);                       \
    }

#endif
