// Functions of checks.cuh.
#include "checks.cuh"

#include <cstdarg>

settings chosen;
int failures;

void failed(const char *where, const char *format, ...)
{
    std::printf("FAILED %s: ", where);
    va_list list;
    va_start(list, format);
    std::vprintf(format, list);
    va_end(list);
    std::printf("\n");
    if (++failures >= 50) {
        std::printf("FAILED: too often, the rest is left out\n");
        std::exit(1);
    }
}

bool is_well(cudaError_t result, const char *what, const char *file, int line)
{
    if (result == cudaSuccess)
        return true;
    const char *slash = std::strrchr(file, '/');
    std::printf("FAILED %s:%d: %s: %s\n", slash ? slash + 1 : file, line, what,
                cudaGetErrorString(result));
    std::exit(1); // later messages would only repeat it
}

struct tuned *conf_of(const char *key, const char *line, const char *device, long long n_low,
                      long long n_high)
{
    const tune::calls::device *here = nullptr;
    WELL(tune::calls::device_here(&here));
    char text[2048];
    std::snprintf(text, sizeof text,
                  "tuned-conf 2\n[cuda \"%s\"] compute_capability=%d.%d sm_count=%d\n"
                  "%s n=%lld-%lld %s\nend\n",
                  device ? device : here->name, here->capability / 10, here->capability % 10,
                  here->sm_count, key, n_low, n_high, line);
    struct tuned_error error;
    struct tuned *tuned = tuned_load_memory(text, std::strlen(text), "memory", &error);
    if (tuned == nullptr)
        failed(key, "%s", error.text);
    return tuned;
}

bench::bench(size_t bytes)
{
    WELL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    WELL(cudaMalloc(&memory, bytes));
    WELL(cudaMemsetAsync(memory, 0x77, bytes, stream));
    WELL(cudaMalloc(&workspace, tune::reduce_workspace_bytes()));
    WELL(cudaMemsetAsync(workspace, 0x5a, tune::reduce_workspace_bytes(), stream));
    WELL(tune::reduce_prepare(workspace, tune::reduce_workspace_bytes(), stream));
    WELL(cudaDeviceSynchronize());
}

bench::~bench()
{
    WELL(cudaStreamSynchronize(stream));
    WELL(cudaStreamDestroy(stream));
    WELL(cudaFree(memory));
    WELL(cudaFree(workspace));
}
