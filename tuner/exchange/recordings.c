/* A recording out of a database: db/queries/replay_*.sql. */
#include "tuner/exchange/recordings.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/index.h"
#include "tuner/base/json.h"
#include "tuner/base/text.h"
#include "tuner/device/traits.h"
#include "tuner/exchange/embedded.h"
#include "tuner/store/query.h"

/* Standard deviations per median absolute deviation, for a normal distribution. */
static const double deviations_a_mad = 1.4826;

struct source {
    int64_t environment_id;
    const char *kind, *name, *uuid, *facts, *driver, *compiler, *day;
};

/* Items of each trial, which lie one after the other. */
struct spans {
    struct index firsts, counts;
};

struct taking {
    struct store *store;
    struct recording *out;
    int64_t environment_id, experiment_id;
    const char *l2_mode;
    struct spans resources, samples;
    recorded_text kernel; /* kernel of the last resources */
};

typedef enum status take_row(struct taking *taking, struct store_query *row, struct error *error);

/* Takes rows one by one, as there may be millions. */
static enum status take_rows(struct taking *taking, const char *sql, take_row *take,
                             struct error *error)
{
    const struct store_parameter parameters[] = {
        {"environment", STORE_NUMBER(taking->environment_id)},
        {"experiment", STORE_NUMBER(taking->experiment_id)},
        {"l2_mode", taking->l2_mode}};
    struct store_query *query = NULL;
    bool more = false;
    enum status status =
        store_query_open(taking->store, sql, parameters, COUNT(parameters), &query, error);
    if (status == STATUS_OK)
        status = store_query_next(query, &more, error);
    while (status == STATUS_OK && more) {
        status = take(taking, query, error);
        if (status == STATUS_OK)
            status = store_query_next(query, &more, error);
    }
    store_query_close(query);
    return status;
}

static int column(const struct store_query *row, const char *name)
{
    int at = 0;
    while (at < store_query_columns(row) && strcmp(store_query_name(row, at), name) != 0)
        at++;
    return at;
}

static const char *text(struct store_query *row, const char *name)
{
    return store_query_text(row, column(row, name));
}

/* Reads a number; NaN for SQL NULL. */
static double real(struct store_query *row, const char *name)
{
    return store_query_real(row, column(row, name));
}

/* Reads an integer; -1 for SQL NULL. */
static int64_t integer(struct store_query *row, const char *name)
{
    const int at = column(row, name);
    return store_query_is_number(row, at) ? store_query_integer(row, at) : -1;
}

static bool span_grow(struct spans *spans, int64_t trial, size_t at)
{
    size_t count = 0;
    if (!index_find(&spans->counts, (uint64_t)trial, &count) &&
        !index_put(&spans->firsts, (uint64_t)trial, at))
        return false;
    return index_put(&spans->counts, (uint64_t)trial, count + 1);
}

static void span_find(const struct spans *spans, int64_t trial, uint32_t *first, uint32_t *count)
{
    size_t found[2] = {0};
    if (!index_find(&spans->firsts, (uint64_t)trial, &found[0]) ||
        !index_find(&spans->counts, (uint64_t)trial, &found[1]))
        return;
    *first = (uint32_t)found[0];
    *count = (uint32_t)found[1];
}

/* ---- the device ---- */

static double or_none(double value)
{
    return isfinite(value) ? value : 0;
}

static enum status take_device(struct taking *taking, struct store_query *row, struct error *error)
{
    struct recorded_device *device = &taking->out->device;
    (void)error;
    device->calibration = (struct calibration){.tick_ns = real(row, "tick_ns"),
                                               .empty_pair_ns = real(row, "empty_pair_ns"),
                                               .node_gap_ns = or_none(real(row, "node_gap_ns"))};
    if (real(row, "anchor_ns") > 0)
        device->anchor_ns = real(row, "anchor_ns");
    device->sm_clock_mhz = real(row, "sm_clock_mhz");
    device->memory_clock_mhz = real(row, "memory_clock_mhz");
    device->temperature_c = real(row, "temperature_c");
    device->power_w = real(row, "power_w");
    device->bandwidth =
        (struct bandwidth){.host_to_device_gbs = or_none(real(row, "host_to_device_gbs")),
                           .device_to_host_gbs = or_none(real(row, "device_to_host_gbs")),
                           .copy_gbs = or_none(real(row, "copy_gbs")),
                           .read_gbs = or_none(real(row, "read_gbs")),
                           .write_gbs = or_none(real(row, "write_gbs")),
                           .bytes = (int64_t)or_none(real(row, "buffer_bytes"))};
    return STATUS_OK;
}

