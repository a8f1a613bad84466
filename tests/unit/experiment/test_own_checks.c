/* Checks against other plans, series and files; the default configuration; contents of the
 * definition hash; errors of texts made from other files. */
#include "own_fixture.h"

/* ---- checks ---- */

TEST(nothing_said_checks_all_against_the_default)
{
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
        assert_int_equal(checks[i].plan->launches[1].grid[0], 132); /* one resident block per SM */
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

TEST(without_defaults_it_is_the_first_point)
{
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

TEST(defaults_are_the_baseline_where_none_is_named)
{
    struct fixture fixture;
    struct baseline baselines[EXPERIMENT_BASELINES_MAX];
    char key[CONFIGURATION_KEY_BYTES];
    size_t count = 0;
    start_own(&fixture, load_own(NULL), 0, 64, 4);
    assert_int_equal(experiment_baselines(fixture.experiment, &fixture.problem, &fixture.facts,
                                          baselines, &count, &fixture.error),
                     STATUS_OK);
    assert_int_equal(count, 1);
    assert_string_equal(baselines[0].name, "defaults");
    assert_true(configuration_key(&baselines[0].configuration, key));
    assert_string_equal(key, "block=128 loads=2 warp_size=1");
    end(&fixture);
    start_own(&fixture, LOAD_OWN("defaults: {block: 128, loads: 2, warp_size: 1}\n", ""), 0, 64, 4);
    assert_int_equal(experiment_baselines(fixture.experiment, &fixture.problem, &fixture.facts,
                                          baselines, &count, &fixture.error),
                     STATUS_OK);
    assert_int_equal(count, 0);
    end(&fixture);
}

/* Remembered texts outlive the space; another device has another first point. */
TEST(what_is_remembered_is_of_the_device)
{
    struct fixture fixture;
    struct configuration a;
    struct configuration b;
    struct facts other = {0};
    start_own(&fixture,
              LOAD_OWN("defaults: {block: 128, loads: 2, warp_size: 1}\n", "",
                       "  warp_size: [1, 2]\n", "  warp_size: [architecture]\n"),
              0, 64, 4);
    facts_add_text(&other, "architecture", "sm_100");
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
    start_own(&fixture,
              LOAD_OWN("defaults: {block: 128, loads: 2, warp_size: 1}\n", "",
                       "  warp_size: [1, 2]\n", "  warp_size: [sizeof(type)]\n"),
              0, 64, 4);
    for (size_t i = 0; i < 2; i++) { /* and another problem, too */
        experiment_problem(fixture.experiment, i, &fixture.problem);
        assert_int_equal(experiment_default(fixture.experiment, &fixture.problem, &fixture.facts,
                                            &a, &fixture.error),
                         STATUS_OK);
        assert_int_equal(a.values[2].value.integer, i == 0 ? 4 : 8);
    }
    end(&fixture);
}

TEST(defaults_must_be_a_point)
{
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
        expect_message(fixture.error.text, "t.yaml:10:11: the defaults");
        end(&fixture);
    }
}

static void start_checked(struct fixture *fixture, const char *check)
{
    char text[512];
    (void)snprintf(text, sizeof text, "  - {name: a, type: f64, value: 2}\ncheck:\n%s", check);
    start_own(fixture, LOAD_OWN("  - {name: a, type: f64, value: 2}\n", text), 0, 64, 4);
}

TEST(references_of_all_kinds)
{
    struct fixture fixture;
    struct output_check checks[CHECKS_MAX];
    char path[128];
    start_checked(&fixture, "  - {output: y, series: 2 * i + sm_count, relative: 1e-5, ulps: 4}\n"
                            "  - {output: z, file: expected.bin, absolute: 3}\n");
    assert_int_equal(checks_or_fail(&fixture, checks), 2);
    assert_int_equal(checks[0].fill, FILL_SERIES);
    assert_int_equal(checks[0].output, 4);
    assert_string_equal(checks[0].reference, "2 * i + 132");
    assert_true(checks[0].tolerance.relative == 1e-5);
    assert_int_equal(checks[0].tolerance.ulps, 4);
    assert_true(checks[0].tolerance.magnitude == 0 && checks[0].tolerance.absolute == 0 &&
                checks[0].tolerance.total == 0);
    own_path("expected.bin", path);
    assert_int_equal(checks[1].fill, FILL_FILE);
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

/* A check's configuration may have a value that the parameter's list lacks. */
TEST(other_configurations_may_have_other_values)
{
    struct fixture fixture;
    struct output_check checks[CHECKS_MAX];
    static const char *const check =
        "check: {output: y, configuration: {block: 64, loads: 1, warp_size: naive}}\nlaunches:\n";
    start_own(&fixture,
              LOAD_OWN("repeat: 3 * loads", "repeat: 1 if warp_size == 'naive' else 2",
                       "{LOADS: loads}", "{WARP: warp_size}", "launches:\n", check),
              0, 64, 4);
    assert_int_equal(checks_or_fail(&fixture, checks), 1);
    assert_int_equal(checks[0].plan->launches[1].repeat, 1);
    assert_string_equal(checks[0].binary.defines[0].value.text, "naive");
    end(&fixture);
}

/* Values of a series or a file are exact, unless a tolerance is given. */
TEST(series_and_files_are_exact)
{
    struct fixture fixture;
    struct output_check checks[CHECKS_MAX];
    start_checked(&fixture, "  - {output: y, series: 2 * i}\n"
                            "  - {output: z, file: expected.bin}\n");
    assert_int_equal(checks_or_fail(&fixture, checks), 2);
    assert_true(checks[0].tolerance.magnitude == 0 && checks[0].tolerance.ulps == 0);
    assert_true(checks[1].tolerance.magnitude == 0 && checks[1].tolerance.ulps == 0);
    end(&fixture);
}

TEST(other_launches_are_of_the_default_configuration)
{
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

TEST(outputs_of_other_lengths_are_not_compared)
{
    struct fixture fixture;
    struct output_check checks[CHECKS_MAX];
    size_t count = 0;
    start_own(&fixture, LOAD_OWN("count: 100, output", "count: loads, output"), 0, 64, 4);
    assert_int_equal(point_checks(&fixture.point, &fixture.arena, checks, &count, &fixture.error),
                     STATUS_BAD_INPUT);
    expect_message(fixture.error.text, "t.yaml:22:39: 'y' ... they");
    fixture.configuration.values[1].value = value_integer(2);
    assert_int_equal(checks_or_fail(&fixture, checks), 2);
    end(&fixture);
}

/* ---- hashes ---- */

static void definition_of(struct experiment *experiment, char out[HASH_TEXT_BYTES])
{
    (void)snprintf(out, HASH_TEXT_BYTES, "%s", experiment_head(experiment)->definition_hash);
    experiment_free(experiment);
}

TEST(the_definition_is_all_that_results_depend_on)
{
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
        {"std: c++20", "std: c++17", false}, /* part of the binary */
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

/* Files belong to the definition as much as texts in the experiment's own file. */
TEST(files_are_part_of_the_definition)
{
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
    assert_string_equal(before, after); /* no comparison with the default here */
}

/* ---- nodes made out of other files ---- */

static void expect_origin(const char *old, const char *new, const char *expected)
{
    static const char *const origins[] = {"General", NULL, "Space[0]", "Space[1]", "Kernel"};
    struct document document = {.text = NULL};
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
    assert_int_equal(
        document_read(&document, "some/t1.json", text_string(&text), text.length, &error),
        STATUS_OK);
    document.file->origins = origins;
    document.file->origin_count = sizeof origins / sizeof *origins;
    enum status status = experiment_load_document(&document, folder, false, &experiment, &error);
    if (status == STATUS_OK) { /* not in reading, but at a point */
        struct problem problem;
        struct facts facts = {0};
        struct space *space = NULL;
        experiment_problem(experiment, 0, &problem);
        status = space_create(experiment, &problem, &facts, &space, &error);
        space_free(space);
    }
    assert_true(status == STATUS_BAD_INPUT || status == STATUS_NOT_FOUND);
    char relative[ERROR_TEXT_BYTES];
    without_folder(error.text, relative);
    relative[strlen(relative) > strlen(expected) ? strlen(expected) : strlen(relative)] = '\0';
    assert_string_equal(relative, expected);
    experiment_free(experiment);
    text_free(&text);
}

TEST(errors_tell_what_a_node_was_made_of)
{
    expect_origin("k.cu", "gone.cu",
                  "some/t1.json: General: there is no file 'gone.cu' in FOLDER, nor in the folder "
                  "of this file");
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

TEST_MAIN(make_own_folder, remove_own_folder)
