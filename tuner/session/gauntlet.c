/* Finalists are run where nobody has looked yet: at awkward sizes, from awkward starts, on other
 * inputs, several times over, between guard bands. What is wrong there cannot win. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/pack.h"
#include "tuner/base/text.h"
#include "tuner/device/traits.h"
#include "tuner/session/internal.h"
#include "tuner/session/watch.h"

enum { CASES_MAX = 24, SIZES_NEAR = 4096, REPEATS = 3, CASE_TIMEOUT_MS = 60000 };

/* With more elements in a vector a case costs seconds: of those there is one, at n + 1. */
static const double many_elements = 1 << 24;

/* Whether the constraints allow the configuration that size. */
static bool allows(const struct sweep *sweep, const struct configuration *configuration, int64_t n)
{
    struct problem problem;
    struct error ignored = {0};
    bool allowed = false;
    experiment_problem_at(sweep->experiment, &sweep->problem, n, &problem);
    return space_admits(sweep->experiment, &problem, sweep->group->facts, configuration, &allowed,
                        &ignored) == STATUS_OK &&
           allowed;
}

/* A size near n that the constraints allow the first finalist, and the experiment promises; 0: none
 * is near. They may want a multiple of something, of which the likely ones are tried. */
static int64_t next_size(const struct contest *contest, int64_t n)
{
    static const int64_t odd_parts[] = {1, 3, 5, 7, 9, 25, 125};
    const struct sweep *sweep = contest->sweep;
    const struct candidate *first = NULL;
    for (size_t i = 0; !first && i < contest->finalist_count; i++)
        if (contest->finalists[i].runner.candidate->point != NO_POINT)
            first = contest->finalists[i].runner.candidate;
    n = promise_next(sweep, n);
    if (!first || n < 1 || n == sweep->problem.n)
        return n;
    int64_t nearest = 0;
    struct configuration room;
    const struct configuration *configuration = candidate_configuration(sweep, first, &room);
    if (allows(sweep, configuration, n))
        return n;
    for (size_t i = 0; i < sizeof odd_parts / sizeof odd_parts[0]; i++)
        for (int64_t divisor = odd_parts[i]; divisor <= SIZES_NEAR; divisor *= 2) {
            int64_t size = promise_next(sweep, (n + divisor - 1) / divisor * divisor);
            if (size > n && (nearest == 0 || size < nearest) && size != sweep->problem.n &&
                allows(sweep, configuration, size))
                nearest = size;
        }
    return nearest;
}

static size_t add_case(const struct contest *contest, struct gauntlet_case *cases, size_t count,
                       int64_t n, uint32_t starts)
{
    n = n < 1 ? n : next_size(contest, n);
    for (size_t i = 0; i < count; i++)
        if (cases[i].n == n)
            return count;
    if (n < 1 || count == CASES_MAX)
        return count;
    cases[count] = (struct gauntlet_case){
        .n = n, .seed = (uint64_t)n * UINT64_C(0x9e3779b97f4a7c15), .starts = starts};
    return count + 1;
}

/* Elements of the longest vector, over n: rows have many for each. */
static double elements_per_n(const struct contest *contest)
{
    double n = (double)contest->sweep->problem.n;
    double longest = n;
    for (size_t i = 0; i < contest->finalist_count; i++) {
        const struct launch_plan *plan = &contest->finalists[i].runner.loaded.plan;
        for (size_t k = 0; k < plan->argument_count; k++)
            if ((double)plan->arguments[k].count > longest)
                longest = (double)plan->arguments[k].count;
    }
    return longest / n;
}

/* Around the size itself, around powers of two and warps, and two odd ones below it. */
static size_t list_cases(const struct contest *contest, struct gauntlet_case *cases)
{
    static const int64_t small[] = {1, 2, 31, 33, 255, 257, 1025, 4097, 65537, 1000003};
    const int64_t n = contest->sweep->problem.n;
    const double most = many_elements / elements_per_n(contest);
    struct random random = {.seed = (uint64_t)n};
    size_t count = 0;
    if (!experiment_has_size(contest->sweep->experiment))
        return add_case(contest, cases, count, n, 3);
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
        if (small[i] <= n && (double)small[i] <= most)
            count = add_case(contest, cases, count, small[i], (uint32_t)(i % 4));
    count = add_case(contest, cases, count, n + 1, 1);
    if ((double)n > most)
        return count;
    count = add_case(contest, cases, count, n, 3);
    count = add_case(contest, cases, count, n - 1, 2);
    for (int i = 0; i < 2; i++) {
        int64_t odd = (int64_t)random_below(&random, (uint64_t)n) | 1;
        count = add_case(contest, cases, count, odd, (uint32_t)i);
    }
    return count;
}

