// Between the files of test_calls: failures are counted and told, never thrown.
#ifndef TUNE_TEST_CALLS_CHECKS
#define TUNE_TEST_CALLS_CHECKS

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <tune/reduce.cuh>

#ifndef TUNE_SIMT
#include <cuda_bf16.h> // behind the header on purpose: the order does not matter
#include <cuda_fp16.h>
#endif

struct settings {
    bool is_small; // under a checker of memory: seconds count
};
extern settings chosen;
extern int failures;

void failed(const char *where, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool is_well(cudaError_t result, const char *what, const char *file, int line);
#define WELL(call) is_well((call), #call, __FILE__, __LINE__)
#define EXPECT(condition)                                                                          \
    ((condition) ? (void)0 : failed(__func__, "line %d: not so: %s", __LINE__, #condition))

// Checks every problem of one operator: each in a file of its own, so that several are compiled
// at once.
void check_sum();
void check_product();
void check_minimum();
void check_maximum();
// Checks tune/reduce_ordered.cuh and tune/reduce_rows.cuh.
void check_families();
// Checks the rest of tune/reduce.cuh.
void check_any();

// tuned.conf in memory: `line` for all sizes of `key` on `device` (NULL: the current one).
struct tuned *conf_of(const char *key, const char *line, const char *device = nullptr,
                      long long n_low = 0, long long n_high = INT64_MAX);

// Device memory, a stream and a workspace, for as long as the object lives.
struct bench {
    cudaStream_t stream = nullptr;
    void *workspace = nullptr, *memory = nullptr;
    explicit bench(size_t bytes);
    ~bench();
    bench(const bench &) = delete;
    bench &operator=(const bench &) = delete;
    template <typename T> T *at(size_t byte) const
    {
        return (T *)((char *)memory + byte);
    }
};

#endif
