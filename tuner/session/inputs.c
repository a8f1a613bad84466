#include "tuner/session/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/fill.h"
#include "tuner/device/traits.h"

enum status describe_check(const struct work *work, const struct output_check *check,
                           struct worker_reference *reference, struct error *error)
{
    struct group *group = work->group;
    struct binaries *binaries =
        check->kind == REFERENCE_PLAN ? &group->binaries : &group->references;
    size_t index = 0;
    *reference = (struct worker_reference){.kind = check->kind,
                                           .fill = check->fill,
                                           .name = check->reference,
                                           .plan = check->plan,
                                           .output = check->output,
                                           .tolerance = check->tolerance};
    if (check->kind == REFERENCE_FILL)
        return STATUS_OK;
    struct binary_request request = check->binary;
    /* A binary compiled on one host serves all devices of the group. */
    if (binaries == &group->references && group->session->options->host_count > 0)
        request.architecture = "";
    enum status status = binaries_request(binaries, &request, &index, error);
    if (status == STATUS_OK)
        status = budget_await(group, binaries, index, error);
    if (status != STATUS_OK)
        return error_prefix(error, "the reference of %s (%s)",
                            experiment_head(work->experiment)->name,
                            check->binary.source_path ? check->binary.source_path : "");
    reference->path = binaries->items[index].path;
    return STATUS_OK;
}

static enum status describe_checks(const struct work *work,
                                   const struct configuration *configuration, struct arena *arena,
                                   struct worker_checks *out, struct error *error)
{
    struct output_check *checks = calloc(CHECKS_MAX, sizeof *checks);
    struct point point = work_point(work, configuration, 1);
    if (!checks)
        return error_no_memory(error);
    enum status status = STATUS_OK;
    if (!device_traits(work->options->device_kind)->computes_nothing)
        status = point_checks(&point, arena, checks, &out->count, error);
    for (size_t i = 0; status == STATUS_OK && i < out->count; i++)
        status = describe_check(work, &checks[i], &out->items[i], error);
    free(checks);
    return status;
}

enum status inputs_checks(const struct work *work, struct inputs *inputs,
                          const struct configuration *configuration, const struct check_set **out,
                          struct error *error)
{
    const struct point point = work_point(work, configuration, 1);
    char key[CONFIGURATION_KEY_BYTES];
    if (!point_check_key(&point, key))
        return error_set(error, STATUS_INTERNAL, "a check's parameters have too long values");
    for (struct check_set *set = inputs->sets; set; set = set->next)
        if (strcmp(set->key, key) == 0) {
            *out = set;
            return STATUS_OK;
        }
    struct check_set *set = arena_alloc(&inputs->arena, 1, sizeof *set);
    if (!set || !(set->key = arena_strdup(&inputs->arena, key)))
        return error_no_memory(error);
    set->configuration = *configuration;
    TRY(describe_checks(work, &set->configuration, &inputs->arena, &set->checks, error));
    set->next = inputs->sets;
    *out = inputs->sets = set;
    return STATUS_OK;
}

/* Describes a reference. STATUS_UNAVAILABLE: the binary is not ready. Errors are reported when the
 * binary is awaited. */
static enum status describe_ahead(const struct work *work, const struct output_check *check,
                                  struct worker_reference *reference, struct error *error)
{
    struct binaries *references = &work->group->references;
    size_t index = 0;
    *reference = (struct worker_reference){.kind = check->kind,
                                           .name = check->reference,
                                           .output = check->output,
                                           .tolerance = check->tolerance};
    if (check->kind != REFERENCE_FUNCTION)
        return STATUS_OK;
    TRY(binaries_request(references, &check->binary, &index, error));
    if (references->items[index].state != BINARY_READY)
        return error_set(error, STATUS_UNAVAILABLE, "its binary is not there yet");
    reference->path = references->items[index].path;
    return STATUS_OK;
}

void inputs_ahead(const struct work *work, const struct configuration *configuration, bool *taken)
{
    struct arena arena = {0};
    struct error ignored = {0};
    struct worker_task *task = arena_alloc(&arena, 1, sizeof *task);
    struct launch_plan *plan = arena_alloc(&arena, 1, sizeof *plan);
    struct output_check *checks = arena_alloc(&arena, CHECKS_MAX, sizeof *checks);
    struct point point = work_point(work, configuration, 1);
    *taken = false;
    enum status status = task && plan && checks ? point_plan(&point, &arena, plan, &ignored)
                                                : error_no_memory(&ignored);
    if (status == STATUS_OK)
        status = point_checks(&point, &arena, checks, &task->checks.count, &ignored);
    for (size_t i = 0; status == STATUS_OK && i < task->checks.count; i++)
        status = describe_ahead(work, &checks[i], &task->checks.items[i], &ignored);
    if (status == STATUS_OK) {
        task->plan = plan;
        status = compile_pool_prepare(work->group->references.pool, task, taken, &ignored);
    }
    /* After a failure the next problem is tried. */
    *taken = *taken || (status != STATUS_OK && status != STATUS_UNAVAILABLE);
    arena_free(&arena);
}

