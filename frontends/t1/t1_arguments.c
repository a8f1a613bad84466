/* KernelSpecification.Arguments, the kernel's parameters in order, and ReferenceArguments, the
 * expected outputs. Without references, outputs are compared with the default configuration's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/t1/internal.h"
#include "tuner/experiment/point.h"

bool t1_is_local(const json_t *argument)
{
    return json_has_text(argument, "MemoryType", "Local");
}

/* Returns whether the kernel takes all arguments, those in constant memory, too. */
static bool takes_all(const struct translation *t)
{
    size_t count = 0, index;
    const json_t *argument;
    json_array_foreach(t->arguments, index, argument)
    {
        count += !t1_is_local(argument);
    }
    return t->signature && t->signature->count == count;
}

bool t1_is_symbol(const struct translation *t, const json_t *argument)
{
    const bool has_variable = !takes_all(t) || t->signature->has_constants;
    return json_has_text(argument, "MemoryType", "Symbol") ||
           (t->dialect == T1_KERNEL_TUNER && has_variable &&
            json_has_text(argument, "MemType", "Constant"));
}

bool t1_is_passed(const struct translation *t, const json_t *argument)
{
    return !t1_is_local(argument) &&
           (!t1_is_symbol(t, argument) || (t->dialect == T1_KERNEL_TUNER && takes_all(t)));
}

const char *t1_argument_name(struct translation *t, size_t index)
{
    const json_t *argument = json_array_get(t->arguments, index);
    const char *name = json_word(argument, "Name");
    return name ? name : t1_printf(t, "argument%zu", index + 1);
}

/* ---- types ---- */

static const struct {
    const char *name;
    enum element_type type;
} types[] = {
    {"bool", ELEMENT_U8},     {"int8", ELEMENT_I8},      {"uint8", ELEMENT_U8},
    {"int16", ELEMENT_I16},   {"uint16", ELEMENT_U16},   {"int32", ELEMENT_I32},
    {"uint32", ELEMENT_U32},  {"int64", ELEMENT_I64},    {"uint64", ELEMENT_U64},
    {"float32", ELEMENT_F32}, {"float64", ELEMENT_F64},  {"half", ELEMENT_F16},
    {"float", ELEMENT_F32},   {"double", ELEMENT_F64},   {"char", ELEMENT_I8},
    {"uchar", ELEMENT_U8},    {"short", ELEMENT_I16},    {"ushort", ELEMENT_U16},
    {"int", ELEMENT_I32},     {"uint", ELEMENT_U32},     {"long", ELEMENT_I64},
    {"ulong", ELEMENT_U64},   {"longlong", ELEMENT_I64}, {"ulonglong", ELEMENT_U64},
};
enum { PLAIN_TYPES_FROM = 11 /* without and with vector types */ };

bool t1_type_of(struct translation *t, const json_t *argument, const char *origin,
                enum element_type *type, size_t *components)
{
    enum { CUSTOM_BYTES_MAX = 1 << 20 };
    static const char *const lanes[] = {"1", "2", "3", "4", "8", "16"};
    const char *names[COUNT(types)];
    const char *name = json_word(argument, "Type");
    const json_int_t bytes = json_integer_value(json_object_get(argument, "TypeSize"));
    if (!name)
        return t1_error(t, origin, "Type must be a text such as \"float\"");
    for (size_t i = 0; i < COUNT(types); i++) { /* float4: elements of each value */
        const size_t length = strlen(types[i].name);
        names[i] = types[i].name;
        if (strncmp(name, names[i], length) != 0 ||
            (name[length] && (i < PLAIN_TYPES_FROM ||
                              WORD_INDEX(name + length, lanes, COUNT(lanes)) == COUNT(lanes))))
            continue;
        *type = types[i].type;
        *components = name[length] ? strtoul(name + length, NULL, 10) : 1;
        return true;
    }
    if (strcmp(name, "custom") != 0) {
        const char *nearest = nearest_word(name, names, COUNT(names));
        return t1_error(t, origin, "Type '%.40s' is unknown; did you mean '%s'?", name,
                        nearest ? nearest : "float");
    }
    *type = ELEMENT_U8;
    *components = (size_t)bytes;
    return (bytes >= 1 && bytes <= CUSTOM_BYTES_MAX) ||
           t1_error(t, origin, "Type custom needs its bytes as TypeSize");
}

