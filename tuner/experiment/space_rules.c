/* Constraints while parameters are bound one by one. Each is evaluated as soon as its last
 * parameter is bound. Before that, its context is written: the values of its largest known parts,
 * and the branches taken by its `and`, `or` and `if`. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/experiment/space.h"

enum { FIRST_NONE = 255 };

/* A part of a constraint, with the depths (1 + parameter) at which its first and last parameters
 * are bound. */
struct subtree {
    const struct expression *tree;
    uint8_t first; /* FIRST_NONE: no parameters */
    uint8_t last;
    bool local; /* uses the variable of a comprehension around it: no value of its own */
    uint32_t count;
    struct subtree **operands; /* for a derived value: the definition */
};

enum known { KNOWN, UNKNOWN, FAILED };

/* Result for a derived value in the context being written. */
struct derived_context {
    uint64_t round;
    enum known known;
    struct value value;
};

struct rules {
    struct maker *maker;
    const struct experiment *experiment; /* the maker's */
    struct environment *environment;     /* the maker's */
    const struct value_list *lists;
    struct arena *arena;
    bool out_of_memory;
    const struct subtree *constraints[EXPERIMENT_CONSTRAINTS_MAX];
    struct subtree *definitions[EXPERIMENT_DERIVED_MAX];
    uint16_t decided[EXPERIMENT_PARAMETERS_MAX + 1]
                    [EXPERIMENT_CONSTRAINTS_MAX]; /* constraints whose last depth is this */
    size_t decided_count[EXPERIMENT_PARAMETERS_MAX + 1];
    uint16_t open[EXPERIMENT_PARAMETERS_MAX + 1]
                 [EXPERIMENT_CONSTRAINTS_MAX]; /* constraints begun but not due yet */
    size_t open_count[EXPERIMENT_PARAMETERS_MAX + 1];
    uint8_t members[EXPERIMENT_PARAMETERS_MAX]
                   [EXPERIMENT_DERIVED_MAX]; /* derived values that depend on the parameter */
    size_t member_count[EXPERIMENT_PARAMETERS_MAX];
    uint64_t ruled_out[EXPERIMENT_CONSTRAINTS_MAX];
    struct derived_context derived[EXPERIMENT_DERIVED_MAX];
    uint64_t round;
    size_t depth; /* for the context being written */
    struct error ignored;
    uint8_t *bytes;
    size_t length, capacity;
};

/* ---- parts ---- */

static bool is_derived(const struct expression *tree)
{
    return tree->kind == EXPRESSION_VARIABLE && tree->index >= SLOT_DERIVED &&
           tree->index < SLOT_DERIVED + EXPERIMENT_DERIVED_MAX;
}

static struct subtree *make_subtree(struct rules *rules, const struct expression *tree)
{
    struct subtree *subtree = arena_alloc(rules->arena, 1, sizeof *subtree);
    const size_t count = is_derived(tree) ? 1 : tree->count;
    if (subtree && count > 0)
        subtree->operands = arena_alloc(rules->arena, count, sizeof(struct subtree *));
    if (!subtree || (count > 0 && !subtree->operands)) {
        rules->out_of_memory = true;
        return NULL;
    }
    subtree->tree = tree;
    subtree->first = FIRST_NONE;
    subtree->count = (uint32_t)count;
    if (tree->kind == EXPRESSION_VARIABLE && tree->index >= SLOT_PARAMETERS &&
        tree->index < SLOT_DERIVED)
        subtree->first = subtree->last = (uint8_t)(tree->index - SLOT_PARAMETERS + 1);
    subtree->local = tree->kind == EXPRESSION_VARIABLE && tree->index == SLOT_LOCAL;
    for (size_t i = 0; i < count; i++) {
        struct subtree **known =
            is_derived(tree) ? &rules->definitions[tree->index - SLOT_DERIVED] : NULL;
        struct subtree *operand = known ? *known : NULL;
        if (!operand)
            operand = make_subtree(rules, known ? rules->experiment->definitions[tree->index]
                                                : tree->operands[i]);
        if (!operand)
            return NULL;
        if (known)
            *known = operand;
        subtree->operands[i] = operand;
        if (operand->first < subtree->first)
            subtree->first = operand->first;
        if (operand->last > subtree->last)
            subtree->last = operand->last;
        subtree->local |= operand->local;
    }
    if (tree->kind == EXPRESSION_LIST &&
        (tree->index == LIST_COMPREHENSION || tree->index == LIST_GENERATOR))
        subtree->local = false;
    return subtree;
}

