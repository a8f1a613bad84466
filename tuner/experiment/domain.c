/* Constraints as formulas over n: parts that need no size are evaluated, the rest is written in the
 * language of tuned.conf. */
#include "tuner/experiment/domain.h"

#include <math.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/maker.h"

int64_t domain_next(const struct domain *domain, int64_t n)
{
    if (domain->is_listed)
        return 0;
    n = n < domain->least ? domain->least : n;
    n = (n + domain->multiple - 1) / domain->multiple * domain->multiple;
    return domain->most > 0 && n > domain->most ? 0 : n;
}

bool domain_has_problem(const struct domain *domain, const struct problem *problem)
{
    int64_t sizes[SIZE_NAMES_MAX];
    const size_t count = problem_sizes(problem, sizes);
    bool has = count > 0 ? !domain->is_listed : domain_has(domain, problem->n);
    for (size_t i = 0; i < count; i++)
        has = has && (domain->multiples[i] <= 1 || sizes[i] % domain->multiples[i] == 0);
    return has;
}

void domain_next_sizes(const struct domain *domain, int64_t sizes[SIZE_NAMES_MAX])
{
    for (size_t i = 0; i < SIZE_NAMES_MAX; i++)
        if (domain->multiples[i] > 1)
            sizes[i] =
                (sizes[i] + domain->multiples[i] - 1) / domain->multiples[i] * domain->multiples[i];
}

const char *domain_multiples(const struct domain *domain, struct arena *arena)
{
    const char *out = NULL;
    const char *before = "";
    for (size_t i = 0; before && i < SIZE_NAMES_MAX; i++) {
        const int64_t multiple = domain->multiples[i] > 1 ? domain->multiples[i] : 1;
        before = arena_printf(arena, "%s%s%lld", before, i > 0 ? "x" : "", (long long)multiple);
        out = multiple > 1 ? before : out;
    }
    return out;
}

void domain_set_multiples(struct domain *domain, const char *text)
{
    const struct problem numbers = {.shape = text};
    const size_t count = problem_sizes(&numbers, domain->multiples);
    for (size_t i = count; i < SIZE_NAMES_MAX; i++)
        domain->multiples[i] = 0;
}

/* Returns the least common multiple of two numbers; *is_listed: more than 64 bits. */
static int64_t common_multiple(int64_t a, int64_t b, bool *is_listed)
{
    const int64_t divisor = (int64_t)common_divisor((uint64_t)a, (uint64_t)b);
    int64_t out = 1;
    *is_listed |= divisor > 0 && __builtin_mul_overflow(a / divisor, b, &out);
    return out;
}

uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

struct domain domain_meet(const struct domain *a, const struct domain *b)
{
    const bool is_a = b->most <= 0 || (a->most > 0 && a->most < b->most);
    struct domain both = {.least = a->least > b->least ? a->least : b->least,
                          .most = is_a ? a->most : b->most,
                          .is_listed = a->is_listed || b->is_listed};
    both.multiple = common_multiple(a->multiple, b->multiple, &both.is_listed);
    for (size_t i = 0; i < SIZE_NAMES_MAX; i++)
        both.multiples[i] =
            common_multiple(a->multiples[i] > 1 ? a->multiples[i] : 1,
                            b->multiples[i] > 1 ? b->multiples[i] : 1, &both.is_listed);
    return both;
}

/* Precedence of a text's outermost operation, as libtuned parses it. */
enum { BINDS_OR = 1, BINDS_AND, BINDS_COMPARED, BINDS_SUM, BINDS_PRODUCT, BINDS_ALONE };

/* A part of a constraint: a value, or a text with a value at each size. */
struct term {
    bool is_known;
    struct value value; /* if `is_known` */
    const char *text;
    int binds;
};

struct writer {
    struct maker maker; /* sizes are unbound */
    struct arena *arena;
    bool is_possible; /* false: a part cannot be written */
};

/* A text without a value for libtuned: where it is needed, the configuration is illegal. */
static const struct term no_value = {.text = "1/0", .binds = BINDS_PRODUCT};
static const int64_t greatest_power = INT64_C(1) << 62;

static struct term known(struct value value)
{
    return (struct term){.is_known = true, .value = value};
}

