#include "tests/unit/plot/bench.h"

/* A name that does harm if taken for a command, a file or markup. */
#define EVIL                                                                                       \
    "X'\"; system \"touch pwned\" `touch pwned` {/Symbol a}^2 @a $(touch pwned)\\n\n<&> "          \
    "\xc2\xb5\xe4\xb8\xad"

/* Reads out/own-reduce.sum.i32-4096.<extension> into the arena. */
/* Not inlined: gcc 12 would take what is read for the address of `bytes` (-Wdangling-pointer). */
__attribute__((noinline)) static char *picture(struct arena *arena, const char *extension)
{
    char path[100];
    char *bytes = NULL;
    (void)snprintf(path, sizeof path, "out/own-reduce.sum.i32-4096.%s", extension);
    ok(file_read(arena, path, 1 << 26, &bytes, NULL, &error));
    return bytes;
}

TEST_WITH(test_pictures, setup, teardown)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    own_figures();
    fill(bench, "cuda", "GPU");
    struct plot_request request = request_of(bench, NULL, PLOT_PNG | PLOT_SVG | PLOT_PDF);
    request.database = "/some/where/a.db";
    ok(plot_draw(bench->store, &request, &error));
    assert_int_equal(bench->wrote, 3);
    assert_int_equal(bench->failed, 0);
    struct arena arena = {0};
    assert_memory_equal(picture(&arena, "png"), "\x89PNG", 4);
    assert_memory_equal(picture(&arena, "pdf"), "%PDF-", 5);
    const char *svg = picture(&arena, "svg");
    const char *const texts[] = {"GPU, 20",
                                 "L2 cold, 2 points, a.db<",
                                 "reduce.sum.i32, n = 4096 (2^12)",
                                 "throughput (GB/s)",
                                 "measured read ceiling: 500 GB/s",
                                 ">winner<",
                                 ">390 GB/s<",
                                 ">textbook<",
                                 ">tree<",
                                 "<title>own: reduce.sum.i32, n = 4096 on GPU</title>"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!strstr(svg, texts[i]))
            fail_msg("no %s", texts[i]);
    arena_free(&arena);
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    while (*text) {
        size_t characters = 0;
        for (; *text && *text != '\n'; text++)
            characters += ((unsigned char)*text & 0xc0) != 0x80;
        longest = characters > longest ? characters : longest;
        text += *text ? 1 : 0;
    }
    return longest;
}

TEST_WITH(test_terminal, setup, teardown)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    own_figures();
    fill(bench, "cuda", "GPU");
    struct plot_request request = request_of(bench, "own", PLOT_TERMINAL);
    request.folder = "/proc/nowhere"; /* no file is written */
    const int widths[] = {0, 60, 79, 160};
    for (size_t i = 0; i < 4; i++) {
        request.columns = widths[i];
        ok(plot_draw(bench->store, &request, &error));
        size_t width = longest_line(bench->print);
        if (width > (size_t)(widths[i] ? widths[i] : 100) || width < 50)
            fail_msg("%zu wide:\n%s", width, bench->print);
        const char *const texts[] = {"Mine: reduce.sum.i32, n = 4096 (2^12)\n",
                                     "GPU, 20",
                                     "throughput (GB/s), median\n",
                                     "block (threads)\n",
                                     "o  atomic",
                                     "+  tree",
                                     "winner",
                                     "390 GB/s",
                                     "read ceiling: 500 GB/s"};
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            if (!strstr(bench->print, texts[k]))
                fail_msg("no %s in\n%s", texts[k], bench->print);
        assert_null(strstr(bench->print, " \n"));
        assert_null(strchr(bench->print, '\f'));
        assert_null(strchr(bench->print, '\x1b'));
        assert_int_not_equal(bench->print[0], '\n');
    }
    request.colour = true;
    ok(plot_draw(bench->store, &request, &error));
    assert_non_null(strstr(bench->print, "\x1b[38;5;"));
    assert_string_equal(bench->print + strlen(bench->print) - 5, "\x1b[0m\n");
    assert_int_equal(bench->wrote, 0);
}

