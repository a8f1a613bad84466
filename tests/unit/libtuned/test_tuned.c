/* libtuned: contents are read back, errors are refused with their line, the nearest entry is found.
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libtuned/tuned.h"
#include "load.h"
#include "tests/unit/suite.h"

/* Out of order, as after an edit by hand. */
static const char conf[] =
    "tuned-conf 2\n"
    "# a comment\n"
    "\n"
    "[cuda \"NVIDIA H200\"] compute_capability=9.0 sm_count=132 memory_bytes=150754820096 "
    "driver=580.95.05 compiler=\"NVRTC 13.0\"\n"
    "reduce.sum.i32 n=100000000 variant=last_block block=512 share=0.25 label=\"a \\\"b\\\" \\\\\" "
    "grid=1056 | time_ns=93870.5 mad_ns=120 gain.textbook=1.68 ceiling_percent=94.1 "
    "future=\"any thing\" date=2026-11-21\n"
    "reduce.sum.i32 n=1024 variant=one_block block=256 grid=1 | time_ns=1360\n"
    "reduce.sum.f32 n=1024 variant=one_block block=128 grid=1\n"
    "[cuda \"NVIDIA H100 PCIe\"] compute_capability=9.0 sm_count=114\n"
    "reduce.sum.i32 n=4096 block=64 | time_ns=7\n"
    "[cuda \"NVIDIA A100\"] compute_capability=8.0 sm_count=108 memory_bytes=80000000000\n"
    "reduce.sum.i32 n=1024 block=1\n"
    "reduce.min.i32 n=16 block=2\n"
    "[cuda \"NVIDIA A10\"] compute_capability=8.6 sm_count=72\n"
    "reduce.min.i32 n=16 block=3\n"
    "[cpu \"A CPU\"] cores=8\n"
    "reduce.sum.i32 n=1048576 threads=8 | time_ns=5e4\n"
    "[cpu \"A CPU\"] cores=64\n"
    "reduce.sum.i32 n=1048576 threads=64\n"
    "\n"
    "end\n";

static const struct tuned_device h200 = {.kind = "cuda",
                                         .name = "NVIDIA H200",
                                         .compute_capability_major = 9,
                                         .unit_count = 132,
                                         .memory_bytes = 150754820096};

TEST(values_and_evidence_come_back)
{
    struct tuned *tuned = load(conf);
    struct tuned_answer answer;
    assert_int_equal(tuned_find(tuned, &h200, "reduce.sum.i32", 100000000, &answer), TUNED_EXACT);
    const struct tuned_entry *entry = answer.entry;
    assert_string_equal(tuned_text(entry, "variant", ""), "last_block");
    assert_string_equal(tuned_text(entry, "label", ""), "a \"b\" \\");
    assert_string_equal(tuned_text(entry, "block", ""), "512");
    assert_int_equal(tuned_integer(entry, "block", 0), 512);
    assert_int_equal(tuned_integer(entry, "variant", -7), -7);
    assert_int_equal(tuned_integer(entry, "absent", 264), 264);
    assert_int_equal(tuned_integer(entry, "time_ns", -1), -1); /* evidence is no parameter */
    assert_true(tuned_real(entry, "share", 0) == 0.25);
    assert_true(tuned_real(entry, "block", 0) == 512.0);
    assert_true(tuned_expected_ns(entry) == 93870.5);
    assert_true(tuned_evidence(entry, "gain.textbook", 0) == 1.68);
    assert_string_equal(tuned_evidence_text(entry, "future", ""), "any thing");
    assert_string_equal(tuned_evidence_text(entry, "block", "none"), "none");
    assert_string_equal(tuned_device_text(entry, "compiler", ""), "NVRTC 13.0");
    assert_string_equal(tuned_entry_problem(entry), "reduce.sum.i32");
    assert_int_equal(tuned_entry_line(entry), 5);
    assert_int_equal(tuned_entry_device(entry)->memory_bytes, 150754820096);

    const char *name = NULL;
    const char *value = NULL;
    assert_int_equal(tuned_value_count(entry), 5);
    tuned_value_at(entry, 4, &name, &value);
    assert_string_equal(name, "grid");
    assert_string_equal(value, "1056");
    tuned_value_at(entry, 5, &name, &value);
    assert_null(name);
    assert_null(value);

    assert_int_equal(tuned_entry_count(tuned), 9);
    assert_null(tuned_entry_at(tuned, 9));
    assert_int_equal(tuned_entry_n(tuned_entry_at(tuned, 0)), 1024);
    assert_string_equal(tuned_version(), TUNED_VERSION);
    tuned_free(tuned);
}

