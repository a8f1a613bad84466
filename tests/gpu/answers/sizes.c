/* Sizes to ask at: those listed, beside them, between them, and beyond them. */
#include "answers.h"

#include <math.h>
#include <string.h>

struct asks {
    const struct problem *problem;
    struct ask *all;
    int count, listed, names;
    long long least[SIZES], most[SIZES]; /* among those listed */
};

/* Adds sizes, but none twice, and none too large. */
static void add(struct asks *asks, const long long *sizes)
{
    const struct problem *problem = asks->problem;
    struct ask ask = {.is_within = true};
    long long volume = 1;
    for (int i = 0; i < asks->names; i++) {
        if (sizes[i] < 1)
            return;
        ask.sizes[i] = sizes[i];
        ask.is_within = ask.is_within && sizes[i] >= asks->least[i] && sizes[i] <= asks->most[i];
        volume *= sizes[i];
    }
    if (volume > problem->most || asks->count == ASKS)
        return;
    for (int k = 0; k < asks->count; k++)
        if (memcmp(asks->all[k].sizes, ask.sizes, sizeof ask.sizes) == 0)
            return;
    for (int k = 0; k < asks->listed; k++)
        ask.is_listed =
            ask.is_listed || memcmp(problem->listed[k], ask.sizes, sizeof ask.sizes) == 0;
    asks->all[asks->count++] = ask;
}

static void add_n(struct asks *asks, long long n)
{
    const long long sizes[SIZES] = {n};
    add(asks, sizes);
}

static void add_single(struct asks *asks)
{
    static const long long usual[] = {1,    2,    3,    31,   33,    255,   257,
                                      1000, 1023, 1025, 4099, 65521, 65537, 1000003};
    const long long last = asks->problem->listed[asks->listed - 1][0];
    for (int k = 0; k < asks->listed; k++) {
        const long long n = asks->problem->listed[k][0];
        const long long next = k + 1 < asks->listed ? asks->problem->listed[k + 1][0] : 2 * n;
        const long long middle = (long long)sqrt((double)n * (double)next);
        add_n(asks, n - 1);
        add_n(asks, n + 1);
        add_n(asks, middle | 1);
        add_n(asks, (middle + 1023) / 1024 * 1024);
        add_n(asks, n + n / 3);
    }
    for (size_t k = 0; k < sizeof usual / sizeof usual[0]; k++)
        add_n(asks, usual[k]);
    add_n(asks, last / 2 * 3 + 7);
    add_n(asks, 3 * last + 1);
    add_n(asks, 4 * last - 3);
    add_n(asks, 6 * last);
    add_n(asks, 8 * last - 1);
    add_n(asks, 8 * last);
}

/* Adds 16 tuples, spread evenly by ratios; the last five come from a box around that of those
 * listed. */
static void add_spread(struct asks *asks)
{
    const int before = asks->count;
    const double below = asks->names == 3 ? 0.6 : 0.4, above = asks->names == 3 ? 1.9 : 2.5;
    for (uint64_t k = 0; k < 200 && asks->count < before + 16; k++) {
        const bool is_beyond = asks->count >= before + 11;
        long long sizes[SIZES] = {0};
        for (int i = 0; i < asks->names; i++) {
            const double least = (double)asks->least[i] * (is_beyond ? below : 1);
            const double most = (double)asks->most[i] * (is_beyond ? above : 1);
            sizes[i] = (long long)(least * pow(most / least, mix_unit(k * 16 + (uint64_t)i + 77)));
        }
        add(asks, sizes);
    }
}

static void add_tuples(struct asks *asks)
{
    long long sizes[SIZES];
    for (int k = 0; k < asks->listed; k++)
        for (int i = 0; i < asks->names; i++) {
            memcpy(sizes, asks->problem->listed[k], sizeof sizes);
            sizes[i] += (k + i) % 2 ? 1 : -1;
            add(asks, sizes);
        }
    for (int k = 0; k < asks->listed; k++) { /* beyond: one side three times, all of them twice */
        memcpy(sizes, asks->problem->listed[k], sizeof sizes);
        sizes[k % asks->names] *= 3;
        add(asks, sizes);
        for (int i = 0; i < asks->names; i++)
            sizes[i] = asks->problem->listed[k][i] * 2 + 1;
        add(asks, sizes);
    }
    add_spread(asks);
    add(asks, (const long long[SIZES]){1, 1, 1});
    add(asks, (const long long[SIZES]){3, 5, 7});
}

int list_asks(const struct problem *problem, struct ask all[ASKS])
{
    struct asks asks = {.problem = problem, .all = all, .names = count_sizes(problem)};
    for (; problem->listed[asks.listed][0]; asks.listed++)
        for (int i = 0; i < asks.names; i++) {
            const long long size = problem->listed[asks.listed][i];
            if (asks.listed == 0 || size < asks.least[i])
                asks.least[i] = size;
            if (size > asks.most[i])
                asks.most[i] = size;
        }
    for (int k = 0; k < asks.listed; k++)
        add(&asks, problem->listed[k]);
    (asks.names == 1 ? add_single : add_tuples)(&asks);
    return asks.count;
}
