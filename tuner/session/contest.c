#include "tuner/session/contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"
#include "tuner/session/check.h"

enum { ENTRANTS_MAX = WORKER_SLOTS - 8, FEW = 3 };

bool finalist_can_win(const struct finalist *finalist)
{
    return finalist->slot.outcome.status == TRIAL_OK && !finalist->rejection;
}

void finalist_free(struct finalist *finalist)
{
    slot_free(&finalist->slot);
    for (size_t s = 0; s < CACHE_STATES; s++)
        slot_free(&finalist->in_state[s].slot);
}

struct contest *contest_create(const struct work *work, struct sweep *sweep)
{
    struct contest *contest = calloc(1, sizeof *contest);
    if (contest) {
        contest->work = *work;
        contest->sweep = sweep;
    }
    return contest;
}

static void drop_finalists(struct contest *contest)
{
    for (size_t i = 0; i < contest->finalist_count; i++)
        finalist_free(&contest->finalists[i]);
    free(contest->finalists);
    free(contest->twins.items);
    arena_free(&contest->arena);
}

void contest_free(struct contest *contest)
{
    if (!contest)
        return;
    drop_finalists(contest);
    if (contest->sweep) {
        sweep_free(contest->sweep);
        free(contest->sweep);
    }
    free(contest);
}

void contest_reset(struct contest *contest)
{
    drop_finalists(contest);
    *contest = (struct contest){.next = contest->next,
                                .previous = contest->previous,
                                .work = contest->work,
                                .sweep = contest->sweep};
}

void contest_shrink(struct contest *contest)
{
    struct finalist *fewer =
        realloc(contest->finalists, (contest->finalist_count + 1) * sizeof *fewer);
    if (fewer)
        contest->finalists = fewer;
}

/* ---- who races ---- */

struct entry {
    struct candidate *candidate;
    const char *key;
    double value; /* ln of the objective in the sweep; of the time if energy counts */
};

static int by_value(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return strcmp(a->key, b->key);
}

/* Puts `first` into the place of the candidate that was measured. */
static void replace_measured(struct sweep *sweep, struct candidate *first)
{
    struct candidate *measured = first->same_as;
    first->status = measured->status;
    first->median_ns = measured->median_ns;
    first->runs = measured->runs;
    first->rejected = measured->rejected;
    first->same_as = NULL;
    measured->status = TRIAL_SKIPPED;
    measured->same_as = first;
    if (sweep->best == measured)
        sweep->best = first;
}

/* Finds whether the configuration has another binary at the size by now, so that the refutation
 * there is of an earlier source. */
static bool is_outdated(const struct work *work, const struct sweep *sweep,
                        const struct candidate *candidate, const struct store_refutation *row)
{
    struct configuration room;
    struct binary_request request;
    struct arena arena = {0};
    struct error ignored = {0};
    size_t binary = 0;
    const struct binary *own = candidate_binary(work, candidate);
    if (own && strcmp(own->hash, row->binary_hash) == 0)
        return false;
    if (work->options->recording || row->binary_hash[0] == '\0' || row->n == work->problem.n)
        return row->is_outdated;
    struct point point =
        work_point(work, candidate_configuration(&sweep->candidates, candidate, &room), 1);
    struct problem problem = problem_at(&work->problem, row->n);
    point.problem = &problem;
    const bool is_other =
        point_binary(&point, &arena, &request, &ignored) == STATUS_OK &&
        binaries_know(&work->group->binaries, &request, &binary, &ignored) == STATUS_OK &&
        strcmp(work->group->binaries.items[binary].hash, row->binary_hash) != 0;
    arena_free(&arena);
    return is_other;
}

