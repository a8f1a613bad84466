/* Data that run_points puts into vectors and compares outputs with. */
#ifndef TUNE_TESTS_GPU_DATA_H
#define TUNE_TESTS_GPU_DATA_H

#include "tuner/device/device.h"
#include "tuner/experiment/point.h"
#include "tuner/stats/data.h"

/* An argument's data on the host: the data of one n is the beginning of that of a larger n. */
struct input {
    void *data;
    uint64_t contents; /* argument_contents */
    int64_t count;
};

/* Makes the data of a plan's arguments, kept in `kept`; NULL for those without data. */
enum status inputs_make(struct input kept[ARGUMENTS_MAX], const struct launch_plan *plan,
                        const void *inputs[ARGUMENTS_MAX], struct error *error);
void inputs_free(struct input kept[ARGUMENTS_MAX]);

/* A check with the output's expected elements; freed by wanted_free. */
struct wanted {
    const struct output_check *check;
    struct tune_expected *expected;
    void *elements;
    double scale;
};
/* Computes the expected elements. `binary`: the path of the binary for the check's request, if it
 * has one. After REFERENCE_PLAN another binary is loaded and another plan bound. */
enum status wanted_make(const struct device_api *api, struct device *device,
                        const struct output_check *check, const char *binary,
                        const struct launch_plan *plan, const void *const *inputs,
                        struct wanted *out, struct error *error);
void wanted_free(struct wanted *wanted);
/* Compares the output; STATUS_BAD_INPUT with the difference. */
enum status wanted_holds(const struct device_api *api, struct device *device,
                         const struct wanted *wanted, const struct launch_plan *plan,
                         struct error *error);

#endif
