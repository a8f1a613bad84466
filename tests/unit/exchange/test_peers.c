/* Tables of others' times into the database: columns, rows, all or nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/exchange/peers.h"
#include "tuner/store/measured.h"
#include "tuner/store/query.h"

struct fixture {
    char folder[64];
    char path[96], table[96];
    struct store *store;
    int64_t experiment;
    struct peers_request request;
    struct peers_result result;
};

static struct error error; /* error of the last call */

static void ok(enum status status)
{
    if (status != STATUS_OK)
        fail_msg("%s", error.text);
}

static int64_t add_device(struct fixture *fixture, const char *kind, int index, const char *name,
                          const char *driver)
{
    struct facts facts = {0};
    int64_t id = 0;
    facts_add_text(&facts, "kind", kind);
    facts_add_integer(&facts, "index", index);
    facts_add_text(&facts, "name", name);
    facts_add_text(&facts, "uuid", name);
    facts_add_text(&facts, "driver", driver);
    const struct store_environment row = {.facts = &facts, .tool_version = "1", .host = "h"};
    ok(store_environment(fixture->store, &row, &id, &error));
    facts_free(&facts);
    return id;
}

static int64_t add_problem(struct fixture *fixture, const char *kind, const char *key, int64_t n)
{
    const struct store_experiment experiment = {
        .name = kind, .device_kind = kind, .content_hash = "0", .path = "x.yaml", .text = ""};
    int64_t id = 0;
    ok(store_experiment(fixture->store, &experiment, &fixture->experiment, &error));
    const struct store_problem problem = {
        .experiment_id = fixture->experiment, .key = key, .n = n, .bytes_moved = 1};
    ok(store_problem(fixture->store, &problem, &id, &error));
    return id;
}

/* Adds a trial, so that the device counts as measured. */
static void add_trial(struct fixture *fixture, int64_t environment, int64_t problem)
{
    const struct store_run_start run = {.environment_id = environment, .l2_mode = L2_COLD};
    struct store_trial trial = {.environment_id = environment,
                                .problem_id = problem,
                                .stage = "sweep",
                                .l2_mode = L2_COLD,
                                .status = TRIAL_COMPILE_FAILED};
    int64_t id = 0;
    ok(store_run_start(fixture->store, &run, &trial.run_id, &error));
    ok(store_configuration(fixture->store, fixture->experiment, "block=1", NULL, 0,
                           &trial.configuration_id, &error));
    ok(store_trial(fixture->store, &trial, &id, &error));
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    (void)snprintf(fixture->folder, sizeof fixture->folder, "/tmp/tune_peers_XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/t.db", fixture->folder);
    (void)snprintf(fixture->table, sizeof fixture->table, "%s/t.csv", fixture->folder);
    ok(store_open(fixture->path, STORE_CREATE, &fixture->store, &error));
    fixture->request.path = fixture->table;
    *state = fixture;
    return 0;
}

/* Makes a GPU with reduce.sum at 10 and 20. */
static int setup_measured(void **state)
{
    if (setup(state) != 0)
        return -1;
    struct fixture *fixture = *state;
    int64_t environment = add_device(fixture, "cuda", 0, "Test GPU", "1");
    (void)add_problem(fixture, "cuda", "reduce.sum", 10);
    add_trial(fixture, environment, add_problem(fixture, "cuda", "reduce.sum", 20));
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    store_close(fixture->store);
    (void)unlink(fixture->path);
    (void)unlink(fixture->table);
    const int result = rmdir(fixture->folder);
    free(fixture);
    return result;
}

static enum status import(struct fixture *fixture, const char *table)
{
    FILE *file = fopen(fixture->table, "w");
    assert_non_null(file);
    assert_true(fputs(table, file) >= 0);
    assert_int_equal(fclose(file), 0);
    error_clear(&error);
    return peers_import(fixture->store, &fixture->request, &fixture->result, &error);
}

static void assert_one(struct fixture *fixture, const char *sql, const char *expected)
{
    struct store_query *query = NULL;
    bool row = false;
    ok(store_query_open(fixture->store, sql, NULL, 0, &query, &error));
    ok(store_query_next(query, &row, &error));
    const char *got = row ? store_query_text(query, 0) : NULL;
    assert_string_equal(got ? got : "(null)", expected);
    store_query_close(query);
}

static void assert_refused(struct fixture *fixture, const char *table, enum status status,
                           const char *expected)
{
    assert_int_equal(import(fixture, table), status);
    if (!strstr(error.text, expected))
        fail_msg("'%s' is not in '%s'", expected, error.text);
    assert_int_equal(fixture->result.rows, 0);
}

static const char all_columns[] =
    "SELECT group_concat(environment_id || problem_key || n || l2_mode || name || time_ns ||"
    " coalesce(mad_ns, '-') || coalesce(tuned_ns, '-') || coalesce(ratio, '-') ||"
    " coalesce(ratio_low, '-') || coalesce(ratio_high, '-') || coalesce(rounds, '-'), ' ')"
    " FROM (SELECT * FROM peers ORDER BY n, l2_mode, name)";