static enum status take_arithmetic(struct taking *taking, struct store_query *row,
                                   struct error *error)
{
    enum element_type type = ELEMENT_F32;
    (void)error;
    if (element_from_name(text(row, "type"), &type))
        taking->out->device.arithmetic.gops[type] = real(row, "gops");
    return STATUS_OK;
}

/* ---- measurements ---- */

static enum status take_resource(struct taking *taking, struct store_query *row,
                                 struct error *error)
{
    const char *kernel = text(row, "kernel");
    if (strcmp(recording_text(taking->out, taking->kernel), kernel) != 0)
        taking->kernel = recording_add_text(taking->out, kernel);
    const double occupancy = real(row, "occupancy");
    const struct recorded_resource item = {
        .kernel = taking->kernel,
        .block_threads = (uint32_t)integer(row, "block_threads"),
        .shared_bytes = (uint32_t)integer(row, "shared_bytes"),
        .registers = (int32_t)integer(row, "registers"),
        .static_shared_bytes = (int32_t)integer(row, "static_shared_bytes"),
        .local_bytes = (int32_t)integer(row, "local_bytes"),
        .spill_bytes = (int32_t)integer(row, "spill_bytes"),
        .active_blocks_per_sm = (int32_t)integer(row, "active_blocks_per_sm"),
        .occupancy = isnan(occupancy) ? -1 : occupancy,
    };
    return span_grow(&taking->resources, integer(row, "trial_id"),
                     recording_add(taking->out, RECORDED_RESOURCES, &item))
               ? STATUS_OK
               : error_no_memory(error);
}

/* Takes a time or an energy, for trials with the one or the other. */
static enum status take_sample(struct taking *taking, struct store_query *row, struct error *error)
{
    const double sample = store_query_real(row, 1);
    return span_grow(&taking->samples, store_query_integer(row, 0),
                     recording_add(taking->out, RECORDED_SAMPLES, &sample))
               ? STATUS_OK
               : error_no_memory(error);
}

static enum status take_point(struct taking *taking, struct store_query *row, struct error *error)
{
    struct recording *out = taking->out;
    enum trial_status status = TRIAL_LAUNCH_FAILED;
    enum trial_status raced = TRIAL_OK;
    const char *configuration = text(row, "configuration");
    const double median_ns = real(row, "median_ns"), mad_ns = real(row, "mad_ns");
    const int64_t trial_ns = integer(row, "duration_ns"), race_ns = integer(row, "race_ns"),
                  race_samples = integer(row, "race_samples");
    (void)error;
    (void)trial_status_from_name(text(row, "status"), &status);
    (void)trial_status_from_name(text(row, "raced_status"), &raced);
    struct recorded_point point = {
        .problem = recording_hash(text(row, "problem"), integer(row, "n")),
        .configuration = recording_hash(configuration, 0),
        .twin = recording_hash(text(row, "twin"), 0),
        .time_ns = median_ns,
        .spread = mad_ns > 0 ? deviations_a_mad * mad_ns / median_ns : 0,
        .trial_ns = trial_ns > 0 ? trial_ns : 0,
        .parameters = recording_add_text(out, text(row, "parameters")),
        .key = recording_add_text(out, configuration),
        .detail = recording_add_text(out, text(row, "detail")),
        .raced_detail = recording_add_text(out, text(row, "raced_detail")),
        .checked_detail = recording_add_text(out, text(row, "checked_detail")),
        .status = status,
        .raced_status = raced,
    };
    point.block_ns = race_samples > 0 && race_ns > 0 ? race_ns / race_samples : point.trial_ns / 4;
    span_find(&taking->resources, integer(row, "own_trial"), &point.first_resource,
              &point.resource_count);
    span_find(&taking->samples, integer(row, "timed_trial"), &point.first_sample,
              &point.sample_count);
    span_find(&taking->samples, integer(row, "energy_trial"), &point.first_energy,
              &point.energy_count);
    (void)recording_add(out, RECORDED_POINTS, &point);
    return STATUS_OK;
}

