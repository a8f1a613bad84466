#include "tuner/device/cuda/signature_fields.h"

#include "tuner/device/cuda/host_part.h"

#include <stdlib.h>
#include <string.h>

enum { POINTER_BYTES = 8 };

/* ---- numbers of a symbol ---- */

static const enum element_type coded_types[TYPE_CODES + 1] = {
    0,           ELEMENT_I8,  ELEMENT_U8,  ELEMENT_I16,  ELEMENT_U16, ELEMENT_I32, ELEMENT_U32,
    ELEMENT_I64, ELEMENT_U64, ELEMENT_F16, ELEMENT_BF16, ELEMENT_F32, ELEMENT_F64};

enum element_type coded_type(int code)
{
    return coded_types[code];
}

void put_type_numbers(struct text *text, const char *probe, const char *what)
{
    static const char *const members[] = {"pointer", "constant", "value",
                                          "lanes",   "bytes",    "elements"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        text_printf(text, ", %s::%s::tune_%s", probe, what, members[i]);
}

bool take_number(const char **at, int *out)
{
    *at = strstr(*at, "Li");
    if (!*at)
        return false;
    char *end = NULL;
    long number = strtol(*at + 2, &end, 10);
    *out = (int)number;
    bool ends = end > *at + 2 && *end == 'E';
    *at = end;
    return ends;
}

bool take_type_numbers(const char **at, struct type_numbers *out)
{
    return take_number(at, &out->pointer) && take_number(at, &out->constant) &&
           take_number(at, &out->code) && take_number(at, &out->lanes) &&
           take_number(at, &out->bytes) && take_number(at, &out->elements) && out->code >= 0 &&
           out->code <= TYPE_CODES;
}

/* ---- asking ---- */

/* The name of the declared type: `options` of "const struct options opt", `view` of
 * "deep::view<float, 2> v". */
static const char *type_word(struct arena *arena, const struct kernel_parameter *parameter)
{
    struct tokens tokens;
    const char *word = NULL;
    if (!tokens_read(arena, parameter->text, &tokens))
        return NULL;
    for (size_t i = 0; i < tokens.count; i++) {
        if (token_is(&tokens, i, "<"))
            i = tokens_behind_angle(&tokens, i);
        if (i < tokens.count && tokens.items[i].kind == TOKEN_NAME &&
            !token_is(&tokens, i, parameter->name) &&
            !token_is_in(&tokens, i, "const struct __grid_constant__"))
            word = tokens_text(arena, &tokens, i, i + 1);
    }
    return word;
}

/* With PyTorch's accessors behind them, where the source names one. False: memory is short. */
static bool with_accessors(struct arena *arena, const struct tokens *tokens, struct tokens *out)
{
    struct tokens header;
    bool named = false;
    for (size_t i = 0; i < tokens->count && !named; i++)
        named = token_is_in(tokens, i,
                            "PackedTensorAccessor PackedTensorAccessor32 PackedTensorAccessor64 "
                            "GenericPackedTensorAccessor");
    *out = *tokens;
    if (!named)
        return true;
    if (!tokens_read(arena, cuda_header_torch, &header))
        return false;
    out->count += header.count;
    out->items = arena_alloc(arena, out->count, sizeof *out->items);
    if (!out->items)
        return false;
    memcpy(out->items, tokens->items, tokens->count * sizeof *out->items);
    memcpy(out->items + tokens->count, header.items, header.count * sizeof *out->items);
    return true;
}

static bool list_fields(struct arena *arena, const struct tokens *tokens,
                        struct kernel_parameter *parameter)
{
    const char *names[SIGNATURE_FIELDS_MAX];
    const char *word = strchr(parameter->text, '*') ? NULL : type_word(arena, parameter);
    parameter->field_count = word ? members_of(arena, tokens, word, names) : 0;
    parameter->fields = arena_alloc(arena, parameter->field_count + 1, sizeof *parameter->fields);
    for (size_t i = 0; parameter->fields && i < parameter->field_count; i++)
        parameter->fields[i] = (struct signature_field){.name = names[i]};
    return parameter->fields;
}

bool fields_list(struct arena *arena, const struct tokens *tokens, struct kernel_signature *kernel,
                 struct source_signature *out)
{
    bool listed = true;
    struct tokens all;
    if (!with_accessors(arena, tokens, &all))
        return false;
    for (size_t i = 0; i < kernel->parameter_count; i++)
        listed = listed && list_fields(arena, &all, &kernel->parameters[i]);
    for (size_t i = 0; i < out->symbol_count; i++)
        if (!out->symbols[i].is_array)
            listed = listed && list_fields(arena, &all, &out->symbols[i].variable);
    return listed;
}

/* Structs are numbered: first those of parameters, then of variables. */
static size_t number_of_variable(size_t symbol)
{
    return ARGUMENTS_MAX + symbol;
}

static void put_questions(struct text *text, const char *probe,
                          const struct kernel_parameter *parameter, size_t number)
{
    for (size_t i = 0; i < parameter->field_count; i++) {
        char what[64];
        (void)string_format(what, sizeof what, "tune_field_%zu_%zu", number, i);
        put_type_numbers(text, probe, what);
        text_printf(text, ", %s::tune_place_%zu_%zu::tune_value", probe, number, i);
    }
}

void fields_put_questions(struct text *text, const char *probe,
                          const struct kernel_signature *kernel)
{
    for (size_t i = 0; i < kernel->parameter_count; i++)
        put_questions(text, probe, &kernel->parameters[i], i);
}

void fields_put_variables(struct text *text, const char *probe, const struct source_signature *out)
{
    for (size_t i = 0; i < out->symbol_count; i++)
        put_questions(text, probe, &out->symbols[i].variable, number_of_variable(i));
}

static void put_types(struct text *text, const struct kernel_parameter *parameter, size_t number)
{
    for (size_t i = 0; i < parameter->field_count; i++)
        text_printf(text,
                    "typedef tune_shape<decltype(tune_struct_%zu::%s)> tune_field_%zu_%zu;\n"
                    "struct tune_place_%zu_%zu { static constexpr int tune_value = "
                    "TUNE_PLACE(tune_struct_%zu, %s); };\n",
                    number, parameter->fields[i].name, number, i, number, i, number,
                    parameter->fields[i].name);
}

void fields_put_types(struct text *text, const struct kernel_signature *kernel,
                      const struct source_signature *out)
{
    size_t unconditional = 0; /* of those in front: the others may not be there */
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        const struct kernel_parameter *parameter = &kernel->parameters[i];
        if (parameter->field_count > 0)
            text_printf(text,
                        "typedef tune_asked::tune_at<tune_asked::tune_count == %zu ? %zu : %zu>::"
                        "tune_type tune_struct_%zu;\n",
                        kernel->parameter_count, i, unconditional, i);
        unconditional += !parameter->conditional;
        put_types(text, parameter, i);
    }
    for (size_t i = 0; i < out->symbol_count; i++) {
        const size_t number = number_of_variable(i);
        if (out->symbols[i].variable.field_count > 0)
            text_printf(text, "typedef tune_bare<decltype(::%s)>::tune_type tune_struct_%zu;\n",
                        out->symbols[i].name, number);
        put_types(text, &out->symbols[i].variable, number);
    }
}

