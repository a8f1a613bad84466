/* Columns from rows' JSON, one for each baseline or metric of any row, and the words in tables for
 * numbers with too wide bounds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/stats/estimate.h"
#include "views/show/internal.h"

enum { NAMES_MAX = 16, SUFFIXES_MAX = 5 };

/* ---- too wide bounds ---- */

static const struct cell unknown = {.text = "unknown"};

/* Replaces a gain by "none" if the baseline is not shown to be slower, by "> 2.90x" or "unknown" if
 * the bounds (NaN: none) are too wide. */
static bool mark_gain(struct rows *rows, size_t row, int column, double low, double high,
                      const char *standing)
{
    struct cell *cell = &rows->cells[row][column];
    if (!cell->text)
        return true;
    const enum ratio_report known =
        verdict_named(rows_text(rows, row, "verdict", "")) == VERDICT_UNSTABLE
            ? RATIO_UNKNOWN
            : ratio_report(low, high);
    if (known == RATIO_UNKNOWN)
        *cell = unknown;
    else if (known == RATIO_AT_LEAST)
        *cell =
            (struct cell){.text = arena_printf(&rows->arena, "> %.*fx", low < 99.995 ? 2 : 0, low)};
    else if (standing && strcmp(standing, "slower") != 0)
        *cell = (struct cell){.text = SHOW_NO_GAIN};
    return cell->text != NULL;
}

bool show_mark_gains(struct rows *rows)
{
    static const struct {
        const char *gain, *low, *high, *standing;
    } gains[] = {
        {"gain", "gain_low", "gain_high", "gain_standing"},
        {"winner_gain", "winner_gain_low", "winner_gain_high", "winner_gain_standing"},
    };
    bool good = true;
    for (size_t k = 0; k < COUNT(gains); k++) {
        const int column = rows_column(rows, gains[k].gain);
        for (size_t i = 0; i < rows->row_count && column >= 0 && good; i++)
            good = mark_gain(rows, i, column, rows_number(rows, i, gains[k].low),
                             rows_number(rows, i, gains[k].high),
                             rows_text(rows, i, gains[k].standing, NULL));
    }
    return good;
}

void show_mark_differences(struct rows *rows, const char *value)
{
    const int of[] = {rows_column(rows, value), rows_column(rows, "low_percent"),
                      rows_column(rows, "high_percent")};
    for (size_t i = 0; i < rows->row_count && of[0] >= 0 && of[1] >= 0 && of[2] >= 0; i++) {
        struct cell *cells = rows->cells[i];
        const enum ratio_report known =
            ratio_report(1 + rows_number(rows, i, "low_percent") / 100,
                         1 + rows_number(rows, i, "high_percent") / 100);
        if (known == RATIO_KNOWN)
            continue;
        cells[of[0]] = cells[of[2]] = unknown;
        cells[of[1]] = known == RATIO_AT_LEAST ? cells[of[1]] : unknown;
    }
}

/* ---- columns out of JSON ---- */

/* Names that become columns. */
struct spread {
    struct rows *rows;
    struct row_column *table; /* columns of the table, up to SHOW_COLUMNS_MAX */
    size_t *table_count;
    const char *names[NAMES_MAX]; /* in order of first occurrence */
    size_t name_count;
};

static void add_name(struct spread *spread, const char *name)
{
    for (size_t i = 0; i < spread->name_count; i++)
        if (strcmp(spread->names[i], name) == 0)
            return;
    if (spread->name_count < NAMES_MAX)
        spread->names[spread->name_count++] = name;
}

/* Adds columns PREFIX NAME SUFFIX for each name; the first `shown_count` suffixes go into the table
 * before its last column, with these labels (NULL: the name). */
static bool add_columns(struct spread *spread, const char *prefix, const char *const *suffixes,
                        size_t suffix_count, const char *const *labels, size_t shown_count)
{
    struct arena *arena = &spread->rows->arena;
    const char *added[NAMES_MAX * SUFFIXES_MAX];
    const struct row_column last = spread->table[--*spread->table_count];
    size_t count = 0;
    for (size_t i = 0; i < spread->name_count; i++) {
        const char *name = arena_strdup(arena, spread->names[i]);
        for (size_t k = 0; k < suffix_count; k++) {
            const char *column =
                arena_printf(arena, "%s%s%s", prefix, name ? name : "", suffixes[k]);
            if (!name || !column)
                return false;
            added[count++] = column;
            if (k < shown_count)
                spread->table[(*spread->table_count)++] =
                    (struct row_column){column, labels[k] ? labels[k] : name};
        }
    }
    spread->table[(*spread->table_count)++] = last;
    return rows_add_columns(spread->rows, added, count);
}

