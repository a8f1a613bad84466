#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/random.h"
#include "tuner/base/text.h"
#include "tuner/base/value.h"

TEST(counted_nouns_agree)
{
    assert_string_equal(count_text(1, "legal point").text, "1 legal point");
    assert_string_equal(count_text(0, "point").text, "0 points");
    assert_string_equal(count_text(2, "process").text, "2 processes");
    assert_string_equal(count_text(12, "launch").text, "12 launches");
    assert_string_equal(count_text(1, "entry").text, "1 entry");
    assert_string_equal(count_text(3, "more entry").text, "3 more entries");
    assert_string_equal(count_text(3, "array").text, "3 arrays");
}

TEST(the_nearest_word_is_near)
{
    static const char *const words[] = {"constraints", "launches", "arguments", "block", "n"};
    assert_string_equal(nearest_word("constrains", words, 5), "constraints");
    assert_string_equal(nearest_word("lanuches", words, 5), "launches"); /* a swap is one edit */
    assert_string_equal(nearest_word("blok", words, 5), "block");
    assert_null(nearest_word("metrics", words, 5));
    assert_null(nearest_word("", words, 5));
    char longer[500];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_null(nearest_word(longer, words, 5));
}

TEST(errors_are_one_line_and_name_the_file)
{
    struct error error = {0};
    assert_int_equal(error_set(&error, STATUS_IO, "a\nb\x1b[31m"), STATUS_IO);
    assert_null(strpbrk(error.text, "\n\x1b"));
    assert_int_equal(error_set_errno(&error, EACCES, "tune.db"), STATUS_PERMISSION);
    assert_int_equal(error_set_errno(&error, ENOENT, "tune.db"), STATUS_NOT_FOUND);
    assert_int_equal(error_set_errno(&error, ENOSPC, "tune.db"), STATUS_IO);
    assert_non_null(strstr(error.text, "tune.db: No space left"));
    assert_int_equal(error_prefix(&error, "x.yaml:%d", 3), STATUS_IO);
    assert_int_equal(strncmp(error.text, "x.yaml:3: tune.db", 17), 0);
}

TEST(texts_are_made_printable)
{
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"plain", "plain"},
        {"", ""},
        {"a\x1b[2Jb", "a [2Jb"},
        {"tab\tline\n", "tab line "},
        {"\xc2\x9b"
         "2J",
         " 2J"},
        {"\x9b"
         "2J",
         "?2J"},
        {"\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac"},
        {"\xc2\xa0", "\xc2\xa0"},
        {"\xe9t\xe9", "\xe9t\xe9"},
        {"\x7f\x01", "  "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[32];
        (void)strcpy(text, rows[i].text);
        text_make_printable(text);
        assert_string_equal(text, rows[i].shown);
    }
}

TEST(every_status_has_text_and_code)
{
    for (int i = STATUS_OK; i <= STATUS_INTERNAL; i++) {
        assert_true(strlen(status_text((enum status)i)) > 1);
        assert_true((status_exit_code((enum status)i) == 0) ==
                    (i == STATUS_OK || i == STATUS_DONE));
    }
    assert_int_equal(status_exit_code(STATUS_USAGE), 2);
    for (int i = 0; i < TRIAL_STATUS_COUNT; i++) {
        enum trial_status back = TRIAL_OK;
        assert_true(trial_status_from_name(trial_status_name((enum trial_status)i), &back));
        assert_int_equal(back, i);
    }
}

