/* Decisions about other programs' files: of a record of look-ups, the problems that are tuned and
 * their order; of tuned.conf, the entries that can be checked, and the reasons against the others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libtuned/tuned_record.h"
#include "tests/unit/cli/cli_fixture.h"
#include "tuner/base/array.h"
#include "tuner/cli/check.h"

/* Writes NAME.yaml, an experiment with problems of n = 1000 and 4000. */
static void write_experiment(const char *name, const char *device)
{
    char path[64];
    char text[1024];
    assert_true(string_format(path, sizeof path, "%s.yaml", name));
    assert_true(string_format(text, sizeof text,
                              "experiment: %s\nsource: k.c\ndevice: %s\nsizes: {n: [1000, 4000]}\n"
                              "parameters: {block: [64, 128]}\n"
                              "launches: [{kernel: k, grid: 1, %s: %s}]\n"
                              "arguments: [{name: out, type: i32, count: n, output: true}]\n"
                              "check: {reference: r, source: r.c, output: out}\n",
                              name, device, strcmp(device, "cpu") == 0 ? "threads" : "block",
                              strcmp(device, "cpu") == 0 ? "1" : "block"));
    write_text(path, text);
}

/* Enters an empty folder with two experiments for GPUs. */
static int enter_with_experiments(void **state)
{
    if (enter_folder(state) != 0)
        return 1;
    write_text("k.c", "");
    write_text("r.c", "");
    write_experiment("one", "cuda");
    write_experiment("two", "cuda");
    return 0;
}

#define TEST_WITH_EXPERIMENTS(name) TEST_WITH(name, enter_with_experiments, leave_folder)

static const char installed[] = "tuned-conf 4\n"
                                "[cuda \"A GPU\"] compute_capability=9.0\n"
                                "one n=1000 block=64 | time_ns=1\n"
                                "end\n";

/* Look-ups of a program. */
struct asked {
    const char *kind, *problem;
    long long n;
    int times;
};

static void record_look_ups(const struct asked *asked, size_t count)
{
    struct tuned_error refused;
    struct tuned *tuned = tuned_load_memory(installed, sizeof installed - 1, "installed", &refused);
    struct tuned_record *record = tuned_record_open("app.record", &refused);
    assert_non_null(tuned);
    assert_non_null(record);
    for (size_t i = 0; i < count; i++) {
        const bool is_gpu = strcmp(asked[i].kind, "cuda") == 0;
        const struct tuned_device device = {
            .kind = asked[i].kind, .name = "A GPU", .compute_capability_major = is_gpu ? 9 : 0};
        for (int turn = 0; turn < asked[i].times; turn++) {
            struct tuned_answer answer;
            (void)tuned_find(tuned, &device, asked[i].problem, asked[i].n, &answer);
            tuned_record_find(record, &answer);
        }
    }
    tuned_record_close(record);
    tuned_free(tuned);
}

/* Loads both experiments for the record's misses; the caller frees the list. */
static enum status load_misses(struct experiment_list *list, struct error *error)
{
    static const char *const names[] = {"./one.yaml", "./two.yaml"};
    *list = (struct experiment_list){.record = "app.record", .is_quiet = true};
    error_clear(error);
    return experiments_load(names, COUNT(names), list, error);
}

/* Returns the n of the list's problem at a place in the order; 0: not selected. */
static int64_t selected(const struct experiment_list *list, size_t item, size_t turn)
{
    struct problem problem;
    const size_t index = list->order[item][turn];
    experiment_problem(list->items[item], index, &problem);
    return list->wanted[item][index] ? problem.n : 0;
}

TEST_WITH_EXPERIMENTS(misses_are_tuned_by_their_number_and_hits_are_not)
{
    static const struct asked asked[] = {{"cuda", "one", 1000, 9},
                                         {"cuda", "one", 500000, 2},
                                         {"cuda", "two", 4000, 3},
                                         {"cuda", "two", 64, 5},
                                         {"cuda", "other", 10, 7}};
    struct experiment_list list;
    struct error error;
    record_look_ups(asked, COUNT(asked));
    assert_int_equal(load_misses(&list, &error), STATUS_OK);
    assert_int_equal(list.count, 2);
    assert_string_equal(experiment_head(list.items[0])->name, "two");
    assert_int_equal(selected(&list, 0, 0), 64); /* a size that the file lacks */
    assert_int_equal(selected(&list, 0, 1), 4000);
    assert_int_equal(selected(&list, 0, 2), 0);
    assert_int_equal(selected(&list, 1, 0), 500000);
    assert_int_equal(selected(&list, 1, 1), 0); /* n = 1000 was found */
    experiments_free(&list);
}

TEST_WITH_EXPERIMENTS(a_record_without_misses_selects_nothing)
{
    static const struct asked asked[] = {{"cuda", "one", 1000, 4}};
    struct experiment_list list;
    struct error error;
    record_look_ups(asked, COUNT(asked));
    assert_int_equal(load_misses(&list, &error), STATUS_OK);
    for (size_t i = 0; i < list.count; i++)
        assert_int_equal(selected(&list, i, 0), 0);
    experiments_free(&list);
}

