/* From the race to the confirmation, on the null device. */
#include <math.h>
#include <string.h>

#include "session_fixture.h"

#include "tuner/base/array.h"
#include "tuner/session/check.h"

struct fixture {
    struct run *run;
    struct contest *contest;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->run = run_create(usual_text, "time");
    run_start(f->run, 2);
    struct sweep *sweep = run_sweep(f->run);
    f->run->session.lanes[1].lost = true; /* alone, so that of twins one is measured */
    RUN_OK(f->run, sweep_problem(&f->run->work, sweep, &f->run->error));
    f->run->session.lanes[1].lost = false;
    f->contest = contest_create(&f->run->work, sweep);
    assert_non_null(f->contest);
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

static void compete(struct fixture *f, bool expected)
{
    bool found = false;
    RUN_OK(f->run, contest_compete(f->contest, &found, &f->run->error));
    assert_int_equal(found, expected);
}

/* If blocks spread and are short, a visit has as many as bring their median within a tie; otherwise
 * one. */
TEST_WITH(test_noisy_visits_are_longer, setup, teardown)
{
    static const struct {
        double spread, run_ns;
        uint32_t blocks;
    } cases[] = {
        {0.0001, 1000, 3}, {0.005, 1000, 7}, {0.05, 1000, 9}, {0.05, 3e6, 3}, {0.05, 2e7, 1}};
    struct fixture *f = *state;
    struct sweep *sweep = f->contest->sweep;
    f->run->options.protocol.visit_blocks = 1;
    f->run->options.protocol.delta = 0.005;
    f->run->options.protocol.noisy_blocks = 9;
    for (size_t i = 0; i < COUNT(cases); i++) {
        contest_reset(f->contest);
        sweep->spread.sum = 2 * cases[i].spread;
        sweep->spread.count = 2;
        const double factor = cases[i].run_ns / sweep->best->median_ns;
        for (size_t k = 0; k < sweep->candidates.count; k++) /* the best stays so */
            ((struct candidate *)sweep->candidates.items[k])->median_ns *= factor;
        RUN_OK(f->run, contest_enter(f->contest, &f->run->session.lanes[0], &f->run->error));
        assert_int_equal(contest_blocks(f->contest, false), cases[i].blocks);
        assert_int_equal(contest_blocks(f->contest, true), cases[i].blocks < 3 ? 1 : 3);
    }
}

TEST_WITH(test_the_race_finds_a_winner, setup, teardown)
{
    struct fixture *f = *state;
    compete(f, true);
    const struct contest *contest = f->contest;
    assert_true(contest->finalist_count >= 2 && contest->finalist_count <= 8);
    assert_true(contest->winner.announced);
    assert_int_equal(f->run->winners, 1);
    bool wins = false;
    for (size_t i = 0; i < contest->finalist_count; i++) {
        const struct finalist *finalist = &contest->finalists[i];
        assert_non_null(finalist->slot.prepared);
        assert_null(finalist->slot.samples); /* stored already */
        assert_true(finalist->trial_id > 0);
        wins |= strcmp(finalist->key, contest->winner.key) == 0;
    }
    assert_true(wins);
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM winners WHERE stage = 'race'"), 1);
    assert_true(run_count(f->run, "SELECT count(*) FROM contenders") >= 2);
    assert_true(run_count(f->run, "SELECT min(passed) FROM gauntlets") == 1);
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM rounds WHERE stage = 'race' AND "
                                       "fault IS NULL"),
                     (int64_t)(contest->rounds.count - contest->rounds.dropped));
}

/* The first of two candidates with one launch represents both. */
TEST_WITH(test_the_first_of_twins_races, setup, teardown)
{
    struct fixture *f = *state;
    compete(f, true);
    for (size_t i = 0; i < f->contest->finalist_count; i++)
        assert_null(strstr(f->contest->finalists[i].key, "part=3"));
}

