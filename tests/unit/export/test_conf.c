/* tuned.conf from a database, read back by libtuned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/tuned.h"
#include "tuner/base/files.h"
#include "tuner/export/export.h"

struct fixture {
    char folder[64];
    char database[96];
    char conf[96];
    struct store *store;
    int64_t experiment;
};

static struct error error;

static void ok(enum status status)
{
    if (status != STATUS_OK)
        fail_msg("%s", error.text);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    (void)snprintf(fixture->folder, sizeof fixture->folder, "/tmp/tune_conf_XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    (void)snprintf(fixture->database, sizeof fixture->database, "%s/t.db", fixture->folder);
    (void)snprintf(fixture->conf, sizeof fixture->conf, "%s/tuned.conf", fixture->folder);
    ok(store_open(fixture->database, STORE_CREATE, &fixture->store, &error));
    const struct store_experiment experiment = {"reduce", "cuda",        "0123abcd",
                                                NULL,     "reduce.yaml", ""};
    ok(store_experiment(fixture->store, &experiment, &fixture->experiment, &error));
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    store_close(fixture->store);
    (void)unlink(fixture->conf);
    assert_int_equal(unlink(fixture->database), 0);
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

static int64_t add_device(struct fixture *fixture, const char *name, const char *uuid,
                          const char *driver)
{
    struct facts facts = {0};
    facts_add_text(&facts, "kind", "", "cuda");
    facts_add_text(&facts, "name", "", name);
    facts_add_text(&facts, "uuid", "", uuid);
    facts_add_text(&facts, "compute_capability", "", "9.0");
    facts_add_text(&facts, "architecture", "", "sm_90");
    facts_add_text(&facts, "driver", "", driver);
    facts_add_text(&facts, "compiler", "", "NVRTC 13.0");
    facts_add_integer(&facts, "sm_count", "", "", 132);
    facts_add_integer(&facts, "memory_bytes", "", "bytes", 150000000000);
    const struct store_environment environment = {&facts, "0.1.0", "host"};
    int64_t id = 0;
    ok(store_environment(fixture->store, &environment, &id, &error));
    facts_free(&facts);
    return id;
}

static int64_t add_problem(struct fixture *fixture, const char *key, int64_t n, double bytes)
{
    const struct store_problem problem = {
        .experiment_id = fixture->experiment, .key = key, .n = n, .bytes_moved = bytes};
    int64_t id = 0;
    ok(store_problem(fixture->store, &problem, &id, &error));
    return id;
}

static int64_t add_configuration(struct fixture *fixture, const char *variant, int64_t block)
{
    const struct named_value values[] = {{"variant", value_text(variant)},
                                         {"block", value_integer(block)},
                                         {"share", value_real(0.5)},
                                         {"pinned", value_boolean(true)}};
    char key[64];
    (void)snprintf(key, sizeof key, "%s %lld", variant, (long long)block);
    int64_t id = 0;
    ok(store_configuration(fixture->store, fixture->experiment, key, values, 4, &id, &error));
    return id;
}

struct put {
    int64_t environment, problem, configuration, same_as;
    const char *stage;
    double median_ns;
};

static int64_t add_run(struct fixture *fixture, int64_t environment)
{
    const struct store_run_start run = {.environment_id = environment, .l2_mode = L2_COLD};
    int64_t id = 0;
    ok(store_run_start(fixture->store, &run, &id, &error));
    return id;
}

static int64_t add_trial(struct fixture *fixture, struct put put)
{
    const struct named_value derived[] = {{"grid", value_integer(264)}};
    const struct store_sample samples[] = {{0, 1, put.median_ns}, {1, 1, put.median_ns}};
    bool measured = !isnan(put.median_ns);
    const struct store_trial trial = {
        .run_id = add_run(fixture, put.environment),
        .environment_id = put.environment,
        .problem_id = put.problem,
        .configuration_id = put.configuration,
        .stage = put.stage,
        .l2_mode = L2_COLD,
        .status = TRIAL_OK,
        .same_as_trial_id = put.same_as,
        .derived = derived,
        .derived_count = 1,
        .samples = samples,
        .sample_count = measured ? 2 : 0,
        .median_ns = put.median_ns,
        .mad_ns = measured ? 1.25 : (double)NAN,
        .min_ns = put.median_ns,
        .max_ns = put.median_ns,
    };
    int64_t id = 0;
    ok(store_trial(fixture->store, &trial, &id, &error));
    return id;
}

static void add_winner(struct fixture *fixture, int64_t environment, int64_t problem, int64_t trial)
{
    const struct store_winner winner = {.environment_id = environment,
                                        .problem_id = problem,
                                        .l2_mode = L2_COLD,
                                        .trial_id = trial,
                                        .run_id = add_run(fixture, environment),
                                        .candidate_count = 2};
    ok(store_winner_put(fixture->store, &winner, &error));
}

static struct tuned *export_and_load(struct fixture *fixture)
{
    ok(export_conf(fixture->store, fixture->conf, &error));
    struct tuned_error refused;
    struct tuned *tuned = tuned_load(fixture->conf, &refused);
    if (!tuned)
        fail_msg("%s", refused.text);
    return tuned;
}

static const struct tuned_entry *find(const struct tuned *tuned, const char *name, long long n)
{
    const struct tuned_device device = {"cuda", name, 9, 0, 132, 0};
    struct tuned_answer answer;
    assert_int_equal(tuned_find(tuned, &device, "reduce.sum.i32", n, &answer), TUNED_EXACT);
    return answer.entry;
}

static void winner_comes_back_with_evidence(void **state)
{
    struct fixture *fixture = *state;
    int64_t environment = add_device(fixture, "NVIDIA \"H\\200\"", "u1", "580.95");
    int64_t problem = add_problem(fixture, "reduce.sum.i32", 1000, 4000.0);
    int64_t best = add_configuration(fixture, "last_block", 256);
    int64_t textbook = add_configuration(fixture, "two_launches", 1024);
    const struct store_ceilings ceilings = {.buffer_bytes = 1, .read_gbs = 80.0};
    ok(store_ceilings_put(fixture->store, environment, &ceilings, &error));
    ok(store_baseline(fixture->store, environment, problem, "textbook", "", textbook, &error));
    add_trial(fixture, (struct put){environment, problem, best, 0, "sweep", 90.0});
    add_trial(fixture, (struct put){environment, problem, textbook, 0, "final", 250.0});
    add_trial(fixture, (struct put){environment, problem, textbook, 0, "sweep", 300.0});
    int64_t trial = add_trial(fixture, (struct put){environment, problem, best, 0, "final", 100.0});
    add_winner(fixture, environment, problem, trial);

    struct tuned *tuned = export_and_load(fixture);
    const struct tuned_entry *entry = find(tuned, "NVIDIA \"H\\200\"", 1000);
    assert_string_equal(tuned_text(entry, "variant", ""), "last_block");
    assert_int_equal(tuned_integer(entry, "block", 0), 256);
    assert_int_equal(tuned_integer(entry, "grid", 0), 264);
    assert_true(tuned_real(entry, "share", 0) == 0.5);
    assert_string_equal(tuned_text(entry, "pinned", ""), "true");
    assert_true(tuned_expected_ns(entry) == 100.0);
    assert_true(tuned_evidence(entry, "mad_ns", 0) == 1.3 ||
                tuned_evidence(entry, "mad_ns", 0) == 1.2);
    assert_true(tuned_evidence(entry, "gain.textbook", 0) == 2.5); /* final against final */
    assert_true(tuned_evidence(entry, "ceiling_percent", 0) == 50.0);
    assert_true(tuned_evidence(entry, "samples", 0) == 2.0);
    assert_string_equal(tuned_evidence_text(entry, "source", ""), "0123abcd");
    assert_int_equal(strlen(tuned_evidence_text(entry, "date", "")), 10);
    assert_string_equal(tuned_evidence_text(entry, "l2", ""), "cold");
    assert_string_equal(tuned_device_text(entry, "driver", ""), "580.95");
    assert_int_equal(tuned_entry_device(entry)->memory_bytes, 150000000000);
    tuned_free(tuned);
}

