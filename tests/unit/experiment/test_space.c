/* Legal configurations: computed by hand, in refusals, and in the shipped experiments. */
#include "experiment_fixture.h"

/* Loads an experiment with these parameters, constraints and derived values. */
static struct experiment *load_space(const char *parameters, const char *rest)
{
    struct text text = {0};
    text_printf(&text,
                "experiment: s\nsource: k.cu\nsizes: {n: [4096]}\nparameters:\n%s\n%s\n"
                "launches: [{kernel: k, grid: 1, block: 32}]\n"
                "arguments: [{name: out, type: i32, count: 1, output: true}]\n"
                "check: {reference: r, source: r.c, output: out}\n",
                parameters, rest);
    struct experiment *experiment = load_or_fail(text_string(&text));
    text_free(&text);
    return experiment;
}

static enum status create_first(const struct experiment *experiment, struct space **out,
                                struct error *error)
{
    struct facts facts = {0};
    struct problem problem;
    add_gpu_facts(&facts);
    experiment_problem(experiment, 0, &problem);
    enum status status = space_create(experiment, &problem, &facts, out, error);
    facts_free(&facts);
    return status;
}

static struct space *space_or_fail(const struct experiment *experiment)
{
    struct space *space = NULL;
    struct error error;
    if (create_first(experiment, &space, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return space;
}

/* Tells whether the point is legal: `wide` uses a, `tile` a and c through it, so their values must
 * follow each change of a and c. */
static bool is_legal(int64_t a, int64_t b, int64_t c, int64_t d)
{
    int64_t wide = a * 2;
    int64_t tile = wide * c;
    return tile % b == 0 && tile <= 4096 && (d == 0 || wide > b) && (a + d) % 3 != 1 &&
           !(c == 4 && b == 8);
}

TEST(pruning_equals_brute_force)
{
    struct experiment *experiment =
        load_space("  a: [16, 32, 48, 64, 512]\n  b: [3, 8, 32]\n  c: [1, 2, 4, 8]\n"
                   "  d: [0, 1, 2]\n",
                   "derived:\n  tile: wide * c\n  wide: a * 2\n"
                   "constraints:\n  - tile % b == 0\n  - tile <= n\n  - d == 0 or wide > b\n"
                   "  - (a + d) % 3 != 1\n  - not (c == 4 and b == 8)\n");
    struct space *space = space_or_fail(experiment);
    static const int64_t as[] = {16, 32, 48, 64, 512}, bs[] = {3, 8, 32}, cs[] = {1, 2, 4, 8};
    size_t found = 0;
    for (size_t a = 0; a < 5; a++)
        for (size_t b = 0; b < 3; b++)
            for (size_t c = 0; c < 4; c++)
                for (int64_t d = 0; d < 3; d++) {
                    if (!is_legal(as[a], bs[b], cs[c], d))
                        continue;
                    struct configuration got;
                    assert_true(found < space_count(space));
                    space_configuration(space, found++, &got);
                    assert_int_equal(got.count, 4);
                    assert_string_equal(got.values[2].name, "c");
                    assert_int_equal(got.values[0].value.integer, as[a]);
                    assert_int_equal(got.values[1].value.integer, bs[b]);
                    assert_int_equal(got.values[2].value.integer, cs[c]);
                    assert_int_equal(got.values[3].value.integer, d);
                }
    assert_true(found > 10);
    assert_int_equal(space_count(space), found);
    assert_int_equal(space_product_count(space), 5 * 3 * 4 * 3);
    space_free(space);
    experiment_free(experiment);
}

/* Checks that every point of the product is admitted exactly if the space has it. */
static void expect_admissions(const struct experiment *experiment, const struct facts *facts,
                              const struct problem *problem)
{
    static const int64_t as[] = {16, 32, 48, 64, 512}, bs[] = {3, 8, 32}, cs[] = {1, 2, 4, 8};
    for (size_t a = 0; a < 5; a++)
        for (size_t b = 0; b < 3; b++)
            for (size_t c = 0; c < 4; c++)
                for (int64_t d = 0; d < 3; d++) {
                    const struct configuration point = {
                        .count = 4,
                        .values = {{"d", value_integer(d)}, /* in any order */
                                   {"a", value_integer(as[a])},
                                   {"b", value_real((double)bs[b])},
                                   {"c", value_integer(cs[c])}}};
                    bool admits = !is_legal(as[a], bs[b], cs[c], d);
                    struct error error;
                    assert_int_equal(
                        space_admits(experiment, problem, facts, &point, &admits, &error),
                        STATUS_OK);
                    assert_int_equal(admits, is_legal(as[a], bs[b], cs[c], d));
                }
}

static void expect_not_admitted(const struct experiment *experiment, const struct problem *problem,
                                struct configuration point)
{
    bool admits = true;
    struct error error;
    assert_int_equal(space_admits(experiment, problem, NULL, &point, &admits, &error), STATUS_OK);
    assert_false(admits);
}

TEST(admission_equals_brute_force)
{
    struct experiment *experiment =
        load_space("  a: [16, 2 * 16, ceil_div(n, 86), 64, 512]\n  b: [3, 8, 32]\n"
                   "  c: [1, 2, 4, 8]\n  d: [0, 1, 2]\n",
                   "derived:\n  tile: wide * c\n  wide: a * 2\n"
                   "constraints:\n  - tile % b == 0\n  - tile <= n\n  - d == 0 or wide > b\n"
                   "  - (a + d) % 3 != 1\n  - not (c == 4 and b == 8)\n");
    struct facts facts = {0};
    struct problem problem;
    add_gpu_facts(&facts);
    experiment_problem(experiment, 0, &problem);
    expect_admissions(experiment, &facts, &problem);
    facts_free(&facts);
    const struct configuration legal = {.count = 4,
                                        .values = {{"a", value_integer(64)},
                                                   {"b", value_integer(8)},
                                                   {"c", value_integer(1)},
                                                   {"d", value_integer(1)}}};
    bool admits = false;
    struct error error;
    assert_int_equal(space_admits(experiment, &problem, NULL, &legal, &admits, &error), STATUS_OK);
    assert_true(admits);
    struct configuration other = legal;
    other.values[0].value = value_integer(65); /* no value of the list */
    expect_not_admitted(experiment, &problem, other);
    other.values[0].value = value_text("64");
    expect_not_admitted(experiment, &problem, other);
    other = legal;
    other.values[2].name = "e"; /* a parameter that there is no longer */
    expect_not_admitted(experiment, &problem, other);
    other = legal;
    other.values[other.count++] = (struct named_value){"e", value_integer(1)};
    expect_not_admitted(experiment, &problem, other);
    other.count = 3;
    expect_not_admitted(experiment, &problem, other);
    experiment_free(experiment);
}

/* A constraint that guards another against an error does so here, too, wherever it stands. */
TEST(admission_keeps_the_order_of_the_walk)
{
    struct experiment *experiment =
        load_space("  a: [0, 2]\n  b: [4, 5]\n", "constraints:\n  - b % a == 0\n  - a > 0\n");
    struct problem problem;
    experiment_problem(experiment, 0, &problem);
    expect_not_admitted(
        experiment, &problem,
        (struct configuration){.count = 2,
                               .values = {{"a", value_integer(0)}, {"b", value_integer(4)}}});
    experiment_free(experiment);
}

static void expect_counts(const char *parameters, const char *constraints, size_t product,
                          size_t legal)
{
    struct experiment *experiment = load_space(parameters, constraints);
    struct space *space = space_or_fail(experiment);
    assert_int_equal(space_product_count(space), product);
    assert_int_equal(space_count(space), legal);
    space_free(space);
    experiment_free(experiment);
}

TEST(values_that_repeat_are_taken_once)
{
    expect_counts("  a: [1024, max_threads_per_block, 2**10, 1024.0]\n  b: [x, \"x\", y]\n", "", 2,
                  2);
    expect_counts("  a: [ceil_div(n, 3), n, (n), \"n\", true, false]\n", "", 5, 5);
}

TEST(device_facts_are_values)
{
    struct experiment *experiment = load_space(
        "  a: [sm_count, architecture]\n",
        "constraints: [compute_capability >= 9, architecture == 'sm_90' or sm_count < 5]\n");
    struct space *space = space_or_fail(experiment);
    struct configuration configuration;
    char key[CONFIGURATION_KEY_BYTES];
    assert_int_equal(space_count(space), 2);
    space_configuration(space, 1, &configuration);
    assert_true(configuration_key(&configuration, key));
    assert_string_equal(key, "a=sm_90");
    space_configuration(space, 0, &configuration);
    assert_true(configuration_key(&configuration, key));
    assert_string_equal(key, "a=132");
    space_free(space);
    experiment_free(experiment);
}

static void expect_refusal(const char *parameters, const char *rest, enum status wanted,
                           const char *message)
{
    struct experiment *experiment = load_space(parameters, rest);
    struct space *space = NULL;
    struct error error;
    assert_int_equal(create_first(experiment, &space, &error), wanted);
    expect_message(error.text, message);
    experiment_free(experiment);
}

TEST(what_is_wrong_is_said)
{
    expect_refusal("  a: [1, 2, 3]\n", "constraints:\n  - a < 3\n  - a > 2\n", STATUS_NOT_FOUND,
                   "t.yaml:9:5: ruled out");
    expect_refusal("  a: [1, 2, 3]\n", "constraints: [n > 5000]\n", STATUS_NOT_FOUND,
                   "t.yaml:7:15: ruled out");
    expect_refusal("  a: ['x', c_type(\"u32\" if sm_count else '')]\n", "", STATUS_BAD_INPUT,
                   "t.yaml:5:12: 'unsigned int' ... printable");
    expect_refusal("  a: [1, 0]\n", "constraints:\n  - n % a == 0\n", STATUS_BAD_INPUT,
                   "t.yaml:8:7: division by zero");
    expect_refusal("  a: [1, 0]\n", "derived: {b: n // a}\nconstraints:\n  - b > 0\n",
                   STATUS_BAD_INPUT, "t.yaml:7:16: division by zero");
}

TEST(a_fact_the_device_does_not_give)
{
    struct experiment *experiment = load_space("  a: [1, 2]\n", "constraints: [a <= sm_count]\n");
    struct space *space = NULL;
    struct error error;
    struct facts none = {0};
    struct problem problem;
    experiment_problem(experiment, 0, &problem);
    assert_int_equal(space_create(experiment, &problem, &none, &space, &error), STATUS_UNAVAILABLE);
    expect_message(error.text, "t.yaml:7:20: 'sm_count' ... stage");
    experiment_free(experiment);
}

/* 20 parameters of 10 values: possible only with pruning. */
TEST(vast_products_are_pruned_or_refused)
{
    struct text parameters = {0};
    struct text constraints = {0};
    text_append(&constraints, "constraints:\n");
    for (int i = 0; i < 20; i++) {
        text_printf(&parameters, "  p%d: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n", i);
        if (i > 0)
            text_printf(&constraints, "  - p%d == p%d\n", i, i - 1);
    }
    struct experiment *experiment = load_space(text_string(&parameters), text_string(&constraints));
    struct space *space = space_or_fail(experiment);
    assert_int_equal(space_count(space), 10);
    assert_true(space_product_count(space) == UINT64_MAX);
    space_free(space);
    experiment_free(experiment);
    expect_refusal(text_string(&parameters), "", STATUS_BAD_INPUT, "t.yaml:5:3: configurations");
    text_free(&parameters);
    text_free(&constraints);
}

static void load_shipped(const char *name, struct experiment **experiment)
{
    struct text path = {0};
    struct error error;
    text_printf(&path, "%s/configs/%s", TEST_SOURCE_DIR, name);
    if (experiment_load(text_string(&path), TEST_SOURCE_DIR, experiment, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    text_free(&path);
}

/* Requests everything about a configuration, without an error. */
static void plan_everything(const struct experiment *experiment, const struct problem *problem,
                            const struct facts *facts, const struct configuration *configuration)
{
    struct point point = {experiment, problem, facts, configuration, 3};
    struct arena arena = {0};
    struct error error;
    struct binary_request binary;
    struct launch kernels[LAUNCHES_MAX];
    struct launch_plan plan = {0};
    struct named_value derived[EXPERIMENT_DERIVED_MAX];
    struct output_check checks[CHECKS_MAX];
    size_t count = 0;
    struct figures figures;
    char key[CONFIGURATION_KEY_BYTES];
    if (!configuration_key(configuration, key) ||
        point_binary(&point, &arena, &binary, &error) != STATUS_OK ||
        point_kernels(&point, &arena, kernels, &count, &error) != STATUS_OK ||
        point_plan(&point, &arena, &plan, &error) != STATUS_OK ||
        point_derived(&point, &arena, derived, &count, &error) != STATUS_OK ||
        point_checks(&point, &arena, checks, &count, &error) != STATUS_OK ||
        point_figures(&point, &figures, &error) != STATUS_OK)
        fail_msg("%s n=%lld %s: %s", problem->key, (long long)problem->n, key, error.text);
    assert_true(figures.bytes >= (double)problem->n);
    assert_int_equal(figures.ceiling, CEILING_READ);
    assert_true(figures.operations == (double)problem->n);
    assert_true(plan.launch_count >= 1);
    arena_free(&arena);
}

enum { POINTS_PLANNED = 50 };

static void check_shipped(const char *name, const struct facts *facts, size_t fewest)
{
    struct experiment *experiment = NULL;
    load_shipped(name, &experiment);
    assert_true(experiment_problem_count(experiment) >= 16);
    for (size_t i = 0; i < experiment_problem_count(experiment); i += TEST_SANITIZED ? 7 : 1) {
        struct problem problem = {0};
        struct space *space = NULL;
        struct error error = {0};
        struct baseline baselines[EXPERIMENT_BASELINES_MAX];
        size_t count = 0;
        experiment_problem(experiment, i, &problem);
        if (space_create(experiment, &problem, facts, &space, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        assert_true(space_count(space) >= fewest);
        assert_true(space_count(space) <= space_product_count(space));
        /* Hundreds of problems with hundreds of points: some of each, not the same of all. */
        const size_t step = 1 + space_count(space) / POINTS_PLANNED;
        for (size_t j = i % step; j < space_count(space); j += step) {
            struct configuration configuration;
            space_configuration(space, j, &configuration);
            plan_everything(experiment, &problem, facts, &configuration);
        }
        assert_int_equal(
            experiment_baselines(experiment, &problem, facts, baselines, &count, &error),
            STATUS_OK);
        assert_true(count >= 1);
        for (size_t j = 0; j < count; j++)
            plan_everything(experiment, &problem, facts, &baselines[j].configuration);
        space_free(space);
    }
    experiment_free(experiment);
}

/* Kept points are counted again; the others are no points any more. */
TEST(some_points_can_be_kept)
{
    struct experiment *experiment =
        load_space("  a: [1, 2, 4, 8]\n  b: [1, 2, 3]\n", "constraints:\n  - a * b != 6\n");
    struct space *space = space_or_fail(experiment);
    struct configuration kept[3], other;
    uint64_t points[] = {9, 0, 4};
    assert_int_equal(space_count(space), 11);
    space_configuration(space, 0, &kept[0]);
    space_configuration(space, 4, &kept[1]);
    space_configuration(space, 9, &kept[2]);
    space_configuration(space, 5, &other);
    assert_true(space_keep(space, points, 3));
    assert_int_equal(space_count(space), 3);
    for (size_t i = 0; i < 3; i++) {
        struct configuration got;
        uint64_t point = 99;
        space_configuration(space, i, &got);
        assert_int_equal(got.values[0].value.integer, kept[i].values[0].value.integer);
        assert_int_equal(got.values[1].value.integer, kept[i].values[1].value.integer);
        assert_true(space_find(space, &kept[i], &point));
        assert_int_equal(point, i);
    }
    uint64_t point = 0;
    assert_false(space_find(space, &other, &point));
    assert_true(space_keep(space, points, 0));
    assert_int_equal(space_count(space), 0);
    space_free(space);
    experiment_free(experiment);
}

TEST(shipped_experiments_plan_their_points)
{
    struct facts gpu = {0};
    struct facts cpu = {0};
    add_gpu_facts(&gpu);
    add_cpu_facts(&cpu);
    check_shipped("reduce.yaml", &gpu, 20);
    check_shipped("reduce_cpu.yaml", &cpu, 3);
    facts_free(&gpu);
    facts_free(&cpu);
}

TEST_MAIN(make_folder, remove_folder)
