/* Few configurations for many sizes, including sizes without a trial. Results of races and sweeps
 * propose configurations; looks measure them at sizes where others won, and between sizes. Stored
 * bounds come from rounds together with the winner; without looks there are fewer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"
#include "tuner/device/traits.h"
#include "tuner/records/domain.h"
#include "tuner/session/check.h"
#include "tuner/session/covering.h"
#include "tuner/store/evidence.h"

_Static_assert((int)BOX_NAMES_MAX >= (int)SIZE_NAMES_MAX, "a box has all sizes");

/* ---- boxes ---- */

bool covering_is_listed(const struct covering *covering, size_t box)
{
    return covering->losses.items[covering->boxes[box].configuration].domain.is_listed;
}

bool covering_holds(const struct covering *covering, size_t box, const int64_t *sizes)
{
    for (size_t i = 0; i < covering->losses.names; i++)
        if (sizes[i] < covering->boxes[box].low[i] || sizes[i] > covering->boxes[box].high[i])
            return false;
    return true;
}

void covering_cut(struct covering *covering, const double *loss)
{
    const struct losses *losses = &covering->losses;
    for (size_t i = 0; i < losses->spot_count; i++)
        covering->box_of[i] = SPOTS_MAX;
    if (losses->names == 1) {
        /* Cuts the sizes of one name. A configuration that serves only measured sizes gets a range
         * for each. */
        const struct protocol *protocol = covering->work.protocol;
        struct size_range ranges[SPOTS_MAX];
        struct size_box *boxes = covering->boxes;
        const size_t count = ranges_cover(loss, losses->winners, losses->spot_count, losses->count,
                                          NULL, protocol->within, protocol->delta, ranges);
        covering->box_count = 0;
        for (size_t k = 0; k < count; k++)
            for (size_t size = ranges[k].first; size <= ranges[k].last; size++) {
                const size_t c = ranges[k].configuration;
                const int64_t n = losses->sizes[size];
                if (size == ranges[k].first || losses->items[c].domain.is_listed)
                    boxes[covering->box_count++] =
                        (struct size_box){.low = {n}, .high = {n}, .configuration = c};
                covering->box_of[size] = covering->box_count - 1;
                boxes[covering->box_count - 1].high[0] = n;
            }
        /* Ends lie at the geometric middle of the gap behind, until a look moves them; a range
         * before a size that is served alone ends just below that. */
        for (size_t k = 0; k + 1 < covering->box_count; k++) {
            const bool is_next_listed = covering_is_listed(covering, k + 1);
            int64_t *end = &boxes[k].high[0];
            if (!covering_is_listed(covering, k))
                *end = is_next_listed ? boxes[k + 1].low[0] - 1
                                      : boxes_middle(*end, boxes[k + 1].low[0]);
            if (!is_next_listed)
                boxes[k + 1].low[0] = *end + 1;
        }
        return;
    }
    const struct box_losses seen = {loss, losses->spot_count, losses->count,
                                    covering->work.protocol->within};
    bool chosen[2 * SPOTS_MAX];
    covering->box_count =
        boxes_choose(&seen, chosen) > 0
            ? boxes_cut(&seen, chosen, losses->sizes, losses->names, covering->boxes)
            : 0;
    for (size_t i = 0; i < losses->spot_count; i++)
        for (size_t box = 0; box < covering->box_count; box++)
            if (covering_holds(covering, box, losses->sizes + i * losses->names))
                covering->box_of[i] = box;
}

/* ---- looks ---- */

/* Limits a configuration that is wrong between sizes to those with a win; of several names, to the
 * tuples themselves. */
