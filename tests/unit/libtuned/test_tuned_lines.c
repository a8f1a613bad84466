/* libtuned: each line is read independently of the lines and files before it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libtuned/tuned.h"
#include "load.h"
#include "tests/unit/suite.h"

static const char *text_of(const struct tuned *tuned, size_t entry, const char *name)
{
    return tuned_text(tuned_entry_at(tuned, entry), name, "none");
}

/* Names and values that begin as those of the line before do, and go on otherwise. */
TEST(what_begins_alike_is_told_apart)
{
    struct tuned *tuned = load("tuned-conf 3\n[cuda \"X\"]\n"
                               "p n=1 block=12 threads_per_block=last_blocks end=1\n"
                               "p n=2 blocks=1 threads_per_blocks=last_block end=1\n"
                               "p n=3 block=123 threads_per_block=last_blocked end=1\n"
                               "p n=4 block=\"12\" threads_per_block=\"last_blocks\" end=\"1\"\n"
                               "p n=5 block=12 threads_per_block=last_blocks end=1\n"
                               "pp n=6 bl=12 threads_per_block=last_blo end=1\n"
                               "ppppppppq n=7 block=12 threads_per_block=last_blocks end=1\n"
                               "ppppppppp n=8 block=12 threads_per_block=last_blocks end=1\n"
                               "q n=9 block=12 threads_per_block=last_block_of_all_a end=1\n"
                               "q n=10 block=12 threads_per_block=last_block_of_all_b end=1\n"
                               "q n=11 block=12 threads_per_blocd=last_block_of_all_b end=1\n"
                               "q n=12 block=12 threads_per_block=last_block_of_all_b end=1\n"
                               "q n=13 block=12 threads_qer_block=last_block_of_all_b end=1\n"
                               "end\n");
    static const char *const expected[][4] = {
        {"p", "12", "none", "last_blocks"},
        {"p", "none", "1", "none"},
        {"p", "123", "none", "last_blocked"},
        {"p", "12", "none", "last_blocks"},
        {"p", "12", "none", "last_blocks"},
        {"pp", "none", "none", "last_blo"},
        {"ppppppppp", "12", "none", "last_blocks"},
        {"ppppppppq", "12", "none", "last_blocks"},
        {"q", "12", "none", "last_block_of_all_a"},
        {"q", "12", "none", "last_block_of_all_b"},
        {"q", "12", "none", "none"},
        {"q", "12", "none", "last_block_of_all_b"},
        {"q", "12", "none", "none"},
    };
    assert_int_equal(tuned_entry_count(tuned), 13);
    for (size_t i = 0; i < 13; i++) {
        assert_string_equal(tuned_entry_problem(tuned_entry_at(tuned, i)), expected[i][0]);
        assert_string_equal(text_of(tuned, i, "block"), expected[i][1]);
        assert_string_equal(text_of(tuned, i, "blocks"), expected[i][2]);
        assert_string_equal(text_of(tuned, i, "threads_per_block"), expected[i][3]);
        assert_string_equal(text_of(tuned, i, "end"), "1");
    }
    assert_string_equal(text_of(tuned, 1, "threads_per_blocks"), "last_block");
    assert_string_equal(text_of(tuned, 10, "threads_per_blocd"), "last_block_of_all_b");
    assert_string_equal(text_of(tuned, 12, "threads_qer_block"), "last_block_of_all_b");
    tuned_free(tuned);
}

/* In and out of quotes, evidence that libtuned itself reads belongs to its own line. */
TEST(evidence_is_of_its_line)
{
    struct tuned *tuned = load("tuned-conf 3\n[cuda \"X\"]\n"
                               "a n=1-9 a=1 | at=7 threads=64\n"
                               "b n=10-19 a=1 | at=\"12\" threads=\"128\"\n"
                               "c n=1-9 a=1 | at=7 threads=64\n"
                               "d n=1-9 a=1 | threads=64\n"
                               "end\n");
    static const long long sizes[] = {7, 12, 7, 1};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(tuned_entry_n(tuned_entry_at(tuned, i)), sizes[i]);
    tuned_free(tuned);
}

TEST(quoted_value_is_no_word)
{
    static const char text[] = "tuned-conf 3\n[cuda \"X\"]\np n=1 a=\"\\\"x\\\"\"\n"
                               "p n=2 a=\"x\"\np n=3 a=\"\"\nend\n";
    struct tuned *tuned = load(text);
    assert_string_equal(text_of(tuned, 0, "a"), "\"x\"");
    assert_string_equal(text_of(tuned, 1, "a"), "x");
    assert_string_equal(text_of(tuned, 2, "a"), "");
    tuned_free(tuned);
}

