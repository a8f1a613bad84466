/* agree: five tunings of the same candidates in fresh processes, by several ways of choosing. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/protocol/agree.h"

static enum status repeat_all(struct bench *bench, struct candidates *fields, size_t count,
                              size_t repeat, struct error *error)
{
    enum status status = worker_fresh(bench->worker, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct problem problem;
        char size[24];
        size_text(fields[i].n, size);
        fprintf(stderr, "repetition %zu: n = %s, %zu candidates\n", repeat + 1, size,
                fields[i].count);
        status = bench_problem(bench, fields[i].n, &problem, error);
        if (status == STATUS_OK)
            status = field_choose(bench, &fields[i], repeat, error);
    }
    return status;
}

/* Computes losses against the best by the mean over the processes. */
static void find_regrets(struct candidates *field, size_t repeats, bool known)
{
    double best = INFINITY;
    for (size_t i = 0; i < field->count; i++) {
        double sum = 0;
        for (size_t repeat = 0; repeat < repeats; repeat++)
            sum += field->levels[repeat][i];
        field->regret[i] = known ? sum / (double)repeats : (double)NAN;
        best = fmin(best, field->regret[i]);
    }
    for (size_t i = 0; i < field->count; i++)
        field->regret[i] = expm1(field->regret[i] - best);
}

enum status bench_agree(struct bench *bench, struct error *error)
{
    const struct options *options = bench->options;
    const size_t repeats = (size_t)options->repeats;
    int64_t room[SIZES_MAX];
    const int64_t *sizes = NULL;
    size_t count = 0;
    bench_sizes(bench, &sizes, &count, room);
    struct candidates *fields = calloc(count, sizeof *fields);
    enum status status = fields ? STATUS_OK : error_no_memory(error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        fprintf(stderr, "screening %s at n = %lld\n", bench->problem.key, (long long)sizes[i]);
        status = field_make(bench, sizes[i], &fields[i], error);
    }
    for (size_t repeat = 0; repeat < repeats && status == STATUS_OK; repeat++) {
        if (repeat > 0 && options->pause_s > 0)
            (void)usleep((useconds_t)(options->pause_s * 1e6));
        status = repeat_all(bench, fields, count, repeat, error);
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        find_regrets(&fields[i], repeats, options->reference_rounds > 0);
    if (status == STATUS_OK) {
        agree_write(bench, fields, count);
        agree_print(bench, fields, count);
    }
    free(fields);
    return status;
}
