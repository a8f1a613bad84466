/* The domain of a configuration that fails at a size which was not promised. The configuration may
 * still win, but is used only where further probes succeed: from some size on, up to the largest
 * listed one, at multiples of a number, or else at the measured sizes. A failure at a listed size,
 * or at any size if the experiment promises all, rejects the configuration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/experiment/domain.h"
#include "tuner/session/check.h"

enum {
    TRIES_MAX = 48,
    CRASHES_MAX = 4,         /* each costs a process */
    NEAR_MAX = 100000,       /* approximate limit of the probed sizes */
    NEAR_ELEMENTS = 1 << 21, /* and of the elements of a vector, where a smaller size does */
    DIVISOR_MAX = 65536,
    DOMAIN_PROBES_MAX = 9,
    PROBES_MIN = 2, /* probes of a domain before it is accepted */
};
static const int64_t patience_ns = 10000000000;

/* The state of the probing. */
struct probing {
    struct contest *contest;
    struct lane *lane;
    struct slot *slot;
    const struct gauntlet_case *wrong;
    struct domain before; /* domain left by earlier checks */
    int64_t most;         /* largest size */
    int64_t near;         /* size around which most are probed: at most the problem's */
    int64_t divisor;      /* common divisor of the listed sizes at which it is legal ... */
    int64_t first;        /* ... the least of these ... */
    int64_t last;         /* ... and the largest of all */
    struct {
        int64_t n;
        bool applies, right;
    } probed[TRIES_MAX];
    int tries, crashes;
    size_t enough; /* sizes of a domain that are probed */
    int64_t end_ns;
    bool is_late; /* sizes were left out for lack of time */
};

/* Checks the candidate at a size, with the starts of the failure; *applies false: not meant for the
 * size. Without time for the check the candidate counts as wrong there. */
static enum status probe(struct probing *probing, int64_t n, bool *applies, bool *right,
                         struct error *error)
{
    const struct gauntlet_case test = {.n = n,
                                       .seed = (uint64_t)n,
                                       .ends = probing->wrong->ends,
                                       .starts = probing->wrong->starts,
                                       .apart = probing->wrong->apart};
    struct worker_outcome outcome = {.status = TRIAL_OK};
    *applies = *right = false;
    for (int i = 0; i < probing->tries; i++)
        if (probing->probed[i].n == n) {
            *applies = probing->probed[i].applies;
            *right = probing->probed[i].right;
            return STATUS_OK;
        }
    struct contest *contest = probing->contest;
    probing->is_late = probing->is_late || clock_budget_ns() >= probing->end_ns ||
                       checks_are_over(contest, probing->lane);
    *applies = !(probing->slot->outcome.status == TRIAL_OK && probing->tries < TRIES_MAX &&
                 probing->crashes < CRASHES_MAX && !probing->is_late &&
                 !session_stopped(contest->work.session));
    if (*applies)
        return STATUS_OK;
    contest->elsewhere.is_cut = false;
    enum status status =
        check_case(contest, probing->lane, probing->slot, &test, applies, &outcome, error);
    *right = *applies && outcome.status == TRIAL_OK;
    probing->is_late = contest->elsewhere.is_cut;
    *applies = *applies || probing->is_late;
    probing->probed[probing->tries].n = n;
    probing->probed[probing->tries].applies = *applies;
    probing->probed[probing->tries++].right = *right;
    probing->crashes +=
        outcome.status == TRIAL_CRASHED || outcome.status == TRIAL_TIMED_OUT ? 1 : 0;
    return status;
}

/* Sizes of a domain at which the candidate was probed. */
struct probed_sizes {
    int64_t at[DOMAIN_PROBES_MAX];
    size_t count;
};

/* Probes a size, unless that was done before; *holds: nothing was wrong there. */
static enum status probe_once(struct probing *probing, struct probed_sizes *probed, int64_t size,
                              bool *holds, struct error *error)
{
    bool applies = false;
    bool right = false;
    for (size_t i = 0; i < probed->count; i++)
        if (probed->at[i] == size)
            return STATUS_OK;
    TRY(probe(probing, size, &applies, &right, error));
    *holds = right || !applies;
    probed->at[probed->count] = size;
    probed->count += applies ? 1 : 0;
    return STATUS_OK;
}

/* Checks sizes of several names, odd multiples of the domain's numbers: around the failed ones,
 * below, and the smallest. */
