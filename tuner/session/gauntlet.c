/* The gauntlet: finalists run at awkward sizes, from awkward starts, on other inputs, several times
 * over, between guard bands. A wrong finalist cannot win. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/session/check.h"

enum { CASES_MAX = 60, SIZES_NEAR = 4096 };

/* One case, at n + 1, may have more elements. */
static const double many_elements = GAUNTLET_ELEMENTS;

/* Returns the finalist whose number of those with a plan is `place`, outsiders excluded; NULL:
 * there are fewer. */
static const struct configuration *planned(const struct contest *contest, size_t place)
{
    for (size_t i = 0; i < contest->finalist_count; i++) {
        const struct slot *slot = &contest->finalists[i].slot;
        if (slot->candidate->point != NO_POINT && slot->prepared && place-- == 0)
            return &slot->prepared->configuration;
    }
    return NULL;
}

/* Returns a size near n that the constraints allow the first finalist; 0: none is near. Multiples
 * of likely divisors are tried, as constraints often require. */
static int64_t next_size(const struct contest *contest, int64_t n)
{
    static const int64_t odd_parts[] = {1, 3, 5, 7, 9, 25, 125};
    const struct configuration *first = planned(contest, 0);
    if (!first || n < 1 || n == contest->work.problem.n || contest_allows(contest, first, n))
        return n;
    int64_t nearest = 0;
    if (contest->work.problem.shape) {
        int64_t sizes[SIZE_NAMES_MAX];
        const size_t count = contest_sizes(contest, n, sizes);
        for (int64_t divisor = 2; nearest == 0 && divisor <= SIZES_NEAR; divisor *= 2) {
            for (size_t i = 0; i < count; i++)
                sizes[i] = (sizes[i] + divisor - 1) / divisor * divisor;
            const int64_t size = contest_tuple(contest, sizes);
            nearest = size > 0 && contest_allows(contest, first, size) ? size : 0;
        }
        return nearest;
    }
    for (size_t i = 0; i < sizeof odd_parts / sizeof odd_parts[0]; i++)
        for (int64_t divisor = odd_parts[i]; divisor <= SIZES_NEAR; divisor *= 2) {
            int64_t size = (n + divisor - 1) / divisor * divisor;
            if (size > n && (nearest == 0 || size < nearest) && size != contest->work.problem.n &&
                contest_allows(contest, first, size))
                nearest = size;
        }
    return nearest;
}

/* Adds a case at n if the constraints allow that to any finalist, and one near n for the first. */
static size_t add_case(const struct contest *contest, struct gauntlet_case *cases, size_t count,
                       int64_t n, uint32_t starts)
{
    const struct configuration *other = NULL;
    const int64_t next = n < 1 ? n : next_size(contest, n);
    bool is_allowed = next == n;
    for (size_t i = 1; !is_allowed && (other = planned(contest, i)) != NULL; i++)
        is_allowed = contest_allows(contest, other, n);
    const int64_t sizes[] = {is_allowed ? n : next, next};
    for (size_t k = 0; k < COUNT(sizes); k++) {
        bool is_known = sizes[k] < 1 || count == CASES_MAX;
        for (size_t i = 0; i < count; i++)
            is_known = is_known || cases[i].n == sizes[k];
        if (!is_known)
            cases[count++] =
                (struct gauntlet_case){.n = sizes[k],
                                       .seed = (uint64_t)sizes[k] * UINT64_C(0x9e3779b97f4a7c15),
                                       .ends = 1 + starts / 2 % 2,
                                       .starts = starts,
                                       .apart = starts % 2 == 1};
    }
    return count;
}

/* Returns whether inputs or expected results are files, which exist at some sizes only. */
static bool uses_files(const struct sweep *sweep)
{
    bool files = checks_are_recorded(&sweep->inputs.problem->checks);
    for (size_t i = 0; i < sweep->inputs.problem->plan->argument_count; i++) {
        const struct argument *argument = &sweep->inputs.problem->plan->arguments[i];
        files |= role_is_filled(argument->role) && argument->fill == FILL_FILE;
    }
    return files;
}

