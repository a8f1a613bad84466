/* Lines of tuned.conf for ranges of sizes: their ends, their contents, and omitted ones. */
#include "tests/unit/export/conf_fixture.h"

static const char key[] = "reduce.sum.i32";

/* One device, one problem at growing sizes, two configurations. */
struct tuning {
    struct fixture *fixture;
    int64_t environment, small, large;
};

static struct tuning start(struct fixture *fixture)
{
    return (struct tuning){.fixture = fixture,
                           .environment = add_device(fixture, "G", "u1", "580"),
                           .small = add_configuration(fixture, "one_block", 64),
                           .large = add_configuration(fixture, "last_block", 512)};
}

/* Measures a configuration at n with a grid; the trial's id. */
static int64_t measure(const struct tuning *tuning, int64_t configuration, int64_t n, int64_t grid,
                       const char *stage)
{
    int64_t problem = add_problem(tuning->fixture, key, n, 0.0);
    return add_trial(tuning->fixture, (struct put){tuning->environment, problem, configuration, 0,
                                                   stage, (double)(n * 10), grid, TRIAL_OK, NULL});
}

static void win(const struct tuning *tuning, int64_t n, int64_t trial, const char *trust)
{
    int64_t problem = add_problem(tuning->fixture, key, n, 0.0);
    const struct store_winner winner =
        winner_of(tuning->fixture, tuning->environment, problem, trial, trust);
    ok(store_winner_put(tuning->fixture->store, &winner, &error));
}

static void put_ranges(const struct tuning *tuning, const struct store_range *list, size_t count,
                       const char *objective)
{
    const struct store_ranges ranges = {.environment_id = tuning->environment,
                                        .experiment_id = tuning->fixture->experiment,
                                        .problem_key = key,
                                        .l2_mode = L2_COLD,
                                        .objective = objective,
                                        .run_id = add_run(tuning->fixture, tuning->environment),
                                        .within = 0.02,
                                        .ranges = list,
                                        .count = count};
    ok(store_ranges_put(tuning->fixture->store, &ranges, &error));
}

/* Results of looks at the measured sizes. */
static const struct store_range_check looks[] = {{.n = 1000, .measured = true},
                                                 {.n = 10000, .measured = true, .loss = 0.01},
                                                 {.n = 100000, .measured = true, .loss = 0.01},
                                                 {.n = 1000000, .measured = true, .loss = 0.01},
                                                 {.n = 10000000, .measured = true, .loss = 0.01}};

/* Returns the lines as "LOW-HIGH@AT block grid trust", one after the other. */
static const char *lines_of(const struct tuned *tuned, char out[static 512])
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < tuned_entry_count(tuned); i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, i);
        int length =
            snprintf(out + used, 512 - used, "%s%lld-%lld@%lld %lld %lld %s", i ? "; " : "",
                     tuned_entry_n_low(entry), tuned_entry_n_high(entry), tuned_entry_n(entry),
                     tuned_integer(entry, "block", -1), tuned_integer(entry, "grid", -1),
                     tuned_evidence_text(entry, "verdict", "?"));
        assert_true(length > 0 && used + (size_t)length < 512);
        used += (size_t)length;
    }
    return out;
}

#define assert_lines(tuning, expected)                                                             \
    do {                                                                                           \
        char lines[512];                                                                           \
        struct tuned *loaded = export_and_load((tuning)->fixture);                                 \
        assert_string_equal(lines_of(loaded, lines), expected);                                    \
        tuned_free(loaded);                                                                        \
    } while (0)

/* Measures six sizes; the small configuration won the first two, the large one the others, whose
 * grid grows until the device is full. */
