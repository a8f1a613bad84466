/* libtuned: entries for ranges of sizes, and many of them. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "load.h"
#include "tests/unit/suite.h"

static const struct tuned_device h200 = {.kind = "cuda",
                                         .name = "NVIDIA H200",
                                         .compute_capability_major = 9,
                                         .unit_count = 132,
                                         .memory_bytes = 150754820096};

static const char ranged[] = "tuned-conf 2\n"
                             "[cuda \"NVIDIA H200\"] compute_capability=9.0 sm_count=132\n"
                             "p n=100-199 block=2 | at=150 time_ns=3\n"
                             "p n=0-99 block=1\n"
                             "p n=200 block=3\n"
                             "p n=10000-9223372036854775807 block=4 | at=20000\n"
                             "[cuda \"NVIDIA H100\"] compute_capability=9.0 sm_count=114\n"
                             "q n=10-20 block=5 | at=16\n"
                             "end\n";

/* Returns the answer's block. */
static long long block_of(const struct tuned *tuned, const char *problem, long long n,
                          enum tuned_grade grade, char reason[static TUNED_REASON_BYTES])
{
    struct tuned_answer answer;
    assert_int_equal(tuned_find(tuned, &h200, problem, n, &answer), grade);
    tuned_reason(&answer, reason, TUNED_REASON_BYTES);
    return tuned_integer(answer.entry, "block", -1);
}

TEST(size_in_a_range_is_found)
{
    struct tuned *tuned = load(ranged);
    static const struct {
        long long n;
        enum tuned_grade grade;
        long long block;
    } cases[] = {
        {INT64_MIN, TUNED_NONE, -1},   {-1, TUNED_NONE, -1},           {0, TUNED_IN_RANGE, 1},
        {99, TUNED_IN_RANGE, 1},       {100, TUNED_IN_RANGE, 2},       {150, TUNED_EXACT, 2},
        {199, TUNED_IN_RANGE, 2},      {200, TUNED_EXACT, 3},          {201, TUNED_NEAREST_SIZE, 3},
        {1414, TUNED_NEAREST_SIZE, 3}, /* 200 x 10000 = 1414.2 squared */
        {1415, TUNED_NEAREST_SIZE, 4}, {9999, TUNED_NEAREST_SIZE, 4},  {10000, TUNED_IN_RANGE, 4},
        {20000, TUNED_EXACT, 4},       {INT64_MAX, TUNED_IN_RANGE, 4},
    };
    char reason[TUNED_REASON_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(block_of(tuned, "p", cases[i].n, cases[i].grade, reason), cases[i].block);
    (void)block_of(tuned, "p", 150, TUNED_EXACT, reason);
    assert_string_equal(reason, "measured on NVIDIA H200 at n = 150; no launch: the file has none");
    (void)block_of(tuned, "p", 180, TUNED_IN_RANGE, reason);
    assert_string_equal(reason, "tuned on NVIDIA H200 for n from 100 to 199 (measured at 150); "
                                "no launch: the file has none");
    (void)block_of(tuned, "p", 5, TUNED_IN_RANGE, reason);
    assert_string_equal(reason,
                        "tuned on NVIDIA H200 for n from 0 to 99; no launch: the file has none");
    (void)block_of(tuned, "p", 5000, TUNED_NEAREST_SIZE, reason);
    assert_string_equal(
        reason, "on NVIDIA H200 the nearest that fits is n from 10000 to 9223372036854775807 "
                "(measured at 20000); requested: n = 5000; no launch: the file has none");
    assert_int_equal(block_of(tuned, "q", 12, TUNED_OTHER_DEVICE, reason), 5);
    assert_string_equal(reason,
                        "q has no entry for NVIDIA H200 that fits; taken, for n from 10 to 20 "
                        "(measured at 16), from NVIDIA H100, of the same compute "
                        "capability (114 SMs; here 132); no launch: the file has none");
    assert_int_equal(block_of(tuned, "q", 21, TUNED_OTHER_DEVICE, reason), 5);
    assert_non_null(strstr(reason, "(measured at 16), which is nearest"));

    /* Sorted, though the file was not. */
    static const long long low[] = {0, 100, 200, 10000};
    static const long long high[] = {99, 199, 200, INT64_MAX};
    static const long long at[] = {0, 150, 200, 20000};
    for (size_t i = 0; i < 4; i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, i);
        assert_int_equal(tuned_entry_n_low(entry), low[i]);
        assert_int_equal(tuned_entry_n_high(entry), high[i]);
        assert_int_equal(tuned_entry_n(entry), at[i]);
    }
    assert_string_equal(tuned_grade_name(TUNED_IN_RANGE), "in range");
    assert_true(TUNED_NEAREST_SIZE < TUNED_IN_RANGE && TUNED_IN_RANGE < TUNED_EXACT);
    tuned_free(tuned);

    /* Before version 2 'at' was a field like any other. */
    tuned = load("tuned-conf 1\n[cuda \"X\"]\np n=1 a=1 | at=home\nend\n");
    assert_int_equal(tuned_entry_n(tuned_entry_at(tuned, 0)), 1);
    tuned_free(tuned);
}

