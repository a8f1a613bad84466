/* Few configurations for many sizes, so that a size that nobody measured has one, too: chosen by
 * what races and sweeps know, then looked at where they are not the winner, and between sizes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/session/internal.h"
#include "tuner/session/losses.h"
#include "tuner/trial/ranges.h"

enum { CUTS_MAX = 4, BETWEEN_MAX = 8 };

struct covering {
    struct group *group;
    struct sweep like; /* experiment, objective, group */
    struct problem problem;
    struct losses losses;
    struct size_range ranges[SESSION_SIZES_MAX];
    size_t count;
    struct store_range_check *checks; /* by size, then between sizes */
    size_t check_count;
    struct arena arena;
};

static size_t range_of(const struct covering *covering, size_t size)
{
    for (size_t i = 0; i < covering->count; i++)
        if (size >= covering->ranges[i].first && size <= covering->ranges[i].last)
            return i;
    return covering->count;
}

/* The last size of the range's part of the gap behind it: the geometric middle. */
static int64_t middle(int64_t low, int64_t high)
{
    return (int64_t)floor(sqrt((double)low * (double)high));
}

static int64_t range_low(const struct covering *covering, size_t range)
{
    const int64_t *n = covering->losses.sizes;
    size_t first = covering->ranges[range].first;
    return range == 0 ? n[first] : middle(n[covering->ranges[range - 1].last], n[first]) + 1;
}

static int64_t range_high(const struct covering *covering, size_t range)
{
    const int64_t *n = covering->losses.sizes;
    size_t last = covering->ranges[range].last;
    return range + 1 == covering->count ? n[last]
                                        : middle(n[last], n[covering->ranges[range + 1].first]);
}

static enum status look(struct covering *covering, int64_t n, const size_t *configurations,
                        size_t count, bool measured, struct look *out, struct error *error)
{
    const struct configuration *list[LOOK_MAX];
    struct losses *losses = &covering->losses;
    struct problem problem;
    for (size_t i = 0; i < count; i++) {
        list[i] = losses_configuration(losses, configurations[i]);
        if (!list[i]) {
            *out = (struct look){.best = 0, .loss = {(double)NAN, (double)NAN, (double)NAN}};
            return STATUS_OK;
        }
    }
    experiment_problem_at(covering->like.experiment, &covering->problem, n, &problem);
    enum status status = look_at(&covering->like, &problem, list, count, out, error);
    if (status != STATUS_OK || !out->works)
        return status;
    covering->checks[covering->check_count++] = (struct store_range_check){
        .n = n,
        .measured = measured,
        .loss = out->loss.estimate,
        .loss_low = out->loss.low,
        .loss_high = out->loss.high,
        .best_configuration_id = losses->items[configurations[out->best]].id,
    };
    return STATUS_OK;
}

static bool was_looked_at(const struct covering *covering, size_t size, size_t configuration)
{
    return covering->losses.looked[size * covering->losses.count + configuration];
}

