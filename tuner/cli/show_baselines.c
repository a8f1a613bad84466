#include "tuner/cli/show.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/stats/estimate.h"
#include "tuner/stats/verdict.h"

enum { BASELINES_MAX = 16 };

/* The baselines' names in the order in which they are met. */
static size_t baseline_names(json_t *const *baselines, size_t rows,
                             const char *names[BASELINES_MAX])
{
    size_t count = 0;
    for (size_t row = 0; row < rows; row++) {
        size_t i = 0;
        const json_t *entry = NULL;
        json_array_foreach(baselines[row], i, entry)
        {
            const char *name = json_string_value(json_object_get(entry, "name"));
            size_t known = 0;
            while (name && known < count && strcmp(names[known], name) != 0)
                known++;
            if (name && known == count && count < BASELINES_MAX)
                names[count++] = name;
        }
    }
    return count;
}

static bool set_number(struct rows *rows, size_t row, const char *column, const json_t *value)
{
    int index = rows_column(rows, column);
    if (!json_is_number(value) || index < 0)
        return true;
    const char *text = arena_printf(&rows->arena, "%.15g", json_number_value(value));
    rows->cells[row][index] = (struct cell){.text = text, .number = true};
    return text != NULL;
}

static bool supports_no_choice(const struct rows *rows, size_t row)
{
    return verdict_named(rows_text(rows, row, "trust", "")) == VERDICT_UNSTABLE;
}

/* A cell with a gain becomes "none" where the baseline is as good, "> 2.90x" or "unknown" where its
 * bounds (NaN: none) say no more. */
static bool tell_gain(struct rows *rows, struct cell *cell, double low, double high, bool tied)
{
    char bound[ROWS_CELL_BYTES];
    if (!cell->text)
        return true;
    switch (ratio_told(low, high)) {
    case RATIO_KNOWN:
        if (tied)
            *cell = (struct cell){.text = SHOW_NO_GAIN};
        return true;
    case RATIO_UNKNOWN:
        *cell = (struct cell){.text = "unknown"};
        return true;
    case RATIO_AT_LEAST:
        break;
    }
    (void)string_format(bound, sizeof bound, "> %.*fx", low < 99.995 ? 2 : 0, low);
    *cell = (struct cell){.text = arena_strdup(&rows->arena, bound)};
    return cell->text != NULL;
}

/* The gains in the column `name`. */
static bool tell_column(struct rows *rows, const char *name)
{
    char low[64];
    char high[64];
    char tied[64];
    const int gain = rows_column(rows, name);
    bool good = true;
    (void)string_format(low, sizeof low, "%s_low", name);
    (void)string_format(high, sizeof high, "%s_high", name);
    (void)string_format(tied, sizeof tied, "%s_tied", name);
    for (size_t i = 0; i < rows->row_count && gain >= 0 && good; i++) {
        struct cell *cell = &rows->cells[i][gain];
        if (cell->text && supports_no_choice(rows, i))
            *cell = (struct cell){.text = "unknown"};
        else
            good = tell_gain(rows, cell, strtod(rows_text(rows, i, low, "nan"), NULL),
                             strtod(rows_text(rows, i, high, "nan"), NULL),
                             rows_text(rows, i, tied, "0")[0] == '1');
    }
    return good;
}

bool show_tell_gains(struct rows *rows)
{
    return tell_column(rows, "gain") && tell_column(rows, "winner_gain");
}

void show_tell_differences(struct rows *rows, const char *value)
{
    static const struct cell unknown = {.text = "unknown"};
    const int of[] = {rows_column(rows, value), rows_column(rows, "low_percent"),
                      rows_column(rows, "high_percent")};
    for (size_t i = 0; i < rows->row_count && of[0] >= 0 && of[1] >= 0 && of[2] >= 0; i++) {
        struct cell *cells = rows->cells[i];
        const double low = strtod(rows_text(rows, i, "low_percent", "nan"), NULL);
        const double high = strtod(rows_text(rows, i, "high_percent", "nan"), NULL);
        const enum ratio_told told = ratio_told(1 + low / 100, 1 + high / 100);
        if (told == RATIO_KNOWN)
            continue;
        cells[of[0]] = cells[of[2]] = unknown;
        cells[of[1]] = told == RATIO_AT_LEAST ? cells[of[1]] : unknown;
    }
}

