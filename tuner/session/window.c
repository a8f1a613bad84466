/* What is tried next, and what is compiled meanwhile. Baselines go before all else, so that a
 * budget never leaves them out; what is to be tried again follows; then what the search asks for,
 * as far ahead as keeps the compilers busy. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/session/prepare.h"
#include "tuner/session/sweep.h"

enum {
    /* A search that goes by what it was told is asked for little at a time. */
    AHEAD_A_COMPILER = 2,
    AHEAD_LEAST = 8,
    AHEAD_EXHAUSTIVE = 256,
    /* Where compiling comes before measuring, an exhaustive search is compiled in as large parts.
     */
    BATCH_EXHAUSTIVE = 4096,
    MANY_POINTS = 100000,
    SIZES_LOOKED_AT = 16,
    BUDGET_MARGIN = 8, /* trials may turn out to be so much quicker than expected */
};

static void values_of(const void *context, uint64_t point, uint16_t *values)
{
    uint16_t all[EXPERIMENT_PARAMETERS_MAX];
    const struct sweep *sweep = context;
    space_values(sweep->space, point, all);
    memcpy(values, all, space_dimension_count(sweep->space) * sizeof all[0]);
}

static bool point_of(const void *context, const uint16_t *values, uint64_t *point)
{
    uint16_t all[EXPERIMENT_PARAMETERS_MAX] = {0};
    const struct sweep *sweep = context;
    memcpy(all, values, space_dimension_count(sweep->space) * sizeof all[0]);
    return space_at(sweep->space, all, point);
}

static double number_of(const void *context, size_t dimension, uint16_t value)
{
    const struct sweep *sweep = context;
    double number = 0;
    return value_number(space_value(sweep->space, dimension, value), &number) ? number
                                                                              : (double)NAN;
}

/* Whether its binary is there, or being compiled, for this problem or another. Which it is, is
 * found out once. */
static bool is_ready(const void *context, uint64_t point)
{
    const struct sweep *sweep = context;
    struct binaries *binaries = &sweep->work.group->binaries;
    size_t place = NO_BINARY;
    if (!index_find(sweep->binaries, point, &place)) {
        struct configuration configuration;
        struct candidate asked = {.binary = NO_BINARY};
        struct error ignored = {0};
        space_configuration(sweep->space, point, &configuration);
        if (candidate_ask_binary(&sweep->work, &asked, &configuration, false, &ignored) !=
                STATUS_OK ||
            asked.binary == NO_BINARY)
            return false;
        place = asked.binary;
        (void)index_put(sweep->binaries, point, place); /* else it is looked up again */
    }
    const struct binary *binary = &binaries->items[place];
    return binary->state == BINARY_PENDING || binary->state == BINARY_READY ||
           (binary->state == BINARY_KNOWN && file_exists(binary->path));
}

static bool is_bounded(const struct session_options *options)
{
    return options->points > 0 || options->points_share > 0 || options->pick_count > 0;
}

/* A budget of time only says which strategy is fit: how many trials it comes to is seen then. */
static enum status create_search(struct sweep *sweep, struct search_options *wanted,
                                 const struct search_space *space, struct error *error)
{
    uint64_t most = sweep->allowance.points_most;
    for (size_t i = 0; i < sweep->candidates.count; i++) /* told of, but not counted */
        most += (sweep->candidates.items[i]->wanted & WANTED_BASELINE) &&
                sweep->candidates.items[i]->point != NO_POINT;
    uint64_t expected = budget_trials(sweep->work.group, &sweep->allowance);
    wanted->trials = is_bounded(sweep->work.options) ||
                             session_leaves_points(sweep->work.options, sweep->space_count)
                         ? most
                         : 0;
    if (expected < sweep->allowance.points_most) {
        struct search *search = NULL;
        wanted->trials = expected;
        enum status status = search_create(wanted, space, &search, error);
        if (status != STATUS_OK)
            return status;
        wanted->strategy = search_strategy(search);
        wanted->trials = most / BUDGET_MARGIN < expected ? most : expected * BUDGET_MARGIN;
        search_free(search);
    }
    return search_create(wanted, space, &sweep->search, error);
}

static enum status add_to_window(struct sweep *sweep, struct candidate *candidate,
                                 struct error *error)
{
    if (!array_grow(&sweep->window, sweep->window_count, &sweep->window_capacity,
                    sizeof(struct candidate *)))
        return error_no_memory(error);
    candidate->state = CANDIDATE_WAITS;
    sweep->window[sweep->window_count++] = candidate;
    return sweep_ask_binary(sweep, candidate, true, error);
}

/* Baselines, then what else is wanted first. The search is told what is known, also of points that
 * it would never have asked for. */
