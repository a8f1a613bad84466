// Sums of segments by a call of CUB's form: temporary storage, then offsets as iterators.
#ifndef TUNE_BENCH_PEERS_SEGMENTS_AS_CUB
#define TUNE_BENCH_PEERS_SEGMENTS_AS_CUB

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "any.h"
#include "cub_adapter.h"

namespace peers
{

// Results lie behind the temporary storage; that of the last segment is looked at.
template <typename CALL, int LENGTH> struct segments_as_cub {
    static constexpr size_t ALIGNMENT = 256;
    static cudaError_t run(void *temporary, size_t &bytes, const float *in, float *out, size_t n,
                           cudaStream_t on)
    {
        const auto offsets = [n](long long ahead) {
            return thrust::make_transform_iterator(thrust::make_counting_iterator(0ll),
                                                   boundary<LENGTH>{(long long)n, ahead});
        };
        return CALL::run(temporary, bytes, in, out, (long long)boundary<LENGTH>::count(n),
                         offsets(0), offsets(LENGTH), on);
    }
    static size_t temporary_bytes(size_t n)
    {
        size_t bytes = 0;
        CHECK(run(nullptr, bytes, nullptr, nullptr, n, nullptr));
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    static size_t workspace_bytes(size_t n)
    {
        return temporary_bytes(n) + boundary<LENGTH>::count(n) * sizeof(float);
    }
    static size_t result_offset(size_t n)
    {
        return temporary_bytes(n) + (boundary<LENGTH>::count(n) - 1) * sizeof(float);
    }
    static void submit(const call &call)
    {
        size_t bytes = temporary_bytes(call.n);
        float *const out = reinterpret_cast<float *>(static_cast<char *>(call.workspace) + bytes);
        CHECK(run(call.workspace, bytes, static_cast<const float *>(call.in), out, call.n,
                  call.stream));
    }
    static constexpr contender contender_of = {CALL::name,    workspace_bytes, nullptr,
                                               result_offset, submit,          nullptr};
};

} // namespace peers

#endif
