#include <math.h>

#include "tests/unit/suite.h"
#include "tuner/stats/rounds.h"

enum { ROUNDS = 20, ODD = 7 };

static struct round_record rounds[ROUNDS];
static enum round_fault faults[ROUNDS];
static struct protocol protocol;

/* Makes rounds of a GPU without any disturbance. */
static int quiet(void **state)
{
    (void)state;
    protocol_defaults(EFFORT_NORMAL, false, &protocol);
    for (size_t i = 0; i < ROUNDS; i++) {
        struct conditions conditions = conditions_unknown();
        conditions.sm_clock_mhz = 1980 - 5.0 * (double)(i % 3);
        conditions.throttle = 0;
        conditions.ecc_errors = 3;
        conditions.other_processes = 0;
        rounds[i] = (struct round_record){.anchor_first_ns = 10000 + 10 * (double)(i % 4),
                                          .anchor_last_ns = 10000 - 10 * (double)(i % 4),
                                          .before = conditions,
                                          .after = conditions};
        faults[i] = ROUND_VALID;
    }
    return 0;
}

/* Checks that only round ODD has this fault and all others are valid. */
static void assert_only(enum round_fault want)
{
    rounds_judge(rounds, ROUNDS, &protocol, faults);
    for (size_t i = 0; i < ROUNDS; i++)
        assert_int_equal(faults[i], i == ODD ? want : ROUND_VALID);
}

TEST_WITH(quiet_rounds_are_valid, quiet, NULL)
{
    assert_only(ROUND_VALID);
    rounds_judge(rounds, 0, &protocol, faults);
}

TEST_WITH(throttling_is_a_fault_but_for_what_is_ordinary, quiet, NULL)
{
    static const int64_t bad[] = {THROTTLE_HW_SLOWDOWN, THROTTLE_SW_THERMAL, THROTTLE_HW_THERMAL,
                                  THROTTLE_POWER_BRAKE | THROTTLE_POWER_CAP};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rounds[ODD].after.throttle = bad[i];
        assert_only(ROUND_THROTTLED);
        rounds[ODD].after.throttle = 0;
        rounds[ODD].before.throttle = bad[i];
        assert_only(ROUND_THROTTLED);
        rounds[ODD].before.throttle = 0;
    }
    rounds[ODD].after.throttle = THROTTLE_POWER_CAP | THROTTLE_SYNC_BOOST;
    assert_only(ROUND_VALID);
}

TEST_WITH(the_anchor_tells_of_what_nobody_reports, quiet, NULL)
{
    rounds[ODD].anchor_first_ns = 10150;
    assert_only(ROUND_ANCHOR_MOVED);
    rounds[ODD].anchor_first_ns = 10090; /* under 1 % */
    assert_only(ROUND_VALID);
    rounds[ODD].anchor_last_ns = 9800;
    assert_only(ROUND_ANCHOR_MOVED);
}

TEST_WITH(a_restless_anchor_may_move_more, quiet, NULL)
{
    for (size_t i = 0; i < ROUNDS; i++) {
        rounds[i].anchor_first_ns = 10000 + (i % 2 ? 100 : -100);
        rounds[i].anchor_last_ns = rounds[i].anchor_first_ns;
    }
    rounds[ODD].anchor_last_ns = 10350;
    assert_only(ROUND_VALID); /* 4 MAD are 4 % */
    rounds[ODD].anchor_last_ns = 10450;
    assert_only(ROUND_ANCHOR_MOVED);
}

TEST_WITH(the_clock_must_stay, quiet, NULL)
{
    rounds[ODD].after.sm_clock_mhz = 1920;
    assert_only(ROUND_CLOCK_MOVED);
    rounds[ODD].after.sm_clock_mhz = 1950;
    assert_only(ROUND_VALID);
    rounds[ODD].before.sm_clock_mhz = 2030;
    assert_only(ROUND_CLOCK_MOVED);
}

TEST_WITH(an_error_count_that_moves_is_a_fault, quiet, NULL)
{
    rounds[ODD].after.ecc_errors = 4;
    assert_only(ROUND_ECC);
    rounds[ODD].before.ecc_errors = 4;
    assert_only(ROUND_VALID);
    rounds[ODD].before.ecc_errors = -1;
    assert_only(ROUND_VALID);
}

TEST_WITH(others_are_a_fault_where_they_are_waited_for, quiet, NULL)
{
    rounds[ODD].before.other_processes = 1;
    assert_only(ROUND_OTHER_PROCESS);
    rounds[ODD].others = 1; /* awaited in vain */
    assert_only(ROUND_VALID);
    rounds[ODD].before.other_processes = 2;
    assert_only(ROUND_OTHER_PROCESS);
    rounds[ODD].others = 0;
    rounds[ODD].before.other_processes = -1;
    rounds[ODD].after.other_processes = 2;
    assert_only(ROUND_OTHER_PROCESS);
    protocol_defaults(EFFORT_NORMAL, true, &protocol);
    assert_only(ROUND_VALID);
}

TEST_WITH(the_first_reason_counts, quiet, NULL)
{
    rounds[ODD].after.other_processes = 1;
    rounds[ODD].after.ecc_errors = 9;
    assert_only(ROUND_ECC);
    rounds[ODD].after.sm_clock_mhz = 1000;
    assert_only(ROUND_CLOCK_MOVED);
    rounds[ODD].anchor_last_ns = 20000;
    assert_only(ROUND_ANCHOR_MOVED);
    rounds[ODD].after.throttle = THROTTLE_HW_THERMAL;
    assert_only(ROUND_THROTTLED);
    faults[ODD] = ROUND_INCOMPLETE;
    assert_only(ROUND_INCOMPLETE);
}

/* A value that became ordinary in the meantime makes an earlier round the odd one, and vice versa.
 */
TEST_WITH(rounds_are_judged_by_all_of_them, quiet, NULL)
{
    for (size_t i = 2; i < ROUNDS; i++)
        rounds[i].before.sm_clock_mhz = rounds[i].after.sm_clock_mhz = 1800;
    rounds_judge(rounds, 2, &protocol, faults);
    assert_int_equal(faults[0], ROUND_VALID);
    rounds_judge(rounds, ROUNDS, &protocol, faults);
    assert_int_equal(faults[0], ROUND_CLOCK_MOVED);
    assert_int_equal(faults[1], ROUND_CLOCK_MOVED);
    assert_int_equal(faults[2], ROUND_VALID);
}

TEST_WITH(what_is_unknown_is_no_fault, quiet, NULL)
{
    for (size_t i = 0; i < ROUNDS; i++)
        rounds[i] = (struct round_record){(double)NAN, (double)NAN, conditions_unknown(),
                                          conditions_unknown(), 0};
    assert_only(ROUND_VALID);
    rounds[ODD].anchor_first_ns = 10000;
    rounds[ODD].after.sm_clock_mhz = 1980;
    assert_only(ROUND_VALID);
}

TEST(faults_have_names)
{
    assert_string_equal(round_fault_name(ROUND_THROTTLED), "throttled");
    assert_string_equal(round_fault_name(ROUND_OTHER_PROCESS), "other_process");
    for (int i = 0; i < ROUND_FAULTS; i++)
        assert_non_null(round_fault_name((enum round_fault)i));
}

TEST_MAIN(NULL, NULL)
