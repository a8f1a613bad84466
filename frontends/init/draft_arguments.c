/* An experiment file drafted from a kernel's source: what the kernel takes, and the variables that
 * it finds or leaves. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "frontends/init/draft_parts.h"

enum { STRUCT_BYTES_MAX = 4096 };

static bool is_surface(const struct kernel_parameter *parameter)
{
    return parameter->kind == PARAMETER_SCALAR && parameter->type == ELEMENT_U64 &&
           strstr(parameter->text, "cudaSurfaceObject_t");
}

static bool is_output(const struct kernel_parameter *parameter)
{
    if (is_surface(parameter))
        return parameter->is_written || parameter->is_hidden || !parameter->is_seen;
    return parameter->kind == PARAMETER_POINTER && !parameter->constant &&
           (parameter->is_written || parameter->is_hidden || !parameter->is_seen);
}

/* Whose values count: a kernel that reads what it writes, or may do so where it cannot be seen. */
static bool is_update(const struct kernel_parameter *parameter)
{
    return is_output(parameter) &&
           (parameter->is_read || parameter->is_hidden || !parameter->is_written);
}

static const char *type_of(const struct draft *draft, const struct kernel_parameter *parameter)
{
    if (parameter->generic && parameter->lanes == 1 && !draft->request->signature->instance)
        return arena_printf(draft->arena, "\"${%s}\"", parameter->generic);
    return parameter->known ? element_name(parameter->type) : "u8";
}

/* Of the kernel's own parameters which; none: the vector of a struct. */
static bool place_of(const struct draft *draft, const struct kernel_parameter *parameter,
                     size_t *at)
{
    *at = (size_t)(parameter - draft->kernel->parameters);
    return parameter >= draft->kernel->parameters &&
           parameter < draft->kernel->parameters + draft->kernel->parameter_count;
}

/* Of how many elements the source says that there are. */
static const char *known_count(struct draft *draft, const struct kernel_parameter *parameter)
{
    size_t at = 0;
    if (!place_of(draft, parameter, &at))
        return NULL;
    const int64_t bytes = !parameter->known ? 1 : (int64_t)element_bytes(parameter->type);
    return draft_count_of(draft, at, bytes);
}

static void put_pointer(struct draft *draft, const struct kernel_parameter *parameter)
{
    uint32_t times = parameter->known ? parameter->lanes : parameter->bytes;
    const char *type = type_of(draft, parameter);
    const bool whole = times > STRUCT_BYTES_MAX; /* a struct of arrays, and not many of them */
    const char *known = known_count(draft, parameter);
    const char *quote = known && strchr(known, ',') ? "\"" : "";
    const char *count = known   ? arena_printf(draft->arena, "%s%s%s", quote, known, quote)
                        : whole ? arena_printf(draft->arena, "%u", times)
                                : draft_elements(draft, times > 0 ? times : 1);
    const char *what = parameter->text;
    bool real = parameter->known && element_is_real(parameter->type);
    /* Integers may be places in another argument. */
    bool places = parameter->known && !real && element_bytes(parameter->type) >= 4;
    const char *fill = places
                           ? arena_printf(draft->arena, "fill: {uniform: [0, %s - 1]}", draft->size)
                           : "fill: random";
    const char *role = fill;
    if (!parameter->known)
        role = is_output(parameter) ? "update: true, fill: zero" : "fill: zero";
    else if (is_update(parameter))
        role = real ? "update: true, fill: random" : "update: true, fill: zero";
    else if (is_output(parameter))
        role = "output: true";
    bool sure = parameter->known && !parameter->is_hidden && parameter->is_seen &&
                (!places || is_output(parameter));
    const char *comment = arena_printf(draft->arena, "%s%s", sure ? "" : "? ", what);
    draft_line(draft, comment, "  - {name: %s, type: %s, count: %s, %s}", parameter->name, type,
               count ? count : "", role ? role : "");
}

static bool is_texture(const struct kernel_parameter *parameter)
{
    return parameter->kind == PARAMETER_SCALAR && parameter->type == ELEMENT_U64 &&
           (parameter->texture_axes > 0 || strstr(parameter->text, "cudaTextureObject_t"));
}

/* A texture or surface object over data as the kernel has them, else over reals. */
static void put_texture(struct draft *draft, const struct kernel_parameter *parameter)
{
    const bool seen = parameter->texture_axes > 0;
    const bool two = seen ? parameter->texture_axes == 2 : draft->kernel->uses_y;
    const uint32_t channels = seen ? parameter->texture_channels : 1;
    const char *count = draft_elements(draft, channels);
    struct text texture = {0};
    draft_sides(two ? 2 : 1, channels, draft->size, draft->flat, draft_elements(draft, 1),
                &texture);
    draft_line(draft, arena_printf(draft->arena, "? %s", parameter->text),
               "  - {name: %s, type: %s, count: %s, %s: {%s}}", parameter->name,
               element_name(seen ? parameter->texture_type : ELEMENT_F32), count ? count : "",
               !is_surface(parameter) ? "fill: random, texture"
               : is_update(parameter) ? "update: true, fill: random, surface"
               : is_output(parameter) ? "output: true, surface"
                                      : "fill: random, surface",
               text_string(&texture));
    text_free(&texture);
}

