/* libtuned: where files are looked for and which goes before which; files that are no files, that
 * change, that are large; the caller's allocator; loading anew while others read. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libtuned/tuned.h"
#include "tests/unit/suite.h"

static char folder[] = "/tmp/tuned_files_XXXXXX";

static const struct tuned_device device = {.kind = "cuda", .name = "X", .unit_count = 4};

/* Writes a file of one device into the folder; returns its path. */
static const char *write_file(const char *name, const char *text)
{
    static char path[4][256];
    static int next;
    char *out = path[next++ % 4];
    (void)snprintf(out, sizeof path[0], "%s/%s", folder, name);
    FILE *file = fopen(out, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return out;
}

#define CONF(SECTION, ENTRIES) "tuned-conf 3\n[cuda \"" SECTION "\"]\n" ENTRIES "end\n"

static long long block_of(const struct tuned *tuned, long long n, enum tuned_grade grade)
{
    struct tuned_answer answer, resolved;
    struct tuned_handle handle;
    assert_int_equal(tuned_find(tuned, &device, "p", n, &answer), grade);
    (void)tuned_resolve(tuned, &device, "p", &handle);
    assert_int_equal(tuned_find_resolved(&handle, n, &resolved), grade);
    assert_ptr_equal(answer.entry, resolved.entry);
    return tuned_integer(answer.entry, "block", -1);
}

TEST(usual_places_have_their_order)
{
    struct tuned_error error;
    char path[256];
    static const char built_in[] = CONF("*", "p n=1 block=9\nq n=1 block=10\n");
    struct tuned_options options = {.skip = TUNED_SKIP_SYSTEM};
    assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
    assert_int_equal(unsetenv("TUNED_CONF"), 0);
    assert_null(tuned_open(&options, &error));
    assert_string_equal(error.text, "tuned.conf: there is none in any of the usual places");

    options.built_in = built_in;
    options.built_in_bytes = sizeof built_in - 1;
    struct tuned *tuned = tuned_open(&options, &error);
    assert_non_null(tuned);
    assert_int_equal(block_of(tuned, 5, TUNED_DEFAULT), 9);
    assert_string_equal(tuned_file_at(tuned, 0), "built-in");
    assert_null(tuned_file_at(tuned, 1));
    tuned_free(tuned);

    (void)snprintf(path, sizeof path, "%s/tune", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)write_file("tune/tuned.conf", CONF("X", "p n=1-10 block=1\n"));
    tuned = tuned_open(&options, &error);
    assert_non_null(tuned);
    assert_string_equal(error.text, "");
    assert_int_equal(block_of(tuned, 5, TUNED_IN_RANGE), 1);
    const struct tuned_entry *entry = tuned_entry_at(tuned, 0);
    assert_non_null(strstr(tuned_entry_file(entry), "/tune/tuned.conf"));
    assert_string_equal(tuned_entry_file(tuned_entry_at(tuned, 2)), "built-in");
    tuned_free(tuned);

    /* An entry of $TUNED_CONF for this device comes before the user's, whatever its grade. */
    assert_int_equal(setenv("TUNED_CONF", write_file("e.conf", CONF("X", "p n=6-20 block=2\n")), 1),
                     0);
    tuned = tuned_open(&options, &error);
    assert_int_equal(block_of(tuned, 7, TUNED_IN_RANGE), 2);
    assert_int_equal(block_of(tuned, 5, TUNED_NEAREST_SIZE), 2);
    assert_int_equal(block_of(tuned, 15, TUNED_IN_RANGE), 2);
    assert_int_equal(block_of(tuned, 100, TUNED_NEAREST_SIZE), 2);
    tuned_free(tuned);
}

/* A program tells a file that is not there from one that somebody is to repair, without reading
 * texts. */
TEST(errors_have_codes)
{
    static const struct {
        const char *text;
        int code;
    } cases[] = {{"", TUNED_DAMAGED},
                 {"tuned-conf 4\n[cuda \"X\"]\np n=1 block\nend\n", TUNED_DAMAGED},
                 {"tuned-conf 4\n", TUNED_DAMAGED},
                 {"tuned-conf 99\nend\n", TUNED_FORMAT},
                 {"tuned-conf 4\nend\n", 0}};
    struct tuned_error error;
    char path[300];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tuned_free(tuned_load_memory(cases[i].text, strlen(cases[i].text), "t.conf", &error));
        assert_int_equal(error.code, cases[i].code);
        assert_true(error.text[0] == '\0' || error.text[0] >= ' ');
    }
    (void)snprintf(path, sizeof path, "%s/no.conf", folder);
    assert_null(tuned_load(path, &error));
    assert_int_equal(error.code, TUNED_NO_FILE);
    assert_non_null(strstr(error.text, "no.conf: there is no such file"));
    assert_null(tuned_load(folder, &error));
    assert_int_equal(error.code, TUNED_UNREADABLE);
    const struct tuned_options options = {.skip = TUNED_SKIP_ENVIRONMENT | TUNED_SKIP_USER |
                                                  TUNED_SKIP_SYSTEM};
    assert_null(tuned_open(&options, &error));
    assert_int_equal(error.code, TUNED_NO_FILE);
}

