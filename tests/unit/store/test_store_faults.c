/* Killed writers, full disks, locks: no half-stored rows, and a line with the remedy. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "store_fixture.h"

static void wait_for_child(struct fixture *f, pid_t child)
{
    int result = 0;
    (void)f;
    assert_int_equal(waitpid(child, &result, 0), child);
    if (!WIFEXITED(result) || WEXITSTATUS(result) != 0)
        fail_msg("the child ended with %x", (unsigned)result);
}

/* Stores trials, each with six samples and two launches, until it is killed; writes a byte into the
 * pipe after each. */
static void store_for_ever(struct fixture *f, int pipe_end)
{
    struct launch_plan plan = {.launch_count = 2};
    plan.launches[0] = (struct launch){.kernel = "a", .grid = {1, 1, 1}, .block = {1, 1, 1}};
    plan.launches[1] = plan.launches[0];
    if (store_open(f->path, STORE_CREATE, &f->store, &f->error) != STATUS_OK)
        _exit(1);
    add_rows(f);
    for (int block = 0;; block++) {
        struct store_trial trial = ok_trial(f, 100 + block);
        trial.plan = &plan;
        int64_t id = 0;
        add_configuration(f, block, &trial.configuration_id);
        if (store_trial(f->store, &trial, &id, &f->error) != STATUS_OK ||
            write(pipe_end, "x", 1) != 1)
            _exit(2);
    }
}

TEST_WITH(test_killed_writer, setup_folder, teardown)
{
    struct fixture *f = *state;
    for (int round = 0; round < 5; round++) {
        int ends[2];
        char byte[64];
        int64_t written = 0;
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            (void)close(ends[0]);
            store_for_ever(f, ends[1]);
        }
        (void)close(ends[1]);
        /* Somewhere in the middle: after a number of trials that differs from round to round. */
        for (ssize_t got = 1; got > 0 && written < 200 + 37 * round; written += got)
            got = read(ends[0], byte, sizeof byte);
        assert_int_equal(kill(child, SIGKILL), 0);
        for (ssize_t got = 1; (got = read(ends[0], byte, sizeof byte)) > 0;)
            written += got;
        (void)close(ends[0]);
        int result = 0;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFSIGNALED(result));

        must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
        sqlite3_stmt *check = NULL;
        assert_int_equal(
            sqlite3_prepare_v2(f->store->db, "PRAGMA integrity_check", -1, &check, NULL),
            SQLITE_OK);
        assert_int_equal(sqlite3_step(check), SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(check, 0), "ok");
        (void)sqlite3_finalize(check);
        assert_one("SELECT count(*) FROM pragma_foreign_key_check", "0");
        /* Every trial that was reported is there, and none by half. */
        char text[256];
        assert_true(atoll(one(f, "SELECT count(*) FROM trials", text)) >= written);
        assert_one("SELECT count(*) FROM trials AS t WHERE"
                   " 6 <> (SELECT count(*) FROM samples WHERE trial_id = t.id) OR"
                   " 2 <> (SELECT count(*) FROM resources WHERE trial_id = t.id)",
                   "0");
        store_close(f->store);
        f->store = NULL;
        assert_int_equal(unlink(f->path), 0);
    }
}

/* A full disk ends a checkpoint after the header was copied out of the log and before the file
 * grew: the header counts more pages than the file has, and the log has them. */
TEST_WITH(test_checkpoint_cut_short, setup_folder, teardown)
{
    enum { TRIALS = 60 }; /* enough for the file to grow, too few for a checkpoint */
    static const unsigned char pages[4] = {0, 1, 0, 0};
    struct fixture *f = *state;
    int ends[2];
    char byte = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        store_for_ever(f, ends[1]);
    for (int i = 0; i < TRIALS; i++)
        assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    int file = open(f->path, O_WRONLY);
    assert_int_equal(pwrite(file, pages, sizeof pages, 28), sizeof pages);
    assert_int_equal(close(file), 0);
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    char text[256];
    assert_true(atoll(one(f, "SELECT count(*) FROM trials", text)) >= TRIALS);
    assert_one("SELECT * FROM pragma_integrity_check", "ok");
}

static void read_while_written(struct fixture *f, int64_t trials)
{
    int64_t last = -1;
    if (store_open(f->path, STORE_READ, &f->store, &f->error) != STATUS_OK)
        _exit(1);
    while (last < trials) {
        struct store_query *query = NULL;
        bool row = false;
        if (store_query_open(f->store,
                             "SELECT (SELECT count(*) FROM trials), (SELECT count(*) FROM samples)",
                             NULL, 0, &query, &f->error) != STATUS_OK ||
            store_query_next(query, &row, &f->error) != STATUS_OK || !row)
            _exit(2);
        int64_t count = store_query_integer(query, 0);
        if (count < last || store_query_integer(query, 1) != 6 * count)
            _exit(3);
        last = count;
        store_query_close(query);
    }
    store_close(f->store);
    _exit(0);
}

TEST_WITH(test_two_readers_beside_a_writer, setup_folder, teardown)
{
    struct fixture *f = *state;
    enum { TRIALS = 2000 };
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    add_rows(f);
    store_close(f->store);
    f->store = NULL;
    pid_t readers[2];
    for (int i = 0; i < 2; i++) {
        readers[i] = fork();
        if (readers[i] == 0) {
            (void)alarm(60);
            read_while_written(f, TRIALS);
        }
    }
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    for (int i = 0; i < TRIALS; i++) {
        struct store_trial trial = ok_trial(f, 100);
        int64_t id = 0;
        add_configuration(f, i, &trial.configuration_id);
        must(store_trial(f->store, &trial, &id, &f->error));
    }
    wait_for_child(f, readers[0]);
    wait_for_child(f, readers[1]);
}