static enum status holds_at_multiples(struct probing *probing, const struct domain *domain,
                                      bool *holds, struct error *error)
{
    enum { PLACES = 4 };
    const struct contest *contest = probing->contest;
    const struct domain both = domain_meet(domain, &probing->before);
    struct tuple_span span;
    int64_t wrong[SIZE_NAMES_MAX];
    struct probed_sizes probed = {.count = 0};
    struct problem there;
    struct arena scratch = {0};
    const size_t names = contest_sizes(contest, probing->wrong->n, wrong);
    contest_span(contest, &span);
    *holds = !both.is_listed && contest_problem(contest, probing->wrong->n, &scratch, &there) &&
             !domain_has_problem(&both, &there);
    arena_free(&scratch);
    for (size_t place = 0; *holds && place < PLACES && probed.count < probing->enough; place++) {
        int64_t sizes[SIZE_NAMES_MAX];
        for (size_t i = 0; i < names; i++) {
            const int64_t multiple = both.multiples[i] > 1 ? both.multiples[i] : 1;
            const int64_t from[PLACES] = {wrong[i], 1, wrong[i] / 3, wrong[i] + 2 * multiple};
            sizes[i] = (from[place] / multiple | 1) * multiple;
        }
        contest_fit(&span, names, wrong, both.multiples, sizes);
        const int64_t size = contest_tuple(contest, sizes);
        if (size > 0 && size != contest->work.problem.n)
            TRY(probe_once(probing, &probed, size, holds, error));
    }
    *holds = *holds && probed.count >= PROBES_MIN;
    return STATUS_OK;
}

/* Checks sizes of the domain on both sides of the failed one, small ones, and others up to beyond
 * the problem's own. */
static enum status holds(struct probing *probing, struct domain domain, bool *holds,
                         struct error *error)
{
    const int64_t wrong = probing->wrong->n;
    const struct domain both = domain_meet(&domain, &probing->before);
    const int64_t near = probing->near;
    enum { NEARER = 7 };
    const int64_t from[DOMAIN_PROBES_MAX] = {
        wrong + 1,   wrong - both.multiple + 1,    near + 1,     1, both.least + 1,
        near / 3,    near / 2 + both.multiple / 2, 2 * near + 1, /* if nearer ones are missing */
        3 * near + 1};
    struct probed_sizes probed = {.count = 0};
    if (probing->contest->work.problem.shape)
        return holds_at_multiples(probing, &domain, holds, error);
    *holds = !both.is_listed && !domain_has(&both, wrong);
    for (size_t i = 0; *holds && i < COUNT(from) && probed.count < probing->enough; i++) {
        const int64_t size = domain_next(&both, from[i] > 1 ? from[i] : 1);
        if (size > 0 && size <= probing->most && !(i >= NEARER && probed.count >= PROBES_MIN) &&
            !work_declares(&probing->contest->work, size))
            TRY(probe_once(probing, &probed, size, holds, error));
    }
    *holds = *holds && probed.count >= PROBES_MIN;
    return STATUS_OK;
}

static enum status holds_at(struct probing *probing, int64_t multiple, int64_t least, bool *right,
                            struct error *error)
{
    return holds(probing, (struct domain){.multiple = multiple, .least = least}, right, error);
}

/* Finds whether the domain is the reason for the failure: a similar size outside fails as well, a
 * larger one with the same remainder, or a neighbour. A kernel that is wrong here and there, as at
 * multiples of 97, would be right at most probes of any domain. */
