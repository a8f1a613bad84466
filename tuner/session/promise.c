/* Which sizes an experiment promises. A file seldom says that its kernels take multiples of 128
 * alone: where its default configuration, or all that were measured, fail at an awkward size, no
 * configuration is to blame. That is said once, with the line to write, and nobody is held against
 * such a size any more. */
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/session/internal.h"
#include "tuner/session/watch.h"

enum {
    TRIES_MAX = 48,
    CRASHES_MAX = 4,   /* each costs a process */
    NEAR_MAX = 100000, /* sizes that are asked for are about so large */
    DIVISOR_MAX = 65536,
};
static const int64_t patience_ns = 10000000000;

static bool is_of(const struct promise *promise, const struct sweep *sweep)
{
    return promise->experiment == sweep->experiment;
}

bool promise_has(const struct sweep *sweep, int64_t n)
{
    const struct promise *promise = &sweep->group->promise;
    if (!is_of(promise, sweep) || n == sweep->problem.n)
        return true;
    return !promise->none && n % promise->divisor == 0 && n >= promise->least;
}

int64_t promise_next(const struct sweep *sweep, int64_t n)
{
    const struct promise *promise = &sweep->group->promise;
    if (!is_of(promise, sweep) || n == sweep->problem.n)
        return n;
    if (promise->none)
        return 0;
    n = n < promise->least ? promise->least : n;
    return (n + promise->divisor - 1) / promise->divisor * promise->divisor;
}

/* Who is asked, and how often that may be. */
struct asking {
    struct contest *contest;
    struct lane *lane;
    struct finalist finalist;
    bool loads;
    int tries, crashes;
    int64_t end_ns;
};

static enum status begin(struct asking *asking, struct contest *contest, struct lane *lane,
                         struct candidate *candidate, struct error *error)
{
    struct worker_outcome outcome = {.status = TRIAL_OK};
    *asking = (struct asking){
        .contest = contest,
        .lane = lane,
        .finalist = {.runner = {.candidate = candidate}},
        .end_ns = clock_running_ns() + patience_ns,
    };
    enum status status = sweep_load(contest->sweep, lane, &lane->scratch, candidate,
                                    &asking->finalist.runner.loaded, &outcome, error);
    asking->loads = status == STATUS_OK && outcome.status == TRIAL_OK;
    return status;
}

static bool may_ask(const struct asking *asking)
{
    const struct session *session = asking->contest->sweep->group->session;
    return asking->loads && asking->tries < TRIES_MAX && asking->crashes < CRASHES_MAX &&
           clock_running_ns() < asking->end_ns && !session_stopped(session) &&
           !budget_ended(session);
}

/* Whether it is right at that size; *asked false: it is not meant for it. */
static enum status ask(struct asking *asking, const struct gauntlet_case *what, bool *asked,
                       bool *right, struct worker_outcome *outcome, struct error *error)
{
    enum status status =
        gauntlet_try(asking->contest, asking->lane, &asking->finalist, what, asked, outcome, error);
    *right = *asked && outcome->status == TRIAL_OK;
    asking->tries++;
    asking->crashes +=
        outcome->status == TRIAL_CRASHED || outcome->status == TRIAL_TIMED_OUT ? 1 : 0;
    return status;
}

static enum status is_right_at(struct asking *asking, int64_t n, bool *right, struct error *error)
{
    const struct gauntlet_case what = {.n = n, .seed = (uint64_t)n};
    struct worker_outcome outcome = {.status = TRIAL_OK};
    bool asked = false;
    *right = false;
    return may_ask(asking) ? ask(asking, &what, &asked, right, &outcome, error) : STATUS_OK;
}

static enum status are_right_at(struct asking *asking, int64_t n, int64_t m, bool *right,
                                struct error *error)
{
    enum status status = is_right_at(asking, n, right, error);
    return status == STATUS_OK && *right ? is_right_at(asking, m, right, error) : status;
}

/* The least power of two from which on sizes are right, odd ones, too; 0: there is none. From
 * above, so that only the last one that is asked for fails: that may cost a process. */
static enum status find_least(struct asking *asking, int64_t wrong, int64_t *least,
                              struct error *error)
{
    const int64_t n = asking->contest->sweep->problem.n;
    int64_t from = 1;
    bool right = false;
    *least = 0;
    enum status status = wrong < n ? is_right_at(asking, n + 1, &right, error) : STATUS_OK;
    while (from <= n / 2)
        from *= 2;
    for (; status == STATUS_OK && right && from > wrong; from /= 2) {
        status = are_right_at(asking, from, from + 1, &right, error);
        *least = right ? from : *least;
    }
    return status;
}

/* Whether multiples of it are right, other ones than the problem's size. */
static enum status divides(struct asking *asking, int64_t divisor, int64_t wrong, bool *right,
                           struct error *error)
{
    const int64_t n = asking->contest->sweep->problem.n;
    int64_t times = (n < NEAR_MAX ? n : NEAR_MAX) / divisor | 1;
    *right = false;
    if (wrong % divisor == 0)
        return STATUS_OK;
    return are_right_at(asking, divisor * times, divisor * (times + 2), right, error);
}

/* A divisor of the problem's size whose other multiples are right, too, and of whose own divisors
 * none is like that; 0: none. From above as well: each of its primes is left out while that
 * helps. */
