/* A recording out of a database. */
#include "tuner/exchange/recordings.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "tuner/base/index.h"
#include "tuner/base/json.h"
#include "tuner/base/text.h"
#include "tuner/device/traits.h"
#include "tuner/exchange/embedded.h"
#include "tuner/store/query.h"

/* db/queries/replay_*.sql */

/* Standard deviations in a median absolute deviation, of what is normal. */
static const double deviations_a_mad = 1.4826;

struct source_row {
    int64_t environment_id;
    const char *kind, *name, *uuid, *facts, *driver, *compiler, *day;
};
struct point_row {
    const char *problem, *configuration, *parameters, *twin, *status, *detail, *raced_status,
        *raced_detail, *checked_detail;
    int64_t n, own_trial, duration_ns, race_ns, race_samples, timed_trial, energy_trial;
    double median_ns, mad_ns;
};
struct experiment_row {
    int64_t experiment_id;
    const char *name, *text;
};
struct baseline_row {
    const char *problem, *name, *parameters;
    int64_t n;
};
struct resource_row {
    int64_t trial_id, block_threads, shared_bytes, static_shared_bytes, registers, local_bytes,
        spill_bytes, active_blocks_per_sm;
    const char *kernel;
    double occupancy;
};
struct device_row {
    double tick_ns, empty_pair_ns, node_gap_ns, anchor_ns, sm_clock_mhz, memory_clock_mhz,
        temperature_c, power_w, host_to_device_gbs, device_to_host_gbs, copy_gbs, read_gbs,
        write_gbs;
    int64_t buffer_bytes;
};
struct arithmetic_row {
    const char *type;
    double gops;
};
#define COLUMN(row, member, kind)                                                                  \
    {                                                                                              \
#member, offsetof(struct row, member), kind                                                \
    }

struct taking {
    struct store *store;
    struct recording_draft *draft;
    struct arena arena;
    char environment[24], experiment[24];
    const char *l2_mode;
    /* by trial */
    struct index first_resources, resource_counts, first_samples, sample_counts;
};

static enum status read_rows(struct taking *taking, const char *sql,
                             const struct store_column *columns, size_t column_count,
                             size_t row_bytes, void *rows, size_t *count, struct error *error)
{
    const struct store_parameter parameters[] = {{"environment", taking->environment},
                                                 {"experiment", taking->experiment},
                                                 {"l2_mode", taking->l2_mode}};
    const struct store_reading reading = {.sql = sql,
                                          .parameters = parameters,
                                          .parameter_count = sizeof parameters / sizeof *parameters,
                                          .columns = columns,
                                          .column_count = column_count,
                                          .row_bytes = row_bytes};
    return store_read(taking->store, &reading, &taking->arena, rows, count, error);
}
#define READ_ROWS(taking, sql, columns, rows, count, error)                                        \
    read_rows(taking, sql, columns, sizeof(columns) / sizeof *(columns), sizeof **(rows), rows,    \
              count, error)

/* ---- the device ---- */