static enum status explains(struct probing *probing, const struct domain *domain, bool *explains,
                            struct error *error)
{
    const int64_t wrong = probing->wrong->n;
    const int64_t step = (int64_t)common_divisor((uint64_t)wrong, (uint64_t)probing->divisor);
    const int64_t multiple = domain_meet(domain, &probing->before).multiple;
    const bool is_least = domain->multiple == 1;
    int64_t sizes[] = {is_least ? wrong + step : wrong + multiple,
                       is_least ? wrong - step : wrong + 3 * multiple};
    const bool is_tuple = probing->contest->work.problem.shape;
    for (size_t i = 0; is_tuple && i < COUNT(sizes); i++) {
        int64_t outside[SIZE_NAMES_MAX];
        const struct domain both = domain_meet(domain, &probing->before);
        const size_t names = contest_sizes(probing->contest, wrong, outside);
        for (size_t k = 0; k < names; k++)
            outside[k] += domain->multiples[k] > 1 ? (2 * (int64_t)i + 1) * both.multiples[k] : 0;
        sizes[i] = contest_tuple(probing->contest, outside);
    }
    const int64_t last = is_tuple ? INT64_MAX : probing->most;
    enum { BY_CHANCE = 2 }; /* sizes up to this may be right in any case */
    *explains = false;
    bool is_right = false;
    for (size_t i = 0; !*explains && i < COUNT(sizes); i++) {
        bool applies = false;
        bool right = false;
        if (sizes[i] <= (is_tuple ? 0 : BY_CHANCE) || sizes[i] > last ||
            work_declares(&probing->contest->work, sizes[i]))
            continue;
        TRY(probe(probing, sizes[i], &applies, &right, error));
        *explains = applies && !right;
        is_right = is_right || (applies && right);
    }
    *explains = *explains || !is_right;
    return STATUS_OK;
}

/* Finds the least power of two from which on the candidate is right, by bisection; 0: none. */
static enum status find_least(struct probing *probing, int64_t *least, struct error *error)
{
    int low = 0; /* 2^low is not right, 2^high is */
    int high = 0;
    bool right = false;
    *least = 0;
    while (low < 62 && INT64_C(1) << (low + 1) <= probing->wrong->n)
        low++;
    while (high < 62 && INT64_C(1) << (high + 1) <= probing->first)
        high++;
    if (high <= low)
        return STATUS_OK;
    TRY(holds_at(probing, 1, INT64_C(1) << high, &right, error));
    while (right && high - low > 1) {
        const int middle = (low + high) / 2;
        bool earlier = false;
        TRY(holds_at(probing, 1, INT64_C(1) << middle, &earlier, error));
        low = earlier ? low : middle;
        high = earlier ? middle : high;
    }
    *least = right ? INT64_C(1) << high : 0;
    return STATUS_OK;
}

/* Finds whether the candidate is right up to the largest listed size and at none of those beyond
 * that are probed, as one with a limit is. */
static enum status find_most(struct probing *probing, int64_t *most, struct error *error)
{
    const int64_t last = probing->last;
    const int64_t beyond[] = {last + 1, last + 3, 2 * last + 1};
    *most = 0;
    if (probing->wrong->n <= last)
        return STATUS_OK;
    bool right = false;
    for (size_t i = 0; !right && i < COUNT(beyond); i++) {
        bool applies = false;
        if (beyond[i] <= probing->most && beyond[i] != probing->wrong->n)
            TRY(probe(probing, beyond[i], &applies, &right, error));
        right = right && applies;
    }
    if (right)
        return STATUS_OK;
    TRY(holds(probing, (struct domain){.multiple = 1, .least = 1, .most = last}, &right, error));
    *most = right ? last : 0;
    return STATUS_OK;
}

/* Divides a number of the domain by each of the prime factors as often as that stays right. */
static enum status divide(struct probing *probing, struct domain *domain, int64_t *number,
                          struct error *error)
{
    int64_t divisor = *number;
    for (int64_t prime = 2; prime <= divisor; prime++)
        if (divisor % prime == 0) {
            int64_t power = 1; /* largest right divisor */
            int64_t most = 1;
            while (divisor / most % prime == 0)
                most *= prime;
            for (int64_t beyond = most * prime; power * prime < beyond;) {
                int64_t middle = power * prime;
                bool still_right = false;
                while (middle * middle < power * beyond / prime)
                    middle *= prime;
                *number = divisor / middle;
                TRY(holds(probing, *domain, &still_right, error));
                power = still_right ? middle : power;
                beyond = still_right ? beyond : middle;
            }
            divisor /= power;
            *number = divisor;
        }
    return STATUS_OK;
}

/* Finds the least divisor of all listed sizes whose other multiples are right; 0: none. */
static enum status find_multiple(struct probing *probing, int64_t *multiple, struct error *error)
{
    const int64_t near = probing->near / 4;
    int64_t divisor = probing->divisor;
    bool right = false;
    *multiple = 0;
    /* Multiples below the problem's size are probed if there are a few; else larger ones. */
    for (int64_t prime = 2; divisor > DIVISOR_MAX || divisor > near; prime++)
        while (divisor % prime == 0 && (divisor > DIVISOR_MAX || divisor > near))
            divisor /= prime;
    TRY(holds_at(probing, divisor, 1, &right, error));
    if (!right && probing->divisor <= DIVISOR_MAX) {
        divisor = probing->divisor;
        TRY(holds_at(probing, divisor, 1, &right, error));
    }
    struct domain domain = {.multiple = divisor, .least = 1};
    if (right)
        TRY(divide(probing, &domain, &domain.multiple, error));
    *multiple = right ? domain.multiple : 0;
    return STATUS_OK;
}

