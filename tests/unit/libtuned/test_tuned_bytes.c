/* libtuned: any bytes. A file of format 3 with all that there is in one, cut off at every byte, and
 * with every byte changed into every other; lines and files that are too long. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libtuned/tuned.h"
#include "tests/unit/suite.h"

/* Out of order, as after an edit by hand. */
static const char conf[] =
    "tuned-conf 4\r\n"
    "# a remark\n"
    "[cuda \"*\"] sm_count=100 capabilities=0,9\n"
    "sum n=1-4096 block=64 grid=400 | worst_loss_percent=3.5 devices=2 per_unit=grid,w threads=64\n"
    "\n"
    "[cuda \"NVIDIA H200\"] compute_capability=9.0 sm_count=132 memory_bytes=150754820096 "
    "bandwidth_gbs=4.8e3 compiler=\"NVRTC 13.0\"\n"
    "sum n=9 label=\"a \\\"b\\\" \\\\ \xc3\xa9\" share=0.25 block=512 | time_ns=9.5 trust=sound\n"
    "\tsum  n=4-8\tblock=-1 grid=264 | at=7 threads=1024 shared_bytes=49152 registers=33 "
    "future=\"any | thing\" source=abc per_unit=grid\n"
    "gemm n=64 m@64 k@1-100 block=1\n"
    "gemm n=64 m@128 k@101-200 block=3 |\n"
    "gemm n=8-16 m@64 k@7 block=2 | at=8 flags=f driver=1\n"
    "scan n=1-99 block=32 tile=64 grid=2 | at=70 capability=9.0-10.3 cluster=16 "
    "formula.grid=\"min(ceil_div(n,tile),units*4)\" launch.grid=grid,1+2*3-4,(5/2)%2+1 "
    "launch.block=block launch2.grid=1 launch2.block=1 measured=tile,x\n"
    "[cpu \"A CPU\"] cores=8\n"
    "sum n=0-9223372036854775807 threads=8 | time_ns=5e4\n"
    "end\n"
    "# a remark behind it\n";

/* Looks up with a device with and one without limits, at all sizes of the entry. */
static void ask(const struct tuned *tuned, const struct tuned_entry *entry)
{
    struct tuned_size sizes[TUNED_SIZES_MAX];
    struct tuned_device limited = *tuned_entry_device(entry);
    const char *problem = tuned_entry_problem(entry), *name = NULL, *value = NULL;
    struct tuned_answer answer;
    struct tuned_handle handle;
    char reason[TUNED_REASON_BYTES];
    long long low = 0, high = 0;
    size_t count = 0;
    for (; tuned_entry_size_at(entry, count, &low, &high); count++) {
        assert_true(low <= high && count < TUNED_SIZES_MAX);
        sizes[count].name = tuned_entry_size_at(entry, count, &low, &high);
        sizes[count].size = high;
    }
    int is_portable = strcmp(limited.name, "*") == 0;
    enum tuned_grade grade = tuned_find_sizes(tuned, tuned_entry_device(entry), problem,
                                              tuned_entry_n(entry), sizes, count, &answer);
    /* An entry that may need more than its device has is not given. */
    if (!is_portable && !tuned_evidence_text(entry, "capability", NULL))
        assert_true(grade >= TUNED_IN_RANGE);
    for (int i = 0; i < 3; i++) {
        struct tuned_launch launch;
        if (tuned_answer_launch(&answer, i, &launch))
            assert_true(launch.grid[0] > 0 && launch.block[2] > 0 && launch.shared_bytes >= 0);
    }
    tuned_reason(&answer, reason, sizeof reason);
    assert_true(reason[0] != '\0');
    limited.max_threads_per_block = limited.registers_per_unit = 256;
    limited.max_shared_bytes = 100;
    limited.name = "another";
    grade = tuned_find(tuned, &limited, problem, tuned_entry_n_low(entry), &answer);
    if (answer.entry)
        assert_true(tuned_evidence(answer.entry, "threads", 0) <= 256 ||
                    strcmp(tuned_entry_file(entry), "old") == 0);
    (void)tuned_answer_integer(&answer, "grid", 0);
    tuned_reason(&answer, reason, sizeof reason);
    (void)tuned_resolve(tuned, &limited, problem, &handle);
    assert_int_equal(tuned_find_resolved(&handle, tuned_entry_n_low(entry), &answer), grade);
    for (size_t i = 0; i < tuned_value_count(entry); i++) {
        tuned_value_at(entry, i, &name, &value);
        assert_string_equal(tuned_text(entry, name, ""), value);
    }
    (void)tuned_real(entry, "block", 0);
    (void)tuned_expected_ns(entry);
    const struct tuned_build mine = {"abc", "g", "1", "NVRTC 13.0", {NULL}};
    (void)tuned_stale(entry, &mine, reason, sizeof reason);
}

