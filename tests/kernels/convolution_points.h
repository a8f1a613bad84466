// The points of examples/t1/convolution.cu that were compiled into this program.
#ifndef TESTS_KERNELS_CONVOLUTION_POINTS_H
#define TESTS_KERNELS_CONVOLUTION_POINTS_H

#include "tests/kernels/simt.h"

#include <vector>

namespace convolution_points
{

constexpr int width = 100, height = 37; // size of the output; no multiple of a tile

struct point {
    const char *name;
    const char *source; // examples/t1/convolution.cu, or a copy with a fault planted
    int across, down;   // size of the filter
    int tile_width, tile_height, threads;
    float *filter;
    simt::shared_range shared;
    void (*run)(float *output, const float *input);
};

std::vector<point> &all();

inline bool add(const point &point)
{
    all().push_back(point);
    return true;
}

// Grids and blocks of the emulation have one dimension: their rows follow each other.
inline simt::index3 folded(simt::index3 index, unsigned int row)
{
    return {index.x % row, index.x / row, 0};
}

} // namespace convolution_points

#define IMAGE_WIDTH  convolution_points::width
#define IMAGE_HEIGHT convolution_points::height
#define __constant__ static
#define __ldg(at)    (*(at))
#undef threadIdx
#undef blockIdx
#define threadIdx convolution_points::folded(simt::thread_index, block_size_x)
#define blockIdx                                                                                   \
    convolution_points::folded(simt::block_index, (IMAGE_WIDTH + TILE_WIDTH - 1) / TILE_WIDTH)

#endif
