/* Any bytes as an expression, a list and a series: each is refused with a place, or evaluated. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/experiment/expression.h"
#include "tuner/experiment/series.h"

static const struct place_file file = {.path = "f"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { I, J, X, T, D, U, NAMES };
static const struct scope scope = {.names = {"i", "j", "x", "t", "d", "u"}, .count = NAMES};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void bind(struct environment *environment)
{
    environment_bind(environment, I, value_integer(-7));
    environment_bind(environment, J, value_integer(3));
    environment_bind(environment, X, value_real(0.5));
    environment_bind(environment, T, value_text("a"));
    environment->bound[D] = false;
}

static void evaluate(const struct expression *tree, struct environment *environment)
{
    struct error error = {0};
    struct value value;
    bind(environment);
    if (expression_evaluate(tree, environment, &value, &error) != STATUS_OK)
        require(error.text[0] != '\0');
    else
        require(value.kind == VALUE_TEXT ? value.text != NULL
                                         : value.kind != VALUE_REAL || isfinite(value.real));
}

static void evaluate_list(const char *text, const struct source_text *source)
{
    struct arena arena = {0};
    struct formula formula;
    struct error error = {0};
    struct environment environment = {.file = &file, .scope = &scope};
    struct value *values = NULL;
    size_t count = 0;
    bind(&environment);
    if (expression_parse(&arena, source, &scope, true, &formula, &error) != STATUS_OK)
        require(strncmp(error.text, "f:", 2) == 0 && text != NULL);
    else if (expression_evaluate_list(formula.tree, &environment, &arena, &values, &count,
                                      &error) == STATUS_OK)
        require(count <= LIST_VALUES_MAX);
    else
        require(strncmp(error.text, "f:", 2) == 0);
    arena_free(&arena);
}

static void fill_series(const char *text)
{
    struct series *series = NULL;
    struct error error = {0};
    double out[32];
    if (series_read(text, &series, &error) != STATUS_OK) {
        require(error.text[0] != '\0');
        return;
    }
    if (series_fill(series, ELEMENT_F64, 0, 32, out, &error) != STATUS_OK)
        require(error.text[0] != '\0');
    else
        for (size_t i = 0; i < 32; i++)
            require(isfinite(out[i]));
    (void)series_fill(series, ELEMENT_I8, 5, 32, out, &error);
    series_free(series);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct formula formula;
    struct formula derived;
    struct error error = {0};
    const struct expression *definitions[SLOTS_MAX] = {0};
    struct environment environment = {.file = &file, .scope = &scope, .definitions = definitions};
    const struct source_text definition = {{&file, 1, 1}, "i * j + max([i for i in [1, j]])", true};
    char *text = arena_strndup(&arena, (const char *)data, size);
    require(text != NULL);
    const struct source_text source = {{&file, 1, 1}, text, true};
    require(expression_parse(&arena, &definition, &scope, false, &derived, &error) == STATUS_OK);
    definitions[D] = derived.tree;
    if (expression_parse(&arena, &source, &scope, false, &formula, &error) == STATUS_OK)
        evaluate(formula.tree, &environment);
    else
        require(strncmp(error.text, "f:", 2) == 0);
    evaluate_list(text, &source);
    fill_series(text);
    arena_free(&arena);
    return 0;
}
