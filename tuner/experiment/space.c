/* The space as others ask for it: by number, by configuration, by indices of values, and all of it
 * in order. The order is that of the file's parameters, the last one fastest, although they are
 * counted group by group: where others stand says only how often what follows repeats. */
#include "tuner/experiment/space.h"

#include <stdlib.h>
#include <string.h>

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
    if (!space)
        return error_no_memory(error);
    space->experiment = experiment;
    space->parameter_count = experiment->parameter_count;
    maker_start(&maker, experiment, problem, facts, &space->arena, error);
    if (!space_lists(&maker, restricted, space->lists) || !space_build(space, &maker)) {
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
    return space->count;
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

/* Where a descent stands: the node of each group, and how many configurations lead on from here. */
struct descent {
    uint32_t nodes[EXPERIMENT_PARAMETERS_MAX];
    uint64_t count;
};

static void start_descent(const struct space *space, struct descent *descent)
{
    memcpy(descent->nodes, space->roots, sizeof descent->nodes);
    descent->count = space->count;
}

/* The last edge that no more than `number` configurations stand before. */
static const struct diagram_edge *edge_of_number(const struct diagram *diagram,
                                                 const struct diagram_node *node, uint64_t number)
{
    const struct diagram_edge *edges = diagram->edges + node->first;
    size_t low = 0;
    size_t high = node->edge_count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (edges[middle].before <= number)
            low = middle;
        else
            high = middle;
    }
    return &edges[low];
}

void space_values(const struct space *space, uint64_t point,
                  uint16_t values[EXPERIMENT_PARAMETERS_MAX])
{
    struct descent descent;
    start_descent(space, &descent);
    for (size_t i = 0; i < space->parameter_count; i++) {
        uint32_t *at = &descent.nodes[space->group_of[i]];
        const struct diagram_node *node = &space->diagram.nodes[*at];
        const uint64_t others = descent.count / node->count;
        const struct diagram_edge *edge = edge_of_number(&space->diagram, node, point / others);
        values[i] = edge->value;
        point -= edge->before * others;
        descent.count = others * space->diagram.nodes[edge->child].count;
        *at = edge->child;
    }
}

static const struct diagram_edge *edge_of_value(const struct diagram *diagram,
                                                const struct diagram_node *node, uint16_t value)
{
    const struct diagram_edge *edges = diagram->edges + node->first;
    size_t low = 0;
    size_t high = node->edge_count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (edges[middle].value <= value)
            low = middle;
        else
            high = middle;
    }
    return edges[low].value == value ? &edges[low] : NULL;
}

bool space_at(const struct space *space, const uint16_t values[EXPERIMENT_PARAMETERS_MAX],
              uint64_t *point)
{
    struct descent descent;
    uint64_t number = 0;
    start_descent(space, &descent);
    for (size_t i = 0; i < space->parameter_count; i++) {
        uint32_t *at = &descent.nodes[space->group_of[i]];
        const struct diagram_node *node = &space->diagram.nodes[*at];
        const struct diagram_edge *edge = edge_of_value(&space->diagram, node, values[i]);
        if (!edge)
            return false;
        const uint64_t others = descent.count / node->count;
        number += edge->before * others;
        descent.count = others * space->diagram.nodes[edge->child].count;
        *at = edge->child;
    }
    *point = number;
    return true;
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
        const char *name = space->experiment->parameters[i].name;
        size_t at = i; /* in the order of the file, unless it comes from elsewhere */
        size_t index = 0;
        if (strcmp(configuration->values[at].name, name) != 0)
            for (at = 0; at < configuration->count; at++)
                if (strcmp(configuration->values[at].name, name) == 0)
                    break;
        if (at == configuration->count ||
            !space_list_find(&space->lists[i], configuration->values[at].value, &index))
            return false;
        values[i] = (uint16_t)index;
    }
    return space_at(space, values, point);
}

/* ---- all points ---- */

struct walker {
    const struct space *space;
    bool (*each)(void *context, const uint16_t values[EXPERIMENT_PARAMETERS_MAX]);
    void *context;
    uint16_t values[EXPERIMENT_PARAMETERS_MAX];
    uint32_t nodes[EXPERIMENT_PARAMETERS_MAX];
};

static bool walk(struct walker *walker, size_t parameter)
{
    const struct space *space = walker->space;
    uint32_t *at = &walker->nodes[space->group_of[parameter]];
    const uint32_t here = *at;
    const struct diagram_node *node = &space->diagram.nodes[here];
    const struct diagram_edge *edges = space->diagram.edges + node->first;
    const bool last = parameter + 1 == space->parameter_count;
    for (size_t i = 0; i < node->edge_count; i++) {
        walker->values[parameter] = edges[i].value;
        *at = edges[i].child;
        if (!(last ? walker->each(walker->context, walker->values) : walk(walker, parameter + 1)))
            return false;
    }
    *at = here;
    return true;
}

void space_walk(const struct space *space,
                bool (*each)(void *context, const uint16_t values[EXPERIMENT_PARAMETERS_MAX]),
                void *context)
{
    struct walker walker = {.space = space, .each = each, .context = context};
    memcpy(walker.nodes, space->roots, sizeof walker.nodes);
    (void)walk(&walker, 0);
}