enum status sweep_take_refuted(const struct work *work, struct sweep *sweep, struct error *error)
{
    const struct store_domain of = {.environment_id = work->environment_id,
                                    .experiment_id = work->experiment_id,
                                    .problem_key = work->problem.key};
    struct arena arena = {0};
    struct store_refutation *rows = NULL;
    size_t count = 0;
    enum status status = store_refuted(work->store, &of, &arena, &rows, &count, error);
    struct index by_id = {0};
    for (size_t i = count; status == STATUS_OK && i > 0; i--)
        if (!index_put(&by_id, (uint64_t)rows[i - 1].configuration_id, i - 1))
            status = error_no_memory(error);
    for (size_t i = 0; status == STATUS_OK && count > 0 && i < sweep->candidates.count; i++) {
        struct candidate *candidate = sweep->candidates.items[i];
        size_t row = 0;
        if (candidate->configuration_id == 0 || candidate->rejected ||
            !index_find(&by_id, (uint64_t)candidate->configuration_id, &row))
            continue;
        const struct store_refutation *holding = NULL; /* first that holds today */
        for (; status == STATUS_OK && row < count &&
               rows[row].configuration_id == candidate->configuration_id;
             row++) {
            const bool outdates = is_outdated(work, sweep, candidate, &rows[row]);
            if (outdates != (rows[row].is_outdated != 0))
                status = store_refutation_mark(work->store, &of, &rows[row], outdates, error);
            if (!holding && !outdates && verdict_holds(work, rows[row].detail) &&
                !wrong_on_changed(rows[row].detail))
                holding = &rows[row];
        }
        if (status != STATUS_OK || !holding)
            continue;
        candidate->rejected =
            arena_printf(&sweep->arena, "wrong at n=%lld, and so out at all sizes: %s",
                         (long long)holding->n, holding->detail);
        if (!candidate->rejected)
            status = error_no_memory(error);
        /* The first candidate with the same launches that is not rejected replaces the rejected
         * one. */
        for (size_t j = 0; j < sweep->candidates.count; j++) {
            struct candidate *other = sweep->candidates.items[j];
            if (other->same_as != candidate || other->rejected)
                continue;
            const char *why = candidate->rejected;
            candidate->rejected = NULL;
            replace_measured(sweep, other);
            candidate->rejected = why;
            break;
        }
    }
    index_free(&by_id);
    arena_free(&arena);
    sweep_find_best(sweep);
    return status;
}

/* Lists all candidates that may win, the fastest first; the arena holds the keys. */
static enum status list_entries(const struct work *work, struct sweep *sweep, struct lane *lane,
                                struct arena *arena, struct entry *entries, size_t *count,
                                struct error *error)
{
    char room[CONFIGURATION_KEY_BYTES];
    *count = 0;
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        struct entry entry = {.candidate = sweep->candidates.items[i]};
        if (!candidate_works(entry.candidate) || !(entry.candidate->median_ns > 0))
            continue;
        struct candidate *candidate = entry.candidate;
        struct track track = sweep_track(work, sweep, lane, "race");
        struct slot slot = {.candidate = candidate, .outcome = {.status = TRIAL_OK}};
        entry.value = log(candidate->median_ns);
        if (!work_is_about_time(work) && !objective_needs_energy(work->objective)) {
            enum status status = track_load(work, &track, &slot, error);
            entry.value = (double)NAN;
            if (status == STATUS_OK && slot.outcome.status == TRIAL_OK)
                status = prepared_value(work, slot.prepared, candidate->median_ns, (double)NAN,
                                        &entry.value, error);
            slot_free(&slot);
            TRY(status);
        }
        const char *key = candidate_key(&sweep->candidates, entry.candidate, room);
        if (!(entry.key = arena_strdup(arena, key)))
            return error_no_memory(error);
        if (!isnan(entry.value))
            entries[(*count)++] = entry;
    }
    qsort(entries, *count, sizeof *entries, by_value);
    return STATUS_OK;
}

