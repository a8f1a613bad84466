/* Two sides of one problem: whether a difference is more than noise, and the state of the first
 * one's winner. */
#include <math.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "views/explain/comparison.h"

static struct compared_winner winner_of(double b_ns, double half_width)
{
    return (struct compared_winner){
        .a_trust = "sound",
        .b_trust = "sound",
        .a_ns = 1000,
        .a_low_ns = 1000 - half_width,
        .a_high_ns = 1000 + half_width,
        .b_ns = b_ns,
        .b_low_ns = b_ns - half_width,
        .b_high_ns = b_ns + half_width,
        .a_delta = 0.002,
        .b_delta = 0.003,
        .same = true,
        .carried = (double)NAN,
        .carried_once = (double)NAN,
    };
}

static void expect_change(double b_ns, double half_width, enum time_change change)
{
    struct compared_winner winner = winner_of(b_ns, half_width);
    judge_winner(&winner);
    assert_int_equal(winner.change, change);
    assert_true(fabs(winner.ratio - b_ns / 1000) < 1e-12);
}

TEST(test_times)
{
    expect_change(900, 5, TIME_FASTER);
    expect_change(1100, 5, TIME_SLOWER);
    expect_change(1005, 5, TIME_ALIKE);   /* the intervals meet */
    expect_change(1002, 0.1, TIME_ALIKE); /* apart, but by less than counts */
    expect_change(998, 0.1, TIME_ALIKE);
    expect_change(1004, 0.1, TIME_SLOWER);
    expect_change(1100, 900, TIME_UNKNOWN); /* unknown bounds */
    expect_change(1100, (double)NAN, TIME_UNKNOWN);
    struct compared_winner unstable = winner_of(500, 1);
    unstable.b_trust = "unstable";
    judge_winner(&unstable);
    assert_int_equal(unstable.change, TIME_UNKNOWN);
    struct compared_winner no_delta = winner_of(1001, 0.1);
    no_delta.a_delta = no_delta.b_delta = (double)NAN;
    judge_winner(&no_delta);
    assert_int_equal(no_delta.change, TIME_SLOWER);
}

TEST(test_winners)
{
    struct compared_winner winner = winner_of(1000, 1);
    judge_winner(&winner);
    assert_int_equal(winner.move, WINNER_SAME);
    assert_true(isnan(winner.loss));
    winner.same = false;
    judge_winner(&winner);
    assert_int_equal(winner.move, WINNER_UNTRIED);
    winner.carried_once = 1.05;
    judge_winner(&winner);
    assert_int_equal(winner.move, WINNER_ONCE);
    assert_true(fabs(winner.loss - 0.05) < 1e-12 && isnan(winner.loss_low));
    winner.carried = 1.04;
    winner.carried_low = 1.02;
    winner.carried_high = 1.06;
    judge_winner(&winner); /* rounds that both were in go before single timings */
    assert_int_equal(winner.move, WINNER_SLOWER);
    assert_true(fabs(winner.loss - 0.04) < 1e-12 && fabs(winner.loss_low - 0.02) < 1e-12);
    winner.carried_low = 1.002; /* within a tie there */
    judge_winner(&winner);
    assert_int_equal(winner.move, WINNER_OPEN);
    winner.carried_high = 1.004; /* the whole interval is */
    winner.b_delta = 0.005;
    judge_winner(&winner);
    assert_int_equal(winner.move, WINNER_AS_FAST);
    winner.carried_high = 9; /* unknown bounds */
    judge_winner(&winner);
    assert_int_equal(winner.move, WINNER_ONCE);
}

TEST_MAIN(NULL, NULL)