static void add_fact(struct recording_draft *draft, const char *key, struct value value)
{
    char label[64];
    (void)string_format(label, sizeof label, "%s", key);
    for (char *at = label; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    if (label[0] >= 'a' && label[0] <= 'z')
        label[0] = (char)(label[0] - 'a' + 'A');
    const struct fact fact = {.key = key, .label = label, .unit = "", .value = value};
    draft_fact(draft, &fact);
}

/* Of the device as it was; where it sat in its machine means nothing here. There is a counter of
 * energy where energies were recorded. */
static enum status take_facts(struct taking *taking, const struct source_row *source,
                              const char *from, struct error *error)
{
    static const char *const others[] = {"kind",           "index",    "name",         "uuid",
                                         "driver",         "compiler", "pci_address",  "numa_node",
                                         "energy_counter", "nvml",     "replayed_from"};
    struct recording_draft *draft = taking->draft;
    json_t *facts = json_read(source->facts, 0, NULL);
    const char *key;
    json_t *value;
    const char *const name =
        arena_printf(&taking->arena, "%s, replayed from %s", source->name, from);
    const char *const uuid = arena_printf(&taking->arena, "replay:%s", source->uuid);
    if (!name || !uuid || !facts) {
        json_decref(facts);
        return error_no_memory(error);
    }
    add_fact(draft, "name", value_text(name));
    add_fact(draft, "uuid", value_text(uuid));
    add_fact(draft, "driver", value_text(source->driver));
    add_fact(draft, "compiler", value_text(source->compiler));
    add_fact(draft, "replayed_from", value_text(from));
    add_fact(draft, "energy_counter", value_boolean(draft->parts[RECORDED_SAMPLES].count > 0));
    json_object_foreach(facts, key, value)
    {
        bool is_other = false;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            is_other = is_other || strcmp(others[i], key) == 0;
        if (is_other)
            continue;
        if (json_is_integer(value))
            add_fact(draft, key, value_integer((int64_t)json_integer_value(value)));
        else if (json_is_real(value))
            add_fact(draft, key, value_real(json_real_value(value)));
        else if (json_is_boolean(value))
            add_fact(draft, key, value_boolean(json_is_true(value)));
        else if (json_is_string(value))
            add_fact(draft, key, value_text(json_string_value(value)));
    }
    json_decref(facts);
    return STATUS_OK;
}

static double or_none(double value)
{
    return isfinite(value) ? value : 0;
}

static enum status take_device(struct taking *taking, struct error *error)
{
    static const struct store_column columns[] = {
        COLUMN(device_row, tick_ns, STORE_REAL),
        COLUMN(device_row, empty_pair_ns, STORE_REAL),
        COLUMN(device_row, node_gap_ns, STORE_REAL),
        COLUMN(device_row, anchor_ns, STORE_REAL),
        COLUMN(device_row, sm_clock_mhz, STORE_REAL),
        COLUMN(device_row, memory_clock_mhz, STORE_REAL),
        COLUMN(device_row, temperature_c, STORE_REAL),
        COLUMN(device_row, power_w, STORE_REAL),
        COLUMN(device_row, host_to_device_gbs, STORE_REAL),
        COLUMN(device_row, device_to_host_gbs, STORE_REAL),
        COLUMN(device_row, copy_gbs, STORE_REAL),
        COLUMN(device_row, read_gbs, STORE_REAL),
        COLUMN(device_row, write_gbs, STORE_REAL),
        COLUMN(device_row, buffer_bytes, STORE_INTEGER),
    };
    static const struct store_column gops_columns[] = {
        COLUMN(arithmetic_row, type, STORE_TEXT),
        COLUMN(arithmetic_row, gops, STORE_REAL),
    };
    struct recorded_device *device = &taking->draft->device;
    struct device_row *row = NULL;
    struct arithmetic_row *gops = NULL;
    size_t count = 0;
    enum status status = READ_ROWS(taking, replay_device_query, columns, &row, &count, error);
    if (status == STATUS_OK && count > 0) {
        device->calibration = (struct calibration){.tick_ns = row->tick_ns,
                                                   .empty_pair_ns = row->empty_pair_ns,
                                                   .node_gap_ns = or_none(row->node_gap_ns)};
        device->anchor_ns = row->anchor_ns > 0 ? row->anchor_ns : device->anchor_ns;
        device->sm_clock_mhz = row->sm_clock_mhz;
        device->memory_clock_mhz = row->memory_clock_mhz;
        device->temperature_c = row->temperature_c;
        device->power_w = row->power_w;
        device->bandwidth =
            (struct bandwidth){.host_to_device_gbs = or_none(row->host_to_device_gbs),
                               .device_to_host_gbs = or_none(row->device_to_host_gbs),
                               .copy_gbs = or_none(row->copy_gbs),
                               .read_gbs = or_none(row->read_gbs),
                               .write_gbs = or_none(row->write_gbs),
                               .bytes = row->buffer_bytes > 0 ? row->buffer_bytes : 0};
    }
    if (status == STATUS_OK)
        status = READ_ROWS(taking, replay_arithmetic_query, gops_columns, &gops, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        enum element_type type = ELEMENT_F32;
        if (element_from_name(gops[i].type, &type))
            device->arithmetic.gops[type] = gops[i].gops;
    }
    return status;
}

/* ---- what was measured ---- */

static bool count_of(struct index *firsts, struct index *counts, int64_t trial, size_t at)
{
    size_t count = 0;
    if (!index_find(counts, (uint64_t)trial, &count) && !index_put(firsts, (uint64_t)trial, at))
        return false;
    return index_put(counts, (uint64_t)trial, count + 1);
}

static enum status take_resources(struct taking *taking, struct error *error)
{
    static const struct store_column columns[] = {
        COLUMN(resource_row, trial_id, STORE_INTEGER),
        COLUMN(resource_row, kernel, STORE_TEXT),
        COLUMN(resource_row, block_threads, STORE_INTEGER),
        COLUMN(resource_row, shared_bytes, STORE_INTEGER),
        COLUMN(resource_row, static_shared_bytes, STORE_INTEGER),
        COLUMN(resource_row, registers, STORE_INTEGER),
        COLUMN(resource_row, local_bytes, STORE_INTEGER),
        COLUMN(resource_row, spill_bytes, STORE_INTEGER),
        COLUMN(resource_row, active_blocks_per_sm, STORE_INTEGER),
        COLUMN(resource_row, occupancy, STORE_REAL),
    };
    struct resource_row *rows = NULL;
    size_t count = 0;
    struct recording_draft *draft = taking->draft;
    const char *last = NULL;
    recorded_text last_text = 0;
    enum status status = READ_ROWS(taking, replay_resources_query, columns, &rows, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        if (!last || strcmp(last, rows[i].kernel) != 0)
            last_text = draft_text(draft, rows[i].kernel);
        last = rows[i].kernel;
        const struct recorded_resource item = {
            .kernel = last_text,
            .block_threads = (uint32_t)rows[i].block_threads,
            .shared_bytes = (uint32_t)rows[i].shared_bytes,
            .registers = (int32_t)rows[i].registers,
            .static_shared_bytes = (int32_t)rows[i].static_shared_bytes,
            .local_bytes = (int32_t)rows[i].local_bytes,
            .spill_bytes = (int32_t)rows[i].spill_bytes,
            .active_blocks_per_sm = (int32_t)rows[i].active_blocks_per_sm,
            .occupancy = isnan(rows[i].occupancy) ? -1 : rows[i].occupancy,
        };
        if (!count_of(&taking->first_resources, &taking->resource_counts, rows[i].trial_id,
                      draft_add(draft, RECORDED_RESOURCES, &item)))
            status = error_no_memory(error);
    }
    return status;
}

/* Times, or energies, by trials that have the one or the other. There may be millions: one after
 * the other. */
static enum status take_samples(struct taking *taking, const char *sql, struct error *error)
{
    const struct store_parameter parameters[] = {{"environment", taking->environment}};
    struct store_query *query = NULL;
    bool more = false;
    enum status status = store_query_open(taking->store, sql, parameters, 1, &query, error);
    if (status == STATUS_OK)
        status = store_query_next(query, &more, error);
    while (status == STATUS_OK && more) {
        const double sample = store_query_real(query, 1);
        if (!count_of(&taking->first_samples, &taking->sample_counts, store_query_integer(query, 0),
                      draft_add(taking->draft, RECORDED_SAMPLES, &sample)))
            status = error_no_memory(error);
        else
            status = store_query_next(query, &more, error);
    }
    store_query_close(query);
    return status;
}

static void add_point(struct taking *taking, const struct point_row *row, recorded_text parameters)
{
    struct recording_draft *draft = taking->draft;
    enum trial_status status = TRIAL_LAUNCH_FAILED;
    enum trial_status raced = TRIAL_OK;
    size_t first = 0;
    size_t count = 0;
    (void)trial_status_from_name(row->status, &status);
    (void)trial_status_from_name(row->raced_status, &raced);
    struct recorded_point point = {
        .problem = recording_problem_hash(row->problem, row->n),
        .configuration = recording_configuration_hash(row->configuration),
        .twin = recording_configuration_hash(row->twin),
        .time_ns = row->median_ns,
        .spread = row->mad_ns > 0 ? deviations_a_mad * row->mad_ns / row->median_ns : 0,
        .trial_ns = row->duration_ns > 0 ? row->duration_ns : 0,
        .key = draft_text(draft, row->configuration),
        .parameters = parameters,
        .detail = draft_text(draft, row->detail),
        .raced_detail = draft_text(draft, row->raced_detail),
        .checked_detail = draft_text(draft, row->checked_detail),
        .status = status,
        .raced_status = raced,
    };
    point.block_ns = row->race_samples > 0 && row->race_ns > 0 ? row->race_ns / row->race_samples
                                                               : point.trial_ns / 4;
    if (index_find(&taking->first_resources, (uint64_t)row->own_trial, &first) &&
        index_find(&taking->resource_counts, (uint64_t)row->own_trial, &count)) {
        point.first_resource = (uint32_t)first;
        point.resource_count = (uint32_t)count;
    }
    if (index_find(&taking->first_samples, (uint64_t)row->timed_trial, &first) &&
        index_find(&taking->sample_counts, (uint64_t)row->timed_trial, &count)) {
        point.first_sample = (uint32_t)first;
        point.sample_count = (uint32_t)count;
    }
    if (index_find(&taking->first_samples, (uint64_t)row->energy_trial, &first) &&
        index_find(&taking->sample_counts, (uint64_t)row->energy_trial, &count)) {
        point.first_energy = (uint32_t)first;
        point.energy_count = (uint32_t)count;
    }
    (void)draft_add(draft, RECORDED_POINTS, &point);
}

static enum status take_points(struct taking *taking, struct error *error)
{
    static const struct store_column columns[] = {
        COLUMN(point_row, problem, STORE_TEXT),
        COLUMN(point_row, n, STORE_INTEGER),
        COLUMN(point_row, configuration, STORE_TEXT),
        COLUMN(point_row, parameters, STORE_TEXT),
        COLUMN(point_row, twin, STORE_TEXT),
        COLUMN(point_row, own_trial, STORE_INTEGER),
        COLUMN(point_row, status, STORE_TEXT),
        COLUMN(point_row, detail, STORE_TEXT),
        COLUMN(point_row, duration_ns, STORE_INTEGER),
        COLUMN(point_row, race_ns, STORE_INTEGER),
        COLUMN(point_row, race_samples, STORE_INTEGER),
        COLUMN(point_row, raced_status, STORE_TEXT),
        COLUMN(point_row, raced_detail, STORE_TEXT),
        COLUMN(point_row, timed_trial, STORE_INTEGER),
        COLUMN(point_row, median_ns, STORE_REAL),
        COLUMN(point_row, mad_ns, STORE_REAL),
        COLUMN(point_row, energy_trial, STORE_INTEGER),
        COLUMN(point_row, checked_detail, STORE_TEXT),
    };
    static const struct store_column baseline_columns[] = {
        COLUMN(baseline_row, problem, STORE_TEXT),
        COLUMN(baseline_row, n, STORE_INTEGER),
        COLUMN(baseline_row, name, STORE_TEXT),
        COLUMN(baseline_row, parameters, STORE_TEXT),
    };
    struct point_row *rows = NULL;
    struct baseline_row *baselines = NULL;
    size_t count = 0;
    struct recording_draft *draft = taking->draft;
    enum status status = READ_ROWS(taking, replay_points_query, columns, &rows, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        add_point(taking, &rows[i], draft_text(draft, rows[i].parameters));
    if (status == STATUS_OK)
        status =
            READ_ROWS(taking, replay_baselines_query, baseline_columns, &baselines, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const struct recorded_baseline item = {
            .problem = recording_problem_hash(baselines[i].problem, baselines[i].n),
            .name = draft_text(draft, baselines[i].name),
            .parameters = draft_text(draft, baselines[i].parameters),
        };
        (void)draft_add(draft, RECORDED_BASELINES, &item);
    }
    return status;
}

static enum status take_experiments(struct taking *taking, struct error *error)
{
    static const struct store_column columns[] = {
        COLUMN(experiment_row, experiment_id, STORE_INTEGER),
        COLUMN(experiment_row, name, STORE_TEXT),
        COLUMN(experiment_row, text, STORE_TEXT),
    };
    struct experiment_row *rows = NULL;
    size_t count = 0;
    struct recording_draft *draft = taking->draft;
    enum status status = READ_ROWS(taking, replay_experiments_query, columns, &rows, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const struct recorded_experiment item = {.name = draft_text(draft, rows[i].name),
                                                 .text = draft_text(draft, rows[i].text)};
        (void)draft_add(draft, RECORDED_EXPERIMENTS, &item);
        (void)string_format(taking->experiment, sizeof taking->experiment, "%" PRId64,
                            rows[i].experiment_id);
        status = take_points(taking, error);
    }
    return status;
}

static enum status choose_source(struct taking *taking, bool cpus, const struct source_row **out,
                                 struct error *error)
{
    static const struct store_column columns[] = {
        COLUMN(source_row, environment_id, STORE_INTEGER),
        COLUMN(source_row, kind, STORE_TEXT),
        COLUMN(source_row, name, STORE_TEXT),
        COLUMN(source_row, uuid, STORE_TEXT),
        COLUMN(source_row, facts, STORE_TEXT),
        COLUMN(source_row, driver, STORE_TEXT),
        COLUMN(source_row, compiler, STORE_TEXT),
        COLUMN(source_row, day, STORE_TEXT),
    };
    struct source_row *rows = NULL;
    size_t count = 0;
    bool has_replayed = false;
    enum status status = READ_ROWS(taking, replay_sources_query, columns, &rows, &count, error);
    if (status != STATUS_OK)
        return status;
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

/* Of what plays the recordings of a kind. */
static const char *player_of(const char *kind)
{
    const char *section = device_traits(kind)->section;
    for (size_t i = 0; i < device_traits_count; i++)
        if (device_traits_list[i].is_replayed &&
            strcmp(device_traits_list[i].section, section) == 0)
            return device_traits_list[i].kind;
    return "";
}

enum status recordings_take_database(struct store *store, const char *name, bool cpus,
                                     enum l2_mode mode, struct recording_draft *out,
                                     struct error *error)
{
    struct taking taking = {.store = store, .draft = out, .l2_mode = l2_mode_name(mode)};
    const struct source_row *source = NULL;
    out->device = (struct recorded_device){.anchor_ns = 100000,
                                           .sm_clock_mhz = (double)NAN,
                                           .memory_clock_mhz = (double)NAN,
                                           .temperature_c = (double)NAN,
                                           .power_w = (double)NAN};
    enum status status = choose_source(&taking, cpus, &source, error);
    const char *from =
        status == STATUS_OK ? arena_printf(&taking.arena, "%s of %s", name, source->day) : NULL;
    if (status == STATUS_OK && !from)
        status = error_no_memory(error);
    if (status == STATUS_OK) {
        out->device.source = draft_text(out, from);
        out->device.kind = draft_text(out, player_of(source->kind));
        (void)string_format(taking.environment, sizeof taking.environment, "%" PRId64,
                            source->environment_id);
        status = take_samples(&taking, replay_energies_query, error);
    }
    if (status == STATUS_OK)
        status = take_facts(&taking, source, from, error);
    if (status == STATUS_OK)
        status = take_device(&taking, error);
    if (status == STATUS_OK)
        status = take_resources(&taking, error);
    if (status == STATUS_OK)
        status = take_samples(&taking, replay_samples_query, error);
    if (status == STATUS_OK)
        status = take_experiments(&taking, error);
    index_free(&taking.first_resources);
    index_free(&taking.resource_counts);
    index_free(&taking.first_samples);
    index_free(&taking.sample_counts);
    arena_free(&taking.arena);
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
