/* The sections for every device of a kind: per problem and range of sizes the configuration that
 * loses least, at worst, over all devices that the database knows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/device/traits.h"
#include "tuner/export/common.h"
#include "tuner/stats/ranges.h"

/* db/queries/portable.sql, portable_devices.sql */
extern const char portable_query[];
extern const char portable_devices_query[];

/* Sizes share a configuration that loses at most this on each device; or whatever is best there. */
static const double within = 0.02;
static const double delta = 0.0025;

enum portable_column {
    PORTABLE_KIND,
    PORTABLE_PROBLEM,
    PORTABLE_N,
    PORTABLE_DEVICES,
    PORTABLE_CONFIGURATION,
    PORTABLE_PARAMETERS,
    PORTABLE_LAUNCHES,
    PORTABLE_BLOCK,
    PORTABLE_LOSS,
    PORTABLE_TRIALS,
    PORTABLE_COUNT
};

struct portable_size {
    int64_t n;
    int64_t devices;
};

struct portable_configuration {
    const char *key;
    int64_t launches, block;
};

/* A configuration at a size. */
struct portable_row {
    size_t size, configuration; /* by index */
    double loss;
    const char *trials; /* one on each device, as JSON */
};

/* A line that waits for the heading of its section. */
struct portable_line {
    struct text text;
    uint64_t majors;
};

/* All of one kind and problem. */
struct portable {
    struct store *store;
    struct experiments *experiments;
    struct text *out;
    struct export_counts *counts;
    /* The section in the making: its kind, and its lines. */
    char section[16];
    struct portable_line *lines;
    size_t line_count, line_capacity;
    struct arena arena;
    const char *kind, *problem; /* NULL: no row yet */
    struct portable_size *sizes;
    size_t size_count, size_capacity;
    struct portable_configuration *configurations;
    size_t configuration_count, configuration_capacity;
    struct portable_row *rows;
    size_t row_count, row_capacity;
    double *loss; /* [size * configuration_count + configuration] */
    size_t *order;
};

/* ---- reading ---- */

static void forget_problem(struct portable *portable)
{
    portable->kind = portable->problem = NULL;
    portable->size_count = portable->configuration_count = portable->row_count = 0;
    arena_free(&portable->arena);
}

static bool find_configuration(struct portable *portable, struct store_query *query, size_t *out)
{
    const char *key = store_query_text(query, PORTABLE_CONFIGURATION);
    int64_t launches = store_query_integer(query, PORTABLE_LAUNCHES);
    int64_t block = store_query_integer(query, PORTABLE_BLOCK);
    size_t i = 0;
    while (i < portable->configuration_count && strcmp(portable->configurations[i].key, key) != 0)
        i++;
    *out = i;
    if (i == portable->configuration_count) {
        const char *kept = arena_strdup(&portable->arena, key);
        if (!kept || !array_grow(&portable->configurations, i, &portable->configuration_capacity,
                                 sizeof *portable->configurations))
            return false;
        portable->configurations[i] = (struct portable_configuration){.key = kept};
        portable->configuration_count++;
    }
    struct portable_configuration *found = &portable->configurations[i];
    found->launches = launches > found->launches ? launches : found->launches;
    found->block = block > found->block ? block : found->block;
    return true;
}

static bool find_size(struct portable *portable, struct store_query *query, size_t *out)
{
    int64_t n = store_query_integer(query, PORTABLE_N);
    if (portable->size_count == 0 || portable->sizes[portable->size_count - 1].n != n) {
        if (!array_grow(&portable->sizes, portable->size_count, &portable->size_capacity,
                        sizeof *portable->sizes))
            return false;
        portable->sizes[portable->size_count++] =
            (struct portable_size){n, store_query_integer(query, PORTABLE_DEVICES)};
    }
    *out = portable->size_count - 1;
    return true;
}

