#include "tuner/session/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/base/version.h"
#include "tuner/device/traits.h"
#include "tuner/session/run.h"
#include "tuner/store/measured.h"
#include "tuner/worker/sources.h"

enum status lane_begin(struct lane *lane, struct error *error)
{
    struct session *session = lane->site->session;
    struct store_environment environment = {.facts = &worker_head(lane->worker)->facts,
                                            .tool_version = TUNE_VERSION,
                                            .host = worker_head(lane->worker)->machine.name};
    int64_t others = 0;
    TRY(store_environment(session->store, &environment, &lane->environment_id, error));
    TRY(store_other_trials(session->store, lane->environment_id, &others, error));
    if (others > 0)
        session_note(session,
                     "%s: %s of another driver, compiler, host or version of tune %s kept, but not "
                     "used for this one",
                     lane->name, count_text((uint64_t)others, "trial").text,
                     others == 1 ? "is" : "are");
    TRY(session_know_ceilings(session, lane, error));
    struct calibration calibration = worker_head(lane->worker)->calibration;
    struct store_run_start run = {
        .environment_id = lane->environment_id,
        .seed = session->options->seed,
        .l2_mode = session->options->l2_mode,
        .tick_ns = calibration.tick_ns,
        .empty_pair_ns = calibration.empty_pair_ns,
        .node_gap_ns = calibration.node_gap_ns,
        .effort = effort_name(session->options->effort),
        .budget_ns = session->options->budget_ns,
        .objective = text_string(&session->objective_text),
        .protocol = text_string(&session->protocol_text),
        .worker_cpus = lane->pinned ? lane->place.cpus : NULL,
        .near = lane->place.near[0] ? lane->place.near : NULL,
        .command = session->options->command,
    };
    if (lane->group->environment_id == 0)
        lane->group->environment_id = lane->environment_id;
    enum status status = store_run_start(session->store, &run, &lane->run_id, error);
    if (session->summary->run_id == 0) {
        session->summary->run_id = lane->run_id;
        session->summary->environment_id = lane->environment_id;
    }
    return status;
}

enum status session_no_such_size(const struct session_experiment *experiments, size_t count,
                                 struct error *error)
{
    struct text sizes = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < experiment_problem_count(experiments[i].experiment); j++) {
            struct problem problem;
            char size[VALUE_TEXT_BYTES];
            experiment_problem(experiments[i].experiment, j, &problem);
            if (problem.shape)
                (void)string_format(size, sizeof size, "%s", problem.shape);
            else
                (void)string_format(size, sizeof size, "%lld", (long long)problem.n);
            if (!experiments[i].wanted || experiments[i].wanted[j])
                text_append_others(&sizes, size, text_string(&sizes));
        }
    (void)error_set(error, STATUS_NOT_FOUND, "no problem has that size; there are: %.300s",
                    text_string(&sizes));
    text_free(&sizes);
    return error->status;
}

static enum status session_start(struct session *session, struct error *error)
{
    const struct session_options *options = session->options;
    for (size_t i = 0; i < session->experiment_count; i++) {
        const struct experiment *experiment = session->experiments[i].experiment;
        const char *kind = experiment_head(experiment)->device->section;
        struct objective *objective = NULL;
        if (strcmp(kind, device_traits(options->device_kind)->section) != 0)
            return error_set(error, STATUS_BAD_INPUT, "%s: is for %s devices, not for %s",
                             experiment_head(experiment)->path, kind, options->device_kind);
        TRY(objective_create(experiment, options->objective, &objective, error));
        if (i == 0)
            text_append(&session->objective_text, objective_text(objective));
        session->needs_energy |= objective_needs_energy(objective);
        objective_free(objective);
    }
    TRY(session_read_environment(session, error));
    TRY(lanes_start(session, error));
    if (session->needs_energy) {
        for (size_t i = 0; i < session->lane_count; i++) {
            const struct lane *lane = &session->lanes[i];
            if (lane->lost)
                continue;
            const struct fact *counter =
                facts_find(&worker_head(lane->worker)->facts, "energy_counter");
            if (!counter || counter->value.integer == 0)
                return error_set(
                    error, STATUS_UNAVAILABLE,
                    "%s has no energy counter that this user may read, which '%s' needs; "
                    "it would be %s",
                    lane->name, text_string(&session->objective_text),
                    device_traits(session->options->device_kind)->energy_source);
        }
    }
    for (size_t i = 0; i < session->group_count; i++)
        TRY(group_count_work(&session->groups[i], error));
    if (session->progress.problem_count == 0)
        return session_no_such_size(session->experiments, session->experiment_count, error);
    for (size_t i = 0; i < session->lane_count; i++)
        if (!session->lanes[i].lost && !session->lanes[i].site->is_late)
            TRY(lane_begin(&session->lanes[i], error));
    return STATUS_OK;
}

static void *run_group(void *context)
{
    struct group *group = context;
    (void)pthread_mutex_lock(&group->session->mutex);
    group_run(group);
    (void)pthread_mutex_unlock(&group->session->mutex);
    return NULL;
}

enum status group_begin(struct group *group, struct error *error)
{
    group->has_thread = pthread_create(&group->thread, NULL, run_group, group) == 0;
    return group->has_thread ? STATUS_OK
                             : error_set(error, STATUS_UNAVAILABLE, "no more threads can be had");
}

/* Returns whether the host that brought the group's first device came late: only that host begins
 * the group. */
static bool is_late(const struct group *group)
{
    return group->lanes[0]->site->is_late;
}

/* Returns whether some host has not come yet, and may. */
static bool sites_awaited(const struct session *session)
{
    for (size_t i = 0; i < session->site_count; i++)
        if (!session->sites[i].settled)
            return true;
    return false;
}

