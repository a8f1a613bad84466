/* The window of candidates to be tried and compiled next. Baselines come first, so that a budget
 * never leaves them out; then retries; then the search's points, as far ahead as keeps the
 * compilers busy. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/session/contest.h"
#include "tuner/session/prepare.h"

enum {
    /* A search that learns from results is asked for few points at a time. */
    AHEAD_A_COMPILER = 2,
    AHEAD_MIN = 8,
    AHEAD_EXHAUSTIVE = 256,
    /* Batch of an exhaustive search, if compiling comes before measuring. */
    BATCH_EXHAUSTIVE = 4096,
    MANY_POINTS = 100000,
    SIZES_LOOKED_AT = 16,
    BUDGET_MARGIN = 8, /* factor by which trials may be quicker than expected */
};

/* A space as the search of a sweep sees it. */
struct search_view {
    const struct work *work;
    const struct space *space;
    struct index *binaries; /* binaries of requested points */
    uint16_t value_counts[EXPERIMENT_PARAMETERS_MAX];
};

static void values_of(const void *context, uint64_t point, uint16_t *values)
{
    uint16_t all[EXPERIMENT_PARAMETERS_MAX];
    const struct search_view *view = context;
    space_values(view->space, point, all);
    memcpy(values, all, space_dimension_count(view->space) * sizeof all[0]);
}

static bool point_of(const void *context, const uint16_t *values, uint64_t *point)
{
    uint16_t all[EXPERIMENT_PARAMETERS_MAX] = {0};
    const struct search_view *view = context;
    memcpy(all, values, space_dimension_count(view->space) * sizeof all[0]);
    return space_at(view->space, all, point);
}

static double number_of(const void *context, size_t dimension, uint16_t value)
{
    const struct search_view *view = context;
    double number = 0;
    return value_number(space_value(view->space, dimension, value), &number) ? number : (double)NAN;
}

/* Returns whether the point's binary is ready or being compiled, for this problem or another. Each
 * point is looked up once. */
static bool is_ready(const void *context, uint64_t point)
{
    const struct search_view *view = context;
    struct binaries *binaries = &view->work->group->binaries;
    size_t place = NO_BINARY;
    if (!index_find(view->binaries, point, &place)) {
        struct configuration configuration;
        struct candidate wanted = {.binary = NO_BINARY};
        struct error ignored = {0};
        space_configuration(view->space, point, &configuration);
        if (candidate_request_binary(view->work, &wanted, &configuration, false, &ignored) !=
                STATUS_OK ||
            wanted.binary == NO_BINARY)
            return false;
        place = wanted.binary;
        (void)index_put(view->binaries, point, place); /* looked up again without memory */
    }
    const struct binary *binary = &binaries->items[place];
    return binary->state == BINARY_PENDING || binary->state == BINARY_READY ||
           (binary->state == BINARY_KNOWN && file_exists(binary->path));
}

static bool is_bounded(const struct session_options *options)
{
    return options->points > 0 || options->points_share > 0 || options->pick_count > 0;
}

/* Creates the search. A budget of time only decides the strategy; the number of trials follows from
 * their times. */
static enum status create_search(const struct work *work, struct sweep *sweep,
                                 struct search_options *wanted, const struct search_space *space,
                                 struct error *error)
{
    uint64_t most = sweep->allowance.points_most;
    for (size_t i = 0; i < sweep->candidates.count; i++) /* known to the search, but not counted */
        most += (sweep->candidates.items[i]->wanted & WANTED_BASELINE) &&
                sweep->candidates.items[i]->point != NO_POINT;
    uint64_t expected = budget_trials(work->group, &sweep->allowance);
    wanted->trials =
        is_bounded(work->options) || session_leaves_points(work->options, sweep->space_count) ? most
                                                                                              : 0;
    if (expected < sweep->allowance.points_most) {
        struct search *search = NULL;
        wanted->trials = expected;
        TRY(search_create(wanted, space, &search, error));
        wanted->strategy = search_strategy(search);
        wanted->trials = most / BUDGET_MARGIN < expected ? most : expected * BUDGET_MARGIN;
        search_free(search);
    }
    return search_create(wanted, space, &sweep->search, error);
}

static enum status add_to_window(const struct work *work, struct sweep *sweep,
                                 struct candidate *candidate, struct error *error)
{
    if (!array_grow(&sweep->window.items, sweep->window.count, &sweep->window.capacity,
                    sizeof(struct candidate *)))
        return error_no_memory(error);
    candidate->state = CANDIDATE_WAITS;
    sweep->window.items[sweep->window.count++] = candidate;
    return sweep_request_binary(work, sweep, candidate, true, error);
}

/* Adds baselines, then other candidates that come first. The search gets the known results, also of
 * points that it would not have requested. */