struct rules *rules_create(struct maker *maker, const struct value_list *lists, struct arena *arena)
{
    struct rules *rules = calloc(1, sizeof *rules);
    if (!rules)
        return NULL;
    rules->maker = maker;
    rules->experiment = maker->experiment;
    rules->environment = &maker->environment;
    rules->lists = lists;
    rules->arena = arena;
    const struct experiment *experiment = rules->experiment;
    for (size_t i = 0; i < experiment->head.constraint_count && !rules->out_of_memory; i++) {
        const struct subtree *subtree = make_subtree(rules, experiment->constraints[i].tree);
        rules->constraints[i] = subtree;
        if (!subtree)
            break;
        rules->decided[subtree->last][rules->decided_count[subtree->last]++] = (uint16_t)i;
        for (size_t depth = subtree->first; depth < subtree->last; depth++)
            rules->open[depth][rules->open_count[depth]++] = (uint16_t)i;
    }
    for (size_t i = 0; i < experiment->derived_count; i++)
        for (size_t j = 0; j < experiment->head.parameter_count; j++)
            if (slot_set_has(&experiment->reach[SLOT_DERIVED + i], SLOT_PARAMETERS + j))
                rules->members[j][rules->member_count[j]++] = (uint8_t)i;
    if (!rules->out_of_memory)
        return rules;
    rules_free(rules);
    return NULL;
}

void rules_free(struct rules *rules)
{
    if (!rules)
        return;
    free(rules->bytes);
    free(rules);
}

const uint64_t *rules_ruled_out(const struct rules *rules)
{
    return rules->ruled_out;
}

void rules_groups(const struct rules *rules, uint8_t group_of[EXPERIMENT_PARAMETERS_MAX],
                  size_t *group_count)
{
    const struct experiment *experiment = rules->experiment;
    const size_t count = experiment->head.parameter_count;
    uint8_t joined[EXPERIMENT_PARAMETERS_MAX]; /* smallest parameter joined with each */
    for (size_t i = 0; i < count; i++)
        joined[i] = (uint8_t)i;
    for (size_t i = 0; i < experiment->head.constraint_count; i++) {
        const struct slot_set uses = slots_reached(experiment, experiment->constraints[i].uses);
        size_t least = count;
        for (size_t j = count; j-- > 0;)
            if (slot_set_has(&uses, SLOT_PARAMETERS + j) && joined[j] < least)
                least = joined[j];
        for (size_t j = 0; j < count; j++) {
            const uint8_t old = joined[j];
            if (!slot_set_has(&uses, SLOT_PARAMETERS + j) || old == least)
                continue;
            for (size_t k = 0; k < count; k++)
                if (joined[k] == old)
                    joined[k] = (uint8_t)least;
        }
    }
    *group_count = 0;
    for (size_t i = 0; i < count; i++)
        group_of[i] = joined[i] == i ? (uint8_t)(*group_count)++ : group_of[joined[i]];
}

void rules_bind(struct rules *rules, size_t parameter, size_t index)
{
    environment_bind(rules->environment, SLOT_PARAMETERS + parameter,
                     rules->lists[parameter].values[index]);
    for (size_t i = 0; i < rules->member_count[parameter]; i++)
        rules->environment->bound[SLOT_DERIVED + rules->members[parameter][i]] = false;
}

bool rules_hold(struct rules *rules, size_t depth, bool *hold)
{
    *hold = true;
    for (size_t i = 0; i < rules->decided_count[depth] && *hold; i++) {
        const size_t index = rules->decided[depth][i];
        TRY_OR_FALSE(make_truth(rules->maker, &rules->experiment->constraints[index], hold));
        rules->ruled_out[index] += !*hold;
    }
    return true;
}

/* ---- contexts ---- */

static inline void write_bytes(struct rules *rules, const void *data, size_t bytes)
{
    if (rules->length + bytes > rules->capacity &&
        !array_grow_by(&rules->bytes, rules->length, bytes, &rules->capacity, 1)) {
        rules->out_of_memory = true;
        return;
    }
    memcpy(rules->bytes + rules->length, data, bytes);
    rules->length += bytes;
}

static void write_value(struct rules *rules, struct value value)
{
    const uint8_t kind = (uint8_t)(value.kind == VALUE_BOOLEAN ? VALUE_INTEGER : value.kind);
    write_bytes(rules, &kind, 1);
    if (value.kind == VALUE_TEXT)
        write_bytes(rules, value.text, strlen(value.text) + 1);
    else /* or the bits of a real */
        write_bytes(rules, &value.integer, sizeof value.integer);
}

