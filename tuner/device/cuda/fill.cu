// Makes inputs on the device. Compiled behind tuner/base/fill_lane.h and its includes, when a
// process first makes one.

extern "C" __global__ void __launch_bounds__(FILL_THREADS)
    tune_fill(void *out, const struct filling filling, uint64_t count)
{
    const uint64_t i = (uint64_t)blockIdx.x * FILL_THREADS + threadIdx.x;
    if (i < count)
        element_write(out, filling.type, i, fill_raw(&filling, i));
}
