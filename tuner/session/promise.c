/* Which sizes an experiment promises. A file seldom says that its kernels take multiples of 128
 * alone: where its default configuration, or all that were measured, fail at an awkward size, no
 * configuration is to blame. That is said once, with the line to write, and nobody is held against
 * such a size any more. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/session/check.h"

enum {
    TRIES_MAX = 48,
    CRASHES_MAX = 4,   /* each costs a process */
    NEAR_MAX = 100000, /* sizes that are asked for are about so large */
    DIVISOR_MAX = 65536,
};
static const int64_t patience_ns = 10000000000;

/* NULL: none was asked for. */
static struct promise *find_promise(const struct work *work)
{
    struct promise *promise = work->group->promises;
    while (promise && promise->experiment != work->experiment)
        promise = promise->next;
    return promise;
}

bool promise_has(const struct work *work, int64_t n)
{
    const struct promise *promise = find_promise(work);
    if (!promise || !promise->known || n == work->problem.n)
        return true;
    return !promise->none && n % promise->divisor == 0 && n >= promise->least;
}

int64_t promise_next(const struct work *work, int64_t n)
{
    const struct promise *promise = find_promise(work);
    if (!promise || !promise->known || n == work->problem.n)
        return n;
    if (promise->none)
        return 0;
    n = n < promise->least ? promise->least : n;
    return (n + promise->divisor - 1) / promise->divisor * promise->divisor;
}

/* Who is asked, and how often that may be. */
struct probing {
    struct sweep *sweep;
    struct lane *lane;
    struct slot slot;
    bool loads;
    int tries, crashes;
    int64_t end_ns;
};

/* One lane at a time finds out what an experiment promises: others that ask meanwhile wait for what
 * it found. NULL: no memory. */
static struct promise *begin_asking(const struct work *work)
{
    struct promise *promise = find_promise(work);
    if (!promise && (promise = calloc(1, sizeof *promise)) != NULL) {
        *promise = (struct promise){.next = work->group->promises, .experiment = work->experiment};
        work->group->promises = promise;
    }
    while (promise && promise->is_asked)
        session_pause(work->session);
    if (promise)
        promise->is_asked = true;
    return promise;
}

static enum status begin_probing(struct probing *probing, struct sweep *sweep, struct lane *lane,
                                 struct candidate *candidate, struct error *error)
{
    struct track track = sweep_track(sweep, lane, "race");
    *probing = (struct probing){
        .sweep = sweep,
        .lane = lane,
        .slot = {.candidate = candidate, .outcome = {.status = TRIAL_OK}},
        .end_ns = clock_budget_ns() + patience_ns,
    };
    enum status status = track_load(&track, &probing->slot, error);
    probing->loads = status == STATUS_OK && probing->slot.outcome.status == TRIAL_OK;
    return status;
}

static bool may_probe(const struct probing *probing)
{
    const struct session *session = probing->sweep->work.session;
    return probing->loads && probing->tries < TRIES_MAX && probing->crashes < CRASHES_MAX &&
           clock_budget_ns() < probing->end_ns && !session_stopped(session) &&
           !budget_ended(session);
}

/* Whether it is right at that size; *asked false: it is not meant for it. */
static enum status probe_case(struct probing *probing, const struct gauntlet_case *what,
                              bool *asked, bool *right, struct worker_outcome *outcome,
                              struct error *error)
{
    enum status status =
        check_case(probing->sweep, probing->lane, &probing->slot, what, asked, outcome, error);
    *right = *asked && outcome->status == TRIAL_OK;
    probing->tries++;
    probing->crashes +=
        outcome->status == TRIAL_CRASHED || outcome->status == TRIAL_TIMED_OUT ? 1 : 0;
    return status;
}

static enum status is_right_at(struct probing *probing, int64_t n, bool *right, struct error *error)
{
    const struct gauntlet_case what = {.n = n, .seed = (uint64_t)n};
    struct worker_outcome outcome = {.status = TRIAL_OK};
    bool asked = false;
    *right = false;
    return may_probe(probing) ? probe_case(probing, &what, &asked, right, &outcome, error)
                              : STATUS_OK;
}

static enum status are_right_at(struct probing *probing, int64_t n, int64_t m, bool *right,
                                struct error *error)
{
    enum status status = is_right_at(probing, n, right, error);
    return status == STATUS_OK && *right ? is_right_at(probing, m, right, error) : status;
}

/* The least power of two from which on sizes are right, odd ones, too; 0: there is none. From
 * above, so that only the last one that is asked for fails: that may cost a process. */
static enum status find_least(struct probing *probing, int64_t wrong, int64_t *least,
                              struct error *error)
{
    const int64_t n = probing->sweep->work.problem.n;
    int64_t from = 1;
    bool right = false;
    *least = 0;
    enum status status = wrong < n ? is_right_at(probing, n + 1, &right, error) : STATUS_OK;
    while (from <= n / 2)
        from *= 2;
    for (; status == STATUS_OK && right && from > wrong; from /= 2) {
        status = are_right_at(probing, from, from + 1, &right, error);
        *least = right ? from : *least;
    }
    return status;
}

/* Whether multiples of it are right, other ones than the problem's size. */
static enum status divides(struct probing *probing, int64_t divisor, int64_t wrong, bool *right,
                           struct error *error)
{
    const int64_t n = probing->sweep->work.problem.n;
    int64_t times = (n < NEAR_MAX ? n : NEAR_MAX) / divisor | 1;
    *right = false;
    if (wrong % divisor == 0)
        return STATUS_OK;
    return are_right_at(probing, divisor * times, divisor * (times + 2), right, error);
}

/* A divisor of the problem's size whose other multiples are right, too, and of whose own divisors
 * none is like that; 0: none. From above as well: each of its primes is left out while that
 * helps. */
