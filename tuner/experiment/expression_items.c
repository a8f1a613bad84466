/* Evaluating lists, item by item, so that nothing is held that nobody asked to have. */
#include <stdlib.h>

#include "tuner/base/array.h"
#include "tuner/experiment/expression.h"

/* Gone through in one evaluation, those that a condition leaves out included. */
enum { ITEMS_MAX = 1 << 20 };

typedef bool visitor(void *context, struct value item);

static bool count_item(const struct expression *node, struct evaluation *evaluation)
{
    return ++evaluation->items <= ITEMS_MAX ||
           evaluation_error(node, evaluation, "more than %d items of lists in one expression",
                            ITEMS_MAX);
}

static bool integer_operand(const struct expression *node, const struct expression *operand,
                            struct evaluation *evaluation, const char *what, int64_t *out)
{
    struct value value;
    if (!evaluate_tree(operand, evaluation, &value))
        return false;
    if (value.kind == VALUE_TEXT)
        return evaluation_error(node, evaluation, "%s must be an integer, not the text '%s'", what,
                                value.text);
    if (value.kind == VALUE_REAL)
        return evaluation_error(node, evaluation,
                                "%s must be an integer, not the real %g: use // or int()", what,
                                value.real);
    *out = value.integer;
    return true;
}

/* How many integers are from `begin` to before `end`. */
static uint64_t range_count(int64_t begin, int64_t end, int64_t step)
{
    const uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
    if (step > 0 ? end <= begin : end >= begin)
        return 0;
    const uint64_t way =
        step > 0 ? (uint64_t)end - (uint64_t)begin : (uint64_t)begin - (uint64_t)end;
    return (way - 1) / stride + 1;
}

static bool each_of_range(const struct expression *node, struct evaluation *evaluation,
                          visitor *each, void *context)
{
    int64_t given[3] = {0, 0, 1};
    for (size_t i = 0; i < node->count; i++)
        if (!integer_operand(node, node->operands[i], evaluation, "a bound of range", &given[i]))
            return false;
    const int64_t begin = node->count > 1 ? given[0] : 0;
    const int64_t end = node->count > 1 ? given[1] : given[0];
    const int64_t step = given[2];
    if (step == 0)
        return evaluation_error(node, evaluation, "range needs a step that is not 0");
    const uint64_t count = range_count(begin, end, step);
    if (count > LIST_VALUES_MAX)
        return evaluation_error(node, evaluation, "the range has more than %d values",
                                LIST_VALUES_MAX);
    for (uint64_t i = 0; i < count; i++)
        if (!count_item(node, evaluation) ||
            !each(context, value_integer((int64_t)((uint64_t)begin + (uint64_t)step * i))))
            return false;
    return true;
}

static bool each_of_items(const struct expression *node, struct evaluation *evaluation,
                          visitor *each, void *context)
{
    for (size_t i = 0; i < node->count; i++) {
        struct value item;
        if (!count_item(node, evaluation) || !evaluate_tree(node->operands[i], evaluation, &item) ||
            !each(context, item))
            return false;
    }
    return true;
}

struct comprehension {
    const struct expression *node;
    struct evaluation *evaluation;
    visitor *each;
    void *context;
};

static bool comprehend(void *context, struct value item)
{
    const struct comprehension *comprehension = context;
    const struct expression *node = comprehension->node;
    struct evaluation *evaluation = comprehension->evaluation;
    struct value value;
    environment_bind(evaluation->environment, SLOT_LOCAL, item);
    if (node->count == 3) {
        if (!evaluate_tree(node->operands[2], evaluation, &value))
            return false;
        if (!value_is_true(value))
            return true;
    }
    return evaluate_tree(node->operands[0], evaluation, &value) &&
           comprehension->each(comprehension->context, value);
}

/* A derived value that is first needed within a comprehension may have one of its own. */
static bool each_of_comprehension(const struct expression *node, struct evaluation *evaluation,
                                  visitor *each, void *context)
{
    struct environment *environment = evaluation->environment;
    const bool bound = environment->bound[SLOT_LOCAL];
    const struct value value = environment->values[SLOT_LOCAL];
    struct comprehension comprehension = {node, evaluation, each, context};
    const bool done = evaluate_items(node->operands[1], evaluation, comprehend, &comprehension);
    environment->bound[SLOT_LOCAL] = bound;
    environment->values[SLOT_LOCAL] = value;
    return done;
}

static bool each_repeated(const struct expression *node, struct evaluation *evaluation,
                          visitor *each, void *context)
{
    int64_t times = 0;
    if (!integer_operand(node, node->operands[1], evaluation, "how often a list is repeated",
                         &times))
        return false;
    for (int64_t i = 0; i < times; i++) {
        const uint32_t before = evaluation->items;
        if (!evaluate_items(node->operands[0], evaluation, each, context))
            return false;
        if (evaluation->items == before)
            break; /* of no items, however often */
    }
    return true;
}

bool evaluate_items(const struct expression *list, struct evaluation *evaluation,
                    bool (*each)(void *context, struct value item), void *context)
{
    switch ((enum list_form)list->index) {
    case LIST_RANGE:
        return each_of_range(list, evaluation, each, context);
    case LIST_COMPREHENSION:
        return each_of_comprehension(list, evaluation, each, context);
    case LIST_JOINED:
        return evaluate_items(list->operands[0], evaluation, each, context) &&
               evaluate_items(list->operands[1], evaluation, each, context);
    case LIST_REPEATED:
        return each_repeated(list, evaluation, each, context);
    default:
        return each_of_items(list, evaluation, each, context);
    }
}

/* ---- one item ---- */

struct picked {
    int64_t index; /* from the end, when it is negative */
    int64_t count;
    struct value value;
};

static bool count_picked(void *context, struct value item)
{
    struct picked *picked = context;
    (void)item;
    picked->count++;
    return true;
}

static bool pick(void *context, struct value item)
{
    struct picked *picked = context;
    if (picked->index-- == 0)
        picked->value = item;
    return true;
}

bool evaluate_item(const struct expression *node, struct evaluation *evaluation, struct value *out)
{
    struct picked picked = {0};
    int64_t index = 0;
    if (!evaluate_items(node->operands[0], evaluation, count_picked, &picked) ||
        !integer_operand(node, node->operands[1], evaluation, "the index of an item", &index))
        return false;
    picked.index = index < 0 ? index + picked.count : index;
    if (picked.index < 0 || picked.index >= picked.count)
        return evaluation_error(node, evaluation, "a list of %lld values has no item %lld",
                                (long long)picked.count, (long long)index);
    if (!evaluate_items(node->operands[0], evaluation, pick, &picked))
        return false;
    *out = picked.value;
    return true;
}

/* ---- all of them ---- */

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