enum { MARK_UNKNOWN = 16, MARK_PASSED, MARK_DECIDED, MARK_FAILED };

/* Writes a mark behind a part's bytes with the part's result, so that different contexts never have
 * equal bytes. */
static void write_mark(struct rules *rules, enum known known, uint8_t mark)
{
    const uint8_t failed = (uint8_t)(MARK_FAILED + rules->ignored.status);
    const uint8_t unknown = MARK_UNKNOWN;
    write_bytes(rules, known == FAILED ? &failed : known == UNKNOWN ? &unknown : &mark, 1);
}

static enum known reduce(struct rules *rules, const struct subtree *subtree, struct value *out);

/* Evaluates the part if its parameters are bound; else writes its known parts. */
static enum known reduce(struct rules *rules, const struct subtree *subtree, struct value *out)
{
    if (subtree->last <= rules->depth && !subtree->local && subtree->tree->kind != EXPRESSION_LIST)
        return expression_evaluate(subtree->tree, rules->environment, out, &rules->ignored) ==
                       STATUS_OK
                   ? KNOWN
                   : FAILED;
    if (subtree->first > rules->depth) /* includes variables of comprehensions */
        return UNKNOWN;
    switch ((enum expression_kind)subtree->tree->kind) {
    case EXPRESSION_AND:
    case EXPRESSION_OR: {
        const enum known left = reduce(rules, subtree->operands[0], out);
        const bool decided =
            left == KNOWN && value_is_true(*out) == (subtree->tree->kind == EXPRESSION_OR);
        write_mark(rules, left, decided ? MARK_DECIDED : MARK_PASSED);
        if (left == FAILED || decided)
            return left;
        if (left == KNOWN)
            return reduce(rules, subtree->operands[1], out);
        const enum known right = reduce(rules, subtree->operands[1], out);
        write_mark(rules, right, MARK_PASSED);
        if (right == KNOWN)
            write_value(rules, *out);
        return UNKNOWN;
    }
    case EXPRESSION_CONDITIONAL: {
        const enum known condition = reduce(rules, subtree->operands[0], out);
        const bool truth = condition == KNOWN && value_is_true(*out);
        write_mark(rules, condition, truth ? MARK_DECIDED : MARK_PASSED);
        if (condition == FAILED)
            return FAILED;
        if (condition == KNOWN)
            return reduce(rules, subtree->operands[truth ? 1 : 2], out);
        for (size_t i = 1; i < 3; i++) {
            const enum known branch = reduce(rules, subtree->operands[i], out);
            write_mark(rules, branch, MARK_PASSED);
            if (branch == KNOWN)
                write_value(rules, *out);
        }
        return UNKNOWN;
    }
    case EXPRESSION_VARIABLE: {
        struct derived_context *derived = &rules->derived[subtree->tree->index - SLOT_DERIVED];
        if (derived->round != rules->round) {
            derived->known = reduce(rules, subtree->operands[0], &derived->value);
            derived->round = rules->round;
            write_mark(rules, derived->known, MARK_PASSED);
        }
        *out = derived->value;
        return derived->known;
    }
    case EXPRESSION_NOT: {
        const enum known known = reduce(rules, subtree->operands[0], out);
        if (known == KNOWN)
            *out = value_boolean(!value_is_true(*out));
        return known;
    }
    default: {
        /* Operands of an operator that needs all of them. Constants are the same in all contexts
         * and are not written. */
        for (size_t i = 0; i < subtree->count; i++) {
            const bool begun = subtree->operands[i]->first <= rules->depth;
            const enum known known = begun ? reduce(rules, subtree->operands[i], out) : UNKNOWN;
            write_mark(rules, known, MARK_PASSED);
            if (known == KNOWN)
                write_value(rules, *out);
        }
        return UNKNOWN;
    }
    }
}

const void *rules_context(struct rules *rules, size_t depth, size_t *bytes, bool *possible)
{
    rules->length = 0;
    rules->depth = depth;
    rules->round++;
    *possible = true;
    write_bytes(rules, "", 1);
    for (size_t i = 0; i < rules->open_count[depth] && *possible; i++) {
        const size_t index = rules->open[depth][i];
        struct value value;
        const enum known known = reduce(rules, rules->constraints[index], &value);
        *possible = known != KNOWN || value_is_true(value);
        rules->ruled_out[index] += !*possible;
        write_mark(rules, known, MARK_PASSED);
    }
    *bytes = rules->length;
    return rules->out_of_memory ? NULL : rules->bytes;
}