static void measure_six(const struct tuning *tuning)
{
    static const int64_t sizes[] = {100, 1000, 10000, 100000, 1000000, 10000000};
    static const int64_t grids[] = {1, 1, 10, 100, 264, 264};
    for (int i = 0; i < 6; i++) {
        int64_t small = measure(tuning, tuning->small, sizes[i], 1, "sweep");
        int64_t large = measure(tuning, tuning->large, sizes[i], grids[i], "sweep");
        if (i >= 4)
            large = measure(tuning, tuning->large, sizes[i], grids[i], "race");
        win(tuning, sizes[i], i < 2 ? small : large, "sound");
    }
}

TEST_WITH(range_is_cut_where_derived_values_change, setup, teardown)
{
    const struct tuning tuning = start(*state);
    measure_six(&tuning);
    assert_lines(&tuning, "100-100@100 64 1 sure; 1000-1000@1000 64 1 sure; "
                          "10000-10000@10000 512 10 sure; 100000-100000@100000 512 100 sure; "
                          "1000000-1000000@1000000 512 264 sure; "
                          "10000000-10000000@10000000 512 264 sure");
    const struct store_range ranges[] = {
        {.n_low = 100, .n_high = 3162, .configuration_id = tuning.small, .bound = 0.0},
        {.n_low = 3163, .n_high = 10000000, .configuration_id = tuning.large, .bound = 0.012341}};
    put_ranges(&tuning, ranges, 2, "time");
    assert_lines(&tuning, "100-3162@1000 64 1 sure; 3163-31622@10000 512 10 sure; "
                          "31623-316227@100000 512 100 sure; "
                          "316228-10000000@10000000 512 264 sure");

    struct tuned *tuned = export_and_load(*state);
    const struct tuned_entry *last = tuned_entry_at(tuned, 3);
    assert_true(tuned_expected_ns(last) == 1e8); /* at the largest of its sizes */
    assert_string_equal(tuned_evidence_text(last, "stage", ""), "race");
    assert_string_equal(tuned_evidence_text(tuned_entry_at(tuned, 0), "bound_percent", ""), "0");
    assert_true(tuned_evidence(last, "bound_percent", 0) == 1.24); /* a bound is rounded up */
    assert_true(tuned_evidence(last, "claim_percent", 0) == 0.25);
    tuned_free(tuned);
}

/* A range's configuration counts at another's size, too, if it was compared with the winner there.
 */
TEST_WITH(few_ranges_for_many_winners, setup, teardown)
{
    const struct tuning tuning = start(*state);
    measure_six(&tuning);
    struct store_range whole = {.n_low = 100,
                                .n_high = 10000000,
                                .configuration_id = tuning.small,
                                .bound = 0.02,
                                .checks = looks,
                                .check_count = 5};
    put_ranges(&tuning, &whole, 1, "time");
    assert_lines(&tuning, "100-10000000@10000000 64 1 sure");
    whole.check_count = 4; /* but at the largest */
    put_ranges(&tuning, &whole, 1, "time");
    assert_lines(&tuning, "100-100@100 64 1 sure; 1000-1000@1000 64 1 sure; "
                          "10000-10000@10000 512 10 sure; 100000-100000@100000 512 100 sure; "
                          "1000000-1000000@1000000 512 264 sure; "
                          "10000000-10000000@10000000 512 264 sure");
    /* The rounds of the choice count likewise, if they show that it loses no more. */
    int64_t problem = add_problem(*state, key, 10000000, 0.0);
    int64_t small = measure(&tuning, tuning.small, 10000000, 1, "race");
    const struct put put = {tuning.environment, problem, tuning.large, 0, "race", 1e8, 264,
                            TRIAL_OK,           NULL};
    add_contest(*state, put, add_trial(*state, put), tuning.small, small, 0.005);
    put_ranges(&tuning, &whole, 1, "time");
    assert_lines(&tuning, "100-10000000@10000000 64 1 sure");
    whole.bound = 0.012;
    put_ranges(&tuning, &whole, 1, "time");
    assert_lines(&tuning, "100-100@100 64 1 sure; 1000-1000@1000 64 1 sure; "
                          "10000-10000@10000 512 10 sure; 100000-100000@100000 512 100 sure; "
                          "1000000-1000000@1000000 512 264 sure; "
                          "10000000-10000000@10000000 512 264 sure");
}

