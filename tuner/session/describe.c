/* What a problem's trials share: inputs, the references. */
#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/device/traits.h"
#include "tuner/session/internal.h"

/* References in C are compiled for the host, whatever the device; a plan is of its kernels. */
enum status describe_check(struct sweep *sweep, const struct output_check *check,
                           struct worker_reference *out, struct error *error)
{
    struct binaries *binaries =
        check->kind == REFERENCE_PLAN ? &sweep->group->binaries : &sweep->group->references;
    size_t index = 0;
    *out = (struct worker_reference){.kind = check->kind,
                                     .name = check->reference,
                                     .plan = check->plan,
                                     .output = check->output,
                                     .tolerance = check->tolerance};
    if (check->kind != REFERENCE_PLAN && check->kind != REFERENCE_FUNCTION)
        return STATUS_OK;
    enum status status = binaries_request(binaries, &check->binary, &index, error);
    if (status == STATUS_OK)
        status = budget_await(sweep->group, binaries, index, error);
    if (status != STATUS_OK)
        return error_prefix(error, "the reference of %s (%s)", experiment_name(sweep->experiment),
                            check->binary.source_path ? check->binary.source_path : "");
    out->path = binaries->items[index].path;
    return STATUS_OK;
}

static enum status prepare_checks(struct sweep *sweep, const struct point *point,
                                  struct worker_checks *out, struct error *error)
{
    struct output_check *checks = arena_alloc(&sweep->arena, CHECKS_MAX, sizeof *checks);
    if (!checks)
        return error_no_memory(error);
    if (device_traits(sweep->group->session->options->device_kind)->computes_nothing)
        return STATUS_OK;
    enum status status = point_checks(point, &sweep->arena, checks, &out->count, error);
    for (size_t i = 0; status == STATUS_OK && i < out->count; i++)
        status = describe_check(sweep, &checks[i], &out->items[i], error);
    return status;
}

/* Inputs and expected results do not depend on the configuration: any will do to describe them. */
static enum status make_description(struct sweep *sweep, struct error *error)
{
    struct worker_problem *problem = arena_alloc(&sweep->arena, 1, sizeof *problem);
    struct launch_plan *plan = arena_alloc(&sweep->arena, 1, sizeof *plan);
    struct configuration room;
    struct point point = sweep_point(sweep, &sweep->any, 1, &room);
    if (!problem || !plan)
        return error_no_memory(error);
    enum status status = point_plan(&point, &sweep->arena, plan, error);
    problem->plan = plan;
    if (status == STATUS_OK)
        status = prepare_checks(sweep, &point, &problem->checks, error);
    if (status == STATUS_OK)
        sweep->description = problem;
    return status;
}

/* A reference that somebody took out of the cache is compiled again, before a worker that takes the
 * place of another looks for it. */
enum status restore_references(struct sweep *sweep, bool *gone, struct error *error)
{
    struct worker_checks again = {0};
    *gone = false;
    if (!sweep->description)
        return STATUS_OK;
    const struct worker_checks *checks = &sweep->description->checks;
    for (size_t i = 0; i < checks->count; i++)
        *gone = *gone || (checks->items[i].path && checks->items[i].kind != REFERENCE_FILE &&
                          !file_exists(checks->items[i].path));
    struct configuration room;
    struct point point = sweep_point(sweep, &sweep->any, 1, &room);
    return *gone ? prepare_checks(sweep, &point, &again, error) : STATUS_OK;
}

/* Whether there are references, and all of them follow the inputs: files and series do not. */
static bool references_vary(const struct worker_checks *checks)
{
    for (size_t i = 0; i < checks->count; i++)
        if (checks->items[i].kind != REFERENCE_FUNCTION && checks->items[i].kind != REFERENCE_PLAN)
            return false;
    return checks->count > 0;
}

enum status sweep_tell(struct sweep *sweep, struct lane *lane, bool check, struct error *error)
{
    bool gone = false;
    enum status status = restore_references(sweep, &gone, error);
    if (status != STATUS_OK)
        return status;
    if (lane->told == sweep && (lane->told_check || !check))
        return STATUS_OK;
    if (!sweep->description)
        status = make_description(sweep, error);
    if (status != STATUS_OK)
        return status;
    int64_t started_ns = clock_running_ns();
    struct worker_problem problem = *sweep->description;
    problem.varies = !sweep->alike && sweep->reference_ns <= WORKER_COSTLY_NS &&
                     references_vary(&problem.checks);
    if (!check)
        problem.checks.count = 0;
    do {
        int64_t left_ns = lane_leave(lane);
        status = worker_problem(lane->worker, &problem, error);
        lane_enter(lane, left_ns, &lane->measuring_ns);
        gone = false;
        if (status == STATUS_NOT_FOUND && restore_references(sweep, &gone, error) != STATUS_OK)
            return error->status;
    } while (gone);
    if (status == STATUS_OK) {
        lane->told = sweep;
        lane->told_check = check;
        if (check)
            sweep->reference_ns = worker_reference_ns(lane->worker);
        sweep->tell_ns = clock_running_ns() - started_ns;
    }
    if (status == STATUS_TIMED_OUT || status == STATUS_DEVICE_LOST)
        return lane_lose(lane, error);
    if (status == STATUS_BAD_INPUT)
        (void)error_prefix(error, "%s: %s n=%lld", experiment_path(sweep->experiment),
                           sweep->problem.key, (long long)sweep->problem.n);
    return status;
}
