/* The sections for every device of a kind: per problem and range of sizes the configuration that
 * loses least, at worst, over all devices that the database knows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/json.h"
#include "tuner/device/traits.h"
#include "tuner/stats/ranges.h"
#include "views/export/elsewhere.h"
#include "views/export/embedded.h"
#include "views/export/internal.h"

/* db/queries/portable.sql, portable_devices.sql */

/* Greatest loss on each device of a configuration shared by sizes, besides the best one. */
static const double within = 0.02;
static const double delta = 0.0025;
/* Greatest extra loss of a kernel already picked by devices, instead of a new one. */
static const double kept_within = 0.05;

/* A configuration at a size, of portable.sql. */
struct portable_row {
    const char *kind, *problem, *configuration;
    int64_t n, devices, launches, block;
    double loss;        /* the worst of all devices */
    const char *trials; /* one on each device, as JSON */
    const char *parameters, *derived;
};
#define OF(member) offsetof(struct portable_row, member)
static const struct store_column portable_columns[] = {
    {"kind", OF(kind), STORE_TEXT},
    {"problem", OF(problem), STORE_TEXT},
    {"configuration", OF(configuration), STORE_TEXT},
    {"trials", OF(trials), STORE_TEXT},
    {"parameters", OF(parameters), STORE_TEXT},
    {"derived", OF(derived), STORE_TEXT},
    {"n", OF(n), STORE_INTEGER},
    {"devices", OF(devices), STORE_INTEGER},
    {"launch_count", OF(launches), STORE_INTEGER},
    {"block", OF(block), STORE_INTEGER},
    {"worst_loss", OF(loss), STORE_REAL},
};

struct portable_configuration {
    const char *key;
    int64_t launches, block;
};

/* A line that waits for its section's heading. */
struct portable_line {
    struct text text;
    uint64_t majors;
};

/* Rows [0, row_count) are of one kind and problem, by size. */
struct portable {
    struct experiments *experiments;
    struct text *out;
    struct export_counts *counts;
    /* The open section: kind (NULL: none) and lines. */
    const char *section;
    struct portable_line *lines;
    size_t line_count, line_capacity;
    struct arena arena; /* memory of the problem */
    const struct portable_row *rows;
    size_t row_count;
    int64_t *sizes;
    size_t size_count;
    struct portable_configuration *configurations;
    size_t configuration_count;
    const struct portable_row **at; /* [size * configuration_count + configuration]; NULL: none */
};

/* ---- one configuration at one size ---- */

/* Common parts of several devices' rows for one configuration at one size. Zero-initialise.
 * Requirements are the greatest of all devices. */
struct common {
    struct text values, elsewhere, origin;
    struct needs needs;
    uint64_t majors; /* bits: compute capabilities of the measurements */
    int64_t devices;
    double loss;
};

