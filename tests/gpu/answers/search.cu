// Counts the places of four bytes, overlapping ones too, in a text of n bytes.
enum { launch, none };

extern "C" __global__ void clear(unsigned *count)
{
    *count = 0;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    search(const unsigned char *text, unsigned *count, unsigned pattern, long long n)
{
    const long long first = ((long long)blockIdx.x * BLOCK + threadIdx.x) * BYTES;
    unsigned mine = 0, window = 0;
    for (int k = 0; k < BYTES + 3; k++) {
        if (first + k >= n)
            break;
        window = window >> 8 | (unsigned)text[first + k] << 24;
        mine += k >= 3 && window == pattern;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, offset);
    if (threadIdx.x % 32 == 0 && mine > 0)
        atomicAdd(count, mine);
}
