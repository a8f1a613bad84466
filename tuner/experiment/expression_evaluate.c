/* Evaluation of the tree. Spaces and series evaluate an expression many millions of times, so that
 * variables and integers, the most frequent nodes, need no call each. */
#include "tuner/experiment/expression.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"

bool value_is_true(struct value value)
{
    switch (value.kind) {
    case VALUE_TEXT:
        return value.text[0] != '\0';
    case VALUE_REAL:
        return value.real != 0;
    default:
        return value.integer != 0;
    }
}

bool evaluate_order(const struct expression *node, struct evaluation *evaluation, struct value a,
                    struct value b, int *out)
{
    if ((a.kind == VALUE_TEXT) != (b.kind == VALUE_TEXT))
        return evaluation_error(node, evaluation,
                                "a text and a number have no order ('%s' and a number)",
                                a.kind == VALUE_TEXT ? a.text : b.text);
    *out = a.kind == VALUE_TEXT ? strcmp(a.text, b.text) : value_order(a, b);
    return true;
}

/* Computes integer results that fit 64 bits. Division takes 32 bits, which is several times as
 * fast. False: left to evaluate_arithmetic, which also reports errors. */
static inline bool quick_arithmetic(const struct expression *node, struct value a, struct value b,
                                    struct value *out)
{
    const bool short_division =
        ((uint64_t)a.integer | (uint64_t)b.integer) >> 32 == 0 && b.integer != 0;
    out->kind = VALUE_INTEGER;
    if (!value_is_integer(a) || !value_is_integer(b))
        return false;
    switch ((enum expression_kind)node->kind) {
    case EXPRESSION_ADD:
        return !__builtin_add_overflow(a.integer, b.integer, &out->integer);
    case EXPRESSION_SUBTRACT:
        return !__builtin_sub_overflow(a.integer, b.integer, &out->integer);
    case EXPRESSION_MULTIPLY:
        return !__builtin_mul_overflow(a.integer, b.integer, &out->integer);
    case EXPRESSION_FLOOR_DIVIDE:
        if (short_division)
            out->integer = (uint32_t)a.integer / (uint32_t)b.integer;
        return short_division;
    case EXPRESSION_REMAINDER:
        if (short_division)
            out->integer = (uint32_t)a.integer % (uint32_t)b.integer;
        return short_division;
    default:
        return false;
    }
}

static bool evaluate_variable(const struct expression *node, struct evaluation *evaluation,
                              struct value *out)
{
    struct environment *environment = evaluation->environment;
    size_t slot = node->index;
    if (!environment->bound[slot]) {
        const struct expression *definition =
            environment->definitions ? environment->definitions[slot] : NULL;
        struct value value;
        if (!definition) {
            struct place place = {environment->file, node->line, node->column};
            (void)place_error(evaluation->error, STATUS_UNAVAILABLE, place,
                              "'%s' has no value on this device or at this stage",
                              environment->scope->names[slot]);
            return false;
        }
        TRY_OR_FALSE(evaluate_tree(definition, evaluation, &value));
        environment_bind(environment, slot, value);
    }
    *out = environment->values[slot];
    return true;
}

static inline bool evaluate_operand(const struct expression *node, struct evaluation *evaluation,
                                    struct value *out)
{
    const struct environment *environment = evaluation->environment;
    if (node->kind == EXPRESSION_CONSTANT) {
        *out = node->constant;
        return true;
    }
    if (node->kind != EXPRESSION_VARIABLE || !environment->bound[node->index])
        return evaluate_tree(node, evaluation, out);
    /* Copy member by member, as written: copying both at once would wait for the earlier stores. */
    out->kind = environment->values[node->index].kind;
    out->integer = environment->values[node->index].integer;
    return true;
}

/* ---- lists, visited item by item without storing them ---- */

/* Items visited in one evaluation, at most, excluded ones included. */
enum { ITEMS_MAX = 1 << 20 };

typedef bool visitor(void *context, struct value item);