static enum status take_baseline(struct taking *taking, struct store_query *row,
                                 struct error *error)
{
    const struct recorded_baseline item = {
        .problem = recording_hash(text(row, "problem"), integer(row, "n")),
        .name = recording_add_text(taking->out, text(row, "name")),
        .parameters = recording_add_text(taking->out, text(row, "parameters")),
    };
    (void)error;
    (void)recording_add(taking->out, RECORDED_BASELINES, &item);
    return STATUS_OK;
}

static enum status take_experiment(struct taking *taking, struct store_query *row,
                                   struct error *error)
{
    const struct recorded_experiment item = {
        .name = recording_add_text(taking->out, text(row, "name")),
        .text = recording_add_text(taking->out, text(row, "text"))};
    (void)recording_add(taking->out, RECORDED_EXPERIMENTS, &item);
    taking->experiment_id = integer(row, "experiment_id");
    TRY(take_rows(taking, replay_points_query, take_point, error));
    return take_rows(taking, replay_baselines_query, take_baseline, error);
}

/* ---- whose recording ---- */

static enum status choose_source(struct taking *taking, bool cpus, struct arena *arena,
                                 const struct source **out, struct error *error)
{
#define SOURCE(member, kind) STORE_MEMBER(struct source, member, kind)
    static const struct store_column columns[] = {SOURCE(environment_id, INTEGER),
                                                  SOURCE(kind, TEXT),
                                                  SOURCE(name, TEXT),
                                                  SOURCE(uuid, TEXT),
                                                  SOURCE(facts, TEXT),
                                                  SOURCE(driver, TEXT),
                                                  SOURCE(compiler, TEXT),
                                                  SOURCE(day, TEXT)};
    const struct store_parameter parameters[] = {{"l2_mode", taking->l2_mode}};
    const struct store_reading reading = {.sql = replay_sources_query,
                                          STORE_PARAMETERS(parameters),
                                          STORE_COLUMNS(columns),
                                          .row_bytes = sizeof(struct source)};
    struct source *rows = NULL;
    size_t count = 0;
    bool has_replayed = false;
    TRY(store_read(taking->store, &reading, arena, &rows, &count, error));
    *out = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct device_traits *traits = device_traits(rows[i].kind);
        has_replayed = has_replayed || traits->is_replayed;
        if (traits->is_replayed || (traits->is_gpu ? cpus : *out != NULL))
            continue;
        *out = &rows[i];
        if (traits->is_gpu)
            break;
    }
    if (*out)
        return STATUS_OK;
    return error_set(error, STATUS_NOT_FOUND,
                     has_replayed ? "all it has of %s was itself replayed"
                                  : "it has nothing of %s that was measured with --l2 %s",
                     cpus ? "CPUs" : "devices", taking->l2_mode);
}
static enum status take_all(struct taking *taking, const struct source *source, const char *from,
                            struct error *error)
{
    const char *player = ""; /* the kind that plays recordings of the source's */
    for (size_t i = device_traits_count; i-- > 0;)
        if (device_traits_list[i].is_replayed &&
            strcmp(device_traits_list[i].section, device_traits(source->kind)->section) == 0)
            player = device_traits_list[i].kind;
    taking->out->device = (struct recorded_device){
        .anchor_ns = 100000,
        .sm_clock_mhz = (double)NAN,
        .memory_clock_mhz = (double)NAN,
        .temperature_c = (double)NAN,
        .power_w = (double)NAN,
        .source = recording_add_text(taking->out, from),
        .kind = recording_add_text(taking->out, player),
    };
    taking->environment_id = source->environment_id;
    TRY(take_rows(taking, replay_energies_query, take_sample, error));
    /* Adds the device's facts, except for the place in the machine. An energy counter exists where
     * energies were recorded. */
    static const char *const others[] = {"kind",           "index",    "name",         "uuid",
                                         "driver",         "compiler", "pci_address",  "numa_node",
                                         "energy_counter", "nvml",     "replayed_from"};
    struct recording *out = taking->out;
    struct arena arena = {0};
    json_t *facts = json_read(source->facts, 0, NULL);
    const char *key;
    json_t *value;
    const char *const name = arena_printf(&arena, "%s, replayed from %s", source->name, from);
    const char *const uuid = arena_printf(&arena, "replay:%s", source->uuid);
    if (name && uuid && facts) {
        recording_add_fact(out, "name", value_text(name));
        recording_add_fact(out, "uuid", value_text(uuid));
        recording_add_fact(out, "driver", value_text(source->driver));
        recording_add_fact(out, "compiler", value_text(source->compiler));
        recording_add_fact(out, "replayed_from", value_text(from));
        recording_add_fact(out, "energy_counter",
                           value_boolean(out->parts[RECORDED_SAMPLES].count > 0));
    }
    json_object_foreach(facts, key, value)
    {
        struct value fact;
        if (WORD_INDEX(key, others, COUNT(others)) < COUNT(others))
            continue;
        if (json_to_value(value, &fact))
            recording_add_fact(out, key, fact);
    }
    const enum status status = name && uuid && facts ? STATUS_OK : error_no_memory(error);
    json_decref(facts);
    arena_free(&arena);
    TRY(status);
    TRY(take_rows(taking, replay_device_query, take_device, error));
    TRY(take_rows(taking, replay_arithmetic_query, take_arithmetic, error));
    TRY(take_rows(taking, replay_resources_query, take_resource, error));
    TRY(take_rows(taking, replay_samples_query, take_sample, error));
    return take_rows(taking, replay_experiments_query, take_experiment, error);
}

