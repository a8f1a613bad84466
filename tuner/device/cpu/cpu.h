#ifndef TUNE_DEVICE_CPU_CPU_H
#define TUNE_DEVICE_CPU_CPU_H

#include "tuner/device/device.h"

/* This machine's processors: C kernels, compiled by the system's compiler, run by pinned threads.
 */
extern const struct device_api device_cpu;

#endif