/* Adds cases with few nonzero elements, at the size itself or at the largest affordable one. */
static size_t add_few(const struct contest *contest, struct gauntlet_case *cases, size_t count,
                      double most)
{
    static const uint64_t few[] = {1000, 16};
    const int64_t n = contest->work.problem.n;
    /* Results have a tolerance, as sums do, within which a missing piece of the input may hide. */
    const struct worker_task *problem = contest->sweep->inputs.problem;
    bool tolerant = false;
    for (size_t i = 0; problem && i < problem->checks.count; i++) {
        const struct worker_reference *check = &problem->checks.items[i];
        tolerant = tolerant || (element_is_real(problem->plan->arguments[check->output].type) &&
                                check->tolerance.magnitude > 0);
    }
    if (!tolerant || !inputs_are_cheap(&contest->sweep->inputs))
        return count;
    for (size_t i = 0; i < COUNT(few) && count < CASES_MAX; i++) {
        struct gauntlet_case one = {.n = (double)n > most ? next_size(contest, (int64_t)most) : n,
                                    .few = few[i],
                                    .seed = few[i]};
        if (one.n > 0)
            cases[count++] = one;
    }
    return count;
}

/* Returns the elements of the longest vector at a size: a row has many for each n. Infinite where
 * the experiment has no such size. */
static double longest_at(const struct contest *contest, int64_t n)
{
    const struct problem problem = problem_at(&contest->work.problem, n);
    struct arena arena = {0};
    struct error ignored = {0};
    struct launch_plan *plan = arena_alloc(&arena, 1, sizeof *plan);
    const struct prepared *first =
        contest->finalist_count > 0 ? contest->finalists[0].slot.prepared : NULL;
    struct point point = work_point(&contest->work, first ? &first->configuration : NULL, 1);
    point.problem = &problem;
    double longest = first ? (double)INFINITY : (double)n;
    if (first && plan && point_plan(&point, &arena, plan, &ignored) == STATUS_OK) {
        longest = (double)n;
        for (size_t i = 0; i < plan->argument_count; i++)
            longest = fmax(longest, (double)plan->arguments[i].count);
    }
    arena_free(&arena);
    return longest;
}

/* Returns the size above which a case costs seconds. */
static double largest_size(const struct contest *contest)
{
    const int64_t n = contest->work.problem.n;
    return many_elements / (longest_at(contest, n) / (double)n);
}

/* Returns the size far beyond the largest listed one at which programs may still get its winner, or
 * the largest affordable one. The work grows with n, and at most with the elements times their
 * square root, as that of a matrix product. 0: none. */
static int64_t far_size(const struct contest *contest)
{
    static const double most_ns = 200e6, most_reference_ns = 1e9, far_elements = 1 << 26;
    static const int factors[] = {8, 4, 2};
    const int64_t n = contest->work.problem.n;
    const double own = longest_at(contest, n);
    const double reference_ns = (double)contest->sweep->inputs.reference_ns;
    double slowest_ns = 1;
    for (size_t i = 0; i < contest->finalist_count; i++)
        slowest_ns = fmax(slowest_ns, contest->finalists[i].slot.candidate->median_ns);
    for (size_t i = 0; i < COUNT(factors) && n <= INT64_MAX / factors[0]; i++) {
        const int64_t far = (factors[i] * n) | 1;
        const double longest = longest_at(contest, far);
        const double work = fmax(factors[i], pow(longest / own, 1.5));
        if (longest <= far_elements && slowest_ns * work <= most_ns &&
            reference_ns * work <= most_reference_ns)
            return far;
    }
    return 0;
}

/* Lists cases around the size itself, around powers of two and warps, two odd sizes below, and two
 * up to the next listed size, or one far beyond the largest. */
