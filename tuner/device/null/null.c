/* The null device: a GPU that runs nothing. What a kernel needs and how long it takes follow, by a
 * formula, from the plan and from what is defined for its binary; noise is drawn from
 * TUNE_NULL_SEED. A whole run thus needs neither a GPU nor a compiler, comes out alike each time,
 * and takes as long as tune itself takes; besides, a block takes TUNE_NULL_BLOCK_US, the start of a
 * process TUNE_NULL_START_MS, and a binary TUNE_NULL_COMPILE_MS more or less, some far more. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tuner/base/environment.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/pack.h"
#include "tuner/base/random.h"
#include "tuner/device/kinds.h"
#include "tuner/device/nothing.h"

enum {
    DEVICES = 4,
    SMS = 132,
    WARP = 32,
    BLOCK_THREADS = 1024,
    SM_THREADS = 2048,
    SM_BLOCKS = 32,
    SM_REGISTERS = 65536,
    SM_SHARED_BYTES = 228 << 10,
    BLOCK_SHARED_BYTES = 227 << 10,
    RESERVED_SHARED_BYTES = 1 << 10, /* of each block */
    TICK_NS = 32,
};
static const double read_gbs = 3000, power_w = 400, launch_ns = 1800, noise_share = 0.002;

struct device {
    uint64_t seed;
    uint64_t draws;   /* of noise, so far */
    int64_t block_us; /* that a block of runs is waited for */
    int64_t reserved_ns;
    char *path; /* of the current binary; NULL: none yet */
    uint64_t binary;
};

/* ---- the device ---- */

static enum status null_count(int *count, struct error *error)
{
    (void)error;
    *count = DEVICES;
    return STATUS_OK;
}

static enum status check_index(int index, struct error *error)
{
    return index >= 0 && index < DEVICES
               ? STATUS_OK
               : error_set(error, STATUS_NOT_FOUND, "there are %d null devices, from null:0 on",
                           DEVICES);
}

static enum status null_describe(int index, struct facts *facts, struct error *error)
{
    static const struct {
        const char *key, *label, *unit;
        int64_t value;
    } numbers[] = {
        {"memory_bytes", "Memory", "bytes", INT64_C(80) << 30},
        {"sm_count", "Multiprocessors", "", SMS},
        {"max_threads_per_block", "Threads per block, at most", "", BLOCK_THREADS},
        {"max_threads_per_sm", "Threads per SM, at most", "", SM_THREADS},
        {"max_blocks_per_sm", "Blocks per SM, at most", "", SM_BLOCKS},
        {"max_block_x", "Largest block, x", "threads", BLOCK_THREADS},
        {"max_block_y", "Largest block, y", "threads", BLOCK_THREADS},
        {"max_block_z", "Largest block, z", "threads", 64},
        {"max_grid_x", "Largest grid, x", "blocks", INT32_MAX},
        {"max_grid_y", "Largest grid, y", "blocks", UINT16_MAX},
        {"max_grid_z", "Largest grid, z", "blocks", UINT16_MAX},
        {"registers_per_sm", "Registers per SM", "", SM_REGISTERS},
        {"shared_bytes_per_block", "Shared memory per block", "bytes", 48 << 10},
        {"shared_bytes_per_block_optin", "Shared memory per block, opted in", "bytes",
         BLOCK_SHARED_BYTES},
        {"shared_bytes_per_sm", "Shared memory per SM", "bytes", SM_SHARED_BYTES},
        {"l2_bytes", "L2 cache", "bytes", 50 << 20},
        {"warp_size", "Threads per warp", "", WARP},
    };
    char uuid[32];
    enum status status = check_index(index, error);
    if (status != STATUS_OK)
        return status;
    (void)snprintf(uuid, sizeof uuid, "null-%d", index);
    facts_add_text(facts, "kind", "Kind", device_null.kind);
    facts_add_integer(facts, "index", "Index", "", index);
    facts_add_text(facts, "name", "Name", "Null device");
    facts_add_text(facts, "uuid", "UUID", uuid);
    facts_add_text(facts, "compute_capability", "Compute capability", "9.0");
    facts_add_text(facts, "architecture", "Architecture", "sm_90");
    facts_add_text(facts, "driver", "Driver", "formula 1");
    facts_add_text(facts, "compiler", "Compiler", "none");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        facts_add_integer(facts, numbers[i].key, numbers[i].label, numbers[i].unit,
                          numbers[i].value);
    facts_add(facts, "energy_counter", "Energy counter", "", value_boolean(true));
    return facts->failed ? error_no_memory(error) : STATUS_OK;
}