/* A candidate that was wrong in the race, or in an earlier gauntlet, does not race. */
TEST_WITH(test_who_is_rejected_does_not_race, setup, teardown)
{
    struct fixture *f = *state;
    struct sweep *sweep = f->contest->sweep;
    for (size_t i = 0; i < sweep->candidates.count; i++) {
        struct candidate *candidate = sweep->candidates.items[i];
        if (strstr(run_key(sweep, candidate), "way=one"))
            candidate->rejected = "gauntlet: n=3, starts 0 elements on: wrong_result: x";
    }
    sweep_find_best(sweep);
    assert_non_null(strstr(run_key(sweep, sweep->best), "way=two"));
    compete(f, true);
    assert_non_null(strstr(f->contest->winner.key, "way=two"));
    /* Without any candidate left there is no winner. */
    for (size_t i = 0; i < sweep->candidates.count; i++)
        sweep->candidates.items[i]->rejected = "wrong";
    compete(f, false);
    assert_int_equal(f->contest->finalist_count, 0);
}

TEST_WITH(test_a_rejection_is_told_and_stored, setup, teardown)
{
    struct fixture *f = *state;
    struct lane *lane = group_lane(f->run->work.group);
    RUN_OK(f->run, contest_race(f->contest, lane, &f->run->error));
    struct finalist *finalist = &f->contest->finalists[0];
    assert_true(finalist_can_win(finalist));
    f->contest->sweep->best = finalist->slot.candidate;
    RUN_OK(f->run, contest_reject(f->contest, finalist, 3, "watched: wrong", &f->run->error));
    assert_false(finalist_can_win(finalist));
    assert_ptr_not_equal(f->contest->sweep->best, finalist->slot.candidate);
    assert_int_equal(f->run->summary.gauntlet_failures, 1);
    assert_non_null(strstr(f->run->notes, "was among the fastest, but is out: watched: wrong"));
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM gauntlets WHERE NOT passed AND "
                                       "cases = 3 AND detail = 'watched: wrong'"),
                     1);
    assert_int_equal(contest_reject(f->contest, finalist, 0, NULL, &f->run->error),
                     STATUS_NO_MEMORY);
}

TEST_WITH(test_a_lost_device_leaves_the_race_to_another, setup, teardown)
{
    struct fixture *f = *state;
    f->run->session.lanes[0].lost = true;
    compete(f, true);
    const int64_t other = f->run->session.lanes[1].run_id;
    assert_int_equal(run_count(f->run, "SELECT count(DISTINCT run_id) FROM rounds"), 1);
    assert_int_equal(run_count(f->run, "SELECT run_id FROM rounds"), other);
    f->run->session.lanes[1].lost = true;
    bool found = true;
    assert_int_equal(contest_compete(f->contest, &found, &f->run->error), STATUS_DEVICE_LOST);
    assert_false(found);
}

TEST_WITH(test_fresh_processes_confirm, setup, teardown)
{
    struct fixture *f = *state;
    struct group *group = f->run->work.group;
    f->run->options.protocol.confirm_processes = 2;
    f->run->options.protocol.confirm_rounds = 3;
    compete(f, true);
    assert_true(contest_process_ns(f->contest) > 0);
    const struct prepared *prepared = f->contest->finalists[0].slot.prepared;
    const struct named_value *derived = prepared->derived;
    group->contests = group->last_contest = f->contest;
    RUN_OK(f->run, group_confirm(group, &f->run->error));
    assert_int_equal(f->contest->processes, 2);
    assert_int_equal(f->contest->levels, 2);
    assert_true(f->contest->confirmed);
    assert_int_equal(f->run->winners, 2);
    /* The plans prepared for the race serve each process. */
    assert_ptr_equal(f->contest->finalists[0].slot.prepared, prepared);
    assert_ptr_equal(prepared->derived, derived);
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM winners WHERE stage = 'confirm' AND "
                                       "processes = 2 AND compared IS NULL"),
                     1);
    assert_int_equal(run_count(f->run, "SELECT count(DISTINCT process) FROM rounds WHERE stage = "
                                       "'confirm'"),
                     2);
    /* The confirmation is done: no problem is confirmed twice. */
    f->run->winners = 0;
    RUN_OK(f->run, group_confirm(group, &f->run->error));
    assert_int_equal(f->run->winners, 0);
    group->contests = group->last_contest = NULL;
}

