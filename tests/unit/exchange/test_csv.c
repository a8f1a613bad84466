/* Tables by RFC 4180, and texts that are none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/base/text.h"
#include "tuner/exchange/csv.h"

/* Copies into a block of exactly that size, so that a read past it is detected. */
static char *copy_of(const char *text, size_t length)
{
    char *copy = test_malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Reads all records: fields joined by '|', each record behind its line and ended by ';'. */
static enum status read_all(const char *text, size_t length, struct text *out, struct error *error)
{
    struct csv_reader reader;
    struct csv_record record;
    char *copy = copy_of(text, length);
    bool more = true;
    enum status status = csv_start(&reader, "t.csv", copy, length, error);
    while (status == STATUS_OK && more) {
        status = csv_next(&reader, &record, &more, error);
        if (status != STATUS_OK || !more)
            break;
        text_printf(out, "%lld:", (long long)record.line);
        for (size_t i = 0; i < record.count; i++)
            text_printf(out, "%s%s", i > 0 ? "|" : "", record.fields[i]);
        text_append(out, ";");
    }
    test_free(copy);
    return status;
}

static void assert_read(const char *text, const char *expected)
{
    struct text got = {0};
    struct error error = {0};
    if (read_all(text, strlen(text), &got, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_string_equal(text_string(&got), expected);
    text_free(&got);
}

static void assert_refused(const char *text, size_t length, const char *expected)
{
    struct text got = {0};
    struct error error = {0};
    assert_int_equal(read_all(text, length, &got, &error), STATUS_BAD_INPUT);
    if (!strstr(error.text, expected))
        fail_msg("'%s' is not in '%s'", expected, error.text);
    text_free(&got);
}

TEST(records_and_fields)
{
    assert_read("", "");
    assert_read("a,b\n1,2\n", "1:a|b;2:1|2;");
    assert_read("a,b\r\n1,2\r\n", "1:a|b;2:1|2;");
    assert_read("a,b\n1,2", "1:a|b;2:1|2;"); /* no end of the last line */
    assert_read("\xef\xbb\xbf"
                "a,b\n",
                "1:a|b;");
    assert_read("a,,\n,,\n", "1:a||;2:||;");
    assert_read("a,", "1:a|;");
    assert_read("\n\r\na\n\n\nb\n\n", "3:a;6:b;"); /* empty lines are none */
    assert_read(" a , b\n", "1: a | b;");          /* blanks are part of a field */
    assert_read("\xc3\xa9,\xe2\x82\xac\n", "1:\xc3\xa9|\xe2\x82\xac;");
}

TEST(fields_in_quotes)
{
    assert_read("\"a,b\",c\n", "1:a,b|c;");
    assert_read("\"\"\n", "1:;");
    assert_read("\"\",\"\"", "1:|;");
    assert_read("\"say \"\"so\"\"\",\"\"\"\"\r\n", "1:say \"so\"|\";");
    assert_read("\"two\r\nlines\",x\nb,c\n", "1:two\r\nlines|x;3:b|c;"); /* lines are counted */
    assert_read("a,\"b\"", "1:a|b;");
    assert_read("a,\"b\"\r\n\"c\",d\r\n", "1:a|b;2:c|d;");
}

TEST(what_is_wrong_has_its_line)
{
#define REFUSED(text, expected) assert_refused(text, sizeof(text) - 1, expected)
    REFUSED("a,b\n\"c,d\n\n\n", "t.csv:2: a quote begins here and never ends");
    REFUSED("a\n\"", "t.csv:2: a quote begins here and never ends");
    REFUSED("a\n\"b\"\"", "t.csv:2: a quote begins here and never ends");
    REFUSED("a\n\n\"b\nc\" d,e\n", "t.csv:4: text behind a closing quote");
    REFUSED("a\nb\"c\"\n", "t.csv:2: a quote within a field");
    REFUSED("a\nb\rc\n", "t.csv:2: a carriage return without a line feed");
    REFUSED("a\r", "t.csv:1: a carriage return without a line feed");
    REFUSED("a\n\nb\xff\n", "t.csv:3: this is no text in UTF-8");
    REFUSED("\xff\xfe"
            "a\0,\0",
            "t.csv:1: this is no text in UTF-8");
    REFUSED("a\n\0b\n", "t.csv:2: this is no text in UTF-8");
    struct text many = {0};
    for (int i = 0; i <= CSV_FIELDS_MAX; i++)
        text_append(&many, ",");
    assert_refused(text_string(&many), many.length,
                   "t.csv:1: more fields than a table has columns");
    text_free(&many);
}

/* Any bytes: reading ends, and stays within the text. */
TEST(any_bytes_are_read_or_refused)
{
    static const char alphabet[] = ",,\"\"\n\r\nab";
    uint64_t random = 1;
    for (int round = 0; round < 50000; round++) {
        char text[24] = "";
        struct text got = {0};
        struct error error = {0};
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t bits = random >> 3;
        const size_t length = bits % sizeof text;
        for (size_t i = 0; i < length; i++, bits = bits / 9 * 31 + random)
            text[i] = alphabet[bits % (sizeof alphabet - 1)];
        (void)read_all(text, length, &got, &error);
        text_free(&got);
    }
}

TEST_MAIN(NULL, NULL)
