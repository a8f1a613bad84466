// Properties of devices, read once each. Internal to the headers of tune/.
#ifndef TUNE_CALLS_DEVICE
#define TUNE_CALLS_DEVICE

#include <atomic>
#include <cstring>
#include <mutex>

#include <cuda_runtime.h>
#include <tuned.h>

namespace tune
{
namespace calls
{

enum : int { DEVICES_MAX = 128 };

struct device {
    struct tuned_device identity;
    char name[256];
    int index;
    int sm_count;
    int capability; // 90: compute capability 9.0
    int shared_bytes_most;
};

// Permits driver calls during a capture. Such calls may load a module, which a capturing thread
// may do only in relaxed mode.
class beside_capture
{
  public:
    beside_capture()
    {
        (void)cudaThreadExchangeStreamCaptureMode(&mode_);
    }
    ~beside_capture()
    {
        (void)cudaThreadExchangeStreamCaptureMode(&mode_);
    }
    beside_capture(const beside_capture &) = delete;
    beside_capture &operator=(const beside_capture &) = delete;

  private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

inline cudaError_t ask_device(int index, device *out)
{
    const beside_capture beside;
    cudaDeviceProp properties;
    const cudaError_t result = cudaGetDeviceProperties(&properties, index);
    if (result != cudaSuccess)
        return result;
    static_assert(sizeof out->name >= sizeof properties.name, "room for a name");
    std::memcpy(out->name, properties.name, sizeof properties.name);
    out->index = index;
    out->sm_count = properties.multiProcessorCount;
    out->capability = properties.major * 10 + properties.minor;
    out->shared_bytes_most = (int)properties.sharedMemPerBlockOptin;
    out->identity.kind = "cuda";
    out->identity.name = out->name;
    out->identity.compute_capability_major = properties.major;
    out->identity.compute_capability_minor = properties.minor;
    out->identity.unit_count = properties.multiProcessorCount;
    out->identity.memory_bytes = (long long)properties.totalGlobalMem;
    // Peak bandwidth as in tuned_cuda.h: two transfers per clock.
    int clock_khz = 0, bus_bits = 0;
    if (cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, index) == cudaSuccess &&
        cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, index) == cudaSuccess)
        out->identity.bandwidth_gbs = 2.0 * clock_khz * bus_bits / 8 / 1e6;
    out->identity.max_threads_per_block = properties.maxThreadsPerBlock;
    out->identity.max_shared_bytes = (long long)properties.sharedMemPerBlockOptin;
    out->identity.registers_per_unit = properties.regsPerMultiprocessor;
    return cudaSuccess;
}

// Returns the current device.
inline cudaError_t device_here(const device **out)
{
    static device devices[DEVICES_MAX];
    static std::atomic<bool> known[DEVICES_MAX];
    static std::mutex filling;
    int index = 0;
    cudaError_t result = cudaGetDevice(&index);
    if (result != cudaSuccess)
        return result;
    if (index >= DEVICES_MAX)
        return cudaErrorInvalidDevice;
    if (!known[index].load(std::memory_order_acquire)) {
        const std::lock_guard<std::mutex> alone(filling);
        if (!known[index].load(std::memory_order_relaxed)) {
            result = ask_device(index, &devices[index]);
            if (result != cudaSuccess)
                return result;
            known[index].store(true, std::memory_order_release);
        }
    }
    *out = &devices[index];
    return cudaSuccess;
}

} // namespace calls
} // namespace tune

#endif