/* Adds candidates near the fastest, the one `named`, and those that stand for a baseline. */
static enum status add_finalists(struct contest *contest, const struct entry *entries, size_t count,
                                 const struct candidate *named, struct error *error)
{
    const struct work *work = &contest->work;
    bool needs_energy = objective_needs_energy(work->objective);
    size_t near = 0;
    /* The worker's slots or, under a budget, the number with time for a race. */
    const struct sweep *sweep = contest->sweep;
    size_t most = ENTRANTS_MAX - EXPERIMENT_BASELINES_MAX;
    if (sweep->best && work->options->pick_count == 0) {
        const double blocks_ns =
            (double)sweep->best->spent_ns / (double)work->protocol->sweep_blocks;
        const size_t fit = budget_entrants(work->group, &sweep->allowance,
                                           blocks_ns * (double)contest_blocks(contest, true));
        most = fit < most ? fit : most;
    }
    contest->finalists = calloc(count + 1, sizeof(struct finalist));
    if (!contest->finalists)
        return error_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        struct candidate *candidate = entries[i].candidate;
        bool in = work->options->pick_count > 0 ? (candidate->wanted & WANTED_PICKED) != 0
                  : needs_energy
                      ? near < (size_t)work->protocol->energy_candidates
                      : entries[i].value <= entries[0].value + log1p(work->protocol->sweep_slower);
        in = in && near < most;
        near += in ? 1 : 0;
        struct finalist finalist = {
            .slot = {.candidate = candidate, .outcome = {.status = TRIAL_OK}},
            .is_incumbent = (named && candidate == named) || (candidate->wanted & WANTED_INCUMBENT),
            .is_baseline = candidate->wanted & WANTED_FOR_BASELINE,
        };
        if (!in && !finalist.is_incumbent && !finalist.is_baseline)
            continue;
        if (!(finalist.key = arena_strdup(&contest->arena, entries[i].key)))
            return error_no_memory(error);
        contest->finalists[contest->finalist_count++] = finalist;
    }
    contest_shrink(contest);
    return STATUS_OK;
}

/* Sets the blocks of a visit so that the median is as certain as a tie is wide, by the spread of
 * the sweep's blocks. `deviations` median absolute deviations of a normal distribution are one
 * standard deviation of the difference of two medians. At least FEW, since a block on a CPU may
 * include another program's time. */
static void set_blocks(struct contest *contest)
{
    static const double deviations = 1.4826 * 1.2533 * 1.4142;
    const struct sweep *sweep = contest->sweep;
    const struct protocol *protocol = contest->work.protocol;
    const double most = (double)protocol->noisy_blocks;
    if (!(most > (double)protocol->visit_blocks) || !sweep->best)
        return;
    const double spread =
        sweep->spread.count > 0 ? sweep->spread.sum / (double)sweep->spread.count : INFINITY;
    const double wanted = ceil(pow(deviations * spread / protocol->delta, 2));
    const double block_ns = fmax(sweep->best->median_ns, protocol->block_ns);
    const double blocks =
        fmin(fmin(fmax(wanted, FEW), most), floor(protocol->block_most_ns / block_ns));
    contest->blocks = blocks > (double)protocol->visit_blocks ? (uint32_t)blocks : 0;
}

enum status contest_enter(struct contest *contest, struct lane *lane, struct error *error)
{
    struct sweep *sweep = contest->sweep;
    const struct work *work = &contest->work;
    struct arena scratch = {0};
    struct text incumbent = {0}; /* newest winner, also of another driver or version of tune */
    bool found = false;
    struct entry *entries = malloc((sweep->candidates.count + 1) * sizeof *entries);
    if (!entries)
        return error_no_memory(error);
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(inputs_send(work, &sweep->inputs, lane, true, error));
    /* The first of the space names configurations with the same launches, so that another tuning
     * names the same one. */
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        struct candidate *candidate = sweep->candidates.items[i];
        while (candidate->same_as && candidate->same_as->same_as)
            candidate->same_as = candidate->same_as->same_as;
        const struct candidate *measured = candidate->same_as;
        /* The order of the space decides; baselines outside come last. */
        if (candidate->same_as && !candidate->rejected &&
            (candidate->point != measured->point
                 ? candidate->point < measured->point
                 : strcmp(candidate->outsider->key, measured->outsider->key) < 0))
            replace_measured(sweep, candidate);
    }
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        struct candidate *candidate = sweep->candidates.items[i];
        while (candidate->same_as && candidate->same_as->same_as)
            candidate->same_as = candidate->same_as->same_as;
        struct candidate *measured = candidate->same_as ? candidate->same_as : candidate;
        measured->wanted |= candidate->wanted & (WANTED_PICKED | WANTED_INCUMBENT);
        measured->wanted |= candidate->wanted & WANTED_BASELINE ? WANTED_FOR_BASELINE : 0;
    }
    TRY_OR_CLEANUP(sweep_take_refuted(work, sweep, error));
    TRY_OR_CLEANUP(
        list_entries(work, sweep, lane, &scratch, entries, &contest->candidate_count, error));
    TRY_OR_CLEANUP(store_incumbent(work->store, work->environment_id, work->problem_id,
                                   work->options->l2_mode, objective_text(work->objective), &found,
                                   &incumbent, NULL, error));
    const struct candidate *named = candidates_at_key(&sweep->candidates, text_string(&incumbent));
    named = named && named->same_as ? named->same_as : named;
    set_blocks(contest);
    TRY_OR_CLEANUP(add_finalists(contest, entries, contest->candidate_count, named, error));
