/* Fills a database with an invented experiment on an invented device ("Fixture GPU"), for tests of
 * readers of databases. Every time in it comes from a formula: none was measured. make_fixture FILE
 */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/random.h"
#include "tuner/stats/protocol.h"
#include "tuner/store/evidence.h"
#include "tuner/store/measured.h"

void must(struct fixture *f, enum status status)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "make_fixture: %s\n", f->error.text);
    exit(1);
}

static void add_environment(struct fixture *f)
{
    struct facts facts = {0};
    facts_add_text(&facts, "kind", "cuda");
    facts_add_text(&facts, "name", "Fixture GPU");
    facts_add_text(&facts, "uuid", "GPU-fixture-0");
    facts_add_text(&facts, "driver", "999.0");
    facts_add_text(&facts, "compiler", "NVRTC 99.9");
    facts_add_text(&facts, "architecture", "sm_90");
    facts_add_text(&facts, "compute_capability", "9.0");
    facts_add_integer(&facts, "memory_bytes", 1LL << 36);
    facts_add_integer(&facts, "sm_count", SM_COUNT);
    const struct store_environment environment = {
        .facts = &facts, .tool_version = "0.0.0", .host = "fixture"};
    must(f, store_environment(f->store, &environment, &f->environment_id, &f->error));
    facts_free(&facts);
    const struct store_ceilings ceilings = {.buffer_bytes = 1LL << 30,
                                            .host_to_device_gbs = 50,
                                            .device_to_host_gbs = 48,
                                            .copy_gbs = 900,
                                            .read_gbs = 1000,
                                            .write_gbs = 950};
    must(f, store_ceilings_put(f->store, f->environment_id, &ceilings, &f->error));
}

static void add_experiment(struct fixture *f)
{
    const struct store_experiment experiment = {.name = "fixture",
                                                .device_kind = "cuda",
                                                .content_hash = "f1c7f1c7f1c7f1c7",
                                                .path = "configs/fixture.yaml",
                                                .text = "experiment: fixture\n"};
    must(f, store_experiment(f->store, &experiment, &f->experiment_id, &f->error));
    struct protocol protocol;
    struct text numbers = {0};
    protocol_defaults(EFFORT_NORMAL, false, &protocol);
    must(f, protocol_set(&protocol, "confirm_processes=2", &f->error));
    protocol_format(&protocol, &numbers);
    const struct store_run_start run = {.environment_id = f->environment_id,
                                        .seed = 1,
                                        .l2_mode = L2_COLD,
                                        .tick_ns = 32,
                                        .empty_pair_ns = 1200,
                                        .node_gap_ns = 500,
                                        .effort = "normal",
                                        .objective = "time",
                                        .protocol = text_string(&numbers),
                                        .worker_cpus = "3",
                                        .near = "NUMA node 1"};
    must(f, store_run_start(f->store, &run, &f->run_id, &f->error));
    text_free(&numbers);
}

static void add_shape(struct fixture *f, struct shape shape)
{
    char key[256];
    (void)snprintf(key, sizeof key,
                   "variant=%s block=%lld blocks_per_sm=%lld vector=%lld loads=%lld", shape.variant,
                   (long long)shape.block, (long long)shape.blocks_per_sm, (long long)shape.vector,
                   (long long)shape.loads);
    const struct named_value parameters[] = {
        {"variant", value_text(shape.variant)},
        {"block", value_integer(shape.block)},
        {"blocks_per_sm", value_integer(shape.blocks_per_sm)},
        {"vector", value_integer(shape.vector)},
        {"loads", value_integer(shape.loads)},
    };
    must(f, store_configuration(f->store, f->experiment_id, key, parameters, 5,
                                &shape.configuration_id, &f->error));
    f->shapes[f->shape_count++] = shape;
}

static void add_shapes(struct fixture *f)
{
    static const char *const variants[] = {"two_launches", "last_block"};
    for (int variant = 0; variant < 2; variant++)
        for (int64_t block = 64; block <= 1024; block *= 2)
            for (int64_t blocks = 1; blocks <= 32; blocks *= 2)
                for (int64_t vector = 1; vector <= 4; vector *= 4)
                    for (int64_t loads = 1; loads <= 4; loads *= 4)
                        add_shape(f, (struct shape){.variant = variants[variant],
                                                    .block = block,
                                                    .blocks_per_sm = blocks,
                                                    .vector = vector,
                                                    .loads = loads});
}

static bool is_two(const struct shape *shape)
{
    return shape->variant[0] == 't';
}

static struct kernel_resources resources_of(const struct shape *shape)
{
    int64_t registers = 16 + 2 * shape->vector * shape->loads;
    int64_t active = 2048 / shape->block;
    active = active > 32 ? 32 : active;
    if (active > 65536 / (registers * shape->block))
        active = 65536 / (registers * shape->block);
    return (struct kernel_resources){
        .registers = (int32_t)registers,
        .static_shared_bytes = (int32_t)(shape->block * 4),
        .spill_bytes = 0,
        .max_threads_per_block = 1024,
        .active_blocks_per_sm = (int32_t)active,
        .occupancy = (double)(active * shape->block) / 2048,
    };
}

