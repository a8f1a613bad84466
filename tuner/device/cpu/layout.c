#include "tuner/device/cpu/layout.h"

struct layout layout_of(const int *nodes, int threads, enum schedule schedule)
{
    struct layout layout = {.threads = threads};
    for (int i = 0; i < threads; i++)
        if (nodes[i] >= layout.nodes)
            layout.nodes = nodes[i] + 1;
    layout.interleaved = schedule == SCHEDULE_QUEUED && layout.nodes > 1;
    return layout;
}

struct layout layout_for_argument(const struct launch_plan *plan, size_t argument, const int *nodes,
                                  int limit)
{
    uint32_t threads = 1;
    enum schedule schedule = SCHEDULE_STATIC;
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct launch *launch = &plan->launches[i];
        bool takes = false;
        for (size_t j = 0; j < launch->argument_count; j++)
            takes = takes || launch->arguments[j] == argument;
        if (takes && launch->threads > threads) {
            threads = launch->threads;
            schedule = launch->schedule;
        }
    }
    return layout_of(nodes, threads < (uint32_t)limit ? (int)threads : limit, schedule);
}

/* Tells whether two layouts place memory alike. Threads are taken in one order, so that equal
 * numbers of nodes are the same nodes. */
bool layout_same(const struct layout *a, const struct layout *b)
{
    if (a->nodes != b->nodes)
        return false;
    if (a->nodes <= 1)
        return true;
    return a->interleaved == b->interleaved && (a->interleaved || a->threads == b->threads);
}

struct share layout_share(const struct layout *layout, const int *nodes, int thread,
                          size_t granules)
{
    if (layout->interleaved) {
        /* Nodes take turns, and within each node the threads. */
        size_t rank = 0, mates = 0, count = (size_t)layout->nodes;
        for (int i = 0; i < layout->threads; i++) {
            rank += i < thread && nodes[i] == nodes[thread];
            mates += nodes[i] == nodes[thread];
        }
        return (struct share){
            .first = (size_t)nodes[thread] + count * rank, .end = granules, .step = count * mates};
    }
    size_t threads = (size_t)layout->threads, t = (size_t)thread;
    size_t each = granules / threads, extra = granules % threads;
    size_t first = each * t + (t < extra ? t : extra);
    return (struct share){.first = first, .end = first + each + (t < extra), .step = 1};
}