cleanup:
    text_free(&incumbent);
    arena_free(&scratch);
    free(entries);
    return status;
}

/* ---- results of the tracks ---- */

void contest_progress(const struct contest *contest, const char *phase)
{
    const struct sweep *sweep = contest->sweep;
    struct group *group = contest->work.group;
    group->position.problem_key = contest->work.problem.key;
    group->position.n = contest->work.problem.n;
    group->position.strategy = sweep->strategy;
    group->position.best_ns =
        sweep->best && sweep->best_key[0] ? sweep->best->median_ns : (double)NAN;
    group->position.best_key = sweep->best_key;
    session_progress(group, phase);
}

uint32_t contest_blocks(const struct contest *contest, bool screening)
{
    const struct protocol *protocol = contest->work.protocol;
    const uint32_t usual = (uint32_t)(screening ? protocol->screen_blocks : protocol->visit_blocks);
    const uint32_t most = screening && contest->blocks > FEW ? FEW : contest->blocks;
    return most > usual ? most : usual;
}

struct track contest_track(struct contest *contest, struct lane *lane, const char *stage)
{
    struct track track = sweep_track(&contest->work, contest->sweep, lane, stage);
    track.blocks = contest_blocks(contest, false);
    track.count = contest->finalist_count;
    track.slots = arena_alloc(&contest->arena, track.count + 1, sizeof(struct slot *));
    for (size_t i = 0; track.slots && i < track.count; i++)
        track.slots[i] = &contest->finalists[i].slot;
    return track;
}

void contest_note_rejection(const struct contest *contest, const struct finalist *finalist)
{
    const struct work *work = &contest->work;
    work->session->summary->gauntlet_failures++;
    problem_note(work->session, &work->problem, "'%s' was among the fastest, but is out: %s",
                 finalist->key, finalist->rejection);
}

enum status candidate_store_verdict(const struct work *work, const struct candidate *candidate,
                                    const char *rejection, int32_t cases, struct error *error)
{
    if (candidate->starved)
        return STATUS_OK;
    const struct store_gauntlet row = {
        .environment_id = work->environment_id,
        .problem_id = work->problem_id,
        .configuration_id = candidate->configuration_id,
        .binary_hash = candidate_binary(work, candidate)->hash,
        .passed = !rejection,
        .cases = cases,
        .detail = rejection,
    };
    return store_gauntlet_put(work->store, &row, error);
}

enum status contest_reject(struct contest *contest, struct finalist *finalist, int32_t cases,
                           const char *why, struct error *error)
{
    finalist->rejection = finalist->slot.candidate->rejected = why;
    if (!why)
        return error_no_memory(error);
    sweep_find_best(contest->sweep);
    contest_note_rejection(contest, finalist);
    return candidate_store_verdict(&contest->work, finalist->slot.candidate, why, cases, error);
}

/* Stores the finalist's trial, and rejects one that was wrong. A result that is wrong in another
 * state is wrong: its failure is stored with the trial in the run's own state. */
static enum status keep_finalist(struct contest *contest, struct track *track,
                                 struct finalist *finalist, size_t state, struct error *error)
{
    const bool is_own = state == CACHE_STATES;
    struct slot *slot = is_own ? &finalist->slot : &finalist->in_state[state].slot;
    const bool failed = slot->outcome.status != TRIAL_OK;
    struct measured measured;
    if (failed && !is_own)
        finalist->slot.outcome = slot->outcome;
    if (is_own && slot->outcome.status == TRIAL_WRONG_RESULT && !finalist->rejection)
        TRY(contest_reject(contest, finalist, 1,
                           arena_strdup(&contest->sweep->arena, slot->outcome.detail), error));
    if (is_own && failed && !slot->candidate->rejected)
        slot->candidate->rejected = trial_status_name(slot->outcome.status);
    if (slot->sample_count == 0 && !(is_own && failed))
        return STATUS_OK;
    TRY(slot_measured(&contest->work, slot, &measured, error));
    return slot_store(&contest->work, track, slot, &measured, false,
                      is_own ? &finalist->trial_id : &finalist->in_state[state].trial_id, error);
}

