/* Queries about one configuration, or about the tried ones, cost the same for any number of trials:
 * counted in steps of SQLite's machine, independent of the computer. */

#include <sqlite3.h>
#include <stdio.h>

#include "tests/unit/suite.h"

extern const char store_schema[];

enum { FEW = 500, MANY = 8000 };

static void execute(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
}

/* Makes a database with `trials` trials of one problem's sweep and a race of the first. */
static sqlite3 *make(int trials)
{
    sqlite3 *db = NULL;
    char sql[1024];
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    execute(db, store_schema);
    execute(db, "INSERT INTO devices VALUES (1, 'u', 'cuda', 'd', 'a', 1, 1, '{}', 't');"
                "INSERT INTO environments VALUES (1, 1, 'd', 'c', 't', 'h', 't');"
                "INSERT INTO experiments VALUES (1, 'x', 'cuda', 'h', 'h', 'p', 't', 't');"
                "INSERT INTO problems (id, experiment_id, key, axes, n, bytes_moved)"
                " VALUES (1, 1, 'x.i32', '{}', 1, 1);"
                "INSERT INTO runs (id, environment_id, started_at, seed, l2_mode, tick_ns,"
                " empty_pair_ns) VALUES (1, 1, 't', 1, 'cold', 1, 1)");
    (void)snprintf(sql, sizeof sql,
                   "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < %d) "
                   "INSERT INTO configurations SELECT i, 1, 'x=' || i, '{}' FROM c",
                   trials);
    execute(db, sql);
    execute(db, "INSERT INTO trials (run_id, environment_id, problem_id, configuration_id, stage,"
                " l2_mode, status, sample_count, median_ns, duration_ns, measured_at) "
                "SELECT 1, 1, 1, id, 'sweep', 'cold', 'ok', 1, id, 1, 't' FROM configurations;"
                "INSERT INTO trials (run_id, environment_id, problem_id, configuration_id, stage,"
                " l2_mode, status, sample_count, median_ns, duration_ns, measured_at) "
                "VALUES (1, 1, 1, 1, 'race', 'cold', 'ok', 1, 2.5, 1, 't')");
    return db;
}

static int steps(int trials, const char *sql)
{
    sqlite3 *db = make(trials);
    sqlite3_stmt *statement = NULL;
    int rows = 0;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW)
        rows++;
    assert_int_equal(rows, 1);
    int count = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return count;
}

static void expect_level(const char *sql)
{
    int few = steps(FEW, sql);
    int many = steps(MANY, sql);
    if (many > few + few / 4)
        fail_msg("%d steps of %d trials, %d of %d: %s", few, FEW, many, MANY, sql);
}

TEST(test_what_was_tried_is_told_without_reading_it)
{
    expect_level("SELECT * FROM latest_problems");
}

TEST(test_a_point_is_looked_up)
{
    expect_level("SELECT p.* FROM configurations AS c CROSS JOIN points AS p "
                 "ON p.configuration_id = c.id AND p.environment_id = 1 AND p.problem_id = 1 "
                 "AND p.l2_mode = 'cold' AND p.objective = 'time' WHERE c.id = 1");
}

TEST_MAIN(NULL, NULL)
