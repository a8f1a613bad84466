/* What one's own kernel may need: sources, arguments of all sorts, checks against other plans,
 * series and files, metrics, defaults. */
#include <math.h>

#include "own_fixture.h"

/* ---- what is compiled ---- */

static void sources_folders_and_standard(void **state)
{
    (void)state;
    struct fixture fixture;
    struct binary_request request;
    char path[128];
    start_own(&fixture, LOAD_OWN("std: c++20\n", "std: c++20\nflags: [-lineinfo]\n"), 0, 64, 4);
    assert_int_equal(point_binary(&fixture.point, &fixture.arena, &request, &fixture.error),
                     STATUS_OK);
    own_path("k.cu", path);
    assert_string_equal(request.source_path, path);
    assert_string_equal(experiment_source(fixture.experiment), path);
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

static void symbols_may_be_name_expressions(void **state)
{
    (void)state;
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

static void arguments_of_all_sorts(void **state)
{
    (void)state;
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

/* Copied into a variable of the kernel's, it is not passed. */
static void symbols_are_not_passed(void **state)
{
    (void)state;
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

static uint64_t own_seed(const char *said, size_t argument, size_t problem)
{
    struct fixture fixture;
    struct launch_plan plan;
    start_own(&fixture, LOAD_OWN("[-1, 2.5]}", said), problem, 64, 4);
    plan_or_fail(&fixture, &plan);
    uint64_t seed = plan.arguments[argument].seed;
    end(&fixture);
    return seed;
}

static void a_seed_is_the_name_s_or_one_s_own(void **state)
{
    (void)state;
    assert_true(own_seed("[-1, 2.5]}", 0, 0) != own_seed("[-1, 2.5]}", 0, 1));
    assert_true(own_seed("[-1, 2.5]}", 0, 0) != own_seed("[-1, 2.5]}", 5, 0));
    assert_int_equal(own_seed("[-1, 2.5]}, seed: 7", 0, 0), 7);
    assert_int_equal(own_seed("[-1, 2.5]}, seed: 7", 0, 1), 7);
    assert_int_equal(own_seed("[-1, 2.5]}, seed: 3 if type == 'f64' else 4", 0, 1), 3);
}

/* ---- series ---- */

static void expect_series(const char *said, const char *expected)
{
    struct fixture fixture;
    struct launch_plan plan;
    start_own(&fixture, LOAD_OWN("\"2 * i - sm_count\"", said), 1, 64, 4);
    plan_or_fail(&fixture, &plan);
    assert_string_equal(plan.arguments[1].fill_text, expected);
    end(&fixture);
}

static void series_name_only_the_index(void **state)
{
    (void)state;
    expect_series("i", "i");
    expect_series("\"i % sm_count + compute_capability\"", "i % 132 + 9.0");
    expect_series("\"1 if type == 'f64' else i\"", "1 if 'f64' == 'f64' else i");
    expect_series("\"max(i, sizeof(type)) if architecture != 'x' and (i < 3 or not i) else -i\"",
                  "max(i, sizeof('f64')) if 'sm_90' != 'x' and (i < 3 or not i) else -i");
    expect_series("\"-(i)**2 + 0 * sm_count**2 + 0x10 - True\"",
                  "-(i)**2 + 0 * 132**2 + 0x10 - True");
}

/* What the file calls i is another thing within a series. */
static void a_negative_value_keeps_its_meaning(void **state)
{
    (void)state;
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

/* ---- checks ---- */

static void nothing_said_checks_all_against_the_default(void **state)
{
    (void)state;
    struct fixture fixture;
    struct output_check checks[CHECKS_MAX];
    start_own(&fixture, load_own(NULL), 1, 64, 4);
    assert_int_equal(checks_or_fail(&fixture, checks), 2);
    assert_int_equal(checks[0].output, 4);
    assert_int_equal(checks[1].output, 5);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(checks[i].kind, REFERENCE_PLAN);
        assert_int_equal(checks[i].binary.defines[0].value.integer, 2); /* LOADS of the default */
        assert_int_equal(checks[i].binary.kernel_count, 2);
        assert_int_equal(checks[i].binary.unit_count, 1);
        assert_string_equal(checks[i].binary.architecture, "sm_90");
        assert_int_equal(checks[i].plan->launches[1].block[0], 128);
        assert_int_equal(checks[i].plan->launches[1].repeat, 6);
        assert_int_equal(checks[i].plan->launches[1].grid[0], 132); /* one resident block an SM */
        assert_int_equal(checks[i].plan->argument_count, 8);
        assert_int_equal(checks[i].plan->arguments[6].fields[1].value.integer, 2);
    }
    assert_true(checks[0].tolerance.magnitude == 1e-9); /* f64 */
    assert_true(checks[1].tolerance.magnitude == 0);    /* i32: equal */
    end(&fixture);
    start_own(&fixture, load_own(NULL), 0, 64, 4);
    (void)checks_or_fail(&fixture, checks);
    assert_true(checks[0].tolerance.magnitude == 1e-4); /* f32 */
    end(&fixture);
    start_own(&fixture, LOAD_OWN("[f32, f64]", "[f16, bf16]"), 1, 64, 4);
    (void)checks_or_fail(&fixture, checks);
    assert_true(checks[0].tolerance.magnitude == 1e-2);
    end(&fixture);
}

static void without_defaults_it_is_the_first_point(void **state)
{
    (void)state;
    struct fixture fixture;
    struct configuration configuration;
    struct output_check checks[CHECKS_MAX];
    start_own(&fixture,
              LOAD_OWN("defaults: {block: 128, loads: 2, warp_size: 1}\n", "",
                       "loads * block <= 256", "loads * block == 256"),
              0, 64, 4);
    for (int i = 0; i < 2; i++) { /* found, and remembered */
        assert_int_equal(experiment_default(fixture.experiment, &fixture.problem, &fixture.facts,
                                            &configuration, &fixture.error),
                         STATUS_OK);
        assert_int_equal(configuration.count, 3);
        assert_string_equal(configuration.values[1].name, "loads");
        assert_int_equal(configuration.values[0].value.integer, 64);
        assert_int_equal(configuration.values[1].value.integer, 4);
    }
    (void)checks_or_fail(&fixture, checks);
    assert_int_equal(checks[0].binary.defines[0].value.integer, 4);
    end(&fixture);
}

/* Texts of what is remembered outlive the space; another device has another first point. */
static void what_is_remembered_is_of_the_device(void **state)
{
    (void)state;
    struct fixture fixture;
    struct configuration a;
    struct configuration b;
    struct facts other = {0};
    start_own(&fixture,
              LOAD_OWN("defaults: {block: 128, loads: 2, warp_size: 1}\n", "",
                       "  warp_size: [1, 2]\n", "  warp_size: [architecture]\n"),
              0, 64, 4);
    facts_add_text(&other, "architecture", "", "sm_100");
    assert_int_equal(experiment_default(fixture.experiment, &fixture.problem, &fixture.facts, &a,
                                        &fixture.error),
                     STATUS_OK);
    assert_int_equal(
        experiment_default(fixture.experiment, &fixture.problem, &other, &b, &fixture.error),
        STATUS_OK);
    facts_free(&other);
    assert_string_equal(a.values[2].value.text, "sm_90");
    assert_string_equal(b.values[2].value.text, "sm_100");
    end(&fixture);
}

static void defaults_must_be_a_point(void **state)
{
    (void)state;
    static const struct {
        const char *new;
    } rows[] = {{"{block: 128, loads: 4, warp_size: 1}"}, {"{block: 96, loads: 2, warp_size: 1}"}};
    for (size_t i = 0; i < 2; i++) {
        struct fixture fixture;
        struct configuration configuration;
        start_own(&fixture, LOAD_OWN("{block: 128, loads: 2, warp_size: 1}", rows[i].new), 0, 64,
                  4);
        assert_int_equal(experiment_default(fixture.experiment, &fixture.problem, &fixture.facts,
                                            &configuration, &fixture.error),
                         STATUS_BAD_INPUT);
        assert_string_equal(fixture.error.text,
                            "t.yaml:10:11: the defaults are no configuration of own.f32 with n = "
                            "1: a value is not among the parameter's, or a constraint rules them "
                            "out");
        end(&fixture);
    }
}

static void start_checked(struct fixture *fixture, const char *check)
{
    char text[512];
    (void)snprintf(text, sizeof text, "  - {name: a, type: f64, value: 2}\ncheck:\n%s", check);
    start_own(fixture, LOAD_OWN("  - {name: a, type: f64, value: 2}\n", text), 0, 64, 4);
}

static void references_of_all_kinds(void **state)
{
    (void)state;
    struct fixture fixture;
    struct output_check checks[CHECKS_MAX];
    char path[128];
    start_checked(&fixture, "  - {output: y, series: 2 * i + sm_count, relative: 1e-5, ulps: 4}\n"
                            "  - {output: z, file: expected.bin, absolute: 3}\n");
    assert_int_equal(checks_or_fail(&fixture, checks), 2);
    assert_int_equal(checks[0].kind, REFERENCE_SERIES);
    assert_int_equal(checks[0].output, 4);
    assert_string_equal(checks[0].reference, "2 * i + 132");
    assert_true(checks[0].tolerance.relative == 1e-5);
    assert_int_equal(checks[0].tolerance.ulps, 4);
    assert_true(checks[0].tolerance.magnitude == 0 && checks[0].tolerance.absolute == 0 &&
                checks[0].tolerance.total == 0);
    own_path("expected.bin", path);
    assert_int_equal(checks[1].kind, REFERENCE_FILE);
    assert_string_equal(checks[1].reference, path);
    assert_true(checks[1].tolerance.absolute == 3);
    end(&fixture);
    start_checked(&fixture,
                  "  - {output: y, reference: own_reference, source: r.c, total: 0.5}\n"
                  "  - {output: z, configuration: {block: 64, loads: 1, warp_size: 2}}\n");
    assert_int_equal(checks_or_fail(&fixture, checks), 2);
    assert_int_equal(checks[0].kind, REFERENCE_FUNCTION);
    assert_string_equal(checks[0].reference, "own_reference");
    assert_true(checks[0].tolerance.total == 0.5 && checks[0].tolerance.magnitude == 0);
    assert_int_equal(checks[0].binary.folder_count, 1);
    assert_int_equal(checks[1].kind, REFERENCE_PLAN);
    assert_int_equal(checks[1].binary.defines[0].value.integer, 1);
    assert_int_equal(checks[1].plan->launches[1].block[0], 64);
    end(&fixture);
}

static void other_launches_are_of_the_default_configuration(void **state)
{
    (void)state;
    struct fixture fixture;
    struct output_check checks[CHECKS_MAX];
    start_checked(&fixture, "  output: y\n  launches:\n"
                            "    - {kernel: simple, grid: 7, block: loads, arguments: [x, y]}\n"
                            "  absolute: 0\n");
    assert_int_equal(checks_or_fail(&fixture, checks), 1);
    assert_int_equal(checks[0].kind, REFERENCE_PLAN);
    assert_int_equal(checks[0].binary.kernel_count, 1);
    assert_string_equal(checks[0].binary.kernels[0], "simple");
    assert_int_equal(checks[0].plan->launch_count, 1);
    assert_string_equal(checks[0].plan->launches[0].kernel, "simple");
    assert_int_equal(checks[0].plan->launches[0].block[0], 2);
    assert_int_equal(checks[0].plan->launches[0].argument_count, 2);
    assert_true(checks[0].tolerance.magnitude == 0); /* a tolerance of 0 is one */
    end(&fixture);
}

static void outputs_of_other_lengths_are_not_compared(void **state)
{
    (void)state;
    struct fixture fixture;
    struct output_check checks[CHECKS_MAX];
    size_t count = 0;
    start_own(&fixture, LOAD_OWN("count: 100, output", "count: loads, output"), 0, 64, 4);
    assert_int_equal(point_checks(&fixture.point, &fixture.arena, checks, &count, &fixture.error),
                     STATUS_BAD_INPUT);
    assert_string_equal(fixture.error.text,
                        "t.yaml:22:39: 'y' has 4 elements here and 2 in the reference's "
                        "configuration: they cannot be compared");
    fixture.configuration.values[1].value = value_integer(2);
    assert_int_equal(checks_or_fail(&fixture, checks), 2);
    end(&fixture);
}

/* ---- metrics, sizes, lists ---- */

static void metrics_of_any_name(void **state)
{
    (void)state;
    struct fixture fixture;
    struct named_metric metrics[EXPERIMENT_METRICS_MAX];
    const struct metrics measured = {
        .time_ns = 500, .energy_j = NAN, .power_w = NAN, .bytes = 4000};
    size_t count = 0;
    double bytes = 0;
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
    assert_int_equal(point_bytes(&fixture.point, &bytes, &fixture.error), STATUS_OK);
    assert_true(bytes == 4000);
    end(&fixture);
}

static void without_sizes_there_is_one(void **state)
{
    (void)state;
    struct experiment *experiment = load_own(NULL);
    struct problem problem;
    assert_false(experiment_has_size(experiment));
    assert_int_equal(experiment_problem_count(experiment), 2);
    experiment_problem(experiment, 1, &problem);
    assert_string_equal(problem.key, "own.f64");
    assert_int_equal(problem.n, 1);
    assert_string_equal(problem.size_name, "n");
    experiment_free(experiment);
    experiment = load_or_fail(base_text);
    assert_true(experiment_has_size(experiment));
    experiment_free(experiment);
    /* The name is free for a parameter. */
    experiment = LOAD_OWN("  warp_size: [1, 2]\n", "  n: [1, 2]\n", "warp_size: 1}", "n: 1}");
    experiment_free(experiment);
}

static void lists_may_be_expressions(void **state)
{
    (void)state;
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

/* ---- hashes ---- */

static void definition_of(struct experiment *experiment, char out[HASH_TEXT_BYTES])
{
    (void)snprintf(out, HASH_TEXT_BYTES, "%s", experiment_definition_hash(experiment));
    experiment_free(experiment);
}

static void the_definition_is_all_that_results_depend_on(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new;
        bool is_part;
    } rows[] = {
        {"[-1, 2.5]", "[-1, 2.75]", true},
        {"[-1, 2.5]}", "[-1, 2.5]}, seed: 1", true},
        {"2 * i", "3 * i", true},
        {"symbol: c_filter", "symbol: c_other", true},
        {"value: 1.5}", "value: 1.25}", true},
        {"update: true", "update: false", true},
        {"repeat: 3", "repeat: 4", true},
        {"{block: 128, loads: 2,", "{block: 128, loads: 1,", true}, /* the reference's */
        {"block: [64, 128]", "block: [64, 128, 256]", false},
        {"range(3)", "range(4)", false},
        {"<= 256", "<= 512", false},
        {"launches:", "metrics: {gflops: 1 / time_ns}\nlaunches:", false},
        {"std: c++20", "std: c++17", false}, /* of the binary */
        {"[k.cu, more.cu]", "[k.cu]", false},
    };
    char before[HASH_TEXT_BYTES];
    definition_of(load_own(NULL), before);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char after[HASH_TEXT_BYTES];
        definition_of(LOAD_OWN(rows[i].old, rows[i].new), after);
        if ((strcmp(before, after) != 0) != rows[i].is_part)
            fail_msg("'%s' is %s part of the definition", rows[i].new,
                     rows[i].is_part ? "no" : "a");
    }
}

static const char *const checked_by_files =
    "  - {name: a, type: f64, value: 2}\ncheck:\n  - {output: z, file: expected.bin}\n"
    "  - {output: y, reference: r, source: r.c}\n";

static void checked_definition(char out[HASH_TEXT_BYTES])
{
    definition_of(LOAD_OWN("  - {name: a, type: f64, value: 2}\n", checked_by_files), out);
}

/* Files are as much a part of it as what is written in the experiment's own. */
static void files_are_part_of_the_definition(void **state)
{
    (void)state;
    static const char *const names[] = {"data.bin", "expected.bin", "inc/own.h", "r.c"};
    static const char other[OWN_BINARY_BYTES + 1] = "other";
    char path[128];
    char before[HASH_TEXT_BYTES];
    char after[HASH_TEXT_BYTES];
    struct error error;
    own_path("r.c", path);
    assert_int_equal(file_write_atomically(path, "#include <own.h>\n", 17, &error), STATUS_OK);
    checked_definition(before);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        own_path(names[i], path);
        assert_int_equal(file_write_atomically(path, other, OWN_BINARY_BYTES, &error), STATUS_OK);
        checked_definition(after);
        assert_string_not_equal(before, after);
        memcpy(before, after, sizeof before);
    }
    definition_of(LOAD_OWN("  - {name: a, type: f64, value: 2}\n", checked_by_files,
                           "{block: 128, loads: 2,", "{block: 128, loads: 1,"),
                  after);
    assert_string_equal(before, after); /* nothing is compared with the default here */
}

/* ---- texts made out of other files ---- */

static void expect_origin(const char *old, const char *new, const char *expected)
{
    static const char *const origins[] = {"General", NULL, "Space[0]", "Space[1]", "Kernel"};
    const struct experiment_text made = {
        .path = "some/t1.json", .text = NULL, .origins = origins, .line_count = 5};
    struct text text = {0};
    struct experiment *experiment = NULL;
    struct error error;
    replace(&text,
            "{experiment: t, source: k.cu,\n"
            "parameters: {a: [1, 2]},\n"
            "constraints: [a > 0,\n"
            "a < 3],\n"
            "launches: [{kernel: k, grid: a, block: 1}],\n"
            "arguments: [{name: y, type: i32, count: 1, output: true}]}\n",
            old, new);
    struct experiment_text given = made;
    given.text = text_string(&text);
    enum status status = experiment_load_text(&given, folder, &experiment, &error);
    if (status == STATUS_OK) { /* not in reading, but at a point */
        struct problem problem;
        struct facts facts = {0};
        struct space *space = NULL;
        experiment_problem(experiment, 0, &problem);
        status = space_create(experiment, &problem, &facts, &space, &error);
        space_free(space);
    }
    assert_int_equal(status, STATUS_BAD_INPUT);
    char told[ERROR_TEXT_BYTES];
    without_folder(error.text, told);
    told[strlen(told) > strlen(expected) ? strlen(expected) : strlen(told)] = '\0';
    assert_string_equal(told, expected);
    experiment_free(experiment);
}

static void errors_tell_what_a_line_was_made_of(void **state)
{
    (void)state;
    expect_origin("k.cu", "gone.cu",
                  "some/t1.json: General: there is no file 'gone.cu' in FOLDER, nor in the folder "
                  "of this file");
    expect_origin("[1, 2]", "[1, 2", "some/t1.json: not YAML");
    expect_origin("a < 3", "b < 3", "some/t1.json: Space[1]: name 'b' is not defined");
    expect_origin("a < 3", "1 // (a - 1) < 3", "some/t1.json: Space[1]: division by zero");
    expect_origin("a > 0", "a > 5",
                  "some/t1.json: Space[0]: the constraints leave no configuration for t with n = "
                  "1; this one ruled out most");
    expect_origin("block: 1", "blck: 1",
                  "some/t1.json: Kernel: a launch has no key 'blck'; did you mean 'block'?");
    expect_origin("[1, 2]", "'[1, 2'",
                  "some/t1.json: the expression ends where ',' or ']' is needed");
    expect_origin("count: 1", "count: -1", "some/t1.json: count is -1");
}

/* The second example of the documentation, with this test's files. */
static void documented_example_is_right(void **state)
{
    (void)state;
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
    assert_int_equal(plan.launches[0].argument_count, 4); /* of five: one is copied */
    assert_int_equal(checks_or_fail(&fixture, checks), 2);
    end(&fixture);
    text_free(&text);
    arena_free(&arena);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_folders_and_standard),
        cmocka_unit_test(symbols_may_be_name_expressions),
        cmocka_unit_test(arguments_of_all_sorts),
        cmocka_unit_test(symbols_are_not_passed),
        cmocka_unit_test(a_seed_is_the_name_s_or_one_s_own),
        cmocka_unit_test(series_name_only_the_index),
        cmocka_unit_test(a_negative_value_keeps_its_meaning),
        cmocka_unit_test(nothing_said_checks_all_against_the_default),
        cmocka_unit_test(without_defaults_it_is_the_first_point),
        cmocka_unit_test(what_is_remembered_is_of_the_device),
        cmocka_unit_test(defaults_must_be_a_point),
        cmocka_unit_test(references_of_all_kinds),
        cmocka_unit_test(other_launches_are_of_the_default_configuration),
        cmocka_unit_test(outputs_of_other_lengths_are_not_compared),
        cmocka_unit_test(metrics_of_any_name),
        cmocka_unit_test(without_sizes_there_is_one),
        cmocka_unit_test(lists_may_be_expressions),
        cmocka_unit_test(documented_example_is_right),
        cmocka_unit_test(the_definition_is_all_that_results_depend_on),
        cmocka_unit_test(errors_tell_what_a_line_was_made_of),
        cmocka_unit_test(files_are_part_of_the_definition),
    };
    return cmocka_run_group_tests(tests, make_own_folder, remove_own_folder);
}
