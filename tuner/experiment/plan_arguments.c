/* What a configuration means for the arguments: types, counts, values, symbols. */
#include <math.h>
#include <string.h>

#include "tuner/base/half.h"
#include "tuner/base/text.h"
#include "tuner/experiment/plan.h"

enum status named_type(const struct template *type, struct environment *environment,
                       struct arena *arena, enum element_type *out, struct error *error)
{
    const char *name = NULL;
    enum status status = template_text(type, environment, arena, &name, error);
    if (status != STATUS_OK || element_from_name(name, out))
        return status;
    size_t count = 0;
    const char *const *names = element_names(&count);
    return place_error(error, STATUS_BAD_INPUT, type->place, "no type is named '%.60s'%s", name,
                       suggest(name, names, count).text);
}

enum { ALIGNMENT_MOST = 256 }; /* of what the devices' allocators give */

enum status argument_alignment(const struct argument_rule *rule, enum element_type type,
                               struct environment *environment, uint32_t *out, struct error *error)
{
    const int64_t element = (int64_t)element_bytes(type);
    int64_t bytes = 0;
    *out = 0;
    enum status status = formula_integer(&rule->alignment, "alignment", element, ALIGNMENT_MOST, 0,
                                         environment, &bytes, error);
    if (status != STATUS_OK)
        return status;
    if (bytes & (bytes - 1)) /* such an address is no multiple of what an allocator gives */
        return place_error(error, STATUS_BAD_INPUT, rule->alignment.place,
                           "alignment is %lld, which is not a power of two", (long long)bytes);
    *out = (uint32_t)bytes;
    return STATUS_OK;
}

void integer_range(enum element_type type, int64_t *least, int64_t *most)
{
    unsigned bits = (unsigned)element_bytes(type) * 8;
    bool is_unsigned = element_name(type)[0] == 'u';
    *least = is_unsigned ? 0 : bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
    *most = bits == 64    ? INT64_MAX
            : is_unsigned ? (INT64_C(1) << bits) - 1
                          : (INT64_C(1) << (bits - 1)) - 1;
}

double narrowed(double real, enum element_type type)
{
    switch (type) {
    case ELEMENT_F16:
        return f16_to_real(f16_from_real(real));
    case ELEMENT_BF16:
        return bf16_to_real(bf16_from_real(real));
    case ELEMENT_F32:
        return (double)(float)real;
    default:
        return real;
    }
}

static enum status real_value(const struct formula *formula, enum element_type type,
                              const char *what, struct environment *environment, struct value *out,
                              struct error *error)
{
    double real = 0;
    enum status status = expression_evaluate(formula->tree, environment, out, error);
    if (status != STATUS_OK)
        return status;
    if (!value_number(*out, &real) || !isfinite(narrowed(real, type)))
        return place_error(error, STATUS_BAD_INPUT, formula->place,
                           "%s must be a number of that type", what);
    *out = value_real(real);
    return STATUS_OK;
}

/* As the type takes it: reals finite, integers within its range. */
static enum status passed_value(const struct formula *formula, enum element_type type,
                                const char *what, struct environment *environment,
                                struct value *out, struct error *error)
{
    if (element_is_real(type))
        return real_value(formula, type, what, environment, out, error);
    int64_t least = 0;
    int64_t most = 0;
    int64_t integer = 0;
    integer_range(type, &least, &most);
    enum status status =
        formula_integer(formula, what, least, most, 0, environment, &integer, error);
    *out = value_integer(integer);
    return status;
}

static enum status make_scalar(const struct argument_rule *rule, struct environment *environment,
                               struct argument *out, struct error *error)
{
    char what[VALUE_TEXT_BYTES + 32];
    (void)string_format(what, sizeof what, "the value of '%s' (%s)", rule->name,
                        element_name(out->type));
    out->count = 1;
    return passed_value(&rule->value, out->type, what, environment, &out->scalar, error);
}

static enum status make_struct(const struct argument_rule *rule, struct environment *environment,
                               struct arena *arena, struct argument *out, struct error *error)
{
    enum status status = STATUS_OK;
    struct field *fields = arena_alloc(arena, rule->field_count, sizeof *fields);
    if (!fields)
        return error_no_memory(error);
    out->count = 1;
    out->field_count = rule->field_count;
    out->fields = fields;
    for (size_t i = 0; i < rule->field_count && status == STATUS_OK; i++) {
        const struct field_rule *field = &rule->fields[i];
        char what[VALUE_TEXT_BYTES + 48];
        status = named_type(&field->type, environment, arena, &fields[i].type, error);
        if (status != STATUS_OK)
            break;
        (void)string_format(what, sizeof what, "the value of field %zu of '%s' (%s)", i + 1,
                            rule->name, element_name(fields[i].type));
        status =
            passed_value(&field->value, fields[i].type, what, environment, &fields[i].value, error);
    }
    return status;
}

static const int64_t COUNT_MAX = INT64_C(1) << 48;

enum status argument_count(const struct argument_rule *rule, struct environment *environment,
                           int64_t *out, struct error *error)
{
    return formula_integer(&rule->count, "count", role_is_filled(rule->role) ? 0 : 1, COUNT_MAX, 0,
                           environment, out, error);
}

static enum status make_vector(const struct experiment *experiment,
                               const struct argument_rule *rule, const struct problem *problem,
                               struct environment *environment, struct arena *arena,
                               struct argument *out, struct error *error)
{
    enum status status =
        argument_alignment(rule, out->type, environment, &out->alignment_bytes, error);
    if (status == STATUS_OK)
        status = argument_count(rule, environment, &out->count, error);
    if (status == STATUS_OK && role_is_filled(rule->role))
        status = make_fill(experiment, rule, problem, environment, arena, out, error);
    return status;
}

enum status make_argument(const struct experiment *experiment, const struct argument_rule *rule,
                          const struct problem *problem, struct environment *environment,
                          struct arena *arena, struct argument *out, struct error *error)
{
    *out = (struct argument){.name = rule->name, .role = rule->role};
    enum status status = STATUS_OK;
    if (rule->symbol.count > 0)
        status = template_text(&rule->symbol, environment, arena, &out->symbol, error);
    if (status == STATUS_OK && rule->role != ARGUMENT_STRUCT)
        status = named_type(&rule->type, environment, arena, &out->type, error);
    if (status != STATUS_OK)
        return status;
    if (rule->role == ARGUMENT_SCALAR)
        return make_scalar(rule, environment, out, error);
    if (rule->role == ARGUMENT_STRUCT)
        return make_struct(rule, environment, arena, out, error);
    return make_vector(experiment, rule, problem, environment, arena, out, error);
}