TEST_WITH_EXPERIMENTS(misses_of_other_problems_and_kinds_are_named)
{
    static const struct asked asked[] = {{"cuda", "other", 10, 7}, {"cpu", "one", 64, 3}};
    struct experiment_list list;
    struct error error;
    record_look_ups(asked, COUNT(asked));
    assert_int_equal(load_misses(&list, &error), STATUS_NOT_FOUND);
    assert_non_null(strstr(error.text, "other n=10 (7), one n=64 (3)"));
    experiments_free(&list);
    unlink("app.record");
    assert_int_equal(load_misses(&list, &error), STATUS_NOT_FOUND);
    assert_non_null(strstr(error.text, "--recorded app.record"));
    experiments_free(&list);
    write_text("app.record", "no record");
    assert_int_equal(load_misses(&list, &error), STATUS_BAD_INPUT);
    experiments_free(&list);
}

/* ---- tune check ---- */

TEST_WITH_EXPERIMENTS(an_entry_is_checked_if_the_experiment_still_has_its_problem_and_parameters)
{
    static const char text[] =
        "tuned-conf 4\n"
        "[cuda \"A GPU\"] compute_capability=9.0\n"
        "one n=1000 block=64 | time_ns=1\n"
        "one n=7 block=64 | time_ns=1\n"
        "two n=4000 loads=2 | time_ns=1\n"
        "gone n=1000 block=64 | time_ns=1\n"
        "on_cpu n=1000 block=64 | time_ns=1\n"
        "one n=4000 block=64 | time_ns=1 source=00000000000000000000000000000000\n"
        "end\n";
    static const struct {
        const char *problem;
        long long n;
        enum check_state state;
        const char *configuration, *reason;
        bool is_stale;
    } expected[] = {
        {"one", 1000, CHECK_HOLDS, "block=64", "", false},
        {"one", 7, CHECK_UNKNOWN, NULL, "./one.yaml has no such problem of n=7", false},
        {"two", 4000, CHECK_UNKNOWN, NULL,
         "./two.yaml has a parameter 'block', and the entry has none", false},
        {"gone", 1000, CHECK_UNKNOWN, NULL, "no experiment 'gone'", false},
        {"on_cpu", 1000, CHECK_UNKNOWN, NULL, "no experiment 'on_cpu'", false},
        {"one", 4000, CHECK_HOLDS, "block=64", "", true},
    };
    static const char *const names[] = {"./one.yaml", "./two.yaml", "./on_cpu.yaml"};
    struct check_entry entries[COUNT(expected)] = {{.entry = NULL}};
    struct facts facts = {.count = 0};
    struct error error;
    struct tuned_error refused;
    struct check *check = calloc(1, sizeof *check);
    assert_non_null(check);
    write_experiment("on_cpu", "cpu");
    facts_add_text(&facts, "name", "A GPU");
    check->facts = &facts;
    check->tuned = tuned_load_memory(text, sizeof text - 1, "tuned.conf", &refused);
    if (!check->tuned)
        fail_msg("%s", refused.text);
    assert_int_equal(tuned_entry_count(check->tuned), COUNT(expected));
    check->entries = entries;
    check->entry_count = COUNT(expected);
    for (size_t i = 0; i < COUNT(expected); i++) {
        size_t at = 0; /* libtuned sorts its entries */
        while (strcmp(tuned_entry_problem(tuned_entry_at(check->tuned, at)), expected[i].problem) !=
                   0 ||
               tuned_entry_n(tuned_entry_at(check->tuned, at)) != expected[i].n)
            at++;
        entries[i] = (struct check_entry){.entry = tuned_entry_at(check->tuned, at),
                                          .problem = expected[i].problem,
                                          .n = expected[i].n};
    }
    assert_int_equal(experiments_load(names, COUNT(names), &check->run.experiments, &error),
                     STATUS_OK);
    assert_int_equal(check_find(check, "cuda", &error), STATUS_OK);
    for (size_t i = 0; i < COUNT(expected); i++) {
        if (entries[i].state != expected[i].state || entries[i].is_stale != expected[i].is_stale ||
            strstr(entries[i].reason, expected[i].reason) != entries[i].reason)
            fail_msg("entry %zu: state %d, stale %d: %s", i, entries[i].state, entries[i].is_stale,
                     entries[i].reason);
        assert_int_equal(entries[i].configuration == NULL, expected[i].configuration == NULL);
        if (expected[i].configuration)
            assert_string_equal(entries[i].configuration, expected[i].configuration);
    }
    experiments_free(&check->run.experiments);
    arena_free(&check->arena);
    tuned_free(check->tuned);
    facts_free(&facts);
    free(check);
}

TEST_MAIN(NULL, NULL)
