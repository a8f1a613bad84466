#include "bench/strategies/recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"

enum { VALUES_MAX = UINT16_MAX };

enum status recorded_add_row(struct recorded_rows *rows, double time_ns, struct error *error)
{
    if (!array_grow(&rows->rows, rows->count, &rows->capacity, sizeof *rows->rows))
        return error_no_memory(error);
    rows->rows[rows->count++] = (struct recorded_row){.time_ns = time_ns};
    return STATUS_OK;
}

enum status recorded_add_value(struct recorded_rows *rows, size_t dimension, const char *text,
                               bool number, struct error *error)
{
    if (dimension >= SEARCH_DIMENSIONS_MAX)
        return error_set(error, STATUS_BAD_INPUT, "more than %d parameters", SEARCH_DIMENSIONS_MAX);
    uint16_t *index = &rows->rows[rows->count - 1].values[dimension];
    const size_t count = rows->list_counts[dimension];
    struct recorded_value *list = rows->lists[dimension];
    if (dimension >= rows->dimensions)
        rows->dimensions = dimension + 1;
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].text, text) == 0) {
            *index = (uint16_t)i;
            return STATUS_OK;
        }
    if (count == VALUES_MAX)
        return error_set(error, STATUS_BAD_INPUT, "a parameter has more than %d values",
                         VALUES_MAX);
    list = realloc(list, (count + 1) * sizeof *list);
    if (list)
        rows->lists[dimension] = list;
    const char *copy = list ? arena_strdup(rows->arena, text) : NULL;
    if (!copy)
        return error_no_memory(error);
    *index = (uint16_t)count;
    list[count] = (struct recorded_value){
        .text = copy, .number = number ? strtod(text, NULL) : (double)NAN, .index = *index};
    rows->list_counts[dimension]++;
    return STATUS_OK;
}

static int compare_values(const void *left, const void *right)
{
    const struct recorded_value *a = left;
    const struct recorded_value *b = right;
    if (isnan(a->number) != isnan(b->number))
        return isnan(a->number) ? 1 : -1;
    if (a->number < b->number || a->number > b->number)
        return a->number < b->number ? -1 : 1;
    return strcmp(a->text, b->text);
}

static int compare_rows(const void *left, const void *right)
{
    const struct recorded_row *a = left;
    const struct recorded_row *b = right;
    for (size_t d = 0; d < SEARCH_DIMENSIONS_MAX; d++)
        if (a->values[d] != b->values[d])
            return a->values[d] < b->values[d] ? -1 : 1;
    return 0;
}

/* Sorts values into their places, then the rows by these. */
static enum status sort_all(struct recorded_rows *rows, struct error *error)
{
    uint16_t *places = malloc((VALUES_MAX + 1) * sizeof places[0]);
    if (!places)
        return error_no_memory(error);
    for (size_t d = 0; d < rows->dimensions; d++) {
        struct recorded_value *list = rows->lists[d];
        qsort(list, rows->list_counts[d], sizeof list[0], compare_values);
        for (size_t i = 0; i < rows->list_counts[d]; i++)
            places[list[i].index] = (uint16_t)i;
        for (size_t i = 0; i < rows->count; i++)
            rows->rows[i].values[d] = places[rows->rows[i].values[d]];
    }
    free(places);
    qsort(rows->rows, rows->count, sizeof rows->rows[0], compare_rows);
    for (size_t i = 1; i < rows->count; i++)
        if (compare_rows(&rows->rows[i - 1], &rows->rows[i]) == 0)
            return error_set(error, STATUS_BAD_INPUT, "a configuration has two rows");
    return STATUS_OK;
}

static void get_values(const void *context, uint64_t point, uint16_t *values)
{
    const struct recorded *recorded = context;
    const size_t dimensions = recorded->space.dimensions;
    memcpy(values, &recorded->values[point * dimensions], dimensions * sizeof values[0]);
}

static bool find_point(const void *context, const uint16_t *values, uint64_t *point)
{
    const struct recorded *recorded = context;
    const size_t dimensions = recorded->space.dimensions;
    uint64_t low = 0, high = recorded->space.count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const uint16_t *there = &recorded->values[middle * dimensions];
        size_t d = 0;
        while (d < dimensions && there[d] == values[d])
            d++;
        if (d == dimensions) {
            *point = middle;
            return true;
        }
        if (there[d] < values[d])
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static double get_number(const void *context, size_t dimension, uint16_t value)
{
    const struct recorded *recorded = context;
    return recorded->lists[dimension][value].number;
}

enum status recorded_finish(struct recorded_rows *rows, struct recorded *recorded,
                            struct error *error)
{
    const size_t dimensions = rows->dimensions;
    enum status status = sort_all(rows, error);
    if (status != STATUS_OK)
        return status;
    recorded->values = arena_alloc(rows->arena, rows->count * dimensions + 1, sizeof(uint16_t));
    recorded->times = arena_alloc(rows->arena, rows->count + 1, sizeof(double));
    recorded->binaries = arena_alloc(rows->arena, rows->count + 1, sizeof(uint64_t));
    if (!recorded->values || !recorded->times || !recorded->binaries)
        return error_no_memory(error);
    for (size_t d = 0; d < dimensions; d++) {
        recorded->value_counts[d] = (uint16_t)rows->list_counts[d];
        recorded->lists[d] = arena_copy(rows->arena, rows->lists[d],
                                        rows->list_counts[d] * sizeof(struct recorded_value));
        if (!recorded->lists[d])
            return error_no_memory(error);
    }
    recorded->best = (double)INFINITY;
    recorded->failed = 0;
    for (size_t i = 0; i < rows->count; i++) {
        memcpy(&recorded->values[i * dimensions], rows->rows[i].values,
               dimensions * sizeof(uint16_t));
        recorded->times[i] = rows->rows[i].time_ns;
        recorded->binaries[i] = rows->rows[i].binary;
        recorded->best = fmin(recorded->best, recorded->times[i]);
        recorded->failed += isnan(recorded->times[i]) ? 1 : 0;
    }
    recorded->space = (struct search_space){.context = recorded,
                                            .count = rows->count,
                                            .dimensions = dimensions,
                                            .value_counts = recorded->value_counts,
                                            .values = get_values,
                                            .find = find_point,
                                            .number = get_number};
    if (!isfinite(recorded->best))
        return error_set(error, STATUS_BAD_INPUT, "no configuration of the problem has a time");
    return STATUS_OK;
}

void recorded_rows_free(struct recorded_rows *rows)
{
    for (size_t d = 0; d < SEARCH_DIMENSIONS_MAX; d++)
        free(rows->lists[d]);
    free(rows->rows);
}

static bool find_value(const struct recorded *recorded, size_t dimension, const char *text,
                       uint16_t *index)
{
    for (size_t i = 0; i < recorded->value_counts[dimension]; i++)
        if (strcmp(recorded->lists[dimension][i].text, text) == 0) {
            *index = (uint16_t)i;
            return true;
        }
    return false;
}

bool recorded_translate(const struct recorded *from, uint64_t point, const struct recorded *to,
                        uint16_t *values)
{
    const size_t dimensions = to->space.dimensions;
    const uint16_t *theirs = &from->values[point * from->space.dimensions];
    size_t d = 0;
    if (from->space.dimensions != dimensions)
        return false;
    while (d < dimensions && find_value(to, d, from->lists[d][theirs[d]].text, &values[d]))
        d++;
    return d == dimensions;
}
