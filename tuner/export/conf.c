/* The whole of tuned.conf: devices, and in each the lines that rows of conf.sql join to. */
#include "tuner/device/traits.h"
#include "tuner/export/export.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tuner/base/failpoint.h"
#include "tuner/base/output.h"
#include "tuner/export/internal.h"

/* db/queries/conf.sql */
extern const char conf_query[];

/* From best to worst, as winners.trust has them. */
static const char *const trusts[] = {"", "sound", "noisy", "unstable"};
enum { TRUSTS = 4, TRUST_UNSTABLE = 3 };

/* A line in the making: neighbouring sizes of one range whose values are the same. */
struct line {
    bool begun;
    int64_t range; /* 0: a single size */
    struct text problem;
    struct entry entry; /* of the largest size so far */
    int64_t low, at, range_high;
    size_t trust; /* the worst */
};

/* Sizes of a range whose winners are unstable, since the last one whose winner is not. Such a size
 * is among those of a line only between two that are not: then it is like one nobody measured. */
struct unstable {
    int64_t range; /* 0: none */
    int64_t first, last;
};

struct writer {
    struct store *store;
    struct experiments experiments;
    const struct export_options *options;
    struct export_counts *counts;
    struct text *out;
    struct text device;  /* of the last row */
    struct text section; /* written with the first line of the device */
    struct line line;
    struct unstable unstable;
    struct entry row;
    size_t devices;
};

static const char *objective_of(const struct export_options *options)
{
    return options->objective ? options->objective : "time";
}

/* What matching goes by besides, under libtuned's names (struct tuned_device). */
static void append_limits(struct text *out, const char *facts_text)
{
    static const char *const names[][2] = {{"max_threads_per_block", "max_threads_per_block"},
                                           {"max_shared_bytes", "shared_bytes_per_block_optin"},
                                           {"registers_per_unit", "registers_per_sm"}};
    json_t *facts = json_loads(facts_text, 0, NULL);
    json_t *bandwidth = json_object_get(facts, "memory_pin_gbs");
    if (json_is_number(bandwidth))
        append_decimal(out, "bandwidth_gbs", 1, json_number_value(bandwidth));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        append_count(out, names[i][0], json_integer_value(json_object_get(facts, names[i][1])));
    json_decref(facts);
}

static void fill_section(struct text *out, struct store_query *query)
{
    const char *kind = column_text(query, COLUMN_KIND);
    text_clear(out);
    text_printf(out, "\n[%s ", kind);
    append_quoted(out, column_text(query, COLUMN_NAME));
    text_append(out, "]");
    append_known(out, "compute_capability", column_text(query, COLUMN_CAPABILITY));
    append_count(out, device_traits(kind)->unit_fact, store_query_integer(query, COLUMN_UNITS));
    append_count(out, "memory_bytes", store_query_integer(query, COLUMN_MEMORY));
    append_limits(out, column_text(query, COLUMN_DEVICE_FACTS));
    append_known(out, "driver", column_text(query, COLUMN_DEVICE_DRIVER));
    append_known(out, "compiler", column_text(query, COLUMN_DEVICE_COMPILER));
    text_append(out, "\n");
}

/* Writes the line, for its sizes up to `high`. */
static void end_line(struct writer *writer, int64_t high)
{
    struct line *line = &writer->line;
    struct text *out = writer->out;
    if (!line->begun)
        return;
    line->begun = false;
    text_append(out, text_string(&writer->section));
    text_clear(&writer->section);
    text_printf(out, "%s n=%lld", text_string(&line->problem), (long long)line->low);
    if (high != line->low)
        text_printf(out, "-%lld", (long long)high);
    text_printf(out, "%s |", text_string(&line->entry.values));
    if (high != line->low)
        text_printf(out, " at=%lld", (long long)line->at);
    text_append(out, text_string(&line->entry.evidence));
    append_known(out, "trust", trusts[line->trust]);
    text_printf(out, "%s\n", text_string(&line->entry.origin));
    writer->counts->entries++;
}

