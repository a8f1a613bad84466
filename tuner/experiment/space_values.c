/* The values of parameters: evaluated, without repeats, and found by a table. */
#include <math.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/experiment/space.h"

enum { HASH_OF_NUMBERS = 1, HASH_OF_TEXTS = 2 };

/* Alike for values that are the same: 1, 1.0 and True. */
static uint64_t hash_value(struct value value)
{
    const double limit = 9223372036854775808.0; /* 2^63 */
    if (value.kind == VALUE_TEXT)
        return hash_u64(value.text, strlen(value.text), HASH_OF_TEXTS);
    if (value.kind != VALUE_REAL)
        return hash_u64(&value.integer, sizeof value.integer, HASH_OF_NUMBERS);
    if (floor(value.real) != value.real || value.real < -limit || value.real >= limit)
        return hash_u64(&value.real, sizeof value.real, HASH_OF_NUMBERS);
    const int64_t whole = (int64_t)value.real;
    return hash_u64(&whole, sizeof whole, HASH_OF_NUMBERS);
}

/* The place of the value in the table, or the free one where it belongs. */
static size_t table_place(const struct value_list *list, struct value value)
{
    size_t at = hash_value(value) & list->table_mask;
    while (list->table[at] && !value_equal(list->values[list->table[at] - 1], value))
        at = (at + 1) & list->table_mask;
    return at;
}

bool space_list_find(const struct value_list *list, struct value value, size_t *index)
{
    const uint32_t found = list->table[table_place(list, value)];
    *index = found - 1;
    return found != 0;
}

static bool start_list(struct value_list *list, struct arena *arena, size_t most)
{
    size_t size = 4;
    while (size < 2 * most)
        size *= 2;
    list->values = arena_alloc(arena, most, sizeof *list->values);
    list->table = arena_alloc(arena, size, sizeof *list->table);
    list->table_mask = size - 1;
    return list->values && list->table;
}

static enum status keep_value(struct value_list *list, struct arena *arena, struct value value,
                              struct place place, struct error *error)
{
    enum status status = check_value(value, place, error);
    if (status != STATUS_OK)
        return status;
    const size_t at = table_place(list, value);
    if (list->table[at])
        return STATUS_OK;
    if (value.kind == VALUE_TEXT) {
        value.text = arena_strdup(arena, value.text);
        if (!value.text)
            return error_no_memory(error);
    }
    list->values[list->count++] = value;
    list->table[at] = (uint32_t)list->count;
    return STATUS_OK;
}

/* Of a list expression. */
static enum status evaluate_whole(const struct named_list *parameter,
                                  struct environment *environment, struct arena *arena,
                                  struct value_list *list, struct error *error)
{
    struct value *values = NULL;
    size_t count = 0;
    enum status status =
        expression_evaluate_list(parameter->list.tree, environment, arena, &values, &count, error);
    if (status == STATUS_OK && count == 0)
        status = place_error(error, STATUS_BAD_INPUT, parameter->list.place,
                             "the list of the values of '%s' is empty", parameter->name);
    if (status == STATUS_OK && !start_list(list, arena, count))
        status = error_no_memory(error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = keep_value(list, arena, values[i], parameter->list.place, error);
    return status;
}

static enum status evaluate_list(const struct named_list *parameter,
                                 struct environment *environment, struct arena *arena,
                                 struct value_list *list, struct error *error)
{
    if (parameter->list.tree)
        return evaluate_whole(parameter, environment, arena, list, error);
    if (!start_list(list, arena, parameter->count))
        return error_no_memory(error);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < parameter->count && status == STATUS_OK; i++) {
        struct value value;
        status = expression_evaluate(parameter->values[i].tree, environment, &value, error);
        if (status == STATUS_OK)
            status = keep_value(list, arena, value, parameter->values[i].place, error);
    }
    return status;
}

enum status space_lists(const struct experiment *experiment, struct environment *environment,
                        struct arena *arena, struct value_list *lists, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < experiment->parameter_count && status == STATUS_OK; i++)
        status = evaluate_list(&experiment->parameters[i], environment, arena, &lists[i], error);
    return status;
}
