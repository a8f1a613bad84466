/* Expressions compared with Python, which computed the expected values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/golden.h"
#include "tests/unit/suite.h"
#include "tuner/base/text.h"
#include "tuner/experiment/expression.h"

static const struct place_file file = {.path = "f.yaml"};

struct result {
    enum status status;
    struct error error;
    char text[128];
};

static const struct scope scope = {.names = {"block", "variant", "unknown"}, .count = 3};

/* Evaluates with block = 256 and variant = "tree"; `unknown` has no value. */
static struct result evaluate(const char *text)
{
    struct result result = {.status = STATUS_OK};
    struct arena arena = {0};
    struct source_text source = {{&file, 3, 11}, text, true};
    struct formula formula;
    struct environment environment = {.file = &file, .scope = &scope};
    struct value value = {0};
    environment_bind(&environment, 0, value_integer(256));
    environment_bind(&environment, 1, value_text("tree"));
    result.status = expression_parse(&arena, &source, &scope, false, &formula, &result.error);
    if (result.status == STATUS_OK)
        result.status = expression_evaluate(formula.tree, &environment, &value, &result.error);
    if (result.status == STATUS_OK) {
        const char *boolean = value.integer ? "b true" : "b false";
        if (value.kind == VALUE_INTEGER)
            string_format(result.text, sizeof result.text, "i %lld", (long long)value.integer);
        else if (value.kind == VALUE_REAL)
            string_format(result.text, sizeof result.text, "r %a", value.real);
        else
            string_format(result.text, sizeof result.text, "%s%s",
                          value.kind == VALUE_TEXT ? "t " : "",
                          value.kind == VALUE_TEXT ? value.text : boolean);
    }
    arena_free(&arena);
    return result;
}

/* Reals are compared as numbers: %a may write one in several ways. */
static bool same_result(const char *got, const char *expected)
{
    if (got[0] == 'r' && expected[0] == 'r')
        return strtod(got + 2, NULL) == strtod(expected + 2, NULL);
    return strcmp(got, expected) == 0;
}

