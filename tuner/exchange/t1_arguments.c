/* KernelSpecification.Arguments: what the kernel takes, in that order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/exchange/internal.h"

const json_t *t1_arguments(const struct translation *t)
{
    return json_member(t->kernel, "Arguments");
}

static bool has_text(const json_t *object, const char *key, const char *text)
{
    const char *its = json_string_value(json_object_get(object, key));
    return its && strcmp(its, text) == 0;
}

bool t1_is_local(const json_t *argument)
{
    return has_text(argument, "MemoryType", "Local");
}

bool t1_is_symbol(const struct translation *t, const json_t *argument)
{
    return has_text(argument, "MemoryType", "Symbol") ||
           (t->dialect == T1_KERNEL_TUNER && has_text(argument, "MemType", "Constant"));
}

const char *t1_argument_name(struct translation *t, size_t index)
{
    const json_t *argument = json_array_get(t1_arguments(t), index);
    const char *name = json_string_value(json_object_get(argument, "Name"));
    return name ? name : t1_printf(t, "argument%zu", index + 1);
}

bool t1_is_target(const struct translation *t, const char *name)
{
    const json_t *reference;
    size_t index;
    json_array_foreach(json_member(t->kernel, "ReferenceArguments"), index, reference)
    {
        if (has_text(reference, "TargetName", name))
            return true;
    }
    return false;
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
enum { TYPES = sizeof types / sizeof types[0], PLAIN_TYPES_FROM = 11 /* those with vectors */ };

/* int4, double3, float16: as many elements as the number behind the type says. */
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
    const char *name = json_string_value(json_object_get(argument, "Type"));
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

bool t1_data_source(struct translation *t, const json_t *object, const char *origin,
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
    if (!json_text(t, object, "DataSource", of, out))
        return false;
    return (*out && (*out)[0]) || t1_error(t, of, "is missing");
}

struct fill_request {
    const json_t *argument;
    const char *origin;
    struct t1_type type;
};

static bool write_random(struct translation *t, const struct fill_request *of)
{
    const json_t *value = json_member(of->argument, "FillValue");
    const json_t *seed = json_member(of->argument, "RandomSeed");
    if (t->dialect == T1_KERNEL_TUNER) {
        if (json_is_number(value) && json_number_value(value) != 1.0 &&
            json_number_value(value) != 0.0)
            t1_ignore(t, "KernelSpecification.Arguments[].FillValue (Random is normal with "
                         "deviation 1)");
        yaml_line(t, of->origin, "    fill: {normal: [0, 1]}");
    } else {
        const char *high = value ? json_number_text(t, value, !of->type.real) : "1";
        if (!high)
            return t1_error(t, of->origin, "FillValue must be a number");
        if (json_is_number(value) && json_number_value(value) <= 0)
            return t1_error(t, of->origin,
                            "FillType Random is from 0 to FillValue, which must be above 0");
        yaml_line(t, of->origin, "    fill: {uniform: [0, %s]}", high);
    }
    if (json_is_integer(seed) && json_integer_value(seed) >= 0)
        yaml_line(t, of->origin, "    seed: %lld", (long long)json_integer_value(seed));
    return true;
}

static bool write_constant(struct translation *t, const struct fill_request *of)
{
    const json_t *value = json_member(of->argument, "FillValue");
    const char *text = value ? json_number_text(t, value, !of->type.real) : "0";
    if (!text)
        return t1_error(t, of->origin, "FillValue must be a number");
    if (!value || json_number_value(value) == 0.0)
        yaml_line(t, of->origin, "    fill: zero");
    else
        yaml_line(t, of->origin, "    fill: {constant: %s}", text);
    return true;
}

