#include "tuner/search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"
#include "tuner/search/strategy.h"

static const struct strategy *const strategies[] = {&strategy_exhaustive, &strategy_random,
                                                    &strategy_local, &strategy_surrogate};
enum { STRATEGY_COUNT = sizeof strategies / sizeof strategies[0] };

enum {
    /* Pending points of a learning strategy: an eighth of the results, within these bounds, and at
       most a sixteenth of the trials. Few while little is known, then enough for all cores to
       compile. */
    PENDING_FIRST = 8,
    PENDING_MAX = 32,
    PENDING_MIN = 4,
    PENDING_SHARE = 8,
    PENDING_TRIALS_SHARE = 16,
    SURE_SHARE =
        4, /* further results, as a share, before a search ends because no better point is left */
};

static const double until_chance = 0.1;
static const double settled_share = 0.005; /* least relative gain of a better result */
/* Fewer results this near to the best leave the best alone, and others may follow. */
static const double near_share = 0.02;
enum { NEAR_MIN = 24 };

struct search {
    const struct strategy *strategy;
    void *state;
    struct trail trail;
    double until;
    size_t looked_at, sure_since;    /* results at the last estimate, and at the first small chance;
                                        SIZE_MAX: none */
    uint64_t settled_least, settled; /* limits of search_end_when_settled; 0: never */
    double best;                     /* best value at the last gain, */
    size_t better_at;                /* and the number of results then */
    bool is_begun;                   /* scratch memory for a point */
    bool is_ended;                   /* by the caller */
    bool failed;                     /* no memory: no further points */
};

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
    if (value < least)
        return least;
    return value > most ? most : value;
}

/* Returns whether as many points are pending as the strategy can use. */
static bool waits(const struct search *search)
{
    const struct trail *trail = &search->trail;
    const uint64_t by_trials =
        clamp(trail->trials / PENDING_TRIALS_SHARE, PENDING_MIN, PENDING_MAX);
    const uint64_t by_results = clamp(trail->results / PENDING_SHARE, PENDING_FIRST, PENDING_MAX);
    const uint64_t most = trail->hurries           ? PENDING_MAX
                          : by_results < by_trials ? by_results
                                                   : by_trials;
    return search->strategy->learns && trail_pending(trail) >= most;
}

void search_hurry(struct search *search, bool hurries)
{
    search->trail.hurries = hurries;
}

enum status search_create(const struct search_options *options, const struct search_space *space,
                          struct search **out, struct error *error)
{
    const bool is_small =
        options->trials >= space->count || (options->trials == 0 && space->count <= SEARCH_ALL_MAX);
    const struct strategy *strategy = NULL;
    if (strcmp(options->strategy, "auto") == 0)
        strategy = options->until > 0 || !is_small ? &strategy_surrogate : &strategy_exhaustive;
    for (size_t i = 0; i < STRATEGY_COUNT && !strategy; i++)
        if (strcmp(strategies[i]->name, options->strategy) == 0)
            strategy = strategies[i];
    if (!strategy) {
        const char *names[STRATEGY_COUNT];
        for (size_t i = 0; i < STRATEGY_COUNT; i++)
            names[i] = strategies[i]->name;
        const char *nearest = nearest_word(options->strategy, names, STRATEGY_COUNT);
        return error_set(error, STATUS_USAGE, "unknown search strategy '%s'; did you mean '%s'?",
                         options->strategy, nearest ? nearest : names[0]);
    }
    if (options->until > 0 && !strategy->chance_of_better)
        return error_set(error, STATUS_USAGE,
                         "the strategy '%s' has no model that says when to stop; '%s' has one",
                         strategy->name, strategy_surrogate.name);
    struct search *search = calloc(1, sizeof *search);
    TRY_MEMORY(search);
    search->strategy = strategy;
    search->until = options->until;
    search->looked_at = search->sure_since = SIZE_MAX;
    search->best = (double)INFINITY;
    trail_create(&search->trail, space, options);
    search->state = strategy->create ? strategy->create(&search->trail) : &search->trail;
    if (!search->state) {
        trail_destroy(&search->trail);
        free(search);
        return error_no_memory(error);
    }
    *out = search;
    return STATUS_OK;
}

const char *search_strategy(const struct search *search)
{
    return search->strategy->name;
}

const char *search_strategy_name(size_t index)
{
    return index < STRATEGY_COUNT ? strategies[index]->name : NULL;
}

const char *search_strategy_about(size_t index)
{
    return index < STRATEGY_COUNT ? strategies[index]->about : NULL;
}

void search_free(struct search *search)
{
    if (!search)
        return;
    if (search->strategy->free)
        search->strategy->free(search->state);
    trail_destroy(&search->trail);
    free(search);
}

/* Returns whether the model is sure that nothing better is left, for some further points as well:
 * it may be too sure of a small chance, which these show soon. Results of an earlier run need none,
 * since that run had them. */