static struct term impossible(struct writer *writer)
{
    writer->is_possible = false;
    return no_value;
}

static struct term written(int binds, const char *text)
{
    return (struct term){.text = text, .binds = binds};
}

/* Returns the part's text for use within an operation of precedence `binds`. */
static const char *text_within(struct writer *writer, const struct term *term, int binds)
{
    if (!term->is_known)
        return term->binds >= binds ? term->text : arena_printf(writer->arena, "(%s)", term->text);
    struct value value = term->value;
    if (value.kind == VALUE_REAL && value.real == floor(value.real) && fabs(value.real) < 1e15)
        value = value_integer((int64_t)value.real);
    if (!value_is_integer(value))
        writer->is_possible = false;
    else if (value.integer < 0)
        return arena_printf(writer->arena, "(0-%llu)", -(unsigned long long)value.integer);
    return arena_printf(writer->arena, "%lld", (long long)value.integer);
}

static struct term joined(struct writer *writer, int binds, const char *operation,
                          const struct term *a, const struct term *b)
{
    const char *left = text_within(writer, a, binds);
    const char *right = text_within(writer, b, binds + 1);
    return written(binds, arena_printf(writer->arena, "%s%s%s", left, operation, right));
}

static struct term called(struct writer *writer, const char *name, const struct term *a,
                          const struct term *b)
{
    const char *first = text_within(writer, a, BINDS_OR);
    const char *second = text_within(writer, b, BINDS_OR);
    return written(BINDS_ALONE, arena_printf(writer->arena, "%s(%s,%s)", name, first, second));
}

/* Returns whether the expression needs the size. */
static bool needs_size(const struct writer *writer, const struct expression *tree)
{
    const struct environment *environment = &writer->maker.environment;
    if (tree->kind == EXPRESSION_VARIABLE && !environment->bound[tree->index])
        return (tree->index >= SLOT_SIZE && tree->index < SLOT_SIZE + SIZE_NAMES_MAX) ||
               (environment->definitions[tree->index] &&
                needs_size(writer, environment->definitions[tree->index]));
    for (size_t i = 0; i < tree->count; i++)
        if (needs_size(writer, tree->operands[i]))
            return true;
    return false;
}

static struct term write_term(struct writer *writer, const struct expression *tree);

static bool is_integer(const struct term *term, int64_t *out)
{
    *out = term->is_known && value_is_integer(term->value) ? term->value.integer : INT64_MIN;
    return *out != INT64_MIN;
}

/* ---- comparisons ---- */

static const char *const comparisons[] = {"==", "!=", "<", "<=", ">", ">="};
static const enum comparison turned[] = {COMPARE_EQUAL,   COMPARE_UNEQUAL,
                                         COMPARE_GREATER, COMPARE_GREATER_EQUAL,
                                         COMPARE_LESS,    COMPARE_LESS_EQUAL};

static struct term compare_known(enum comparison comparison, struct value a, struct value b)
{
    const bool is_equal = value_equal(a, b);
    if (comparison == COMPARE_EQUAL || comparison == COMPARE_UNEQUAL)
        return known(value_boolean(is_equal == (comparison == COMPARE_EQUAL)));
    if (a.kind == VALUE_TEXT || b.kind == VALUE_TEXT)
        return no_value;
    const int order = value_order(a, b);
    const bool holds[] = {
        [COMPARE_LESS] = order<0, [COMPARE_LESS_EQUAL] = order <= 0, [COMPARE_GREATER] = order> 0,
        [COMPARE_GREATER_EQUAL] = order >= 0};
    return known(value_boolean(holds[comparison]));
}

/* Removes known positive factors and divisors from one side, and divides or multiplies the known
 * number on the other side instead, so that no fraction is left. */
static const struct expression *without_constants(struct writer *writer,
                                                  const struct expression *tree, double *other)
{
    for (;;) {
        double factor = 0;
        const bool is_product = tree->kind == EXPRESSION_MULTIPLY;
        if (!is_product && tree->kind != EXPRESSION_DIVIDE)
            return tree;
        const size_t first = is_product && !needs_size(writer, tree->operands[0]) ? 0 : 1;
        if (needs_size(writer, tree->operands[first]))
            return tree;
        const struct term term = write_term(writer, tree->operands[first]);
        if (!term.is_known || !value_number(term.value, &factor) || !(factor > 0))
            return tree;
        *other = is_product ? *other / factor : *other * factor;
        tree = tree->operands[1 - first];
    }
}

