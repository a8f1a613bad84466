#include "bench/strategies/recorded.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"

static const char list_query[] =
    "SELECT p.id, t.environment_id, t.l2_mode, p.key, p.n, count(*) AS points "
    "FROM trials AS t JOIN problems AS p ON p.id = t.problem_id "
    "WHERE t.stage = 'sweep' AND (:key IS NULL OR p.key = :key) AND (:n IS NULL OR p.n = :n) "
    "GROUP BY 1, 2, 3 ORDER BY points DESC, p.id LIMIT CAST(:most AS INTEGER)";

/* One row a parameter of a configuration, in the order in which the file lists them. */
static const char cells_query[] =
    "SELECT c.id, j.value, j.type IN ('integer', 'real') AS number,"
    "       CASE WHEN t.status = 'ok' THEN t.median_ns"
    "            WHEN twin.status = 'ok' THEN twin.median_ns END AS time_ns "
    "FROM trials AS t JOIN configurations AS c ON c.id = t.configuration_id "
    "LEFT JOIN trials AS twin ON twin.id = t.same_as_trial_id, json_each(c.parameters) AS j "
    "WHERE t.stage = 'sweep' AND t.problem_id = CAST(:problem AS INTEGER)"
    "  AND t.environment_id = CAST(:environment AS INTEGER) AND t.l2_mode = :l2_mode "
    "ORDER BY c.id, j.id";

enum { VALUES_MAX = UINT16_MAX };

struct cell_value {
    const char *text;
    double number;  /* NaN: it is a text */
    uint16_t index; /* as it was met first */
};
struct cell_values {
    struct cell_value *values;
    size_t count;
};
struct row {
    uint16_t values[SEARCH_DIMENSIONS_MAX];
    double time_ns;
};
struct reading {
    struct arena *arena;
    struct cell_values lists[SEARCH_DIMENSIONS_MAX];
    size_t dimensions;
    struct row *rows;
    size_t count;
    size_t capacity;
};

enum status recorded_list(struct store *store, struct arena *arena, const char *key, const char *n,
                          size_t most, struct recorded_problem *out, size_t *count,
                          struct error *error)
{
    char limit[24];
    struct store_query *query = NULL;
    bool row = false;
    (void)string_format(limit, sizeof limit, "%zu", most);
    const struct store_parameter parameters[] = {
        {.name = "key", .value = key}, {.name = "n", .value = n}, {.name = "most", .value = limit}};
    enum status status = store_query_open(store, list_query, parameters, 3, &query, error);
    for (*count = 0; status == STATUS_OK;) {
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        struct recorded_problem *problem = &out[(*count)++];
        *problem = (struct recorded_problem){
            .problem_id = store_query_integer(query, 0),
            .environment_id = store_query_integer(query, 1),
            .l2_mode = arena_strdup(arena, store_query_text(query, 2)),
            .key = arena_strdup(arena, store_query_text(query, 3)),
            .n = store_query_integer(query, 4),
            .points = store_query_integer(query, 5),
        };
        if (!problem->l2_mode || !problem->key)
            status = error_no_memory(error);
    }
    store_query_close(query);
    return status;
}

/* Finds the value in the list, or makes it. */
static enum status intern(struct reading *reading, size_t dimension, const char *text, bool number,
                          uint16_t *index, struct error *error)
{
    struct cell_values *list = &reading->lists[dimension];
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->values[i].text, text) == 0) {
            *index = (uint16_t)i;
            return STATUS_OK;
        }
    if (list->count == VALUES_MAX)
        return error_set(error, STATUS_BAD_INPUT, "a parameter has more than %d values",
                         VALUES_MAX);
    struct cell_value *values = realloc(list->values, (list->count + 1) * sizeof *values);
    if (values)
        list->values = values;
    const char *copy = values ? arena_strdup(reading->arena, text) : NULL;
    if (!copy)
        return error_no_memory(error);
    *index = (uint16_t)list->count;
    values[list->count++] = (struct cell_value){
        .text = copy, .number = number ? strtod(text, NULL) : (double)NAN, .index = *index};
    return STATUS_OK;
}

static enum status add_row(struct reading *reading, double time_ns, struct error *error)
{
    if (reading->count == reading->capacity) {
        const size_t capacity = 2 * reading->capacity + 256;
        struct row *rows = realloc(reading->rows, capacity * sizeof *rows);
        if (!rows)
            return error_no_memory(error);
        reading->rows = rows;
        reading->capacity = capacity;
    }
    reading->rows[reading->count] = (struct row){.time_ns = time_ns};
    reading->count++;
    return STATUS_OK;
}

