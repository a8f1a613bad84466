/* The page embeds any content as text or JSON. */

#include "tests/unit/suite.h"
#include "views/page/internal.h"

static void expect(struct text *text, const char *wanted)
{
    assert_false(text->failed);
    assert_string_equal(text_string(text), wanted);
    text_clear(text);
}

TEST(test_escapes)
{
    struct text out = {0};
    page_escape(&out, "<b title=\"'\">&amp;</b>");
    expect(&out, "&lt;b title=&quot;&#39;&quot;&gt;&amp;amp;&lt;/b&gt;");
    page_escape(&out, "a\tb\nc\x01\x1b[m\x7f\r");
    expect(&out, "a\tb\nc\xef\xbf\xbd\xef\xbf\xbd[m\xef\xbf\xbd\xef\xbf\xbd");
    page_escape(&out, "");
    expect(&out, "");
    text_free(&out);
}

/* Also controls beyond ASCII, and cut or invalid characters. */
TEST(test_utf8)
{
    struct text out = {0};
    page_escape(&out, "\xc3\xbc \xe2\x86\x92 \xf0\x9f\x98\x80");
    expect(&out, "\xc3\xbc \xe2\x86\x92 \xf0\x9f\x98\x80");
    page_escape(&out, "\xc2\x85|\xff|\xc0\xaf|\xed\xa0\x80|\xe2\x86");
    expect(&out, "\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd|"
                 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd");
    text_free(&out);
}

/* No text ends its <script> tag, and every reader accepts it. */
TEST(test_script)
{
    struct text out = {0};
    page_append_in_script(&out, "[\"</script>&\xc3\xbc\x7f\xc2\x85\xff\"]");
    expect(&out, "[\"\\u003c/script>&\xc3\xbc\\u007f\\u0085\\ufffd\"]");
    text_free(&out);
}

/* Members that are not drawn are omitted; names in objects that people make stay. */
TEST(test_json)
{
    struct text out = {0};
    page_append_json(&out,
                     "[{\"device\": \"a\", \"time_ns\": 1234.56789012345, \"gbs\": null,"
                     " \"parameters\": {\"n\": 4}, \"points\": [{\"n\": 1, \"x\": true}]}]",
                     "device n");
    expect(&out, "[{\"time_ns\":1234.56789,\"parameters\":{\"n\":4},\"points\":[{\"x\":true}]}]");
    page_append_json(&out, "{\"n\": [null, 2]}", NULL);
    expect(&out, "{\"n\":[null,2]}");
    page_append_json(&out, "{\"n\": ", NULL);
    expect(&out, "null");
    text_free(&out);
}

TEST_MAIN(NULL, NULL)
