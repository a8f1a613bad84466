/* What a host's scheduler says of its job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/worker/host.h"

static void time_left_is_read(void **state)
{
    static const struct {
        const char *text;
        int64_t left_s; /* -1: nothing that ends */
    } cases[] = {
        {"0:00\n", 0},       {"59:58\n", 3598},  {"7:59:00", 28740},    {"1-02:03:04", 93784},
        {"UNLIMITED\n", -1}, {"NOT_SET", -1},    {"INVALID", -1},       {"", -1},
        {"12", -1},          {"1-", -1},         {"1-1-1:00", -1},      {"1:2:3:4", -1},
        {"-1:00", -1},       {"1:00 of it", -1}, {"99999999999:00", -1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t left_s = -1;
        assert_int_equal(time_left_parse(cases[i].text, &left_s), cases[i].left_s >= 0);
        if (cases[i].left_s >= 0)
            assert_int_equal(left_s, cases[i].left_s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(time_left_is_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
