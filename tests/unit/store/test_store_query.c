/* Queries only read; values keep their types. */
#include "store_fixture.h"

static enum status open_query(struct fixture *f, const char *sql,
                              const struct store_parameter *parameters, size_t count,
                              struct store_query **query)
{
    return store_query_open(f->store, sql, parameters, count, query, &f->error);
}

TEST_WITH(test_values, setup, teardown)
{
    struct fixture *f = *state;
    struct store_query *query = NULL;
    bool row = false;
    must(open_query(f,
                    "SELECT 7 AS seven, 2.5 AS real, 'a' AS text, NULL AS none, '12' AS digits"
                    " UNION ALL SELECT 8, 1, '', 0, 'x'; -- and that is all\n",
                    NULL, 0, &query));
    assert_int_equal(store_query_columns(query), 5);
    assert_string_equal(store_query_name(query, 0), "seven");
    assert_string_equal(store_query_name(query, 4), "digits");
    must(store_query_next(query, &row, &f->error));
    assert_true(row);
    assert_int_equal(store_query_integer(query, 0), 7);
    assert_string_equal(store_query_text(query, 0), "7");
    assert_true(store_query_real(query, 1) == 2.5);
    assert_true(store_query_is_number(query, 0) && store_query_is_number(query, 1));
    assert_false(store_query_is_number(query, 2) || store_query_is_number(query, 3) ||
                 store_query_is_number(query, 4));
    assert_null(store_query_text(query, 3));
    assert_true(isnan(store_query_real(query, 3)));
    must(store_query_next(query, &row, &f->error));
    assert_true(row);
    assert_string_equal(store_query_text(query, 2), "");
    must(store_query_next(query, &row, &f->error));
    assert_false(row);
    store_query_close(query);
}

struct read_row {
    int64_t untouched;
    const char *text;
    double real;
    int64_t integer;
    bool truth;
};
#define MEMBER(member) offsetof(struct read_row, member)

static const struct store_column read_columns[] = {
    {"truth", MEMBER(truth), STORE_TRUTH},
    {"text", MEMBER(text), STORE_TEXT},
    {"real", MEMBER(real), STORE_REAL},
    {"integer", MEMBER(integer), STORE_INTEGER},
};

/* Columns are assigned to members by name, in any order of the query. */
TEST_WITH(test_rows_as_structs, setup, teardown)
{
    struct fixture *f = *state;
    struct arena arena = {0};
    struct read_row *rows = NULL;
    size_t count = 0;
    struct store_reading reading = {
        .sql = "SELECT 5 AS other, value AS integer, value / 2.0 AS real, 'n' || value AS text,"
               " value > 1 AS truth FROM json_each('[1, 2, null]')",
        STORE_COLUMNS(read_columns),
        .row_bytes = sizeof *rows};
    must(store_read(f->store, &reading, &arena, &rows, &count, &f->error));
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(rows[i].untouched, 0);
        assert_int_equal(rows[i].integer, i + 1);
        assert_true(rows[i].real == (double)(i + 1) / 2);
        assert_int_equal(rows[i].truth, i == 1);
        assert_int_equal(rows[i].text[1], '1' + (int)i);
    }
    assert_true(rows[2].integer == -1 && isnan(rows[2].real));
    assert_true(!rows[2].truth && !rows[2].text);
    reading.row_max = 2;
    must(store_read(f->store, &reading, &arena, &rows, &count, &f->error));
    assert_int_equal(count, 2);
    reading.sql = "SELECT 1 AS truth, 2 AS text, 3 AS real, 4 AS integer WHERE 0";
    must(store_read(f->store, &reading, &arena, &rows, &count, &f->error));
    assert_true(count == 0 && !rows);
    reading.sql = "SELECT 1 AS truth, 2 AS text, 3 AS integer";
    assert_int_equal(store_read(f->store, &reading, &arena, &rows, &count, &f->error),
                     STATUS_INTERNAL);
    assert_non_null(strstr(f->error.text, "'real'"));
    assert_true(count == 0 && !rows);
    arena_free(&arena);
}