static void begin_line(struct line *line, struct store_query *query, int64_t range, int64_t low)
{
    line->begun = true;
    line->range = range;
    line->low = low;
    line->range_high = store_query_integer(query, COLUMN_N_HIGH);
    line->trust = 0;
    text_clear(&line->problem);
    text_append(&line->problem, column_text(query, COLUMN_PROBLEM));
}

static void add_size(struct line *line, struct store_query *query, struct entry *row)
{
    const char *trust = column_text(query, COLUMN_TRUST);
    const struct entry older = line->entry;
    line->entry = *row;
    *row = older;
    line->at = store_query_integer(query, COLUMN_N);
    for (size_t i = 0; i < TRUSTS; i++)
        if (strcmp(trust, trusts[i]) == 0 && i > line->trust)
            line->trust = i;
}

int64_t geometric_middle(int64_t low, int64_t high)
{
    int64_t middle = (int64_t)floor(sqrt((double)low * (double)high));
    return middle < low ? low : middle >= high ? high - 1 : middle;
}

/* Writes the line, for its sizes up to the range's end, or half-way to what is unstable there. */
static void end_range(struct writer *writer)
{
    const struct line *line = &writer->line;
    const struct unstable *unstable = &writer->unstable;
    bool is_cut = line->range != 0 && unstable->range == line->range;
    end_line(writer, is_cut ? geometric_middle(line->at, unstable->first) : line->range_high);
}

/* Its measurement supports nothing: neither a line, nor where one is cut, nor what it says. */
static void leave_out(struct writer *writer, int64_t range, int64_t n)
{
    writer->counts->unstable++;
    if (range == 0)
        return;
    if (range != writer->line.range)
        end_range(writer);
    if (writer->unstable.range != range)
        writer->unstable = (struct unstable){.range = range, .first = n};
    writer->unstable.last = n;
}

static enum status take_row(struct writer *writer, struct store_query *query, struct error *error)
{
    struct line *line = &writer->line;
    int64_t range = store_query_integer(query, COLUMN_RANGE);
    int64_t low = store_query_integer(query, COLUMN_N_LOW);
    int64_t n = store_query_integer(query, COLUMN_N);
    if (!writer->options->include_unstable &&
        strcmp(column_text(query, COLUMN_TRUST), trusts[TRUST_UNSTABLE]) == 0) {
        leave_out(writer, range, n);
        return STATUS_OK;
    }
    enum status status = entry_fill(&writer->row, writer->store, &writer->experiments, query,
                                    objective_of(writer->options), error);
    if (status != STATUS_OK)
        return status;
    bool same_range = line->begun && range != 0 && range == line->range;
    bool same_values = same_range && strcmp(text_string(&line->entry.values),
                                            text_string(&writer->row.values)) == 0;
    if (same_range && !same_values) {
        low = geometric_middle(line->at, n) + 1;
        end_line(writer, low - 1);
    } else if (!same_range) {
        end_range(writer);
        if (range != 0 && range == writer->unstable.range)
            low = geometric_middle(writer->unstable.last, n) + 1;
    }
    if (!same_values)
        begin_line(line, query, range, low);
    writer->unstable.range = 0;
    add_size(line, query, &writer->row);
    return STATUS_OK;
}

/* Remembers the device of the row; true when it is another than before. */
static bool next_device(struct text *device, struct store_query *query)
{
    struct text now = {0};
    for (int i = COLUMN_KIND; i <= COLUMN_UNITS; i++)
        text_printf(&now, "%s\n", column_text(query, (enum column)i));
    bool other = strcmp(text_string(&now), text_string(device)) != 0;
    text_free(device);
    *device = now;
    return other;
}

static enum status take_rows(struct writer *writer, struct store_query *query, struct error *error)
{
    for (;;) {
        bool row = false;
        enum status status = store_query_next(query, &row, error);
        if (status != STATUS_OK)
            return status;
        if (!row || next_device(&writer->device, query)) {
            end_range(writer);
            if (!row)
                return STATUS_OK;
            fill_section(&writer->section, query);
            writer->devices++;
        }
        status = take_row(writer, query, error);
        if (status != STATUS_OK)
            return status;
    }
}

