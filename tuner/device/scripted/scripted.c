/* The scripted device: runs no kernels, and answers from rows: a point with time, resources and
 * failures. The rows of `null` come from a formula (formula.h), those of `replay` and `replay_cpu`
 * from a recording (tuner/device/recording.h). A binary is the text of its request, which names its
 * row. Timings are drawn about the row's time or from its samples: the same rows, seed and order of
 * timings give the same numbers. A whole run thus needs neither a GPU nor a compiler. null takes as
 * long as tune itself; besides, a block takes TUNE_NULL_BLOCK_US, the start of a process
 * TUNE_NULL_START_MS, and a binary TUNE_NULL_COMPILE_MS more or less, some far more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/random.h"
#include "tuner/device/kinds.h"
#include "tuner/device/scripted/formula.h"

struct device {
    const struct recording *recording; /* NULL: rows come from the formula */
    uint64_t stream;  /* state of the noise, which each timing advances by the timed row */
    int64_t block_us; /* wait for each block of runs */
    char *path;       /* path of the current binary; NULL: none yet */
    struct recorded_point row;
    bool checks; /* the bound plan is to be checked, not timed */
    bool alone;  /* the plan is timed alone, as in a sweep */
};

/* ---- rows ---- */

/* Returns the run's recording, which the process keeps open. */
static enum status open_recording(const struct recording **out, struct error *error)
{
    static struct recording kept;
    const char *path = getenv(RECORDING_FILE_VARIABLE);
    *out = &kept;
    if (kept.mapped)
        return STATUS_OK;
    if (!path || !*path)
        return error_set(error, STATUS_UNAVAILABLE,
                         "there is no recording to replay; 'tune run --device replay' plays one");
    return recording_open(path, &kept, error);
}

/* Finds the row that a request's text names. *recording NULL: a row of the formula, whose
 * `configuration` is a hash of the text. */
static enum status find_row(const char *text, size_t length, const struct recording **recording,
                            struct recorded_point *out, struct error *error)
{
    static const char word[] = "\n" RECORDING_POINT_DEFINE "=";
    static const double noise_share = 0.002;
    const char *at = strstr(text, word);
    *recording = NULL;
    *out =
        (struct recorded_point){.configuration = hash_u64(text, length, 0), .spread = noise_share};
    if (!at)
        return STATUS_OK;
    TRY(open_recording(recording, error));
    const struct recorded_point *points = (*recording)->parts[RECORDED_POINTS].items;
    const long long place = strtoll(at + strlen(word), NULL, 10);
    if (place < 0 || (size_t)place >= (*recording)->parts[RECORDED_POINTS].count)
        return error_set(error, STATUS_LAUNCH_FAILED, "it was not recorded");
    *out = points[place];
    return STATUS_OK;
}

/* Reads the binary's row; also hashes the code, where `code_hash` is not NULL: rows that launched
 * alike have equal hashes. */
static enum status read_row(const char *path, const struct recording **recording,
                            struct recorded_point *out, char *code_hash, struct error *error)
{
    enum { BINARY_BYTES_MAX = 1 << 20 };
    struct arena arena = {0};
    char *text = NULL;
    size_t length = 0;
    *out = (struct recorded_point){0};
    enum status status = file_read(&arena, path, BINARY_BYTES_MAX, &text, &length, error);
    if (status == STATUS_OK)
        status = find_row(text, length, recording, out, error);
    const uint64_t code[] = {out->problem, out->twin};
    if (status == STATUS_OK && code_hash)
        hash_bytes(*recording ? (const void *)code : text, *recording ? sizeof code : length,
                   code_hash);
    arena_free(&arena);
    return status;
}

/* Returns resources by the kernel; of several launches of one, those whose block and memory fit. */
static struct kernel_resources resources_of(const struct recording *recording,
                                            const struct recorded_point *row,
                                            const struct launch *launch, const char *kernel)
{
    struct kernel_resources out = resources_unknown();
    int best_alike = -1;
    if (!recording)
        return launch ? formula_launch_resources(row->configuration, launch)
                      : formula_resources(row->configuration, kernel);
    const struct recorded_resource *items = recording->parts[RECORDED_RESOURCES].items;
    for (uint32_t i = row->first_resource; i < row->first_resource + row->resource_count; i++) {
        if (strcmp(recording_text(recording, items[i].kernel), kernel) != 0)
            continue;
        const int alike = launch ? (items[i].block_threads == launch_block_threads(launch)) +
                                       (items[i].shared_bytes == launch->shared_bytes)
                                 : 0;
        if (alike <= best_alike)
            continue;
        best_alike = alike;
        out.registers = items[i].registers;
        out.static_shared_bytes = items[i].static_shared_bytes;
        out.local_bytes = items[i].local_bytes;
        out.spill_bytes = items[i].spill_bytes;
        out.active_blocks_per_sm = items[i].active_blocks_per_sm;
        out.occupancy = items[i].occupancy;
    }
    return out;
}

