/* The points of a winner side by side: a column per point, so that it fits on a screen and numbers
 * to compare stand beside one another. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/cli/show_why.h"

/* Points side by side; a baseline more is in the sentences and in --json. */
enum { POINTS_MOST = 12 };

static const char *const column_names[1 + POINTS_MOST] = {
    "label",  "point0", "point1", "point2", "point3",  "point4",  "point5",
    "point6", "point7", "point8", "point9", "point10", "point11",
};

static const struct row_column lines[] = {
    {"time_ns", "time"},
    {"worse_percent", "worse by"},
    {"low_percent", "at least"},
    {"high_percent", "at most"},
    {"standing", "standing"},
    {"stage", "stage"},
    {"status", "status"},
    {"gbs", "GB/s"},
    {"ceiling_percent", "of ceiling"},
    {"gops", "10^9 operations/s"},
    {"arithmetic_percent", "of arithmetic"},
    {"launches", "launches"},
    {"grid", "blocks"},
    {"block", "threads per block"},
    {"threads", "threads"},
    {"occupancy_percent", "occupancy"},
    {"registers", "registers"},
    {"spill_bytes", "spilled bytes"},
    {"shared_bytes", "shared bytes"},
    {"in_flight_bytes", "bytes in flight per SM"},
};

/* The stage where not all are of one, the status where not all have a time, and what is known. */
static bool is_told(const struct row_column *line, const struct rows *points, size_t first,
                    size_t count)
{
    const int column = rows_column(points, line->name);
    bool any = false;
    bool differ = false;
    for (size_t i = 0; i < count; i++) {
        const char *text = points->cells[first + i][column].text;
        any = any || text;
        differ = differ || (text && strcmp(text, rows_text(points, first, line->name, "")) != 0);
    }
    if (strcmp(line->name, "stage") == 0 || strcmp(line->name, "status") == 0)
        return any && differ;
    return any;
}

static bool add_line(struct rows *table, const struct row_column *line, const struct rows *points,
                     size_t first, size_t count)
{
    const int column = rows_column(points, line->name);
    struct cell *row = table->cells[table->row_count++];
    row[0].text = line->label;
    for (size_t i = 0; i < count; i++) {
        char number[ROWS_CELL_BYTES];
        const struct cell *cell = &points->cells[first + i][column];
        row[1 + i].number = true; /* to the right, texts as well */
        if (!cell->text)
            continue;
        row[1 + i].text = arena_strdup(&table->arena, rows_shown(line->name, cell, number));
        if (!row[1 + i].text)
            return false;
    }
    return true;
}

/* ---- parameters that are not the same in all ---- */

static bool add_parameter(struct rows *table, const char *name, json_t *const *parameters,
                          size_t count)
{
    const json_t *own = json_object_get(parameters[0], name);
    bool differ = false;
    for (size_t i = 1; i < count; i++)
        differ = differ || !json_equal(own, json_object_get(parameters[i], name));
    if (!differ)
        return true;
    struct cell *row = table->cells[table->row_count++];
    row[0].text = arena_strdup(&table->arena, name);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(parameters[i], name);
        row[1 + i].number = true;
        row[1 + i].text = value ? show_json_text(value, &table->arena) : NULL;
        if (value && !row[1 + i].text)
            return false;
    }
    return row[0].text != NULL;
}

static bool fill(struct rows *table, const struct rows *points, size_t first, size_t count,
                 json_t *const *parameters)
{
    const char *name = NULL;
    json_t *value = NULL;
    table->row_count = 0;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (is_told(&lines[i], points, first, count) &&
            !add_line(table, &lines[i], points, first, count))
            return false;
    json_object_foreach(parameters[0], name, value)
    {
        if (!add_parameter(table, name, parameters, count))
            return false;
    }
    return true;
}

enum status show_why_table(const struct explanation *explanation, const struct rows *points,
                           size_t first, struct error *error)
{
    const size_t count =
        explanation->point_count < POINTS_MOST ? explanation->point_count : POINTS_MOST;
    struct row_column columns[1 + POINTS_MOST] = {{column_names[0], ""}};
    json_t *parameters[POINTS_MOST] = {0};
    struct rows table = {0};
    for (size_t i = 0; i < count; i++) {
        const struct explain_point *point = &explanation->points[i];
        columns[1 + i] = (struct row_column){column_names[1 + i], point->role};
        parameters[i] = json_loads(point->parameters ? point->parameters : "{}", 0, NULL);
    }
    const size_t rows = sizeof lines / sizeof lines[0] + json_object_size(parameters[0]);
    const bool good = rows_make(&table, column_names, 1 + count, rows) &&
                      fill(&table, points, first, count, parameters);
    if (good)
        rows_print_table(&table, 0, table.row_count, columns, 1 + count);
    for (size_t i = 0; i < count; i++)
        json_decref(parameters[i]);
    rows_free(&table);
    return good ? STATUS_OK : error_no_memory(error);
}
