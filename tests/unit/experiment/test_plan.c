/* The meaning of a configuration for compiler and launcher, and its refusals. */
#include "plan_fixture.h"

TEST(launches_and_arguments)
{
    struct fixture fixture;
    struct launch_plan plan;
    start_with(&fixture, load_or_fail(base_text), 5, "staged", 256, value_integer(2));
    plan_or_fail(&fixture, &plan);
    assert_int_equal(plan.launch_count, 2);
    const struct launch *first = &plan.launches[0];
    assert_string_equal(first->kernel, "scale_staged");
    assert_int_equal(first->grid[0], 264);
    assert_int_equal(first->grid[1], 2);
    assert_int_equal(first->grid[2], 1);
    assert_int_equal(first->block[0], 256);
    assert_int_equal(first->block[1], 1);
    assert_int_equal(first->shared_bytes, 1024);
    assert_int_equal(first->threads, 0);
    assert_int_equal(first->argument_count, 5); /* none were listed: all */
    const struct launch *second = &plan.launches[1];
    assert_string_equal(second->kernel, "finish");
    assert_int_equal(second->block[0], 8);
    assert_int_equal(second->block[1], 2);
    assert_int_equal(second->argument_count, 3);
    assert_int_equal(second->arguments[0], 1);
    assert_int_equal(second->arguments[1], 2);
    assert_int_equal(second->arguments[2], 3);
    assert_int_equal(plan.argument_count, 5);
    static const enum argument_role roles[] = {ARGUMENT_INPUT, ARGUMENT_OUTPUT, ARGUMENT_SCALAR,
                                               ARGUMENT_SCALAR, ARGUMENT_SCRATCH};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(plan.arguments[i].role, roles[i]);
    assert_string_equal(plan.arguments[0].name, "in");
    assert_int_equal(plan.arguments[0].type, ELEMENT_F32);
    assert_int_equal(plan.arguments[0].fill, FILL_RANDOM);
    assert_int_equal(plan.arguments[0].count, 100000000);
    assert_int_equal(plan.arguments[2].scalar.integer, 100000000);
    assert_true(plan.arguments[3].scalar.kind == VALUE_REAL);
    assert_true(plan.arguments[3].scalar.real == 0.5);
    assert_int_equal(plan.arguments[4].type, ELEMENT_U8);
    assert_int_equal(plan.arguments[4].count, 4 * 264);
    end(&fixture);
}

TEST(launches_may_not_apply)
{
    struct fixture fixture;
    struct launch_plan plan;
    start_with(&fixture, load_or_fail(base_text), 0, "plain", 128, value_integer(1));
    plan_or_fail(&fixture, &plan);
    assert_int_equal(plan.launch_count, 1);
    assert_int_equal(plan.launches[0].grid[0], 8); /* 1024 / 128, fewer than the SMs */
    end(&fixture);
    start_with(&fixture,
               load_changed("  - kernel: scale", "  - when: block > 999\n    kernel: scale"), 0,
               "plain", 128, value_integer(1));
    assert_int_equal(point_plan(&fixture.point, &fixture.arena, &plan, &fixture.error),
                     STATUS_BAD_INPUT);
    expect_message(fixture.error.text, "t.yaml:24:5: every");
    end(&fixture);
}

TEST(binary_and_kernels)
{
    struct fixture fixture;
    struct binary_request binary;
    struct launch kernels[LAUNCHES_MAX];
    size_t count = 0;
    start_with(&fixture, load_or_fail(base_text), 3, "staged", 256, value_text("occupancy"));
    assert_int_equal(point_binary(&fixture.point, &fixture.arena, &binary, &fixture.error),
                     STATUS_OK);
    assert_string_equal(binary.source_path, fixture.experiment->source);
    assert_string_equal(binary.architecture, "sm_90");
    assert_int_equal(binary.define_count, 3);
    assert_string_equal(binary.defines[0].name, "BLOCK");
    assert_int_equal(binary.defines[0].value.integer, 256);
    assert_string_equal(binary.defines[1].value.text, "float");
    assert_int_equal(binary.defines[2].value.kind, VALUE_INTEGER); /* a boolean is 1 or 0 in C */
    assert_int_equal(binary.defines[2].value.integer, 1);
    assert_int_equal(binary.flag_count, 1);
    assert_string_equal(binary.flags[0], "-DWIDTH=8");
    assert_int_equal(binary.kernel_count, 2);
    assert_string_equal(binary.kernels[1], "finish");
    assert_int_equal(point_kernels(&fixture.point, &fixture.arena, kernels, &count, &fixture.error),
                     STATUS_OK);
    assert_int_equal(count, 2);
    assert_string_equal(kernels[0].kernel, "scale_staged");
    assert_int_equal(launch_block_threads(&kernels[0]), 256);
    assert_int_equal(kernels[0].shared_bytes, 1024);
    assert_int_equal(launch_block_threads(&kernels[1]), 16);
    end(&fixture);
}

