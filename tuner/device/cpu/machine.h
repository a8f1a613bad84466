/* The processors this process may run on, as hwloc sees them. */
#ifndef TUNE_DEVICE_CPU_MACHINE_H
#define TUNE_DEVICE_CPU_MACHINE_H

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/error.h"

struct cache_level {
    int64_t bytes; /* of one cache; 0: there is none or it is unknown */
    int count;
};

/* Only what the process may use: the cgroup's and the affinity mask's processors. Freed by
 * machine_free. */
struct machine {
    hwloc_topology_t topology;
    bool real; /* false: an invented topology (HWLOC_SYNTHETIC), to which no thread can be pinned */
    int packages;
    int cores;
    int hardware_threads;
    int numa_nodes;
    int64_t memory_bytes;
    struct cache_level l1d, l2, l3;
    /* hwloc's processing units in the order in which threads are put on them: the first hardware
     * thread of each core, then the second of each, and so on; hardware_threads of them. */
    hwloc_obj_t *units;
    /* The NUMA node of each unit, numbered from 0 as they first appear in that order. */
    int *nodes;
    int64_t wanted_flush_bytes; /* TUNE_FLUSH_BYTES; 0: it is unset */
    bool flushes_by_line;       /* data leaves the caches by an instruction, else they are filled */
};

enum status machine_load(struct machine *out, struct error *error);
void machine_free(struct machine *machine);

/* What is built into a NUMA node, or what hwloc says where Linux does not tell: what the system
 * manages of it, which grows and shrinks while a virtual machine runs (a balloon; pages that it
 * first looks at when they are wanted). */
int64_t machine_node_bytes(const struct machine *machine, hwloc_obj_t node);

/* Twice the largest cache that units[index] reads through: what it must read for everything else to
 * be gone from it; or what the user wants, since a virtual machine may be told of a cache of which
 * it has a small part. 0: no cache is known. */
int64_t machine_flush_bytes(const struct machine *machine, int index);

/* The first of the units that share units[index]'s last-level cache. */
int machine_cache_leader(const struct machine *machine, int index);

/* Pins the calling thread to units[index]; false when the system does not let it. */
bool machine_pin(const struct machine *machine, int index);

#endif