static enum status limit(struct covering *covering, size_t configuration, const char *reason,
                         struct error *error)
{
    struct losses *losses = &covering->losses;
    const struct work *work = &covering->work;
    struct known_configuration *item = &losses->items[configuration];
    struct problem problem = work->problem;
    struct store_domain row = {.environment_id = work->environment_id,
                               .experiment_id = work->experiment_id,
                               .configuration_id = item->id,
                               .binary_hash = "",
                               .multiple = item->domain.multiple,
                               .least = item->domain.least,
                               .most = item->domain.most,
                               .is_listed = 1,
                               .reason = reason,
                               .formula = domain_multiples(&item->domain, &covering->arena)};
    item->domain.is_listed = true;
    for (size_t i = 0; i < losses->spot_count; i++)
        if (losses->names > 1 || losses->winners[i] != configuration)
            losses->loss[i * losses->count + configuration] =
                losses->bound[i * losses->count + configuration] = (double)INFINITY;
    for (size_t i = 0; i < (losses->names > 1 ? losses->measured : 1); i++) {
        if (losses->names > 1) /* each tuple is a problem of its own */
            TRY(losses_problem(losses, losses->sizes + i * losses->names, &problem, error));
        row.problem_key = problem.key;
        TRY(store_domain_put(work->store, &row, error));
    }
    return STATUS_OK;
}

enum status covering_look(struct covering *covering, const int64_t *sizes, bool is_measured,
                          const size_t *configurations, size_t count, struct look *look,
                          bool *wrong, struct error *error)
{
    const struct configuration *list[LOOK_MAX];
    struct problem problem;
    *wrong = false;
    *look = (struct look){.best = count, .texts = &covering->arena};
    TRY(losses_problem(&covering->losses, sizes, &problem, error));
    for (size_t i = 0; i < count; i++)
        if (!(list[i] = losses_configuration(&covering->losses, configurations[i])))
            return STATUS_OK;
    covering->work.group->costs.looks += 1;
    const enum status status =
        look_at(&covering->work, covering->lane, &problem, list, count, look, error);
    for (size_t i = 0; status == STATUS_OK && !is_measured && i < count; i++) {
        *wrong |= look->wrong[i] != NULL;
        if (look->wrong[i])
            TRY(limit(covering, configurations[i], look->wrong[i], error));
    }
    const bool is_named = is_measured && covering->losses.names == 1;
    if (status != STATUS_NO_TIME && (is_named || !is_no_size_of(status)))
        return status;
    error_clear(error);
    *look = (struct look){.best = count};
    return STATUS_OK;
}

bool covering_keep(struct covering *covering, const int64_t *sizes, bool is_measured,
                   const struct look *look, const size_t *configurations, size_t index)
{
    const size_t bytes = covering->losses.names * sizeof *sizes;
    struct taken_look taken = {.configuration = configurations[index],
                               .is_measured = is_measured,
                               .loss = look->losses[index],
                               .best_configuration_id =
                                   covering->losses.items[configurations[look->best]].id};
    memcpy(taken.sizes, sizes, bytes);
    size_t place = 0; /* the newest look at a size counts */
    while (place < covering->look_count &&
           (covering->looks[place].configuration != taken.configuration ||
            memcmp(covering->looks[place].sizes, sizes, bytes) != 0))
        place++;
    if (!array_grow(&covering->looks, place, &covering->look_capacity, sizeof taken))
        return false;
    covering->look_count += place == covering->look_count ? 1 : 0;
    covering->looks[place] = taken;
    return true;
}

enum status covering_look_at_spot(struct covering *covering, size_t spot,
                                  const size_t *configurations, size_t count, struct error *error)
{
    struct losses *losses = &covering->losses;
    const int64_t *sizes = losses->sizes + spot * losses->names;
    const size_t row = spot * losses->count;
    const bool is_measured = spot < losses->measured;
    struct look found;
    bool wrong = false;
    TRY(covering_look(covering, sizes, is_measured, configurations, count, &found, &wrong, error));
    if (!found.works && count > 2) {
        for (size_t i = 0; i < count; i++) {
            const size_t pair[] = {configurations[i], losses->winners[spot]};
            if (pair[0] != pair[1] && budget_fits_look(covering->work.group))
                TRY(covering_look_at_spot(covering, spot, pair, 2, error));
        }
        return STATUS_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t c = configurations[i];
        const double loss = is_measured ? found.losses[i].high : found.losses[i].estimate;
        const bool has_loss = found.works && !isnan(loss);
        losses->looked[row + c] = true;
        if (is_measured && c == losses->winners[spot])
            continue;
        losses->loss[row + c] = losses->bound[row + c] =
            has_loss ? fmax(loss, 0) : (double)INFINITY;
        if (has_loss && !covering_keep(covering, sizes, is_measured, &found, configurations, i))
            return error_no_memory(error);
    }
    return STATUS_OK;
}