/* ---- functions without an open device ---- */

static const char compile_variable[] = "TUNE_NULL_COMPILE_MS",
                  start_variable[] = "TUNE_NULL_START_MS";

static enum status formula_count(int *count, struct error *error)
{
    (void)error;
    *count = FORMULA_DEVICES;
    return STATUS_OK;
}

static enum status recorded_count(int *count, struct error *error)
{
    (void)error;
    *count = 1;
    return STATUS_OK;
}

static enum status no_boards(const char *architecture, struct error *error)
{
    return error_set(error, STATUS_UNAVAILABLE, "architecture '%s': a scripted device knows none",
                     architecture);
}

static enum status formula_describe(int index, const char *architecture, struct facts *facts,
                                    struct error *error)
{
    if (architecture)
        return no_boards(architecture, error);
    facts_add_text(facts, "kind", "null");
    facts_add_integer(facts, "index", index);
    return formula_facts(index, facts, error);
}

static enum status recorded_describe(int index, const char *architecture, struct facts *facts,
                                     struct error *error)
{
    const struct recording *recording = NULL;
    if (architecture)
        return no_boards(architecture, error);
    if (index != 0)
        return error_set(error, STATUS_NOT_FOUND, "a recording is one device, of index 0");
    TRY(open_recording(&recording, error));
    facts_add_text(facts, "kind", recording_kind(recording));
    facts_add_integer(facts, "index", index);
    return recording_facts(recording, facts, error);
}

static enum status read_ms(const char *variable, int64_t *out, struct error *error)
{
    return environment_integer(variable, 0, 100000, 0, out, error);
}

/* Tells whether compiling takes time. Otherwise compiling ahead gains no time, and chance would
 * decide the order of trials. */
static bool formula_compiles_beside(void)
{
    struct error ignored = {0};
    int64_t usual_ms = 0;
    return read_ms(compile_variable, &usual_ms, &ignored) == STATUS_OK && usual_ms > 0;
}

static void pause_ms(double ms)
{
    struct timespec remaining = {.tv_sec = (time_t)(ms / 1000)};
    remaining.tv_nsec = (long)((ms - 1000.0 * (double)remaining.tv_sec) * 1e6);
    while (remaining.tv_sec + remaining.tv_nsec > 0 && nanosleep(&remaining, &remaining) != 0)
        continue;
}

