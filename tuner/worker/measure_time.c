/* Timing of configurations by the measuring child: once, or in turns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/stats/summary.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/worker.h"

/* Device slot of trials, and the one that armed plans without `keeps` share. The parent may have
 * armed a plan in the first. */
enum { TRIAL_SLOT = DEVICE_SLOTS - 1, SHARED_SLOT = DEVICE_SLOTS - 2 };

static uint32_t most_runs(const struct measuring *state, const struct launch_plan *plan,
                          enum l2_mode mode)
{
    const uint32_t most = l2_state(mode) == L2_HOT ? BLOCK_RUNS_MAX : copies_for(state, plan, mode);
    const uint64_t launches = plan_launches(plan);
    if (l2_issue(mode) != ISSUE_STREAM || launches * most <= QUEUED_MAX)
        return most;
    return launches < QUEUED_MAX ? (uint32_t)(QUEUED_MAX / launches) : 1;
}

/* Clamps a requested number of runs. */
static uint32_t runs_within(int64_t runs, uint32_t most)
{
    return runs < 1 ? 1 : runs > most ? most : (uint32_t)runs;
}

/* Computes the number of runs of a block from the time of one run. */
static uint32_t runs_of_block(const struct measuring *state, const struct block *block,
                              double run_ns)
{
    const struct protocol *protocol = &state->protocol;
    const enum l2_mode mode = l2_mode_as(block->mode, block->issue);
    uint32_t most = most_runs(state, block->plan, mode);
    uint32_t runs = block_runs(run_ns, state->calibration.tick_ns, protocol->block_ns, most);
    if (run_ns > 0 && runs * run_ns > protocol->block_most_ns)
        runs = runs_within((int64_t)(protocol->block_most_ns / run_ns), most);
    uint32_t least = least_runs(state, block->plan, mode);
    return runs < least ? runs_within(least, most) : runs;
}

static enum status bind_plan(struct measuring *state, const struct launch_plan *plan,
                             enum l2_mode mode, struct error *error)
{
    const void *inputs[ARGUMENTS_MAX];
    TRY(inputs_of_problem(state, plan, inputs, error));
    static const struct patch none[ARGUMENTS_MAX];
    /* In vectors of another length the patched elements would be others. */
    bool takes = state->varied != NULL;
    for (size_t i = 0; state->varied && i < plan->argument_count; i++)
        if (state->varied->arguments[i].variant != 0 &&
            (i >= state->varied->argument_count ||
             plan->arguments[i].count != state->varied->arguments[i].count)) {
            takes = false;
            break;
        }
    return inputs_bind(state, plan, inputs, copies_for(state, plan, mode),
                       takes ? state->patches : none, error);
}

enum status serve_load(struct measuring *state, const struct measure_request *request,
                       struct measure_answer *answer, struct arena *arena, struct error *error)
{
    (void)arena;
    TRY(load_binary(state, request->task.binary_path, error));
    for (size_t i = 0; i < request->launch_count; i++) {
        TRY(state->api->resources(state->device, &request->launches[i], &answer->resources[i],
                                  error));
        answer->resource_count = i + 1;
    }
    return STATUS_OK;
}

struct timing {
    struct block block; /* runs 0: to be determined */
    uint32_t blocks;
    double stop_above_ns;
    double lone_ns; /* fastest run timed alone; 0: none */
};

static void add_sample(struct worker_samples *samples, double elapsed_ns)
{
    if (samples->count < WORKER_SAMPLES_MAX)
        samples->elapsed_ns[samples->count++] = elapsed_ns;
}

/* Returns the number of slow blocks that end the timing. One slow run is no evidence against a
 * faster one. */
static uint32_t blocks_to_judge(const struct measuring *state, const struct timing *timing)
{
    bool doubtful = timing->block.runs == 1 && timing->lone_ns <= timing->stop_above_ns;
    return doubtful && state->traits->blocks_to_judge < 2 ? 2 : state->traits->blocks_to_judge;
}

