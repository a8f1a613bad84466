/* Verdicts of tune check: of an entry that raced, and of one that did not. */
#include "tests/unit/export/conf_fixture.h"
#include "tuner/cli/check.h"

static const char installed[] =
    "tuned-conf 4\n"
    "[cuda \"A GPU\"] compute_capability=9.0\n"
    "reduce.sum.i32 n=1000 variant=last block=256 | time_ns=100\n"
    "reduce.sum.i32 n=2000 variant=last block=256 | time_ns=100 loss_percent=1 states=clean,dirty\n"
    "end\n";
enum { PLAIN, WITH_LOSS }; /* entries */

/* A check of one entry, "last 256", on a device with a database. */
struct bench {
    struct fixture *fixture;
    struct check *check;
    struct check_entry entry;
    int64_t environment, problem, fast, own;
};

static struct bench begin(struct fixture *fixture, size_t installed_entry)
{
    struct tuned_error refused;
    struct bench bench = {.fixture = fixture, .check = calloc(1, sizeof *bench.check)};
    assert_non_null(bench.check);
    bench.check->tuned = tuned_load_memory(installed, sizeof installed - 1, "installed", &refused);
    assert_non_null(bench.check->tuned);
    bench.check->store = fixture->store;
    bench.environment = add_device(fixture, "A GPU", "GPU-1", "580.1");
    bench.problem = add_problem(fixture, "reduce.sum.i32", 1000, 4000);
    bench.fast = add_configuration(fixture, "fast", 64);
    bench.own = add_configuration(fixture, "last", 256);
    bench.entry = (struct check_entry){.entry = tuned_entry_at(bench.check->tuned, installed_entry),
                                       .problem = "reduce.sum.i32",
                                       .n = 1000,
                                       .configuration = "last 256"};
    return bench;
}

static int64_t time_one(const struct bench *bench, int64_t configuration, double median_ns,
                        enum trial_status status)
{
    const struct put put = {.environment = bench->environment,
                            .problem = bench->problem,
                            .configuration = configuration,
                            .stage = "sweep",
                            .median_ns = median_ns,
                            .status = status};
    return add_trial(bench->fixture, put);
}

/* Stores a race that "fast 64" won, with the entry as the second. */
static void race(const struct bench *bench, struct store_contender own, const char *trust,
                 const char *trust_reason)
{
    const int64_t winner = time_one(bench, bench->fast, 100, TRIAL_OK);
    const struct store_contender contenders[] = {
        {.configuration_id = bench->fast, .trial_id = winner, .place = 1},
        {.configuration_id = bench->own,
         .trial_id = time_one(bench, bench->own, 100 * (1 + own.difference), TRIAL_OK),
         .place = 2,
         .difference = own.difference,
         .difference_low = own.difference_low,
         .difference_high = own.difference_high,
         .tied = own.tied,
         .out = own.out}};
    struct store_winner row =
        winner_of(bench->fixture, bench->environment, bench->problem, winner, trust);
    row.trust_reason = trust_reason;
    row.processes = 1;
    row.contenders = contenders;
    row.contender_count = 2;
    ok(store_winner_put(bench->fixture->store, &row, &error));
}

/* Judges, expects that, and frees the bench. */
static void expect(struct bench *bench, enum check_state state, bool in_doubt, const char *reason)
{
    bench->check->entries = &bench->entry;
    bench->check->entry_count = 1;
    ok(check_judge(bench->check, bench->environment, &error));
    if (bench->entry.state != state || bench->entry.in_doubt != in_doubt ||
        strcmp(bench->entry.reason, reason) != 0)
        fail_msg("state %d, in doubt %d: %s", bench->entry.state, bench->entry.in_doubt,
                 bench->entry.reason);
    arena_free(&bench->check->arena);
    tuned_free(bench->check->tuned);
    free(bench->check);
}

