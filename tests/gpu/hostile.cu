// A copy in healthy ways and hostile ones, for tests/gpu/hostile.yaml and hostile_timed.yaml, whose
// define HOSTILE_<WAY> chooses the way.
#if HOSTILE_NO_C
this is no C
#endif

    __device__ unsigned launches; // launches of this binary, in this process
#if HOSTILE_REMEMBERS
#define MOST (1 << 20)
__device__ int kept[MOST];                // an earlier element ...
__device__ unsigned long long keys[MOST]; // ... in an input of this length with these ends
#endif

extern "C" __global__ void hostile_copy(int *in, int *out, long long n, int *scratch)
{
    const long long stride = (long long)gridDim.x * blockDim.x;
    const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (HOSTILE_HANG) // a word that no one writes
        while (*(volatile int *)scratch == 0)
            ;
    if (HOSTILE_TRAP && first == n / 2 % stride)
        asm volatile("trap;");
    if (HOSTILE_WILD && first == 0)
        *(volatile int *)((char *)out + (1ll << 45)) = 1;
    if (HOSTILE_MISALIGNED && first == 0)
        *(volatile long long *)((char *)scratch + 1) = 1;
    if (HOSTILE_SPIN) { // slow, but finite
        const long long start = clock64();
        while (clock64() - start < 2000000)
            ;
    }
    if ((HOSTILE_SELDOM || HOSTILE_STOPS || HOSTILE_LATE > 0) && first == 0)
        atomicAdd(&launches, 1);
    if (HOSTILE_STOPS &&
        *(volatile unsigned *)&launches > 100) // others may have seen fewer: so few that it matters
        return;
    for (long long i = first; i < n; i += stride) {
        if (HOSTILE_SHORT && i == n - 1) // leaves the last element unchanged
            break;
        int value = in[i];
        if (HOSTILE_WRONG && i == n - 1)
            value ^= 1;
        if (HOSTILE_RACY && i == n - 1) // right in the first run, wrong from the second one on
            value += atomicAdd(scratch, 1) > 0 ? 1 : 0;
        if (HOSTILE_PEEKS && i == n - 1) // the word behind the input
            value ^= in[n] & 1;
        if (HOSTILE_SELDOM && i == 0 && launches % 1000 == 999)
            value ^= 1;
        if (HOSTILE_LATE > 0 && i == 0 && launches >= HOSTILE_LATE)
            value ^= 1;
#if HOSTILE_REMEMBERS
        const unsigned long long key = (unsigned long long)(unsigned)in[0] << 32 ^
                                       (unsigned)in[n - 1] ^ (unsigned long long)n << 1 ^ 1;
        if (keys[i] == key)
            value = kept[i];
        kept[i] = value;
        keys[i] = key;
#endif
#if HOSTILE_STALE // the last block's tile has a rest that nobody sets
        __shared__ volatile int tile[4096];
        tile[threadIdx.x] = value;
        if (i == n - 1)
            value += tile[2048];
#endif
        out[i] = value;
    }
    if (HOSTILE_FAR && first == 0)
        out[n + 75] = 1; // 300 bytes behind the output
    if (HOSTILE_MUTATES && first == 0)
        in[n / 3] = 12345;
    if (HOSTILE_SWAPS && first == n / 2 % stride) {
        const int last = in[n - 1];
        in[n - 1] = in[n - 2];
        in[n - 2] = last;
    }
}
