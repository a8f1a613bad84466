/* A look at a few configurations at one size, apart from the sweep: a short race in which nobody
 * leaves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/session/internal.h"
#include "tuner/stats/race.h"

enum { LOOK_ROUNDS = 16, LOOK_ROUNDS_MOST = 24 };

static enum status prepare(struct sweep *sweep, const struct configuration *const *configurations,
                           size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        char key[CONFIGURATION_KEY_BYTES];
        (void)configuration_key(configurations[i], key);
        struct candidate *candidate = table_add(&sweep->table, configurations[i], key, NO_POINT);
        if (!candidate)
            return error_no_memory(error);
        struct configuration room;
        struct point point = sweep_point(sweep, candidate, 0, &room);
        enum status status = sweep_binary(sweep, candidate, true, error);
        if (candidate->broken)
            status = error_set(error, STATUS_BAD_INPUT, "%s", candidate->broken);
        if (status == STATUS_OK && i == 0)
            status = point_bytes(&point, &sweep->bytes_moved, error);
        if (status == STATUS_OK)
            status = budget_await(sweep->group, &sweep->group->binaries, candidate->binary, error);
        if (status != STATUS_OK)
            return status;
    }
    sweep->any = *sweep->table.items[0];
    return STATUS_OK;
}

/* A first timing, for the number of runs per block. */
static enum status first_time(struct track *track, struct runner *runner, struct error *error)
{
    struct timing timing = {.blocks = 1, .verify = true};
    struct worker_samples samples = {0};
    enum status status = sweep_load(track->sweep, track->lane, &track->lane->scratch,
                                    runner->candidate, &runner->loaded, &runner->outcome, error);
    if (status == STATUS_OK && runner->outcome.status == TRIAL_OK)
        status = sweep_measure(track->sweep, track->lane, &runner->loaded, &timing, &samples,
                               &runner->outcome, error);
    runner->candidate->runs = samples.runs;
    arena_free(&track->lane->scratch);
    return status;
}

static enum status run_rounds(struct track *track, struct race *race, const bool *wanted,
                              struct error *error)
{
    const struct session *session = track->sweep->group->session;
    while (race_valid_rounds(race) < LOOK_ROUNDS && track->round_count < LOOK_ROUNDS_MOST) {
        if (session_stopped(session))
            return session_stop_error(error);
        enum status status = track_race_round(track, race, wanted, track->count, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* A reference for each look would take longer than the looks. */
static bool is_costly(const struct sweep *sweep)
{
    const struct contest *contest = sweep->group->contests;
    while (contest && (contest->sweep->experiment != sweep->experiment ||
                       contest->sweep->reference_ns <= WORKER_COSTLY_NS))
        contest = contest->next;
    return contest != NULL;
}

static void tell_wrong(const struct track *track)
{
    const struct problem *problem = &track->sweep->problem;
    for (size_t i = 0; i < track->count; i++)
        if (track->runners[i]->outcome.status == TRIAL_WRONG_RESULT)
            session_note(track->sweep->group->session,
                         "%s n=%lld: '%s' is wrong at this size, which no range of it has: %s",
                         problem->key, (long long)problem->n, track->runners[i]->candidate->key,
                         track->runners[i]->outcome.detail);
}

static enum status measure(struct track *track, struct race *race, struct look *look,
                           struct error *error)
{
    bool wanted[LOOK_MAX] = {false};
    bool check = !is_costly(track->sweep);
    enum status status = sweep_tell(track->sweep, track->lane, check, error);
    for (size_t i = 0; status == STATUS_OK && i < track->count; i++) {
        status = first_time(track, track->runners[i], error);
        wanted[i] = true;
    }
    if (status == STATUS_OK)
        status = track_begin(track, &track->sweep->arena, check, error);
    if (status == STATUS_OK)
        status = run_rounds(track, race, wanted, error);
    for (size_t i = 0; i < track->count; i++)
        if (track->runners[i]->outcome.status != TRIAL_OK)
            race_fail(race, i);
    tell_wrong(track);
    look->best = race_leader(race);
    look->works = status == STATUS_OK && look->best < track->count;
    for (size_t i = 0; i < track->count; i++) {
        look->losses[i] = (struct interval){(double)NAN, (double)NAN, (double)NAN};
        if (look->works && race_fate(race, i) == RACE_ALIVE)
            look->losses[i] = race_difference(race, i);
    }
    return status;
}

enum status look_at(const struct sweep *like, const struct problem *problem,
                    const struct configuration *const *configurations, size_t count,
                    struct look *look, struct error *error)
{
    struct runner runners[LOOK_MAX] = {0};
    struct runner *list[LOOK_MAX];
    struct race *race = NULL;
    struct sweep sweep = *like;
    struct lane *lane = group_lane(like->group);
    struct track track = {.sweep = &sweep,
                          .lane = lane,
                          .stage = "look",
                          .runners = list,
                          .count = count,
                          .random = {.seed = (uint64_t)problem->n}};
    *look = (struct look){.best = count};
    sweep.problem = *problem;
    sweep.alike = true; /* one reference a look is enough */
    if (!lane)
        return error_set(error, STATUS_DEVICE_LOST, "no device is left");
    enum status status = prepare(&sweep, configurations, count, error);
    for (size_t i = 0; i < sweep.table.count; i++) {
        runners[i].candidate = sweep.table.items[i];
        list[i] = &runners[i];
    }
    if (status == STATUS_OK)
        status = race_create(&like->group->session->options->protocol, count, &race, error);
    if (status == STATUS_OK)
        status = measure(&track, race, look, error);
    for (size_t i = 0; i < count; i++)
        runner_free(&runners[i]);
    race_free(race);
    track_free(&track);
    lane->told = NULL;
    table_free(&sweep.table);
    arena_free(&sweep.arena);
    return status;
}
