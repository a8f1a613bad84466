/* Where the memory of a vector is to lie: decided without touching any. */
#ifndef TUNE_DEVICE_CPU_LAYOUT_H
#define TUNE_DEVICE_CPU_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/launch.h"

/* A page lies on the node of the thread that touches it first. Threads that share the work in equal
 * runs each touch the part that they will read; where blocks go to whoever is free, the pages take
 * turns over the nodes. */
struct layout {
    int threads; /* the first of the machine's order */
    int nodes;   /* NUMA nodes on which they run */
    bool interleaved;
};

/* `nodes[i]`: the node of the i-th thread, 0 for the first, and numbered on as they first appear.
 */
struct layout layout_of(const int *nodes, int threads, enum schedule schedule);

/* Of the launches that take the argument, the one with the most threads decides, at most `limit`.
 * An argument that no launch takes lies as for one thread. */
struct layout layout_for_argument(const struct launch_plan *plan, size_t argument, const int *nodes,
                                  int limit);

/* Whether memory laid out by one lies as the other would have it. */
bool layout_same(const struct layout *a, const struct layout *b);

/* The granules (pages, or larger pieces) that a thread touches: first, first + step ... < end. Each
 * of 0 .. granules - 1 is in the share of one thread. */
struct share {
    size_t first, end, step;
};
struct share layout_share(const struct layout *layout, const int *nodes, int thread,
                          size_t granules);

#endif