/* Writes the comparison of a tree with a number that needs no size. */
static struct term compare_to_number(struct writer *writer, const struct expression *tree,
                                     enum comparison comparison, struct value value)
{
    double number = 0;
    if (!value_number(value, &number))
        return compare_known(comparison, value_integer(0), value);
    const struct expression *divisor = tree->kind == EXPRESSION_DIVIDE ? tree->operands[1] : NULL;
    if (divisor && divisor->kind == EXPRESSION_VARIABLE && needs_size(writer, divisor) &&
        !writer->maker.environment.definitions[divisor->index]) {
        /* A quotient by a size, which is positive: n / m >= 1.5 as n*2>=m*3. */
        static const double scales[] = {1, 2, 4, 8, 16, 32, 64, 3, 10, 100, 1000};
        const struct term a = write_term(writer, tree->operands[0]);
        const struct term b = write_term(writer, tree->operands[1]);
        for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
            const double whole = round(number * scales[i]);
            const struct term scale = known(value_integer((int64_t)scales[i]));
            const struct term times = known(value_integer((int64_t)whole));
            if (fabs(whole) > 1e9 || whole / scales[i] != number)
                continue;
            const struct term left = i == 0 ? a : joined(writer, BINDS_PRODUCT, "*", &a, &scale);
            const struct term right =
                whole == 1 ? b : joined(writer, BINDS_PRODUCT, "*", &b, &times);
            return joined(writer, BINDS_COMPARED, comparisons[comparison], &left, &right);
        }
        return impossible(writer);
    }
    if (!value_is_integer(value) || tree->kind == EXPRESSION_DIVIDE ||
        tree->kind == EXPRESSION_MULTIPLY) {
        const struct expression *rest = without_constants(writer, tree, &number);
        const bool is_below = comparison == COMPARE_LESS || comparison == COMPARE_GREATER_EQUAL;
        const bool is_exact = number == floor(number);
        if (fabs(number) >= 9e15)
            return impossible(writer);
        if (!is_exact && (comparison == COMPARE_EQUAL || comparison == COMPARE_UNEQUAL))
            return known(value_boolean(comparison == COMPARE_UNEQUAL));
        if (rest != tree || !value_is_integer(value)) {
            tree = rest;
            value = value_integer((int64_t)(is_below ? ceil(number) : floor(number)));
        }
    }
    const struct term term = write_term(writer, tree);
    const struct term bound = known(value);
    return term.is_known ? compare_known(comparison, term.value, value)
                         : joined(writer, BINDS_COMPARED, comparisons[comparison], &term, &bound);
}

/* Writes the comparison of two trees; a quotient is compared after multiplying both sides by the
 * divisor. */
static struct term compare_pair(struct writer *writer, const struct expression *a,
                                enum comparison comparison, const struct expression *b)
{
    if (!needs_size(writer, b)) {
        const struct term number = write_term(writer, b);
        return number.is_known ? compare_to_number(writer, a, comparison, number.value) : no_value;
    }
    if (!needs_size(writer, a) || (b->kind == EXPRESSION_DIVIDE && a->kind != EXPRESSION_DIVIDE))
        return compare_pair(writer, b, turned[comparison], a);
    struct term left;
    struct term right = write_term(writer, b);
    int64_t divisor = 0;
    if (a->kind == EXPRESSION_DIVIDE) {
        const struct term by = write_term(writer, a->operands[1]);
        if (!is_integer(&by, &divisor) || divisor <= 0)
            return impossible(writer);
        left = write_term(writer, a->operands[0]);
        right = joined(writer, BINDS_PRODUCT, "*", &right, &by);
    } else {
        left = write_term(writer, a);
    }
    return joined(writer, BINDS_COMPARED, comparisons[comparison], &left, &right);
}

/* Writes `and` or `or` of two truths. An operand that has a value at each size is dropped if the
 * other decides. */
