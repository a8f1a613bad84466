/* Access to a space: by number, by configuration, by indices of values, and in order. Points are
 * ordered by the file's parameters, the last one fastest, although they are counted group by group:
 * the state of other groups only determines how often the rest repeats. */
#include "tuner/experiment/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"

/* ---- values of parameters: evaluated, without repeats, and found by a hash table ---- */

enum { HASH_OF_NUMBERS = 1, HASH_OF_TEXTS = 2 };

/* Finds the slot of the value in the table, or a free one. */
static size_t table_place(const struct value_list *list, struct value value)
{
    /* Equal values have equal hashes: 1, 1.0 and True. */
    const double limit = 9223372036854775808.0; /* 2^63 */
    const bool is_whole = value.kind == VALUE_REAL && floor(value.real) == value.real &&
                          value.real >= -limit && value.real < limit;
    const int64_t bits = is_whole ? (int64_t)value.real : value.integer; /* or those of a real */
    const uint64_t hash = value.kind == VALUE_TEXT
                              ? hash_u64(value.text, strlen(value.text), HASH_OF_TEXTS)
                              : hash_u64(&bits, sizeof bits, HASH_OF_NUMBERS);
    size_t at = hash & list->table_mask;
    while (list->table[at] && !value_equal(list->values[list->table[at] - 1], value))
        at = (at + 1) & list->table_mask;
    return at;
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

/* Returns whether the values depend on the problem, so that a restriction may name values of other
 * problems. */
static bool depends_on_problem(const struct experiment *experiment, const struct named_list *list)
{
    struct slot_set problem = {0};
    struct slot_set uses = list->list.uses;
    for (size_t slot = SLOT_AXES; slot < SLOT_PARAMETERS; slot++)
        slot_set_add(&problem, slot);
    for (size_t i = 0; i < list->count; i++)
        uses = slot_set_union(uses, list->values[i].uses);
    uses = slots_reached(experiment, uses);
    return slot_set_meets(&uses, &problem);
}

/* Fills `lists`, one for each parameter, in the maker's arena. Texts are copied, since those of
 * facts live only as long as the caller's. */
static bool make_lists(struct maker *maker, bool restricted, struct value_list *lists)
{
    for (size_t i = 0; i < maker->experiment->head.parameter_count; i++) {
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
        if (restricted && parameter->restriction &&
            !depends_on_problem(maker->experiment, parameter) &&
            !check_restriction(maker, parameter))
            return false;
        size_t size = 4;
        while (size < 2 * count)
            size *= 2;
        lists[i].values = arena_alloc(maker->arena, count, sizeof *lists[i].values);
        lists[i].table = arena_alloc(maker->arena, size, sizeof *lists[i].table);
        lists[i].table_mask = size - 1;
        if (!lists[i].values || !lists[i].table)
            return maker_no_memory(maker);
        for (size_t j = 0; j < count; j++) {
            struct value value = value_integer(0);
            if (whole)
                value = values[j];
            else if (!make_value(maker, &parameter->values[j], &value))
                return false;
            if (!restricted || list_accepts(parameter, value)) {
                taken++;
                TRY_OR_FALSE(keep_value(maker, &lists[i], value,
                                        whole ? whole->place : parameter->values[j].place));
            }
        }
        if (taken == 0)
            return maker_error(maker, parameter->place,
                               "'%s' has none of the values here that it is limited to: %s",
                               parameter->name, parameter->restriction);
    }
    return true;
}

/* ---- the space ---- */

enum status space_create(const struct experiment *experiment, const struct problem *problem,
                         const struct facts *facts, struct space **out, struct error *error)
{
    return space_create_from(experiment, problem, facts, true, out, error);
}

enum status space_create_from(const struct experiment *experiment, const struct problem *problem,
                              const struct facts *facts, bool restricted, struct space **out,
                              struct error *error)
{
    struct space *space = calloc(1, sizeof *space);
    struct maker maker;
    TRY_MEMORY(space);
    space->experiment = experiment;
    space->parameter_count = experiment->head.parameter_count;
    maker_start(&maker, experiment, problem, facts, &space->arena, error);
    if (!make_lists(&maker, restricted, space->lists) || !space_build(space, &maker)) {
        space_free(space);
        return error->status;
    }
    space->product_count = 1;
    for (size_t i = 0; i < space->parameter_count; i++)
        if (__builtin_mul_overflow(space->product_count, (uint64_t)space->lists[i].count,
                                   &space->product_count))
            space->product_count = UINT64_MAX;
    *out = space;
    return STATUS_OK;
}

void space_free(struct space *space)
{
    if (!space)
        return;
    arena_free(&space->arena);
    free(space->diagram.nodes);
    free(space->diagram.edges);
    free(space);
}

uint64_t space_count(const struct space *space)
{
    return space->kept ? space->kept_count : space->count;
}

uint64_t space_product_count(const struct space *space)
{
    return space->product_count;
}

size_t space_dimension_count(const struct space *space)
{
    return space->parameter_count;
}

size_t space_value_count(const struct space *space, size_t dimension)
{
    return space->lists[dimension].count;
}

struct value space_value(const struct space *space, size_t dimension, size_t index)
{
    return space->lists[dimension].values[index];
}

/* State of a descent: the node of each group, and the number of configurations from here. */
struct descent {
    uint32_t nodes[EXPERIMENT_PARAMETERS_MAX];
    uint64_t count;
};

/* Finds the last edge whose value, or number of preceding configurations, is at most `most`. */
static inline const struct diagram_edge *find_edge(const struct diagram *diagram,
                                                   const struct diagram_node *node, bool by_value,
                                                   uint64_t most)
{
    const struct diagram_edge *edges = diagram->edges + node->first;
    size_t low = 0;
    size_t high = node->edge_count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if ((by_value ? edges[middle].value : edges[middle].before) <= most)
            low = middle;
        else
            high = middle;
    }
    return &edges[low];
}