static enum status add_first(const struct work *work, struct sweep *sweep, struct error *error)
{
    const struct candidates *candidates = &sweep->candidates;
    for (size_t i = 0; i < candidates->count; i++) {
        struct candidate *candidate = candidates->items[i];
        if (candidate->state == CANDIDATE_DONE && candidate->point != NO_POINT)
            search_tell(sweep->search, candidate->point, candidate->value);
        if (candidate->state != CANDIDATE_NEW || !(candidate->wanted & WANTED_BASELINE))
            continue;
        sweep->window.baselines_left++;
        TRY(add_to_window(work, sweep, candidate, error));
    }
    for (size_t i = 0; i < candidates->count; i++) {
        struct candidate *candidate = candidates->items[i];
        if (candidate->state != CANDIDATE_NEW || !(candidate->wanted & WANTED_FIRST))
            continue;
        sweep->points++;
        TRY(add_to_window(work, sweep, candidate, error));
    }
    return STATUS_OK;
}

/* Ends a search that has settled before: with all results known in another order, it might not
 * settle at once. */
static enum status end_settled(const struct work *work, struct sweep *sweep, struct error *error)
{
    const struct store_search same = {.problem_id = work->problem_id,
                                      .asked = work->options->strategy ? work->options->strategy
                                                                       : "auto",
                                      .space_count = sweep->space_count,
                                      .points_most = sweep->allowance.points_most};
    uint64_t points = 0, known = 0;
    TRY(store_search_settled(work->store, work->environment_id, &same, &points, error));
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        const struct candidate *candidate = sweep->candidates.items[i];
        known += candidate->state == CANDIDATE_DONE && candidate->point != NO_POINT;
    }
    if (points > 0 && known >= points)
        search_end(sweep->search);
    return STATUS_OK;
}

enum status window_start(const struct work *work, struct sweep *sweep, struct error *error)
{
    const struct session_options *options = work->options;
    struct search_options wanted = {
        .strategy = options->strategy ? options->strategy : "auto",
        .until = options->until,
        .seed = hash_u64(work->problem.key, strlen(work->problem.key),
                         options->seed ^ (uint64_t)work->problem.n),
    };
    struct search_view *view = arena_alloc(&sweep->arena, 1, sizeof *view);
    sweep->view = view;
    if (!view || !(view->binaries = arena_alloc(&sweep->arena, 1, sizeof *view->binaries)))
        return error_no_memory(error);
    view->work = work;
    view->space = sweep->space;
    for (size_t i = 0; i < space_dimension_count(sweep->space); i++)
        view->value_counts[i] = (uint16_t)space_value_count(sweep->space, i);
    const struct search_space space = {
        .context = view,
        .count = sweep->space_count,
        .dimensions = space_dimension_count(sweep->space),
        .value_counts = view->value_counts,
        .values = values_of,
        .find = point_of,
        .number = number_of,
        /* A recording has no compilers. */
        .is_ready = options->recording ? NULL : is_ready,
    };
    TRY(create_search(work, sweep, &wanted, &space, error));
    const bool leaves = session_leaves_points(options, sweep->space_count);
    if (sweep->space_count >= MANY_POINTS && options->budget_ns == 0 && options->until == 0 &&
        !is_bounded(options) && !leaves)
        problem_note(work->session, &work->problem, /* else the user would find out after a day */
                     "its space has %llu points, and nothing says how many may be tried; --points, "
                     "--until or --budget does",
                     (unsigned long long)sweep->space_count);
    size_t begun = 0;
    TRY(sweep_seed_winners(work, sweep, error));
    TRY(sweep_seed_elsewhere(work, sweep, &begun, error));
    const bool settles = leaves && begun >= SEARCH_BEGUN;
    if (leaves)
        TRY(end_settled(work, sweep, error));
    if (settles)
        search_end_when_settled(sweep->search, SEARCH_TRIALS_BEGUN, SEARCH_SETTLED);
    if (leaves && is_first_problem(&work->session->summary->searched_in_part))
        problem_note(work->session, &work->problem,
                     "%llu of its %llu configurations %s tried%s; --points, --until or --budget "
                     "may say otherwise",
                     (unsigned long long)sweep->allowance.points_most,
                     (unsigned long long)sweep->space_count,
                     sweep->allowance.points_most == 1 ? "is" : "are",
                     settles ? " at most, fewer when nothing better comes" : "");
    return add_first(work, sweep, error);
}

/* Adds one more of the search's points; *got false: none for now. */
static enum status next_point(const struct work *work, struct sweep *sweep, bool *got,
                              struct error *error)
{
    uint64_t point = 0;
    struct candidate *candidate = NULL;
    *got = sweep->points < sweep->allowance.points_most && search_ask(sweep->search, &point);
    if (!*got)
        return STATUS_OK;
    TRY(sweep_candidate(work, sweep, point, &candidate, error));
    if (candidate->state == CANDIDATE_WAITS)
        return STATUS_OK;
    if (candidate->state == CANDIDATE_DONE) {
        search_tell(sweep->search, point, candidate->value);
        return STATUS_OK;
    }
    sweep->points++;
    return add_to_window(work, sweep, candidate, error);
}