size_t add_distinct(size_t list[LOOK_MAX], size_t count, size_t configuration, size_t most)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == configuration)
            return count;
    if (count < LOOK_MAX && configuration < most)
        list[count++] = configuration;
    return count;
}

void covering_order(const struct covering *covering, const int64_t *sizes, size_t out[SPOTS_MAX])
{
    const struct losses *losses = &covering->losses;
    double far[SPOTS_MAX];
    for (size_t i = 0; i < losses->measured; i++) {
        const double distance =
            boxes_distance(sizes, losses->sizes + i * losses->names, losses->names);
        size_t place = i;
        for (; place > 0 && far[place - 1] > distance; place--) {
            far[place] = far[place - 1];
            out[place] = out[place - 1];
        }
        far[place] = distance;
        out[place] = i;
    }
}

/* Looks at the boxes' configurations where others won; *recut: one does not hold there. With
 * several names also at unknown winners of other tuples, nearest first. */
static enum status look_at_proposed(struct covering *covering, bool *recut, struct error *error)
{
    struct losses *losses = &covering->losses;
    *recut = false;
    for (size_t spot = 0; spot < losses->measured && budget_fits_look(covering->work.group);
         spot++) {
        const size_t row = spot * losses->count;
        const size_t winner = losses->winners[spot];
        size_t order[SPOTS_MAX];
        if (covering->box_of[spot] >= covering->box_count || winner >= losses->count)
            continue;
        size_t list[LOOK_MAX] = {covering->boxes[covering->box_of[spot]].configuration, winner};
        size_t count = 2;
        if (list[0] == winner || losses->looked[row + list[0]])
            continue;
        covering_order(covering, losses->sizes + spot * losses->names, order);
        for (size_t i = 0; losses->names > 1 && i < losses->measured; i++) {
            const size_t c = losses->winners[order[i]];
            if (c < losses->count && isfinite(losses->loss[row + c]) &&
                isinf(losses->bound[row + c]) && !losses->looked[row + c])
                count = add_distinct(list, count, c, losses->count);
        }
        TRY(covering_look_at_spot(covering, spot, list, count, error));
        *recut |= losses->bound[row + list[0]] > covering->work.protocol->within;
    }
    return STATUS_OK;
}

/* Returns the key under which ranges are stored: without the sizes if there are several. */
static void ranged_key(const struct problem *problem, char out[PROBLEM_KEY_BYTES])
{
    const size_t length = problem->shape ? problem->family_length : strlen(problem->key);
    (void)string_format(out, PROBLEM_KEY_BYTES, "%.*s", (int)length, problem->key);
}

/* Limits the boxes' configurations that are legal between the tuples, and had neither a look nor a
 * check there, to the tuples: nothing shows that these are right elsewhere. */
