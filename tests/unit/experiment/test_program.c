/* Flat code against the tree, over random expressions: where it gives a value, it is the tree's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tuner/base/random.h"
#include "tuner/base/text.h"
#include "tuner/experiment/program.h"

enum { EXPRESSIONS = 8000, BINDINGS = 12 };

/* i, j: integers; x: a real; t: a text; k: a constant; d, e: derived. */
enum { I, J, X, T, K, D, E, NAMES };
static const struct scope scope = {.names = {"i", "j", "x", "t", "k", "d", "e"}, .count = NAMES};

static const char *pick(struct random *random, const char *const *words, size_t count)
{
    return words[random_below(random, count)];
}
#define PICK(random, ...)                                                                          \
    pick(random, (const char *const[]){__VA_ARGS__},                                               \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void add(struct text *out, struct random *random, int depth);

static void add_two(struct text *out, struct random *random, int depth, const char *between)
{
    text_append(out, "(");
    add(out, random, depth);
    text_append(out, between);
    add(out, random, depth);
    text_append(out, ")");
}

static void add_call(struct text *out, struct random *random, int depth)
{
    const bool two = random_below(random, 2) == 0;
    text_append(out,
                two ? PICK(random, "min", "max", "ceil_div", "round_up")
                    : PICK(random, "abs", "int", "float", "round", "floor", "ceil", "sqrt", "log2",
                           "log", "exp", "sin", "cos", "is_power_of_two", "next_power_of_two"));
    text_append(out, "(");
    add(out, random, depth);
    if (two) {
        text_append(out, ", ");
        add(out, random, depth);
    }
    text_append(out, ")");
}

static void add_leaf(struct text *out, struct random *random)
{
    text_append(out, PICK(random, "i", "i", "j", "j", "x", "k", "d", "e", "1", "2", "3", "0",
                          "(-7)", "0.5", "2.0", "True", "9007199254740993", "1e300", "t", "'a'"));
}

static void add(struct text *out, struct random *random, int depth)
{
    const uint64_t form = depth > 0 ? random_below(random, 16) : 0;
    if (form < 3)
        add_leaf(out, random);
    else if (form < 8)
        add_two(out, random, depth - 1,
                PICK(random, " + ", " - ", " * ", " / ", " // ", " % ", " ** "));
    else if (form < 10)
        add_two(out, random, depth - 1, PICK(random, " < ", " <= ", " == ", " != ", " > ", " >= "));
    else if (form < 12)
        add_two(out, random, depth - 1, PICK(random, " and ", " or "));
    else if (form == 12)
        add_call(out, random, depth - 1);
    else if (form == 13) {
        add_two(out, random, depth - 1, " if i < j else ");
    } else if (form == 14) {
        text_append(out, PICK(random, "(-", "(not ", "(+"));
        add(out, random, depth - 1);
        text_append(out, ")");
    } else {
        text_append(out, "(");
        add(out, random, depth - 1);
        text_append(out, PICK(random, " in [1, 2.0, j, 'a'])", " not in [i, 3, x])",
                              " in [t, 'b'])", " < i < 5)", " <= x == j)"));
    }
}

static struct value random_integer(struct random *random)
{
    static const int64_t large[] = {INT64_MAX, INT64_MIN, INT64_C(1) << 53, -1, 4294967296};
    if (random_below(random, 8) == 0)
        return value_integer(large[random_below(random, 5)]);
    return value_integer((int64_t)random_below(random, 40) - 12);
}

static struct value random_real(struct random *random)
{
    static const double reals[] = {0.0, -0.0, 0.5, -2.5, 3.0, 1e308, 1e-308, 9007199254740992.0};
    return value_real(reals[random_below(random, 8)]);
}

/* How it went, so that the test does not pass by doing nothing. */
struct tally {
    size_t programs, values, left_to_tree, errors;
};

struct setup {
    struct arena arena;
    struct environment environment;
    const struct expression *definitions[SLOTS_MAX];
    struct code *code;
    struct formula formula;
};

static const struct expression *parse(struct arena *arena, const char *text)
{
    const struct source_text source = {{"f", 1, 1}, text, true};
    struct formula formula;
    struct error error;
    if (expression_parse(arena, &source, &scope, &formula, &error) != STATUS_OK)
        fail_msg("%s: %s", text, error.text);
    return formula.tree;
}

static void bind(struct setup *setup, struct machine *machine, size_t slot, struct value value)
{
    union number number = {.integer = 0};
    environment_bind(&setup->environment, slot, value);
    assert_true(code_number(setup->code, value, &number));
    machine_set(machine, slot, number);
}

static void bind_all(struct setup *setup, struct machine *machine, struct random *random)
{
    bind(setup, machine, I, random_integer(random));
    bind(setup, machine, J, random_integer(random));
    bind(setup, machine, X, random_real(random));
    bind(setup, machine, T, value_text(PICK(random, "a", "b", "")));
    for (size_t slot = D; slot <= E; slot++) {
        setup->environment.bound[slot] = false;
        machine_forget(machine, slot);
    }
}

static bool same_number(struct value tree, enum number_kind kind, union number number,
                        enum program_result result)
{
    if (result == RESULT_TRUTH)
        return value_is_true(tree) == (number.integer != 0);
    if (result == RESULT_REAL && tree.kind != VALUE_REAL && kind == NUMBER_REAL)
        return number.real == (double)tree.integer;
    if (tree.kind == VALUE_REAL)
        return kind == NUMBER_REAL && memcmp(&tree.real, &number.real, sizeof tree.real) == 0;
    return tree.kind != VALUE_TEXT && kind == NUMBER_INTEGER && number.integer == tree.integer;
}

static void compare(struct setup *setup, const char *text, const struct expression *tree,
                    enum program_result result, struct random *random, struct tally *tally)
{
    const struct program *program = NULL;
    assert_true(program_create(setup->code, tree, result, &program));
    if (!program || program_kind(program) == NUMBER_TEXT)
        return;
    struct machine *machine = machine_create(setup->code);
    assert_non_null(machine);
    tally->programs++;
    for (size_t i = 0; i < BINDINGS; i++) {
        struct value value;
        struct error error = {0};
        union number number = {.integer = 0};
        bind_all(setup, machine, random);
        const bool ran = machine_run(machine, program, &number);
        const enum status status = expression_evaluate(tree, &setup->environment, &value, &error);
        tally->values += ran;
        tally->left_to_tree += !ran && status == STATUS_OK;
        tally->errors += status != STATUS_OK;
        if (ran && status != STATUS_OK)
            fail_msg("%s: code gives %lld where the tree says: %s", text, (long long)number.integer,
                     error.text);
        if (ran && !same_number(value, program_kind(program), number, result))
            fail_msg("%s: code gives %lld (%a), the tree %lld (%a)", text,
                     (long long)number.integer, number.real, (long long)value.integer, value.real);
    }
    machine_end(machine);
}

static void start(struct setup *setup)
{
    *setup = (struct setup){.environment = {.file = "f", .scope = &scope}};
    setup->environment.definitions = setup->definitions;
    setup->definitions[D] = parse(&setup->arena, "i * 2 + k");
    setup->definitions[E] = parse(&setup->arena, "d if j > 3 else k // j");
    environment_bind(&setup->environment, K, value_integer(12));
    setup->code = code_create(&setup->arena, &setup->environment);
    assert_non_null(setup->code);
    code_variable(setup->code, I, NUMBER_INTEGER);
    code_variable(setup->code, J, NUMBER_INTEGER);
    code_variable(setup->code, X, NUMBER_REAL);
    code_variable(setup->code, T, NUMBER_TEXT);
}

static void code_gives_what_the_tree_gives(void **state)
{
    (void)state;
    struct random random = {.seed = 11};
    struct tally tally = {0};
    for (size_t i = 0; i < EXPRESSIONS; i++) {
        struct setup setup;
        struct text text = {0};
        start(&setup);
        add(&text, &random, 1 + (int)random_below(&random, 4));
        const struct expression *tree = parse(&setup.arena, text_string(&text));
        for (int result = RESULT_VALUE; result <= RESULT_TRUTH; result++) {
            for (size_t slot = 0; slot < NAMES; slot++) /* as before the first program */
                setup.environment.bound[slot] = slot == K;
            compare(&setup, text_string(&text), tree, (enum program_result)result, &random, &tally);
        }
        text_free(&text);
        code_free(setup.code);
        arena_free(&setup.arena);
    }
    /* Most has code, and most of what has a value gets it from there. */
    assert_true(tally.programs > EXPRESSIONS);
    assert_true(tally.errors > EXPRESSIONS);
    assert_true(tally.left_to_tree * 20 < tally.values);
}

/* What must not be left to the tree: constraints as they are written. */
static void what_is_usual_has_code(void **state)
{
    (void)state;
    static const char *const usual[] = {
        "i * j <= 1024",
        "32 <= i * j <= 1024",
        "i % (j * 2) == 0",
        "i % ((j * 8) / k) == 0",
        "t == 'a' or i % 32 != 0",
        "not (i == 128 and j == 8)",
        "i in [1, 2, 4]",
        "(i * 4 + k * 2) * (j + d) * 4 <= 49152",
        "is_power_of_two(i) and ceil_div(i, 3) > 2",
        "i > 5 and x < 2",
    };
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        struct setup setup;
        const struct program *program = NULL;
        start(&setup);
        const struct expression *tree = parse(&setup.arena, usual[i]);
        assert_true(program_create(setup.code, tree, RESULT_TRUTH, &program));
        if (!program)
            fail_msg("%s has no code", usual[i]);
        struct machine *machine = machine_create(setup.code);
        union number number;
        assert_non_null(machine);
        bind(&setup, machine, I, value_integer(64));
        bind(&setup, machine, J, value_integer(4));
        bind(&setup, machine, X, value_real(1.5));
        bind(&setup, machine, T, value_text("b"));
        if (!machine_run(machine, program, &number))
            fail_msg("%s is left to the tree", usual[i]);
        machine_end(machine);
        code_free(setup.code);
        arena_free(&setup.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_gives_what_the_tree_gives),
        cmocka_unit_test(what_is_usual_has_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
