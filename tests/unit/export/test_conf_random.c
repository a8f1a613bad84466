/* Databases of random contents, written by tune export and read back by libtuned: every value comes
 * back, for every device; and the portable entries lose least. */
#include "tests/unit/export/conf_fixture.h"

#include "tuner/base/random.h"

enum { DEVICES = 3, SIZES = 5, CONFIGURATIONS = 6, TEXT = 24 };

static const int64_t sizes[SIZES] = {100, 1000, 10000, 100000, 1000000};

/* The contents of the database. */
struct world {
    struct fixture *fixture;
    struct random random;
    char names[DEVICES][TEXT], texts[CONFIGURATIONS][TEXT];
    int64_t integers[CONFIGURATIONS], configurations[CONFIGURATIONS];
    double reals[CONFIGURATIONS];
    double times[DEVICES][SIZES][CONFIGURATIONS];
    size_t winners[DEVICES][SIZES];
};

static uint64_t below(struct world *world, uint64_t limit)
{
    return random_below(&world->random, limit);
}

/* Characters to which the format gives a meaning. */
static void make_text(struct world *world, char out[TEXT], size_t number)
{
    static const char alphabet[] = "ab_.-| #=\"\\[]'%~;,";
    size_t length = below(world, TEXT - 8);
    for (size_t i = 0; i < length; i++)
        out[i] = alphabet[below(world, sizeof alphabet - 1)];
    (void)snprintf(out + length, TEXT - length, "%zu", number);
}

static void make_configurations(struct world *world)
{
    for (size_t c = 0; c < CONFIGURATIONS; c++) {
        char key[TEXT + 8];
        make_text(world, world->texts[c], c);
        world->integers[c] = (int64_t)random_next(&world->random);
        world->reals[c] = ((double)below(world, 2000001) - 1e6) / 64.0;
        const struct named_value values[] = {{"text", value_text(world->texts[c])},
                                             {"integer", value_integer(world->integers[c])},
                                             {"real", value_real(world->reals[c])}};
        (void)snprintf(key, sizeof key, "key %zu", c);
        ok(store_configuration(world->fixture->store, world->fixture->experiment, key, values, 3,
                               &world->configurations[c], &error));
    }
}

static void measure(struct world *world, size_t device, int64_t environment)
{
    world->fixture->run = add_run(world->fixture, environment);
    for (size_t s = 0; s < SIZES; s++) {
        int64_t problem = add_problem(world->fixture, "reduce.sum.i32", sizes[s], 0.0);
        int64_t best_trial = 0;
        size_t *best = &world->winners[device][s];
        for (size_t c = 0; c < CONFIGURATIONS; c++) {
            double *time = &world->times[device][s][c];
            *time = 1000.0 + (double)below(world, 1000);
            int64_t trial = add_trial(world->fixture,
                                      (struct put){environment, problem, world->configurations[c],
                                                   0, "race", *time, 7, TRIAL_OK, NULL});
            if (c == 0 || *time < world->times[device][s][*best]) {
                *best = c;
                best_trial = trial;
            }
        }
        add_winner(world->fixture, environment, problem, best_trial);
    }
}

static void assert_configuration(const struct world *world, const struct tuned_entry *entry,
                                 size_t c)
{
    assert_string_equal(tuned_text(entry, "text", "?"), world->texts[c]);
    assert_true(tuned_integer(entry, "integer", 0) == world->integers[c]);
    assert_true(tuned_real(entry, "real", 0) == world->reals[c]);
}

static double worst_loss(const struct world *world, size_t size, size_t c)
{
    double worst = 0;
    for (size_t d = 0; d < DEVICES; d++)
        worst = fmax(worst,
                     world->times[d][size][c] / world->times[d][size][world->winners[d][size]] - 1);
    return worst;
}

