/* Opening: the owner of a file, its version, and the permitted accesses. */
#include <sys/wait.h>

#include "store_fixture.h"

static void write_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static char *read_whole(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *data = calloc(1, 1 << 22);
    *bytes = fread(data, 1, 1 << 22, file);
    assert_int_equal(fclose(file), 0);
    return data;
}

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(db);
}

/* Checks that opening is refused in both modes with the status and a line with `words`, and changes
 * no byte and leaves no file. */
static void assert_refused(struct fixture *f, enum status expected, const char *words)
{
    size_t before_bytes = 0;
    size_t after_bytes = 0;
    char *before = read_whole(f->path, &before_bytes);
    for (int mode = STORE_CREATE; mode <= STORE_READ; mode++) {
        assert_int_equal(store_open(f->path, (enum store_mode)mode, &f->store, &f->error),
                         expected);
        assert_null(f->store);
        if (!strstr(f->error.text, words) || !strstr(f->error.text, f->path))
            fail_msg("'%s' is not in: %s", words, f->error.text);
    }
    char *after = read_whole(f->path, &after_bytes);
    assert_int_equal(before_bytes, after_bytes);
    assert_memory_equal(before, after, before_bytes);
    free(before);
    free(after);
    static const char *const beside[] = {"-wal", "-shm", "-journal"};
    for (size_t i = 0; i < 3; i++) {
        char name[128];
        (void)snprintf(name, sizeof name, "%s%s", f->path, beside[i]);
        assert_int_not_equal(access(name, F_OK), 0);
    }
}

TEST_WITH(test_made_and_opened_again, setup_folder, teardown)
{
    struct fixture *f = *state;
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    assert_one("SELECT count(*) FROM trials", "0");
    add_rows(f);
    store_close(f->store);
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    assert_one("SELECT count(*) FROM runs", "1");
    store_close(f->store);
    must(store_open(f->path, STORE_READ, &f->store, &f->error));
    assert_one("SELECT count(*) FROM runs", "1");
}

static int64_t pragma(struct fixture *f, const char *sql)
{
    int64_t value = -1;
    must(store_pragma(f->store, sql, &value, &f->error));
    return value;
}