static bool is_stride(const struct signature_field *field)
{
    return strncasecmp(field->name, "stride", 6) == 0;
}

uint32_t draft_accessor_axes(const struct kernel_parameter *parameter)
{
    uint32_t places = 0, sizes = 0, strides = 0;
    for (size_t i = 0; i < parameter->field_count; i++) {
        const struct signature_field *field = &parameter->fields[i];
        if (!field->name || (!field->is_pointer && element_is_real(field->type)))
            return 0;
        if (field->is_pointer)
            places += field->count;
        else if (is_stride(field))
            strides += field->count;
        else if (strncasecmp(field->name, "size", 4) == 0)
            sizes += field->count;
        else
            return 0;
    }
    return places == 1 && sizes == strides && sizes <= AXES_MAX ? sizes : 0;
}

static const char *scalar_value(struct draft *draft, const struct kernel_parameter *parameter)
{
    size_t at = 0;
    const char *passed = place_of(draft, parameter, &at) ? draft_value_of(draft, at) : NULL;
    if (passed)
        return strpbrk(passed, ",[") ? arena_printf(draft->arena, "\"%s\"", passed) : passed;
    return draft_is_size(draft, parameter) ? draft->size : "1";
}

/* The name of an argument for the vector that a struct's member points to: "low_x" of "low.x". */
static const char *pointed_name(const struct draft *draft, const struct kernel_parameter *parameter,
                                const struct signature_field *field)
{
    char *name = arena_printf(draft->arena, "%s_%s", parameter->name, field->name);
    size_t kept = 0;
    for (const char *c = name; c && *c; c++)
        if (isalnum((unsigned char)*c) || *c == '_')
            name[kept++] = *c;
        else if (*c != ']')
            name[kept++] = '_';
    if (name)
        name[kept] = '\0';
    draft->out->failed |= !name;
    return name ? name : "";
}

/* One field: "{type: f32, value: 1, count: 3}". */
static const char *field_text(const struct draft *draft, const struct kernel_parameter *parameter,
                              const struct signature_field *field)
{
    const bool size = field->name && !element_is_real(field->type) && draft_names_size(field->name);
    const char *value = !field->name ? "0" : size ? draft->size : "1";
    const char *count =
        field->count > 1 ? arena_printf(draft->arena, ", count: %u", field->count) : "";
    const char *text = field->is_pointer
                           ? arena_printf(draft->arena, "{pointer: %s%s}",
                                          pointed_name(draft, parameter, field), count ? count : "")
                           : arena_printf(draft->arena, "{type: %s, value: %s%s}",
                                          element_name(field->type), value, count ? count : "");
    draft->out->failed |= !count || !text;
    return text ? text : "";
}

/* The vector that a field points to. What is done with it the kernel's text shows of an accessor.
 */
static struct kernel_parameter vector_of(const struct draft *draft,
                                         const struct kernel_parameter *parameter,
                                         const struct signature_field *field)
{
    const uint32_t axes = draft_accessor_axes(parameter);
    struct kernel_parameter vector = {
        .name = field->is_pointer ? pointed_name(draft, parameter, field) : NULL,
        .text = field->name ? field->name : "",
        .kind = PARAMETER_POINTER,
        .constant = field->constant,
        .known = field->known,
        .type = field->type,
        .lanes = field->lanes,
        .bytes = field->bytes,
        .is_hidden = true};
    if (axes == 0 && parameter->kind != PARAMETER_POINTER) /* but a variable */
        return vector;
    for (size_t i = 0; i < draft->kernel->template_count; i++)
        if (parameter->generic && field->known && field->type == draft->kernel->template[i].type &&
            strcmp(parameter->generic, draft->kernel->template[i].name) == 0)
            vector.generic = parameter->generic;
    vector.text = parameter->name;
    vector.is_seen = parameter->is_seen;
    vector.is_read = parameter->is_read;
    vector.is_written = parameter->is_written;
    /* `auto row = x[i];` is another name of a part of it; a const one is meant to be read. */
    vector.is_hidden = parameter->is_hidden || parameter->least_indices < axes;
    vector.constant |= !vector.is_written && strncmp(parameter->text, "const ", 6) == 0;
    return vector;
}

