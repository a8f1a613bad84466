/* Lists: their values, and refused texts with the place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/golden.h"
#include "tests/unit/suite.h"
#include "tuner/base/text.h"
#include "tuner/experiment/expression.h"

static const struct place_file file = {.path = "f"};

static const struct scope scope = {.names = {"n", "block", "unknown", "d"}, .count = 4};

/* Evaluates with n = 7, block = 256, d = max([i for i in range(n)]); `unknown` has no value. */
static enum status evaluate(const char *text, struct text *out, struct error *error)
{
    struct arena arena = {0};
    const struct source_text derived = {{&file, 9, 1}, "max([i for i in range(n)])", true};
    const struct source_text source = {{&file, 1, 1}, text, true};
    const struct expression *definitions[SLOTS_MAX] = {0};
    struct environment environment = {.file = &file, .scope = &scope, .definitions = definitions};
    struct formula formula;
    struct formula definition;
    struct value *values = NULL;
    size_t count = 0;
    assert_int_equal(expression_parse(&arena, &derived, &scope, false, &definition, error),
                     STATUS_OK);
    definitions[3] = definition.tree;
    environment_bind(&environment, 0, value_integer(7));
    environment_bind(&environment, 1, value_integer(256));
    enum status status = expression_parse(&arena, &source, &scope, true, &formula, error);
    if (status == STATUS_OK)
        status =
            expression_evaluate_list(formula.tree, &environment, &arena, &values, &count, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        char value[VALUE_TEXT_BYTES];
        assert_true(value_format(values[i], value, sizeof value));
        text_printf(out, "%s%s", i > 0 ? " " : "", value);
    }
    arena_free(&arena);
    return status;
}