/* Times blocks; stops early if the first blocks_to_judge() blocks all exceed stop_above_ns. */
static enum status take_samples(struct measuring *state, struct timing *timing,
                                struct worker_samples *samples, struct error *error)
{
    struct block *block = &timing->block;
    double elapsed_ns = 0;
    bool found = block->runs > 0;
    /* The runs of a block follow from a run alone, which includes its start (threads wake, code is
     * fetched). The timed run is skipped if the verified run, less a fifth for its start, already
     * fills a block; but not on a device that needs several blocks to judge (a CPU), since that run
     * may have waited for its threads. */
    block->runs = found ? block->runs : 1;
    if (!found && !(state->traits->blocks_to_judge == 1 && timing->lone_ns > 0 &&
                    runs_of_block(state, block, 0.8 * timing->lone_ns) == 1)) {
        TRY(state->api->time_block(state->device, block, &elapsed_ns, error));
        block->runs = runs_of_block(state, block, elapsed_ns);
        timing->lone_ns = timing->lone_ns > 0 ? fmin(timing->lone_ns, elapsed_ns) : elapsed_ns;
        /* A run that fills a block and exceeds twice the limit is a sample. */
        if (timing->stop_above_ns > 0 && elapsed_ns > 2 * timing->stop_above_ns && block->runs == 1)
            add_sample(samples, elapsed_ns);
    }
    uint32_t above = samples->count;
    for (uint32_t i = above; i < timing->blocks; i++) {
        if (i > 0 && above == i && above >= blocks_to_judge(state, timing))
            break;
        TRY(state->api->time_block(state->device, block, &elapsed_ns, error));
        const uint32_t runs = found ? 0 : runs_of_block(state, block, elapsed_ns);
        if (runs > 2 * block->runs) { /* the block is too short */
            block->runs = runs;
            block->prepared = false;
            TRY(state->api->time_block(state->device, block, &elapsed_ns, error));
        }
        add_sample(samples, elapsed_ns);
        found = block->prepared = true;
        above += timing->stop_above_ns > 0 && elapsed_ns > timing->stop_above_ns ? 1 : 0;
    }
    return STATUS_OK;
}

/* Verifies, times, and verifies again, so that results of repeated launches are verified too.
 * Updates accumulate over runs, so the second check then needs a run on fresh data. */
static enum status try_plan(struct measuring *state, struct timing *timing, bool checked,
                            struct measure_answer *answer, enum judgement *judged,
                            struct error *error)
{
    const struct launch_plan *plan = timing->block.plan;
    const struct expectations *expected = checked ? &state->expected[0] : NULL;
    double first_ns = 0;
    *judged = JUDGED_RIGHT;
    TRY(bind_plan(state, plan, timing->block.mode, error));
    if (checked) {
        TRY(state->api->run(state->device, plan, RUN_FIRST, &first_ns, error));
        answer->samples.deviation = 0;
        state->deviation = &answer->samples.deviation;
        const enum status status =
            outputs_judge(state, expected, plan, true, "", answer, judged, error);
        state->deviation = NULL;
        TRY(status);
    }
    if (*judged != JUDGED_RIGHT || timing->blocks == 0)
        return STATUS_OK;
    timing->lone_ns = first_ns;
    TRY(take_samples(state, timing, &answer->samples, error));
    if (checked && !plan_has_updates(plan)) {
        TRY(judge_results(state, &timing->block, NULL, false, answer, judged, error));
        if (!(*judged == JUDGED_WRONG && wrong_on_changed(answer->wrong) && !state->varied_right))
            return STATUS_OK;
    }
    /* Until some result on varied inputs was right, the variants may be at fault: verify with the
     * problem's own inputs. */
    answer->wrong[0] = '\0';
    if (checked)
        TRY(state->api->run(state->device, plan, RUN_AGAIN, &first_ns, error));
    return outputs_judge(state, expected, plan, false, "", answer, judged, error);
}

enum status serve_trial(struct measuring *state, const struct measure_request *request,
                        struct measure_answer *answer, struct arena *arena, struct error *error)
{
    const struct worker_task *task = &request->task;
    (void)arena;
    if (task->verify)
        TRY(expectations_choose(state, task, error));
    const bool checked = task->verify && state->expected[0].count > 0;
    TRY(load_binary(state, task->binary_path, error));
    struct timing timing = {
        .block = {.plan = task->plan,
                  .mode = l2_state(task->l2_mode),
                  .issue = l2_issue(task->l2_mode),
                  .slot = TRIAL_SLOT,
                  .draw = state->draw},
        .blocks = task->blocks,
        .stop_above_ns = task->stop_above_ns,
    };
    answer->samples.runs = task->runs;
    if (task->runs > 0)
        timing.block.runs = runs_within(task->runs, most_runs(state, task->plan, task->l2_mode));
    if (state->slots[TRIAL_SLOT])
        state->slots[TRIAL_SLOT]->prepared = false;
    enum judgement judged = JUDGED_AGAIN;
    for (int tries = 0; judged == JUDGED_AGAIN && tries < 2; tries++) {
        struct timing attempt = timing;
        answer->samples.count = 0;
        TRY(try_plan(state, &attempt, checked, answer, &judged, error));
        answer->samples.runs = attempt.block.runs;
    }
    return STATUS_OK;
}