static enum status limit_unseen(struct covering *covering, struct error *error)
{
    struct losses *losses = &covering->losses;
    const size_t measured = losses->measured;
    for (size_t box = 0; box < covering->box_count; box++) {
        const size_t c = covering->boxes[box].configuration;
        bool is_legal = losses->spot_count == measured; /* or the time was over before any spot */
        bool is_seen = false;
        char key[PROBLEM_KEY_BYTES];
        ranged_key(&covering->work.problem, key);
        const struct store_domain row = {.environment_id = covering->work.environment_id,
                                         .experiment_id = covering->work.experiment_id,
                                         .problem_key = key,
                                         .configuration_id = losses->items[c].id};
        TRY(store_tuples_are_checked(covering->work.store, &row, &is_seen, error));
        is_seen = is_seen || !domain_is_whole(&losses->items[c].domain);
        for (size_t spot = measured; spot < losses->spot_count; spot++) {
            struct problem there;
            TRY(losses_problem(losses, losses->sizes + spot * losses->names, &there, error));
            is_legal = is_legal || losses_admit(losses, &there, c);
            is_seen = is_seen || (losses->looked[spot * losses->count + c] &&
                                  isfinite(losses->loss[spot * losses->count + c]));
        }
        if (is_seen || !is_legal)
            continue;
        covering->work.session->summary->cut_short |= 1U << STAGE_RANGES;
        TRY(limit(covering, c, DOMAIN_UNCHECKED, error));
        covering_cut(covering, losses->bound);
        box = SIZE_MAX; /* among other boxes */
    }
    return STATUS_OK;
}

static enum status look_around(struct covering *covering, struct error *error)
{
    struct group *group = covering->work.group;
    struct losses *losses = &covering->losses;
    bool recut = true;
    enum status status = STATUS_OK;
    covering_cut(covering, losses->loss);
    for (size_t i = 0; status == STATUS_OK && recut && i < CUTS_MAX * losses->names; i++) {
        if (i > 0 && !budget_fits_look(group))
            break;
        status = look_at_proposed(covering, &recut, error);
        if (recut)
            covering_cut(covering, losses->loss);
    }
    covering_cut(covering, losses->bound);
    return status == STATUS_OK ? covering_look_between(covering, error) : status;
}

/* ---- rows for the store ---- */

/* Joins the domains of a range's sizes that have other launches: each has lines of its own in
 * tuned.conf. */
static enum status join_launches(struct covering *covering, size_t number, size_t spot,
                                 const char **formula, struct error *error)
{
    const struct work *work = &covering->work;
    const struct losses *losses = &covering->losses;
    const size_t c = covering->boxes[number].configuration;
    const struct configuration *configuration = losses_configuration(&covering->losses, c);
    bool seen[1 << LAUNCHES_MAX] = {false};
    for (size_t i = spot; i < losses->spot_count; i++) {
        struct domain_text domain = {.text = NULL};
        struct problem problem;
        if (covering->box_of[i] != number)
            continue;
        problem = problem_at(&work->problem, losses->sizes[i]);
        const unsigned launches =
            domain_launches(work->experiment, &problem, work->facts, configuration);
        if (i > spot && !seen[launches]) {
            TRY(domain_of(work->experiment, &problem, work->facts, configuration,
                          &losses->items[c].domain, &covering->arena, &domain, error));
            *formula = arena_printf(&covering->arena, "%s||%s", *formula, domain.text);
            TRY_MEMORY(*formula);
        }
        seen[launches] = true;
    }
    return STATUS_OK;
}