TEST_WITH(the_columns_that_are_meant_are_taken, setup_measured, teardown)
{
    struct fixture *f = *state;
    ok(import(f, "problem,n,name,time_ns\nreduce.sum,10,cub,5.5\n"));
    assert_one(f, all_columns, "1reduce.sum10coldcub5.5------");
    assert_int_equal(f->result.rows, 1);
    assert_int_equal(f->result.unknown, 0);
    /* Columns in any order, with others among them, by other names; a later row replaces an earlier
     * one. */
    f->request.prefix = "reduce.";
    f->request.columns = "l2_mode=mode,name=rival,time_ns=rival_ns,tuned_ns=tune_ns";
    ok(import(
        f,
        "rounds,mode,problem,odd,n,\"rival\",rival_ns,mad_ns,ratio_low,ratio_high,ratio,tune_ns\r\n"
        "48,cold,sum,\"1,2\",10,cub,6.5,.25,0.5,1e0,0.75,8\r\n"
        "0,hot,sum,,10,\"c,\"\"ub\"\"\",7,,,,,\r\n"));
    assert_one(f, all_columns,
               "1reduce.sum10coldcub6.50.258.00.750.51.048 1reduce.sum10hotc,\"ub\"7.0-----0");
    assert_int_equal(f->result.rows, 2);
    assert_one(f,
               "SELECT count(*) FROM peers WHERE source LIKE '%/t.csv' AND"
               " imported_at LIKE '20__-__-__T__:__:__Z'",
               "2");
}

/* One name in two modes or at two sizes, and another name: separate rows. */
TEST_WITH(rows_are_told_apart, setup_measured, teardown)
{
    struct fixture *f = *state;
    ok(import(f,
              "problem,n,name,time_ns,l2_mode\nreduce.sum,10,cub,1,cold\nreduce.sum,10,cub,2,hot\n"
              "reduce.sum,20,cub,3,cold\nreduce.sum,10,cub2,4,cold\n"));
    assert_int_equal(f->result.rows, 4);
    assert_one(f, "SELECT group_concat(time_ns) FROM (SELECT * FROM peers ORDER BY time_ns)",
               "1.0,2.0,3.0,4.0");
}

TEST_WITH(unknown_problems_are_left_out, setup_measured, teardown)
{
    struct fixture *f = *state;
    ok(import(
        f, "problem,n,name,time_ns\nreduce.sum,11,cub,1\nreduce.sum,20,cub,2\nreduce,20,cub,3\n"));
    assert_int_equal(f->result.rows, 1);
    assert_int_equal(f->result.unknown, 2);
    assert_one(f, all_columns, "1reduce.sum20coldcub2.0------");
    assert_refused(f, "problem,n,name,time_ns\nsum,20,cub,1\nsum,10,cub,1\n", STATUS_NOT_FOUND,
                   "t.csv:2: the database has no problem 'sum' of that size");
    assert_int_equal(f->result.unknown, 2);
    assert_one(f, "SELECT count(*) FROM peers", "1");
}

TEST_WITH(columns_that_are_missing_are_named, setup_measured, teardown)
{
    struct fixture *f = *state;
    assert_refused(f, "problem,n,name\n", STATUS_BAD_INPUT,
                   "t.csv:1: no column is named 'time_ns'; '--columns time_ns=COLUMN' says");
    assert_refused(
        f, "\n\nproblem,n,name,time_ms\n", STATUS_BAD_INPUT,
        "t.csv:3: no column is named 'time_ns'; '--columns time_ns=COLUMN' says which one "
        "holds it; did you mean 'time_ms'?");
    assert_refused(f, "problem,n,n,name,time_ns\n", STATUS_BAD_INPUT, "two columns are named 'n'");
    assert_refused(f, "", STATUS_BAD_INPUT, "there is no header line");
    assert_refused(f, "problem,n,name,time_ns\n", STATUS_BAD_INPUT, "nothing below the header");
    f->request.columns = "ratio=rate";
    assert_refused(f, "problem,n,name,time_ns,ratio,rates\n", STATUS_BAD_INPUT,
                   "t.csv:1: no column is named 'rate'; did you mean 'rates'?");
    f->request.columns = "tim_ns=x";
    assert_refused(f, "", STATUS_USAGE,
                   "--columns: there is no column 'tim_ns'; did you mean 'time_ns'?");
    static const char *const none[] = {"time_ns", "=x", "time_ns=", "name=a,,n=b"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        f->request.columns = none[i];
        assert_refused(f, "", STATUS_USAGE, "is not of the form time_ns=COLUMN");
    }
}

