// C = A * B for matrices in GPU memory, with the parameters that CLBlast's and CLTune's GEMM made
// known. Two T1 files name them (bat-gemm.json, ktt-cltune-gemm.json), and gemm.yaml of the folder
// above.
//
// Layout: element (m, k) of A is agm[k * kSizeM + m], element (k, n) of B is bgm[k * kSizeN + n],
// element (m, n) of C is cgm[n * kSizeM + m]. So A and C lie by columns and B by rows, and all
// accesses below run along memory. All matrices begin at a multiple of 16 bytes; kSizeM, kSizeN,
// kSizeK are multiples of MWG, NWG, KWG.
//
// A block of MDIMC x NDIMC threads computes MWG x NWG elements of C, block (x, y) the x-th ones of
// M and the y-th ones of N. Each thread has MWG / MDIMC x NWG / NDIMC of them in registers, and
// adds to them in the order of k, so that every configuration gives the same bits.
//
//   KWG            elements of K that a block does at a time
//   KWI            of these, how many are unrolled
//   MDIMA, NDIMB   threads side by side in M (in N) while a piece of A (of B) is brought to shared
//                  memory
//   VWM, VWN       elements an access: 1, 2, 4, 8, of A and C, and of B
//   STRM, STRN     a thread's elements in M (in N): 0: side by side, 1: as far apart as threads go
//   SA, SB         1: A (B) goes through shared memory, 0: every thread reads it where it is
//   PRECISION      32: float, 64: double
//
// C++11, without headers.

#if PRECISION == 32
typedef float real;
#elif PRECISION == 64
typedef double real;
#else
#error PRECISION is 32 or 64
#endif

#if MWG % (MDIMC * VWM) != 0 || NWG % (NDIMC * VWN) != 0
#error each thread has a whole number of accesses in M and N: MWG % (MDIMC * VWM), NWG % (NDIMC * VWN)
#endif
#if MWG % (MDIMA * VWM) != 0 || NWG % (NDIMB * VWN) != 0
#error so it has on the way to shared memory: MWG % (MDIMA * VWM), NWG % (NDIMB * VWN)
#endif
#if (MDIMC * NDIMC) % MDIMA != 0 || KWG % (MDIMC * NDIMC / MDIMA) != 0
#error the threads cannot share out a piece of A: KWG % (MDIMC * NDIMC / MDIMA)
#endif
#if (MDIMC * NDIMC) % NDIMB != 0 || KWG % (MDIMC * NDIMC / NDIMB) != 0
#error the threads cannot share out a piece of B: KWG % (MDIMC * NDIMC / NDIMB)
#endif
#if KWG % KWI != 0
#error KWG % KWI
#endif

#define THREADS (MDIMC * NDIMC)

// Elements of one access; the compiler makes two of 8 elements.
template <int COUNT> struct alignas((COUNT < 4 ? COUNT : 4) * sizeof(real)) pack {
    real lane[COUNT];
};

// The way of one of the two matrices: WG elements a block (MWG, NWG), THREADS_C threads across
// which these are computed, THREADS_IN across which they are brought in, WIDTH elements an access,
// STRIDED.
template <int WG, int THREADS_C, int THREADS_IN, int WIDTH, int STRIDED> struct side {
    typedef pack<WIDTH> access;

    static const int own = WG / THREADS_C / WIDTH; // accesses that are a thread's own
    static const int row = WG / WIDTH;             // accesses across the block
    static const int in_row = WG / THREADS_IN / WIDTH;
    static const int rows_apart = THREADS / THREADS_IN;
    static const int rows = KWG / rows_apart;
    static const int staged = rows * in_row; // accesses a thread brings in

    // Returns the place of the thread's i-th element in the block's row.
    static __device__ __forceinline__ int mine(int thread, int i)
    {
        return STRIDED ? i * THREADS_C + thread : thread * own + i;
    }

    // KWG rows of the block's elements, the first at `from`, into registers ...
    static __device__ __forceinline__ void fetch(access *to, const real *from, int size, int thread)
    {
        from += static_cast<long long>(thread / THREADS_IN) * size + thread % THREADS_IN * WIDTH;
#pragma unroll
        for (int k = 0; k < rows; k++) {
#pragma unroll
            for (int i = 0; i < in_row; i++)
                to[k * in_row + i] = reinterpret_cast<const access *>(from)[i * THREADS_IN];
            from += static_cast<long long>(rows_apart) * size;
        }
    }

    // ... and from there into shared memory.
    static __device__ __forceinline__ void put(access *to, const access *from, int thread)
    {
        const int column = thread % THREADS_IN, first = thread / THREADS_IN;
#pragma unroll
        for (int k = 0; k < rows; k++)
#pragma unroll
            for (int i = 0; i < in_row; i++)
                to[(first + k * rows_apart) * row + column + i * THREADS_IN] = from[k * in_row + i];
    }

    static __device__ __forceinline__ void take(access *to, const access *row_of_block, int thread)
    {
#pragma unroll
        for (int i = 0; i < own; i++)
            to[i] = row_of_block[mine(thread, i)];
    }
};