/* Finalists near the best are timed with dirty caches, too, and hot where the input fits; the
 * winner is the fastest in the mean over the states. */
TEST_WITH(test_other_states_count_as_much, setup, teardown)
{
    struct fixture *f = *state;
    struct group *group = f->run->work.group;
    struct contest *contest = f->contest;
    bool found = false;
    f->run->options.protocol.confirm_processes = 4;
    f->run->options.protocol.confirm_rounds = 3;
    f->run->options.protocol.state_rounds = 2;
    f->run->options.protocol.delta = 0.5; /* all are tied */
    compete(f, true);
    group->contests = group->last_contest = contest;
    RUN_OK(f->run, group_confirm(group, &f->run->error));
    group->contests = group->last_contest = NULL;
    static const char *const stages[] = {"dirty", "hot"};
    for (size_t s = 0; s < COUNT(stages); s++) {
        char query[256];
        assert_string_equal(contest_state(contest, s), stages[s]);
        (void)string_format(query, sizeof query,
                            "SELECT count(DISTINCT process) FROM rounds WHERE stage = '%s'",
                            stages[s]);
        assert_int_equal(run_count(f->run, query), s == 0 ? 5 : 4); /* process 0: the race */
        (void)string_format(
            query, sizeof query,
            "SELECT count(*) FROM states AS s JOIN trials AS t ON t.id = s.trial_id "
            "WHERE s.state = '%s' AND t.stage = s.state AND t.median_ns > 0",
            stages[s]);
        assert_in_range(run_count(f->run, query), 2, 16);
    }
    struct finalist *winner = NULL;
    for (size_t i = 0; i < contest->finalist_count; i++)
        if (strcmp(contest->finalists[i].key, contest->winner.key) == 0)
            winner = &contest->finalists[i];
    assert_non_null(winner);
    char before[CONFIGURATION_KEY_BYTES];
    (void)string_format(before, sizeof before, "%s", contest->winner.key);
    for (size_t p = 0; p < 4; p++)
        winner->in_state[0].levels[p] += 2;
    RUN_OK(f->run, contest_choose(contest, f->run->work.group->lanes[0], "confirm", &found,
                                  &f->run->error));
    assert_true(found);
    assert_string_not_equal(contest->winner.key, before);
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM states WHERE NOT tied AND state = "
                                       "'dirty' AND difference > 1"),
                     1);
    /* One that is slower from a clean cache, and faster from a dirty one by more. */
    struct finalist *other = NULL;
    for (size_t i = 0; i < contest->finalist_count; i++) {
        struct finalist *finalist = &contest->finalists[i];
        if (strcmp(finalist->key, contest->winner.key) == 0)
            winner = finalist;
        else if (finalist->wanted && finalist_can_win(finalist))
            other = finalist;
    }
    assert_non_null(other);
    f->run->options.protocol.delta = 0.002;
    for (size_t i = 0; i < contest->finalist_count; i++)
        for (size_t p = 0; p < 4; p++) {
            struct finalist *finalist = &contest->finalists[i];
            const double off = finalist == other ? 1 : finalist == winner ? 0 : 20;
            finalist->levels[p] = 0.011 * off;
            finalist->in_state[0].levels[p] = -0.03 * off;
            finalist->in_state[1].levels[p] = finalist == other || finalist == winner ? 0 : 1;
        }
    RUN_OK(f->run, contest_choose(contest, f->run->work.group->lanes[0], "confirm", &found,
                                  &f->run->error));
    assert_string_equal(contest->winner.key, other->key);
    f->run->options.l2_mode = L2_HOT; /* chosen by the user: no other state */
    assert_null(contest_state(contest, 0));
    f->run->options.l2_mode = L2_COLD;
    f->run->options.protocol.state_rounds = 0;
    assert_null(contest_state(contest, 1));
}

/* A candidate shown by half of the processes to be slower than a tie is timed no more; the others
 * by all. */