/* Finds the least multiple of each of several names, first together and then name by name. */
static enum status find_multiples(struct probing *probing, struct domain *found,
                                  struct error *error)
{
    enum { MULTIPLE_MAX = 256 };
    struct tuple_span span;
    int64_t own[SIZE_NAMES_MAX];
    const size_t names = contest_sizes(probing->contest, probing->contest->work.problem.n, own);
    bool right = false;
    contest_span(probing->contest, &span);
    *found = DOMAIN_OF_ALL;
    for (size_t i = 0; i < names; i++) {
        int64_t divisor = span.divisor[i];
        while (divisor > MULTIPLE_MAX && divisor % 2 == 0)
            divisor /= 2;
        found->multiples[i] = divisor;
    }
    probing->enough = PROBES_MIN; /* of each domain on the way */
    TRY(holds(probing, *found, &right, error));
    for (size_t i = 0; right && i < names; i++)
        TRY(divide(probing, found, &found->multiples[i], error));
    probing->enough = SIZE_MAX;
    if (right && !probing->is_late)
        TRY(holds(probing, *found, &right, error));
    bool is_explained = probing->is_late; /* a similar tuple outside failed on the way */
    for (int i = 0; i < probing->tries; i++)
        is_explained = is_explained || (probing->probed[i].applies && !probing->probed[i].right);
    if (right && !is_explained)
        TRY(explains(probing, found, &right, error));
    found->is_listed = !right;
    return STATUS_OK;
}

static bool is_larger(const struct domain *a, const struct domain *b)
{
    if (a->multiple != b->multiple)
        return a->multiple < b->multiple;
    for (size_t i = 0; i < SIZE_NAMES_MAX; i++)
        if (a->multiples[i] != b->multiples[i])
            return a->multiples[i] < b->multiples[i];
    return a->least != b->least ? a->least < b->least : a->most <= 0 && b->most > 0;
}

/* Returns the largest domain of a contest's candidates below `last` (NULL: at all), or `next` if
 * that is larger. */
static const struct domain *next_domain(const struct contest *contest, const struct domain *last,
                                        const struct domain *next)
{
    const struct candidates *candidates = &contest->sweep->candidates;
    for (size_t i = 0; i < candidates->count; i++) {
        const struct narrowing *other = candidates->items[i]->narrowing;
        if (other && !other->domain.is_listed && (!last || is_larger(last, &other->domain)) &&
            (!next || is_larger(&other->domain, next)))
            next = &other->domain;
    }
    return next;
}

/* Tries the domains left to other candidates, the largest first: a kernel with a tile of 128 is not
 * the only one. A few sizes each will do, since a smaller domain has just failed for the others,
 * and the further cases of the gauntlet run in this one. */
static enum status try_others(struct probing *probing, struct domain *found, bool *right,
                              struct error *error)
{
    enum { OTHERS_MAX = 6 };
    const struct contest *own = probing->contest;
    const struct domain *last = NULL;
    *right = false;
    probing->enough = PROBES_MIN;
    for (int tried = 0; !*right && tried < OTHERS_MAX; tried++) {
        const struct domain *next = next_domain(own, last, NULL);
        if (own->work.problem.shape) /* also at other tuples */
            for (const struct contest *at = own->work.group->contests; at; at = at->next)
                if (at->work.experiment == own->work.experiment)
                    next = next_domain(at, last, next);
        if (!next)
            return STATUS_OK;
        last = next;
        *found = *next;
        TRY(holds(probing, *found, right, error));
        bool half = false;
        if (*right && found->multiple % 2 == 0)
            TRY(holds_at(probing, found->multiple / 2, found->least, &half, error));
        *right = *right && !half; /* otherwise there is a larger domain */
        if (*right && !probing->contest->work.problem.shape)
            TRY(explains(probing, found, right, error));
    }
    return STATUS_OK;
}