static struct term both(struct writer *writer, bool is_or, const struct term *a,
                        const struct term *b)
{
    if (a->is_known)
        return value_is_true(a->value) == is_or ? *a : *b;
    if (b->is_known && value_is_true(b->value) != is_or)
        return *a;
    if (b->is_known && !strpbrk(a->text, "/%*"))
        return *b;
    return joined(writer, is_or ? BINDS_OR : BINDS_AND, is_or ? "||" : "&&", a, b);
}

static struct term negated(struct writer *writer, const struct term *term)
{
    if (term->is_known)
        return known(value_boolean(!value_is_true(term->value)));
    const char *text = text_within(writer, term, BINDS_ALONE);
    return written(BINDS_ALONE, arena_printf(writer->arena, "!%s", text));
}

/* Writes whether the tree is among the items of a list. */
static struct term among(struct writer *writer, const struct expression *tree,
                         const struct expression *list)
{
    struct value *values = NULL;
    size_t count = 0;
    struct term found = known(value_boolean(false));
    const bool is_known = !needs_size(writer, list);
    if (!is_known && list->index != LIST_OF_ITEMS)
        return impossible(writer);
    if (is_known && expression_evaluate_list(list, &writer->maker.environment, writer->arena,
                                             &values, &count, writer->maker.error) != STATUS_OK)
        return no_value;
    for (size_t i = 0; i < (is_known ? count : list->count); i++) {
        const struct term one = is_known
                                    ? compare_to_number(writer, tree, COMPARE_EQUAL, values[i])
                                    : compare_pair(writer, tree, COMPARE_EQUAL, list->operands[i]);
        found = both(writer, true, &found, &one);
    }
    return found;
}

static struct term write_comparison(struct writer *writer, const struct expression *tree)
{
    struct term all = known(value_boolean(true));
    for (size_t i = 1; i < tree->count; i++) {
        const struct expression *a = tree->operands[i - 1];
        const struct expression *b = tree->operands[i];
        const enum comparison comparison = (enum comparison)tree->comparisons[i - 1];
        struct term one;
        if (b->kind == EXPRESSION_LIST) {
            one = among(writer, a, b);
            one = comparison == COMPARE_NOT_IN ? negated(writer, &one) : one;
        } else if (needs_size(writer, a) || needs_size(writer, b)) {
            one = compare_pair(writer, a, comparison, b);
        } else {
            const struct term left = write_term(writer, a);
            const struct term right = write_term(writer, b);
            one = left.is_known && right.is_known
                      ? compare_known(comparison, left.value, right.value)
                      : no_value;
        }
        all = both(writer, false, &all, &one);
    }
    return all;
}

/* ---- the rest ---- */

/* Writes bit operations: x & (x - 1) is 0 for powers of two only; x & 2^k - 1 is a remainder. */
static struct term write_bits(struct writer *writer, const struct expression *tree)
{
    const struct term a = write_term(writer, tree->operands[0]);
    const struct term b = write_term(writer, tree->operands[1]);
    const struct term *number = a.is_known ? &a : &b;
    const struct term *rest = a.is_known ? &b : &a;
    int64_t mask = 0;
    if (is_integer(number, &mask) && mask >= 0 && (mask & (mask + 1)) == 0 &&
        mask < greatest_power) {
        const struct term modulus = known(value_integer(mask + 1));
        return joined(writer, BINDS_PRODUCT, "%", rest, &modulus);
    }
    if (!a.is_known && !b.is_known && a.binds == BINDS_ALONE &&
        strncmp(b.text, a.text, strlen(a.text)) == 0 && strcmp(b.text + strlen(a.text), "-1") == 0)
        return written(BINDS_AND, arena_printf(writer->arena, "%s!=0&&4611686018427387904%%%s!=0",
                                               a.text, a.text));
    return impossible(writer);
}

static struct term write_shift(struct writer *writer, const struct expression *tree)
{
    const struct term number = write_term(writer, tree->operands[0]);
    const struct term by = write_term(writer, tree->operands[1]);
    int64_t bits = 0;
    if (!is_integer(&by, &bits) || bits < 0 || bits > 62)
        return impossible(writer);
    const struct term power = known(value_integer(INT64_C(1) << bits));
    return joined(writer, BINDS_PRODUCT, tree->kind == EXPRESSION_SHIFT_LEFT ? "*" : "/", &number,
                  &power);
}

