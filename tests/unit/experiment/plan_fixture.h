/* A configuration of the small experiment on a device. */
#ifndef TUNE_TESTS_PLAN_FIXTURE_H
#define TUNE_TESTS_PLAN_FIXTURE_H

#include "experiment_fixture.h"

struct fixture {
    struct experiment *experiment;
    struct facts facts;
    struct arena arena;
    struct problem problem;
    struct configuration configuration;
    struct point point;
    struct error error;
};

/* Starts the problem `index` with variant, block and per_sm. */
static inline void start_with(struct fixture *fixture, struct experiment *experiment, size_t index,
                              const char *variant, int64_t block, struct value per_sm)
{
    *fixture = (struct fixture){.experiment = experiment};
    add_gpu_facts(&fixture->facts);
    experiment_problem(experiment, index, &fixture->problem);
    fixture->configuration = (struct configuration){.count = 3,
                                                    .values = {{"variant", value_text(variant)},
                                                               {"block", value_integer(block)},
                                                               {"per_sm", per_sm}}};
    fixture->point = (struct point){.experiment = experiment,
                                    .problem = &fixture->problem,
                                    .facts = &fixture->facts,
                                    .configuration = &fixture->configuration};
}

static inline void end(struct fixture *fixture)
{
    experiment_free(fixture->experiment);
    facts_free(&fixture->facts);
    arena_free(&fixture->arena);
}

static inline void plan_or_fail(struct fixture *fixture, struct launch_plan *plan)
{
    if (point_plan(&fixture->point, &fixture->arena, plan, &fixture->error) != STATUS_OK)
        fail_msg("%s", fixture->error.text);
}

#endif
