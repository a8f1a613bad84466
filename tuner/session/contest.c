/* What the parts of a contest share. */
#include <math.h>
#include <stdlib.h>

#include "tuner/session/internal.h"
#include "tuner/session/watch.h"

bool finalist_can_win(const struct finalist *finalist)
{
    return finalist->runner.outcome.status == TRIAL_OK && !finalist->out;
}

struct contest *contest_create(struct sweep *sweep)
{
    struct contest *contest = calloc(1, sizeof *contest);
    if (contest)
        contest->sweep = sweep;
    return contest;
}

void contest_free(struct contest *contest)
{
    if (!contest)
        return;
    for (size_t i = 0; i < contest->finalist_count; i++)
        runner_free(&contest->finalists[i].runner);
    if (contest->sweep) {
        sweep_free(contest->sweep);
        free(contest->sweep);
    }
    free(contest->finalists);
    free(contest->twins);
    arena_free(&contest->arena);
    free(contest);
}

void contest_shrink(struct contest *contest)
{
    struct finalist *fewer =
        realloc(contest->finalists, (contest->finalist_count + 1) * sizeof *fewer);
    contest->finalists = fewer ? fewer : contest->finalists;
}

struct runner **contest_runners(struct contest *contest)
{
    struct runner **runners =
        arena_alloc(&contest->arena, contest->finalist_count + 1, sizeof(struct runner *));
    for (size_t i = 0; runners && i < contest->finalist_count; i++)
        runners[i] = &contest->finalists[i].runner;
    return runners;
}

void contest_reset(struct contest *contest)
{
    for (size_t i = 0; i < contest->finalist_count; i++)
        runner_free(&contest->finalists[i].runner);
    free(contest->finalists);
    free(contest->twins);
    *contest = (struct contest){.next = contest->next,
                                .previous = contest->previous,
                                .sweep = contest->sweep,
                                .arena = contest->arena};
}

enum status contest_keep(struct contest *contest, struct track *track, enum status status,
                         struct error *error)
{
    struct store *store = contest->sweep->group->session->store;
    struct error keeping = {0};
    if (status != STATUS_OK)
        (void)track_judge(track); /* its last round is not complete */
    enum status kept = store_batch_begin(store, &keeping);
    if (kept == STATUS_OK) {
        kept = track_store(track, &keeping);
        for (size_t i = 0; kept == STATUS_OK && i < contest->finalist_count; i++) {
            struct finalist *finalist = &contest->finalists[i];
            if (finalist->runner.outcome.status == TRIAL_WRONG_RESULT && !finalist->out)
                kept = contest_reject(
                    contest, finalist, 1,
                    arena_strdup(&contest->sweep->arena, finalist->runner.outcome.detail),
                    &keeping);
            if (finalist->runner.outcome.status != TRIAL_OK &&
                !finalist->runner.candidate->rejected)
                finalist->runner.candidate->rejected =
                    trial_status_name(finalist->runner.outcome.status);
            if (kept == STATUS_OK &&
                (finalist->runner.sample_count > 0 || finalist->runner.outcome.status != TRIAL_OK))
                kept = runner_store(track, &finalist->runner, &finalist->trial_id, &keeping);
        }
        kept = store_batch_end(store, kept, &keeping);
    }
    if (status == STATUS_OK && kept != STATUS_OK)
        *error = keeping;
    return status == STATUS_OK ? kept : status;
}

static bool is_known(const struct conditions *conditions)
{
    return !isnan(conditions->sm_clock_mhz) && conditions->throttle >= 0;
}

enum status contest_count_rounds(struct contest *contest, const struct track *track,
                                 struct error *error)
{
    const struct protocol *protocol = &contest->sweep->group->session->options->protocol;
    double *twins =
        realloc(contest->twins, (contest->twin_count + track->round_count + 1) * sizeof *twins);
    if (!twins)
        return error_no_memory(error);
    contest->twins = twins;
    for (size_t i = 0; i < track->round_count; i++) {
        contest->rounds++;
        contest->faults[track->faults[i]]++;
        contest->rounds_dropped += track->faults[i] != ROUND_VALID ? 1 : 0;
        contest->conditions_known |= is_known(&track->records[i].after);
        if (track->faults[i] == ROUND_VALID && !isnan(track->twin[i]))
            twins[contest->twin_count++] = track->twin[i];
    }
    size_t used = contest->twin_count < ESTIMATE_MAX ? contest->twin_count : ESTIMATE_MAX;
    contest->floor = twin_floor(&twins[contest->twin_count - used], used, protocol->twin_bias);
    return STATUS_OK;
}

/* The middle of a round: of those that were in all of them. */
static double centre_of(const struct contest *contest, const double *y, double *buffer)
{
    size_t count = 0;
    for (size_t i = 0; i < contest->finalist_count; i++)
        if (!isnan(y[i]) && !contest->finalists[i].out && !contest->finalists[i].left)
            buffer[count++] = y[i];
    return median_of(buffer, count);
}

void contest_set_levels(struct contest *contest, const struct track *track, size_t level,
                        size_t first, size_t last)
{
    size_t room = contest->finalist_count > last - first ? contest->finalist_count : last - first;
    double *buffer = malloc((room + 1) * sizeof *buffer);
    double *centres = malloc((last - first + 1) * sizeof *centres);
    for (size_t i = first; buffer && centres && i < last; i++)
        centres[i - first] = centre_of(contest, &track->y[i * track->count], buffer);
    for (size_t f = 0; f < contest->finalist_count; f++) {
        size_t count = 0;
        for (size_t i = first; buffer && centres && i < last; i++) {
            double off = track->y[i * track->count + f] - centres[i - first];
            if (track->faults[i] == ROUND_VALID && !isnan(off))
                buffer[count++] = off;
        }
        contest->finalists[f].levels[level] = core_mean(buffer, count);
    }
    free(buffer);
    free(centres);
}
