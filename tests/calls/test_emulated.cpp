// tests/gpu/calls/any.cu without a GPU: kernels are emulated, and run when they are launched.
#include <cuda_runtime.h>

#include "tests/gpu/calls/checks.cu"

#include "tests/gpu/calls/any.cu"

int main()
{
    chosen.is_small = true;
    check_any();
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
