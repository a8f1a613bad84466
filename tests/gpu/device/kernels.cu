// Kernels that show how the CUDA device executes a plan.

extern "C" __global__ void scaled_add(const int *a, const int *b, int *out, int scale, long long n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + scale * b[i];
}

// Two launches: each block writes a partial sum, then one block adds them up.
template <typename T> __global__ void sum(const T *in, T *out, long long n)
{
    __shared__ T part[256];
    T own = 0;
    long long stride = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        own += in[i];
    part[threadIdx.x] = own;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

// Each run appends the address and the first element of its input.
extern "C" __global__ void note_input(const int *in, unsigned long long *addresses, int *firsts,
                                      unsigned *ticket)
{
    unsigned place = atomicAdd(ticket, 1u);
    addresses[place] = (unsigned long long)in;
    firsts[place] = in[0];
}

extern "C" __global__ void wait_ns(unsigned long long wanted)
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < wanted);
}

static __device__ unsigned dynamic_shared_bytes()
{
    unsigned bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

extern "C" __global__ void reverse_block(const int *in, int *out)
{
    extern __shared__ int held[];
    unsigned count = dynamic_shared_bytes() / sizeof(int);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        held[i] = in[i];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        out[i] = held[count - 1 - i];
}

extern "C" __global__ void write_at(int *out, long long place, int value)
{
    out[place] = value;
}

extern "C" __global__ void copy_at(const int *from, int *to, long long place)
{
    to[place] = from[place];
}

// A struct by value, variables, and a vector that each launch moves on.
struct step {
    signed char sign;
    float factor;
    long long n;
};
__constant__ int steps[4];
namespace own
{
__device__ long long bias;
}
extern "C" __global__ void take_steps(int *v, const int *x, int *out, step step)
{
    long long stride = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < step.n; i += stride) {
        v[i] += step.sign * (int)(step.factor * (float)x[i]) + steps[i % 4] + (int)own::bias;
        out[i] = 2 * v[i];
    }
}

// Variables that a kernel writes: one is set in part, one moves on.
static __device__ int marks[64];
namespace own
{
__device__ long long total = 5;
}
extern "C" __global__ void leave_marks(const int *x)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    marks[i] = 3 * x[i];
    if (i == 0)
        own::total += x[1];
}

// A step that reads one vector and writes another.
extern "C" __global__ void advance(const int *from, int *to)
{
    to[blockIdx.x * blockDim.x + threadIdx.x] = 3 * from[blockIdx.x * blockDim.x + threadIdx.x] + 1;
}

// Rows of a texture as columns: a block for each row.
extern "C" __global__ void turned(cudaTextureObject_t image, float *out)
{
    out[threadIdx.x * gridDim.x + blockIdx.x] =
        tex2D<float>(image, (float)threadIdx.x + 0.5f, (float)blockIdx.x + 0.5f);
}

// Likewise, by a texture reference.
texture<float, 2, cudaReadModeElementType> picture;
extern "C" __global__ void turned_picture(float *out)
{
    out[threadIdx.x * gridDim.x + blockIdx.x] =
        tex2D(picture, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

// The rows of a surface, turned by `shift` elements, added to those of another: a block for each
// row.
extern "C" __global__ void paint(cudaSurfaceObject_t image, cudaSurfaceObject_t out,
                                 long long shift)
{
    const int to = (int)((threadIdx.x + shift) % blockDim.x);
    const float was = surf2Dread<float>(out, to * 4, blockIdx.x);
    surf2Dwrite(was + surf2Dread<float>(image, threadIdx.x * 4, blockIdx.x), out, to * 4,
                blockIdx.x);
}

extern "C" __global__ void write_nowhere(int *out)
{
    *(volatile int *)((char *)out + (1ull << 45)) = 1;
}

// Compute capability 9.0. The first kernel lets the second begin at once and takes its time; the
// second notes whether it began before the end of the first, and whether it found the first
// one's result.
extern "C" __global__ void begin_early(int *middle)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < 50000);
    *(volatile int *)middle += 1;
}

// seen: number of runs, of early ones, and of those that found another number than their run's.
extern "C" __global__ void notice(const int *middle, int *seen)
{
    int before = *(const volatile int *)middle;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    int after = *(const volatile int *)middle;
    seen[0] += 1;
    seen[1] += before != after;
    seen[2] += after != seen[0];
}

#if __CUDA_ARCH__ >= 900
// Each block writes its rank into the shared memory of its cluster's first block, which adds
// them up.
static __device__ void add_ranks(int *out)
{
    __shared__ int ranks[16];
    unsigned rank, size, there;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;"
                 : "=r"(there)
                 : "r"((unsigned)__cvta_generic_to_shared(&ranks[rank])));
    if (threadIdx.x == 0)
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(rank + 1) : "memory");
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    if (rank != 0 || threadIdx.x != 0)
        return;
    int sum = 0;
    for (unsigned i = 0; i < size; i++)
        sum += ranks[i];
    out[blockIdx.x / size] = sum;
}
#else
static __device__ void add_ranks(int *)
{
}
#endif

// Clusters set by the source, and by the launch.
#if defined(CLUSTER) && __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) sum_ranks(int *out)
{
    add_ranks(out);
}
#endif
extern "C" __global__ void sum_cluster(int *out)
{
    add_ranks(out);
}

// Blocks wait for one another, so the kernel ends only if all are resident at once. Each writes
// how many met.
extern "C" __global__ void meet(unsigned *ticket, int *out)
{
    if (threadIdx.x > 0)
        return;
    const unsigned before = atomicAdd(ticket, 1u);
    const unsigned all = (before / gridDim.x + 1) * gridDim.x;
    while (*(volatile unsigned *)ticket < all)
        ;
    out[blockIdx.x] = (int)gridDim.x;
}