/* Returns a number in (0, 1). */
static double uniform(uint64_t bits)
{
    return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

/* Writes the request's text as the binary, without the source's folder, so that another checkout
 * gives the same rows. */
static enum status scripted_compile(const struct binary_request *request, const char *binary_path,
                                    struct text *log, struct error *error)
{
    struct text text = {0};
    text_printf(&text, "%s\n", path_file(request->source_path));
    for (size_t i = 0; i < request->define_count; i++) {
        char value[VALUE_TEXT_BYTES] = "";
        (void)value_format(request->defines[i].value, value, sizeof value);
        text_printf(&text, "%s=%s\n", request->defines[i].name, value);
    }
    for (size_t i = 0; i < request->flag_count; i++)
        text_printf(&text, "%s\n", request->flags[i]);
    for (size_t i = 0; i < request->kernel_count; i++)
        text_printf(&text, "%s\n", request->kernels[i]);
    const struct recording *recording = NULL;
    struct recorded_point row = {0};
    int64_t usual_ms = 0;
    enum status status = text.failed ? error_no_memory(error)
                                     : find_row(text.data, text.length, &recording, &row, error);
    if (status == STATUS_LAUNCH_FAILED)
        error_clear(error); /* loading the binary fails instead */
    else
        TRY_OR_CLEANUP(status);
    if (!recording && !file_exists(request->source_path))
        TRY_OR_CLEANUP(error_set(error, STATUS_COMPILE_FAILED, "%s: there is no such file",
                                 request->source_path));
    if (row.status == TRIAL_COMPILE_FAILED) {
        const char *detail = recording_text(recording, row.detail);
        text_append(log, detail);
        TRY_OR_CLEANUP(error_set(error, STATUS_COMPILE_FAILED, "%s", detail));
    }
    if (!recording)
        TRY_OR_CLEANUP(read_ms(compile_variable, &usual_ms, error));
    if (usual_ms > 0) /* from half of that to ten times as long */
        pause_ms((double)usual_ms / (2 - 1.9 * uniform(row.configuration)));
    status = file_write_derived(binary_path, text.data, text.length, error);
cleanup:
    text_free(&text);
    return status;
}

static enum status scripted_inspect(const char *binary_path, const char *kernel,
                                    struct kernel_resources *resources, char *code_hash,
                                    struct error *error)
{
    const struct recording *recording = NULL;
    struct recorded_point row;
    TRY(read_row(binary_path, &recording, &row, code_hash, error));
    if (resources)
        *resources = resources_of(recording, &row, NULL, kernel);
    return STATUS_OK;
}

static enum status formula_occupies(const struct facts *facts, const struct launch *launch,
                                    struct kernel_resources *resources, struct error *error)
{
    (void)facts, (void)error; /* alike for all devices */
    formula_occupancy(launch, resources);
    return STATUS_OK;
}

/* Leaves the recorded occupancy. */
static enum status recorded_occupies(const struct facts *facts, const struct launch *launch,
                                     struct kernel_resources *resources, struct error *error)
{
    (void)facts, (void)launch, (void)resources, (void)error;
    return STATUS_OK;
}

/* ---- functions of an open device ---- */

static enum status open_with(const struct recording *recording, uint64_t stream,
                             const struct calibration *is, struct device **out,
                             struct calibration *calibration, struct error *error)
{
    struct device *device = calloc(1, sizeof *device);
    TRY_MEMORY(device);
    *device = (struct device){.recording = recording, .stream = stream};
    if (calibration)
        *calibration = *is;
    *out = device;
    return STATUS_OK;
}

static enum status recorded_open(int index, const struct warm_up *warm_up, struct device **out,
                                 struct calibration *calibration, struct error *error)
{
    const struct recording *recording = NULL;
    int64_t seed = 0;
    (void)index, (void)warm_up; /* always warm */
    TRY(environment_integer(RECORDING_SEED_VARIABLE, 0, INT64_MAX, 0, &seed, error));
    TRY(open_recording(&recording, error));
    return open_with(recording, random_at((uint64_t)seed, 0), &recording->device.calibration, out,
                     calibration, error);
}

/* Half of the start of a process. */
static bool is_reserved;
static enum status formula_reserve(int index, struct error *error)
{
    int64_t whole_ms = 0;
    (void)index;
    TRY(read_ms(start_variable, &whole_ms, error));
    pause_ms((double)whole_ms / 2);
    is_reserved = true;
    return STATUS_OK;
}

static enum status formula_open(int index, const struct warm_up *warm_up, struct device **out,
                                struct calibration *calibration, struct error *error)
{
    int64_t seed = 0, block_us = 0, whole_ms = 0;
    struct facts ignored = {0};
    (void)warm_up; /* always warm */
    enum status status = formula_facts(index, &ignored, error);
    facts_free(&ignored);
    TRY(status);
    TRY(environment_integer("TUNE_NULL_SEED", 0, INT64_MAX, 0, &seed, error));
    TRY(environment_integer("TUNE_NULL_BLOCK_US", 0, 1000000, 0, &block_us, error));
    TRY(read_ms(start_variable, &whole_ms, error));
    TRY(open_with(NULL, random_at((uint64_t)seed, (uint64_t)index), &formula_device.calibration,
                  out, calibration, error));
    (*out)->block_us = block_us;
    if (calibration)
        calibration->reserved_ns = whole_ms * 500000;
    pause_ms((double)whole_ms / (is_reserved ? 2 : 1));
    return STATUS_OK;
}

static void scripted_close(struct device *device)
{
    if (device)
        free(device->path);
    free(device);
}

static const struct recorded_device *recorded(const struct device *device)
{
    return device->recording ? &device->recording->device : &formula_device;
}

static void scripted_conditions(struct device *device, struct conditions *out)
{
    const struct recorded_device *is = recorded(device);
    *out = conditions_unknown();
    out->sm_clock_mhz = is->sm_clock_mhz;
    out->memory_clock_mhz = is->memory_clock_mhz;
    out->temperature_c = is->temperature_c;
    out->power_w = is->power_w;
    if (isnan(is->sm_clock_mhz))
        return;
    /* Values of the rounds that counted. */
    out->throttle = 0;
    out->ecc_errors = 0;
    out->other_processes = 0;
}

/* Loads the row; a row that failed before running fails likewise again. */
static enum status scripted_load(struct device *device, const char *binary_path,
                                 struct error *error)
{
    const struct recording *recording = NULL;
    struct recorded_point row;
    if (device->path && strcmp(device->path, binary_path) == 0)
        return STATUS_OK;
    TRY(read_row(binary_path, &recording, &row, NULL, error));
    if (row.status == TRIAL_LAUNCH_FAILED)
        return error_set(error, STATUS_LAUNCH_FAILED, "%s", recording_text(recording, row.detail));
    char *path = strdup(binary_path);
    TRY_MEMORY(path);
    free(device->path);
    device->path = path;
    device->row = row;
    return STATUS_OK;
}

static enum status scripted_resources(struct device *device, const struct launch *launch,
                                      struct kernel_resources *out, struct error *error)
{
    (void)error;
    *out = resources_of(device->recording, &device->row, launch, launch->kernel);
    return STATUS_OK;
}

static enum status scripted_bind(struct device *device, const struct launch_plan *plan,
                                 const void *const *inputs, uint32_t copies,
                                 const struct patch *patches, struct error *error)
{
    (void)plan, (void)inputs, (void)patches, (void)error;
    device->checks = copies == 0;
    return STATUS_OK;
}

/* ---- runs, which launch no kernels ---- */

/* Returns the row's status at this stage. */
static enum trial_status status_of(const struct device *device, recorded_text *detail)
{
    const struct recorded_point *row = &device->row;
    const bool raced = !device->alone && row->raced_status != TRIAL_OK;
    *detail = raced ? row->raced_detail : row->detail;
    return (enum trial_status)(raced ? row->raced_status : row->status);
}

/* Fails with the recorded status. Wrong results are reported later (scripted_guards_intact). */
static enum status fail_as_recorded(const struct device *device, struct error *error)
{
    recorded_text detail = 0;
    enum status status = STATUS_OK;
    if (!device->recording)
        return STATUS_OK;
    switch (status_of(device, &detail)) {
    case TRIAL_TIMED_OUT:
        status = STATUS_TIMED_OUT;
        break;
    case TRIAL_CRASHED:
        status = STATUS_DEVICE_LOST;
        break;
    case TRIAL_LAUNCH_FAILED:
    case TRIAL_COMPILE_FAILED:
        status = STATUS_LAUNCH_FAILED;
        break;
    default:
        return STATUS_OK;
    }
    return error_set(error, status, "%s", recording_text(device->recording, detail));
}

static double run_ns(const struct device *device, const struct launch_plan *plan, enum l2_mode mode,
                     enum issue issue)
{
    return device->recording ? device->row.time_ns
                             : formula_run_ns(device->row.configuration, plan, mode, issue);
}

/* Draws one of the row's samples, or log-normally about the row's time. */
static double draw_ns(struct device *device, const struct block *block)
{
    static const double deviations_most = 4;
    const struct recorded_point *row = &device->row;
    device->stream = hash_u64(&row->configuration, sizeof row->configuration, device->stream);
    if (row->sample_count > 0) {
        const double *samples = device->recording->parts[RECORDED_SAMPLES].items;
        return samples[row->first_sample + device->stream % row->sample_count];
    }
    const double angle = 2 * acos(-1) * uniform(random_at(device->stream, 1));
    const double normal = sqrt(-2 * log(uniform(random_at(device->stream, 0)))) * cos(angle);
    return run_ns(device, block->plan, block->mode, block->issue) *
           exp(row->spread * fmax(-deviations_most, fmin(deviations_most, normal)));
}

static enum status scripted_time_block(struct device *device, const struct block *block,
                                       double *elapsed_ns, struct error *error)
{
    recorded_text ignored = 0;
    device->alone = block->slot == DEVICE_SLOTS - 1;
    *elapsed_ns = draw_ns(device, block);
    if (!device->recording) { /* in steps of the timer */
        const double tick_ns = formula_device.calibration.tick_ns;
        const double steps = round(*elapsed_ns * block->runs / tick_ns);
        *elapsed_ns = fmax(1, steps) * tick_ns / block->runs;
    }
    if (device->block_us > 0)
        pause_ms((double)device->block_us / 1000);
    TRY(fail_as_recorded(device, error));
    if (*elapsed_ns > 0)
        return STATUS_OK;
    if (status_of(device, &ignored) != TRIAL_WRONG_RESULT)
        return error_set(error, STATUS_LAUNCH_FAILED, "no time of it was recorded");
    *elapsed_ns = 1; /* time of a wrong result */
    return STATUS_OK;
}

/* Fails as recorded in a first run; later ones have no effect. */
static enum status scripted_run(struct device *device, const struct launch_plan *plan,
                                enum run_start start, double *elapsed_ns, struct error *error)
{
    *elapsed_ns = run_ns(device, plan, L2_COLD, ISSUE_GRAPH);
    return start != RUN_FIRST || device->checks ? STATUS_OK : fail_as_recorded(device, error);
}

/* Reports the row's wrong results. */
static enum status scripted_guards_intact(struct device *device, const struct launch_plan *plan,
                                          bool *intact, char *detail, size_t detail_bytes,
                                          struct error *error)
{
    recorded_text why = 0;
    (void)plan, (void)error;
    *intact = true;
    if (!device->recording)
        return STATUS_OK;
    if (device->checks)
        why = device->row.checked_detail;
    else if (status_of(device, &why) != TRIAL_WRONG_RESULT)
        why = 0;
    *intact = why == 0;
    (void)string_format(detail, detail_bytes, "%s", recording_text(device->recording, why));
    return STATUS_OK;
}

static enum status scripted_inputs_intact(struct device *device, const struct launch_plan *plan,
                                          bool *intact, bool *worn, char *detail,
                                          size_t detail_bytes, struct error *error)
{
    *worn = false;
    return scripted_guards_intact(device, plan, intact, detail, detail_bytes, error);
}

static enum status scripted_anchor(struct device *device, double *elapsed_ns, struct error *error)
{
    (void)error;
    *elapsed_ns = recorded(device)->anchor_ns;
    return STATUS_OK;
}

static enum status scripted_measure_energy(struct device *device, const struct block *block,
                                           double window_ms, struct energy *out,
                                           struct error *error)
{
    const struct recorded_point *row = &device->row;
    device->alone = block->slot == DEVICE_SLOTS - 1;
    TRY(fail_as_recorded(device, error));
    if (device->recording && (row->energy_count == 0 || !(row->time_ns > 0)))
        return error_set(error, STATUS_LAUNCH_FAILED, "no energy of it was recorded");
    const double drawn_ns = draw_ns(device, block);
    double run_j = formula_energy_j(row->configuration,
                                    run_ns(device, block->plan, block->mode, block->issue));
    if (device->recording) {
        const double *samples = device->recording->parts[RECORDED_SAMPLES].items;
        run_j = samples[row->first_energy + device->stream % row->energy_count];
    }
    const double window_ns = fmax(window_ms, 1) * 1e6;
    *out = (struct energy){.window_ns = window_ns,
                           .runs = window_ns / drawn_ns,
                           .energy_j = window_ns / drawn_ns * run_j,
                           .resolution_j = device->recording ? 0 : 1e-3};
    return STATUS_OK;
}

static enum status scripted_ceilings(struct device *device, int64_t bytes,
                                     struct bandwidth *bandwidth, struct arithmetic *arithmetic,
                                     struct error *error)
{
    (void)bytes, (void)error;
    if (bandwidth)
        *bandwidth = recorded(device)->bandwidth;
    if (arithmetic)
        *arithmetic = recorded(device)->arithmetic;
    return STATUS_OK;
}

#define SCRIPTED(kind_, ...)                                                                       \
    {                                                                                              \
        .kind = kind_, .compile = scripted_compile, .inspect = scripted_inspect,                   \
        .close = scripted_close, .load = scripted_load, .resources = scripted_resources,           \
        .bind = scripted_bind, .run = scripted_run, .guards_intact = scripted_guards_intact,       \
        .inputs_intact = scripted_inputs_intact, .time_block = scripted_time_block,                \
        .anchor = scripted_anchor, .conditions = scripted_conditions,                              \
        .measure_energy = scripted_measure_energy, .ceilings = scripted_ceilings, __VA_ARGS__      \
    }
#define FROM_RECORDING                                                                             \
    .count = recorded_count, .describe = recorded_describe, .occupancy = recorded_occupies,        \
    .open = recorded_open

const struct device_api device_null =
    SCRIPTED("null", .compiles_beside_measuring = formula_compiles_beside, .count = formula_count,
             .describe = formula_describe, .occupancy = formula_occupies,
             .reserve = formula_reserve, .open = formula_open);
const struct device_api device_replay = SCRIPTED("replay", FROM_RECORDING);
const struct device_api device_replay_cpu = SCRIPTED("replay_cpu", FROM_RECORDING);