typedef side<MWG, MDIMC, MDIMA, VWM, STRM> side_a;
typedef side<NWG, NDIMC, NDIMB, VWN, STRN> side_b;

#define MWI (MWG / MDIMC)
#define NWI (NWG / NDIMC)

// The next pieces are fetched while this one is worked on, where registers are left for that.
#define REGISTERS_FOR_IT                                                                           \
    (MWI * NWI + (SA ? KWG * MWG / THREADS : 0) + (SB ? KWG * NWG / THREADS : 0))
#define AHEAD (REGISTERS_FOR_IT * (PRECISION / 32) <= 80)

// Adds the products of one k: `a` and `b` are its rows of the block.
static __device__ __forceinline__ void multiply(real (&sum)[NWI][MWI], const side_a::access *a,
                                                const side_b::access *b, int x, int y)
{
    side_a::access from_a[side_a::own];
    side_b::access from_b[side_b::own];
    side_a::take(from_a, a, x);
    side_b::take(from_b, b, y);
#pragma unroll
    for (int n = 0; n < NWI; n++)
#pragma unroll
        for (int m = 0; m < MWI; m++)
            sum[n][m] += from_a[m / VWM].lane[m % VWM] * from_b[n / VWN].lane[n % VWN];
}

static __device__ __forceinline__ void store(real *c, int size, const real (&sum)[NWI][MWI], int x,
                                             int y)
{
#pragma unroll
    for (int n = 0; n < NWI; n++) {
        const int column = side_b::mine(y, n / VWN) * VWN + n % VWN;
        side_a::access *at =
            reinterpret_cast<side_a::access *>(c + static_cast<long long>(column) * size);
#pragma unroll
        for (int i = 0; i < side_a::own; i++) {
            side_a::access out;
#pragma unroll
            for (int lane = 0; lane < VWM; lane++)
                out.lane[lane] = sum[n][i * VWM + lane];
            at[side_a::mine(x, i)] = out;
        }
    }
}

#if SA == 1
struct alignas(16) tile_a {
    side_a::access at[KWG * side_a::row];
};
#endif
#if SB == 1
struct alignas(16) tile_b {
    side_b::access at[KWG * side_b::row];
};
#endif

// 512 threads keep an SM busy, at 128 registers each.
#define BLOCKS_OF_AN_SM (THREADS < 512 && MWI * NWI <= 64 && PRECISION == 32 ? 512 / THREADS : 1)

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_OF_AN_SM)
    gemm_fast(int kSizeM, int kSizeN, int kSizeK, const real *__restrict__ agm,
              const real *__restrict__ bgm, real *__restrict__ cgm)
{
    const int x = threadIdx.x, y = threadIdx.y, thread = y * MDIMC + x;
    const int first_m = blockIdx.x * MWG, first_n = blockIdx.y * NWG;
    const real *a = agm + first_m, *b = bgm + first_n;
    real sum[NWI][MWI] = {};
#if SA == 1
    __shared__ tile_a shared_a;
    side_a::access next_a[side_a::staged];
#define FETCH_A(at) side_a::fetch(next_a, at, kSizeM, thread)
#define PUT_A()     side_a::put(shared_a.at, next_a, thread)
#define ROW_A(k)    (shared_a.at + (k)*side_a::row)
#else
#define FETCH_A(at) ((void)thread)
#define PUT_A()     ((void)0)
#define ROW_A(k)    reinterpret_cast<const side_a::access *>(a + static_cast<long long>(k) * kSizeM)
#endif
#if SB == 1
    __shared__ tile_b shared_b;
    side_b::access next_b[side_b::staged];
#define FETCH_B(at) side_b::fetch(next_b, at, kSizeN, thread)
#define PUT_B()     side_b::put(shared_b.at, next_b, thread)
#define ROW_B(k)    (shared_b.at + (k)*side_b::row)
#else
#define FETCH_B(at) ((void)thread)
#define PUT_B()     ((void)0)
#define ROW_B(k)    reinterpret_cast<const side_b::access *>(b + static_cast<long long>(k) * kSizeN)
#endif

    const long long step_a = static_cast<long long>(KWG) * kSizeM;
    const long long step_b = static_cast<long long>(KWG) * kSizeN;
    if (AHEAD) {
        FETCH_A(a);
        FETCH_B(b);
    }
    for (int done = 0; done < kSizeK; done += KWG) {
        if (!AHEAD) {
            FETCH_A(a);
            FETCH_B(b);
        }
        PUT_A();
        PUT_B();
        if (SA || SB)
            __syncthreads();
        if (AHEAD && done + KWG < kSizeK) {
            FETCH_A(a + step_a);
            FETCH_B(b + step_b);
        }
#pragma unroll 1
        for (int k = 0; k < KWG; k += KWI)
#pragma unroll
            for (int i = 0; i < KWI; i++)
                multiply(sum, ROW_A(k + i), ROW_B(k + i), x, y);
        if (SA || SB)
            __syncthreads();
        a += step_a;
        b += step_b;
    }
    store(cgm + static_cast<long long>(first_n) * kSizeM + first_m, kSizeM, sum, x, y);
}
