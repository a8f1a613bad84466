#include <math.h>
#include <string.h>

#include "tests/unit/golden.h"
#include "tests/unit/suite.h"
#include "tuner/stats/verdict.h"

static const struct verdict_facts good = {.rounds = 40,
                                          .rounds_dropped = 3,
                                          .most_frequent_fault = "clock moved",
                                          .dropped_most = 0.2,
                                          .floor = 0.0005,
                                          .delta = 0.0025,
                                          .floor_most = 0.1,
                                          .processes = 5,
                                          .conditions_known = true,
                                          .effort = EFFORT_NORMAL};

static void assert_verdict(struct verdict_facts facts, enum verdict want, const char *reason)
{
    char got[VERDICT_REASON_BYTES];
    assert_int_equal(verdict_of(&facts, got, sizeof got), want);
    expect_message(got, reason);
}

TEST(good_numbers_are_sound)
{
    assert_verdict(good, VERDICT_SOUND, "3 of 40 rounds ... 0.05 % ... 5 fresh");
    struct verdict_facts none = good;
    none.rounds_dropped = 0;
    none.processes = 1;
    assert_verdict(none, VERDICT_SOUND, "none of 40 rounds ... 1 fresh process");
}

TEST(each_weakness_makes_them_noisy)
{
    struct verdict_facts facts = good;
    facts.floor = 0.004;
    assert_verdict(facts, VERDICT_NOISY, "0.4 % ... 0.25 % ... --effort normal ... idle");
    facts = good;
    facts.floor = (double)NAN;
    assert_verdict(facts, VERDICT_NOISY, "too few rounds ... --effort normal`. ... unknown");
    facts.has_budget = true;
    assert_verdict(facts, VERDICT_NOISY, "too few rounds ... --budget ... unknown");
    facts = good;
    facts.processes = 0;
    facts.effort = EFFORT_QUICK;
    assert_verdict(facts, VERDICT_NOISY, "one process ... --effort normal`. ... not confirmed");
    facts.floor = 0.004;
    assert_verdict(facts, VERDICT_NOISY, "one process ... idle ... 0.4 %");
    facts.effort = EFFORT_NORMAL; /* stopped, or ended by a budget: no other effort helps */
    assert_verdict(facts, VERDICT_NOISY, "one process ... it continues from there");
    facts = good;
    facts.conditions_known = false; /* no run would change that */
    assert_verdict(facts, VERDICT_NOISY, "clocks or throttling ... could not be read");
    facts = good;
    facts.beside_others = true;
    assert_verdict(facts, VERDICT_NOISY, "another process ... --effort normal` when ... idle");
}

static void assert_parts(const char *reason, const char *fault, const char *step)
{
    struct text parts[2] = {0};
    verdict_append_fault(&parts[0], reason);
    verdict_append_step(&parts[1], reason);
    assert_string_equal(text_string(&parts[0]), fault);
    assert_string_equal(text_string(&parts[1]), step);
    text_free(&parts[0]);
    text_free(&parts[1]);
}

TEST(what_is_wrong_and_what_to_do_stand_alone)
{
    assert_parts("Not sure: too noisy. Run the same command with `--effort normal`. Found: all",
                 "too noisy", "run the same command with `--effort normal`");
    assert_parts("Not sure: it ended. Run the same command again: it continues from there.",
                 "it ended", "run the same command again: it continues from there");
    assert_parts("Not sure: clocks were not seen. Found: nothing", "clocks were not seen", "");
    assert_parts("Nearly sure: too noisy. Run the same command again: it goes on.", "too noisy",
                 "run the same command again: it goes on");
    assert_parts("clocks moved", "clocks moved", "");
    assert_string_equal(verdict_doubt("sum n=1: Nearly sure: x"), "Nearly sure: x");
    assert_null(verdict_doubt("none of 4 rounds dropped"));
}

TEST(dropped_rounds_and_bias_are_unstable)
{
    struct verdict_facts facts = good;
    facts.rounds_dropped = 8;
    char reason[256];
    assert_int_equal(verdict_of(&facts, reason, sizeof reason), VERDICT_SOUND); /* just 20 % */
    facts.rounds_dropped = 9;
    assert_verdict(facts, VERDICT_UNSTABLE, "20 % ... disturbed ... idle ... 9 of 40");
    facts.rounds_beside = 21;
    assert_verdict(facts, VERDICT_UNSTABLE, "disturbed, while other processes ran ... 9 of 40");
    facts.rounds_beside = 20;
    assert_verdict(facts, VERDICT_UNSTABLE, "20 % ... disturbed. ... idle ... 9 of 40");
    facts = good;
    facts.biased = true;
    facts.floor = 0.003;
    facts.effort = EFFORT_THOROUGH;
    assert_verdict(facts, VERDICT_UNSTABLE, "0.3 % ... biased ... --effort thorough");
}

/* Results of a busy machine: a file for production must not rest on them, however good the rest is.
 */