/* The ceiling of the problem, which need not be reading. */
TEST_WITH(test_ceiling_of_the_problem, setup, teardown)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    own_figures();
    fill(bench, "cuda", "GPU");
    struct plot_request request = request_of(bench, "own", PLOT_TERMINAL);
    request.problem = "reduce.sum.f32";
    ok(plot_draw(bench->store, &request, &error));
    assert_non_null(strstr(bench->print, "write ceiling: 450 GB/s"));
}

/* One launch, no winner, no baseline, no ceiling: in the tiniest and the largest of numbers. */
TEST_WITH(test_single_point, setup, teardown)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    own_figures();
    add_device(bench, "cuda", "GPU");
    add_problem(bench, "one", 64);
    (void)add_trial(bench, 64, true, &(struct shot){"sweep", "only", 32, 1, 5, 0});
    add_problem(bench, "tiny", 1);
    (void)add_trial(bench, 1, true, &(struct shot){"sweep", "only", 32, 1, 1e-9, 0});
    add_problem(bench, "huge", INT64_C(1) << 62);
    (void)add_trial(bench, INT64_C(1) << 62, true, &(struct shot){"sweep", "only", 32, 1, 1e12, 0});
    const char *const problems[] = {"one", "tiny", "huge"};
    for (size_t i = 0; i < 3; i++) {
        struct plot_request request = request_of(bench, "own", PLOT_PNG | PLOT_SVG | PLOT_TERMINAL);
        request.problem = problems[i];
        ok(plot_draw(bench->store, &request, &error));
        assert_int_equal(bench->wrote, 2 * (i + 1));
        assert_non_null(strstr(bench->print, "1 point\n"));
    }
}

/* A picture with a mark for each of a hundred thousand points would be 10 MB: of those that hide
 * one another one is written, and that is told. */
TEST_WITH(test_many_points, setup, teardown)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    own_figures();
    fill(bench, "cuda", "GPU");
    write_script("own.sql",
                 "-- Many.\n, m(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM m WHERE i < 100000)"
                 "SELECT 'points' AS layer, 's' AS series, 0 AS rank, i * 7919 % 1009 AS x,"
                 " 1000 + i * 104729 % 1013 AS gbs, 0, 0, 0, '' FROM m");
    struct plot_request request = request_of(bench, "own", PLOT_PNG | PLOT_SVG | PLOT_TERMINAL);
    ok(plot_draw(bench->store, &request, &error));
    struct arena arena = {0};
    const char *svg = picture(&arena, "svg");
    assert_in_range(count_of(svg, "<use xlink:href='#gpPt"), 5000, 20100);
    assert_true(strlen(svg) < 2400000);
    assert_non_null(strstr(svg, " of 100001 marks are drawn: the others lie within "));
    assert_non_null(strstr(bench->print, "100000 points"));
    arena_free(&arena);
}

TEST_WITH(test_names_are_never_commands, setup, teardown)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    own_figures();
    add_device(bench, "cuda", EVIL);
    add_problem(bench, "../" EVIL, 64);
    struct shot shot = {"sweep", EVIL, 32, 1, 5, 0};
    (void)add_trial(bench, 64, true, &shot);
    ok(store_baseline(bench->store, bench->environment_id, bench->problem_id, EVIL, EVIL,
                      configuration_of(bench, &shot), &error));
    struct plot_request request =
        request_of(bench, NULL, PLOT_PNG | PLOT_SVG | PLOT_PDF | PLOT_TERMINAL | PLOT_DATA);
    request.database = EVIL "/" EVIL;
    request.device_in_names = EVIL;
    ok(plot_draw(bench->store, &request, &error));
    assert_int_equal(bench->wrote, 4);
    assert_int_equal(bench->failed, 0);
    assert_false(file_exists("pwned"));
    assert_false(file_exists("out/pwned"));
    assert_null(strstr(strstr(bench->last_path, "/out/") + 5, "/"));
    struct arena arena = {0};
    char *svg = NULL;
    memcpy(strrchr(bench->last_path, '.'), ".svg", 5);
    ok(file_read(&arena, bench->last_path, 1 << 26, &svg, NULL, &error));
    assert_non_null(
        strstr(svg, "{/Symbol a}^2 @a $(touch pwned) n &lt;&amp;> \xc2\xb5\xe4\xb8\xad</text>"));
    assert_null(strstr(svg, "<&"));
    arena_free(&arena);
    assert_int_equal(remove_below("out"), 4); /* and none went elsewhere */
}

TEST_MAIN(NULL, NULL)