TEST(arenas_give_zeroed_aligned_memory)
{
    struct arena arena = {0};
    for (size_t i = 1; i < 40000; i = i * 3 + 1) {
        unsigned char *bytes = arena_alloc(&arena, i, 1);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
        for (size_t j = 0; j < i; j++)
            assert_int_equal(bytes[j], 0);
        memset(bytes, 0xff, i);
    }
    assert_null(arena_alloc(&arena, SIZE_MAX / 2, 3));
    assert_string_equal(arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
    arena_free(&arena);
    assert_string_equal(arena_strdup(&arena, "again"), "again");
    arena_free(&arena);
}

TEST(reals_read_back_as_the_same_number)
{
    static const double reals[] = {0.1, 1.0 / 3, 1e300, -2.5e-17, 3.0, 123456789.123456789};
    char text[VALUE_TEXT_BYTES];
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        assert_true(value_format(value_real(reals[i]), text, sizeof text));
        assert_true(strtod(text, NULL) == reals[i]);
        assert_non_null(strpbrk(text, ".e"));
    }
    assert_true(value_format(value_integer(INT64_MIN), text, sizeof text));
    assert_string_equal(text, "-9223372036854775808");
    assert_false(value_format(value_text("longer than the room"), text, 4));
    assert_true(value_equal(value_integer(1), value_real(1.0)));
    assert_true(value_equal(value_boolean(true), value_integer(1)));
    assert_false(value_equal(value_text("1"), value_integer(1)));
    assert_false(value_equal(value_real((double)NAN), value_real((double)NAN)));
    assert_false(value_equal(value_integer((INT64_C(1) << 53) + 1), value_real(0x1p53)));
    assert_true(value_order(value_integer((INT64_C(1) << 53) + 1), value_real(0x1p53)) > 0);
    assert_true(value_order(value_real(-0.5), value_boolean(false)) < 0);
    assert_true(value_order(value_integer(7), value_real(7)) == 0);
}

TEST(hashes_tell_parts_apart)
{
    char first[HASH_TEXT_BYTES];
    char second[HASH_TEXT_BYTES];
    struct hash_state *hash = hash_start();
    hash_add_string(hash, "ab");
    hash_add_string(hash, "c");
    hash_finish(hash, first);
    hash = hash_start();
    hash_add_string(hash, "a");
    hash_add_string(hash, "bc");
    hash_finish(hash, second);
    assert_int_equal(strlen(first), 32);
    assert_string_not_equal(first, second);
}

TEST(shuffles_are_permutations_and_repeat)
{
    size_t a[100];
    size_t b[100];
    bool seen[100] = {false};
    for (size_t i = 0; i < 100; i++)
        a[i] = b[i] = i;
    random_shuffle(&(struct random){.seed = 5}, a, 100);
    random_shuffle(&(struct random){.seed = 5}, b, 100);
    assert_memory_equal(a, b, sizeof a);
    size_t at_home = 0;
    for (size_t i = 0; i < 100; i++) {
        assert_false(seen[a[i]]);
        seen[a[i]] = true;
        at_home += a[i] == i ? 1 : 0;
    }
    assert_true(at_home < 20);
}

TEST(facts_are_found_by_key)
{
    struct facts facts = {0};
    for (int i = 0; i < 200; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "key_%d", i);
        facts_add_integer(&facts, key, i);
    }
    facts_add_text(&facts, "name", "Some GPU");
    assert_int_equal(facts_integer(&facts, "key_150", -1), 150);
    assert_int_equal(facts_integer(&facts, "name", -1), -1);
    assert_string_equal(facts_text(&facts, "name", ""), "Some GPU");
    assert_null(facts_find(&facts, "nothing"));
    facts_free(&facts);
}

TEST(files_are_written_whole_or_not_at_all)
{
    char folder[] = "/tmp/tune-test-XXXXXX";
    char path[64];
    struct arena arena = {0};
    struct error error = {0};
    char *contents = NULL;
    size_t length = 0;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/file", folder);
    assert_int_equal(file_write_atomically(path, "one", 3, &error), STATUS_OK);
    assert_int_equal(file_write_atomically(path, "three", 5, &error), STATUS_OK);
    assert_int_equal(file_read(&arena, path, 100, &contents, &length, &error), STATUS_OK);
    assert_int_equal(length, 5);
    assert_string_equal(contents, "three");
    assert_int_equal(file_read(&arena, path, 4, &contents, &length, &error), STATUS_BAD_INPUT);
    assert_int_equal(file_read(&arena, folder, 100, &contents, &length, &error), STATUS_BAD_INPUT);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(file_read(&arena, path, 100, &contents, &length, &error), STATUS_NOT_FOUND);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(file_read(&arena, path, 100, &contents, &length, &error), STATUS_BAD_INPUT);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(file_write_atomically("/nowhere/file", "x", 1, &error), STATUS_NOT_FOUND);
    assert_int_equal(rmdir(folder), 0); /* no temporary file was left */
    arena_free(&arena);
}

TEST_MAIN(NULL, NULL)
