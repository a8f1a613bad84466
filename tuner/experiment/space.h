/* Declarations shared by the space's files.
 *
 * Parameters that no constraint joins, directly or through others, are in different groups: the
 * choices in one group do not restrict the others, so the space is the product of its groups. Each
 * group is a decision diagram: a node is a set of choices that are still open, an edge a value, and
 * partial configurations that leave the constraints equal in effect end in the same node. A node
 * stores the number of configurations below it, so that the i-th point is found by a descent. */
#ifndef TUNE_EXPERIMENT_SPACE_H
#define TUNE_EXPERIMENT_SPACE_H

#include "tuner/experiment/maker.h"

/* The values of a parameter, without repeats, with a hash table. */
struct value_list {
    struct value *values;
    size_t count;
    uint32_t *table; /* index + 1 of a value, 0: empty; table_mask + 1 entries */
    size_t table_mask;
};

/* Makes a space as space_create does; `restricted`: leaves out values excluded by a restriction. */
enum status space_create_from(const struct experiment *experiment, const struct problem *problem,
                              const struct facts *facts, bool restricted, struct space **out,
                              struct error *error);

struct diagram_edge {
    uint64_t before; /* configurations below the edges before this one */
    uint32_t child;
    uint16_t value; /* index into the parameter's list; ascending within a node */
};
struct diagram_node {
    uint64_t count; /* configurations below the node */
    uint32_t first; /* edge */
    uint32_t edge_count;
};
struct diagram {
    struct diagram_node *nodes; /* the first is the end of every path */
    size_t node_count, node_capacity;
    struct diagram_edge *edges;
    size_t edge_count, edge_capacity;
};
enum { DIAGRAM_END = 0 };

struct space {
    struct arena arena;
    const struct experiment *experiment;
    size_t parameter_count;
    struct value_list lists[EXPERIMENT_PARAMETERS_MAX];
    uint64_t product_count;
    uint64_t count;
    uint8_t group_of[EXPERIMENT_PARAMETERS_MAX]; /* by parameter */
    size_t group_count;                          /* numbered by first parameters */
    uint32_t roots[EXPERIMENT_PARAMETERS_MAX];   /* by group */
    struct diagram diagram;
    const uint64_t *kept; /* points of the diagrams, ascending, if only these are left; NULL: all */
    uint64_t kept_count;
};

/* Makes the groups' diagrams. */
bool space_build(struct space *space, struct maker *maker);

/* ---- constraints, while parameters are bound one by one ---- */

struct rules;

/* Prepares the experiment's constraints, to be evaluated in the maker while parameters take values
 * of their lists. Maker, arena and lists must outlive the rules. NULL when memory is short. */
struct rules *rules_create(struct maker *maker, const struct value_list *lists,
                           struct arena *arena);
void rules_free(struct rules *rules);
/* Numbers the groups: parameters joined by constraints get the same number. */
void rules_groups(const struct rules *rules, uint8_t group_of[EXPERIMENT_PARAMETERS_MAX],
                  size_t *group_count);
/* Binds a parameter to a value of its list, and unbinds derived values of the previous one. */
void rules_bind(struct rules *rules, size_t parameter, size_t index);
/* Evaluates the constraints that became decidable when parameter `depth` - 1 was bound; depth 0
 * evaluates those without parameters. False: one has no value; the maker's error is the
 * constraint's. */
bool rules_hold(struct rules *rules, size_t depth, bool *hold);
/* Returns, as bytes, the effect of the parameters below `depth` on the constraints: partial
 * configurations with equal bytes have the same continuations. *possible is false when a constraint
 * can no longer hold. NULL when memory is short. */
const void *rules_context(struct rules *rules, size_t depth, size_t *bytes, bool *possible);
/* Returns how often each constraint was false. */
const uint64_t *rules_ruled_out(const struct rules *rules);

#endif