/* A file in the current folder of a program is never read. */
TEST(relative_folders_are_no_place)
{
    struct tuned_error error;
    char before[4096];
    struct tuned_options options = {.skip = TUNED_SKIP_SYSTEM};
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("here", 0700) | mkdir("here/tune", 0700) | mkdir("here/.config", 0700) |
                         mkdir("here/.config/tune", 0700),
                     0);
    (void)write_file("here/tune/tuned.conf", CONF("X", "p n=1-10 block=1\n"));
    (void)write_file("here/.config/tune/tuned.conf", CONF("X", "p n=1-10 block=2\n"));
    assert_int_equal(unsetenv("TUNED_CONF") | setenv("XDG_CONFIG_HOME", "here", 1) |
                         setenv("HOME", "here", 1),
                     0);
    assert_null(tuned_open(&options, &error));
    char home[300];
    (void)snprintf(home, sizeof home, "%s/here", folder);
    assert_int_equal(setenv("HOME", home, 1), 0);
    struct tuned *tuned = tuned_open(&options, &error);
    assert_int_equal(block_of(tuned, 5, TUNED_IN_RANGE), 2);
    tuned_free(tuned);
    assert_int_equal(chdir(before), 0);
    static const char *const made[] = {"here/tune/tuned.conf",
                                       "here/.config/tune/tuned.conf",
                                       "here/tune",
                                       "here/.config/tune",
                                       "here/.config",
                                       "here"};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        char path[300];
        (void)snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        assert_int_equal(remove(path), 0);
    }
}

/* Paths instead of the variable, in their order. */
TEST(paths_have_their_order)
{
    struct tuned_error error;
    static const char built_in[] = CONF("*", "p n=1 block=9\nq n=1 block=10\n");
    struct tuned_options options = {
        .skip = TUNED_SKIP_SYSTEM, .built_in = built_in, .built_in_bytes = sizeof built_in - 1};
    assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
    assert_int_equal(setenv("TUNED_CONF", write_file("e.conf", CONF("X", "p n=6-20 block=2\n")), 1),
                     0);

    const char *paths[] = {write_file("a.conf", CONF("X", "p n=7 block=3\n")),
                           write_file("b.conf", CONF("X", "p n=1-10 block=4\n"))};
    options.paths = paths;
    options.path_count = 2;
    struct tuned *tuned = tuned_open(&options, &error);
    assert_int_equal(block_of(tuned, 7, TUNED_EXACT), 3);
    assert_int_equal(block_of(tuned, 8, TUNED_NEAREST_SIZE), 3);
    assert_int_equal(block_of(tuned, 70, TUNED_NEAREST_SIZE), 4); /* too far for the first */
    assert_int_equal(tuned_value_index(tuned, "block"), tuned_value_index(tuned, "block"));
    tuned_free(tuned);

    /* Also for other devices: the first file before the nearer device. */
    const char *others[] = {write_file("c.conf", "tuned-conf 3\n[cuda \"Y\"] sm_count=1\n"
                                                 "r n=1 block=5\nend\n"),
                            write_file("d.conf", "tuned-conf 3\n[cuda \"Z\"] sm_count=4\n"
                                                 "r n=1 block=6\nend\n")};
    struct tuned_answer answer;
    options.paths = others;
    tuned = tuned_open(&options, &error);
    assert_int_equal(tuned_find(tuned, &device, "r", 1, &answer), TUNED_OTHER_DEVICE);
    assert_int_equal(tuned_integer(answer.entry, "block", -1), 5);
    tuned_free(tuned);
    options.paths = paths;

    options.path_count = 0;
    options.skip |= TUNED_SKIP_ENVIRONMENT;
    tuned = tuned_open(&options, &error);
    assert_int_equal(block_of(tuned, 7, TUNED_DEFAULT), 9);
    tuned_free(tuned);

    options.skip = TUNED_SKIP_SYSTEM | TUNED_SKIP_USER;
    assert_int_equal(setenv("TUNED_CONF", "/nowhere/t.conf", 1), 0);
    assert_null(tuned_open(&options, &error)); /* named explicitly */
    assert_string_equal(error.text, "/nowhere/t.conf: there is no such file");
    options.leave_out_refused = 1;
    tuned = tuned_open(&options, &error);
    assert_non_null(tuned);
    assert_string_equal(error.text, "/nowhere/t.conf: there is no such file");
    tuned_free(tuned);
    assert_int_equal(unsetenv("TUNED_CONF"), 0);

    const char *many[TUNED_FILES_MAX + 1];
    for (int i = 0; i <= TUNED_FILES_MAX; i++)
        many[i] = paths[0];
    options = (struct tuned_options){.paths = many, .path_count = TUNED_FILES_MAX + 1, .skip = 7};
    assert_null(tuned_open(&options, &error));
    assert_non_null(strstr(error.text, "more than 8 files"));
}

