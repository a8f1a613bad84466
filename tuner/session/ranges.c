/* Few configurations for many sizes, so that sizes without a trial have one, too: proposed by the
 * results of races and sweeps, and looked at where they did not win, and between sizes. Stored
 * bounds rest on rounds together with the winner; without looks there are fewer of these. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/records/domain.h"
#include "tuner/session/boxes.h"
#include "tuner/session/check.h"
#include "tuner/session/look.h"
#include "tuner/session/losses.h"
#include "tuner/session/ranges.h"
#include "tuner/stats/ranges.h"

enum { CUTS_MAX = 12, BETWEEN_MAX = 8 };

/* A look at a configuration, which may leave its range later. */
struct taken_look {
    size_t configuration;
    struct store_range_check check;
};

struct covering {
    struct work work;  /* gives the key by its problem */
    struct lane *lane; /* measures looks; NULL: none */
    struct losses losses;
    struct size_range ranges[SESSION_SIZES_MAX];
    int64_t ends[SESSION_SIZES_MAX]; /* last n of each range */
    size_t count;
    struct taken_look *looks;
    size_t look_count, look_most;
    struct arena arena;
};

static size_t range_of(const struct covering *covering, size_t size)
{
    for (size_t i = 0; i < covering->count; i++)
        if (size >= covering->ranges[i].first && size <= covering->ranges[i].last)
            return i;
    return covering->count;
}

static int64_t middle(int64_t low, int64_t high)
{
    return (int64_t)floor(sqrt((double)low * (double)high));
}

static bool is_listed(const struct covering *covering, size_t range)
{
    return covering->losses.items[covering->ranges[range].configuration].domain.is_listed;
}

/* Returns whether all configurations may be used at the size. */
static bool all_admit(struct covering *covering, int64_t n, const size_t *configurations,
                      size_t count)
{
    const struct experiment *experiment = covering->work.experiment;
    struct error ignored = {0};
    struct problem problem;
    experiment_problem_at(experiment, &covering->work.problem, n, &problem);
    for (size_t i = 0; i < count; i++) {
        const struct configuration *configuration =
            losses_configuration(&covering->losses, configurations[i]);
        bool admits = false;
        if (!configuration || !domain_has(&covering->losses.items[configurations[i]].domain, n) ||
            space_admits(experiment, &problem, covering->work.facts, configuration, &admits,
                         &ignored) != STATUS_OK ||
            !admits)
            return false;
    }
    return true;
}

/* Returns the next size from n on, before `end`, at which all configurations may be used; 0: none
 * is near. Multiples of likely divisors are tried. */
static int64_t size_between(struct covering *covering, int64_t n, int64_t end,
                            const size_t *configurations, size_t count)
{
    static const int64_t odd_parts[] = {1, 3, 5, 7, 9, 25, 125};
    int64_t nearest = 0;
    if (all_admit(covering, n, configurations, count))
        return n;
    for (size_t i = 0; i < sizeof odd_parts / sizeof odd_parts[0]; i++)
        for (int64_t divisor = odd_parts[i]; divisor <= 4096; divisor *= 2) {
            const int64_t size = (n + divisor - 1) / divisor * divisor;
            if (size > n && size < end && (nearest == 0 || size < nearest) &&
                all_admit(covering, size, configurations, count))
                nearest = size;
        }
    return nearest;
}

/* Looks at a size. At a size that the file does not name an expression may have no value: then
 * there is no look. Configurations that are wrong there keep the measured sizes; *wrong: there are
 * any. */
static enum status look_at_size(struct covering *covering, int64_t n, bool is_named,
                                const size_t *configurations, size_t count, struct look *look,
                                bool *wrong, struct error *error)
{
    const struct configuration *list[LOOK_MAX];
    struct problem problem;
    *wrong = false;
    *look = (struct look){.best = count, .texts = &covering->arena};
    experiment_problem_at(covering->work.experiment, &covering->work.problem, n, &problem);
    for (size_t i = 0; i < count; i++)
        if (!(list[i] = losses_configuration(&covering->losses, configurations[i])))
            return STATUS_OK;
    covering->work.group->costs.looks += 1;
    enum status status =
        look_at(&covering->work, covering->lane, &problem, list, count, look, error);
    for (size_t i = 0; status == STATUS_OK && !is_named && i < count; i++) {
        if (!look->wrong[i])
            continue;
        *wrong = true;
        /* The configuration is limited to the sizes that it won. */
        const size_t configuration = configurations[i];
        struct losses *losses = &covering->losses;
        const struct work *work = &covering->work;
        struct known_configuration *item = &losses->items[configuration];
        const struct store_domain row = {.environment_id = work->environment_id,
                                         .experiment_id = work->experiment_id,
                                         .problem_key = work->problem.key,
                                         .configuration_id = item->id,
                                         .binary_hash = "",
                                         .multiple = item->domain.multiple,
                                         .least = item->domain.least,
                                         .is_listed = 1,
                                         .reason = look->wrong[i]};
        item->domain.is_listed = true;
        for (size_t j = 0; j < losses->size_count; j++)
            if (losses->winners[j] != configuration)
                losses->loss[j * losses->count + configuration] =
                    losses->bound[j * losses->count + configuration] = (double)INFINITY;
        status = store_domain_put(work->group->session->store, &row, error);
    }
    if (status != STATUS_NO_TIME && (is_named || !is_no_size_of(status)))
        return status;
    error_clear(error);
    *look = (struct look){.best = count};
    return STATUS_OK;
}

