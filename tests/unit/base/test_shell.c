#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/shell.h"

static void assert_word(const char *word, const char *expected)
{
    struct text text = {0};
    shell_append_word(&text, word);
    assert_false(text.failed);
    assert_string_equal(text_string(&text), expected);
    text_free(&text);
}

TEST(quotes_stand_where_a_shell_needs_them)
{
    assert_word("reduce.sum", "reduce.sum");
    assert_word("--sizes=10,20", "--sizes=10,20");
    assert_word("./a/b_C-1+2:3@4%5", "./a/b_C-1+2:3@4%5");
    assert_word("", "''");
    assert_word("a b", "'a b'");
    assert_word("2**24", "'2**24'");
    assert_word("~", "'~'");
    assert_word("$HOME`id`", "'$HOME`id`'");
    assert_word("it's", "'it'\\''s'");
    assert_word("\xc3\xa9t\xc3\xa9", "'\xc3\xa9t\xc3\xa9'");
    assert_word("back\\slash", "'back\\slash'");
}

TEST(any_word_is_one_line_of_utf8)
{
    assert_word("a\nb", "$'a\\012b'");
    assert_word("\x7f'\\\xc3\xa9", "$'\\177\\'\\\\\xc3\xa9'");
    assert_word("\xff", "$'\\377'");
    assert_word("\x01"
                "7",
                "$'\\0017'");
}

/* Every byte, and every pair with the special ones: bash returns them unchanged. */
TEST(bash_reads_what_was_meant)
{
    static const char special[] = " '\"\\$`!*?[]{}()<>|&;#~=\n\t\r\x01\xff\xc3\xa9"
                                  "017x";
    struct text command = {0};
    struct text expected = {0};
    text_append(&command, "exec bash --norc -c 'printf \"%s|\" \"$@\"' bash ");
    for (int byte = 1; byte < 256; byte++)
        for (const char *other = special; *other; other++) {
            const char word[] = {(char)byte, *other, (char)byte, '\0'};
            shell_append_word(&command, word);
            text_append(&command, " ");
            text_append(&expected, word);
            text_append(&expected, "|");
        }
    assert_false(command.failed || expected.failed);
    char path[] = "/tmp/tune-test-XXXXXX";
    char line[64];
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, command.data, command.length), command.length);
    assert_int_equal(close(file), 0);
    (void)snprintf(line, sizeof line, "bash --norc %s", path);
    FILE *shell = popen(line, "r"); // NOLINT(cert-env33-c): a shell is what is meant
    assert_non_null(shell);
    char *got = test_calloc(expected.length + 2, 1);
    size_t length = fread(got, 1, expected.length + 1, shell);
    assert_int_equal(pclose(shell), 0);
    assert_int_equal(length, expected.length);
    assert_memory_equal(got, expected.data, length);
    test_free(got);
    (void)unlink(path);
    text_free(&command);
    text_free(&expected);
}

TEST_MAIN(NULL, NULL)