TEST_WITH(test_parameters, setup, teardown)
{
    struct fixture *f = *state;
    struct store_query *query = NULL;
    bool row = false;
    int64_t other = 0;
    add_problem(f, 4096, &other);
    const struct store_parameter parameters[] = {
        {"n", "1024"}, {"key", "reduce.sum.i32"}, {"k", "5"}, {"absent", "1"}, {"none", NULL}};
    must(open_query(f,
                    "SELECT count(*), max(n), :none IS NULL, :unset IS NULL FROM problems"
                    " WHERE n = :n AND key = :key LIMIT :k",
                    parameters, 5, &query));
    must(store_query_next(query, &row, &f->error));
    assert_int_equal(store_query_integer(query, 0), 1);
    assert_int_equal(store_query_integer(query, 1), 1024);
    assert_int_equal(store_query_integer(query, 2), 1);
    assert_int_equal(store_query_integer(query, 3), 1);
    store_query_close(query);
    const struct store_parameter hostile = {"key", "x' OR 1=1; DROP TABLE trials; --"};
    must(open_query(f, "SELECT count(*) FROM problems WHERE key = :key", &hostile, 1, &query));
    must(store_query_next(query, &row, &f->error));
    assert_int_equal(store_query_integer(query, 0), 0);
    store_query_close(query);
}

/* A closed query is reused as if new: without the earlier parameters, from its beginning, and
 * separate from an open one of the same text. */
TEST_WITH(test_asked_again, setup, teardown)
{
    struct fixture *f = *state;
    static const char sql[] = "SELECT :a UNION ALL SELECT 7";
    const struct store_parameter one = {"a", "1"};
    const struct store_parameter two = {"a", "2"};
    struct store_query *query = NULL;
    struct store_query *other = NULL;
    bool row = false;
    for (int i = 0; i < 40; i++) {
        char text[64];
        must(open_query(f, sql, &one, 1, &query));
        must(open_query(f, sql, &two, 1, &other));
        must(store_query_next(query, &row, &f->error));
        assert_int_equal(store_query_integer(query, 0), 1);
        must(store_query_next(other, &row, &f->error));
        assert_int_equal(store_query_integer(other, 0), 2);
        store_query_close(query);
        store_query_close(other);
        must(open_query(f, sql, NULL, 0, &query));
        must(store_query_next(query, &row, &f->error));
        assert_null(store_query_text(query, 0));
        store_query_close(query);
        /* More than are kept. */
        (void)snprintf(text, sizeof text, "SELECT %d", i % 20);
        must(open_query(f, text, NULL, 0, &query));
        must(store_query_next(query, &row, &f->error));
        assert_int_equal(store_query_integer(query, 0), i % 20);
        store_query_close(query);
    }
    /* A query that begins like a kept one is another query. */
    assert_int_equal(
        open_query(f, "SELECT :a UNION ALL SELECT 7; DROP TABLE trials", NULL, 0, &query),
        STATUS_BAD_INPUT);
}

TEST_WITH(test_only_reading, setup, teardown)
{
    struct fixture *f = *state;
    static const char *const refused[] = {
        "DELETE FROM runs",
        "DELETE FROM runs RETURNING id",
        "INSERT INTO devices DEFAULT VALUES",
        "UPDATE runs SET seed = 1",
        "UPDATE sqlite_master SET sql = ''",
        "DROP TABLE trials",
        "CREATE TABLE t (a)",
        "CREATE TEMP TABLE t (a)",
        "PRAGMA user_version = 5",
        "PRAGMA user_version",
        "ATTACH '/tmp/never' AS other",
        "VACUUM",
        "VACUUM INTO '/tmp/never'",
        "BEGIN",
        "ROLLBACK",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE trials",
        "SELECT",
        "SELECT nothing FROM nowhere",
        "",
        "-- only a comment",
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct store_query *query = NULL;
        if (open_query(f, refused[i], NULL, 0, &query) != STATUS_BAD_INPUT)
            fail_msg("taken: %s", refused[i]);
        assert_null(query);
        assert_non_null(strstr(f->error.text, "query"));
    }
    assert_one("SELECT count(*) FROM runs", "1");
    /* Parts that a reading statement may use. */
    assert_one("WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 5)"
               " SELECT sum(i) FROM c",
               "15");
    assert_one("SELECT group_concat(value) FROM json_each('[1,2]')", "1,2");
    assert_one("SELECT count(*) FROM points", "0");
    /* And storing goes on working after queries. */
    struct store_trial trial = ok_trial(f, 100);
    int64_t id = 0;
    must(store_trial(f->store, &trial, &id, &f->error));
}

TEST_WITH(test_failing_later, setup, teardown)
{
    struct fixture *f = *state;
    struct store_query *query = NULL;
    bool row = false;
    const struct store_parameter bad = {"k", "many"};
    must(open_query(f, "SELECT 1 LIMIT :k", &bad, 1, &query));
    assert_int_equal(store_query_next(query, &row, &f->error), STATUS_BAD_INPUT);
    assert_false(row);
    store_query_close(query);
}

