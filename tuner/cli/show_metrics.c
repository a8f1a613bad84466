/* The experiments' own metrics: one column each, but for what --why makes of bytes_per_thread. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/cli/show.h"

enum { METRICS_MAX = 16 };

/* The metrics' names in the order in which they are met. */
static size_t metric_names(json_t *const *metrics, size_t rows, const char *names[METRICS_MAX])
{
    size_t count = 0;
    for (size_t row = 0; row < rows; row++) {
        const char *name = NULL;
        json_t *value = NULL;
        json_object_foreach(metrics[row], name, value)
        {
            size_t known = 0;
            if (strcmp(name, "bytes_per_thread") == 0)
                continue;
            while (known < count && strcmp(names[known], name) != 0)
                known++;
            if (known == count && count < METRICS_MAX)
                names[count++] = name;
        }
    }
    return count;
}

static bool fill_row(struct rows *rows, size_t row, const json_t *metrics, const char *const *names,
                     size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(metrics, names[i]);
        if (!json_is_number(value))
            continue;
        const char *text = arena_printf(&rows->arena, "%.15g", json_number_value(value));
        if (!text)
            return false;
        rows->cells[row][first + i] = (struct cell){.text = text, .number = true};
    }
    return true;
}

static bool spread(struct rows *rows, json_t *const *metrics,
                   struct row_column columns[SHOW_COLUMNS_MAX], size_t *column_count)
{
    const char *names[METRICS_MAX];
    const char *added[METRICS_MAX];
    size_t count = metric_names(metrics, rows->row_count, names);
    size_t first = rows->column_count;
    struct row_column last = columns[*column_count - 1];
    if (count == 0 || *column_count + count > SHOW_COLUMNS_MAX)
        return true;
    for (size_t i = 0; i < count; i++) {
        added[i] = arena_printf(&rows->arena, METRIC_COLUMN "%s", names[i]);
        if (!added[i])
            return false;
        columns[*column_count - 1 + i] =
            (struct row_column){added[i], added[i] + strlen(METRIC_COLUMN)};
    }
    *column_count += count;
    columns[*column_count - 1] = last;
    if (!rows_add_columns(rows, added, count))
        return false;
    for (size_t row = 0; row < rows->row_count; row++)
        if (!fill_row(rows, row, metrics[row], names, first, count))
            return false;
    return true;
}

enum status show_spread_metrics(struct rows *rows, struct row_column columns[SHOW_COLUMNS_MAX],
                                size_t *column_count, struct error *error)
{
    if (rows_column(rows, "metrics") < 0)
        return STATUS_OK;
    json_t **metrics = calloc(rows->row_count + 1, sizeof(json_t *));
    if (!metrics)
        return error_no_memory(error);
    for (size_t row = 0; row < rows->row_count; row++)
        metrics[row] = json_loads(rows_text(rows, row, "metrics", "{}"), 0, NULL);
    bool good = spread(rows, metrics, columns, column_count);
    for (size_t row = 0; row < rows->row_count; row++)
        json_decref(metrics[row]);
    free(metrics);
    return good ? STATUS_OK : error_no_memory(error);
}