/* A file holds what it holds, whatever the seed. */
static bool is_from_file(const struct worker_checks *checks)
{
    bool is = false;
    for (size_t i = 0; i < checks->count; i++)
        is |= checks->items[i].kind == REFERENCE_FILE;
    return is;
}

static void move_seeds(struct launch_plan *plan, uint64_t seed)
{
    for (size_t i = 0; i < plan->argument_count; i++)
        plan->arguments[i].seed += seed;
}

static void move_starts(struct launch_plan *plan, uint32_t starts)
{
    for (size_t i = 0; i < plan->argument_count; i++) {
        struct argument *argument = &plan->arguments[i];
        if (argument_is_bound(argument))
            argument->offset_bytes = argument->alignment_bytes * starts;
    }
}

/* Whether the file is another one than the problem's own, which holds for its size alone, and has
 * enough. */
static bool file_fits(const struct output_check *check, const struct worker_reference *own,
                      const struct launch_plan *plan)
{
    struct stat info;
    return strcmp(check->reference, own->name) != 0 && stat(check->reference, &info) == 0 &&
           (uint64_t)info.st_size >= argument_bytes(&plan->arguments[check->output]);
}

/* The references at another size. *applies false: there is none, or it takes a binary that nobody
 * else needs. */
static enum status checks_elsewhere(struct sweep *sweep, struct arena *arena,
                                    const struct point *point, const struct launch_plan *plan,
                                    struct worker_checks *out, bool *applies, struct error *error)
{
    const struct worker_checks *own = &sweep->description->checks;
    struct output_check *checks = arena_alloc(arena, CHECKS_MAX, sizeof *checks);
    if (!checks)
        return error_no_memory(error);
    enum status status = point_checks(point, arena, checks, &out->count, error);
    *applies = status == STATUS_OK && out->count == own->count;
    for (size_t i = 0; status == STATUS_OK && *applies && i < out->count; i++) {
        if (checks[i].kind == REFERENCE_FILE && !file_fits(&checks[i], &own->items[i], plan)) {
            *applies = false;
            break;
        }
        status = describe_check(sweep, &checks[i], &out->items[i], error);
        if (status == STATUS_OK && checks[i].kind == REFERENCE_PLAN)
            *applies = strcmp(out->items[i].path, own->items[i].path) == 0;
    }
    return status;
}

static enum status case_checks(struct sweep *sweep, struct arena *arena, const struct point *point,
                               const struct launch_plan *plan, struct worker_checks *out,
                               bool *applies, struct error *error)
{
    const char *kind = sweep->group->session->options->device_kind;
    if (point->problem->n != sweep->problem.n && !device_traits(kind)->computes_nothing) {
        return checks_elsewhere(sweep, arena, point, plan, out, applies, error);
    }
    *out = sweep->description->checks;
    return STATUS_OK;
}

/* Other seeds, for the reference too; other starts for the candidate alone. */
static enum status move_case(struct arena *arena, const struct gauntlet_case *what,
                             struct launch_plan *plan, struct worker_checks *checks,
                             struct error *error)
{
    move_starts(plan, what->starts);
    if (is_from_file(checks))
        return STATUS_OK;
    move_seeds(plan, what->seed);
    for (size_t i = 0; i < checks->count; i++) {
        if (checks->items[i].kind != REFERENCE_PLAN)
            continue;
        struct launch_plan *moved = arena_copy(arena, checks->items[i].plan, sizeof *moved);
        if (!moved)
            return error_no_memory(error);
        move_seeds(moved, what->seed);
        checks->items[i].plan = moved;
    }
    return STATUS_OK;
}

