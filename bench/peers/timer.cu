#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "statistics.h"
#include "timer.h"

namespace peers
{

namespace
{

// Waits until the host opens the gate, at most two seconds; writes to `seen` which of the two
// happened.
__global__ void gate(const volatile unsigned int *open, volatile unsigned int *seen,
                     unsigned int ticket)
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    for (;;) {
        if (*open == ticket) {
            *seen = ticket;
            break;
        }
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now - start > 2000000000ull) {
            *seen = ~ticket;
            break;
        }
    }
    __threadfence_system();
}

__global__ void read_clean(const uint4 *data, size_t count, unsigned int *sink)
{
    unsigned int folded = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x) {
        const uint4 got = __ldcg(data + i);
        folded |= got.x | got.y | got.z | got.w;
    }
    if (folded != 0) // never: the buffer is zeros
        *sink = folded;
}

// Times once; false if the gate gave up before everything was submitted.
bool time_once(timer &timer, const std::function<void()> &ahead, const std::function<void()> &work,
               double &elapsed_ns)
{
    float elapsed_ms = 0;
    timer.ticket++;
    ahead();
    gate<<<1, 1, 0, timer.stream>>>(timer.open, timer.seen, timer.ticket);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(timer.start, timer.stream));
    work();
    CHECK(cudaEventRecord(timer.stop, timer.stream));
    *static_cast<volatile unsigned int *>(timer.open) = timer.ticket;
    CHECK(cudaEventSynchronize(timer.stop));
    CHECK(cudaEventElapsedTime(&elapsed_ms, timer.start, timer.stop));
    elapsed_ns = elapsed_ms * 1e6;
    return *static_cast<volatile unsigned int *>(timer.seen) == timer.ticket;
}

double raw_ns(timer &timer, const std::function<void()> &ahead, const std::function<void()> &work)
{
    double elapsed_ns = 0;
    for (int tries = 0; tries < 5; tries++)
        if (time_once(timer, ahead, work, elapsed_ns))
            return elapsed_ns;
    fail("the gate gave up waiting for the host five times: the machine is too busy");
}

// Returns the median time of a pass, in ms, over 50 ms.
double window(timer &timer)
{
    const auto begin = std::chrono::steady_clock::now();
    std::vector<double> times;
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(50)) {
        float elapsed_ms = 0;
        CHECK(cudaEventRecord(timer.start, timer.stream));
        for (int i = 0; i < 8; i++)
            flush(timer);
        CHECK(cudaEventRecord(timer.stop, timer.stream));
        CHECK(cudaEventSynchronize(timer.stop));
        CHECK(cudaEventElapsedTime(&elapsed_ms, timer.start, timer.stop));
        times.push_back(elapsed_ms);
    }
    return median(times);
}

} // namespace

void fail(const std::string &what)
{
    std::fprintf(stderr, "reduce_peers: %s\n", what.c_str());
    std::exit(1);
}

void check(cudaError_t result, const char *call, const char *file, int line)
{
    if (result != cudaSuccess)
        fail(std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
             cudaGetErrorString(result));
}

void flush(timer &timer)
{
    read_clean<<<timer.multiprocessors * 4, 512, 0, timer.stream>>>(timer.clean, timer.clean_words,
                                                                    timer.sink);
    CHECK(cudaGetLastError());
}

void flush_dirty(timer &timer)
{
    CHECK(cudaMemsetAsync(timer.clean, 0, timer.clean_words * sizeof *timer.clean, timer.stream));
}

void open_timer(timer &timer, int device)
{
    int l2_bytes = 0;
    CHECK(cudaSetDevice(device));
    CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    CHECK(cudaDeviceGetAttribute(&timer.multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaStreamCreate(&timer.stream));
    CHECK(cudaEventCreate(&timer.start));
    CHECK(cudaEventCreate(&timer.stop));
    CHECK(cudaMallocHost(&timer.open, sizeof *timer.open));
    CHECK(cudaMallocHost(&timer.seen, sizeof *timer.seen));
    *timer.open = *timer.seen = 0;
    timer.ticket = 0;
    timer.l2_bytes = size_t(l2_bytes);
    timer.clean_words = 2 * timer.l2_bytes / sizeof *timer.clean;
    CHECK(cudaMalloc(&timer.clean, timer.clean_words * sizeof *timer.clean));
    CHECK(cudaMemset(timer.clean, 0, timer.clean_words * sizeof *timer.clean));
    CHECK(cudaMalloc(&timer.sink, sizeof *timer.sink));
    CHECK(cudaDeviceSynchronize());
}

void warm_up(timer &timer)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto since = [begin] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    double before = 0;
    int steady = 0;
    while (since() < 3 && (since() < 0.3 || steady < 2)) {
        const double now = window(timer);
        steady = std::fabs(now - before) < 0.005 * now ? steady + 1 : 0;
        before = now;
    }
    std::vector<double> empty;
    for (int i = 0; i < 101; i++)
        empty.push_back(raw_ns(
            timer, [] {}, [] {}));
    timer.empty_ns = median(empty);
}

double time_ns(timer &timer, const std::function<void()> &ahead, const std::function<void()> &work)
{
    return raw_ns(timer, ahead, work) - timer.empty_ns;
}

double time_eager_ns(timer &timer, const std::function<void()> &ahead,
                     const std::function<void()> &work)
{
    float elapsed_ms = 0;
    ahead();
    CHECK(cudaStreamSynchronize(timer.stream));
    CHECK(cudaEventRecord(timer.start, timer.stream));
    work();
    CHECK(cudaEventRecord(timer.stop, timer.stream));
    CHECK(cudaEventSynchronize(timer.stop));
    CHECK(cudaEventElapsedTime(&elapsed_ms, timer.start, timer.stop));
    return elapsed_ms * 1e6;
}

} // namespace peers