static enum status find_divisor(struct probing *probing, int64_t wrong, int64_t *divisor,
                                struct error *error)
{
    const int64_t n = probing->sweep->work.problem.n;
    bool right = false;
    int64_t d = n < DIVISOR_MAX ? n : DIVISOR_MAX;
    while (n % d != 0)
        d--;
    enum status status = divides(probing, d, wrong, &right, error);
    *divisor = right ? d : 0;
    for (int64_t prime = 2; status == STATUS_OK && *divisor > 0 && prime <= d; prime++) {
        right = true;
        while (status == STATUS_OK && right && d % prime == 0) {
            status = divides(probing, d / prime, wrong, &right, error);
            d = right ? d / prime : d;
        }
        *divisor = d;
    }
    return status;
}

static void note_promise(const struct work *work, int64_t wrong, const char *who, const char *why)
{
    const struct session *session = work->session;
    const struct promise *promise = find_promise(work);
    const char *size = work->problem.size_name;
    char line[96] = "";
    if (promise->divisor > 1)
        (void)string_format(line, sizeof line, "'%s %% %lld == 0'", size,
                            (long long)promise->divisor);
    else if (promise->least > 1)
        (void)string_format(line, sizeof line, "'%s >= %lld'", size, (long long)promise->least);
    session_note(session,
                 "%s: at %s=%lld %s, too, so that the experiment does not promise such sizes; "
                 "winners are chosen without them. %s%s%s (%s)",
                 experiment_name(work->experiment), size, (long long)wrong, who,
                 line[0] ? "To say so, write " : "Write under its constraints which it promises",
                 line, line[0] ? " under its constraints" : "", why);
}

/* Who was rejected at a size that is not promised is no longer. */
static void pardon(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        struct candidate *candidate = sweep->candidates.items[i];
        if (candidate->rejected && candidate->rejected_at != 0 &&
            !promise_has(&sweep->work, candidate->rejected_at)) {
            candidate->rejected = NULL;
            candidate->rejected_at = 0;
        }
    }
}

static enum status learn(struct probing *probing, struct promise *promise, int64_t wrong,
                         const char *who, const char *why, struct error *error)
{
    struct sweep *sweep = probing->sweep;
    bool refuted = promise->known; /* what was believed of it does not hold */
    int64_t least = 0;
    int64_t divisor = 0;
    enum status status = refuted ? STATUS_OK : find_least(probing, wrong, &least, error);
    if (status == STATUS_OK && least == 0 && !refuted)
        status = find_divisor(probing, wrong, &divisor, error);
    if (status != STATUS_OK)
        return status;
    promise->known = true;
    promise->divisor = divisor > 0 ? divisor : 1;
    promise->least = least > 0 ? least : 1;
    promise->none = divisor == 0 && least == 0;
    if (!refuted || promise->none)
        note_promise(&sweep->work, wrong, who, why);
    pardon(sweep);
    return STATUS_OK;
}

/* The first baseline that works: of a file without baselines its `defaults`. NULL: there is none.
 */
static struct candidate *default_of(const struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        struct candidate *candidate = sweep->candidates.items[i];
        if (!(candidate->wanted & WANTED_BASELINE))
            continue;
        candidate = candidate->same_as ? candidate->same_as : candidate;
        if (candidate_works(candidate))
            return candidate;
    }
    return NULL;
}

enum status promise_question(struct sweep *sweep, struct lane *lane,
                             const struct gauntlet_case *what, bool *kept, struct error *error)
{
    struct probing probing;
    struct worker_outcome outcome = {.status = TRIAL_OK};
    struct candidate *candidate = default_of(sweep);
    bool asked = false;
    bool right = true;
    *kept = true;
    if (!candidate)
        return STATUS_OK;
    struct promise *promise = begin_asking(&sweep->work);
    if (!promise)
        return error_no_memory(error);
    *kept = promise_has(&sweep->work, what->n);
    if (!*kept) { /* another lane has found that out */
        promise->is_asked = false;
        return STATUS_OK;
    }
    enum status status = begin_probing(&probing, sweep, lane, candidate, error);
    if (status == STATUS_OK && probing.loads)
        status = probe_case(&probing, what, &asked, &right, &outcome, error);
    if (status == STATUS_OK && asked && !right) {
        *kept = false;
        status = learn(&probing, promise, what->n, "its default configuration fails",
                       outcome.detail, error);
    }
    promise->is_asked = false;
    slot_free(&probing.slot);
    return status;
}

enum status promise_pardon(struct sweep *sweep, struct lane *lane, bool *pardoned,
                           struct error *error)
{
    struct probing probing;
    struct candidate *best = NULL;
    *pardoned = false;
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        struct candidate *candidate = sweep->candidates.items[i];
        if (candidate->rejected && candidate->rejected_at != 0 && candidate->median_ns > 0 &&
            (!best || candidate->median_ns < best->median_ns))
            best = candidate;
    }
    if (!best)
        return STATUS_OK;
    struct promise *promise = begin_asking(&sweep->work);
    if (!promise)
        return error_no_memory(error);
    enum status status = STATUS_OK;
    if (!promise_has(&sweep->work, best->rejected_at)) { /* another lane has found that out */
        pardon(sweep);
        *pardoned = true;
    } else if (!promise->none) {
        const char *why = best->rejected;
        status = begin_probing(&probing, sweep, lane, best, error);
        if (status == STATUS_OK)
            status = learn(&probing, promise, best->rejected_at, "all that was measured fails", why,
                           error);
        *pardoned = status == STATUS_OK;
        slot_free(&probing.slot);
    }
    promise->is_asked = false;
    return status;
}
