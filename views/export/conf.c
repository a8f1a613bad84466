/* The whole of tuned.conf: devices, and in each the lines that rows of conf.sql join to. */
#include "tuner/base/json.h"
#include "tuner/device/traits.h"
#include "views/export/export.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tuner/base/array.h"
#include "tuner/base/failpoint.h"
#include "tuner/base/files.h"
#include "tuner/stats/verdict.h"
#include "views/export/configurations.h"
#include "views/export/embedded.h"
#include "views/export/internal.h"

/* An open line: neighbouring sizes of one range with equal values. */
struct line {
    bool begun;
    int64_t range; /* -1: a single size */
    const char *problem;
    struct entry entry; /* entry of the largest size so far */
    int64_t low, at, range_high;
    /* Sizes with several names: "n=16-64 m@8", and the measured ones, "64,8"; NULL: one name, or
     * none measured. */
    const char *sizes, *measured;
    int verdict; /* the worst, enum verdict; -1: none is known */
};

/* Sizes of a range with unstable winners since the last stable one. A line covers such a size only
 * between two stable ones; then the size counts as unmeasured. */
struct unstable {
    int64_t range; /* -1: none */
    int64_t first, last;
};

struct writer {
    struct experiments experiments;
    const struct export_options *options;
    struct export_counts *counts;
    struct text *out;
    struct text section, lines; /* heading, and lines of the device */
    struct line line;
    struct unstable unstable;
    struct entry row;
    size_t devices;
};

static const char *objective_of(const struct export_options *options)
{
    return options->objective ? options->objective : "time";
}

/* Writes the line for sizes up to `high`. */
static void end_line(struct writer *writer, int64_t high)
{
    struct line *line = &writer->line;
    struct text *out = &writer->lines;
    if (!line->begun)
        return;
    line->begun = false;
    text_printf(out, "%s ", line->problem);
    if (line->sizes)
        text_append(out, line->sizes);
    else
        text_printf(out, "n=%lld", (long long)line->low);
    if (!line->sizes && high != line->low)
        text_printf(out, "-%lld", (long long)high);
    text_printf(out, "%s |", text_string(&line->entry.values));
    if (line->measured)
        append_field(out, "at", line->measured);
    else if (!line->sizes && high != line->low)
        text_printf(out, " at=%lld", (long long)line->at);
    text_append(out, text_string(&line->entry.domain));
    text_append(out, text_string(&line->entry.evidence));
    append_known(out, "verdict",
                 line->verdict < 0 ? NULL : verdict_words((enum verdict)line->verdict));
    text_printf(out, "%s\n", text_string(&line->entry.origin));
    writer->counts->entries++;
}

/* Writes the line for sizes up to the range's end, or half-way to unstable sizes. */
static void end_range(struct writer *writer)
{
    const struct line *line = &writer->line;
    const struct unstable *unstable = &writer->unstable;
    bool is_cut = line->range >= 0 && unstable->range == line->range;
    end_line(writer, is_cut ? geometric_middle(line->at, unstable->first) : line->range_high);
}

/* Leaves an unstable winner out: its measurement supports neither a line nor a cut between lines.
 */
static void leave_out(struct writer *writer, int64_t range, int64_t n)
{
    if (range < 0)
        return;
    if (range != writer->line.range)
        end_range(writer);
    if (writer->unstable.range != range)
        writer->unstable = (struct unstable){.range = range, .first = n};
    writer->unstable.last = n;
}

/* Names the line's sizes and the measured ones, if there are several names. Returns false if the
 * experiment cannot be read; then the problem keeps its whole key. */
static bool name_sizes(struct writer *writer, const struct conf_row *row, struct line *line)
{
    const struct experiment *experiment =
        row->family ? experiments_loaded(&writer->experiments, row->experiment) : NULL;
    const char *names[SIZE_NAMES_MAX];
    size_t first = 0;
    const size_t count = experiment ? experiment_size_names(experiment, names, &first) : 0;
    const struct problem problem = {.shape =
                                        count > 0 ? row->problem + strlen(row->family) + 1 : NULL};
    int64_t sizes[SIZE_NAMES_MAX];
    struct text single = {0};
    struct text measured = {0};
    if (count == 0 || problem_sizes(&problem, sizes) != count)
        return false;
    text_printf(&single, "n=%lld", (long long)sizes[first]);
    text_printf(&measured, "%lld", (long long)sizes[first]);
    for (size_t i = 0; i < count; i++)
        if (i != first) {
            text_printf(&single, " %s@%lld", names[i], (long long)sizes[i]);
            text_printf(&measured, ",%lld", (long long)sizes[i]);
        }
    if (row->further) {
        text_clear(&single);
        text_printf(&single, "n=%lld", (long long)row->n_low);
        if (row->n_high != row->n_low)
            text_printf(&single, "-%lld", (long long)row->n_high);
        text_printf(&single, " %s", row->further);
    }
    line->problem = row->family;
    line->sizes = text_to_arena(&single, &writer->experiments.arena);
    line->measured = text_to_arena(&measured, &writer->experiments.arena);
    if (row->further && !row->is_inside)
        line->measured = NULL;
    return line->sizes != NULL;
}

