/* The choice, with its evidence. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/session/check.h"

struct choosing {
    struct contest *contest;
    struct lane *lane;
    const char *stage;
    struct choice choice;
    double delta;
    double spread; /* spread of a difference between processes */
    size_t degrees;
    enum verdict verdict;
    char reason[VERDICT_REASON_BYTES];
};

/* Contenders slower than this have causes of their own, and do not contribute to the noise
 * estimate. */
static const double noise_reach = 0.05;

static enum status decide(struct choosing *choosing, struct error *error)
{
    struct contest *contest = choosing->contest;
    const struct protocol *protocol = contest->work.protocol;
    size_t count = contest->finalist_count;
    size_t incumbent = count;
    struct contender *contenders = calloc(count + 1, sizeof *contenders);
    enum status status = contenders
                             ? finalists_order(&contest->work, contest->finalists, count, error)
                             : error_no_memory(error);
    if (status != STATUS_OK) {
        free(contenders);
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        struct finalist *finalist = &contest->finalists[i];
        finalist->contender.levels = finalist->levels;
        finalist->contender.eligible = finalist_can_win(finalist);
        incumbent = finalist->is_incumbent ? i : incumbent;
        contenders[i] = finalist->contender;
    }
    choosing->delta = protocol_tie_band(protocol, contest->floor.floor);
    choose(contenders, count, contest->levels, choosing->delta, protocol->confidence, incumbent,
           &choosing->choice);
    if (choosing->choice.fastest < count && contest->processes > 0 && contest_state(contest, 0)) {
        status = contest_judge_states(contest, contenders, choosing->choice.fastest,
                                      choosing->delta, error);
        if (status == STATUS_OK) /* again, by the means */
            choose(contenders, count, contest->levels, choosing->delta, protocol->confidence,
                   incumbent, &choosing->choice);
    }
    choosing->spread = choice_spread(contenders, count, contest->processes, &choosing->choice,
                                     noise_reach, protocol->process_spread, &choosing->degrees);
    for (size_t i = 0; i < count; i++) {
        contenders[i].eligible = contest->finalists[i].contender.eligible;
        contest->finalists[i].contender = contenders[i];
    }
    free(contenders);
    return status;
}

enum status contest_settle_slower(struct contest *contest, struct error *error)
{
    struct choosing choosing = {.contest = contest};
    TRY(decide(&choosing, error));
    for (size_t i = 0; i < contest->finalist_count; i++) {
        struct finalist *finalist = &contest->finalists[i];
        const struct contender *contender = &finalist->contender;
        const bool is_twin = strcmp(finalist->key, contest->winner.key) == 0;
        finalist->settled = contender->eligible && !contender->tied &&
                            isfinite(contender->difference.low) && !is_twin &&
                            !finalist->is_baseline && !finalist->is_incumbent;
    }
    return STATUS_OK;
}

/* Counts tried points. Searches that learn have no planned number of trials that a budget could cut
 * off. */
static void count_tried(const struct work *work, const struct sweep *sweep,
                        struct verdict_facts *facts)
{
    uint64_t tried = 0;
    uint64_t baselines = 0;
    uint64_t others = 0;
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        const struct candidate *candidate = sweep->candidates.items[i];
        const bool is_tried = candidate->state == CANDIDATE_DONE && candidate->point != NO_POINT;
        tried += is_tried;
        const bool is_baseline = candidate->wanted & WANTED_BASELINE;
        others += is_tried && !is_baseline;
        baselines += is_baseline && candidate->point != NO_POINT;
    }
    if (work->options->pick_count > 0)
        return;
    facts->only_baselines = others == 0 && sweep->space_count > baselines;
    facts->tried = tried;
    if (sweep->strategy && !sweep->searched_all && strcmp(sweep->strategy, "exhaustive") == 0)
        facts->planned = sweep->allowance.points_most;
}