/* A winner chosen after the ranges is not in them. */
TEST_WITH(ranges_end_with_a_winner_chosen_anew, setup, teardown)
{
    const struct tuning tuning = start(*state);
    measure_six(&tuning);
    const struct store_range small = {
        .n_low = 100, .n_high = 1000, .configuration_id = tuning.small, .bound = 0};
    put_ranges(&tuning, &small, 1, "time");
    win(&tuning, 1000, measure(&tuning, tuning.small, 1000, 1, "race"), "sound");
    assert_lines(&tuning, "100-100@100 64 1 sure; 1000-1000@1000 64 1 sure; "
                          "10000-10000@10000 512 10 sure; 100000-100000@100000 512 100 sure; "
                          "1000000-1000000@1000000 512 264 sure; "
                          "10000000-10000000@10000000 512 264 sure");
}

/* A result of the sweep alone is no winner for production. */
TEST_WITH(a_sweeps_best_so_far_is_not_written, setup, teardown)
{
    const struct tuning tuning = start(*state);
    measure_six(&tuning);
    int64_t problem = add_problem(*state, key, 1000, 0.0);
    struct store_winner early =
        winner_of(*state, tuning.environment, problem,
                  measure(&tuning, tuning.large, 1000, 1, "sweep"), "noisy");
    early.stage = "sweep";
    ok(store_winner_put(tuning.fixture->store, &early, &error));
    assert_lines(&tuning, "100-100@100 64 1 sure; 10000-10000@10000 512 10 sure; "
                          "100000-100000@100000 512 100 sure; "
                          "1000000-1000000@1000000 512 264 sure; "
                          "10000000-10000000@10000000 512 264 sure");
}

/* A size tuned outside the ranges keeps a line of its own. */
TEST_WITH(size_outside_of_ranges_has_its_line, setup, teardown)
{
    const struct tuning tuning = start(*state);
    measure_six(&tuning);
    const struct store_range middle = {.n_low = 1000,
                                       .n_high = 100000,
                                       .configuration_id = tuning.small,
                                       .bound = 0.02,
                                       .checks = looks,
                                       .check_count = 3};
    put_ranges(&tuning, &middle, 1, "time");
    assert_lines(&tuning, "100-100@100 64 1 sure; 1000-100000@100000 64 1 sure; "
                          "1000000-1000000@1000000 512 264 sure; "
                          "10000000-10000000@10000000 512 264 sure");
}

/* The ranges of an older driver do not outlive winners of a newer one. */
TEST_WITH(ranges_go_with_the_newest_winner, setup, teardown)
{
    struct tuning tuning = start(*state);
    measure_six(&tuning);
    const struct store_range whole = {
        .n_low = 100, .n_high = 10000000, .configuration_id = tuning.large, .bound = 0.02};
    put_ranges(&tuning, &whole, 1, "time");
    tuning.environment = add_device(*state, "G", "u2", "590");
    win(&tuning, 1000, measure(&tuning, tuning.large, 1000, 7, "race"), "sound");
    assert_lines(&tuning, "100-100@100 64 1 sure; 1000-1000@1000 512 7 sure; "
                          "10000-10000@10000 512 10 sure; 100000-100000@100000 512 100 sure; "
                          "1000000-1000000@1000000 512 264 sure; "
                          "10000000-10000000@10000000 512 264 sure");
    const struct store_range newer = {
        .n_low = 500, .n_high = 2000, .configuration_id = tuning.large, .bound = 0.0};
    put_ranges(&tuning, &newer, 1, "time");
    struct tuned *tuned = export_and_load(*state);
    const struct tuned_entry *entry = find(tuned, "G", 1000);
    assert_int_equal(tuned_entry_n_low(entry), 500);
    assert_int_equal(tuned_entry_n_high(entry), 2000);
    assert_string_equal(tuned_device_text(entry, "driver", ""), "590");
    assert_int_equal(tuned_entry_count(tuned), 6);
    tuned_free(tuned);
}