static enum status store_until_it_fails(struct fixture *f, int64_t *stored)
{
    enum status status = STATUS_OK;
    for (*stored = 0; status == STATUS_OK && *stored < 100000; ++*stored) {
        struct store_trial trial = ok_trial(f, 100);
        char key[32];
        int64_t id = 0;
        (void)snprintf(key, sizeof key, "block=%lld", (long long)*stored);
        status = store_configuration(f->store, f->experiment, key, NULL, 0, &trial.configuration_id,
                                     &f->error);
        if (status == STATUS_OK)
            status = store_trial(f->store, &trial, &id, &f->error);
    }
    --*stored;
    return status;
}

static void assert_stored(struct fixture *f, int64_t stored)
{
    char expected[32];
    (void)snprintf(expected, sizeof expected, "%lld", (long long)stored);
    assert_one("SELECT count(*) FROM trials", expected);
    (void)snprintf(expected, sizeof expected, "%lld", (long long)stored * 6);
    assert_one("SELECT count(*) FROM samples", expected);
}

TEST_WITH(test_full, setup_folder, teardown)
{
    struct fixture *f = *state;
    int64_t pages = 0;
    int64_t stored = 0;
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    add_rows(f);
    must(store_pragma(f->store, "PRAGMA page_count", &pages, &f->error));
    char limit[64];
    (void)snprintf(limit, sizeof limit, "PRAGMA max_page_count = %lld", (long long)pages + 40);
    must(store_pragma(f->store, limit, NULL, &f->error));
    assert_int_equal(store_until_it_fails(f, &stored), STATUS_IO);
    assert_non_null(strstr(f->error.text, "disk is full"));
    assert_true(stored > 10);
    assert_stored(f, stored);
    /* There is room again: storing continues. */
    must(store_pragma(f->store, "PRAGMA max_page_count = 100000", NULL, &f->error));
    struct store_trial trial = ok_trial(f, 100);
    int64_t id = 0;
    must(store_trial(f->store, &trial, &id, &f->error));
    assert_stored(f, stored + 1);
}

/* Fills a file up to a limit of the operating system: through the log, not through SQLite's own
 * count. */
static void fill_limited_file(struct fixture *f)
{
    const struct rlimit limit = {.rlim_cur = 600000, .rlim_max = 600000};
    int64_t stored = 0;
    (void)signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(1);
    enum status status = store_until_it_fails(f, &stored);
    if (status != STATUS_IO || !strstr(f->error.text, "disk is full") || stored < 10) {
        fprintf(stderr, "%s after %lld: %s\n", status_text(status), (long long)stored,
                f->error.text);
        _exit(2);
    }
    FILE *written = fopen("/dev/fd/9", "w");
    if (!written || fprintf(written, "%lld\n", (long long)stored) < 0 || fclose(written) != 0)
        _exit(3);
    _exit(0);
}

TEST_WITH(test_no_more_room_for_the_log, setup_folder, teardown)
{
    struct fixture *f = *state;
    int ends[2];
    char text[32] = "";
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        if (dup2(ends[1], 9) < 0 ||
            store_open(f->path, STORE_CREATE, &f->store, &f->error) != STATUS_OK)
            _exit(4);
        add_rows(f);
        fill_limited_file(f);
    }
    (void)close(ends[1]);
    wait_for_child(f, child);
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    (void)close(ends[0]);
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    assert_stored(f, atoll(text));
}

TEST_WITH(test_no_room_for_a_new_database, setup_folder, teardown)
{
    struct fixture *f = *state;
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {.rlim_cur = 8192, .rlim_max = 8192};
        (void)signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(1);
        enum status status = store_open(f->path, STORE_CREATE, &f->store, &f->error);
        _exit(status == STATUS_IO && strstr(f->error.text, "disk is full") ? 0 : 2);
    }
    wait_for_child(f, child);
    /* The remains are no obstacle. */
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    add_rows(f);
}

TEST_WITH(test_locked_for_too_long, setup_folder, teardown)
{
    struct fixture *f = *state;
    struct store *other = NULL;
    must(store_open(f->path, STORE_CREATE, &f->store, &f->error));
    add_rows(f);
    must(store_open(f->path, STORE_CREATE, &other, &f->error));
    must(store_begin(other, "hold the lock", &f->error));
    assert_int_equal(sqlite3_busy_timeout(f->store->db, 20), SQLITE_OK);
    struct store_trial trial = ok_trial(f, 100);
    int64_t id = 0;
    assert_int_equal(store_trial(f->store, &trial, &id, &f->error), STATUS_IO);
    assert_non_null(strstr(f->error.text, "locked"));
    assert_stored(f, 0); /* reading goes on */
    must(store_end(other, STATUS_OK, "hold the lock", &f->error));
    must(store_trial(f->store, &trial, &id, &f->error));
    store_close(other);
    assert_stored(f, 1);
}

/* Two programs that start at once on no database make one. */
TEST_WITH(test_two_begin_at_once, setup_folder, teardown)
{
    struct fixture *f = *state;
    pid_t children[4];
    for (int i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            if (store_open(f->path, STORE_CREATE, &f->store, &f->error) != STATUS_OK) {
                fprintf(stderr, "%s\n", f->error.text);
                _exit(1);
            }
            add_rows(f);
            store_close(f->store);
            _exit(0);
        }
    }
    for (int i = 0; i < 4; i++)
        wait_for_child(f, children[i]);
    must(store_open(f->path, STORE_READ, &f->store, &f->error));
    assert_one("SELECT (SELECT count(*) FROM devices) || (SELECT count(*) FROM runs)", "14");
}

TEST_MAIN(NULL, NULL)