static const struct {
    const char *expression, *value;
} python[] = {
    {"1 + 2 * 3", "i 7"},
    {"2 ** 3 ** 2", "i 512"},
    {"-2 ** 2", "i -4"},
    {"2 ** -1", "r 0x1.0000000000000p-1"},
    {"-2 ** -2", "r -0x1.0000000000000p-2"},
    {"(-2) ** 2", "i 4"},
    {"2 ** 62", "i 4611686018427387904"},
    {"0 ** 0", "i 1"},
    {"7 // 2", "i 3"},
    {"-7 // 2", "i -4"},
    {"7 // -2", "i -4"},
    {"-7 // -2", "i 3"},
    {"7 % 3", "i 1"},
    {"-7 % 3", "i 2"},
    {"7 % -3", "i -2"},
    {"-7 % -3", "i -1"},
    {"4294967295 // 65536", "i 65535"}, /* within 32 bits, and beyond */
    {"4294967296 // 65536", "i 65536"},
    {"4294967295 % 4294967294", "i 1"},
    {"4294967297 % 4294967296", "i 1"},
    {"-1 // 4294967295", "i -1"},
    {"9223372036854775806 + 1", "i 9223372036854775807"},
    {"-9223372036854775807 - 1", "i -9223372036854775808"},
    {"4294967296 * -2147483648", "i -9223372036854775808"},
    {"7.5 // 2", "r 0x1.8000000000000p+1"},
    {"-7.5 // 2", "r -0x1.0000000000000p+2"},
    {"-7.5 % 2", "r 0x1.0000000000000p-1"},
    {"7.5 % -2", "r -0x1.0000000000000p-1"},
    {"6 / 3", "r 0x1.0000000000000p+1"},
    {"7 / 2", "r 0x1.c000000000000p+1"},
    {"9007199254740993 / 1", "r 0x1.0000000000000p+53"},
    {"1 - 2 - 3", "i -4"},
    {"100 // 7 // 2", "i 7"},
    {"2 * 3 % 4", "i 2"},
    {"- - 3", "i 3"},
    {"+True", "i 1"},
    {"-True", "i -1"},
    {"True + True", "i 2"},
    {"not 0", "b true"},
    {"not not 5", "b true"},
    {"not 1 == 2", "b true"},
    {"1 < 2 < 3", "b true"},
    {"1 < 3 < 2", "b false"},
    {"3 > 2 > 1 > 0", "b true"},
    {"1 < 2 == True", "b false"},
    {"1 == 1.0", "b true"},
    {"1 == True", "b true"},
    {"'a' == 1", "b false"},
    {"'a' != 1", "b true"},
    {"'1' == 1", "b false"},
    {"'abc' < 'abd'", "b true"},
    {"'a' == \"a\"", "b true"},
    {"9007199254740993 == 9007199254740992.0", "b false"},
    {"9007199254740993 > 9007199254740992.0", "b true"},
    {"0 or 5", "i 5"},
    {"0 or ''", "t "},
    {"3 or 1 // 0", "i 3"},
    {"3 and 5", "i 5"},
    {"0 and 1 // 0", "i 0"},
    {"'' or 'x'", "t x"},
    {"not 'x'", "b false"},
    {"1 and 'x' or 'y'", "t x"},
    {"0 and 'x' or 'y'", "t y"},
    {"1 or 0 and 0", "i 1"},
    {"1 if 2 > 1 else 1 // 0", "i 1"},
    {"1 // 0 if 1 > 2 else 7", "i 7"},
    {"1 if 0 else 2 if 0 else 3", "i 3"},
    {"1 if 1 else 2 if 1 // 1 else 3", "i 1"},
    {"3 in [1, 2, 3]", "b true"},
    {"3 not in [1, 2, 3]", "b false"},
    {"'a' in ['b']", "b false"},
    {"1.0 in [1]", "b true"},
    {"1 in []", "b false"},
    {"1 < 2 in [2]", "b true"},
    {"not 1 in [2]", "b true"},
    {"min(3, 1, 2)", "i 1"},
    {"max(3, 1.5)", "i 3"},
    {"min(1, 1.0)", "i 1"},
    {"max('a', 'b')", "t b"},
    {"abs(-3)", "i 3"},
    {"abs(-2.5)", "r 0x1.4000000000000p+1"},
    {"int(2.9)", "i 2"},
    {"int(-2.9)", "i -2"},
    {"int(True)", "i 1"},
    {"round(2.5)", "i 2"},
    {"round(3.5)", "i 4"},
    {"round(-0.5)", "i 0"},
    {"float(3)", "r 0x1.8000000000000p+1"},
    {"0x1F + 0b101 + 0o17", "i 51"},
    {"1_000", "i 1000"},
    {"1e3", "r 0x1.f400000000000p+9"},
    {".5", "r 0x1.0000000000000p-1"},
    {"2.", "r 0x1.0000000000000p+1"},
    {"1.5e-3", "r 0x1.89374bc6a7efap-10"},
    {"5 % 1e300", "r 0x1.4000000000000p+2"},
    {"-1 % 1e300", "r 0x1.7e43c8800759cp+996"},
    {"(1 < 2) + 1", "i 2"},
    {"2 ** 0.5", "r 0x1.6a09e667f3bcdp+0"},
    {"1e308 + 1e307", "r 0x1.394a579b68fe3p+1023"},
    {"-(9223372036854775807) - 1", "i -9223372036854775808"},
    {"9223372036854775807 // -1", "i -9223372036854775807"},
};

TEST(values_are_those_of_python)
{
    for (size_t i = 0; i < sizeof python / sizeof *python; i++) {
        struct result result = evaluate(python[i].expression);
        if (result.status != STATUS_OK || !same_result(result.text, python[i].value))
            fail_msg("%s: got %s%s, expected %s", python[i].expression, result.text,
                     result.error.text, python[i].value);
    }
}