/* Runs the groups, which take turns with the mutex held. Others may join while a host that has not
 * arrived yet is awaited. */
static enum status run_groups(struct session *session, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 1; i < session->group_count; i++)
        if (!is_late(&session->groups[i]))
            (void)group_begin(&session->groups[i], error);
    group_run(&session->groups[0]);
    for (size_t i = 1; i < session->group_count || sites_awaited(session);) {
        if (i == session->group_count) {
            if (session_stopped(session) || budget_ended(session, STAGE_START))
                break;
            session_pause(session);
            continue;
        }
        struct group *group = &session->groups[i];
        if (is_late(group) && !group->has_thread && group_lane(group)) {
            session_pause(session);
            continue;
        }
        i++;
        if (group->has_thread) {
            (void)pthread_mutex_unlock(&session->mutex);
            (void)pthread_join(group->thread, NULL);
            (void)pthread_mutex_lock(&session->mutex);
        } else if (group->lane_count > 0 && group_lane(group)) {
            group_run(group);
        }
    }
    session->ending = true;
    for (size_t i = 0; i < session->group_count; i++) {
        struct group *group = &session->groups[i];
        if (group->status == STATUS_OK)
            group->status = session_recheck_ceilings(session, group, &group->error);
        if (group->status == STATUS_NO_TIME) /* running work was given up, and the rest holds */
            group->status = STATUS_OK;
        if (group->status != STATUS_OK && status == STATUS_OK) {
            *error = group->error;
            status = group->status;
            const bool is_one_of_many =
                session->options->host_count > 0 && session->group_count > 1;
            if (is_one_of_many && group->lane_count > 0)
                (void)error_prefix(error, "%s", group->lanes[0]->site->name);
        }
    }
    return status;
}

/* Stores the results of all lanes' runs, failed ones included. */
static enum status end_runs(struct session *session, enum status status, struct error *error)
{
    struct session_summary *summary = session->summary;
    enum status first = STATUS_OK;
    const char *outcome = status == STATUS_OK            ? "complete"
                          : status == STATUS_INTERRUPTED ? "interrupted"
                                                         : "failed";
    for (size_t i = 0; i < session->group_count; i++) {
        const struct group *group = &session->groups[i];
        summary->binaries_compiled += group->binaries.compiled;
        summary->binaries_cached += group->binaries.cached;
        for (size_t j = 0; j < SESSION_STAGES; j++)
            summary->stage_ns[j] += stage_ns(group, (enum session_stage)j);
        for (size_t j = 0; j < group->lane_count; j++) {
            const struct lane *lane = group->lanes[j];
            struct store_run_end end = {
                .outcome = lane->lost ? "failed" : outcome,
                .wall_ns = summary->wall_ns,
                .measuring_ns = lane->measuring_ns,
                .compile_wait_ns = lane->compile_wait_ns,
                .binaries_compiled = j == 0 ? (int64_t)group->binaries.compiled : 0,
                .binaries_cached = j == 0 ? (int64_t)group->binaries.cached : 0,
            };
            struct error ending = {0};
            summary->measuring_ns += lane->measuring_ns;
            summary->compile_wait_ns += lane->compile_wait_ns;
            summary->devices++;
            if (lane->run_id != 0)
                first =
                    first_failure(first, store_run_end(session->store, lane->run_id, &end, &ending),
                                  &ending, error);
        }
    }
    sites_report(session, true);
    return first;
}

static void note_wait(void *context, const char *line)
{
    session_note(context, "%s", line);
}

enum status session_run(struct store *store, const struct session_options *options,
                        const struct session_experiment *experiments, size_t experiment_count,
                        const struct session_events *events, struct session_summary *summary,
                        struct error *error)
{
    struct session *session = calloc(1, sizeof *session);
    int64_t started_ns = clock_now_ns();
    *summary = (struct session_summary){.floor_worst = (double)NAN};
    if (!session)
        return error_no_memory(error);
    session->started_ns = clock_budget_ns();
    protocol_format(&options->protocol, &session->protocol_text);
    session->store = store;
    session->options = options;
    session->events = events;
    session->summary = summary;
    session->experiments = experiments;
    session->experiment_count = experiment_count;
    (void)pthread_mutex_init(&session->mutex, NULL);
    (void)pthread_mutex_lock(&session->mutex);
    const struct store_patience patience = {
        .note = note_wait, .context = session, .stop = options->stop};
    enum status status = store_wait_for_writers(store, &patience, error);
    if (status == STATUS_OK)
        status = session_start(session, error);
    if (status == STATUS_OK)
        status = run_groups(session, error);
    struct error ending = {0};
    summary->wall_ns = clock_now_ns() - started_ns;
    status = first_failure(status, end_runs(session, status, &ending), &ending, error);
    if (status == STATUS_OK && summary->problems_without_winner > 0)
        status = error_set(error, STATUS_NO_WINNER, "%zu of %s %s no winner",
                           summary->problems_without_winner,
                           count_text(summary->problems, "problem").text,
                           summary->problems_without_winner == 1 ? "has" : "have");
    const char *changed = sources_changed();
    if (changed)
        session_note(session,
                     "%s changed during the run, or a file that it includes: all results are of "
                     "its text at the beginning; run again to tune the new one",
                     changed);
    (void)store_wait_for_writers(store, NULL, error);
    (void)pthread_mutex_unlock(&session->mutex);
    lanes_stop(session);
    text_free(&session->protocol_text);
    text_free(&session->objective_text);
    (void)pthread_mutex_destroy(&session->mutex);
    free(session);
    return status;
}