TEST(no_entry_gives_the_defaults)
{
    struct tuned_answer answer;
    char reason[TUNED_REASON_BYTES];
    assert_int_equal(tuned_find(NULL, &h200, "reduce.sum.i32", 1, &answer), TUNED_NONE);
    tuned_reason(&answer, reason, sizeof reason);
    assert_string_equal(reason, "no tuned.conf is loaded");
    assert_int_equal(tuned_integer(answer.entry, "grid", 264), 264);
    assert_true(tuned_real(NULL, "x", 0.5) == 0.5);
    assert_string_equal(tuned_text(NULL, "x", "y"), "y");
    assert_string_equal(tuned_evidence_text(NULL, "x", "y"), "y");
    assert_true(tuned_expected_ns(NULL) == -1.0);
    assert_int_equal(tuned_value_count(NULL), 0);
    assert_int_equal(tuned_entry_count(NULL), 0);
    tuned_free(NULL);

    struct tuned *tuned = load("tuned-conf 1\nend\n");
    assert_int_equal(tuned_find(tuned, &h200, "reduce.sum.i32", 1, &answer), TUNED_NONE);
    tuned_reason(&answer, reason, sizeof reason);
    assert_string_equal(reason, "no file has the problem 'reduce.sum.i32'");
    reason[0] = '?';
    tuned_reason(&answer, reason, 0); /* no room at all */
    assert_int_equal(reason[0], '?');
    assert_int_equal(tuned_find(tuned, NULL, "reduce.sum.i32", 1, &answer), TUNED_NONE);
    assert_int_equal(tuned_find(tuned, &h200, NULL, 1, &answer), TUNED_NONE);
    tuned_reason(&answer, reason, sizeof reason);
    assert_string_equal(reason, "no device or no problem was named");
    tuned_free(tuned);
}

static long long nearest(const struct tuned *tuned, long long n, enum tuned_grade grade)
{
    struct tuned_answer answer;
    assert_int_equal(tuned_find(tuned, &h200, "reduce.sum.i32", n, &answer), grade);
    assert_string_equal(tuned_entry_problem(answer.entry), "reduce.sum.i32");
    return tuned_entry_n(answer.entry);
}

TEST(nearest_size_is_by_ratio)
{
    struct tuned *tuned = load_with(conf, TUNED_NONE, 1e19);
    assert_int_equal(nearest(tuned, 1024, TUNED_EXACT), 1024);
    assert_int_equal(nearest(tuned, 1, TUNED_NEAREST_SIZE), 1024);
    assert_int_equal(nearest(tuned, 0, TUNED_NEAREST_SIZE), 1024);
    assert_int_equal(nearest(tuned, INT64_MAX, TUNED_NEAREST_SIZE), 100000000);
    assert_int_equal(nearest(tuned, 320000, TUNED_NEAREST_SIZE), 1024); /* = sqrt of both */
    assert_int_equal(nearest(tuned, 320001, TUNED_NEAREST_SIZE), 100000000);
    struct tuned_answer answer;
    char reason[TUNED_REASON_BYTES];
    assert_int_equal(tuned_find(tuned, &h200, "reduce.sum.i32", -5, &answer), TUNED_NONE);
    (void)tuned_find(tuned, &h200, "reduce.sum.i32", 2000, &answer);
    tuned_reason(&answer, reason, sizeof reason);
    assert_string_equal(reason,
                        "on NVIDIA H200 the nearest that fits is n = 1024; requested: n = 2000; no "
                        "launch: the file has none");
    (void)tuned_find(tuned, &h200, "reduce.sum.i32", 1024, &answer);
    tuned_reason(&answer, reason, sizeof reason);
    assert_string_equal(reason,
                        "measured on NVIDIA H200 at n = 1024; no launch: the file has none");
    tuned_reason(&answer, reason, 9);
    assert_string_equal(reason, "measured");
    tuned_free(tuned);
}

static const char *found_on(const struct tuned *tuned, struct tuned_device device,
                            const char *problem, enum tuned_grade grade)
{
    struct tuned_answer answer;
    assert_int_equal(tuned_find(tuned, &device, problem, 1024, &answer), grade);
    return answer.entry ? tuned_entry_device(answer.entry)->name : "";
}

