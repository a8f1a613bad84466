#include "tuner/base/clock.h"
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
    const struct cuda_driver *cuda = device->driver;
    CUresult result = cuda->cuModuleLoadData(&device->harness.module, cubin);
    if (result != CUDA_SUCCESS)
        return cuda_error(device, result, error, "loading the measuring kernels");
    for (size_t i = 0; i < sizeof harness_kernels / sizeof *harness_kernels; i++) {
        CUfunction *function =
            (CUfunction *)(void *)((char *)&device->harness + harness_kernels[i].offset);
        result =
            cuda->cuModuleGetFunction(function, device->harness.module, harness_kernels[i].name);
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
    struct binary_request request = {.architecture = device->architecture};
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
    return device->driver->cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, device->stream,
                                          arguments, NULL);
}

static CUresult pass(struct device *device, CUfunction function)
{
    unsigned long long count = device->flush_bytes / 16;
    void *arguments[] = {&device->flush, &count, &device->sink};
    return cuda_launch(device, function, (uint32_t)device->sm_count * 4, 512, arguments);
}

CUresult cuda_anchor_pass(struct device *device)
{
    return pass(device, device->harness.anchor);
}

/* Fills the L2 with lines that need no write-back: a memset would leave dirty ones, and their
 * write-back would be charged to the kernel that is timed. */
enum status cuda_flush(struct device *device, struct error *error)
{
    CUresult result = pass(device, device->harness.clean_read);
    return result == CUDA_SUCCESS ? STATUS_OK
                                  : cuda_error(device, result, error, "emptying the L2 cache");
}

/* With zeros, as a clean pass needs them to be there. */
enum status cuda_flush_dirty(struct device *device, struct error *error)
{
    CUresult result =
        device->driver->cuMemsetD8Async(device->flush, 0, device->flush_bytes, device->stream);
    return result == CUDA_SUCCESS
               ? STATUS_OK
               : cuda_error(device, result, error, "emptying the L2 cache by writing");
}

CUresult cuda_gate_begin(struct device *device)
{
    struct gate *gate = &device->gate;
    gate->ticket = gate->ticket % 0x7fffffff + 1; /* neither 0 nor the complement of another */
    void *arguments[] = {&gate->open_on_device, &gate->seen_on_device, &gate->ticket};
    CUresult result = cuda_launch(device, device->harness.gate, 1, 1, arguments);
    if (result == CUDA_SUCCESS)
        result = device->driver->cuEventRecord(device->begin, device->stream);
    return result;
}

CUresult cuda_gate_end(struct device *device, CUresult submitted, double *elapsed_ns, bool *again)
{
    const struct cuda_driver *cuda = device->driver;
    struct gate *gate = &device->gate;
    CUresult result = submitted;
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventRecord(device->end, device->stream);
    __atomic_store_n(gate->open, gate->ticket, __ATOMIC_SEQ_CST);
    if (result == CUDA_SUCCESS)
        result = cuda->cuEventSynchronize(device->end);
    if (result != CUDA_SUCCESS)
        return result;
    *again = __atomic_load_n(gate->seen, __ATOMIC_SEQ_CST) != gate->ticket;
    float elapsed_ms = 0;
    result = cuda->cuEventElapsedTime(&elapsed_ms, device->begin, device->end);
    *elapsed_ns = (double)elapsed_ms * 1e6;
    return result;
}

enum status cuda_time_gated(struct device *device, CUresult (*work)(struct device *, void *),
                            void *context, const char *what, double *elapsed_ns,
                            struct error *error)
{
    for (int tries = 0; tries < GATE_TRIES; tries++) {
        bool again = false;
        CUresult result = cuda_gate_begin(device);
        if (result == CUDA_SUCCESS)
            result = work(device, context);
        result = cuda_gate_end(device, result, elapsed_ns, &again);
        device->busy_until_ns = clock_now_ns();
        if (result != CUDA_SUCCESS)
            return cuda_error(device, result, error, "%s", what);
        if (!again)
            return STATUS_OK;
    }
    return cuda_too_busy(error);
}

enum status cuda_too_busy(struct error *error)
{
    return error_set(error, STATUS_TIMED_OUT,
                     "this process was stopped for over 2 s, %d times in a row: the machine is too "
                     "busy to measure on",
                     GATE_TRIES);
}
