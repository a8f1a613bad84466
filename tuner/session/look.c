/* A look at a few configurations at one size, apart from the sweep: a short race in which none
 * leaves. */
#include "tuner/session/look.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/stats/race.h"

enum { LOOK_ROUNDS = 16, LOOK_ROUNDS_MAX = 24 };

/* Adds the candidates, and waits for the binaries. */
static enum status add_candidates(struct work *work, struct candidates *candidates,
                                  const struct configuration *const *configurations, size_t count,
                                  struct error *error)
{
    struct binaries *binaries = &work->group->binaries;
    struct point point = work_point(work, configurations[0], 0);
    struct figures figures;
    TRY(point_figures(&point, &figures, error));
    work->bytes_moved = figures.bytes;
    for (size_t i = 0; i < count; i++) {
        char key[CONFIGURATION_KEY_BYTES];
        (void)configuration_key(configurations[i], key);
        struct candidate *candidate = candidates_add(candidates, configurations[i], key, NO_POINT);
        if (!candidate)
            return error_no_memory(error);
        TRY(candidate_request_binary(work, candidate, configurations[i], true, error));
        if (candidate->broken)
            return error_set(error, STATUS_BAD_INPUT, "%s", candidate->broken);
        TRY(budget_await(work->group, binaries, candidate->binary, error));
    }
    return STATUS_OK;
}

static enum status run_look(const struct work *work, struct track *track, struct race *race,
                            struct look *look, struct error *error)
{
    bool wanted[LOOK_MAX] = {false};
    /* No checks where references take longer than looks. */
    const struct contest *contest = work->group->contests;
    while (contest && (contest->work.experiment != work->experiment ||
                       inputs_are_cheap(&contest->sweep->inputs)))
        contest = contest->next;
    bool check = contest == NULL;
    enum status status = inputs_send(work, track->inputs, track->lane, check, error);
    const struct timing once = {.blocks = 1}; /* for the number of runs per block */
    for (size_t i = 0; status == STATUS_OK && i < track->count; i++) {
        struct slot *slot = track->slots[i];
        status = track_load(work, track, slot, error);
        if (status == STATUS_OK && slot->outcome.status == TRIAL_OK)
            status = track_time_alone(work, track, slot, &once, error);
        if (status != STATUS_OK)
            break;
        slot->candidate->runs = slot->runs;
        slot_drop_samples(slot);
        wanted[i] = true;
    }
    if (status == STATUS_OK)
        status = track_begin(work, track, check, error);
    while (status == STATUS_OK && race_valid_rounds(race) < LOOK_ROUNDS &&
           track->round_count < LOOK_ROUNDS_MAX)
        status = session_stopped(work->session)
                     ? session_stop_error(error)
                     : track_race_round(work, track, race, wanted, track->count, error);
    for (size_t i = 0; i < track->count; i++)
        if (track->slots[i]->outcome.status != TRIAL_OK)
            race_fail(race, i);
    if (status == STATUS_OK) {
        const struct problem *problem = &work->problem;
        for (size_t i = 0; i < track->count; i++) {
            const struct worker_outcome *outcome = &track->slots[i]->outcome;
            look->wrong[i] = NULL;
            if (outcome->status != TRIAL_WRONG_RESULT && outcome->status != TRIAL_CRASHED)
                continue;
            look->wrong[i] = arena_printf(
                look->texts, STORE_FAILED_AT "%lld, looked at between: %s: %s",
                (long long)problem->n, trial_status_name(outcome->status), outcome->detail);
            if (!look->wrong[i]) {
                status = error_no_memory(error);
                break;
            }
            problem_note(work->session, problem,
                         "'%s' is wrong at this size; it serves the measured ones alone: %s",
                         track->slots[i]->candidate->outsider->key, outcome->detail);
        }
    }
    look->best = race_leader(race);
    look->works = status == STATUS_OK && look->best < track->count;
    for (size_t i = 0; i < track->count; i++) {
        look->losses[i] = (struct interval){(double)NAN, (double)NAN, (double)NAN};
        if (look->works && race_fate(race, i) == RACE_ALIVE)
            look->losses[i] = race_difference(race, i);
    }
    return status;
}

enum status look_at(const struct work *around, struct lane *lane, const struct problem *problem,
                    const struct configuration *const *configurations, size_t count,
                    struct look *look, struct error *error)
{
    struct slot slots[LOOK_MAX] = {0};
    struct slot *list[LOOK_MAX];
    struct race *race = NULL;
    struct work work = *around;
    struct inputs inputs = {.configuration = configurations[0],
                            .alike = true}; /* one reference is enough */
    struct candidates candidates = {0};
    struct track track = {.inputs = &inputs,
                          .candidates = &candidates,
                          .lane = lane,
                          .stage = "look",
                          .mode = around->options->l2_mode,
                          .slots = list,
                          .count = count,
                          .random = {.seed = (uint64_t)problem->n}};
    *look = (struct look){.best = count, .texts = look->texts};
    work.problem = *problem;
    work.problem_id = 0;
    enum status status = add_candidates(&work, &candidates, configurations, count, error);
    for (size_t i = 0; i < LOOK_MAX; i++)
        list[i] = &slots[i];
    for (size_t i = 0; i < candidates.count; i++)
        slots[i].candidate = candidates.items[i];
    if (status == STATUS_OK)
        status = race_create(work.protocol, count, &race, error);
    if (status == STATUS_OK)
        status = run_look(&work, &track, race, look, error);
    for (size_t i = 0; i < count; i++)
        slot_free(&slots[i]);
    race_free(race);
    track_free(&track);
    lane->known = NULL;
    candidates_free(&candidates);
    arena_free(&inputs.arena);
    return status;
}