static struct term write_power(struct writer *writer, const struct expression *tree)
{
    const struct term base = write_term(writer, tree->operands[0]);
    const struct term exponent = write_term(writer, tree->operands[1]);
    struct term product = base;
    int64_t times = 0;
    if (!is_integer(&exponent, &times) || times < 1 || times > 4)
        return impossible(writer);
    while (--times > 0)
        product = joined(writer, BINDS_PRODUCT, "*", &product, &base);
    return product;
}

/* Writes a conditional of truths; with numbers `and` and `or` would return an operand. */
static struct term write_conditional(struct writer *writer, const struct expression *tree)
{
    const struct term condition = write_term(writer, tree->operands[0]);
    if (condition.is_known)
        return write_term(writer, tree->operands[value_is_true(condition.value) ? 1 : 2]);
    const struct term other = negated(writer, &condition);
    const struct term yes = write_term(writer, tree->operands[1]);
    const struct term no = write_term(writer, tree->operands[2]);
    const struct term first = both(writer, false, &condition, &yes);
    const struct term second = both(writer, false, &other, &no);
    return both(writer, true, &first, &second);
}

/* Writes all(... for i in [...]) and any(...). */
static struct term write_quantified(struct writer *writer, const struct expression *list,
                                    bool is_disjunction)
{
    struct environment *environment = &writer->maker.environment;
    struct value *values = NULL;
    size_t count = 0;
    struct term result = known(value_boolean(!is_disjunction));
    if ((list->index != LIST_GENERATOR && list->index != LIST_COMPREHENSION) || list->count != 2 ||
        needs_size(writer, list->operands[1]) || environment->bound[SLOT_LOCAL])
        return impossible(writer);
    if (expression_evaluate_list(list->operands[1], environment, writer->arena, &values, &count,
                                 writer->maker.error) != STATUS_OK)
        return no_value;
    for (size_t i = 0; i < count && i < LIST_VALUES_MAX; i++) {
        environment_bind(environment, SLOT_LOCAL, values[i]);
        const struct term one = write_term(writer, list->operands[0]);
        result = both(writer, is_disjunction, &result, &one);
    }
    environment->bound[SLOT_LOCAL] = false;
    return result;
}

static struct term write_call(struct writer *writer, const struct expression *tree)
{
    size_t count = 0;
    const char *name = function_names(&count)[tree->index];
    const struct expression *first = tree->operands[0];
    if (strcmp(name, "all") == 0 || strcmp(name, "any") == 0)
        return write_quantified(writer, first, name[1] == 'n');
    if (first->kind == EXPRESSION_LIST)
        return impossible(writer);
    if (first->kind == EXPRESSION_DIVIDE &&
        (strcmp(name, "int") == 0 || strcmp(name, "floor") == 0 || strcmp(name, "ceil") == 0)) {
        const struct term a = write_term(writer, first->operands[0]);
        const struct term b = write_term(writer, first->operands[1]);
        return name[0] == 'c' ? called(writer, "ceil_div", &a, &b)
                              : joined(writer, BINDS_PRODUCT, "/", &a, &b);
    }
    struct term value = write_term(writer, first);
    const char *text = text_within(writer, &value, BINDS_ALONE);
    if (strcmp(name, "is_power_of_two") == 0)
        return written(BINDS_COMPARED,
                       arena_printf(writer->arena, "4611686018427387904%%%s==0", text));
    if (strcmp(name, "abs") == 0)
        return written(BINDS_ALONE, arena_printf(writer->arena, "max(%s,0-%s)", text, text));
    if (strcmp(name, "int") == 0 || strcmp(name, "floor") == 0 || strcmp(name, "ceil") == 0 ||
        strcmp(name, "round") == 0)
        return value;
    const bool is_extreme = strcmp(name, "min") == 0 || strcmp(name, "max") == 0;
    if (!is_extreme && strcmp(name, "ceil_div") != 0 && strcmp(name, "round_up") != 0)
        return impossible(writer);
    for (size_t i = 1; i < tree->count; i++) {
        const struct term next = write_term(writer, tree->operands[i]);
        value = called(writer, is_extreme ? name : "ceil_div", &value, &next);
        if (name[0] == 'r')
            value = joined(writer, BINDS_PRODUCT, "*", &value, &next);
    }
    return value;
}

