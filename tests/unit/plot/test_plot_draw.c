#include "tests/unit/plot/bench.h"

/* A name that hurts whoever takes it for a command, a file or markup. */
#define EVIL                                                                                       \
    "X'\"; system \"touch pwned\" `touch pwned` {/Symbol a}^2 @a $(touch pwned)\\n\n<&> "          \
    "\xc2\xb5\xe4\xb8\xad"

static bool has_gnuplot(void)
{
    for (const char *part = getenv("PATH"); part && *part; part += *part == ':') {
        char path[512];
        size_t length = strcspn(part, ":");
        (void)snprintf(path, sizeof path, "%.*s/gnuplot", (int)length, part);
        if (access(path, X_OK) == 0)
            return true;
        part += length;
    }
    return false;
}

static void test_without_gnuplot(void **state)
{
    struct bench *bench = *state;
    own_figures();
    fill(bench, "cuda", "GPU");
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    free(data_of(bench, "own"));
    size_t before = bench->wrote;
    struct plot_request request = request_of(bench, "own", PLOT_PNG);
    assert_int_equal(plot_figure(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_string_equal(error.text,
                        "gnuplot is not installed: apt-get install gnuplot-nox, or use --data");
    assert_int_equal(plot_all(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_int_equal(bench->failed, 0); /* it is the error of the call */
    assert_int_equal(bench->wrote, before);
    /* The rows are written all the same. */
    request.outputs = PLOT_PNG | PLOT_TERMINAL | PLOT_DATA;
    write_script("two.sql", own_sql);
    write_script("two.gp", own_gp);
    ok(plot_all(bench->store, &request, &error));
    assert_int_equal(bench->failed, 1); /* said once, not for each figure */
    assert_int_equal(bench->last_error.status, STATUS_UNAVAILABLE);
    assert_int_equal(bench->wrote, before + 2);
}

static void fake_gnuplot(struct bench *bench, const char *script)
{
    assert_int_equal(mkdir("bin", 0700), 0);
    ok(file_write_atomically("bin/gnuplot", script, strlen(script), &error));
    assert_int_equal(chmod("bin/gnuplot", 0700), 0);
    char path[200];
    (void)snprintf(path, sizeof path, "%s/bin:/bin:/usr/bin", bench->folder);
    assert_int_equal(setenv("PATH", path, 1), 0);
}

static void test_gnuplot_that_fails(void **state)
{
    struct bench *bench = *state;
    own_figures();
    fill(bench, "cuda", "GPU");
    assert_int_equal(mkdir("out", 0700), 0);
    const char *name = "out/own-reduce.sum.i32-4096.png";
    ok(file_write_atomically(name, "old", 3, &error));
    fake_gnuplot(bench,
                 "#!/bin/sh\nprintf part > figure.png\n"
                 "echo '\"a.gp\" line 2: warning: something mild' >&2\n"
                 "printf 'plot foo\\n     ^\\n\"a.gp\" line 3: no such thing\\n' >&2\nexit 1\n");
    struct plot_request request = request_of(bench, "own", PLOT_PNG);
    assert_int_equal(plot_figure(bench->store, &request, &error), STATUS_INTERNAL);
    assert_string_equal(error.text, "own: gnuplot: \"a.gp\" line 3: no such thing");
    struct arena arena = {0};
    char *text = NULL;
    ok(file_read(&arena, name, 100, &text, NULL, &error));
    assert_string_equal(text, "old"); /* what was drawn before is not touched */
    arena_free(&arena);
}

static void test_gnuplot_that_draws_nothing(void **state)
{
    struct bench *bench = *state;
    own_figures();
    fill(bench, "cuda", "GPU");
    fake_gnuplot(bench, "#!/bin/sh\nexit 0\n");
    struct plot_request request = request_of(bench, "own", PLOT_PNG);
    assert_int_equal(plot_figure(bench->store, &request, &error), STATUS_INTERNAL);
    assert_non_null(strstr(error.text, "drew nothing"));
    request.folder = "/proc/nowhere";
    assert_int_not_equal(plot_figure(bench->store, &request, &error), STATUS_OK);
    assert_int_equal(bench->wrote, 0);
}

/* What style.gp says is understood; an old gnuplot stumbles over the rest of the scripts. */
static void test_old_gnuplot(void **state)
{
    struct bench *bench = *state;
    own_figures();
    fill(bench, "cuda", "GPU");
    fake_gnuplot(bench,
                 "#!/bin/sh\n"
                 "echo 'tune old: gnuplot 5.4 or later is needed, and this is 4.6' >&2\n"
                 "echo '\"plots/style.gp\" line 40: undefined function: array' >&2\nexit 1\n");
    struct plot_request request = request_of(bench, "own", PLOT_PNG | PLOT_SVG);
    assert_int_equal(plot_figure(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_string_equal(error.text, "gnuplot 5.4 or later is needed, and this is 4.6");
    assert_int_equal(plot_all(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_int_equal(bench->failed + bench->wrote, 0);
}

/* A gnuplot without PDF: that is said once, and what else was asked for is drawn. */
static void test_lacking_format(void **state)
{
    struct bench *bench = *state;
    own_figures();
    fill(bench, "cuda", "GPU");
    write_script("two.sql", own_sql);
    write_script("two.gp", own_gp);
    fake_gnuplot(bench,
                 "#!/bin/sh\n"
                 "grep -q \"^format = 'pdf'\" variables.gp || { echo '<svg></svg>' >figure.svg; "
                 "echo x >figure.png; exit 0; }\n"
                 "echo 'tune lacks: no pdfcairo here' >&2\nexit 1\n");
    struct plot_request request = request_of(bench, "own", PLOT_PDF | PLOT_SVG | PLOT_PNG);
    assert_int_equal(plot_figure(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_string_equal(error.text, "no pdfcairo here");
    assert_int_equal(bench->wrote, 2);
    ok(plot_all(bench->store, &request, &error));
    assert_int_equal(bench->wrote, 6);
    assert_int_equal(bench->failed, 1);
    assert_string_equal(bench->last_error.text, "no pdfcairo here");
    request.outputs = PLOT_PDF;
    assert_int_equal(plot_all(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_int_equal(bench->failed, 1);
}

/* The bytes of out/own-reduce.sum.i32-4096.<extension>, in the arena. */
static char *picture(struct arena *arena, const char *extension)
{
    char path[100];
    char *bytes = NULL;
    (void)snprintf(path, sizeof path, "out/own-reduce.sum.i32-4096.%s", extension);
    ok(file_read(arena, path, 1 << 26, &bytes, NULL, &error));
    return bytes;
}

static void test_pictures(void **state)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    own_figures();
    fill(bench, "cuda", "GPU");
    struct plot_request request = request_of(bench, NULL, PLOT_PNG | PLOT_SVG | PLOT_PDF);
    request.database = "/some/where/a.db";
    ok(plot_all(bench->store, &request, &error));
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

/* What a page needs that shows several and dresses them for the night: colours written in one way,
 * greys of the set alone, names of its own, no fonts that one machine has. */
static void test_svg_for_pages(void **state)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    own_figures();
    fill(bench, "cuda", "GPU");
    struct arena arena = {0};
    const char *svg = NULL;
    struct plot_request request = request_of(bench, "own", 0);
    ok(plot_svg(bench->store, &request, &arena, &svg, &error));
    assert_int_equal(bench->wrote, 0);
    assert_false(file_exists("out"));
    assert_memory_equal(svg, "<svg role=\"img\"", 15);
    assert_non_null(strstr(svg, "\n</svg>\n"));
    const char *const absent[] = {
        "rgb(",  "=\"black\"",   "#FFFFFF",         ">gnuplot_plot_",   "id='gp",
        "#gpPt", "id=\"gnuplot", "\"DejaVu Sans\"", "http://localhost", "<script"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        if (strstr(svg, absent[i]))
            fail_msg("%s is in it", absent[i]);
    assert_int_equal(
        count_of(svg, "<rect x=\"0\" y=\"0\" width=\"1200\" height=\"760\" fill=\"#ffffff\"/>"), 1);
    assert_non_null(strstr(svg, "fill=\"#000000\""));
    assert_non_null(strstr(svg, "stroke='#dddddd'"));
    assert_non_null(strstr(svg, "stroke='#444444'"));
    assert_non_null(strstr(svg, "-gpPt5' transform="));
    const char *other = NULL; /* no identifier of one is one of the other's */
    request.n = 1024;
    ok(plot_svg(bench->store, &request, &arena, &other, &error));
    const char *id = strstr(svg, " id=");
    char name[40] = {0};
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(id + 5, "-") + 1, id + 5);
    assert_true(count_of(svg, name) > count_of(svg, " id="));
    assert_int_equal(count_of(other, name), 0);
    request.figure = "ow";
    assert_int_equal(plot_svg(bench->store, &request, &arena, &svg, &error), STATUS_NOT_FOUND);
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

static void test_terminal(void **state)
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
        ok(plot_figure(bench->store, &request, &error));
        size_t width = longest_line(bench->said);
        if (width > (size_t)(widths[i] ? widths[i] : 100) || width < 50)
            fail_msg("%zu wide:\n%s", width, bench->said);
        const char *const texts[] = {"Mine: reduce.sum.i32, n = 4096 (2^12)\n",
                                     "GPU, 20",
                                     "throughput (GB/s), median\n",
                                     "block (threads)\n",
                                     "o  atomic",
                                     "+  tree",
                                     "winner",
                                     "390 GB/s",
                                     "measured read ceiling: 500 GB/s"};
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            if (!strstr(bench->said, texts[k]))
                fail_msg("no %s in\n%s", texts[k], bench->said);
        assert_null(strstr(bench->said, " \n"));
        assert_null(strchr(bench->said, '\f'));
        assert_null(strchr(bench->said, '\x1b'));
        assert_int_not_equal(bench->said[0], '\n');
    }
    request.colour = true;
    ok(plot_figure(bench->store, &request, &error));
    assert_non_null(strstr(bench->said, "\x1b[38;5;"));
    assert_string_equal(bench->said + strlen(bench->said) - 5, "\x1b[0m\n");
    assert_int_equal(bench->wrote, 0);
}

/* Without a font cairo would leave out all letters: gnuplot has some for PNG, SVG leaves them to
 * its reader, and of PDF it is said. */
static void test_without_fonts(void **state)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    own_figures();
    fill(bench, "cuda", "GPU");
    static const char none[] = "<?xml version='1.0'?><fontconfig></fontconfig>";
    ok(file_write_atomically("fonts.conf", none, sizeof none - 1, &error));
    char path[100];
    (void)snprintf(path, sizeof path, "%s/fonts.conf", bench->folder);
    assert_int_equal(setenv("FONTCONFIG_FILE", path, 1), 0);
    struct plot_request request = request_of(bench, "own", PLOT_PNG | PLOT_SVG | PLOT_PDF);
    enum status status = plot_figure(bench->store, &request, &error);
    assert_int_equal(unsetenv("FONTCONFIG_FILE"), 0);
    assert_int_equal(status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.text, "no font is found for --format "));
    assert_true(bench->wrote >= 1);
    assert_non_null(strstr(bench->last_path, ".svg"));
}

/* What the problem is held against, which need not be reading. */
static void test_ceiling_of_the_problem(void **state)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    own_figures();
    fill(bench, "cuda", "GPU");
    struct plot_request request = request_of(bench, "own", 0);
    request.problem = "reduce.sum.f32";
    struct arena arena = {0};
    const char *svg = NULL;
    ok(plot_svg(bench->store, &request, &arena, &svg, &error));
    assert_non_null(strstr(svg, "measured write ceiling: 450 GB/s"));
    arena_free(&arena);
}

/* One launch, no winner, no baseline, no ceiling: in the tiniest and the largest of numbers. */
static void test_single_point(void **state)
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
        struct plot_request request =
            request_of(bench, "own", PLOT_PNG | PLOT_SVG | PLOT_PDF | PLOT_TERMINAL);
        request.problem = problems[i];
        ok(plot_figure(bench->store, &request, &error));
        assert_int_equal(bench->wrote, 3 * (i + 1));
        assert_non_null(strstr(bench->said, "1 points"));
    }
}

/* A picture with a mark for each of a hundred thousand points would be 10 MB: of those that hide
 * one another one is written, and that is told. */
static void test_many_points(void **state)
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
    struct plot_request request =
        request_of(bench, "own", PLOT_PNG | PLOT_SVG | PLOT_PDF | PLOT_TERMINAL);
    ok(plot_figure(bench->store, &request, &error));
    struct arena arena = {0};
    const char *svg = picture(&arena, "svg");
    size_t marks = count_of(svg, "-gpPt5' transform=");
    assert_in_range(marks, 5000, 20100);
    assert_true(strlen(svg) < 3000000);
    assert_non_null(strstr(svg, " of 100001 marks are drawn: the others lie within "));
    assert_non_null(strstr(bench->said, "100000 points"));
    arena_free(&arena);
}

static void test_names_are_never_commands(void **state)
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
    ok(plot_all(bench->store, &request, &error));
    assert_int_equal(bench->wrote, 4);
    assert_int_equal(bench->failed, 0);
    assert_false(file_exists("pwned"));
    assert_false(file_exists("out/pwned"));
    assert_null(strstr(strstr(bench->last_path, "/out/") + 5, "/"));
    struct arena arena = {0};
    const char *svg = NULL;
    request.figure = "own";
    ok(plot_svg(bench->store, &request, &arena, &svg, &error));
    assert_non_null(
        strstr(svg, "{/Symbol a}^2 @a $(touch pwned) n &lt;&amp;> \xc2\xb5\xe4\xb8\xad, 20"));
    assert_null(strstr(svg, "<&"));
    arena_free(&arena);
    assert_int_equal(remove_below("out"), 4); /* and none went elsewhere */
}

/* A figure of one's own is two files; one that is broken does not keep the others from being drawn.
 */
static void test_own_figures(void **state)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    fill(bench, "cuda", "GPU");
    const char *const folders[] = {"data/configs", "data/kernels", "data/plots"};
    for (size_t i = 0; i < 3; i++)
        ok(folder_make(folders[i], &error));
    write_script("measured.sql", "WITH measured AS (SELECT 1 AS x)");
    write_script("style.gp",
                 "set terminal svg\nset output 'figure.svg'\nset datafile separator tab\n");
    write_script("own.sql", "-- Mine.\nSELECT 'points' AS layer, 's' AS series, x FROM measured");
    write_script("own.gp", "plot 'points.tsv' using 3:3 title columnheader(2)\n");
    write_script("a_drop.sql", "-- Bad.\nSELECT 1; DROP TABLE trials");
    write_script("a_drop.gp", "");
    write_script("b_typo.sql", "SELECT 'points' AS layer, 's' AS series, x FROM measured");
    write_script("b_typo.gp", "plotte 'points.tsv'\n");
    write_script("c_columns.sql", "SELECT x, x, x FROM measured");
    write_script("c_columns.gp", "");
    write_script("d_layer.sql", "SELECT '../up' AS layer, 's' AS series, x FROM measured");
    write_script("d_layer.gp", "");
    write_script("e_mixed.sql",
                 "SELECT column1 AS layer, '' AS series, 1 FROM (VALUES ('a'), ('b'), ('a'))");
    write_script("e_mixed.gp", "");
    assert_int_equal(setenv("TUNE_DATA_DIR", "data", 1), 0);
    struct plot_request request = request_of(bench, NULL, PLOT_SVG);
    ok(plot_all(bench->store, &request, &error));
    assert_int_equal(bench->failed, 5);
    assert_int_equal(bench->wrote, 1);
    assert_non_null(strstr(bench->last_path, "own-reduce.sum.i32-4096.svg"));
    const struct {
        const char *figure, *text;
        enum status status;
    } wrong[] = {{"a_drop", "plots/a_drop.sql: ", STATUS_BAD_INPUT},
                 {"b_typo", "\"plots/b_typo.gp\" line 1: ", STATUS_INTERNAL},
                 {"c_columns", "first two columns must be layer and series", STATUS_BAD_INPUT},
                 {"d_layer", "layer '../up'", STATUS_BAD_INPUT},
                 {"e_mixed", "order by layer", STATUS_BAD_INPUT}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        request.figure = wrong[i].figure;
        assert_int_equal(plot_figure(bench->store, &request, &error), wrong[i].status);
        if (!strstr(error.text, wrong[i].text))
            fail_msg("%s", error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_without_gnuplot),
        TEST(test_gnuplot_that_fails),
        TEST(test_gnuplot_that_draws_nothing),
        TEST(test_old_gnuplot),
        TEST(test_lacking_format),
        TEST(test_pictures),
        TEST(test_svg_for_pages),
        TEST(test_terminal),
        TEST(test_without_fonts),
        TEST(test_ceiling_of_the_problem),
        TEST(test_single_point),
        TEST(test_many_points),
        TEST(test_names_are_never_commands),
        TEST(test_own_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
