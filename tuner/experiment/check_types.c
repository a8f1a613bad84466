/* Types of expressions, derived from the types of their variables. */
#include "tuner/base/text.h"
#include "tuner/experiment/read.h"

enum { NUMBER = 1, TEXT = 2, ANY = NUMBER | TEXT };

enum { WORDS_MAX = 128 };

/* The possible texts of a variable, if known. */
struct known_texts {
    bool known;
    const char *words[WORDS_MAX];
    size_t count;
};

struct types {
    const struct experiment *experiment;
    struct error *error;
    unsigned slots[SLOTS_MAX]; /* possible types of each variable; 0: not yet known */
    struct place place;        /* file of the current expression */
};

static bool type_of(struct types *types, const struct expression *node, unsigned *out);

static bool type_error(const struct types *types, const struct expression *node,
                       const char *subject)
{
    return place_refuses(types->error, (struct place){types->place.file, node->line, node->column},
                         "%s", subject);
}

/* Adds the texts of `count` values; a value that is no literal may be any text. */
static void add_texts(struct types *types, struct known_texts *texts, const struct formula *values,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct expression *node = values[i].tree;
        unsigned type = ANY;
        if (!type_of(types, node, &type) || !(type & TEXT))
            continue;
        if (node->kind != EXPRESSION_CONSTANT || texts->count == WORDS_MAX)
            texts->known = false;
        else
            texts->words[texts->count++] = node->constant.text;
    }
}

/* Refuses `variable == "text"` if the variable never has that text: most likely misspelt. */
static bool check_text(struct types *types, const struct expression *variable,
                       const struct expression *literal)
{
    if (variable->kind != EXPRESSION_VARIABLE || literal->kind != EXPRESSION_CONSTANT ||
        literal->constant.kind != VALUE_TEXT)
        return true;
    const struct experiment *experiment = types->experiment;
    /* An axis has the texts of its list, a parameter also those of baselines and checks. */
    const size_t slot = variable->index, parameter = slot - SLOT_PARAMETERS;
    const bool axis = slot >= SLOT_AXES && slot < SLOT_SIZE;
    if (!axis && (slot < SLOT_PARAMETERS || slot >= SLOT_DERIVED))
        return true;
    const struct named_list *list =
        axis ? &experiment->axes[slot - SLOT_AXES] : &experiment->parameters[parameter];
    struct known_texts texts = {.known = !list->list.tree};
    add_texts(types, &texts, list->values, list->count);
    for (size_t i = 0; !axis && i < experiment->baseline_count; i++)
        add_texts(types, &texts, &experiment->baselines[i].values[parameter], 1);
    for (size_t i = 0; !axis && i < experiment->check_count; i++)
        if (experiment->checks[i].setting.given)
            add_texts(types, &texts, &experiment->checks[i].setting.values[parameter], 1);
    if (!texts.known || WORD_INDEX(literal->constant.text, texts.words, texts.count) < texts.count)
        return true;
    struct place place = {types->place.file, literal->line, literal->column};
    return place_refuses(types->error, place, "'%s' is never '%.60s'%s",
                         experiment->scope.names[variable->index], literal->constant.text,
                         suggest(literal->constant.text, texts.words, texts.count).text);
}

struct typed {
    const struct expression *node;
    unsigned type;
};

static bool check_pair(struct types *types, const struct expression *at, struct typed left,
                       struct typed right)
{
    TRY_OR_FALSE(check_text(types, left.node, right.node) &&
                 check_text(types, right.node, left.node));
    if (!(left.type & right.type))
        return type_error(types, at, "this compares a text with a number");
    return true;
}

/* Determines the types of a list's items. */
static bool type_of_items(struct types *types, const struct expression *list, unsigned *out)
{
    unsigned type = ANY;
    *out = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool is_item = list->index == LIST_OF_ITEMS || list->index == LIST_JOINED || i == 0;
        TRY_OR_FALSE(type_of(types, list->operands[i], &type));
        *out |= is_item ? type : 0;
        if (list->index == LIST_RANGE && !(type & NUMBER))
            return type_error(types, list->operands[i], "a number is needed, not a text");
    }
    if (list->index == LIST_RANGE)
        *out = NUMBER;
    *out = *out ? *out : ANY; /* an empty list */
    return true;
}

/* Checks `in`: the items are known, or only when the list is evaluated. */
static bool check_membership(struct types *types, struct typed left, const struct expression *list)
{
    if (list->index != LIST_OF_ITEMS) {
        struct typed items = {list, ANY};
        return type_of_items(types, list, &items.type) && check_pair(types, list, left, items);
    }
    for (size_t i = 0; i < list->count; i++) {
        struct typed item = {list->operands[i], ANY};
        TRY_OR_FALSE(type_of(types, item.node, &item.type) &&
                     check_pair(types, item.node, left, item));
    }
    return true;
}

static bool check_operands(struct types *types, const struct expression *node, unsigned wanted,
                           const char *subject)
{
    for (size_t i = 0; i < node->count; i++) {
        unsigned type = ANY;
        TRY_OR_FALSE(type_of(types, node->operands[i], &type));
        if (!(type & wanted))
            return type_error(types, node->operands[i], subject);
    }
    return true;
}

/* Returns the union of the types of the operands from `first` on. */
static bool type_of_any(struct types *types, const struct expression *node, size_t first,
                        unsigned *out)
{
    *out = 0;
    for (size_t i = 0; i < node->count; i++) {
        unsigned type = ANY;
        TRY_OR_FALSE(type_of(types, node->operands[i], &type));
        *out |= i >= first ? type : 0;
    }
    return true;
}