static enum status add_first(struct sweep *sweep, struct error *error)
{
    const struct candidates *candidates = &sweep->candidates;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < candidates->count; i++) {
        struct candidate *candidate = candidates->items[i];
        if (candidate->state == CANDIDATE_DONE && candidate->point != NO_POINT)
            search_tell(sweep->search, candidate->point, candidate->value);
        if (candidate->state != CANDIDATE_NEW || !(candidate->wanted & WANTED_BASELINE))
            continue;
        sweep->baselines_left++;
        status = add_to_window(sweep, candidate, error);
    }
    for (size_t i = 0; status == STATUS_OK && i < candidates->count; i++) {
        struct candidate *candidate = candidates->items[i];
        if (candidate->state != CANDIDATE_NEW || !(candidate->wanted & WANTED_FIRST))
            continue;
        sweep->points++;
        status = add_to_window(sweep, candidate, error);
    }
    return status;
}

enum status window_start(struct sweep *sweep, struct error *error)
{
    const struct session_options *options = sweep->work.options;
    struct search_options wanted = {
        .strategy = options->strategy ? options->strategy : "auto",
        .until = options->until,
        .seed = hash_u64(sweep->work.problem.key, strlen(sweep->work.problem.key),
                         options->seed ^ (uint64_t)sweep->work.problem.n),
    };
    struct search_space space = {
        .context = sweep,
        .count = sweep->space_count,
        .dimensions = space_dimension_count(sweep->space),
        .value_counts = sweep->value_counts,
        .values = values_of,
        .find = point_of,
        .number = number_of,
        /* A recording has no compilers. */
        .is_ready = options->recording ? NULL : is_ready,
    };
    sweep->binaries = calloc(1, sizeof *sweep->binaries);
    if (!sweep->binaries)
        return error_no_memory(error);
    enum status status = create_search(sweep, &wanted, &space, error);
    if (status != STATUS_OK)
        return status;
    const bool leaves = session_leaves_points(options, sweep->space_count);
    if (sweep->space_count >= MANY_POINTS && options->budget_ns == 0 && options->until == 0 &&
        !is_bounded(options) && !leaves)
        session_note(sweep->work.session, /* nobody wants to find out after a day */
                     "%s n=%lld: its space has %llu points, and nothing says how many may be "
                     "tried; --points, --until or --budget does",
                     sweep->work.problem.key, (long long)sweep->work.problem.n,
                     (unsigned long long)sweep->space_count);
    size_t begun = 0;
    status = sweep_tell_winners(sweep, error);
    if (status == STATUS_OK)
        status = sweep_tell_elsewhere(sweep, &begun, error);
    const bool settles = leaves && begun >= SEARCH_BEGUN;
    if (settles)
        search_end_when_settled(sweep->search, SEARCH_TRIALS_BEGUN, SEARCH_SETTLED);
    if (status == STATUS_OK && leaves &&
        is_first_problem(&sweep->work.session->summary->searched_in_part))
        session_note(sweep->work.session,
                     "%s n=%lld: %llu of its %llu configurations are tried%s; --points, --until or "
                     "--budget may say otherwise",
                     sweep->work.problem.key, (long long)sweep->work.problem.n,
                     (unsigned long long)sweep->allowance.points_most,
                     (unsigned long long)sweep->space_count,
                     settles ? " at most, fewer when nothing better comes" : "");
    return status == STATUS_OK ? add_first(sweep, error) : status;
}

static size_t ahead(const struct sweep *sweep)
{
    const struct group *group = sweep->work.group;
    const struct session_options *options = sweep->work.options;
    bool exhaustive = strcmp(search_strategy(sweep->search), "exhaustive") == 0;
    size_t least = AHEAD_A_COMPILER * group->binaries.workers + group->lane_count;
    /* A budget must not be spent on binaries that nobody comes to measure. */
    if (exhaustive && !options->compiles_beside_measuring && options->budget_ns == 0)
        return BATCH_EXHAUSTIVE;
    if (exhaustive && options->compiles_beside_measuring)
        return AHEAD_EXHAUSTIVE;
    return least > AHEAD_LEAST ? least : AHEAD_LEAST;
}

/* One more of the search's points; *got false: it has none for now. */
static enum status next_point(struct sweep *sweep, bool *got, struct error *error)
{
    uint64_t point = 0;
    struct candidate *candidate = NULL;
    *got = sweep->points < sweep->allowance.points_most && search_ask(sweep->search, &point);
    if (!*got)
        return STATUS_OK;
    enum status status = sweep_candidate(sweep, point, &candidate, error);
    if (status != STATUS_OK || candidate->state == CANDIDATE_WAITS)
        return status;
    if (candidate->state == CANDIDATE_DONE) {
        search_tell(sweep->search, point, candidate->value);
        return STATUS_OK;
    }
    sweep->points++;
    return add_to_window(sweep, candidate, error);
}