/* *applies false: the configuration is not meant for the size, or its binary is another one there.
 */
static enum status admits(struct sweep *sweep, struct arena *arena, const struct finalist *finalist,
                          const struct point *point, bool *applies, struct error *error)
{
    const struct candidate *candidate = finalist->runner.candidate;
    struct binary_request request;
    size_t binary = 0;
    enum status status = STATUS_OK;
    *applies = point->problem->n == sweep->problem.n;
    if (!*applies && candidate->point != NO_POINT)
        status = space_admits(sweep->experiment, point->problem, sweep->group->facts,
                              point->configuration, applies, error);
    if (status != STATUS_OK || !*applies)
        return status;
    status = point_binary(point, arena, &request, error);
    if (status == STATUS_OK)
        status = binaries_know(&sweep->group->binaries, &request, &binary, error);
    *applies = status == STATUS_OK && binary == candidate->binary;
    return status;
}

/* The plan at the case's size, and what its results are held against. */
static enum status case_plan(struct sweep *sweep, struct arena *arena,
                             const struct finalist *finalist, const struct gauntlet_case *what,
                             struct launch_plan *plan, struct worker_checks *checks, bool *applies,
                             struct error *error)
{
    struct problem problem;
    int32_t active = finalist->runner.loaded.resources[0].active_blocks_per_sm;
    struct configuration room;
    struct point point =
        sweep_point(sweep, finalist->runner.candidate, active > 0 ? active : 1, &room);
    experiment_problem_at(sweep->experiment, &sweep->problem, what->n, &problem);
    point.problem = &problem;
    enum status status = admits(sweep, arena, finalist, &point, applies, error);
    if (status == STATUS_OK && *applies)
        status = point_plan(&point, arena, plan, error);
    if (status == STATUS_OK && *applies)
        status = case_checks(sweep, arena, &point, plan, checks, applies, error);
    if (status == STATUS_OK && *applies)
        return move_case(arena, what, plan, checks, error);
    if (what->n != sweep->problem.n && is_no_size_of(status)) {
        error_clear(error);
        *applies = false;
        return STATUS_OK;
    }
    return status;
}

enum status gauntlet_try(struct contest *contest, struct lane *lane,
                         const struct finalist *finalist, const struct gauntlet_case *what,
                         bool *applies, struct worker_outcome *outcome, struct error *error)
{
    struct sweep *sweep = contest->sweep;
    struct candidate *candidate = finalist->runner.candidate;
    struct launch_plan plan;
    struct worker_checks checks = {0};
    *outcome = (struct worker_outcome){.status = TRIAL_OK};
    enum status status =
        case_plan(sweep, &lane->scratch, finalist, what, &plan, &checks, applies, error);
    if (status != STATUS_OK || !*applies)
        return status;
    struct worker_case given = {
        .binary_path = sweep->group->binaries.items[candidate->binary].path,
        .plan = &plan,
        .checks = checks,
        .repeats = REPEATS,
        .timeout_ms = CASE_TIMEOUT_MS,
    };
    bool again = true;
    for (int tries = 0; status == STATUS_OK && again && tries < 2; tries++) {
        int64_t left_ns = lane_leave(lane);
        status = worker_check(lane->worker, &given, outcome, error);
        lane_enter(lane, left_ns, &lane->measuring_ns);
        if (status != STATUS_OK)
            return lane_lose(lane, error);
        status = sweep_restore(sweep, candidate, outcome, &again, error);
    }
    /* A device that is lost takes whatever was running with it. */
    if (status == STATUS_OK &&
        (outcome->status == TRIAL_CRASHED || outcome->status == TRIAL_TIMED_OUT))
        status = lane_probe(lane, error);
    return status;
}

/* As gauntlet_try; who fails is out, unless the size is not promised: *kept false. `kept` NULL: it
 * is. */
