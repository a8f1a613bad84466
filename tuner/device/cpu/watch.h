/* Detection of kernels that change the process that runs them. */
#ifndef TUNE_DEVICE_CPU_WATCH_H
#define TUNE_DEVICE_CPU_WATCH_H

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include "tuner/base/error.h"
#include "tuner/base/launch.h"

enum { WATCHED_SIGNALS = 64, WATCHED_LIMITS = 16 };

/* State of the process that a kernel finds, and may leave changed for later kernels. */
struct process_state {
    struct rlimit limits[WATCHED_LIMITS];
    struct sigaction actions[WATCHED_SIGNALS];
    sigset_t blocked;
    cpu_set_t processors;
    unsigned long long folder[2]; /* working folder: device and inode */
};

struct device;
/* Notes the present state of the process for later comparison. */
void watch_process(struct device *device);
/* Finds the first change of the process since, and names this change; NULL: none. */
const char *watch_changed(const struct device *device);

#endif