static enum status take_row(struct writer *writer, const struct conf_row *given,
                            struct error *error)
{
    struct conf_row taken = *given;
    if (!given->is_inside) {
        /* The configuration comes from other sizes, so their times are dropped. */
        taken.time_ns = taken.mad_ns = taken.value = taken.energy_j = (double)NAN;
        taken.dirty_ns = taken.hot_ns = taken.ceiling_percent = (double)NAN;
        taken.claim_percent = taken.confidence = (double)NAN;
        taken.as_fast = taken.not_compared = taken.compared = taken.samples = 0;
        taken.measured = taken.trust = taken.coverage = taken.stage = NULL;
        taken.states = taken.inputs = NULL;
    }
    const struct conf_row *row = &taken;
    struct line *line = &writer->line;
    int64_t low = row->n_low;
    const enum verdict verdict = verdict_named(row->trust ? row->trust : "");
    if (!writer->options->include_unstable && verdict == VERDICT_UNSTABLE) {
        writer->counts->unstable += row_is_second(row) ? 0 : 1;
        leave_out(writer, row->range, row->n);
        return STATUS_OK;
    }
    TRY(entry_fill(&writer->row, &writer->experiments, row, objective_of(writer->options), error));
    const int64_t range = writer->row.is_listed ? -1 : row->range;
    bool same_range = line->begun && range >= 0 && range == line->range;
    bool same_values =
        same_range &&
        strcmp(text_string(&line->entry.values), text_string(&writer->row.values)) == 0 &&
        strcmp(text_string(&line->entry.domain), text_string(&writer->row.domain)) == 0;
    if (same_range && !same_values) {
        low = geometric_middle(line->at, row->n) + 1;
        end_line(writer, low - 1);
    } else if (!same_range) {
        end_range(writer);
        if (range >= 0 && range == writer->unstable.range)
            low = geometric_middle(writer->unstable.last, row->n) + 1;
    }
    const struct entry older = line->entry;
    if (!same_values)
        *line = (struct line){.begun = true,
                              .range = range,
                              .verdict = -1,
                              .problem = row->problem,
                              .low = writer->row.is_listed ? row->n : low,
                              .range_high = writer->row.is_listed ? row->n : row->n_high};
    writer->unstable.range = -1;
    line->entry = writer->row;
    writer->row = older;
    line->at = row->n;
    if (!same_values && row->family)
        (void)name_sizes(writer, row, line);
    if (verdict != VERDICTS && (int)verdict > line->verdict)
        line->verdict = (int)verdict;
    return STATUS_OK;
}

/* Writes the device's section, its open line included. */
static void end_section(struct writer *writer)
{
    end_range(writer);
    section_append(writer->out, text_string(&writer->section), &writer->lines);
    writer->out->failed = writer->out->failed || writer->section.failed || writer->lines.failed;
    text_clear(&writer->lines);
}