enum status recordings_take_database(struct store *store, const char *name, bool cpus,
                                     enum l2_mode mode, struct recording *out, struct error *error)
{
    struct taking taking = {.store = store, .out = out, .l2_mode = l2_mode_name(mode)};
    struct arena arena = {0};
    const struct source *source = NULL;
    enum status status = choose_source(&taking, cpus, &arena, &source, error);
    const char *from =
        status == STATUS_OK ? arena_printf(&arena, "%s of %s", name, source->day) : NULL;
    if (status == STATUS_OK)
        status = from ? take_all(&taking, source, from, error) : error_no_memory(error);
    struct index *const indexes[] = {&taking.resources.firsts, &taking.resources.counts,
                                     &taking.samples.firsts, &taking.samples.counts};
    for (size_t i = 0; i < COUNT(indexes); i++)
        index_free(indexes[i]);
    arena_free(&arena);
    return status;
}

enum status recordings_day(struct store *store, bool cpus, char day[16], struct error *error)
{
    static const char sql[] = "SELECT d.kind, substr(max(r.started_at), 1, 10) FROM runs AS r "
                              "JOIN environments AS e ON e.id = r.environment_id "
                              "JOIN devices AS d ON d.id = e.device_id GROUP BY d.kind";
    struct store_query *query = NULL;
    bool more = false;
    day[0] = '\0';
    enum status status = store_query_open(store, sql, NULL, 0, &query, error);
    if (status == STATUS_OK)
        status = store_query_next(query, &more, error);
    while (status == STATUS_OK && more) {
        const struct device_traits *traits = device_traits(store_query_text(query, 0));
        const char *found = store_query_text(query, 1);
        if (traits->is_gpu != cpus && !traits->is_replayed && found && strcmp(found, day) > 0)
            (void)string_format(day, 16, "%s", found);
        status = store_query_next(query, &more, error);
    }
    store_query_close(query);
    return status;
}
