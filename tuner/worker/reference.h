/* The expected results of a problem, computed by a C function compiled at run time. */
#ifndef TUNE_WORKER_REFERENCE_H
#define TUNE_WORKER_REFERENCE_H

#include "tuner/base/error.h"
#include "tuner/base/launch.h"
#include "tuner/stats/data.h"

/* Calls function `name` of the shared object at `path` with the plan's arguments (inputs[i] for
 * inputs, a copy of it for what is read and written, NULL for other vectors, pointers to scalars
 * and structs), and gives `expected`, one for each element of the output, owned by the caller
 * (free). */
enum status reference_compute(const char *path, const char *name, const struct launch_plan *plan,
                              const void *const *inputs, size_t output,
                              struct tune_expected **expected, struct error *error);

#endif
