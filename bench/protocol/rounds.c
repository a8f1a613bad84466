/* Slots timed in rounds, as the tuner does: in random order between two looks at the device. */
#include <math.h>
#include <stdlib.h>

#include "bench/protocol/bench.h"

#include "tuner/stats/estimate.h"

enum status slot_visit(struct bench *bench, uint32_t slot, uint32_t blocks,
                       struct worker_samples *samples, struct error *error)
{
    struct worker_outcome outcome = {.status = TRIAL_OK};
    enum status status =
        worker_visit(bench->worker, slot, blocks, TIME_LIMIT_MS, samples, &outcome, error);
    if (status == STATUS_OK && outcome.status != TRIAL_OK)
        return error_set(error, STATUS_LAUNCH_FAILED, "a configuration that worked before: %s",
                         outcome.detail);
    if (status == STATUS_OK && samples->count != blocks)
        return error_set(error, STATUS_INTERNAL, "%u of %u blocks were timed", samples->count,
                         blocks);
    return status;
}

static enum status look(struct bench *bench, double *anchor_ns, struct conditions *conditions,
                        struct error *error)
{
    struct worker_moment moment;
    enum status status = worker_moment(bench->worker, true, &moment, error);
    if (status != STATUS_OK)
        return status;
    *anchor_ns = moment.anchor_ns;
    *conditions = moment.conditions;
    return STATUS_OK;
}

static double median_level(const struct worker_samples *samples)
{
    double levels[WORKER_SAMPLES_MAX];
    for (uint32_t i = 0; i < samples->count; i++)
        levels[i] = log(samples->elapsed_ns[i]);
    return median_of(levels, samples->count);
}

enum status round_run(struct bench *bench, const uint32_t *slots, size_t count, double *levels,
                      double *blocks, struct round_record *record, struct error *error)
{
    const uint32_t visit = (uint32_t)bench->options->protocol.visit_blocks;
    size_t order[CANDIDATES_MAX + 1];
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    random_shuffle(&bench->random, order, count);
    enum status status = look(bench, &record->anchor_first_ns, &record->before, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const size_t at = order[i];
        struct worker_samples samples = {0};
        status = slot_visit(bench, slots[at], visit, &samples, error);
        if (status != STATUS_OK)
            break;
        levels[at] = median_level(&samples);
        for (uint32_t block = 0; blocks && block < visit; block++)
            blocks[at * visit + block] = samples.elapsed_ns[block];
    }
    if (status == STATUS_OK)
        status = look(bench, &record->anchor_last_ns, &record->after, error);
    return status;
}

static enum status rounds_make(struct rounds *rounds, struct error *error)
{
    rounds->records = calloc(rounds->count, sizeof *rounds->records);
    rounds->faults = calloc(rounds->count, sizeof *rounds->faults);
    rounds->levels = calloc(rounds->count * rounds->slots, sizeof *rounds->levels);
    rounds->blocks =
        calloc(rounds->count * rounds->slots * rounds->visit_blocks, sizeof *rounds->blocks);
    if (!rounds->records || !rounds->faults || !rounds->levels || !rounds->blocks)
        return error_no_memory(error);
    return STATUS_OK;
}

enum status rounds_run(struct bench *bench, size_t slots, size_t count, struct rounds *out,
                       struct error *error)
{
    uint32_t list[CANDIDATES_MAX + 1];
    for (size_t i = 0; i < slots; i++)
        list[i] = (uint32_t)i;
    *out = (struct rounds){.count = count,
                           .slots = slots,
                           .visit_blocks = (size_t)bench->options->protocol.visit_blocks};
    enum status status = rounds_make(out, error);
    struct worker_samples first;
    /* One-time costs of a slot are paid before the first round. */
    for (size_t i = 0; i < slots && status == STATUS_OK; i++)
        status = slot_visit(bench, list[i], 1, &first, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = round_run(bench, list, slots, out->levels + i * slots,
                           out->blocks + i * slots * out->visit_blocks, &out->records[i], error);
    if (status == STATUS_OK)
        rounds_judge(out->records, count, &bench->options->protocol, out->faults);
    return status;
}

void rounds_free(struct rounds *rounds)
{
    free(rounds->records);
    free(rounds->faults);
    free(rounds->levels);
    free(rounds->blocks);
    *rounds = (struct rounds){0};
}

size_t rounds_valid(const struct rounds *rounds)
{
    size_t valid = 0;
    for (size_t i = 0; i < rounds->count; i++)
        valid += rounds->faults[i] == ROUND_VALID;
    return valid;
}

size_t rounds_levels(const struct rounds *rounds, size_t slot, double *out)
{
    size_t count = 0;
    for (size_t i = 0; i < rounds->count; i++)
        if (rounds->faults[i] == ROUND_VALID)
            out[count++] = rounds->levels[i * rounds->slots + slot];
    return count;
}

size_t rounds_differences(const struct rounds *rounds, size_t a, size_t b, size_t first,
                          size_t most, double *out)
{
    size_t count = 0;
    for (size_t i = 0; i < rounds->count && count < most; i++) {
        const double *levels = rounds->levels + i * rounds->slots;
        if (rounds->faults[i] != ROUND_VALID)
            continue;
        if (first > 0)
            first--;
        else
            out[count++] = levels[a] - levels[b];
    }
    return count;
}
