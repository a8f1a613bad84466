/* Few configurations for problems of several sizes. The winners at some sizes are looked at where
 * others won, nearest first; the smallest set that loses little anywhere is chosen, and the box of
 * all sizes is cut into boxes with one configuration each. Looks between the sizes may cut the
 * boxes anew. */
#include "tuner/session/boxes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/domain.h"
#include "tuner/experiment/recall.h"
#include "tuner/session/check.h"
#include "tuner/session/look.h"
#include "tuner/session/losses.h"
#include "tuner/stats/boxes.h"
#include "tuner/store/evidence.h"

_Static_assert((int)BOX_NAMES_MAX >= (int)SIZE_NAMES_MAX, "a box has all sizes");

enum { SPOTS_MAX = 256, ROUNDS_MAX = 4 };

/* Index of no configuration. */
static const size_t no_configuration = SIZE_MAX;

/* Configurations that seem to lose this much more than the limit are not looked at. */
static const double hopeless = 0.15;

/* A tuple of sizes with known results. */
struct spot {
    struct problem problem;
    int64_t sizes[SIZE_NAMES_MAX];
    bool measured; /* true: a size of the experiment; false: a size between two */
    size_t first; /* winner there; between sizes, the configuration that others are compared with */
    size_t ends[2];    /* winners on either side, of a spot between sizes */
    bool looked;       /* a look between sizes had a result */
    struct losses was; /* known to the store */
};

/* Ratio of a configuration's time to that of the spot's first. */
struct known_ratio {
    bool is_known; /* known, or never to be known */
    double ratio;  /* INFINITY: not usable there */
    double low, high;
};

struct boxing {
    struct work work; /* gives the family by its problem */
    struct lane *lane;
    struct arena arena;
    size_t names;
    struct spot *spots;
    size_t spot_count;
    struct known_configuration *pool;
    size_t *homes;    /* spot of each one's first win */
    size_t count;     /* configurations in the pool */
    int64_t *refuted; /* ids of configurations that were wrong somewhere */
    size_t refuted_count;
    struct known_ratio *ratios; /* [spot * count + configuration] */
    double *loss;               /* same index: the loss by which boxes are cut */
    bool *chosen;
    struct size_box *boxes;
    size_t box_count;
};

static struct known_ratio *ratio_of(const struct boxing *boxing, size_t spot, size_t configuration)
{
    return &boxing->ratios[spot * boxing->count + configuration];
}

/* ---- the store's results ---- */

static size_t find_in_pool(const struct boxing *boxing, int64_t id)
{
    size_t i = 0;
    while (i < boxing->count && boxing->pool[i].id != id)
        i++;
    return i;
}

static bool add_to_pool(struct boxing *boxing, const struct known_configuration *known, size_t home,
                        struct error *error)
{
    const size_t place = find_in_pool(boxing, known->id);
    struct configuration configuration;
    bool found = false;
    if (place < boxing->count)
        return true;
    for (size_t i = 0; i < boxing->refuted_count; i++)
        if (boxing->refuted[i] == known->id)
            return true;
    if (recall_configuration(boxing->work.experiment, known->parameters, &boxing->arena,
                             &configuration, &found, error) != STATUS_OK)
        return false;
    if (!found)
        return true;
    boxing->homes[boxing->count] = home;
    boxing->pool[boxing->count] = *known;
    boxing->pool[place].configuration =
        arena_copy(&boxing->arena, &configuration, sizeof configuration);
    if (!boxing->pool[boxing->count++].configuration)
        (void)error_no_memory(error);
    return boxing->pool[place].configuration != NULL;
}

/* Counts the sizes at which the configuration was shown to lose little. */
static size_t count_good(const struct boxing *boxing, int64_t id)
{
    size_t good = 0;
    for (size_t spot = 0; spot < boxing->spot_count; spot++) {
        const struct losses *was = &boxing->spots[spot].was;
        for (size_t i = 0; i < was->count; i++)
            good += was->items[i].id == id && was->bound[i] <= boxing->work.protocol->within;
    }
    return good;
}

/* Fills the pool with the winners, then with configurations as good as these at more than one size,
 * and with their measured losses. */
