// Sorts each 1024 numbers by themselves; the last ones may be fewer. A block per segment.
enum { real, mapped, bits };
constexpr int LENGTH = 1024;

__device__ unsigned key(float v)
{
    const unsigned u = __float_as_uint(v);
    if constexpr (KEY == bits)
        return u;
    return u >> 31 ? ~u : u | 0x80000000u;
}
__device__ bool above(float a, float b)
{
    return KEY == real ? a > b : key(a) > key(b);
}

extern "C" __global__ void __launch_bounds__(BLOCK) bitonic(const float *x, float *y, long long n)
{
    __shared__ float v[LENGTH];
    const long long first = (long long)blockIdx.x * LENGTH;
    for (int k = threadIdx.x; k < LENGTH; k += BLOCK)
        v[k] = first + k < n ? x[first + k] : __int_as_float(0x7f800000);
    __syncthreads();
    for (int size = 2; size <= LENGTH; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            for (int pair = threadIdx.x; pair < LENGTH / 2; pair += BLOCK) {
                const int low = 2 * pair - pair % step, high = low + step;
                const bool up = (low & size) == 0;
                const float a = v[low], b = v[high];
                if (above(a, b) == up && a != b) {
                    v[low] = b;
                    v[high] = a;
                }
            }
            __syncthreads();
        }
    for (int k = threadIdx.x; k < LENGTH; k += BLOCK)
        if (first + k < n)
            y[first + k] = v[k];
}