static void forget_slot(struct armed **slot)
{
    if (*slot)
        arena_free(&(*slot)->arena);
    free(*slot);
    *slot = NULL;
}

void slots_forget(struct measuring *state)
{
    for (size_t i = 0; i < DEVICE_SLOTS; i++)
        forget_slot(&state->slots[i]);
    if (state->device && state->api->drop_slots)
        state->api->drop_slots(state->device);
}

enum status serve_arm(struct measuring *state, const struct measure_request *request,
                      struct measure_answer *answer, struct arena *arena, struct error *error)
{
    (void)answer;
    forget_slot(&state->slots[request->slot]);
    struct armed *armed = calloc(1, sizeof *armed);
    TRY_MEMORY(armed);
    struct worker_task *task = &armed->task;
    *task = request->task;
    task->runs = runs_within(task->runs, most_runs(state, task->plan, task->l2_mode));
    if (task->results)
        armed->results = *task->results;
    armed->arena = *arena;
    *arena = (struct arena){0};
    state->slots[request->slot] = armed;
    return STATUS_OK;
}

/* Loads and binds an armed plan; returns the block to time. */
static enum status enter_slot(struct measuring *state, uint32_t slot, struct armed **out,
                              struct block *block, struct error *error)
{
    struct armed *armed = *out = state->slots[slot];
    if (!armed)
        return error_set(error, STATUS_INTERNAL, "slot %u holds no plan", slot);
    TRY(expectations_choose(state, &armed->task, error));
    TRY(load_binary(state, armed->task.binary_path, error));
    TRY(bind_plan(state, armed->task.plan, armed->task.l2_mode, error));
    *block = (struct block){.plan = armed->task.plan,
                            .runs = armed->task.runs,
                            .mode = l2_state(armed->task.l2_mode),
                            .issue = l2_issue(armed->task.l2_mode),
                            .slot = armed->task.keeps ? slot : SHARED_SLOT,
                            .draw = armed->task.keeps ? 0 : state->draw,
                            .prepared = armed->task.keeps && armed->prepared};
    return STATUS_OK;
}

enum status serve_visit(struct measuring *state, const struct measure_request *request,
                        struct measure_answer *answer, struct arena *arena, struct error *error)
{
    enum judgement judged = JUDGED_AGAIN;
    (void)arena;
    for (int tries = 0; judged == JUDGED_AGAIN && tries < 2; tries++) {
        answer->samples.count = 0;
        struct armed *armed = NULL;
        struct block block;
        double elapsed_ns = 0;
        uint32_t blocks = request->task.blocks;
        TRY(enter_slot(state, request->slot, &armed, &block, error));
        /* Inputs are verified after the first visits, then ever more rarely. */
        armed->visits++;
        const bool with_inputs = (armed->visits & (armed->visits - 1)) == 0;
        uint32_t judged_block = plan_has_updates(armed->task.plan) || blocks == 0 ? 0 : blocks - 1;
        judged = JUDGED_RIGHT;
        for (uint32_t i = 0; judged == JUDGED_RIGHT && i < blocks; i++) {
            armed->prepared = false;
            TRY(state->api->time_block(state->device, &block, &elapsed_ns, error));
            add_sample(&answer->samples, elapsed_ns);
            block.prepared = armed->prepared = true;
            if (i == judged_block) {
                /* Results are verified for the first visits, then for one in four, since that takes
                 * a sixth of a short kernel's visit on a GPU. */
                enum { FIRST_VISITS = 8, ONE_IN = 4 };
                const bool is_due = armed->visits <= FIRST_VISITS || armed->visits % ONE_IN == 0;
                armed->results.compared = 0;
                bool skips = results_are_costly(armed->task.plan, &armed->results) && !with_inputs;
                if (skips || !is_due)
                    TRY(outputs_judge(state, NULL, armed->task.plan, with_inputs, "", answer,
                                      &judged, error));
                else
                    TRY(judge_results(state, &block, &armed->results, with_inputs, answer, &judged,
                                      error));
                answer->samples.results = armed->results;
            }
        }
        answer->samples.runs = block.runs;
    }
    return STATUS_OK;
}

enum status serve_energy(struct measuring *state, const struct measure_request *request,
                         struct measure_answer *answer, struct arena *arena, struct error *error)
{
    enum judgement judged = JUDGED_RIGHT;
    struct armed *armed = NULL;
    struct block block;
    (void)arena;
    TRY(enter_slot(state, request->slot, &armed, &block, error));
    TRY(state->api->measure_energy(state->device, &block, request->window_ms, &answer->energy,
                                   error));
    return outputs_judge(state, NULL, armed->task.plan, false, "", answer, &judged, error);
}
