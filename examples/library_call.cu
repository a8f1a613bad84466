// A library's function in two phases, as CUB's are: the first call tells the bytes of the
// workspace.
#include <cub/device/device_radix_sort.cuh>

#include <cstddef>

// Sorts by the lowest BITS bits at a time: each pass is one call of the library.
inline cudaError_t passes(void *temporary, size_t &bytes, unsigned *from, unsigned *to, int n,
                          int end, int step, cudaStream_t stream)
{
    cudaError_t status = cudaSuccess;
    size_t most = 0;
    for (int bit = 0; bit < end && status == cudaSuccess; bit += step) {
        size_t own = bytes;
        const int last = bit + step < end ? bit + step : end;
        status = cub::DeviceRadixSort::SortKeys(temporary, own, from, to, n, bit, last, stream);
        most = own > most ? own : most;
        unsigned *other = from;
        from = to;
        to = other;
    }
    if (!temporary)
        bytes = most;
    return status;
}

size_t sort_bytes(unsigned *, unsigned *, int n, int end, int step)
{
    size_t bytes = 0;
    return passes(nullptr, bytes, nullptr, nullptr, n, end, step, nullptr) == cudaSuccess ? bytes
                                                                                          : 0;
}

// Sorts `keys`, an update: after an even number of passes the result is in `keys`, else it is
// copied there.
cudaError_t sort(unsigned *keys, unsigned *other, int n, int end, int step, void *workspace,
                 size_t bytes, cudaStream_t stream)
{
    cudaError_t status = passes(workspace, bytes, keys, other, n, end, step, stream);
    if (status == cudaSuccess && (end + step - 1) / step % 2 == 1)
        status = cudaMemcpyAsync(keys, other, n * sizeof *keys, cudaMemcpyDeviceToDevice, stream);
    return status;
}
