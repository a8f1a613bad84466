#include "tests/unit/plot/bench.h"

/* A name that hurts whoever takes it for a command, a file or markup. */
#define EVIL "X'\"; system \"touch pwned\" `touch pwned` {/Symbol a}^2 @a \\n\n<&>"

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
    fill(bench, "cuda", "GPU");
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    free(data_of(bench, "occupancy"));
    size_t before = bench->wrote;
    struct plot_request request = request_of(bench, "occupancy", PLOT_PNG);
    assert_int_equal(plot_figure(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_string_equal(error.text,
                        "gnuplot is not installed: apt-get install gnuplot-nox, or use --data");
    assert_int_equal(plot_all(bench->store, &request, &error), STATUS_UNAVAILABLE);
    assert_int_equal(bench->failed, 0); /* said once, not for each figure */
    assert_int_equal(bench->wrote, before);
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
    fill(bench, "cuda", "GPU");
    assert_int_equal(mkdir("out", 0700), 0);
    const char *name = "out/occupancy-reduce.sum.i32-4096.png";
    ok(file_write_atomically(name, "old", 3, &error));
    fake_gnuplot(bench,
                 "#!/bin/sh\nprintf part > figure.png\n"
                 "echo '\"a.gp\" line 2: warning: something mild' >&2\n"
                 "printf 'plot foo\\n     ^\\n\"a.gp\" line 3: no such thing\\n' >&2\nexit 1\n");
    struct plot_request request = request_of(bench, "occupancy", PLOT_PNG);
    assert_int_equal(plot_figure(bench->store, &request, &error), STATUS_INTERNAL);
    assert_string_equal(error.text, "occupancy: gnuplot: \"a.gp\" line 3: no such thing");
    struct arena arena = {0};
    char *text = NULL;
    ok(file_read(&arena, name, 100, &text, NULL, &error));
    assert_string_equal(text, "old"); /* what was drawn before is not touched */
    arena_free(&arena);
}

static void test_gnuplot_that_draws_nothing(void **state)
{
    struct bench *bench = *state;
    fill(bench, "cuda", "GPU");
    fake_gnuplot(bench, "#!/bin/sh\nexit 0\n");
    struct plot_request request = request_of(bench, "occupancy", PLOT_PNG);
    assert_int_equal(plot_figure(bench->store, &request, &error), STATUS_INTERNAL);
    assert_non_null(strstr(error.text, "drew nothing"));
    request.folder = "/proc/nowhere";
    assert_int_not_equal(plot_figure(bench->store, &request, &error), STATUS_OK);
    assert_int_equal(bench->wrote, 0);
}

static void test_pictures(void **state)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    fill(bench, "cuda", "GPU");
    struct plot_request request = request_of(bench, NULL, PLOT_PNG | PLOT_SVG);
    ok(plot_all(bench->store, &request, &error));
    assert_int_equal(bench->failed, 1); /* threads */
    assert_int_equal(bench->last_error.status, STATUS_NOT_FOUND);
    assert_int_equal(bench->wrote, 6);
    struct arena arena = {0};
    char *bytes = NULL;
    ok(file_read(&arena, "out/occupancy-reduce.sum.i32-4096.png", 1 << 24, &bytes, NULL, &error));
    assert_memory_equal(bytes, "\x89PNG", 4);
    ok(file_read(&arena, "out/occupancy-reduce.sum.i32-4096.svg", 1 << 24, &bytes, NULL, &error));
    assert_non_null(strstr(bytes, "GPU, 20"));
    assert_non_null(strstr(bytes, "reduce.sum.i32, n = 4096 (2^12)"));
    assert_non_null(strstr(bytes, "theoretical occupancy (%)"));
    assert_non_null(strstr(bytes, "throughput (GB/s)"));
    assert_non_null(strstr(bytes, "measured read ceiling: 500 GB/s"));
    assert_non_null(strstr(bytes, ">winner<"));
    assert_non_null(strstr(bytes, ">390 GB/s<"));
    assert_non_null(strstr(bytes, ">textbook<"));
    assert_non_null(strstr(bytes, ">tree<"));
    arena_free(&arena);
}

/* What the problem is held against, which need not be reading. */
static void test_ceiling_of_the_problem(void **state)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    fill(bench, "cuda", "GPU");
    struct plot_request request = request_of(bench, "size", PLOT_SVG);
    request.problem = "reduce.sum.f32";
    ok(plot_figure(bench->store, &request, &error));
    struct arena arena = {0};
    char *bytes = NULL;
    ok(file_read(&arena, bench->last_path, 1 << 24, &bytes, NULL, &error));
    assert_non_null(strstr(bytes, "measured write ceiling: 450 GB/s"));
    arena_free(&arena);
}

/* One launch, no winner, no baseline, no ceiling. */
static void test_single_point(void **state)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    add_device(bench, "cuda", "GPU");
    add_problem(bench, "one", 64);
    (void)add_trial(bench, 64, true, &(struct shot){"sweep", "only", 32, 1, 5, 0});
    struct plot_request request = request_of(bench, NULL, PLOT_PNG);
    ok(plot_all(bench->store, &request, &error));
    assert_int_equal(bench->wrote, 2);
    assert_int_equal(bench->failed, 2); /* size has no winner, threads no threads */
    assert_int_equal(bench->last_error.status, STATUS_NOT_FOUND);
}

static void test_names_are_never_commands(void **state)
{
    struct bench *bench = *state;
    if (!has_gnuplot())
        skip();
    add_device(bench, "cuda", EVIL);
    add_problem(bench, "../" EVIL, 64);
    struct shot shot = {"sweep", EVIL, 32, 1, 5, 0};
    (void)add_trial(bench, 64, true, &shot);
    ok(store_baseline(bench->store, bench->environment_id, bench->problem_id, EVIL, EVIL,
                      configuration_of(bench, &shot), &error));
    struct plot_request request = request_of(bench, NULL, PLOT_PNG | PLOT_SVG | PLOT_DATA);
    ok(plot_all(bench->store, &request, &error));
    assert_int_equal(bench->wrote, 9); /* three figures, three files each */
    assert_int_equal(bench->failed, 1);
    assert_int_equal(bench->last_error.status, STATUS_NOT_FOUND);
    assert_false(file_exists("pwned"));
    assert_false(file_exists("out/pwned"));
    assert_null(strstr(strstr(bench->last_path, "/out/") + 5, "/"));
    assert_int_equal(remove_below("out"), 9); /* and none went elsewhere */
}

static void write_script(const char *name, const char *text)
{
    char path[100];
    (void)snprintf(path, sizeof path, "data/plots/%s", name);
    ok(file_write_atomically(path, text, strlen(text), &error));
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
        TEST(test_pictures),
        TEST(test_ceiling_of_the_problem),
        TEST(test_single_point),
        TEST(test_names_are_never_commands),
        TEST(test_own_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