TEST(a_floor_above_the_most_supports_no_choice)
{
    struct verdict_facts facts = good;
    char reason[VERDICT_REASON_BYTES];
    facts.floor = 0.1;
    assert_int_equal(verdict_of(&facts, reason, sizeof reason), VERDICT_NOISY);
    facts.floor = 0.1001;
    assert_int_equal(verdict_of(&facts, reason, sizeof reason), VERDICT_UNSTABLE);
    facts.floor = 3.46;
    facts.rounds_dropped = 0;
    assert_verdict(facts, VERDICT_UNSTABLE, "346 % ... distinguished ... idle");
}

/* However well a baseline was measured, no choice was made. */
TEST(what_a_budget_left_out_is_said)
{
    struct verdict_facts facts = good;
    facts.tried = 18;
    facts.planned = 18;
    assert_verdict(facts, VERDICT_SOUND, "3 of 40 rounds ... 0.05 % ... 5 fresh");
    facts.tried = 7;
    assert_verdict(facts, VERDICT_NOISY, "7 of 18 ... --budget");
    facts.processes = 0; /* implied by it */
    char reason[VERDICT_REASON_BYTES];
    assert_int_equal(verdict_of(&facts, reason, sizeof reason), VERDICT_NOISY);
    assert_non_null(strstr(reason, "the budget ended the search after 7 of 18"));
    facts = good;
    facts.only_baselines = true;
    facts.rounds_dropped = 9;
    assert_verdict(facts, VERDICT_UNSTABLE, "baseline ... --budget ... 9 of 40");
}

TEST(nothing_measured_is_not_sound)
{
    struct verdict_facts facts = {.floor = (double)NAN};
    assert_verdict(facts, VERDICT_NOISY,
                   "too few rounds ... no rounds ... not confirmed ... could not be read");
    char small[8];
    assert_int_equal(verdict_of(&facts, small, sizeof small), VERDICT_NOISY);
    assert_string_equal(small, "Nearly ");
    assert_string_equal(verdict_name(VERDICT_UNSTABLE), "unstable");
}

TEST(old_names_and_words_are_one_verdict)
{
    assert_int_equal(verdict_named("sound"), verdict_named("sure"));
    assert_int_equal(verdict_named("noisy"), verdict_named("nearly sure"));
    assert_int_equal(verdict_named("unstable"), verdict_named("not sure"));
    assert_int_equal(verdict_named("else"), VERDICTS);
    assert_string_equal(verdict_words(VERDICTS), "unknown");
}

/* Ten of 3,400 points, most of which failed, ended as "sure". */
TEST(no_headline_is_sure_of_a_space_that_was_hardly_seen_or_mostly_failed)
{
    struct coverage_facts facts = {.points = 10,
                                   .space = 3400,
                                   .measured = 10,
                                   .failed = 6,
                                   .chance = (double)NAN,
                                   .most_better = (double)NAN};
    assert_string_equal(coverage_name(coverage_of(&facts)), "mostly failed");
    facts.failed = 5;
    assert_int_equal(coverage_of(&facts), COVERAGE_LITTLE);
    facts.points = facts.measured = 31; /* no model gives an estimate yet */
    assert_int_equal(coverage_of(&facts), COVERAGE_LITTLE);
    facts.points = facts.measured = 32;
    assert_int_equal(coverage_of(&facts), COVERAGE_PART);
    facts.most_better = 0.5;
    assert_int_equal(coverage_of(&facts), COVERAGE_PART);
    facts.most_better = 0.51;
    assert_int_equal(coverage_of(&facts), COVERAGE_LITTLE);
    facts.most_better = (double)NAN;
    facts.points = facts.measured = 20; /* few, yet half of them */
    facts.space = 40;
    assert_int_equal(coverage_of(&facts), COVERAGE_PART);
    facts.space = 3400;
    facts.points = facts.measured = 3400;
    assert_int_equal(coverage_of(&facts), COVERAGE_WHOLE);
    facts.measured = 10; /* the others launch the same */
    facts.failed = 6;
    assert_int_equal(coverage_of(&facts), COVERAGE_FAILED);
    facts.points = 0;
    assert_int_equal(coverage_of(&facts), COVERAGES);
    assert_null(coverage_name(COVERAGES));
    assert_int_equal(coverage_named("hardly seen"), COVERAGE_LITTLE);
    assert_int_equal(coverage_named(NULL), COVERAGES);
    for (size_t i = 0; i < VERDICTS; i++) {
        assert_int_equal(verdict_headline((enum verdict)i, COVERAGE_LITTLE), VERDICT_UNSTABLE);
        assert_int_equal(verdict_headline((enum verdict)i, COVERAGE_FAILED), VERDICT_UNSTABLE);
        assert_int_equal(verdict_headline((enum verdict)i, COVERAGE_PART), i);
        assert_int_equal(verdict_headline((enum verdict)i, COVERAGES), i);
    }
    assert_int_equal(verdict_headline(VERDICTS, COVERAGE_LITTLE), VERDICTS);
}

TEST_MAIN(NULL, NULL)