/* Stores the whole domain of a range's configuration, in the form of tuned.conf. */
static enum status store_formula(struct covering *covering, size_t number, size_t spot,
                                 struct error *error)
{
    const struct work *work = &covering->work;
    const struct losses *losses = &covering->losses;
    const struct size_box *range = &covering->boxes[number];
    const struct known_configuration *item = &losses->items[range->configuration];
    const struct configuration *configuration =
        losses_configuration(&covering->losses, range->configuration);
    struct store_domain row = {.environment_id = work->environment_id,
                               .experiment_id = work->experiment_id,
                               .configuration_id = item->id,
                               .binary_hash = "",
                               .multiple = item->domain.multiple,
                               .least = item->domain.least,
                               .most = item->domain.most,
                               .is_listed = item->domain.is_listed};
    struct domain_text domain = {.text = NULL};
    struct problem problem;
    char key[PROBLEM_KEY_BYTES];
    bool found = false;
    if (!configuration)
        return STATUS_OK;
    ranged_key(&work->problem, key);
    row.problem_key = key;
    TRY(losses_problem(&covering->losses, losses->sizes + spot * losses->names, &problem, error));
    TRY(store_domain_get(work->store, &covering->arena, &row, &found, error));
    TRY(domain_of(work->experiment, &problem, work->facts, configuration, &item->domain,
                  &covering->arena, &domain, error));
    row.formula = domain.text;
    if (!domain.is_listed && losses->names == 1) /* in a box they are the same */
        TRY(join_launches(covering, number, spot, &row.formula, error));
    if (domain.is_listed &&
        losses->names == 1) { /* the measured sizes served: "n==1024||n==4096" */
        struct text text = {0};
        for (size_t i = 0; i < losses->spot_count; i++)
            if (covering->box_of[i] < covering->box_count &&
                losses->items[covering->boxes[covering->box_of[i]].configuration].id == item->id)
                text_printf(&text, "%sn==%lld", text.length > 0 ? "||" : "",
                            (long long)losses->sizes[i]);
        row.formula = text_to_arena(&text, &covering->arena);
        if (!row.formula)
            return error_no_memory(error);
    }
    return store_domain_put(work->store, &row, error);
}

/* Adds the looks at a box's configuration at sizes within, and the known losses at tuples inside
 * that had no look. */
static enum status fill_checks(struct covering *covering, size_t box, size_t first,
                               struct store_range *range, struct error *error)
{
    struct losses *losses = &covering->losses;
    const size_t c = covering->boxes[box].configuration;
    const size_t most = covering->look_count + losses->measured + 1;
    struct store_range_check *checks = arena_alloc(&covering->arena, most, sizeof *checks);
    struct problem problem;
    if (!checks)
        return error_no_memory(error);
    range->checks = checks;
    for (size_t i = 0; i < covering->look_count; i++) {
        const struct taken_look *look = &covering->looks[i];
        if (look->configuration != c || !covering_holds(covering, box, look->sizes))
            continue;
        TRY(losses_problem(losses, look->sizes, &problem, error));
        checks[range->check_count++] =
            (struct store_range_check){.n = look->sizes[first],
                                       .shape = problem.shape,
                                       .measured = look->is_measured,
                                       .loss = look->loss.estimate,
                                       .loss_low = look->loss.low,
                                       .loss_high = look->loss.high,
                                       .best_configuration_id = look->best_configuration_id};
    }
    for (size_t i = 0; losses->names > 1 && i < losses->measured; i++) {
        const size_t cell = i * losses->count + c;
        const int64_t *sizes = losses->sizes + i * losses->names;
        if (covering->box_of[i] != box || isinf(losses->bound[cell]) ||
            (losses->looked[cell] && c != losses->winners[i]))
            continue;
        TRY(losses_problem(losses, sizes, &problem, error));
        checks[range->check_count++] = (struct store_range_check){
            .n = sizes[first],
            .shape = problem.shape,
            .measured = true,
            .loss = fmin(losses->loss[cell], losses->bound[cell]),
            .loss_high = losses->bound[cell],
            .best_configuration_id = losses->items[losses->winners[i]].id};
    }
    return STATUS_OK;
}

/* Fills the row of a box, and stores the configuration's domain if that is a range. */
static enum status fill_row(struct covering *covering, size_t number, const char *const *names,
                            size_t first, struct store_range *row, struct error *error)
{
    const struct losses *losses = &covering->losses;
    const struct size_box *box = &covering->boxes[number];
    size_t spot = 0;
    *row = (struct store_range){.n_low = box->low[first],
                                .n_high = box->high[first],
                                .configuration_id = losses->items[box->configuration].id};
    for (size_t i = losses->measured; i > 0; i--) {
        const double bound = losses->bound[(i - 1) * losses->count + box->configuration];
        if (covering->box_of[i - 1] != number)
            continue;
        spot = i - 1;
        row->bound = isfinite(bound) ? fmax(bound, row->bound) : row->bound;
    }
    TRY(fill_checks(covering, number, first, row, error));
    TRY(store_formula(covering, number, spot, error));
    if (losses->names == 1)
        return STATUS_OK;
    struct text text = {0}; /* as tuned.conf has it: "m@16-64 k@8" */
    for (size_t i = 0; i < losses->names; i++) {
        if (i == first)
            continue;
        text_printf(&text, "%s%s@%lld", text.length > 0 ? " " : "", names[i],
                    (long long)box->low[i]);
        if (box->high[i] > box->low[i])
            text_printf(&text, "-%lld", (long long)box->high[i]);
    }
    row->further = text_to_arena(&text, &covering->arena);
    return row->further ? STATUS_OK : error_no_memory(error);
}