/* Loads texts that each end at the end of their own memory block, so that a sanitizer sees a read
 * past it. */
static int loads_in_own_memory(const char *text, size_t bytes, const char *name,
                               struct tuned_error *error)
{
    char *copy = malloc(bytes ? bytes : 1);
    assert_non_null(copy);
    memcpy(copy, text, bytes);
    struct tuned *tuned = tuned_load_memory(copy, bytes, name, error);
    free(copy);
    for (size_t i = 0; i < tuned_entry_count(tuned); i++)
        ask(tuned, tuned_entry_at(tuned, i));
    tuned_free(tuned);
    return tuned != NULL;
}

TEST(every_truncation_is_refused)
{
    struct tuned_error error;
    size_t complete = (size_t)(strstr(conf, "\nend\n") + strlen("\nend\n") - conf);
    assert_true(loads_in_own_memory(conf, sizeof conf - 1, "t.conf", &error));
    assert_true(loads_in_own_memory(conf, complete, "t.conf", &error));
    for (size_t bytes = 0; bytes < sizeof conf - 1; bytes++) {
        if (bytes == complete)
            continue; /* only the remark behind the end is missing */
        if (loads_in_own_memory(conf, bytes, "t.conf", &error))
            fail_msg("taken at %zu bytes", bytes);
        assert_true(error.text[0] != '\0');
        assert_null(strchr(error.text, '\n'));
    }
}

TEST(every_changed_byte_is_refused_or_valid)
{
    size_t taken = 0, refused = 0;
    char *text = malloc(sizeof conf);
    assert_non_null(text);
    for (size_t at = 0; at < sizeof conf - 1; at++) {
        memcpy(text, conf, sizeof conf);
        for (int byte = 0; byte < 256; byte += TEST_SANITIZED ? 5 : 1) {
            struct tuned_error error = {-1, "untouched", -1};
            text[at] = (char)byte;
            /* Before version 3 'threads' is a field like any other. */
            const char *name = strncmp(text, "tuned-conf 3", 12) == 0 ? "t.conf" : "old";
            int loaded = loads_in_own_memory(text, sizeof conf - 1, name, &error);
            assert_int_equal(loaded, error.text[0] == '\0');
            for (const char *each = error.text; *each; each++)
                assert_true(((unsigned char)*each >= ' ' || *each == '\t') && *each != 0x7f);
            taken += loaded ? 1 : 0;
            refused += loaded ? 0 : 1;
        }
    }
    free(text);
    assert_true(taken > 0 && refused > 0);
}

/* Text of a refused file is not printed unchanged, nor taken into another file's names. */
TEST(refused_names_are_not_kept)
{
    char path[] = "/tmp/tuned_bytes_XXXXXX";
    static const char bad[] = "tuned-conf 3\n[cuda \"X\"]\np n=1 block extra=1\nend\n";
    static const char good[] = "tuned-conf 3\n[cuda \"X\"]\np n=1 block=3 extra=4\nend\n";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, bad, sizeof bad - 1), sizeof bad - 1);
    assert_int_equal(close(file), 0);
    const char *paths[] = {path};
    const struct tuned_options options = {.paths = paths,
                                          .path_count = 1,
                                          .skip = 7,
                                          .leave_out_refused = 1,
                                          .built_in = good,
                                          .built_in_bytes = sizeof good - 1};
    struct tuned_error error;
    struct tuned *tuned = tuned_open(&options, &error);
    assert_non_null(tuned);
    assert_int_equal(error.line, 3);
    const char *name = NULL, *value = NULL;
    tuned_value_at(tuned_entry_at(tuned, 0), 0, &name, &value);
    assert_string_equal(name, "block");
    assert_string_equal(value, "3");
    tuned_free(tuned);
    assert_int_equal(unlink(path), 0);
}

static long peak_kib(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* One line of 1 GiB, in a file with a hole: refused by its size, before memory is allocated. */
TEST(line_of_a_gibibyte_is_refused_by_its_size)
{
    char path[] = "/tmp/tuned_bytes_XXXXXX";
    static const char begin[] = "tuned-conf 3\n# ";
    struct tuned_error error;
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, begin, sizeof begin - 1), sizeof begin - 1);
    int is_there = ftruncate(file, (off_t)1 << 30) == 0;
    assert_int_equal(close(file), 0);
    long before = peak_kib();
    struct tuned *tuned = tuned_load(path, &error);
    assert_int_equal(unlink(path), 0);
    if (!is_there)
        skip(); /* a file system without holes, and short of space */
    assert_null(tuned);
    assert_non_null(strstr(error.text, ": larger than 268435456 bytes"));
    assert_true(peak_kib() - before < 16 * 1024);
}

