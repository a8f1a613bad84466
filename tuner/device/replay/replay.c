/* The replay device: a GPU, or a machine's processors, that is a recording
 * (tuner/device/recording.h). A binary is the name of a recorded point, and all that is said of it
 * (failures, resources, times) is what was recorded of that point; timings are drawn from its
 * samples, or about its time. What is not recorded cannot be loaded. The same recording, seed and
 * order of timings give the same numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/environment.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/random.h"
#include "tuner/device/kinds.h"
#include "tuner/device/nothing.h"
#include "tuner/device/recording.h"

struct device {
    struct recording *recording;
    uint64_t stream; /* of the noise: goes on with each timing, by what is timed */
    char *path;      /* of the current binary; NULL: none yet */
    const struct recorded_point *point;
    bool checks; /* what was bound is to be checked, not timed */
    bool alone;  /* what is timed is timed alone, as in a sweep */
};

/* Of a run there is one recording: processes that only ask keep it open. */
static enum status ask_recording(const struct recording **out, struct error *error)
{
    static struct recording *kept;
    const char *path = getenv(RECORDING_FILE_VARIABLE);
    if (!kept && (!path || !*path))
        return error_set(error, STATUS_UNAVAILABLE,
                         "there is no recording to replay; 'tune run --device replay' plays one");
    enum status status = kept ? STATUS_OK : recording_open(path, &kept, error);
    *out = kept;
    return status;
}

static enum status replay_count(int *count, struct error *error)
{
    (void)error;
    *count = 1;
    return STATUS_OK;
}

static enum status replay_describe(int index, struct facts *facts, struct error *error)
{
    const struct recording *recording = NULL;
    if (index != 0)
        return error_set(error, STATUS_NOT_FOUND, "a recording is one device, of index 0");
    enum status status = ask_recording(&recording, error);
    if (status != STATUS_OK)
        return status;
    facts_add_text(facts, "kind", "Kind", recording_kind(recording));
    facts_add_integer(facts, "index", "Index", "", index);
    return recording_facts(recording, facts, error);
}

/* ---- binaries: the name of a point ---- */

static enum status replay_compile(const struct binary_request *request, const char *binary_path,
                                  struct text *log, struct error *error)
{
    char name[RECORDING_POINT_BYTES] = "";
    uint64_t problem = 0;
    uint64_t configuration = 0;
    const struct recording *recording = NULL;
    for (size_t i = 0; i < request->define_count; i++)
        if (strcmp(request->defines[i].name, RECORDING_POINT_DEFINE) == 0)
            (void)value_format(request->defines[i].value, name, sizeof name);
    if (!recording_point_parse(name, &problem, &configuration))
        return error_set(error, STATUS_COMPILE_FAILED, "the replay device compiles nothing");
    enum status status = ask_recording(&recording, error);
    if (status != STATUS_OK)
        return status;
    const struct recorded_point *point = recording_find(recording, problem, configuration);
    if (point && point->status == TRIAL_COMPILE_FAILED) {
        const char *detail = recording_text(recording, point->detail);
        text_append(log, detail);
        return error_set(error, STATUS_COMPILE_FAILED, "%s", detail);
    }
    return file_write_atomically(binary_path, name, strlen(name) + 1, error);
}

static enum status find_point(const struct recording *recording, const char *path,
                              const struct recorded_point **out, struct error *error)
{
    enum { BINARY_BYTES_MAX = 1 << 12 };
    struct arena arena = {0};
    char *name = NULL;
    uint64_t problem = 0;
    uint64_t configuration = 0;
    *out = NULL;
    enum status status = file_read(&arena, path, BINARY_BYTES_MAX, &name, NULL, error);
    if (status == STATUS_OK && recording_point_parse(name, &problem, &configuration))
        *out = recording_find(recording, problem, configuration);
    if (status == STATUS_OK && !*out)
        status = error_set(error, STATUS_LAUNCH_FAILED, "it was not recorded");
    arena_free(&arena);
    return status;
}

/* By the kernel, of several launches of one by what else tells them apart. */
static struct kernel_resources resources_of(const struct recording *recording,
                                            const struct recorded_point *point,
                                            const struct launch *launch, const char *kernel)
{
    const struct recorded_resource *items = recording_resources(recording, point);
    const struct recorded_resource *best = NULL;
    int best_alike = -1;
    for (uint32_t i = 0; i < point->resource_count; i++) {
        if (strcmp(recording_text(recording, items[i].kernel), kernel) != 0)
            continue;
        const int alike = launch ? (items[i].block_threads == launch_block_threads(launch)) +
                                       (items[i].shared_bytes == launch->shared_bytes)
                                 : 0;
        if (alike > best_alike) {
            best = &items[i];
            best_alike = alike;
        }
    }
    struct kernel_resources out = resources_unknown();
    if (!best)
        return out;
    out.registers = best->registers;
    out.static_shared_bytes = best->static_shared_bytes;
    out.local_bytes = best->local_bytes;
    out.spill_bytes = best->spill_bytes;
    out.active_blocks_per_sm = best->active_blocks_per_sm;
    out.occupancy = best->occupancy;
    return out;
}

