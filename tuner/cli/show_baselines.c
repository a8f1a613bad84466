#include "tuner/cli/show.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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

static bool spread_row(struct rows *rows, size_t row, const json_t *baselines)
{
    bool good = true;
    size_t i = 0;
    const json_t *entry = NULL;
    json_array_foreach(baselines, i, entry)
    {
        const char *name = json_string_value(json_object_get(entry, "name"));
        const char *time = arena_printf(&rows->arena, "%s_ns", name ? name : "");
        const char *gain = arena_printf(&rows->arena, "%s_gain", name ? name : "");
        good = good && time && gain &&
               set_number(rows, row, time, json_object_get(entry, "time_ns")) &&
               set_number(rows, row, gain, json_object_get(entry, "gain"));
    }
    return good;
}

/* Makes two columns of each baseline, its time and the winner's gain over it, and puts them into
 * the table before the configuration. */
static bool spread(struct rows *rows, json_t *const *baselines,
                   struct row_column columns[SHOW_COLUMNS_MAX], size_t *column_count)
{
    const char *names[BASELINES_MAX];
    const char *added[2 * BASELINES_MAX];
    size_t count = baseline_names(baselines, rows->row_count, names);
    struct row_column last = columns[--*column_count];
    for (size_t i = 0; i < count; i++) {
        const char *name = arena_strdup(&rows->arena, names[i]);
        added[2 * i] = arena_printf(&rows->arena, "%s_ns", names[i]);
        added[2 * i + 1] = arena_printf(&rows->arena, "%s_gain", names[i]);
        if (!name || !added[2 * i] || !added[2 * i + 1])
            return false;
        columns[(*column_count)++] = (struct row_column){added[2 * i], name};
        columns[(*column_count)++] = (struct row_column){added[2 * i + 1], "gain"};
    }
    columns[(*column_count)++] = last;
    if (!rows_add_columns(rows, added, 2 * count))
        return false;
    for (size_t row = 0; row < rows->row_count; row++)
        if (!spread_row(rows, row, baselines[row]))
            return false;
    return true;
}

enum status show_spread_baselines(struct rows *rows, struct row_column columns[SHOW_COLUMNS_MAX],
                                  size_t *column_count, struct error *error)
{
    if (rows_column(rows, "baselines") < 0)
        return STATUS_OK;
    json_t **baselines = calloc(rows->row_count + 1, sizeof(json_t *));
    if (!baselines)
        return error_no_memory(error);
    for (size_t row = 0; row < rows->row_count; row++)
        baselines[row] = json_loads(rows_text(rows, row, "baselines", "[]"), 0, NULL);
    bool good = spread(rows, baselines, columns, column_count);
    for (size_t row = 0; row < rows->row_count; row++)
        json_decref(baselines[row]);
    free(baselines);
    return good ? STATUS_OK : error_no_memory(error);
}
