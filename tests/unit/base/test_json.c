#include <math.h>

#include "tests/unit/suite.h"
#include "tuner/base/json.h"

static void assert_string(const char *string, const char *expected)
{
    struct text text = {0};
    json_append_string(&text, string);
    assert_false(text.failed);
    assert_string_equal(text_string(&text), expected);
    text_free(&text);
}

TEST(test_escapes)
{
    assert_string("", "\"\"");
    assert_string(NULL, "null");
    assert_string("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    assert_string("\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"");
}

TEST(test_only_utf8_comes_out)
{
    assert_string("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbf \xf4\x8f\xbf\xbf",
                  "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbf \xf4\x8f\xbf\xbf\"");
    assert_string("a\xff"
                  "b",
                  "\"a\\ufffdb\"");
    assert_string("\xc3", "\"\\ufffd\"");                                  /* cut off */
    assert_string("\xe2\x82", "\"\\ufffd\\ufffd\"");                       /* cut off */
    assert_string("\xc0\x80", "\"\\ufffd\\ufffd\"");                       /* overlong */
    assert_string("\xe0\x80\x80", "\"\\ufffd\\ufffd\\ufffd\"");            /* overlong */
    assert_string("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");            /* surrogate */
    assert_string("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""); /* too large */
    assert_string("\xc3\"", "\"\\ufffd\\\"\""); /* the quote is not swallowed */
}

TEST(test_values)
{
    const struct named_value values[] = {
        {"i", value_integer(INT64_MIN)},    {"r", value_real(0.1)}, {"whole", value_real(2)},
        {"b", value_boolean(false)},        {"t", value_text("x")}, {"n", value_real((double)NAN)},
        {"f", value_real((double)INFINITY)}};
    struct text text = {0};
    json_append_object(&text, values, sizeof values / sizeof values[0]);
    assert_string_equal(text_string(&text),
                        "{\"i\":-9223372036854775808,\"r\":0.1,\"whole\":2.0,\"b\":false,"
                        "\"t\":\"x\",\"n\":null,\"f\":null}");
    text_clear(&text);
    json_append_object(&text, NULL, 0);
    assert_string_equal(text_string(&text), "{}");
    text_free(&text);
}

TEST_MAIN(NULL, NULL)