static enum status run_case(struct contest *contest, struct lane *lane, struct finalist *finalist,
                            const struct gauntlet_case *what, int32_t *cases, bool *kept,
                            struct error *error)
{
    struct sweep *sweep = contest->sweep;
    struct worker_outcome outcome;
    bool applies = false;
    bool elsewhere = what->n != sweep->problem.n;
    enum status status = gauntlet_try(contest, lane, finalist, what, &applies, &outcome, error);
    *cases += applies ? 1 : 0;
    if (status == STATUS_OK && outcome.status != TRIAL_OK && elsewhere && kept)
        status = promise_ask(contest, lane, what, kept, error);
    if (status != STATUS_OK || outcome.status == TRIAL_OK || (kept && !*kept))
        return status;
    finalist->out = arena_printf(&sweep->arena, "gauntlet: n=%lld, starts %u elements on: %s: %s",
                                 (long long)what->n, what->starts,
                                 trial_status_name(outcome.status), outcome.detail);
    finalist->runner.candidate->rejected = finalist->out;
    finalist->runner.candidate->rejected_at = elsewhere ? what->n : 0;
    return finalist->out ? STATUS_OK : error_no_memory(error);
}

static enum status put(const struct contest *contest, const struct finalist *finalist,
                       int32_t cases, struct error *error)
{
    const struct sweep *sweep = contest->sweep;
    const struct candidate *candidate = finalist->runner.candidate;
    struct store_gauntlet row = {
        .environment_id = sweep->group->environment_id,
        .problem_id = sweep->problem_id,
        .configuration_id = candidate->configuration_id,
        .binary_hash = sweep->group->binaries.items[candidate->binary].hash,
        .passed = !finalist->out,
        .cases = cases,
        .detail = finalist->out,
    };
    return store_gauntlet_put(sweep->group->session->store, &row, error);
}

/* At which size a stored verdict was made; 0: at none. */
static int64_t size_of(const char *detail)
{
    static const char before[] = "gauntlet: n=";
    size_t length = sizeof before - 1;
    return strncmp(detail, before, length) == 0 ? strtoll(detail + length, NULL, 10) : 0;
}

/* What an earlier run found out of the same binary. */
static enum status recall(struct contest *contest, struct finalist *finalist, bool *known,
                          struct error *error)
{
    const struct sweep *sweep = contest->sweep;
    const struct candidate *candidate = finalist->runner.candidate;
    char detail[ERROR_TEXT_BYTES] = "";
    bool passed = false;
    enum status status = store_gauntlet_get(
        sweep->group->session->store, sweep->group->environment_id, sweep->problem_id,
        candidate->configuration_id, sweep->group->binaries.items[candidate->binary].hash, known,
        &passed, detail, error);
    if (status != STATUS_OK || !*known || passed)
        return status;
    int64_t n = size_of(detail);
    *known = n == 0 || promise_has(sweep, n); /* else it is checked anew */
    if (*known) {
        finalist->out = arena_strdup(&contest->sweep->arena, detail);
        finalist->runner.candidate->rejected = finalist->out;
        finalist->runner.candidate->rejected_at = n == sweep->problem.n ? 0 : n;
    }
    return STATUS_OK;
}

static void tell(const struct contest *contest, const struct finalist *finalist)
{
    struct session *session = contest->sweep->group->session;
    session->summary->gauntlet_failures++;
    session_note(session, "%s n=%lld: '%s' was among the fastest, but is out: %s",
                 contest->sweep->problem.key, (long long)contest->sweep->problem.n,
                 finalist->runner.candidate->key, finalist->out);
}

/* The best so far is one that may win. */
static void find_best(struct sweep *sweep)
{
    sweep->best = NULL;
    for (size_t i = 0; i < sweep->table.count; i++)
        sweep_compare(sweep, sweep->table.items[i]);
}

enum status contest_reject(struct contest *contest, struct finalist *finalist, int32_t cases,
                           const char *why, struct error *error)
{
    finalist->out = finalist->runner.candidate->rejected = why;
    if (!why)
        return error_no_memory(error);
    find_best(contest->sweep);
    tell(contest, finalist);
    return put(contest, finalist, cases, error);
}

/* What took a finalist out takes others like it out, too: else the race would bring them up one
 * handful after the other. */