TEST_WITH(test_the_slower_are_settled_half_way, setup, teardown)
{
    struct fixture *f = *state;
    struct group *group = f->run->work.group;
    f->run->options.protocol.confirm_processes = 8;
    f->run->options.protocol.confirm_rounds = 3;
    f->run->options.protocol.race_slack = 1; /* the slower are finalists, too */
    compete(f, true);
    group->contests = group->last_contest = f->contest;
    RUN_OK(f->run, group_confirm(group, &f->run->error));
    group->contests = group->last_contest = NULL;
    assert_int_equal(f->contest->processes, 8);
    size_t settled = 0;
    for (size_t i = 0; i < f->contest->finalist_count; i++) {
        const struct finalist *finalist = &f->contest->finalists[i];
        size_t seen = 0;
        for (size_t p = 0; p < 8; p++)
            seen += isfinite(finalist->levels[p]) ? 1 : 0;
        assert_int_equal(seen, finalist->settled ? 4 : 8);
        if (finalist->settled)
            assert_false(finalist->contender.tied || finalist->is_baseline);
        settled += finalist->settled;
    }
    assert_true(settled > 0);
    assert_true(run_count(f->run, "SELECT count(*) FROM contenders WHERE NOT tied AND "
                                  "difference_low > 0") >= (int64_t)settled);
}

/* Among ties the one usable at more sizes comes first; one that was wrong at any size is out. */
TEST_WITH(test_the_larger_domain_is_first, setup, teardown)
{
    struct fixture *f = *state;
    struct sweep *sweep = f->contest->sweep;
    compete(f, true);
    struct contest *contest = f->contest;
    struct narrowing narrow = {{.multiple = 128, .least = 1}, "n=33: wrong", 0};
    struct narrowing narrower = {{.multiple = 256, .least = 1}, "n=33: wrong", 0};
    assert_true(contest->finalist_count >= 3);
    contest->finalists[0].slot.candidate->narrowing = &narrower;
    contest->finalists[1].slot.candidate->narrowing = &narrow;
    RUN_OK(f->run, finalists_order(&f->run->work, contest->finalists, contest->finalist_count,
                                   &f->run->error));
    assert_int_equal(contest->finalists[0].contender.order, contest->finalist_count - 1);
    assert_int_equal(contest->finalists[1].contender.order, contest->finalist_count - 2);
    struct candidate *winner = NULL;
    for (size_t i = 0; i < contest->finalist_count; i++)
        if (strcmp(contest->finalists[i].key, contest->winner.key) == 0)
            winner = contest->finalists[i].slot.candidate;
    assert_non_null(winner);
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM latest_winners"), 1);
    const struct store_gauntlet wrong = {.environment_id = f->run->work.environment_id,
                                         .problem_id = f->run->work.problem_id,
                                         .configuration_id = winner->configuration_id,
                                         .binary_hash =
                                             candidate_binary(&f->run->work, winner)->hash,
                                         .cases = 1,
                                         .detail = "watched: wrong_result"};
    RUN_OK(f->run, store_gauntlet_put(f->run->store, &wrong, &f->run->error));
    RUN_OK(f->run, sweep_take_refuted(&f->run->work, sweep, &f->run->error));
    assert_non_null(winner->rejected);
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM latest_winners"), 0);
}

/* The sweep alone decides if the race ends before its first comparison. */
TEST_WITH(test_a_stopped_run_has_a_best_so_far, setup, teardown)
{
    struct fixture *f = *state;
    struct sweep *sweep = f->contest->sweep;
    RUN_OK(f->run, sweep_choose_early(&f->run->work, sweep, &f->run->error));
    assert_int_equal(run_count(f->run, "SELECT count(*) FROM winners WHERE stage = 'sweep' AND "
                                       "trust = 'unstable' AND candidate_count = 8 AND "
                                       "space_count = 12"),
                     1);
    assert_int_equal(run_count(f->run, "SELECT trial_id FROM winners"), sweep->best->trial_id);
}

TEST_MAIN_WITH_WORKERS(NULL, NULL)