/* Whether the compiler's message says that there is no such member, or that it is private. */
static bool is_refused(const char *message, const char *name)
{
    char text[256];
    const char *last = strrchr(name, '.');
    last = last ? last + 1 : name;
    (void)string_format(text, sizeof text, " has no member \"%s\"", last);
    if (strstr(message, text))
        return true;
    (void)string_format(text, sizeof text, "::%s\"", last);
    return strstr(message, text) && strstr(message, "is inaccessible");
}

/* How many; without a message all. */
static size_t drop_fields(struct kernel_parameter *parameter, const char *message)
{
    const size_t before = parameter->field_count;
    parameter->field_count = 0;
    for (size_t i = 0; i < before && message; i++)
        if (!is_refused(message, parameter->fields[i].name))
            parameter->fields[parameter->field_count++] = parameter->fields[i];
    return before - parameter->field_count;
}

bool fields_drop(struct kernel_signature *kernel, struct source_signature *out, const char *message)
{
    size_t dropped = 0;
    for (size_t i = 0; i < kernel->parameter_count; i++)
        dropped += drop_fields(&kernel->parameters[i], message);
    for (size_t i = 0; i < out->symbol_count; i++)
        dropped += drop_fields(&out->symbols[i].variable, message);
    for (size_t i = 0; i < kernel->parameter_count && dropped == 0; i++)
        dropped = drop_fields(&kernel->parameters[i], NULL);
    for (size_t i = 0; i < out->symbol_count && dropped == 0; i++)
        dropped = drop_fields(&out->symbols[i].variable, NULL);
    return dropped > 0;
}