/* Reads the kernels that are compiled in, as lines of a list; "" if there is no file. */
static enum status read_installed(const char *path, struct arena *arena, const char **out,
                                  struct error *error)
{
    enum { LIST_BYTES_MAX = 64 << 20 };
    char *text = NULL;
    size_t bytes = 0;
    const char *folder = NULL;
    *out = "";
    if (path && path[0] == '\0')
        return STATUS_OK;
    enum status status = data_folder(arena, &folder, error);
    if (status != STATUS_OK && !path) { /* none of the program's data files is found */
        error_clear(error);
        return STATUS_OK;
    }
    static const char *const places[] = {"include/tune", "../../include/tune"};
    for (size_t i = 0; !path && status == STATUS_OK && i < COUNT(places); i++) {
        const char *place = arena_printf(arena, "%s/%s/configurations.inc", folder, places[i]);
        if (!place)
            return error_no_memory(error);
        path = file_exists(place) ? place : NULL;
    }
    if (status == STATUS_OK && path)
        status = file_read(arena, path, LIST_BYTES_MAX, &text, &bytes, error);
    *out = text ? text : "";
    if (status != STATUS_OK || strncmp(*out, "tuned-conf ", 11) != 0)
        return status;
    struct text lines = {0};
    const struct conf_text file = {path, text, bytes};
    status = export_configurations(&file, 1, folder, &lines, NULL, error);
    *out = status == STATUS_OK ? arena_strdup(arena, text_string(&lines)) : "";
    text_free(&lines);
    return *out ? status : error_no_memory(error);
}

/* Reads the rows of conf.sql, with the portfolio's picks. */
static enum status conf_rows_chosen(struct experiments *experiments,
                                    const struct export_options *options, struct arena *arena,
                                    struct conf_row **rows, size_t *count, struct error *error)
{
    struct store_parameter parameters[CONF_PARAMETERS] = {{"objective", objective_of(options)},
                                                          {"picks", NULL}};
    struct export_options chosen_by = *options;
    struct text picks = {0};
    struct conf_row *first = NULL;
    size_t picked = 0;
    enum status status = read_installed(options->kernels, arena, &chosen_by.installed, error);
    experiments->installed = chosen_by.installed;
    if (status == STATUS_OK)
        status = conf_rows_read(experiments->store, conf_query, false, parameters, arena, &first,
                                count, error);
    if (status == STATUS_OK)
        status = portfolio_choose(experiments, &chosen_by, arena, first, *count, error);
    for (size_t i = 0; status == STATUS_OK && i < *count; i++)
        if (first[i].pick)
            text_printf(&picks, "%s[%lld,%lld]", picked++ > 0 ? "," : "[",
                        (long long)first[i].winner, (long long)first[i].pick);
    *rows = first;
    if (status == STATUS_OK && picked > 0) {
        text_append(&picks, "]");
        parameters[1].value = text_string(&picks);
        status = picks.failed ? error_no_memory(error)
                              : conf_rows_read(experiments->store, conf_query, false, parameters,
                                               arena, rows, count, error);
    }
    for (size_t i = 0; status == STATUS_OK && i < *count; i++) {
        (*rows)[i].pick = first[i].pick;
        (*rows)[i].loss = first[i].loss;
        memcpy((*rows)[i].also, first[i].also, sizeof first[i].also);
    }
    text_free(&picks);
    return status;
}

static enum status append_devices(struct writer *writer, struct error *error)
{
    const char *objective = objective_of(writer->options);
    struct arena arena = {0};
    struct conf_row *rows = NULL;
    size_t count = 0;
    enum status status =
        conf_rows_chosen(&writer->experiments, writer->options, &arena, &rows, &count, error);
    if (status == STATUS_OK)
        status = other_sizes_add(&writer->experiments, objective, &arena, &rows, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        const struct conf_row *row = &rows[i], *last = i > 0 ? &rows[i - 1] : NULL;
        if (!last || strcmp(row->kind, last->kind) != 0 || strcmp(row->name, last->name) != 0 ||
            strcmp(row->capability, last->capability) != 0 || row->units != last->units ||
            strcmp(row->issue ? row->issue : "", last->issue ? last->issue : "") != 0) {
            end_section(writer);
            text_clear(&writer->section);
            text_printf(&writer->section, "[%s ", row->kind);
            append_quoted(&writer->section, row->name);
            text_append(&writer->section, "]");
            append_known(&writer->section, "compute_capability", row->capability);
            append_count(&writer->section, device_traits(row->kind)->unit_fact, row->units);
            append_count(&writer->section, "memory_bytes", row->memory_bytes);
            /* Appends further properties for matching, under libtuned's names (struct
             * tuned_device). */
            static const char *const names[][2] = {
                {"max_threads_per_block", "max_threads_per_block"},
                {"max_shared_bytes", "shared_bytes_per_block_optin"},
                {"registers_per_unit", "registers_per_sm"}};
            json_t *facts = json_read(row->device_facts, 0, NULL);
            json_t *bandwidth = json_object_get(facts, "memory_pin_gbs");
            if (json_is_number(bandwidth))
                append_decimal(&writer->section, "bandwidth_gbs", 1, json_number_value(bandwidth));
            for (size_t k = 0; k < COUNT(names); k++)
                append_count(&writer->section, names[k][0],
                             json_integer_value(json_object_get(facts, names[k][1])));
            json_decref(facts);
            append_known(&writer->section, "for", row->issue);
            append_known(&writer->section, "driver", row->device_driver);
            append_known(&writer->section, "compiler", row->device_compiler);
            writer->devices++;
        }
        status = take_row(writer, row, error);
    }
    if (status == STATUS_OK)
        end_section(writer);
    if (status == STATUS_OK && writer->devices > 1)
        status =
            append_portable(&writer->experiments, objective, writer->out, writer->counts, error);
    if (status == STATUS_OK)
        status = experiments_status(&writer->experiments,
                                    writer->out->failed || entry_failed(&writer->line.entry) ||
                                        entry_failed(&writer->row),
                                    error);
    text_free(&writer->section);
    text_free(&writer->lines);
    entry_free(&writer->line.entry);
    entry_free(&writer->row);
    experiments_forget(&writer->experiments);
    arena_free(&arena);
    return status;
}

