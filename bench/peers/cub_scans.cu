// CUB's DeviceReduce has no operator whose order matters. Its DeviceScan has: the last of n
// prefixes is the reduction.
#include <climits>

#include <cub/device/device_scan.cuh>

#include "ordered.h"
#include "peers.h"

namespace peers
{

namespace
{

constexpr size_t ALIGNMENT = 256;

template <typename T> struct scan {
    static cudaError_t run(void *temporary, size_t &bytes, const T *in, T *out, size_t n,
                           cudaStream_t on)
    {
        if (n <= INT_MAX)
            return cub::DeviceScan::InclusiveScan(temporary, bytes, in, out, compose(), int(n), on);
        return cub::DeviceScan::InclusiveScan(temporary, bytes, in, out, compose(), (long long)n,
                                              on);
    }
    static size_t temporary_bytes(size_t n)
    {
        size_t bytes = 0;
        CHECK(run(nullptr, bytes, nullptr, nullptr, n, nullptr));
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    // All prefixes lie behind the temporary storage.
    static size_t workspace_bytes(size_t n)
    {
        return temporary_bytes(n) + n * sizeof(T);
    }
    static size_t result_offset(size_t n)
    {
        return temporary_bytes(n) + (n - 1) * sizeof(T);
    }
    static void submit(const call &call)
    {
        size_t bytes = temporary_bytes(call.n);
        void *prefixes = static_cast<char *>(call.workspace) + bytes;
        CHECK(run(call.workspace, bytes, static_cast<const T *>(call.in),
                  static_cast<T *>(prefixes), call.n, call.stream));
    }
    static constexpr contender as(const char *name)
    {
        return {name, workspace_bytes, nullptr, result_offset, submit, nullptr};
    }
};

constexpr const char *name = "cub::DeviceScan::InclusiveScan";

} // namespace

const contender cub_scan_affine_u32 = scan<affine_u32>::as(name);
const contender cub_scan_matrix_u32 = scan<matrix_u32>::as(name);

} // namespace peers