static enum status fill_pool(struct boxing *boxing, struct error *error)
{
    size_t all = 1;
    for (size_t spot = 0; spot < boxing->spot_count; spot++)
        all += boxing->spots[spot].was.count;
    boxing->pool = arena_alloc(&boxing->arena, all, sizeof *boxing->pool);
    boxing->homes = arena_alloc(&boxing->arena, all, sizeof *boxing->homes);
    if (!boxing->pool || !boxing->homes)
        return error_no_memory(error);
    for (size_t spot = 0; spot < boxing->spot_count; spot++) {
        const struct losses *was = &boxing->spots[spot].was;
        if (!add_to_pool(boxing, &was->items[was->winners[0]], spot, error))
            return STATUS_NO_MEMORY;
    }
    const size_t winners = boxing->count;
    for (size_t spot = 0; spot < boxing->spot_count; spot++) {
        const struct losses *was = &boxing->spots[spot].was;
        for (size_t i = 0; i < was->count && boxing->count < 2 * winners; i++)
            if (was->bound[i] <= boxing->work.protocol->within &&
                count_good(boxing, was->items[i].id) > 1 &&
                !add_to_pool(boxing, &was->items[i], spot, error))
                return STATUS_NO_MEMORY;
    }
    for (size_t spot = 0; spot < boxing->spot_count; spot++) {
        /* The winner, or the configuration with the least loss if the winner was wrong elsewhere.
         */
        size_t first = no_configuration;
        double least = (double)INFINITY;
        for (size_t i = 0; i < boxing->spots[spot].was.count; i++) {
            const size_t place = find_in_pool(boxing, boxing->spots[spot].was.items[i].id);
            if (place < boxing->count && boxing->spots[spot].was.loss[i] < least) {
                least = boxing->spots[spot].was.loss[i];
                first = place;
            }
        }
        boxing->spots[spot].first = first;
    }
    boxing->ratios = arena_alloc(&boxing->arena, boxing->count * SPOTS_MAX, sizeof *boxing->ratios);
    boxing->loss = arena_alloc(&boxing->arena, boxing->count * SPOTS_MAX, sizeof *boxing->loss);
    boxing->chosen = arena_alloc(&boxing->arena, boxing->count + 1, sizeof *boxing->chosen);
    boxing->boxes = arena_alloc(&boxing->arena, SPOTS_MAX, sizeof *boxing->boxes);
    if (!boxing->ratios || !boxing->loss || !boxing->chosen || !boxing->boxes)
        return error_no_memory(error);
    return STATUS_OK;
}

/* Returns false if constraints exclude the configuration at the spot, or if an expression has no
 * value there. */
static bool is_admitted(const struct boxing *boxing, const struct spot *spot, size_t configuration)
{
    struct error ignored = {0};
    bool admits = false;
    return space_admits(boxing->work.experiment, &spot->problem, boxing->work.facts,
                        boxing->pool[configuration].configuration, &admits,
                        &ignored) == STATUS_OK &&
           admits;
}

static void begin_spot(struct boxing *boxing, size_t index)
{
    const struct spot *spot = &boxing->spots[index];
    for (size_t c = 0; c < boxing->count; c++) {
        struct known_ratio *known = ratio_of(boxing, index, c);
        *known = (struct known_ratio){false, (double)INFINITY, (double)INFINITY, (double)INFINITY};
        if (c == spot->first)
            *known = (struct known_ratio){true, 1, 1, 1};
        else if (!is_admitted(boxing, spot, c))
            known->is_known = true;
    }
    for (size_t i = 0; i < spot->was.count; i++) {
        const size_t c = find_in_pool(boxing, spot->was.items[i].id);
        const double loss = spot->was.loss[i];
        const double bound = spot->was.bound[i];
        if (c == boxing->count || c == spot->first)
            continue;
        struct known_ratio *known = ratio_of(boxing, index, c);
        if (isfinite(bound))
            *known = (struct known_ratio){true, 1 + fmin(loss, bound), 1, 1 + bound};
        else if (isfinite(loss) && loss > boxing->work.protocol->within + hopeless)
            known->is_known = true;
    }
}

/* ---- looks ---- */

