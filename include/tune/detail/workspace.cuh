// The memory that reductions share: what callers allocate. Part of tune/reduce.cuh and
// tune/reduce_ordered.cuh.
#ifndef TUNE_CALLS_WORKSPACE
#define TUNE_CALLS_WORKSPACE

#include "launch.cuh"

namespace tune
{

/* The same for every type, operator and n: 256 KiB and a little. Aligned to 16 bytes, as all that
 * cudaMalloc gives; the caller's, who frees it when no launch needs it any more. */
constexpr size_t reduce_workspace_bytes()
{
    return calls::WORKSPACE_BYTES;
}

/* Zeroes the words of a workspace that launches share, in the order of the stream: once before its
 * first use, and again after a launch that failed. Each reduction leaves it ready for the next one,
 * of whatever type and size. cudaErrorInvalidValue: not aligned, or too small. */
inline cudaError_t reduce_prepare(void *workspace, size_t workspace_bytes, cudaStream_t stream)
{
    return calls::prepare(workspace, workspace_bytes, stream);
}

} // namespace tune

#endif