static void put_vectors(struct draft *draft, const struct kernel_parameter *parameter)
{
    for (size_t i = 0; i < parameter->field_count; i++) {
        const struct kernel_parameter vector = vector_of(draft, parameter, &parameter->fields[i]);
        if (parameter->fields[i].is_pointer)
            put_pointer(draft, &vector);
    }
}

/* Its rows lie one behind the other. All have n elements but those of the first axis, of which
 * there are as many as the vector has. */
static void put_accessor(struct draft *draft, const struct kernel_parameter *parameter)
{
    const uint32_t axes = draft_accessor_axes(parameter);
    draft_line(draft, arena_printf(draft->arena, "? %s", parameter->text),
               "  - name: %s\n    fields:", parameter->name);
    for (size_t i = 0; i < parameter->field_count; i++) {
        const struct signature_field *field = &parameter->fields[i];
        const char *type = element_name(field->type);
        if (field->is_pointer) {
            draft_line(draft, field->name, "      - %s", field_text(draft, parameter, field));
            continue;
        }
        for (uint32_t axis = 0; axis < axes; axis++)
            draft_line(draft, axis > 0 ? NULL : field->name, "      - {type: %s, value: %s}", type,
                       draft_power(draft, is_stride(field) ? axes - 1 - axis
                                          : axis > 0       ? 1
                                                           : draft->axes - axes + 1));
    }
    put_vectors(draft, parameter);
}

/* A few on one line, others each on its own, by name. `symbol`: the variable that it is; NULL: it
 * is passed. */
static void put_fields(struct draft *draft, const struct kernel_parameter *parameter,
                       const char *symbol)
{
    enum { LINE_FIELDS = 4 };
    const bool lines = parameter->field_count > LINE_FIELDS;
    const char *named =
        symbol ? arena_printf(draft->arena, lines ? "\n    symbol: \"%s\"" : ", symbol: \"%s\"",
                              symbol)
               : "";
    struct text fields = {0};
    draft->out->failed |= !named;
    named = named ? named : "";
    for (size_t i = 0; i < parameter->field_count && !lines; i++)
        text_printf(&fields, "%s%s", i ? ", " : "",
                    field_text(draft, parameter, &parameter->fields[i]));
    const char *comment = arena_printf(draft->arena, "? %s", parameter->text);
    if (lines)
        draft_line(draft, comment, "  - name: %s%s\n    fields:", parameter->name, named);
    else
        draft_line(draft, comment, "  - {name: %s, fields: [%s]%s}", parameter->name,
                   text_string(&fields), named);
    text_free(&fields);
    for (size_t i = 0; i < parameter->field_count && lines; i++) {
        const char *name = parameter->fields[i].name;
        draft_line(draft, name ? name : "bytes without a name", "      - %s",
                   field_text(draft, parameter, &parameter->fields[i]));
    }
    put_vectors(draft, parameter);
}

/* What the source gives a value is the kernel's own business, unless nothing else is written. */
static bool is_drafted(const struct draft *draft, const struct symbol_signature *symbol)
{
    return !symbol->has_value || (draft_is_result(symbol) && !draft->writes);
}

/* A pointer, or a struct that is no longer than an experiment's may be. */
static bool has_fields(const struct symbol_signature *symbol)
{
    const struct kernel_parameter *variable = &symbol->variable;
    size_t count = 0;
    for (size_t i = 0; i < variable->field_count; i++)
        count += variable->fields[i].count;
    return variable->kind == PARAMETER_POINTER ||
           (variable->kind == PARAMETER_STRUCT && !draft_is_result(symbol) && count > 0 &&
            count <= FIELDS_MAX);
}

static bool is_one_number(const struct symbol_signature *symbol)
{
    return symbol->variable.kind == PARAMETER_SCALAR && !symbol->is_array &&
           symbol->texture_axes == 0 && !draft_is_result(symbol);
}

static enum status put_symbols(struct draft *draft, struct error *error)
{
    const struct source_signature *signature = draft->request->signature;
    for (size_t i = 0; i < signature->symbol_count; i++) {
        const char *argument = NULL, *comment = NULL;
        const struct symbol_signature *symbol = &signature->symbols[i];
        if (!is_drafted(draft, symbol))
            continue;
        if (has_fields(symbol)) {
            put_fields(draft, &symbol->variable, symbol->name);
            continue;
        }
        if (is_one_number(symbol)) {
            draft_line(draft, arena_printf(draft->arena, "? %s", symbol->variable.text),
                       "  - {name: %s, type: %s, value: %s, symbol: \"%s\"}", symbol->variable.name,
                       element_name(symbol->type), scalar_value(draft, &symbol->variable),
                       symbol->name);
            continue;
        }
        enum status status = draft_symbol(draft->arena, symbol, draft->size, draft->flat,
                                          draft_elements(draft, 1), &argument, &comment, error);
        if (status != STATUS_OK)
            return status;
        draft_line(draft, comment, "  - %s", argument);
    }
    return STATUS_OK;
}