TEST_WITH(test_settings, setup_folder, teardown)
{
    struct fixture *f = *state;
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    assert_int_equal(pragma(f, "PRAGMA application_id"), STORE_APPLICATION_ID);
    assert_int_equal(pragma(f, "PRAGMA user_version"), STORE_SCHEMA_VERSION);
    assert_int_equal(pragma(f, "PRAGMA foreign_keys"), 1);
    assert_int_equal(pragma(f, "PRAGMA synchronous"), 2); /* FULL: a commit waits for the disk */
    assert_int_equal(pragma(f, "PRAGMA busy_timeout"), STORE_BUSY_MS);
    sqlite3_stmt *mode = NULL;
    assert_int_equal(sqlite3_prepare_v2(f->store->db, "PRAGMA journal_mode", -1, &mode, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(mode), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(mode, 0), "wal");
    (void)sqlite3_finalize(mode);
}

TEST_WITH(test_absent, setup_folder, teardown)
{
    struct fixture *f = *state;
    assert_int_equal(store_open(f->path, STORE_READ, &f->store, &f->error), STATUS_NOT_FOUND);
    assert_non_null(strstr(f->error.text, "tune run"));
    assert_int_not_equal(access(f->path, F_OK), 0);
    char deep[128];
    (void)snprintf(deep, sizeof deep, "%s/none/tune.db", f->folder);
    assert_int_equal(store_open(deep, STORE_CREATE, &f->store, &f->error), STATUS_NOT_FOUND);
    assert_int_equal(store_open("", STORE_CREATE, &f->store, &f->error), STATUS_BAD_INPUT);
    assert_int_equal(store_open(f->folder, STORE_CREATE, &f->store, &f->error), STATUS_BAD_INPUT);
    assert_non_null(strstr(f->error.text, "folder"));
}

TEST_WITH(test_empty_file, setup_folder, teardown)
{
    struct fixture *f = *state;
    write_file(f->path, "", 0);
    assert_int_equal(store_open(f->path, STORE_READ, &f->store, &f->error), STATUS_BAD_INPUT);
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    add_rows(f);
}

TEST_WITH(test_no_database_is_left_alone, setup_folder, teardown)
{
    struct fixture *f = *state;
    static const char text[] = "dear diary, this is not a database at all\n";
    write_file(f->path, text, sizeof text - 1);
    assert_refused(f, STATUS_BAD_INPUT, "not a database of tune");
    write_file(f->path, "x", 1);
    assert_refused(f, STATUS_BAD_INPUT, "not a database of tune");
    char *noise = malloc(100000);
    for (int i = 0; i < 100000; i++)
        noise[i] = (char)(i * 37 + i / 256);
    write_file(f->path, noise, 100000);
    free(noise);
    assert_refused(f, STATUS_BAD_INPUT, "not a database of tune");
}

TEST_WITH(test_database_of_another_program_is_left_alone, setup_folder, teardown)
{
    struct fixture *f = *state;
    run_sql(f->path, "CREATE TABLE contacts (name TEXT); INSERT INTO contacts VALUES ('a')");
    assert_refused(f, STATUS_BAD_INPUT, "not a database of tune");
    run_sql(f->path, "PRAGMA application_id = 7; PRAGMA journal_mode = WAL");
    assert_refused(f, STATUS_BAD_INPUT, "not a database of tune");
}

TEST_WITH(test_newer_schema_is_refused, setup_folder, teardown)
{
    struct fixture *f = *state;
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    store_close(f->store);
    f->store = NULL;
    run_sql(f->path, "PRAGMA user_version = 999");
    assert_refused(f, STATUS_BAD_INPUT, "newer");
}

TEST_WITH(test_damaged_database, setup_folder, teardown)
{
    struct fixture *f = *state;
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    store_close(f->store);
    f->store = NULL;
    assert_int_equal(truncate(f->path, 4096), 0);
    enum status status = store_open(f->path, STORE_READ, &f->store, &f->error);
    struct store_query *query = NULL;
    if (status == STATUS_OK)
        status = store_query_open(f->store, "SELECT * FROM trials", NULL, 0, &query, &f->error);
    assert_int_equal(status, STATUS_BAD_INPUT);
    assert_non_null(strstr(f->error.text, "damaged"));
}

TEST_WITH(test_odd_names, setup_folder, teardown)
{
    struct fixture *f = *state;
    static const char *const names[] = {"a b?mode=memory#x%41", ":memory:", "\xc3\xa9'\"\n;"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[160];
        (void)snprintf(path, sizeof path, "%s/%s", f->folder, names[i]);
        must(store_open(path, STORE_CREATE, &f->store, &f->error));
        store_close(f->store);
        f->store = NULL;
        assert_int_equal(access(path, F_OK), 0);
    }
    /* Relative, as most are. */
    assert_int_equal(chdir(f->folder), 0);
    must(store_open(":memory:", STORE_CREATE, &f->store, &f->error));
    assert_int_equal(access(":memory:", F_OK), 0);
    assert_int_equal(chdir("/"), 0);
}

/* Runs the check in a process that is not root, since root may write everywhere. */
static void as_nobody(struct fixture *f, void (*check)(struct fixture *f))
{
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(2);
        check(f);
        _exit(0);
    }
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    if (WEXITSTATUS(result) != 0)
        fail_msg("the check failed with %d", WEXITSTATUS(result));
}

/* In the child assertions cannot use cmocka: a number says which failed. */
#define expect(number, condition)                                                                  \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s: %s\n", #condition, f->error.text);                                \
            _exit(number);                                                                         \
        }                                                                                          \
    } while (0)

static void check_folder_not_writable(struct fixture *f)
{
    enum status status = store_open(f->path, STORE_CREATE, &f->store, &f->error);
    expect(10, status == STATUS_PERMISSION && strstr(f->error.text, "permissions"));
}

TEST_WITH(test_folder_not_writable, setup_folder, teardown)
{
    struct fixture *f = *state;
    assert_int_equal(chmod(f->folder, 0555), 0);
    as_nobody(f, check_folder_not_writable);
}