/* Stores a look at the configuration of the size's range. */
static void keep_check(struct covering *covering, int64_t n, bool measured, const struct look *look,
                       const size_t *configurations, size_t index)
{
    size_t place = 0; /* the newest look at a size counts */
    while (place < covering->look_count &&
           (covering->looks[place].configuration != configurations[index] ||
            covering->looks[place].check.n != n))
        place++;
    if (place == covering->look_most)
        return;
    covering->look_count += place == covering->look_count ? 1 : 0;
    covering->looks[place] = (struct taken_look){
        .configuration = configurations[index],
        .check = {.n = n,
                  .measured = measured,
                  .loss = look->losses[index].estimate,
                  .loss_low = look->losses[index].low,
                  .loss_high = look->losses[index].high,
                  .best_configuration_id = covering->losses.items[configurations[look->best]].id}};
}

/* Looks at the ranges' configurations where others won; *recut: one does not hold there. */
static enum status look_at_measured(struct covering *covering, bool *recut, struct error *error)
{
    struct losses *losses = &covering->losses;
    double within = covering->work.protocol->within;
    *recut = false;
    for (size_t size = 0; size < losses->size_count && budget_fits_look(covering->work.group);
         size++) {
        size_t range = range_of(covering, size);
        struct look found = {0};
        if (range == covering->count)
            continue;
        size_t pair[2] = {covering->ranges[range].configuration, losses->winners[size]};
        if (pair[0] == pair[1] || pair[1] >= losses->count ||
            losses->looked[size * losses->count + pair[0]])
            continue;
        bool wrong = false;
        TRY(look_at_size(covering, losses->sizes[size], true, pair, 2, &found, &wrong, error));
        losses->looked[size * losses->count + pair[0]] = true;
        double high = found.works ? found.losses[0].high : (double)NAN;
        double seen = isnan(high) ? (double)INFINITY : fmax(high, 0);
        /* The stored bound is the interval's upper end. */
        losses->loss[size * losses->count + pair[0]] = seen;
        losses->bound[size * losses->count + pair[0]] = seen;
        *recut |= seen > within;
        if (found.works && !isnan(high))
            keep_check(covering, losses->sizes[size], true, &found, pair, 0);
    }
    return STATUS_OK;
}

static size_t add_distinct(size_t *list, size_t count, size_t configuration, size_t most)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == configuration)
            return count;
    if (count < LOOK_MAX && configuration < most)
        list[count++] = configuration;
    return count;
}

/* Lists candidates between two sizes: the two ranges' own, and the winners on both sides. */
static size_t list_around(const struct covering *covering, size_t size, size_t list[LOOK_MAX])
{
    const struct losses *losses = &covering->losses;
    size_t before = range_of(covering, size);
    size_t after = range_of(covering, size + 1);
    if (before == covering->count || after == covering->count)
        return 0;
    size_t count = add_distinct(list, 0, covering->ranges[before].configuration, losses->count);
    count = add_distinct(list, count, covering->ranges[after].configuration, losses->count);
    count = add_distinct(list, count, losses->winners[size], losses->count);
    return add_distinct(list, count, losses->winners[size + 1], losses->count);
}

/* Drops configurations that serve the measured sizes only. */
static size_t drop_listed(const struct covering *covering, size_t list[LOOK_MAX], size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!covering->losses.items[list[i]].domain.is_listed)
            list[kept++] = list[i];
    return kept;
}