/* Returns how much of its space was tried. */
static struct coverage_facts coverage_facts_of(const struct sweep *sweep)
{
    struct coverage_facts facts = {.space = sweep->space_count,
                                   .chance = sweep->chance_of_better,
                                   .most_better = sweep->most_better};
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        const struct candidate *candidate = sweep->candidates.items[i];
        if (candidate->state != CANDIDATE_DONE || candidate->point == NO_POINT)
            continue;
        facts.points++;
        facts.measured += candidate->status != TRIAL_SKIPPED;
        facts.failed += candidate->status != TRIAL_SKIPPED && candidate->status != TRIAL_OK;
    }
    return facts;
}

static void set_verdict(struct choosing *choosing)
{
    const struct contest *contest = choosing->contest;
    const struct protocol *protocol = contest->work.protocol;
    size_t most = ROUND_VALID;
    for (size_t i = ROUND_VALID + 1; i < ROUND_FAULTS; i++)
        if (contest->rounds.faults[i] > 0 &&
            (most == ROUND_VALID || contest->rounds.faults[i] > contest->rounds.faults[most]))
            most = i;
    struct verdict_facts facts = {
        .rounds = contest->rounds.count,
        .rounds_dropped = contest->rounds.dropped,
        .most_frequent_fault =
            most == ROUND_VALID ? NULL : round_fault_name((enum round_fault)most),
        .dropped_most = protocol->dropped_most,
        .floor = contest->floor.floor,
        .delta = protocol->delta,
        .floor_most = protocol->floor_most,
        .biased = contest->floor.biased,
        .processes = contest->processes,
        .conditions_known = contest->conditions_known,
        .beside_others = contest->beside_others,
        .rounds_beside = contest->rounds.beside,
        .effort = contest->work.options->effort,
        .has_budget = contest->work.options->budget_ns > 0,
    };
    count_tried(&contest->work, contest->sweep, &facts);
    char fault[32] = "";
    if (facts.most_frequent_fault) {
        (void)string_format(fault, sizeof fault, "%s", facts.most_frequent_fault);
        for (char *at = strchr(fault, '_'); at; at = strchr(at, '_'))
            *at = ' ';
        facts.most_frequent_fault = fault;
    }
    choosing->verdict = verdict_of(&facts, choosing->reason, sizeof choosing->reason);
}

static int by_difference(const void *left, const void *right)
{
    const struct store_contender *a = left;
    const struct store_contender *b = right;
    bool a_known = !isnan(a->difference);
    bool b_known = !isnan(b->difference);
    if (a_known != b_known)
        return a_known ? -1 : 1;
    return (a->difference > b->difference) - (a->difference < b->difference);
}

/* Lists the finalists, and the ties among candidates that only the race measured. */
static size_t list_contenders(const struct choosing *choosing, struct store_contender *contender)
{
    const struct contest *contest = choosing->contest;
    size_t count = 0;
    bool all = contest->work.options->pick_count > 0;
    for (size_t i = 0; i < contest->finalist_count; i++) {
        const struct finalist *finalist = &contest->finalists[i];
        struct store_contender *row = &contender[count++];
        bool failed = finalist->slot.outcome.status != TRIAL_OK;
        *row = (struct store_contender){
            .configuration_id = finalist->slot.candidate->configuration_id,
            .trial_id = finalist->trial_id,
            .difference = finalist->contender.difference.estimate,
            .difference_low = finalist->contender.difference.low,
            .difference_high = finalist->contender.difference.high,
            .proven = finalist->contender.proven,
            .tied = finalist->contender.tied,
            .out = failed ? finalist->slot.outcome.detail : finalist->rejection,
        };
        if (!all || !isnan(finalist->contender.difference.low) || !isfinite(finalist->raced.low))
            continue;
        /* Early leavers of a run of a few configurations get the race's interval, relative to the
         * leader. */
        row->difference = finalist->raced.estimate;
        row->difference_low = finalist->raced.low;
        row->difference_high = finalist->raced.high;
    }
    for (size_t i = 0; i < contest->other_count; i++) {
        /* Places a candidate that only one process measured: re-centred on the fastest of all, and
         * wider by the spread between processes. */
        struct store_contender row = contest->others[i];
        struct interval raced = {row.difference, row.difference_low, row.difference_high};
        struct interval difference = choice_outsider(
            raced, contest->finalists[choosing->choice.fastest].raced.estimate, choosing->spread,
            choosing->degrees, contest->work.protocol->confidence);
        row.difference = difference.estimate;
        row.difference_low = difference.low;
        row.difference_high = difference.high;
        row.tied = difference_is_tied(difference, choosing->delta);
        contender[count] = row;
        count += contender[count].tied ? 1 : 0;
    }
    qsort(contender, count, sizeof *contender, by_difference);
    for (size_t i = 0; i < count; i++)
        contender[i].place = (int32_t)i + 1;
    return count;
}