/* A section without some numbers holds for any device of its name, but after one that has them. */
TEST(section_of_known_numbers_comes_first)
{
    struct tuned *tuned = load("tuned-conf 2\n"
                               "[cuda \"NVIDIA H200\"] sm_count=132\n"
                               "p n=1-9 block=1\n"
                               "[cuda \"NVIDIA H200\"]\n"
                               "p n=1-9 block=2\n"
                               "q n=1-9 block=3\n"
                               "end\n");
    char reason[TUNED_REASON_BYTES];
    assert_int_equal(block_of(tuned, "p", 5, TUNED_IN_RANGE, reason), 1);
    assert_int_equal(block_of(tuned, "q", 5, TUNED_IN_RANGE, reason), 3);
    tuned_free(tuned);
}

/* A file of many devices, problems and ranges, in random order. */
TEST(each_of_many_is_found)
{
    enum { DEVICES = 7, PROBLEMS = 60, RANGES = 9, LINES = PROBLEMS * RANGES };
    char *text = malloc((size_t)DEVICES * (LINES + 1) * 64);
    assert_non_null(text);
    size_t length = (size_t)sprintf(text, "tuned-conf 2\n");
    for (int device = 0; device < DEVICES; device++) {
        length +=
            (size_t)sprintf(text + length, "[cuda \"D%d\"] sm_count=%d\n", device / 2, device + 1);
        for (int i = 0; i < LINES; i++) {
            int line = (int)((long long)i * 367 % LINES); /* 367 and 540 have no common divisor */
            int range = line % RANGES;
            length += (size_t)sprintf(text + length, "p%d n=%d-%d block=%d\n", line / RANGES,
                                      range * 10 + 1, range * 10 + 10, device * LINES + line);
        }
    }
    (void)sprintf(text + length, "end\n");
    struct tuned *tuned = load(text);
    free(text);
    assert_int_equal(tuned_entry_count(tuned), DEVICES * LINES);
    for (int device = 0; device < DEVICES; device++)
        for (int line = 0; line < LINES; line++) {
            char name[16];
            char problem[16];
            (void)snprintf(name, sizeof name, "D%d", device / 2);
            (void)snprintf(problem, sizeof problem, "p%d", line / RANGES);
            const struct tuned_device here = {
                .kind = "cuda", .name = name, .unit_count = device + 1};
            struct tuned_answer answer;
            for (int n = line % RANGES * 10 + 1; n <= line % RANGES * 10 + 10; n++) {
                assert_int_equal(tuned_find(tuned, &here, problem, n, &answer), TUNED_IN_RANGE);
                assert_int_equal(tuned_integer(answer.entry, "block", -1), device * LINES + line);
            }
        }
    tuned_free(tuned);
}

/* Entries of a file of random contents, kept beside it: the reader must agree with a search through
 * all of them. */
struct line {
    int device, problem;
    long long low, high, at; /* at: below 0 when the line does not tell */
    int block;
};

enum { RANDOM_DEVICES = 3, RANDOM_PROBLEMS = 4, RANDOM_LINES = 400 };

static uint64_t seed;

static long long draw(long long bound)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (long long)((seed >> 11) % (uint64_t)bound);
}

