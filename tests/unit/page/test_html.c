/* What is put into markup is escaped, whatever it is. */

#include "tests/unit/suite.h"
#include "views/page/html.h"

static void expect(struct text *text, const char *wanted)
{
    assert_false(text->failed);
    assert_string_equal(text_string(text), wanted);
    text_clear(text);
}

TEST(test_escapes)
{
    struct text out = {0};
    html(&out, "<b title=\"%s\">%s</b>", "\"'", "<i>&amp;</i>");
    expect(&out, "<b title=\"&quot;&#39;\">&lt;i&gt;&amp;amp;&lt;/i&gt;</b>");
    html_escape(&out, "a\tb\nc\x01\x1b[m\x7f\r");
    expect(&out, "a\tb\nc\xef\xbf\xbd\xef\xbf\xbd[m\xef\xbf\xbd\xef\xbf\xbd");
    html_escape(&out, "");
    expect(&out, "");
    text_free(&out);
}

/* Also the controls beyond ASCII, and what is cut or no character at all. */
TEST(test_utf8)
{
    struct text out = {0};
    html_escape(&out, "\xc3\xbc \xe2\x86\x92 \xf0\x9f\x98\x80");
    expect(&out, "\xc3\xbc \xe2\x86\x92 \xf0\x9f\x98\x80");
    html_escape(&out, "\xc2\x85|\xff|\xc0\xaf|\xed\xa0\x80|\xe2\x86");
    expect(&out, "\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd|"
                 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd");
    text_free(&out);
}

TEST(test_conversions)
{
    struct text out = {0};
    html(&out, "%d %zu %lld %.3g %.2f 100%% %.*s|", -1, (size_t)2, -3LL, 0.12345, 2.0, 3, "<ab>");
    expect(&out, "-1 2 -3 0.123 2.00 100% &lt;ab|");
    html(&out, "no conversion");
    expect(&out, "no conversion");
    text_free(&out);
}

/* Within <script> tags nothing ends them, and every reader takes it. */
TEST(test_json)
{
    struct text out = {0};
    html_json(&out, "[\"</script>&\xc3\xbc\x7f\xc2\x85\xff\"]");
    expect(&out, "[\"\\u003c/script>&\xc3\xbc\\u007f\\u0085\\ufffd\"]");
    text_free(&out);
}

/* One that html does not know would shift all arguments behind it: there is no page then. */
TEST(test_unknown_conversions_fail)
{
    struct text out = {0};
    html(&out, "<td>%u</td>", 1u);
    assert_true(out.failed);
    text_free(&out);
    out = (struct text){0};
    html(&out, "<td>%.3e</td>", 1.0);
    assert_true(out.failed);
    text_free(&out);
}

TEST_MAIN(NULL, NULL)
