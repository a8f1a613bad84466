#include "cpu_test.h"

#include <sched.h>
#include <sys/wait.h>

#include "tuner/device/cpu/machine.h"

/* 2 packages x 1 L3 x 4 cores with L2 and L1d x 2 hardware threads. */
static const char two_packages[] = "pack:2 [numa(memory=8589934592)] l3:1(size=33554432) "
                                   "l2:4(size=1048576) l1d:1(size=49152) core:1 pu:2";

static void use_topology(const char *description)
{
    if (description) {
        assert_int_equal(setenv("HWLOC_SYNTHETIC", description, 1), 0);
        assert_int_equal(setenv("HWLOC_THISSYSTEM", "0", 1), 0);
    } else {
        (void)unsetenv("HWLOC_SYNTHETIC");
        (void)unsetenv("HWLOC_THISSYSTEM");
    }
}

static int real_topology(void **state)
{
    (void)state;
    use_topology(NULL);
    return 0;
}

static struct facts describe(void)
{
    struct facts facts = {0};
    struct error error = {0};
    if (device_cpu.describe(0, NULL, &facts, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return facts;
}

TEST_WITH(required_facts_are_there, NULL, real_topology)
{
    static const char *const texts[] = {"kind",   "name",     "uuid",
                                        "driver", "compiler", "architecture"};
    static const char *const counts[] = {"memory_bytes", "cores", "hardware_threads"};
    struct facts facts = describe();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_true(strlen(facts_text(&facts, texts[i], "")) > 0);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        assert_true(facts_integer(&facts, counts[i], -1) > 0);
    assert_string_equal(facts_text(&facts, "kind", ""), "cpu");
    assert_string_equal(facts_text(&facts, "architecture", ""), "native");
    assert_int_equal(facts_integer(&facts, "index", -1), 0);
    assert_true(facts_integer(&facts, "hardware_threads", 0) >= facts_integer(&facts, "cores", 0));
    for (size_t i = 0; i < facts.count; i++)
        assert_ptr_equal(facts_find(&facts, facts.items[i].key), &facts.items[i]);
    facts_free(&facts);
}

TEST_WITH(a_topology_is_read_as_it_is, NULL, real_topology)
{
    use_topology(two_packages);
    struct facts facts = describe();
    assert_int_equal(facts_integer(&facts, "packages", 0), 2);
    assert_int_equal(facts_integer(&facts, "cores", 0), 8);
    assert_int_equal(facts_integer(&facts, "hardware_threads", 0), 16);
    assert_int_equal(facts_integer(&facts, "numa_nodes", 0), 2);
    assert_int_equal(facts_integer(&facts, "memory_bytes", 0), 2LL * 8589934592);
    assert_int_equal(facts_integer(&facts, "numa_node_1_memory_bytes", 0), 8589934592);
    assert_int_equal(facts_integer(&facts, "l1d_bytes", 0), 49152);
    assert_int_equal(facts_integer(&facts, "l2_bytes", 0), 1048576);
    assert_int_equal(facts_integer(&facts, "l2_count", 0), 8);
    assert_int_equal(facts_integer(&facts, "l3_bytes", 0), 33554432);
    assert_int_equal(facts_integer(&facts, "l3_count", 0), 2);
    facts_free(&facts);
}

TEST_WITH(what_is_not_known_is_left_out, NULL, real_topology)
{
    use_topology("core:3 pu:1");
    struct facts facts = describe();
    assert_int_equal(facts_integer(&facts, "cores", 0), 3);
    assert_null(facts_find(&facts, "l3_bytes"));
    assert_null(facts_find(&facts, "packages"));
    facts_free(&facts);
}

TEST_WITH(identity_follows_the_machine, NULL, real_topology)
{
    struct facts once = describe(), again = describe();
    use_topology(two_packages);
    struct facts other = describe();
    const char *uuid = facts_text(&once, "uuid", "");
    assert_string_equal(uuid, facts_text(&again, "uuid", "?"));
    assert_string_not_equal(uuid, facts_text(&other, "uuid", ""));
    facts_free(&once);
    facts_free(&again);
    facts_free(&other);
}

/* In a virtual machine the memory managed by the system changes at run time; the machine must still
 * count as the same. */
TEST_WITH(memory_is_what_is_built_in, NULL, real_topology)
{
    unsigned long long block_bytes = 0;
    FILE *file = fopen("/sys/devices/system/memory/block_size_bytes", "re");
    if (!file)
        skip();
    assert_int_equal(fscanf(file, "%llx", &block_bytes), 1);
    (void)fclose(file);
    struct facts facts = describe();
    assert_int_equal(facts_integer(&facts, "memory_bytes", 0) % (int64_t)block_bytes, 0);
    facts_free(&facts);
}

TEST_WITH(there_is_one_cpu, NULL, real_topology)
{
    struct facts facts = {0};
    struct error error = {0};
    int count = 0;
    assert_int_equal(device_cpu.count(&count, &error), STATUS_OK);
    assert_int_equal(count, 1);
    assert_int_equal(device_cpu.describe(1, NULL, &facts, &error), STATUS_NOT_FOUND);
    assert_non_null(strstr(error.text, "cpu:1"));
    facts_free(&facts);
}

TEST_WITH(threads_go_to_cores_first, NULL, real_topology)
{
    use_topology(two_packages);
    struct machine machine;
    struct error error = {0};
    assert_int_equal(machine_load(&machine, &error), STATUS_OK);
    assert_int_equal(machine.hardware_threads, 16);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(machine.units[i]->logical_index, 2 * i);
        assert_int_equal(machine.units[8 + i]->logical_index, 2 * i + 1);
    }
    /* Cores 0 to 3 share an L3, 4 to 7 the other. */
    assert_int_equal(machine_flush_bytes(&machine, 5), 2 * 33554432);
    assert_int_equal(machine_cache_leader(&machine, 3), 0);
    assert_int_equal(machine_cache_leader(&machine, 4), 4);
    assert_int_equal(machine_cache_leader(&machine, 7), 4);
    machine_free(&machine);
}

TEST_WITH(unknown_caches_are_no_ones_size, NULL, real_topology)
{
    use_topology("core:2 pu:1");
    struct machine machine;
    struct error error = {0};
    assert_int_equal(machine_load(&machine, &error), STATUS_OK);
    assert_int_equal(machine_flush_bytes(&machine, 1), 0);
    assert_int_equal(machine_cache_leader(&machine, 1), 1);
    machine_free(&machine);
}

static bool sees_one_core(void)
{
    struct facts facts = {0};
    struct error error = {0};
    bool one = device_cpu.describe(0, NULL, &facts, &error) == STATUS_OK &&
               facts_integer(&facts, "hardware_threads", 0) == 1 &&
               facts_integer(&facts, "cores", 0) == 1;
    facts_free(&facts);
    return one;
}

/* taskset and containers: a child is born with the mask, as a program under taskset is. */
TEST_WITH(only_allowed_processors_count, NULL, real_topology)
{
    cpu_set_t all, one;
    size_t cpu = 0;
    int code = 0;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(sees_one_core() ? 0 : 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
}

int main(void)
{
    (void)unsetenv("CC");
    return run_suite(NULL, NULL);
}
