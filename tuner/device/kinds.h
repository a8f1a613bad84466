/* The devices that this build has: `device_cuda`, `device_cpu` ... */
#ifndef TUNE_DEVICE_KINDS_H
#define TUNE_DEVICE_KINDS_H

#include "tuner/device/device.h"

#define KIND(folder, ...) extern const struct device_api device_##folder;
#include "tuner/device/kinds.inc"
#undef KIND

#endif