static bool count_item(const struct expression *node, struct evaluation *evaluation)
{
    return ++evaluation->items <= ITEMS_MAX ||
           evaluation_error(node, evaluation, "more than %d items of lists in one expression",
                            ITEMS_MAX);
}

static bool integer_operand(const struct expression *node, const struct expression *operand,
                            struct evaluation *evaluation, const char *subject, int64_t *out)
{
    struct value value;
    return evaluate_tree(operand, evaluation, &value) &&
           evaluation_integer(node, evaluation, subject, value, out);
}

struct comprehension {
    const struct expression *node;
    struct evaluation *evaluation;
    visitor *each;
    void *context;
    const bool *decided; /* NULL: all items are needed */
};

static bool comprehend(void *context, struct value item)
{
    const struct comprehension *comprehension = context;
    const struct expression *node = comprehension->node;
    struct evaluation *evaluation = comprehension->evaluation;
    struct value value;
    if (comprehension->decided && *comprehension->decided)
        return true;
    environment_bind(evaluation->environment, SLOT_LOCAL, item);
    if (node->count == 3) {
        TRY_OR_FALSE(evaluate_tree(node->operands[2], evaluation, &value));
        if (!value_is_true(value))
            return true;
    }
    return evaluate_tree(node->operands[0], evaluation, &value) &&
           comprehension->each(comprehension->context, value);
}

bool evaluate_items(const struct expression *list, struct evaluation *evaluation,
                    bool (*each)(void *context, struct value item), void *context)
{
    switch ((enum list_form)list->index) {
    case LIST_RANGE: {
        int64_t given[3] = {0, 0, 1};
        for (size_t j = 0; j < list->count; j++)
            TRY_OR_FALSE(integer_operand(list, list->operands[j], evaluation,
                                         "a bound of range must be an integer", &given[j]));
        const int64_t begin = list->count > 1 ? given[0] : 0;
        const int64_t end = list->count > 1 ? given[1] : given[0];
        const int64_t step = given[2];
        if (step == 0)
            return evaluation_error(list, evaluation, "range needs a step that is not 0");
        const uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
        const uint64_t distance =
            step > 0 ? (uint64_t)end - (uint64_t)begin : (uint64_t)begin - (uint64_t)end;
        const bool is_empty = step > 0 ? end <= begin : end >= begin;
        const uint64_t count = is_empty ? 0 : (distance - 1) / stride + 1;
        if (count > LIST_VALUES_MAX)
            return evaluation_error(list, evaluation, "the range has more than %d values",
                                    LIST_VALUES_MAX);
        for (uint64_t j = 0; j < count; j++)
            TRY_OR_FALSE(
                count_item(list, evaluation) &&
                each(context, value_integer((int64_t)((uint64_t)begin + (uint64_t)step * j))));
        return true;
    }
    case LIST_COMPREHENSION:
    case LIST_GENERATOR: {
        /* Saves the variable, since a derived value first needed within a comprehension may contain
         * another one. */
        struct environment *environment = evaluation->environment;
        const bool bound = environment->bound[SLOT_LOCAL];
        const struct value value = environment->values[SLOT_LOCAL];
        struct comprehension comprehension = {list, evaluation, each, context,
                                              list->index == LIST_GENERATOR ? evaluation->decided
                                                                            : NULL};
        evaluation->decided = NULL;
        const bool done = evaluate_items(list->operands[1], evaluation, comprehend, &comprehension);
        environment->bound[SLOT_LOCAL] = bound;
        environment->values[SLOT_LOCAL] = value;
        return done;
    }
    case LIST_JOINED:
        return evaluate_items(list->operands[0], evaluation, each, context) &&
               evaluate_items(list->operands[1], evaluation, each, context);
    case LIST_REPEATED: {
        int64_t times = 0;
        TRY_OR_FALSE(integer_operand(list, list->operands[1], evaluation,
                                     "how often a list is repeated must be an integer", &times));
        for (int64_t i = 0; i < times; i++) {
            const uint32_t before = evaluation->items;
            TRY_OR_FALSE(evaluate_items(list->operands[0], evaluation, each, context));
            if (evaluation->items == before)
                break; /* an empty list, however often repeated */
        }
        return true;
    }
    default: {
        for (size_t i = 0; i < list->count; i++) {
            struct value item;
            TRY_OR_FALSE(count_item(list, evaluation) &&
                         evaluate_tree(list->operands[i], evaluation, &item) &&
                         each(context, item));
        }
        return true;
    }
    }
}

