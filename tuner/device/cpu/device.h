/* The open CPU device, between the files of this folder. */
#ifndef TUNE_DEVICE_CPU_DEVICE_H
#define TUNE_DEVICE_CPU_DEVICE_H

#include "tuner/device/cpu/machine.h"
#include "tuner/device/cpu/pool.h"
#include "tuner/device/cpu/vectors.h"
#include "tuner/device/device.h"

struct binary {
    char *path;
    void *handle; /* of dlopen */
};

struct device {
    struct machine machine;
    struct pool *pool;
    struct calibration calibration;
    struct binary *binaries;
    size_t binary_count;
    size_t current; /* index + 1; 0: none */
    struct vector vectors[ARGUMENTS_MAX];
    size_t argument_count; /* of the bound plan */
    char **flush;          /* one a core, read to empty the caches; NULL until first needed */
};

/* describe.c */
enum status cpu_describe(int index, struct facts *facts, struct error *error);
/* launch.c: the functions of struct device_api */
enum status cpu_bind(struct device *device, const struct launch_plan *plan,
                     const void *const *inputs, uint32_t copies, struct error *error);
enum status cpu_run(struct device *device, const struct launch_plan *plan, double *elapsed_ns,
                    struct error *error);
enum status cpu_time_block(struct device *device, const struct launch_plan *plan, uint32_t runs,
                           enum l2_mode mode, bool prepared, double *elapsed_ns,
                           struct error *error);
enum status cpu_read(struct device *device, size_t index, void *out, size_t bytes,
                     struct error *error);
/* ceilings.c */
enum status cpu_bandwidth(struct device *device, int64_t bytes, struct bandwidth *out,
                          struct error *error);
/* flush.c: fills all caches with clean lines of something else. */
enum status flush_caches(struct device *device, struct error *error);
void flush_free(struct device *device);
/* Reads every byte at the speed of the memory. */
void read_through(const char *data, size_t bytes);

#endif