/* In every place, whatever else is wrong. */
TEST(control_characters_are_named)
{
    static const char conf[] = "tuned-conf 3\n# a remark\n[cuda \"X Y\"] sm_count=4 b=\"q \\\"\"\n"
                               "p n=1-2 k@3 block=12 t=\"a \\\\\" | at=1 time_ns=5 l=\"m n\"\n\t\n"
                               "end\n# behind it\n";
    static const char controls[] = {0, 1, 8, 11, '\r', 31, 127};
    char text[sizeof conf];
    tuned_free(load(conf));
    for (size_t at = 0, line = 1; at < sizeof conf - 1; at++) {
        for (size_t i = 0; i < sizeof controls; i++) {
            struct tuned_error error;
            char says[64];
            memcpy(text, conf, sizeof conf);
            text[at] = controls[i];
            if (controls[i] == '\r' && conf[at + 1] == '\n')
                continue;
            assert_null(tuned_load_memory(text, sizeof conf - 1, "t", &error));
            (void)snprintf(says, sizeof says, "t:%zu: a control character (byte 0x%02x)", line,
                           (unsigned)controls[i]);
            assert_string_equal(error.text, says);
        }
        line += conf[at] == '\n';
    }
}

static void refused(const char *line, const char *says)
{
    struct tuned_error error;
    char text[256];
    (void)snprintf(text, sizeof text, "tuned-conf 3\n[cuda \"X\"]\n%s\nend\n", line);
    assert_null(tuned_load_memory(text, strlen(text), "t", &error));
    if (!strstr(error.text, says))
        fail_msg("%s", error.text);
}

TEST(limits_are_kept)
{
    refused("p n=18446744073709551617 a=1", "is not a whole number");
    refused("p n=92233720368547758080 a=1", "is not a whole number");
    refused("p a=1 m@2 n=1", "directly behind n=");
    tuned_free(load("tuned-conf 3\n[cuda \"X\"]\np n=000000000000000000000000012 a=1\nend\n"));

    /* Fields are counted on each side. */
    char text[8192];
    size_t length = (size_t)sprintf(text, "tuned-conf 3\n[cuda \"X\"]\np n=1");
    for (int i = 0; i < 127; i++)
        length += (size_t)sprintf(text + length, " a%d=%d", i, i);
    length += (size_t)sprintf(text + length, " |");
    for (int i = 0; i < 128; i++)
        length += (size_t)sprintf(text + length, " a%d=e%d", i, i);
    (void)sprintf(text + length, "\nend\n");
    struct tuned *tuned = load(text);
    assert_string_equal(text_of(tuned, 0, "a126"), "126");
    assert_string_equal(tuned_evidence_text(tuned_entry_at(tuned, 0), "a127", ""), "e127");
    tuned_free(tuned);
}

TEST(words_of_the_format_may_begin_names)
{
    struct tuned *tuned = load("tuned-conf 3\n[cuda \"X\"]\nendless n=1 a=1\nend.x n=1 a=2\nend\n");
    assert_int_equal(tuned_entry_count(tuned), 2);
    tuned_free(tuned);
}

/* Sections that differ in one number, in no order. */
TEST(one_number_tells_devices_apart)
{
    struct tuned *tuned =
        load("tuned-conf 3\n[cuda \"X\"] compute_capability=9.1 sm_count=4\np n=1 a=1\n"
             "[cuda \"X\"] compute_capability=9.0 sm_count=5\np n=1 a=2\n"
             "[cuda \"X\"] compute_capability=8.0 sm_count=4\np n=1 a=3\n"
             "[cuda \"X\"] compute_capability=9.0 sm_count=4\np n=1 a=4\nend\n");
    static const int numbers[][3] = {{9, 1, 4}, {9, 0, 5}, {8, 0, 4}, {9, 0, 4}};
    for (int i = 0; i < 4; i++) {
        struct tuned_answer answer;
        const struct tuned_device device = {.kind = "cuda",
                                            .name = "X",
                                            .compute_capability_major = numbers[i][0],
                                            .compute_capability_minor = numbers[i][1],
                                            .unit_count = numbers[i][2]};
        assert_int_equal(tuned_find(tuned, &device, "p", 1, &answer), TUNED_EXACT);
        assert_int_equal(tuned_integer(answer.entry, "a", 0), i + 1);
    }
    tuned_free(tuned);
}

/* Opens files with these texts, in this order, without the refused ones. `refused` describes the
 * first refused one: its line and the reason. */
enum { FILES = 4 };

static struct tuned *open_texts(const char *const texts[FILES], const char *refused)
{
    char paths[FILES][32];
    const char *pointers[FILES];
    for (int i = 0; i < FILES; i++) {
        pointers[i] = strcpy(paths[i], "/tmp/tuned_lines_XXXXXX");
        int file = mkstemp(paths[i]);
        assert_true(file >= 0);
        assert_int_equal(write(file, texts[i], strlen(texts[i])), strlen(texts[i]));
        assert_int_equal(close(file), 0);
    }
    const struct tuned_options options = {
        .paths = pointers, .path_count = FILES, .skip = 7, .leave_out_refused = 1};
    struct tuned_error error;
    struct tuned *tuned = tuned_open(&options, &error);
    for (int i = 0; i < FILES; i++)
        assert_int_equal(unlink(paths[i]), 0);
    assert_non_null(tuned);
    assert_non_null(strstr(error.text, paths[0]));
    if (!strstr(error.text, refused))
        fail_msg("%s", error.text);
    return tuned;
}