TEST(nearest_device_is_of_the_same_kind)
{
    struct tuned *tuned = load_with(conf, TUNED_FAR_DEVICE, 100);
    const char *sum = "reduce.sum.i32";
    const char *min = "reduce.min.i32";
    enum tuned_grade other = TUNED_OTHER_DEVICE;
    enum tuned_grade far = TUNED_FAR_DEVICE;
    /* An equal capability precedes the nearest number of SMs. */
    assert_string_equal(
        found_on(tuned, (struct tuned_device){"cuda", "X", 9, 0, 108, 0, 0, 0, 0, 0, 0, {0}, 0, 0},
                 sum, other),
        "NVIDIA H100 PCIe");
    assert_string_equal(
        found_on(tuned, (struct tuned_device){"cuda", "X", 9, 0, 130, 0, 0, 0, 0, 0, 0, {0}, 0, 0},
                 sum, other),
        "NVIDIA H200");
    /* An equal major capability precedes another. */
    assert_string_equal(
        found_on(tuned, (struct tuned_device){"cuda", "X", 8, 9, 132, 0, 0, 0, 0, 0, 0, {0}, 0, 0},
                 sum, other),
        "NVIDIA A100");
    assert_string_equal(
        found_on(tuned, (struct tuned_device){"cuda", "X", 7, 0, 80, 0, 0, 0, 0, 0, 0, {0}, 0, 0},
                 min, TUNED_NONE),
        ""); /* may need features of 8.x */
    /* A slice of the device is another device. */
    assert_string_equal(found_on(tuned,
                                 (struct tuned_device){
                                     "cuda", "NVIDIA H200", 9, 0, 16, 0, 0, 0, 0, 0, 0, {0}, 0, 0},
                                 sum, other),
                        "NVIDIA H100 PCIe");
    /* A device that was tuned, for another problem. */
    assert_string_equal(found_on(tuned, h200, min, far), "NVIDIA A100");
    /* Unknown numbers tell no devices apart; an unknown name does. */
    assert_string_equal(
        found_on(tuned,
                 (struct tuned_device){"cuda", "NVIDIA A100", 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}, 0, 0},
                 sum, TUNED_EXACT),
        "NVIDIA A100");
    assert_string_equal(
        found_on(tuned, (struct tuned_device){"cuda", NULL, 8, 0, 108, 0, 0, 0, 0, 0, 0, {0}, 0, 0},
                 sum, other),
        "NVIDIA A100");
    assert_string_equal(
        found_on(tuned, (struct tuned_device){"hip", "X", 9, 0, 132, 0, 0, 0, 0, 0, 0, {0}, 0, 0},
                 sum, TUNED_NONE),
        "");
    const struct tuned_device cpu = {.kind = "cpu", .name = "A CPU", .unit_count = 60};
    struct tuned_answer answer;
    char reason[TUNED_REASON_BYTES];
    assert_int_equal(tuned_find(tuned, &cpu, sum, 1048576, &answer), other);
    assert_int_equal(tuned_integer(answer.entry, "threads", 0), 64);
    tuned_reason(&answer, reason, sizeof reason);
    assert_string_equal(reason, "reduce.sum.i32 has no entry for A CPU that fits; taken, for "
                                "n = 1048576, from A CPU (64 cores; here 60)");
    (void)tuned_find(tuned, &h200, min, 17, &answer);
    tuned_reason(&answer, reason, sizeof reason);
    assert_string_equal(reason,
                        "reduce.min.i32 has no entry for NVIDIA H200 that fits; taken, for n = 16, "
                        "which is nearest, from NVIDIA A100, of "
                        "another compute capability (108 SMs; here 132); no launch: the file has "
                        "none");
    tuned_free(tuned);
}