static size_t list_cases(const struct contest *contest, double most, struct gauntlet_case *cases)
{
    static const int64_t small[] = {1, 2, 31, 33, 255, 257, 1025, 4097, 65537, 1000003};
    const int64_t n = contest->work.problem.n;
    struct random random = {.seed = (uint64_t)n};
    size_t count = 0;
    if (!experiment_head(contest->work.experiment)->has_size) {
        count = add_few(contest, cases, add_case(contest, cases, count, n, 3), most);
        const bool is_tuple = contest->work.problem.shape &&
                              !(contest->sweep->inputs.problem && uses_files(contest->sweep));
        int64_t tuples[AWKWARD_MAX];
        const size_t tuple_count = is_tuple ? contest_awkward(contest, tuples) : 0;
        for (size_t i = 0; i < tuple_count; i++)
            count = add_case(contest, cases, count, tuples[i], (uint32_t)i % 4);
        return count;
    }
    if (contest->sweep->inputs.problem && uses_files(contest->sweep)) {
        /* The sizes that the experiment lists, each of which has files. */
        const struct work *work = &contest->work;
        for (size_t i = 0; i < experiment_problem_count(work->experiment); i++) {
            struct problem problem;
            experiment_problem(work->experiment, i, &problem);
            if (strcmp(problem.key, work->problem.key) == 0)
                count = add_case(contest, cases, count, problem.n, 0);
        }
    }
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
        if (small[i] <= n && (double)small[i] <= most)
            count = add_case(contest, cases, count, small[i], (uint32_t)(i % 4));
    count = add_case(contest, cases, count, n + 1, 1);
    count = add_few(contest, cases, count, most);
    const bool is_affordable = (double)n <= most;
    if (is_affordable) {
        count = add_case(contest, cases, count, n, 3);
        count = add_case(contest, cases, count, n - 1, 2);
    }
    for (int i = 0; is_affordable && i < 2; i++) {
        int64_t odd = (int64_t)random_below(&random, (uint64_t)n) | 1;
        count = add_case(contest, cases, count, odd, (uint32_t)i);
    }
    /* A range may reach the next larger listed size. */
    int64_t next = contest->work.problem.n;
    for (size_t i = 0; i < experiment_problem_count(contest->work.experiment); i++) {
        struct problem problem;
        experiment_problem(contest->work.experiment, i, &problem);
        if (strcmp(problem.key, contest->work.problem.key) == 0 &&
            problem.n > contest->work.problem.n &&
            (next == contest->work.problem.n || problem.n < next))
            next = problem.n;
    }
    /* Two, as either extreme may lie where a kernel looks that sees the beginning alone. */
    const size_t before = count;
    const int64_t far = next == n ? far_size(contest) : 0;
    count = add_case(contest, cases, count, far, 1);
    count = add_case(contest, cases, count, far - 2, 2);
    for (size_t i = before; i < count; i++)
        cases[i].is_far = true;
    const double times = fmin((double)next, most) / (double)n;
    for (int i = 0; is_affordable && i < 2; i++) { /* one in each half of the way */
        const double way = (i + (double)random_below(&random, 1000) / 1000) / 2;
        const int64_t odd = (int64_t)((double)n * pow(times, way)) | 1;
        if (odd > n + 1 && (double)odd < times * (double)n)
            count = add_case(contest, cases, count, odd, (uint32_t)i);
    }
    return count;
}

/* Adds sizes at which other configurations failed, in this run or an earlier one: a kernel that is
 * wrong here and there is wrong there again. */
static enum status add_failed(struct contest *contest, double most, struct gauntlet_case *cases,
                              size_t *count, struct error *error)
{
    enum { FAILED_MOST = 4 };
    const struct store_domain of = {.experiment_id = contest->work.experiment_id,
                                    .problem_key = contest->work.problem.key};
    const size_t count_most = *count + FAILED_MOST;
    struct store_failed_size *sizes = NULL;
    size_t size_count = 0;
    if (!experiment_head(contest->work.experiment)->has_size)
        return STATUS_OK;
    TRY(store_failed_sizes(contest->work.store, &of, &contest->arena, &sizes, &size_count, error));
    for (size_t i = 0; i < size_count && *count < count_most; i++)
        if ((double)sizes[i].n <= most)
            *count = add_case(contest, cases, *count, sizes[i].n, (uint32_t)i % 4);
    return STATUS_OK;
}

