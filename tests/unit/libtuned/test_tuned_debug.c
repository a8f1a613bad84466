/* libtuned for debugging: the callback of look-ups, TUNED_VERBOSE, TUNED_OVERRIDE. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libtuned/tuned.h"
#include "libtuned/tuned_debug.h"
#include "tests/unit/suite.h"

static const struct tuned_device device = {
    .kind = "cuda", .name = "X", .compute_capability_major = 9, .unit_count = 4};

static const char text[] =
    "tuned-conf 4\n"
    "[cuda \"X\"] compute_capability=9.0 sm_count=4\n"
    "p n=1-100 block=256 note=\"a | b\" tile=512 grid=4 | at=8 capability=7.0 derived=tile,grid "
    "formula.grid=\"ceil_div(n,tile)\"\n"
    "  | launch.grid=grid launch.block=256\n"
    "q n=8 block=32\n"
    "end\n";

static struct tuned *open_built_in(unsigned skip, tuned_on_find *on_find, void *context)
{
    const struct tuned_options options = {
        .skip = TUNED_SKIP_USER | TUNED_SKIP_SYSTEM | skip,
        .built_in = text,
        .built_in_bytes = sizeof text - 1,
        .on_find = on_find,
        .on_find_context = context,
    };
    struct tuned_error error;
    struct tuned *tuned = tuned_open(&options, &error);
    if (!tuned)
        fail_msg("%s", error.text);
    return tuned;
}

struct seen {
    int calls;
    enum tuned_grade grade;
    long long n, block;
    char reason[TUNED_REASON_BYTES];
};

static void see(void *context, const struct tuned_answer *answer)
{
    struct seen *seen = context;
    seen->calls++;
    seen->grade = answer->grade;
    seen->n = answer->n;
    seen->block = tuned_integer(answer->entry, "block", -1);
    tuned_reason(answer, seen->reason, sizeof seen->reason);
}

TEST(each_look_up_is_told)
{
    struct seen seen = {0};
    struct tuned_answer answer;
    struct tuned_handle handle;
    struct tuned *tuned = open_built_in(TUNED_SKIP_ENVIRONMENT, see, &seen);
    (void)tuned_find(tuned, &device, "p", 50, &answer);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.grade, TUNED_IN_RANGE);
    assert_int_equal(seen.block, 256);
    assert_non_null(strstr(seen.reason, "tuned on X for n from 1 to 100 (measured at 8)"));
    (void)tuned_find(tuned, &device, "nothing", 51, &answer);
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.grade, TUNED_NONE);
    assert_int_equal(seen.n, 51);
    (void)tuned_resolve(tuned, &device, "q", &handle);
    assert_int_equal(seen.calls, 2);
    (void)tuned_find_resolved(&handle, 8, &answer);
    assert_int_equal(seen.calls, 3);
    assert_int_equal(seen.grade, TUNED_EXACT);
    assert_int_equal(seen.block, 32);
    tuned_free(tuned);
}

/* Standard error, redirected into an unnamed file. */
struct listening {
    int file, before;
    char printed[4096];
};

static void start_listening(struct listening *listening)
{
    char path[] = "/tmp/tuned_debug_XXXXXX";
    memset(listening, 0, sizeof *listening);
    listening->file = mkstemp(path);
    listening->before = dup(STDERR_FILENO);
    assert_true(listening->file >= 0 && listening->before >= 0);
    (void)unlink(path);
    assert_true(dup2(listening->file, STDERR_FILENO) >= 0);
}

static void stop_listening(struct listening *listening)
{
    assert_true(dup2(listening->before, STDERR_FILENO) >= 0);
    assert_true(pread(listening->file, listening->printed, sizeof listening->printed - 1, 0) >= 0);
    (void)close(listening->file);
    (void)close(listening->before);
}

TEST(verbose_prints_a_line_for_each_look_up)
{
    struct listening listening;
    struct tuned_answer answer;
    assert_int_equal(setenv("TUNED_VERBOSE", "0", 1), 0);
    struct tuned *off = open_built_in(0, NULL, NULL);
    assert_int_equal(setenv("TUNED_VERBOSE", "1", 1), 0);
    struct tuned *silent = open_built_in(TUNED_SKIP_ENVIRONMENT, NULL, NULL);
    struct tuned *tuned = open_built_in(0, NULL, NULL);
    assert_int_equal(unsetenv("TUNED_VERBOSE"), 0);
    start_listening(&listening);
    (void)tuned_find(off, &device, "p", 50, &answer);
    (void)tuned_find(silent, &device, "p", 50, &answer);
    (void)tuned_find(tuned, &device, "p", 50, &answer);
    (void)tuned_find(tuned, NULL, NULL, 50, &answer);
    stop_listening(&listening);
    assert_string_equal(listening.printed,
                        "tuned: p n=50: in range: tuned on X for n from 1 to 100 (measured at 8); "
                        "line 3 of built-in: block=256 note=a | b tile=512 grid=4\n"
                        "tuned: (no problem) n=50: none: no device or no problem was named\n");
    tuned_free(tuned);
    tuned_free(silent);
    tuned_free(off);
}

static struct tuned *open_overridden(const char *override)
{
    assert_int_equal(setenv("TUNED_OVERRIDE", override, 1), 0);
    struct tuned *tuned = open_built_in(0, NULL, NULL);
    assert_int_equal(unsetenv("TUNED_OVERRIDE"), 0);
    return tuned;
}

