/* One case of the gauntlet: a candidate at conditions that no trial had. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/clock.h"
#include "tuner/base/fill.h"
#include "tuner/base/pack.h"
#include "tuner/device/traits.h"
#include "tuner/session/check.h"

bool work_declares(const struct work *work, int64_t n)
{
    struct problem problem;
    if (n == work->problem.n || experiment_head(work->experiment)->promises_all)
        return true;
    for (size_t i = 0; i < experiment_problem_count(work->experiment); i++) {
        experiment_problem(work->experiment, i, &problem);
        if (problem.n == n && strcmp(problem.key, work->problem.key) == 0)
            return true;
    }
    return false;
}

static const char few_words[] =
    " (of the inputs a few elements are large, and the others 0, so that each counts)";

const char *gauntlet_words(const struct contest *contest, const struct gauntlet_case *test,
                           const struct worker_outcome *outcome)
{
    return arena_printf(
        &contest->sweep->arena, STORE_FAILED_AT "%s, starts %s on: %s: %s%s",
        contest_size_text(contest, test->n).text, count_text(test->starts, "element").text,
        trial_status_name(outcome->status), outcome->detail,
        test->apart     ? " (each vector starts one element further on than the one before)"
        : test->few > 0 ? few_words
                        : "");
}

bool verdict_holds(const struct work *work, const char *detail)
{
    static const char before[] = STORE_FAILED_AT;
    const size_t length = sizeof before - 1;
    return strncmp(detail, before, length) != 0 || strstr(detail, few_words) ||
           work_declares(work, strtoll(detail + length, NULL, 10));
}

enum { REPEATS = 3, CASE_TIMEOUT_MS = 60000, CASE_LEAST_MS = 500 };

static void move_seeds(struct launch_plan *plan, uint64_t seed)
{
    for (size_t i = 0; i < plan->argument_count; i++)
        plan->arguments[i].seed += seed;
}

/* Leaves few nonzero elements in suitable inputs. Inputs of one seed belong together: with
 * another count or type their few elements would differ. False: no input does. */
static bool leave_few(struct launch_plan *plan, uint64_t few)
{
    bool are_few = false;
    for (size_t i = 0; i < plan->argument_count; i++) {
        struct argument *argument = &plan->arguments[i];
        /* Reals drawn around 0 alone: all but a few may be set to 0. */
        const bool around_0 =
            argument->fill == FILL_RANDOM ||
            (argument->fill == FILL_NORMAL && argument->fill_low == 0) ||
            (argument->fill == FILL_UNIFORM && argument->fill_low <= 0 && argument->fill_high >= 0);
        bool may = role_is_filled(argument->role) && element_is_real(argument->type) && around_0 &&
                   argument->count > 1 && (uint64_t)argument->count > few;
        for (size_t j = 0; j < plan->argument_count; j++) {
            const struct argument *other = &plan->arguments[j];
            may = may && (!role_is_filled(other->role) || other->seed != argument->seed ||
                          (other->count == argument->count && other->type == argument->type));
        }
        argument->few = may ? few : 0;
        are_few = are_few || may;
    }
    return are_few;
}

/* Moves the extremes of drawn inputs to their ends, on a GPU of those that the host makes in any
 * case, as large ones take far longer there. Inputs of one seed belong together: one may be the
 * beginning of another. */
static void set_ends(const struct work *work, struct launch_plan *plan, uint64_t ends)
{
    const bool is_gpu = device_traits(work->options->device_kind)->is_gpu;
    for (size_t i = 0; i < plan->argument_count; i++) {
        struct argument *argument = &plan->arguments[i];
        bool may = role_is_filled(argument->role) &&
                   !(is_gpu && argument_bytes(argument) >= ON_DEVICE_BYTES);
        for (size_t j = 0; j < plan->argument_count; j++) {
            const struct argument *other = &plan->arguments[j];
            may = may && (!role_is_filled(other->role) || other->seed != argument->seed ||
                          (other->count == argument->count && other->type == argument->type));
        }
        argument->ends = may ? ends : 0;
    }
}

/* Describes the references at another size. *applies false: there is none, or a binary that is not
 * needed elsewhere. */