/* A baseline that launches what another configuration launches has that one's time. */
static void duplicate_of_another_launch_gives_the_gain(void **state)
{
    struct fixture *fixture = *state;
    int64_t environment = add_device(fixture, "G", "u1", "1");
    int64_t problem = add_problem(fixture, "reduce.sum.i32", 1000, 0.0);
    int64_t best = add_configuration(fixture, "last_block", 256);
    int64_t twin = add_configuration(fixture, "two_launches", 512);
    int64_t textbook = add_configuration(fixture, "two_launches", 1024);
    ok(store_baseline(fixture->store, environment, problem, "textbook", "", textbook, &error));
    int64_t real = add_trial(fixture, (struct put){environment, problem, twin, 0, "sweep", 300.0});
    add_trial(fixture, (struct put){environment, problem, textbook, real, "sweep", (double)NAN});
    int64_t trial = add_trial(fixture, (struct put){environment, problem, best, 0, "sweep", 100.0});
    add_winner(fixture, environment, problem, trial);
    struct tuned *tuned = export_and_load(fixture);
    assert_true(tuned_evidence(find(tuned, "G", 1000), "gain.textbook", 0) == 3.0);
    assert_true(tuned_evidence(find(tuned, "G", 1000), "ceiling_percent", -1) == -1.0);
    tuned_free(tuned);

    /* The same in the final rounds, which the winner and the twin went through. */
    add_trial(fixture, (struct put){environment, problem, twin, 0, "final", 420.0});
    trial = add_trial(fixture, (struct put){environment, problem, best, 0, "final", 105.0});
    add_winner(fixture, environment, problem, trial);
    tuned = export_and_load(fixture);
    assert_true(tuned_evidence(find(tuned, "G", 1000), "gain.textbook", 0) == 4.0);
    tuned_free(tuned);

    /* A winner that is itself such a duplicate. */
    add_trial(fixture, (struct put){environment, problem, twin, 0, "final", 90.0});
    trial = add_trial(fixture,
                      (struct put){environment, problem, textbook, real, "final", (double)NAN});
    add_winner(fixture, environment, problem, trial);
    tuned = export_and_load(fixture);
    assert_true(tuned_expected_ns(find(tuned, "G", 1000)) == 300.0);
    assert_int_equal(tuned_integer(find(tuned, "G", 1000), "block", 0), 1024);
    tuned_free(tuned);
}

