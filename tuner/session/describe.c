/* What a problem's trials share: inputs, the reference. */
#include "tuner/session/internal.h"

/* The reference is compiled for the host, whatever the device. */
static enum status prepare_check(struct sweep *sweep, const struct point *point,
                                 struct worker_problem *problem, struct error *error)
{
    struct check check = {0};
    size_t index = 0;
    enum status status = point_check(point, &sweep->arena, &check, error);
    if (status == STATUS_OK)
        status = binaries_request(&sweep->group->references, &check.binary, &index, error);
    if (status == STATUS_OK)
        status = binaries_await(&sweep->group->references, index, error);
    if (status != STATUS_OK)
        return error_prefix(error, "the reference of %s (%s)", experiment_name(sweep->experiment),
                            check.binary.source_path ? check.binary.source_path : "");
    problem->reference_path = sweep->group->references.items[index].path;
    problem->reference = check.reference;
    problem->output = check.output;
    problem->tolerance = check.tolerance;
    return STATUS_OK;
}

/* Inputs and expected results do not depend on the configuration: any will do to describe them. */
static enum status make_description(struct sweep *sweep, struct error *error)
{
    struct worker_problem *problem = arena_alloc(&sweep->arena, 1, sizeof *problem);
    struct launch_plan *plan = arena_alloc(&sweep->arena, 1, sizeof *plan);
    struct point point = sweep_point(sweep, &sweep->candidates[0], 1);
    if (!problem || !plan)
        return error_no_memory(error);
    enum status status = point_plan(&point, &sweep->arena, plan, error);
    problem->plan = plan;
    if (status == STATUS_OK)
        status = prepare_check(sweep, &point, problem, error);
    if (status == STATUS_OK)
        sweep->description = problem;
    return status;
}

enum status sweep_tell(struct sweep *sweep, struct lane *lane, bool check, struct error *error)
{
    enum status status = STATUS_OK;
    if (lane->told == sweep && (lane->told_check || !check))
        return STATUS_OK;
    if (!sweep->description)
        status = make_description(sweep, error);
    if (status != STATUS_OK)
        return status;
    struct worker_problem problem = *sweep->description;
    if (!check)
        problem.reference_path = NULL;
    int64_t left_ns = lane_leave(lane);
    status = worker_problem(lane->worker, &problem, error);
    lane_enter(lane, left_ns, &lane->measuring_ns);
    if (status == STATUS_OK) {
        lane->told = sweep;
        lane->told_check = check;
    }
    if (status == STATUS_TIMED_OUT || status == STATUS_DEVICE_LOST)
        return lane_lose(lane, error);
    return status;
}
