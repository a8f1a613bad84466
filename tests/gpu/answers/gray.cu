// y[i] = x[0] ^ ... ^ x[i]: blocks by themselves, then their totals, then both together.
enum { exact, total };
constexpr int TILE = BLOCK * ITEMS;

// Returns the exclusive prefix of a block's numbers; *all gets the total.
__device__ unsigned before_me(unsigned mine, unsigned *all)
{
    __shared__ unsigned part[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned sum = mine;
    for (int offset = 1; offset < 32; offset *= 2) {
        const unsigned other = __shfl_up_sync(0xffffffffu, sum, offset);
        if (lane >= offset)
            sum ^= other;
    }
    __syncthreads();
    if (lane == 31)
        part[warp] = sum;
    __syncthreads();
    unsigned before = 0, whole = 0;
    for (int w = 0; w < BLOCK / 32; w++) {
        if (w < warp)
            before ^= part[w];
        whole ^= part[w];
    }
    *all = whole;
    return before ^ sum ^ mine;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    gray_blocks(const unsigned *x, unsigned *y, unsigned *totals, long long n)
{
    const long long first = (long long)blockIdx.x * TILE + threadIdx.x * ITEMS;
    unsigned value[ITEMS], mine = 0, all;
    for (int k = 0; k < ITEMS; k++) {
        value[k] = first + k < n ? x[first + k] : 0;
        mine ^= value[k];
    }
    unsigned sum = before_me(mine, &all);
    for (int k = 0; k < ITEMS; k++) {
        sum ^= value[k];
        if (first + k < n)
            y[first + k] = sum;
    }
    if (threadIdx.x == 0)
        totals[blockIdx.x] = all;
}

extern "C" __global__ void __launch_bounds__(BLOCK) gray_totals(unsigned *totals, long long count)
{
    unsigned done = 0, all;
    for (long long first = 0; first < count; first += BLOCK) {
        const long long i = first + threadIdx.x;
        const unsigned sum = before_me(i < count ? totals[i] : 0, &all);
        if (i < count)
            totals[i] = done ^ sum;
        done ^= all;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    gray_join(unsigned *y, const unsigned *totals, long long n)
{
    for (int k = 0; k < ITEMS; k++) {
        const long long i = (long long)blockIdx.x * TILE + k * BLOCK + threadIdx.x;
        if (i < n) {
            y[i] ^= totals[blockIdx.x];
            if (END == total && i == n - 1)
                y[n] = y[i];
        }
    }
}