/* Returns the time of a launch: its own cost, and the bytes over a bandwidth that approaches 950
 * GB/s with more bytes in flight. */
static double model_ns(const struct shape *shape, double bytes)
{
    double resident =
        fmin((double)shape->blocks_per_sm, (double)resources_of(shape).active_blocks_per_sm);
    double sms = fmin(1.0, (double)shape->grid / SM_COUNT);
    double in_flight =
        resident * sms * (double)(shape->block * 4 * shape->vector * shape->loads) / 32768;
    double gbs = 950 * in_flight / (in_flight + 0.4) + 1;
    return 2500 + (is_two(shape) ? 1800 : 0) + bytes / gbs;
}

static enum trial_status status_of(const struct shape *shape, const char **detail)
{
    if (shape->block == 1024 && shape->vector * shape->loads == 16 && shape->blocks_per_sm == 32) {
        *detail = "cuLaunchKernel: too many resources requested for launch (701)";
        return TRIAL_LAUNCH_FAILED;
    }
    if (is_two(shape) && shape->block == 64 && shape->blocks_per_sm == 32 && shape->vector == 4) {
        *detail = "got 41, expected 42, tolerance 0";
        return TRIAL_WRONG_RESULT;
    }
    return TRIAL_OK;
}

static void put_trial(struct fixture *f, int64_t problem_id, struct shape *shape, const char *stage,
                      enum trial_status status, const char *detail)
{
    struct launch_plan plan = {.launch_count = is_two(shape) ? 2 : 1};
    plan.launches[0] =
        (struct launch){.kernel = is_two(shape) ? "reduce_two_launches" : "reduce_last_block",
                        .grid = {(uint32_t)shape->grid, 1, 1},
                        .block = {(uint32_t)shape->block, 1, 1}};
    plan.launches[1] = (struct launch){
        .kernel = "reduce_one_block", .grid = {1, 1, 1}, .block = {(uint32_t)shape->block, 1, 1}};
    const struct kernel_resources resources[2] = {resources_of(shape), resources_of(shape)};
    const struct named_value derived[] = {{"grid", value_integer(shape->grid)}};
    bool timed = status == TRIAL_OK && shape->same_as == 0;
    struct store_sample samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = (struct store_sample){
            .round = i,
            .runs = 8,
            .elapsed_ns = shape->time_ns * (1 + 0.001 * (i - 2.5)),
            .energy_j = (double)NAN,
        };
    double time_ns = timed ? shape->time_ns : (double)NAN;
    const struct store_trial trial = {
        .run_id = f->run_id,
        .environment_id = f->environment_id,
        .problem_id = problem_id,
        .configuration_id = shape->configuration_id,
        .stage = stage,
        .objective = "time",
        .l2_mode = L2_COLD,
        .status = status,
        .detail = detail,
        .same_as_trial_id = shape->same_as,
        .binary_hash = "f1c7",
        .derived = derived,
        .derived_count = 1,
        .plan = &plan,
        .resources = resources,
        .samples = samples,
        .sample_count = timed ? SAMPLES : 0,
        .median_ns = time_ns,
        .deviation = (double)NAN,
        .mad_ns = time_ns * 0.0015,
        .min_ns = time_ns * 0.9975,
        .max_ns = time_ns * 1.0025,
        .energy_j = (double)NAN,
        .value = strcmp(stage, "sweep") == 0 ? (double)NAN : time_ns,
        .duration_ns = 3000000,
    };
    must(f, store_trial(f->store, &trial, &shape->trial_id, &f->error));
}

static int64_t twin_of(const struct fixture *f, size_t index)
{
    const struct shape *shape = &f->shapes[index];
    for (size_t i = 0; i < index; i++) {
        const struct shape *other = &f->shapes[i];
        if (other->variant == shape->variant && other->block == shape->block &&
            other->vector == shape->vector && other->loads == shape->loads &&
            other->grid == shape->grid && !isnan(other->time_ns))
            return other->same_as ? other->same_as : other->trial_id;
    }
    return 0;
}

static void sweep(struct fixture *f, int64_t problem_id, int64_t n)
{
    for (size_t i = 0; i < f->shape_count; i++) {
        struct shape *shape = &f->shapes[i];
        const char *detail = NULL;
        int64_t tile = shape->block * shape->vector * shape->loads;
        int64_t most = SM_COUNT * shape->blocks_per_sm;
        int64_t tiles = (n + tile - 1) / tile;
        shape->grid = tiles < most ? tiles : most;
        shape->same_as = 0;
        enum trial_status status = status_of(shape, &detail);
        double noise = 1 + 0.004 * ((double)(random_at((uint64_t)problem_id, i) % 1000) / 1000);
        shape->time_ns =
            status == TRIAL_OK ? model_ns(shape, 4.0 * (double)n) * noise : (double)NAN;
        if (status == TRIAL_OK)
            shape->same_as = twin_of(f, i);
        if (shape->same_as != 0) {
            status = TRIAL_SKIPPED;
            detail = "launches exactly what another configuration launches";
        }
        put_trial(f, problem_id, shape, "sweep", status, detail);
    }
}

