/* The compared ways of choosing. Each has slots of its own, armed as it measures. */
#include <math.h>
#include <stdlib.h>

#include "bench/protocol/agree.h"

#include "tuner/base/clock.h"
#include "tuner/stats/choose.h"
#include "tuner/stats/race.h"

enum { MEAN_SAMPLES = 7 };

/* Slots of candidate i: i for mean of 7, count + i for nvbench, 2 count + i for the race. */
static enum status arm_all(struct bench *bench, const struct candidates *field, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < field->count && status == STATUS_OK; i++) {
        const struct entry *entry = &field->entries[i];
        const uint32_t slot = (uint32_t)i, count = (uint32_t)field->count;
        status = entry_arm(bench, slot, entry, L2_COLD, 1, error);
        if (status == STATUS_OK)
            status = entry_arm(bench, count + slot, entry, L2_DIRTY, 1, error);
        if (status == STATUS_OK)
            status = entry_arm(bench, 2 * count + slot, entry, L2_COLD, entry->runs, error);
    }
    return status;
}

static double seconds_since(int64_t start_ns)
{
    return (double)(clock_now_ns() - start_ns) * 1e-9;
}

static void take_smallest(const double *values, size_t count, struct verdict_of_way *out)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] < values[out->winner])
            out->winner = i;
    out->tied[out->winner] = true;
}

/* Times one candidate after the other: a run to warm up, then the mean of seven in a row. */
static enum status mean_of_seven(struct bench *bench, const struct candidates *field,
                                 struct verdict_of_way *out, struct error *error)
{
    double means[CANDIDATES_MAX];
    enum status status = STATUS_OK;
    for (size_t i = 0; i < field->count && status == STATUS_OK; i++) {
        struct worker_samples samples = {0};
        status = slot_visit(bench, (uint32_t)i, 1, &samples, error);
        if (status == STATUS_OK)
            status = slot_visit(bench, (uint32_t)i, MEAN_SAMPLES, &samples, error);
        means[i] = 0;
        for (uint32_t j = 0; j < samples.count; j++)
            means[i] += samples.elapsed_ns[j] / samples.count;
        out->measured += samples.count;
    }
    if (status == STATUS_OK)
        take_smallest(means, field->count, out);
    return status;
}

/* Times as nvbench does: isolated runs after a flush by writing, until its criterion or its time
 * limit. */
static enum status stdrel_mean(struct bench *bench, uint32_t slot, struct stdrel *stdrel,
                               bool *timed_out, struct error *error)
{
    const struct options *options = bench->options;
    const int64_t start_ns = clock_now_ns();
    struct worker_samples samples = {0};
    enum status status = slot_visit(bench, slot, 1, &samples, error); /* the one warm-up run */
    *stdrel = (struct stdrel){0};
    while (status == STATUS_OK) {
        status = slot_visit(bench, slot, WORKER_SAMPLES_MAX, &samples, error);
        for (uint32_t i = 0; i < samples.count && status == STATUS_OK; i++) {
            stdrel_add(stdrel, samples.elapsed_ns[i]);
            if (stdrel_finished(stdrel, options->min_time_s))
                return STATUS_OK;
        }
        *timed_out = seconds_since(start_ns) > options->timeout_s;
        if (*timed_out)
            break;
    }
    return status;
}

static enum status nvbench_defaults(struct bench *bench, const struct candidates *field,
                                    struct verdict_of_way *out, struct error *error)
{
    double means[CANDIDATES_MAX];
    enum status status = STATUS_OK;
    for (size_t i = 0; i < field->count && status == STATUS_OK; i++) {
        struct stdrel stdrel;
        bool timed_out = false;
        status = stdrel_mean(bench, (uint32_t)(field->count + i), &stdrel, &timed_out, error);
        means[i] = stdrel.mean_ns;
        out->measured += stdrel.samples;
        out->timed_out = out->timed_out || timed_out;
    }
    if (status == STATUS_OK)
        take_smallest(means, field->count, out);
    return status;
}

/* ---- the race ---- */

struct course {
    struct race *race;
    struct round_record records[ESTIMATE_MAX];
    enum round_fault faults[ESTIMATE_MAX];
    size_t rounds;
};

/* Times all remaining candidates, and the leader once more as its twin. */
static enum status race_round(struct bench *bench, const struct candidates *field,
                              struct course *course, struct error *error)
{
    uint32_t slots[CANDIDATES_MAX + 1];
    size_t who[CANDIDATES_MAX];
    double levels[CANDIDATES_MAX + 1];
    double y[CANDIDATES_MAX];
    size_t count = 0;
    size_t round = 0;
    for (size_t i = 0; i < field->count; i++) {
        y[i] = (double)NAN;
        if (race_fate(course->race, i) != RACE_ALIVE)
            continue;
        who[count] = i;
        slots[count++] = (uint32_t)(2 * field->count + i);
    }
    size_t twin = race_leader(course->race);
    if (twin >= field->count)
        twin = who[0];
    slots[count] = (uint32_t)(2 * field->count + twin);
    enum status status =
        round_run(bench, slots, count + 1, levels, NULL, &course->records[course->rounds], error);
    for (size_t i = 0; i < count; i++)
        y[who[i]] = levels[i];
    if (status == STATUS_OK)
        status = race_add_round(course->race, y, twin, levels[count], &round, error);
    course->rounds++;
    return status;
}