/* Returns a scalar's type: the file's, in the kernel's width and kind where they are known. */
static enum element_type scalar_type(const struct translation *t, const json_t *scalar,
                                     enum element_type type)
{
    static const char kinds[] = "iuf";
    size_t passed = 0, place = ARGUMENTS_MAX, index;
    const json_t *argument;
    char name[VALUE_TEXT_BYTES];
    json_array_foreach(t->arguments, index, argument)
    {
        if (argument == scalar)
            place = passed;
        passed += t1_is_passed(t, argument);
    }
    if (!t->signature || t->signature->count != passed || place >= passed ||
        t->signature->parameters[place].bits == 0)
        return type;
    const unsigned bits = t->signature->parameters[place].bits;
    const bool is_unsigned =
        (!element_is_real(type) && !element_is_signed(type)) ||
        json_number_value(json_object_get(scalar, "FillValue")) >= ldexp(1, (int)bits - 1);
    const bool is_real = t->signature->parameters[place].is_real;
    (void)string_format(name, sizeof name, "%c%u", kinds[is_real ? 2 : is_unsigned], bits);
    (void)element_from_name(name, &type);
    return type;
}

/* ---- fills ---- */

/* Reads the source of a fill: "file" with the path of DataSource, or "series" with its expression
 * in i. */
static bool read_source(struct translation *t, const json_t *object, const char *origin,
                        const char *fill, const char **kind, const char **out)
{
    const char *of = t1_printf(t, "%s.DataSource", origin);
    *kind = strcmp(fill, "Generator") == 0 ? "series" : "file";
    if (strcmp(fill, "BinaryHDF") == 0)
        return t1_error(t, origin,
                        "FillType BinaryHDF cannot be read; write the data as raw bytes "
                        "and say FillType BinaryRaw in an overlay (--overlay)");
    if (strcmp(fill, "Script") == 0)
        return t1_error(t, origin,
                        "FillType Script is not run; say FillType Generator with an "
                        "expression in i, or BinaryRaw with the bytes it would make, in "
                        "an overlay (--overlay)");
    if (**kind == 'f' && strcmp(fill, "BinaryRaw") != 0)
        return t1_error(t, origin, "FillType '%.40s' is unknown", fill);
    TRY_OR_FALSE(json_text(t, object, "DataSource", of, out));
    return (*out && (*out)[0]) || t1_error(t, of, "is missing");
}

/* Adds {KIND: text} or {KIND: [low, high]}. */
static void put_fill(struct translation *t, struct node *node, const char *origin, const char *kind,
                     const char *low, const char *high)
{
    struct node *fill = put_mapping(t, node, "fill", origin);
    fill->flow = true;
    if (!high) {
        put_text(t, fill, kind, origin, low);
        return;
    }
    struct node *pair = put_list(t, fill, kind, origin);
    pair->flow = true;
    put_text(t, pair, NULL, origin, low);
    put_text(t, pair, NULL, origin, high);
}

static bool put_vector_fill(struct translation *t, struct node *node, const json_t *argument,
                            const char *origin, enum element_type type, size_t components)
{
    const json_t *value = json_member(argument, "FillValue");
    const json_t *seed = json_member(argument, "RandomSeed");
    const bool is_normal = t->dialect == T1_KERNEL_TUNER;
    const double real = json_number_value(value);
    const char *number = json_number_text(t, value, !element_is_real(type));
    const char *fill = NULL, *kind = NULL, *source = NULL;
    TRY_OR_FALSE(json_text(t, argument, "FillType", origin, &fill));
    const bool is_random = fill && strcmp(fill, "Random") == 0;
    const bool is_constant = !fill || strcmp(fill, "Constant") == 0;
    if ((is_constant || (is_random && !is_normal)) && value && !number)
        return t1_error(t, origin, "FillValue must be a number");
    if (is_random && !is_normal && number && real <= 0)
        return t1_error(t, origin, "FillType Random is from 0 to FillValue, which must be above 0");
    if (is_random && is_normal && number && real != 1.0 && real != 0.0)
        t1_ignore(t,
                  "KernelSpecification.Arguments[].FillValue (Random is normal with deviation 1)");
    if (is_random) {
        put_fill(t, node, origin, is_normal ? "normal" : "uniform", "0",
                 is_normal || !number ? "1" : number);
        if (json_is_integer(seed) && json_integer_value(seed) >= 0)
            put_json(t, node, "seed", origin, seed, 0);
    } else if (is_constant && real != 0.0) {
        put_fill(t, node, origin, "constant", number, NULL);
    } else if (is_constant) {
        put_text(t, node, "fill", origin, "zero");
    } else {
        TRY_OR_FALSE(read_source(t, argument, origin, fill, &kind, &source));
        if (strcmp(kind, "series") == 0 && components > 1)
            return t1_error(t, origin,
                            "FillType Generator fills elements of one number, not those "
                            "of a vector type");
        const char *of = t1_printf(t, "%s.DataSource", origin);
        struct node *made = put_mapping(t, node, "fill", of);
        made->flow = true;
        put_quoted(t, made, kind, of, source);
    }
    return true;
}

/* ---- arguments ---- */