/* ---- one item ---- */

struct picked {
    int64_t index, count;
    struct value value;
};

static bool pick(void *context, struct value item)
{
    struct picked *picked = context;
    if (picked->count++ == picked->index)
        picked->value = item;
    return true;
}

/* ---- comparisons and logic ---- */

struct sought {
    struct value value;
    bool found;
};

static bool seek(void *context, struct value item)
{
    struct sought *sought = context;
    sought->found = sought->found || value_equal(sought->value, item);
    return true;
}

static bool compare(const struct expression *node, struct evaluation *evaluation,
                    enum comparison comparison, struct value a, struct value b, bool *out)
{
    const bool both_integers = value_is_integer(a) && value_is_integer(b);
    if (comparison == COMPARE_EQUAL || comparison == COMPARE_UNEQUAL) {
        const bool same = both_integers ? a.integer == b.integer : value_equal(a, b);
        *out = same == (comparison == COMPARE_EQUAL);
        return true;
    }
    int order = 0;
    if (both_integers)
        order = (a.integer > b.integer) - (a.integer < b.integer);
    else if (!evaluate_order(node, evaluation, a, b, &order))
        return false;
    switch (comparison) {
    case COMPARE_LESS:
        *out = order < 0;
        break;
    case COMPARE_LESS_EQUAL:
        *out = order <= 0;
        break;
    case COMPARE_GREATER:
        *out = order > 0;
        break;
    default:
        *out = order >= 0;
        break;
    }
    return true;
}

/* Evaluates a < b < c as `a < b and b < c`, with each operand evaluated at most once. */
static bool evaluate_chain(const struct expression *node, struct evaluation *evaluation,
                           struct value *out)
{
    struct value left;
    TRY_OR_FALSE(evaluate_operand(node->operands[0], evaluation, &left));
    bool holds = true;
    for (size_t i = 1; i < node->count && holds; i++) {
        const struct expression *operand = node->operands[i];
        enum comparison comparison = (enum comparison)node->comparisons[i - 1];
        if (operand->kind == EXPRESSION_LIST) {
            /* Every item is evaluated, as in Python, so that errors in items are always found. */
            struct sought sought = {left, false};
            TRY_OR_FALSE(evaluate_items(operand, evaluation, seek, &sought));
            holds = sought.found == (comparison == COMPARE_IN);
            continue;
        }
        struct value right;
        TRY_OR_FALSE(evaluate_operand(operand, evaluation, &right) &&
                     compare(node, evaluation, comparison, left, right, &holds));
        left = right;
    }
    *out = value_boolean(holds);
    return true;
}

