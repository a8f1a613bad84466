/* The choice of the winner by the finalists' losses to one another, and the stored rows. */
#include "session_fixture.h"

/* A race on the null device; each test then replaces its measurements. */
struct fixture {
    struct run *run;
    struct contest *contest;
    struct lane *lane;
};

enum { PARTS = 5 };

/* Sets the distance of finalist `i` from the middle, ln, in each part: alternating by a ten
 * thousandth. */
static void set_level(struct fixture *f, size_t i, double level)
{
    static const double wander[PARTS] = {0, 1e-4, -1e-4, 5e-5, -5e-5};
    for (size_t part = 0; part < PARTS; part++)
        f->contest->finalists[i].levels[part] = level + wander[(part + i) % PARTS];
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->run = run_create(usual_text, "time");
    run_start(f->run, 1);
    f->lane = group_lane(f->run->work.group);
    struct sweep *sweep = run_sweep(f->run);
    RUN_OK(f->run, sweep_problem(&f->run->work, sweep, &f->run->error));
    f->contest = contest_create(&f->run->work, sweep);
    RUN_OK(f->run, contest_race(f->contest, f->lane, &f->run->error));
    assert_true(f->contest->finalist_count >= 3);
    f->contest->levels = PARTS;
    f->contest->floor = (struct twin_floor){.floor = 0.0005};
    f->contest->rounds.count = 40;
    f->contest->rounds.dropped = 0;
    memset(f->contest->rounds.faults, 0, sizeof f->contest->rounds.faults);
    for (size_t i = 0; i < f->contest->finalist_count; i++) {
        f->contest->finalists[i].raced_out = false;
        set_level(f, i, 0.2); /* far behind */
    }
    RUN_OK(f->run, finalists_order(&f->run->work, f->contest->finalists, f->contest->finalist_count,
                                   &f->run->error));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    contest_free(f->contest);
    run_free(f->run);
    free(f);
    return 0;
}

/* Returns the finalist at that place in the fixed order. */
static size_t ordered(const struct fixture *f, size_t order)
{
    size_t i = 0;
    while (f->contest->finalists[i].contender.order != order)
        i++;
    return i;
}

static bool choose_winner(struct fixture *f)
{
    bool found = false;
    RUN_OK(f->run, contest_choose(f->contest, f->lane, "race", &found, &f->run->error));
    return found;
}

static void expect_winner(struct fixture *f, size_t finalist)
{
    assert_true(choose_winner(f));
    assert_string_equal(f->contest->winner.key, f->contest->finalists[finalist].key);
    assert_int_equal(run_count(f->run, "SELECT trial_id FROM winners"),
                     f->contest->finalists[finalist].trial_id);
}

TEST_WITH(test_the_fastest_wins, setup, teardown)
{
    struct fixture *f = *state;
    const size_t fastest = ordered(f, 2);
    set_level(f, fastest, 0);
    expect_winner(f, fastest);
    assert_int_equal(f->contest->winner.as_fast + f->contest->winner.not_compared, 0);
    assert_int_equal(run_count(f->run, "SELECT tied_count FROM winners"), 1);
    assert_int_equal(run_count(f->run, "SELECT kept_incumbent FROM winners"), 0);
    /* Each other contender has its difference, as a share (e^0.2 - 1), and an interval around it.
     */
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM contenders WHERE difference BETWEEN "
                                       "0.2213 AND 0.2215 AND difference_low > 0.22 AND "
                                       "difference_high < 0.223 AND NOT tied"),
                     (int64_t)f->contest->finalist_count - 1);
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM contenders WHERE place = 1 AND proven "
                                       "AND tied AND difference = 0"),
                     1);
    assert_int_equal(run_count(f->run, "SELECT time_low_ns <= t.median_ns AND time_high_ns >= "
                                       "t.median_ns FROM winners JOIN trials AS t ON t.id = "
                                       "trial_id"),
                     1);
}

/* Among candidates that cannot be distinguished the most modest one wins, not the one that is
 * slightly faster. */
TEST_WITH(test_a_tie_goes_by_the_fixed_order, setup, teardown)
{
    struct fixture *f = *state;
    const size_t modest = ordered(f, 0);
    const size_t greedy = ordered(f, 2);
    set_level(f, greedy, 0);
    set_level(f, modest, 0.0003);
    expect_winner(f, modest);
    assert_int_equal(f->contest->winner.as_fast + f->contest->winner.not_compared, 1);
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM contenders WHERE tied"), 2);
    assert_true(f->contest->finalists[greedy].contender.tied);
    /* A clearly slower candidate is no tie, however modest. */
    set_level(f, modest, 0.05);
    expect_winner(f, greedy);
    assert_int_equal(f->contest->winner.as_fast + f->contest->winner.not_compared, 0);
}

/* Noise widens the difference that counts as equal. */
TEST_WITH(test_noise_makes_ties, setup, teardown)
{
    struct fixture *f = *state;
    const size_t modest = ordered(f, 0);
    set_level(f, ordered(f, 2), 0);
    set_level(f, modest, 0.01);
    f->contest->floor.floor = 0.03;
    expect_winner(f, modest);
    assert_int_equal(f->contest->winner.as_fast + f->contest->winner.not_compared, 1);
}