/* Finds whether tuned.conf has no formula for the tuples at which some box's configuration is
 * legal, or the launches of a box differ: then each tuple has an entry of its own, and no box is
 * stored. */
static enum status lacks_formula(struct covering *covering, bool *lacks, struct error *error)
{
    struct losses *losses = &covering->losses;
    unsigned launches[SPOTS_MAX] = {0};
    *lacks = false;
    for (size_t i = 0; losses->names > 1 && i < losses->measured && !*lacks; i++) {
        struct domain_text domain = {.text = NULL};
        struct problem problem;
        if (covering->box_of[i] >= covering->box_count)
            continue;
        const size_t c = covering->boxes[covering->box_of[i]].configuration;
        const struct configuration *configuration = losses_configuration(losses, c);
        TRY(losses_problem(losses, losses->sizes + i * losses->names, &problem, error));
        if (configuration)
            TRY(domain_of(covering->work.experiment, &problem, covering->work.facts, configuration,
                          &losses->items[c].domain, &covering->arena, &domain, error));
        *lacks = domain.is_listed;
        if (configuration)
            launches[i] = domain_launches(covering->work.experiment, &problem, covering->work.facts,
                                          configuration);
        for (size_t k = 0; k < i && configuration; k++)
            *lacks |= covering->box_of[k] == covering->box_of[i] && launches[k] != launches[i];
    }
    return STATUS_OK;
}

static enum status store_cover(struct covering *covering, struct error *error)
{
    const struct group *group = covering->work.group;
    struct session_summary *summary = group->session->summary;
    struct store_range *rows = arena_alloc(&covering->arena, covering->box_count + 1, sizeof *rows);
    const char *names[SIZE_NAMES_MAX];
    char key[PROBLEM_KEY_BYTES];
    size_t first = 0;
    if (!rows)
        return error_no_memory(error);
    (void)experiment_size_names(covering->work.experiment, names, &first);
    ranged_key(&covering->work.problem, key);
    bool lacks = false;
    TRY(lacks_formula(covering, &lacks, error));
    const size_t count = lacks ? 0 : covering->box_count;
    for (size_t i = 0; i < count; i++)
        TRY(fill_row(covering, i, names, first, &rows[i], error));
    summary->ranges += count;
    summary->sizes += covering->losses.measured;
    const struct store_ranges ranges = {
        .environment_id = group->environment_id,
        .experiment_id = covering->work.experiment_id,
        .problem_key = key,
        .l2_mode = covering->work.options->l2_mode,
        .objective = objective_text(covering->work.objective),
        .run_id = (covering->lane ? covering->lane : group->lanes[0])->run_id,
        .within = covering->work.protocol->within,
        .ranges = rows,
        .count = count,
    };
    return store_ranges_put(covering->work.store, &ranges, error);
}

static bool was_contested(const struct group *group, const char *key)
{
    for (const struct contest *contest = group->contests; contest; contest = contest->next) {
        char its_key[PROBLEM_KEY_BYTES];
        ranged_key(&contest->work.problem, its_key);
        if (contest->winner.announced && strcmp(its_key, key) == 0)
            return true;
    }
    return false;
}

