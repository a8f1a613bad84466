/* flush: the same configuration after a flush by reading, after one by writing, streaming and hot,
 * in turn. */
#include <math.h>
#include <stdlib.h>

#include "bench/protocol/bench.h"

#include "tuner/stats/estimate.h"

enum { ROUNDS = 60 };
/* Single runs as other harnesses time them; then blocks as in the protocol, where only the first
 * run of a block pays for the flush. */
enum flush_slot { CLEAN_ONE, DIRTY_ONE, STREAM, HOT, CLEAN_BLOCK, DIRTY_BLOCK, SLOTS };

struct flush_row {
    uint32_t runs[SLOTS];
    double us[SLOTS]; /* time of one run; NaN: not measured */
    size_t valid, rounds;
};

static enum status arm(struct bench *bench, const struct entry *entry, struct flush_row *row,
                       size_t *slots, struct error *error)
{
    static const enum l2_mode modes[SLOTS] = {L2_COLD, L2_DIRTY, L2_STREAM,
                                              L2_HOT,  L2_COLD,  L2_DIRTY};
    *slots = entry->runs > 1 ? SLOTS : CLEAN_BLOCK;
    row->runs[CLEAN_ONE] = row->runs[DIRTY_ONE] = 1;
    row->runs[CLEAN_BLOCK] = row->runs[DIRTY_BLOCK] = entry->runs;
    enum status status = entry_runs(bench, entry, L2_STREAM, &row->runs[STREAM], error);
    if (status == STATUS_OK)
        status = entry_runs(bench, entry, L2_HOT, &row->runs[HOT], error);
    for (uint32_t slot = 0; slot < *slots && status == STATUS_OK; slot++)
        status = entry_arm(bench, slot, entry, modes[slot], row->runs[slot], error);
    return status;
}

static void summarise(const struct rounds *rounds, struct flush_row *row)
{
    double levels[ESTIMATE_MAX];
    row->valid = rounds_valid(rounds);
    row->rounds = rounds->count;
    for (size_t slot = 0; slot < SLOTS; slot++) {
        row->us[slot] = (double)NAN;
        if (slot < rounds->slots)
            row->us[slot] = exp(median_of(levels, rounds_levels(rounds, slot, levels))) * 1e-3;
    }
}

static void write_line(struct bench *bench, int64_t n, const struct entry *entry,
                       const struct flush_row *row, enum flush_slot clean, enum flush_slot dirty)
{
    char size[24];
    size_text(n, size);
    fprintf(bench->out, "%s,%lld,\"%s\",%zu,%zu,%u,%.4f,%.4f,%.4f,%u,%.4f,%u,%.4f\n",
            bench->problem.key, (long long)n, entry->key, row->rounds, row->valid, row->runs[clean],
            row->us[clean], row->us[dirty], row->us[dirty] / row->us[clean], row->runs[STREAM],
            row->us[STREAM], row->runs[HOT], row->us[HOT]);
    printf("%-11s %5u  %9.2f  %9.2f   %5.3f   %9.2f  %9.2f   %3zu of %zu\n", size, row->runs[clean],
           row->us[clean], row->us[dirty], row->us[dirty] / row->us[clean], row->us[STREAM],
           row->us[HOT], row->valid, row->rounds);
}

static enum status measure_size(struct bench *bench, int64_t n, size_t count, struct error *error)
{
    struct problem problem;
    struct entry entry;
    struct rounds rounds = {0};
    struct flush_row row = {.rounds = count};
    size_t slots = 0;
    enum status status = bench_problem(bench, n, &problem, error);
    if (status == STATUS_OK)
        status = entry_default(bench, &problem, &entry, error);
    if (status == STATUS_OK)
        status = arm(bench, &entry, &row, &slots, error);
    if (status == STATUS_OK)
        status = rounds_run(bench, slots, count, &rounds, error);
    if (status == STATUS_OK) {
        summarise(&rounds, &row);
        write_line(bench, n, &entry, &row, CLEAN_ONE, DIRTY_ONE);
        if (slots == SLOTS)
            write_line(bench, n, &entry, &row, CLEAN_BLOCK, DIRTY_BLOCK);
    }
    rounds_free(&rounds);
    return status;
}

enum status bench_flush(struct bench *bench, struct error *error)
{
    static const int64_t usual[] = {1 << 20, 1 << 24, 100000000, 1 << 28};
    const struct options *options = bench->options;
    const int64_t *sizes = options->size_count ? options->sizes : usual;
    const size_t size_count = options->size_count ? options->size_count : 4;
    const size_t rounds = options->rounds ? (size_t)options->rounds : ROUNDS;
    enum status status = STATUS_OK;
    fprintf(bench->out, "problem,n,configuration,rounds,valid,runs,clean_us,dirty_us,ratio,"
                        "stream_runs,stream_us,hot_runs,hot_us\n");
    printf(
        "%s, us a run: cache flushed by reading (clean) or writing (dirty), inputs streaming by, "
        "hot\n"
        "n            runs      clean      dirty   ratio      stream        hot   valid rounds\n",
        bench->problem.key);
    for (size_t i = 0; i < size_count && status == STATUS_OK; i++)
        status = measure_size(bench, sizes[i], rounds, error);
    return status;
}
