/* Selecting problems of an experiment: by the beginnings of their keys, and the usual ones. */
#include "experiment_fixture.h"

#define TWO_AXES "  op: [sum, product, min, max]\n  type: [i32, f32]\n  rank: [1, 12]\n"

enum { PROBLEMS = 4 * 2 * 2 * 3 };

static struct experiment *load_axes(const char *usual)
{
    struct text text = {0};
    struct text whole = {0};
    replace(&text, base_text, "  type: [i32, f32]\n", TWO_AXES);
    replace(&whole, text_string(&text), "device: cuda\n", usual);
    struct experiment *experiment = load_or_fail(text_string(&whole));
    assert_int_equal(experiment_problem_count(experiment), PROBLEMS);
    text_free(&text);
    text_free(&whole);
    return experiment;
}

/* Checks that a problem is selected if and only if its key begins so, followed by a dot or the end.
 */
static void check_selected(const char *beginning, size_t count)
{
    struct experiment *experiment = load_axes("");
    bool wanted[PROBLEMS] = {false};
    struct error error;
    size_t length = strlen(beginning);
    if (experiment_select(experiment, beginning, wanted, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < PROBLEMS; i++) {
        struct problem problem;
        experiment_problem(experiment, i, &problem);
        bool begins = strncmp(problem.key, beginning, length) == 0 &&
                      (problem.key[length] == '.' || problem.key[length] == '\0');
        assert_int_equal(wanted[i], begins);
        count -= wanted[i] ? 1 : 0;
    }
    assert_int_equal(count, 0);
    experiment_free(experiment);
}

TEST(a_beginning_ends_at_a_dot)
{
    check_selected("scale", PROBLEMS);
    check_selected("scale.sum", 12);
    check_selected("scale.max", 12);
    check_selected("scale.product.f32", 6);
    check_selected("scale.min.i32.1", 3);
    check_selected("scale.min.i32.12", 3);
}

/* Sizes that programs asked for join those of the file, in order, each once, as many as fit. */
TEST(sizes_are_added)
{
    struct experiment *experiment = load_axes("");
    struct problem problem;
    struct error error;
    const int64_t sizes[] = {5, 1 << 20, 2000, 5};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(experiment_add_size(experiment, &sizes[i], &error), STATUS_OK);
    assert_int_equal(experiment_problem_count(experiment), PROBLEMS / 3 * 5);
    const int64_t all[] = {5, 1 << 10, 2000, 1 << 20, 100000000};
    for (size_t i = 0; i < PROBLEMS / 3 * 5; i++) {
        experiment_problem(experiment, i, &problem);
        assert_int_equal(problem.n, all[i % 5]);
    }
    enum status status = STATUS_OK;
    int64_t size = 10000;
    while (status == STATUS_OK && size < 11000) {
        status = experiment_add_size(experiment, &size, &error);
        size += status == STATUS_OK ? 1 : 0;
    }
    assert_int_equal(status, STATUS_NOT_FOUND);
    assert_int_equal(size, 10000 + EXPERIMENT_SIZES_MAX - 5);
    experiment_free(experiment);
}

TEST(sizes_with_several_names_are_added)
{
    struct text text = {0};
    struct arena arena = {0};
    struct problem problem;
    struct error error;
    int64_t sizes[SIZE_NAMES_MAX] = {7, 9};
    replace(&text, base_text, "  n: [2**20, 2**10, 10**8]\n", "  \"m, n\": [[8, 64], [16, 32]]\n");
    struct experiment *experiment = load_or_fail(text_string(&text));
    const size_t before = experiment_problem_count(experiment);
    for (int i = 0; i < 2; i++)
        assert_int_equal(experiment_add_size(experiment, sizes, &error), STATUS_OK);
    assert_int_equal(experiment_problem_count(experiment), before / 2 * 3);
    experiment_problem(experiment, 2, &problem);
    assert_string_equal(problem.key, "scale.i32.7x9");
    assert_true(experiment_find_problem(experiment, "scale.f32.16x32", &arena, &problem));
    assert_true(experiment_find_problem(experiment, "scale.f32.5x6", &arena, &problem));
    assert_string_equal(problem.key, "scale.f32.5x6");
    assert_int_equal(problem_sizes(&problem, sizes), 2);
    assert_true(sizes[0] == 5 && sizes[1] == 6);
    assert_false(experiment_find_problem(experiment, "scale.f32.5x6x7", &arena, &problem));
    assert_false(experiment_find_problem(experiment, "scale.f64.5x6", &arena, &problem));
    enum status status = STATUS_OK;
    for (sizes[0] = 1; status == STATUS_OK && sizes[0] < 100; sizes[0]++)
        status = experiment_add_size(experiment, sizes, &error);
    assert_int_equal(status, STATUS_NOT_FOUND);
    arena_free(&arena);
    text_free(&text);
    experiment_free(experiment);
}

TEST(selections_add_up)
{
    struct experiment *experiment = load_axes("");
    bool wanted[PROBLEMS] = {false};
    size_t count = 0;
    struct error error;
    assert_int_equal(experiment_select(experiment, "scale.sum.i32", wanted, &error), STATUS_OK);
    assert_int_equal(experiment_select(experiment, "scale.max.f32", wanted, &error), STATUS_OK);
    assert_int_equal(experiment_select(experiment, "scale.sum.i32.1", wanted, &error), STATUS_OK);
    for (size_t i = 0; i < PROBLEMS; i++)
        count += wanted[i] ? 1 : 0;
    assert_int_equal(count, 12);
    experiment_free(experiment);
}

static void check_refused(const char *beginning, const char *text)
{
    struct experiment *experiment = load_axes("");
    bool wanted[PROBLEMS] = {false};
    struct error error;
    assert_int_equal(experiment_select(experiment, beginning, wanted, &error), STATUS_NOT_FOUND);
    expect_message(error.text, text);
    for (size_t i = 0; i < PROBLEMS; i++)
        assert_false(wanted[i]);
    experiment_free(experiment);
}

TEST(what_there_is_not_is_answered_with_the_nearest)
{
    check_refused("scale.mx", "'scale.mx' ... did you mean 'max'");
    check_refused("scale.sum.f64", "'scale.sum.f64' ... never");
    check_refused("scale.everything", "'scale.everything' ... product");
    check_refused("scale.sum.i32.2", "'scale.sum.i32.2' ... did you mean '1'");
    check_refused("scale.sum.", "'scale.sum.' ... never");
    check_refused("scale.sum.i32.1.4", "'scale.sum.i32.1.4' ... parts");
}

static size_t count_usual(const char *usual)
{
    struct experiment *experiment = load_axes(usual);
    bool wanted[PROBLEMS] = {false};
    size_t count = 0;
    struct error error;
    if (experiment_select_usual(experiment, wanted, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < PROBLEMS; i++)
        count += wanted[i] ? 1 : 0;
    experiment_free(experiment);
    return count;
}

TEST(usual_is_what_runs_without_a_name)
{
    assert_int_equal(count_usual(""), PROBLEMS);
    assert_int_equal(count_usual("usual: op == 'sum' and type in ['i32', 'f32']\n"), 12);
    assert_int_equal(count_usual("usual: n > 2**10 and rank == 12\n"), 16);
    assert_int_equal(count_usual("usual: False\n"), 0);
}

TEST(usual_is_no_part_of_the_definition)
{
    struct experiment *absent = load_axes("");
    struct experiment *some = load_axes("usual: op == 'max'\n");
    assert_string_equal(experiment_head(some)->definition_hash,
                        experiment_head(absent)->definition_hash);
    experiment_free(absent);
    experiment_free(some);
}

static void check_usual_error(const char *usual, const char *text)
{
    struct text whole = {0};
    struct experiment *experiment = NULL;
    struct error error;
    replace(&whole, base_text, "device: cuda\n", usual);
    assert_int_equal(load_text(text_string(&whole), &experiment, &error), STATUS_BAD_INPUT);
    expect_message(error.text, text);
    text_free(&whole);
}

TEST(usual_is_of_axes_and_size)
{
    check_usual_error("usual: block == 128\n", "t.yaml:3:8: usual ... 'block'");
    check_usual_error("usual: sm_count > 1\n", "t.yaml:3:8: 'sm_count' ... differs");
    check_usual_error("usual: type == 'i23'\n", "t.yaml:3:16: 'type' ... did you mean 'i32'");
}

static void keep_word(void *context, const char *word)
{
    text_printf(context, " %s", word);
}

static void check_completed(const char *typed, const char *words)
{
    struct experiment *experiment = load_axes("");
    struct text found = {0};
    experiment_complete(experiment, typed, keep_word, &found);
    assert_string_equal(text_string(&found), words);
    text_free(&found);
    experiment_free(experiment);
}

TEST(a_beginning_is_completed_part_by_part)
{
    check_completed("", " scale");
    check_completed("sca", " scale");
    check_completed("scale", " scale");
    check_completed("other", "");
    check_completed("scale.", " scale.sum scale.product scale.min scale.max");
    check_completed("scale.m", " scale.min scale.max");
    check_completed("scale.max.", " scale.max.i32 scale.max.f32");
    check_completed("scale.max.i32.1", " scale.max.i32.1 scale.max.i32.12");
    check_completed("scale.max.i32.1.", "");
    check_completed("scale.none.", "");
    check_completed("scaled.", "");
}

/* Spaces have fewer points, in their order; the experiment itself stays the same. */
TEST(values_are_limited)
{
    static const struct {
        const char *name, *values;
        enum status status;
        const char *says;
    } wrong[] = {{"blok", "128", STATUS_NOT_FOUND, "no parameter 'blok'; did you mean 'block'?"},
                 {"variant", "plain,stagd", STATUS_USAGE, "never 'stagd'; did you mean 'staged'?"},
                 {"variant", "plain,", STATUS_USAGE, "'variant' is never ''"}};
    struct experiment *experiment = load_or_fail(base_text);
    struct problem problem;
    struct facts facts = {0};
    struct configuration before, after, point;
    struct space *space = NULL;
    struct error error;
    char hash[HASH_TEXT_BYTES];
    bool admits = false;
    facts_add_text(&facts, "architecture", "sm_90");
    facts_add_integer(&facts, "sm_count", 4);
    facts_add_integer(&facts, "max_threads_per_block", 1024);
    experiment_problem(experiment, 0, &problem);
    memcpy(hash, experiment_head(experiment)->definition_hash, sizeof hash);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(experiment_restrict(experiment, wrong[i].name, wrong[i].values, &error),
                         wrong[i].status);
        assert_non_null(strstr(error.text, wrong[i].says));
    }
    assert_int_equal(experiment_restrict(experiment, "variant", "plain,staged", &error), STATUS_OK);
    /* Facts of the device in a list are known there. */
    assert_int_equal(experiment_restrict(experiment, "block", "1024,129", &error), STATUS_OK);
    assert_int_equal(space_create(experiment, &problem, &facts, &space, &error), STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "'block' is never '129'; did you mean '128'?"));
    assert_int_equal(experiment_restrict(experiment, "block", "128,256,1024", &error), STATUS_OK);
    assert_int_equal(space_create(experiment, &problem, &facts, &space, &error), STATUS_OK);
    const uint64_t all = space_count(space);
    space_free(space);
    assert_int_equal(experiment_restrict(experiment, "block", "1024,256", &error), STATUS_OK);
    assert_int_equal(experiment_default(experiment, &problem, &facts, &before, &error), STATUS_OK);
    assert_int_equal(space_create(experiment, &problem, &facts, &space, &error), STATUS_OK);
    assert_true(space_count(space) < all);
    for (uint64_t i = 0; i < space_count(space); i++) {
        space_configuration(space, i, &point);
        for (size_t j = 0; j < point.count; j++)
            if (strcmp(point.values[j].name, "block") == 0)
                assert_true(point.values[j].value.integer == 256 ||
                            point.values[j].value.integer == 1024);
    }
    assert_false(space_find(space, &before, &(uint64_t){0}));
    assert_int_equal(space_admits(experiment, &problem, &facts, &before, &admits, &error),
                     STATUS_OK);
    assert_true(admits);
    assert_int_equal(experiment_default(experiment, &problem, &facts, &after, &error), STATUS_OK);
    assert_memory_equal(&before.values[0].value, &after.values[0].value, sizeof(struct value));
    assert_string_equal(hash, experiment_head(experiment)->definition_hash);
    space_free(space);
    facts_free(&facts);
    experiment_free(experiment);
}

TEST_MAIN(make_folder, remove_folder)
