/* Construction of the decision diagrams: depth first over the parameters of a group, in the order
 * of the file. Partial configurations with the same context (space_rules.c) are explored once, and
 * nodes with the same edges are merged. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"
#include "tuner/experiment/space.h"

enum {
    STEPS_MAX = 64 << 20,   /* values tried; bounds the time for making a space */
    EDGES_MAX = 16 << 20,   /* bounds the memory: 16 bytes each */
    CONTEXTS_MAX = 4 << 20, /* cached; 24 bytes each */
};
static const uint32_t DEAD_END = UINT32_MAX;

/* An explored context, identified by two hashes. */
struct memory {
    uint64_t name[2];
    uint32_t node;
    bool taken;
};

struct build {
    struct space *space;
    struct maker *maker;
    struct rules *rules;
    size_t parameters[EXPERIMENT_PARAMETERS_MAX]; /* the group's */
    size_t parameter_count;
    struct diagram_edge *edges[EXPERIMENT_PARAMETERS_MAX]; /* edges of unfinished nodes, by level */
    struct memory *memories;
    size_t memory_count, memory_size; /* the size is a power of two */
    uint32_t *unique;                 /* nodes by edges; 0: free */
    size_t unique_size;
    uint64_t steps;
};

/* ---- nodes ---- */

static bool same_edges(const struct diagram *diagram, uint32_t node,
                       const struct diagram_edge *edges, size_t count)
{
    const struct diagram_edge *others = diagram->edges + diagram->nodes[node].first;
    if (diagram->nodes[node].edge_count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (others[i].value != edges[i].value || others[i].child != edges[i].child)
            return false;
    return true;
}

static size_t unique_place(const struct build *build, const struct diagram_edge *edges,
                           size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        const uint64_t word = (uint64_t)edges[i].child << 16 | edges[i].value;
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    size_t at = hash & (build->unique_size - 1);
    while (build->unique[at] &&
           !same_edges(&build->space->diagram, build->unique[at], edges, count))
        at = (at + 1) & (build->unique_size - 1);
    return at;
}

static bool grow_unique(struct build *build)
{
    const struct diagram *diagram = &build->space->diagram;
    if (diagram->node_count * 2 < build->unique_size)
        return true;
    const size_t size = build->unique_size ? build->unique_size * 2 : 256;
    uint32_t *larger = calloc(size, sizeof *larger);
    if (!larger)
        return false;
    free(build->unique);
    build->unique = larger;
    build->unique_size = size;
    for (uint32_t i = 1; i < diagram->node_count; i++) {
        const struct diagram_node *node = &diagram->nodes[i];
        const struct diagram_edge *edges = diagram->edges + node->first;
        build->unique[unique_place(build, edges, node->edge_count)] = i;
    }
    return true;
}

static bool too_many(const struct build *build)
{
    return maker_error(build->maker, build->space->experiment->parameters_place,
                       "more than %lld legal configurations: give fewer values or more constraints",
                       (long long)INT64_MAX);
}

/* Reports that a group is too large, naming the first and last parameter. */
static bool too_entangled(const struct build *build, const char *subject)
{
    const struct experiment *experiment = build->space->experiment;
    return maker_error(build->maker, experiment->parameters_place,
                       "the constraints join %zu parameters, from '%s' to '%s', in %s: put "
                       "parameters that one constraint names next to each other, or give fewer "
                       "values",
                       build->parameter_count, experiment->parameters[build->parameters[0]].name,
                       experiment->parameters[build->parameters[build->parameter_count - 1]].name,
                       subject);
}

static bool new_node(struct build *build, const struct diagram_edge *edges, size_t count,
                     uint64_t total, uint32_t *out)
{
    struct diagram *diagram = &build->space->diagram;
    if (diagram->edge_count + count > EDGES_MAX)
        return too_entangled(build, "too many ways to hold them");
    if (!array_grow(&diagram->nodes, diagram->node_count, &diagram->node_capacity,
                    sizeof *diagram->nodes) ||
        !array_grow_by(&diagram->edges, diagram->edge_count, count, &diagram->edge_capacity,
                       sizeof *diagram->edges))
        return maker_no_memory(build->maker);
    *out = (uint32_t)diagram->node_count;
    diagram->nodes[diagram->node_count++] = (struct diagram_node){
        .count = total, .first = (uint32_t)diagram->edge_count, .edge_count = (uint32_t)count};
    if (count > 0)
        memcpy(diagram->edges + diagram->edge_count, edges, count * sizeof *edges);
    diagram->edge_count += count;
    return true;
}

/* Finds or makes the node with these edges; fills in their counts. */
static bool intern_node(struct build *build, struct diagram_edge *edges, size_t count,
                        uint32_t *out)
{
    uint64_t total = 0;
    if (!grow_unique(build))
        return maker_no_memory(build->maker);
    const size_t at = unique_place(build, edges, count);
    *out = build->unique[at];
    if (*out)
        return true;
    for (size_t i = 0; i < count; i++) {
        edges[i].before = total;
        if (__builtin_add_overflow(total, build->space->diagram.nodes[edges[i].child].count,
                                   &total) ||
            total > INT64_MAX)
            return too_many(build);
    }
    TRY_OR_FALSE(new_node(build, edges, count, total, out));
    build->unique[at] = *out;
    return true;
}

/* ---- contexts ---- */

static struct memory *memory_place(const struct build *build, const uint64_t name[2])
{
    size_t at = name[0] & (build->memory_size - 1);
    for (size_t tries = 0; tries < 64; tries++) {
        struct memory *memory = &build->memories[at];
        if (!memory->taken || (memory->name[0] == name[0] && memory->name[1] == name[1]))
            return memory;
        at = (at + 1) & (build->memory_size - 1);
    }
    return &build->memories[name[0] & (build->memory_size - 1)]; /* replaces the old entry */
}

/* Doubles the table up to a limit, beyond which new entries replace old ones, which are explored
 * again if needed. */
static bool grow_memories(struct build *build)
{
    if (build->memory_count * 2 < build->memory_size || build->memory_size >= CONTEXTS_MAX)
        return true;
    struct build larger = {.memory_size = build->memory_size ? build->memory_size * 2 : 1024};
    larger.memories = calloc(larger.memory_size, sizeof *larger.memories);
    if (!larger.memories)
        return false;
    for (size_t i = 0; i < build->memory_size; i++)
        if (build->memories[i].taken)
            *memory_place(&larger, build->memories[i].name) = build->memories[i];
    free(build->memories);
    build->memories = larger.memories;
    build->memory_size = larger.memory_size;
    return true;
}

/* ---- the walk ---- */

static bool walk_level(struct build *build, size_t level, uint32_t *node);

/* Finds the node for the configurations whose parameters up to this level are bound. */
static bool follow(struct build *build, size_t level, uint32_t *child)
{
    const size_t depth = build->parameters[level] + 1;
    bool possible = true;
    size_t bytes = 0;
    *child = DIAGRAM_END;
    if (level + 1 == build->parameter_count)
        return true;
    const void *context = rules_context(build->rules, depth, &bytes, &possible);
    if (!context)
        return maker_no_memory(build->maker);
    if (!possible) {
        *child = DEAD_END;
        return true;
    }
    const uint64_t name[2] = {hash_u64(context, bytes, depth), hash_u64(context, bytes, ~depth)};
    const struct memory *known = build->memory_size > 0 ? memory_place(build, name) : NULL;
    if (known && known->taken && known->name[0] == name[0] && known->name[1] == name[1]) {
        *child = known->node;
        return true;
    }
    TRY_OR_FALSE(walk_level(build, level + 1, child));
    if (!grow_memories(build))
        return maker_no_memory(build->maker);
    struct memory *memory = memory_place(build, name);
    build->memory_count += !memory->taken;
    *memory = (struct memory){.name = {name[0], name[1]}, .node = *child, .taken = true};
    return true;
}

static bool walk_level(struct build *build, size_t level, uint32_t *node)
{
    const size_t parameter = build->parameters[level];
    const struct value_list *list = &build->space->lists[parameter];
    struct diagram_edge *edges = build->edges[level];
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool hold = false;
        uint32_t child = DEAD_END;
        if (++build->steps > STEPS_MAX)
            return too_entangled(build, "too many ways to try them");
        rules_bind(build->rules, parameter, i);
        if (!rules_hold(build->rules, parameter + 1, &hold) ||
            (hold && !follow(build, level, &child)))
            return false;
        if (child != DEAD_END) /* a group has a parameter, so edges is not NULL:
                                  NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
            edges[count++] = (struct diagram_edge){.child = child, .value = (uint16_t)i};
    }
    *node = DEAD_END;
    return count == 0 || intern_node(build, edges, count, node);
}

static bool walk_groups(struct build *build)
{
    struct space *space = build->space;
    const struct experiment *experiment = space->experiment;
    const struct problem *problem = build->maker->problem;
    const uint64_t *ruled_out = rules_ruled_out(build->rules);
    uint32_t end = DIAGRAM_END;
    bool hold = false;
    space->count = 1;
    TRY_OR_FALSE(new_node(build, NULL, 0, 1, &end) && rules_hold(build->rules, 0, &hold));
    for (size_t i = 0; i < space->group_count && hold; i++) {
        bool right = true;
        build->parameter_count = 0;
        for (size_t j = 0; j < space->parameter_count; j++)
            if (space->group_of[j] == i)
                build->parameters[build->parameter_count++] = j;
        for (size_t j = 0; j < build->parameter_count && right; j++) {
            const size_t count = space->lists[build->parameters[j]].count;
            build->edges[j] = malloc(count * sizeof *build->edges[j]);
            right = build->edges[j] != NULL || maker_no_memory(build->maker);
        }
        right = right && walk_level(build, 0, &space->roots[i]);
        for (size_t j = 0; j < build->parameter_count; j++) {
            free(build->edges[j]);
            build->edges[j] = NULL;
        }
        TRY_OR_FALSE(right);
        hold = space->roots[i] != DEAD_END;
        if (hold &&
            (__builtin_mul_overflow(space->count, space->diagram.nodes[space->roots[i]].count,
                                    &space->count) ||
             space->count > INT64_MAX))
            return too_many(build);
    }
    if (hold)
        return true;
    size_t worst = 0;
    for (size_t i = 1; i < experiment->head.constraint_count; i++)
        if (ruled_out[i] > ruled_out[worst])
            worst = i;
    char size[96] = ""; /* a shape is part of the key */
    if (!problem->shape)
        (void)string_format(size, sizeof size, " with %s = %lld", problem->size_name,
                            (long long)problem->n);
    (void)maker_error(build->maker, experiment->constraints[worst].place,
                      "the constraints leave no configuration for %s%s; this one ruled out most",
                      problem->key, size);
    build->maker->error->status = STATUS_NOT_FOUND;
    return false;
}

bool space_build(struct space *space, struct maker *maker)
{
    struct build *build = calloc(1, sizeof *build);
    struct diagram *diagram = &space->diagram;
    struct arena arena = {0};
    bool right = false;
    if (!build)
        return maker_no_memory(maker);
    build->space = space;
    build->maker = maker;
    build->rules = rules_create(maker, space->lists, &arena);
    if (build->rules) {
        rules_groups(build->rules, space->group_of, &space->group_count);
        right = walk_groups(build);
    } else {
        (void)maker_no_memory(maker);
    }
    if (right) { /* return unused capacity */
        void *nodes = realloc(diagram->nodes, diagram->node_count * sizeof *diagram->nodes);
        void *edges = realloc(diagram->edges, diagram->edge_count * sizeof *diagram->edges);
        if (nodes)
            diagram->nodes = nodes;
        if (edges)
            diagram->edges = edges;
    }
    rules_free(build->rules);
    free(build->memories);
    free(build->unique);
    free(build);
    arena_free(&arena);
    return right;
}
