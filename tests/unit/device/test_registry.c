#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tuner/device/device.h"

static void every_kind_is_whole(void **state)
{
    (void)state;
    for (size_t i = 0; device_kinds[i]; i++) {
        const struct device_api *api = device_kinds[i];
        assert_true(api->kind && *api->kind && api->about && *api->about);
        assert_true(api->count && api->describe && api->compile && api->open && api->close);
        assert_true(api->calibration && api->load && api->resources && api->bind && api->run);
        assert_true(api->vary && api->results && api->show);
        assert_true(api->time_block && api->read && api->bandwidth && api->arithmetic);
        assert_ptr_equal(device_kind(api->kind), api);
    }
    assert_null(device_kind("abacus"));
}

static void names_are_parsed(void **state)
{
    const struct device_api *api = NULL;
    struct error error = {0};
    int index = -1;
    (void)state;
    assert_int_equal(device_parse("cpu", &api, &index, &error), STATUS_OK);
    assert_string_equal(api->kind, "cpu");
    assert_int_equal(index, 0);
    if (device_kind("cuda")) {
        assert_int_equal(device_parse("3", &api, &index, &error), STATUS_OK);
        assert_string_equal(api->kind, "cuda");
        assert_int_equal(index, 3);
    } else {
        assert_int_equal(device_parse("3", &api, &index, &error), STATUS_UNAVAILABLE);
    }
    static const char *const wrong[] = {"",       "gpu", "cpu:",      "cpu:x",
                                        "cpu:-1", "1x",  "cpu:99999", ":0"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        enum status status = device_parse(wrong[i], &api, &index, &error);
        assert_true(status == STATUS_USAGE || status == STATUS_UNAVAILABLE);
        assert_true(strlen(error.text) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_whole),
        cmocka_unit_test(names_are_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