static bool is_sure(struct search *search)
{
    const size_t results = search->trail.results;
    if (search->until > 0 && search->looked_at != results) {
        search->looked_at = results;
        if (!(search_chance_of_better(search, search->until) <= until_chance))
            search->sure_since = SIZE_MAX;
        else if (search->sure_since == SIZE_MAX)
            search->sure_since = search->is_begun ? results : 0;
    }
    return search->sure_since != SIZE_MAX &&
           (results == search->trail.space.count ||
            results >= search->sure_since + search->sure_since / SURE_SHARE);
}

void search_end_when_settled(struct search *search, uint64_t least, uint64_t settled)
{
    search->settled_least = least;
    search->settled = settled;
}

void search_end(struct search *search)
{
    search->is_ended = true;
}

static bool has_settled(const struct search *search)
{
    const struct trail *trail = &search->trail;
    const double best = trail_best_value(trail);
    size_t near = 0;
    if (search->settled == 0 || trail->count < search->settled_least ||
        trail->count < search->better_at + search->settled)
        return false;
    for (size_t i = 0; i < trail->count; i++)
        near += trail->records[i].value <= best + near_share * fabs(best) ? 1 : 0;
    return near >= NEAR_MIN;
}

/* Gets a winner of elsewhere, the likeliest good point while little is known, for one trial. The
 * turns between belong to the strategy, every other one of these with regard to trials elsewhere.
 */
static bool ask_winner(struct search *search, uint64_t *point)
{
    struct trail *trail = &search->trail;
    if (trail->count % (trail->elsewhere_count > 0 ? 4 : 2) != 1 || !trail_may_try_winner(trail))
        return false;
    while (trail->winner_next < trail->winner_count) {
        *point = trail->winners[trail->winner_next++];
        if (!trail_find(trail, *point)) {
            trail->winners_tried++;
            return true;
        }
    }
    return false;
}

bool search_ask(struct search *search, uint64_t *point)
{
    struct trail *trail = &search->trail;
    if (search->failed || search->is_ended || trail->count >= trail->trials || waits(search) ||
        has_settled(search) || is_sure(search))
        return false;
    if (!ask_winner(search, point) && !search->strategy->ask(search->state, point))
        return false;
    search->is_begun = true;
    search->failed = !trail_add(trail, *point);
    return !search->failed;
}

void search_tell(struct search *search, uint64_t point, double value)
{
    struct trail *trail = &search->trail;
    if (point >= trail->space.count)
        return;
    struct trail_record *record = trail_find(trail, point);
    if (!record)
        record = trail_add(trail, point);
    if (!record)
        search->failed = true;
    if (!record || record->has_result)
        return;
    trail_tell(trail, record, value);
    if (value < search->best - (isfinite(search->best) ? settled_share * fabs(search->best) : 0)) {
        search->best = value;
        search->better_at = trail->results;
    }
    if (search->strategy->tell)
        search->strategy->tell(search->state, record);
}

double search_chance_of_better(struct search *search, double share)
{
    if (search->trail.results == search->trail.space.count)
        return 0;
    return search->strategy->chance_of_better
               ? search->strategy->chance_of_better(search->state, share)
               : (double)NAN;
}

double search_most_better(struct search *search, double probability)
{
    double least = 0, most = 1;
    if (isnan(search_chance_of_better(search, least)) ||
        search_chance_of_better(search, least) <= probability)
        return search_chance_of_better(search, least) <= probability ? 0 : (double)NAN;
    for (int i = 0; i < 24; i++) {
        const double middle = 0.5 * (least + most);
        if (search_chance_of_better(search, middle) <= probability)
            most = middle;
        else
            least = middle;
    }
    return most;
}

bool search_tell_winner(struct search *search, uint64_t point)
{
    struct trail *trail = &search->trail;
    bool is_new = !search->strategy->is_uniform && point < trail->space.count;
    for (size_t i = 0; is_new && i < trail->winner_count; i++)
        is_new = trail->winners[i] != point;
    if (!is_new)
        return false;
    if (array_grow(&trail->winners, trail->winner_count, &trail->winner_capacity,
                   sizeof *trail->winners))
        trail->winners[trail->winner_count++] = point;
    else
        search->failed = true;
    return true;
}

void search_tell_elsewhere(struct search *search, size_t source, const uint16_t *values,
                           double value)
{
    struct trail *trail = &search->trail;
    if (!array_grow(&trail->elsewhere, trail->elsewhere_count, &trail->elsewhere_capacity,
                    sizeof *trail->elsewhere)) {
        search->failed = true;
        return;
    }
    struct trail_elsewhere *added = &trail->elsewhere[trail->elsewhere_count++];
    *added =
        (struct trail_elsewhere){.source = source, .value = isfinite(value) ? value : (double)NAN};
    memcpy(added->values, values, trail->space.dimensions * sizeof values[0]);
}

bool search_was_misled(const struct search *search)
{
    return search->strategy->was_misled && search->strategy->was_misled(search->state);
}

bool search_learns_from_elsewhere(const struct search *search)
{
    return search->strategy->chance_of_better != NULL; /* a strategy with a model */
}