/* Looks within a range at its configuration against the winners around; *failed: it fails there. */
static enum status look_inside(struct covering *covering, size_t size, bool *failed,
                               struct error *error)
{
    const int64_t *sizes = covering->losses.sizes;
    int64_t points = covering->work.protocol->look_between;
    double low = log((double)sizes[size]);
    double high = log((double)sizes[size + 1]);
    int64_t before = sizes[size];
    for (int64_t i = 1; i <= points && i <= BETWEEN_MAX; i++) {
        int64_t n = (int64_t)exp(low + (high - low) * (double)i / (double)(points + 1));
        size_t list[LOOK_MAX];
        struct look found;
        bool wrong = false;
        size_t count = list_around(covering, size, list);
        if (n <= before || count < 2)
            continue;
        count = drop_listed(covering, list, count);
        if (count == 0)
            continue;
        n = size_between(covering, n, sizes[size + 1], list, count);
        if (n <= before || n >= sizes[size + 1])
            continue;
        if (!budget_fits_look(covering->work.group))
            break;
        before = n;
        TRY(look_at_size(covering, n, false, list, count, &found, &wrong, error));
        if (found.works && !wrong)
            keep_check(covering, n, false, &found, list, 0);
        *failed = wrong;
        if (wrong)
            break;
        *failed = found.works && isnan(found.losses[0].estimate);
        if (*failed) {
            /* A configuration that fails between two sizes is confined to the side where it won
             * more often. */
            const size_t configuration = list[0];
            struct losses *losses = &covering->losses;
            size_t won[2] = {0};
            for (size_t j = 0; j < losses->size_count; j++)
                won[j > size] += losses->winners[j] == configuration ? 1 : 0;
            for (size_t j = 0; j < losses->size_count; j++)
                if ((j > size) == (won[1] < won[0]))
                    losses->bound[j * losses->count + configuration] = (double)INFINITY;
            break;
        }
    }
    return STATUS_OK;
}

/* Bisects between two ranges to the size at which the second becomes better. */
static enum status find_end(struct covering *covering, size_t range, bool *wrong,
                            struct error *error)
{
    const int64_t *sizes = covering->losses.sizes;
    size_t size = covering->ranges[range].last;
    int64_t low = sizes[size];                               /* the first one is right here ... */
    int64_t high = sizes[covering->ranges[range + 1].first]; /* ... and the second one here */
    int64_t looks = covering->work.protocol->look_between + 2;
    size_t list[LOOK_MAX] = {0};
    size_t count = drop_listed(covering, list, list_around(covering, size, list));
    if (covering->ranges[range].configuration == covering->ranges[range + 1].configuration ||
        is_listed(covering, range) || is_listed(covering, range + 1))
        return STATUS_OK;
    for (int64_t i = 0; i < looks && count >= 2 && high - low > 1; i++) {
        struct look found;
        int64_t n = middle(low, high);
        n = size_between(covering, n <= low ? low + 1 : n, high, list, count);
        if (n <= low || n >= high)
            break;
        if (!budget_fits_look(covering->work.group))
            break;
        TRY(look_at_size(covering, n, false, list, count, &found, wrong, error));
        if (*wrong)
            return STATUS_OK;
        bool failed[2] = {isnan(found.losses[0].estimate), isnan(found.losses[1].estimate)};
        if (!found.works || (failed[0] && failed[1]))
            break;
        bool former = failed[1] || found.losses[0].estimate <= found.losses[1].estimate;
        keep_check(covering, n, false, &found, list, former ? 0 : 1);
        low = former ? n : low;
        high = former ? high : n;
        covering->ends[range] = former ? low : high - 1;
    }
    /* The remaining gap is shared out. */
    if (high > low)
        covering->ends[range] = middle(low, high) < high ? middle(low, high) : high - 1;
    return STATUS_OK;
}

/* Looks between the sizes; *failed: a range's configuration fails inside, so that the ranges are
 * cut anew. */
static enum status look_between(struct covering *covering, bool *failed, struct error *error)
{
    size_t count = covering->losses.size_count;
    *failed = false;
    for (size_t size = 0; !*failed && size + 1 < count; size++) {
        if (!budget_fits_look(covering->work.group))
            break;
        size_t range = range_of(covering, size);
        if (range == covering->count)
            continue;
        if (covering->ranges[range].last > size && !is_listed(covering, range))
            TRY(look_inside(covering, size, failed, error));
        else if (range + 1 < covering->count)
            TRY(find_end(covering, range, failed, error));
    }
    return STATUS_OK;
}

