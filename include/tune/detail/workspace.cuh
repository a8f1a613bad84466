// Workspace of reductions, allocated by callers. Part of tune/reduce.cuh and
// tune/reduce_ordered.cuh.
#ifndef TUNE_CALLS_WORKSPACE
#define TUNE_CALLS_WORKSPACE

#include "launch.cuh"

namespace tune
{

/* Returns the size of a workspace in bytes: 256 KiB and a little, for every type, operator and n.
 * Allocate it with cudaMalloc (it needs an alignment of 16 bytes) and free it after the last
 * launch. */
constexpr size_t reduce_workspace_bytes()
{
    return calls::WORKSPACE_BYTES;
}

/* Zeroes the shared words of a workspace on the stream: once before its first use, and again after
 * a failed launch. Each reduction leaves the workspace ready for the next one of any type and size.
 * Returns cudaErrorInvalidValue if the workspace is not aligned to 16 bytes or too small. */
inline cudaError_t reduce_prepare(void *workspace, size_t workspace_bytes, cudaStream_t stream)
{
    return calls::prepare(workspace, workspace_bytes, stream);
}

} // namespace tune

#endif
