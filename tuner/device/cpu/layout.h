/* Placement of a vector's memory: decided without touching any. */
#ifndef TUNE_DEVICE_CPU_LAYOUT_H
#define TUNE_DEVICE_CPU_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/launch.h"

/* Placement of memory: a page lies on the node of the thread that touches the page first. Threads
 * with equal static shares each touch the part that they will read; where free threads take the
 * next block, pages take turns over the nodes. */
struct layout {
    int threads; /* the first of the machine's order */
    int nodes;   /* NUMA nodes of the threads */
    bool interleaved;
};

/* Lays out memory for threads; `nodes[i]`: the node of thread i, numbered from 0 in order of
 * appearance. */
struct layout layout_of(const int *nodes, int threads, enum schedule schedule);

/* Lays out an argument for the launch with the most threads, at most `limit`, of those that take
 * the argument; for one thread when no launch does. */
struct layout layout_for_argument(const struct launch_plan *plan, size_t argument, const int *nodes,
                                  int limit);

/* Tells whether two layouts place memory alike. */
bool layout_same(const struct layout *a, const struct layout *b);

/* The granules (pages, or larger pieces) that a thread touches: first, first + step ... < end. Each
 * of 0 .. granules - 1 is in the share of one thread. */
struct share {
    size_t first, end, step;
};
struct share layout_share(const struct layout *layout, const int *nodes, int thread,
                          size_t granules);

#endif
