// A copy in healthy ways and hostile ones, for tests/gpu/hostile.yaml, whose defines choose the way.
#if NO_C
this is no C
#endif

__device__ unsigned launches; // of this binary, in this process
__device__ int kept, known;   // the middle of an input, and whether it is

extern "C" __global__ void hostile_copy(int *in, int *out, long long n, int *scratch)
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
    if ((SELDOM || STOPS) && first == 0)
        atomicAdd(&launches, 1);
    if (STOPS && *(volatile unsigned *)&launches > 100) // others may have seen less: so few that it shows
        return;
    for (long long i = first; i < n; i += stride) {
        if (SHORT && i == n - 1) // leaves the last element as it was
            break;
        int value = in[i];
        if (WRONG && i == n - 1)
            value ^= 1;
        if (RACY && i == n - 1) // right while nobody ran before, wrong from the second run on
            value += atomicAdd(scratch, 1) > 0 ? 1 : 0;
        if (PEEKS && i == n - 1) // what lies behind the input
            value ^= in[n] & 1;
        if (SELDOM && i == 0 && launches % 1000 == 999)
            value ^= 1;
        if (REMEMBERS && i == n / 2) { // the middle, of any input of this length
            if (known == (int)n)
                value = kept;
            kept = value;
            known = (int)n;
        }
        out[i] = value;
    }
    if (FAR && first == 0)
        out[n + 75] = 1; // 300 bytes behind it
    if (MUTATES && first == 0)
        in[n / 3] = 12345;
    if (SWAPS && first == n / 2 % stride) {
        const int last = in[n - 1];
        in[n - 1] = in[n - 2];
        in[n - 2] = last;
    }
}
