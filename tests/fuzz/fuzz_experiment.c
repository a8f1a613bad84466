/* Any bytes as an experiment file: refused with a place, or every request about it is answered. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/experiment/model.h"
#include "tuner/experiment/read.h"

enum { PRODUCT_MAX = 5000, PROBLEMS_TRIED = 3, POINTS_TRIED = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_facts(struct facts *facts)
{
    facts_add_text(facts, "architecture", "sm_90");
    facts_add_text(facts, "compute_capability", "9.0");
    for (size_t i = 0; i < fact_name_count; i++)
        if (!facts_find(facts, fact_names[i].name))
            facts_add_integer(facts, fact_names[i].name, (int64_t)i * 64 + 2);
}

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Checks that a refusal has a reason, in one line. */
static bool refused(enum status status, const struct error *error)
{
    require(status == STATUS_OK || (status == error->status && error->text[0] != '\0'));
    return status != STATUS_OK;
}

static void ask_point(const struct point *point)
{
    struct arena arena = {0};
    struct error error = {0};
    struct binary_request binary;
    struct launch kernels[LAUNCHES_MAX];
    struct launch_plan plan;
    struct named_value derived[EXPERIMENT_DERIVED_MAX];
    struct output_check checks[CHECKS_MAX];
    size_t check_count = 0;
    char key[CONFIGURATION_KEY_BYTES];
    size_t count = 0;
    struct figures figures;
    require(configuration_key(point->configuration, key));
    (void)refused(point_binary(point, &arena, &binary, &error), &error);
    (void)refused(point_kernels(point, &arena, kernels, &count, &error), &error);
    if (!refused(point_plan(point, &arena, &plan, &error), &error))
        require(plan.launch_count > 0 && plan.launches[0].grid[0] > 0);
    (void)refused(point_derived(point, &arena, derived, &count, &error), &error);
    if (!refused(point_checks(point, &arena, checks, &check_count, &error), &error))
        require(check_count > 0);
    (void)refused(point_figures(point, &figures, &error), &error);
    arena_free(&arena);
}

/* Checks that a configuration of the space is admitted, and one without its last value is not. */
static void ask_admission(const struct point *point)
{
    struct configuration fewer = *point->configuration;
    struct error error = {0};
    bool admits = false;
    require(space_admits(point->experiment, point->problem, point->facts, point->configuration,
                         &admits, &error) == STATUS_OK);
    require(admits);
    fewer.count--;
    require(space_admits(point->experiment, point->problem, point->facts, &fewer, &admits,
                         &error) == STATUS_OK);
    require(!admits);
}

/* Checks that a point is found again by its configuration and by its values. */
static void ask_number(const struct space *space, uint64_t point,
                       const struct configuration *configuration)
{
    uint16_t values[EXPERIMENT_PARAMETERS_MAX];
    uint64_t found = 0;
    require(space_find(space, configuration, &found) && found == point);
    space_values(space, point, values);
    require(space_at(space, values, &found) && found == point);
}

static void ask_objective(const struct point *point, const char *text)
{
    const struct kernel_resources resources = {.registers = 32, .occupancy = 0.5};
    struct metrics metrics = {.time_ns = 1000, .energy_j = 2, .power_w = NAN, .bytes = 64};
    struct launch_plan plan;
    struct arena arena = {0};
    struct objective *objective = NULL;
    struct error error = {0};
    double value = 0;
    metrics.resources = &resources;
    if (!refused(point_plan(point, &arena, &plan, &error), &error))
        metrics.plan = &plan;
    if (!refused(objective_create(point->experiment, text, &objective, &error), &error)) {
        require(objective_text(objective)[0] != '\0');
        if (!refused(objective_value(objective, point, &metrics, &value, &error), &error))
            require(value > 0);
    }
    objective_free(objective);
    arena_free(&arena);
}

static void ask_objectives(const struct point *point)
{
    const struct experiment *experiment = point->experiment;
    for (size_t i = 0; i < experiment->objective_count; i++) {
        ask_objective(point, experiment->objectives[i].name);
        ask_objective(point, experiment->objectives[i].formula.text);
    }
}

static bool is_small(const struct experiment *experiment)
{
    size_t product = 1;
    for (size_t i = 0; i < experiment->head.parameter_count && product <= PRODUCT_MAX; i++)
        product *=
            experiment->parameters[i].list.tree ? PRODUCT_MAX : experiment->parameters[i].count;
    return product <= PRODUCT_MAX;
}

static void ask_problem(const struct experiment *experiment, const struct problem *problem,
                        const struct facts *facts)
{
    struct baseline baselines[EXPERIMENT_BASELINES_MAX];
    struct space *space = NULL;
    struct error error = {0};
    size_t count = 0;
    if (!refused(experiment_baselines(experiment, problem, facts, baselines, &count, &error),
                 &error))
        for (size_t i = 0; i < count; i++)
            ask_point(&(struct point){experiment, problem, facts, &baselines[i].configuration, 2});
    if (!is_small(experiment) ||
        refused(space_create(experiment, problem, facts, &space, &error), &error))
        return;
    for (size_t i = 0; i < space_count(space) && i < POINTS_TRIED; i++) {
        struct configuration configuration;
        space_configuration(space, i, &configuration);
        ask_number(space, i, &configuration);
        const struct point point = {experiment, problem, facts, &configuration, (int64_t)i};
        ask_point(&point);
        ask_admission(&point);
        ask_objectives(&point);
    }
    space_free(space);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct experiment *experiment = NULL;
    struct error error = {0};
    char *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    enum status status =
        experiment_load_text("f.yaml", text, size, TEST_SOURCE_DIR, &experiment, &error);
    free(text);
    if (status != STATUS_OK) {
        require(strncmp(error.text, "f.yaml:", 7) == 0);
        return 0;
    }
    struct facts facts = {0};
    bool *wanted = calloc(experiment_problem_count(experiment), sizeof *wanted);
    require(wanted != NULL);
    (void)experiment_select_usual(experiment, wanted, &error); /* its expression may fail */
    add_facts(&facts);
    for (size_t i = 0; i < experiment_problem_count(experiment) && i < PROBLEMS_TRIED; i++) {
        struct problem problem;
        experiment_problem(experiment, i, &problem);
        wanted[i] = false;
        require(experiment_select(experiment, problem.key, wanted, &error) == STATUS_OK);
        require(wanted[i]);
        ask_problem(experiment, &problem, &facts);
    }
    facts_free(&facts);
    free(wanted);
    experiment_free(experiment);
    return 0;
}