/* Finds a domain by few sizes of each possible one, and by all sizes if further sizes disprove that
 * domain. */
static enum status find_domain(struct probing *probing, struct domain *found, struct error *error)
{
    static const size_t enough[] = {PROBES_MIN, SIZE_MAX};
    bool right = false;
    bool explained = true;
    for (size_t i = 0; i < COUNT(enough) && !right && explained &&
                       (i == 0 || (!probing->is_late && probing->tries < TRIES_MAX &&
                                   probing->crashes < CRASHES_MAX));
         i++) {
        int64_t least = 0, multiple = 0, most = 0;
        probing->enough = enough[i];
        TRY(find_most(probing, &most, error));
        if (most == 0 && probing->wrong->n < probing->first)
            TRY(find_least(probing, &least, error));
        if (least > 0)
            TRY(explains(probing, &(struct domain){.multiple = 1, .least = least}, &explained,
                         error));
        least = explained ? least : 0;
        if (most == 0 && least == 0)
            TRY(find_multiple(probing, &multiple, error));
        if (multiple > 0)
            TRY(explains(probing, &(struct domain){.multiple = multiple, .least = 1}, &explained,
                         error));
        multiple = explained ? multiple : 0;
        *found = (struct domain){.multiple = multiple > 0 ? multiple : 1,
                                 .least = least > 0 ? least : 1,
                                 .most = most,
                                 .is_listed = least == 0 && multiple == 0 && most == 0};
        probing->enough = SIZE_MAX;
        TRY(holds(probing, *found, &right, error));
    }
    /* Where the probing ended early, the result of few sizes stays unless refuted. */
    for (int i = 0; i < probing->tries; i++)
        found->is_listed =
            found->is_listed || (probing->probed[i].applies && !probing->probed[i].right &&
                                 domain_has(found, probing->probed[i].n));
    if (found->is_listed)
        *found = (struct domain){.multiple = 1, .least = 1, .is_listed = true};
    return STATUS_OK;
}

/* Returns the largest size of the problem's key. */
static int64_t last_listed(const struct work *work)
{
    int64_t last = work->problem.n;
    for (size_t i = 0; i < experiment_problem_count(work->experiment); i++) {
        struct problem problem;
        experiment_problem(work->experiment, i, &problem);
        if (strcmp(problem.key, work->problem.key) == 0 && problem.n > last)
            last = problem.n;
    }
    return last;
}

static struct store_domain domain_row(const struct work *work, const struct candidate *candidate)
{
    return (struct store_domain){.environment_id = work->environment_id,
                                 .experiment_id = work->experiment_id,
                                 .problem_key = work->problem.key,
                                 .configuration_id = candidate->configuration_id,
                                 .binary_hash = candidate_binary(work, candidate)->hash};
}

enum status candidate_store_domain(const struct work *work, const struct candidate *candidate,
                                   const struct domain *domain, const char *why,
                                   struct error *error)
{
    struct store_domain row = domain_row(work, candidate);
    row.multiple = domain->multiple;
    row.least = domain->least;
    row.most = domain->most;
    row.is_listed = domain->is_listed;
    row.reason = why;
    struct arena arena = {0};
    row.formula = domain_multiples(domain, &arena);
    const enum status status =
        arena.failed ? error_no_memory(error) : store_domain_put(work->store, &row, error);
    arena_free(&arena);
    return status;
}

/* Sets the candidate's domain; `why` belongs to the sweep. */
static enum status set_domain(struct sweep *sweep, struct candidate *candidate,
                              const struct domain *domain, const char *why, struct error *error)
{
    struct narrowing *narrowing = arena_alloc(&sweep->arena, 1, sizeof *narrowing);
    if (!narrowing || !why)
        return error_no_memory(error);
    *narrowing = (struct narrowing){.domain = *domain, .why = why};
    candidate->narrowing = narrowing;
    return STATUS_OK;
}

/* Checks the problem's own size with the same starts; *how: the failure; NULL: none. */
static enum status fails_at_home(struct probing *probing, const char **how, struct error *error)
{
    struct worker_outcome outcome = {.status = TRIAL_OK};
    const struct gauntlet_case test = {.n = probing->contest->work.problem.n,
                                       .seed = probing->wrong->seed,
                                       .ends = probing->wrong->ends,
                                       .starts = probing->wrong->starts,
                                       .apart = probing->wrong->apart};
    bool applies = false;
    *how = NULL;
    TRY(check_case(probing->contest, probing->lane, probing->slot, &test, &applies, &outcome,
                   error));
    if (outcome.status == TRIAL_OK || outcome.starved)
        return STATUS_OK;
    *how = gauntlet_words(probing->contest, &test, &outcome);
    return *how ? STATUS_OK : error_no_memory(error);
}

