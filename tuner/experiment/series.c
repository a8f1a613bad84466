/* Series: an expression in i, evaluated for many values of i. */
#include "tuner/experiment/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/fill.h"
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
        status = expression_parse(&series->arena, &source, &series_scope, &series->formula, error);
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

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low bytes come first");

/* Stores an integer. In two's complement the low bytes are the number in every integer type. */
static bool store_integer(enum element_type type, int64_t integer, unsigned char *out)
{
    int64_t least = 0;
    int64_t most = 0;
    element_integer_range(type, &least, &most);
    memcpy(out, &integer, element_bytes(type));
    return integer >= least && integer <= most;
}

static bool store(enum element_type type, struct value value, unsigned char *out)
{
    const double limit = 9223372036854775808.0; /* 2^63 */
    if (value.kind == VALUE_TEXT)
        return false;
    if (element_is_real(type)) {
        /* Rounded to the type once; a number that becomes infinite does not fit. */
        element_from_real(value.kind == VALUE_REAL ? value.real : (double)value.integer, type, out);
        return type == ELEMENT_F64 || isfinite(element_to_real(out, type));
    }
    if (value.kind != VALUE_REAL)
        return store_integer(type, value.integer, out);
    return floor(value.real) == value.real && value.real >= -limit && value.real < limit &&
           store_integer(type, (int64_t)value.real, out);
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
        if (store(type, value, element))
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
