/* Comparison of outputs with expected elements on the device. */
#ifndef TUNE_DEVICE_GPU_CHECK_H
#define TUNE_DEVICE_GPU_CHECK_H

#include "tuner/device/device.h"

typedef unsigned long long gpu_address;

/* Expected elements of an output in device memory. */
struct resident {
    uint64_t serial; /* number of the expectation; 0: none */
    gpu_address address;
    size_t bytes;
    bool summed;
    uint64_t sum;  /* sum of the copied elements, as in findings */
    uint64_t used; /* larger: later */
};
enum { RESIDENTS_MAX = 8 };

struct checking {
    struct resident residents[RESIDENTS_MAX];
    uint64_t clock;
    gpu_address findings; /* of chunks */
    size_t findings_bytes;
};

enum status gpu_compare(struct device *device, size_t index, enum element_type type,
                        const struct comparing *what, struct findings *out, uint64_t got_raw[2],
                        struct error *error);
/* Frees the memory of expected elements, which are copied again when needed. */
void gpu_drop_residents(struct device *device);
void gpu_check_free(struct device *device);

#endif