TEST(refused_files_leave_nothing_behind)
{
    struct tuned_error error;
    const char *paths[] = {
        write_file("good.conf", CONF("X", "p n=1 block=1\n")),
        write_file("bad.conf",
                   "tuned-conf 3\n[cuda \"X\"]\np n=1 m@2 odd=5 block=2\np n=1 m@2 block=3\nend\n"),
        write_file("last.conf", CONF("X", "q n=1 odd=4 block=4\n"))};
    struct tuned_options options = {.paths = paths, .path_count = 3, .skip = 7};
    assert_null(tuned_open(&options, &error));
    assert_int_equal(error.line, 4);
    assert_non_null(strstr(error.text, "bad.conf:4: these sizes of 'p' overlap those of line 3"));
    options.leave_out_refused = 1;
    struct tuned *tuned = tuned_open(&options, &error);
    assert_non_null(tuned);
    assert_non_null(strstr(error.text, "bad.conf:4: "));
    assert_int_equal(tuned_entry_count(tuned), 2);
    assert_int_equal(block_of(tuned, 1, TUNED_EXACT), 1);
    assert_int_equal(tuned_integer(tuned_entry_at(tuned, 1), "odd", 0), 4);
    assert_non_null(strstr(tuned_entry_file(tuned_entry_at(tuned, 1)), "last.conf"));
    tuned_free(tuned);
}