/* Checks that no configuration is better by more than a tie or than the loss that sizes share. */
static void assert_portable(const struct world *world, const struct tuned *tuned, size_t size)
{
    struct tuned_device device = {.kind = "cuda", .name = "none of these"};
    struct tuned_answer answer;
    double least = (double)INFINITY;
    size_t chosen = CONFIGURATIONS;
    device.compute_capability_major = 9; /* among the measured ones */
    assert_int_equal(tuned_find(tuned, &device, "reduce.sum.i32", sizes[size], &answer),
                     TUNED_PORTABLE);
    for (size_t c = 0; c < CONFIGURATIONS; c++) {
        least = fmin(least, worst_loss(world, size, c));
        if (tuned_integer(answer.entry, "integer", 0) == world->integers[c])
            chosen = c;
    }
    assert_true(chosen < CONFIGURATIONS);
    assert_configuration(world, answer.entry, chosen);
    /* A value that depends on size and device in unknown ways is not given for other devices. */
    assert_int_equal(tuned_integer(answer.entry, "grid", 0), 0);
    device.compute_capability_major = 8;
    assert_int_equal(tuned_find(tuned, &device, "reduce.sum.i32", sizes[size], &answer),
                     TUNED_NONE);
    device.compute_capability_major = 9;
    assert_int_equal(tuned_find(tuned, &device, "reduce.sum.i32", sizes[size], &answer),
                     TUNED_PORTABLE);
    assert_true(worst_loss(world, size, chosen) <= fmax(least + 0.0025, 0.02));
    assert_true(tuned_evidence(answer.entry, "worst_loss_percent", -1) >=
                100 * worst_loss(world, size, chosen) - 1e-3);
    assert_true(tuned_evidence(answer.entry, "devices", 0) == (double)DEVICES);
}

static void check_world(const struct world *world, const struct tuned *tuned)
{
    for (size_t d = 0; d < DEVICES; d++) {
        struct tuned_device device = {.kind = "cuda", .name = world->names[d]};
        device.compute_capability_major = 9;
        device.unit_count = 132;
        for (size_t s = 0; s < SIZES; s++) {
            struct tuned_answer answer;
            assert_int_equal(tuned_find(tuned, &device, "reduce.sum.i32", sizes[s], &answer),
                             TUNED_EXACT);
            assert_configuration(world, answer.entry, world->winners[d][s]);
            assert_int_equal(tuned_integer(answer.entry, "grid", 0), 7);
            assert_true(tuned_expected_ns(answer.entry) ==
                        world->times[d][s][world->winners[d][s]]);
        }
    }
    for (size_t s = 0; s < SIZES; s++)
        assert_portable(world, tuned, s);
}

TEST(random_contents_come_back)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        void *each = NULL;
        (void)setup(&each);
        struct world *world = calloc(1, sizeof *world);
        assert_non_null(world);
        world->fixture = each;
        world->random.seed = seed;
        make_configurations(world);
        for (size_t d = 0; d < DEVICES; d++) {
            char uuid[16];
            (void)snprintf(uuid, sizeof uuid, "u%zu", d);
            make_text(world, world->names[d], d);
            measure(world, d, add_device(world->fixture, world->names[d], uuid, "580"));
        }
        struct tuned *tuned = export_and_load(world->fixture);
        check_world(world, tuned);
        tuned_free(tuned);
        free(world);
        (void)teardown(&each);
    }
}

/* The only device of a kind has no other to compare with. */
TEST_WITH(one_device_has_no_portable_section, setup, teardown)
{
    struct fixture *fixture = *state;
    int64_t environment = add_device(fixture, "G", "u1", "1");
    int64_t problem = add_problem(fixture, "reduce.sum.i32", 10, 0.0);
    int64_t best = add_configuration(fixture, "v", 1);
    add_winner(fixture, environment, problem,
               add_trial(fixture, (struct put){environment, problem, best, 0, "sweep", 10.0, 0,
                                               TRIAL_OK, NULL}));
    struct tuned *tuned = export_and_load(fixture);
    assert_int_equal(tuned_entry_count(tuned), 1);
    tuned_free(tuned);
}

