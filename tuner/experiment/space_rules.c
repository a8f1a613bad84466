/* Constraints while parameters are bound one after the other. Each is asked as soon as the last
 * parameter that it needs is bound. Before that, what it still needs to know of those that are
 * bound is written down: the values of its largest parts that are known, and which way its `and`,
 * `or` and `if` have gone. */
#include <stdlib.h>
#include <string.h>

#include "tuner/experiment/program.h"
#include "tuner/experiment/space.h"

enum { FIRST_NONE = 255 };

/* A part of a constraint, with the depths (1 + parameter) at which the first and the last parameter
 * that it needs is bound. */
struct part {
    const struct expression *tree;
    const struct program *program; /* NULL: there is none, or no need for one */
    uint8_t first;                 /* FIRST_NONE: it needs none */
    uint8_t last;
    bool local; /* names what a comprehension around it has: no value of its own */
    uint32_t count;
    struct part **operands; /* of a derived value: its definition */
};

enum known { KNOWN, UNKNOWN, FAILED };

/* What became of a derived value in the context that is being written. */
struct derived_context {
    uint64_t round;
    enum known known;
    struct value value;
};

struct rules {
    const struct experiment *experiment;
    struct environment *environment;
    const struct value_list *lists;
    struct arena *arena;
    bool out_of_memory;
    struct code *code;
    struct machine *machine;
    union number *numbers[EXPERIMENT_PARAMETERS_MAX]; /* the lists', where they are of one kind */
    struct part *constraints[CONSTRAINTS_MAX];
    const struct program *programs[CONSTRAINTS_MAX]; /* of their truth */
    struct part *definitions[EXPERIMENT_DERIVED_MAX];
    uint16_t asked[EXPERIMENT_PARAMETERS_MAX + 1][CONSTRAINTS_MAX]; /* whose last is the depth */
    size_t asked_count[EXPERIMENT_PARAMETERS_MAX + 1];
    uint16_t open[EXPERIMENT_PARAMETERS_MAX + 1][CONSTRAINTS_MAX]; /* begun and not asked yet */
    size_t open_count[EXPERIMENT_PARAMETERS_MAX + 1];
    uint8_t made_of[EXPERIMENT_PARAMETERS_MAX][EXPERIMENT_DERIVED_MAX]; /* derived values */
    size_t made_of_count[EXPERIMENT_PARAMETERS_MAX];
    uint64_t ruled_out[CONSTRAINTS_MAX];
    struct derived_context derived[EXPERIMENT_DERIVED_MAX];
    uint64_t round;
    size_t depth; /* of the context that is being written */
    struct error ignored;
    uint8_t *bytes;
    size_t length, capacity;
};

/* ---- numbers ---- */

static enum number_kind kind_of_list(const struct value_list *list)
{
    const enum number_kind kind = code_kind_of(list->values[0]);
    for (size_t i = 1; i < list->count; i++)
        if (code_kind_of(list->values[i]) != kind)
            return NUMBER_NONE;
    return kind;
}

static void number_list(struct rules *rules, size_t parameter)
{
    const struct value_list *list = &rules->lists[parameter];
    const enum number_kind kind = kind_of_list(list);
    if (kind == NUMBER_NONE)
        return;
    union number *numbers = arena_alloc(rules->arena, list->count, sizeof *numbers);
    rules->out_of_memory |= !numbers;
    for (size_t i = 0; i < list->count && !rules->out_of_memory; i++)
        rules->out_of_memory |= !code_number(rules->code, list->values[i], &numbers[i]);
    rules->numbers[parameter] = numbers;
    code_variable(rules->code, SLOT_PARAMETERS + parameter, kind);
}

/* ---- parts ---- */

static struct part *make_part(struct rules *rules, const struct expression *tree);

static void reach(struct part *part, const struct part *operand)
{
    if (operand->first < part->first)
        part->first = operand->first;
    if (operand->last > part->last)
        part->last = operand->last;
    part->local |= operand->local;
}

static struct part *definition_part(struct rules *rules, size_t derived)
{
    if (!rules->definitions[derived])
        rules->definitions[derived] =
            make_part(rules, rules->experiment->definitions[SLOT_DERIVED + derived]);
    return rules->definitions[derived];
}

