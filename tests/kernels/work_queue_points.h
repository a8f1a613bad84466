// The points of the work_queue family that were compiled into this program.
#ifndef TESTS_KERNELS_WORK_QUEUE_POINTS_H
#define TESTS_KERNELS_WORK_QUEUE_POINTS_H

#include "tests/kernels/simt.h"

#include <vector>

namespace work_queue_points
{

typedef void (*kernel)(const unsigned int *seeds, unsigned int *out, unsigned long long *next,
                       unsigned int *ticket, long long n);

enum variant { static_thread, static_block, grid_stride, queue_block, queue_warp, variants };

struct point {
    const char *name;
    const char *source; // kernels/work_queue/work_queue.cu, or a copy with a fault planted
    unsigned int block, chunk;
    int skewed; // as SKEWED
    simt::shared_range shared;
    kernel run[variants];
};

std::vector<point> &all();

inline bool add(const point &point)
{
    all().push_back(point);
    return true;
}

} // namespace work_queue_points

#endif