TEST(lists_have_their_values)
{
    static const struct {
        const char *list, *values;
    } rows[] = {
        {"[]", ""},
        {"[1, 2.5, 'a', True,]", "1 2.5 a true"},
        {"[n, block // n]", "7 36"},
        {"range(3)", "0 1 2"},
        {"range(9, 0, -4)", "9 5 1"},
        {"range(5, 5)", ""},
        {"list([4, 2])", "4 2"},
        {"([1]) + list(range(2)) + [n]", "1 0 1 7"},
        {"[1, 2] * 2", "1 2 1 2"},
        {"3 * [n]", "7 7 7"},
        {"[1] * -1 + [0] * (1 < 2)", "0"},
        {"[i for i in range(9) if i % 2 if i != 5]", "1 3 7"},
        {"[n for n in range(n)]", "0 1 2 3 4 5 6"}, /* the source knows the outer n */
        {"[n for n in [1]] + [n]", "1 7"},
        {"[i * d for i in range(3)]", "0 6 12"}, /* d itself contains a comprehension */
        {"[i for i in [3, 4] if i in [4, 5]]", "4"},
        {"[i if i else n for i in range(2)]", "7 1"},
        {"[x + 'b' == 'ab' if False else x for x in ['a', 'c']]", "a c"},
        {"[max([3, n]), min(range(4, 9)), [5, 6][-1], [5, 6][0]]", "7 4 6 5"},
        {"range(9223372036854775807, -9223372036854775807 - 1, -9223372036854775807)",
         "9223372036854775807 0 -9223372036854775807"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text out = {0};
        struct error error = {0};
        if (evaluate(rows[i].list, &out, &error) != STATUS_OK)
            fail_msg("%s: %s", rows[i].list, error.text);
        assert_string_equal(text_string(&out), rows[i].values);
        text_free(&out);
    }
}

TEST(what_is_no_list_is_refused)
{
    static const struct {
        const char *list, *error;
    } rows[] = {
        {"5", "f:1:1: such as"},
        {"", "f:1:1: ends where"},
        {"[1, 2", "f:1:6: ends ... ','"},
        {"[1 2]", "f:1:4: unexpected '2'"},
        {"[1], [2]", "f:1:4: ',' ... operator"},
        {"[[1]]", "f:1:1: lists is"},
        {"[[i] for i in range(2)]", "f:1:1: lists is"},
        {"[i for i in 5]", "f:1:13: '5' ... such"},
        {"[i for 3 in [1]]", "f:1:8: behind 'for'"},
        {"[i for i, j in [1]]", "f:1:9: unexpected ','"},
        {"[i for i in [j for j in [1]]]", "f:1:13: comprehension within"},
        {"[i for i in [1] for j in [2]]", "f:1:17: comprehension ... 'for'"},
        {"[j for i in [1]]", "f:1:2: 'j' ... did you mean 'i'"},
        {"[i for i in [1]] + [i]", "f:1:21: 'i' ... did you mean 'n'"},
        {"[i for i in range(i)]", "f:1:19: 'i' ... did you mean 'n'"},
        {"[i for i in [1] if]", "f:1:19: unexpected ']'"},
        {"[lambda: 3]", "f:1:2: expressions ... 'lambda'"},
        {"[None]", "f:1:2: expressions ... 'None'"},
        {"[n.bits]", "f:1:3: attributes ... 'a.b'"},
        {"{1, 2}", "f:1:1: dictionaries"},
        {"[1, 2][0:1]", "f:1:9: dictionaries"},
        {"[n << -2]", "f:1:4: below 0"},
        {"[n << 62]", "f:1:4: result does"},
        {"[n & 2.5]", "f:1:4: '&' ... integers"},
        {"[~'a']", "f:1:2: '~' needs"},
        {"[all(n)]", "f:1:2: such as"},
        {"[abs(i for i in [1])]", "f:1:2: abs takes no list"},
        {"[any(i for j in [1])]", "f:1:6: 'i' ... did you mean 'j'"},
        {"((1, 2), 3)", "f:1:1: lists is"},
        {"[open('x')]", "f:1:2: function 'open'"},
        {"['\\x41']", "f:1:3: escape that"},
        {"[1] - [1]", "f:1:5: a list has no value here"},
        {"-[1]", "f:1:1: a list has no value here"},
        {"[1] == [1]", "f:1:5: 'in' alone"},
        {"[1 == [1]]", "f:1:7: 'in' alone"},
        {"[1] + 1", "f:1:5: '+' joins"},
        {"[1] * [1]", "f:1:5: '*' repeats"},
        {"[sqrt([4])]", "f:1:2: sqrt takes no list"},
        {"[max([1], [2])]", "f:1:2: a list has no value here"},
        {"range()", "f:1:1: integers"},
        {"range([1])", "f:1:1: integers"},
        {"list(3)", "f:1:1: such as"},
        {"[range]", "f:1:2: 'range' ... call"},
        {"range(0, 9, 0)", "f:1:1: step that"},
        {"range(1.5)", "f:1:1: bound of"},
        {"range('a')", "f:1:1: bound ... 'a'"},
        {"range(10**12)", "f:1:1: range has"},
        {"[1] * 10**12", "f:1:5: than 65535"},
        {"list(range(60000)) + list(range(60000))", "f:1:20: than 65535"},
        {"[i for i in range(60000) if i < 0] * 100", "f:1:13: lists in"},
        {"[2**i for i in range(99)]", "f:1:3: result does"},
        {"[1 // i for i in range(3)]", "f:1:4: division by zero"},
        {"[[1, 2][2]]", "f:1:8: item 2"},
        {"[max(range(0))]", "f:1:2: max of an empty list"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text out = {0};
        struct error error = {0};
        if (evaluate(rows[i].list, &out, &error) != STATUS_BAD_INPUT)
            fail_msg("%s is taken: %s", rows[i].list, text_string(&out));
        expect_message(error.text, rows[i].error);
        text_free(&out);
    }
}

TEST(a_variable_without_value_is_unavailable)
{
    struct text out = {0};
    struct error error = {0};
    assert_int_equal(evaluate("[i for i in range(unknown)]", &out, &error), STATUS_UNAVAILABLE);
    expect_message(error.text, "f:1:19: 'unknown' ... stage");
    text_free(&out);
}

/* The longest list there can be, and one more. */
TEST(long_lists)
{
    for (int count = LIST_VALUES_MAX; count <= LIST_VALUES_MAX + 1; count++) {
        struct text list = {0};
        struct text out = {0};
        struct error error = {0};
        text_append(&list, "[");
        for (int i = 0; i < count; i++)
            text_append(&list, "1,");
        text_append(&list, "]");
        assert_int_equal(evaluate(text_string(&list), &out, &error),
                         count > LIST_VALUES_MAX ? STATUS_BAD_INPUT : STATUS_OK);
        text_free(&list);
        text_free(&out);
    }
}

TEST(depth_is_bounded)
{
    static const char *const parts[] = {"[", "list(", "[i for i in ", "range(", "(", "[max("};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t count = 200; count <= (TEST_SANITIZED ? 2000 : 20000); count *= 10) {
            struct text text = {0};
            struct text out = {0};
            struct error error = {0};
            for (size_t j = 0; j < count; j++)
                text_append(&text, parts[i]);
            assert_int_equal(evaluate(text_string(&text), &out, &error), STATUS_BAD_INPUT);
            text_free(&text);
            text_free(&out);
        }
}

TEST_MAIN(NULL, NULL)