static const struct {
    const char *text;
    int line;
    const char *says;
} bad_lines[] = {
    {"", 0, "the file is empty"},
    {"tuned-conf 6\nend\n", 1, "format version 6; libtuned "},
    {"tuned-conf 0\nend\n", 1, "format version 0; libtuned "},
    {"tuned-conf 1.0\nend\n", 1, "no tuned.conf: its first line is 'tuned-conf 5'"},
    {"# tuned-conf 1\nend\n", 1, "no tuned.conf"},
    {"tuned-conf 1\n", 1, "there is no line 'end'"},
    {"tuned-conf 1\nend", 2, "its last line has no end"},
    {"tuned-conf 1\nend\nend\n", 3, "a line after 'end'"},
    {"tuned-conf 1\np.q n=1 a=2\nend\n", 2, "'p.q' stands before the first device"},
    {"tuned-conf 1\n[cuda X] a=1\nend\n", 2, "a section begins as in [cuda \"NVIDIA H200\"]"},
    {"tuned-conf 1\n[cuda \"X] a=1\nend\n", 2, "a quote (\") is not closed"},
    {"tuned-conf 1\n[cuda \"X\"\nend\n", 2, "followed by ]"},
    {"tuned-conf 1\n[cuda \"X\"]a=1\nend\n", 2, "followed by ]"},
    {"tuned-conf 1\n[cuda \"X\"] a=1 | b=2\nend\n", 2, "'|' and '@' have no place"},
    {"tuned-conf 1\n[cuda \"X\"] sm_count=-1\nend\n", 2, "sm_count=-1 is not a whole number"},
    {"tuned-conf 1\n[cuda \"X\"] sm_count=3000000000\nend\n", 2, "sm_count=3000000000 is not"},
    {"tuned-conf 1\n[cuda \"X\"] compute_capability=9\nend\n", 2, "is not of the form 9.0"},
    {"tuned-conf 1\n[cuda \"X\"]\n[cuda \"X\"]\nend\n", 3, "already given on line 2"},
    {"tuned-conf 1\n[cuda \"X\"]\np a=1\nend\n", 3, "followed by its size, n="},
    {"tuned-conf 1\n[cuda \"X\"]\np n=1\nend\n", 3, "'p' has no parameters"},
    {"tuned-conf 1\n[cuda \"X\"]\np n=-1 a=1\nend\n", 3, "n=-1 is not a whole number"},
    {"tuned-conf 1\n[cuda \"X\"]\np n=9223372036854775808 a=1\nend\n", 3, "is not a whole"},
    {"tuned-conf 1\n[cuda \"X\"]\np n=1 a=\nend\n", 3, "'a' has no value"},
    {"tuned-conf 1\n[cuda \"X\"]\np n=1 a\nend\n", 3, "'a' is not NAME=VALUE"},
    {"tuned-conf 1\n[cuda \"X\"]\np n=1 a=1 a=2\nend\n", 3, "'a' is given twice"},
    {"tuned-conf 1\n[cuda \"X\"]\np n=1 a=1|b=2\nend\n", 3, "'a' must be in quotes"},
    {"tuned-conf 1\n[cuda \"X\"]\np n=1 a=\"1\\n\"\nend\n", 3, "within quotes"},
    {"tuned-conf 1\n[cuda \"X\"]\np n=1 a=1 | b=2 | b=3\nend\n", 3, "'b' is given twice"},
    {"tuned-conf 4\n[cuda \"X\"]\np n=1 a=1\n  | b=2\n| b=3\nend\n", 3, "'b' is given twice"},
    {"tuned-conf 4\n[cuda \"X\"]\n| b=2\nend\n", 2, "'|' and '@' have no place in"},
    {"tuned-conf 4\n[cuda \"X\"]\np n=1 a=1 | b=2\n | c=3\np\nend\n", 5, "'p' begins no line"},
    {"tuned-conf 4\n[cuda \"X\"]\np n=1 a=1\n | c=3", 3, "the file breaks off"},
    {"tuned-conf 1\n[cuda \"X\"]\np n=1 a=1 | time_ns=x\nend\n", 3,
     "time_ns=x is not a number of at least 0"},
    {"tuned-conf 1\n[cuda \"X\"]\np n=1 a=1 | time_ns=1e999\nend\n", 3,
     "time_ns=1e999 is not a number"},
    {"tuned-conf 1\n[cuda \"X\"]\np n=1 a=1\nq n=1 a=1\np n=1 a=2\nend\n", 5,
     "these sizes of 'p' overlap those of line 3"},
    {"tuned-conf 1\n[cuda \"X\"]\n?\nend\n", 3, "'?' begins no line"},
    {"tuned-conf 1\n[cuda \"X\"]\np n=1-2 a=1\nend\n", 3, "from 'tuned-conf 2' on"},
    {"tuned-conf 2\n[cuda \"X\"]\np n=2-1 a=1\nend\n", 3, "nor two in order as in 1-9"},
    {"tuned-conf 2\n[cuda \"X\"]\np n=2- a=1\nend\n", 3, "n=2- is not a whole number"},
    {"tuned-conf 2\n[cuda \"X\"]\np n=2-3-4 a=1\nend\n", 3, "n=2-3-4 is not a whole"},
    {"tuned-conf 2\n[cuda \"X\"]\np n=1--2 a=1\nend\n", 3, "n=1--2 is not a whole number"},
    {"tuned-conf 2\n[cuda \"X\"]\np n=0-9223372036854775808 a=1\nend\n", 3, "is not a whole"},
    {"tuned-conf 2\n[cuda \"X\"]\np n=1-2 a=1 | at=3\nend\n", 3,
     "at=3 is not one of the entry's sizes"},
    {"tuned-conf 2\n[cuda \"X\"]\np n=1-2 a=1 | at=x\nend\n", 3, "at=x is not one of"},
    {"tuned-conf 2\n[cuda \"X\"]\np n=1 a=1 | at=2\nend\n", 3, "at=2 is not one of"},
    {"tuned-conf 2\n[cuda \"X\"]\np n=5-9 a=1\nq n=5 a=1\np n=9-12 a=1\nend\n", 5,
     "these sizes of 'p' overlap those of line 3"},
    {"tuned-conf 2\n[cuda \"X\"]\np n=5-9 a=1\np n=1-5 a=1\nend\n", 4,
     "these sizes of 'p' overlap those of line 3"},
    {"tuned-conf 2\n[cuda \"X\"]\np n=7 a=1\np n=0-100 a=1\nend\n", 4,
     "these sizes of 'p' overlap those of line 3"},
    {"tuned-conf 1\n[cuda \"X\"]\np n=1 a=\001\nend\n", 3, "a control character (byte 0x01)"},
    {"tuned-conf 2\n[cuda \"X\"]\np n=1 m@2 a=1\nend\n", 3, "from 'tuned-conf 3' on"},
    {"tuned-conf 3\n[cuda \"X\"] m@2\nend\n", 2, "'m@' may only stand directly behind n="},
    {"tuned-conf 3\n[cuda \"X\"]\np n=1 a=1 m@2\nend\n", 3, "directly behind n="},
    {"tuned-conf 3\n[cuda \"X\"]\np n=1 a=1 | m@2\nend\n", 3, "directly behind n="},
    {"tuned-conf 3\n[cuda \"X\"]\np m@2 n=1 a=1\nend\n", 3, "directly behind n="},
    {"tuned-conf 3\n[cuda \"X\"]\np n=1 m@2\nend\n", 3, "'p' has no parameters"},
    {"tuned-conf 3\n[cuda \"X\"]\np n=1 m@2 m@3 a=1\nend\n", 3, "'m' is given twice"},
    {"tuned-conf 3\n[cuda \"X\"]\np n=1 m@3-2 a=1\nend\n", 3, "m@3-2 is not a whole number"},
    {"tuned-conf 3\n[cuda \"X\"]\np n=1 m@x a=1\nend\n", 3, "m@x is not a whole number"},
    {"tuned-conf 3\n[cuda \"X\"]\np n=1 b@1 c@1 d@1 e@1 f@1 g@1 h@1 i@1 a=1\nend\n", 3,
     "more than 8 size variables"},
    {"tuned-conf 3\n[cuda \"X\"]\np n=1 m@2 a=1\np n=2 k@2 a=1\nend\n", 4,
     "'p' has other size variables than on line 3"},
    {"tuned-conf 3\n[cuda \"X\"]\np n=1 m@2 a=1\np n=2 a=1\nend\n", 4,
     "'p' has other size variables than on line 3"},
    {"tuned-conf 3\n[cuda \"X\"]\np n=1 m@2 a=1\nq n=1 a=1\np n=1 m@2 a=1\nend\n", 5,
     "these sizes of 'p' overlap those of line 3"},
    {"tuned-conf 3\n[cuda \"X\"]\np n=1 a=1 | threads=-1\nend\n", 3,
     "threads=-1 is not a whole number from 0 to 2147483647"},
    {"tuned-conf 3\n[cuda \"X\"]\np n=1 a=1 | registers=99999999999\nend\n", 3,
     "registers=99999999999 is not a whole number"},
    {"tuned-conf 3\n[cuda \"X\"] bandwidth_gbs=-1\nend\n", 2, "is not a number of at least 0"},
};