enum status contest_keep(struct contest *contest, struct track *track, size_t state,
                         enum status status, struct error *error)
{
    struct store *store = contest->work.store;
    struct error keeping = {0};
    (void)track_judge(&contest->work, track); /* the last round may be incomplete */
    enum status kept = store_batch_begin(store, &keeping);
    if (kept == STATUS_OK) {
        kept = track_store(&contest->work, track, &keeping);
        for (size_t i = 0; kept == STATUS_OK && i < contest->finalist_count; i++)
            kept = keep_finalist(contest, track, &contest->finalists[i], state, &keeping);
        kept = store_batch_end(store, kept, &keeping);
    }
    return first_failure(status, kept, &keeping, error);
}

enum status contest_count_rounds(struct contest *contest, const struct track *track,
                                 struct error *error)
{
    const struct protocol *protocol = contest->work.protocol;
    if (!array_grow_by(&contest->twins.items, contest->twins.count, track->round_count,
                       &contest->twins.capacity, sizeof *contest->twins.items))
        return error_no_memory(error);
    for (size_t i = 0; i < track->round_count; i++) {
        contest->rounds.count++;
        contest->rounds.faults[track->faults[i]]++;
        contest->rounds.dropped += track->faults[i] != ROUND_VALID ? 1 : 0;
        const struct conditions *after = &track->records[i].after;
        contest->conditions_known |= !isnan(after->sm_clock_mhz) && after->throttle >= 0;
        contest->beside_others |= track->faults[i] == ROUND_VALID && track->records[i].others > 0;
        contest->rounds.beside += after->other_processes > 0 ? 1 : 0;
        if (track->faults[i] == ROUND_VALID && !isnan(track->twin[i]))
            contest->twins.items[contest->twins.count++] = track->twin[i];
    }
    size_t used = contest->twins.count < ESTIMATE_MAX ? contest->twins.count : ESTIMATE_MAX;
    contest->floor =
        twin_floor(&contest->twins.items[contest->twins.count - used], used, protocol->twin_bias);
    return STATUS_OK;
}

enum status contest_set_levels(struct contest *contest, const struct track *track, size_t level,
                               size_t first, size_t last, struct error *error)
{
    bool *central = malloc((contest->finalist_count + 1) * sizeof *central);
    double *levels = malloc((contest->finalist_count + 1) * sizeof *levels);
    enum status status = central && levels ? STATUS_OK : error_no_memory(error);
    for (size_t i = 0; status == STATUS_OK && i < contest->finalist_count; i++)
        central[i] = !contest->finalists[i].rejection && !contest->finalists[i].raced_out;
    if (status == STATUS_OK)
        status = track_levels(track, central, first, last, levels, error);
    for (size_t i = 0; status == STATUS_OK && i < contest->finalist_count; i++)
        contest->finalists[i].levels[level] = levels[i];
    free(central);
    free(levels);
    return status;
}

/* ---- the fixed order ----
 *
 * Among equally fast configurations the one with the larger domain comes first, then the one with
 * the lower demand. No time counts, so that ties are broken alike everywhere. */

/* A configuration's demand; `values` are its parameters'. */
struct demand {
    struct finalist *finalist;
    int64_t missing; /* sampled sizes outside the domain */
    int64_t launches, shared_bytes, registers;
    int64_t block; /* GPU: threads per block; CPU: threads in all */
    const struct configuration *values;
};

/* Counts the sizes outside the finalist's domain, of multiples of powers of two between a sixteenth
 * and sixteen times the problem's size. */
