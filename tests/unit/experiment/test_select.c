/* Some of an experiment's problems: by the beginnings of their keys, and the usual ones. */
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

/* Just those are wanted whose key begins so: with nothing, a dot, or the end behind it. */
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

static void a_beginning_ends_at_a_dot(void **state)
{
    (void)state;
    check_selected("scale", PROBLEMS);
    check_selected("scale.sum", 12);
    check_selected("scale.max", 12);
    check_selected("scale.product.f32", 6);
    check_selected("scale.min.i32.1", 3);
    check_selected("scale.min.i32.12", 3);
}

static void selections_add_up(void **state)
{
    (void)state;
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
    assert_string_equal(error.text, text);
    for (size_t i = 0; i < PROBLEMS; i++)
        assert_false(wanted[i]);
    experiment_free(experiment);
}

static void what_there_is_not_is_answered_with_the_nearest(void **state)
{
    (void)state;
    check_refused("scale.mx", "'scale.mx': 'op' of scale is never 'mx'; did you mean 'max'?");
    check_refused("scale.sum.f64", "'scale.sum.f64': 'type' of scale is never 'f64', but i32, f32");
    check_refused("scale.everything",
                  "'scale.everything': 'op' of scale is never 'everything', but sum, product, "
                  "min, max");
    check_refused("scale.sum.i32.2", "'scale.sum.i32.2': 'rank' of scale is never '2'; did you "
                                     "mean '1'?");
    check_refused("scale.sum.", "'scale.sum.': 'type' of scale is never '', but i32, f32");
    check_refused("scale.sum.i32.1.4", "'scale.sum.i32.1.4' has more parts than the problems of "
                                       "scale: scale.op.type.rank");
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

static void usual_is_what_runs_without_a_name(void **state)
{
    (void)state;
    assert_int_equal(count_usual(""), PROBLEMS);
    assert_int_equal(count_usual("usual: op == 'sum' and type in ['i32', 'f32']\n"), 12);
    assert_int_equal(count_usual("usual: n > 2**10 and rank == 12\n"), 16);
    assert_int_equal(count_usual("usual: False\n"), 0);
}

static void usual_is_no_part_of_the_definition(void **state)
{
    (void)state;
    struct experiment *absent = load_axes("");
    struct experiment *some = load_axes("usual: op == 'max'\n");
    assert_string_equal(experiment_definition_hash(some), experiment_definition_hash(absent));
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
    assert_string_equal(error.text, text);
    text_free(&whole);
}

static void usual_is_of_axes_and_size(void **state)
{
    (void)state;
    check_usual_error("usual: block == 128\n",
                      "t.yaml:3:8: usual cannot use 'block': a parameter has no value here yet");
    check_usual_error("usual: sm_count > 1\n",
                      "t.yaml:3:8: usual cannot use 'sm_count': it differs from device to device, "
                      "and this is the same on all");
    check_usual_error("usual: type == 'i23'\n",
                      "t.yaml:3:16: 'type' is never 'i23'; did you mean 'i32'?");
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

static void a_beginning_is_completed_part_by_part(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beginning_ends_at_a_dot),
        cmocka_unit_test(selections_add_up),
        cmocka_unit_test(what_there_is_not_is_answered_with_the_nearest),
        cmocka_unit_test(usual_is_what_runs_without_a_name),
        cmocka_unit_test(usual_is_no_part_of_the_definition),
        cmocka_unit_test(usual_is_of_axes_and_size),
        cmocka_unit_test(a_beginning_is_completed_part_by_part),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
