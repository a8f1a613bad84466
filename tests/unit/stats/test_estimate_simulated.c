/* Claims of the estimates, compared with measurements whose truth is known. Prints the shares that
 * docs/statistics.md quotes. */
#include <stdio.h>

#include "simulation.h"
#include "tests/unit/suite.h"

enum { ROUNDS = 40, REPEATS = 3000 };

static void assert_share(const char *what, size_t hits, size_t of, double least, double most)
{
    double share = (double)hits / (double)of;
    print_message("%s: %.2f %% of %zu\n", what, 100 * share, of);
    if (share < least || share > most)
        fail_msg("%s: %.4f is not in %.4f .. %.4f", what, share, least, most);
}

/* Measures two candidates alternately in random order; the second is slower by `gap`. */
static void fill_rounds(struct simulated_device *device, double gap, double *differences,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool swap = random_next(&device->random) >> 63;
        double first = visit(device, swap ? gap : 0);
        double second = visit(device, swap ? 0 : gap);
        differences[i] = swap ? first - second : second - first;
    }
}

/* Makes a device with 1 % of noise in a block that drifts by 1 % in the time of the rounds. */
static struct simulated_device drifting(uint64_t seed)
{
    struct simulated_device device = {.random = {seed, 0}, .sigma = 0.01, .blocks = 5};
    device.walk = 0.01 / sqrt(2.0 * ROUNDS);
    return device;
}

/* Returns whether the interval of the differences excludes none, at 1 %. */
static bool differs(const double *differences, size_t count)
{
    const struct interval interval = hodges_lehmann(differences, count, normal_quantile(0.995));
    return interval.low > 0 || interval.high < 0;
}

static void rejected_shares(struct simulated_device device, const char *what)
{
    char text[128];
    size_t rejected = 0;
    for (size_t i = 0; i < REPEATS; i++) {
        double differences[ROUNDS];
        fill_rounds(&device, 0, differences, ROUNDS);
        rejected += differs(differences, ROUNDS);
    }
    (void)snprintf(text, sizeof text, "type I at 1 %%, %s", what);
    assert_share(text, rejected, REPEATS, 0.004, 0.016);
}

TEST(equal_candidates_are_called_different_as_seldom_as_claimed)
{
    struct simulated_device still = {.random = {11, 0}, .sigma = 0.01, .blocks = 5};
    rejected_shares(still, "still");
    rejected_shares(drifting(12), "random walk");
    struct simulated_device rising = drifting(13);
    rising.slope = 0.01 / (2.0 * ROUNDS);
    rejected_shares(rising, "rising");
    struct simulated_device tails = drifting(14);
    tails.outliers = 0.05;
    rejected_shares(tails, "5 % of blocks x3");
    tails.blocks = 1;
    tails.random.seed = 15;
    rejected_shares(tails, "5 % x3, one block");
}

/* The reason for interleaving: with one candidate after the other, the same test is mostly wrong.
 */
TEST(one_after_the_other_the_test_would_be_wrong)
{
    size_t rejected = 0;
    struct simulated_device device = drifting(16);
    for (size_t i = 0; i < 500; i++) {
        double differences[ROUNDS];
        for (size_t j = 0; j < ROUNDS; j++)
            differences[j] = -visit(&device, 0);
        for (size_t j = 0; j < ROUNDS; j++)
            differences[j] += visit(&device, 0);
        rejected += differs(differences, ROUNDS);
    }
    assert_share("type I at 1 %, one after the other", rejected, 500, 0.4, 1);
}

static size_t covered(size_t count, double outliers, uint64_t seed)
{
    struct simulated_device device = drifting(seed);
    size_t hits = 0;
    device.outliers = outliers;
    for (size_t i = 0; i < REPEATS; i++) {
        double differences[64];
        fill_rounds(&device, 0.005, differences, count);
        struct interval interval = hodges_lehmann(differences, count, normal_quantile(0.995));
        hits += interval.low <= 0.005 && interval.high >= 0.005 ? 1 : 0;
    }
    return hits;
}

TEST(intervals_hold_the_truth_as_often_as_claimed)
{
    assert_share("99 % interval, 16 rounds, covers", covered(16, 0, 31), REPEATS, 0.985, 0.997);
    assert_share("99 % interval, 24 rounds, covers", covered(24, 0, 32), REPEATS, 0.985, 0.996);
    assert_share("99 % interval, 40 rounds, covers", covered(40, 0, 33), REPEATS, 0.985, 0.996);
    assert_share("99 % interval, 40 rounds, 5 % x3, covers", covered(40, 0.05, 34), REPEATS, 0.985,
                 0.996);
}

TEST(students_interval_holds_the_truth_as_often_as_claimed)
{
    static const size_t counts[] = {2, 3, 5, 8};
    struct random random = {41, 0};
    for (size_t c = 0; c < 4; c++) {
        char text[64];
        size_t hits = 0;
        for (size_t i = 0; i < 10000; i++) {
            double values[8];
            for (size_t j = 0; j < counts[c]; j++)
                values[j] = 0.2 + 0.001 * normal(&random);
            struct interval interval = mean_interval(values, counts[c], 0.99);
            hits += interval.low <= 0.2 && interval.high >= 0.2 ? 1 : 0;
        }
        (void)snprintf(text, sizeof text, "Student's 99 %% interval, %zu processes, covers",
                       counts[c]);
        assert_share(text, hits, 10000, 0.987, 0.993);
    }
}

TEST(half_a_percent_is_seen)
{
    enum { SEEN_ROUNDS = 48, SEEN_REPEATS = 2000 };
    size_t seen = 0;
    size_t tails_seen = 0;
    struct simulated_device device = drifting(51);
    struct simulated_device tails = drifting(52);
    tails.outliers = 0.05;
    for (size_t i = 0; i < SEEN_REPEATS; i++) {
        double differences[SEEN_ROUNDS];
        fill_rounds(&device, 0.005, differences, SEEN_ROUNDS);
        seen += differs(differences, SEEN_ROUNDS);
        fill_rounds(&tails, 0.005, differences, SEEN_ROUNDS);
        tails_seen += differs(differences, SEEN_ROUNDS);
    }
    assert_share("power for 0.5 %, 48 rounds", seen, SEEN_REPEATS, 0.94, 1);
    assert_share("power for 0.5 %, 48 rounds, 5 % x3", tails_seen, SEEN_REPEATS, 0.85, 1);
}

/* 200 rounds of a configuration and its twin: the A/A floor that `tune` reports. */
TEST(twins_are_seldom_called_biased)
{
    size_t biased = 0;
    double floors[1000];
    struct simulated_device device = drifting(61);
    device.sigma = 0.003;
    for (size_t i = 0; i < 1000; i++) {
        double differences[200];
        fill_rounds(&device, 0, differences, 200);
        struct twin_floor floor = twin_floor(differences, 200, 0);
        biased += floor.biased ? 1 : 0;
        floors[i] = floor.floor;
    }
    print_message("A/A floor, 200 rounds of 0.3 %% noise: median %.3f %%\n",
                  100 * median_of(floors, 1000));
    assert_share("twins over 200 rounds rejected at 1 %", biased, 1000, 0.002, 0.02);
}

TEST_MAIN(NULL, NULL)
