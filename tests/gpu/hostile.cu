// A copy in healthy ways and hostile ones, for tests/gpu/hostile.yaml, whose defines choose the way.
#if NO_C
this is no C
#endif

extern "C" __global__ void hostile_copy(const int *in, int *out, long long n, int *scratch)
{
    const long long stride = (long long)gridDim.x * blockDim.x;
    const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (HANG) // nobody ever writes there
        while (*(volatile int *)scratch == 0)
            ;
    if (TRAP && first == n / 2 % stride)
        asm volatile("trap;");
    if (WILD && first == 0)
        *(volatile int *)((char *)out + (1ll << 45)) = 1;
    if (MISALIGNED && first == 0)
        *(volatile long long *)((char *)scratch + 1) = 1;
    if (SPIN) { // slow, but it ends
        const long long start = clock64();
        while (clock64() - start < 2000000)
            ;
    }
    for (long long i = first; i < n; i += stride) {
        if (SHORT && i == n - 1) // leaves the last element as it was
            break;
        int value = in[i];
        if (WRONG && i == n - 1)
            value ^= 1;
        if (RACY && i == n - 1) // right while nobody ran before, wrong from the second run on
            value += atomicAdd(scratch, 1) > 0 ? 1 : 0;
        out[i] = value;
    }
}
