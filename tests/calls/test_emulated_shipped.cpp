// The calls as they are installed and the shipped tuned.conf, on an emulated device of that file:
// what the file says is launched, and it computes what it should. The first argument is the file.
#include <cuda_runtime.h>

#include "tests/calls/emulated_runtime.h"

#include <cstdio>
#include <cstring>
#include <vector>

#include <tune/reduce.cuh>

namespace
{

int failures;
#define EXPECT(condition)                                                                          \
    ((condition) ? (void)0                                                                         \
                 : (void)(failures++, std::printf("%s n=%zu on %s: not so: %s\n", key, n,          \
                                                  emulated.name, #condition)))

// By a call with a workspace, and twice as CUB has it, in memory of any content.
template <typename T> void check(const struct tuned *tuned, const char *key, size_t n)
{
    const size_t bytes = tune::reduce_workspace_bytes();
    std::vector<T> in(n);
    T sum = 0, got = 0;
    for (size_t i = 0; i < n; i++)
        sum += in[i] = (T)(i * 7 % 13);
    void *workspace = nullptr, *temporary = nullptr;
    EXPECT(cudaMalloc(&workspace, bytes) == cudaSuccess);
    EXPECT(tune::reduce_prepare(workspace, bytes, nullptr) == cudaSuccess);
    tune::choice why;
    EXPECT(tune::reduce<tune::sum>(tuned, in.data(), n, &got, workspace, bytes, nullptr, &why) ==
           cudaSuccess);
    EXPECT(got == sum);

    const tune::calls::device *here = nullptr;
    struct tuned_answer answer = {};
    struct tuned_launch says = {};
    EXPECT(tune::calls::device_here(&here) == cudaSuccess);
    EXPECT(tuned_find(tuned, &here->identity, key, (long long)n, &answer) >= TUNED_IN_RANGE);
    if (std::strstr(why.reason, "cannot run on this device") != nullptr) {
        // A cluster, which is not emulated.
    } else if (std::strstr(why.reason, ": also") == nullptr) {
        EXPECT(why.is_exact && tuned_answer_launch(&answer, 0, &says));
        EXPECT(says.grid[0] == launched_grid && says.block[0] == launched_block);
    } else {
        EXPECT(why.is_exact);
    }
    const unsigned int grid = launched_grid;

    size_t needed = 0;
    EXPECT(tune::DeviceReduce::Sum(nullptr, needed, in.data(), &got, n) == cudaSuccess);
    EXPECT(cudaMalloc(&temporary, needed) == cudaSuccess);
    tune::use(tuned);
    for (int again = 0; again < 2; again++) {
        std::memset(temporary, 0xa5 + again, needed);
        memory_sets = 0;
        got = 0;
        EXPECT(tune::DeviceReduce::Sum(temporary, needed, in.data(), &got, n) == cudaSuccess);
        EXPECT(got == sum && memory_sets == 0 && launched_grid == grid);
        in[n / 2] += 1;
        sum += 1;
    }
    tune::use(nullptr);
    (void)cudaFree(workspace);
    (void)cudaFree(temporary);
}

} // namespace

int main(int count, char **arguments)
{
    struct tuned_error error;
    struct tuned *tuned = tuned_load(count > 1 ? arguments[1] : "tuned.conf", &error);
    if (tuned == nullptr) {
        std::printf("%s\n", error.text);
        return 1;
    }
    const struct tuned_device *device = tuned_entry_device(tuned_entry_at(tuned, 0));
    emulated = {device->name, (int)device->compute_capability_major, (int)device->unit_count};
    for (const size_t n : {1024, 4096, 16384, 65536, 100003}) {
        check<int>(tuned, "reduce.sum.i32", n);
        check<float>(tuned, "reduce.sum.f32", n);
    }
    std::printf("%d failures\n", failures);
    tuned_free(tuned);
    return failures > 0;
}