static int64_t missing_sizes(const struct work *work, bool depends, const struct finalist *finalist)
{
    enum { SIZES = 26, POWERS = 13 };
    const struct prepared *prepared = finalist->slot.prepared;
    const struct narrowing *narrowing = finalist->slot.candidate->narrowing;
    int64_t missing = 0;
    int64_t own[SIZE_NAMES_MAX];
    const size_t names = problem_sizes(&work->problem, own);
    if (!prepared || (!depends && !narrowing))
        return 0;
    for (int i = 0; i < SIZES; i++) {
        const int64_t step = INT64_C(1) << (i % POWERS);
        const double factor = exp2((i * 7 % SIZES) / 3.25 - 4);
        const double size = (double)work->problem.n * factor;
        const int64_t n = ((int64_t)size / step / 2 * 2 + 1) * step;
        int64_t sizes[SIZE_NAMES_MAX];
        struct problem there;
        struct error ignored = {0};
        struct arena scratch = {0};
        bool admits = true;
        for (size_t k = 0; k < names; k++)
            sizes[k] = ((int64_t)((double)own[k] * factor) / step / 2 * 2 + 1) * step;
        there = problem_at(&work->problem, n);
        if (names > 0 && !problem_at_sizes(&work->problem, sizes, names, &scratch, &there))
            admits = false;
        if (admits && depends &&
            space_admits(work->experiment, &there, work->facts, &prepared->configuration, &admits,
                         &ignored) != STATUS_OK)
            admits = false;
        missing +=
            !admits || (narrowing && !domain_has_problem(&narrowing->domain, &there)) ? 1 : 0;
        arena_free(&scratch);
    }
    return missing;
}

static int compare_values(const struct value *a, const struct value *b)
{
    double x = 0;
    double y = 0;
    char left[VALUE_TEXT_BYTES] = "";
    char right[VALUE_TEXT_BYTES] = "";
    if (value_number(*a, &x) && value_number(*b, &y))
        return (x > y) - (x < y);
    (void)value_format(*a, left, sizeof left);
    (void)value_format(*b, right, sizeof right);
    return strcmp(left, right);
}

static int by_demand(const void *left, const void *right)
{
    const struct demand *a = left;
    const struct demand *b = right;
    const int64_t numbers[][2] = {{a->missing, b->missing},
                                  {a->launches, b->launches},
                                  {a->shared_bytes, b->shared_bytes},
                                  {a->registers, b->registers},
                                  {a->block, b->block}};
    int result = 0;
    for (size_t i = 0; result == 0 && i < sizeof numbers / sizeof numbers[0]; i++)
        result = (numbers[i][0] > numbers[i][1]) - (numbers[i][0] < numbers[i][1]);
    for (size_t i = 0; result == 0 && a->launches > 0 && i < a->values->count; i++)
        result = compare_values(&a->values->values[i].value, &b->values->values[i].value);
    return result != 0 ? result : strcmp(a->finalist->key, b->finalist->key);
}

enum status finalists_order(const struct work *work, struct finalist *finalists, size_t count,
                            struct error *error)
{
    struct demand *demands = malloc((count + 1) * sizeof *demands);
    if (!demands)
        return error_no_memory(error);
    const bool depends = work && domain_depends_on_size(work->experiment);
    for (size_t i = 0; i < count; i++) {
        const struct prepared *prepared = finalists[i].slot.prepared;
        struct demand *demand = &demands[i];
        *demand = (struct demand){.finalist = &finalists[i]};
        if (prepared) { /* NULL: never loaded */
            const struct launch *first = &prepared->plan.launches[0];
            demand->values = &prepared->configuration;
            demand->launches = (int64_t)prepared->plan.launch_count;
            demand->block = (int64_t)launch_block_threads(first) + (int64_t)first->threads;
            for (size_t j = 0; j < prepared->plan.launch_count; j++) {
                const struct kernel_resources *resources = &prepared->resources[j];
                int64_t fixed =
                    resources->static_shared_bytes > 0 ? resources->static_shared_bytes : 0;
                int64_t bytes = (int64_t)prepared->plan.launches[j].shared_bytes + fixed;
                demand->shared_bytes = bytes > demand->shared_bytes ? bytes : demand->shared_bytes;
                demand->registers = resources->registers > demand->registers ? resources->registers
                                                                             : demand->registers;
            }
        }
        demands[i].missing = work ? missing_sizes(work, depends, &finalists[i]) : 0;
    }
    qsort(demands, count, sizeof *demands, by_demand);
    for (size_t i = 0; i < count; i++)
        demands[i].finalist->contender.order = i;
    free(demands);
    return STATUS_OK;
}