static struct shape *fastest_not_final(struct fixture *f, const bool *final)
{
    struct shape *best = NULL;
    for (size_t i = 0; i < f->shape_count; i++) {
        struct shape *shape = &f->shapes[i];
        if (!final[i] && shape->same_as == 0 && !isnan(shape->time_ns) &&
            (!best || shape->time_ns < best->time_ns))
            best = shape;
    }
    return best;
}

/* Stores a finalist: raced, and confirmed with the same times. */
static void put_final(struct fixture *f, struct choice *choice, struct shape *shape)
{
    put_trial(f, choice->problem_id, shape, "race", TRIAL_OK, NULL);
    put_trial(f, choice->problem_id, shape, "confirm", TRIAL_OK, NULL);
    choice->finalists[choice->count++] = shape;
}

/* Races a problem; returns the winner's configuration. */
static int64_t race(struct fixture *f, const char *key, int64_t problem_id, int64_t n)
{
    static const struct {
        const char *name, *about;
        size_t shape; /* two_launches 1024 x 2, vector 1, loads 1; last_block 1024 x 2, 1, 4 */
    } baselines[] = {{"textbook", "1024 threads on 2 blocks per SM", 100},
                     {"occupancy_api", "as the Occupancy API suggests", 221}};
    bool final[CONFIGURATIONS_MAX] = {false};
    struct choice choice = {.problem_key = key, .problem_id = problem_id, .n = n};
    const struct shape *winner = NULL;
    must(f, store_batch_begin(f->store, &f->error));
    for (int i = 0; i < FINALISTS; i++) {
        struct shape *shape = fastest_not_final(f, final);
        final[shape - f->shapes] = true;
        /* The race turns the first two about: the winner is not the fastest of the sweep. */
        shape->time_ns *= i == 0 ? 1.02 : 1.01;
        put_final(f, &choice, shape);
        winner = !winner || shape->time_ns < winner->time_ns ? shape : winner;
    }
    for (size_t i = 0; i < 2; i++) {
        struct shape *shape = &f->shapes[baselines[i].shape];
        must(f, store_baseline(f->store, f->environment_id, problem_id, baselines[i].name,
                               baselines[i].about, shape->configuration_id, &f->error));
        for (size_t k = 0; k < f->shape_count && shape->same_as != 0; k++)
            if (f->shapes[k].trial_id == shape->same_as)
                shape = &f->shapes[k]; /* the twin that was measured */
        if (final[shape - f->shapes])
            continue;
        final[shape - f->shapes] = true;
        shape->time_ns *= 1.01;
        put_final(f, &choice, shape);
    }
    choice.winner = winner;
    put_choice(f, &choice);
    must(f, store_batch_end(f->store, STATUS_OK, &f->error));
    return winner->configuration_id;
}

static void add_problems(struct fixture *f)
{
    static const char *const types[] = {"i32", "f32"};
    static const int64_t sizes[] = {1 << 16, 1 << 22, 1 << 26};
    for (int type = 0; type < 2; type++) {
        char key[64];
        int64_t configuration_ids[3];
        (void)snprintf(key, sizeof key, "fixture.sum.%s", types[type]);
        for (int size = 0; size < 3; size++) {
            int64_t problem_id = 0;
            const struct named_value axes[] = {{"op", value_text("sum")},
                                               {"type", value_text(types[type])}};
            const struct store_problem problem = {.experiment_id = f->experiment_id,
                                                  .key = key,
                                                  .axes = axes,
                                                  .axis_count = 2,
                                                  .n = sizes[size],
                                                  .bytes_moved = 4.0 * (double)sizes[size]};
            must(f, store_problem(f->store, &problem, &problem_id, &f->error));
            sweep(f, problem_id, sizes[size]);
            configuration_ids[size] = race(f, key, problem_id, sizes[size]);
        }
        put_ranges(f, key, sizes, configuration_ids);
    }
}

int main(int argc, char **argv)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    if (argc != 2) {
        fprintf(stderr, "usage: make_fixture FILE\n");
        return 2;
    }
    must(f, store_open(argv[1], STORE_CREATE, &f->store, &f->error));
    add_environment(f);
    add_experiment(f);
    add_shapes(f);
    add_problems(f);
    const struct store_run_end end = {.outcome = "complete",
                                      .wall_ns = 10000000000,
                                      .measuring_ns = 7000000000,
                                      .compile_wait_ns = 2000000000,
                                      .binaries_compiled = 40,
                                      .binaries_cached = 20};
    must(f, store_run_end(f->store, f->run_id, &end, &f->error));
    store_close(f->store);
    return 0;
}