/* Returns the part of the measurement to which a sample belongs: its process, or in the race its
 * share of rounds. */
static size_t part_of(const struct choosing *choosing, const struct store_sample *sample,
                      int32_t rounds)
{
    const struct contest *contest = choosing->contest;
    if (contest->processes > 0)
        return sample->process > 0 ? (size_t)sample->process - 1 : LEVELS_MAX;
    return rounds > 0 ? (size_t)sample->round * contest->levels / (size_t)rounds : 0;
}

/* Computes the interval of a run's time: Student's, of the parts' medians on a logarithmic scale,
 * since no time is below zero. */
static enum status time_interval(const struct choosing *choosing, const struct slot *slot,
                                 struct interval *interval, struct error *error)
{
    double medians[LEVELS_MAX];
    size_t parts = 0;
    int32_t rounds = 0;
    double *times = malloc((slot->sample_count + 1) * sizeof *times);
    if (!times)
        return error_no_memory(error);
    for (size_t i = 0; i < slot->sample_count; i++)
        if (slot->samples[i].round >= rounds)
            rounds = slot->samples[i].round + 1;
    for (size_t part = 0; part < choosing->contest->levels; part++) {
        size_t count = 0;
        for (size_t i = 0; i < slot->sample_count; i++)
            if (!slot->samples[i].invalid && part_of(choosing, &slot->samples[i], rounds) == part)
                times[count++] = slot->samples[i].elapsed_ns;
        if (count > 0)
            medians[parts++] = median_of(times, count);
    }
    free(times);
    *interval = geometric_interval(medians, parts, choosing->contest->work.protocol->confidence);
    return STATUS_OK;
}

static void announce(const struct choosing *choosing, const struct finalist *best,
                     const struct store_winner *row, double median_ns)
{
    struct contest *contest = choosing->contest;
    const struct work *work = &contest->work;
    /* The winner's bandwidth, for the recheck of the ceilings, unless from a hot cache by intent.
     */
    struct group *group = work->group;
    const double gbs = work->bytes_moved / median_ns;
    const double cache = work_cache_bytes(group->facts);
    double *fastest = &group->fastest_gbs[work->ceiling];
    double *uncached = &group->fastest_uncached_gbs[work->ceiling];
    if (work->bytes_moved > cache || l2_state(group->session->options->l2_mode) != L2_HOT)
        *fastest = gbs > *fastest ? gbs : *fastest;
    if (work->bytes_moved > 2 * cache && gbs > *uncached)
        *uncached = gbs;
    struct session_winner winner = {
        .problem_key = work->problem.key,
        .n = work->problem.n,
        .configuration = best->key,
        .median_ns = median_ns,
        .value = row->value,
        .as_fast = contest->winner.as_fast,
        .not_compared = contest->winner.not_compared,
        .confirmed = contest->processes > 0,
        .trust = row->trust,
        .trust_reason = choosing->reason,
    };
    contest->winner.announced = true;
    (void)string_format(contest->winner.key, sizeof contest->winner.key, "%s",
                        winner.configuration);
    if (work->session->events->winner)
        work->session->events->winner(work->session->events->context, &winner);
}