TEST(a_value_is_overridden)
{
    struct tuned_answer answer;
    struct tuned_launch launch;
    struct tuned *tuned = open_overridden("other:block=1;p:block=128");
    assert_int_equal(tuned_find(tuned, &device, "p", 8, &answer), TUNED_IN_RANGE);
    assert_int_equal(tuned_answer_integer(&answer, "block", -1), 128);
    assert_string_equal(tuned_text(answer.entry, "note", ""), "a | b");
    assert_int_equal(tuned_entry_line(answer.entry), 3);
    /* Derived values of a configuration that was not measured are unknown. */
    assert_int_equal(tuned_answer_integer(&answer, "tile", -1), -1);
    assert_int_equal(tuned_answer_launch(&answer, 0, &launch), 0);
    (void)tuned_find(tuned, &device, "q", 8, &answer);
    assert_int_equal(tuned_integer(answer.entry, "block", -1), 32);
    tuned_free(tuned);

    tuned = open_overridden("p:block=128,launch.block=block,launch.grid=\"max(n,9)\";q:block=64");
    (void)tuned_find(tuned, &device, "p", 8, &answer);
    assert_int_equal(tuned_answer_launch(&answer, 0, &launch), 1);
    assert_int_equal(launch.block[0], 128);
    assert_int_equal(launch.grid[0], 9);
    assert_int_equal(tuned_find(tuned, &device, "q", 8, &answer), TUNED_EXACT);
    assert_int_equal(tuned_integer(answer.entry, "block", -1), 64);
    tuned_free(tuned);

    const char *const without_effect[] = {"p:blok=1", "p",     "p:",      ":block=1",
                                          ";;",       "p:n=7", "p:block", ""};
    for (size_t i = 0; i < sizeof without_effect / sizeof *without_effect; i++) {
        tuned = open_overridden(without_effect[i]);
        (void)tuned_find(tuned, &device, "p", 8, &answer);
        assert_int_equal(answer.grade, TUNED_EXACT);
        assert_int_equal(tuned_answer_integer(&answer, "block", -1), 256);
        assert_int_equal(tuned_answer_launch(&answer, 0, &launch), 1);
        tuned_free(tuned);
    }
}

/* A mistyped override is reported, not ignored. */
TEST(what_changes_nothing_is_said)
{
    static const char *const cases[][2] = {
        {"p:block=128;q:block=64,launch.grid=1", ""},
        {"p:blok=1,block=2", "nothing has 'blok' among entries of 'p'"},
        {"o:block=1", "nothing has 'block' among entries of 'o'"},
        {"p:n=7", "nothing has 'n' among entries of 'p'"},
        {"p:block", "'block' is not NAME=VALUE"},
        {"p:=3", "'=3' is not NAME=VALUE"},
        {"block=3", "'block=3' is not PROBLEM:NAME=VALUE"},
        {"p:block=1;p:tile=2", "'p' is given twice, the first counts"},
        {"p:launch.grid=8", "'launch.grid' of 'p' counts with a value that changes only"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct listening listening;
        char wanted[160] = "";
        if (cases[i][1][0])
            (void)snprintf(wanted, sizeof wanted, "tuned: TUNED_OVERRIDE: %s\n", cases[i][1]);
        start_listening(&listening);
        tuned_free(open_overridden(cases[i][0]));
        stop_listening(&listening);
        assert_string_equal(listening.printed, wanted);
    }
}

/* An error caused by a mistyped override names the override, not only the file. */
TEST(what_cannot_be_read_names_the_override)
{
    const struct tuned_options options = {.skip = TUNED_SKIP_USER | TUNED_SKIP_SYSTEM,
                                          .built_in = text,
                                          .built_in_bytes = sizeof text - 1};
    struct tuned_error error;
    assert_int_equal(setenv("TUNED_OVERRIDE", "p:block=", 1), 0);
    assert_null(tuned_open(&options, &error));
    assert_int_equal(unsetenv("TUNED_OVERRIDE"), 0);
    assert_string_equal(error.text, "built-in:3 (as TUNED_OVERRIDE has it): 'block' has no value");
}

TEST(any_bytes_are_overridden_within_their_memory)
{
    static const char *const pieces[] = {"p",  " ",  "\t", "\n",       "|",  "\"", "\\",
                                         "=",  "n=", "@",  "derived=", ",",  ":",  ";",
                                         "at", "[",  "b",  "launch",   "b=", "p "};
    uint32_t random = 1;
    for (int round = 0; round < 20000; round++) {
        char file[96] = "", override[96] = "";
        for (int i = 0; i < 24; i++) {
            random = random * 1664525u + 1013904223u;
            (void)strcat(i % 2 ? file : override, pieces[(random >> 8) % 20]);
        }
        size_t bytes = strlen(file), lines = 0;
        char *exact = malloc(bytes + 1); /* so that reading past the end is seen */
        assert_non_null(exact);
        memcpy(exact, file, bytes);
        size_t length = tuned_debug_override(override, exact, bytes, NULL);
        char *out = malloc(length + 1);
        assert_non_null(out);
        assert_int_equal(tuned_debug_override(override, exact, bytes, out), length);
        for (size_t i = 0; i < length; i++)
            lines += out[i] == '\n';
        for (size_t i = 0; i < bytes; i++)
            lines -= file[i] == '\n';
        assert_int_equal(lines, 0);
        free(out);
        free(exact);
    }
}

TEST_MAIN(NULL, NULL)