/* Points that launched the same have the same code; no others have. */
static enum status replay_inspect(const char *binary_path, const char *kernel,
                                  struct kernel_resources *resources, char *code_hash,
                                  struct error *error)
{
    const struct recording *recording = NULL;
    const struct recorded_point *point = NULL;
    enum status status = ask_recording(&recording, error);
    if (status == STATUS_OK)
        status = find_point(recording, binary_path, &point, error);
    if (status != STATUS_OK)
        return status;
    const uint64_t code[] = {point->problem, point->twin};
    if (code_hash)
        hash_bytes(code, sizeof code, code_hash);
    if (resources)
        *resources = resources_of(recording, point, NULL, kernel);
    return STATUS_OK;
}

/* As it was recorded: nothing is left to compute. */
static enum status replay_occupancy(const struct facts *facts, const struct launch *launch,
                                    struct kernel_resources *resources, struct error *error)
{
    (void)facts, (void)launch, (void)resources, (void)error;
    return STATUS_OK;
}

/* ---- the open device ---- */

static void replay_close(struct device *device)
{
    if (!device)
        return;
    recording_close(device->recording);
    free(device->path);
    free(device);
}

static enum status replay_open(int index, const struct warm_up *warm_up, struct device **out,
                               struct error *error)
{
    int64_t seed = 0;
    const char *path = getenv(RECORDING_FILE_VARIABLE);
    (void)index, (void)warm_up; /* it is always warm */
    enum status status =
        environment_integer(RECORDING_SEED_VARIABLE, 0, INT64_MAX, 0, &seed, error);
    struct device *device = calloc(1, sizeof *device);
    if (!device)
        return error_no_memory(error);
    if (status == STATUS_OK)
        status = recording_open(path ? path : "", &device->recording, error);
    device->stream = random_at((uint64_t)seed, 0);
    if (status == STATUS_OK)
        *out = device;
    else
        replay_close(device);
    return status;
}

static void replay_calibration(const struct device *device, struct calibration *out)
{
    *out = recording_device(device->recording)->calibration;
}

static void replay_conditions(struct device *device, struct conditions *out)
{
    const struct recorded_device *recorded = recording_device(device->recording);
    *out = conditions_unknown();
    out->sm_clock_mhz = recorded->sm_clock_mhz;
    out->memory_clock_mhz = recorded->memory_clock_mhz;
    out->temperature_c = recorded->temperature_c;
    out->power_w = recorded->power_w;
    if (isnan(recorded->sm_clock_mhz))
        return;
    /* Of the rounds that counted. */
    out->throttle = 0;
    out->ecc_errors = 0;
    out->other_processes = 0;
}

/* What failed before it ran does so again. */
static enum status replay_load(struct device *device, const char *binary_path, struct error *error)
{
    if (device->path && strcmp(device->path, binary_path) == 0)
        return STATUS_OK;
    const struct recorded_point *point = NULL;
    enum status status = find_point(device->recording, binary_path, &point, error);
    if (status == STATUS_OK && point->status == TRIAL_LAUNCH_FAILED)
        return error_set(error, STATUS_LAUNCH_FAILED, "%s",
                         recording_text(device->recording, point->detail));
    char *path = status == STATUS_OK ? strdup(binary_path) : NULL;
    if (status != STATUS_OK || !path)
        return status != STATUS_OK ? status : error_no_memory(error);
    free(device->path);
    device->path = path;
    device->point = point;
    return STATUS_OK;
}

static enum status replay_resources(struct device *device, const struct launch *launch,
                                    struct kernel_resources *out, struct error *error)
{
    (void)error;
    *out = resources_of(device->recording, device->point, launch, launch->kernel);
    return STATUS_OK;
}

static enum status replay_bind(struct device *device, const struct launch_plan *plan,
                               const void *const *inputs, uint32_t copies, struct error *error)
{
    (void)plan, (void)inputs, (void)error;
    device->checks = copies == 0;
    return STATUS_OK;
}

/* What became of it in this stage when it was recorded. */
static enum trial_status recorded_status(const struct device *device, recorded_text *detail)
{
    const struct recorded_point *point = device->point;
    const bool raced = !device->alone && point->raced_status != TRIAL_OK;
    *detail = raced ? point->raced_detail : point->detail;
    return (enum trial_status)(raced ? point->raced_status : point->status);
}

/* What is wrong is found when results are looked at (replay_guards). */
static enum status fail_as_recorded(const struct device *device, struct error *error)
{
    recorded_text detail = 0;
    enum status status = STATUS_OK;
    switch (recorded_status(device, &detail)) {
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
        break;
    }
    return status == STATUS_OK
               ? STATUS_OK
               : error_set(error, status, "%s", recording_text(device->recording, detail));
}