static enum status checks_elsewhere(const struct work *work, const struct worker_checks *own,
                                    struct arena *arena, const struct point *point,
                                    const struct launch_plan *plan, struct worker_checks *out,
                                    bool *applies, struct error *error)
{
    struct output_check *checks = arena_alloc(arena, CHECKS_MAX, sizeof *checks);
    *applies = false;
    if (!checks)
        return error_no_memory(error);
    TRY(point_checks(point, arena, checks, &out->count, error));
    *applies = out->count == own->count;
    for (size_t i = 0; *applies && i < out->count; i++) {
        struct stat info;
        /* The problem's own file holds for one size only, and a short one for none. */
        if (checks[i].fill == FILL_FILE &&
            (strcmp(checks[i].reference, own->items[i].name) == 0 ||
             stat(checks[i].reference, &info) != 0 ||
             (uint64_t)info.st_size < argument_bytes(&plan->arguments[checks[i].output]))) {
            *applies = false;
            break;
        }
        TRY(describe_check(work, &checks[i], &out->items[i], error));
        if (checks[i].kind == REFERENCE_PLAN)
            *applies = strcmp(out->items[i].path, own->items[i].path) == 0;
    }
    return STATUS_OK;
}

/* Makes the plan at the case's size, and the checks of its results. */
static enum status plan_at(struct contest *contest, struct arena *arena, const struct slot *slot,
                           const struct gauntlet_case *test, struct launch_plan *plan,
                           struct worker_checks *checks, bool *applies, struct error *error)
{
    const struct work *work = &contest->work;
    const struct check_set *own = NULL;
    struct problem problem;
    int32_t active = slot->prepared->resources[0].active_blocks_per_sm;
    struct point point = work_point(work, &slot->prepared->configuration, active > 0 ? active : 1);
    if (!contest_problem(contest, test->n, arena, &problem))
        return error_no_memory(error);
    point.problem = &problem;
    const struct candidate *candidate = slot->candidate;
    struct binary_request request;
    size_t binary = 0;
    *applies = test->n == work->problem.n;
    if (!*applies && candidate->point != NO_POINT)
        TRY(space_admits(work->experiment, point.problem, work->facts, point.configuration, applies,
                         error));
    if (*applies && !work->options->recording) { /* a replay compiles for no size */
        TRY(point_binary(&point, arena, &request, error));
        TRY(binaries_know(&work->group->binaries, &request, &binary, error));
        *applies = binary == candidate->binary;
    }
    if (!*applies)
        return STATUS_OK;
    TRY(point_plan(&point, arena, plan, error));
    /* Variables of the source, sized for the problem's own data, may not hold that of the other
     * size. */
    *applies = true;
    for (size_t i = 0; i < plan->argument_count; i++)
        if (plan->arguments[i].symbol &&
            argument_symbol_bytes(&plan->arguments[i]) >
                argument_symbol_bytes(&slot->prepared->plan.arguments[i])) {
            *applies = false;
            break;
        }
    if (!*applies)
        return STATUS_OK;
    TRY(inputs_checks(work, &contest->sweep->inputs, &slot->prepared->configuration, &own, error));
    if (test->n == work->problem.n || device_traits(work->options->device_kind)->computes_nothing)
        *checks = own->checks;
    else
        TRY(checks_elsewhere(work, &own->checks, arena, &point, plan, checks, applies, error));
    return STATUS_OK;
}

/* Makes the plan and its checks; a size at which the experiment has no value does not apply. */
static enum status case_plan(struct contest *contest, struct arena *arena, const struct slot *slot,
                             const struct gauntlet_case *test, struct launch_plan *plan,
                             struct worker_checks *checks, bool *applies, struct error *error)
{
    enum status status = plan_at(contest, arena, slot, test, plan, checks, applies, error);
    if (status == STATUS_OK && *applies) {
        uint32_t starts = test->starts;
        for (size_t i = 0; i < plan->argument_count; i++) {
            struct argument *argument = &plan->arguments[i];
            if (!argument_is_passed(argument))
                continue;
            argument->offset_bytes = argument->alignment_bytes * starts;
            argument->at_end = test->starts == 0;
            starts += test->apart ? 1 : 0;
        }
        *applies = test->few == 0 || (checks_follow_inputs(checks) && leave_few(plan, test->few));
        if (!*applies || checks_are_recorded(checks) || contest->sweep->inputs.alike)
            return STATUS_OK;
        move_seeds(plan, test->seed);
        set_ends(&contest->work, plan, test->ends);
        for (size_t i = 0; i < checks->count; i++) {
            if (!checks->items[i].plan)
                continue;
            struct launch_plan *moved = arena_copy(arena, checks->items[i].plan, sizeof *moved);
            if (!moved)
                return error_no_memory(error);
            move_seeds(moved, test->seed);
            (void)leave_few(moved, test->few);
            set_ends(&contest->work, moved, test->ends);
            checks->items[i].plan = moved;
        }
        return STATUS_OK;
    }
    if (test->n == contest->work.problem.n || !is_no_size_of(status))
        return status;
    error_clear(error);
    *applies = false;
    return STATUS_OK;
}

/* Returns the time left for checks at other sizes. Even after a hang there is time to restart the
 * lane's worker and to watch the winner. */