static struct term write_variable(struct writer *writer, const struct expression *tree)
{
    const struct expression *definition = writer->maker.environment.definitions[tree->index];
    if (tree->index >= SLOT_SIZE && tree->index < SLOT_SIZE + SIZE_NAMES_MAX) {
        const char *names[SIZE_NAMES_MAX];
        size_t first = 0;
        (void)experiment_size_names(writer->maker.experiment, names, &first);
        const size_t index = tree->index - SLOT_SIZE;
        return written(BINDS_ALONE, index == first ? "n" : names[index]);
    }
    return write_term(writer, definition);
}

static struct term write_operation(struct writer *writer, const struct expression *tree, int binds,
                                   const char *operation)
{
    const struct term a = write_term(writer, tree->operands[0]);
    const struct term b = write_term(writer, tree->operands[1]);
    return joined(writer, binds, operation, &a, &b);
}

static struct term write_term(struct writer *writer, const struct expression *tree)
{
    struct value value;
    const struct term zero = known(value_integer(0));
    if (!needs_size(writer, tree) && tree->kind != EXPRESSION_LIST)
        return expression_evaluate(tree, &writer->maker.environment, &value, writer->maker.error) ==
                       STATUS_OK
                   ? known(value)
                   : no_value;
    switch ((enum expression_kind)tree->kind) {
    case EXPRESSION_VARIABLE:
        return write_variable(writer, tree);
    case EXPRESSION_PLUS:
        return write_term(writer, tree->operands[0]);
    case EXPRESSION_NOT: {
        const struct term term = write_term(writer, tree->operands[0]);
        return negated(writer, &term);
    }
    case EXPRESSION_NEGATE: {
        const struct term term = write_term(writer, tree->operands[0]);
        return joined(writer, BINDS_SUM, "-", &zero, &term);
    }
    case EXPRESSION_ADD:
        return write_operation(writer, tree, BINDS_SUM, "+");
    case EXPRESSION_SUBTRACT:
        return write_operation(writer, tree, BINDS_SUM, "-");
    case EXPRESSION_MULTIPLY:
        return write_operation(writer, tree, BINDS_PRODUCT, "*");
    case EXPRESSION_FLOOR_DIVIDE:
        return write_operation(writer, tree, BINDS_PRODUCT, "/");
    case EXPRESSION_REMAINDER: {
        const struct term divisor = write_term(writer, tree->operands[1]);
        int64_t number = 0;
        return is_integer(&divisor, &number) && number == 1
                   ? zero
                   : write_operation(writer, tree, BINDS_PRODUCT, "%");
    }
    case EXPRESSION_POWER:
        return write_power(writer, tree);
    case EXPRESSION_BIT_AND:
        return write_bits(writer, tree);
    case EXPRESSION_SHIFT_LEFT:
    case EXPRESSION_SHIFT_RIGHT:
        return write_shift(writer, tree);
    case EXPRESSION_AND:
    case EXPRESSION_OR: {
        const bool is_or = tree->kind == EXPRESSION_OR;
        const bool was_possible = writer->is_possible;
        const struct term a = write_term(writer, tree->operands[0]);
        if (a.is_known && value_is_true(a.value) == is_or)
            return a;
        const struct term b = write_term(writer, tree->operands[1]);
        const bool is_decided = b.is_known && value_is_true(b.value) == is_or;
        if (is_decided && writer->is_possible != was_possible) {
            writer->is_possible = was_possible; /* the other operand is not needed */
            return b;
        }
        return both(writer, is_or, &a, &b);
    }
    case EXPRESSION_CONDITIONAL:
        return write_conditional(writer, tree);
    case EXPRESSION_COMPARE:
        return write_comparison(writer, tree);
    case EXPRESSION_CALL:
        return write_call(writer, tree);
    default:
        return impossible(writer);
    }
}

