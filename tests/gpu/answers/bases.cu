// Counts each of four letters in n bytes of 0 to 3; a block per multiprocessor.
enum { wide, narrow };

extern "C" __global__ void clear_bases(unsigned *count)
{
    count[threadIdx.x] = 0;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    bases(const unsigned char *text, unsigned *count, long long n)
{
    __shared__ unsigned all[4];
    if (threadIdx.x < 4)
        all[threadIdx.x] = 0;
    __syncthreads();
    const long long step = (long long)gridDim.x * BLOCK;
    unsigned packed = 0, mine[4] = {0, 0, 0, 0}; // packed: four counters of eight bits
    for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < (n + LETTERS - 1) / LETTERS;
         i += step)
        for (int k = 0; k < LETTERS; k++)
            if (i * LETTERS + k < n) {
                const unsigned letter = text[i * LETTERS + k];
                if constexpr (COUNTERS == narrow)
                    packed += 1u << 8 * letter;
                else
                    for (unsigned c = 0; c < 4; c++)
                        mine[c] += letter == c;
            }
    for (unsigned c = 0; c < 4; c++) {
        unsigned sum = COUNTERS == narrow ? packed >> 8 * c & 255 : mine[c];
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, offset);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&all[c], sum);
    }
    __syncthreads();
    if (threadIdx.x < 4)
        atomicAdd(&count[threadIdx.x], all[threadIdx.x]);
}