/* Lines of 64 MiB that may be read: a remark, and a value. */
TEST(long_lines_are_read)
{
    enum { LENGTH = 64 << 20 };
    static const char begin[] = "tuned-conf 3\n#", middle[] = "\n[cpu \"A\"]\np n=1 text=";
    char *text = malloc(2 * (size_t)LENGTH + 256), *at = text;
    struct tuned_error error;
    assert_non_null(text);
    memcpy(at, begin, sizeof begin - 1);
    at += sizeof begin - 1;
    memset(at, 'x', LENGTH);
    at += LENGTH;
    memcpy(at, middle, sizeof middle - 1);
    at += sizeof middle - 1;
    memset(at, 'y', LENGTH);
    at += LENGTH;
    at += sprintf(at, " block=7\nend\n");
    struct tuned *tuned = tuned_load_memory(text, (size_t)(at - text), "t", &error);
    assert_non_null(tuned);
    const struct tuned_entry *entry = tuned_entry_at(tuned, 0);
    assert_int_equal(strlen(tuned_text(entry, "text", "")), LENGTH);
    assert_int_equal(tuned_integer(entry, "block", 0), 7);
    tuned_free(tuned);
    text[at - text - 6] = '\0'; /* in the last line but one */
    assert_null(tuned_load_memory(text, (size_t)(at - text), "t", &error));
    assert_string_equal(error.text, "t:4: a control character (byte 0x00)");
    free(text);
}

/* ---- a file overwritten while it is read ---- */

enum { TEXT_BYTES = 100000 };
/* The first two leave the time alone, the others the size. */
enum change { APPEND, CUT, OVERWRITE, OVERWRITE_LATER, CHANGES };

struct changed {
    const char *path;
    enum change change;
    int done;
};

static void set_time(const char *path, time_t seconds, long nanoseconds)
{
    const struct timespec long_ago = {1000000000 + seconds, nanoseconds};
    const struct timespec times[2] = {long_ago, long_ago};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Changes the file: memory for the text is allocated between the query of the file's size and its
 * reading. */
static void *change_and_allocate(void *context, size_t bytes)
{
    struct changed *changed = context;
    if (bytes >= TEXT_BYTES && !changed->done) {
        int file = open(changed->path, O_WRONLY | (changed->change == APPEND ? O_APPEND : 0));
        assert_true(file >= 0);
        if (changed->change == CUT)
            assert_int_equal(ftruncate(file, TEXT_BYTES / 2), 0);
        else
            assert_int_equal(write(file, "tuned-conf 3\n", 13), 13);
        assert_int_equal(close(file), 0);
        set_time(changed->path, changed->change == OVERWRITE_LATER,
                 changed->change == OVERWRITE ? 1 : 0);
        changed->done = 1;
    }
    return malloc(bytes);
}

static void give_back(void *context, void *memory)
{
    (void)context;
    free(memory);
}

TEST(file_changed_while_it_is_read_is_refused)
{
    for (enum change change = APPEND; change < CHANGES; change++) {
        char path[] = "/tmp/tuned_bytes_XXXXXX";
        int descriptor = mkstemp(path);
        assert_true(descriptor >= 0);
        FILE *file = fdopen(descriptor, "w");
        assert_non_null(file);
        assert_true(fprintf(file, "tuned-conf 3\n# %0*d\nend\n", TEXT_BYTES, 0) > TEXT_BYTES);
        assert_int_equal(fclose(file), 0);
        set_time(path, 0, 0);
        struct changed changed = {path, change, 0};
        const struct tuned_allocator allocator = {change_and_allocate, give_back, &changed};
        const char *paths[] = {path};
        const struct tuned_options options = {
            .paths = paths, .path_count = 1, .skip = 7, .allocator = &allocator};
        struct tuned_error error;
        assert_null(tuned_open(&options, &error));
        assert_true(changed.done);
        assert_non_null(strstr(error.text, ": it was changed while it was read"));
        changed.done = 1; /* unchanged, it is read, except the truncated one */
        struct tuned *tuned = tuned_open(&options, &error);
        assert_int_equal(tuned != NULL, change >= OVERWRITE);
        tuned_free(tuned);
        assert_int_equal(unlink(path), 0);
    }
}

TEST_MAIN(NULL, NULL)