static bool write_fill(struct translation *t, const struct fill_request *of)
{
    const char *fill = NULL;
    const char *source = NULL;
    if (!json_text(t, of->argument, "FillType", of->origin, &fill))
        return false;
    if (!fill || strcmp(fill, "Constant") == 0)
        return write_constant(t, of);
    if (strcmp(fill, "Random") == 0)
        return write_random(t, of);
    bool series = strcmp(fill, "Generator") == 0;
    if (!series && strcmp(fill, "BinaryRaw") != 0 && strcmp(fill, "BinaryHDF") != 0 &&
        strcmp(fill, "Script") != 0)
        return t1_error(t, of->origin, "FillType '%.40s' is unknown", fill);
    if (!t1_data_source(t, of->argument, of->origin, fill, &source))
        return false;
    if (series && of->type.components > 1)
        return t1_error(t, of->origin,
                        "FillType Generator fills elements of one number, not those "
                        "of a vector type");
    yaml_line(t, t1_printf(t, "%s.DataSource", of->origin), "    fill: {%s: %s}",
              series ? "series" : "file", yaml_quoted(t, source));
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

/* Whether a number is one of the type's: nothing of it is lost. */
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

/* The type that the kernel takes in place of the file's, where every value that the file may mean
 * is one of it: then *element is that. */
static bool convert_scalar(struct translation *t, const json_t *argument, size_t index,
                           const char *origin, const char **element)
{
    const char *taken = t1_parameter_type(t, index);
    const json_t *value = json_member(argument, "FillValue");
    if (!taken || strcmp(taken, *element) == 0)
        return true;
    double number = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
    bool known = json_is_number(value) || json_is_boolean(value);
    /* What is handed over is a number of the file's type first: 0.1f, not 0.1. */
    if (known && strcmp(*element, "f32") == 0 && strcmp(taken, "f64") == 0)
        number = (double)(float)number;
    bool wider = !is_real(taken) && !is_real(*element) && bits_of(taken) > bits_of(*element);
    if (known ? !holds_number(taken, number) : !wider)
        return t1_error(t, origin,
                        "Type is %s (%s), but the kernel takes %s there, which cannot have the "
                        "value without loss: say the kernel's type in an overlay (--overlay)",
                        json_string_value(json_object_get(argument, "Type")), *element, taken);
    *element = taken;
    return true;
}

static bool write_scalar(struct translation *t, const json_t *argument, size_t index,
                         const char *origin, const struct t1_type *type)
{
    const char *element = type->element;
    const json_t *value = json_member(argument, "FillValue");
    const char *text = json_number_text(t, value, !type->real);
    const char *of = t1_printf(t, "%s.FillValue", origin);
    if (!text && json_is_string(value))
        text = t1_expression(t, of, json_string_value(value));
    if (t->error->status != STATUS_OK)
        return false;
    if (!text)
        return t1_error(t, of, "must be a number: it is the scalar's value");
    if (has_text(argument, "Type", "custom"))
        return t1_error(t, origin,
                        "a scalar of Type custom has no value here; say what it is made "
                        "of as 'fields' in tune.arguments of an overlay (--overlay)");
    if (type->components == 1) {
        if (!t1_is_symbol(t, argument) && !convert_scalar(t, argument, index, origin, &element))
            return false;
        yaml_line(t, origin, "    type: %s", element);
        yaml_line(t, of, "    value: %s", yaml_scalar(t, text));
        return true;
    }
    yaml_line(t, origin, "    fields:");
    for (size_t i = 0; i < type->components; i++)
        yaml_line(t, of, "      - {type: %s, value: %s}", type->element, yaml_quoted(t, text));
    return true;
}

enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_BOTH };

/* Where it does not say: read only, unless something hints at more. */
static bool read_access(struct translation *t, const json_t *argument, size_t index,
                        const char *origin, enum access *out)
{
    const char *text = NULL;
    const json_t *output = json_member(argument, "Output");
    bool hinted = json_is_true(output) || json_integer_value(output) != 0 ||
                  t1_is_target(t, t1_argument_name(t, index));
    if (!json_text(t, argument, "AccessType", origin, &text))
        return false;
    *out = hinted ? ACCESS_BOTH : ACCESS_READ;
    if (!text || strcmp(text, "ReadOnly") == 0)
        return true;
    *out = strcmp(text, "WriteOnly") == 0 ? ACCESS_WRITE : ACCESS_BOTH;
    return *out == ACCESS_WRITE || strcmp(text, "ReadWrite") == 0 ||
           t1_error(t, origin, "AccessType is ReadOnly, WriteOnly or ReadWrite, not '%.40s'", text);
}