TEST(bad_lines_are_refused_with_their_number)
{
    for (size_t i = 0; i < sizeof bad_lines / sizeof bad_lines[0]; i++) {
        struct tuned_error error;
        assert_null(
            tuned_load_memory(bad_lines[i].text, strlen(bad_lines[i].text), "t.conf", &error));
        char prefix[32];
        if (bad_lines[i].line > 0)
            (void)snprintf(prefix, sizeof prefix, "t.conf:%d: ", bad_lines[i].line);
        else
            (void)snprintf(prefix, sizeof prefix, "t.conf: ");
        if (error.line != bad_lines[i].line || strncmp(error.text, prefix, strlen(prefix)) != 0 ||
            !strstr(error.text, bad_lines[i].says))
            fail_msg("case %zu: line %d: %s", i, error.line, error.text);
        assert_null(tuned_load_memory(bad_lines[i].text, strlen(bad_lines[i].text), NULL, NULL));
    }
}

TEST(editors_may_leave_their_marks)
{
    struct tuned *tuned =
        load("tuned-conf 1\r\n  # x\r\n[cuda\t\"X\"]\r\n\tp  n=1\ta=2 |\r\nend\r\n\n");
    assert_int_equal(tuned_integer(tuned_entry_at(tuned, 0), "a", 0), 2);
    tuned_free(tuned);
}

