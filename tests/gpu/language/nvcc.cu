#include <iostream>
#include <vector>
#define BLOCK 32
template <typename T> struct holder { static T table[4]; };
template <typename T> T holder<T>::table[4];
namespace ns {
template <int W> __constant__ float taps[W];
template <typename T, int B> __global__ void scale(const T *x, T *y, double a, int n)
{
    __shared__ T cache[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    cache[threadIdx.x ^ 1] = i < n ? (T)(a * x[i]) : 0;
    __syncthreads();
    if (i < n)
        y[i] = cache[threadIdx.x] + taps<B>[0];
}
}
int main()
{
    std::vector<int> values;
    std::cout << values.size();
}