/* Writes that a parameter whose values depend on the size has this value. */
static struct term write_values(struct writer *writer, const struct named_list *parameter,
                                struct value value)
{
    struct term found = known(value_boolean(false));
    bool is_needed = parameter->list.tree && needs_size(writer, parameter->list.tree);
    for (size_t i = 0; i < parameter->count; i++)
        is_needed = is_needed || needs_size(writer, parameter->values[i].tree);
    if (!is_needed)
        return known(value_boolean(true));
    if (parameter->list.tree && parameter->list.tree->index != LIST_OF_ITEMS)
        return impossible(writer);
    const struct expression *list = parameter->list.tree;
    for (size_t i = 0; i < (list ? list->count : parameter->count); i++) {
        const struct expression *item = list ? list->operands[i] : parameter->values[i].tree;
        struct term one;
        if (needs_size(writer, item)) {
            one = compare_to_number(writer, item, COMPARE_EQUAL, value);
        } else {
            one = write_term(writer, item);
            one = known(value_boolean(one.is_known && value_equal(one.value, value)));
        }
        found = both(writer, true, &found, &one);
    }
    return found;
}

static void forget_sizes(struct writer *writer)
{
    for (size_t i = 0; i < SIZE_NAMES_MAX; i++)
        writer->maker.environment.bound[SLOT_SIZE + i] = false;
}

/* Returns whether tuned.conf numbers the launch, which a `when` may leave out. */
static bool is_numbered(const struct experiment *experiment, const struct launch_rule *rule)
{
    return experiment->head.device->is_gpu && !rule->is_function && rule->when.tree;
}

unsigned domain_launches(const struct experiment *experiment, const struct problem *problem,
                         const struct facts *facts, const struct configuration *configuration)
{
    struct error ignored = {0};
    struct maker maker;
    unsigned launches = 0;
    bool is_started = false;
    for (size_t i = 0; i < experiment->launch_count; i++) {
        bool applies = false;
        if (!is_numbered(experiment, &experiment->launches[i]))
            continue;
        if (!is_started)
            maker_start(&maker, experiment, problem, facts, NULL, &ignored);
        if ((!is_started && !maker_configure(&maker, configuration)) ||
            !make_truth(&maker, &experiment->launches[i].when, &applies))
            return 0;
        is_started = true;
        launches |= applies ? 1u << i : 0;
    }
    return launches;
}

bool domain_depends_on_size(const struct experiment *experiment)
{
    struct writer writer = {.is_possible = true};
    struct error ignored = {0};
    maker_start(&writer.maker, experiment, NULL, NULL, NULL, &ignored);
    for (size_t i = 0; i < experiment->head.constraint_count; i++)
        if (needs_size(&writer, experiment->constraints[i].tree))
            return true;
    for (size_t i = 0; i < experiment->head.parameter_count; i++) {
        const struct named_list *parameter = &experiment->parameters[i];
        if (parameter->list.tree && needs_size(&writer, parameter->list.tree))
            return true;
        for (size_t j = 0; j < parameter->count; j++)
            if (needs_size(&writer, parameter->values[j].tree))
                return true;
    }
    for (size_t i = 0; i < experiment->launch_count; i++)
        if (is_numbered(experiment, &experiment->launches[i]) &&
            needs_size(&writer, experiment->launches[i].when.tree))
            return true;
    return false;
}