/* How long a binary takes, about. */
static enum status compile_ms(int64_t *out, struct error *error)
{
    return environment_integer("TUNE_NULL_COMPILE_MS", 0, 100000, 0, out, error);
}

/* Where it takes no time, nothing is gained by it, and which trial comes first would hang on the
 * moment. */
static bool null_compiles_beside_measuring(void)
{
    struct error ignored = {0};
    int64_t usual_ms = 0;
    return compile_ms(&usual_ms, &ignored) == STATUS_OK && usual_ms > 0;
}

static double uniform(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

static void pause_ms(double ms)
{
    struct timespec remaining = {.tv_sec = (time_t)(ms / 1000)};
    remaining.tv_nsec = (long)((ms - 1000.0 * (double)remaining.tv_sec) * 1e6);
    while (remaining.tv_sec + remaining.tv_nsec > 0 && nanosleep(&remaining, &remaining) != 0)
        continue;
}

static enum status start_ms(int64_t *out, struct error *error)
{
    return environment_integer("TUNE_NULL_START_MS", 0, 100000, 0, out, error);
}

/* Half of the start of a process. */
static bool is_reserved;
static enum status null_reserve(int index, struct error *error)
{
    int64_t whole_ms = 0;
    enum status status = check_index(index, error);
    if (status == STATUS_OK)
        status = start_ms(&whole_ms, error);
    if (status == STATUS_OK)
        pause_ms((double)whole_ms / 2);
    is_reserved = status == STATUS_OK;
    return status;
}

static enum status null_open(int index, const struct warm_up *warm_up, struct device **out,
                             struct error *error)
{
    int64_t seed = 0, block_us = 0, whole_ms = 0;
    (void)warm_up; /* it is always warm */
    enum status status = check_index(index, error);
    if (status == STATUS_OK)
        status = environment_integer("TUNE_NULL_SEED", 0, INT64_MAX, 0, &seed, error);
    if (status == STATUS_OK)
        status = environment_integer("TUNE_NULL_BLOCK_US", 0, 1000000, 0, &block_us, error);
    if (status == STATUS_OK)
        status = start_ms(&whole_ms, error);
    if (status != STATUS_OK)
        return status;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return error_no_memory(error);
    (*out)->seed = random_at((uint64_t)seed, (uint64_t)index);
    (*out)->block_us = block_us;
    (*out)->reserved_ns = whole_ms * 500000;
    pause_ms((double)whole_ms / (is_reserved ? 2 : 1));
    return STATUS_OK;
}

static void null_close(struct device *device)
{
    if (device)
        free(device->path);
    free(device);
}

static void null_calibration(const struct device *device, struct calibration *out)
{
    *out = (struct calibration){.tick_ns = TICK_NS,
                                .empty_pair_ns = 5000,
                                .node_gap_ns = 1200,
                                .reserved_ns = device->reserved_ns};
}

static void null_conditions(struct device *device, struct conditions *out)
{
    (void)device;
    *out = conditions_unknown();
    out->sm_clock_mhz = 1980;
    out->memory_clock_mhz = 2619;
    out->temperature_c = 50;
    out->power_w = power_w;
    out->throttle = 0;
    out->ecc_errors = 0;
    out->other_processes = 0;
}

/* ---- binaries: the defines and the kernels' names, in words ---- */

/* Nothing of where the source lies, so that another checkout gives the same times. */
static enum status null_compile(const struct binary_request *request, const char *binary_path,
                                struct text *log, struct error *error)
{
    struct text binary = {0};
    const char *slash = strrchr(request->source_path, '/');
    (void)log;
    if (!file_exists(request->source_path))
        return error_set(error, STATUS_COMPILE_FAILED, "%s: there is no such file",
                         request->source_path);
    text_printf(&binary, "%s\n", slash ? slash + 1 : request->source_path);
    for (size_t i = 0; i < request->define_count; i++) {
        char value[VALUE_TEXT_BYTES] = "";
        (void)value_format(request->defines[i].value, value, sizeof value);
        text_printf(&binary, "%s=%s\n", request->defines[i].name, value);
    }
    for (size_t i = 0; i < request->flag_count; i++)
        text_printf(&binary, "%s\n", request->flags[i]);
    for (size_t i = 0; i < request->kernel_count; i++)
        text_printf(&binary, "%s\n", request->kernels[i]);
    int64_t usual_ms = 0;
    enum status status = compile_ms(&usual_ms, error);
    if (status == STATUS_OK && !binary.failed) /* from half of that to ten times as long */
        pause_ms((double)usual_ms / (2 - 1.9 * uniform(hash_u64(binary.data, binary.length, 0))));
    if (status == STATUS_OK)
        status = binary.failed
                     ? error_no_memory(error)
                     : file_write_atomically(binary_path, binary.data, binary.length, error);
    text_free(&binary);
    return status;
}

static enum status read_binary(const char *path, uint64_t *identity, char *code_hash,
                               struct error *error)
{
    enum { BINARY_BYTES_MAX = 1 << 20 };
    struct arena arena = {0};
    char *contents = NULL;
    size_t length = 0;
    enum status status = file_read(&arena, path, BINARY_BYTES_MAX, &contents, &length, error);
    if (status == STATUS_OK)
        *identity = hash_u64(contents, length, 0);
    if (status == STATUS_OK && code_hash)
        hash_bytes(contents, length, code_hash);
    arena_free(&arena);
    return status;
}

static struct kernel_resources resources_of(uint64_t binary, const char *kernel)
{
    enum { REGISTERS_LEAST = 24, REGISTERS_STEPS = 6, REGISTERS_STEP = 8 };
    uint64_t drawn = hash_u64(kernel, strlen(kernel), binary);
    return (struct kernel_resources){
        .registers = REGISTERS_LEAST + (int32_t)(drawn % REGISTERS_STEPS) * REGISTERS_STEP,
        .spill_bytes = -1,
        .max_threads_per_block = BLOCK_THREADS,
        .active_blocks_per_sm = -1,
        .occupancy = -1,
        .suggested_block = -1,
        .suggested_grid = -1,
    };
}

static enum status null_inspect(const char *binary_path, const char *kernel,
                                struct kernel_resources *resources, char *code_hash,
                                struct error *error)
{
    uint64_t binary = 0;
    enum status status = read_binary(binary_path, &binary, code_hash, error);
    if (status == STATUS_OK && resources)
        *resources = resources_of(binary, kernel);
    return status;
}

static enum status null_occupancy(const struct facts *facts, const struct launch *launch,
                                  struct kernel_resources *resources, struct error *error)
{
    (void)facts, (void)error; /* of all devices alike */
    const uint32_t threads = (launch_block_threads(launch) + WARP - 1) / WARP * WARP;
    const uint32_t registers = resources->registers > 0 ? (uint32_t)resources->registers : 1;
    resources->active_blocks_per_sm = 0;
    resources->occupancy = 0;
    if (threads == 0 || threads > BLOCK_THREADS || launch->shared_bytes > BLOCK_SHARED_BYTES)
        return STATUS_OK;
    const uint32_t most[] = {SM_BLOCKS, SM_THREADS / threads, SM_REGISTERS / (registers * threads),
                             SM_SHARED_BYTES / (launch->shared_bytes + RESERVED_SHARED_BYTES)};
    uint32_t blocks = most[0];
    for (size_t i = 1; i < sizeof most / sizeof *most; i++)
        blocks = most[i] < blocks ? most[i] : blocks;
    resources->active_blocks_per_sm = (int32_t)blocks;
    resources->occupancy = (double)(blocks * threads) / SM_THREADS;
    return STATUS_OK;
}

static enum status null_load(struct device *device, const char *binary_path, struct error *error)
{
    if (device->path && strcmp(device->path, binary_path) == 0)
        return STATUS_OK;
    char *path = strdup(binary_path);
    if (!path)
        return error_no_memory(error);
    enum status status = read_binary(path, &device->binary, NULL, error);
    free(status == STATUS_OK ? device->path : path);
    if (status == STATUS_OK)
        device->path = path;
    return status;
}

static enum status null_resources(struct device *device, const struct launch *launch,
                                  struct kernel_resources *out, struct error *error)
{
    *out = resources_of(device->binary, launch->kernel);
    struct launch other = *launch;
    struct kernel_resources tried = *out;
    double best = -1;
    for (uint32_t threads = BLOCK_THREADS; threads >= WARP; threads -= WARP) {
        memcpy(other.block, (uint32_t[]){threads, 1, 1}, sizeof other.block);
        (void)null_occupancy(NULL, &other, &tried, error);
        if (tried.occupancy <= best)
            continue;
        best = tried.occupancy;
        out->suggested_block = (int32_t)threads;
        out->suggested_grid = tried.active_blocks_per_sm * SMS;
    }
    return null_occupancy(NULL, launch, out, error);
}

/* ---- time ---- */

/* Memory and launches, as a GPU has them: more threads at once get more of the bandwidth, and waves
 * of blocks cost something. What the formula does not know of a kernel, a number drawn from its
 * binary and launch stands for: up to a third slower, few of them much. */
static double launch_time_ns(uint64_t binary, const struct launch_plan *plan,
                             const struct launch *launch, enum l2_mode mode)
{
    struct kernel_resources resources = resources_of(binary, launch->kernel);
    struct error ignored = {0};
    const uint32_t threads = launch_block_threads(launch);
    const double blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
    (void)null_occupancy(NULL, launch, &resources, &ignored);
    const double at_once = fmax(1, (double)resources.active_blocks_per_sm * SMS);
    const double resident = fmin(blocks, at_once) * threads;
    double bytes = 0;
    for (size_t i = 0; i < launch->argument_count; i++) {
        const struct argument *argument = &plan->arguments[launch->arguments[i]];
        if (role_is_vector(argument->role))
            bytes += (double)argument_bytes(argument);
    }
    const double gbs = read_gbs * resident / (resident + 32768) * (mode == L2_HOT ? 1.5 : 1);
    const uint32_t shape[] = {launch->grid[0], threads, launch->shared_bytes};
    const double slower = uniform(hash_u64(shape, sizeof shape, binary));
    return launch_repeats(launch) *
           (launch_ns + 40 * ceil(blocks / at_once) + bytes / gbs * (1 + slower * slower / 3));
}

/* Of one run, without noise. */
static double run_time_ns(const struct device *device, const struct launch_plan *plan,
                          enum l2_mode mode)
{
    double sum_ns = 0;
    for (size_t i = 0; i < plan->launch_count; i++)
        sum_ns += launch_time_ns(device->binary, plan, &plan->launches[i], mode);
    return sum_ns;
}

/* Nearly normal, and one in 256 interrupted by something; in steps of the timer. */
static double with_noise(struct device *device, double elapsed_ns)
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += uniform(random_at(device->seed, device->draws++)) - 0.5;
    const bool interrupted = random_at(~device->seed, device->draws) % 256 == 0;
    const double noisy_ns =
        elapsed_ns * (1 + noise_share * sqrt(3) * sum) + (interrupted ? 20000 : 0);
    return fmax(1, round(noisy_ns / TICK_NS)) * TICK_NS;
}