static enum status reject_others(struct contest *contest, struct lane *lane,
                                 const struct gauntlet_case *what, struct error *error)
{
    struct sweep *sweep = contest->sweep;
    for (size_t i = 0; i < sweep->table.count; i++) {
        struct candidate *candidate = sweep->table.items[i];
        struct finalist other = {.runner = {.candidate = candidate}};
        struct worker_outcome outcome = {.status = TRIAL_OK};
        int32_t cases = 0;
        if (!candidate->done || candidate->status != TRIAL_OK || candidate->rejected)
            continue;
        if (session_stopped(sweep->group->session))
            return session_stop_error(error);
        if (budget_ended(sweep->group->session))
            return STATUS_OK; /* they are checked when they race */
        enum status status = sweep_load(sweep, lane, &lane->scratch, candidate,
                                        &other.runner.loaded, &outcome, error);
        if (status == STATUS_OK && outcome.status == TRIAL_OK)
            status = run_case(contest, lane, &other, what, &cases, NULL, error);
        if (status == STATUS_OK && other.out)
            status = put(contest, &other, cases, error);
        arena_free(&lane->scratch);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* What is not looked at for want of data. */
static void tell_limits(const struct sweep *sweep)
{
    struct session *session = sweep->group->session;
    if (!sweep->description) /* all is known from earlier runs */
        return;
    bool files = is_from_file(&sweep->description->checks);
    for (size_t i = 0; i < sweep->description->plan->argument_count; i++) {
        const struct argument *argument = &sweep->description->plan->arguments[i];
        files |= role_is_filled(argument->role) && argument->fill == FILL_FILE;
    }
    if (!experiment_has_size(sweep->experiment))
        session_note(session, "%s: finalists are checked at this size alone, as it has no sizes",
                     sweep->problem.key);
    else if (files)
        session_note(session,
                     "%s n=%lld: finalists are checked at other sizes only where its files have "
                     "data for them",
                     sweep->problem.key, (long long)sweep->problem.n);
}

/* One case on all finalists: they share its inputs. */
static enum status run_on_all(struct contest *contest, struct lane *lane, const bool *known,
                              const struct gauntlet_case *what, int32_t *cases, bool *kept,
                              struct error *error)
{
    bool failed = false;
    session_progress(contest->sweep->group, "check");
    for (size_t i = 0; i < contest->finalist_count; i++) {
        struct finalist *finalist = &contest->finalists[i];
        if (known[i] || finalist->out || finalist->runner.outcome.status != TRIAL_OK)
            continue;
        if (session_stopped(contest->sweep->group->session))
            return session_stop_error(error);
        enum status status =
            run_case(contest, lane, finalist, what, &cases[i], failed ? NULL : kept, error);
        arena_free(&lane->scratch);
        if (status != STATUS_OK || !*kept)
            return status;
        failed |= finalist->out != NULL;
    }
    return failed ? reject_others(contest, lane, what, error) : STATUS_OK;
}

/* One case after the other; from the start with others when a size turns out not to be promised. */
static enum status run_cases(struct contest *contest, struct lane *lane, const bool *known,
                             int32_t *cases, struct error *error)
{
    struct gauntlet_case list[CASES_MAX];
    size_t count = list_cases(contest, list);
    tell_limits(contest->sweep);
    for (size_t c = 0; c < count; c++) {
        bool kept = true;
        enum status status = run_on_all(contest, lane, known, &list[c], cases, &kept, error);
        if (status != STATUS_OK)
            return status;
        if (!kept) {
            count = list_cases(contest, list);
            c = SIZE_MAX;
        }
    }
    return STATUS_OK;
}

enum status contest_check(struct contest *contest, struct lane *lane, struct error *error)
{
    size_t count = contest->finalist_count;
    bool *known = arena_alloc(&contest->arena, count + 1, sizeof *known);
    int32_t *cases = arena_alloc(&contest->arena, count + 1, sizeof *cases);
    enum status status = known && cases ? STATUS_OK : error_no_memory(error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        status = recall(contest, &contest->finalists[i], &known[i], error);
    if (status == STATUS_OK)
        status = run_cases(contest, lane, known, cases, error);
    find_best(contest->sweep);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        if (!known[i])
            status = put(contest, &contest->finalists[i], cases[i], error);
        if (contest->finalists[i].out)
            tell(contest, &contest->finalists[i]);
    }
    return status;
}