static bool type_of(struct types *types, const struct expression *node, unsigned *out)
{
    *out = NUMBER;
    switch ((enum expression_kind)node->kind) {
    case EXPRESSION_CONSTANT:
        *out = node->constant.kind == VALUE_TEXT ? TEXT : NUMBER;
        return true;
    case EXPRESSION_VARIABLE: {
        const struct expression *definition = types->experiment->definitions[node->index];
        unsigned *known = &types->slots[node->index];
        if (*known == 0 && definition && !type_of(types, definition, known))
            return false;
        *out = *known ? *known : ANY;
        return true;
    }
    case EXPRESSION_NOT: {
        unsigned type = ANY;
        return type_of(types, node->operands[0], &type);
    }
    case EXPRESSION_AND:
    case EXPRESSION_OR:
        return type_of_any(types, node, 0, out);
    case EXPRESSION_CONDITIONAL:
        return type_of_any(types, node, 1, out);
    case EXPRESSION_COMPARE: {
        /* Visit each operand once: visiting twice would take 2^depth steps in nested chains. */
        struct typed left = {node->operands[0], ANY};
        TRY_OR_FALSE(type_of(types, left.node, &left.type));
        for (size_t i = 1; i < node->count; i++) {
            struct typed right = {node->operands[i], ANY};
            if (right.node->kind == EXPRESSION_LIST)
                return check_membership(types, left, right.node); /* a list ends a chain */
            TRY_OR_FALSE(type_of(types, right.node, &right.type) &&
                         check_pair(types, node, left, right));
            left = right;
        }
        return true;
    }
    case EXPRESSION_CALL: {
        enum function_kind kind = function_kind(node->index);
        *out = kind == FUNCTION_TYPE_TEXT ? TEXT : NUMBER;
        if (kind == FUNCTION_OF_ANY)
            return type_of_any(types, node, 0, out);
        if (kind == FUNCTION_OF_LIST) {
            unsigned items = ANY;
            return type_of(types, node->operands[0], &items);
        }
        if (kind == FUNCTION_OF_NUMBERS)
            return check_operands(types, node, NUMBER, "a number is needed, not a text");
        return check_operands(types, node, TEXT,
                              "the name of an element type is needed, not a number");
    }
    case EXPRESSION_LIST:
        return type_of_items(types, node, out);
    case EXPRESSION_ITEM: {
        unsigned index = ANY;
        return type_of(types, node->operands[0], out) &&
               type_of(types, node->operands[1], &index) &&
               ((index & NUMBER) ||
                type_error(types, node->operands[1], "a number is needed, not a text"));
    }
    default:
        return check_operands(types, node, NUMBER, "a number is needed, not a text");
    }
}

/* Adds the types of `count` values to the variable's. */
static bool learn(struct types *types, size_t slot, const struct formula *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned type = ANY;
        TRY_OR_FALSE(type_of(types, values[i].tree, &type));
        types->slots[slot] |= type;
    }
    return true;
}

static bool learn_list(struct types *types, const struct named_list *list)
{
    return (!list->list.tree || learn(types, list->slot, &list->list, 1)) &&
           learn(types, list->slot, list->values, list->count);
}

static bool learn_slots(struct types *types)
{
    const struct experiment *experiment = types->experiment;
    for (size_t i = 0; i < fact_name_count; i++)
        types->slots[SLOT_FACTS + i] = fact_names[i].number ? NUMBER : TEXT;
    for (size_t i = 0; i < SIZE_NAMES_MAX; i++)
        types->slots[SLOT_SIZE + i] = NUMBER;
    for (size_t slot = SLOT_ACTIVE_BLOCKS; slot < SLOT_COUNT_SERIES; slot++)
        types->slots[slot] = NUMBER;
    for (size_t i = 0; i < experiment->axis_count; i++)
        TRY_OR_FALSE(learn_list(types, &experiment->axes[i]));
    for (size_t i = 0; i < experiment->head.parameter_count; i++) {
        const size_t slot = SLOT_PARAMETERS + i;
        TRY_OR_FALSE(learn_list(types, &experiment->parameters[i]));
        for (size_t j = 0; j < experiment->baseline_count; j++)
            TRY_OR_FALSE(learn(types, slot, &experiment->baselines[j].values[i], 1));
        for (size_t j = 0; j < experiment->check_count; j++)
            if (experiment->checks[j].setting.given &&
                !learn(types, slot, &experiment->checks[j].setting.values[i], 1))
                return false;
    }
    return true;
}

bool check_types(const struct experiment *experiment, const struct read_formula *formulas,
                 struct error *error)
{
    struct types types = {
        .experiment = experiment, .error = error, .place = {.file = experiment->file}};
    TRY_OR_FALSE(learn_slots(&types));
    for (const struct read_formula *at = formulas; at; at = at->next) {
        unsigned type = ANY;
        TRY_OR_FALSE(type_of(&types, at->formula.tree, &type));
    }
    return true;
}

bool check_number(const struct experiment *experiment, const struct formula *formula,
                  struct error *error)
{
    struct types types = {.experiment = experiment, .error = error, .place = formula->place};
    unsigned type = ANY;
    TRY_OR_FALSE(learn_slots(&types) && type_of(&types, formula->tree, &type));
    return (type & NUMBER) || type_error(&types, formula->tree, "a number is needed, not a text");
}
