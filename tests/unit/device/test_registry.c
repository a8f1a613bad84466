#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/device/device.h"
#include "tuner/device/traits.h"

TEST(every_kind_is_whole)
{
    for (size_t i = 0; device_kinds[i]; i++) {
        const struct device_api *api = device_kinds[i];
        const struct device_traits *traits = device_traits(api->kind);
        assert_string_equal(traits->kind, api->kind);
        assert_true(*traits->about && device_traits_of_section(traits->section));
        assert_true(*traits->unit_fact && *traits->unit_word && traits->driver_word);
        /* A GPU's binaries report their needs, or occupancy is not predicted. */
        assert_true(!api->occupancy == !api->inspect);
        assert_true(api->count && api->describe && api->compile && api->open && api->close);
        assert_true(api->load && api->resources && api->bind && api->run);
        assert_true(api->time_block && traits->blocks_to_judge > 0);
        assert_true(traits->computes_nothing ||
                    (api->results && api->show && api->read && api->look));
        assert_true(api->ceilings);
        assert_ptr_equal(device_kind(api->kind), api);
    }
    assert_null(device_kind("abacus"));
}

TEST(names_are_parsed)
{
    const struct device_api *api = NULL;
    struct error error = {0};
    int index = -1;
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

/* Also of kinds that the build leaves out, or that another version knows. */
TEST(traits_need_no_device)
{
    const char *sections[DEVICE_SECTIONS_MAX];
    char name[DEVICE_NAME_BYTES];
    assert_string_equal(device_traits("cuda")->unit_fact, "sm_count");
    assert_string_equal(device_traits("cpu")->unit_fact, "cores");
    assert_true(device_traits("cuda")->is_gpu && !device_traits("cpu")->is_gpu);
    assert_string_equal(device_traits("hologram")->kind, "");
    assert_string_equal(device_traits(NULL)->kind, "");
    assert_null(device_traits_of_section("hologram"));
    assert_int_equal(device_sections(sections), 2);
    assert_true(device_traits(device_host()->kind)->is_host);
    device_name("cpu", 0, name);
    assert_string_equal(name, "cpu");
    device_name("cuda", 3, name);
    assert_string_equal(name, "cuda:3");
    assert_string_equal(device_full_name("3", name), "cuda:3");
    assert_string_equal(device_full_name("NVIDIA H200", name), "NVIDIA H200");
    assert_string_equal(device_full_name("", name), "");
    assert_null(device_full_name(NULL, name));
}

TEST_MAIN(NULL, NULL)
