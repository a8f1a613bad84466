/* The formula of the null device: answers of a GPU that does not exist, from a plan and the hash of
 * a binary. */
#ifndef TUNE_DEVICE_SCRIPTED_FORMULA_H
#define TUNE_DEVICE_SCRIPTED_FORMULA_H

#include "tuner/device/recording.h"

enum { FORMULA_DEVICES = 4 };
extern const struct recorded_device formula_device;

/* Adds the facts of null:`index`. STATUS_NOT_FOUND: there are not that many. */
enum status formula_facts(int index, struct facts *facts, struct error *error);
/* Returns the resources of a kernel of the binary; those of a launch follow from its shape. */
struct kernel_resources formula_resources(uint64_t binary, const char *kernel);
void formula_occupancy(const struct launch *launch, struct kernel_resources *resources);
struct kernel_resources formula_launch_resources(uint64_t binary, const struct launch *launch);
/* Returns the time of one run, without noise. */
double formula_run_ns(uint64_t binary, const struct launch_plan *plan, enum l2_mode mode,
                      enum issue issue);
/* Returns the energy of a run of that time. */
double formula_energy_j(uint64_t binary, double run_ns);

#endif