/* ---- the answer ---- */

struct layout {
    struct signature_field *fields;
    size_t count;
    size_t end; /* bytes */
};

/* So many bytes of anything: the longer numbers where they fit. */
static void add_bytes(struct layout *layout, size_t end)
{
    while (layout->end < end) {
        const size_t gap = end - layout->end;
        const bool longer = layout->end % 8 == 0 && gap >= 8;
        const size_t count = longer                      ? gap / 8
                             : gap < 8 - layout->end % 8 ? gap
                                                         : 8 - layout->end % 8;
        layout->fields[layout->count++] =
            (struct signature_field){.type = longer ? ELEMENT_U64 : ELEMENT_U8,
                                     .count = (uint32_t)count,
                                     .known = true,
                                     .lanes = 1};
        layout->end += longer ? count * 8 : count;
    }
}

/* How many bytes the member has, and what it is as a field; 0: it is none that C would lay out. */
static size_t as_field(const struct type_numbers *numbers, struct signature_field *field)
{
    const size_t elements = numbers->elements > 0 ? (size_t)numbers->elements : 0;
    const size_t lanes = numbers->lanes > 0 ? (size_t)numbers->lanes : 1;
    field->is_pointer = numbers->pointer == 1;
    field->constant = numbers->constant;
    field->known = numbers->code > 0;
    field->type = coded_type(numbers->code);
    field->lanes = (uint32_t)lanes;
    field->bytes = elements == 1 ? (uint32_t)numbers->bytes : 0;
    field->count = (uint32_t)(field->is_pointer ? elements : elements * lanes);
    if (field->is_pointer)
        return elements * POINTER_BYTES;
    const size_t bytes = field->known ? field->count * element_bytes(field->type) : 0;
    return bytes == (size_t)numbers->bytes ? bytes : 0;
}

bool fields_take_pointer(struct arena *arena, const struct type_numbers *numbers,
                         struct kernel_parameter *variable)
{
    variable->field_count = 1;
    variable->fields = arena_alloc(arena, 1, sizeof *variable->fields);
    if (!variable->fields)
        return false;
    variable->fields[0].name = "data";
    (void)as_field(numbers, &variable->fields[0]);
    return true;
}

bool fields_take(struct arena *arena, const char **answer, struct kernel_parameter *parameter)
{
    enum { GAP_FIELDS = 3 }; /* bytes, longer numbers, bytes */
    const size_t asked = parameter->field_count;
    struct layout layout = {
        .fields = arena_alloc(arena, (asked + 1) * (1 + GAP_FIELDS), sizeof *layout.fields)};
    if (!layout.fields)
        return false;
    for (size_t i = 0; i < asked; i++) {
        struct type_numbers numbers;
        int offset = 0;
        if (!take_type_numbers(answer, &numbers) || !take_number(answer, &offset))
            return false;
        struct signature_field field = parameter->fields[i];
        const size_t bytes = as_field(&numbers, &field);
        const size_t unit = field.is_pointer ? POINTER_BYTES : element_bytes(field.type);
        /* Out of turn, or of a layout of its own: it is among the bytes without a name. */
        if (bytes == 0 || (size_t)offset < layout.end || (size_t)offset % unit != 0)
            continue;
        if ((layout.end + unit - 1) / unit * unit != (size_t)offset)
            add_bytes(&layout, (size_t)offset);
        layout.fields[layout.count++] = field;
        layout.end = (size_t)offset + bytes;
    }
    if (parameter->kind != PARAMETER_STRUCT && parameter->kind != PARAMETER_OTHER)
        return true;
    size_t largest = 1;
    for (size_t i = 0; i < layout.count; i++) {
        const struct signature_field *field = &layout.fields[i];
        const size_t unit = field->is_pointer ? POINTER_BYTES : element_bytes(field->type);
        largest = unit > largest ? unit : largest;
    }
    if ((layout.end + largest - 1) / largest * largest != parameter->bytes)
        add_bytes(&layout, parameter->bytes);
    parameter->fields = layout.fields;
    parameter->field_count = layout.count;
    parameter->kind = layout.count > 0 ? PARAMETER_STRUCT : PARAMETER_OTHER;
    return true;
}