TEST(what_is_no_file_is_refused)
{
    struct tuned_error error;
    char path[256];
    (void)snprintf(path, sizeof path, "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    (void)alarm(20); /* a pipe without a writer: this must not hang */
    assert_null(tuned_load(path, &error));
    (void)alarm(0);
    assert_non_null(strstr(error.text, "fifo: it is no regular file"));
    assert_null(tuned_load("/dev/zero", &error));
    assert_non_null(strstr(error.text, "/dev/zero: it is no regular file"));
    assert_null(tuned_load(folder, &error));
    assert_null(tuned_load("", &error));
    /* A hole of 2 GiB: refused by its size, not read. */
    const char *large = write_file("large.conf", "tuned-conf 3\n");
    assert_int_equal(truncate(large, (off_t)2 << 30), 0);
    assert_null(tuned_load(large, &error));
    assert_non_null(strstr(error.text, "larger than 268435456 bytes"));
    /* One invalid line of 100 MiB: only zeros. */
    assert_int_equal(truncate(large, (off_t)100 << 20), 0);
    assert_null(tuned_load(large, &error));
    assert_int_equal(error.line, 2);
}

TEST(marks_of_editors_pass)
{
    struct tuned_error error;
    struct tuned *tuned = tuned_load(
        write_file("bom.conf",
                   "\xef\xbb\xbftuned-conf 3\r\n[cuda \"X\"]\r\np n=1 block=5\r\nend\r\n"),
        &error);
    assert_non_null(tuned);
    assert_int_equal(block_of(tuned, 1, TUNED_EXACT), 5);
    tuned_free(tuned);
    static const char with_nul[] = "tuned-conf 3\n[cuda \"X\"]\np n=1 a=\0 b=1\nend\n";
    assert_null(tuned_load_memory(with_nul, sizeof with_nul - 1, "n", &error));
    assert_string_equal(error.text, "n:3: a control character (byte 0x00)");
}

/* ---- a file that is replaced, and one that is overwritten, while it is read ---- */

enum { GENERATIONS = TEST_SANITIZED ? 60 : 300 };
static atomic_int written;

/* Writes a file whose entries all contain its generation. */
static void write_generation(const char *path, int generation)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs("tuned-conf 3\n[cuda \"X\"] sm_count=4\n", file) >= 0);
    for (int n = 1; n <= 500; n++)
        assert_true(fprintf(file, "p n=%d block=%d\n", n, 100000 + generation) > 0);
    assert_true(fputs("end\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void *replace_often(void *argument)
{
    char other[300];
    (void)snprintf(other, sizeof other, "%s.new", (const char *)argument);
    for (int generation = 1; generation <= GENERATIONS; generation++) {
        write_generation(other, generation);
        assert_int_equal(rename(other, argument), 0);
    }
    atomic_store(&written, 1);
    return NULL;
}

TEST(file_replaced_while_it_is_read_is_one_of_both)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/replaced.conf", folder);
    write_generation(path, 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, replace_often, path), 0);
    for (int done = 0; !done;) {
        struct tuned_error error;
        done = atomic_load(&written);
        struct tuned *tuned = tuned_load(path, &error);
        if (!tuned)
            fail_msg("%s", error.text);
        assert_int_equal(tuned_entry_count(tuned), 500);
        assert_string_equal(tuned_text(tuned_entry_at(tuned, 0), "block", ""),
                            tuned_text(tuned_entry_at(tuned, 499), "block", "-"));
        tuned_free(tuned);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* ---- the caller's allocator ---- */

struct counted {
    size_t allocations, releases, fail_at;
};

static void *allocate(void *context, size_t bytes)
{
    struct counted *counted = context;
    if (++counted->allocations == counted->fail_at)
        return NULL;
    void *memory = malloc(bytes);
    if (memory)
        memset(memory, 0xa5, bytes); /* memory is not zero by chance */
    return memory;
}

static void release(void *context, void *memory)
{
    struct counted *counted = context;
    assert_non_null(memory);
    counted->releases++;
    free(memory);
}

TEST(all_memory_is_the_callers)
{
    static const char text[] = "tuned-conf 3\n[cuda \"X\"]\np n=2 a=1 block=3\np n=1 b=1\n"
                               "[cuda \"A\"]\np n=2 m@1 a=1\np n=1 m@2 a=1 | at=1\nend\n";
    struct counted counted = {0};
    const struct tuned_allocator allocator = {allocate, release, &counted};
    const struct tuned_options options = {
        .skip = 7, .built_in = text, .built_in_bytes = sizeof text - 1, .allocator = &allocator};
    struct tuned_error error;
    struct tuned *tuned = tuned_open(&options, &error);
    assert_non_null(tuned);
    size_t loaded = counted.allocations;
    assert_true(loaded > 3);
    assert_int_equal(block_of(tuned, 2, TUNED_EXACT), 3);
    struct tuned_answer answer;
    char reason[TUNED_REASON_BYTES];
    (void)tuned_find(tuned, &device, "p", 9, &answer);
    tuned_reason(&answer, reason, sizeof reason);
    assert_int_equal(counted.allocations, loaded); /* look-ups take none */
    tuned_free(tuned);
    assert_int_equal(counted.allocations, counted.releases);
    for (size_t fail_at = 1; fail_at <= loaded; fail_at++) {
        counted = (struct counted){0, 0, fail_at};
        assert_null(tuned_open(&options, &error));
        assert_non_null(strstr(error.text, "out of memory"));
        assert_int_equal(counted.allocations - 1, counted.releases);
    }
}

/* ---- loading anew while others read ---- */

/* The pattern of docs/libtuned.md: one loaded object with its users, counted under a lock that is
 * not held during look-ups. */
struct generation {
    struct tuned *tuned;
    int users;
};

static struct {
    pthread_mutex_t lock;
    struct generation *now;
    atomic_int done;
} shared = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

static struct generation *acquire(void)
{
    (void)pthread_mutex_lock(&shared.lock);
    struct generation *generation = shared.now;
    generation->users++;
    (void)pthread_mutex_unlock(&shared.lock);
    return generation;
}

static void leave(struct generation *generation)
{
    (void)pthread_mutex_lock(&shared.lock);
    int is_last = --generation->users == 0;
    (void)pthread_mutex_unlock(&shared.lock);
    if (is_last) {
        tuned_free(generation->tuned);
        free(generation);
    }
}

/* Reloads; returns 0 if the file is refused and the old object stays. */
static int reload(const char *path)
{
    struct tuned_error error;
    struct tuned *tuned = tuned_load(path, &error);
    struct generation *next = tuned ? malloc(sizeof *next) : NULL;
    if (!next)
        return 0;
    *next = (struct generation){tuned, 1};
    (void)pthread_mutex_lock(&shared.lock);
    struct generation *before = shared.now;
    shared.now = next;
    (void)pthread_mutex_unlock(&shared.lock);
    if (before)
        leave(before);
    return 1;
}

static void *read_often(void *argument)
{
    size_t wrong = 0;
    while (!atomic_load(&shared.done)) {
        struct generation *generation = acquire();
        struct tuned_handle handle;
        struct tuned_answer answer;
        (void)tuned_resolve(generation->tuned, &device, "p", &handle);
        (void)tuned_find_resolved(&handle, 1, &answer);
        long long one = tuned_integer(answer.entry, "block", -1);
        (void)tuned_find_resolved(&handle, 500, &answer);
        wrong += one < 0 || one != tuned_integer(answer.entry, "block", -2);
        leave(generation);
    }
    return wrong == 0 ? argument : NULL;
}

TEST(another_set_is_loaded_while_others_read)
{
    enum { READERS = 3, RELOADS = 60 };
    char path[256];
    pthread_t threads[READERS];
    (void)snprintf(path, sizeof path, "%s/hot.conf", folder);
    write_generation(path, 0);
    assert_true(reload(path));
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, path), 0);
    for (int i = 1; i <= RELOADS; i++) {
        if (i % 3 == 0)
            (void)write_file("hot.conf", "tuned-conf 3\n[cuda");
        else
            write_generation(path, i);
        assert_int_equal(reload(path), i % 3 != 0);
    }
    atomic_store(&shared.done, 1);
    for (int i = 0; i < READERS; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, path);
    }
    leave(shared.now);
}