static bool put_scalar(struct translation *t, struct node *node, size_t index, const char *origin,
                       enum element_type type, size_t components)
{
    const json_t *argument = json_array_get(t->arguments, index);
    const json_t *value = json_member(argument, "FillValue");
    const char *of = t1_printf(t, "%s.FillValue", origin);
    const char *text = json_is_string(value) ? t1_expression(t, of, json_string_value(value))
                                             : json_number_text(t, value, !element_is_real(type));
    TRY_OR_FALSE(t->error->status == STATUS_OK);
    if (!text)
        return t1_error(t, of, "must be a number: it is the scalar's value");
    if (json_has_text(argument, "Type", "custom"))
        return t1_error(t, origin,
                        "a scalar of Type custom has no value here; list its members as 'fields' "
                        "in tune.arguments of an overlay (--overlay)");
    if (components == 1) {
        put_text(t, node, "type", origin,
                 element_name(t1_is_symbol(t, argument) ? type : scalar_type(t, argument, type)));
        put_text(t, node, "value", of, text);
        return true;
    }
    struct node *fields = put_list(t, node, "fields", origin);
    for (size_t i = 0; i < components; i++) {
        struct node *field = put_mapping(t, fields, NULL, of);
        field->flow = true;
        put_text(t, field, "type", of, element_name(type));
        put_quoted(t, field, "value", of, text);
    }
    return true;
}

static bool put_vector(struct translation *t, struct node *node, size_t index, const char *origin,
                       enum element_type type, size_t components)
{
    const json_t *argument = json_array_get(t->arguments, index);
    const json_t *output = json_member(argument, "Output");
    const char *size = NULL;
    const char *access = NULL;
    const char *of = t1_printf(t, "%s.Size", origin);
    const json_t *reference;
    size_t i;
    TRY_OR_FALSE(t1_formula(t, json_member(argument, "Size"), of, &size) &&
                 json_text(t, argument, "AccessType", origin, &access));
    if (access && !word_is_in(access, strlen(access), "ReadOnly WriteOnly ReadWrite"))
        return t1_error(t, origin, "AccessType is ReadOnly, WriteOnly or ReadWrite, not '%.40s'",
                        access);
    if (!size)
        return t1_error(t, of, "is missing: how many elements there are");
    /* Without AccessType: read only, unless another key hints at writing. */
    bool hinted = json_is_true(output) || json_integer_value(output) != 0;
    json_array_foreach(json_member(t->kernel, "ReferenceArguments"), i, reference)
    {
        hinted |= json_has_text(reference, "TargetName", t1_argument_name(t, index));
    }
    put_text(t, node, "type", origin, element_name(type));
    put_text(t, node, "count", of,
             components > 1 ? t1_printf(t, "(%s) * %zu", size, components) : size);
    if (access && strcmp(access, "WriteOnly") == 0) {
        put_text(t, node, "output", origin, "true");
        return true;
    }
    if (hinted || (access && strcmp(access, "ReadWrite") == 0))
        put_text(t, node, "update", origin, "true");
    return put_vector_fill(t, node, argument, origin, type, components);
}

static bool put_argument(struct translation *t, struct node *arguments, size_t index)
{
    const json_t *argument = json_array_get(t->arguments, index);
    const char *origin = t1_printf(t, "KernelSpecification.Arguments[%zu]", index);
    const char *name = t1_argument_name(t, index);
    const char *memory = json_word(argument, "MemoryType"), *kind = json_word(argument, "MemType");
    enum element_type type = ELEMENT_U8;
    size_t components = 1;
    if (t1_is_local(argument))
        return true;
    if (!is_name(name))
        return t1_error(t, origin, "Name must be a name: letters, digits and _, at most 63");
    if (!memory || !word_is_in(memory, strlen(memory), "Vector Scalar Symbol"))
        return t1_error(t, origin, "MemoryType is Scalar, Vector, Local or Symbol");
    if (t->dialect == T1_KERNEL_TUNER && kind && !word_is_in(kind, strlen(kind), "Constant Global"))
        return t1_error(t, origin, "MemType is Constant or absent, not '%.40s'", kind);
    TRY_OR_FALSE(t1_type_of(t, argument, origin, &type, &components));
    const bool symbol = t1_is_symbol(t, argument);
    const bool passed = symbol && t1_is_passed(t, argument);
    if (!symbol && json_has_text(argument, "MemType", "Constant"))
        t1_ignore(t, t1_printf(t, "%s.MemType (the source has no __constant__ variable)", origin));
    const bool scalar = json_has_text(argument, "MemoryType", "Scalar") ||
                        (symbol && !json_member(argument, "Size"));
    /* An argument that is passed and copied has two entries with the same data. */
    for (int copied = passed ? 0 : 1; copied < 2; copied++) {
        struct node *node = put_mapping(t, arguments, NULL, origin);
        put_text(t, node, "name", origin,
                 passed && copied ? t1_printf(t, "%s_copied", name) : name);
        if (symbol && copied && !json_word(argument, "Name"))
            return t1_error(t, origin, "a symbol needs its Name");
        if (symbol && copied)
            put_text(t, node, "symbol", origin, name);
        TRY_OR_FALSE((scalar ? put_scalar : put_vector)(t, node, index, origin, type, components));
        if (passed && !scalar && json_has_text(argument, "FillType", "Random") &&
            !json_is_integer(json_member(argument, "RandomSeed")))
            put_text(t, node, "seed", origin, t1_printf(t, "%zu", index));
    }
    return true;
}

