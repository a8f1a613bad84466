/* Decisions of the commands: options and experiments that become sessions, the file tune.yaml,
 * files of hosts, and entries that a budget left in doubt. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/cli/cli_fixture.h"
#include "tuner/base/array.h"
#include "tuner/cli/check.h"
#include "tuner/cli/commands.h"

/* ---- tune run ---- */

/* Writes one.yaml, an experiment for GPUs. */
static void write_experiment(void)
{
    write_text("one.yaml", "experiment: one\nsource: k.c\ndevice: cuda\nsizes: {n: [1000, 4096]}\n"
                           "parameters: {block: [64, 128]}\n"
                           "launches: [{kernel: k, grid: 1, block: block}]\n"
                           "arguments: [{name: out, type: i32, count: n, output: true}]\n"
                           "check: {reference: r, source: r.c, output: out}\n");
    write_text("k.c", "");
    write_text("r.c", "");
}

/* Reads `tune run --dry-run WORD...`, up to NULL; the caller frees the experiments. */
static enum status read_run(struct run *run, char *const *words, struct error *error)
{
    char *argv[32] = {(char *)"run", (char *)"--dry-run"};
    int argc = 2;
    *run = (struct run){0};
    error_clear(error);
    while (*words)
        argv[argc++] = *words++;
    return run_parse(&command_run, argc, argv, run, error);
}
#define READ_RUN(run, error, ...)                                                                  \
    read_run(run, (char *const[]){(char *)"./one.yaml", __VA_ARGS__, NULL}, error)

TEST_IN_FOLDER(options_become_the_session)
{
    struct run *run = malloc(sizeof *run);
    struct error error;
    assert_non_null(run);
    write_experiment();
    assert_int_equal(READ_RUN(run, &error, "--seed", "7", "--effort", "quick", "--budget", "2m",
                              "--points", "5%", "--until", "1%", "--retry", "crashed,timed_out",
                              "--sizes", "2**12"),
                     STATUS_OK);
    assert_int_equal(run->session.seed, 7);
    assert_int_equal(run->session.effort, EFFORT_QUICK);
    assert_true(run->session.effort_given);
    assert_int_equal(run->budget_ns, INT64_C(120) * 1000000000);
    assert_true(run->session.points_share == 0.05 && run->session.points == 0);
    assert_true(run->session.until == 0.01);
    assert_int_equal(run->session.retry_mask, 1u << TRIAL_CRASHED | 1u << TRIAL_TIMED_OUT);
    assert_int_equal(run->session.size_count, 1);
    assert_int_equal(run->session.sizes[0], 4096);
    experiments_free(&run->experiments);
    /* Defaults set no limit, and an effort that was not typed chooses no winner again. */
    assert_int_equal(READ_RUN(run, &error, "--points", "12"), STATUS_OK);
    assert_int_equal(run->session.points, 12);
    assert_true(run->session.points_share == 0 && run->session.until == 0 && run->budget_ns == 0);
    assert_int_equal(run->session.effort, EFFORT_NORMAL);
    assert_false(run->session.effort_given);
    assert_string_equal(run->session.objective, "time");
    experiments_free(&run->experiments);
    free(run);
}

TEST_IN_FOLDER(wrong_options_are_refused_before_anything_runs)
{
    static char *const wrong[][2] = {{"--points", "0%"},    {"--points", "101%"},
                                     {"--until", "100%"},   {"--effort", "fast"},
                                     {"--retry", "ok"},     {"--strategy", "best"},
                                     {"--as", "graph,now"}, {"--sizes", "0"},
                                     {"--sizes", "1000,7"}, {"--objective", "no_such_metric"},
                                     {"--budget", "soon"},  {"--set", "no_such_number=1"}};
    struct run *run = malloc(sizeof *run);
    struct error error;
    assert_non_null(run);
    write_experiment();
    for (size_t i = 0; i < COUNT(wrong); i++) {
        if (READ_RUN(run, &error, wrong[i][0], wrong[i][1]) == STATUS_OK)
            fail_msg("taken: %s %s", wrong[i][0], wrong[i][1]);
        assert_non_null(strstr(error.text, wrong[i][0]));
        experiments_free(&run->experiments);
    }
    free(run);
}

/* Returns the issues of a kind's turns as letters, "." where a turn has no session. */
static const char *turns_of(const struct run *run, const char *kind, char out[RUN_TURNS + 1])
{
    for (size_t turn = 0; turn < RUN_TURNS; turn++) {
        enum issue issue = ISSUE_GRAPH;
        out[turn] = run_turn(run, kind, turn, &issue) ? issue_names[issue][0] : '.';
    }
    out[RUN_TURNS] = '\0';
    return out;
}

TEST_IN_FOLDER(each_issue_of_launches_is_a_session)
{
    struct run *run = malloc(sizeof *run);
    struct error error;
    char turns[RUN_TURNS + 1];
    assert_non_null(run);
    write_experiment();
    assert_int_equal(READ_RUN(run, &error, "--points", "1"), STATUS_OK);
    assert_string_equal(turns_of(run, "cuda", turns), "g...");
    run->device_count = 1;
    run->devices[0].api = device_kind("cuda");
    assert_int_equal(run_sessions_left(run, 0, 0), run->devices[0].api ? 1 : 0);
    experiments_free(&run->experiments);
    /* The first of several comes again, to try the others' winners. */
    assert_int_equal(READ_RUN(run, &error, "--as", "stream,eager"), STATUS_OK);
    assert_string_equal(turns_of(run, "cuda", turns), ".ses");
    experiments_free(&run->experiments);
    assert_int_equal(READ_RUN(run, &error, "--as", "eager"), STATUS_OK);
    assert_string_equal(turns_of(run, "cuda", turns), "..e.");
    experiments_free(&run->experiments);
    free(run);
}

