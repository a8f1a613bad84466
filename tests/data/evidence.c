/* How the winners of the fixture were chosen: sums over i32 soundly; over f32 the middle size with
 * too much noise, the largest with too many rounds dropped. */
#include <math.h>
#include <string.h>

#include "fixture.h"
#include "tuner/store/evidence.h"

enum { RACE_ROUNDS = 32, CONFIRM_ROUNDS = 40, PROCESSES = 2 };
enum { SIZE_MIDDLE = 1 << 22, SIZE_LARGE = 1 << 26 };

static bool is_f32(const struct choice *choice)
{
    return strstr(choice->problem_key, "f32") != NULL;
}

/* Returns the fault of a round: for every problem one round of the race; for the unstable one each
 * third round. */
static const char *fault_of(const struct choice *choice, const char *stage, int round)
{
    if (is_f32(choice) && choice->n == SIZE_LARGE && round % 3 == 0)
        return "anchor_moved";
    return strcmp(stage, "race") == 0 && round == 7 ? "clock_moved" : NULL;
}

static int add_rounds(struct fixture *f, const struct choice *choice, const char *stage,
                      int process, int count)
{
    struct store_round rounds[CONFIRM_ROUNDS];
    int dropped = 0;
    for (int i = 0; i < count; i++) {
        struct conditions conditions = {.sm_clock_mhz = i % 2 ? 1980 : 1965,
                                        .memory_clock_mhz = 3201,
                                        .temperature_c = 40 + i / 8,
                                        .power_w = 300 + 5 * i,
                                        .energy_j = 1000 + i,
                                        .throttle = i == 9 ? THROTTLE_POWER_CAP : 0,
                                        .ecc_errors = 17,
                                        .other_processes = 0};
        rounds[i] = (struct store_round){
            .run_id = f->run_id,
            .problem_id = choice->problem_id,
            .stage = stage,
            .objective = "time",
            .process = process,
            .ordinal = i,
            .fault = fault_of(choice, stage, i),
            .anchor_first_ns = 100000,
            .anchor_last_ns = 100100,
            .twin_configuration_id = choice->winner->configuration_id,
            .first_ns = choice->winner->time_ns,
            .twin_ns = choice->winner->time_ns * 1.0005,
            .conditions = conditions,
            .at_ns = (int64_t)1000000 * (100 * process + i),
        };
        dropped += rounds[i].fault != NULL;
    }
    must(f, store_rounds(f->store, rounds, (size_t)count, &f->error));
    return dropped;
}

static int place_of(const struct choice *choice, size_t index)
{
    int place = 1;
    for (size_t i = 0; i < choice->count; i++)
        place += choice->finalists[i]->time_ns < choice->finalists[index]->time_ns;
    return place;
}

/* Fills in contenders: within 0.25 % of the winner as fast, within 1 % tied; the baselines may not
 * win. */
static size_t fill_contenders(const struct choice *choice,
                              struct store_contender out[FINALISTS + 2])
{
    size_t tied = 0;
    for (size_t i = 0; i < choice->count; i++) {
        const struct shape *shape = choice->finalists[i];
        double difference = shape->time_ns / choice->winner->time_ns - 1;
        out[i] =
            (struct store_contender){.configuration_id = shape->configuration_id,
                                     .trial_id = shape->trial_id,
                                     .place = place_of(choice, i),
                                     .difference = difference,
                                     .difference_low = difference - (difference > 0 ? 0.001 : 0),
                                     .difference_high = difference + (difference > 0 ? 0.001 : 0),
                                     .proven = difference <= 0.0015,
                                     .tied = difference <= 0.0035,
                                     .out = i >= FINALISTS ? "baseline" : NULL};
        tied += out[i].tied && !out[i].out;
    }
    return tied;
}

void put_choice(struct fixture *f, const struct choice *choice)
{
    struct store_contender contenders[FINALISTS + 2];
    bool noisy = is_f32(choice) && choice->n == SIZE_MIDDLE;
    bool unstable = is_f32(choice) && choice->n == SIZE_LARGE;
    size_t tied = fill_contenders(choice, contenders);
    int dropped = add_rounds(f, choice, "race", 0, RACE_ROUNDS);
    for (int process = 1; process <= PROCESSES; process++)
        dropped += add_rounds(f, choice, "confirm", process, CONFIRM_ROUNDS);
    const struct store_winner winner = {
        .environment_id = f->environment_id,
        .problem_id = choice->problem_id,
        .l2_mode = L2_COLD,
        .objective = "time",
        .trial_id = choice->winner->trial_id,
        .run_id = f->run_id,
        .stage = "confirm",
        .candidate_count = (int64_t)f->shape_count,
        .space_count = (int64_t)f->shape_count,
        .value = choice->winner->time_ns,
        .time_low_ns = choice->winner->time_ns * 0.999,
        .time_high_ns = choice->winner->time_ns * 1.001,
        .delta = noisy ? 0.004 : 0.0025,
        .floor = noisy ? 0.004 : 0.0006,
        .claim = 0.002,
        .confidence = 0.99,
        .processes = PROCESSES,
        .rounds = RACE_ROUNDS + PROCESSES * CONFIRM_ROUNDS,
        .rounds_dropped = dropped,
        .tied_count = (int32_t)tied,
        .trust = unstable ? "unstable"
                 : noisy  ? "noisy"
                          : "sound",
        .trust_reason = unstable ? "40 of 112 rounds dropped (anchor_moved), more than 20 %"
                        : noisy  ? "A/A floor 0.4 % (over the tie band of 0.25 %)"
                                 : "1 of 112 rounds dropped (clock_moved), A/A floor 0.06 %",
        .points = (int64_t)f->shape_count,
        .chance_of_better = (double)NAN,
        .most_better = (double)NAN,
        .coverage = "whole",
        .contenders = contenders,
        .contender_count = choice->count,
    };
    must(f, store_winner_put(f->store, &winner, &f->error));
}

void put_ranges(struct fixture *f, const char *problem_key, const int64_t sizes[3],
                const int64_t configuration_ids[3])
{
    const struct store_range_check low[] = {
        {.n = sizes[0], .measured = true, .best_configuration_id = configuration_ids[0]},
    };
    const struct store_range_check high[] = {
        {.n = sizes[1],
         .measured = true,
         .loss = 0.012,
         .loss_low = 0.011,
         .loss_high = 0.013,
         .best_configuration_id = configuration_ids[1]},
        {.n = 4 * sizes[1],
         .loss = 0.017,
         .loss_low = 0.016,
         .loss_high = 0.018,
         .best_configuration_id = configuration_ids[1]},
        {.n = sizes[2], .measured = true, .best_configuration_id = configuration_ids[2]},
    };
    const struct store_range ranges[] = {
        {.n_low = sizes[0],
         .n_high = sizes[1] - 1,
         .configuration_id = configuration_ids[0],
         .bound = 0,
         .checks = low,
         .check_count = 1},
        {.n_low = sizes[1],
         .n_high = sizes[2],
         .configuration_id = configuration_ids[2],
         .bound = 0.018,
         .checks = high,
         .check_count = 3},
    };
    const struct store_ranges put = {.environment_id = f->environment_id,
                                     .experiment_id = f->experiment_id,
                                     .problem_key = problem_key,
                                     .l2_mode = L2_COLD,
                                     .objective = "time",
                                     .run_id = f->run_id,
                                     .within = 0.02,
                                     .ranges = ranges,
                                     .count = 2};
    must(f, store_ranges_put(f->store, &put, &f->error));
}