static double uniform(uint64_t bits)
{
    return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

/* One of its samples, or log-normal about its time. */
static double draw_ns(struct device *device)
{
    static const double deviations_most = 4;
    const struct recorded_point *point = device->point;
    device->stream = hash_u64(&point->configuration, sizeof point->configuration, device->stream);
    if (point->sample_count > 0)
        return recording_samples(device->recording, point)[device->stream % point->sample_count];
    const double angle = 2 * acos(-1) * uniform(random_at(device->stream, 1));
    const double normal = sqrt(-2 * log(uniform(random_at(device->stream, 0)))) * cos(angle);
    return point->time_ns *
           exp(point->spread * fmax(-deviations_most, fmin(deviations_most, normal)));
}

static enum status replay_time_block(struct device *device, const struct block *block,
                                     double *elapsed_ns, struct error *error)
{
    device->alone = block->slot == DEVICE_SLOTS - 1;
    enum status status = fail_as_recorded(device, error);
    *elapsed_ns = draw_ns(device);
    if (status == STATUS_OK && !(*elapsed_ns > 0)) {
        recorded_text ignored = 0;
        if (recorded_status(device, &ignored) != TRIAL_WRONG_RESULT)
            return error_set(error, STATUS_LAUNCH_FAILED, "no time of it was recorded");
        *elapsed_ns = 1; /* of a wrong result */
    }
    return status;
}

static enum status replay_run(struct device *device, const struct launch_plan *plan,
                              double *elapsed_ns, struct error *error)
{
    (void)plan;
    *elapsed_ns = device->point->time_ns;
    return device->checks ? STATUS_OK : fail_as_recorded(device, error);
}

/* Whatever was found wrong. */
static enum status replay_guards(struct device *device, const struct launch_plan *plan,
                                 bool *intact, char *detail, size_t detail_bytes,
                                 struct error *error)
{
    recorded_text why = 0;
    (void)plan, (void)error;
    if (device->checks)
        why = device->point->checked_detail;
    else if (recorded_status(device, &why) != TRIAL_WRONG_RESULT)
        why = 0;
    *intact = why == 0;
    (void)string_format(detail, detail_bytes, "%s", recording_text(device->recording, why));
    return STATUS_OK;
}

static enum status replay_intact(struct device *device, const struct launch_plan *plan,
                                 bool *intact, bool *worn, char *detail, size_t detail_bytes,
                                 struct error *error)
{
    *worn = false;
    return replay_guards(device, plan, intact, detail, detail_bytes, error);
}

static enum status replay_anchor(struct device *device, double *elapsed_ns, struct error *error)
{
    (void)error;
    *elapsed_ns = recording_device(device->recording)->anchor_ns;
    return STATUS_OK;
}

static enum status replay_measure_energy(struct device *device, const struct block *block,
                                         double window_ms, struct energy *out, struct error *error)
{
    const struct recorded_point *point = device->point;
    device->alone = block->slot == DEVICE_SLOTS - 1;
    enum status status = fail_as_recorded(device, error);
    if (status == STATUS_OK && (point->energy_count == 0 || !(point->time_ns > 0)))
        status = error_set(error, STATUS_LAUNCH_FAILED, "no energy of it was recorded");
    if (status != STATUS_OK)
        return status;
    const double run_ns = draw_ns(device);
    const double *energies = recording_energies(device->recording, point);
    out->window_ns = window_ms * 1e6;
    out->runs = out->window_ns / run_ns;
    out->energy_j = out->runs * energies[device->stream % point->energy_count];
    out->resolution_j = 0;
    return STATUS_OK;
}

static enum status replay_bandwidth(struct device *device, int64_t bytes, struct bandwidth *out,
                                    struct error *error)
{
    (void)bytes, (void)error;
    *out = recording_device(device->recording)->bandwidth;
    return STATUS_OK;
}

static enum status replay_arithmetic(struct device *device, struct arithmetic *out,
                                     struct error *error)
{
    (void)error;
    *out = recording_device(device->recording)->arithmetic;
    return STATUS_OK;
}

/* blocks_to_judge: else what is tried next hung on which binary was written first. */
#define REPLAY_API(kind_)                                                                          \
    {                                                                                              \
        .kind = kind_, .blocks_to_judge = 1, .intact_is_cheap = true, .count = replay_count,       \
        .describe = replay_describe, .compile = replay_compile, .inspect = replay_inspect,         \
        .occupancy = replay_occupancy, .open = replay_open, .close = replay_close,                 \
        .calibration = replay_calibration, .load = replay_load, .resources = replay_resources,     \
        .bind = replay_bind, .run = replay_run, .guards = replay_guards, .intact = replay_intact,  \
        .time_block = replay_time_block, .anchor = replay_anchor, .conditions = replay_conditions, \
        .measure_energy = replay_measure_energy, .bandwidth = replay_bandwidth,                    \
        .arithmetic = replay_arithmetic, COMPUTES_NOTHING                                          \
    }

const struct device_api device_replay = REPLAY_API("replay");
const struct device_api device_replay_cpu = REPLAY_API("replay_cpu");