static enum status find_divisor(struct asking *asking, int64_t wrong, int64_t *divisor,
                                struct error *error)
{
    const int64_t n = asking->contest->sweep->problem.n;
    bool right = false;
    int64_t d = n < DIVISOR_MAX ? n : DIVISOR_MAX;
    while (n % d != 0)
        d--;
    enum status status = divides(asking, d, wrong, &right, error);
    *divisor = right ? d : 0;
    for (int64_t prime = 2; status == STATUS_OK && *divisor > 0 && prime <= d; prime++) {
        right = true;
        while (status == STATUS_OK && right && d % prime == 0) {
            status = divides(asking, d / prime, wrong, &right, error);
            d = right ? d / prime : d;
        }
        *divisor = d;
    }
    return status;
}

static void tell(const struct sweep *sweep, int64_t wrong, const char *who, const char *why)
{
    const struct session *session = sweep->group->session;
    const struct promise *promise = &sweep->group->promise;
    const char *size = sweep->problem.size_name;
    char line[96] = "";
    if (promise->divisor > 1)
        (void)string_format(line, sizeof line, "'%s %% %lld == 0'", size,
                            (long long)promise->divisor);
    else if (promise->least > 1)
        (void)string_format(line, sizeof line, "'%s >= %lld'", size, (long long)promise->least);
    session_note(session,
                 "%s: at %s=%lld %s, too, so that the experiment does not promise such sizes; "
                 "winners are chosen without them. %s%s%s (%s)",
                 experiment_name(sweep->experiment), size, (long long)wrong, who,
                 line[0] ? "To say so, write " : "Write under its constraints which it promises",
                 line, line[0] ? " under its constraints" : "", why);
}

/* Who was rejected at a size that is not promised is no longer. */
static void pardon(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->table.count; i++) {
        struct candidate *candidate = sweep->table.items[i];
        if (candidate->rejected && candidate->rejected_at != 0 &&
            !promise_has(sweep, candidate->rejected_at)) {
            candidate->rejected = NULL;
            candidate->rejected_at = 0;
        }
    }
}

static enum status learn(struct asking *asking, int64_t wrong, const char *who, const char *why,
                         struct error *error)
{
    struct sweep *sweep = asking->contest->sweep;
    struct promise *promise = &sweep->group->promise;
    bool again = is_of(promise, sweep); /* what was believed of it does not hold */
    int64_t least = 0;
    int64_t divisor = 0;
    enum status status = again ? STATUS_OK : find_least(asking, wrong, &least, error);
    if (status == STATUS_OK && least == 0 && !again)
        status = find_divisor(asking, wrong, &divisor, error);
    if (status != STATUS_OK)
        return status;
    *promise = (struct promise){.experiment = sweep->experiment,
                                .divisor = divisor > 0 ? divisor : 1,
                                .least = least > 0 ? least : 1,
                                .none = divisor == 0 && least == 0};
    if (!again || promise->none)
        tell(sweep, wrong, who, why);
    pardon(sweep);
    return STATUS_OK;
}

/* The first baseline that works: of a file without baselines its `defaults`. NULL: there is none.
 */
static struct candidate *default_of(const struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->table.count; i++) {
        struct candidate *candidate = sweep->table.items[i];
        if (candidate->is_baseline && candidate->same_as)
            candidate = candidate->same_as;
        if (sweep->table.items[i]->is_baseline && candidate->done &&
            candidate->status == TRIAL_OK && !candidate->rejected)
            return candidate;
    }
    return NULL;
}

enum status promise_ask(struct contest *contest, struct lane *lane,
                        const struct gauntlet_case *what, bool *kept, struct error *error)
{
    struct asking asking;
    struct worker_outcome outcome = {.status = TRIAL_OK};
    struct candidate *candidate = default_of(contest->sweep);
    bool asked = false;
    bool right = true;
    *kept = true;
    if (!candidate)
        return STATUS_OK;
    enum status status = begin(&asking, contest, lane, candidate, error);
    if (status == STATUS_OK && asking.loads)
        status = ask(&asking, what, &asked, &right, &outcome, error);
    if (status != STATUS_OK || !asked || right)
        return status;
    *kept = false;
    return learn(&asking, what->n, "its default configuration fails", outcome.detail, error);
}

enum status promise_pardon(struct contest *contest, struct lane *lane, bool *pardoned,
                           struct error *error)
{
    struct sweep *sweep = contest->sweep;
    struct asking asking;
    struct candidate *best = NULL;
    *pardoned = false;
    for (size_t i = 0; i < sweep->table.count; i++) {
        struct candidate *candidate = sweep->table.items[i];
        if (candidate->rejected && candidate->rejected_at != 0 && candidate->median_ns > 0 &&
            (!best || candidate->median_ns < best->median_ns))
            best = candidate;
    }
    if (!best || (is_of(&sweep->group->promise, sweep) && sweep->group->promise.none))
        return STATUS_OK;
    const char *why = best->rejected;
    enum status status = begin(&asking, contest, lane, best, error);
    if (status == STATUS_OK)
        status = learn(&asking, best->rejected_at, "all that was measured fails", why, error);
    *pardoned = status == STATUS_OK;
    return status;
}
