/* A plan made ready to run, and run. */
#ifndef TUNE_DEVICE_CPU_LAUNCH_H
#define TUNE_DEVICE_CPU_LAUNCH_H

#include "tuner/device/cpu/device.h"

struct tune_block;
typedef void block_function(const struct tune_block *block, void *const *arguments);

struct prepared_launch {
    block_function *kernel;
    int64_t blocks;
    int threads;
    uint32_t repeats;
    enum schedule schedule;
    void *arguments[ARGUMENTS_MAX];
};

/* Functions found, arguments laid out. Holds pointers into itself: not to be copied. */
struct prepared {
    size_t count;
    struct prepared_launch launches[LAUNCHES_MAX];
    _Alignas(8) unsigned char values[ARGUMENTS_MAX][VALUE_BYTES_MAX]; /* of scalars and structs */
    /* Places of inputs in the launches, which take another copy each run. */
    size_t rotated_count;
    struct {
        void **place;
        const struct vector *vector;
    } rotated[LAUNCHES_MAX * ARGUMENTS_MAX];
};

/* Of the plan bound last. Takes a microsecond. */
enum status prepare(struct device *device, const struct launch_plan *plan, struct prepared *out,
                    struct error *error);
/* All inputs at their copies for this run. */
void rotate(struct prepared *prepared, uint32_t run);
void run_once(struct device *device, const struct prepared *prepared);
/* block.c: the device warm, the plan prepared, its scratch as its own runs left it or zeroed. */
enum status ready_block(struct device *device, const struct block *block, struct prepared *prepared,
                        struct error *error);

#endif
