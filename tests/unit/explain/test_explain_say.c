/* Sentences with numbers as people read them. */

#include "tests/unit/suite.h"
#include "views/explain/internal.h"

static void expect(struct text *text, const char *wanted)
{
    assert_false(text->failed);
    assert_string_equal(text_string(text), wanted);
    text_clear(text);
}

TEST(numbers_are_as_people_read_them)
{
    struct text out = {0};
    append_sentence(&out, "%T, %T, %T", 640.0, 1270.0, 2.5e9);
    expect(&out, "640 ns, 1.27 us, 2.50 s");
    append_sentence(&out, "%P of it, %M, %M, %M", 0.123, 0.0234, -0.0005, 2.45);
    expect(&out, "12.3 % of it, 2.34 % more, 0.05 % less, 3.45 times as long");
    append_sentence(&out, "%B in %B at %N GB/s", 512.0, 32768.0, 4001.4);
    expect(&out, "512 bytes in 32 KiB at 4001 GB/s");
    append_sentence(&out, "%C, %C and %C for %D %s", (int64_t)1, "block", (int64_t)2, "launch",
                    (int64_t)3, "thread", (int64_t)132, "cores");
    expect(&out, "1 block, 2 launches and 3 threads for 132 cores");
    text_free(&out);
}

/* An unknown conversion would shift all arguments behind it. */
TEST(unknown_conversions_fail)
{
    struct text out = {0};
    append_sentence(&out, "%d blocks", 1);
    assert_true(out.failed);
    text_free(&out);
    out = (struct text){0};
    append_sentence(&out, "50 %");
    assert_true(out.failed);
    text_free(&out);
}

TEST_MAIN(NULL, NULL)
