// Launches of compiled-in configurations. Internal to the headers of tune/, which include the
// kernels first; this include path also holds in an installation.
#ifndef TUNE_CALLS_LAUNCH
#define TUNE_CALLS_LAUNCH

#include <cstdint>
#include <ctime>
#include <initializer_list>

#include <cuda_runtime.h>

#include "configuration.cuh"

// Address by which the runtime knows a kernel; an emulation may define another one.
#ifndef TUNE_KERNEL
#define TUNE_KERNEL(...) ((const void *)&__VA_ARGS__)
#endif

namespace tune
{
namespace calls
{

// A compiled-in configuration.
struct instance {
    configuration parameters;
    const void *kernel;
    const void *second; // second kernel, launched with one block; NULL: none
    long long tile;     // elements or rows that a block takes at a time
    long long n_most;
    int block; // threads
    int shared_bytes;
    int cluster;    // blocks; 1: none
    int waiting;    // additional blocks, which wait for the working ones ...
    int alone_most; // ... if more than this many work
    int capability; // lowest compute capability: 90 is 9.0
    bool is_dependent;
    bool is_one_block; // one block or one cluster
    bool needs_state;  // uses words shared by launches, zero before the first
};

// An instance on a device: plain data, sufficient for a launch.
struct plan {
    const void *kernel;
    const void *second;
    long long tile;
    long long n_most;
    unsigned int least_blocks, most_blocks; // working blocks: multiples of least_blocks
    unsigned int waiting, alone_most;       // waiting blocks, used with more than alone_most blocks
    unsigned int block, shared_bytes;
    bool is_dependent, needs_state;
    int device;
    u64 number; // mark of valid partial results
};

// Returns the process's number, made once: 64 mixed bits, never 0, so that memory does not hold the
// number by chance.
inline u64 launch_number()
{
    static const u64 number = [] {
        struct timespec now = {};
        (void)timespec_get(&now, TIME_UTC);
        u64 bits = (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec + (u64)(uintptr_t)&launch_number;
        for (const u64 factor : {0xbf58476d1ce4e5b9ull, 0x94d049bb133111ebull})
            bits = (bits ^ bits >> 30) * factor; // as in splitmix64
        return (bits ^ bits >> 31) | 1;
    }();
    return number;
}

// Returns the number of blocks: one per tile up to the plan's maximum, plus waiting blocks.
inline unsigned int blocks_for(const plan &plan, long long n)
{
    const long long tiles = n / plan.tile + (n % plan.tile != 0);
    const unsigned int least = plan.least_blocks;
    unsigned int working = plan.most_blocks;
    if (tiles < working)
        working = tiles <= least ? least : ((unsigned int)tiles + least - 1) / least * least;
    return working + (working > plan.alone_most ? plan.waiting : 0);
}

inline cudaError_t launch(const void *kernel, unsigned int grid, unsigned int block,
                          unsigned int shared_bytes, bool is_dependent, void **arguments,
                          cudaStream_t stream)
{
    if (!is_dependent)
        return cudaLaunchKernel(kernel, dim3(grid), dim3(block), arguments, shared_bytes, stream);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(grid);
    config.blockDim = dim3(block);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

// Launches kernels that take (in, out, slots, state, n, number) or a prefix of these. `in` and
// `out` point to the arguments. `state` NULL: in the workspace.

enum : int { BLOCKS_MAX = 16384 };
enum : size_t {
    STATE_BYTES = 128,
    WORKSPACE_BYTES = STATE_BYTES + sizeof(slot) * BLOCKS_MAX,
};
static_assert(STATE_BYTES >= STATE_WORDS * sizeof(u64), "room for all words");

inline bool is_aligned(const void *pointer, size_t bytes)
{
    return (uintptr_t)pointer % bytes == 0;
}

inline cudaError_t prepare(void *workspace, size_t workspace_bytes, cudaStream_t stream)
{
    if (workspace == nullptr || !is_aligned(workspace, alignof(slot)) ||
        workspace_bytes < WORKSPACE_BYTES)
        return cudaErrorInvalidValue;
    return cudaMemsetAsync(workspace, 0, STATE_BYTES, stream);
}

// For kernels that take (in, out, slots, state, n, number), or the first of these: `in` and `out`
// are where the arguments are. `state`: NULL: in the workspace.
inline cudaError_t run_on(const plan &plan, void *in, size_t n, void *out, void *workspace,
                          cudaStream_t stream, void *state = nullptr)
{
    if (workspace == nullptr || !is_aligned(workspace, alignof(slot)) ||
        n > (unsigned long long)plan.n_most)
        return cudaErrorInvalidValue;
    void *slots = (char *)workspace + STATE_BYTES;
    if (state == nullptr)
        state = workspace;
    long long count = (long long)n;
    u64 number = plan.number;
    void *arguments[] = {in, out, &slots, &state, &count, &number};
    const unsigned int grid = blocks_for(plan, count);
    const cudaError_t result =
        launch(plan.kernel, grid, plan.block, plan.shared_bytes, false, arguments, stream);
    if (result != cudaSuccess || plan.second == nullptr)
        return result;
    count = grid;
    return launch(plan.second, 1, plan.block, 0, plan.is_dependent, arguments, stream);
}

inline cudaError_t run_plan(const plan &plan, const void *in, size_t n, size_t alignment, void *out,
                            void *workspace, cudaStream_t stream, void *state = nullptr)
{
    if ((in == nullptr && n > 0) || !is_aligned(in, alignment) || out == nullptr)
        return cudaErrorInvalidValue;
    return run_on(plan, &in, n, &out, workspace, stream, state);
}

} // namespace calls
} // namespace tune

#endif
