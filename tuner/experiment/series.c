/* Series: an expression in i, evaluated for many i. */
#include "tuner/experiment/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/half.h"
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
    if (!series)
        return error_no_memory(error);
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

/* ---- elements ---- */

/* The least and the largest of each integer type, u64's largest aside, which no series reaches. */
static bool fits_integer(enum element_type type, int64_t integer)
{
    switch (type) {
    case ELEMENT_I8:
        return integer >= INT8_MIN && integer <= INT8_MAX;
    case ELEMENT_U8:
        return integer >= 0 && integer <= UINT8_MAX;
    case ELEMENT_I16:
        return integer >= INT16_MIN && integer <= INT16_MAX;
    case ELEMENT_U16:
        return integer >= 0 && integer <= UINT16_MAX;
    case ELEMENT_I32:
        return integer >= INT32_MIN && integer <= INT32_MAX;
    case ELEMENT_U32:
        return integer >= 0 && integer <= UINT32_MAX;
    case ELEMENT_U64:
        return integer >= 0;
    default:
        return true;
    }
}

/* Two's complement: the low bytes are the number in any of the integer types. */
static bool store_integer(enum element_type type, int64_t integer, unsigned char *out)
{
    if (!fits_integer(type, integer))
        return false;
    switch (element_bytes(type)) {
    case 1: {
        const uint8_t small = (uint8_t)integer;
        memcpy(out, &small, sizeof small);
        break;
    }
    case 2: {
        const uint16_t small = (uint16_t)integer;
        memcpy(out, &small, sizeof small);
        break;
    }
    case 4: {
        const uint32_t small = (uint32_t)integer;
        memcpy(out, &small, sizeof small);
        break;
    }
    default:
        memcpy(out, &integer, sizeof integer);
        break;
    }
    return true;
}

/* Rounded to the type once; what would be infinite does not fit. */
static bool store_real(enum element_type type, double real, unsigned char *out)
{
    if (type == ELEMENT_F64) {
        memcpy(out, &real, sizeof real);
    } else if (type == ELEMENT_F32) {
        const float single = (float)real;
        memcpy(out, &single, sizeof single);
        return isfinite(single);
    } else {
        const uint16_t half = type == ELEMENT_F16 ? f16_from_real(real) : bf16_from_real(real);
        memcpy(out, &half, sizeof half);
        return isfinite(type == ELEMENT_F16 ? f16_to_real(half) : bf16_to_real(half));
    }
    return true;
}

static bool store(enum element_type type, struct value value, unsigned char *out)
{
    const double limit = 9223372036854775808.0; /* 2^63 */
    if (value.kind == VALUE_TEXT)
        return false;
    if (element_is_real(type))
        return store_real(type, value.kind == VALUE_REAL ? value.real : (double)value.integer, out);
    if (value.kind != VALUE_REAL)
        return store_integer(type, value.integer, out);
    return floor(value.real) == value.real && value.real >= -limit && value.real < limit &&
           store_integer(type, (int64_t)value.real, out);
}

static enum status misfit(const struct series *series, enum element_type type, uint64_t index,
                          struct value value, struct error *error)
{
    char text[VALUE_TEXT_BYTES];
    if (!value_format(value, text, sizeof text))
        memcpy(text, "a text", sizeof "a text");
    return error_set(error, STATUS_BAD_INPUT,
                     "the series '%.200s' is %s at i = %llu, which no %s holds", series->text, text,
                     (unsigned long long)index, element_name(type));
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
        if (!store(type, value, element))
            return misfit(series, type, i, value, error);
    }
    return STATUS_OK;
}
