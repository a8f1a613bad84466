#include <math.h>

#include "simulation.h"
#include "tests/unit/suite.h"
#include "tuner/stats/choose.h"

enum { PROCESSES = 5, MOST = 6 };

static double levels[MOST][PROCESSES];
static struct contender contenders[MOST];
static struct choice choice;

/* Makes contenders: contender i is slower than the first by offs[i], give or take `spread` per
 * process. */
static void set_up(const double *offs, size_t count, double spread)
{
    struct random random = {5, 0};
    for (size_t i = 0; i < count; i++) {
        for (size_t p = 0; p < PROCESSES; p++)
            levels[i][p] = log1p(offs[i]) + 0.1 * (double)p + spread * normal(&random);
        contenders[i] = (struct contender){.levels = levels[i], .order = i, .eligible = true};
    }
}

static void decide(size_t count, size_t incumbent)
{
    choose(contenders, count, PROCESSES, 0.0025, 0.99, incumbent, &choice);
}

TEST(of_equals_the_first_in_order_wins)
{
    static const double offs[] = {0.001, 0, 0.0005, 0.02};
    set_up(offs, 4, 0.0001);
    decide(4, 4);
    assert_int_equal(choice.fastest, 1);
    assert_int_equal(choice.winner, 0);
    assert_int_equal(choice.tied, 3);
    assert_false(choice.kept_incumbent);
    assert_true(contenders[0].proven && contenders[2].proven);
    assert_false(contenders[3].proven || contenders[3].tied);
    assert_true(contenders[3].difference.low < 0.02 && contenders[3].difference.high > 0.02);
    assert_true(contenders[1].difference.estimate == 0 && contenders[1].difference.high == 0);
    assert_true(choice.claim.estimate == contenders[0].difference.estimate);
    assert_true(choice.claim.high > 0.001 && choice.claim.high <= 0.0025);
    contenders[2].order = 0;
    contenders[0].order = 2;
    decide(4, 4);
    assert_int_equal(choice.winner, 2);
}

TEST(the_incumbent_stays_when_it_is_as_fast)
{
    static const double offs[] = {0.0005, 0, 0.001, 0.02};
    set_up(offs, 4, 0.0001);
    decide(4, 2);
    assert_int_equal(choice.winner, 2);
    assert_true(choice.kept_incumbent);
    decide(4, 3); /* 2 % slower: not kept */
    assert_int_equal(choice.winner, 0);
    assert_false(choice.kept_incumbent);
    contenders[2].eligible = false;
    decide(4, 2);
    assert_int_equal(choice.winner, 0);
}

TEST(a_baseline_never_wins)
{
    static const double offs[] = {0, 0.03, 0.04};
    set_up(offs, 3, 0.0001);
    contenders[0].eligible = false;
    decide(3, 3);
    assert_int_equal(choice.fastest, 1);
    assert_int_equal(choice.winner, 1);
    assert_int_equal(choice.tied, 1);
    assert_true(contenders[0].difference.high < 0); /* its lead is shown nevertheless */
    assert_true(choice.claim.high == 0);
    contenders[1].eligible = contenders[2].eligible = false;
    decide(3, 3);
    assert_int_equal(choice.winner, 3);
    assert_int_equal(choice.fastest, 3);
    assert_int_equal(choice.tied, 0);
    assert_true(isnan(choice.claim.high) && isnan(contenders[0].difference.estimate));
    choose(NULL, 0, PROCESSES, 0.0025, 0.99, 0, &choice);
    assert_int_equal(choice.winner, 0);
}

/* Noise hides the second's 0.2 %: neither shown to be as fast, nor to be slower. */
TEST(what_is_not_shown_does_not_win)
{
    static const double offs[] = {0.002, 0};
    set_up(offs, 2, 0.002);
    decide(2, 2);
    size_t other = 1 - choice.fastest;
    assert_int_equal(choice.winner, choice.fastest);
    assert_true(contenders[other].tied && !contenders[other].proven);
    assert_int_equal(choice.tied, 2);
    /* The other could be faster, and the claim says by how much. */
    assert_true(choice.claim.estimate == 0 && choice.claim.high > 0);
}

/* Two processes that differ by a third have an interval that reaches to thousands of percent. */
TEST(a_claim_that_says_nothing_is_unknown)
{
    static const double offs[] = {0, 0.01};
    set_up(offs, 2, 0.3);
    choose(contenders, 2, 2, 0.0025, 0.99, 2, &choice);
    assert_true(contenders[1 - choice.fastest].difference.high > 10);
    assert_true(isnan(choice.claim.high));
    set_up(offs, 2, 0.003);
    choose(contenders, 2, 2, 0.0025, 0.99, 2, &choice);
    assert_true(choice.claim.high > 0.01 && choice.claim.high < 3);
}

TEST(one_process_has_no_intervals)
{
    static const double offs[] = {0.001, 0, 0.02};
    set_up(offs, 3, 0);
    choose(contenders, 3, 1, 0.0025, 0.99, 3, &choice);
    assert_int_equal(choice.winner, 0);
    assert_int_equal(choice.fastest, 1);
    assert_int_equal(choice.tied, 2);
    assert_true(isnan(contenders[0].difference.low) && isnan(choice.claim.high));
    assert_true(fabs(choice.claim.estimate - 0.001) < 1e-12);
    assert_false(contenders[2].tied);
    choose(contenders, 3, 0, 0.0025, 0.99, 3, &choice);
    assert_int_equal(choice.winner, 3);
}