/* Compiles missing references again before a replacing worker looks. */
enum status inputs_restore(const struct work *work, const struct inputs *inputs, bool *gone,
                           struct error *error)
{
    struct arena scratch = {0};
    enum status status = STATUS_OK;
    *gone = false;
    for (const struct check_set *set = inputs->sets; set && status == STATUS_OK; set = set->next) {
        struct worker_checks ignored = {0};
        bool missing = false;
        for (size_t i = 0; i < set->checks.count; i++) {
            const struct worker_reference *reference = &set->checks.items[i];
            missing = missing || (reference->path && !file_exists(reference->path));
        }
        *gone = *gone || missing;
        if (missing)
            status = describe_checks(work, &set->configuration, &scratch, &ignored, error);
    }
    arena_free(&scratch);
    return status;
}

bool inputs_are_cheap(const struct inputs *inputs)
{
    return inputs->reference_ns <= WORKER_COSTLY_NS;
}

const char *inputs_kind(const struct work *work, const struct inputs *inputs, const char **why)
{
    const struct worker_task *problem = inputs->problem;
    if (!problem || problem->checks.count == 0 ||
        device_traits(work->options->device_kind)->computes_nothing)
        return NULL;
    struct launch_plan plan = *problem->plan;
    const bool draws = vary_together(&plan, false);
    *why = inputs->alike                             ? "on changed ones all are wrong"
           : !draws                                  ? "none is drawn at random"
           : !checks_follow_inputs(&problem->checks) ? "the expected results do not depend on them"
           : !inputs_are_cheap(inputs)               ? "the expected results take long to compute"
                                                     : NULL;
    return *why ? "alike" : "changed";
}

enum status inputs_send(const struct work *work, struct inputs *inputs, struct lane *lane,
                        bool check, struct error *error)
{
    bool gone = false;
    enum status status = STATUS_OK;
    TRY(inputs_restore(work, inputs, &gone, error));
    if (lane->known == inputs && (lane->has_expected || !check))
        return STATUS_OK;
    if (!inputs->problem) {
        struct worker_task *described = arena_alloc(&inputs->arena, 1, sizeof *described);
        struct launch_plan *plan = arena_alloc(&inputs->arena, 1, sizeof *plan);
        struct point point = work_point(work, inputs->configuration, 1);
        const struct check_set *set = NULL;
        if (!described || !plan)
            return error_no_memory(error);
        TRY(point_plan(&point, &inputs->arena, plan, error));
        described->plan = plan;
        TRY(inputs_checks(work, inputs, inputs->configuration, &set, error));
        described->checks = set->checks;
        described->checks_key = set->key;
        inputs->problem = described;
    }
    int64_t started_ns = clock_budget_ns();
    struct worker_task problem = *inputs->problem;
    problem.timeout_ms = session_first_timeout_ms(lane->site->session);
    problem.varies =
        !inputs->alike && inputs_are_cheap(inputs) && checks_follow_inputs(&problem.checks);
    if (!check)
        problem.checks.count = 0;
    do {
        int64_t left_ns = lane_leave(lane);
        status = worker_problem(lane->worker, &problem, error);
        lane_enter(lane, left_ns, &lane->measuring_ns);
        gone = false;
        if (status == STATUS_NOT_FOUND && inputs_restore(work, inputs, &gone, error) != STATUS_OK)
            return error->status;
    } while (gone);
    if (status == STATUS_OK) {
        lane->known = inputs;
        lane->has_expected = check;
        if (check)
            inputs->reference_ns = worker_head(lane->worker)->reference_ns;
        inputs->setup_ns = clock_budget_ns() - started_ns;
    }
    if (status == STATUS_TIMED_OUT || status == STATUS_DEVICE_LOST)
        return lane_lose(lane, error);
    if (status == STATUS_BAD_INPUT)
        (void)error_prefix(error, "%s: %s", experiment_head(work->experiment)->path,
                           problem_name(work->problem.key, work->problem.n).text);
    return status;
}
