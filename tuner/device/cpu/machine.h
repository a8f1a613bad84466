/* The processors this process may run on, according to hwloc. */
#ifndef TUNE_DEVICE_CPU_MACHINE_H
#define TUNE_DEVICE_CPU_MACHINE_H

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/error.h"

struct cache_level {
    int64_t bytes; /* bytes of one cache; 0: none, or unknown */
    int count;
};

/* Processors allowed to the process by the cgroup and the affinity mask. Freed by machine_free. */
struct machine {
    hwloc_topology_t topology;
    bool real; /* false: an invented topology (HWLOC_SYNTHETIC), to which no thread can be pinned */
    int packages;
    int cores;
    int hardware_threads;
    int numa_nodes;
    int64_t memory_bytes;
    struct cache_level l1d, l2, l3;
    /* hwloc's processing units in the order in which threads are pinned: the first hardware thread
     * of each core, then the second of each, and so on; hardware_threads units. */
    hwloc_obj_t *units;
    /* The NUMA node of each unit, numbered from 0 in order of appearance. */
    int *nodes;
    int64_t wanted_flush_bytes; /* TUNE_FLUSH_BYTES; 0: unset */
    bool flushes_by_line;       /* eviction by an instruction, else by filling the caches */
};

enum status machine_load(struct machine *out, struct error *error);
void machine_free(struct machine *machine);

/* Returns the memory built into a NUMA node, else hwloc's number: the memory that the system
 * manages, which grows and shrinks while a virtual machine runs (a balloon; pages first examined on
 * demand). */
int64_t machine_node_bytes(const struct machine *machine, hwloc_obj_t node);

/* Returns the bytes that units[index] must read to evict all other data: twice the largest cache on
 * its path, or the user's number, since a virtual machine may see a cache of which only a small
 * part is available. 0: no cache is known. */
int64_t machine_flush_bytes(const struct machine *machine, int index);

/* Returns the first of the units that share units[index]'s last-level cache. */
int machine_cache_leader(const struct machine *machine, int index);

/* Pins the calling thread to units[index]; false when the system refuses. */
bool machine_pin(const struct machine *machine, int index);

#endif