TEST(active_blocks_are_waited_for)
{
    struct fixture fixture;
    struct launch_plan plan;
    struct named_value derived[EXPERIMENT_DERIVED_MAX];
    size_t count = 0;
    start_with(&fixture, load_or_fail(base_text), 2, "plain", 128, value_text("occupancy"));
    assert_int_equal(point_plan(&fixture.point, &fixture.arena, &plan, &fixture.error),
                     STATUS_UNAVAILABLE);
    assert_int_equal(point_derived(&fixture.point, &fixture.arena, derived, &count, &fixture.error),
                     STATUS_UNAVAILABLE);
    fixture.point.active_blocks = 16;
    plan_or_fail(&fixture, &plan);
    assert_int_equal(plan.launches[0].grid[0], 132 * 16);
    assert_int_equal(point_derived(&fixture.point, &fixture.arena, derived, &count, &fixture.error),
                     STATUS_OK);
    assert_int_equal(count, 2);
    assert_string_equal(derived[0].name, "resident");
    assert_int_equal(derived[0].value.integer, 16);
    assert_string_equal(derived[1].name, "grid");
    assert_int_equal(derived[1].value.integer, 132 * 16);
    end(&fixture);
}

TEST(names_that_begin_with_an_underline_stay_in_the_file)
{
    struct fixture fixture;
    struct named_value derived[EXPERIMENT_DERIVED_MAX];
    size_t count = 0;
    struct text text = {0};
    replace(&text, base_text, "  resident:", "  _twice: 2 * block\n  resident:");
    start_with(&fixture, load_or_fail(text_string(&text)), 2, "plain", 128, value_integer(4));
    fixture.point.active_blocks = 16;
    assert_int_equal(point_derived(&fixture.point, &fixture.arena, derived, &count, &fixture.error),
                     STATUS_OK);
    assert_int_equal(count, 2);
    assert_string_equal(derived[0].name, "resident");
    assert_string_equal(derived[1].name, "grid");
    end(&fixture);
    text_free(&text);
}

static uint64_t seed_of(size_t problem, int64_t block, size_t argument)
{
    struct fixture fixture;
    struct launch_plan plan;
    start_with(&fixture,
               load_changed("  - {name: n,",
                            "  - {name: in2, type: i32, count: n, fill: zero}\n  - {name: n,"),
               problem, "plain", block, value_integer(1));
    plan_or_fail(&fixture, &plan);
    uint64_t seed = plan.arguments[argument].seed;
    end(&fixture);
    return seed;
}

/* Production asks for any n: the data of one n is the beginning of that of a larger one. */
TEST(seeds_follow_name_and_axes_only)
{
    assert_true(seed_of(0, 128, 0) == seed_of(2, 256, 0));
    assert_true(seed_of(0, 128, 0) != seed_of(3, 128, 0));
    assert_true(seed_of(0, 128, 0) != seed_of(0, 128, 2));
}

static void the_only_check(struct fixture *fixture, struct output_check *out)
{
    struct output_check checks[CHECKS_MAX];
    size_t count = 0;
    assert_int_equal(
        point_checks(&fixture->point, &fixture->arena, checks, &count, &fixture->error), STATUS_OK);
    assert_int_equal(count, 1);
    *out = checks[0];
}