/* A configuration with the launch of another has that one's best time, and its own grid. */
TEST_WITH(duplicate_in_a_range_has_the_time_of_its_twin, setup, teardown)
{
    const struct tuning tuning = start(*state);
    int64_t problem = add_problem(*state, key, 1000, 0.0);
    int64_t real = measure(&tuning, tuning.small, 1000, 5, "sweep");
    (void)measure(&tuning, tuning.small, 1000, 5, "confirm");
    (void)add_trial(*state, (struct put){tuning.environment, problem, tuning.large, real, "sweep",
                                         (double)NAN, 9, TRIAL_OK, NULL});
    win(&tuning, 1000, real, "sound");
    const struct store_range range = {.n_low = 1000,
                                      .n_high = 1001,
                                      .configuration_id = tuning.large,
                                      .checks = looks,
                                      .check_count = 1};
    put_ranges(&tuning, &range, 1, "time");
    assert_lines(&tuning, "1000-1001@1000 512 9 sure");
    struct tuned *tuned = export_and_load(*state);
    assert_string_equal(tuned_evidence_text(tuned_entry_at(tuned, 0), "stage", ""), "confirm");
    assert_true(tuned_expected_ns(tuned_entry_at(tuned, 0)) == 10000.0);
    tuned_free(tuned);
}

TEST_WITH(unstable_winners_are_left_out_and_counted, setup, teardown)
{
    struct fixture *fixture = *state;
    const struct tuning tuning = start(fixture);
    static const int64_t sizes[] = {10, 100, 1000};
    for (int i = 0; i < 3; i++)
        win(&tuning, sizes[i], measure(&tuning, tuning.small, sizes[i], i == 0 ? 1 : 2, "race"),
            i < 2 ? "unstable" : "noisy");
    struct export_counts counts = {0};
    ok(export_conf(fixture->store, fixture->conf, NULL, &counts, &error));
    assert_int_equal(counts.entries, 1);
    assert_int_equal(counts.unstable, 2);
    assert_lines(&tuning, "1000-1000@1000 64 2 nearly sure");

    /* In a range: half-way to the size that supports the line. */
    const struct store_range whole = {
        .n_low = 10, .n_high = 1000, .configuration_id = tuning.small};
    put_ranges(&tuning, &whole, 1, "time");
    ok(export_conf(fixture->store, fixture->conf, NULL, &counts, &error));
    assert_int_equal(counts.entries, 1);
    assert_int_equal(counts.unstable, 2);
    assert_lines(&tuning, "317-1000@1000 64 2 nearly sure");

    const struct export_options all = {.include_unstable = true};
    struct text text = {0};
    ok(export_conf_text(fixture->store, &text, &all, &counts, &error));
    assert_int_equal(counts.entries, 2);
    assert_int_equal(counts.unstable, 0);
    assert_non_null(strstr(text_string(&text), "reduce.sum.i32 n=10-31 variant=one_block"));
    text_free(&text);
}

/* Between two sizes that support a line, an unstable size counts as unmeasured, whatever was
 * measured there; beyond them the line ends half-way to it. */