static void common_free(struct common *common)
{
    text_free(&common->values);
    text_free(&common->elsewhere);
    text_free(&common->origin);
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Joins the needs: a shared line needs the most of any device. */
static void join_needs(struct needs *needs, const struct needs *others)
{
    needs->threads = greater(needs->threads, others->threads);
    needs->shared_bytes = greater(needs->shared_bytes, others->shared_bytes);
    needs->registers = greater(needs->registers, others->registers);
    needs->least = greater(needs->least, others->least);
    needs->cluster = greater(needs->cluster, others->cluster);
    needs->most = others->most < needs->most ? others->most : needs->most;
}

/* Returns true for a part of a launch ("launch.grid"); derived values have no dot. */
static bool is_of_launch(const char *name)
{
    return strncmp(name, "launch", 6) == 0 && strchr(name, '.');
}

/* Both domains. */
static void take_domain(struct text *domain, const char *other)
{
    if (other[0] == '\0' || strcmp(text_string(domain), other) == 0)
        return;
    if (domain->length > 0) {
        struct text first = *domain;
        *domain = (struct text){0};
        text_printf(domain, "(%s)&&(%s)", text_string(&first), other);
        text_free(&first);
    } else {
        text_append(domain, other);
    }
}

/* Keeps in `shared` the values of this device too: those independent of size and device, or with
 * one formula on all. Formulas that name a dropped value are dropped. Launches are kept whole or
 * not at all: without its cluster a launch would be another one. */
static enum status share_values(json_t *shared, json_t *formulas, struct text *domain,
                                struct experiments *experiments, const struct conf_row *row,
                                bool first, struct error *error)
{
    const char *name = NULL;
    json_t *value = NULL;
    void *next = NULL;
    struct elsewhere here = {0};
    json_t *own = row->derived ? json_read(row->derived, 0, NULL) : NULL;
    enum status status = elsewhere_fill(&here, experiments, row, error);
    if (first) {
        (void)json_object_update(shared, own);
        (void)json_object_update(formulas, here.formulas);
    }
    bool are_launches_alike = true;
    json_object_foreach(here.varying, name, value)
    {
        are_launches_alike &= !is_of_launch(name);
    }
    json_object_foreach(here.formulas, name, value)
    {
        are_launches_alike &= !is_of_launch(name) || json_object_get(formulas, name);
    }
    json_object_foreach_safe(formulas, next, name, value)
    {
        if (json_equal(value, json_object_get(here.formulas, name)))
            continue;
        are_launches_alike &= !is_of_launch(name);
        (void)json_object_del(formulas, name);
    }
    if (!are_launches_alike) {
        const char *part = NULL;
        json_t *formula = NULL;
        void *following = NULL;
        json_object_foreach_safe(formulas, following, part, formula)
        {
            if (is_of_launch(part))
                (void)json_object_del(formulas, part);
        }
    }
    json_object_foreach_safe(shared, next, name, value)
    {
        if (!json_object_get(formulas, name) &&
            (json_object_get(here.formulas, name) || json_object_get(here.varying, name) ||
             !json_equal(value, json_object_get(own, name))))
            (void)json_object_del(shared, name);
    }
    take_domain(domain, text_string(&here.domain));
    json_decref(own);
    elsewhere_free(&here);
    return status;
}

/* Takes the configuration's rows, one a device. */
static enum status common_take(struct common *common, struct experiments *experiments,
                               const struct conf_row *rows, size_t count, struct error *error)
{
    json_t *parameters = count > 0 ? json_read(rows->parameters, 0, NULL) : NULL;
    json_t *shared = json_object();
    json_t *formulas = json_object();
    struct text domain = {0};
    enum status status = shared && formulas ? STATUS_OK : error_no_memory(error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const struct conf_row *row = &rows[i];
        const struct known_experiment *experiment = experiments_find(experiments, row->experiment);
        if (!experiment) {
            status = experiments_status(experiments, true, error);
            break;
        }
        status = share_values(shared, formulas, &domain, experiments, row, i == 0, error);
        struct needs needs;
        elsewhere_needs(experiments, row, &needs);
        if (i == 0)
            common->needs = needs;
        join_needs(&common->needs, &needs);
        const char *capability = row->capability ? row->capability : "";
        common->majors |= UINT64_C(1) << (strtol(capability, NULL, 10) & 63);
        common->devices++;
        text_clear(&common->origin);
        append_known(&common->origin, "l2", row->l2_mode);
        append_known(&common->origin, "source", row->source);
        append_known(&common->origin, "flags", experiment->flags);
    }
    append_known(&common->elsewhere, "domain", text_string(&domain));
    common->elsewhere.failed = common->elsewhere.failed || domain.failed;
    text_free(&domain);
    if (status == STATUS_OK) {
        const char *name = NULL;
        json_t *value = NULL;
        struct text derived = {0};
        append_members(&common->values, parameters, NULL);
        json_object_foreach(shared, name, value)
        {
            if (json_object_get(parameters, name))
                continue;
            append_value(&common->values, name, value);
            text_printf(&derived, "%s%s", derived.length > 0 ? "," : "", name);
        }
        append_known(&common->elsewhere, "derived", text_string(&derived));
        json_object_foreach(formulas, name, value)
        {
            char field[CONFIGURATION_KEY_BYTES];
            if (string_format(field, sizeof field, "%s%s", strchr(name, '.') ? "" : "formula.",
                              name))
                append_field(&common->elsewhere, field, json_string_value(value));
        }
        common->elsewhere.failed = common->elsewhere.failed || derived.failed;
        text_free(&derived);
    }
    json_decref(parameters);
    json_decref(shared);
    json_decref(formulas);
    return status;
}

/* ---- choosing ---- */

static int by_demand(const struct portable_configuration *a, const struct portable_configuration *b)
{
    if (a->launches != b->launches)
        return a->launches < b->launches ? -1 : 1;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return strcmp(a->key, b->key);
}

/* Arranges sizes, configurations and rows. Returns false if memory is short. */
static bool arrange(struct portable *portable)
{
    const size_t most = portable->row_count;
    portable->size_count = portable->configuration_count = 0;
    portable->sizes = arena_alloc(&portable->arena, most, sizeof *portable->sizes);
    portable->configurations =
        arena_alloc(&portable->arena, most, sizeof *portable->configurations);
    size_t *of_row = arena_alloc(&portable->arena, most, sizeof *of_row);
    if (!portable->sizes || !portable->configurations || !of_row)
        return false;
    for (size_t i = 0; i < most; i++) {
        const struct portable_row *row = &portable->rows[i];
        if (i == 0 || row->n != row[-1].n)
            portable->sizes[portable->size_count++] = row->n;
        size_t k = 0;
        while (k < portable->configuration_count &&
               strcmp(portable->configurations[k].key, row->configuration) != 0)
            k++;
        struct portable_configuration *found = &portable->configurations[k];
        portable->configuration_count += k == portable->configuration_count;
        found->key = row->configuration;
        found->launches = greater(found->launches, row->launches);
        found->block = greater(found->block, row->block);
        of_row[i] = k;
    }
    const size_t count = portable->configuration_count;
    portable->at =
        arena_alloc(&portable->arena, portable->size_count * count, sizeof *portable->at);
    size_t size = 0;
    for (size_t i = 0; portable->at && i < most; i++) {
        size += i > 0 && portable->rows[i].n != portable->rows[i - 1].n;
        portable->at[size * count + of_row[i]] = &portable->rows[i];
    }
    return portable->at != NULL;
}

static enum status find_common(struct portable *portable, size_t size, size_t configuration,
                               struct common *common, struct error *error)
{
    const struct portable_row *row =
        portable->at[size * portable->configuration_count + configuration];
    struct conf_row *devices = NULL;
    struct arena arena = {0};
    size_t count = 0;
    text_clear(&common->values);
    text_clear(&common->elsewhere);
    text_clear(&common->origin);
    *common = (struct common){
        .values = common->values, .elsewhere = common->elsewhere, .origin = common->origin};
    common->loss = row->loss;
    enum status status = conf_rows_read(portable->experiments->store, portable_devices_query, true,
                                        (struct store_parameter[2]){{"trials", row->trials}},
                                        &arena, &devices, &count, error);
    if (status == STATUS_OK)
        status = common_take(common, portable->experiments, devices, count, error);
    arena_free(&arena);
    if (status == STATUS_OK &&
        (common->values.failed || common->elsewhere.failed || common->origin.failed))
        status = error_no_memory(error);
    return status;
}

/* ---- writing ---- */

static void append_majors(struct text *out, uint64_t majors)
{
    const char *before = " capabilities=";
    for (int major = 0; major < 64; major++)
        if (majors >> major & 1) {
            text_printf(out, "%s%d", before, major);
            before = ",";
        }
}

/* Writes the section: the major compute capabilities that all lines were measured on, and on lines
 * measured on fewer, theirs. */
static void end_section(struct portable *portable)
{
    uint64_t majors = 0;
    struct text heading = {0}, lines = {0};
    for (size_t i = 0; i < portable->line_count; i++)
        majors |= portable->lines[i].majors;
    text_printf(&heading, "[%s \"*\"]", portable->section);
    append_majors(&heading, majors & ~UINT64_C(1)); /* 0 is a CPU's */
    for (size_t i = 0; i < portable->line_count; i++) {
        struct portable_line *line = &portable->lines[i];
        text_append(&lines, text_string(&line->text));
        if (line->majors != majors)
            append_majors(&lines, line->majors);
        text_append(&lines, "\n");
        lines.failed = lines.failed || line->text.failed;
        text_free(&line->text);
    }
    section_append(portable->out, text_string(&heading), &lines);
    portable->out->failed = portable->out->failed || heading.failed || lines.failed;
    text_free(&heading);
    text_free(&lines);
    portable->line_count = 0;
}

static enum status put_line(struct portable *portable, const struct common *common, int64_t low,
                            int64_t at, int64_t high, struct error *error)
{
    const char *kind = portable->rows->kind;
    if (portable->section && strcmp(portable->section, kind) != 0)
        end_section(portable);
    portable->section = kind;
    if (!array_grow(&portable->lines, portable->line_count, &portable->line_capacity,
                    sizeof *portable->lines))
        return error_no_memory(error);
    struct portable_line *line = &portable->lines[portable->line_count++];
    *line = (struct portable_line){.majors = common->majors};
    struct text *out = &line->text;
    text_printf(out, "%s n=%lld", portable->rows->problem, (long long)low);
    if (high != low)
        text_printf(out, "-%lld", (long long)high);
    text_printf(out, "%s |", text_string(&common->values));
    if (high != low)
        text_printf(out, " at=%lld", (long long)at);
    append_bound(out, "worst_loss_percent", 2, 100 * common->loss);
    append_count(out, "devices", common->devices);
    if (device_traits(kind)->is_gpu)
        append_needs(out, &common->needs);
    text_append(out, text_string(&common->elsewhere));
    text_append(out, text_string(&common->origin));
    portable->counts->entries++;
    return STATUS_OK;
}

/* Drops other kernels where a picked one loses little more than the best, so that no further kernel
 * is compiled in; always if the problem would have too many. */
static bool leave_others_out(struct portable *portable)
{
    const size_t count = portable->configuration_count;
    bool *kept = arena_alloc(&portable->arena, portable->size_count * count, sizeof *kept);
    bool *has_kept = arena_alloc(&portable->arena, portable->size_count, sizeof *has_kept);
    size_t lacking = 0;
    if (!kept || !has_kept)
        return false;
    for (size_t size = 0; size < portable->size_count; size++) {
        double best = (double)INFINITY;
        double best_kept = (double)INFINITY;
        for (size_t i = size * count; i < (size + 1) * count; i++) {
            const struct portable_row *row = portable->at[i];
            kept[i] = row && portfolio_has(portable->experiments, row->kind, row->problem,
                                           row->parameters, row->derived);
            if (row)
                best = fmin(best, row->loss);
            if (kept[i])
                best_kept = fmin(best_kept, row->loss);
        }
        has_kept[size] = isfinite(best_kept) && best_kept <= best + kept_within;
        lacking += !has_kept[size];
    }
    const size_t picked =
        portfolio_count(portable->experiments, portable->rows->kind, portable->rows->problem);
    const bool full = picked > 0 && picked + lacking > PORTFOLIO_MAX;
    for (size_t i = 0; i < portable->size_count * count; i++)
        if (!kept[i] && (full || has_kept[i / count]))
            portable->at[i] = NULL;
    return true;
}

static enum status put_problem(struct portable *portable, struct error *error)
{
    if (!arrange(portable) || !leave_others_out(portable))
        return error_no_memory(error);
    const size_t count = portable->configuration_count;
    const size_t sizes = portable->size_count;
    struct size_range *ranges = arena_alloc(&portable->arena, sizes, sizeof *ranges);
    double *loss = arena_alloc(&portable->arena, sizes * count, sizeof *loss);
    size_t *order = arena_alloc(&portable->arena, count, sizeof *order);
    if (!ranges || !loss || !order)
        return error_no_memory(error);
    for (size_t i = 0; i < sizes * count; i++)
        loss[i] = portable->at[i] ? portable->at[i]->loss : (double)INFINITY;
    /* The fixed order among configurations that lose as much: fewer launches, smaller blocks. */
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            order[i] += by_demand(&portable->configurations[j], &portable->configurations[i]) < 0;
    const size_t range_count = ranges_cover(loss, NULL, sizes, count, order, within, delta, ranges);
    enum status status = STATUS_OK;
    int64_t low = 0;
    for (size_t i = 0; status == STATUS_OK && i < range_count; i++) {
        bool covered_before = i > 0 && ranges[i - 1].last + 1 == ranges[i].first;
        bool covered_next = i + 1 < range_count && ranges[i].last + 1 == ranges[i + 1].first;
        if (!covered_before)
            low = portable->sizes[ranges[i].first];
        /* Writes the lines of a range; `low` is the first line's begin, then the next range's. */
        const struct size_range *range = &ranges[i];
        struct common line = {0};
        struct common upper = {0};
        status = find_common(portable, range->first, range->configuration, &line, error);
        for (size_t size = range->first; status == STATUS_OK && size <= range->last; size++) {
            const int64_t n = portable->sizes[size];
            const bool last = size == range->last;
            /* Half-way to the next size if that is covered, else up to that size. */
            const int64_t high =
                !last || covered_next ? geometric_middle(n, portable->sizes[size + 1]) : n;
            if (!last)
                status = find_common(portable, size + 1, range->configuration, &upper, error);
            if (status != STATUS_OK)
                break;
            if (!last &&
                (strcmp(text_string(&line.values), text_string(&upper.values)) == 0 &&
                 strcmp(text_string(&line.elsewhere), text_string(&upper.elsewhere)) == 0 &&
                 line.majors == upper.majors)) {
                const struct common older = line;
                line = upper;
                upper = older;
                line.loss = fmax(line.loss, older.loss);
                join_needs(&line.needs, &older.needs);
                line.devices = line.devices < older.devices ? line.devices : older.devices;
                continue;
            }
            status = put_line(portable, &line, low, n, high, error);
            low = high + 1;
            const struct common done = line;
            line = upper;
            upper = done;
        }
        common_free(&line);
        common_free(&upper);
    }
    return status;
}

enum status append_portable(struct experiments *experiments, const char *objective,
                            struct text *out, struct export_counts *counts, struct error *error)
{
    const struct store_parameter parameter = {"objective", objective};
    const struct store_reading reading = {.sql = portable_query,
                                          .parameters = &parameter,
                                          .parameter_count = 1,
                                          STORE_COLUMNS(portable_columns),
                                          .row_bytes = sizeof(struct portable_row)};
    struct portable portable = {.experiments = experiments, .out = out, .counts = counts};
    struct arena arena = {0};
    struct portable_row *rows = NULL;
    size_t count = 0;
    enum status status = store_read(experiments->store, &reading, &arena, &rows, &count, error);
    for (size_t first = 0, end; status == STATUS_OK && first < count; first = end) {
        for (end = first + 1; end < count && strcmp(rows[end].kind, rows[first].kind) == 0 &&
                              strcmp(rows[end].problem, rows[first].problem) == 0;)
            end++;
        portable.rows = &rows[first];
        portable.row_count = end - first;
        status = put_problem(&portable, error);
        arena_free(&portable.arena);
    }
    end_section(&portable);
    free(portable.lines);
    arena_free(&arena);
    return status;
}