TEST(check_and_bytes)
{
    struct fixture fixture;
    struct output_check check;
    struct figures figures;
    start_with(&fixture, load_or_fail(base_text), 5, "plain", 128, value_text("occupancy"));
    the_only_check(&fixture, &check);
    assert_int_equal(check.kind, REFERENCE_FUNCTION);
    assert_string_equal(check.reference, "scale_reference");
    assert_string_equal(check.binary.architecture, "native");
    assert_string_equal(strrchr(check.binary.source_path, '/'), "/r.c");
    assert_int_equal(check.binary.kernel_count, 1);
    assert_string_equal(check.binary.kernels[0], "scale_reference");
    assert_int_equal(check.binary.define_count, 1); /* BLOCK and STAGED differ by configuration */
    assert_string_equal(check.binary.defines[0].name, "ELEMENT");
    assert_string_equal(check.binary.defines[0].value.text, "float");
    assert_int_equal(check.output, 1);
    assert_true(check.tolerance.magnitude == 1e-6);
    fixture.point.configuration = NULL; /* bytes are of the problem */
    assert_int_equal(point_figures(&fixture.point, &figures, &fixture.error), STATUS_OK);
    assert_true(figures.bytes == 8e8);
    end(&fixture);
    start_with(&fixture, load_changed("  output: out\n", "  output: out\n  defines: {T: 'n'}\n"), 0,
               "plain", 128, value_integer(1));
    the_only_check(&fixture, &check);
    assert_int_equal(check.binary.define_count, 1);
    assert_string_equal(check.binary.defines[0].name, "T");
    assert_int_equal(check.binary.defines[0].value.integer, 1024);
    assert_true(check.tolerance.magnitude == 0);
    end(&fixture);
}

TEST(baselines_are_whole_configurations)
{
    struct fixture fixture;
    struct baseline baselines[EXPERIMENT_BASELINES_MAX];
    size_t count = 0;
    char key[CONFIGURATION_KEY_BYTES];
    start_with(&fixture,
               load_changed("per_sm: 2}\n", "per_sm: 2}\n  - name: big\n    when: n > 2**20\n    "
                                            "set: {variant: staged, block: max_threads_per_block, "
                                            "per_sm: occupancy}\n"),
               0, "plain", 128, value_integer(1));
    assert_int_equal(experiment_baselines(fixture.experiment, &fixture.problem, &fixture.facts,
                                          baselines, &count, &fixture.error),
                     STATUS_OK);
    assert_int_equal(count, 1);
    assert_string_equal(baselines[0].name, "textbook");
    assert_string_equal(baselines[0].about, "as in the book");
    assert_string_equal(baselines[0].occupancy_parameter, "block");
    experiment_problem(fixture.experiment, 2, &fixture.problem);
    assert_int_equal(experiment_baselines(fixture.experiment, &fixture.problem, &fixture.facts,
                                          baselines, &count, &fixture.error),
                     STATUS_OK);
    assert_int_equal(count, 2);
    assert_null(baselines[1].occupancy_parameter);
    assert_true(configuration_key(&baselines[1].configuration, key));
    assert_string_equal(key, "variant=staged block=1024 per_sm=occupancy");
    end(&fixture);
}