struct candidate *slowest_right(const struct sweep *sweep, const struct candidate *const *but,
                                size_t count)
{
    struct candidate *slowest = NULL;
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        struct candidate *candidate = sweep->candidates.items[i];
        const bool unstable = candidate->state == CANDIDATE_DONE && !candidate->rejected &&
                              candidate->status == TRIAL_UNSTABLE;
        bool left_out = !candidate_works(candidate) && !unstable;
        for (size_t j = 0; j < count; j++)
            left_out = left_out || but[j] == candidate;
        if (!left_out && (!slowest || unstable || candidate->median_ns > slowest->median_ns))
            slowest = candidate;
    }
    return slowest;
}

/* Finds whether some of the slowest working candidates pass a case: several, because a wrong one
 * may be among them. Kernels need not accept any inputs, for example as divisors. */
static enum status judge_case(struct contest *contest, struct lane *lane,
                              const struct gauntlet_case *test, bool *fair, struct error *error)
{
    enum { JUDGES_MOST = 3 };
    struct track track = sweep_track(&contest->work, contest->sweep, lane, "race");
    const struct candidate *judges[JUDGES_MOST];
    *fair = false;
    for (size_t i = 0; !*fair && i < JUDGES_MOST; i++) {
        struct worker_outcome outcome = {.status = TRIAL_OK};
        struct slot slot = {.candidate = slowest_right(contest->sweep, judges, i),
                            .outcome = {.status = TRIAL_OK}};
        bool applies = false;
        if (!slot.candidate)
            break;
        judges[i] = slot.candidate;
        enum status status = track_load(&contest->work, &track, &slot, error);
        if (status == STATUS_OK && slot.outcome.status == TRIAL_OK)
            status = check_case(contest, lane, &slot, test, &applies, &outcome, error);
        *fair = applies && outcome.status == TRIAL_OK;
        slot_free(&slot);
        TRY(status);
    }
    return STATUS_OK;
}

/* Checks a failed slot on the problem's own inputs, and notes in the outcome a right result there,
 * unless the place of the inputs' extremes makes the difference: that counts like a failure on its
 * own inputs if another candidate is right. */
static enum status check_unchanged(struct contest *contest, struct lane *lane, struct slot *slot,
                                   const struct gauntlet_case *test, struct worker_outcome *outcome,
                                   struct error *error)
{
    struct gauntlet_case own = *test;
    struct worker_outcome unchanged;
    char detail[sizeof outcome->detail];
    bool applies = false;
    own.seed = own.ends = 0;
    if (outcome->status != TRIAL_WRONG_RESULT || contest->sweep->inputs.alike || test->seed == 0 ||
        test->few > 0)
        return STATUS_OK;
    TRY(check_case(contest, lane, slot, &own, &applies, &unchanged, error));
    if (!applies || unchanged.status != TRIAL_OK)
        return STATUS_OK;
    own.seed = test->seed;
    bool by_ends = test->ends > 0;
    if (by_ends)
        TRY(check_case(contest, lane, slot, &own, &applies, &unchanged, error));
    by_ends = by_ends && unchanged.status == TRIAL_OK;
    if (by_ends)
        TRY(judge_case(contest, lane, test, &by_ends, error));
    if (by_ends) {
        (void)string_format(detail, sizeof detail,
                            "%s, with the smallest and largest inputs at the ends",
                            outcome->detail);
        (void)string_format(outcome->detail, sizeof outcome->detail, "%s", detail);
        return STATUS_OK;
    }
    (void)string_format(detail, sizeof detail, "right on its own, on changed inputs: %s",
                        outcome->detail);
    (void)string_format(outcome->detail, sizeof outcome->detail, "%s", detail);
    return STATUS_OK;
}

/* Returns the case's size for a candidate: the next one of its domain. 0: none, or checked by the
 * case before. */
static int64_t case_size(const struct contest *contest, const struct candidate *candidate,
                         const struct gauntlet_case *test)
{
    const int64_t own = contest->work.problem.n;
    const struct narrowing *narrowing = candidate->narrowing;
    if (!narrowing || test->n == own)
        return test->n;
    int64_t size = 0;
    int64_t sizes[SIZE_NAMES_MAX] = {0};
    if (!contest->work.problem.shape) {
        size = domain_next(&narrowing->domain, test->n);
    } else if (!narrowing->domain.is_listed) {
        (void)contest_sizes(contest, test->n, sizes);
        domain_next_sizes(&narrowing->domain, sizes);
        size = contest_tuple(contest, sizes);
    }
    return size == own || (size == narrowing->checked && test->few == 0) ? 0 : size;
}