static enum status run_race(struct bench *bench, const struct candidates *field,
                            struct course *course, struct error *error)
{
    struct worker_samples first;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < field->count && status == STATUS_OK; i++)
        status = slot_visit(bench, (uint32_t)(2 * field->count + i), 1, &first, error);
    while (status == STATUS_OK && !race_over(course->race) && course->rounds < ESTIMATE_MAX) {
        status = race_round(bench, field, course, error);
        rounds_judge(course->records, course->rounds, &bench->options->protocol, course->faults);
        for (size_t i = 0; i < course->rounds; i++)
            race_set_valid(course->race, i, course->faults[i] == ROUND_VALID);
        (void)race_judge(course->race, course->rounds == ESTIMATE_MAX);
    }
    return status;
}

/* Chooses the smallest; and, from the same timings, the first in the fixed order of those within
 * delta. */
static void decide(const struct bench *bench, const struct candidates *field,
                   const struct race *race, struct verdict_of_way *smallest,
                   struct verdict_of_way *ties)
{
    struct contender contenders[CANDIDATES_MAX];
    double levels[CANDIDATES_MAX];
    struct choice choice;
    const size_t leader = race_leader(race);
    for (size_t i = 0; i < field->count; i++) {
        const bool alive = race_fate(race, i) == RACE_ALIVE;
        levels[i] = alive ? log1p(race_difference(race, i).estimate) : (double)NAN;
        if (i == leader)
            levels[i] = 0;
        contenders[i] =
            (struct contender){.levels = &levels[i], .order = field->order[i], .eligible = alive};
    }
    choose(contenders, field->count, 1, race_delta(race), bench->options->protocol.confidence,
           field->count, &choice);
    smallest->winner = leader;
    smallest->tied[leader] = true;
    ties->winner = choice.winner;
    for (size_t i = 0; i < field->count; i++)
        ties->tied[i] = contenders[i].eligible && contenders[i].tied;
}

static enum status race_both(struct bench *bench, const struct candidates *field,
                             struct verdict_of_way *smallest, struct verdict_of_way *ties,
                             struct error *error)
{
    struct course *course = calloc(1, sizeof *course);
    enum status status =
        course ? race_create(&bench->options->protocol, field->count, &course->race, error)
               : error_no_memory(error);
    if (status == STATUS_OK)
        status = run_race(bench, field, course, error);
    if (status == STATUS_OK && race_leader(course->race) >= field->count)
        status =
            error_set(error, STATUS_NO_WINNER,
                      "n = %lld: no valid round; the device is not at rest", (long long)field->n);
    if (status == STATUS_OK) {
        decide(bench, field, course->race, smallest, ties);
        smallest->measured = ties->measured = course->rounds;
    }
    if (course)
        race_free(course->race);
    free(course);
    return status;
}

/* Times all candidates in rounds that no way sees: the reference for the losses. */
static enum status add_reference(struct bench *bench, struct candidates *field, size_t repeat,
                                 struct error *error)
{
    double differences[ESTIMATE_MAX];
    struct rounds rounds = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < field->count && status == STATUS_OK; i++)
        status = entry_arm(bench, (uint32_t)i, &field->entries[i], L2_COLD, field->entries[i].runs,
                           error);
    if (status == STATUS_OK)
        status = rounds_run(bench, field->count, (size_t)bench->options->reference_rounds, &rounds,
                            error);
    for (size_t i = 0; i < field->count && status == STATUS_OK; i++) {
        size_t count = rounds_differences(&rounds, i, 0, 0, ESTIMATE_MAX, differences);
        field->levels[repeat][i] = hodges_lehmann(differences, count, INFINITY).estimate;
    }
    rounds_free(&rounds);
    return status;
}

enum status field_choose(struct bench *bench, struct candidates *field, size_t repeat,
                         struct error *error)
{
    struct verdict_of_way *verdicts = field->verdicts[repeat];
    enum status status = arm_all(bench, field, error);
    int64_t start_ns = clock_now_ns();
    if (status == STATUS_OK)
        status = mean_of_seven(bench, field, &verdicts[WAY_MEAN7], error);
    verdicts[WAY_MEAN7].seconds = seconds_since(start_ns);
    start_ns = clock_now_ns();
    if (status == STATUS_OK)
        status = nvbench_defaults(bench, field, &verdicts[WAY_STDREL], error);
    verdicts[WAY_STDREL].seconds = seconds_since(start_ns);
    start_ns = clock_now_ns();
    if (status == STATUS_OK)
        status = race_both(bench, field, &verdicts[WAY_RACE], &verdicts[WAY_TIES], error);
    verdicts[WAY_RACE].seconds = verdicts[WAY_TIES].seconds = seconds_since(start_ns);
    if (status == STATUS_OK && bench->options->reference_rounds > 0)
        status = add_reference(bench, field, repeat, error);
    return status;
}