/* Looks at a spot. A configuration that does not compile there, or has no launch, is left out. */
static enum status look_here(struct boxing *boxing, size_t index, const size_t *list, size_t count,
                             struct error *error)
{
    const struct configuration *configurations[LOOK_MAX];
    struct look look;
    for (size_t i = 0; i < count; i++)
        configurations[i] = boxing->pool[list[i]].configuration;
    boxing->work.group->costs.looks++;
    enum status status = look_at(&boxing->work, boxing->lane, &boxing->spots[index].problem,
                                 configurations, count, &look, error);
    const bool is_broken = is_no_size_of(status);
    if (status != STATUS_OK && status != STATUS_NO_TIME && !is_broken)
        return status;
    if (status != STATUS_OK) {
        error_clear(error);
        look.works = false;
        status = STATUS_OK;
    }
    if (!is_broken || count == 2) {
        struct spot *spot = &boxing->spots[index];
        const bool has_first = look.works && !isnan(look.losses[0].estimate);
        const double first = has_first ? 1 + look.losses[0].estimate : 1;
        spot->looked |= look.works;
        for (size_t i = spot->measured || has_first ? 1 : 0; i < count; i++) {
            const struct interval *loss = &look.losses[i];
            const bool works = look.works && !isnan(loss->estimate);
            struct known_ratio *known = ratio_of(boxing, index, list[i]);
            known->is_known = true;
            known->ratio = works ? (1 + loss->estimate) / first : (double)INFINITY;
            known->low = works ? (1 + loss->low) / first : (double)INFINITY;
            known->high = works ? (1 + loss->high) / first : (double)INFINITY;
        }
        return STATUS_OK;
    }
    for (size_t i = 1; status == STATUS_OK && i < count; i++) {
        const size_t two[] = {list[0], list[i]};
        status = look_here(boxing, index, two, 2, error);
    }
    return status;
}

/* Lists configurations without a result at the spot, the nearest by home first, behind the spot's
 * first. Between sizes only chosen ones and the winners on either side are listed. */
static size_t list_unknown(const struct boxing *boxing, size_t index, size_t list[LOOK_MAX])
{
    const struct spot *spot = &boxing->spots[index];
    size_t count = 1;
    list[0] = spot->first;
    while (count < LOOK_MAX) {
        size_t nearest = boxing->count;
        double least = (double)INFINITY;
        for (size_t c = 0; c < boxing->count; c++) {
            bool is_left =
                !ratio_of(boxing, index, c)->is_known &&
                (spot->measured || boxing->chosen[c] || c == spot->ends[0] || c == spot->ends[1]);
            for (size_t i = 0; i < count; i++)
                is_left = is_left && list[i] != c;
            const double far =
                boxes_distance(spot->sizes, boxing->spots[boxing->homes[c]].sizes, boxing->names);
            if (is_left && far < least) {
                least = far;
                nearest = c;
            }
        }
        if (nearest == boxing->count)
            break;
        list[count++] = nearest;
    }
    return count;
}

/* Looks at the nearest unknown configurations at each spot, then at farther ones while the budget
 * lasts. A configuration is used only where a look saw it. */
static enum status look_everywhere(struct boxing *boxing, struct error *error)
{
    bool is_done = false;
    while (!is_done) {
        is_done = true;
        for (size_t spot = 0; spot < boxing->spot_count; spot++) {
            size_t list[LOOK_MAX];
            if (boxing->spots[spot].first == no_configuration)
                continue;
            const size_t count = list_unknown(boxing, spot, list);
            const struct group *group = boxing->work.group;
            if ((count < 2 && (boxing->spots[spot].measured || boxing->spots[spot].looked)) ||
                !(boxing->lane && !session_stopped(group->session) && budget_fits_look(group)))
                continue;
            is_done = count < 2;
            boxing->spots[spot].looked |= count < 2; /* without others there is no comparison */
            if (count >= 2)
                TRY(look_here(boxing, spot, list, count, error));
        }
    }
    return STATUS_OK;
}

/* ---- the choice ---- */

