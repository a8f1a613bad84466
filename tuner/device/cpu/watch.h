/* What kernels do to what is not theirs: inputs, and the process that they run in. */
#ifndef TUNE_DEVICE_CPU_WATCH_H
#define TUNE_DEVICE_CPU_WATCH_H

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include "tuner/base/error.h"
#include "tuner/base/launch.h"

enum { WATCHED_SIGNALS = 64, WATCHED_LIMITS = 16 };

/* What a kernel finds, and may leave changed for those that come after it. */
struct process_state {
    struct rlimit limits[WATCHED_LIMITS];
    struct sigaction actions[WATCHED_SIGNALS];
    sigset_t blocked;
    cpu_set_t processors;
    unsigned long long folder[2]; /* that it works in: device and inode */
};

struct device;
/* Inputs that the device protects can be written to from now on, which is noted: one device of a
 * process at a time. */
void watch_start(struct device *device);
void watch_stop(struct device *device);
/* The process is held against what it is now. */
void watch_process(struct device *device);
/* Names the first change of the process since; NULL: all is as it was. */
const char *watch_changed(const struct device *device);

#endif
