/* Features that an own kernel may need: sources, arguments of all sorts, fills, metrics, no sizes,
 * lists. */
#include <math.h>

#include "own_fixture.h"

/* ---- compilation ---- */

TEST(sources_folders_and_standard)
{
    struct fixture fixture;
    struct binary_request request;
    char path[128];
    start_own(&fixture, LOAD_OWN("std: c++20\n", "std: c++20\nflags: [-lineinfo]\n"), 0, 64, 4);
    assert_int_equal(point_binary(&fixture.point, &fixture.arena, &request, &fixture.error),
                     STATUS_OK);
    own_path("k.cu", path);
    assert_string_equal(request.source_path, path);
    assert_string_equal(fixture.experiment->source, path);
    own_path("more.cu", path);
    assert_int_equal(request.unit_count, 1);
    assert_string_equal(request.units[0], path);
    own_path("inc", path);
    assert_int_equal(request.folder_count, 1);
    assert_string_equal(request.folders[0], path);
    assert_int_equal(request.flag_count, 2);
    assert_string_equal(request.flags[0], "-std=c++20");
    assert_string_equal(request.flags[1], "-lineinfo");
    assert_int_equal(request.symbol_count, 1);
    assert_string_equal(request.symbols[0], "c_filter");
    end(&fixture);
}

TEST(symbols_may_be_name_expressions)
{
    struct fixture fixture;
    struct binary_request request;
    struct launch_plan plan;
    start_own(&fixture, LOAD_OWN("symbol: c_filter", "symbol: \"filters::of<${loads}>\""), 0, 64,
              4);
    assert_int_equal(point_binary(&fixture.point, &fixture.arena, &request, &fixture.error),
                     STATUS_OK);
    assert_string_equal(request.symbols[0], "filters::of<4>");
    plan_or_fail(&fixture, &plan);
    assert_string_equal(plan.arguments[3].symbol, "filters::of<4>");
    end(&fixture);
}

/* ---- arguments ---- */

TEST(arguments_of_all_sorts)
{
    struct fixture fixture;
    struct launch_plan plan;
    char path[128];
    start_own(&fixture, load_own(NULL), 0, 64, 4);
    plan_or_fail(&fixture, &plan);
    const struct argument *arguments = plan.arguments;
    assert_int_equal(plan.argument_count, 8);
    assert_int_equal(arguments[0].fill, FILL_UNIFORM);
    assert_true(arguments[0].fill_low == -1 && arguments[0].fill_high == 2.5);
    assert_int_equal(arguments[1].fill, FILL_SERIES);
    assert_string_equal(arguments[1].fill_text, "2 * i - 132");
    own_path("data.bin", path);
    assert_int_equal(arguments[2].fill, FILL_FILE);
    assert_string_equal(arguments[2].fill_text, path);
    assert_int_equal(arguments[3].role, ARGUMENT_INPUT);
    assert_string_equal(arguments[3].symbol, "c_filter");
    assert_int_equal(arguments[3].fill, FILL_CONSTANT);
    assert_true(arguments[3].fill_low == 0.5);
    assert_null(arguments[4].symbol);
    assert_int_equal(arguments[5].role, ARGUMENT_UPDATE);
    assert_int_equal(arguments[5].fill, FILL_NORMAL);
    assert_true(arguments[5].fill_low == 5 && arguments[5].fill_high == 2);
    assert_int_equal(arguments[6].role, ARGUMENT_STRUCT);
    assert_int_equal(arguments[6].field_count, 2);
    assert_int_equal(arguments[6].fields[0].type, ELEMENT_F32);
    assert_true(arguments[6].fields[0].value.real == 1.5);
    assert_int_equal(arguments[6].fields[1].type, ELEMENT_I32);
    assert_int_equal(arguments[6].fields[1].value.integer, 4);
    assert_int_equal(arguments[7].role, ARGUMENT_SCALAR);
    end(&fixture);
}