bool evaluate_tree(const struct expression *node, struct evaluation *evaluation, struct value *out)
{
    struct value a;
    struct value b;
    switch ((enum expression_kind)node->kind) {
    case EXPRESSION_CONSTANT:
        *out = node->constant;
        return true;
    case EXPRESSION_VARIABLE:
        return evaluate_variable(node, evaluation, out);
    case EXPRESSION_NOT:
        TRY_OR_FALSE(evaluate_operand(node->operands[0], evaluation, &a));
        *out = value_boolean(!value_is_true(a));
        return true;
    case EXPRESSION_PLUS:
    case EXPRESSION_NEGATE:
    case EXPRESSION_INVERT:
        return evaluate_operand(node->operands[0], evaluation, &a) &&
               evaluate_sign(node, evaluation, a, out);
    case EXPRESSION_AND:
    case EXPRESSION_OR:
        /* The result is the deciding operand, as in Python. */
        TRY_OR_FALSE(evaluate_operand(node->operands[0], evaluation, out));
        if (value_is_true(*out) == (node->kind == EXPRESSION_OR))
            return true;
        return evaluate_operand(node->operands[1], evaluation, out);
    case EXPRESSION_CONDITIONAL:
        TRY_OR_FALSE(evaluate_operand(node->operands[0], evaluation, &a));
        return evaluate_operand(node->operands[value_is_true(a) ? 1 : 2], evaluation, out);
    case EXPRESSION_COMPARE:
        return evaluate_chain(node, evaluation, out);
    case EXPRESSION_CALL:
        return evaluate_call(node, evaluation, out);
    case EXPRESSION_ITEM: {
        struct picked picked = {.index = -1};
        int64_t index = 0;
        TRY_OR_FALSE(evaluate_items(node->operands[0], evaluation, pick, &picked) &&
                     integer_operand(node, node->operands[1], evaluation,
                                     "the index of an item must be an integer", &index));
        picked.index = index < 0 ? index + picked.count : index;
        if (picked.index < 0 || picked.index >= picked.count)
            return evaluation_error(node, evaluation, "a list of %s has no item %lld",
                                    count_text((uint64_t)picked.count, "value").text,
                                    (long long)index);
        picked.count = 0;
        TRY_OR_FALSE(evaluate_items(node->operands[0], evaluation, pick, &picked));
        *out = picked.value;
        return true;
    }
    case EXPRESSION_LIST:
        return evaluation_error(node, evaluation, "a list has no value here");
    default:
        return evaluate_operand(node->operands[0], evaluation, &a) &&
               evaluate_operand(node->operands[1], evaluation, &b) &&
               (quick_arithmetic(node, a, b, out) ||
                evaluate_arithmetic(node, evaluation, a, b, out));
    }
}

enum status expression_evaluate(const struct expression *expression,
                                struct environment *environment, struct value *out,
                                struct error *error)
{
    struct evaluation evaluation = {.environment = environment, .error = error};
    if (evaluate_operand(expression, &evaluation, out))
        return STATUS_OK;
    return error ? error->status : STATUS_BAD_INPUT;
}

/* ---- all items of a list ---- */

struct collected {
    const struct expression *node;
    struct evaluation *evaluation;
    struct value *values;
    size_t count, capacity;
};

static bool collect(void *context, struct value item)
{
    struct collected *collected = context;
    if (collected->count == LIST_VALUES_MAX)
        return evaluation_error(collected->node, collected->evaluation,
                                "the list has more than %d values", LIST_VALUES_MAX);
    if (!array_grow(&collected->values, collected->count, &collected->capacity,
                    sizeof *collected->values)) {
        (void)error_no_memory(collected->evaluation->error);
        return false;
    }
    collected->values[collected->count++] = item;
    return true;
}

enum status expression_evaluate_list(const struct expression *tree, struct environment *environment,
                                     struct arena *arena, struct value **values, size_t *count,
                                     struct error *error)
{
    struct evaluation evaluation = {.environment = environment, .error = error};
    struct collected collected = {.node = tree, .evaluation = &evaluation};
    enum status status = STATUS_OK;
    *values = NULL;
    *count = 0;
    if (tree->kind != EXPRESSION_LIST)
        (void)evaluation_error(tree, &evaluation, "a list is needed here");
    if (tree->kind != EXPRESSION_LIST || !evaluate_items(tree, &evaluation, collect, &collected))
        status = error->status;
    if (status == STATUS_OK && collected.count > 0) {
        *values = arena_copy(arena, collected.values, collected.count * sizeof **values);
        if (!*values)
            status = error_no_memory(error);
    }
    if (status == STATUS_OK)
        *count = collected.count;
    free(collected.values);
    return status;
}