/* Cuts the ranges: by the apparent losses before looks, by the bounds for the stored result. */
static void cut(struct covering *covering, const double *loss)
{
    const struct losses *losses = &covering->losses;
    const struct protocol *protocol = covering->work.protocol;
    covering->count =
        ranges_cover(loss, losses->winners, losses->size_count, losses->count, losses->order,
                     protocol->within, protocol->delta, covering->ranges);
    /* A configuration that serves only measured sizes gets a range for each. */
    struct size_range parted[SESSION_SIZES_MAX] = {0};
    size_t count = 0;
    for (size_t i = 0; i < covering->count; i++) {
        parted[count++] = covering->ranges[i];
        for (size_t size = covering->ranges[i].first;
             is_listed(covering, i) && size < covering->ranges[i].last; size++) {
            parted[count - 1].last = size;
            parted[count] = covering->ranges[i];
            parted[count++].first = size + 1;
        }
    }
    memcpy(covering->ranges, parted, count * sizeof *parted);
    covering->count = count;
    /* Ends lie at the geometric middle of the gap behind, until a look moves them; a range before a
     * size that is served alone ends just below that. */
    const int64_t *n = covering->losses.sizes;
    for (size_t i = 0; i < covering->count; i++) {
        int64_t last = n[covering->ranges[i].last];
        if (i + 1 == covering->count || is_listed(covering, i))
            covering->ends[i] = last;
        else if (is_listed(covering, i + 1))
            covering->ends[i] = n[covering->ranges[i + 1].first] - 1;
        else
            covering->ends[i] = middle(last, n[covering->ranges[i + 1].first]);
    }
}

static enum status look_around(struct covering *covering, struct error *error)
{
    struct group *group = covering->work.group;
    bool recut = true;
    enum status status = STATUS_OK;
    group->position.problem_key = covering->work.problem.key;
    session_progress(group, "ranges");
    cut(covering, covering->losses.loss);
    for (int i = 0; status == STATUS_OK && recut && i < CUTS_MAX; i++) {
        if (i > 0 && !budget_fits_look(group))
            break;
        status = look_at_measured(covering, &recut, error);
        if (recut)
            cut(covering, covering->losses.loss);
    }
    cut(covering, covering->losses.bound);
    recut = true;
    for (int i = 0; status == STATUS_OK && recut && i < CUTS_MAX; i++) {
        status = look_between(covering, &recut, error);
        if (recut)
            cut(covering, covering->losses.bound);
    }
    group->position.problem_key = "";
    return status;
}

static int by_n(const void *left, const void *right)
{
    const struct taken_look *a = left;
    const struct taken_look *b = right;
    return (a->check.n > b->check.n) - (a->check.n < b->check.n);
}

/* Formats the measured sizes that a configuration serves: "n==1024||n==4096". */
static enum status list_formula(struct covering *covering, size_t configuration, const char **out,
                                struct error *error)
{
    struct text text = {0};
    for (size_t i = 0; i < covering->losses.size_count; i++) {
        const size_t range = range_of(covering, i);
        if (range < covering->count &&
            covering->losses.items[covering->ranges[range].configuration].id ==
                covering->losses.items[configuration].id)
            text_printf(&text, "%sn==%lld", text.length > 0 ? "||" : "",
                        (long long)covering->losses.sizes[i]);
    }
    *out = text_to_arena(&text, &covering->arena);
    return *out ? STATUS_OK : error_no_memory(error);
}

/* Stores the whole domain of a range's configuration, in the form of tuned.conf. */
static enum status store_formula(struct covering *covering, const struct size_range *range,
                                 struct error *error)
{
    const struct work *work = &covering->work;
    struct known_configuration *item = &covering->losses.items[range->configuration];
    const struct configuration *configuration =
        losses_configuration(&covering->losses, range->configuration);
    struct store_domain row = {.environment_id = work->environment_id,
                               .experiment_id = work->experiment_id,
                               .problem_key = work->problem.key,
                               .configuration_id = item->id,
                               .binary_hash = "",
                               .multiple = item->domain.multiple,
                               .least = item->domain.least,
                               .is_listed = item->domain.is_listed};
    struct domain_text domain = {.text = NULL};
    struct problem problem;
    bool found = false;
    if (!configuration)
        return STATUS_OK;
    experiment_problem_at(work->experiment, &work->problem, covering->losses.sizes[range->first],
                          &problem);
    TRY(store_domain_get(work->group->session->store, &covering->arena, &row, &found, error));
    TRY(domain_of(work->experiment, &problem, work->facts, configuration, &item->domain,
                  &covering->arena, &domain, error));
    row.formula = domain.text;
    if (domain.is_listed)
        TRY(list_formula(covering, range->configuration, &row.formula, error));
    return store_domain_put(work->group->session->store, &row, error);
}