/* A struct has their addresses: they are not passed separately, unless a launch lists them. */
TEST(pointers_lead_to_vectors_that_may_come_later)
{
    static const char fields[] = "{type: f32, value: 1.5}, {type: i32, value: loads}]}\n";
    static const char pointing[] = "{pointer: late, offset: 4 * loads}, "
                                   "{type: u8, value: 7, count: 3}, {pointer: x, count: 2}]}\n"
                                   "  - {name: late, type: i32, count: 64, output: true}\n";
    struct fixture fixture;
    struct launch_plan plan;
    start_own(&fixture, LOAD_OWN(fields, pointing), 0, 64, 4);
    plan_or_fail(&fixture, &plan);
    const struct argument *view = &plan.arguments[6];
    assert_int_equal(view->field_count, 6);
    assert_int_equal(view->fields[0].type, ELEMENT_U64);
    assert_int_equal(view->fields[0].points_to, 7 + 1);
    assert_int_equal(view->fields[0].value.integer, 16);
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(view->fields[i].type, ELEMENT_U8);
        assert_int_equal(view->fields[i].value.integer, 7);
    }
    assert_int_equal(view->fields[4].points_to, 0 + 1);
    assert_int_equal(view->fields[5].points_to, 0 + 1);
    assert_int_equal(view->fields[4].value.integer, 0);
    const struct launch *launch = &plan.launches[1];
    static const uint8_t passed[] = {1, 2, 4, 5, 6, 8}; /* k, d, y, z, s, a */
    assert_int_equal(launch->argument_count, sizeof passed);
    assert_memory_equal(launch->arguments, passed, sizeof passed);
    assert_int_equal(plan.launches[0].arguments[0], 0);
    end(&fixture);
    start_own(&fixture, LOAD_OWN(fields, "{pointer: y, offset: 100 * loads + 1}]}\n"), 0, 64, 4);
    assert_int_equal(point_plan(&fixture.point, &fixture.arena, &plan, &fixture.error),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(fixture.error.text, "offset is 401, and 'y' has only 400 bytes"));
    end(&fixture);
}

/* Two arguments in one variable would overwrite each other. */
TEST(what_kernels_write_may_be_a_variable)
{
    struct fixture fixture;
    struct launch_plan plan;
    start_own(&fixture, LOAD_OWN("fill: {normal", "symbol: moved, fill: {normal"), 0, 64, 4);
    plan_or_fail(&fixture, &plan);
    assert_int_equal(plan.arguments[5].role, ARGUMENT_UPDATE);
    assert_string_equal(plan.arguments[5].symbol, "moved");
    end(&fixture);
    start_own(&fixture, LOAD_OWN("fill: {normal", "symbol: c_filter, fill: {normal"), 0, 64, 4);
    assert_int_equal(point_plan(&fixture.point, &fixture.arena, &plan, &fixture.error),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(fixture.error.text, "'c' and 'z' are the same variable"));
    end(&fixture);
}

/* An argument copied into a variable of the kernel is not passed. */
TEST(symbols_are_not_passed)
{
    static const uint8_t passed[] = {0, 1, 2, 4, 5, 6, 7};
    struct fixture fixture;
    struct launch_plan plan;
    start_own(&fixture, load_own(NULL), 0, 64, 4);
    plan_or_fail(&fixture, &plan);
    assert_int_equal(plan.launches[0].argument_count, 2);
    assert_int_equal(plan.launches[1].argument_count, sizeof passed);
    assert_memory_equal(plan.launches[1].arguments, passed, sizeof passed);
    assert_int_equal(plan.launches[0].repeat, 1);
    assert_int_equal(plan.launches[1].repeat, 12);
    assert_int_equal(plan.launches[1].grid[0], 132 * 4);
    end(&fixture);
}

static uint64_t own_seed(const char *fill, size_t argument, size_t problem)
{
    struct fixture fixture;
    struct launch_plan plan;
    start_own(&fixture, LOAD_OWN("[-1, 2.5]}", fill), problem, 64, 4);
    plan_or_fail(&fixture, &plan);
    uint64_t seed = plan.arguments[argument].seed;
    end(&fixture);
    return seed;
}