enum status export_picks(struct store *store, const struct export_options *options,
                         struct arena *arena, struct export_pick **picks, size_t *count,
                         struct error *error)
{
    struct experiments experiments = {.store = store};
    struct conf_row *rows = NULL;
    size_t row_count = 0;
    *count = 0;
    enum status status = conf_rows_chosen(&experiments, options, arena, &rows, &row_count, error);
    *picks = status == STATUS_OK ? arena_alloc(arena, row_count + 1, sizeof **picks) : NULL;
    if (status == STATUS_OK && !*picks)
        status = error_no_memory(error);
    for (size_t i = 0; status == STATUS_OK && i < row_count; i++)
        if (rows[i].pick)
            (*picks)[(*count)++] = (struct export_pick){.winner = rows[i].winner,
                                                        .range = rows[i].range,
                                                        .trial = rows[i].pick,
                                                        .parameters = rows[i].parameters,
                                                        .loss = rows[i].loss};
    experiments_forget(&experiments);
    return status;
}

static enum status no_winner(const char *objective, const struct export_counts *counts,
                             struct error *error)
{
    if (counts->unstable > 0)
        return error_set(error, STATUS_NO_WINNER,
                         "no winner is sure enough to be written (%zu not sure): 'tune show "
                         "--trust' gives the reasons and the remedies",
                         counts->unstable);
    if (strcmp(objective, "time") != 0)
        return error_set(error, STATUS_NO_WINNER,
                         "the database has no winner by %s yet: 'tune run --objective' finds them",
                         objective);
    return error_set(error, STATUS_NO_WINNER,
                     "the database has no winner yet that was compared with others: 'tune run' "
                     "continues from its results");
}

enum status export_conf_text(struct store *store, struct text *out,
                             const struct export_options *options, struct export_counts *counts,
                             struct error *error)
{
    const struct export_options by_time = {0};
    struct export_counts counted = {0};
    struct writer writer = {
        .experiments = {.store = store},
        .unstable = {.range = -1},
        .options = options ? options : &by_time,
        .counts = &counted,
        .out = out,
    };
    size_t start = out->length;
    text_printf(
        out,
        "tuned-conf %d\n"
        "# Written by 'tune export', read by libtuned (man libtuned.conf). A device, then its "
        "winners:\n"
        "# problem n=SIZE or n=LOW-HIGH configuration | evidence\n",
        TUNED_FORMAT_VERSION);
    enum status status = append_devices(&writer, error);
    text_append(out, "\nend\n");
    if (status == STATUS_OK && out->failed)
        status = error_no_memory(error);
    if (status == STATUS_OK && counted.entries == 0)
        status = no_winner(objective_of(writer.options), &counted, error);
    if (status == STATUS_OK) {
        /* libtuned loads the text here, so that production never refuses the file. */
        struct tuned_error refused;
        struct tuned *tuned =
            tuned_load_memory(out->data + start, out->length - start, "tuned.conf", &refused);
        if (!tuned)
            status = error_set(
                error, STATUS_BAD_INPUT,
                "a winner cannot be written to tuned.conf so that libtuned reads it (%s); "
                "rename this name in the experiment file",
                refused.text);
        tuned_free(tuned);
    }
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
