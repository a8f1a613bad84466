/* Records of look-ups: what is counted, what outlives the program, what a full or damaged file
 * does. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libtuned/tuned_record.h"
#include "tests/unit/suite.h"

static const struct tuned_device device = {
    .kind = "cuda", .name = "X", .compute_capability_major = 9, .unit_count = 4};

static const char text[] = "tuned-conf 5\n"
                           "[cuda \"X\"] compute_capability=9.0 sm_count=4\n"
                           "p n=1-100 block=256 | at=8\n"
                           "end\n";

/* Opens the text with $TUNED_RECORD; NULL: without. */
static struct tuned *open_recorded(const char *record, tuned_on_find *on_find, void *context)
{
    const struct tuned_options options = {.skip = TUNED_SKIP_USER | TUNED_SKIP_SYSTEM,
                                          .built_in = text,
                                          .built_in_bytes = sizeof text - 1,
                                          .on_find = on_find,
                                          .on_find_context = context};
    if (record)
        setenv("TUNED_RECORD", record, 1);
    struct tuned *tuned = tuned_open(&options, NULL);
    unsetenv("TUNED_RECORD");
    assert_non_null(tuned);
    return tuned;
}

static const char *new_path(char path[32])
{
    strcpy(path, "/tmp/tuned-record-XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    return path;
}

static void find(const struct tuned *tuned, const char *problem, long long n, int times)
{
    struct tuned_answer answer;
    for (int i = 0; i < times; i++)
        tuned_find(tuned, &device, problem, n, &answer);
}

/* Returns how often the request was counted with the grade; all requests: a NULL problem. */
static unsigned long long counted(const char *path, const char *problem, long long n,
                                  enum tuned_grade grade)
{
    struct tuned_record *record = tuned_record_load(path, NULL);
    struct tuned_recorded request;
    unsigned long long count = 0;
    assert_non_null(record);
    for (size_t at = 0; tuned_record_next(record, &at, &request);) {
        assert_string_equal(request.kind, "cuda");
        assert_string_equal(request.device, "X");
        if (!problem || (strcmp(request.problem, problem) == 0 && request.n == n &&
                         request.grade == (int)grade))
            count += request.count;
    }
    tuned_record_close(record);
    return count;
}

TEST(requests_are_counted_by_grade_and_a_later_program_goes_on)
{
    char path[32];
    new_path(path);
    for (int program = 1; program <= 2; program++) {
        struct tuned *tuned = open_recorded(path, NULL, NULL);
        find(tuned, "p", 8, 3);
        find(tuned, "p", 9, 2);
        find(tuned, "p", 200, 5);
        find(tuned, "q", 200, 7);
        find(tuned, "q", -1, 1); /* no request */
        tuned_free(tuned);
        assert_int_equal(counted(path, "p", 8, TUNED_EXACT), 3 * program);
        assert_int_equal(counted(path, "p", 9, TUNED_IN_RANGE), 2 * program);
        assert_int_equal(counted(path, "p", 200, TUNED_NEAREST_SIZE), 5 * program);
        assert_int_equal(counted(path, "q", 200, TUNED_NONE), 7 * program);
        assert_int_equal(counted(path, NULL, 0, TUNED_NONE), 17 * program);
    }
    unlink(path);
}

TEST(further_sizes_and_handles)
{
    char path[32];
    struct tuned *tuned = open_recorded(new_path(path), NULL, NULL);
    struct tuned_handle handle;
    struct tuned_answer answer;
    struct tuned_recorded request;
    const struct tuned_size sizes[] = {{"m", 7}, {"k", 1LL << 40}};
    tuned_resolve(tuned, &device, "gemm", &handle);
    tuned_find_resolved_sizes(&handle, 5, sizes, 2, &answer);
    tuned_find_sizes(tuned, &device, "gemm", 5, sizes, 2, &answer);
    tuned_find_sizes(tuned, &device, "gemm", 5, sizes, 1, &answer);
    tuned_free(tuned);
    struct tuned_record *record = tuned_record_load(path, NULL);
    unsigned long long both = 0, one = 0;
    for (size_t at = 0; tuned_record_next(record, &at, &request);) {
        assert_string_equal(request.problem, "gemm");
        assert_string_equal(request.names[0], "m");
        assert_true(request.n == 5 && request.sizes[0] == 7);
        *(request.size_count == 2 ? &both : &one) += request.count;
        if (request.size_count == 2)
            assert_true(strcmp(request.names[1], "k") == 0 && request.sizes[1] == 1LL << 40);
    }
    assert_true(both == 2 && one == 1);
    tuned_record_close(record);
    unlink(path);
}

TEST(without_any_file_all_is_a_miss)
{
    char path[32];
    const struct tuned_options nowhere = {.skip = TUNED_SKIP_USER | TUNED_SKIP_SYSTEM};
    struct tuned_error error;
    unsetenv("TUNED_CONF");
    assert_null(tuned_open(&nowhere, &error));
    setenv("TUNED_RECORD", new_path(path), 1);
    struct tuned *tuned = tuned_open(&nowhere, &error);
    assert_non_null(tuned);
    assert_int_equal(error.code, 0);
    assert_int_equal(tuned_entry_count(tuned), 0);
    find(tuned, "p", 8, 4);
    tuned_free(tuned);
    assert_int_equal(counted(path, "p", 8, TUNED_NONE), 4);
    setenv("TUNED_CONF", "/nowhere/tuned.conf", 1); /* must exist */
    assert_null(tuned_open(&nowhere, &error));
    unsetenv("TUNED_CONF");
    /* Programs with more rights than their user ignore the variable. */
    const struct tuned_options skipping = {.skip = nowhere.skip | TUNED_SKIP_ENVIRONMENT};
    assert_null(tuned_open(&skipping, &error));
    unsetenv("TUNED_RECORD");
    unlink(path);
}

static void count_call(void *context, const struct tuned_answer *answer)
{
    assert_string_equal(answer->problem, "p");
    (*(int *)context)++;
}

TEST(the_programs_own_callback_is_still_called)
{
    char path[32];
    int calls = 0;
    struct tuned *tuned = open_recorded(new_path(path), count_call, &calls);
    find(tuned, "p", 8, 3);
    tuned_free(tuned);
    assert_int_equal(calls, 3);
    assert_int_equal(counted(path, "p", 8, TUNED_EXACT), 3);
    /* A call sets the file as well. */
    struct tuned_record *record = tuned_record_open(path, NULL);
    tuned = open_recorded(NULL, tuned_record_find, record);
    find(tuned, "p", 8, 3);
    tuned_free(tuned);
    tuned_record_close(record);
    assert_int_equal(counted(path, "p", 8, TUNED_EXACT), 6);
    unlink(path);
}

TEST(counts_outlive_exit_and_crash)
{
    char path[32];
    new_path(path);
    for (int way = 0; way < 3; way++) {
        const pid_t child = fork();
        if (child == 0) {
            find(open_recorded(path, NULL, NULL), "p", 300 + way, 10);
            if (way == 0)
                _exit(0);
            if (way == 1)
                raise(SIGKILL);
            (void)signal(SIGSEGV, SIG_DFL);
            raise(SIGSEGV);
        }
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_int_equal(counted(path, "p", 300 + way, TUNED_NEAREST_SIZE), 10);
    }
    unlink(path);
}

static void *look_up(void *context)
{
    for (int i = 0; i < 200; i++)
        for (long long n = 1; n <= 20; n++)
            find(context, "p", n * 10, 1);
    return NULL;
}

TEST(threads_and_processes_lose_no_count)
{
    char path[32];
    struct tuned *tuned = open_recorded(new_path(path), NULL, NULL);
    pthread_t threads[4];
    const pid_t child = fork();
    if (child == 0) {
        look_up(tuned);
        look_up(open_recorded(path, NULL, NULL));
        _exit(0);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look_up, tuned), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    tuned_free(tuned);
    for (long long n = 1; n <= 20; n++)
        assert_int_equal(counted(path, "p", n * 10, n <= 10 ? TUNED_IN_RANGE : TUNED_NEAREST_SIZE),
                         1200);
    unlink(path);
}

TEST(a_full_record_keeps_its_size_and_room_for_misses)
{
    char path[32];
    struct stat before, after;
    struct tuned_record *record = tuned_record_open(new_path(path), NULL);
    struct tuned_answer answer = {.problem = "p", .device = &device, .grade = TUNED_IN_RANGE};
    assert_int_equal(stat(path, &before), 0);
    for (answer.n = 1; answer.n <= 20000; answer.n++)
        tuned_record_find(record, &answer);
    answer.grade = TUNED_NONE;
    for (answer.n = 1; answer.n <= 1000; answer.n++)
        tuned_record_find(record, &answer);
    unsigned long long hits = 0, misses = 0, left_out = tuned_record_left_out(record);
    struct tuned_recorded request;
    for (size_t at = 0; tuned_record_next(record, &at, &request);)
        *(request.grade == TUNED_NONE ? &misses : &hits) += request.count;
    assert_true(hits > 1000 && hits <= 2048);
    assert_true(misses > 950);
    assert_int_equal(hits + misses + left_out, 21000);
    tuned_record_close(record);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_true(after.st_size < 2100000);
    unlink(path);
}

TEST(texts_without_room_are_left_out)
{
    char path[32], name[200];
    struct tuned_record *record = tuned_record_open(new_path(path), NULL);
    const struct tuned_size sizes[] = {{"a_name_of_16_byte", 1}};
    struct tuned_device other = device;
    struct tuned_answer answer = {.problem = name, .n = 1, .device = &other};
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    tuned_record_find(record, &answer);
    answer.problem = "p";
    other.name = name;
    tuned_record_find(record, &answer);
    other.name = "X";
    answer.sizes = sizes;
    answer.size_count = 1;
    tuned_record_find(record, &answer);
    assert_int_equal(tuned_record_left_out(record), 3);
    name[127] = '\0'; /* fits */
    answer = (struct tuned_answer){.problem = name, .n = 1, .device = &other};
    tuned_record_find(record, &answer);
    other.name = NULL; /* no device is named so */
    tuned_record_find(record, &answer);
    tuned_record_close(record);
    assert_int_equal(counted(path, name, 1, TUNED_NONE), 1);
    assert_int_equal(counted(path, NULL, 0, TUNED_NONE), 1);
    unlink(path);
}

static void write_file(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

TEST(other_files_are_refused_and_stay)
{
    char path[32];
    struct tuned_error error;
    struct stat about;
    write_file(new_path(path), text, sizeof text - 1);
    assert_null(tuned_record_open(path, &error));
    assert_int_equal(error.code, TUNED_DAMAGED);
    assert_non_null(strstr(error.text, path));
    assert_null(tuned_record_load(path, &error));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_size, sizeof text - 1);
    /* A program is refused no tuned.conf for that. */
    struct tuned *tuned = open_recorded(path, NULL, NULL);
    find(tuned, "p", 8, 1);
    tuned_free(tuned);
    unlink(path);
    assert_null(tuned_record_load(path, &error));
    assert_int_equal(error.code, TUNED_NO_FILE);
    assert_int_equal(access(path, F_OK), -1);
    assert_null(tuned_record_open("/tmp", &error));
    assert_int_equal(error.code, TUNED_UNREADABLE);
    assert_null(tuned_record_open(NULL, &error));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(tuned_record_open(path, NULL));
    assert_null(tuned_record_load(path, NULL));
    unlink(path);
}

TEST(damaged_records_are_read_without_harm)
{
    char path[32];
    struct tuned_record *record = tuned_record_open(new_path(path), NULL);
    struct tuned_recorded request;
    struct stat about;
    tuned_record_close(record);
    assert_int_equal(stat(path, &about), 0);
    char *bytes = malloc((size_t)about.st_size);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, (size_t)about.st_size, file), about.st_size);
    fclose(file);
    memset(bytes + 64, 0x41, (size_t)about.st_size - 64); /* all but the format */
    write_file(path, bytes, (size_t)about.st_size);
    record = tuned_record_load(path, NULL);
    assert_non_null(record);
    for (size_t at = 0; tuned_record_next(record, &at, &request);)
        assert_true(request.size_count < TUNED_SIZES_MAX && strlen(request.problem) < 128);
    tuned_record_close(record);
    memset(bytes, 'x', 64);
    write_file(path, bytes, (size_t)about.st_size);
    struct tuned_error error;
    assert_null(tuned_record_open(path, &error));
    assert_int_equal(error.code, TUNED_FORMAT);
    free(bytes);
    unlink(path);
}

TEST(nothing_is_done_without_a_record)
{
    const struct tuned_answer answer = {.problem = "p", .n = 1, .device = &device};
    size_t at = 0;
    tuned_record_find(NULL, &answer);
    tuned_record_close(NULL);
    assert_int_equal(tuned_record_next(NULL, &at, NULL), 0);
    assert_int_equal(tuned_record_left_out(NULL), 0);
}

TEST_MAIN(NULL, NULL)