TEST_WITH(test_points_resolve_duplicates, setup, teardown)
{
    struct fixture *f = *state;
    int64_t first = 0;
    int64_t id = 0;
    struct store_trial trial = ok_trial(f, 100);
    must(store_trial(f->store, &trial, &first, &f->error));
    struct store_trial twin = failed_trial(f, TRIAL_OK, NULL);
    add_configuration(f, 512, &twin.configuration_id);
    twin.same_as_trial_id = first;
    must(store_trial(f->store, &twin, &id, &f->error));
    assert_one("SELECT count(*) FROM points WHERE sweep_ns = 100 AND final_ns IS NULL"
               " AND measured_configuration_id = (SELECT min(id) FROM configurations)",
               "2");
    trial.stage = "race";
    trial.median_ns = 110;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT count(*) FROM points WHERE sweep_ns = 100 AND final_ns = 110", "2");
    /* A time that cannot be trusted is no time. */
    trial.status = TRIAL_UNSTABLE;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT count(*) FROM points WHERE sweep_ns = 100 AND final_ns IS NULL", "2");
    trial.l2_mode = L2_HOT;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT count(*) FROM points WHERE l2_mode = 'hot' AND sweep_ns IS NULL", "1");
}

/* Results of fresh processes count before those of the race; results without a time do not count.
 */
TEST_WITH(test_points_take_the_last_stage, setup, teardown)
{
    struct fixture *f = *state;
    int64_t first = 0;
    int64_t id = 0;
    struct store_trial trial = ok_trial(f, 100);
    must(store_trial(f->store, &trial, &first, &f->error));
    struct store_trial twin = failed_trial(f, TRIAL_SKIPPED, NULL);
    add_configuration(f, 512, &twin.configuration_id);
    twin.same_as_trial_id = first;
    must(store_trial(f->store, &twin, &id, &f->error));
    trial.stage = "race";
    trial.median_ns = 110;
    must(store_trial(f->store, &trial, &id, &f->error));
    trial.stage = "confirm";
    trial.median_ns = 120;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT count(*) FROM points WHERE sweep_ns = 100 AND race_ns = 110"
               " AND confirm_ns = 120 AND final_ns = 120 AND final_stage = 'confirm'"
               " AND final_trial_id = confirm_trial_id",
               "2");
    trial.status = TRIAL_CRASHED;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT count(*) FROM points WHERE confirm_ns IS NULL AND final_ns = 110"
               " AND final_stage = 'race' AND final_trial_id = race_trial_id",
               "2");
}

/* A race for energy is a row of its own beside that for time, for all configurations, with the same
 * sweep. */
TEST_WITH(test_points_of_each_objective, setup, teardown)
{
    struct fixture *f = *state;
    int64_t id = 0;
    struct store_trial trial = ok_trial(f, 100);
    must(store_trial(f->store, &trial, &id, &f->error));
    add_configuration(f, 512, &trial.configuration_id);
    must(store_trial(f->store, &trial, &id, &f->error));
    trial.stage = "race";
    trial.median_ns = 110;
    must(store_trial(f->store, &trial, &id, &f->error));
    trial.objective = "energy";
    trial.median_ns = 130;
    trial.energy_j = trial.value = 0.5;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT count(*) FROM points", "4");
    assert_one("SELECT group_concat(coalesce(final_ns, 'no')) FROM"
               " (SELECT final_ns FROM points WHERE objective = 'time' ORDER BY configuration_id)",
               "no,110.0");
    assert_one("SELECT group_concat(coalesce(race_ns, 'no') || coalesce(race_value, '-') ||"
               " coalesce(final_energy_j, '-') || sweep_ns) FROM"
               " (SELECT * FROM points WHERE objective = 'energy' ORDER BY configuration_id)",
               "no--100.0,130.00.50.5100.0");
    assert_one("SELECT group_concat(objective) FROM"
               " (SELECT objective FROM latest_problems ORDER BY 1)",
               "energy,time");
    /* A run about energy that ends in its sweep: the sweep has that objective, too. */
    const struct store_run_start run = {
        .environment_id = f->environment, .l2_mode = L2_HOT, .objective = "energy"};
    trial = ok_trial(f, 100);
    trial.l2_mode = L2_HOT;
    must(store_run_start(f->store, &run, &trial.run_id, &f->error));
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT group_concat(objective) FROM latest_problems WHERE l2_mode = 'hot'",
               "energy");
    assert_one("SELECT group_concat(objective) FROM"
               " (SELECT objective FROM points WHERE l2_mode = 'hot' ORDER BY 1)",
               "energy,time");
}

