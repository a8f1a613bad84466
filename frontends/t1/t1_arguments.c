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

bool t1_is_symbol(const struct translation *t, const json_t *argument)
{
    return json_has_text(argument, "MemoryType", "Symbol") ||
           (t->dialect == T1_KERNEL_TUNER && !t->no_constants &&
            json_has_text(argument, "MemType", "Constant"));
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
    struct t1_type type;
} types[] = {
    {"bool", {"u8", 1, 1, false}},      {"int8", {"i8", 1, 1, false}},
    {"uint8", {"u8", 1, 1, false}},     {"int16", {"i16", 2, 1, false}},
    {"uint16", {"u16", 2, 1, false}},   {"int32", {"i32", 4, 1, false}},
    {"uint32", {"u32", 4, 1, false}},   {"int64", {"i64", 8, 1, false}},
    {"uint64", {"u64", 8, 1, false}},   {"float32", {"f32", 4, 1, true}},
    {"float64", {"f64", 8, 1, true}},   {"half", {"f16", 2, 1, true}},
    {"float", {"f32", 4, 1, true}},     {"double", {"f64", 8, 1, true}},
    {"char", {"i8", 1, 1, false}},      {"uchar", {"u8", 1, 1, false}},
    {"short", {"i16", 2, 1, false}},    {"ushort", {"u16", 2, 1, false}},
    {"int", {"i32", 4, 1, false}},      {"uint", {"u32", 4, 1, false}},
    {"long", {"i64", 8, 1, false}},     {"ulong", {"u64", 8, 1, false}},
    {"longlong", {"i64", 8, 1, false}}, {"ulonglong", {"u64", 8, 1, false}},
};
enum {
    TYPES = sizeof types / sizeof types[0],
    PLAIN_TYPES_FROM = 11 /* without and with vector types */
};

/* Parses int4, double3, float16: the number is the count of elements. */
static bool vector_type(const char *name, struct t1_type *out)
{
    static const size_t lanes[] = {1, 2, 3, 4, 8, 16};
    for (size_t i = PLAIN_TYPES_FROM; i < TYPES; i++) {
        size_t length = strlen(types[i].name);
        char *end = NULL;
        unsigned long number =
            strncmp(name, types[i].name, length) == 0 ? strtoul(name + length, &end, 10) : 0;
        for (size_t j = 0; end && *end == '\0' && j < sizeof lanes / sizeof *lanes; j++)
            if (lanes[j] == number) {
                *out = types[i].type;
                out->components = number;
                return true;
            }
    }
    return false;
}

bool t1_type_of(struct translation *t, const json_t *argument, const char *origin,
                struct t1_type *out)
{
    enum { CUSTOM_BYTES_MAX = 1 << 20 };
    const char *names[TYPES];
    const char *name = json_word(argument, "Type");
    if (!name)
        return t1_error(t, origin, "Type must be a text such as \"float\"");
    for (size_t i = 0; i < TYPES; i++) {
        names[i] = types[i].name;
        if (strcmp(name, names[i]) != 0)
            continue;
        *out = types[i].type;
        return true;
    }
    if (vector_type(name, out))
        return true;
    json_int_t bytes = json_integer_value(json_object_get(argument, "TypeSize"));
    if (strcmp(name, "custom") != 0) {
        const char *nearest = nearest_word(name, names, TYPES);
        return t1_error(t, origin, "Type '%.40s' is unknown; did you mean '%s'?", name,
                        nearest ? nearest : "float");
    }
    if (bytes < 1 || bytes > CUSTOM_BYTES_MAX)
        return t1_error(t, origin, "Type custom needs its bytes as TypeSize");
    *out = (struct t1_type){"u8", 1, (size_t)bytes, false};
    return true;
}

/* ---- fills ---- */