TEST(missing_levels_are_no_advantage)
{
    static const double offs[] = {0, 0.01, 0.011};
    set_up(offs, 3, 0.0001);
    for (size_t p = 1; p < PROCESSES; p++)
        levels[0][p] = (double)NAN;
    decide(3, 3);
    assert_int_equal(choice.fastest, 1);
    assert_int_equal(choice.winner, 1);
    assert_false(contenders[0].proven); /* seen by a single process */
    assert_true(contenders[0].tied);
    assert_true(choice.claim.high < 0.005); /* only contenders with an interval count */
    for (size_t p = 0; p < PROCESSES; p++)
        levels[0][p] = (double)NAN;
    decide(3, 0);
    assert_int_equal(choice.winner, 1);
    assert_false(contenders[0].tied || contenders[0].proven);
    /* Missing in one process: compared in the other four. */
    levels[2][3] = (double)NAN;
    decide(3, 3);
    assert_true(contenders[2].proven);
}

/* Half of one's rounds take 1.8 % more, the other takes 0.6 % more in all: a program meets 0.9 %
 * against 0.6 %. By the means of the processes the second is faster each time; by medians, which
 * belong to either kind of rounds by chance, it is not. */
TEST(rounds_of_two_kinds_count_as_often_as_they_come)
{
    enum { REPEATS = 300, FRESH = 8, ROUNDS = 20 };
    struct random random = {17, 0};
    size_t right[2] = {0, 0};
    double by[2][2][FRESH]; /* means, medians; contenders; processes */
    for (size_t repeat = 0; repeat < REPEATS; repeat++) {
        for (size_t p = 0; p < FRESH; p++) {
            double y[2][ROUNDS];
            for (size_t r = 0; r < ROUNDS; r++) {
                y[0][r] = (uniform(&random) < 0.5 ? 0.018 : 0) + 0.0015 * normal(&random);
                y[1][r] = 0.006 + 0.0015 * normal(&random);
            }
            for (size_t i = 0; i < 2; i++) {
                by[0][i][p] = core_mean(y[i], ROUNDS);
                by[1][i][p] = median_of(y[i], ROUNDS);
            }
        }
        for (size_t way = 0; way < 2; way++) {
            for (size_t i = 0; i < 2; i++)
                contenders[i] =
                    (struct contender){.levels = by[way][i], .order = i, .eligible = true};
            choose(contenders, 2, FRESH, 0.0025, 0.99, 2, &choice);
            right[way] += choice.fastest == 1 ? 1 : 0;
        }
    }
    print_message("rounds of two kinds: the faster is found in %.1f %% by means, %.1f %% by "
                  "medians, of %d\n",
                  100.0 * (double)right[0] / REPEATS, 100.0 * (double)right[1] / REPEATS, REPEATS);
    assert_true(right[0] >= REPEATS * 99 / 100);
    assert_true(right[1] < REPEATS * 95 / 100);
}

/* The claim: no contender is faster by more than claim.high, at 99 %. */
TEST(the_claim_holds_as_often_as_it_says)
{
    enum { REPEATS = 3000 };
    struct random random = {9, 0};
    size_t broken = 0;
    size_t within = 0;
    for (size_t repeat = 0; repeat < REPEATS; repeat++) {
        double truth[MOST];
        double best = (double)INFINITY;
        for (size_t i = 0; i < MOST; i++) {
            truth[i] = 0.003 * uniform(&random);
            best = fmin(best, truth[i]);
            for (size_t p = 0; p < PROCESSES; p++)
                levels[i][p] = truth[i] + 0.001 * normal(&random);
            contenders[i] = (struct contender){.levels = levels[i], .order = i, .eligible = true};
        }
        decide(MOST, MOST);
        double loss = expm1(truth[choice.winner] - best);
        broken += loss > choice.claim.high ? 1 : 0;
        within += loss <= 0.0025 ? 1 : 0;
    }
    print_message("claim broken: %.2f %%, winner within delta of the best: %.1f %% of %d\n",
                  100.0 * (double)broken / REPEATS, 100.0 * (double)within / REPEATS, REPEATS);
    assert_true(broken <= REPEATS / 100);
    assert_true(within >= REPEATS * 98 / 100);
}

/* Two processes of a busy machine: the bounds of the remaining contenders are those of a ratio. */
TEST(few_processes_leave_wide_but_possible_bounds)
{
    levels[0][0] = levels[0][1] = 0;
    levels[1][0] = log(2.9);
    levels[1][1] = log(4.3);
    for (size_t i = 0; i < 2; i++)
        contenders[i] = (struct contender){.levels = levels[i], .order = i, .eligible = true};
    choose(contenders, 2, 2, 0.01, 0.99, 2, &choice);
    assert_true(contenders[1].difference.low > -1 && contenders[1].difference.low < 0);
    assert_true(contenders[1].difference.high > 1000);
    /* Either a tie or a gain: a tied contender shows no gain of 3.53. */
    assert_true(contenders[1].tied && !contenders[1].proven);
    assert_true(difference_is_tied(contenders[1].difference, 0.01));
    levels[1][0] = log(3.5);
    levels[1][1] = log(3.51);
    choose(contenders, 2, 2, 0.01, 0.99, 2, &choice);
    assert_false(contenders[1].tied || difference_is_tied(contenders[1].difference, 0.01));
    /* A contender of the race alone has an interval as wide as in the race plus the spread of
     * processes, and a possible one. */
    struct interval unknown =
        choice_outsider((struct interval){2.5, -1, (double)INFINITY}, 0, 0.01, 8, 0.99);
    assert_true(unknown.low >= -1 && difference_is_tied(unknown, 0.01));
    struct interval slow = choice_outsider((struct interval){2.5, 2.4, 2.6}, 0, 0.3, 8, 0.99);
    assert_true(slow.low > 0 && slow.low < 1 && slow.high > 8);
    assert_true(fabs(slow.estimate - 2.5) < 1e-12);
}

TEST_MAIN(NULL, NULL)