static void newest_environment_of_like_devices_wins(void **state)
{
    struct fixture *fixture = *state;
    int64_t older = add_device(fixture, "G", "u1", "570");
    int64_t newer = add_device(fixture, "G", "u2", "580");
    int64_t other = add_device(fixture, "F", "u3", "580");
    int64_t one = add_problem(fixture, "reduce.sum.i32", 1000, 0.0);
    int64_t two = add_problem(fixture, "reduce.sum.i32", 500, 0.0);
    int64_t small = add_configuration(fixture, "last_block", 64);
    int64_t large = add_configuration(fixture, "last_block", 512);
    const int64_t environments[] = {older, newer, other};
    for (int i = 0; i < 3; i++) {
        struct put put = {environments[i], one, i == 1 ? large : small, 0, "sweep", 10.0};
        add_winner(fixture, put.environment, one, add_trial(fixture, put));
        put.problem = two;
        if (i == 0)
            add_winner(fixture, put.environment, two, add_trial(fixture, put));
    }
    struct tuned *tuned = export_and_load(fixture);
    assert_int_equal(tuned_entry_count(tuned), 3);
    assert_int_equal(tuned_integer(find(tuned, "G", 1000), "block", 0), 512);
    assert_int_equal(tuned_integer(find(tuned, "G", 500), "block", 0), 64);
    assert_int_equal(tuned_integer(find(tuned, "F", 1000), "block", 0), 64);
    assert_string_equal(tuned_device_text(find(tuned, "G", 500), "driver", ""), "580");
    assert_string_equal(tuned_evidence_text(find(tuned, "G", 500), "driver", ""), "570");
    assert_null(tuned_evidence_text(find(tuned, "G", 1000), "driver", NULL));
    /* Written in order: F before G, 500 before 1000. */
    assert_int_equal(tuned_entry_n(tuned_entry_at(tuned, 1)), 500);
    for (size_t i = 1; i < 3; i++)
        assert_true(tuned_entry_line(tuned_entry_at(tuned, i)) >
                    tuned_entry_line(tuned_entry_at(tuned, i - 1)));
    tuned_free(tuned);

    struct text first = {0};
    struct text second = {0};
    ok(export_conf_text(fixture->store, &first, NULL, &error));
    ok(export_conf_text(fixture->store, &second, NULL, &error));
    assert_string_equal(text_string(&first), text_string(&second));
    text_free(&first);
    text_free(&second);
}

static void nothing_is_overwritten_without_winner(void **state)
{
    struct fixture *fixture = *state;
    ok(file_write_atomically(fixture->conf, "keep", 4, &error));
    assert_int_equal(export_conf(fixture->store, fixture->conf, &error), STATUS_NO_WINNER);
    struct arena arena = {0};
    char *contents = NULL;
    ok(file_read(&arena, fixture->conf, 100, &contents, NULL, &error));
    assert_string_equal(contents, "keep");
    arena_free(&arena);
}

/* What libtuned would refuse is never written. */
static void unreadable_winner_is_refused(void **state)
{
    struct fixture *fixture = *state;
    int64_t environment = add_device(fixture, "G", "u1", "1");
    int64_t problem = add_problem(fixture, "two words", 10, 0.0);
    int64_t best = add_configuration(fixture, "v", 1);
    add_winner(fixture, environment, problem,
               add_trial(fixture, (struct put){environment, problem, best, 0, "sweep", 10.0}));
    assert_int_equal(export_conf(fixture->store, fixture->conf, &error), STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "tuned.conf:6: "));
    assert_false(file_exists(fixture->conf));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(winner_comes_back_with_evidence, setup, teardown),
        cmocka_unit_test_setup_teardown(duplicate_of_another_launch_gives_the_gain, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(newest_environment_of_like_devices_wins, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_overwritten_without_winner, setup, teardown),
        cmocka_unit_test_setup_teardown(unreadable_winner_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
