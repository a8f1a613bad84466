#include "tests/unit/plot/bench.h"

#include "tuner/base/text.h"

TEST_WITH(test_without_gnuplot, setup, teardown)
{
    struct bench *bench = *state;
    own_figures();
    fill(bench, "cuda", "GPU");
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    free(data_of(bench, "own"));
    size_t before = bench->wrote;
    struct plot_request request = request_of(bench, "own", PLOT_PNG);
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_string_equal(error.text,
                        "gnuplot is not installed: apt-get install gnuplot-nox, or use --data");
    request.figure = NULL; /* all */
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_int_equal(bench->failed, 0); /* returned as the error of the call */
    assert_int_equal(bench->wrote, before);
    /* The rows are written all the same. */
    request.outputs = PLOT_PNG | PLOT_TERMINAL | PLOT_DATA;
    write_script("two.sql", own_sql);
    write_script("two.gp", own_gp);
    ok(plot_draw(bench->store, &request, &error));
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

TEST_WITH(test_gnuplot_that_fails, setup, teardown)
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
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_INTERNAL);
    assert_string_equal(error.text, "own: gnuplot: \"a.gp\" line 3: no such thing");
    struct arena arena = {0};
    char *text = NULL;
    ok(file_read(&arena, name, 100, &text, NULL, &error));
    assert_string_equal(text, "old"); /* earlier drawings are not touched */
    arena_free(&arena);
}

TEST_WITH(test_gnuplot_that_draws_nothing, setup, teardown)
{
    struct bench *bench = *state;
    own_figures();
    fill(bench, "cuda", "GPU");
    fake_gnuplot(bench, "#!/bin/sh\nexit 0\n");
    struct plot_request request = request_of(bench, "own", PLOT_PNG);
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_INTERNAL);
    assert_non_null(strstr(error.text, "drew nothing"));
    request.folder = "/proc/nowhere";
    assert_int_not_equal(plot_draw(bench->store, &request, &error), STATUS_OK);
    assert_int_equal(bench->wrote, 0);
}

/* gnuplot understands style.gp; an old one fails in the other scripts. */
TEST_WITH(test_old_gnuplot, setup, teardown)
{
    struct bench *bench = *state;
    own_figures();
    fill(bench, "cuda", "GPU");
    fake_gnuplot(bench,
                 "#!/bin/sh\n"
                 "echo 'tune old: gnuplot 5.4 or later is needed, and this is 4.6' >&2\n"
                 "echo '\"plots/style.gp\" line 40: undefined function: array' >&2\nexit 1\n");
    struct plot_request request = request_of(bench, "own", PLOT_PNG | PLOT_SVG);
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_string_equal(error.text, "gnuplot 5.4 or later is needed, and this is 4.6");
    request.figure = NULL; /* all */
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_int_equal(bench->failed + bench->wrote, 0);
}

/* A gnuplot without PDF: reported once, and the other formats are drawn. */
TEST_WITH(test_lacking_format, setup, teardown)
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
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_string_equal(error.text, "no pdfcairo here");
    assert_int_equal(bench->wrote, 2);
    request.figure = NULL; /* all */
    ok(plot_draw(bench->store, &request, &error));
    assert_int_equal(bench->wrote, 6);
    assert_int_equal(bench->failed, 1);
    assert_string_equal(bench->last_error.text, "no pdfcairo here");
    request.outputs = PLOT_PDF;
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_int_equal(bench->failed, 1);
}

/* Replaces a text in style.gp, so that the installed gnuplot becomes one that is too old. */
static void change_style(const char *from, const char *to)
{
    struct arena arena = {0};
    struct text changed = {0};
    char *style = NULL;
    ok(file_read(&arena, "data/plots/style.gp", 1 << 20, &style, NULL, &error));
    char *at = strstr(style, from);
    assert_non_null(at);
    *at = '\0';
    text_printf(&changed, "%s%s%s", style, to, at + strlen(from));
    write_script("style.gp", changed.data);
    text_free(&changed);
    arena_free(&arena);
}

TEST_WITH(test_style_asks, setup, teardown)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    own_figures();
    fill(bench, "cuda", "GPU");
    change_style("'pdfcairo'", "'pdfchiro'");
    struct plot_request request = request_of(bench, "own", PLOT_PDF | PLOT_SVG);
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_string_equal(error.text,
                        "this gnuplot was built without pdfchiro: --format pdf needs it");
    assert_int_equal(bench->wrote, 1);
    change_style("GPVAL_VERSION < 5.4", "GPVAL_VERSION < 99");
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.text, "gnuplot 5.4 or later is needed, and this is "));
    assert_int_equal(bench->wrote, 1);
}

/* Without a font cairo would omit all letters: gnuplot has some for PNG, SVG leaves them to its
 * reader, and PDF is refused. */
TEST_WITH(test_without_fonts, setup, teardown)
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
    enum status status = plot_draw(bench->store, &request, &error);
    assert_int_equal(unsetenv("FONTCONFIG_FILE"), 0);
    assert_int_equal(status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.text, "no font is found for --format "));
    assert_true(bench->wrote >= 1);
    assert_non_null(strstr(bench->last_path, ".svg"));
}

/* A figure of one's own is two files; one that is broken does not keep the others from being drawn.
 */
TEST_WITH(test_own_figures, setup, teardown)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    fill(bench, "cuda", "GPU");
    const char *const folders[] = {"data/configs", "data/kernels", "data/plots"};
    for (size_t i = 0; i < 3; i++)
        ok(folder_make(folders[i], 0700, &error));
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
    ok(plot_draw(bench->store, &request, &error));
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
        assert_int_equal(plot_draw(bench->store, &request, &error), wrong[i].status);
        if (!strstr(error.text, wrong[i].text))
            fail_msg("%s", error.text);
    }
}

TEST_MAIN(NULL, NULL)