static double real_of(const json_t *entry, const char *name)
{
    const json_t *value = json_object_get(entry, name);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* What there is of each baseline; the first two are told in tables. */
enum { OF_TIME, OF_GAIN, OF_LOW, OF_HIGH, OF_TIED, OF_BASELINE };
static const char *const suffixes[OF_BASELINE] = {"_ns", "_gain", "_gain_low", "_gain_high",
                                                  "_gain_tied"};
static const char *const members[OF_BASELINE] = {"time_ns", "gain", "gain_low", "gain_high",
                                                 "tied"};

static bool spread_row(struct rows *rows, size_t row, const json_t *baselines, bool told)
{
    bool good = true;
    size_t i = 0;
    const json_t *entry = NULL;
    json_array_foreach(baselines, i, entry)
    {
        const char *name = json_string_value(json_object_get(entry, "name"));
        for (size_t of = 0; of < OF_BASELINE && good; of++) {
            const json_t *value = json_object_get(entry, members[of]);
            const char *column = arena_printf(&rows->arena, "%s%s", name ? name : "", suffixes[of]);
            good = column && set_number(rows, row, column, value);
            const int index = good ? rows_column(rows, column) : -1;
            if (of == OF_TIED && index >= 0)
                rows->cells[row][index] =
                    (struct cell){.text = json_is_true(value) ? "1" : "0", .number = true};
            if (of == OF_GAIN && told && index >= 0)
                good = tell_gain(rows, &rows->cells[row][index], real_of(entry, "gain_low"),
                                 real_of(entry, "gain_high"),
                                 json_is_true(json_object_get(entry, "tied")));
            if (of == OF_GAIN && told && index >= 0 && rows->cells[row][index].text &&
                supports_no_choice(rows, row))
                rows->cells[row][index] = (struct cell){.text = "unknown"};
        }
    }
    return good;
}

/* Makes columns of each baseline, its time and the winner's gain over it, and puts these two into
 * the table before the configuration. */
static bool spread(struct rows *rows, json_t *const *baselines,
                   struct row_column columns[SHOW_COLUMNS_MAX], size_t *column_count, bool told)
{
    const char *names[BASELINES_MAX];
    const char *added[OF_BASELINE * BASELINES_MAX];
    size_t count = baseline_names(baselines, rows->row_count, names);
    size_t added_count = 0;
    struct row_column last = columns[--*column_count];
    for (size_t i = 0; i < count; i++) {
        const char *name = arena_strdup(&rows->arena, names[i]);
        for (size_t of = 0; of < (told ? OF_LOW : OF_BASELINE); of++) {
            const char *column = arena_printf(&rows->arena, "%s%s", names[i], suffixes[of]);
            if (!name || !column)
                return false;
            added[added_count++] = column;
            if (of <= OF_GAIN)
                columns[(*column_count)++] =
                    (struct row_column){column, of == OF_TIME ? name : "gain"};
        }
    }
    columns[(*column_count)++] = last;
    if (!rows_add_columns(rows, added, added_count))
        return false;
    for (size_t row = 0; row < rows->row_count; row++)
        if (!spread_row(rows, row, baselines[row], told))
            return false;
    return true;
}

enum status show_spread_baselines(struct rows *rows, struct row_column columns[SHOW_COLUMNS_MAX],
                                  size_t *column_count, bool told, struct error *error)
{
    if (rows_column(rows, "baselines") < 0)
        return STATUS_OK;
    json_t **baselines = calloc(rows->row_count + 1, sizeof(json_t *));
    if (!baselines)
        return error_no_memory(error);
    for (size_t row = 0; row < rows->row_count; row++)
        baselines[row] = json_loads(rows_text(rows, row, "baselines", "[]"), 0, NULL);
    bool good = spread(rows, baselines, columns, column_count, told);
    for (size_t row = 0; row < rows->row_count; row++)
        json_decref(baselines[row]);
    free(baselines);
    return good ? STATUS_OK : error_no_memory(error);
}