/* Where a budget counts, and all that is to be tried is still compiled. */
static bool device_waits(const struct sweep *sweep)
{
    const struct session_options *options = sweep->work.options;
    if (options->budget_ns == 0 || !options->compiles_beside_measuring || options->recording)
        return false;
    for (size_t i = 0; i < sweep->window_count; i++) {
        const struct binary *binary = candidate_binary(&sweep->work, sweep->window[i]);
        if (!binary || binary->state != BINARY_PENDING)
            return false;
    }
    return true;
}

/* How many times as long as the best it took in its sweep; of what was compiled too late for that,
 * more than of anything that was measured. NaN: it is of no use. */
static double slower_than_best(const struct sweep *sweep, const struct candidate *candidate)
{
    if (candidate->state != CANDIDATE_DONE)
        return DBL_MAX;
    return candidate_works(candidate) && !candidate->same_as
               ? candidate->median_ns / sweep->best->median_ns
               : (double)NAN;
}

/* The fastest of what other sizes have tried in this run, or meant to, that has its binary and was
 * not tried here. False: there is none. */
static bool best_ready(const struct sweep *sweep, uint64_t *point)
{
    double least = (double)INFINITY;
    const struct sweep *other = sweep->work.group->last_sweep;
    for (size_t i = 0; other && i < SIZES_LOOKED_AT; i++, other = other->previous) {
        if (strcmp(other->work.problem.key, sweep->work.problem.key) != 0 || !other->best)
            continue;
        for (size_t c = 0; c < other->candidates.count; c++) {
            struct configuration room;
            uint64_t here = 0;
            const struct candidate *candidate = other->candidates.items[c];
            const struct binary *binary = candidate_binary(&other->work, candidate);
            const double slower = slower_than_best(other, candidate);
            if (!(slower < least) || !binary || binary->state != BINARY_READY ||
                !space_find(sweep->space,
                            candidate_configuration(&other->candidates, candidate, &room), &here) ||
                candidates_at_point(&sweep->candidates, here))
                continue;
            least = slower;
            *point = here;
        }
    }
    return isfinite(least);
}

/* While compilers are at work on what the search asks for, what needs none is tried. */
static enum status add_ready(struct sweep *sweep, struct error *error)
{
    uint64_t point = 0;
    struct candidate *candidate = NULL;
    if (sweep->baselines_left > 0 || sweep->points >= sweep->allowance.points_most ||
        !device_waits(sweep) || !best_ready(sweep, &point))
        return STATUS_OK;
    enum status status = sweep_candidate(sweep, point, &candidate, error);
    if (status != STATUS_OK)
        return status;
    sweep->points++;
    return add_to_window(sweep, candidate, error);
}

enum status window_fill(struct sweep *sweep, struct error *error)
{
    bool got = true;
    size_t most = ahead(sweep);
    enum status status = STATUS_OK;
    if (!sweep->work.options->compiles_beside_measuring && sweep->window_count > 0)
        return STATUS_OK; /* a batch is compiled, then measured */
    const struct binaries *binaries = &sweep->work.group->binaries;
    /* While inputs are made nobody comes to ask for more. */
    const size_t queued = sweep->inputs.tell_ns == 0 ? most : binaries->workers;
    while (status == STATUS_OK && got && sweep->window_count < most) {
        /* The search waits for what is still compiled: the points of a small budget are had by all
         * compilers. */
        search_hurry(sweep->search,
                     compile_pool_pending(binaries->pool) < queued && device_waits(sweep));
        status = next_point(sweep, &got, error);
    }
    return status == STATUS_OK ? add_ready(sweep, error) : status;
}

struct candidate *window_take(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->window_count; i++) {
        struct candidate *candidate = sweep->window[i];
        const struct binary *binary = candidate_binary(&sweep->work, candidate);
        if (binary && binary->state == BINARY_PENDING) {
            if (sweep->work.options->recording) /* which has no compilers: in the order of asking */
                return NULL;
            continue;
        }
        sweep->window_count--;
        memmove(&sweep->window[i], &sweep->window[i + 1],
                (sweep->window_count - i) * sizeof(struct candidate *));
        sweep->in_hand++;
        return candidate;
    }
    return NULL;
}

enum status window_put_back(struct sweep *sweep, struct candidate *candidate, struct error *error)
{
    enum status status = add_to_window(sweep, candidate, error);
    sweep->in_hand--;
    if (status != STATUS_OK)
        return status;
    memmove(&sweep->window[1], sweep->window,
            (sweep->window_count - 1) * sizeof(struct candidate *));
    sweep->window[0] = candidate;
    return STATUS_OK;
}

void window_done(struct sweep *sweep, struct candidate *candidate)
{
    sweep->in_hand--;
    sweep->baselines_left -= candidate->wanted & WANTED_BASELINE ? 1 : 0;
    if (candidate->point != NO_POINT)
        search_tell(sweep->search, candidate->point, candidate->value);
}