static int64_t left_elsewhere_ns(const struct contest *contest, const struct lane *lane)
{
    const int64_t end_ns = contest->elsewhere.end_ns;
    const int64_t start_at_ns = contest->elsewhere.watch_at_ns - (int64_t)budget_start_ns(lane);
    return (end_ns < start_at_ns ? end_ns : start_at_ns) - clock_budget_ns();
}

bool checks_are_over(const struct contest *contest, const struct lane *lane)
{
    const size_t count = contest->elsewhere.count;
    const int64_t mean_ns = count > 0 ? contest->elsewhere.spent_ns / (int64_t)count : 0;
    if (contest->elsewhere.end_ns == 0 || left_elsewhere_ns(contest, lane) > mean_ns)
        return false;
    contest->work.session->summary->cut_short |= 1U << STAGE_CHECK;
    return true;
}

/* Returns the time limit of a case. Under a budget: at another size half of the time left for such
 * checks, so that a hang leaves time for other candidates; at the problem's own size the time until
 * running work is given up, less a start of the lane's worker. */
static int64_t case_timeout_ms(const struct contest *contest, const struct lane *lane,
                               const struct gauntlet_case *test)
{
    const int64_t last_ns = budget_last_ns(contest->work.session);
    int64_t most_ms = CASE_TIMEOUT_MS;
    if (test->n != contest->work.problem.n && contest->elsewhere.end_ns > 0)
        most_ms = left_elsewhere_ns(contest, lane) / 2000000;
    else if (test->n == contest->work.problem.n && last_ns > 0)
        most_ms = (last_ns - clock_budget_ns() - (int64_t)budget_start_ns(lane)) / 1000000;
    return most_ms < CASE_LEAST_MS     ? CASE_LEAST_MS
           : most_ms > CASE_TIMEOUT_MS ? CASE_TIMEOUT_MS
                                       : most_ms;
}

enum status check_case(struct contest *contest, struct lane *lane, struct slot *slot,
                       const struct gauntlet_case *test, bool *applies,
                       struct worker_outcome *outcome, struct error *error)
{
    const struct work *work = &contest->work;
    const int64_t begun_ns = clock_budget_ns();
    const int64_t timeout_ms = case_timeout_ms(contest, lane, test);
    struct arena scratch = {0};
    struct launch_plan plan;
    struct worker_checks checks = {0};
    *outcome = (struct worker_outcome){.status = TRIAL_OK};
    enum status status = case_plan(contest, &scratch, slot, test, &plan, &checks, applies, error);
    bool retry = status == STATUS_OK && *applies;
    for (int tries = 0; status == STATUS_OK && retry && tries < 2; tries++) {
        const struct worker_task task = {
            .binary_path = candidate_binary(work, slot->candidate)->path,
            .plan = &plan,
            .checks = checks,
            .repeats = REPEATS,
            .timeout_ms = timeout_ms,
        };
        int64_t left_ns = lane_leave(lane);
        status = worker_check(lane->worker, &task, outcome, error);
        lane_enter(lane, left_ns, &lane->measuring_ns);
        if (status == STATUS_BAD_INPUT && !work_declares(work, test->n)) {
            /* Notes once that the file, such as its reference, does not describe a size that nobody
             * asked for: finalists are not checked there. */
            const struct problem *problem = &contest->work.problem;
            if (!contest->elsewhere.is_unfit)
                session_note(contest->work.session,
                             "%s n=%lld: finalists are not checked at n=%s and the like: %s",
                             problem->key, (long long)problem->n,
                             contest_size_text(contest, test->n).text, error->text);
            contest->elsewhere.is_unfit = true;
            error_clear(error);
            *outcome = (struct worker_outcome){.status = TRIAL_OK};
            *applies = false;
            status = STATUS_OK;
            break;
        }
        status = status == STATUS_OK
                     ? prepare_restore(work, &contest->sweep->inputs, slot->candidate,
                                       slot->prepared, outcome, &retry, error)
                     : lane_lose(lane, error);
    }
    if (status == STATUS_OK)
        status = lane_probe_after(lane, outcome, error);
    /* The budget ended the case, not the candidate's limit. */
    const bool is_cut = outcome->status == TRIAL_TIMED_OUT && timeout_ms < CASE_TIMEOUT_MS;
    if (is_cut && test->n == work->problem.n) {
        outcome->starved = true;
    } else if (is_cut) {
        contest->elsewhere.is_cut = true;
        *applies = false;
        *outcome = (struct worker_outcome){.status = TRIAL_OK};
    }
    if (test->n != work->problem.n) {
        contest->elsewhere.spent_ns += clock_budget_ns() - begun_ns;
        contest->elsewhere.count++;
    }
    arena_free(&scratch);
    return status;
}