static enum status take_row(struct portable *portable, struct store_query *query,
                            struct error *error)
{
    struct portable_row row = {.loss = store_query_real(query, PORTABLE_LOSS)};
    if (!portable->problem) {
        portable->kind = arena_strdup(&portable->arena, store_query_text(query, PORTABLE_KIND));
        portable->problem =
            arena_strdup(&portable->arena, store_query_text(query, PORTABLE_PROBLEM));
    }
    row.trials = arena_strdup(&portable->arena, store_query_text(query, PORTABLE_TRIALS));
    if (!portable->kind || !portable->problem || !row.trials ||
        !array_grow(&portable->rows, portable->row_count, &portable->row_capacity, sizeof row) ||
        !find_size(portable, query, &row.size) ||
        !find_configuration(portable, query, &row.configuration))
        return error_no_memory(error);
    portable->rows[portable->row_count++] = row;
    return STATUS_OK;
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

/* The fixed order among configurations that lose as much: fewer launches, smaller blocks. */
static void fill_order(struct portable *portable)
{
    for (size_t i = 0; i < portable->configuration_count; i++) {
        portable->order[i] = 0;
        for (size_t j = 0; j < portable->configuration_count; j++)
            portable->order[i] +=
                by_demand(&portable->configurations[j], &portable->configurations[i]) < 0;
    }
}

static bool fill_losses(struct portable *portable)
{
    size_t count = portable->configuration_count;
    portable->loss =
        arena_alloc(&portable->arena, portable->size_count * count, sizeof *portable->loss);
    portable->order = arena_alloc(&portable->arena, count, sizeof *portable->order);
    if (!portable->loss || !portable->order)
        return false;
    for (size_t i = 0; i < portable->size_count * count; i++)
        portable->loss[i] = (double)INFINITY;
    for (size_t i = 0; i < portable->row_count; i++)
        portable->loss[portable->rows[i].size * count + portable->rows[i].configuration] =
            portable->rows[i].loss;
    fill_order(portable);
    return true;
}

static const struct portable_row *row_at(const struct portable *portable, size_t size,
                                         size_t configuration)
{
    for (size_t i = 0; i < portable->row_count; i++)
        if (portable->rows[i].size == size && portable->rows[i].configuration == configuration)
            return &portable->rows[i];
    return NULL;
}

static enum status find_common(struct portable *portable, const struct portable_row *row,
                               struct common *common, struct error *error)
{
    const struct store_parameter parameter = {"trials", row->trials};
    struct store_query *query = NULL;
    json_t *shared = json_object();
    json_t *formulas = json_object();
    common_clear(common);
    common->loss = row->loss;
    enum status status = shared && formulas ? STATUS_OK : error_no_memory(error);
    if (status == STATUS_OK)
        status =
            store_query_open(portable->store, portable_devices_query, &parameter, 1, &query, error);
    if (status == STATUS_OK && store_query_columns(query) != COLUMN_COUNT)
        status = error_set(error, STATUS_INTERNAL, "db/queries/portable_devices.sql has %d columns",
                           store_query_columns(query));
    if (status == STATUS_OK)
        status = common_take(portable->experiments, query, common, shared, formulas, error);
    store_query_close(query);
    json_decref(shared);
    json_decref(formulas);
    return status == STATUS_OK && common_failed(common) ? error_no_memory(error) : status;
}

/* ---- writing ---- */

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void append_majors(struct text *out, uint64_t majors)
{
    const char *before = " capabilities=";
    for (int major = 0; major < 64; major++)
        if (majors >> major & 1) {
            text_printf(out, "%s%d", before, major);
            before = ",";
        }
}

/* Writes the section that was collected: on which major compute capabilities all of it was
 * measured, and with the lines that were on fewer of them on which these were. */
static void end_section(struct portable *portable)
{
    uint64_t majors = 0;
    for (size_t i = 0; i < portable->line_count; i++)
        majors |= portable->lines[i].majors;
    if (portable->line_count > 0) {
        text_printf(portable->out, "\n[%s \"*\"]", portable->section);
        append_majors(portable->out, majors & ~UINT64_C(1)); /* 0 is a CPU's */
        text_append(portable->out, "\n");
    }
    for (size_t i = 0; i < portable->line_count; i++) {
        struct portable_line *line = &portable->lines[i];
        text_append(portable->out, text_string(&line->text));
        if (line->majors != majors)
            append_majors(portable->out, line->majors);
        text_append(portable->out, "\n");
        portable->out->failed = portable->out->failed || line->text.failed;
        text_free(&line->text);
    }
    portable->line_count = 0;
}

static enum status put_line(struct portable *portable, const struct common *common, int64_t low,
                            int64_t at, int64_t high, struct error *error)
{
    if (strcmp(portable->section, portable->kind) != 0)
        end_section(portable);
    (void)string_format(portable->section, sizeof portable->section, "%s", portable->kind);
    if (!array_grow(&portable->lines, portable->line_count, &portable->line_capacity,
                    sizeof *portable->lines))
        return error_no_memory(error);
    struct portable_line *line = &portable->lines[portable->line_count++];
    *line = (struct portable_line){.majors = common->majors};
    struct text *out = &line->text;
    text_printf(out, "%s n=%lld", portable->problem, (long long)low);
    if (high != low)
        text_printf(out, "-%lld", (long long)high);
    text_printf(out, "%s |", text_string(&common->values));
    if (high != low)
        text_printf(out, " at=%lld", (long long)at);
    append_bound(out, "worst_loss_percent", 2, 100 * common->loss);
    append_count(out, "devices", common->devices);
    if (device_traits(portable->kind)->is_gpu) {
        append_count(out, "threads", common->threads);
        append_count(out, "shared_bytes", common->shared_bytes);
        append_count(out, "registers", common->registers);
        append_capability(out, &common->needs);
    }
    text_append(out, text_string(&common->elsewhere));
    text_append(out, text_string(&common->origin));
    portable->counts->entries++;
    return STATUS_OK;
}

/* `next` goes on where `line` is: the same values at the next size. */
static bool joins(const struct common *line, const struct common *next)
{
    return strcmp(text_string(&line->values), text_string(&next->values)) == 0 &&
           strcmp(text_string(&line->elsewhere), text_string(&next->elsewhere)) == 0 &&
           line->majors == next->majors;
}

static void join(struct common *line, struct common *next)
{
    const struct common older = *line;
    *line = *next;
    *next = older;
    line->loss = fmax(line->loss, older.loss);
    line->threads = greater(line->threads, older.threads);
    line->shared_bytes = greater(line->shared_bytes, older.shared_bytes);
    line->registers = greater(line->registers, older.registers);
    line->needs.least = greater(line->needs.least, older.needs.least);
    line->needs.cluster = greater(line->needs.cluster, older.needs.cluster);
    if (older.needs.most < line->needs.most)
        line->needs.most = older.needs.most;
    line->devices = line->devices < older.devices ? line->devices : older.devices;
}

/* Where sizes up to `size` end: at the middle to the next one that is covered, else there. */
static int64_t end_of(const struct portable *portable, size_t size, bool covered_next)
{
    int64_t n = portable->sizes[size].n;
    return covered_next ? geometric_middle(n, portable->sizes[size + 1].n) : n;
}

/* The lines of one range; `low` is where the first begins, and becomes where the next would. */
static enum status put_range(struct portable *portable, const struct size_range *range,
                             bool covered_next, int64_t *low, struct error *error)
{
    struct common line = {0};
    struct common next = {0};
    enum status status =
        find_common(portable, row_at(portable, range->first, range->configuration), &line, error);
    for (size_t size = range->first; status == STATUS_OK && size <= range->last; size++) {
        bool last = size == range->last;
        int64_t high = end_of(portable, size, last ? covered_next : true);
        if (!last)
            status = find_common(portable, row_at(portable, size + 1, range->configuration), &next,
                                 error);
        if (status != STATUS_OK)
            break;
        if (!last && joins(&line, &next)) {
            join(&line, &next);
            continue;
        }
        status = put_line(portable, &line, *low, portable->sizes[size].n, high, error);
        *low = high + 1;
        const struct common done = line;
        line = next;
        next = done;
    }
    common_free(&line);
    common_free(&next);
    return status;
}

static enum status put_problem(struct portable *portable, struct error *error)
{
    if (portable->row_count == 0)
        return STATUS_OK;
    struct size_range *ranges = arena_alloc(&portable->arena, portable->size_count, sizeof *ranges);
    if (!ranges || !fill_losses(portable))
        return error_no_memory(error);
    size_t count =
        ranges_cover(portable->loss, NULL, portable->size_count, portable->configuration_count,
                     portable->order, within, delta, ranges);
    enum status status = STATUS_OK;
    int64_t low = 0;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        bool covered_before = i > 0 && ranges[i - 1].last + 1 == ranges[i].first;
        bool covered_next = i + 1 < count && ranges[i].last + 1 == ranges[i + 1].first;
        if (!covered_before)
            low = portable->sizes[ranges[i].first].n;
        status = put_range(portable, &ranges[i], covered_next, &low, error);
    }
    forget_problem(portable);
    return status;
}