static enum status choose_boxes(struct boxing *boxing, struct error *error)
{
    int64_t *sizes = calloc(boxing->spot_count * boxing->names + 1, sizeof *sizes);
    /* The loss against the best at each spot: an upper bound at the experiment's sizes, the
     * estimate between them. */
    for (size_t spot = 0; spot < boxing->spot_count; spot++) {
        const bool is_seen = boxing->spots[spot].measured || boxing->spots[spot].looked;
        double best = (double)INFINITY;
        for (size_t c = 0; is_seen && c < boxing->count; c++)
            best = fmin(best, ratio_of(boxing, spot, c)->ratio);
        for (size_t c = 0; c < boxing->count; c++) {
            const struct known_ratio *known = ratio_of(boxing, spot, c);
            const double ratio =
                boxing->spots[spot].measured && known->ratio > best ? known->high : known->ratio;
            boxing->loss[spot * boxing->count + c] =
                isfinite(ratio) && is_seen ? fmax(ratio / best - 1, 0) : (double)INFINITY;
        }
    }
    const struct box_losses losses = {boxing->loss, boxing->spot_count, boxing->count,
                                      boxing->work.protocol->within};
    for (size_t i = 0; sizes && i < boxing->spot_count; i++)
        memcpy(sizes + i * boxing->names, boxing->spots[i].sizes, boxing->names * sizeof *sizes);
    const bool has_chosen = sizes && boxes_choose(&losses, boxing->chosen) > 0;
    boxing->box_count =
        has_chosen ? boxes_cut(&losses, boxing->chosen, sizes, boxing->names, boxing->boxes) : 0;
    free(sizes);
    return boxing->box_count > 0 ? STATUS_OK : error_no_memory(error);
}

static bool is_within(const struct boxing *boxing, const struct size_box *box,
                      const struct spot *spot)
{
    for (size_t i = 0; i < boxing->names; i++)
        if (spot->sizes[i] < box->low[i] || spot->sizes[i] > box->high[i])
            return false;
    return true;
}

/* ---- between ---- */

/* Returns a size between two: the geometric middle or, with `round`, the size near it that shares
 * the largest divisor with both, as many kernels only take multiples. */
static int64_t size_between(int64_t a, int64_t b, bool round)
{
    const int64_t low = a < b ? a : b;
    const int64_t high = a < b ? b : a;
    const int64_t middle = boxes_middle(low, high);
    if (high - low < 2)
        return low;
    for (int64_t step = (int64_t)common_divisor((uint64_t)low, (uint64_t)high); round && step > 1;
         step /= 2) {
        const int64_t size = (middle + step / 2) / step * step;
        if (size > low && size < high)
            return size;
    }
    return middle > low ? middle : low + 1;
}

/* Returns the experiment's spot that is number `place` by distance; spot_count: none. */
static size_t neighbour_of(const struct boxing *boxing, size_t index, size_t measured, size_t place)
{
    const int64_t *sizes = boxing->spots[index].sizes;
    for (size_t i = 0; i < measured; i++) {
        const double far = boxes_distance(sizes, boxing->spots[i].sizes, boxing->names);
        size_t nearer = 0;
        for (size_t k = 0; k < measured; k++) {
            const double other = boxes_distance(sizes, boxing->spots[k].sizes, boxing->names);
            nearer += k != index && (other < far || (other <= far && k < i));
        }
        if (i != index && nearer == place)
            return i;
    }
    return boxing->spot_count;
}

/* Adds a spot half-way to a neighbour: multiples first, then odd sizes. */
static enum status add_between(struct boxing *boxing, size_t index, size_t measured, size_t number,
                               struct error *error)
{
    const size_t other = neighbour_of(boxing, index, measured, number / 2);
    struct spot *spot = &boxing->spots[boxing->spot_count];
    int64_t sizes[SIZE_NAMES_MAX];
    if (other == boxing->spot_count || boxing->spot_count == SPOTS_MAX)
        return STATUS_OK;
    for (size_t i = 0; i < boxing->names; i++)
        sizes[i] = size_between(boxing->spots[index].sizes[i], boxing->spots[other].sizes[i],
                                number % 2 == 0);
    for (size_t i = 0; i < boxing->spot_count; i++)
        if (memcmp(boxing->spots[i].sizes, sizes, boxing->names * sizeof *sizes) == 0)
            return STATUS_OK;
    *spot = (struct spot){.first = no_configuration,
                          .ends = {boxing->spots[index].first, boxing->spots[other].first}};
    memcpy(spot->sizes, sizes, sizeof sizes);
    if (!problem_at_sizes(&boxing->spots[index].problem, sizes, boxing->names, &boxing->arena,
                          &spot->problem))
        return error_no_memory(error);
    /* Others are compared with the configuration of the spot's box, or else with any usable one. */
    for (size_t i = 0; i < boxing->box_count; i++)
        if (is_within(boxing, &boxing->boxes[i], spot) &&
            is_admitted(boxing, spot, boxing->boxes[i].configuration))
            spot->first = boxing->boxes[i].configuration;
    for (size_t c = 0; spot->first == no_configuration && c < boxing->count; c++)
        if (boxing->chosen[c] && is_admitted(boxing, spot, c))
            spot->first = c;
    if (spot->first == no_configuration) /* no chosen configuration is usable there */
        return STATUS_OK;
    begin_spot(boxing, boxing->spot_count++);
    return STATUS_OK;
}

