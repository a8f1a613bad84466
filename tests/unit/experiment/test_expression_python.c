/* Expressions against Python itself: those of published T1 files, and made-up ones. python_cases.py
 * writes each with Python's result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suite.h"
#include "tuner/base/text.h"
#include "tuner/experiment/expression.h"

static const struct place_file file = {.path = "python"};

enum { NAMES_MAX = 16, SCRIPT_COMMAND_BYTES = 1024 };

/* One line of the cases, split; points into the line. */
struct python_case {
    const char *kind, *names, *expression, *result;
};

static bool cut(char *line, struct python_case *out)
{
    char *rest = line;
    line[strcspn(line, "\n")] = '\0';
    out->kind = strsep(&rest, "\t");
    out->names = strsep(&rest, "\t");
    out->expression = strsep(&rest, "\t");
    out->result = rest;
    return rest != NULL;
}

/* Reads "a=1;x=0x1.8p+0" into a scope and its environment. */
static void bind_names(char *names, struct scope *scope, struct environment *environment)
{
    char *rest = names;
    while (rest && *rest) {
        char *value = strsep(&rest, ";");
        const char *name = strsep(&value, "=");
        const bool real = strpbrk(value, ".p") != NULL;
        assert_true(scope->count < NAMES_MAX);
        environment_bind(environment, scope->count,
                         real ? value_real(strtod(value, NULL))
                              : value_integer(strtoll(value, NULL, 10)));
        scope->names[scope->count++] = name;
    }
}

static void add_value(struct text *out, struct value value)
{
    if (out->length > 0)
        text_append(out, ";");
    if (value.kind == VALUE_TEXT)
        text_printf(out, "t %s", value.text);
    else if (value.kind == VALUE_BOOLEAN)
        text_printf(out, "b %s", value.integer ? "True" : "False");
    else if (value.kind == VALUE_REAL)
        text_printf(out, "r %a", value.real);
    else
        text_printf(out, "i %lld", (long long)value.integer);
}

/* Evaluates an expression and writes the result as Python does. */
static enum status evaluate(const struct python_case *python, const struct scope *scope,
                            struct environment *environment, struct text *out, struct error *error)
{
    struct arena arena = {0};
    const struct source_text source = {{&file, 1, 1}, python->expression, true};
    const bool list = strcmp(python->kind, "list") == 0;
    struct formula formula;
    struct value value = {0};
    struct value *values = &value;
    size_t count = 1;
    enum status status = expression_parse(&arena, &source, scope, list, &formula, error);
    if (status == STATUS_OK)
        status = list ? expression_evaluate_list(formula.tree, environment, &arena, &values, &count,
                                                 error)
                      : expression_evaluate(formula.tree, environment, &value, error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        add_value(out, values[i]);
    arena_free(&arena);
    return status;
}

/* Compares two results: "r 0x1.8p+0" equals "r 0x1.8000000000000p+0". */
static bool same_result(const char *ours, const char *theirs)
{
    while (*ours && *theirs) {
        const size_t a = strcspn(ours, ";");
        const size_t b = strcspn(theirs, ";");
        if (ours[0] == 'r' && theirs[0] == 'r') {
            const double x = strtod(ours + 2, NULL);
            const double y = strtod(theirs + 2, NULL);
            if (memcmp(&x, &y, sizeof x) != 0)
                return false;
        } else if (a != b || strncmp(ours, theirs, a) != 0) {
            return false;
        }
        ours += a + (ours[a] == ';');
        theirs += b + (theirs[b] == ';');
    }
    return *ours == *theirs;
}

struct tally {
    size_t same, errors, beyond;
};

/* Judges a result: an error if Python has no value, or if its value needs more than 64 bits on the
 * way or in the end; otherwise the value. */
static void judge(const struct python_case *python, struct tally *tally)
{
    char *names = strdup(python->names);
    struct scope scope = {.count = 0, .lambdas = true};
    struct environment environment = {.file = &file, .scope = &scope};
    struct text ours = {0};
    struct error error = {0};
    assert_non_null(names);
    bind_names(names, &scope, &environment);
    const enum status status = evaluate(python, &scope, &environment, &ours, &error);
    const bool beyond = strstr(error.text, "64 bits") || strstr(error.text, "too large");
    const bool refused = strstr(python->result, "error") || strstr(python->result, "big");
    if (status != STATUS_OK && !beyond && !refused)
        fail_msg("%s (%s): %s; Python: %s", python->expression, python->names, error.text,
                 python->result);
    if (status == STATUS_OK && !same_result(text_string(&ours), python->result))
        fail_msg("%s (%s): %s; Python: %s", python->expression, python->names, text_string(&ours),
                 python->result);
    tally->same += status == STATUS_OK;
    tally->errors += status != STATUS_OK && !beyond;
    tally->beyond += beyond;
    text_free(&ours);
    free(names);
}

static struct tally judge_all(const char *arguments)
{
    char command[SCRIPT_COMMAND_BYTES];
    char *line = NULL;
    size_t size = 0;
    struct tally tally = {0};
    if (system("command -v python3 >/dev/null") != 0)
        skip();
    (void)snprintf(command, sizeof command, "python3 '%s/tests/unit/experiment/python_cases.py' %s",
                   TEST_SOURCE_DIR, arguments);
    FILE *cases = popen(command, "r");
    assert_non_null(cases);
    while (getline(&line, &size, cases) >= 0) {
        struct python_case python;
        assert_true(cut(line, &python));
        judge(&python, &tally);
    }
    free(line);
    assert_int_equal(pclose(cases), 0);
    return tally;
}

TEST(published_expressions_give_what_python_gives)
{
    const struct tally tally = judge_all("'" TEST_SOURCE_DIR "/tests/data/t1/expressions.json'");
    assert_true(tally.same > 500);
    assert_int_equal(tally.beyond, 0);
}

TEST(made_up_expressions_give_what_python_gives)
{
    const struct tally tally = judge_all("random 3 8000");
    assert_true(tally.same > 3000);
    assert_true(tally.errors > 300);
    assert_true(tally.beyond < 500);
}

TEST_MAIN(NULL, NULL)
