// The kernel that ktt-tutorial03.json names: result = a + b + scalar, an element a thread. The grid
// covers the vectors exactly.
extern "C" __global__ void vectorAddition(const float *a, const float *b, float *result,
                                          float scalar)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    result[i] = a[i] + b[i] + scalar;
}
