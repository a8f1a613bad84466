#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/trial/verdict.h"

static const struct verdict_facts good = {.rounds = 40,
                                          .rounds_dropped = 3,
                                          .most_frequent_fault = "clock_moved",
                                          .dropped_most = 0.2,
                                          .floor = 0.0005,
                                          .delta = 0.0025,
                                          .processes = 5,
                                          .conditions_known = true};

static void assert_verdict(struct verdict_facts facts, enum verdict want, const char *reason)
{
    char got[256];
    assert_int_equal(verdict_of(&facts, got, sizeof got), want);
    assert_string_equal(got, reason);
}

static void good_numbers_are_sound(void **state)
{
    (void)state;
    assert_verdict(good, VERDICT_SOUND,
                   "3 of 40 rounds dropped (clock_moved), A/A floor 0.05 %, confirmed by 5 fresh "
                   "processes");
    struct verdict_facts none = good;
    none.rounds_dropped = 0;
    none.processes = 1;
    assert_verdict(none, VERDICT_SOUND,
                   "none of 40 rounds dropped, A/A floor 0.05 %, confirmed by 1 fresh process");
}

static void each_weakness_makes_them_noisy(void **state)
{
    (void)state;
    struct verdict_facts facts = good;
    facts.floor = 0.004;
    assert_verdict(facts, VERDICT_NOISY,
                   "3 of 40 rounds dropped (clock_moved), A/A floor 0.4 % (over the tie band of "
                   "0.25 %), confirmed by 5 fresh processes");
    facts = good;
    facts.floor = (double)NAN;
    assert_verdict(facts, VERDICT_NOISY,
                   "3 of 40 rounds dropped (clock_moved), A/A floor unknown, confirmed by 5 fresh "
                   "processes");
    facts = good;
    facts.processes = 0;
    assert_verdict(facts, VERDICT_NOISY,
                   "3 of 40 rounds dropped (clock_moved), A/A floor 0.05 %, not confirmed by fresh "
                   "processes");
    facts = good;
    facts.conditions_known = false;
    assert_verdict(facts, VERDICT_NOISY,
                   "3 of 40 rounds dropped (clock_moved), A/A floor 0.05 %, confirmed by 5 fresh "
                   "processes, clocks and throttling could not be read");
}

static void dropped_rounds_and_bias_are_unstable(void **state)
{
    (void)state;
    struct verdict_facts facts = good;
    facts.rounds_dropped = 8;
    char reason[256];
    assert_int_equal(verdict_of(&facts, reason, sizeof reason), VERDICT_SOUND); /* just 20 % */
    facts.rounds_dropped = 9;
    assert_verdict(facts, VERDICT_UNSTABLE,
                   "9 of 40 rounds dropped (clock_moved), more than 20 %, A/A floor 0.05 %, "
                   "confirmed by 5 fresh processes");
    facts = good;
    facts.biased = true;
    facts.floor = 0.003;
    assert_verdict(facts, VERDICT_UNSTABLE,
                   "3 of 40 rounds dropped (clock_moved), A/A floor 0.3 % (twins differ: the "
                   "harness is biased), confirmed by 5 fresh processes");
}

static void nothing_measured_is_not_sound(void **state)
{
    (void)state;
    struct verdict_facts facts = {.floor = (double)NAN};
    assert_verdict(facts, VERDICT_NOISY,
                   "no rounds, A/A floor unknown, not confirmed by fresh processes, clocks and "
                   "throttling could not be read");
    char small[8];
    assert_int_equal(verdict_of(&facts, small, sizeof small), VERDICT_NOISY);
    assert_string_equal(small, "no roun");
    assert_string_equal(verdict_name(VERDICT_UNSTABLE), "unstable");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_numbers_are_sound),
        cmocka_unit_test(each_weakness_makes_them_noisy),
        cmocka_unit_test(dropped_rounds_and_bias_are_unstable),
        cmocka_unit_test(nothing_measured_is_not_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