/* ---- tune.yaml ---- */

/* Returns the words that the file makes of `tune COMMAND x`, joined by blanks. */
static const char *words_with_file(const struct command *command, char out[256],
                                   enum status *status)
{
    char *argv[] = {(char *)command->name, (char *)"x", NULL};
    struct arena arena = {0};
    struct defaults defaults;
    struct error error = {0};
    *status = defaults_add(&arena, command, 2, argv, &defaults, &error);
    out[0] = '\0';
    for (int i = 0; *status == STATUS_OK && i < defaults.argc; i++)
        (void)string_format(out + strlen(out), 256 - strlen(out), "%s%s", i ? " " : "",
                            defaults.argv[i]);
    if (*status != STATUS_OK)
        (void)string_format(out, 256, "%s", error.text);
    arena_free(&arena);
    return out;
}

TEST_IN_FOLDER(the_nearest_file_sets_options_of_measuring)
{
    char words[256], wanted[256];
    enum status status;
    assert_int_equal(mkdir("deep", 0700), 0);
    write_text("tune.yaml", "effort: thorough\ndb: mine.db\n");
    assert_int_equal(chdir("deep"), 0);
    (void)string_format(wanted, sizeof wanted, "run --effort=thorough --db=%s/mine.db x",
                        ((struct temporary *)*state)->path);
    assert_string_equal(words_with_file(&command_run, words, &status), wanted);
    /* Commands that do not measure take the database alone. */
    (void)string_format(wanted, sizeof wanted, "plot --db=%s/mine.db x",
                        ((struct temporary *)*state)->path);
    assert_string_equal(words_with_file(&command_plot, words, &status), wanted);
    /* The nearer file counts alone; an experiment of that name is no such file. */
    write_text("tune.yaml", "seed: 3\n");
    assert_string_equal(words_with_file(&command_run, words, &status), "run --seed=3 x");
    write_text("tune.yaml", "experiment: mine\n");
    assert_string_equal(words_with_file(&command_run, words, &status), "run x");
}

TEST_IN_FOLDER(a_file_runs_nothing_and_writes_nowhere_else)
{
    static const char *const refused[] = {"on: rm\n",      "set: block_ns=1\n", "db: /etc/x.db\n",
                                          "db: ../x.db\n", "effort:\n",         "- effort\n"};
    char words[256];
    enum status status;
    for (size_t i = 0; i < COUNT(refused); i++) {
        write_text("tune.yaml", refused[i]);
        (void)words_with_file(&command_run, words, &status);
        if (status != STATUS_BAD_INPUT)
            fail_msg("taken: %s", refused[i]);
        assert_non_null(strstr(words, "tune.yaml"));
    }
    /* One that others may write is left out. */
    write_text("tune.yaml", "seed: 3\n");
    assert_int_equal(chmod("tune.yaml", 0666), 0);
    assert_string_equal(words_with_file(&command_run, words, &status), "run x");
}

/* ---- hosts ---- */

TEST_IN_FOLDER(a_file_of_hosts_has_comments)
{
    struct host_list hosts = {.file = "hosts"};
    struct error error;
    write_text("hosts", "# the lab\n  here  # this machine\n\nhere\n");
    assert_int_equal(hosts_open(&hosts, &error), STATUS_OK);
    assert_int_equal(hosts.count, 1);
    assert_ptr_equal(hosts.items[0], host_local());
    hosts_close(&hosts);
    write_text("hosts", "# here\n");
    hosts = (struct host_list){.file = "hosts"};
    assert_int_equal(hosts_open(&hosts, &error), STATUS_BAD_INPUT);
    assert_string_equal(error.text, "hosts: names no host");
    hosts_close(&hosts);
}

/* ---- tune check ---- */

TEST(doubts_that_no_time_was_left_for_are_no_verdict)
{
    struct check_entry entries[] = {
        {.state = CHECK_BEATEN, .in_doubt = true, .loss = 0.03, .low = 0.01, .high = 0.04},
        {.state = CHECK_BEATEN, .in_doubt = true, .is_confirmed = true, .reason = "slower"},
        {.state = CHECK_BEATEN, .reason = "far slower"},
        {.state = CHECK_UNKNOWN, .in_doubt = true, .reason = "noise"},
        {.state = CHECK_HOLDS},
    };
    struct check check = {.entries = entries, .entry_count = COUNT(entries)};
    check_leave_doubts(&check);
    assert_int_equal(entries[0].state, CHECK_NO_TIME);
    assert_string_equal(entries[0].reason,
                        "one process saw it take 3.00 % longer (1.00 to 4.00 %), and the budget "
                        "ended before other processes timed it");
    assert_int_equal(entries[1].state, CHECK_BEATEN);
    assert_string_equal(entries[2].reason, "far slower");
    assert_int_equal(entries[3].state, CHECK_UNKNOWN);
    assert_int_equal(entries[4].state, CHECK_HOLDS);
    /* The second time only entries in doubt are measured, and none without a configuration. */
    entries[0].configuration = entries[4].configuration = "block=64";
    assert_true(check_concerns(&check, &entries[0]) && check_concerns(&check, &entries[4]));
    assert_false(check_concerns(&check, &entries[3]));
    check.in_doubt_only = true;
    assert_true(check_concerns(&check, &entries[0]));
    assert_false(check_concerns(&check, &entries[4]));
}

TEST_MAIN(NULL, NULL)
