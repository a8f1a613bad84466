// Compares a large output with the expected elements on the device. Compiled behind
// tuner/base/compare_lane.h and its includes for one type of elements (CHECK_TYPE), when a process
// first compares that type. A block of threads for each chunk, joined as compare_chunk() joins.

extern "C" __global__ void __launch_bounds__(COMPARE_LANES)
    tune_compare(const struct comparing what, struct findings *out)
{
    __shared__ struct findings lanes[COMPARE_LANES];
    lanes[threadIdx.x] = compare_lane(&what, CHECK_TYPE, blockIdx.x, threadIdx.x);
    for (unsigned half = COMPARE_LANES / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            findings_join(&lanes[threadIdx.x], &lanes[threadIdx.x + half]);
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = lanes[0];
}