/* Values of each baseline; tables show the first two. */
enum { OF_TIME, OF_GAIN, OF_LOW, OF_HIGH, OF_STANDING, OF_BASELINE };
static const char *const suffixes[OF_BASELINE] = {"_ns", "_gain", "_gain_low", "_gain_high",
                                                  "_gain_standing"};
static const char *const members[OF_BASELINE] = {"time_ns", "gain", "gain_low", "gain_high",
                                                 "standing"};

static double real_of(const json_t *entry, const char *name)
{
    const json_t *value = json_object_get(entry, name);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static bool fill_baselines(struct rows *rows, size_t row, const json_t *baselines, bool for_table)
{
    size_t i = 0;
    const json_t *entry = NULL;
    json_array_foreach(baselines, i, entry)
    {
        const char *name = json_string_value(json_object_get(entry, "name"));
        const char *standing = json_string_value(json_object_get(entry, members[OF_STANDING]));
        for (size_t of = 0; of < OF_BASELINE; of++) {
            const char *column = arena_printf(&rows->arena, "%s%s", name ? name : "", suffixes[of]);
            const int index = column ? rows_column(rows, column) : -1;
            const double value = real_of(entry, members[of]);
            if (!column)
                return false;
            if (index >= 0 && of == OF_STANDING && standing) {
                const char *word = arena_strdup(&rows->arena, standing);
                if (!word)
                    return false;
                rows->cells[row][index] = (struct cell){.text = word};
            } else if (index >= 0 && !isnan(value) &&
                       !rows_set_number(rows, row, (size_t)index, value))
                return false;
            if (of == OF_GAIN && for_table && index >= 0 &&
                !mark_gain(rows, row, index, real_of(entry, members[OF_LOW]),
                           real_of(entry, members[OF_HIGH]), standing))
                return false;
        }
    }
    return true;
}

enum status show_spread_baselines(struct rows *rows, struct row_column columns[SHOW_COLUMNS_MAX],
                                  size_t *column_count, bool for_table, struct error *error)
{
    static const char *const labels[] = {NULL, "gain"};
    struct spread spread = {.rows = rows, .table = columns, .table_count = column_count};
    const size_t count = rows->row_count;
    if (rows_column(rows, "baselines") < 0)
        return STATUS_OK;
    json_t **baselines = show_json_load(rows, 0, count, "baselines", "[]");
    bool good = baselines != NULL;
    for (size_t row = 0; good && row < count; row++) {
        size_t i = 0;
        const json_t *entry = NULL;
        json_array_foreach(baselines[row], i, entry)
        {
            const char *name = json_string_value(json_object_get(entry, "name"));
            if (name)
                add_name(&spread, name);
        }
    }
    good = good &&
           add_columns(&spread, "", suffixes, for_table ? OF_LOW : OF_BASELINE, labels, OF_LOW);
    for (size_t row = 0; good && row < count; row++)
        good = fill_baselines(rows, row, baselines[row], for_table);
    show_json_free(baselines, count);
    return good ? STATUS_OK : error_no_memory(error);
}

/* Turns metrics into columns, except bytes_per_thread, which --why evaluates. */
enum status show_spread_metrics(struct rows *rows, struct row_column columns[SHOW_COLUMNS_MAX],
                                size_t *column_count, struct error *error)
{
    static const char *const whole[] = {""};
    static const char *const labels[] = {NULL};
    struct spread spread = {.rows = rows, .table = columns, .table_count = column_count};
    const size_t count = rows->row_count;
    const size_t first = rows->column_count;
    if (rows_column(rows, "metrics") < 0)
        return STATUS_OK;
    json_t **metrics = show_json_load(rows, 0, count, "metrics", "{}");
    bool good = metrics != NULL;
    for (size_t row = 0; good && row < count; row++) {
        const char *name = NULL;
        json_t *value = NULL;
        json_object_foreach(metrics[row], name, value)
        {
            if (strcmp(name, "bytes_per_thread") != 0)
                add_name(&spread, name);
        }
    }
    if (*column_count + spread.name_count > SHOW_COLUMNS_MAX)
        spread.name_count = 0;
    if (spread.name_count > 0)
        good = good && add_columns(&spread, METRIC_COLUMN, whole, 1, labels, 1);
    for (size_t row = 0; good && row < count; row++)
        for (size_t i = 0; good && i < spread.name_count; i++) {
            const double value = real_of(metrics[row], spread.names[i]);
            good = isnan(value) || rows_set_number(rows, row, first + i, value);
        }
    show_json_free(metrics, count);
    return good ? STATUS_OK : error_no_memory(error);
}