static bool writer_failed(const struct writer *writer)
{
    return writer->out->failed || writer->device.failed || writer->section.failed ||
           writer->line.problem.failed || entry_failed(&writer->line.entry) ||
           entry_failed(&writer->row);
}

static enum status append_devices(struct writer *writer, struct error *error)
{
    struct store_query *query = NULL;
    const struct store_parameter parameter = {"objective", objective_of(writer->options)};
    enum status status = store_query_open(writer->store, conf_query, &parameter, 1, &query, error);
    if (status == STATUS_OK && store_query_columns(query) != COLUMN_COUNT)
        status = error_set(error, STATUS_INTERNAL, "db/queries/conf.sql has %d columns, not %d",
                           store_query_columns(query), (int)COLUMN_COUNT);
    if (status == STATUS_OK)
        status = take_rows(writer, query, error);
    store_query_close(query);
    if (status == STATUS_OK && writer->devices > 1)
        status = append_portable(writer->store, &writer->experiments, objective_of(writer->options),
                                 writer->out, writer->counts, error);
    if (status == STATUS_OK && writer_failed(writer))
        status = error_no_memory(error);
    text_free(&writer->device);
    text_free(&writer->section);
    text_free(&writer->line.problem);
    entry_free(&writer->line.entry);
    entry_free(&writer->row);
    experiments_forget(&writer->experiments);
    return status;
}

/* Nothing is handed out that production would refuse. */
static enum status check_readable(const char *text, size_t bytes, struct error *error)
{
    struct tuned_error refused;
    struct tuned *tuned = tuned_load_memory(text, bytes, "tuned.conf", &refused);
    if (!tuned)
        return error_set(error, STATUS_BAD_INPUT,
                         "a winner cannot be written to tuned.conf so that libtuned reads it (%s); "
                         "rename what it complains of in the experiment file",
                         refused.text);
    tuned_free(tuned);
    return STATUS_OK;
}

static enum status no_winner(const char *objective, const struct export_counts *counts,
                             struct error *error)
{
    if (counts->unstable > 0)
        return error_set(error, STATUS_NO_WINNER,
                         "no winner is sure enough to be written (%zu not sure): 'tune show "
                         "--trust' says why, and what to do",
                         counts->unstable);
    if (strcmp(objective, "time") != 0)
        return error_set(error, STATUS_NO_WINNER,
                         "the database has no winner by %s yet: 'tune run --objective' finds them",
                         objective);
    return error_set(error, STATUS_NO_WINNER,
                     "the database has no winner yet that was compared with others: 'tune run' "
                     "goes on from what is there");
}

enum status export_conf_text(struct store *store, struct text *out,
                             const struct export_options *options, struct export_counts *counts,
                             struct error *error)
{
    const struct export_options by_time = {0};
    struct export_counts counted = {0};
    struct writer writer = {
        .store = store,
        .options = options ? options : &by_time,
        .counts = &counted,
        .out = out,
    };
    size_t start = out->length;
    text_printf(out,
                "tuned-conf %d\n"
                "# Written by 'tune export', read by libtuned. A device, then its winners:\n"
                "# problem n=SIZE or n=LOW-HIGH configuration | evidence\n",
                TUNED_FORMAT_VERSION);
    enum status status = append_devices(&writer, error);
    text_append(out, "\nend\n");
    if (status == STATUS_OK && out->failed)
        status = error_no_memory(error);
    if (status == STATUS_OK && counted.entries == 0)
        status = no_winner(objective_of(writer.options), &counted, error);
    if (status == STATUS_OK)
        status = check_readable(out->data + start, out->length - start, error);
    if (counts)
        *counts = counted;
    return status;
}

enum status export_conf(struct store *store, const char *path, const struct export_options *options,
                        struct export_counts *counts, struct error *error)
{
    struct text text = {0};
    enum status status = export_conf_text(store, &text, options, counts, error);
    FAILPOINT("export.ready");
    if (status == STATUS_OK)
        status = output_write(path, text.data, text.length, error);
    text_free(&text);
    return status;
}
