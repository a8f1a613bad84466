/* What kernels take, asked of NVRTC: needs no driver and no device. */
#ifndef TUNE_DEVICE_CUDA_SIGNATURES_H
#define TUNE_DEVICE_CUDA_SIGNATURES_H

#include "tuner/device/signature.h"

/* Everything in *out belongs to the arena. STATUS_NOT_FOUND: no such kernel, or several and none
 * was named, and which there are. STATUS_COMPILE_FAILED: the compiler's first error. */
enum status cuda_signatures(struct arena *arena, const struct signature_question *question,
                            struct source_signature *out, struct error *error);

/* probe.c: what is put behind the source to ask. */
extern const char cuda_signature_probe[];

#endif