/* Looks around the spots. A look between sizes may change the choice, and a new choice needs new
 * looks. */
static enum status look_around(struct boxing *boxing, struct error *error)
{
    /* Multiples and odd sizes half-way to the nearest neighbour, and multiples half-way to the
     * next. */
    const size_t measured = boxing->spot_count;
    const size_t points = 2 * (size_t)boxing->work.protocol->look_between + 1;
    TRY(look_everywhere(boxing, error));
    TRY(choose_boxes(boxing, error));
    for (size_t number = 0; number < points; number++)
        for (size_t i = 0; i < measured; i++)
            TRY(add_between(boxing, i, measured, number, error));
    for (int i = 0; i < (int)ROUNDS_MAX; i++) {
        TRY(look_everywhere(boxing, error));
        TRY(choose_boxes(boxing, error));
    }
    return STATUS_OK;
}

/* ---- rows for the store ---- */

/* Fills the row of a box with its configuration's result at each spot inside. */
static bool fill_range(struct boxing *boxing, const struct size_box *box, const char *const *names,
                       size_t first, struct store_range *range)
{
    struct store_range_check *checks =
        arena_alloc(&boxing->arena, boxing->spot_count + 1, sizeof *checks);
    /* As tuned.conf writes them: "m@16-64 k@8". */
    struct text text = {0};
    for (size_t i = 0; i < boxing->names; i++) {
        if (i == first)
            continue;
        text_printf(&text, "%s%s@%lld", text.length > 0 ? " " : "", names[i],
                    (long long)box->low[i]);
        if (box->high[i] > box->low[i])
            text_printf(&text, "-%lld", (long long)box->high[i]);
    }
    *range = (struct store_range){
        .n_low = box->low[first],
        .n_high = box->high[first],
        .further = text_to_arena(&text, &boxing->arena),
        .configuration_id = boxing->pool[box->configuration].id,
        .checks = checks,
    };
    for (size_t i = 0; checks && i < boxing->spot_count; i++) {
        const double loss = boxing->loss[i * boxing->count + box->configuration];
        if (!is_within(boxing, box, &boxing->spots[i]) || isinf(loss))
            continue;
        const size_t configuration = box->configuration;
        const struct spot *spot = &boxing->spots[i];
        const struct known_ratio *known = ratio_of(boxing, i, configuration);
        size_t best = configuration;
        for (size_t c = 0; c < boxing->count; c++)
            best = ratio_of(boxing, i, c)->ratio < ratio_of(boxing, i, best)->ratio ? c : best;
        const double of_best = ratio_of(boxing, i, best)->ratio;
        checks[range->check_count++] =
            (struct store_range_check){.n = spot->sizes[first],
                                       .shape = spot->problem.shape,
                                       .measured = spot->measured,
                                       .loss = known->ratio / of_best - 1,
                                       .loss_low = known->low / of_best - 1,
                                       .loss_high = known->high / of_best - 1,
                                       .best_configuration_id = boxing->pool[best].id};
        if (boxing->spots[i].measured)
            range->bound = fmax(range->bound, loss);
    }
    return checks && range->further;
}

static enum status store_boxes(struct boxing *boxing, size_t tuples, struct error *error)
{
    const struct group *group = boxing->work.group;
    const struct session_options *options = group->session->options;
    struct session_summary *summary = group->session->summary;
    struct store_range *rows = arena_alloc(&boxing->arena, boxing->box_count + 1, sizeof *rows);
    const char *names[SIZE_NAMES_MAX];
    char family[PROBLEM_KEY_BYTES];
    size_t first = 0;
    (void)experiment_size_names(boxing->work.experiment, names, &first);
    (void)string_format(family, sizeof family, "%.*s", (int)boxing->work.problem.family_length,
                        boxing->work.problem.key);
    for (size_t i = 0; rows && i < boxing->box_count; i++)
        if (!fill_range(boxing, &boxing->boxes[i], names, first, &rows[i]))
            rows = NULL;
    if (!rows)
        return error_no_memory(error);
    summary->ranges += boxing->box_count;
    summary->sizes += tuples;
    const struct store_ranges ranges = {
        .environment_id = group->environment_id,
        .experiment_id = boxing->work.experiment_id,
        .problem_key = family,
        .l2_mode = options->l2_mode,
        .objective = objective_text(boxing->work.objective),
        .run_id = (boxing->lane ? boxing->lane : group->lanes[0])->run_id,
        .within = options->protocol.within,
        .ranges = rows,
        .count = boxing->box_count,
    };
    return store_ranges_put(group->session->store, &ranges, error);
}