TEST(a_seed_is_the_name_s_or_one_s_own)
{
    assert_true(own_seed("[-1, 2.5]}", 0, 0) != own_seed("[-1, 2.5]}", 0, 1));
    assert_true(own_seed("[-1, 2.5]}", 0, 0) != own_seed("[-1, 2.5]}", 5, 0));
    assert_int_equal(own_seed("[-1, 2.5]}, seed: 7", 0, 0), 7);
    assert_int_equal(own_seed("[-1, 2.5]}, seed: 7", 0, 1), 7);
    assert_int_equal(own_seed("[-1, 2.5]}, seed: 3 if type == 'f64' else 4", 0, 1), 3);
}

/* ---- series ---- */

static void expect_series(const char *fill, const char *expected)
{
    struct fixture fixture;
    struct launch_plan plan;
    start_own(&fixture, LOAD_OWN("\"2 * i - sm_count\"", fill), 1, 64, 4);
    plan_or_fail(&fixture, &plan);
    assert_string_equal(plan.arguments[1].fill_text, expected);
    end(&fixture);
}

TEST(series_name_only_the_index)
{
    expect_series("i", "i");
    expect_series("\"i % sm_count + compute_capability\"", "i % 132 + 9.0");
    expect_series("\"1 if type == 'f64' else i\"", "1 if 'f64' == 'f64' else i");
    expect_series("\"max(i, sizeof(type)) if architecture != 'x' and (i < 3 or not i) else -i\"",
                  "max(i, sizeof('f64')) if 'sm_90' != 'x' and (i < 3 or not i) else -i");
    expect_series("\"max([i * k for k in range(sm_count)])\"", "max([i * k for k in range(132)])");
    expect_series("\"-(i)**2 + 0 * sm_count**2 + 0x10 - True\"",
                  "-(i)**2 + 0 * 132**2 + 0x10 - True");
}

/* A name `i` of the file means the index within a series. */
TEST(a_negative_value_keeps_its_meaning)
{
    struct fixture fixture;
    struct launch_plan plan;
    start_own(&fixture,
              LOAD_OWN("axes: {type: [f32, f64]}", "axes: {type: [f32], m: [-3], i: [5]}",
                       "\"2 * i - sm_count\"", "\"m**2 + i\""),
              0, 64, 4);
    plan_or_fail(&fixture, &plan);
    assert_string_equal(plan.arguments[1].fill_text, "(-3)**2 + i");
    end(&fixture);
}

/* ---- metrics, sizes, lists ---- */

TEST(metrics_of_any_name)
{
    struct fixture fixture;
    struct named_metric metrics[EXPERIMENT_METRICS_MAX];
    const struct metrics measured = {
        .time_ns = 500, .energy_j = NAN, .power_w = NAN, .bytes = 4000};
    size_t count = 0;
    struct figures figures;
    start_own(&fixture,
              LOAD_OWN("launches:\n", "metrics:\n  gflops: 1000 * loads / time_ns\n  bytes: 4000\n"
                                      "  gbs: bytes / time_ns\n  joules: energy_j\n"
                                      "  odd: 1 / (block - 64)\nlaunches:\n"),
              0, 64, 4);
    assert_int_equal(point_metrics(&fixture.point, &measured, metrics, &count, &fixture.error),
                     STATUS_OK);
    assert_int_equal(count, 4);
    assert_string_equal(metrics[0].name, "gflops");
    assert_true(metrics[0].value == 8);
    assert_string_equal(metrics[1].name, "gbs");
    assert_true(metrics[1].value == 8);
    assert_true(isnan(metrics[2].value)); /* not measured */
    assert_true(isnan(metrics[3].value)); /* a division by zero */
    assert_int_equal(point_figures(&fixture.point, &figures, &fixture.error), STATUS_OK);
    assert_true(figures.bytes == 4000);
    end(&fixture);
}

