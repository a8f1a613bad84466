/* An older database is copied, then brought up to date whole or not at all. */
#include <dirent.h>

#include "store_fixture.h"

static const char first_schema[] =
    "PRAGMA application_id = 0x54756e65; PRAGMA user_version = 1;"
    "CREATE TABLE parents (id INTEGER PRIMARY KEY, name TEXT) STRICT;"
    "CREATE TABLE children (id INTEGER PRIMARY KEY, parent_id INTEGER NOT NULL"
    " REFERENCES parents (id)) STRICT;"
    "INSERT INTO parents VALUES (1, 'a'); INSERT INTO children VALUES (1, 1);";

/* The second rebuilds a table that another one refers to, the way SQLite's manual says. */
static const char migrations[] =
    "-- migration 2: a column\n"
    "ALTER TABLE parents ADD COLUMN age INTEGER;\n"
    "-- migration 3: a stricter name; mentions -- migration 9 in passing\n"
    "CREATE TABLE new_parents (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER) STRICT;\n"
    "INSERT INTO new_parents SELECT id, name, age FROM parents;\n"
    "DROP TABLE parents;\n"
    "ALTER TABLE new_parents RENAME TO parents;\n"
    "INSERT INTO parents VALUES (2, 'b', 7);";

static const struct store_schema first = {1, first_schema, ""};
static const struct store_schema third = {3, first_schema, migrations};

static int setup_old(void **state)
{
    if (setup_folder(state) != 0)
        return -1;
    struct fixture *f = *state;
    must(store_open_as(f->path, STORE_CREATE, &first, &f->store, &f->error));
    store_close(f->store);
    f->store = NULL;
    return 0;
}

