/* All problems of all experiments on one group of devices that are alike. */
#include <math.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/session/internal.h"

static bool wants_size(const struct session_options *options, int64_t n)
{
    for (size_t i = 0; i < options->size_count; i++)
        if (options->sizes[i] == n)
            return true;
    return options->size_count == 0;
}

/* Counts the problems and points that are asked for, and thereby reads every space once: what is
 * wrong with an experiment is said before anything is measured. */
enum status group_count_work(struct group *group, struct error *error)
{
    struct session *session = group->session;
    for (size_t e = 0; e < session->experiment_count; e++) {
        const struct experiment *experiment = session->experiments[e];
        for (size_t i = 0; i < experiment_problem_count(experiment); i++) {
            struct problem problem;
            struct space *space = NULL;
            experiment_problem(experiment, i, &problem);
            if (!wants_size(session->options, problem.n))
                continue;
            enum status status = space_create(experiment, &problem, group->facts, &space, error);
            if (status != STATUS_OK)
                return status;
            session->progress.problem_count++;
            session->progress.points_total += space_count(space);
            space_free(space);
        }
    }
    return STATUS_OK;
}

static enum status store_this_problem(struct sweep *sweep, struct error *error)
{
    struct point point = sweep_point(sweep, &sweep->candidates[0], 0);
    enum status status = point_bytes(&point, &sweep->bytes_moved, error);
    if (status != STATUS_OK)
        return status;
    struct store_problem row = {
        .experiment_id = sweep->experiment_id,
        .key = sweep->problem.key,
        .axes = sweep->problem.axes,
        .axis_count = sweep->problem.axis_count,
        .n = sweep->problem.n,
        .bytes_moved = sweep->bytes_moved,
    };
    return store_problem(sweep->group->session->store, &row, &sweep->problem_id, error);
}

static enum status has_winner(const struct sweep *sweep, bool *has, struct error *error)
{
    const struct session *session = sweep->group->session;
    int64_t trial_id = 0;
    enum status status =
        store_winner_get(session->store, sweep->group->environment_id, sweep->problem_id,
                         session->options->l2_mode, &trial_id, error);
    *has = trial_id != 0;
    return status;
}

/* Chooses again when something was measured, or when nothing was ever chosen. */
static enum status choose(struct sweep *sweep, struct error *error)
{
    bool has = false;
    bool found = true;
    struct session *session = sweep->group->session;
    enum status status = has_winner(sweep, &has, error);
    if (status != STATUS_OK || (has && sweep->measured == 0))
        return status;
    status = sweep_choose(sweep, &found, error);
    if (status == STATUS_OK && !found) {
        session->summary->problems_without_winner++;
        session_note(session, "%s n=%lld: no configuration works; see 'tune show --failures'",
                     sweep->problem.key, (long long)sweep->problem.n);
    }
    return status;
}

static void forget_sweep(struct group *group, const struct sweep *sweep)
{
    for (size_t i = 0; i < group->lane_count; i++)
        if (group->lanes[i]->told == sweep)
            group->lanes[i]->told = NULL;
    group->best_key = "";
    group->problem_key = "";
}

static enum status run_problem(struct group *group, const struct experiment *experiment,
                               int64_t experiment_id, const struct problem *problem,
                               struct error *error)
{
    struct sweep sweep = {.group = group,
                          .experiment = experiment,
                          .experiment_id = experiment_id,
                          .problem = *problem};
    group->problem_key = sweep.problem.key;
    group->n = problem->n;
    group->best_ns = (double)NAN;
    enum status status = sweep_list(&sweep, error);
    if (status == STATUS_OK)
        status = store_this_problem(&sweep, error);
    if (status == STATUS_OK)
        status = sweep_problem(&sweep, error);
    if (status == STATUS_OK)
        status = choose(&sweep, error);
    group->session->summary->problems++;
    group->session->progress.problem_index++;
    forget_sweep(group, &sweep);
    sweep_free(&sweep);
    return status;
}

static enum status run_experiment(struct group *group, const struct experiment *experiment,
                                  struct error *error)
{
    int64_t experiment_id = 0;
    struct session *session = group->session;
    struct store_experiment row = {
        .name = experiment_name(experiment),
        .device_kind = experiment_device_kind(experiment),
        .content_hash = experiment_content_hash(experiment),
        .definition_hash = experiment_definition_hash(experiment),
        .path = experiment_path(experiment),
        .text = experiment_text(experiment),
    };
    enum status status = store_experiment(session->store, &row, &experiment_id, error);
    for (size_t i = 0; status == STATUS_OK && i < experiment_problem_count(experiment); i++) {
        struct problem problem;
        experiment_problem(experiment, i, &problem);
        if (wants_size(session->options, problem.n))
            status = run_problem(group, experiment, experiment_id, &problem, error);
    }
    return status;
}

void group_run(struct group *group)
{
    struct session *session = group->session;
    group->status = STATUS_OK;
    for (size_t i = 0; group->status == STATUS_OK && i < session->experiment_count; i++)
        group->status = run_experiment(group, session->experiments[i], &group->error);
}
