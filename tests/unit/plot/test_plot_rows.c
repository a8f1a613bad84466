#include "tests/unit/plot/bench.h"

#include "views/plot/internal.h"

TEST_WITH(test_figures_are_the_pairs_of_the_folder, setup, teardown)
{
    struct arena arena = {0};
    const struct plot_name *figures = NULL;
    size_t count = 0;
    ok(plot_names(&arena, &figures, &count, &error));
    const char *const wanted[] = {"grid_block", "occupancy", "size", "threads"};
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(figures[i].about) > 10);
        assert_true(i == 0 || strcmp(figures[i - 1].name, figures[i].name) < 0);
        assert_string_not_equal(figures[i].name, "measured"); /* without a .gp */
        for (size_t k = 0; k < 4; k++)
            found += strcmp(figures[i].name, wanted[k]) == 0;
    }
    assert_int_equal(found, 4);
    arena_free(&arena);
}

TEST_WITH(test_unknown_figure_names_the_nearest, setup, teardown)
{
    struct bench *bench = *state;
    fill(bench, "cuda", "GPU");
    struct plot_request request = request_of(bench, "ocupancy", PLOT_DATA);
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_NOT_FOUND);
    assert_non_null(strstr(error.text, "did you mean 'occupancy'?"));
    request.figure = "../plots/occupancy";
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_NOT_FOUND);
    request.figure = "nothing like it";
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_NOT_FOUND);
    assert_non_null(strstr(error.text, "known: "));
    assert_int_equal(bench->wrote, 0);
}

TEST_WITH(test_choice, setup, teardown)
{
    struct bench *bench = *state;
    struct arena arena = {0};
    struct plot_subject subject;
    struct plot_request request = request_of(bench, NULL, 0);
    assert_int_equal(plot_choose(bench->store, &request, &arena, &subject, &error),
                     STATUS_NOT_FOUND);
    assert_non_null(strstr(error.text, "run 'tune' first"));

    fill(bench, "cuda", "NVIDIA H200");
    ok(plot_choose(bench->store, &request, &arena, &subject, &error));
    assert_int_equal(subject.n, 4096);
    assert_string_equal(subject.problem, "reduce.sum.i32"); /* the first of that size */
    assert_string_equal(subject.l2_mode, "cold");
    assert_int_equal(strlen(subject.date), 10);

    int64_t gpu = bench->environment_id;
    fill(bench, "cpu", "Some CPU");
    const struct {
        const char *device;
        bool gpu;
    } devices[] = {{"cuda:0", true},    {"cuda", true}, {"nvidia h200", true}, {"UUID-cuda", true},
                   {"Some CPU", false}, {"cpu", false}, {"cpu:0", false}};
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        request.device = devices[i].device;
        ok(plot_choose(bench->store, &request, &arena, &subject, &error));
        assert_int_equal(subject.environment_id == gpu, devices[i].gpu);
    }
    request.device = "cuda:1";
    assert_int_equal(plot_choose(bench->store, &request, &arena, &subject, &error),
                     STATUS_NOT_FOUND);
    assert_non_null(strstr(error.text, "NVIDIA H200"));
    request.device = "cuda:0";
    request.problem = "reduce.sum.i33";
    assert_int_equal(plot_choose(bench->store, &request, &arena, &subject, &error),
                     STATUS_NOT_FOUND);
    assert_non_null(strstr(error.text, "did you mean 'reduce.sum.i32'?"));
    request.problem = "reduce.sum.f32";
    request.n = 1024;
    assert_int_equal(plot_choose(bench->store, &request, &arena, &subject, &error),
                     STATUS_NOT_FOUND);
    assert_non_null(strstr(error.text, "n = 1024; measured: 4096"));
    request.problem = NULL;
    ok(plot_choose(bench->store, &request, &arena, &subject, &error));
    assert_int_equal(subject.n, 1024);
    arena_free(&arena);
}

TEST_WITH(test_devices, setup, teardown)
{
    struct bench *bench = *state;
    struct arena arena = {0};
    const struct plot_device *devices = NULL;
    size_t count = 0;
    struct plot_request request = request_of(bench, NULL, 0);
    assert_int_equal(plot_devices(bench->store, &request, &arena, &devices, &count, &error),
                     STATUS_NOT_FOUND);
    fill(bench, "cuda", "GPU");
    int64_t gpu = bench->environment_id;
    fill(bench, "cpu", "GPU"); /* an equal name */
    add_problem(bench, "only.here", 64);
    (void)add_trial(bench, 64, false, &(struct shot){"sweep", "only", 32, 1, 5, 0});
    request.device = "all";
    ok(plot_devices(bench->store, &request, &arena, &devices, &count, &error));
    assert_int_equal(count, 2);
    assert_true(devices[0].environment_id != devices[1].environment_id);
    assert_true(devices[0].environment_id == gpu || devices[1].environment_id == gpu);
    assert_string_equal(devices[0].name, "GPU");
    assert_string_equal(devices[1].name, "GPU 2");
    request.problem = "only.here";
    ok(plot_devices(bench->store, &request, &arena, &devices, &count, &error));
    assert_int_equal(count, 1);
    assert_int_equal(devices[0].environment_id, bench->environment_id);
    request.problem = "only.hear";
    assert_int_equal(plot_devices(bench->store, &request, &arena, &devices, &count, &error),
                     STATUS_NOT_FOUND);
    assert_non_null(strstr(error.text, "did you mean 'only.here'?"));
    arena_free(&arena);
}

