/* Series: an expression in i, evaluated for many values of i. */
#include "tuner/experiment/series.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/pack.h"
#include "tuner/experiment/expression.h"

struct series {
    struct arena arena;
    const char *text;
    struct formula formula;
};

enum { SLOT_I = 0 };

static const struct place_file series_file = {.path = "series"};
static const struct scope series_scope = {.names = {[SLOT_I] = "i"}, .count = 1};

enum status series_read(const char *text, struct series **out, struct error *error)
{
    struct series *series = calloc(1, sizeof *series);
    TRY_MEMORY(series);
    series->text = arena_strdup(&series->arena, text);
    enum status status = series->text ? STATUS_OK : error_no_memory(error);
    if (status == STATUS_OK) {
        const struct source_text source = {{&series_file, 1, 1}, series->text, true};
        status = expression_parse(&series->arena, &source, &series_scope, false, &series->formula,
                                  error);
    }
    if (status == STATUS_OK)
        *out = series;
    else
        series_free(series);
    return status;
}

void series_free(struct series *series)
{
    if (!series)
        return;
    arena_free(&series->arena);
    free(series);
}

enum status series_fill(const struct series *series, enum element_type type, uint64_t first,
                        uint64_t count, void *out, struct error *error)
{
    struct environment environment = {.file = &series_file, .scope = &series_scope};
    const size_t bytes = element_bytes(type);
    unsigned char *element = out;
    struct error why;
    if (count > 0 && (first > INT64_MAX || count - 1 > INT64_MAX - first))
        return error_set(error, STATUS_BAD_INPUT, "the series '%.200s' goes beyond i = %lld",
                         series->text, (long long)INT64_MAX);
    for (uint64_t i = first; i < first + count; i++, element += bytes) {
        struct value value;
        environment_bind(&environment, SLOT_I, value_integer((int64_t)i));
        if (expression_evaluate(series->formula.tree, &environment, &value, &why) != STATUS_OK)
            return error_set(error, STATUS_BAD_INPUT, "the series '%.200s' at i = %llu: %s",
                             series->text, (unsigned long long)i, why.text);
        unsigned char stored[8];
        const bool fits = scalar_bytes(value, type, stored);
        memcpy(element, stored, bytes);
        if (fits)
            continue;
        char text[VALUE_TEXT_BYTES];
        if (!value_format(value, text, sizeof text))
            memcpy(text, "a text", sizeof "a text");
        return error_set(error, STATUS_BAD_INPUT,
                         "the series '%.200s' is %s at i = %llu, which no %s holds", series->text,
                         text, (unsigned long long)i, element_name(type));
    }
    return STATUS_OK;
}