static bool is_other(const struct portable *portable, struct store_query *query)
{
    return portable->problem &&
           (strcmp(portable->kind, store_query_text(query, PORTABLE_KIND)) != 0 ||
            strcmp(portable->problem, store_query_text(query, PORTABLE_PROBLEM)) != 0);
}

static enum status put_problems(struct portable *portable, struct store_query *query,
                                struct error *error)
{
    for (;;) {
        bool row = false;
        enum status status = store_query_next(query, &row, error);
        if (status == STATUS_OK && (!row || is_other(portable, query)))
            status = put_problem(portable, error);
        if (status == STATUS_OK && row)
            status = take_row(portable, query, error);
        if (status != STATUS_OK || !row)
            return status;
    }
}

enum status append_portable(struct store *store, struct experiments *experiments,
                            const char *objective, struct text *out, struct export_counts *counts,
                            struct error *error)
{
    struct portable portable = {
        .store = store, .experiments = experiments, .out = out, .counts = counts};
    const struct store_parameter parameter = {"objective", objective};
    struct store_query *query = NULL;
    enum status status = store_query_open(store, portable_query, &parameter, 1, &query, error);
    if (status == STATUS_OK && store_query_columns(query) != PORTABLE_COUNT)
        status = error_set(error, STATUS_INTERNAL, "db/queries/portable.sql has %d columns",
                           store_query_columns(query));
    if (status == STATUS_OK)
        status = put_problems(&portable, query, error);
    end_section(&portable);
    store_query_close(query);
    forget_problem(&portable);
    free(portable.sizes);
    free(portable.configurations);
    free(portable.rows);
    free(portable.lines);
    return status;
}