TEST(a_million_entries_are_loaded)
{
#ifdef __SANITIZE_THREAD__
    enum { COUNT = 20000 }; /* one thread, each access of it checked */
#else
    enum { COUNT = 1000000 };
#endif
    size_t room = (size_t)COUNT * 40 + 100, length = 0;
    char *text = malloc(room);
    assert_non_null(text);
    length += (size_t)sprintf(text, "tuned-conf 3\n[cuda \"X\"]\n");
    for (int i = 0; i < COUNT; i++)
        length += (size_t)sprintf(text + length, "p n=%d block=%d\n", COUNT - i, i);
    length += (size_t)sprintf(text + length, "end\n");
    struct tuned_error error;
    struct tuned *tuned = tuned_load_memory(text, length, "t", &error);
    free(text);
    assert_non_null(tuned);
    assert_int_equal(block_of(tuned, 1, TUNED_EXACT), COUNT - 1);
    assert_int_equal(block_of(tuned, COUNT, TUNED_EXACT), 0);
    tuned_free(tuned);
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int end(void **state)
{
    static const char *const names[] = {"tune/tuned.conf", "e.conf",  "a.conf",     "b.conf",
                                        "c.conf",          "d.conf",  "good.conf",  "bad.conf",
                                        "last.conf",       "fifo",    "large.conf", "bom.conf",
                                        "replaced.conf",   "hot.conf"};
    char path[256];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)snprintf(path, sizeof path, "%s/tune", folder);
    (void)rmdir(path);
    return rmdir(folder);
}

TEST_MAIN(begin, end)