enum status domain_formula(const struct experiment *experiment, const struct problem *problem,
                           const struct facts *facts, const struct configuration *configuration,
                           const struct domain *checked, struct arena *arena, const char **out,
                           struct error *error)
{
    struct error ignored = {0};
    struct writer writer = {.arena = arena, .is_possible = true};
    struct maker here;
    struct term all = known(value_boolean(true));
    const struct term n = written(BINDS_ALONE, "n");
    const char *names[SIZE_NAMES_MAX] = {"n"};
    int64_t sizes[SIZE_NAMES_MAX];
    size_t first = 0;
    const bool is_tuple = problem_sizes(problem, sizes) > 0;
    const size_t name_count = is_tuple ? experiment_size_names(experiment, names, &first) : 1;
    names[first] = "n";
    for (size_t i = 0; i < name_count; i++) {
        const int64_t number = is_tuple ? checked->multiples[i] : checked->multiple;
        const struct term multiple = known(value_integer(number));
        const struct term zero = known(value_integer(0));
        const struct term name = written(BINDS_ALONE, names[i]);
        const struct term rest = joined(&writer, BINDS_PRODUCT, "%", &name, &multiple);
        const struct term one = joined(&writer, BINDS_COMPARED, "==", &rest, &zero);
        all = number > 1 ? both(&writer, false, &all, &one) : all;
    }
    if (checked->least > 1) {
        const struct term least = known(value_integer(checked->least));
        const struct term from = joined(&writer, BINDS_COMPARED, ">=", &n, &least);
        all = both(&writer, false, &all, &from);
    }
    if (checked->most > 0) {
        const struct term most = known(value_integer(checked->most));
        const struct term to = joined(&writer, BINDS_COMPARED, "<=", &n, &most);
        all = both(&writer, false, &all, &to);
    }
    *out = NULL;
    maker_start(&here, experiment, problem, facts, arena, error);
    if (!maker_configure(&here, configuration))
        return error->status;
    here.error = &ignored;
    maker_start(&writer.maker, experiment, problem, facts, arena, &ignored);
    forget_sizes(&writer);
    (void)maker_configure(&writer.maker, configuration);
    for (size_t i = 0; i < experiment->head.constraint_count; i++) {
        bool holds = false;
        if (!make_truth(&here, &experiment->constraints[i], &holds) || !holds)
            continue;
        const struct term one = write_term(&writer, experiment->constraints[i].tree);
        all = both(&writer, false, &all, &one);
    }
    for (size_t i = 0; i < experiment->head.parameter_count; i++) {
        const struct term one = write_values(&writer, &experiment->parameters[i],
                                             writer.maker.environment.values[SLOT_PARAMETERS + i]);
        all = both(&writer, false, &all, &one);
    }
    for (size_t i = 0; i < experiment->launch_count; i++) {
        const struct launch_rule *rule = &experiment->launches[i];
        bool applies = false;
        if (!is_numbered(experiment, rule) || !needs_size(&writer, rule->when.tree) ||
            !make_truth(&here, &rule->when, &applies))
            continue;
        struct term one = write_term(&writer, rule->when.tree);
        one = applies ? one : negated(&writer, &one);
        all = both(&writer, false, &all, &one);
    }
    TRY_MEMORY(!arena->failed);
    if (!writer.is_possible)
        return STATUS_OK;
    *out = all.is_known && value_is_true(all.value) ? "" : text_within(&writer, &all, BINDS_OR);
    return arena->failed ? error_no_memory(error) : STATUS_OK;
}

/* Adds the formula's text if it depends on sizes and can be written. */
static void take_number(struct writer *writer, const struct formula *formula, const char **out,
                        size_t *count, size_t most)
{
    writer->is_possible = true;
    if (!formula->tree || *count == most || !needs_size(writer, formula->tree))
        return;
    const struct term term = write_term(writer, formula->tree);
    if (writer->is_possible && !term.is_known && term.text)
        out[(*count)++] = term.text;
}

size_t domain_numbers(const struct experiment *experiment, const struct problem *problem,
                      const struct facts *facts, const struct configuration *configuration,
                      struct arena *arena, const char **out, size_t most)
{
    struct error ignored = {0};
    struct writer writer = {.arena = arena};
    size_t count = 0;
    maker_start(&writer.maker, experiment, problem, facts, arena, &ignored);
    forget_sizes(&writer);
    if (!maker_configure(&writer.maker, configuration))
        return 0;
    for (size_t i = 0; i < experiment->launch_count; i++) {
        const struct launch_rule *rule = &experiment->launches[i];
        for (size_t axis = 0; axis < rule->grid_count; axis++)
            take_number(&writer, &rule->grid[axis], out, &count, most);
        for (size_t axis = 0; axis < rule->block_count; axis++)
            take_number(&writer, &rule->block[axis], out, &count, most);
        take_number(&writer, &rule->shared, out, &count, most);
    }
    for (size_t i = 0; i < experiment->derived_count; i++)
        take_number(&writer, &experiment->derived[i].formula, out, &count, most);
    return arena->failed ? 0 : count;
}
