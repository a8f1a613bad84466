#ifndef TUNE_DEVICE_CUDA_CUDA_H
#define TUNE_DEVICE_CUDA_CUDA_H

#include "tuner/device/device.h"

/* NVIDIA GPUs, through the driver API and NVRTC, both opened at run time. */
extern const struct device_api device_cuda;

#endif