/* Two devices, each with its own winner. Both timed three configurations in the sweep. */
enum { PAIR = 2 };
struct pair {
    struct fixture *fixture;
    int64_t problem, environments[PAIR], runs[PAIR], blocks[3];
};

static struct pair start_pair(struct fixture *fixture)
{
    struct pair pair = {.fixture = fixture,
                        .problem = add_problem(fixture, "reduce.sum.i32", 10, 0.0)};
    for (int i = 0; i < 3; i++)
        pair.blocks[i] = add_configuration(fixture, "v", 64 << i);
    for (int i = 0; i < PAIR; i++) {
        pair.environments[i] = add_device(fixture, i ? "H" : "G", i ? "u2" : "u1", "1");
        fixture->run = pair.runs[i] = add_run(fixture, pair.environments[i]);
        for (int c = 0; c < 3; c++)
            add_trial(fixture, (struct put){pair.environments[i], pair.problem, pair.blocks[c], 0,
                                            "sweep", c == 0 ? 9.0 : 10.0, 0, TRIAL_OK, NULL});
        add_winner(
            fixture, pair.environments[i], pair.problem,
            add_trial(fixture, (struct put){pair.environments[i], pair.problem, pair.blocks[i], 0,
                                            "race", 10.0, 0, TRIAL_OK, NULL}));
    }
    return pair;
}

static void race(const struct pair *pair, int device, int configuration, double time, int64_t run)
{
    pair->fixture->run = run;
    add_trial(pair->fixture,
              (struct put){pair->environments[device], pair->problem, pair->blocks[configuration],
                           0, "race", time, 0, TRIAL_OK, NULL});
}

/* Returns the block that an unmeasured device gets; 0: none. */
static int64_t portable_block(const struct pair *pair)
{
    const struct tuned_device device = {.kind = "cuda", .name = "-", .compute_capability_major = 9};
    struct tuned *tuned = export_and_load(pair->fixture);
    struct tuned_answer answer;
    bool found = tuned_find(tuned, &device, "reduce.sum.i32", 10, &answer) == TUNED_PORTABLE;
    int64_t block = found ? tuned_integer(answer.entry, "block", -1) : 0;
    tuned_free(tuned);
    return block;
}

/* The sweep times every configuration once; the portable section is made of configurations raced on
 * all devices. */
TEST_WITH(what_was_not_raced_is_not_portable, setup, teardown)
{
    const struct pair pair = start_pair(*state);
    assert_int_equal(portable_block(&pair), 0);
    race(&pair, 1, 0, 10.5, add_run(*state, pair.environments[1])); /* not beside the winner */
    assert_int_equal(portable_block(&pair), 0);
    race(&pair, 0, 2, 12.0, pair.runs[0]);
    race(&pair, 1, 2, 12.0, pair.runs[1]);
    assert_int_equal(portable_block(&pair), 256); /* 20 % slower, but known */
    race(&pair, 1, 0, 10.5, pair.runs[1]);
    assert_int_equal(portable_block(&pair), 64);
}

/* A device with only the best of a sweep has no winner to compare others with. */
TEST_WITH(a_sweeps_best_so_far_is_not_portable, setup, teardown)
{
    const struct pair pair = start_pair(*state);
    race(&pair, 0, 1, 10.5, pair.runs[0]);
    assert_int_equal(portable_block(&pair), 128);
    struct store_winner early =
        winner_of(*state, pair.environments[1], pair.problem,
                  add_trial(*state, (struct put){pair.environments[1], pair.problem, pair.blocks[1],
                                                 0, "sweep", 9.0, 0, TRIAL_OK, NULL}),
                  "noisy");
    early.stage = "sweep";
    ok(store_winner_put(pair.fixture->store, &early, &error));
    assert_int_equal(portable_block(&pair), 0);
}

TEST_MAIN(NULL, NULL)