/* Reads the source of a fill: the path of DataSource, or the expression in i. */
static bool read_source(struct translation *t, const json_t *object, const char *origin,
                        const char *fill, const char **out)
{
    const char *of = t1_printf(t, "%s.DataSource", origin);
    if (strcmp(fill, "BinaryHDF") == 0)
        return t1_error(t, origin,
                        "FillType BinaryHDF cannot be read; write the data as raw bytes "
                        "and say FillType BinaryRaw in an overlay (--overlay)");
    if (strcmp(fill, "Script") == 0)
        return t1_error(t, origin,
                        "FillType Script is not run; say FillType Generator with an "
                        "expression in i, or BinaryRaw with the bytes it would make, in "
                        "an overlay (--overlay)");
    if (strcmp(fill, "Generator") != 0 && strcmp(fill, "BinaryRaw") != 0)
        return t1_error(t, origin, "FillType '%.40s' is unknown", fill);
    if (!json_text(t, object, "DataSource", of, out))
        return false;
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

static bool put_random(struct translation *t, struct node *node, const json_t *argument,
                       const char *origin, const char *high)
{
    const json_t *value = json_member(argument, "FillValue");
    const json_t *seed = json_member(argument, "RandomSeed");
    const double number = json_number_value(value);
    if (t->dialect == T1_KERNEL_TUNER) {
        if (json_is_number(value) && number != 1.0 && number != 0.0)
            t1_ignore(t, "KernelSpecification.Arguments[].FillValue (Random is normal with "
                         "deviation 1)");
        put_fill(t, node, origin, "normal", "0", "1");
    } else {
        if (value && !high)
            return t1_error(t, origin, "FillValue must be a number");
        if (json_is_number(value) && number <= 0)
            return t1_error(t, origin,
                            "FillType Random is from 0 to FillValue, which must be above 0");
        put_fill(t, node, origin, "uniform", "0", value ? high : "1");
    }
    if (json_is_integer(seed) && json_integer_value(seed) >= 0)
        put_json(t, node, "seed", origin, seed, 0);
    return true;
}

static bool put_vector_fill(struct translation *t, struct node *node, const json_t *argument,
                            const char *origin, const struct t1_type *type)
{
    const json_t *value = json_member(argument, "FillValue");
    const char *number = value ? json_number_text(t, value, !type->real) : NULL;
    const char *fill = NULL;
    const char *source = NULL;
    if (!json_text(t, argument, "FillType", origin, &fill))
        return false;
    if (fill && strcmp(fill, "Random") == 0)
        return put_random(t, node, argument, origin, number);
    if (!fill || strcmp(fill, "Constant") == 0) {
        if (value && !number)
            return t1_error(t, origin, "FillValue must be a number");
        if (!value || json_number_value(value) == 0.0)
            put_text(t, node, "fill", origin, "zero");
        else
            put_fill(t, node, origin, "constant", number, NULL);
        return true;
    }
    if (!read_source(t, argument, origin, fill, &source))
        return false;
    const bool series = strcmp(fill, "Generator") == 0;
    if (series && type->components > 1)
        return t1_error(t, origin,
                        "FillType Generator fills elements of one number, not those "
                        "of a vector type");
    const char *of = t1_printf(t, "%s.DataSource", origin);
    struct node *made = put_mapping(t, node, "fill", of);
    made->flow = true;
    put_quoted(t, made, series ? "series" : "file", of, source);
    return true;
}

/* ---- arguments ---- */

static bool is_real(const char *element)
{
    return element[0] == 'f';
}

static int bits_of(const char *element)
{
    return (int)strtol(element + 1, NULL, 10);
}

/* Returns true if the element type represents the number exactly. */
static bool holds_number(const char *element, double number)
{
    int bits = bits_of(element);
    if (strcmp(element, "f32") == 0)
        return (double)(float)number == number;
    if (is_real(element))
        return true;
    double most = ldexp(1, element[0] == 'u' ? bits : bits - 1);
    return number == floor(number) && number < most && number >= (element[0] == 'u' ? 0.0 : -most);
}

/* Sets *element to the kernel's type of a scalar if every value in the file fits that type. */
static bool convert_scalar(struct translation *t, const json_t *argument, size_t index,
                           const char *origin, const char **element)
{
    const char *taken = t1_parameter_type(t, index);
    const json_t *value = json_member(argument, "FillValue");
    if (!taken || strcmp(taken, *element) == 0)
        return true;
    double number = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
    bool known = json_is_number(value) || json_is_boolean(value);
    /* A number is first rounded to the file's type: 0.1f, not 0.1. */
    if (known && strcmp(*element, "f32") == 0 && strcmp(taken, "f64") == 0)
        number = (double)(float)number;
    bool wider = !is_real(taken) && !is_real(*element) && bits_of(taken) > bits_of(*element);
    if (known ? !holds_number(taken, number) : !wider)
        return t1_error(t, origin,
                        "Type is %s (%s), but the kernel takes %s there, which cannot have the "
                        "value without loss: say the kernel's type in an overlay (--overlay)",
                        json_word(argument, "Type"), *element, taken);
    *element = taken;
    return true;
}

static bool put_scalar(struct translation *t, struct node *node, size_t index, const char *origin,
                       const struct t1_type *type)
{
    const json_t *argument = json_array_get(t->arguments, index);
    const char *element = type->element;
    const json_t *value = json_member(argument, "FillValue");
    const char *of = t1_printf(t, "%s.FillValue", origin);
    const char *text = json_is_string(value) ? t1_expression(t, of, json_string_value(value))
                                             : json_number_text(t, value, !type->real);
    if (t->error->status != STATUS_OK)
        return false;
    if (!text)
        return t1_error(t, of, "must be a number: it is the scalar's value");
    if (json_has_text(argument, "Type", "custom"))
        return t1_error(t, origin,
                        "a scalar of Type custom has no value here; list its members as 'fields' "
                        "in tune.arguments of an overlay (--overlay)");
    if (type->components == 1) {
        if (!t1_is_symbol(t, argument) && !convert_scalar(t, argument, index, origin, &element))
            return false;
        put_text(t, node, "type", origin, element);
        put_text(t, node, "value", of, text);
        return true;
    }
    struct node *fields = put_list(t, node, "fields", origin);
    for (size_t i = 0; i < type->components; i++) {
        struct node *field = put_mapping(t, fields, NULL, of);
        field->flow = true;
        put_text(t, field, "type", of, type->element);
        put_quoted(t, field, "value", of, text);
    }
    return true;
}

static bool put_vector(struct translation *t, struct node *node, size_t index, const char *origin,
                       const struct t1_type *type)
{
    const json_t *argument = json_array_get(t->arguments, index);
    const json_t *output = json_member(argument, "Output");
    const char *size = NULL;
    const char *access = NULL;
    const char *of = t1_printf(t, "%s.Size", origin);
    const json_t *reference;
    size_t i;
    if (!json_expression(t, argument, "Size", of, &size) ||
        !json_text(t, argument, "AccessType", origin, &access))
        return false;
    if (access && strcmp(access, "ReadOnly") != 0 && strcmp(access, "WriteOnly") != 0 &&
        strcmp(access, "ReadWrite") != 0)
        return t1_error(t, origin, "AccessType is ReadOnly, WriteOnly or ReadWrite, not '%.40s'",
                        access);
    if (!size)
        return t1_error(t, of, "is missing: how many elements there are");
    size = t1_expression(t, of, size);
    if (!size)
        return false;
    /* Without AccessType: read only, unless another key hints at writing. */
    bool hinted = json_is_true(output) || json_integer_value(output) != 0;
    json_array_foreach(json_member(t->kernel, "ReferenceArguments"), i, reference)
    {
        hinted |= json_has_text(reference, "TargetName", t1_argument_name(t, index));
    }
    put_text(t, node, "type", origin, type->element);
    put_text(t, node, "count", of,
             type->components > 1 ? t1_printf(t, "(%s) * %zu", size, type->components) : size);
    if (access && strcmp(access, "WriteOnly") == 0) {
        put_text(t, node, "output", origin, "true");
        return true;
    }
    if (hinted || (access && strcmp(access, "ReadWrite") == 0))
        put_text(t, node, "update", origin, "true");
    return put_vector_fill(t, node, argument, origin, type);
}

static bool check_memory(struct translation *t, const json_t *argument, const char *origin)
{
    const char *memory = json_word(argument, "MemoryType");
    const char *kind = json_word(argument, "MemType");
    if (!memory || (strcmp(memory, "Vector") != 0 && strcmp(memory, "Scalar") != 0 &&
                    strcmp(memory, "Symbol") != 0))
        return t1_error(t, origin, "MemoryType is Scalar, Vector, Local or Symbol");
    if (t->dialect == T1_KERNEL_TUNER && kind && strcmp(kind, "Constant") != 0 &&
        strcmp(kind, "Global") != 0)
        return t1_error(t, origin, "MemType is Constant or absent, not '%.40s'", kind);
    return true;
}

static bool put_argument(struct translation *t, struct node *arguments, size_t index)
{
    const json_t *argument = json_array_get(t->arguments, index);
    const char *origin = t1_printf(t, "KernelSpecification.Arguments[%zu]", index);
    const char *name = t1_argument_name(t, index);
    struct t1_type type = {.element = NULL};
    if (t1_is_local(argument))
        return true;
    if (!is_name(name))
        return t1_error(t, origin, "Name must be a name: letters, digits and _, at most 63");
    if (!check_memory(t, argument, origin) || !t1_type_of(t, argument, origin, &type))
        return false;
    const bool symbol = t1_is_symbol(t, argument);
    const bool passed = symbol && t1_passes_symbols(t);
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
        if (!(scalar ? put_scalar : put_vector)(t, node, index, origin, &type))
            return false;
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
        if (!put_argument(t, arguments, i))
            return false;
    return true;
}

/* ---- references ---- */

static bool put_expected(struct translation *t, struct node *check, const json_t *reference,
                         const char *origin)
{
    const char *fill = NULL;
    const char *source = NULL;
    if (!json_text(t, reference, "FillType", origin, &fill))
        return false;
    if (!fill || strcmp(fill, "Constant") == 0) {
        const char *value = json_number_text(t, json_member(reference, "FillValue"), false);
        if (!value)
            return t1_error(t, origin, "FillValue must be a number: the expected value");
        put_quoted(t, check, "series", origin, value);
        return true;
    }
    if (strcmp(fill, "Random") == 0)
        return t1_error(t, origin, "FillType Random is no reference: nothing computes it again");
    if (!read_source(t, reference, origin, fill, &source))
        return false;
    put_quoted(t, check, strcmp(fill, "Generator") == 0 ? "series" : "file",
               t1_printf(t, "%s.DataSource", origin), source);
    return true;
}

static bool put_tolerance(struct translation *t, struct node *check, const json_t *reference,
                          const char *origin)
{
    static const char *const methods[][2] = {
        {"AbsoluteDifference", "total"},
        {"SideBySideComparison", "absolute"},
        {"SideBySideRelativeComparison", "relative"},
    };
    const json_t *threshold = json_member(reference, "ValidationThreshold");
    const char *method = NULL;
    const char *key = NULL;
    if (!json_text(t, reference, "ValidationMethod", origin, &method))
        return false;
    for (size_t i = 0; i < 3; i++)
        if (method && strcmp(method, methods[i][0]) == 0)
            key = methods[i][1];
    if (method && !key)
        return t1_error(t, origin, "ValidationMethod '%.60s' is unknown", method);
    if (!threshold)
        return true;
    if (!json_is_number(threshold) || json_number_value(threshold) < 0)
        return t1_error(t, origin, "ValidationThreshold must be a number, not below 0");
    if (json_number_value(threshold) > 0)
        put_text(t, check, key ? key : "absolute", t1_printf(t, "%s.ValidationThreshold", origin),
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
        if (!json_text(t, reference, "TargetName", origin, &target))
            return false;
        bool known = target && json_member(t->tune, "arguments");
        for (size_t i = 0; target && i < json_array_size(t->arguments); i++)
            known |= strcmp(t1_argument_name(t, i), target) == 0;
        if (!known)
            return t1_error(t, origin, "TargetName must be the name of an argument");
        const char *of = t1_printf(t, "%s.TargetName", origin);
        struct node *check = put_mapping(t, checks, NULL, of);
        put_text(t, check, "output", of, target);
        if (!put_expected(t, check, reference, origin) ||
            !put_tolerance(t, check, reference, origin))
            return false;
    }
    return true;
}
