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

static bool keep_value(struct maker *maker, struct value_list *list, struct value value,
                       struct place place)
{
    if (check_value(value, place, maker->error) != STATUS_OK)
        return false;
    const size_t at = table_place(list, value);
    if (list->table[at])
        return true;
    if (value.kind == VALUE_TEXT) {
        value.text = arena_strdup(maker->arena, value.text);
        if (!value.text)
            return maker_no_memory(maker);
    }
    list->values[list->count++] = value;
    list->table[at] = (uint32_t)list->count;
    return true;
}

/* Then a value may be one of another problem. */
static bool depends_on_problem(const struct experiment *experiment, const struct named_list *list)
{
    struct slot_set problem = {0};
    struct slot_set uses = list->list.uses;
    for (size_t slot = SLOT_AXES; slot <= SLOT_SIZE; slot++)
        slot_set_add(&problem, slot);
    for (size_t i = 0; i < list->count; i++)
        uses = slot_set_union(uses, list->values[i].uses);
    uses = slots_reached(experiment, uses);
    return slot_set_meets(&uses, &problem);
}

bool space_lists(struct maker *maker, bool restricted, struct value_list *lists)
{
    for (size_t i = 0; i < maker->experiment->parameter_count; i++) {
        const struct named_list *parameter = &maker->experiment->parameters[i];
        const struct formula *whole = parameter->list.tree ? &parameter->list : NULL;
        struct value *values = NULL;
        size_t count = parameter->count;
        if (whole && expression_evaluate_list(whole->tree, &maker->environment, maker->arena,
                                              &values, &count, maker->error) != STATUS_OK)
            return false;
        if (count == 0)
            return maker_error(maker, whole ? whole->place : parameter->place,
                               "the list of the values of '%s' is empty", parameter->name);
        size_t taken = 0;
        if (restricted && parameter->only && !depends_on_problem(maker->experiment, parameter) &&
            !check_restriction(maker, parameter))
            return false;
        if (!start_list(&lists[i], maker->arena, count))
            return maker_no_memory(maker);
        for (size_t j = 0; j < count; j++) {
            struct value value = value_integer(0);
            if (whole)
                value = values[j];
            else if (!make_value(maker, &parameter->values[j], &value))
                return false;
            if (!restricted || list_takes(parameter, value)) {
                taken++;
                if (!keep_value(maker, &lists[i], value,
                                whole ? whole->place : parameter->values[j].place))
                    return false;
            }
        }
        if (taken == 0)
            return maker_error(maker, parameter->place,
                               "'%s' has none of the values here that it is limited to: %s",
                               parameter->name, parameter->only);
    }
    return true;
}

struct value space_value(const struct space *space, size_t dimension, size_t index)
{
    return space->lists[dimension].values[index];
}