bool window_waits(const struct work *work, const struct sweep *sweep)
{
    const struct session_options *options = work->options;
    if (options->budget_ns == 0 || options->recording ||
        (!options->compiles_beside_measuring && sweep->window.count > 0))
        return false;
    for (size_t i = 0; i < sweep->window.count; i++) {
        const struct binary *binary = candidate_binary(work, sweep->window.items[i]);
        if (!binary || binary->state != BINARY_PENDING)
            return false;
    }
    return true;
}

/* Finds the fastest candidate of other sizes in this run, tried or only requested there, whose
 * binary is ready and which is untried here. False: none. */
static bool best_ready(const struct work *work, const struct sweep *sweep, uint64_t *point)
{
    double least = (double)INFINITY;
    const struct contest *contest = work->group->last_contest;
    for (size_t i = 0; contest && i < SIZES_LOOKED_AT; i++, contest = contest->previous) {
        const struct sweep *other = contest->sweep;
        if (strcmp(contest->work.problem.key, work->problem.key) != 0 || !other->best)
            continue;
        for (size_t c = 0; c < other->candidates.count; c++) {
            struct configuration room;
            uint64_t here = 0;
            const struct candidate *candidate = other->candidates.items[c];
            const struct binary *binary = candidate_binary(work, candidate);
            /* More than any measured one if it was compiled too late; NaN: not usable. */
            const double slower = candidate->state != CANDIDATE_DONE ? DBL_MAX
                                  : candidate_works(candidate) && !candidate->same_as
                                      ? candidate->median_ns / other->best->median_ns
                                      : (double)NAN;
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

enum status window_fill(const struct work *work, struct sweep *sweep, struct error *error)
{
    bool got = true;
    const bool beside = work->options->compiles_beside_measuring;
    /* A batch is compiled, then measured; the first one of a budget keeps all compilers busy. */
    const bool adds_to_baselines =
        work->options->budget_ns > 0 && sweep->points == 0 && sweep->measured == 0;
    if (sweep->window.is_closed || (!beside && sweep->window.count > 0 && !adds_to_baselines))
        return STATUS_OK;
    const struct binaries *binaries = &work->group->binaries;
    const bool exhaustive = strcmp(search_strategy(sweep->search), "exhaustive") == 0;
    size_t most = AHEAD_A_COMPILER * binaries->workers + work->group->lane_count;
    most = most > AHEAD_MIN ? most : AHEAD_MIN;
    /* Binaries that the budget cannot measure are not worth compiling. */
    if (exhaustive && (beside || work->options->budget_ns == 0))
        most = beside ? AHEAD_EXHAUSTIVE : BATCH_EXHAUSTIVE;
    most = budget_batch(work->group, &sweep->allowance, most);
    /* While inputs are made no lane requests more. */
    const size_t queued = sweep->inputs.setup_ns == 0 ? most : binaries->workers;
    while (got && sweep->window.count < most) {
        /* A waiting search is hurried, so that all compilers serve the points of a small budget. */
        search_hurry(sweep->search, beside && compile_pool_pending(binaries->pool) < queued &&
                                        window_waits(work, sweep));
        TRY(next_point(work, sweep, &got, error));
    }
    uint64_t point = 0;
    struct candidate *candidate = NULL;
    if (sweep->window.baselines_left > 0 || sweep->points >= sweep->allowance.points_most ||
        !beside || !window_waits(work, sweep) || !best_ready(work, sweep, &point))
        return STATUS_OK;
    TRY(sweep_candidate(work, sweep, point, &candidate, error));
    sweep->points++;
    return add_to_window(work, sweep, candidate, error);
}

struct candidate *window_take(const struct work *work, struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->window.count; i++) {
        struct candidate *candidate = sweep->window.items[i];
        const struct binary *binary = candidate_binary(work, candidate);
        if (binary && binary->state == BINARY_PENDING) {
            if (work->options->recording) /* without compilers: in the order of requests */
                return NULL;
            continue;
        }
        sweep->window.count--;
        memmove(&sweep->window.items[i], &sweep->window.items[i + 1],
                (sweep->window.count - i) * sizeof(struct candidate *));
        sweep->window.in_hand++;
        return candidate;
    }
    return NULL;
}

enum status window_put_back(const struct work *work, struct sweep *sweep,
                            struct candidate *candidate, struct error *error)
{
    enum status status = add_to_window(work, sweep, candidate, error);
    sweep->window.in_hand--;
    if (status != STATUS_OK)
        return status;
    memmove(&sweep->window.items[1], sweep->window.items,
            (sweep->window.count - 1) * sizeof(struct candidate *));
    sweep->window.items[0] = candidate;
    return STATUS_OK;
}

void window_end(struct sweep *sweep)
{
    search_free(sweep->search);
    sweep->search = NULL;
    if (sweep->view && sweep->view->binaries)
        index_free(sweep->view->binaries);
    sweep->view = NULL;
    free(sweep->window.items);
    sweep->window = (struct window){0};
}