enum status candidate_narrow(struct contest *contest, struct lane *lane, struct slot *slot,
                             const struct gauntlet_case *wrong, double most, const char *why,
                             const char **out, struct error *error)
{
    struct candidate *candidate = slot->candidate;
    const double near = fmin(most * NEAR_ELEMENTS / GAUNTLET_ELEMENTS, NEAR_MAX);
    const int64_t n = contest->work.problem.n;
    struct domain found = DOMAIN_OF_ALL;
    /* Under a budget half of the time that is left, so that other finalists have time, too. */
    const int64_t now_ns = clock_budget_ns();
    const int64_t end_ns = contest->elsewhere.end_ns;
    const int64_t half_ns = (end_ns - now_ns) / 2; /* others have the rest */
    struct probing probing = {
        .contest = contest,
        .lane = lane,
        .slot = slot,
        .wrong = wrong,
        .before = candidate->narrowing ? candidate->narrowing->domain : DOMAIN_OF_ALL,
        .most = (int64_t)fmin(most, NEAR_MAX),
        .near = (double)n < near ? n : (int64_t)fmax(near, 1),
        .end_ns = now_ns + (end_ns > 0 && half_ns < patience_ns ? half_ns : patience_ns)};
    bool is_known = false;
    const struct work *work = &probing.contest->work;
    /* The listed sizes must stay. */
    probing.divisor = probing.first = work->problem.n;
    probing.last = last_listed(work);
    for (size_t i = 0; i < experiment_problem_count(work->experiment); i++) {
        struct error ignored = {0};
        struct problem problem;
        bool admits = false;
        experiment_problem(work->experiment, i, &problem);
        if (strcmp(problem.key, work->problem.key) != 0 ||
            space_admits(work->experiment, &problem, work->facts,
                         &probing.slot->prepared->configuration, &admits, &ignored) != STATUS_OK ||
            !admits)
            continue;
        probing.divisor = (int64_t)common_divisor((uint64_t)probing.divisor, (uint64_t)problem.n);
        probing.first = problem.n < probing.first ? problem.n : probing.first;
    }
    TRY(fails_at_home(&probing, out, error));
    if (*out)
        return STATUS_OK;
    /* Nothing is tried around a size far beyond the listed ones: nearer ones were right. */
    is_known = wrong->is_far;
    found.most = wrong->is_far ? probing.last : 0;
    if (!is_known)
        TRY(try_others(&probing, &found, &is_known, error));
    if (!is_known && work->problem.shape) {
        TRY(find_multiples(&probing, &found, error));
    } else if (!is_known) {
        found = (struct domain){.multiple = 1, .least = 1, .is_listed = true};
        TRY(find_domain(&probing, &found, error));
    }
    found = domain_meet(&found, &probing.before);
    contest->elsewhere.is_cut = (found.is_listed || work->problem.shape) && probing.is_late &&
                                end_ns > 0 && half_ns < patience_ns;
    why = contest->elsewhere.is_cut ? DOMAIN_UNCHECKED : arena_strdup(&contest->sweep->arena, why);
    TRY(set_domain(contest->sweep, candidate, &found, why, error));
    return candidate_store_domain(&contest->work, candidate, &found, why, error);
}

enum status candidate_confine(const struct work *work, struct sweep *sweep,
                              struct candidate *candidate, struct error *error)
{
    static const struct domain listed = {.multiple = 1, .least = 1, .is_listed = true};
    const struct store_domain row = domain_row(work, candidate);
    bool checked = false;
    TRY(store_domain_is_checked(work->store, &row, &checked, error));
    if (checked || !experiment_head(work->experiment)->has_size)
        return STATUS_OK;
    TRY(set_domain(sweep, candidate, &listed, DOMAIN_UNCHECKED, error));
    return candidate_store_domain(work, candidate, &listed, DOMAIN_UNCHECKED, error);
}