/* Refused files among several leave no names behind that lines of others would share, whether read
 * first or later; the first refused one is reported. */
TEST(lines_share_nothing_with_refused_files)
{
    static const char *const texts[FILES] = {
        "tuned-conf 3\n[cuda \"A\"] b=1 c=2\n?\nend\n",
        "tuned-conf 3\n[cuda \"X\"] b=3 c=4\np n=1 block=1\nend\n",
        "tuned-conf 3\n[cuda \"A\"] e=0\n[cuda \"B\"] f=1 g=2\n?\nend\n",
        "tuned-conf 3\n[cuda \"X\"] f=5 g=6\nq n=1 block=2 x=3\nend\n"};
    struct tuned *tuned = open_texts(texts, ":3: '?' begins no line");
    assert_int_equal(tuned_entry_count(tuned), 2);
    const struct tuned_entry *p = tuned_entry_at(tuned, 0), *q = tuned_entry_at(tuned, 1);
    assert_string_equal(tuned_device_text(p, "b", ""), "3");
    assert_string_equal(tuned_device_text(p, "c", ""), "4");
    assert_string_equal(text_of(tuned, 0, "block"), "1");
    assert_string_equal(tuned_device_text(q, "f", ""), "5");
    assert_string_equal(tuned_device_text(q, "g", ""), "6");
    assert_string_equal(text_of(tuned, 1, "x"), "3");
    tuned_free(tuned);
}

/* No words either: a word at the place of the refusal is not cut off there. */
TEST(words_are_not_those_that_were_refused)
{
    static const char *const texts[FILES] = {
        "tuned-conf 3\n[cuda \"X\"]\np n=1 a=1 | time_ns=5[\nend\n",
        "tuned-conf 3\n[cuda \"X\"]\np n=1 block=1 | time_ns=5\nend\n",
        "tuned-conf 3\n[block X]\nend\n",
        "tuned-conf 3\n[cuda \"X\"]\nq n=1 block=2 | time_ns=5\nend\n"};
    struct tuned *tuned = open_texts(texts, ":3: the value of 'time_ns' must be in quotes");
    assert_int_equal(tuned_entry_count(tuned), 2);
    for (size_t i = 0; i < 2; i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, i);
        const char *name = NULL, *value = NULL;
        tuned_value_at(entry, 0, &name, &value);
        assert_string_equal(name, "block");
        assert_string_equal(text_of(tuned, i, "block"), i == 0 ? "1" : "2");
        assert_string_equal(tuned_evidence_text(entry, "time_ns", ""), "5");
    }
    tuned_free(tuned);
}

TEST(evidence_goes_on_and_holds_for_a_section)
{
    struct tuned *tuned = load("tuned-conf 4\n"
                               "[cuda \"X\"] trust=sound source=5eed driver=580\n"
                               "p n=1 a=1 | threads=64\n"
                               "  | time_ns=8 trust=noisy\n"
                               "\t|samples=3\r\n"
                               "# remark\n"
                               "q n=1 a=2\n"
                               "| \n"
                               "r n=1 a=3\n"
                               "end\n");
    const struct tuned_entry *p = tuned_entry_at(tuned, 0), *q = tuned_entry_at(tuned, 1);
    assert_int_equal(tuned_entry_count(tuned), 3);
    assert_true(tuned_expected_ns(p) == 8 && tuned_evidence(p, "samples", 0) == 3);
    assert_true(tuned_evidence(p, "threads", 0) == 64);
    assert_string_equal(tuned_evidence_text(p, "trust", ""), "noisy");
    assert_string_equal(tuned_evidence_text(q, "trust", ""), "sound");
    assert_string_equal(tuned_evidence_text(q, "source", ""), "5eed");
    assert_null(tuned_evidence_text(q, "samples", NULL));
    assert_int_equal(tuned_entry_line(p), 3);
    assert_int_equal(tuned_entry_line(q), 7);
    assert_int_equal(tuned_entry_line(tuned_entry_at(tuned, 2)), 9);
    static const char *const names[] = {"threads", "time_ns", "trust", "samples", NULL};
    for (size_t i = 0; i < 5; i++) {
        const char *name = NULL, *value = NULL;
        tuned_evidence_at(p, i, &name, &value);
        assert_true(name == names[i] || strcmp(name, names[i]) == 0);
    }
    tuned_free(tuned);
}

TEST_MAIN(NULL, NULL)
