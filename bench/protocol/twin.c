/* twin: one configuration in sixteen slots. Any difference found is the harness's own. */
#include <math.h>
#include <stdlib.h>

#include "bench/protocol/bench.h"

#include "tuner/stats/estimate.h"

enum { TWINS = 16, PAIRS = TWINS / 2, WINDOW = 40, ROUNDS = 200 };
static const double alpha = 0.01;

struct tests {
    size_t count, rejected;
};

struct twin_row {
    double block_mad; /* share of the median */
    struct twin_floor floor;
    struct tests windows, whole, all_pairs;
};

static void test(struct tests *tests, const double *differences, size_t count)
{
    tests->count++;
    const struct interval shift =
        hodges_lehmann(differences, count, normal_quantile(1 - alpha / 2));
    tests->rejected += shift.low > 0 || shift.high < 0;
}

static void add_tests(struct tests *to, struct tests more)
{
    to->count += more.count;
    to->rejected += more.rejected;
}

/* Returns the MAD of all blocks of a slot in valid rounds; the middle one of the slots. */
static double block_mad(const struct rounds *rounds)
{
    const size_t visit = rounds->visit_blocks;
    double shares[TWINS];
    double *blocks = calloc(rounds->count * visit, sizeof *blocks);
    if (!blocks)
        return (double)NAN;
    for (size_t slot = 0; slot < TWINS; slot++) {
        size_t count = 0;
        for (size_t i = 0; i < rounds->count; i++)
            for (size_t j = 0; j < visit && rounds->faults[i] == ROUND_VALID; j++)
                blocks[count++] = rounds->blocks[(i * TWINS + slot) * visit + j];
        shares[slot] = mad_of(blocks, count) / median_of(blocks, count);
    }
    free(blocks);
    return median_of(shares, TWINS);
}

static void judge(const struct rounds *rounds, double bias, struct twin_row *out)
{
    double differences[ESTIMATE_MAX];
    const size_t valid = rounds_valid(rounds);
    *out = (struct twin_row){.block_mad = block_mad(rounds)};
    size_t count = rounds_differences(rounds, 0, 1, 0, valid, differences);
    out->floor = twin_floor(differences, count, bias);
    for (size_t a = 0; a < TWINS; a++)
        for (size_t b = a + 1; b < TWINS; b++) {
            count = rounds_differences(rounds, a, b, 0, valid, differences);
            test(&out->all_pairs, differences, count);
            if (a % 2 != 0 || b != a + 1)
                continue;
            test(&out->whole, differences, count);
            for (size_t first = 0; first + WINDOW <= valid; first += WINDOW) {
                count = rounds_differences(rounds, a, b, first, WINDOW, differences);
                test(&out->windows, differences, count);
            }
        }
}

static void write_raw(FILE *file, int64_t n, const struct rounds *rounds)
{
    const size_t visit = rounds->visit_blocks;
    if (!file)
        return;
    for (size_t i = 0; i < rounds->count; i++)
        for (size_t slot = 0; slot < rounds->slots; slot++)
            for (size_t j = 0; j < visit; j++)
                fprintf(file, "%lld,%zu,%s,%zu,%zu,%.3f\n", (long long)n, i,
                        round_fault_name(rounds->faults[i]), slot, j,
                        rounds->blocks[(i * rounds->slots + slot) * visit + j]);
}

static void write_tests(FILE *out, const struct twin_row *row)
{
    fprintf(out, "%zu,%zu,%zu,%zu,%zu,%zu\n", row->windows.count, row->windows.rejected,
            row->whole.count, row->whole.rejected, row->all_pairs.count, row->all_pairs.rejected);
}

static void print_share(struct tests tests, int width)
{
    printf("  %3zu of %-*zu", tests.rejected, width, tests.count);
    if (tests.count > 0)
        printf(" %5.1f %%", 100.0 * (double)tests.rejected / (double)tests.count);
    else
        printf("       -");
}