/* Runs check_case at the case's size for the candidate. A failure at a promised size rejects
 * (*rejection); another narrows the domain (*narrowed). */
static enum status run_case(struct contest *contest, struct lane *lane, struct slot *slot,
                            const struct gauntlet_case *given, double most, int32_t *cases,
                            bool *narrowed, const char **rejection, struct error *error)
{
    struct candidate *candidate = slot->candidate;
    struct gauntlet_case test = *given;
    struct worker_outcome outcome;
    bool applies = false;
    *narrowed = false;
    test.n = case_size(contest, candidate, given);
    if (test.n == 0)
        return STATUS_OK;
    if (candidate->narrowing && test.few == 0)
        candidate->narrowing->checked = test.n;
    enum status status = check_case(contest, lane, slot, &test, &applies, &outcome, error);
    *cases += applies ? 1 : 0;
    candidate->starved = status == STATUS_OK && outcome.starved;
    if (status != STATUS_OK || outcome.status == TRIAL_OK)
        return status;
    TRY(check_unchanged(contest, lane, slot, &test, &outcome, error));
    const char *why = gauntlet_words(contest, &test, &outcome);
    if (!why)
        return error_no_memory(error);
    const char *out = why;
    if (!outcome.starved && !wrong_on_changed(outcome.detail) && test.few == 0 &&
        !work_declares(&contest->work, test.n))
        status = candidate_narrow(contest, lane, slot, &test, most, why, &out, error);
    *narrowed = status == STATUS_OK && !out;
    if (status == STATUS_OK && out)
        *rejection = candidate->rejected = out;
    return status;
}

/* Finds an earlier run's verdict on the same binary. */
static enum status recall_verdict(struct contest *contest, struct finalist *finalist, bool *known,
                                  struct error *error)
{
    const struct candidate *candidate = finalist->slot.candidate;
    char detail[ERROR_TEXT_BYTES] = "";
    bool passed = false;
    TRY(store_gauntlet_get(contest->work.store, contest->work.environment_id,
                           contest->work.problem_id, candidate->configuration_id,
                           candidate_binary(&contest->work, candidate)->hash, known, &passed,
                           detail, error));
    if (!*known || passed)
        return STATUS_OK;
    /* Otherwise the check is repeated, since changed inputs may have been to blame. */
    *known = verdict_holds(&contest->work, detail) && !wrong_on_changed(detail);
    if (!*known)
        return STATUS_OK;
    finalist->rejection = arena_strdup(&contest->sweep->arena, detail);
    finalist->slot.candidate->rejected = finalist->rejection;
    return finalist->rejection ? STATUS_OK : error_no_memory(error);
}

/* Runs the case that rejected a finalist on the other candidates as well: else the race would bring
 * up a handful of failing ones at a time. Under a budget takes half of the time that is left, since
 * others race then. */
static enum status reject_others(struct contest *contest, struct lane *lane,
                                 const struct gauntlet_case *test, double most, struct error *error)
{
    struct track track = sweep_track(&contest->work, contest->sweep, lane, "race");
    const int64_t end_ns = test->n == contest->work.problem.n ? budget_end_ns(contest->work.session)
                                                              : contest->elsewhere.end_ns;
    const int64_t half_ns = end_ns > 0 ? end_ns - (end_ns - clock_budget_ns()) / 2 : 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < contest->sweep->candidates.count; i++) {
        struct slot slot = {.candidate = contest->sweep->candidates.items[i],
                            .outcome = {.status = TRIAL_OK}};
        const char *rejection = NULL;
        int32_t cases = 0;
        bool narrowed = false;
        if (!candidate_works(slot.candidate))
            continue;
        if (session_stopped(contest->work.session))
            return session_stop_error(error);
        if (budget_over(contest->work.session, STAGE_CHECK, half_ns))
            return STATUS_OK; /* checked in the race */
        status = track_load(&contest->work, &track, &slot, error);
        if (status == STATUS_OK && slot.outcome.status == TRIAL_OK)
            status =
                run_case(contest, lane, &slot, test, most, &cases, &narrowed, &rejection, error);
        if (status == STATUS_OK && rejection)
            status =
                candidate_store_verdict(&contest->work, slot.candidate, rejection, cases, error);
        slot_free(&slot);
    }
    return status;
}