/* The earlier winner stays unless another is shown to be faster: otherwise production would change
 * with each run. */
TEST_WITH(test_the_incumbent_stays_unless_it_is_beaten, setup, teardown)
{
    struct fixture *f = *state;
    const size_t incumbent = ordered(f, 2);
    const size_t other = ordered(f, 0);
    f->contest->finalists[incumbent].is_incumbent = true;
    set_level(f, other, 0);
    set_level(f, incumbent, 0.0005);
    expect_winner(f, incumbent);
    assert_int_equal(run_count(f->run, "SELECT kept_incumbent FROM winners"), 1);
    set_level(f, incumbent, 0.05);
    expect_winner(f, other);
    assert_int_equal(run_count(f->run, "SELECT kept_incumbent FROM winners"), 0);
    /* A wrong winner is not kept, however fast. */
    set_level(f, incumbent, -0.1);
    f->contest->finalists[incumbent].rejection = "gauntlet: wrong";
    expect_winner(f, other);
}

TEST_WITH(test_who_is_out_cannot_win, setup, teardown)
{
    struct fixture *f = *state;
    const size_t fastest = ordered(f, 1);
    const size_t next = ordered(f, 2);
    set_level(f, fastest, 0);
    set_level(f, next, 0.03);
    RUN_OK(f->run, contest_reject(f->contest, &f->contest->finalists[fastest], 2,
                                  "watched: wrong_result: x", &f->run->error));
    expect_winner(f, next);
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM contenders WHERE out = 'watched: "
                                       "wrong_result: x'"),
                     1);
    /* A candidate that failed in the rounds cannot win either. */
    f->contest->finalists[next].slot.outcome.status = TRIAL_CRASHED;
    (void)string_format(f->contest->finalists[next].slot.outcome.detail, 16, "it crashed");
    assert_true(choose_winner(f));
    assert_string_not_equal(f->contest->winner.key, f->contest->finalists[next].key);
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM contenders WHERE out = 'it crashed'"),
                     1);
}

TEST_WITH(test_when_all_are_out_nothing_is_written, setup, teardown)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < f->contest->finalist_count; i++)
        f->contest->finalists[i].rejection = "wrong";
    assert_false(choose_winner(f));
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM winners"), 0);
    assert_int_equal(f->run->winners, 0);
    assert_false(f->contest->winner.announced);
}

/* The quality of the rounds is stored with the winner, in words that name the cause. */
TEST_WITH(test_the_verdict_names_what_disturbed, setup, teardown)
{
    struct fixture *f = *state;
    set_level(f, 0, 0);
    assert_true(choose_winner(f));
    assert_int_equal(f->contest->winner.verdict, VERDICT_NOISY); /* in one process only */
    assert_non_null(strstr(f->contest->winner.reason, "one process only"));
    f->contest->rounds.dropped = 20;
    f->contest->rounds.faults[ROUND_THROTTLED] = 5;
    f->contest->rounds.faults[ROUND_CLOCK_MOVED] = 15;
    assert_true(choose_winner(f));
    assert_int_equal(f->contest->winner.verdict, VERDICT_UNSTABLE);
    assert_non_null(strstr(f->contest->winner.reason, "20 of 40 rounds dropped (clock moved)"));
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM winners WHERE trust = 'unstable' AND "
                                       "rounds_dropped = 20 AND rounds = 40"),
                     1);
    f->contest->rounds.dropped = 0;
    f->contest->floor.floor = 3;
    assert_true(choose_winner(f));
    assert_int_equal(f->contest->winner.verdict, VERDICT_UNSTABLE);
}

/* Untried points are reported, and so is a sweep of nothing but a baseline. */
TEST_WITH(test_a_search_that_was_cut_off_is_said, setup, teardown)
{
    struct fixture *f = *state;
    struct sweep *sweep = f->contest->sweep;
    set_level(f, 0, 0);
    sweep->searched_all = false;
    for (size_t i = 0; i < 5; i++)
        sweep->candidates.items[i]->state = CANDIDATE_NEW;
    assert_true(choose_winner(f));
    assert_int_equal(f->contest->winner.verdict, VERDICT_NOISY);
    assert_non_null(strstr(f->contest->winner.reason, "7 of 12 configurations"));
    for (size_t i = 0; i < sweep->candidates.count; i++)
        sweep->candidates.items[i]->state = CANDIDATE_NEW;
    sweep->candidates.items[0]->state = CANDIDATE_DONE;
    sweep->candidates.items[0]->wanted |= WANTED_BASELINE;
    assert_true(choose_winner(f));
    assert_non_null(strstr(f->contest->winner.reason, "nothing was measured but the baseline"));
}

/* A later choice replaces an earlier one, with its contenders. */
TEST_WITH(test_the_last_choice_stands, setup, teardown)
{
    struct fixture *f = *state;
    set_level(f, ordered(f, 0), 0);
    expect_winner(f, ordered(f, 0));
    set_level(f, ordered(f, 0), 0.2);
    set_level(f, ordered(f, 1), 0);
    expect_winner(f, ordered(f, 1));
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM winners"), 1);
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM contenders WHERE place = 1"), 1);
    assert_int_equal(f->run->winners, 2);
}

TEST_MAIN_WITH_WORKERS(NULL, NULL)