static enum status read_cells(struct reading *reading, struct store_query *query,
                              struct error *error)
{
    int64_t configuration = -1;
    size_t dimension = 0;
    for (;;) {
        bool more = false;
        enum status status = store_query_next(query, &more, error);
        if (status != STATUS_OK || !more)
            return status;
        if (store_query_integer(query, 0) != configuration) {
            configuration = store_query_integer(query, 0);
            dimension = 0;
            status = add_row(reading, store_query_real(query, 3), error);
        }
        if (dimension == SEARCH_DIMENSIONS_MAX)
            return error_set(error, STATUS_BAD_INPUT, "more than %d parameters",
                             SEARCH_DIMENSIONS_MAX);
        const char *text = store_query_text(query, 1);
        if (status == STATUS_OK)
            status =
                intern(reading, dimension, text ? text : "", store_query_integer(query, 2) != 0,
                       &reading->rows[reading->count - 1].values[dimension], error);
        if (status != STATUS_OK)
            return status;
        dimension++;
        if (dimension > reading->dimensions)
            reading->dimensions = dimension;
    }
}

static int compare_values(const void *left, const void *right)
{
    const struct cell_value *a = left;
    const struct cell_value *b = right;
    if (isnan(a->number) != isnan(b->number))
        return isnan(a->number) ? 1 : -1;
    if (a->number < b->number || a->number > b->number)
        return a->number < b->number ? -1 : 1;
    return strcmp(a->text, b->text);
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;
    for (size_t d = 0; d < SEARCH_DIMENSIONS_MAX; d++)
        if (a->values[d] != b->values[d])
            return a->values[d] < b->values[d] ? -1 : 1;
    return 0;
}

/* Values get the places they have when sorted; then the rows are sorted by them. */
static enum status sort_all(struct reading *reading, struct error *error)
{
    uint16_t *places = malloc((VALUES_MAX + 1) * sizeof places[0]);
    if (!places)
        return error_no_memory(error);
    for (size_t d = 0; d < reading->dimensions; d++) {
        struct cell_values *list = &reading->lists[d];
        qsort(list->values, list->count, sizeof list->values[0], compare_values);
        for (size_t i = 0; i < list->count; i++)
            places[list->values[i].index] = (uint16_t)i;
        for (size_t i = 0; i < reading->count; i++)
            reading->rows[i].values[d] = places[reading->rows[i].values[d]];
    }
    free(places);
    qsort(reading->rows, reading->count, sizeof reading->rows[0], compare_rows);
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

static enum status make_space(const struct reading *reading, struct recorded *out,
                              struct error *error)
{
    const size_t dimensions = reading->dimensions;
    *out = (struct recorded){
        .values = arena_alloc(reading->arena, reading->count * dimensions + 1, sizeof(uint16_t)),
        .times = arena_alloc(reading->arena, reading->count + 1, sizeof(double)),
        .best = (double)INFINITY,
    };
    if (!out->values || !out->times)
        return error_no_memory(error);
    for (size_t d = 0; d < dimensions; d++)
        out->value_counts[d] = (uint16_t)reading->lists[d].count;
    for (size_t i = 0; i < reading->count; i++) {
        memcpy(&out->values[i * dimensions], reading->rows[i].values,
               dimensions * sizeof(uint16_t));
        out->times[i] = reading->rows[i].time_ns;
        out->best = fmin(out->best, out->times[i]);
        out->failed += isnan(out->times[i]) ? 1 : 0;
    }
    out->space = (struct search_space){.context = out,
                                       .count = reading->count,
                                       .dimensions = dimensions,
                                       .value_counts = out->value_counts,
                                       .values = get_values,
                                       .find = find_point};
    if (!isfinite(out->best))
        return error_set(error, STATUS_BAD_INPUT, "no configuration of the problem has a time");
    return STATUS_OK;
}

enum status recorded_read(struct store *store, const struct recorded_problem *problem,
                          struct arena *arena, struct recorded *out, struct error *error)
{
    char problem_id[24], environment_id[24];
    struct reading reading = {.arena = arena};
    struct store_query *query = NULL;
    (void)string_format(problem_id, sizeof problem_id, "%" PRId64, problem->problem_id);
    (void)string_format(environment_id, sizeof environment_id, "%" PRId64, problem->environment_id);
    const struct store_parameter parameters[] = {{.name = "problem", .value = problem_id},
                                                 {.name = "environment", .value = environment_id},
                                                 {.name = "l2_mode", .value = problem->l2_mode}};
    enum status status = store_query_open(store, cells_query, parameters, 3, &query, error);
    if (status == STATUS_OK)
        status = read_cells(&reading, query, error);
    store_query_close(query);
    if (status == STATUS_OK)
        status = sort_all(&reading, error);
    if (status == STATUS_OK)
        status = make_space(&reading, out, error);
    if (status != STATUS_OK)
        (void)error_prefix(error, "%s n=%" PRId64, problem->key, problem->n);
    for (size_t d = 0; d < SEARCH_DIMENSIONS_MAX; d++)
        free(reading.lists[d].values);
    free(reading.rows);
    return status;
}