static bool write_vector(struct translation *t, const json_t *argument, size_t index,
                         const char *origin, const struct t1_type *type)
{
    const char *size = NULL;
    const char *of = t1_printf(t, "%s.Size", origin);
    enum access access = ACCESS_READ;
    if (!json_expression(t, argument, "Size", of, &size) ||
        !read_access(t, argument, index, origin, &access))
        return false;
    if (!size)
        return t1_error(t, of, "is missing: how many elements there are");
    size = t1_expression(t, of, size);
    if (!size)
        return false;
    if (type->components > 1)
        size = t1_printf(t, "(%s) * %zu", size, type->components);
    yaml_line(t, origin, "    type: %s", type->element);
    yaml_line(t, of, "    count: %s", yaml_scalar(t, size));
    if (access == ACCESS_WRITE) {
        yaml_line(t, origin, "    output: true");
        return true;
    }
    if (access == ACCESS_BOTH)
        yaml_line(t, origin, "    update: true");
    return write_fill(t, &(struct fill_request){argument, origin, *type});
}

static bool write_symbol(struct translation *t, const json_t *argument, const char *origin)
{
    const char *name = json_string_value(json_object_get(argument, "Name"));
    if (!name)
        return t1_error(t, origin, "a symbol needs its Name");
    yaml_line(t, origin, "    symbol: %s", yaml_scalar(t, name));
    return true;
}

static bool check_memory(struct translation *t, const json_t *argument, const char *origin)
{
    const char *memory = json_string_value(json_object_get(argument, "MemoryType"));
    const char *kind = json_string_value(json_object_get(argument, "MemType"));
    if (!memory || (strcmp(memory, "Vector") != 0 && strcmp(memory, "Scalar") != 0 &&
                    strcmp(memory, "Symbol") != 0))
        return t1_error(t, origin, "MemoryType is Scalar, Vector, Local or Symbol");
    if (t->dialect == T1_KERNEL_TUNER && kind && strcmp(kind, "Constant") != 0 &&
        strcmp(kind, "Global") != 0)
        return t1_error(t, origin, "MemType is Constant or absent, not '%.40s'", kind);
    return true;
}

static bool write_argument(struct translation *t, size_t index, const json_t *argument)
{
    const char *origin = t1_printf(t, "KernelSpecification.Arguments[%zu]", index);
    const char *name = t1_argument_name(t, index);
    struct t1_type type = {.element = NULL};
    if (t1_is_local(argument))
        return true;
    if (!is_name(name))
        return t1_error(t, origin, "Name must be a name: letters, digits and _, at most 63");
    if (!check_memory(t, argument, origin) || !t1_type_of(t, argument, origin, &type))
        return false;
    bool symbol = t1_is_symbol(t, argument);
    bool passed = symbol && t1_passes_symbols(t);
    bool scalar =
        has_text(argument, "MemoryType", "Scalar") || (symbol && !json_member(argument, "Size"));
    /* What is passed and copied as well stands there twice, with the same data. */
    for (int copied = passed ? 0 : 1; copied < 2; copied++) {
        name = passed && copied ? t1_printf(t, "%s_copied", name) : name;
        yaml_line(t, origin, "  - name: %s", yaml_scalar(t, name));
        if (symbol && copied && !write_symbol(t, argument, origin))
            return false;
        if (scalar ? !write_scalar(t, argument, index, origin, &type)
                   : !write_vector(t, argument, index, origin, &type))
            return false;
        bool drawn = passed && !scalar && has_text(argument, "FillType", "Random") &&
                     !json_is_integer(json_member(argument, "RandomSeed"));
        if (drawn)
            yaml_line(t, origin, "    seed: %zu", index);
    }
    return true;
}

bool t1_write_arguments(struct translation *t)
{
    const char *origin = "KernelSpecification.Arguments";
    const json_t *arguments = t1_arguments(t);
    const json_t *argument;
    size_t index;
    if (yaml_overridden(t, "arguments"))
        return true;
    if (!json_is_array(arguments) || json_array_size(arguments) == 0)
        return t1_error(t, origin, "must be a list of what the kernel takes");
    if (json_array_size(arguments) > T1_ARGUMENTS_MAX)
        return t1_error(t, origin, "%zu of them; at most %d", json_array_size(arguments),
                        T1_ARGUMENTS_MAX);
    yaml_line(t, origin, "arguments:");
    json_array_foreach(arguments, index, argument)
    {
        if (!write_argument(t, index, argument))
            return false;
    }
    return true;
}