static bool is_derived(const struct expression *tree)
{
    return tree->kind == EXPRESSION_VARIABLE && tree->index >= SLOT_DERIVED &&
           tree->index < SLOT_DERIVED + EXPERIMENT_DERIVED_MAX;
}

/* Programs for what may be known while the whole is not. */
static void make_programs(struct rules *rules, const struct part *part)
{
    for (size_t i = 0; i < part->count; i++) {
        struct part *operand = part->operands[i];
        if (operand->last < part->last && operand->first != FIRST_NONE && !operand->local &&
            operand->tree->kind != EXPRESSION_LIST && !operand->program)
            rules->out_of_memory |=
                !program_create(rules->code, operand->tree, RESULT_VALUE, &operand->program);
    }
}

static struct part *make_part(struct rules *rules, const struct expression *tree)
{
    struct part *part = arena_alloc(rules->arena, 1, sizeof *part);
    const size_t count = is_derived(tree) ? 1 : tree->count;
    if (part && count > 0)
        part->operands = arena_alloc(rules->arena, count, sizeof(struct part *));
    if (!part || (count > 0 && !part->operands)) {
        rules->out_of_memory = true;
        return NULL;
    }
    part->tree = tree;
    part->first = FIRST_NONE;
    part->count = (uint32_t)count;
    if (tree->kind == EXPRESSION_VARIABLE && tree->index >= SLOT_PARAMETERS &&
        tree->index < SLOT_DERIVED)
        part->first = part->last = (uint8_t)(tree->index - SLOT_PARAMETERS + 1);
    part->local = tree->kind == EXPRESSION_VARIABLE && tree->index == SLOT_LOCAL;
    for (size_t i = 0; i < count; i++) {
        part->operands[i] = is_derived(tree) ? definition_part(rules, tree->index - SLOT_DERIVED)
                                             : make_part(rules, tree->operands[i]);
        if (!part->operands[i])
            return NULL;
        reach(part, part->operands[i]);
    }
    if (tree->kind == EXPRESSION_LIST && tree->index == LIST_COMPREHENSION)
        part->local = false;
    make_programs(rules, part);
    return part;
}

static void place_rule(struct rules *rules, uint16_t index)
{
    const struct part *part = rules->constraints[index];
    rules->asked[part->last][rules->asked_count[part->last]++] = index;
    for (size_t depth = part->first; depth < part->last; depth++)
        rules->open[depth][rules->open_count[depth]++] = index;
}

static void place_derived(struct rules *rules)
{
    const struct experiment *experiment = rules->experiment;
    for (size_t i = 0; i < experiment->derived_count; i++)
        for (size_t j = 0; j < experiment->parameter_count; j++)
            if (slot_set_has(&experiment->reach[SLOT_DERIVED + i], SLOT_PARAMETERS + j))
                rules->made_of[j][rules->made_of_count[j]++] = (uint8_t)i;
}

static void make_rules(struct rules *rules)
{
    const struct experiment *experiment = rules->experiment;
    for (size_t i = 0; i < experiment->parameter_count && !rules->out_of_memory; i++)
        number_list(rules, i);
    for (size_t i = 0; i < experiment->constraint_count && !rules->out_of_memory; i++) {
        const struct expression *tree = experiment->constraints[i].tree;
        rules->constraints[i] = make_part(rules, tree);
        rules->out_of_memory |=
            !program_create(rules->code, tree, RESULT_TRUTH, &rules->programs[i]);
        if (rules->constraints[i])
            place_rule(rules, (uint16_t)i);
    }
    place_derived(rules);
}

struct rules *rules_create(const struct experiment *experiment, struct environment *environment,
                           const struct value_list *lists, struct arena *arena)
{
    struct rules *rules = calloc(1, sizeof *rules);
    if (!rules)
        return NULL;
    rules->experiment = experiment;
    rules->environment = environment;
    rules->lists = lists;
    rules->arena = arena;
    rules->code = code_create(arena, environment);
    if (rules->code)
        make_rules(rules);
    if (rules->code && !rules->out_of_memory)
        rules->machine = machine_create(rules->code);
    if (!rules->machine) {
        rules_free(rules);
        return NULL;
    }
    return rules;
}