TEST_WITH(unstable_sizes_support_no_line, setup, teardown)
{
    const struct tuning tuning = start(*state);
    static const int64_t sizes[] = {100, 1000, 10000, 100000, 1000000};
    static const int64_t grids[] = {1, 2, 7, 2, 9};
    static const char *const trusts[] = {"unstable", "sound", "unstable", "noisy", "unstable"};
    for (int i = 0; i < 5; i++)
        win(&tuning, sizes[i], measure(&tuning, tuning.small, sizes[i], grids[i], "race"),
            trusts[i]);
    const struct store_range whole = {
        .n_low = 100, .n_high = 1000000, .configuration_id = tuning.small};
    put_ranges(&tuning, &whole, 1, "time");
    assert_lines(&tuning, "317-316227@100000 64 2 nearly sure");

    const struct store_range halves[] = {
        {.n_low = 100, .n_high = 10000, .configuration_id = tuning.small},
        {.n_low = 10001, .n_high = 1000000, .configuration_id = tuning.small}};
    put_ranges(&tuning, halves, 2, "time");
    assert_lines(&tuning, "317-3162@1000 64 2 sure; 10001-316227@100000 64 2 nearly sure");

    /* A range of unstable sizes alone is none, and takes nothing from the one before. */
    const struct store_range parts[] = {
        {.n_low = 100, .n_high = 1999, .configuration_id = tuning.small},
        {.n_low = 2000, .n_high = 20000, .configuration_id = tuning.small},
        {.n_low = 20001, .n_high = 500000, .configuration_id = tuning.small},
        {.n_low = 500001, .n_high = 1000000, .configuration_id = tuning.small}};
    put_ranges(&tuning, parts, 4, "time");
    assert_lines(&tuning, "317-1999@1000 64 2 sure; 20001-500000@100000 64 2 nearly sure");
}

TEST_WITH(nothing_stable_writes_nothing, setup, teardown)
{
    struct fixture *fixture = *state;
    const struct tuning tuning = start(fixture);
    win(&tuning, 10, measure(&tuning, tuning.small, 10, 1, "race"), "unstable");
    struct export_counts counts = {0};
    assert_int_equal(export_conf(fixture->store, fixture->conf, NULL, &counts, &error),
                     STATUS_NO_WINNER);
    assert_non_null(strstr(error.text, "1 not sure"));
    assert_int_equal(counts.unstable, 1);
    assert_false(file_exists(fixture->conf));
}

TEST_WITH(winners_by_another_objective_are_apart, setup, teardown)
{
    struct fixture *fixture = *state;
    const struct tuning tuning = start(fixture);
    int64_t problem = add_problem(fixture, key, 1000, 0.0);
    win(&tuning, 1000, measure(&tuning, tuning.small, 1000, 1, "race"), "sound");
    int64_t trial = add_trial(fixture, (struct put){tuning.environment, problem, tuning.large, 0,
                                                    "race", 50.0, 3, TRIAL_OK, "energy"});
    struct store_winner winner = winner_of(fixture, tuning.environment, problem, trial, "sound");
    winner.objective = "energy";
    ok(store_winner_put(fixture->store, &winner, &error));
    const struct store_range range = {
        .n_low = 500, .n_high = 2000, .configuration_id = tuning.large};
    put_ranges(&tuning, &range, 1, "energy");
    assert_lines(&tuning, "1000-1000@1000 64 1 sure");

    const struct export_options by_energy = {.objective = "energy"};
    ok(export_conf(fixture->store, fixture->conf, &by_energy, NULL, &error));
    struct tuned *tuned = tuned_load(fixture->conf, NULL);
    assert_int_equal(tuned_entry_count(tuned), 1);
    const struct tuned_entry *entry = find(tuned, "G", 1000);
    assert_int_equal(tuned_integer(entry, "block", 0), 512);
    assert_int_equal(tuned_entry_n_high(entry), 2000);
    assert_string_equal(tuned_evidence_text(entry, "objective", ""), "energy");
    assert_true(tuned_evidence(entry, "energy_j", 0) == 0.0125);
    assert_true(tuned_evidence(entry, "value", 0) == 0.0125);
    tuned_free(tuned);

    const struct export_options by_edp = {.objective = "edp"};
    assert_int_equal(export_conf(fixture->store, fixture->conf, &by_edp, NULL, &error),
                     STATUS_NO_WINNER);
    assert_non_null(strstr(error.text, "no winner by edp"));
}

/* Any tuning: written values are read back unchanged. */
struct drawn {
    int64_t n, grid, configuration;
};

static uint64_t seed;

static int64_t draw(int64_t bound)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 11) % (uint64_t)bound);
}

