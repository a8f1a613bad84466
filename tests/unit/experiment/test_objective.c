/* Objectives: names, formulas, their variables, and their values. */
#include "experiment_fixture.h"

#include <math.h>

static const char *const with_objectives = "metrics:\n"
                                           "  bytes: 2 * n * sizeof(type)\n"
                                           "objectives:\n"
                                           "  frugal: time_ns * registers\n"
                                           "  green: energy_j if type == 'f32' else power_w\n";

static struct experiment *load_objectives(void)
{
    return load_changed("metrics:\n  bytes: 2 * n * sizeof(type)\n", with_objectives);
}

static struct objective *objective_or_fail(const struct experiment *experiment, const char *text)
{
    struct objective *objective = NULL;
    struct error error;
    if (objective_create(experiment, text, &objective, &error) != STATUS_OK)
        fail_msg("%s: %s", text, error.text);
    return objective;
}

static void expect_text(const struct experiment *experiment, const char *text, const char *stored,
                        bool needs_energy)
{
    struct objective *objective = objective_or_fail(experiment, text);
    assert_string_equal(objective_text(objective), stored);
    assert_int_equal(objective_needs_energy(objective), needs_energy);
    objective_free(objective);
}

TEST(names_and_formulas_have_one_text)
{
    struct experiment *experiment = load_objectives();
    expect_text(experiment, "time", "time", false);
    expect_text(experiment, "energy", "energy", true);
    expect_text(experiment, "edp", "edp", true);
    expect_text(experiment, "frugal", "frugal", false);
    expect_text(experiment, "green", "green", true);
    expect_text(experiment, "time_ns*2", "time_ns * 2", false);
    expect_text(experiment, "  time_ns  *\t2 ", "time_ns * 2", false);
    expect_text(experiment, "power_w*time_ns**2", "power_w * time_ns ** 2", true);
    expect_text(experiment, "max( time_ns ,-1 )", "max(time_ns, -1)", false);
    expect_text(experiment, "- ( - time_ns )+ - -block", "-(-time_ns) + --block", false);
    expect_text(experiment, "time_ns if variant=='plain'or block in[128 , 256]else 2*time_ns",
                "time_ns if variant == 'plain' or block in [128, 256] else 2 * time_ns", false);
    experiment_free(experiment);
}

/* A stored text is read back unchanged. */
TEST(stored_texts_are_read_again)
{
    static const char *const texts[] = {"time_ns*-2 if not(block>1)else(time_ns)", "-time_ns** -2",
                                        "energy_j*(1 if n>1 else 0.5)"};
    struct experiment *experiment = load_objectives();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct objective *first = objective_or_fail(experiment, texts[i]);
        struct objective *second = objective_or_fail(experiment, objective_text(first));
        assert_string_equal(objective_text(first), objective_text(second));
        objective_free(first);
        objective_free(second);
    }
    experiment_free(experiment);
}

struct measured {
    struct facts facts;
    struct problem problem;
    struct configuration configuration;
    struct launch_plan plan;
    struct kernel_resources resources;
    struct metrics metrics;
    struct point point;
    struct arena arena;
};

/* Fills in measurements of scale.f32 with n = 2^20, staged, 256 threads. */
static void measure(struct measured *out, const struct experiment *experiment)
{
    struct error error;
    *out = (struct measured){
        .configuration = {.count = 3,
                          .values = {{"variant", value_text("staged")},
                                     {"block", value_integer(256)},
                                     {"per_sm", value_integer(2)}}},
        .resources = {.registers = 40, .static_shared_bytes = 16, .occupancy = 0.5},
    };
    add_gpu_facts(&out->facts);
    experiment_problem(experiment, 4, &out->problem);
    out->point = (struct point){experiment, &out->problem, &out->facts, &out->configuration, 0};
    assert_int_equal(point_plan(&out->point, &out->arena, &out->plan, &error), STATUS_OK);
    out->metrics = (struct metrics){.time_ns = 2000,
                                    .energy_j = 0.5,
                                    .power_w = 300,
                                    .bytes = 8 << 20,
                                    .plan = &out->plan,
                                    .resources = &out->resources};
}

static void forget(struct measured *measured)
{
    arena_free(&measured->arena);
    facts_free(&measured->facts);
}

static double value_or_fail(const struct measured *measured, const char *text)
{
    struct objective *objective = objective_or_fail(measured->point.experiment, text);
    struct error error;
    double value = NAN;
    if (objective_value(objective, &measured->point, &measured->metrics, &value, &error) !=
        STATUS_OK)
        fail_msg("%s: %s", text, error.text);
    objective_free(objective);
    return value;
}

