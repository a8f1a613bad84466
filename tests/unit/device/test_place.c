/* Placement of processes. The fixture: two packages of four cores with two hardware threads each
 * (core n has the processors n and n + 8), GPU 1b at the first, b3 at the second. */

#include <stdlib.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/device/place_near.h"

#define FIXTURE TEST_SOURCE_DIR "/tests/data/two_packages.xml"

static const char *const first = "0000:1b:00.0";
static const char *const second = "0000:B3:00.0";

static struct placement place(const char *topology, const char *const *addresses, size_t count)
{
    struct placement out;
    struct error error = {0};
    memset(&out, 0x5a, sizeof out);
    if (place_devices(topology, addresses, count, &out, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return out;
}

TEST(each_device_gets_the_last_core_near_it)
{
    struct placement got = place(FIXTURE, (const char *const[]){first, second}, 2);
    assert_string_equal(got.devices[0].cpus, "3");
    assert_string_equal(got.devices[0].near, "NUMA node 0");
    assert_string_equal(got.devices[1].cpus, "7");
    assert_string_equal(got.devices[1].near, "NUMA node 1");
    /* The cores' second hardware threads, 11 and 15, stay idle. */
    assert_string_equal(got.compilers.cpus, "0-2,4-6,8-10,12-14");
    assert_string_equal(got.compilers.near, "");
    assert_string_equal(got.note, "");
}

TEST(devices_at_one_place_get_cores_of_their_own)
{
    const char *const five[] = {first, first, first, first, first};
    struct placement got = place(FIXTURE, five, 5);
    const char *const cpus[] = {"3", "2", "1", "0", "7"};
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(got.devices[i].cpus, cpus[i]);
    assert_string_equal(got.compilers.cpus, "4-6,12-14");
    assert_non_null(strstr(got.note, "near devices 4"));
}

TEST(unknown_devices_go_anywhere)
{
    struct placement got = place(FIXTURE, (const char *const[]){NULL, "0000:77:00.0", "?"}, 3);
    const char *const cpus[] = {"7", "6", "5"};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(got.devices[i].cpus, cpus[i]);
        assert_string_equal(got.devices[i].near, "");
    }
    assert_non_null(strstr(got.note, "unknown of devices 0-2"));
}

TEST(few_cores_are_left_to_the_system)
{
    struct placement got = place("synthetic:core:2 pu:2", (const char *const[]){NULL}, 1);
    assert_string_equal(got.devices[0].cpus, "");
    assert_string_equal(got.compilers.cpus, "");
    assert_non_null(strstr(got.note, "2 cores"));
    got = place("synthetic:core:3 pu:1", (const char *const[]){NULL}, 1);
    assert_string_equal(got.devices[0].cpus, "2");
    assert_string_equal(got.compilers.cpus, "0-1");
}

TEST(more_devices_than_cores_share)
{
    const char *none[5] = {0};
    struct placement got = place("synthetic:core:3 pu:1", none, 5);
    const char *const cpus[] = {"2", "1", "0", "2", "1"};
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(got.devices[i].cpus, cpus[i]);
    assert_string_equal(got.compilers.cpus, "0-2");
    assert_non_null(strstr(got.note, "shared by devices 3-4"));
    assert_non_null(strstr(got.note, "compilers share"));
}

TEST(no_device_leaves_all_to_the_compilers)
{
    struct placement got = place("synthetic:core:4 pu:2", NULL, 0);
    assert_string_equal(got.compilers.cpus, "0-7");
}

/* Only allowed processors are used: here 2 to 6 and 10. */
TEST(what_is_not_allowed_is_not_given)
{
    hwloc_topology_t topology;
    struct placement got;
    struct error error = {0};
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_xml(topology, FIXTURE), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc(), near = hwloc_bitmap_alloc();
    hwloc_const_cpuset_t nears[] = {near, near, near};
    assert_int_equal(hwloc_bitmap_list_sscanf(allowed, "2-6,10"), 0);
    assert_int_equal(hwloc_bitmap_list_sscanf(near, "0-3,8-11"), 0);
    assert_int_equal(place_near(topology, allowed, nears, 2, &got, &error), STATUS_OK);
    assert_string_equal(got.devices[0].cpus, "3");
    assert_string_equal(got.devices[1].cpus, "2");
    assert_string_equal(got.compilers.cpus, "4-6");
    /* The first hardware thread may be the one that is not allowed. */
    assert_int_equal(hwloc_bitmap_list_sscanf(allowed, "0-1,11"), 0);
    assert_int_equal(place_near(topology, allowed, nears, 1, &got, &error), STATUS_OK);
    assert_string_equal(got.devices[0].cpus, "11");
    assert_string_equal(got.compilers.cpus, "0-1");
    hwloc_bitmap_free(allowed);
    hwloc_bitmap_free(near);
    hwloc_topology_destroy(topology);
}

TEST(wrong_topologies_are_told)
{
    struct placement out;
    struct error error = {0};
    assert_int_equal(place_devices("synthetic:nonsense", NULL, 0, &out, &error), STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "nonsense"));
    assert_int_not_equal(place_devices("/nowhere/a.xml", NULL, 0, &out, &error), STATUS_OK);
    assert_non_null(strstr(error.text, "/nowhere/a.xml"));
    const char *none[PLACE_DEVICES_MAX + 1] = {0};
    assert_int_equal(
        place_devices("synthetic:core:8 pu:1", none, PLACE_DEVICES_MAX + 1, &out, &error),
        STATUS_BAD_INPUT);
}

/* On any machine, no processor is used that this process may not use. */
TEST(this_machine_is_placed_on)
{
    hwloc_topology_t topology;
    struct placement got = place(NULL, (const char *const[]){"0000:00:00.0"}, 1);
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    const char *const lists[] = {got.devices[0].cpus, got.compilers.cpus};
    hwloc_bitmap_t given = hwloc_bitmap_alloc();
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(hwloc_bitmap_list_sscanf(given, lists[i]), 0);
        assert_true(hwloc_bitmap_isincluded(given, hwloc_topology_get_allowed_cpuset(topology)));
    }
    hwloc_bitmap_free(given);
    hwloc_topology_destroy(topology);
}

TEST_MAIN(NULL, NULL)