static enum status null_time_block(struct device *device, const struct block *block,
                                   double *elapsed_ns, struct error *error)
{
    (void)error;
    const double run_ns = run_time_ns(device, block->plan, block->mode);
    *elapsed_ns = with_noise(device, block->runs * run_ns) / block->runs;
    if (device->block_us > 0)
        (void)usleep((useconds_t)device->block_us);
    return STATUS_OK;
}

static enum status null_anchor(struct device *device, double *elapsed_ns, struct error *error)
{
    (void)error;
    *elapsed_ns = with_noise(device, 100000);
    return STATUS_OK;
}

static enum status null_measure_energy(struct device *device, const struct block *block,
                                       double window_ms, struct energy *out, struct error *error)
{
    (void)error;
    const double window_ns = with_noise(device, fmax(window_ms, 1) * 1e6);
    const double used_w = power_w * (1 + uniform(device->binary)) / 2;
    *out = (struct energy){.window_ns = window_ns,
                           .energy_j = used_w * window_ns / 1e9,
                           .runs = window_ns / run_time_ns(device, block->plan, block->mode),
                           .resolution_j = 1e-3};
    return STATUS_OK;
}

static enum status null_bandwidth(struct device *device, int64_t bytes, struct bandwidth *out,
                                  struct error *error)
{
    (void)device, (void)error;
    *out = (struct bandwidth){.host_to_device_gbs = 50,
                              .device_to_host_gbs = 50,
                              .copy_gbs = 0.95 * read_gbs,
                              .read_gbs = read_gbs,
                              .write_gbs = 0.95 * read_gbs,
                              .bytes = bytes > 0 ? bytes : INT64_C(1) << 30};
    return STATUS_OK;
}