static void print_tests(const struct twin_row *row)
{
    print_share(row->windows, 4);
    print_share(row->whole, 4);
    print_share(row->all_pairs, 5);
    printf("\n");
}

static void write_row(struct bench *bench, int64_t n, const struct entry *entry,
                      const struct rounds *rounds, const struct twin_row *row)
{
    const struct twin_floor *floor = &row->floor;
    const struct interval *difference = &floor->difference;
    char size[24];
    size_text(n, size);
    fprintf(bench->out, "%s,%lld,\"%s\",%u,%zu,%zu,%.4f,%.4f,%.4f,%.4f,%.4f,%d,",
            bench->problem.key, (long long)n, entry->key, entry->runs, rounds->count,
            rounds_valid(rounds), 100 * row->block_mad, 100 * floor->floor,
            100 * difference->estimate, 100 * difference->low, 100 * difference->high,
            floor->biased);
    write_tests(bench->out, row);
    printf("%-11s %5u  %3zu of %-3zu  %7.3f  %6.3f  %+7.3f", size, entry->runs,
           rounds_valid(rounds), rounds->count, 100 * row->block_mad, 100 * floor->floor,
           100 * difference->estimate);
    print_tests(row);
}

static enum status measure_size(struct bench *bench, int64_t n, size_t count,
                                struct twin_row *total, struct error *error)
{
    struct problem problem;
    struct entry entry;
    struct rounds rounds = {0};
    enum status status = bench_problem(bench, n, &problem, error);
    if (status == STATUS_OK)
        status = entry_default(bench, &problem, &entry, error);
    for (uint32_t slot = 0; slot < TWINS && status == STATUS_OK; slot++)
        status = entry_arm(bench, slot, &entry, L2_COLD, entry.runs, error);
    if (status == STATUS_OK)
        status = rounds_run(bench, TWINS, count, &rounds, error);
    if (status == STATUS_OK) {
        struct twin_row row;
        judge(&rounds, bench->options->protocol.twin_bias, &row);
        write_row(bench, n, &entry, &rounds, &row);
        write_raw(bench->raw, n, &rounds);
        add_tests(&total->windows, row.windows);
        add_tests(&total->whole, row.whole);
        add_tests(&total->all_pairs, row.all_pairs);
    }
    rounds_free(&rounds);
    return status;
}

enum status bench_twin(struct bench *bench, struct error *error)
{
    static const int64_t usual[] = {1 << 16, 1 << 24, 1 << 28};
    const struct options *options = bench->options;
    const int64_t *sizes = options->size_count ? options->sizes : usual;
    const size_t size_count = options->size_count ? options->size_count : 3;
    const size_t rounds = options->rounds ? (size_t)options->rounds : ROUNDS;
    struct twin_row total = {0};
    enum status status = STATUS_OK;
    fprintf(bench->out, "problem,n,configuration,runs,rounds,valid,block_mad_percent,floor_percent,"
                        "difference_percent,low_percent,high_percent,biased,window_tests,"
                        "window_rejected,whole_tests,whole_rejected,all_pairs_tests,"
                        "all_pairs_rejected\n");
    if (bench->raw)
        fprintf(bench->raw, "n,round,fault,slot,block,elapsed_ns\n");
    printf("A/A of %s: %d slots of one configuration; pairs called different at %g %%\n"
           "                              block    A/A     slots\n"
           "n            runs    valid     MAD %%  floor %%    1,2 %%   "
           "windows of %d        all rounds         all pairs\n",
           bench->problem.key, TWINS, 100 * alpha, WINDOW);
    for (size_t i = 0; i < size_count && status == STATUS_OK; i++)
        status = measure_size(bench, sizes[i], rounds, &total, error);
    if (status != STATUS_OK)
        return status;
    fprintf(bench->out, "%s,all,,,,,,,,,,,", bench->problem.key);
    write_tests(bench->out, &total);
    printf("%-56s", "all");
    print_tests(&total);
    return STATUS_OK;
}