TEST(too_much_is_refused)
{
    struct tuned_error error;
    size_t bytes = (size_t)TUNED_FILE_BYTES_MAX + 1;
    char *text = malloc(bytes);
    assert_non_null(text);
    memset(text, '#', bytes);
    assert_null(tuned_load_memory(text, bytes, "t.conf", &error));
    assert_string_equal(error.text, "t.conf: larger than 268435456 bytes");

    size_t length = (size_t)sprintf(text, "tuned-conf 1\n[cuda \"X\"]\np n=1");
    for (int i = 0; i < 128; i++) /* and n: one too many */
        length += (size_t)sprintf(text + length, " a%d=1", i);
    length += (size_t)sprintf(text + length, "\nend\n");
    assert_null(tuned_load_memory(text, length, "t.conf", &error));
    assert_string_equal(error.text, "t.conf:3: more than 128 fields");
    free(text);
}

TEST(files_are_loaded_or_said_to_be_missing)
{
    struct tuned_error error;
    char folder[] = "/tmp/tuned_test_XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[64];
    char says[128];
    (void)snprintf(path, sizeof path, "%s/t.conf", folder);
    assert_null(tuned_load(path, &error));
    (void)snprintf(says, sizeof says, "%s: there is no such file", path);
    assert_string_equal(error.text, says);
    assert_null(tuned_load(folder, &error));
    assert_non_null(strstr(error.text, ": it is no regular file"));
    assert_null(tuned_load(NULL, NULL));

    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    /* Larger than one reading step. */
    assert_true(fputs("tuned-conf 1\n[cuda \"X\"]\n", file) >= 0);
    for (int i = 0; i < 20000; i++)
        assert_true(fprintf(file, "p n=%d block=%d\n", i, i % 1024) > 0);
    assert_true(fputs("end\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    struct tuned *tuned = tuned_load(path, &error);
    assert_non_null(tuned);
    assert_int_equal(tuned_entry_count(tuned), 20000);
    assert_int_equal(tuned_integer(tuned_entry_at(tuned, 19999), "block", 0), 19999 % 1024);
    tuned_free(tuned);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);

    char name[1000];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_null(tuned_load_memory("?", 1, name, &error));
    assert_non_null(strstr(error.text, "xx:1: the file breaks off"));
}

enum { THREADS = 4, LOOKUPS = 20000 };

static void *look_up_often(void *argument)
{
    const struct tuned *tuned = argument;
    size_t right = 0;
    for (int i = 0; i < LOOKUPS; i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, (size_t)i % 9);
        struct tuned_answer answer;
        char reason[TUNED_REASON_BYTES];
        right += tuned_find(tuned, tuned_entry_device(entry), tuned_entry_problem(entry),
                            tuned_entry_n(entry), &answer) == TUNED_EXACT &&
                 answer.entry == entry;
        tuned_reason(&answer, reason, sizeof reason);
    }
    return right == LOOKUPS ? argument : NULL;
}

TEST(what_is_loaded_has_a_number_of_its_own)
{
    unsigned long before = 0;
    assert_int_equal(tuned_serial(NULL), 0);
    for (int i = 0; i < 4; i++) { /* most likely all at one address */
        struct tuned *tuned = tuned_load_memory("tuned-conf 3\nend\n", 17, "memory", NULL);
        assert_non_null(tuned);
        assert_true(tuned_serial(tuned) > before && tuned_serial(tuned) == tuned_serial(tuned));
        before = tuned_serial(tuned);
        tuned_free(tuned);
    }
}

TEST(threads_may_share_what_was_loaded)
{
    struct tuned *tuned = load(conf);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look_up_often, tuned), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, tuned);
    }
    tuned_free(tuned);
}

TEST_MAIN(NULL, NULL)