TEST(own_functions_and_variables)
{
    static const struct {
        const char *expression, *value;
    } rows[] = {
        {"block * 4", "i 1024"},
        {"variant != 'shuffle' and block >= 64", "b true"},
        {"ceil_div(10, 4)", "i 3"},
        {"ceil_div(-10, 4)", "i -2"},
        {"ceil_div(0, 4)", "i 0"},
        {"round_up(10, 4)", "i 12"},
        {"round_up(12, 4)", "i 12"},
        {"log2(1024)", "r 0x1.4p+3"},
        {"sqrt(9)", "r 0x1.8p+1"},
        {"floor(-2.5)", "i -3"},
        {"ceil(-2.5)", "i -2"},
        {"is_power_of_two(64)", "b true"},
        {"is_power_of_two(0)", "b false"},
        {"is_power_of_two(block - 1)", "b false"},
        {"next_power_of_two(65)", "i 128"},
        {"next_power_of_two(64)", "i 64"},
        {"next_power_of_two(-5)", "i 1"},
        {"sizeof('f64') + sizeof(\"u8\")", "i 9"},
        {"c_type('i32')", "t int"},
        {"c_type('u64')", "t unsigned long long"},
        {"c_type('f16')", "t unsigned short"},
        {"cuda_type('f16')", "t __half"},
        {"cuda_type('bf16')", "t __nv_bfloat16"},
        {"cuda_type('u32')", "t unsigned int"},
        {"is_real('f32') and not is_real('i8')", "b true"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct result result = evaluate(rows[i].expression);
        if (result.status != STATUS_OK || !same_result(result.text, rows[i].value))
            fail_msg("%s: got %s%s, expected %s", rows[i].expression, result.text,
                     result.error.text, rows[i].value);
    }
}

/* The text begins at line 3, column 11 of its file. */
TEST(errors_name_the_place)
{
    static const struct {
        const char *expression, *error;
    } rows[] = {
        {"1 // 0", "f.yaml:3:13: division by zero"},
        {"block % (256 - block)", "f.yaml:3:17: division by zero"},
        {"1.5 / 0", "f.yaml:3:15: division by zero"},
        {"0 ** -1", "f.yaml:3:13: division by zero"},
        {"9223372036854775807 + 1", "f.yaml:3:31: result does"},
        {"2 ** 63", "f.yaml:3:13: result does"},
        {"(-9223372036854775807 - 1) // -1", "f.yaml:3:38: result does"},
        {"-(-9223372036854775807 - 1)", "f.yaml:3:11: result does"},
        {"abs(-9223372036854775807 - 1)", "f.yaml:3:11: result does"},
        {"9223372036854775808", "f.yaml:3:11: bits"},
        {"1e999", "f.yaml:3:11: the number is too large"},
        {"1e308 * 10", "f.yaml:3:17: large for"},
        {"(-8) ** 0.5", "f.yaml:3:16: negative number"},
        {"'a' < 1", "f.yaml:3:15: order ... 'a'"},
        {"'a' + 1", "f.yaml:3:15: '+' ... numbers"},
        {"-variant", "f.yaml:3:11: '-' needs"},
        {"blok * 2", "f.yaml:3:11: 'blok' ... did you mean 'block'"},
        {"2 * true", "f.yaml:3:15: 'true' ... did you mean 'True'"},
        {"1 + mim(1, 2)", "f.yaml:3:15: 'mim' ... did you mean 'min'"},
        {"max + 1", "f.yaml:3:11: 'max' ... call"},
        {"min(1)", "f.yaml:3:11: takes 2"},
        {"ceil_div(1, 2, 3)", "f.yaml:3:11: ceil"},
        {"ceil_div(1, 0)", "f.yaml:3:11: over 0"},
        {"sizeof('i33')", "f.yaml:3:11: 'i33' ... did you mean 'i32'"},
        {"1 +", "f.yaml:3:14: ends where"},
        {"(1 + 2", "f.yaml:3:17: ends ... ')'"},
        {"1 2", "f.yaml:3:13: '2' ... operator"},
        {"1 if 2", "f.yaml:3:17: ends ... 'else'"},
        {"block = 2", "f.yaml:3:17: '=' ... did you mean '=='"},
        {"1 && 2", "f.yaml:3:13: 'and' ... Python"},
        {"012", "f.yaml:3:11: begin with ... octal is 0"},
        {"1__0", "f.yaml:3:11: this is no number"},
        {"0x", "f.yaml:3:11: this is no number"},
        {"3x", "f.yaml:3:11: this is no number"},
        {"'abc", "f.yaml:3:11: closing quote"},
        {"'\\q'", "f.yaml:3:12: escape that"},
        {"1 in 2", "f.yaml:3:16: '2' ... such"},
        {"'\xc3\xa4' + $", "f.yaml:3:17: character that"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct result result = evaluate(rows[i].expression);
        assert_int_equal(result.status, STATUS_BAD_INPUT);
        expect_message(result.error.text, rows[i].error);
    }
}

TEST(a_variable_without_value_is_unavailable)
{
    struct result result = evaluate("1 + unknown");
    assert_int_equal(result.status, STATUS_UNAVAILABLE);
    expect_message(result.error.text, "f.yaml:3:15: 'unknown' ... stage");
    assert_int_equal(evaluate("1 if True else unknown").status, STATUS_OK);
}

/* Evaluates a text of `count` times `part`, then `end`. */
static struct result evaluate_repeated(const char *part, size_t count, const char *end)
{
    struct text text = {0};
    for (size_t i = 0; i < count; i++)
        text_append(&text, part);
    text_append(&text, end);
    assert_false(text.failed);
    struct result result = evaluate(text_string(&text));
    text_free(&text);
    return result;
}

TEST(depth_and_length_are_bounded)
{
    static const char *const parts[] = {"(", "-",  "not ",  "1 if 1 else ", "2**",
                                        "[", "1+", "1 < (", "1 or ",        "abs("};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t count = 200; count <= 200000; count *= 10) {
            struct result result = evaluate_repeated(parts[i], count, "1");
            assert_int_equal(result.status, STATUS_BAD_INPUT);
        }
    assert_int_equal(evaluate_repeated("1+", 90, "1").status, STATUS_OK);
    assert_int_equal(evaluate_repeated("-", 90, "1").status, STATUS_OK);
}

TEST(derived_values_are_evaluated_once)
{
    struct arena arena = {0};
    struct error error;
    struct source_text source = {{&file, 1, 1}, "block * 2", true};
    struct source_text use = {{&file, 2, 1}, "unknown + unknown", true};
    struct formula definition;
    struct formula formula;
    assert_int_equal(expression_parse(&arena, &source, &scope, false, &definition, &error),
                     STATUS_OK);
    assert_int_equal(expression_parse(&arena, &use, &scope, false, &formula, &error), STATUS_OK);
    assert_true(slot_set_has(&formula.uses, 2));
    assert_false(slot_set_has(&formula.uses, 0));
    const struct expression *definitions[SLOTS_MAX] = {[2] = definition.tree};
    struct environment environment = {.file = &file, .scope = &scope, .definitions = definitions};
    struct value value;
    environment_bind(&environment, 0, value_integer(8));
    assert_int_equal(expression_evaluate(formula.tree, &environment, &value, &error), STATUS_OK);
    assert_int_equal(value.integer, 32);
    environment_bind(&environment, 0, value_integer(100));
    assert_int_equal(expression_evaluate(formula.tree, &environment, &value, &error), STATUS_OK);
    assert_int_equal(value.integer, 32);
    environment.bound[2] = false;
    assert_int_equal(expression_evaluate(formula.tree, &environment, &value, &error), STATUS_OK);
    assert_int_equal(value.integer, 400);
    arena_free(&arena);
}

TEST_MAIN(NULL, NULL)
