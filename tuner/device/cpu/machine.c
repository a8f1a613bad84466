#include "tuner/device/cpu/machine.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"

int64_t machine_node_bytes(const struct machine *machine, hwloc_obj_t node)
{
    char path[64];
    const int64_t managed = (int64_t)node->attr->numanode.local_memory;
    char digits[32] = ""; /* the size of Linux's memory blocks */
    if (machine->real)
        (void)file_line("/sys/devices/system/memory/block_size_bytes", digits, sizeof digits);
    const int64_t block_bytes = strtoll(digits, NULL, 16);
    int64_t blocks = 0;
    DIR *entries =
        block_bytes > 0 &&
                string_format(path, sizeof path, "/sys/devices/system/node/node%u", node->os_index)
            ? opendir(path)
            : NULL;
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        blocks +=
            strncmp(entry->d_name, "memory", 6) == 0 && isdigit((unsigned char)entry->d_name[6]);
    if (entries)
        (void)closedir(entries);
    return blocks > 0 ? blocks * block_bytes : managed;
}

static int count_of(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    int count = hwloc_get_nbobjs_by_type(topology, type);
    return count > 0 ? count : 0;
}

static struct cache_level read_cache(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    struct cache_level cache = {.count = count_of(topology, type)};
    if (cache.count > 0)
        cache.bytes =
            (int64_t)hwloc_get_obj_by_type(topology, type, 0)->attr->cache.size; /* 0: unknown */
    return cache;
}

/* Returns the type of cores: a processing unit on systems that show no cores. */
static hwloc_obj_type_t core_type(hwloc_topology_t topology)
{
    return count_of(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

static enum status read_topology(struct machine *machine, struct error *error)
{
    hwloc_topology_t topology = machine->topology;
    machine->real = hwloc_topology_is_thissystem(topology) != 0;
    if (machine->real) {
        /* hwloc leaves out processors that the cgroup forbids, but not those of `taskset`. The
         * masks of all threads count, so that the result stays the same after threads were pinned.
         */
        hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
        if (allowed) {
            if (hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) == 0 &&
                hwloc_bitmap_intersects(allowed, hwloc_topology_get_topology_cpuset(topology)))
                (void)hwloc_topology_restrict(topology, allowed,
                                              HWLOC_RESTRICT_FLAG_REMOVE_CPULESS);
            hwloc_bitmap_free(allowed);
        }
    }
    machine->packages = count_of(topology, HWLOC_OBJ_PACKAGE);
    machine->cores = count_of(topology, core_type(topology));
    machine->hardware_threads = count_of(topology, HWLOC_OBJ_PU);
    machine->numa_nodes = count_of(topology, HWLOC_OBJ_NUMANODE);
    for (int i = 0; i < machine->numa_nodes; i++)
        machine->memory_bytes += machine_node_bytes(
            machine, hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, (unsigned)i));
    machine->l1d = read_cache(topology, HWLOC_OBJ_L1CACHE);
    machine->l2 = read_cache(topology, HWLOC_OBJ_L2CACHE);
    machine->l3 = read_cache(topology, HWLOC_OBJ_L3CACHE);
    if (machine->cores == 0)
        return error_set(error, STATUS_UNAVAILABLE, "cpu: hwloc finds no processor to run on");
    machine->units = calloc((size_t)machine->hardware_threads, sizeof(hwloc_obj_t));
    machine->nodes = calloc((size_t)machine->hardware_threads, sizeof(int));
    TRY_MEMORY(machine->units && machine->nodes);
    hwloc_obj_type_t type = core_type(machine->topology);
    int placed = 0;
    for (unsigned sibling = 0; placed < machine->hardware_threads; sibling++) {
        int before = placed;
        for (unsigned core = 0; core < (unsigned)machine->cores; core++) {
            hwloc_obj_t object = hwloc_get_obj_by_type(machine->topology, type, core);
            hwloc_obj_t unit = hwloc_get_obj_inside_cpuset_by_type(
                machine->topology, object->cpuset, HWLOC_OBJ_PU, sibling);
            if (unit && placed < machine->hardware_threads)
                machine->units[placed++] = unit;
        }
        if (placed == before)
            break;
    }
    machine->hardware_threads = placed;
    /* Where nodes are unknown, all memory lies on one. */
    int count = 0;
    for (int i = 0; i < machine->hardware_threads; i++) {
        hwloc_const_nodeset_t own = machine->units[i]->nodeset;
        int known = -1;
        for (int j = 0; j < i && known < 0; j++) {
            hwloc_const_nodeset_t other = machine->units[j]->nodeset;
            if (!own || !other || hwloc_bitmap_isequal(own, other))
                known = machine->nodes[j];
        }
        machine->nodes[i] = known >= 0 ? known : count++;
    }
    return STATUS_OK;
}

/* Tells whether the processor can evict lines. Called once: a virtual machine passes the question
 * on to the host, too slow inside timed code. */
static bool processor_evicts(void)
{
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_CLFLUSHOPT) != 0;
#elif defined(__aarch64__)
    return true; /* Linux lets programs use the instruction */
#else
    return false;
#endif
}

enum status machine_load(struct machine *out, struct error *error)
{
    *out = (struct machine){0};
    if (hwloc_topology_init(&out->topology) != 0)
        return error_no_memory(error);
    enum status status = STATUS_OK;
    if (hwloc_topology_load(out->topology) != 0)
        status = error_set_errno(error, errno, "cpu: hwloc cannot read this machine's topology");
    else
        status = read_topology(out, error);
    if (status == STATUS_OK)
        status = environment_integer("TUNE_FLUSH_BYTES", 1 << 16, INT64_C(1) << 36, 0,
                                     &out->wanted_flush_bytes, error);
    out->flushes_by_line = out->wanted_flush_bytes == 0 && processor_evicts();
    if (status != STATUS_OK)
        machine_free(out);
    return status;
}

void machine_free(struct machine *machine)
{
    free(machine->units);
    free(machine->nodes);
    if (machine->topology)
        hwloc_topology_destroy(machine->topology);
    *machine = (struct machine){0};
}

/* Returns the cache farthest from the processor; NULL when none is known. */
static hwloc_obj_t last_cache(const struct machine *machine, int index)
{
    hwloc_obj_t last = NULL;
    for (hwloc_obj_t object = machine->units[index]; object; object = object->parent)
        if (hwloc_obj_type_is_dcache(object->type))
            last = object;
    return last;
}

int64_t machine_flush_bytes(const struct machine *machine, int index)
{
    uint64_t largest = 0;
    if (machine->wanted_flush_bytes > 0)
        return machine->wanted_flush_bytes;
    for (hwloc_obj_t object = machine->units[index]; object; object = object->parent)
        if (hwloc_obj_type_is_dcache(object->type) && object->attr->cache.size > largest)
            largest = object->attr->cache.size;
    return 2 * (int64_t)largest;
}

int machine_cache_leader(const struct machine *machine, int index)
{
    hwloc_obj_t cache = last_cache(machine, index);
    for (int i = 0; cache && i < index; i++)
        if (last_cache(machine, i) == cache)
            return i;
    return index;
}

bool machine_pin(const struct machine *machine, int index)
{
    return machine->real && hwloc_set_cpubind(machine->topology, machine->units[index]->cpuset,
                                              HWLOC_CPUBIND_THREAD) == 0;
}