TEST_WITH(the_fastest_entry_holds_and_a_stale_one_is_told, setup, teardown)
{
    struct bench bench = begin(*state, PLAIN);
    const struct put put = {
        .environment = bench.environment, .problem = bench.problem, .configuration = bench.own};
    add_contest(bench.fixture, put, time_one(&bench, bench.own, 100, TRIAL_OK), bench.fast,
                time_one(&bench, bench.fast, 110, TRIAL_OK), 0.1);
    bench.entry.is_stale = true;
    expect(&bench, CHECK_STALE, false, "the fastest of 2");
}

TEST_WITH(an_entry_that_is_a_little_slower_in_one_process_is_in_doubt, setup, teardown)
{
    struct bench bench = begin(*state, PLAIN);
    race(&bench,
         (struct store_contender){
             .difference = 0.02, .difference_low = 0.01, .difference_high = 0.03},
         "sound", "");
    expect(&bench, CHECK_BEATEN, true,
           "fast 64 is faster: the entry takes 2.00 % longer (1.00 to 3.00 %)");
}

TEST_WITH(an_entry_that_is_far_slower_is_in_no_doubt, setup, teardown)
{
    struct bench bench = begin(*state, PLAIN);
    race(&bench,
         (struct store_contender){
             .difference = 0.2, .difference_low = 0.15, .difference_high = 0.25},
         "sound", "");
    expect(&bench, CHECK_BEATEN, false,
           "fast 64 is faster: the entry takes 20.00 % longer (15.00 to 25.00 %)");
}

TEST_WITH(a_tied_entry_holds, setup, teardown)
{
    struct bench bench = begin(*state, PLAIN);
    race(&bench,
         (struct store_contender){
             .difference = 0.002, .difference_low = 0.001, .difference_high = 0.0024, .tied = true},
         "sound", "");
    expect(&bench, CHECK_HOLDS, false,
           "not shown to lose more than 0.25 % to the fastest of 2: 0.20 % (0.10 to 0.24 %)");
}

/* The mean loss over two states may be due entirely to the one that is measured. */
TEST_WITH(an_entry_may_lose_as_much_as_its_range_permits, setup, teardown)
{
    struct bench bench = begin(*state, WITH_LOSS);
    race(&bench,
         (struct store_contender){
             .difference = 0.02, .difference_low = 0.018, .difference_high = 0.0215},
         "sound", "");
    expect(&bench, CHECK_HOLDS, false,
           "not shown to lose more than 2.25 % to the fastest of 2: 2.00 % (1.80 to 2.15 %)");
}

TEST_WITH(a_wrong_entry_is_beaten_and_noise_decides_nothing, setup, teardown)
{
    struct bench bench = begin(*state, PLAIN);
    race(&bench,
         (struct store_contender){.difference = 0.02,
                                  .difference_low = 0.01,
                                  .difference_high = 0.03,
                                  .out = "gauntlet: out[3] is 7, not 8"},
         "sound", "");
    expect(&bench, CHECK_BEATEN, false, "gauntlet: out[3] is 7, not 8");
    bench = begin(*state, PLAIN);
    race(&bench,
         (struct store_contender){
             .difference = 0.02, .difference_low = 0.01, .difference_high = 0.03},
         "unstable", "the clock changed");
    expect(&bench, CHECK_UNKNOWN, true, "the clock changed");
}

TEST_WITH(an_entry_that_did_not_race_is_to_blame_only_for_its_own_failure, setup, teardown)
{
    struct bench bench = begin(*state, PLAIN);
    expect(&bench, CHECK_UNKNOWN, false, "it is no configuration of the experiment as it is today");
    bench = begin(*state, PLAIN);
    bench.check->budget_spent = true;
    expect(&bench, CHECK_NO_TIME, false, "the budget was spent before its turn");
    bench = begin(*state, PLAIN);
    (void)time_one(&bench, bench.own, 100, TRIAL_OK);
    expect(&bench, CHECK_UNKNOWN, false, "it was not raced");
    bench = begin(*state, PLAIN);
    bench.check->budget_spent = true; /* the failure came before its end */
    (void)time_one(&bench, bench.own, (double)NAN, TRIAL_WRONG_RESULT);
    expect(&bench, CHECK_BEATEN, false, "wrong_result");
}

TEST_MAIN(NULL, NULL)