static enum status store_cover(struct covering *covering, struct error *error)
{
    const struct group *group = covering->work.group;
    const struct session_options *options = group->session->options;
    struct session_summary *summary = group->session->summary;
    struct store_range *rows = arena_alloc(&covering->arena, covering->count + 1, sizeof *rows);
    if (!rows)
        return error_no_memory(error);
    qsort(covering->looks, covering->look_count, sizeof *covering->looks, by_n);
    for (size_t i = 0; i < covering->count; i++) {
        struct store_range_check *checks =
            arena_alloc(&covering->arena, covering->look_count + 1, sizeof *checks);
        if (!checks)
            return error_no_memory(error);
        const struct losses *losses = &covering->losses;
        double worst = 0;
        for (size_t size = covering->ranges[i].first; size <= covering->ranges[i].last; size++) {
            double bound = losses->bound[size * losses->count + covering->ranges[i].configuration];
            worst = isfinite(bound) && bound > worst ? bound : worst;
        }
        rows[i] = (struct store_range){
            .n_low = i == 0 || is_listed(covering, i)
                         ? covering->losses.sizes[covering->ranges[i].first]
                         : covering->ends[i - 1] + 1,
            .n_high = covering->ends[i],
            .configuration_id = covering->losses.items[covering->ranges[i].configuration].id,
            .bound = worst,
            .checks = checks,
        };
        /* Looks at the range's configuration, at sizes within. */
        size_t count = 0;
        for (size_t j = 0; j < covering->look_count; j++) {
            const struct taken_look *look = &covering->looks[j];
            if (look->configuration != covering->ranges[i].configuration ||
                look->check.n < rows[i].n_low || look->check.n > rows[i].n_high)
                continue;
            checks[count++] = look->check;
        }
        rows[i].check_count = count;
        TRY(store_formula(covering, &covering->ranges[i], error));
    }
    summary->ranges += covering->count;
    summary->sizes += covering->losses.size_count;
    struct store_ranges ranges = {
        .environment_id = group->environment_id,
        .experiment_id = covering->work.experiment_id,
        .problem_key = covering->work.problem.key,
        .l2_mode = options->l2_mode,
        .objective = objective_text(covering->work.objective),
        .run_id = (covering->lane ? covering->lane : group->lanes[0])->run_id,
        .within = options->protocol.within,
        .ranges = rows,
        .count = covering->count,
    };
    return store_ranges_put(group->session->store, &ranges, error);
}

static enum status cover(struct covering *covering, struct error *error)
{
    struct group *group = covering->work.group;
    const struct session_options *options = group->session->options;
    enum status status = losses_load(&covering->work, &covering->losses, error);
    size_t most = covering->losses.size_count * (CUTS_MAX + BETWEEN_MAX + 2) + 1;
    if (status != STATUS_OK || covering->losses.size_count == 0)
        return status;
    covering->looks = arena_alloc(&covering->arena, most, sizeof *covering->looks);
    covering->look_most = most;
    if (!covering->looks)
        return error_no_memory(error);
    cut(covering, covering->losses.bound);
    if (options->protocol.look_between > 0 && covering->lane && !session_stopped(group->session) &&
        !objective_needs_energy(covering->work.objective) &&
        !budget_ended(group->session, STAGE_RANGES))
        status = look_around(covering, error);
    if (status != STATUS_OK && status != STATUS_INTERRUPTED)
        return status;
    struct error putting = {0};
    return first_failure(status, store_cover(covering, &putting), &putting, error);
}

/* Returns the key under which ranges are stored: without the sizes if there are several. */
static void ranged_key(const struct problem *problem, char out[PROBLEM_KEY_BYTES])
{
    const size_t length = problem->shape ? problem->family_length : strlen(problem->key);
    (void)string_format(out, PROBLEM_KEY_BYTES, "%.*s", (int)length, problem->key);
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

/* Covers the key; without a lane from known results. */
static enum status cover_on(void *context, struct lane *lane, struct error *error)
{
    const struct work *work = context;
    if (work->problem.shape)
        return boxes_cover(work, lane, error);
    struct covering *covering = calloc(1, sizeof *covering);
    if (!covering)
        return error_no_memory(error);
    covering->work = *work;
    covering->lane = lane;
    enum status status = cover(covering, error);
    losses_free(&covering->losses);
    arena_free(&covering->arena);
    free(covering);
    return status;
}

static enum status cover_key(struct work *work, struct error *error)
{
    bool known = false;
    char key[PROBLEM_KEY_BYTES];
    ranged_key(&work->problem, key);
    enum status status = losses_covered(work, key, &known, error);
    if (status != STATUS_OK || (known && !was_contested(work->group, key)))
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
