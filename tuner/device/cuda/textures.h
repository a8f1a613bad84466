/* Texture and surface objects over vectors. */
#ifndef TUNE_DEVICE_CUDA_TEXTURES_H
#define TUNE_DEVICE_CUDA_TEXTURES_H

#include "tuner/device/cuda/internal.h"

/* Returns an argument's texture at an address. Textures stay until slots are dropped, as graphs may
 * hold textures. */
enum status cuda_texture(struct device *device, const struct argument *argument,
                         CUdeviceptr address, CUtexObject *out, struct error *error);
/* Implements gpu_driver.carry. */
enum status cuda_carry(struct device *device, const struct launch_plan *plan, bool back,
                       struct error *error);
void cuda_textures_free(struct device *device);
/* Implements device_api.drop_slots, and frees the textures. */
void cuda_drop_slots(struct device *device);

#endif