/* Lists the finalists' results in other states of the cache; `states` has room for all. */
static size_t list_states(const struct contest *contest, struct store_state *states)
{
    size_t count = 0;
    for (size_t s = 0; s < CACHE_STATES && contest->processes > 0; s++)
        for (size_t i = 0; i < contest->finalist_count && contest_state(contest, s); i++) {
            const struct finalist *finalist = &contest->finalists[i];
            const struct state_result *result = &finalist->in_state[s];
            if (result->trial_id != 0)
                states[count++] = (struct store_state){
                    .state = contest_state(contest, s),
                    .configuration_id = finalist->slot.candidate->configuration_id,
                    .trial_id = result->trial_id,
                    .difference = result->difference.estimate,
                    .difference_low = result->difference.low,
                    .difference_high = result->difference.high,
                    .tied = result->tied,
                };
        }
    return count;
}

/* Counts finalists as fast as the winner, and finalists not compared to the end, as the view
 * `standings` has them. Returns the number not shown to be slower, the winner included. */
static int32_t count_equals(struct contest *contest, const struct finalist *best,
                            const struct store_contender *contenders, size_t count)
{
    int32_t tied_count = 0;
    contest->winner.as_fast = contest->winner.not_compared = 0;
    for (size_t i = 0; i < count; i++) {
        const struct store_contender *other = &contenders[i];
        const bool bounded = isfinite(other->difference_low);
        tied_count += other->tied && !other->out;
        if (other->out || other->configuration_id == best->slot.candidate->configuration_id)
            continue;
        if (other->proven && bounded && isfinite(other->difference_high))
            contest->winner.as_fast++;
        else if (other->tied || !bounded)
            contest->winner.not_compared++;
    }
    return tied_count;
}

static enum status store_choice(struct choosing *choosing, const struct finalist *best,
                                struct error *error)
{
    struct contest *contest = choosing->contest;
    const struct work *work = &contest->work;
    size_t most = contest->finalist_count + contest->other_count;
    struct store_contender *contenders = malloc((most + 1) * sizeof *contenders);
    struct store_state *states = malloc((CACHE_STATES * most + 1) * sizeof *states);
    struct measured measured;
    struct interval interval;
    enum status status = STATUS_OK;
    if (!contenders || !states)
        TRY_OR_CLEANUP(error_no_memory(error));
    contest->winner.coverage = coverage_facts_of(contest->sweep);
    const char *why = NULL;
    const char *inputs = inputs_kind(work, &contest->sweep->inputs, &why);
    if (why && strcmp(choosing->stage, "race") == 0 &&
        is_first_problem(&work->session->summary->inputs_alike))
        problem_note(work->session, &work->problem,
                     "its inputs are alike in all runs, since %s: a kernel that keeps its result, "
                     "and computes no other, is not found out (and so for others like it)",
                     why);
    struct store_winner row = {
        .inputs = inputs,
        .environment_id = work->environment_id,
        .problem_id = work->problem_id,
        .l2_mode = work->options->l2_mode,
        .objective = objective_text(work->objective),
        .trial_id = best->trial_id,
        .run_id = choosing->lane->run_id,
        .stage = choosing->stage,
        .candidate_count = (int64_t)contest->candidate_count,
        .space_count = (int64_t)contest->sweep->space_count,
        .delta = choosing->delta,
        .floor = contest->floor.floor,
        .claim = choosing->choice.claim.high,
        .confidence = work->protocol->confidence,
        .processes = (int32_t)contest->processes,
        .rounds = (int32_t)contest->rounds.count,
        .rounds_dropped = (int32_t)contest->rounds.dropped,
        .kept_incumbent = choosing->choice.kept_incumbent,
        .compared = best->slot.candidate->compared,
        .trust = verdict_name(choosing->verdict),
        .trust_reason = choosing->reason,
        .points = (int64_t)contest->winner.coverage.points,
        .failures = (int64_t)contest->winner.coverage.failed,
        .chance_of_better = contest->winner.coverage.chance,
        .most_better = contest->winner.coverage.most_better,
        .coverage = coverage_name(coverage_of(&contest->winner.coverage)),
        .contenders = contenders,
        .contender_count = list_contenders(choosing, contenders),
        .states = states,
        .state_count = list_states(contest, states),
    };
    row.tied_count = count_equals(contest, best, contenders, row.contender_count);
    TRY_OR_CLEANUP(time_interval(choosing, &best->slot, &interval, error));
    TRY_OR_CLEANUP(slot_measured(work, &best->slot, &measured, error));
    row.time_low_ns = interval.low;
    row.time_high_ns = interval.high;
    row.value = measured.value;
    TRY_OR_CLEANUP(store_winner_put(work->store, &row, error));
    announce(choosing, best, &row, measured.times.median);
cleanup:
    free(contenders);
    free(states);
    return status;
}