void space_values(const struct space *space, uint64_t point,
                  uint16_t values[EXPERIMENT_PARAMETERS_MAX])
{
    struct descent descent = {.count = space->count};
    memcpy(descent.nodes, space->roots, sizeof descent.nodes);
    if (space->kept)
        point = space->kept[point];
    for (size_t i = 0; i < space->parameter_count; i++) {
        uint32_t *at = &descent.nodes[space->group_of[i]];
        const struct diagram_node *node = &space->diagram.nodes[*at];
        const uint64_t others = descent.count / node->count;
        const struct diagram_edge *edge = find_edge(&space->diagram, node, false, point / others);
        values[i] = edge->value;
        point -= edge->before * others;
        descent.count = others * space->diagram.nodes[edge->child].count;
        *at = edge->child;
    }
}

static int compare_points(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

bool space_keep(struct space *space, uint64_t *points, size_t count)
{
    if (count > 0)
        qsort(points, count, sizeof *points, compare_points);
    uint64_t *kept = arena_alloc(&space->arena, count + 1, sizeof *kept);
    if (!kept)
        return false;
    for (size_t i = 0; i < count; i++)
        kept[i] = points[i];
    space->kept = kept;
    space->kept_count = count;
    return true;
}

bool space_at(const struct space *space, const uint16_t values[EXPERIMENT_PARAMETERS_MAX],
              uint64_t *point)
{
    struct descent descent = {.count = space->count};
    uint64_t number = 0;
    memcpy(descent.nodes, space->roots, sizeof descent.nodes);
    for (size_t i = 0; i < space->parameter_count; i++) {
        uint32_t *at = &descent.nodes[space->group_of[i]];
        const struct diagram_node *node = &space->diagram.nodes[*at];
        const struct diagram_edge *edge = find_edge(&space->diagram, node, true, values[i]);
        if (edge->value != values[i])
            return false;
        const uint64_t others = descent.count / node->count;
        number += edge->before * others;
        descent.count = others * space->diagram.nodes[edge->child].count;
        *at = edge->child;
    }
    *point = number;
    if (!space->kept)
        return true;
    const uint64_t *found =
        bsearch(&number, space->kept, (size_t)space->kept_count, sizeof number, compare_points);
    *point = found ? (uint64_t)(found - space->kept) : 0;
    return found != NULL;
}

void space_configuration(const struct space *space, uint64_t point, struct configuration *out)
{
    uint16_t values[EXPERIMENT_PARAMETERS_MAX];
    space_values(space, point, values);
    out->count = space->parameter_count;
    for (size_t i = 0; i < space->parameter_count; i++)
        out->values[i] = (struct named_value){.name = space->experiment->parameters[i].name,
                                              .value = space->lists[i].values[values[i]]};
}

bool space_find(const struct space *space, const struct configuration *configuration,
                uint64_t *point)
{
    uint16_t values[EXPERIMENT_PARAMETERS_MAX] = {0};
    if (configuration->count != space->parameter_count)
        return false;
    for (size_t i = 0; i < space->parameter_count; i++) {
        const struct value *value =
            configuration_value(configuration, i, space->experiment->parameters[i].name);
        const struct value_list *list = &space->lists[i];
        const uint32_t found = value ? list->table[table_place(list, *value)] : 0;
        if (found == 0)
            return false;
        values[i] = (uint16_t)(found - 1);
    }
    return space_at(space, values, point);
}
