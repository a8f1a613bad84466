/* Outputs held against what they must be where they lie. */
#ifndef TUNE_DEVICE_GPU_CHECK_H
#define TUNE_DEVICE_GPU_CHECK_H

#include "tuner/device/device.h"

typedef unsigned long long gpu_address;

/* What an output must be, in the device's memory. */
struct resident {
    uint64_t serial; /* of the expectation; 0: none is there */
    gpu_address address;
    size_t bytes;
    bool summed;
    uint64_t sum;  /* of what was copied, as findings have it */
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
/* Gives back the memory of what outputs were held against: it is copied anew when it is needed. */
void gpu_drop_residents(struct device *device);
void gpu_check_free(struct device *device);

#endif