/* Draws disjoint ranges with gaps, of problems in any order. */
static size_t draw_lines(struct line *lines)
{
    size_t count = 0;
    for (int device = 0; device < RANDOM_DEVICES; device++)
        for (int problem = 0; problem < RANDOM_PROBLEMS; problem++) {
            long long low = draw(5);
            for (int i = 0; i < 20 && count < RANDOM_LINES && draw(12) > 0; i++) {
                long long length = draw(3) == 0 ? 0 : draw(low + 2);
                struct line line = {device, problem, low, low + length, -1, (int)draw(1000)};
                if (length == 0 || draw(2) == 0)
                    line.at = low + draw(length + 1);
                lines[count++] = line;
                low += length + 1 + (draw(2) == 0 ? draw(low + 2) : 0);
            }
        }
    return count;
}

static size_t write_line(char *out, const struct line *line)
{
    size_t length = (size_t)sprintf(out, "p%d n=%lld", line->problem, line->low);
    if (line->low < line->high)
        length += (size_t)sprintf(out + length, "-%lld", line->high);
    length += (size_t)sprintf(out + length, " block=%d", line->block);
    if (line->at >= 0 && line->low < line->high)
        length += (size_t)sprintf(out + length, " | at=%lld", line->at);
    return length + (size_t)sprintf(out + length, "\n");
}

static struct tuned *write_and_load(const struct line *lines, size_t count)
{
    char *text = malloc(64 * (RANDOM_LINES + RANDOM_DEVICES + 2));
    assert_non_null(text);
    size_t length = (size_t)sprintf(text, "tuned-conf 2\n");
    for (int device = 0; device < RANDOM_DEVICES; device++) {
        length += (size_t)sprintf(text + length, "[cpu \"D%d\"] cores=4\n", device);
        for (size_t i = 0; i < count; i++) /* backwards, so that the reader has to sort */
            if (lines[count - 1 - i].device == device)
                length += write_line(text + length, &lines[count - 1 - i]);
    }
    (void)sprintf(text + length, "end\n");
    struct tuned *tuned = load(text);
    free(text);
    return tuned;
}

/* Returns the line for n from a search through all lines; NULL if the device has none. */
static const struct line *expected(const struct line *lines, size_t count, int device, int problem,
                                   long long n)
{
    const struct line *best = NULL;
    double best_ratio = 0;
    for (size_t i = 0; i < count; i++) {
        const struct line *line = &lines[i];
        if (line->device != device || line->problem != problem)
            continue;
        double size = n > 0 ? (double)n : 0.5;
        double ratio = n < line->low    ? (double)line->low / size
                       : n > line->high ? size / (line->high > 0 ? (double)line->high : 0.5)
                                        : 0.0;
        if (!best || ratio < best_ratio) {
            best = line;
            best_ratio = ratio;
        }
    }
    return best_ratio <= 8 ? best : NULL;
}

TEST(random_file_is_found_as_by_looking_at_all)
{
    static struct line lines[RANDOM_LINES];
    for (seed = 1; seed < 40;) {
        uint64_t next = seed + 1;
        size_t count = draw_lines(lines);
        struct tuned *tuned = write_and_load(lines, count);
        assert_int_equal(tuned_entry_count(tuned), count);
        for (int i = 0; i < 3000; i++) {
            char name[16];
            char problem[16];
            int device = (int)draw(RANDOM_DEVICES);
            int kernel = (int)draw(RANDOM_PROBLEMS);
            long long n = draw(1LL << (1 + draw(24)));
            const struct line *line = expected(lines, count, device, kernel, n);
            (void)snprintf(name, sizeof name, "D%d", device);
            (void)snprintf(problem, sizeof problem, "p%d", kernel);
            const struct tuned_device here = {.kind = "cpu", .name = name, .unit_count = 4};
            struct tuned_answer answer;
            enum tuned_grade grade = tuned_find(tuned, &here, problem, n, &answer);
            if (!line) {
                assert_true(grade == TUNED_OTHER_DEVICE || grade == TUNED_NONE);
                continue;
            }
            assert_int_equal(tuned_entry_n_low(answer.entry), line->low);
            assert_int_equal(tuned_entry_n_high(answer.entry), line->high);
            assert_int_equal(tuned_integer(answer.entry, "block", -1), line->block);
            assert_int_equal(tuned_entry_n(answer.entry), line->at < 0 ? line->low : line->at);
            assert_int_equal(grade, n < line->low || n > line->high ? TUNED_NEAREST_SIZE
                                    : n == line->at                 ? TUNED_EXACT
                                                                    : TUNED_IN_RANGE);
        }
        tuned_free(tuned);
        seed = next;
    }
}

TEST_MAIN(NULL, NULL)
