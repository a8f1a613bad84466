/* The cost of changing one parameter, from a sweep. */
#include <math.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "views/explain/internal.h"

static struct arena arena;
static struct explanation explanation;

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    explanation = (struct explanation){0};
    return 0;
}

static const struct explain_sensitivity *of(const char *parameter)
{
    for (size_t i = 0; i < explanation.sensitivity_count; i++)
        if (strcmp(explanation.sensitivities[i].parameter, parameter) == 0)
            return &explanation.sensitivities[i];
    return NULL;
}

static void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-12))
        fail_msg("%.15g is not %.15g", got, expected);
}

/* variant=cluster needs a cluster_size over 1, the others 1. */
static const struct swept sweep[] = {
    {"{\"variant\":\"plain\",\"cluster_size\":1,\"block\":64,\"loads\":2}", 1, 100, 10, 1},
    {"{\"variant\":\"plain\",\"cluster_size\":1,\"block\":128,\"loads\":2}", 2, 103, 10, 2},
    {"{\"variant\":\"plain\",\"cluster_size\":1,\"block\":256,\"loads\":2}", 3, 150, 10, 3},
    {"{\"variant\":\"plain\",\"cluster_size\":1,\"block\":32,\"loads\":2}", 4, 99, 10, 4},
    {"{\"variant\":\"plain\",\"cluster_size\":1,\"block\":64,\"loads\":1}", 5, 200, 10, 5},
    {"{\"variant\":\"plain\",\"cluster_size\":1,\"block\":512,\"loads\":1}", 6, 50, 10,
     6}, /* two differ */
    {"{\"variant\":\"cluster\",\"cluster_size\":4,\"block\":64,\"loads\":2}", 7, 130, 10, 7},
    {"{\"variant\":\"cluster\",\"cluster_size\":8,\"block\":64,\"loads\":2}", 8, 120, 10, 8},
    {"{\"variant\":\"cluster\",\"cluster_size\":8,\"block\":64,\"loads\":1}", 9, 90, 10,
     9}, /* further off */
    {"{\"variant\":\"plain\",\"cluster_size\":1,\"block\":64,\"loads\":4}", 1, 100, 10,
     10}, /* launches the same */
};
enum { SWEPT = sizeof sweep / sizeof sweep[0] };

/* The fastest point with another value counts, whatever its other differences, over the fastest of
 * all. */
TEST_WITH(the_fastest_without_the_value_counts, NULL, tear_down)
{
    assert_true(find_sensitivities(sweep, SWEPT, 0, &arena, &explanation));
    const struct explain_sensitivity *block = of("block");
    assert_non_null(block);
    assert_false(block->alone);
    assert_int_equal(block->values, 4);
    assert_string_equal(block->value, "64");
    assert_string_equal(block->best_other, "512");
    near(block->best_other_loss, 0); /* the fastest of all */
    assert_string_equal(block->best_other_with, "loads");
    assert_string_equal(block->worst, "256");
    near(block->worst_loss, 2);
    assert_null(block->worst_with);
    const struct explain_sensitivity *loads = of("loads");
    assert_non_null(loads);
    assert_int_equal(loads->values, 1); /* an equal launch is no alternative */
    assert_string_equal(loads->best_other, "1");
    assert_string_equal(loads->worst, "1");
    near(loads->worst_loss, 0);
}

TEST_WITH(values_that_depend_on_each_other_change_together, NULL, tear_down)
{
    assert_true(find_sensitivities(sweep, SWEPT, 0, &arena, &explanation));
    const struct explain_sensitivity *variant = of("variant");
    assert_non_null(variant);
    assert_int_equal(variant->values, 1);
    assert_string_equal(variant->best_other, "cluster");
    near(variant->best_other_loss, 0.8);
    assert_string_equal(variant->best_other_with, "cluster_size, loads");
    const struct explain_sensitivity *size = of("cluster_size");
    assert_non_null(size);
    assert_int_equal(size->values, 2);
    assert_string_equal(size->best_other, "8");
    assert_string_equal(size->worst, "4");
    assert_string_equal(size->worst_with, "variant");
}

TEST_WITH(the_one_that_costs_most_comes_first, NULL, tear_down)
{
    assert_true(find_sensitivities(sweep, SWEPT, 0, &arena, &explanation));
    assert_int_equal(explanation.sensitivity_count, 4);
    assert_string_equal(explanation.sensitivities[0].parameter, "cluster_size");
    assert_string_equal(explanation.sensitivities[1].parameter, "variant");
    assert_string_equal(explanation.sensitivities[2].parameter, "block");
    assert_string_equal(explanation.sensitivities[3].parameter, "loads");
}

TEST_WITH(alone_in_the_sweep_nothing_is_said, NULL, tear_down)
{
    assert_true(find_sensitivities(sweep, 1, 0, &arena, &explanation));
    assert_int_equal(explanation.sensitivity_count, 0);
}

/* An experiment may have gained parameters since: in another order, or more of them. */
TEST_WITH(names_tell_parameters_not_places, NULL, tear_down)
{
    static const struct swept points[] = {
        {"{\"a\":1,\"b\":2}", 1, 100, 1, 1},
        {"{\"b\":2,\"a\":3}", 2, 110, 1, 2},
        {"{\"a\":1,\"b\":2,\"c\":3}", 3, 120, 1, 3},
        {"{\"a\":1}", 4, 130, 1, 4},
        {"{}", 5, 140, 1, 5},
        {"{\"a\":4,\"b\":2,\"c\":3}", 6, 90, 1, 6},
    };
    assert_true(find_sensitivities(points, 6, 0, &arena, &explanation));
    assert_int_equal(explanation.sensitivity_count, 1);
    assert_string_equal(of("a")->best_other, "3");
    near(of("a")->best_other_loss, 0.1);
}

TEST_WITH(differences_are_named, NULL, tear_down)
{
    struct text text = {0};
    assert_int_equal(explain_put_differences(&text, "{\"a\":1,\"b\":2,\"c\":\"x\"}",
                                             "{\"a\":2,\"b\":2,\"c\":\"xy\"}"),
                     2);
    assert_string_equal(text_string(&text), "a=2 c=xy");
    text_clear(&text);
    assert_int_equal(
        explain_put_differences(&text, "{\"a\":\"x y\",\"b\":0.5}", "{\"a\":\"x z\",\"b\":true}"),
        2);
    assert_string_equal(text_string(&text), "a=x z b=true"); /* a value may hold blanks */
    text_clear(&text);
    assert_int_equal(explain_put_differences(&text, "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}"), 0);
    assert_int_equal(explain_put_differences(&text, "{\"a\":1,\"b\":2}", "{\"a\":1}"), 0);
    assert_string_equal(text_string(&text), "");
    text_free(&text);
}

TEST_MAIN(NULL, NULL)
