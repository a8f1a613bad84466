// Shared by the parts of reduce_peers: contenders, the problems on which they are compared, and
// their memory.
#ifndef TUNE_BENCH_PEERS
#define TUNE_BENCH_PEERS

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace peers
{

[[noreturn]] void fail(const std::string &what);
void check(cudaError_t result, const char *call, const char *file, int line);
#define CHECK(call) peers::check((call), #call, __FILE__, __LINE__)

// One reduction of `n` elements at `in`. Workspaces that keep a state are zero before the first
// one.
struct call {
    const void *in;
    size_t n;
    void *out;
    void *workspace;
    size_t workspace_bytes;
    cudaStream_t stream;
};

// A contender's launch, and the reason.
struct choice {
    std::string configuration;
    std::string grade; // grade of the entry in tuned.conf; "..., not launched" if another is
    std::string reason;
};

// One reduction. Its calls are recorded into graphs, so they neither allocate nor wait.
struct contender {
    const char *name;
    size_t (*workspace_bytes)(size_t n);
    // Called once before a workspace is used. NULL: no state is kept in it between calls.
    void (*prepare)(void *workspace, size_t workspace_bytes, cudaStream_t stream);
    size_t (*result_offset)(size_t n); // in the workspace; NULL: the result is at `out`
    void (*submit)(const call &call);
    choice (*chosen)(size_t n); // NULL: without a choice
};

// Fills of the input: sums of the reals are small integers, exact in any order. Problems of one
// fill share memory: segments_f32 is small_f32 for those whose results need a lot.
enum class fill { bits, small_f32, wide_f32, small_f64, small_f16, small_bf16, segments_f32 };

constexpr size_t RESULT_BYTES_MAX = 16;

struct result {
    unsigned char bytes[RESULT_BYTES_MAX];
};

struct problem {
    const char *name; // "sum.i32"
    size_t element_bytes, result_bytes;
    peers::fill fill;
    size_t n_max; // larger sizes are left out
    // The results of the first n elements of the input, for each n of `sizes` (ascending).
    std::vector<result> (*expected)(const std::vector<size_t> &sizes);
    const contender *tune, *rival;
};

// Each in a file of its own, because compilers take their time over them.
extern const contender cub_sum_i32, cub_sum_u8, cub_sum_i64, cub_min_i32;
extern const contender cub_sum_f32, cub_sum_f64, cub_max_f32, cub_sum_f16, cub_sum_bf16;
extern const contender cub_scan_affine_u32, cub_scan_matrix_u32;
extern const contender cub_wide_i32, cub_transform_f32, cub_operator_f32, cub_argmin_f32;
extern const contender cub_segments_32_f32, cub_segments_1024_f32, cub_segments_20000_f32;
extern const contender tune_sum_i32, tune_sum_u8, tune_sum_i64, tune_min_i32;
extern const contender tune_sum_f32, tune_sum_f64, tune_max_f32, tune_sum_f16, tune_sum_bf16;
extern const contender tune_ordered_affine_u32, tune_ordered_matrix_u32;
extern const contender tune_wide_i32, tune_transform_f32, tune_operator_f32, tune_argmin_f32;
extern const contender tune_segments_32_f32, tune_segments_1024_f32, tune_segments_20000_f32;
extern const contender drop_in_sum_i32, drop_in_sum_f32, drop_in_max_f32, drop_in_argmin_f32;
extern const contender drop_in_segments_32_f32, drop_in_segments_20000_f32;

const std::vector<problem> &problems(); // problems.cu
void use_conf(const char *path);        // one more that tune goes by; tune.cu

} // namespace peers

#endif