/* Measures the ranges' configurations where others won; *again: one does not hold there. */
static enum status look_at_measured(struct covering *covering, bool *again, struct error *error)
{
    struct losses *losses = &covering->losses;
    double within = covering->group->session->options->protocol.within;
    *again = false;
    for (size_t size = 0; size < losses->size_count; size++) {
        size_t range = range_of(covering, size);
        struct look found = {0};
        if (range == covering->count)
            continue;
        size_t pair[2] = {covering->ranges[range].configuration, losses->winners[size]};
        if (pair[0] == pair[1] || pair[1] >= losses->count ||
            was_looked_at(covering, size, pair[0]))
            continue;
        enum status status = look(covering, losses->sizes[size], pair, 2, true, &found, error);
        if (status != STATUS_OK)
            return status;
        losses->looked[size * losses->count + pair[0]] = true;
        if (!found.works)
            continue;
        /* What is written down as a bound is one: the interval's upper end. */
        losses->loss[size * losses->count + pair[0]] = fmax(found.loss.high, 0);
        *again |= found.loss.high > within;
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

/* Between two measured sizes: the range's configuration against what won around there. */
static enum status look_between(struct covering *covering, size_t size, struct error *error)
{
    const struct losses *losses = &covering->losses;
    int64_t points = covering->group->session->options->protocol.look_between;
    double low = log((double)losses->sizes[size]);
    double high = log((double)losses->sizes[size + 1]);
    for (int64_t i = 1; i <= points && i <= BETWEEN_MAX; i++) {
        int64_t n = (int64_t)exp(low + (high - low) * (double)i / (double)(points + 1));
        size_t before = range_of(covering, size);
        size_t after = range_of(covering, size + 1);
        if (n <= losses->sizes[size] || n >= losses->sizes[size + 1] || before == covering->count ||
            after == covering->count)
            continue;
        size_t here = n <= range_high(covering, before) ? before : after;
        size_t list[LOOK_MAX];
        struct look found;
        size_t count = add_distinct(list, 0, covering->ranges[here].configuration, losses->count);
        count = add_distinct(list, count, losses->winners[size], losses->count);
        count = add_distinct(list, count, losses->winners[size + 1], losses->count);
        count = add_distinct(list, count, covering->ranges[before].configuration, losses->count);
        count = add_distinct(list, count, covering->ranges[after].configuration, losses->count);
        if (count < 2)
            continue;
        enum status status = look(covering, n, list, count, false, &found, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static void cut(struct covering *covering)
{
    const struct losses *losses = &covering->losses;
    const struct protocol *protocol = &covering->group->session->options->protocol;
    covering->count = ranges_cover(losses->loss, losses->size_count, losses->count, losses->order,
                                   protocol->within, protocol->delta, covering->ranges);
}

static enum status look_around(struct covering *covering, struct error *error)
{
    struct group *group = covering->group;
    bool again = true;
    enum status status = STATUS_OK;
    group->problem_key = covering->problem.key;
    session_progress(group, "ranges");
    for (int i = 0; status == STATUS_OK && again && i < CUTS_MAX; i++) {
        status = look_at_measured(covering, &again, error);
        if (again)
            cut(covering);
    }
    for (size_t i = 0; status == STATUS_OK && i + 1 < covering->losses.size_count; i++)
        status = look_between(covering, i, error);
    group->problem_key = "";
    return status;
}

/* A range's checks: those of its sizes that were made of its configuration. */
static size_t checks_of(const struct covering *covering, int64_t low, int64_t high,
                        struct store_range_check *out)
{
    size_t count = 0;
    for (size_t i = 0; i < covering->check_count; i++) {
        const struct store_range_check *check = &covering->checks[i];
        if (check->n < low || check->n > high)
            continue;
        if (count > 0 && out[count - 1].n == check->n)
            count--; /* an earlier cut's: the later counts */
        out[count++] = *check;
    }
    return count;
}

static int by_n(const void *left, const void *right)
{
    const struct store_range_check *a = left;
    const struct store_range_check *b = right;
    return (a->n > b->n) - (a->n < b->n);
}

static enum status put(struct covering *covering, struct error *error)
{
    const struct group *group = covering->group;
    const struct session_options *options = group->session->options;
    struct session_summary *summary = group->session->summary;
    struct store_range *rows = arena_alloc(&covering->arena, covering->count + 1, sizeof *rows);
    if (!rows)
        return error_no_memory(error);
    qsort(covering->checks, covering->check_count, sizeof *covering->checks, by_n);
    for (size_t i = 0; i < covering->count; i++) {
        struct store_range_check *checks =
            arena_alloc(&covering->arena, covering->check_count + 1, sizeof *checks);
        if (!checks)
            return error_no_memory(error);
        rows[i] = (struct store_range){
            .n_low = range_low(covering, i),
            .n_high = range_high(covering, i),
            .configuration_id = covering->losses.items[covering->ranges[i].configuration].id,
            .bound = fmax(covering->ranges[i].worst_loss, 0),
            .checks = checks,
        };
        rows[i].check_count = checks_of(covering, rows[i].n_low, rows[i].n_high, checks);
    }
    summary->ranges += covering->count;
    summary->sizes += covering->losses.size_count;
    struct store_ranges ranges = {
        .environment_id = group->environment_id,
        .experiment_id = covering->like.experiment_id,
        .problem_key = covering->problem.key,
        .l2_mode = options->l2_mode,
        .objective = objective_text(covering->like.objective),
        .run_id = group_lane(group) ? group_lane(group)->run_id : 0,
        .within = options->protocol.within,
        .ranges = rows,
        .count = covering->count,
    };
    return store_ranges_put(group->session->store, &ranges, error);
}

static enum status cover(struct covering *covering, struct error *error)
{
    struct group *group = covering->group;
    const struct session_options *options = group->session->options;
    enum status status = losses_load(&covering->like, &covering->problem, &covering->losses, error);
    size_t most = covering->losses.size_count * (CUTS_MAX + BETWEEN_MAX) + 1;
    if (status != STATUS_OK || covering->losses.size_count == 0 || !group_lane(group))
        return status;
    covering->checks = arena_alloc(&covering->arena, most, sizeof *covering->checks);
    if (!covering->checks)
        return error_no_memory(error);
    cut(covering);
    if (options->protocol.look_between > 0 && !objective_needs_energy(covering->like.objective) &&
        !budget_over(group->session, budget_end_ns(group->session)))
        status = look_around(covering, error);
    if (status == STATUS_DEVICE_LOST || status == STATUS_TIMED_OUT)
        return status;
    return status == STATUS_OK ? put(covering, error) : status;
}

static bool was_contested(const struct group *group, const char *key)
{
    for (const struct contest *contest = group->contests; contest; contest = contest->next)
        if (contest->announced && strcmp(contest->sweep->problem.key, key) == 0)
            return true;
    return false;
}

static enum status cover_key(struct group *group, const struct sweep *like,
                             const struct problem *problem, struct error *error)
{
    bool known = false;
    enum status status = losses_covered(like, problem, &known, error);
    if (status != STATUS_OK || (known && !was_contested(group, problem->key)))
        return status;
    struct covering *covering = calloc(1, sizeof *covering);
    if (!covering)
        return error_no_memory(error);
    covering->group = group;
    covering->like = *like;
    covering->problem = *problem;
    status = cover(covering, error);
    losses_free(&covering->losses);
    arena_free(&covering->arena);
    free(covering);
    return status;
}

enum status group_ranges(struct group *group, const struct experiment *experiment,
                         int64_t experiment_id, const struct objective *objective,
                         struct error *error)
{
    struct sweep like = {.group = group,
                         .experiment = experiment,
                         .experiment_id = experiment_id,
                         .objective = objective};
    char last[PROBLEM_KEY_BYTES] = "";
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < experiment_problem_count(experiment); i++) {
        struct problem problem;
        experiment_problem(experiment, i, &problem);
        if (strcmp(problem.key, last) == 0)
            continue;
        (void)string_format(last, sizeof last, "%s", problem.key);
        status = cover_key(group, &like, &problem, error);
    }
    return status;
}
