/* Seeded measurements whose truth is known. */
#ifndef TUNE_TESTS_TRIAL_SIMULATION_H
#define TUNE_TESTS_TRIAL_SIMULATION_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/random.h"
#include "tuner/stats/estimate.h"

static inline double uniform(struct random *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) * 0x1p-53;
}

/* Draws a normal number by Box and Muller's method. */
static inline double normal(struct random *random)
{
    double radius = sqrt(-2 * log(uniform(random)));
    return radius * cos(2 * acos(-1.0) * uniform(random));
}

enum { SIMULATED_BLOCKS_MAX = 16 };

/* A simulated device: blocks spread log-normally by `sigma`, a share `outliers` of them takes three
 * times as long, and from visit to visit the level walks by `walk` and rises by `slope`. */
struct simulated_device {
    struct random random;
    double sigma, outliers, walk, slope;
    size_t blocks; /* blocks per visit */
    double level;
};

static inline double median_of_few(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t j = i; j > 0 && values[j - 1] > values[j]; j--) {
            double swap = values[j];
            values[j] = values[j - 1];
            values[j - 1] = swap;
        }
    }
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Measures one visit of a candidate whose true ln time is `truth`: the median of ln over its
 * blocks. */
static inline double visit(struct simulated_device *device, double truth)
{
    double blocks[SIMULATED_BLOCKS_MAX];
    device->level += device->slope + device->walk * normal(&device->random);
    for (size_t i = 0; i < device->blocks; i++) {
        blocks[i] = truth + device->level + device->sigma * normal(&device->random);
        if (uniform(&device->random) < device->outliers)
            blocks[i] += log(3.0);
    }
    return median_of_few(blocks, device->blocks);
}

#endif