/* Notes cases that lack data. */
static void note_limits(const struct contest *contest)
{
    struct session *session = contest->work.session;
    if (!contest->sweep->inputs.problem) /* all known from earlier runs */
        return;
    struct problem first;
    experiment_problem(contest->work.experiment, 0, &first);
    if (contest->work.problem.shape && strcmp(contest->work.problem.key, first.key) != 0)
        return; /* noted once for several sizes */
    if (!experiment_head(contest->work.experiment)->has_size && !contest->work.problem.shape)
        session_note(session, "%s: finalists are checked at this size alone, as it has no other",
                     contest->work.problem.key);
    else if (uses_files(contest->sweep))
        problem_note(
            session, &contest->work.problem,
            "finalists are checked at other sizes only where its files have data for them");
}

/* Runs one case on a finalist, again at the next size if its domain is narrowed. */
static enum status run_on_one(struct contest *contest, struct lane *lane, struct finalist *finalist,
                              const struct gauntlet_case *test, double most, int32_t *cases,
                              struct error *error)
{
    enum { NARROWED_MAX = 3 };
    const bool is_own = test->n == contest->work.problem.n;
    bool narrowed = true;
    for (int times = 0; narrowed && times < NARROWED_MAX; times++) {
        if (finalist->rejection || finalist->slot.outcome.status != TRIAL_OK ||
            (!is_own && finalist->unchecked))
            return STATUS_OK;
        if (session_stopped(contest->work.session))
            return session_stop_error(error);
        finalist->unchecked = !is_own && checks_are_over(contest, lane);
        if (finalist->unchecked)
            return STATUS_OK;
        contest->elsewhere.is_cut = false;
        TRY(run_case(contest, lane, &finalist->slot, test, most, cases, &narrowed,
                     &finalist->rejection, error));
        finalist->unchecked = contest->elsewhere.is_cut;
    }
    return STATUS_OK;
}

/* State of the finalists' checks. */
struct checking {
    size_t first;   /* first finalist to be checked */
    bool *known;    /* verdict of an earlier run */
    bool *confined; /* checks at other sizes are missing */
    int32_t *cases;
    struct gauntlet_case list[CASES_MAX];
    size_t count;
    double most; /* largest size */
};

/* Runs one case on all finalists. Finalists with the same size follow each other, since inputs and
 * expected results are shared. */
static enum status run_on_all(struct contest *contest, struct lane *lane,
                              const struct checking *checking, const struct gauntlet_case *test,
                              struct error *error)
{
    const bool *known = checking->known;
    bool failed = false, fair = true, new = false;
    int64_t *sizes = arena_alloc(&contest->arena, contest->finalist_count + 1, sizeof *sizes);
    if (!sizes)
        return error_no_memory(error);
    contest_progress(contest, "check");
    for (size_t i = checking->first; i < contest->finalist_count; i++)
        new = new || !known[i];
    if (new && test->few > 0) {
        TRY(judge_case(contest, lane, test, &fair, error));
        if (!fair)
            return STATUS_OK;
    }
    for (size_t i = checking->first; i < contest->finalist_count; i++)
        sizes[i] = known[i] ? 0 : case_size(contest, contest->finalists[i].slot.candidate, test);
    for (int64_t size = 0, next = 0; next < INT64_MAX; size = next) {
        next = INT64_MAX;
        for (size_t i = 0; i < contest->finalist_count; i++) {
            if (size > 0 && sizes[i] == size)
                TRY(run_on_one(contest, lane, &contest->finalists[i], test, checking->most,
                               &checking->cases[i], error));
            next = sizes[i] > size && sizes[i] < next ? sizes[i] : next;
        }
    }
    for (size_t i = checking->first; i < contest->finalist_count; i++)
        failed |= contest->finalists[i].rejection != NULL;
    return failed ? reject_others(contest, lane, test, checking->most, error) : STATUS_OK;
}