void rules_free(struct rules *rules)
{
    if (!rules)
        return;
    machine_end(rules->machine);
    code_free(rules->code);
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
    const size_t count = experiment->parameter_count;
    uint8_t joined[EXPERIMENT_PARAMETERS_MAX]; /* the least parameter that each is joined with */
    for (size_t i = 0; i < count; i++)
        joined[i] = (uint8_t)i;
    for (size_t i = 0; i < experiment->constraint_count; i++) {
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
    const size_t slot = SLOT_PARAMETERS + parameter;
    environment_bind(rules->environment, slot, rules->lists[parameter].values[index]);
    if (rules->numbers[parameter])
        machine_set(rules->machine, slot, rules->numbers[parameter][index]);
    for (size_t i = 0; i < rules->made_of_count[parameter]; i++) {
        const size_t derived = SLOT_DERIVED + rules->made_of[parameter][i];
        rules->environment->bound[derived] = false;
        machine_forget(rules->machine, derived);
    }
}

static enum status ask(struct rules *rules, size_t index, bool *holds, struct error *error)
{
    union number number;
    struct value value;
    if (rules->programs[index] && machine_run(rules->machine, rules->programs[index], &number)) {
        *holds = number.integer != 0;
        return STATUS_OK;
    }
    const enum status status =
        expression_evaluate(rules->constraints[index]->tree, rules->environment, &value, error);
    *holds = status == STATUS_OK && value_is_true(value);
    return status;
}

enum status rules_hold(struct rules *rules, size_t depth, bool *hold, struct error *error)
{
    *hold = true;
    for (size_t i = 0; i < rules->asked_count[depth] && *hold; i++) {
        const size_t index = rules->asked[depth][i];
        const enum status status = ask(rules, index, hold, error);
        if (status != STATUS_OK)
            return status;
        rules->ruled_out[index] += !*hold;
    }
    return STATUS_OK;
}

/* ---- contexts ---- */

static void put(struct rules *rules, const void *data, size_t bytes)
{
    if (rules->length + bytes > rules->capacity) {
        const size_t capacity = 2 * (rules->length + bytes) + 256;
        uint8_t *larger = realloc(rules->bytes, capacity);
        if (!larger) {
            rules->out_of_memory = true;
            return;
        }
        rules->bytes = larger;
        rules->capacity = capacity;
    }
    memcpy(rules->bytes + rules->length, data, bytes);
    rules->length += bytes;
}

static void put_value(struct rules *rules, struct value value)
{
    const uint8_t kind = (uint8_t)(value.kind == VALUE_BOOLEAN ? VALUE_INTEGER : value.kind);
    put(rules, &kind, 1);
    if (value.kind == VALUE_TEXT)
        put(rules, value.text, strlen(value.text) + 1);
    else if (value.kind == VALUE_REAL)
        put(rules, &value.real, sizeof value.real);
    else
        put(rules, &value.integer, sizeof value.integer);
}

enum { MARK_UNKNOWN = 16, MARK_PASSED, MARK_DECIDED, MARK_FAILED };

/* Each part's bytes are followed by one that tells what became of it, so that different contexts
 * cannot read alike. */
static void put_mark(struct rules *rules, enum known known, uint8_t mark)
{
    const uint8_t failed = (uint8_t)(MARK_FAILED + rules->ignored.status);
    const uint8_t unknown = MARK_UNKNOWN;
    put(rules, known == FAILED ? &failed : known == UNKNOWN ? &unknown : &mark, 1);
}

static enum known reduce(struct rules *rules, const struct part *part, struct value *out);

static enum known reduce_logic(struct rules *rules, const struct part *part, struct value *out)
{
    const enum known left = reduce(rules, part->operands[0], out);
    const bool decided =
        left == KNOWN && value_is_true(*out) == (part->tree->kind == EXPRESSION_OR);
    put_mark(rules, left, decided ? MARK_DECIDED : MARK_PASSED);
    if (left == FAILED || decided)
        return left;
    if (left == KNOWN)
        return reduce(rules, part->operands[1], out);
    const enum known right = reduce(rules, part->operands[1], out);
    put_mark(rules, right, MARK_PASSED);
    if (right == KNOWN)
        put_value(rules, *out);
    return UNKNOWN;
}

static enum known reduce_conditional(struct rules *rules, const struct part *part,
                                     struct value *out)
{
    const enum known condition = reduce(rules, part->operands[0], out);
    const bool truth = condition == KNOWN && value_is_true(*out);
    put_mark(rules, condition, truth ? MARK_DECIDED : MARK_PASSED);
    if (condition == FAILED)
        return FAILED;
    if (condition == KNOWN)
        return reduce(rules, part->operands[truth ? 1 : 2], out);
    for (size_t i = 1; i < 3; i++) {
        const enum known branch = reduce(rules, part->operands[i], out);
        put_mark(rules, branch, MARK_PASSED);
        if (branch == KNOWN)
            put_value(rules, *out);
    }
    return UNKNOWN;
}

static enum known reduce_derived(struct rules *rules, const struct part *part, struct value *out)
{
    struct derived_context *derived = &rules->derived[part->tree->index - SLOT_DERIVED];
    if (derived->round != rules->round) {
        derived->known = reduce(rules, part->operands[0], &derived->value);
        derived->round = rules->round;
        put_mark(rules, derived->known, MARK_PASSED);
    }
    *out = derived->value;
    return derived->known;
}

static enum known reduce_not(struct rules *rules, const struct part *part, struct value *out)
{
    const enum known known = reduce(rules, part->operands[0], out);
    if (known == KNOWN)
        *out = value_boolean(!value_is_true(*out));
    return known;
}

/* An operator that needs all its operands. */
static enum known reduce_operands(struct rules *rules, const struct part *part, struct value *out)
{
    for (size_t i = 0; i < part->count; i++) {
        const enum known known = reduce(rules, part->operands[i], out);
        put_mark(rules, known, MARK_PASSED);
        if (known == KNOWN)
            put_value(rules, *out);
    }
    return UNKNOWN;
}

static enum known evaluate(struct rules *rules, const struct part *part, struct value *out)
{
    union number number;
    if (part->program && machine_run(rules->machine, part->program, &number)) {
        *out = code_value(rules->code, program_kind(part->program), number);
        return KNOWN;
    }
    return expression_evaluate(part->tree, rules->environment, out, &rules->ignored) == STATUS_OK
               ? KNOWN
               : FAILED;
}

/* Writes what is known of the part, or gives its value: what an evaluation comes to that does not
 * get to a parameter which is not bound yet. */
static enum known reduce(struct rules *rules, const struct part *part, struct value *out)
{
    if (part->last <= rules->depth && !part->local && part->tree->kind != EXPRESSION_LIST)
        return evaluate(rules, part, out);
    if (part->first > rules->depth) /* names of comprehensions among them */
        return UNKNOWN;
    switch ((enum expression_kind)part->tree->kind) {
    case EXPRESSION_AND:
    case EXPRESSION_OR:
        return reduce_logic(rules, part, out);
    case EXPRESSION_CONDITIONAL:
        return reduce_conditional(rules, part, out);
    case EXPRESSION_VARIABLE:
        return reduce_derived(rules, part, out);
    case EXPRESSION_NOT:
        return reduce_not(rules, part, out);
    default:
        return reduce_operands(rules, part, out);
    }
}

const void *rules_context(struct rules *rules, size_t depth, size_t *bytes, bool *possible)
{
    rules->length = 0;
    rules->depth = depth;
    rules->round++;
    *possible = true;
    put(rules, "", 1);
    for (size_t i = 0; i < rules->open_count[depth] && *possible; i++) {
        const size_t index = rules->open[depth][i];
        struct value value;
        const enum known known = reduce(rules, rules->constraints[index], &value);
        *possible = known != KNOWN || value_is_true(value);
        rules->ruled_out[index] += !*possible;
        put_mark(rules, known, MARK_PASSED);
    }
    *bytes = rules->length;
    return rules->out_of_memory ? NULL : rules->bytes;
}