/* ---- the whole ---- */

/* Loads all problems of the family that have a winner, also those that an earlier run had been
 * asked for, and no file lists. */
static enum status load(struct boxing *boxing, struct error *error)
{
    const struct problem *family = &boxing->work.problem;
    const char *const *shapes = NULL;
    size_t count = 0;
    char key[PROBLEM_KEY_BYTES];
    (void)string_format(key, sizeof key, "%.*s", (int)family->family_length, family->key);
    TRY(losses_shapes(&boxing->work, key, &boxing->arena, &shapes, &count, error));
    for (size_t i = 0; i < count && boxing->spot_count < SPOTS_MAX; i++) {
        int64_t sizes[SIZE_NAMES_MAX];
        struct problem problem;
        const struct problem tuned = {.shape = shapes[i]};
        if (problem_sizes(&tuned, sizes) != boxing->names ||
            !problem_at_sizes(family, sizes, boxing->names, &boxing->arena, &problem))
            return error_no_memory(error);
        struct work work = boxing->work;
        struct spot *spot = &boxing->spots[boxing->spot_count];
        *spot = (struct spot){.problem = problem, .measured = true, .first = no_configuration};
        work.problem = problem;
        (void)problem_sizes(&problem, spot->sizes);
        const enum status status = losses_load(&work, &spot->was, error);
        spot->was.work = NULL;
        if (status != STATUS_OK || spot->was.size_count == 0 ||
            spot->was.winners[0] >= spot->was.count)
            losses_free(&spot->was);
        else
            boxing->spot_count++;
        TRY(status);
    }
    if (boxing->spot_count > 0)
        TRY(losses_refuted(&boxing->work, key, &boxing->arena, &boxing->refuted,
                           &boxing->refuted_count, error));
    if (boxing->spot_count > 0)
        TRY(fill_pool(boxing, error));
    return STATUS_OK;
}

enum status boxes_cover(const struct work *work, struct lane *lane, struct error *error)
{
    int64_t sizes[SIZE_NAMES_MAX];
    struct boxing boxing = {
        .work = *work, .lane = lane, .names = problem_sizes(&work->problem, sizes)};
    const struct session *session = work->session;
    boxing.spots = arena_alloc(&boxing.arena, SPOTS_MAX, sizeof *boxing.spots);
    enum status status = boxing.spots ? load(&boxing, error) : error_no_memory(error);
    size_t tuples = boxing.spot_count;
    for (size_t i = 0; status == STATUS_OK && i < tuples && boxing.count > 0; i++)
        begin_spot(&boxing, i);
    if (boxing.count == 0) /* an empty pool */
        tuples = 0;
    if (status == STATUS_OK && tuples > 0)
        status = choose_boxes(&boxing, error);
    if (status == STATUS_OK && tuples > 0 && session->options->protocol.look_between > 0 && lane &&
        !session_stopped(session) && !objective_needs_energy(work->objective) &&
        !budget_ended(session, STAGE_RANGES)) {
        work->group->position.problem_key = work->problem.key;
        session_progress(work->group, "ranges");
        status = look_around(&boxing, error);
        work->group->position.problem_key = "";
    }
    if (tuples > 0 && boxing.box_count > 0 &&
        (status == STATUS_OK || status == STATUS_INTERRUPTED)) {
        struct error putting = {0};
        status = first_failure(status, store_boxes(&boxing, tuples, &putting), &putting, error);
    }
    for (size_t i = 0; boxing.spots && i < boxing.spot_count; i++)
        losses_free(&boxing.spots[i].was);
    arena_free(&boxing.arena);
    return status;
}