bool t1_translate_arguments(struct translation *t)
{
    const char *origin = "KernelSpecification.Arguments";
    const size_t count = json_array_size(t->arguments);
    if (put_ours(t, "arguments"))
        return true;
    if (count == 0)
        return t1_error(t, origin, "must be a list of the kernel's arguments");
    if (count > ARGUMENTS_MAX)
        return t1_error(t, origin, "%zu of them; at most %d", count, ARGUMENTS_MAX);
    struct node *arguments = put_list(t, t->root_node, "arguments", origin);
    for (size_t i = 0; i < count; i++)
        TRY_OR_FALSE(put_argument(t, arguments, i));
    return true;
}

/* ---- references ---- */

static bool put_expected(struct translation *t, struct node *check, const json_t *reference,
                         const char *origin)
{
    const char *fill = NULL, *kind = NULL, *source = NULL;
    TRY_OR_FALSE(json_text(t, reference, "FillType", origin, &fill));
    if (!fill || strcmp(fill, "Constant") == 0) {
        const char *value = json_number_text(t, json_member(reference, "FillValue"), false);
        if (!value)
            return t1_error(t, origin, "FillValue must be a number: the expected value");
        put_quoted(t, check, "series", origin, value);
        return true;
    }
    if (strcmp(fill, "Random") == 0)
        return t1_error(t, origin, "FillType Random is no reference: nothing computes it again");
    TRY_OR_FALSE(read_source(t, reference, origin, fill, &kind, &source));
    put_quoted(t, check, kind, t1_printf(t, "%s.DataSource", origin), source);
    return true;
}

static bool put_tolerance(struct translation *t, struct node *check, const json_t *reference,
                          const char *origin)
{
    static const struct {
        const char *name, *key;
    } methods[] = {
        {"SideBySideComparison", "absolute"},
        {"AbsoluteDifference", "total"},
        {"SideBySideRelativeComparison", "relative"},
    };
    const json_t *threshold = json_member(reference, "ValidationThreshold");
    const char *method = NULL;
    TRY_OR_FALSE(json_text(t, reference, "ValidationMethod", origin, &method));
    const size_t at = method ? ROW_INDEX(method, methods, name) : 0;
    if (at == COUNT(methods))
        return t1_error(t, origin, "ValidationMethod '%.60s' is unknown", method);
    if (!threshold)
        return true;
    if (!json_is_number(threshold) || json_number_value(threshold) < 0)
        return t1_error(t, origin, "ValidationThreshold must be a number, not below 0");
    if (json_number_value(threshold) > 0)
        put_text(t, check, methods[at].key, t1_printf(t, "%s.ValidationThreshold", origin),
                 json_number_text(t, threshold, false));
    return true;
}

bool t1_translate_checks(struct translation *t)
{
    const char *where = "KernelSpecification.ReferenceArguments";
    const json_t *references = json_member(t->kernel, "ReferenceArguments");
    const json_t *reference;
    size_t index;
    if (put_ours(t, "check"))
        return true;
    if (references && !json_is_array(references))
        return t1_error(t, where, "must be a list");
    if (json_array_size(references) == 0)
        return true;
    if (json_array_size(references) > CHECKS_MAX)
        return t1_error(t, where, "%zu of them; at most %d", json_array_size(references),
                        CHECKS_MAX);
    struct node *checks = put_list(t, t->root_node, "check", where);
    json_array_foreach(references, index, reference)
    {
        const char *origin = t1_printf(t, "%s[%zu]", where, index);
        const char *target = NULL;
        TRY_OR_FALSE(json_text(t, reference, "TargetName", origin, &target));
        bool known = target && json_member(t->tune, "arguments");
        for (size_t i = 0; target && i < json_array_size(t->arguments); i++)
            known |= strcmp(t1_argument_name(t, i), target) == 0;
        if (!known)
            return t1_error(t, origin, "TargetName must be the name of an argument");
        const char *of = t1_printf(t, "%s.TargetName", origin);
        struct node *check = put_mapping(t, checks, NULL, of);
        put_text(t, check, "output", of, target);
        TRY_OR_FALSE(put_expected(t, check, reference, origin) &&
                     put_tolerance(t, check, reference, origin));
    }
    return true;
}