static void check_reading_in_locked_folder(struct fixture *f)
{
    struct store_query *query = NULL;
    bool row = false;
    expect(10, store_open(f->path, STORE_READ, &f->store, &f->error) == STATUS_OK);
    expect(11, store_query_open(f->store, "SELECT count(*) FROM runs", NULL, 0, &query,
                                &f->error) == STATUS_OK);
    expect(12, store_query_next(query, &row, &f->error) == STATUS_OK && row);
    expect(13, store_query_integer(query, 0) == 1);
    store_query_close(query);
    store_close(f->store);
    enum status status = store_open(f->path, STORE_CREATE, &f->store, &f->error);
    expect(14, status == STATUS_PERMISSION);
}

TEST_WITH(test_reading_in_a_folder_that_may_not_be_written, setup_folder, teardown)
{
    struct fixture *f = *state;
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    add_rows(f);
    store_close(f->store);
    f->store = NULL;
    assert_int_equal(chmod(f->path, 0444), 0);
    assert_int_equal(chmod(f->folder, 0555), 0);
    as_nobody(f, check_reading_in_locked_folder);
    /* The file may be written, but its log may not. */
    assert_int_equal(chmod(f->path, 0666), 0);
    as_nobody(f, check_reading_in_locked_folder);
}

static void check_log_in_locked_folder(struct fixture *f)
{
    enum status status = store_open(f->path, STORE_READ, &f->store, &f->error);
    expect(10, status == STATUS_PERMISSION && strstr(f->error.text, "-wal"));
}

/* Rows that are only in the log must not be ignored silently. */
TEST_WITH(test_log_in_a_folder_that_may_not_be_written, setup_folder, teardown)
{
    struct fixture *f = *state;
    pid_t child = fork();
    if (child == 0) {
        if (store_open(f->path, STORE_CREATE, &f->store, &f->error) != STATUS_OK)
            _exit(1);
        add_rows(f);
        _exit(0); /* without closing: the log stays */
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    char name[128];
    (void)snprintf(name, sizeof name, "%s-shm", f->path);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(chmod(f->folder, 0555), 0);
    as_nobody(f, check_log_in_locked_folder);
}

static void check_file_not_readable(struct fixture *f)
{
    for (int mode = STORE_CREATE; mode <= STORE_READ; mode++) {
        enum status status = store_open(f->path, (enum store_mode)mode, &f->store, &f->error);
        expect(10 + mode, status == STATUS_PERMISSION && strstr(f->error.text, "may not be read"));
    }
}

TEST_WITH(test_file_not_readable, setup_folder, teardown)
{
    struct fixture *f = *state;
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    store_close(f->store);
    f->store = NULL;
    assert_int_equal(chmod(f->path, 0), 0);
    as_nobody(f, check_file_not_readable);
}

TEST_WITH(test_read_mode_changes_nothing, setup_folder, teardown)
{
    struct fixture *f = *state;
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    add_rows(f);
    store_close(f->store);
    must(store_open(f->path, STORE_READ, &f->store, &f->error));
    struct store_trial trial = ok_trial(f, 100);
    int64_t id = 0;
    assert_int_not_equal(store_trial(f->store, &trial, &id, &f->error), STATUS_OK);
    assert_one("SELECT count(*) FROM trials", "0");
}

/* A reader that holds the database sees one moment of it, whatever a run stores meanwhile. */
TEST_WITH(test_a_held_moment, setup_folder, teardown)
{
    struct fixture *f = *state;
    struct store *reader = NULL;
    struct store_query *query = NULL;
    bool row = false;
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    must(store_open(f->path, STORE_READ, &reader, &f->error));
    for (int held = 0; held < 2; held++) {
        if (held) {
            must(store_hold(reader, &f->error));
            must(store_hold(reader, &f->error));
        }
        run_sql(
            f->path,
            "INSERT INTO devices (uuid, kind, name, architecture, memory_bytes, unit_count, facts,"
            " first_seen_at) VALUES (hex(randomblob(8)), 'cpu', '', '', 1, 1, '{}', '')");
        must(store_query_open(reader, "SELECT count(*) FROM devices", NULL, 0, &query, &f->error));
        must(store_query_next(query, &row, &f->error));
        assert_int_equal(store_query_integer(query, 0), 1);
        store_query_close(query);
    }
    store_close(reader);
}

TEST_MAIN(NULL, NULL)
