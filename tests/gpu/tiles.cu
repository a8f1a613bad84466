// Kernels that take multiples of 128 elements alone, as those of many projects do without saying
// so.
extern "C" __global__ void tiles_double(const int *in, int *out, long long n)
{
    const long long stride = (long long)gridDim.x * BLOCK;
    for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < n / 128 * 128; i += stride)
        out[i] = 2 * in[i];
}

// The reference breaks the context at any other size.
extern "C" __global__ void tiles_expected(const int *in, int *out, long long n)
{
    if (n % 128 != 0)
        __trap();
    const long long stride = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        out[i] = 2 * in[i];
}