/* Stores the finalist's domain and verdict, unless checks at other sizes are missing; a later run
 * does these. */
static enum status end_checking(struct contest *contest, const struct checking *checking,
                                size_t index, struct error *error)
{
    struct finalist *finalist = &contest->finalists[index];
    struct candidate *candidate = finalist->slot.candidate;
    const bool unchecked = finalist->unchecked;
    if (checking->known[index])
        return STATUS_OK;
    const struct narrowing *found = candidate->narrowing; /* a domain that probes confirmed */
    if (unchecked && !finalist->rejection && found && !found->domain.is_listed)
        return STATUS_OK;
    if (unchecked && !finalist->rejection)
        return candidate_confine(&contest->work, contest->sweep, candidate, error);
    if (checking->confined[index] && !candidate->narrowing)
        TRY(candidate_store_domain(&contest->work, candidate, &DOMAIN_OF_ALL, NULL, error));
    return candidate_store_verdict(&contest->work, candidate, finalist->rejection,
                                   checking->cases[index], error);
}

enum status contest_check_from(struct contest *contest, struct lane *lane, size_t first,
                               double process_ns, struct error *error)
{
    struct checking checking = {.first = first};
    enum status status = STATUS_OK;
    const size_t count = contest->finalist_count;
    checking.known = arena_alloc(&contest->arena, count + 1, sizeof *checking.known);
    checking.confined = arena_alloc(&contest->arena, count + 1, sizeof *checking.confined);
    checking.cases = arena_alloc(&contest->arena, count + 1, sizeof *checking.cases);
    if (!checking.known || !checking.confined || !checking.cases)
        return error_no_memory(error);
    for (size_t i = first; i < count; i++) {
        struct finalist *finalist = &contest->finalists[i];
        TRY(candidate_recall_domain(contest, finalist->slot.candidate, &checking.confined[i],
                                    error));
        TRY(recall_verdict(contest, finalist, &checking.known[i], error));
    }
    checking.most = largest_size(contest);
    checking.count = list_cases(contest, checking.most, checking.list);
    TRY(add_failed(contest, checking.most, checking.list, &checking.count, error));
    const int64_t own = contest->work.problem.n;
    /* Cases at the problem's own size come first: these must run. */
    const int64_t before_ns = clock_budget_ns();
    for (size_t i = 0; i < checking.count; i++)
        if (checking.list[i].n == own)
            TRY(run_on_all(contest, lane, &checking, &checking.list[i], error));
    contest->work.group->costs.own_checks_ns += clock_budget_ns() - before_ns;
    contest->elsewhere.end_ns =
        budget_checks_end_ns(contest->work.group, &contest->sweep->allowance, process_ns,
                             &contest->elsewhere.watch_at_ns);
    for (size_t i = 0; status == STATUS_OK && i < checking.count; i++)
        if (checking.list[i].n != own)
            status = run_on_all(contest, lane, &checking, &checking.list[i], error);
    if (status == STATUS_NO_TIME) { /* such checks take the race's result from nobody */
        error_clear(error);
        status = STATUS_OK;
        for (size_t i = first; i < contest->finalist_count; i++)
            contest->finalists[i].unchecked = true;
    }
    TRY(status);
    for (size_t i = first; i < contest->finalist_count; i++)
        TRY(end_checking(contest, &checking, i, error));
    return STATUS_OK;
}

enum status contest_check(struct contest *contest, struct lane *lane, double process_ns,
                          struct error *error)
{
    note_limits(contest);
    TRY(contest_check_from(contest, lane, 0, process_ns, error));
    TRY(contest_widen(contest, lane, process_ns, error));
    contest_note_domains(contest);
    sweep_find_best(contest->sweep);
    for (size_t i = 0; i < contest->finalist_count; i++)
        if (contest->finalists[i].rejection)
            contest_note_rejection(contest, &contest->finalists[i]);
    return STATUS_OK;
}