TEST(values)
{
    static const struct {
        const char *text;
        double value;
    } expected[] = {
        {"time", 2000},
        {"energy", 0.5},
        {"edp", 0.5 * 2000e-9},
        {"frugal", 2000 * 40},
        {"green", 0.5},
        {"time_ns + power_w", 2300},
        {"time_ns / bytes", 2000.0 / (8 << 20)},
        {"time_ns * launches", 4000},
        {"time_ns + registers", 2040},
        {"time_ns + shared_bytes", 2000 + 16 + 256 * 4},
        {"time_ns * occupancy", 1000},
        {"time_ns + threads", 2256},
        {"time_ns + n", 2000 + (1 << 20)},
        {"time_ns * sizeof(type)", 8000},
        {"time_ns * block if variant == 'staged' else time_ns", 2000 * 256},
    };
    struct experiment *experiment = load_objectives();
    struct measured measured;
    measure(&measured, experiment);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(fabs(value_or_fail(&measured, expected[i].text) / expected[i].value - 1) <
                    1e-12);
    forget(&measured);
    experiment_free(experiment);
}

static void expect_no_value(const struct measured *measured, const char *text, enum status status,
                            const char *what)
{
    struct objective *objective = objective_or_fail(measured->point.experiment, text);
    struct error error = {0};
    double value = 7;
    assert_int_equal(
        objective_value(objective, &measured->point, &measured->metrics, &value, &error), status);
    expect_message(error.text, what);
    assert_true(value == 7);
    objective_free(objective);
}

TEST(what_is_unknown_or_not_positive_is_refused)
{
    struct experiment *experiment = load_objectives();
    struct measured measured;
    measure(&measured, experiment);
    measured.metrics.energy_j = NAN;
    measured.metrics.bytes = 0;
    measured.resources.registers = -1;
    expect_no_value(&measured, "energy", STATUS_BAD_INPUT, "'energy' ... positive");
    expect_no_value(&measured, "edp", STATUS_BAD_INPUT, "'edp' ... positive");
    expect_no_value(&measured, "green", STATUS_UNAVAILABLE, "t.yaml:48:10: 'energy_j' ... stage");
    expect_no_value(&measured, "frugal", STATUS_UNAVAILABLE, "t.yaml:47:21: 'registers' ... stage");
    expect_no_value(&measured, "time_ns / bytes", STATUS_UNAVAILABLE,
                    "objective:1:11: 'bytes' ... stage");
    expect_no_value(&measured, "time_ns - 2000", STATUS_BAD_INPUT, "'time_ns - 2000' ... positive");
    expect_no_value(&measured, "2000 - time_ns*2", STATUS_BAD_INPUT,
                    "'2000 - time_ns * 2' ... positive");
    expect_no_value(&measured, "time_ns / (block - 256)", STATUS_BAD_INPUT,
                    "objective:1:9: division by zero");
    expect_no_value(&measured, "variant if time_ns > 1 else 1", STATUS_BAD_INPUT,
                    "objective:1:1: gives ... 'staged'");
    measured.metrics.resources = NULL;
    expect_no_value(&measured, "time_ns * occupancy", STATUS_UNAVAILABLE,
                    "objective:1:11: 'occupancy' ... stage");
    forget(&measured);
    experiment_free(experiment);
}

/* Where a metric and a parameter have the same name, the experiment's goes first. */
TEST(names_of_the_experiment_go_first)
{
    static const char *const text = "experiment: c\ndevice: cpu\nsource: k.cu\nsizes: {n: [100]}\n"
                                    "parameters: {registers: [3], share: [2]}\n"
                                    "launches: [{kernel: k, grid: 7, threads: share}]\n"
                                    "arguments: [{name: out, type: i32, count: 1, output: true}]\n"
                                    "check: {reference: r, source: r.c, output: out}\n";
    struct experiment *experiment = load_or_fail(text);
    struct configuration configuration = {
        .count = 2, .values = {{"registers", value_integer(3)}, {"share", value_integer(2)}}};
    struct kernel_resources resources = {.registers = 1000};
    struct launch_plan plan = {.launch_count = 1, .launches = {{.block = {1, 1, 1}, .threads = 2}}};
    struct measured measured = {.configuration = configuration, .resources = resources};
    measured.metrics = (struct metrics){.time_ns = 10, .plan = &plan, .resources = &resources};
    experiment_problem(experiment, 0, &measured.problem);
    measured.point =
        (struct point){experiment, &measured.problem, NULL, &measured.configuration, 0};
    assert_true(value_or_fail(&measured, "time_ns * registers") == 30);
    assert_true(value_or_fail(&measured, "time_ns * threads") == 20);
    experiment_free(experiment);
}