enum status candidate_recall_domain(struct contest *contest, struct candidate *candidate,
                                    bool *confined, struct error *error)
{
    const struct work *work = &contest->work;
    struct store_domain row = domain_row(work, candidate);
    const char *binary_hash = row.binary_hash;
    bool found = false;
    *confined = false;
    TRY(store_domain_get(work->store, &contest->sweep->arena, &row, &found, error));
    if (!found && work->problem.shape) {
        TRY(store_domain_of_family(work->store, &contest->sweep->arena, &row, &found, error));
        if (found)
            TRY(store_domain_put(work->store, &row, error));
    }
    if (!found || !row.reason || strcmp(row.binary_hash, binary_hash) != 0)
        return STATUS_OK;
    /* Missing checks, or a larger size than before. */
    *confined =
        strcmp(row.reason, DOMAIN_UNCHECKED) == 0 || (row.most > 0 && row.most < last_listed(work));
    if (*confined)
        return STATUS_OK;
    struct domain domain = {.multiple = row.multiple,
                            .least = row.least,
                            .most = row.most,
                            .is_listed = row.is_listed != 0};
    domain_set_multiples(&domain, work->problem.shape ? row.formula : NULL);
    return set_domain(contest->sweep, candidate, &domain, row.reason, error);
}

/* Returns whether the same was noted for another tuple of sizes. */
static bool is_noted(const struct contest *contest)
{
    for (const struct contest *at = contest->work.group->contests;
         at && contest->work.problem.shape; at = at->next)
        if (at != contest && at->work.experiment == contest->work.experiment && at->noted &&
            strcmp(at->noted, contest->noted) == 0)
            return true;
    return false;
}

void contest_note_domains(struct contest *contest)
{
    const struct work *work = &contest->work;
    const struct finalist *first = NULL;
    size_t narrowed = 0;
    size_t right = 0;
    struct text where = {0};
    for (size_t i = 0; i < contest->finalist_count; i++) {
        const struct finalist *finalist = &contest->finalists[i];
        if (!finalist_can_win(finalist))
            continue;
        right++;
        if (!finalist->slot.candidate->narrowing)
            continue;
        first = first ? first : finalist;
        narrowed++;
    }
    if (!first)
        return;
    const struct narrowing *narrowing = first->slot.candidate->narrowing;
    const char *size_name = work->problem.size_name;
    const char *names[SIZE_NAMES_MAX];
    size_t of_n = 0;
    const size_t name_count = experiment_size_names(work->experiment, names, &of_n);
    if (narrowing->domain.is_listed)
        text_append(&where, "was measured");
    const struct {
        int64_t bound;
        const char *operation, *end;
    } parts[] = {{narrowing->domain.multiple > 1 ? narrowing->domain.multiple : 0, "%", " == 0"},
                 {narrowing->domain.least > 1 ? narrowing->domain.least : 0, ">=", ""},
                 {narrowing->domain.most, "<=", ""}};
    for (size_t i = 0; !narrowing->domain.is_listed && i < COUNT(parts); i++)
        if (parts[i].bound > 0)
            text_printf(&where, "%s%s %s %lld%s", where.length > 0 ? " and " : "'", size_name,
                        parts[i].operation, (long long)parts[i].bound, parts[i].end);
    for (size_t i = 0; !narrowing->domain.is_listed && i < name_count; i++)
        if (narrowing->domain.multiples[i] > 1)
            text_printf(&where, "%s%s %% %lld == 0", where.length > 0 ? " and " : "'", names[i],
                        (long long)narrowing->domain.multiples[i]);
    if (!narrowing->domain.is_listed)
        text_append(&where, "'");
    contest->noted = arena_strdup(&contest->sweep->arena, text_string(&where));
    if (contest->noted && !is_noted(contest))
        problem_note(
            work->session, &work->problem,
            "%zu of %s %s only some sizes, as '%s' where %s%s: %s%s%s%s", narrowed,
            count_text(right, "finalist").text, narrowed == 1 ? "serves" : "serve", first->key,
            narrowing->domain.is_listed ? "it " : "", text_string(&where), narrowing->why,
            strcmp(narrowing->why, DOMAIN_UNCHECKED) == 0 ? "; a larger --budget checks them"
                                                          : ". The experiment lists no such size",
            narrowed < right || narrowing->domain.is_listed
                ? ""
                : "; to say so, write under its constraints ",
            narrowed < right || narrowing->domain.is_listed ? "" : text_string(&where));
    text_free(&where);
}
