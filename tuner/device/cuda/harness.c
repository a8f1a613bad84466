#include "tuner/base/text.h"
#include "tuner/device/cuda/internal.h"

extern const char cuda_harness_source[]; /* harness.cu, embedded by the build */

static const struct {
    const char *name;
    size_t offset;
} harness_kernels[] = {
    {"tune_gate", offsetof(struct harness, gate)},
    {"tune_empty", offsetof(struct harness, empty)},
    {"tune_clean_read", offsetof(struct harness, clean_read)},
    {"tune_anchor", offsetof(struct harness, anchor)},
    {"tune_sum", offsetof(struct harness, sum)},
    {"tune_patch", offsetof(struct harness, patch)},
};

static enum status load_compiled(struct device *device, const void *cubin, struct error *error)
{
    const struct cuda_driver *cuda = cuda_of(device)->driver;
    CUresult result = cuda->cuModuleLoadData(&cuda_of(device)->harness.module, cubin);
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "loading the measuring kernels");
    for (size_t i = 0; i < sizeof harness_kernels / sizeof *harness_kernels; i++) {
        CUfunction *function =
            (CUfunction *)(void *)((char *)&cuda_of(device)->harness + harness_kernels[i].offset);
        result = cuda->cuModuleGetFunction(function, cuda_of(device)->harness.module,
                                           harness_kernels[i].name);
        if (result != CUDA_SUCCESS)
            return cuda_error(device, result, error, "loading the measuring kernel %s",
                              harness_kernels[i].name);
    }
    return STATUS_OK;
}

enum status cuda_harness_load(struct device *device, struct error *error)
{
    struct arena arena = {0};
    struct text log = {0};
    struct container compiled;
    struct binary_request request = {.architecture = cuda_of(device)->architecture};
    enum status status = cuda_compile_text(&arena, cuda_harness_source, "harness.cu", &request,
                                           &compiled, &log, error);
    if (status != STATUS_OK)
        error_prefix(error, "the measuring kernels");
    else
        status = load_compiled(device, compiled.cubin, error);
    text_free(&log);
    arena_free(&arena);
    return status;
}

CUresult cuda_launch(struct device *device, CUfunction function, uint32_t grid, uint32_t block,
                     void **arguments)
{
    return cuda_of(device)->driver->cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0,
                                                   cuda_of(device)->stream, arguments, NULL);
}

static int pass(struct device *device, CUfunction function)
{
    const struct cuda *cuda = cuda_of(device);
    unsigned long long count = device->flush_bytes / 16;
    void *arguments[] = {(void *)(uintptr_t)&cuda->flush, &count, (void *)(uintptr_t)&cuda->sink};
    return (int)cuda_launch(device, function, (uint32_t)device->sm_count * 4, 512, arguments);
}

int cuda_anchor_pass(struct device *device)
{
    return pass(device, cuda_of(device)->harness.anchor);
}

/* With lines that need no write-back: a memset would leave dirty ones, and their write-back would
 * be charged to the kernel that is timed. Dirty: with zeros, as a clean pass needs them there. */
int cuda_flush(struct device *device, bool dirty)
{
    const struct cuda *cuda = cuda_of(device);
    return dirty ? (int)cuda->driver->cuMemsetD8Async(cuda->flush, 0, device->flush_bytes,
                                                      cuda->stream)
                 : pass(device, cuda->harness.clean_read);
}

int cuda_gate_begin(struct device *device)
{
    struct gate *gate = &cuda_of(device)->gate;
    gate->ticket = gate->ticket % 0x7fffffff + 1; /* neither 0 nor the complement of another */
    void *arguments[] = {&gate->open_on_device, &gate->seen_on_device, &gate->ticket};
    CUresult result = cuda_launch(device, cuda_of(device)->harness.gate, 1, 1, arguments);
    if (result == CUDA_SUCCESS)
        result =
            cuda_of(device)->driver->cuEventRecord(cuda_of(device)->begin, cuda_of(device)->stream);
    return (int)result;
}

int cuda_gate_end(struct device *device, int submitted, double *elapsed_ns, bool *again)
{
    const struct cuda_driver *cuda = cuda_of(device)->driver;
    struct gate *gate = &cuda_of(device)->gate;
    CUresult result = (CUresult)submitted;
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventRecord(cuda_of(device)->end, cuda_of(device)->stream);
    __atomic_store_n(gate->open, gate->ticket, __ATOMIC_SEQ_CST);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventSynchronize(cuda_of(device)->end);
    if (result != CUDA_SUCCESS)
        return (int)result;
    *again = __atomic_load_n(gate->seen, __ATOMIC_SEQ_CST) != gate->ticket;
    float elapsed_ms = 0;
    result = cuda->cuEventElapsedTime(&elapsed_ms, cuda_of(device)->begin, cuda_of(device)->end);
    *elapsed_ns = (double)elapsed_ms * 1e6;
    return (int)result;
}