TEST(wrong_objectives_are_a_usage_error)
{
    static const struct {
        const char *text, *error;
    } mistakes[] = {
        {"", "formula"},
        {"  ", "formula"},
        {"tmie", "'tmie' ... did you mean 'time'"},
        {"frugl", "'frugl' ... did you mean 'frugal'"},
        {"time_n", "'time_n' ... did you mean 'time_ns'"},
        {"whatever", "objective ... 'whatever'"},
        {"time_ns * blok", "objective:1:11: 'blok' ... did you mean 'block'"},
        {"time_ns * resident", "objective:1:11: 'resident' ... defined"},
        {"time_ns *", "objective:1:10: ends where"},
        {"time_ns * variant", "objective:1:11: needed"},
        {"time_ns if variant == 'plian' else 1",
         "objective:1:23: 'variant' ... did you mean 'plain'"},
        {"'a' if time_ns > 1 else 'b'", "objective:1:5: needed"},
        {"registers", "objective:1:1: measured"},
    };
    struct experiment *experiment = load_objectives();
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct objective *objective = NULL;
        struct error error = {0};
        assert_int_equal(objective_create(experiment, mistakes[i].text, &objective, &error),
                         STATUS_USAGE);
        assert_int_equal(error.status, STATUS_USAGE);
        expect_message(error.text, mistakes[i].error);
        assert_null(objective);
    }
    experiment_free(experiment);
}

TEST(mistakes_in_the_file_have_their_place)
{
    static const struct {
        const char *section, *error;
    } mistakes[] = {
        {"objectives: [time_ns]\n", "t.yaml:46:13: objectives must"},
        {"objectives:\n  edp: time_ns\n", "t.yaml:47:3: 'edp' ... already"},
        {"objectives:\n  block: time_ns\n", "t.yaml:47:3: 'block' ... axis"},
        {"objectives:\n  power_w: time_ns\n", "t.yaml:47:3: 'power_w' ... objectives"},
        {"objectives:\n  2x: time_ns\n", "t.yaml:47:3: '2x' ... letters"},
        {"objectives:\n  x: time_n * 2\n", "t.yaml:47:6: 'time_n' ... did you mean 'time_ns'"},
        {"objectives:\n  x: time_ns * variant\n", "t.yaml:47:16: needed"},
        {"objectives:\n  x: block * 2\n", "t.yaml:47:6: measured"},
        {"objectves:\n  x: time_ns\n", "t.yaml:46:1: 'objectves' ... did you mean 'objectives'"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct text section = {0};
        struct text text = {0};
        struct experiment *experiment = NULL;
        struct error error = {0};
        text_printf(&section, "%sbaselines:\n", mistakes[i].section);
        replace(&text, base_text, "baselines:\n", text_string(&section));
        assert_int_equal(load_text(text_string(&text), &experiment, &error), STATUS_BAD_INPUT);
        expect_message(error.text, mistakes[i].error);
        text_free(&section);
        text_free(&text);
    }
}

/* Constraints and other expressions do not see measurements, before or after the objectives. */
TEST(metrics_belong_to_objectives)
{
    struct text text = {0};
    struct experiment *experiment = NULL;
    struct error error = {0};
    replace(&text, base_text, "block >= 256", "time_ns >= 256");
    assert_int_equal(load_text(text_string(&text), &experiment, &error), STATUS_BAD_INPUT);
    expect_message(error.text, "t.yaml:14:27: 'time_ns' ... defined");
    text_clear(&text);
    replace(&text, base_text, "baselines:\n",
            "objectives: {x: time_ns * 3}\nbaselines:\n  - {name: a, set: {variant: plain, block: "
            "registers * 2, per_sm: 1}}\n");
    assert_int_equal(load_text(text_string(&text), &experiment, &error), STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "name 'registers' is not defined"));
    text_free(&text);
}

TEST(objectives_change_no_meaning)
{
    struct experiment *without = load_or_fail(base_text);
    struct experiment *with = load_objectives();
    assert_string_equal(experiment_head(without)->definition_hash,
                        experiment_head(with)->definition_hash);
    assert_string_not_equal(experiment_head(without)->content_hash,
                            experiment_head(with)->content_hash);
    experiment_free(without);
    experiment_free(with);
}

TEST_MAIN(make_folder, remove_folder)