enum status draft_arguments(struct draft *draft, struct error *error)
{
    draft_line(draft, "in the order in which the kernel takes them; ? every count", "\narguments:");
    for (size_t i = 0; i < draft->kernel->parameter_count; i++) {
        const struct kernel_parameter *parameter = &draft->kernel->parameters[i];
        if (parameter->kind == PARAMETER_OTHER)
            return error_set(
                error, STATUS_BAD_INPUT,
                "kernel %s: parameter '%s' is passed by value, and is neither a number "
                "nor a struct: pass its parts, or a pointer",
                draft->kernel->name, parameter->text);
        if (parameter->kind == PARAMETER_POINTER)
            put_pointer(draft, parameter);
        else if (draft_accessor_axes(parameter) > 0)
            put_accessor(draft, parameter);
        else if (parameter->kind == PARAMETER_STRUCT)
            put_fields(draft, parameter, NULL);
        else if (is_texture(parameter) || is_surface(parameter))
            put_texture(draft, parameter);
        else
            draft_line(draft,
                       arena_printf(draft->arena, "%s%s",
                                    draft_is_size(draft, parameter) ? "" : "? ", parameter->text),
                       "  - {name: %s, type: %s, value: %s}", parameter->name,
                       type_of(draft, parameter), scalar_value(draft, parameter));
    }
    return put_symbols(draft, error);
}

/* Whether it points to any, which the kernel may write. */
static bool look_at_fields(struct draft *draft, const struct kernel_parameter *parameter)
{
    bool vectors = false;
    for (size_t i = 0; i < parameter->field_count; i++) {
        const struct kernel_parameter vector = vector_of(draft, parameter, &parameter->fields[i]);
        draft->writes |= parameter->fields[i].is_pointer && is_output(&vector);
        vectors |= parameter->fields[i].is_pointer;
    }
    return vectors;
}

enum status draft_results(struct draft *draft, struct error *error)
{
    const struct source_signature *signature = draft->request->signature;
    bool vectors = false, results = false;
    size_t held = 0;
    for (size_t i = 0; i < draft->kernel->parameter_count; i++) {
        const struct kernel_parameter *parameter = &draft->kernel->parameters[i];
        draft->writes |= is_output(parameter);
        vectors |= look_at_fields(draft, parameter);
        vectors |= parameter->kind == PARAMETER_POINTER || draft_is_size(draft, parameter);
    }
    for (size_t i = 0; i < signature->symbol_count; i++) {
        const struct symbol_signature *symbol = &signature->symbols[i];
        draft->writes |= draft_is_result(symbol) && !symbol->has_value;
        if (!symbol->has_value && has_fields(symbol))
            vectors |= look_at_fields(draft, &symbol->variable);
        results |= draft_is_result(symbol);
        if (draft_is_result(symbol) && draft_symbol_elements(symbol) > held)
            held = draft_symbol_elements(symbol);
    }
    draft->held = vectors ? 0 : held;
    if (draft->writes || results)
        return STATUS_OK;
    return error_set(error, STATUS_BAD_INPUT,
                     "kernel %s writes neither to what it is given nor to a variable of the "
                     "source: there is nothing to check; let it leave its result in an array",
                     draft->kernel->name);
}

void draft_bytes(struct draft *draft, struct text *out)
{
    const struct source_signature *signature = draft->request->signature;
    const char *all = draft_elements(draft, 1);
    struct text each = {0}; /* of what has as many elements as there are */
    size_t count = 0;
    for (size_t i = 0; i < draft->kernel->parameter_count; i++) {
        const struct kernel_parameter *parameter = &draft->kernel->parameters[i];
        if (parameter->kind != PARAMETER_POINTER || !parameter->known)
            continue;
        const uint32_t bytes =
            (is_update(parameter) ? 2 : 1) * (uint32_t)element_bytes(parameter->type);
        const char *known = known_count(draft, parameter);
        if (!known || strcmp(known, all) == 0)
            text_printf(&each, "%s%u", count++ ? " + " : "", bytes * parameter->lanes);
        else
            text_printf(out, strpbrk(known, "+-/%") ? "%s%u * (%s)" : "%s%u * %s",
                        out->length ? " + " : "", bytes, known);
    }
    for (size_t i = 0; i < signature->symbol_count; i++)
        if (signature->symbols[i].texture_axes > 0 && !signature->symbols[i].is_row)
            text_printf(&each, "%s%u", count++ ? " + " : "", signature->symbols[i].bytes);
    if (count > 0)
        text_printf(out, count > 1 || out->length == 0 ? "%s(%s) * %s" : "%s%s * %s",
                    out->length ? " + " : "", text_string(&each), all);
    out->failed |= each.failed;
    text_free(&each);
}