static int count_files(const struct fixture *f)
{
    int count = 0;
    DIR *folder = opendir(f->folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    (void)closedir(folder);
    return count;
}

/* Reads the version without this room's functions. */
static int version_of(const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int version = sqlite3_column_int(statement, 0);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return version;
}

TEST_WITH(test_migrated_with_a_copy, setup_old, teardown)
{
    struct fixture *f = *state;
    char copy[128];
    (void)snprintf(copy, sizeof copy, "%s.schema-1", f->path);
    assert_int_equal(chmod(f->path, 0600), 0);
    must(store_open_as(f->path, STORE_CREATE, &third, &f->store, &f->error));
    assert_one("SELECT group_concat(name || coalesce(age, '-')) FROM parents", "a-,b7");
    assert_one("SELECT parent_id FROM children", "1");
    int64_t value = 0;
    must(store_pragma(f->store, "PRAGMA user_version", &value, &f->error));
    assert_int_equal(value, 3);
    must(store_pragma(f->store, "PRAGMA foreign_keys", &value, &f->error));
    assert_int_equal(value, 1);
    assert_int_equal(version_of(copy), 1);
    struct stat info;
    assert_int_equal(stat(copy, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    /* Once only. */
    store_close(f->store);
    must(store_open_as(f->path, STORE_CREATE, &third, &f->store, &f->error));
    assert_one("SELECT count(*) FROM parents", "2");
}

/* The first version's view reads a column that the migration removes. */
TEST_WITH(test_views_are_those_of_the_schema, setup_old, teardown)
{
    struct fixture *f = *state;
    static const char create[] =
        "CREATE TABLE parents (id INTEGER PRIMARY KEY, called TEXT) STRICT;\n"
        "CREATE TABLE children (id INTEGER PRIMARY KEY) STRICT;\n"
        "CREATE VIEW names AS SELECT called AS name FROM parents;\n"
        "CREATE VIEW calls AS SELECT count(*) AS calls FROM names;\n";
    static const char rename[] = "-- migration 2: another name\n"
                                 "ALTER TABLE parents RENAME COLUMN name TO called;\n";
    const struct store_schema second = {2, create, rename};
    must(store_open_as(f->path, STORE_CREATE, &first, &f->store, &f->error));
    must(store_execute(f->store,
                       "CREATE VIEW names AS SELECT max(name) FROM parents;"
                       "CREATE VIEW mine AS SELECT id FROM children",
                       "prepare", &f->error));
    store_close(f->store);
    f->store = NULL;
    must(store_open_as(f->path, STORE_CREATE, &second, &f->store, &f->error));
    assert_one("SELECT name FROM names", "a");
    assert_one("SELECT calls FROM calls", "1");
    assert_one("SELECT sql FROM sqlite_schema WHERE name = 'names'",
               "CREATE VIEW names AS SELECT called AS name FROM parents");
    assert_one("SELECT id FROM mine", "1");
}

TEST_WITH(test_a_copy_is_never_overwritten, setup_old, teardown)
{
    struct fixture *f = *state;
    char copy[128];
    (void)snprintf(copy, sizeof copy, "%s.schema-1", f->path);
    assert_int_equal(symlink("/nowhere/at/all", copy), 0);
    must(store_open_as(f->path, STORE_CREATE, &third, &f->store, &f->error));
    (void)snprintf(copy, sizeof copy, "%s.schema-1.2", f->path);
    assert_int_equal(version_of(copy), 1);
}

static void assert_unchanged(struct fixture *f)
{
    assert_null(f->store);
    assert_int_equal(count_files(f), 1); /* no copy without a migration */
    assert_int_equal(version_of(f->path), 1);
    must(store_open_as(f->path, STORE_READ, &first, &f->store, &f->error));
    assert_one("SELECT name FROM parents", "a");
    assert_one("SELECT count(*) FROM pragma_table_info('parents')", "2");
}

static void copy_file(const char *from, const char *to)
{
    char command[512];
    (void)snprintf(command, sizeof command, "cp %s %s", from, to);
    assert_int_equal(system(command), 0);
}

/* Killed between the copy's name and the commit, a program leaves a copy that is the same as the
 * next one's. */
TEST_WITH(test_one_copy_of_one_state, setup_old, teardown)
{
    struct fixture *f = *state;
    char before[160];
    (void)snprintf(before, sizeof before, "%s/kept", f->folder);
    copy_file(f->path, before);
    for (int i = 0; i < 3; i++) {
        must(store_open_as(f->path, STORE_CREATE, &third, &f->store, &f->error));
        store_close(f->store);
        f->store = NULL;
        copy_file(before, f->path);
    }
    assert_int_equal(count_files(f), 3); /* the database, the kept copy, one copy */
}

TEST_WITH(test_a_failing_step_undoes_all, setup_old, teardown)
{
    struct fixture *f = *state;
    static const char broken[] = "-- migration 2: good\n"
                                 "ALTER TABLE parents ADD COLUMN age INTEGER;\n"
                                 "-- migration 3: bad\n"
                                 "ALTER TABLE nothing ADD COLUMN age INTEGER;\n";
    const struct store_schema schema = {3, first_schema, broken};
    assert_int_equal(store_open_as(f->path, STORE_CREATE, &schema, &f->store, &f->error),
                     STATUS_INTERNAL);
    assert_non_null(strstr(f->error.text, "nothing"));
    assert_unchanged(f);
}

TEST_WITH(test_broken_references_undo_all, setup_old, teardown)
{
    struct fixture *f = *state;
    static const char broken[] = "-- migration 2: forgets the children\n"
                                 "DELETE FROM parents;\n";
    const struct store_schema schema = {2, first_schema, broken};
    assert_int_equal(store_open_as(f->path, STORE_CREATE, &schema, &f->store, &f->error),
                     STATUS_INTERNAL);
    assert_non_null(strstr(f->error.text, "point nowhere"));
    assert_unchanged(f);
}

TEST_WITH(test_no_way_there, setup_old, teardown)
{
    struct fixture *f = *state;
    static const char gap[] = "-- migration 3: without a second\nSELECT 1;\n";
    const struct store_schema schema = {3, first_schema, gap};
    assert_int_equal(store_open_as(f->path, STORE_CREATE, &schema, &f->store, &f->error),
                     STATUS_BAD_INPUT);
    assert_unchanged(f);
}

TEST_WITH(test_reading_an_older_one_is_refused, setup_old, teardown)
{
    struct fixture *f = *state;
    assert_int_equal(store_open_as(f->path, STORE_READ, &third, &f->store, &f->error),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(f->error.text, "older"));
    assert_int_equal(count_files(f), 1);
    assert_unchanged(f);
}

/* Without room for the copy no migration starts. */
TEST_WITH(test_no_copy_no_migration, setup_old, teardown)
{
    struct fixture *f = *state;
    if (geteuid() == 0)
        skip(); /* root writes in every folder */
    assert_int_equal(chmod(f->folder, 0555), 0);
    assert_int_equal(store_open_as(f->path, STORE_CREATE, &third, &f->store, &f->error),
                     STATUS_PERMISSION);
    assert_int_equal(chmod(f->folder, 0777), 0);
    assert_unchanged(f);
}

/* db/schema.sql and db/migrations must lead to the same version, each step numbered by its file. */
TEST_WITH(test_shipped_migrations, setup_old, teardown)
{
    struct fixture *f = *state;
    int last = 1;
    struct dirent **entries = NULL;
    int count = scandir(TEST_SOURCE_DIR "/db/migrations", &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        size_t length = strlen(name);
        if (length > 4 && strcmp(name + length - 4, ".sql") == 0) {
            char path[512];
            char head[64];
            char line[256] = "";
            (void)snprintf(path, sizeof path, TEST_SOURCE_DIR "/db/migrations/%s", name);
            FILE *file = fopen(path, "r");
            assert_non_null(file);
            assert_non_null(fgets(line, sizeof line, file));
            (void)fclose(file);
            (void)snprintf(head, sizeof head, "-- migration %d: ", ++last);
            assert_int_equal(atoi(name), last);
            assert_int_equal(strncmp(line, head, strlen(head)), 0);
        }
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(last, STORE_SCHEMA_VERSION);
    char fresh[128];
    int64_t version = 0;
    (void)snprintf(fresh, sizeof fresh, "%s.fresh", f->path);
    must(store_open(fresh, STORE_CREATE, &f->store, &f->error));
    must(store_pragma(f->store, "PRAGMA user_version", &version, &f->error));
    assert_int_equal(version, STORE_SCHEMA_VERSION);
}

/* Makes a closed database of version 1 (tests/data/schema_1.sql) at f->path. */
static void make_version_1(struct fixture *f)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = fopen(TEST_SOURCE_DIR "/tests/data/schema_1.sql", "r");
    assert_non_null(file);
    assert_true(getdelim(&text, &length, '\0', file) > 0);
    (void)fclose(file);
    const struct store_schema schema = {1, text, ""};
    assert_int_equal(unlink(f->path), 0);
    must(store_open_as(f->path, STORE_CREATE, &schema, &f->store, &f->error));
    store_close(f->store);
    f->store = NULL;
    free(text);
}

/* Appends the schema; quotes around the names of renamed tables make no difference. */
static void append_schema(struct fixture *f, struct text *out)
{
    struct store_query *query = NULL;
    bool row = true;
    must(store_query_open(f->store,
                          "SELECT type || ' ' || name || ' ' || coalesce(sql, '')"
                          " FROM sqlite_schema ORDER BY type, name",
                          NULL, 0, &query, &f->error));
    for (;;) {
        must(store_query_next(query, &row, &f->error));
        if (!row)
            break;
        for (const char *c = store_query_text(query, 0); *c; c++)
            if (*c != '"')
                text_append_bytes(out, c, 1);
        text_append(out, "\n");
    }
    store_query_close(query);
}

TEST_WITH(test_migrated_is_as_new, setup_old, teardown)
{
    struct fixture *f = *state;
    struct text migrated = {0};
    struct text fresh = {0};
    make_version_1(f);
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    append_schema(f, &migrated);
    store_close(f->store);
    f->store = NULL;
    assert_int_equal(version_of(f->path), STORE_SCHEMA_VERSION);
    assert_int_equal(unlink(f->path), 0);
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    append_schema(f, &fresh);
    assert_string_equal(text_string(&migrated), text_string(&fresh));
    assert_true(fresh.length > 5000);
    text_free(&migrated);
    text_free(&fresh);
}

TEST_WITH(test_version_1_is_kept, setup_old, teardown)
{
    struct fixture *f = *state;
    make_version_1(f);
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    assert_one("SELECT count(*) FROM pragma_foreign_key_check", "0");
    assert_one("SELECT group_concat(integrity_check) FROM pragma_integrity_check", "ok");
    assert_one("SELECT (SELECT count(*) FROM runs) || (SELECT count(*) FROM trials) ||"
               " (SELECT count(*) FROM samples) || (SELECT count(*) FROM resources) ||"
               " (SELECT count(*) FROM winners) || (SELECT count(*) FROM baselines) ||"
               " (SELECT count(*) FROM in_flight)",
               "2772211");
    assert_one("SELECT group_concat(id || stage || objective || coalesce(value, '-') ||"
               " coalesce(same_as_trial_id, '-')) FROM (SELECT * FROM trials ORDER BY id)",
               "1sweeptime100.0-,2sweeptime-1,3sweeptime--,5racetime110.0-,6sweeptime80.0-,"
               "7sweeptime-6,8racetime90.0-");
    assert_one("SELECT group_concat(trial_id || round || runs || elapsed_ns || process || invalid"
               " || (energy_j IS NULL)) FROM (SELECT * FROM samples WHERE trial_id = 5"
               " ORDER BY ordinal)",
               "508109.0001,518110.0001,528111.0001");
    assert_one("SELECT group_concat(id || trial_id || stage || objective || value ||"
               " candidate_count || (trust IS NULL) || (tied_count IS NULL) || (delta IS NULL))"
               " FROM (SELECT * FROM winners ORDER BY id)",
               "45racetime110.03111,67sweeptime80.02111");
    assert_one("SELECT group_concat(seed || l2_mode || objective || coalesce(wall_ns, '-') ||"
               " (protocol IS NULL)) FROM (SELECT * FROM runs ORDER BY id)",
               "7coldtime601,8hottime-1");
    assert_one("SELECT group_concat(configuration_id || coalesce(final_ns, '-')) FROM"
               " (SELECT * FROM points WHERE problem_id = 1 ORDER BY configuration_id)",
               "1110.0,2110.0,3-");
    assert_one("SELECT group_concat(DISTINCT ceiling) FROM problems", "read");
    assert_one("SELECT (SELECT count(*) FROM problems WHERE operations IS NULL AND"
               " operations_type IS NULL) || (SELECT count(*) FROM runs WHERE command IS NULL) ||"
               " (SELECT count(*) FROM latest_arithmetic) || (SELECT count(*) FROM peers)",
               "2200");
    /* The database is usable: the next trial and winner take their places. */
    f->environment = f->problem = f->configuration = f->run = 1;
    struct store_trial trial = ok_trial(f, 105);
    int64_t id = 0;
    trial.stage = "race";
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_int_equal(id, 5);
}

TEST_MAIN(NULL, NULL)
