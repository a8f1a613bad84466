/* Between the space's own files.
 *
 * Parameters that no constraint joins, directly or through others, are in different groups: what
 * one group takes says nothing about the others, so the space is the product of its groups. Each
 * group is a decision diagram: a node a set of choices that are still open, an edge a value, and
 * partial configurations that leave the constraints the same things to ask end in the same node.
 * A node knows how many configurations it leads to, so that the i-th point is a descent. */
#ifndef TUNE_EXPERIMENT_SPACE_H
#define TUNE_EXPERIMENT_SPACE_H

#include "tuner/experiment/maker.h"

/* The values of a parameter, without repeats, and a table to find them by. */
struct value_list {
    struct value *values;
    size_t count;
    uint32_t *table; /* index + 1 of a value, 0: empty; of table_mask + 1 entries */
    size_t table_mask;
};

/* As space_create; whether values that the experiment is not limited to are left out. */
enum status space_create_from(const struct experiment *experiment, const struct problem *problem,
                              const struct facts *facts, bool restricted, struct space **out,
                              struct error *error);

/* Fills `lists`, one for each parameter, in the maker's arena. Texts are copied, since those of
 * facts live only as long as the caller's. */
bool space_lists(struct maker *maker, bool restricted, struct value_list *lists);
/* False when the value is none of the list's. */
bool space_list_find(const struct value_list *list, struct value value, size_t *index);

struct diagram_edge {
    uint64_t before; /* configurations that the edges before this one lead to */
    uint32_t child;
    uint16_t value; /* index into the parameter's list; ascending within a node */
};
struct diagram_node {
    uint64_t count; /* configurations that it leads to */
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
    size_t group_count;                          /* by their first parameters */
    uint32_t roots[EXPERIMENT_PARAMETERS_MAX];   /* by group */
    struct diagram diagram;
    const uint64_t *kept; /* points of the diagrams, ascending, that alone are left; NULL: all */
    uint64_t kept_count;
};

/* Makes the groups and their diagrams. */
bool space_build(struct space *space, struct maker *maker);

/* ---- constraints, while parameters are bound one after the other ---- */

struct rules;

/* Of the experiment's constraints, to be asked of the maker while parameters take values of their
 * lists. The maker, the arena and the lists are needed as long. NULL when memory is short. */
struct rules *rules_create(struct maker *maker, const struct value_list *lists,
                           struct arena *arena);
void rules_free(struct rules *rules);
/* Parameters that some constraint joins have the same number. */
void rules_groups(const struct rules *rules, uint8_t group_of[EXPERIMENT_PARAMETERS_MAX],
                  size_t *group_count);
/* Gives a parameter a value of its list, and forgets what was derived from the one before. */
void rules_bind(struct rules *rules, size_t parameter, size_t index);
/* Whether the constraints hold that can be asked since parameter `depth` - 1 is bound, those of
 * the group before it being so; depth 0 asks those that need none. False: one has no value; the
 * maker's error is the constraint's. */
bool rules_hold(struct rules *rules, size_t depth, bool *hold);
/* What the constraints still need to know of the parameters below `depth`, as bytes: where they are
 * the same, so are the configurations that follow. *possible is false when a constraint can no
 * longer be kept. NULL when memory is short. */
const void *rules_context(struct rules *rules, size_t depth, size_t *bytes, bool *possible);
/* How often each constraint said no. */
const uint64_t *rules_ruled_out(const struct rules *rules);

#endif