TEST_WITH(test_latest, setup, teardown)
{
    struct fixture *f = *state;
    int64_t id = 0;
    struct store_trial trial = ok_trial(f, 100);
    must(store_trial(f->store, &trial, &id, &f->error));
    const struct store_ceilings old = {.buffer_bytes = 1, .read_gbs = 1000};
    must(store_ceilings_put(f->store, f->environment, &old, &f->error));
    /* A new driver: its run replaces the old one's, with the old ceilings until it has its own. */
    int64_t environment = 0;
    add_environment(f, "590.0", &environment);
    const struct store_run_start run = {
        .environment_id = environment, .l2_mode = L2_COLD, .tick_ns = 1, .empty_pair_ns = 1};
    must(store_run_start(f->store, &run, &trial.run_id, &f->error));
    assert_one("SELECT count(*) FROM latest_problems WHERE run_id = 1", "1");
    trial.environment_id = environment;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_one("SELECT count(*) || max(run_id) FROM latest_problems", "12");
    assert_one("SELECT group_concat(read_gbs) FROM latest_ceilings", "1000.0,1000.0");
    const struct store_ceilings new = {.buffer_bytes = 1, .read_gbs = 1100};
    must(store_ceilings_put(f->store, environment, &new, &f->error));
    assert_one("SELECT group_concat(read_gbs) FROM"
               " (SELECT read_gbs FROM latest_ceilings ORDER BY environment_id)",
               "1000.0,1100.0");
}

/* The ceiling of a problem follows its experiment, also after a change. */
TEST_WITH(test_ceilings_of_problems, setup, teardown)
{
    struct fixture *f = *state;
    const struct store_ceilings ceilings = {
        .buffer_bytes = 1, .read_gbs = 1000, .write_gbs = 900, .copy_gbs = 800};
    struct store_problem problem = {
        .experiment_id = f->experiment, .key = "elementwise.fill", .n = 7, .bytes_moved = 28};
    int64_t id = 0;
    int64_t again = 0;
    must(store_ceilings_put(f->store, f->environment, &ceilings, &f->error));
    must(store_problem(f->store, &problem, &id, &f->error));
    assert_one("SELECT ceiling || gbs FROM problem_ceilings WHERE problem_id ="
               " (SELECT id FROM problems WHERE key = 'elementwise.fill')",
               "read1000.0");
    problem.ceiling = "write";
    must(store_problem(f->store, &problem, &again, &f->error));
    assert_int_equal(again, id);
    assert_one("SELECT group_concat(ceiling || gbs) FROM problem_ceilings",
               "read1000.0,write900.0");
    problem.ceiling = "copy";
    problem.bytes_moved = 56;
    must(store_problem(f->store, &problem, &again, &f->error));
    assert_int_equal(again, id);
    assert_one("SELECT ceiling || gbs || bytes_moved FROM problem_ceilings"
               " JOIN problems USING (ceiling) WHERE ceiling = 'copy'",
               "copy800.056.0");
    assert_one("SELECT count(*) FROM problems", "2");
}

/* Operations are added to rows of an older tune, changed, and removed again; the row and its trials
 * stay the same. */
TEST_WITH(test_operations_of_problems, setup, teardown)
{
    struct fixture *f = *state;
    struct store_problem problem = {
        .experiment_id = f->experiment, .key = "gemm", .n = 8, .operations_type = "f32"};
    int64_t id = 0;
    int64_t again = 0;
    must(store_problem(f->store, &problem, &id, &f->error));
    assert_one("SELECT count(*) FROM problems WHERE key = 'gemm' AND operations IS NULL"
               " AND operations_type IS NULL",
               "1");
    problem.operations = 1024;
    must(store_problem(f->store, &problem, &again, &f->error));
    assert_int_equal(again, id);
    assert_one("SELECT operations || operations_type FROM problems WHERE key = 'gemm'",
               "1024.0f32");
    problem.operations = 2048;
    must(store_problem(f->store, &problem, &again, &f->error));
    assert_int_equal(again, id);
    assert_one("SELECT operations || operations_type FROM problems WHERE key = 'gemm'",
               "2048.0f32");
    problem.operations_type = "f16";
    must(store_problem(f->store, &problem, &again, &f->error));
    assert_int_equal(again, id);
    assert_one("SELECT operations || operations_type FROM problems WHERE key = 'gemm'",
               "2048.0f16");
    problem.operations = 0;
    must(store_problem(f->store, &problem, &again, &f->error));
    assert_int_equal(again, id);
    assert_one("SELECT count(*) FROM problems WHERE key = 'gemm' AND operations IS NULL"
               " AND operations_type IS NULL",
               "1");
}

TEST_MAIN(NULL, NULL)
