/* What devices that compute nothing (device_traits) have in common: no run leaves anything. */
#ifndef TUNE_DEVICE_NOTHING_H
#define TUNE_DEVICE_NOTHING_H

#include "tuner/device/device.h"

enum status nothing_vary(struct device *device, const struct launch_plan *plan,
                         const struct patch *patches, struct error *error);
enum status nothing_run(struct device *device, const struct launch_plan *plan, struct error *error);
enum status nothing_results(struct device *device, const struct block *block, uint64_t outputs,
                            struct run_result *out, uint32_t *count, struct error *error);
enum status nothing_show(struct device *device, const struct block *block, uint32_t run,
                         struct error *error);
enum status nothing_read(struct device *device, size_t index, void *out, size_t bytes,
                         struct error *error);
enum status nothing_look(struct device *device, size_t index, const void **out, size_t bytes,
                         struct error *error);
void nothing_drop_slots(struct device *device);

/* Members of a device_api. */
#define COMPUTES_NOTHING                                                                           \
    .vary = nothing_vary, .run_again = nothing_run, .run_on = nothing_run,                         \
    .results = nothing_results, .show = nothing_show, .read = nothing_read, .look = nothing_look,  \
    .drop_slots = nothing_drop_slots

#endif
