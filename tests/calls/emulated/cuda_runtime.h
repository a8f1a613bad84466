// The runtime's host functions, with emulated kernels: takes the place of the toolkit's
// cuda_runtime.h when the calls are compiled without nvcc. emulated_runtime.cpp has the
// functions.
#ifndef TUNE_TEST_EMULATED_RUNTIME
#define TUNE_TEST_EMULATED_RUNTIME

#include <cuda_runtime_api.h>

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __forceinline__
#undef __launch_bounds__

#include "tests/kernels/simt.h"

#include <utility>

// Members of the runtime's structs have these names, too.
#undef gridDim
#undef blockDim
inline simt::index3 &gridDim = simt::grid_size, &blockDim = simt::block_size;

// A kernel as a function of the addresses of its arguments.
template <auto KERNEL> struct erased_kernel;
template <typename... T, void (*KERNEL)(T...)> struct erased_kernel<KERNEL> {
    template <size_t... I> static void call(void **arguments, std::index_sequence<I...>)
    {
        KERNEL(*(T *)arguments[I]...);
    }
    static void run(void **arguments)
    {
        call(arguments, std::index_sequence_for<T...>());
    }
};
#define TUNE_KERNEL(...) ((const void *)&erased_kernel<&__VA_ARGS__>::run)

#endif