TEST(without_sizes_there_is_one)
{
    struct experiment *experiment = load_own(NULL);
    struct problem problem;
    assert_false(experiment_head(experiment)->has_size);
    assert_int_equal(experiment_problem_count(experiment), 2);
    experiment_problem(experiment, 1, &problem);
    assert_string_equal(problem.key, "own.f64");
    assert_int_equal(problem.n, 1);
    assert_string_equal(problem.size_name, "n");
    experiment_free(experiment);
    experiment = load_or_fail(base_text);
    assert_true(experiment_head(experiment)->has_size);
    experiment_free(experiment);
    /* The name is free for a parameter. */
    experiment = LOAD_OWN("  warp_size: [1, 2]\n", "  n: [1, 2]\n", "warp_size: 1}", "n: 1}");
    experiment_free(experiment);
}

/* A name `warp_size` of the file hides the device's fact. */
TEST(a_parameter_may_have_a_fact_s_name)
{
    struct fixture fixture;
    struct space *space = NULL;
    start_own(&fixture, LOAD_OWN("loads * block <= 256", "loads * block * warp_size <= 128"), 0, 64,
              4);
    assert_int_equal(
        space_create(fixture.experiment, &fixture.problem, &fixture.facts, &space, &fixture.error),
        STATUS_OK);
    assert_int_equal(space_count(space), 4);
    space_free(space);
    end(&fixture);
}

TEST(lists_may_be_expressions)
{
    struct fixture fixture;
    struct space *space = NULL;
    start_own(&fixture,
              LOAD_OWN("\"[2**i for i in range(3)]\"", "range(1, max_threads_per_block // 256)"), 0,
              64, 4);
    assert_int_equal(
        space_create(fixture.experiment, &fixture.problem, &fixture.facts, &space, &fixture.error),
        STATUS_OK);
    assert_int_equal(space_product_count(space), 12); /* loads: 1, 2, 3 */
    assert_int_equal(space_count(space), 10);
    space_free(space);
    end(&fixture);
    struct experiment *experiment = LOAD_OWN(
        "loads * block <= 256",
        "\"type in [t for t in ['f32', 'x']] and ['a', 'b'][loads % 2] == 'a' and loads in "
        "range(4)\"");
    experiment_free(experiment);
}

/* The second example of the documentation, with this test's files. */
TEST(documented_example_is_right)
{
    static const char image[(4096 + 16) * 4];
    static const char *const changes[][2] = {{"convolve.cu, border.cu", "k.cu, more.cu"},
                                             {"include: [include]", "include: [inc]"}};
    struct arena arena = {0};
    struct error error;
    char path[128];
    char *page = NULL;
    own_path("image.bin", path);
    assert_int_equal(file_write_atomically(path, image, sizeof image, &error), STATUS_OK);
    assert_int_equal(file_read(&arena, TEST_SOURCE_DIR "/docs/experiment-files.md", 1 << 20, &page,
                               NULL, &error),
                     STATUS_OK);
    char *start = strstr(page, "```yaml\nexperiment: convolve");
    assert_non_null(start);
    start += strlen("```yaml\n");
    *strstr(start, "```") = '\0';
    struct text text = {0};
    text_append(&text, start);
    for (size_t i = 0; i < 2; i++) {
        struct text changed = {0};
        replace(&changed, text_string(&text), changes[i][0], changes[i][1]);
        text_free(&text);
        text = changed;
    }
    struct fixture fixture = {.experiment = load_or_fail(text_string(&text))};
    struct output_check checks[CHECKS_MAX];
    struct launch_plan plan;
    add_gpu_facts(&fixture.facts);
    experiment_problem(fixture.experiment, 0, &fixture.problem);
    assert_int_equal(experiment_default(fixture.experiment, &fixture.problem, &fixture.facts,
                                        &fixture.configuration, &error),
                     STATUS_OK);
    fixture.point = (struct point){.experiment = fixture.experiment,
                                   .problem = &fixture.problem,
                                   .facts = &fixture.facts,
                                   .configuration = &fixture.configuration};
    plan_or_fail(&fixture, &plan);
    assert_int_equal(plan.launches[0].argument_count, 4); /* five, one of them copied */
    assert_int_equal(checks_or_fail(&fixture, checks), 2);
    end(&fixture);
    text_free(&text);
    arena_free(&arena);
    assert_int_equal(unlink(path), 0);
}

TEST_MAIN(make_own_folder, remove_own_folder)