TEST_WITH(a_wrong_row_is_named_and_none_is_taken, setup_measured, teardown)
{
    static const struct {
        const char *row, *expected;
    } wrong[] = {
        {"reduce.sum,10,cub,1,1", "t.csv:3: 5 fields, where the header has 6"},
        {",10,cub,1,1,cold", "t.csv:3: problem is empty"},
        {"reduce.sum,10,,1,1,cold", "t.csv:3: name is empty"},
        {"reduce.sum,0,cub,1,1,cold", "t.csv:3: n is '0', which is no whole number of at least 1"},
        {"reduce.sum,-1,cub,1,1,cold", "t.csv:3: n is '-1'"},
        {"reduce.sum,1e1,cub,1,1,cold", "t.csv:3: n is '1e1'"},
        {"reduce.sum,99999999999999999999,cub,1,1,cold", "t.csv:3: n is '9999"},
        {"reduce.sum,,cub,1,1,cold", "t.csv:3: n is ''"},
        {"reduce.sum,10,cub,,1,cold", "t.csv:3: time_ns is '', which is no number above 0"},
        {"reduce.sum,10,cub,0,1,cold", "t.csv:3: time_ns is '0'"},
        {"reduce.sum,10,cub,nan,1,cold", "t.csv:3: time_ns is 'nan'"},
        {"reduce.sum,10,cub,inf,1,cold", "t.csv:3: time_ns is 'inf'"},
        {"reduce.sum,10,cub,0x10,1,cold", "t.csv:3: time_ns is '0x10'"},
        {"reduce.sum,10,cub,1e999,1,cold", "t.csv:3: time_ns is '1e999'"},
        {"reduce.sum,10,cub,1 ,1,cold", "t.csv:3: time_ns is '1 '"},
        {"reduce.sum,10,cub,1,-1,cold",
         "t.csv:3: mad_ns is '-1', which is no number of at least 0"},
        {"reduce.sum,10,cub,1,1,colt", "t.csv:3: no l2_mode is named 'colt'; did you mean 'cold'?"},
        {"reduce.sum,20,cub,3,1,cold",
         "t.csv:3: the same problem, n, l2_mode and name as in line 2"},
        {"reduce.sum,10,\"cub,1,1,cold", "t.csv:3: a quote begins here and never ends"},
        /* Also in a row of an unknown problem. */
        {"other,10,cub,x,1,cold", "t.csv:3: time_ns is 'x'"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char table[512];
        (void)snprintf(table, sizeof table,
                       "problem,n,name,time_ns,mad_ns,l2_mode\nreduce.sum,20,cub,1,1,cold\n%s\n",
                       wrong[i].row);
        assert_refused(f, table, STATUS_BAD_INPUT, wrong[i].expected);
        assert_one(f, "SELECT count(*) FROM peers", "0");
    }
    assert_refused(f, "problem,n,name,time_ns,ratio_low,ratio_high\nreduce.sum,10,cub,1,1.5,1.2\n",
                   STATUS_BAD_INPUT, "t.csv:2: ratio_low is above ratio_high");
    (void)unlink(f->table);
    assert_int_equal(peers_import(f->store, &f->request, &f->result, &error), STATUS_NOT_FOUND);
}

/* The device measured last, unless one is named; a CPU's problem of that name is another. */
TEST_WITH(times_stand_beside_a_device, setup_measured, teardown)
{
    struct fixture *f = *state;
    static const char table[] = "problem,n,name,time_ns\nreduce.sum,20,lib,1\ndouble,7,lib,2\n";
    int64_t newer = add_device(f, "cuda", 0, "Test GPU", "2");
    int64_t gpu_problem = add_problem(f, "cuda", "reduce.sum", 20);
    int64_t cpu = add_device(f, "cpu", 0, "Test CPU", "1");
    int64_t cpu_problem = add_problem(f, "cpu", "double", 7);
    add_trial(f, cpu, cpu_problem);
    ok(import(f, table)); /* within one second: the later environment */
    assert_one(f, "SELECT group_concat(environment_id || problem_key) FROM peers", "3double");
    assert_int_equal(f->result.unknown, 1);
    static const char *const names[] = {"cuda:0", "cuda", "test gpu"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        f->request.device = names[i];
        ok(import(f, table));
        assert_int_equal(f->result.rows, 1);
    }
    assert_one(f, "SELECT group_concat(environment_id || problem_key) FROM peers",
               "1reduce.sum,3double"); /* the newer driver has no measurements */
    ok(store_problem(f->store,
                     &(struct store_problem){.experiment_id = f->experiment, .key = "x", .n = 1},
                     &cpu_problem, &error));
    (void)add_problem(f, "cuda", "reduce.sum", 20); /* f->experiment is the GPU's again */
    add_trial(f, newer, gpu_problem);
    ok(import(f, table));
    assert_one(f, "SELECT group_concat(environment_id || problem_key) FROM peers",
               "1reduce.sum,2reduce.sum,3double");
    f->request.device = "cuda:1";
    assert_refused(f, table, STATUS_NOT_FOUND,
                   "no device 'cuda:1' was measured; there is Test CPU, Test GPU");
}

TEST_WITH(a_database_without_runs_has_no_place_for_them, setup, teardown)
{
    struct fixture *f = *state;
    assert_refused(f, "problem,n,name,time_ns\nreduce.sum,20,lib,1\n", STATUS_NOT_FOUND,
                   "nothing was measured yet");
}

TEST_MAIN(NULL, NULL)