static enum status null_arithmetic(struct device *device, struct arithmetic *out,
                                   struct error *error)
{
    (void)device, (void)error;
    *out = (struct arithmetic){.gops = {[ELEMENT_F16] = 120000,
                                        [ELEMENT_F32] = 60000,
                                        [ELEMENT_F64] = 30000,
                                        [ELEMENT_I32] = 30000,
                                        [ELEMENT_I64] = 8000}};
    return STATUS_OK;
}

/* ---- runs: of nothing ---- */

static enum status null_bind(struct device *device, const struct launch_plan *plan,
                             const void *const *inputs, uint32_t copies, struct error *error)
{
    (void)device, (void)plan, (void)inputs, (void)copies, (void)error;
    return STATUS_OK;
}

static enum status null_run(struct device *device, const struct launch_plan *plan,
                            double *elapsed_ns, struct error *error)
{
    (void)error;
    *elapsed_ns = with_noise(device, run_time_ns(device, plan, L2_COLD));
    return STATUS_OK;
}

static enum status null_guards(struct device *device, const struct launch_plan *plan, bool *intact,
                               char *detail, size_t detail_bytes, struct error *error)
{
    (void)device, (void)plan, (void)detail, (void)detail_bytes, (void)error;
    *intact = true;
    return STATUS_OK;
}

static enum status null_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                               bool *worn, char *detail, size_t detail_bytes, struct error *error)
{
    *worn = false;
    return null_guards(device, plan, intact, detail, detail_bytes, error);
}

const struct device_api device_null = {
    .kind = "null",
    /* Else what is tried next, and with it the noise, hung on which compiler was the fastest. */
    .compiles_beside_measuring = null_compiles_beside_measuring,
    .blocks_to_judge = 1,
    .intact_is_cheap = true,
    .count = null_count,
    .describe = null_describe,
    .compile = null_compile,
    .inspect = null_inspect,
    .occupancy = null_occupancy,
    .reserve = null_reserve,
    .open = null_open,
    .close = null_close,
    .calibration = null_calibration,
    .load = null_load,
    .resources = null_resources,
    .bind = null_bind,
    .run = null_run,
    .guards = null_guards,
    .intact = null_intact,
    .time_block = null_time_block,
    .anchor = null_anchor,
    .conditions = null_conditions,
    .measure_energy = null_measure_energy,
    .bandwidth = null_bandwidth,
    .arithmetic = null_arithmetic,
    COMPUTES_NOTHING,
};