enum { DRAWN = 12 };

/* Sizes with a grid each, cut into ranges of one configuration. */
static size_t draw_tuning(const struct tuning *tuning, struct drawn *drawn,
                          struct store_range *ranges)
{
    size_t count = 0;
    int64_t n = 1 + draw(50);
    int64_t grid = 1;
    for (size_t i = 0; i < DRAWN; i++) {
        bool cut = i == 0 || draw(4) == 0;
        grid += draw(2);
        if (cut && count > 0)
            ranges[count - 1].n_high = (drawn[i - 1].n + n) / 2;
        if (cut)
            ranges[count++] = (struct store_range){
                .n_low = i == 0 ? n : (drawn[i - 1].n + n) / 2 + 1,
                .configuration_id = draw(2) == 0 ? tuning->small : tuning->large};
        drawn[i] = (struct drawn){n, grid, ranges[count - 1].configuration_id};
        ranges[count - 1].n_high = n;
        int64_t trial = measure(tuning, drawn[i].configuration, n, grid, "sweep");
        win(tuning, n, trial, "sound");
        n += 1 + draw(n * 3);
    }
    return count;
}

static void check_drawn(const struct tuned *tuned, const char *name, const struct tuning *tuning,
                        const struct drawn *drawn, const struct store_range *ranges, size_t count)
{
    const struct tuned_device device = {
        .kind = "cuda", .name = name, .compute_capability_major = 9, .unit_count = 132};
    struct tuned_answer answer;
    for (size_t i = 0; i < DRAWN; i++) {
        assert_true(tuned_find(tuned, &device, key, drawn[i].n, &answer) >= TUNED_IN_RANGE);
        assert_int_equal(tuned_integer(answer.entry, "grid", -1), drawn[i].grid);
        assert_int_equal(tuned_integer(answer.entry, "block", -1),
                         drawn[i].configuration == tuning->small ? 64 : 512);
    }
    /* No gap from the first size to the last, and each n has the range's configuration. */
    for (size_t range = 0; range < count; range++)
        for (int i = 0; i < 50; i++) {
            int64_t n = ranges[range].n_low + draw(ranges[range].n_high - ranges[range].n_low + 1);
            assert_true(tuned_find(tuned, &device, key, n, &answer) >= TUNED_IN_RANGE);
            assert_int_equal(tuned_integer(answer.entry, "block", -1),
                             ranges[range].configuration_id == tuning->small ? 64 : 512);
        }
    assert_int_equal(tuned_find(tuned, &device, key, drawn[0].n - 1, &answer), TUNED_NEAREST_SIZE);
    assert_int_equal(tuned_find(tuned, &device, key, drawn[DRAWN - 1].n + 1, &answer),
                     TUNED_NEAREST_SIZE);
}

TEST_WITH(random_tunings_come_back, setup, teardown)
{
    struct fixture *fixture = *state;
    struct tuning tuning = start(fixture);
    for (int i = 1; i <= 12; i++) {
        struct drawn drawn[DRAWN];
        struct store_range ranges[DRAWN];
        struct text text = {0};
        struct text again = {0};
        char name[16];
        seed = (uint64_t)i;
        (void)snprintf(name, sizeof name, "Random %d", i);
        tuning.environment = add_device(fixture, name, name, "580");
        size_t count = draw_tuning(&tuning, drawn, ranges);
        put_ranges(&tuning, ranges, count, "time");
        ok(export_conf_text(fixture->store, &text, NULL, NULL, &error));
        ok(export_conf_text(fixture->store, &again, NULL, NULL, &error));
        assert_string_equal(text_string(&text), text_string(&again));
        struct tuned *tuned = tuned_load_memory(text.data, text.length, "t.conf", NULL);
        assert_non_null(tuned);
        check_drawn(tuned, name, &tuning, drawn, ranges, count);
        tuned_free(tuned);
        text_free(&text);
        text_free(&again);
    }
}

TEST_MAIN(NULL, NULL)