TEST(refused_with_the_place)
{
    static const struct {
        const char *old, *new, *error;
    } rows[] = {
        {"    grid: [grid, 2]", "    grid: [grid, block - 128]", "t.yaml:25:18: grid is 0"},
        {"    grid: [grid, 2]", "    grid: [n * 4096, n]", "t.yaml:25:12: grid has"},
        {"    block: block\n", "    block: block / 2\n", "t.yaml:26:12: block must"},
        {"    shared: block * sizeof(type)", "    shared: -1", "t.yaml:27:13: shared is -1"},
        {"    shared: block * sizeof(type)", "    repeat: block - 128",
         "t.yaml:27:13: repeat is 0"},
        {"count: grid * 4", "count: block - 128", "t.yaml:38:35: count is 0"},
        {"type: i64, value: n", "type: u8, value: n", "t.yaml:36:32: 'n' ... from"},
        {"type: i64, value: n", "type: i8, value: -129", "t.yaml:36:32: 'n' ... from"},
        {"type: i64, value: n", "type: i32, value: 0.5", "t.yaml:36:33: 'n' ... integer"},
        {"type: f64, value: 1 / 2", "type: f32, value: 1e200", "t.yaml:37:38: 'factor' ... that"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture fixture;
        struct launch_plan plan;
        start_with(&fixture, load_changed(rows[i].old, rows[i].new), 0, "plain", 128,
                   value_integer(1));
        assert_int_equal(point_plan(&fixture.point, &fixture.arena, &plan, &fixture.error),
                         STATUS_BAD_INPUT);
        expect_message(fixture.error.text, rows[i].error);
        end(&fixture);
    }
}

TEST(a_configuration_must_be_whole)
{
    struct fixture fixture;
    struct launch_plan plan;
    start_with(&fixture, load_or_fail(base_text), 0, "plain", 128, value_integer(1));
    /* The order is free: configurations also come from the database. */
    struct named_value first = fixture.configuration.values[0];
    fixture.configuration.values[0] = fixture.configuration.values[2];
    fixture.configuration.values[2] = first;
    plan_or_fail(&fixture, &plan);
    assert_string_equal(plan.launches[0].kernel, "scale_plain");
    fixture.configuration.count = 2;
    assert_int_equal(point_plan(&fixture.point, &fixture.arena, &plan, &fixture.error),
                     STATUS_BAD_INPUT);
    expect_message(fixture.error.text, "yaml ... 'variant'");
    end(&fixture);
}

static const char *const cpu_text =
    "experiment: c\ndevice: cpu\nsource: k.cu\nsizes: {n: [100]}\n"
    "parameters: {threads: [1, cores, hardware_threads], how: [static, queued]}\n"
    "launches:\n  - {kernel: k, grid: min(n, 7, max(2, 9)), threads: threads, schedule: how}\n"
    "  - {kernel: k, grid: 1, threads: 1}\n"
    "arguments: [{name: out, type: i32, count: 1, output: true}]\n"
    "check: {reference: r, source: r.c, output: out}\n";

TEST(launches_on_the_cpu)
{
    struct experiment *experiment = load_or_fail(cpu_text);
    struct facts facts = {0};
    struct problem problem;
    struct space *space = NULL;
    struct configuration configuration;
    struct launch_plan plan;
    struct arena arena = {0};
    struct error error;
    add_cpu_facts(&facts);
    experiment_problem(experiment, 0, &problem);
    assert_string_equal(problem.key, "c");
    assert_int_equal(space_create(experiment, &problem, &facts, &space, &error), STATUS_OK);
    assert_int_equal(space_count(space), 6);
    space_configuration(space, 3, &configuration);
    struct point point = {experiment, &problem, &facts, &configuration, 0};
    assert_int_equal(point_plan(&point, &arena, &plan, &error), STATUS_OK);
    assert_int_equal(plan.launches[0].grid[0], 7);
    assert_int_equal(plan.launches[0].threads, 2);
    assert_int_equal(plan.launches[0].schedule, SCHEDULE_QUEUED);
    assert_int_equal(plan.launches[0].block[0], 1);
    assert_int_equal(plan.launches[0].block[1], 1);
    assert_int_equal(plan.launches[1].threads, 1);
    assert_int_equal(plan.launches[1].schedule, SCHEDULE_STATIC);
    arena_free(&arena);
    space_free(space);
    facts_free(&facts);
    experiment_free(experiment);
}

TEST(alignment_is_of_the_vector)
{
    struct fixture fixture;
    struct launch_plan plan;
    start_with(&fixture,
               load_changed("count: n}", "count: n, alignment: block // 16 * sizeof(type)}"), 5,
               "staged", 256, value_integer(2));
    plan_or_fail(&fixture, &plan);
    assert_int_equal(plan.arguments[0].alignment_bytes, 64);
    for (size_t i = 1; i < 5; i++)
        assert_int_equal(plan.arguments[i].alignment_bytes, 0); /* not given */
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(plan.arguments[i].offset_bytes, 0);
    fixture.configuration.values[1].value = value_integer(192);
    assert_int_equal(point_plan(&fixture.point, &fixture.arena, &plan, &fixture.error),
                     STATUS_BAD_INPUT);
    expect_message(fixture.error.text, "t.yaml:34:54: alignment is 48 ... power of");
    fixture.configuration.values[1].value = value_integer(2048);
    assert_int_equal(point_plan(&fixture.point, &fixture.arena, &plan, &fixture.error),
                     STATUS_BAD_INPUT);
    expect_message(fixture.error.text, "t.yaml:34:54: alignment is 512");
    end(&fixture);
}

TEST_MAIN(make_folder, remove_folder)