TEST_WITH(test_rows, setup, teardown)
{
    struct bench *bench = *state;
    own_figures();
    fill(bench, "cuda", "GPU");
    char *rows = data_of(bench, "own");
    assert_non_null(strstr(bench->last_path, "/out/own-reduce.sum.i32-4096.tsv"));
    assert_memory_equal(rows, "layer\tseries\trank\tx\tgbs\t", 24);
    /* Two launches were timed; the failed one and the duplicate are not drawn. */
    assert_int_equal(count_of(rows, "points\t"), 2);
    assert_non_null(strstr(rows, "points\tatomic\t0\t128\t100"));
    /* The finalist's second time replaces its first. */
    assert_non_null(strstr(rows, "points\ttree\t0\t256\t390"));
    assert_null(strstr(rows, "\t400"));
    assert_non_null(strstr(rows, "marks\twinner\t0\t256\t390"));
    /* The baseline is a duplicate: its mark is at the measured launch. */
    assert_non_null(strstr(rows, "marks\ttextbook\t1\t128\t100"));
    assert_non_null(strstr(rows, "ceiling\tmeasured read ceiling\t0\t\t500"));
    free(rows);
    fill(bench, "cpu", "CPU");
    struct plot_request request = request_of(bench, "own", PLOT_DATA);
    request.device = "cpu";
    assert_int_equal(plot_draw(bench->store, &request, &error), STATUS_NOT_FOUND);
    assert_non_null(strstr(error.text, "nothing to draw for reduce.sum.i32, n = 4096 on CPU"));
    assert_non_null(strstr(error.text, "it needs a known occupancy"));
}

/* Results of fresh processes are drawn if there are any; a race about energy is not. */
TEST_WITH(test_rows_are_about_time, setup, teardown)
{
    struct bench *bench = *state;
    own_figures();
    fill(bench, "cuda", "GPU");
    add_problem(bench, "reduce.sum.i32", 4096);
    struct shot shot = {"confirm", "tree", 256, 40, 380, 0};
    (void)add_trial(bench, 4096, true, &shot);
    struct shot other = {"race", "atomic", 128, 20, 300, 0};
    bench->objective = "energy";
    int64_t trial = add_trial(bench, 4096, true, &other);
    ok(store_winner_put(bench->store,
                        &(struct store_winner){.environment_id = bench->environment_id,
                                               .problem_id = bench->problem_id,
                                               .objective = "energy",
                                               .trial_id = trial,
                                               .run_id = bench->run_id,
                                               .stage = "race"},
                        &error));
    char *rows = data_of(bench, "own");
    assert_int_equal(count_of(rows, "points\t"), 2);
    assert_int_equal(count_of(rows, "\twinner\t"), 1);
    assert_non_null(strstr(rows, "marks\twinner\t0\t256\t380"));
    assert_non_null(strstr(rows, "points\tatomic\t0\t128\t100"));
    assert_null(strstr(rows, "\t300"));
    free(rows);
}

/* Files of several devices do not overwrite one another. */
TEST_WITH(test_device_in_names, setup, teardown)
{
    struct bench *bench = *state;
    own_figures();
    fill(bench, "cuda", "GPU");
    struct plot_request request = request_of(bench, "own", PLOT_DATA);
    request.device_in_names = "GPU/../2 \xc2\xb5";
    ok(plot_draw(bench->store, &request, &error));
    assert_non_null(strstr(bench->last_path, "/out/own-reduce.sum.i32-4096-GPU_.._2___.tsv"));
}

TEST(test_clean)
{
    const struct {
        const char *text, *cleaned;
    } cases[] = {
        {"a'b\"c`d\\e\nf\tg\x1bh {}^_@%$(i)", "a b c d e f g h {}^_@%$(i)"},
        {"\xc2\xb5s \xe4\xb8\xad \xf0\x9f\x9a\x80", "\xc2\xb5s \xe4\xb8\xad \xf0\x9f\x9a\x80"},
        {"\xe9 \xc2", "? ?"},                /* Latin-1, and cut off */
        {"\xc0\xaf \xed\xa0\x80", "?? ???"}, /* overlong, a surrogate */
        {"\xf4\x90\x80\x80", "????"},        /* beyond Unicode */
        {"a\xe2\x80\xae"
         "b\xc2\x9b"
         "c",
         "a?b?c"},                                   /* right to left, a control of 8 bits */
        {"\xef\xbf\xbf\xef\xbb\xbf\xc2\xad", "???"}, /* none in XML; marks that are not seen */
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = strdup(cases[i].text);
        plot_clean(text);
        assert_string_equal(text, cases[i].cleaned);
        free(text);
    }
}

TEST(test_characters)
{
    struct text out = {0};
    characters_tidy("\f  a  \n\n \x1b[0;39m \n\xc2\xb5 \x1b[38;5;1mb \x1b[0m  \n\x1b[0;39m\n",
                    &out);
    assert_string_equal(text_string(&out), "  a\x1b[0m\n\n\n\xc2\xb5 \x1b[38;5;1mb\x1b[0m\n");
    text_clear(&out);
    characters_tidy("\n   \n  a\n b  \n\n", &out);
    assert_string_equal(text_string(&out), "  a\n b\n");
    text_clear(&out);
    characters_tidy("", &out);
    assert_string_equal(text_string(&out), "");
    text_free(&out);
}

TEST_MAIN(NULL, NULL)
