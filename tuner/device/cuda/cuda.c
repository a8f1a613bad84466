#include "tuner/device/cuda/internal.h"
#include "tuner/device/kinds.h"

bool cuda_compiles_beside_measuring(void)
{
    return true;
}

#define CUDA_MEMBER(member) .member = cuda_##member,
const struct device_api device_cuda = {.kind = "cuda", CUDA_DEVICE(CUDA_MEMBER)};