/* Forgets which configurations an earlier run had no time to look at between tuples, and gives the
 * others their domains at each tuple. */
static enum status take_domains(const struct work *work, bool *due, struct error *error)
{
    char key[PROBLEM_KEY_BYTES];
    ranged_key(&work->problem, key);
    const struct store_domain row = {.environment_id = work->environment_id,
                                     .experiment_id = work->experiment_id,
                                     .problem_key = key,
                                     .reason = DOMAIN_UNCHECKED};
    *due = false;
    if (!work->problem.shape)
        return STATUS_OK;
    if (group_lane(work->group))
        TRY(store_domains_forget(work->store, &row, due, error));
    return store_domains_spread(work->store, &row, error);
}

/* Covers the key; without a lane from known results. */
static enum status cover_on(void *context, struct lane *lane, struct error *error)
{
    const struct work *work = context;
    struct group *group = work->group;
    struct covering *covering = calloc(1, sizeof *covering);
    enum status status = STATUS_OK;
    if (!covering)
        return error_no_memory(error);
    covering->work = *work;
    covering->lane = lane;
    TRY_OR_CLEANUP(losses_load(work, &covering->losses, error));
    if (covering->losses.spot_count == 0)
        goto cleanup;
    covering_cut(covering, covering->losses.bound);
    const bool looks = work->protocol->look_between > 0;
    if ((looks || covering->losses.names > 1) && lane && !session_stopped(group->session) &&
        !objective_needs_energy(work->objective) && !budget_ended(group->session, STAGE_RANGES)) {
        group->position.problem_key = work->problem.key;
        session_progress(group, "ranges");
        status = looks ? look_around(covering, error) : covering_look_between(covering, error);
        group->position.problem_key = "";
    }
    if (covering->losses.names > 1 && covering->losses.measured > 1 &&
        (status == STATUS_OK || status == STATUS_INTERRUPTED) &&
        !objective_needs_energy(work->objective) &&
        !device_traits(work->options->device_kind)->computes_nothing) {
        struct error limiting = {0};
        status = first_failure(status, limit_unseen(covering, &limiting), &limiting, error);
    }
    if (status == STATUS_OK || status == STATUS_INTERRUPTED) {
        struct error putting = {0};
        status = first_failure(status, store_cover(covering, &putting), &putting, error);
    }
cleanup:
    losses_free(&covering->losses);
    arena_free(&covering->arena);
    free(covering->looks);
    free(covering);
    return status;
}

static enum status cover_key(struct work *work, struct error *error)
{
    bool known = false;
    char key[PROBLEM_KEY_BYTES];
    ranged_key(&work->problem, key);
    bool due = false;
    enum status status = losses_covered(work, key, &known, error);
    if (status == STATUS_OK)
        status = take_domains(work, &due, error);
    if (status != STATUS_OK || (known && !due && !was_contested(work->group, key)))
        return status;
    if (group_lane(work->group))
        status = on_some_lane(work->group, cover_on, work, error);
    if (group_lane(work->group))
        return status;
    error_clear(error);
    return cover_on(work, NULL, error);
}

enum status group_ranges(struct group *group, const struct session_experiment *at,
                         int64_t experiment_id, const struct objective *objective,
                         struct error *error)
{
    struct work work = work_of(group, at->experiment, experiment_id, objective);
    char last[PROBLEM_KEY_BYTES] = "";
    for (size_t i = 0; i < experiment_problem_count(at->experiment); i++) {
        experiment_problem(at->experiment, i, &work.problem);
        char key[PROBLEM_KEY_BYTES];
        ranged_key(&work.problem, key);
        if ((at->wanted && !at->wanted[i]) || strcmp(key, last) == 0)
            continue;
        (void)string_format(last, sizeof last, "%s", key);
        TRY(cover_key(&work, error));
    }
    if (!group_lane(group))
        return error_set(error, STATUS_DEVICE_LOST, "no device is left: %s",
                         group->lanes[0]->error.text);
    return STATUS_OK;
}