enum status contest_choose(struct contest *contest, struct lane *lane, const char *stage,
                           bool *found, struct error *error)
{
    struct choosing choosing = {.contest = contest, .lane = lane, .stage = stage};
    *found = false;
    for (struct finalist *best = NULL; !best || best->rejection;) {
        enum status status = decide(&choosing, error);
        if (status != STATUS_OK || choosing.choice.winner >= contest->finalist_count)
            return status;
        best = &contest->finalists[choosing.choice.winner];
        enum session_stage before = lane_enter_stage(lane, STAGE_WATCH);
        status = contest_watch(contest, lane, best, error);
        (void)lane_enter_stage(lane, before);
        if (status != STATUS_OK)
            return status;
    }
    *found = true;
    set_verdict(&choosing);
    contest->winner.verdict = choosing.verdict;
    (void)string_format(contest->winner.reason, sizeof contest->winner.reason, "%s",
                        choosing.reason);
    return store_choice(&choosing, &contest->finalists[choosing.choice.winner], error);
}

static const char *const early_reason =
    "Not sure: the run ended before the best were compared; this was the fastest so far, each "
    "timed once. Run the same command again: it continues from there.";
static const char *const baseline_reason =
    "Not sure: the run ended when nothing was measured but the baseline. Run the same command "
    "again: it continues from there.";

enum status sweep_choose_early(const struct work *work, struct sweep *sweep, struct error *error)
{
    const struct lane *some_lane = group_lane(work->group);
    const struct lane *lane = some_lane ? some_lane : work->group->lanes[0]; /* all are lost */
    struct candidate *best = sweep->best;
    struct verdict_facts facts = {0};
    const struct coverage_facts coverage = coverage_facts_of(sweep);
    size_t tried = 0;
    if (!best || best->rejected || !lane || !work_is_about_time(work) ||
        sweep_reference_is_alone(work, sweep))
        return STATUS_OK;
    TRY(candidate_confine(work, sweep, best, error));
    count_tried(work, sweep, &facts);
    for (size_t i = 0; i < sweep->candidates.count; i++)
        tried += sweep->candidates.items[i]->state == CANDIDATE_DONE &&
                 sweep->candidates.items[i]->status == TRIAL_OK;
    struct store_winner row = {
        .environment_id = work->environment_id,
        .problem_id = work->problem_id,
        .l2_mode = work->options->l2_mode,
        .objective = "time",
        .trial_id = best->trial_id,
        .run_id = lane->run_id,
        .stage = "sweep",
        .candidate_count = (int64_t)tried,
        .space_count = (int64_t)sweep->space_count,
        .value = best->median_ns,
        .time_low_ns = (double)NAN,
        .time_high_ns = (double)NAN,
        .delta = work->protocol->delta,
        .floor = (double)NAN,
        .claim = (double)NAN,
        .confidence = (double)NAN,
        .tied_count = 1,
        .trust = verdict_name(VERDICT_UNSTABLE),
        .trust_reason = facts.only_baselines ? baseline_reason : early_reason,
        .points = (int64_t)coverage.points,
        .failures = (int64_t)coverage.failed,
        .chance_of_better = (double)NAN,
        .most_better = (double)NAN,
        .coverage = coverage_name(coverage_of(&coverage)),
    };
    struct session_summary *summary = work->session->summary;
    summary->winners++;
    summary->verdicts[VERDICT_UNSTABLE]++;
    (void)string_format(summary->worst_reason, sizeof summary->worst_reason, "%s: %s",
                        problem_name(work->problem.key, work->problem.n).text, row.trust_reason);
    return store_winner_put(work->store, &row, error);
}
