/* The ceilings of the memory: the best of several ways to read, to write and to copy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/measure.h"
#include "tuner/device/embedded.h"

/* Each way is tried TRIES times on windows of the buffers, then the best FINALISTS on whole
 * buffers. */
enum { TRIES = 2, FINALISTS = 4, REPEATS = 8, WINDOWS = 8 };
enum { STAGES = 4, TILE = 8192 }; /* for bulk copies: number of stages, bytes of a tile */

static const int64_t default_bytes = INT64_C(8) << 30;
static const int64_t least_bytes = 1 << 20;
static const size_t window_bytes_least = 64 << 20;
static const size_t pinned_bytes_most = 256 << 20;
/* Time limit each for reading, writing and copying; the best rate found until then is the ceiling.
 */
static const int64_t search_ns_most = INT64_C(1500000000);

enum transfer {
    HOST_TO_DEVICE,
    DEVICE_TO_HOST,
    COPY,
    READ,
    WRITE,
};

static const char *const transfer_names[] = {
    [HOST_TO_DEVICE] = "copying to the device",
    [DEVICE_TO_HOST] = "copying from the device",
    [COPY] = "copying on the device",
    [READ] = "reading",
    [WRITE] = "writing",
};

/* Kernels of ceilings.cu. */
static const struct kernel_kind {
    const char *name;
    enum transfer transfer;
    bool bulk; /* one thread of a block moves tiles; from compute capability 9.0 */
    int words; /* a thread, in one turn */
} kinds[] = {
    {"tune_write_1", WRITE, false, 1},         {"tune_write_4", WRITE, false, 4},
    {"tune_write_bulk", WRITE, true, 0},       {"tune_read_2", READ, false, 2},
    {"tune_read_4", READ, false, 4},           {"tune_read_8", READ, false, 8},
    {"tune_read_first_to_go", READ, false, 4}, {"tune_read_bulk", READ, true, 0},
    {"tune_copy_4", COPY, false, 4},           {"tune_copy_8", COPY, false, 8},
    {"tune_copy_bulk", COPY, true, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Threads a block, and blocks per SM; 0: enough for one turn of each thread. */
static const struct shape {
    uint32_t block, per_sm;
} shapes[] = {{1024, 1}, {1024, 2}, {512, 2},  {512, 4}, {256, 4}, {256, 8}, {1024, 8},
              {512, 16}, {256, 32}, {128, 64}, {512, 0}, {256, 0}, {128, 0}},
  bulk_shapes[] = {{32, 1}, {32, 2}, {32, 4}, {32, 6}, {32, 24}};
enum { SHAPES_MAX = sizeof shapes / sizeof *shapes };

/* One way to do a transfer. */
struct way {
    enum transfer transfer;
    CUfunction function; /* NULL: a call of the driver */
    const struct kernel_kind *kind;
    struct shape shape;
    double gbs; /* the best so far */
};
enum { WAYS_MAX = KINDS * SHAPES_MAX + 1 };

struct measuring {
    struct device *device;
    CUdeviceptr a, b;
    size_t bytes;
    void *pinned;
    size_t pinned_bytes;
    CUmodule module;
    size_t turn; /* number of the next window: consecutive passes read different ones, else the
                    cache would serve the second */
};

/* A pass over the buffers' bytes [offset, offset + bytes). */
struct pass {
    const struct measuring *measuring;
    const struct way *way;
    size_t offset, bytes;
};

static CUresult submit(struct device *device, void *context)
{
    const struct pass *pass = context;
    const struct measuring *measuring = pass->measuring;
    const struct cuda_driver *cuda = device->driver;
    if (pass->way->function) {
        const struct way *way = pass->way;
        unsigned long long words = pass->bytes / 16;
        CUdeviceptr a = pass->measuring->a + pass->offset;
        CUdeviceptr b = pass->measuring->b + pass->offset;
        void *to_read[] = {&a, &words, &device->sink};
        void *to_write[] = {&a, &words};
        void *to_copy[] = {&a, &words, &b};
        unsigned long long turn = (unsigned long long)way->shape.block * (unsigned)way->kind->words;
        uint32_t grid = way->shape.per_sm > 0 ? (uint32_t)device->sm_count * way->shape.per_sm
                                              : (uint32_t)((words + turn - 1) / turn);
        return cuda_launch(device, way->function, grid, way->shape.block,
                           way->transfer == READ    ? to_read
                           : way->transfer == WRITE ? to_write
                                                    : to_copy);
    }
    switch (pass->way->transfer) {
    case HOST_TO_DEVICE:
        return cuda->cuMemcpyHtoDAsync(measuring->b, measuring->pinned, pass->bytes,
                                       device->stream);
    case DEVICE_TO_HOST:
        return cuda->cuMemcpyDtoHAsync(measuring->pinned, measuring->a, pass->bytes,
                                       device->stream);
    case COPY:
        return cuda->cuMemcpyDtoDAsync(measuring->b + pass->offset, measuring->a + pass->offset,
                                       pass->bytes, device->stream);
    case WRITE:
        return cuda->cuMemsetD8Async(measuring->b + pass->offset, 0x5a, pass->bytes,
                                     device->stream);
    case READ:
        break;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* Measures passes over `bytes`, and raises way->gbs if one is faster. Windows smaller than the
 * buffers take turns. */
static enum status time_passes(struct measuring *measuring, struct way *way, size_t bytes,
                               int count, struct error *error)
{
    const struct calibration *calibration = &measuring->device->calibration;
    const double moved = (way->transfer == COPY ? 2.0 : 1.0) * (double)bytes;
    for (int i = 0; i < count; i++) {
        struct pass pass = {.measuring = measuring, .way = way, .bytes = bytes};
        double elapsed_ns = 0;
        pass.offset = measuring->turn++ % (measuring->bytes / bytes) * bytes;
        if (cuda_time_gated(measuring->device, submit, &pass, transfer_names[way->transfer],
                            &elapsed_ns, error) != STATUS_OK)
            return error_prefix(error, "measuring bandwidth");
        const double net_ns = fmax(elapsed_ns - calibration->empty_pair_ns, calibration->tick_ns);
        if (net_ns > 0)
            way->gbs = fmax(way->gbs, moved / net_ns);
    }
    return STATUS_OK;
}

/* ---- ways to transfer ---- */

static int by_speed(const void *left, const void *right)
{
    const struct way *a = left;
    const struct way *b = right;
    return (a->gbs < b->gbs) - (a->gbs > b->gbs);
}

/* Tries all ways on windows while time is left, then measures the best on whole buffers. A first
 * pass counts like the others: a cold one is only slower. */
static enum status measure_best(struct measuring *measuring, enum transfer transfer, double *gbs,
                                char name[WAY_BYTES], struct error *error)
{
    struct way ways[WAYS_MAX];
    size_t count = 0;
    size_t window = measuring->bytes / WINDOWS / TILE * TILE;
    window = window < window_bytes_least ? measuring->bytes : window;
    int64_t end_ns = clock_now_ns() + search_ns_most;
    if (transfer != READ)
        ways[count++] = (struct way){.transfer = transfer};
    for (size_t i = 0; i < KINDS; i++) {
        struct device *device = measuring->device;
        const struct kernel_kind *kind = &kinds[i];
        const struct shape *list = kind->bulk ? bulk_shapes : shapes;
        const size_t length = kind->bulk ? COUNT(bulk_shapes) : SHAPES_MAX;
        CUfunction function = NULL;
        if (kind->transfer != transfer || (kind->bulk && device->compute_major < 9))
            continue;
        CUDA_TRY(cuModuleGetFunction(&function, measuring->module, kind->name),
                 "loading the measuring kernel %s", kind->name);
        for (size_t j = 0; j < length; j++)
            ways[count++] = (struct way){transfer, function, kind, list[j], 0};
    }
    for (size_t i = 0; i < count && (i == 0 || clock_now_ns() < end_ns); i++)
        TRY(time_passes(measuring, &ways[i], window, TRIES, error));
    qsort(ways, count, sizeof *ways, by_speed);
    for (size_t i = 0; i < FINALISTS && i < count; i++) {
        TRY(time_passes(measuring, &ways[i], window, REPEATS, error));
        if (window < measuring->bytes)
            TRY(time_passes(measuring, &ways[i], measuring->bytes, REPEATS, error));
    }
    qsort(ways, count, sizeof *ways, by_speed);
    *gbs = ways[0].gbs;
    if (!ways[0].function)
        (void)string_format(name, WAY_BYTES, "the driver's call");
    else if (ways[0].shape.per_sm > 0)
        (void)string_format(name, WAY_BYTES, "%s, %u blocks per SM of %u", ways[0].kind->name,
                            ways[0].shape.per_sm, ways[0].shape.block);
    else
        (void)string_format(name, WAY_BYTES, "%s, blocks of %u", ways[0].kind->name,
                            ways[0].shape.block);
    return STATUS_OK;
}

static enum status measure_bus(struct measuring *measuring, enum transfer transfer, double *gbs,
                               struct error *error)
{
    struct way way = {.transfer = transfer};
    enum status status = time_passes(measuring, &way, measuring->pinned_bytes, 1 + REPEATS, error);
    *gbs = way.gbs;
    return status;
}

/* ---- buffers and measurement ---- */

static void free_buffers(struct measuring *measuring)
{
    const struct cuda_driver *cuda = measuring->device->driver;
    if (measuring->a)
        (void)cuda->cuMemFree(measuring->a);
    if (measuring->b)
        (void)cuda->cuMemFree(measuring->b);
    if (measuring->pinned)
        (void)cuda->cuMemFreeHost(measuring->pinned);
    measuring->a = measuring->b = 0;
    measuring->pinned = NULL;
}

/* Allocates all three buffers, or none. */
static CUresult allocate(struct measuring *measuring)
{
    const struct cuda_driver *cuda = measuring->device->driver;
    measuring->pinned_bytes =
        measuring->bytes < pinned_bytes_most ? measuring->bytes : pinned_bytes_most;
    CUresult result = cuda->cuMemAlloc(&measuring->a, measuring->bytes);
    if (result != CUDA_SUCCESS)
        measuring->a = 0;
    else
        result = cuda->cuMemAlloc(&measuring->b, measuring->bytes);
    if (result != CUDA_SUCCESS)
        measuring->b = 0;
    else
        result = cuda->cuMemHostAlloc(&measuring->pinned, measuring->pinned_bytes, 0);
    if (result != CUDA_SUCCESS) {
        measuring->pinned = NULL;
        free_buffers(measuring);
    }
    return result;
}

static enum status make_buffers(struct measuring *measuring, int64_t bytes, struct error *error)
{
    struct device *device = measuring->device;
    size_t free_bytes = 0;
    size_t total = 0;
    CUresult result = device->driver->cuMemGetInfo(&free_bytes, &total);
    TRY(cuda_error(device, result, error, "free memory"));
    int64_t share = (int64_t)(free_bytes / 8 * 3); /* two buffers in three quarters */
    int64_t wanted = bytes > 0 ? bytes : default_bytes;
    wanted = (wanted < share ? wanted : share) / least_bytes * least_bytes;
    if (wanted < least_bytes)
        return error_set(error, bytes > 0 && bytes < least_bytes ? STATUS_USAGE : STATUS_NO_MEMORY,
                         "measuring bandwidth needs two buffers of at least %lld bytes",
                         (long long)least_bytes);
    measuring->bytes = (size_t)wanted;
    result = allocate(measuring);
    /* Free memory may be in pieces, or another process was faster. */
    while (result == CUDA_ERROR_OUT_OF_MEMORY && measuring->bytes / 2 >= (size_t)least_bytes) {
        measuring->bytes /= 2;
        result = allocate(measuring);
    }
    return cuda_error(device, result, error, "measuring bandwidth: buffers of %zu bytes",
                      measuring->bytes);
}

static enum status measure_bandwidth(struct device *device, int64_t bytes, struct bandwidth *out,
                                     struct error *error)
{
    const struct binary_request request = {
        .define_count = 2,
        .defines = {{"STAGES", value_integer(STAGES)}, {"TILE", value_integer(TILE)}}};
    struct measuring measuring = {.device = device};
    *out = (struct bandwidth){0};
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(make_buffers(&measuring, bytes, error));
    TRY_OR_CLEANUP(cuda_load_own(device, cuda_ceilings_source, "ceilings.cu", &request,
                                 "kernels that measure bandwidth", &measuring.module, error));
    TRY_OR_CLEANUP(cuda_warm_again(device, error));
    /* Writing comes first and fills the buffers for reading and copying. */
    TRY_OR_CLEANUP(measure_best(&measuring, WRITE, &out->write_gbs, out->write_way, error));
    TRY_OR_CLEANUP(measure_best(&measuring, READ, &out->read_gbs, out->read_way, error));
    TRY_OR_CLEANUP(measure_best(&measuring, COPY, &out->copy_gbs, out->copy_way, error));
    TRY_OR_CLEANUP(measure_bus(&measuring, DEVICE_TO_HOST, &out->device_to_host_gbs, error));
    status = measure_bus(&measuring, HOST_TO_DEVICE, &out->host_to_device_gbs, error);
cleanup:
    out->bytes = (int64_t)measuring.bytes;
    if (measuring.module)
        (void)device->driver->cuModuleUnload(measuring.module);
    free_buffers(&measuring);
    device->busy_until_ns = clock_now_ns();
    return status;
}

/* ---- operations per second: kernels that stay in registers ---- */

/* BLOCK * BLOCKS_PER_SM threads are resident at once on every architecture. */
enum { CHAINS = 8, UNROLL = 16, BLOCK = 512, BLOCKS_PER_SM = 2, TIMINGS = 5 };
enum { REPEATS_FIRST = 64, REPEATS_MAX = 1 << 20 };
static const double wanted_ms = 2.5;

static const struct arithmetic_kind {
    const char *name;
    enum element_type type;
    int operations; /* operations of a step of a chain */
} arithmetic_kinds[] = {
    {"tune_fused_f16", ELEMENT_F16, 4}, /* two halves at once */
    {"tune_fused_f32", ELEMENT_F32, 2}, {"tune_fused_f64", ELEMENT_F64, 2},
    {"tune_fused_i32", ELEMENT_I32, 2}, {"tune_added_i32", ELEMENT_I32, 1},
    {"tune_fused_i64", ELEMENT_I64, 2}, {"tune_added_i64", ELEMENT_I64, 1},
};

static CUresult time_once(struct device *device, CUfunction function, uint32_t repeats,
                          float *elapsed_ms)
{
    const struct cuda_driver *cuda = device->driver;
    uint32_t zero = 0;
    void *arguments[] = {&repeats, &zero, &device->sink};
    CUDA_PASS(cuda->cuEventRecord(device->begin, device->stream));
    CUDA_PASS(cuda_launch(device, function, (uint32_t)device->sm_count * BLOCKS_PER_SM, BLOCK,
                          arguments));
    CUDA_PASS(cuda->cuEventRecord(device->end, device->stream));
    CUDA_PASS(cuda->cuEventSynchronize(device->end));
    return cuda->cuEventElapsedTime(elapsed_ms, device->begin, device->end);
}

/* Raises *gops to the best of a few; the first, short ones tell how long to go on. */
static CUresult measure(struct device *device, CUfunction function, int operations, double *gops)
{
    uint32_t repeats = REPEATS_FIRST;
    float elapsed_ms = 0;
    CUDA_PASS(time_once(device, function, repeats, &elapsed_ms)); /* also loads the kernel */
    CUDA_PASS(time_once(device, function, repeats, &elapsed_ms));
    double scaled = elapsed_ms > 0 ? repeats * wanted_ms / (double)elapsed_ms : REPEATS_MAX;
    repeats = (uint32_t)fmin(fmax(scaled, 1), REPEATS_MAX);
    double done =
        (double)repeats * UNROLL * CHAINS * operations * BLOCK * BLOCKS_PER_SM * device->sm_count;
    for (int i = 0; i < TIMINGS; i++) {
        CUDA_PASS(time_once(device, function, repeats, &elapsed_ms));
        if (elapsed_ms > 0)
            *gops = fmax(*gops, done / ((double)elapsed_ms * 1e6));
    }
    return CUDA_SUCCESS;
}

static enum status measure_arithmetic(struct device *device, struct arithmetic *out,
                                      struct error *error)
{
    const struct cuda_driver *cuda = device->driver;
    const struct binary_request request = {.define_count = 3,
                                           .defines = {{"CHAINS", value_integer(CHAINS)},
                                                       {"UNROLL", value_integer(UNROLL)},
                                                       {"BLOCK", value_integer(BLOCK)}}};
    CUmodule module = NULL;
    CUresult result = CUDA_SUCCESS;
    *out = (struct arithmetic){{0}};
    enum status status = cuda_load_own(device, cuda_arithmetic_source, "arithmetic.cu", &request,
                                       "kernels that calculate", &module, error);
    if (status == STATUS_OK)
        status = cuda_warm_again(device, error);
    for (size_t i = 0;
         status == STATUS_OK && i < sizeof arithmetic_kinds / sizeof *arithmetic_kinds; i++) {
        CUfunction function = NULL;
        result = cuda->cuModuleGetFunction(&function, module, arithmetic_kinds[i].name);
        if (result == CUDA_SUCCESS)
            result = measure(device, function, arithmetic_kinds[i].operations,
                             &out->gops[arithmetic_kinds[i].type]);
        if (result != CUDA_SUCCESS)
            status = cuda_error(device, result, error, "measuring operations per second");
    }
    if (module)
        (void)cuda->cuModuleUnload(module);
    device->busy_until_ns = clock_now_ns();
    return status;
}

enum status cuda_ceilings(struct device *device, int64_t bytes, struct bandwidth *bandwidth,
                          struct arithmetic *arithmetic, struct error *error)
{
    if (bandwidth)
        TRY(measure_bandwidth(device, bytes, bandwidth, error));
    return arithmetic ? measure_arithmetic(device, arithmetic, error) : STATUS_OK;
}
