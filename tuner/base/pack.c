#include "tuner/base/pack.h"

#include <math.h>
#include <string.h>

#include "tuner/base/fill.h"
#include "tuner/base/hash.h"

bool scalar_bytes(struct value value, enum element_type type, unsigned char out[8])
{
    double real = 0;
    memset(out, 0, 8);
    if (!value_number(value, &real))
        return false;
    if (element_is_real(type)) {
        element_from_real(real, type, out);
        return type == ELEMENT_F64 || isfinite(element_to_real(out, type));
    }
    int64_t integer = value.integer;
    if (value.kind == VALUE_REAL) {
        if (!(real >= -0x1p63 && real < 0x1p63) || real != floor(real))
            return false;
        integer = (int64_t)real;
    }
    int64_t least = 0, most = 0;
    element_integer_range(type, &least, &most);
    memcpy(out, &integer, element_bytes(type));
    return integer >= least && integer <= most;
}

/* Appends a field. Every element type is aligned to its size. */
static size_t field_end(size_t start, enum element_type type, size_t *field_start)
{
    size_t size = element_bytes(type);
    *field_start = (start + size - 1) / size * size;
    return *field_start + size;
}

size_t argument_bytes(const struct argument *argument)
{
    size_t end = 0, widest = 1, start = 0;
    for (size_t i = 0; argument->role == ARGUMENT_STRUCT && i < argument->field_count; i++) {
        const size_t field = element_bytes(argument->fields[i].type);
        end = field_end(end, argument->fields[i].type, &start);
        widest = field > widest ? field : widest;
    }
    if (argument->role == ARGUMENT_STRUCT)
        return (end + widest - 1) / widest * widest;
    const size_t size = element_bytes(argument->type);
    return argument->role == ARGUMENT_SCALAR ? size : (size_t)argument->count * size;
}

size_t argument_symbol_bytes(const struct argument *argument)
{
    return argument_is_texture_symbol(argument) ? sizeof(uint64_t) : argument_bytes(argument);
}

enum status argument_fits_symbol(const struct argument *argument, size_t room, struct error *error)
{
    size_t bytes = argument_symbol_bytes(argument);
    return bytes <= room ? STATUS_OK
                         : error_set(error, STATUS_BAD_INPUT,
                                     "argument '%s' has %zu bytes, and the variable '%s' only %zu",
                                     argument->name, bytes, argument->symbol, room);
}

size_t argument_passed_bytes(const struct argument *argument)
{
    return role_is_vector(argument->role) ? sizeof(void *) : argument_bytes(argument);
}

enum status argument_pack(const struct argument *argument, unsigned char out[VALUE_BYTES_MAX],
                          size_t *bytes, struct error *error)
{
    memset(out, 0, VALUE_BYTES_MAX);
    *bytes = argument_bytes(argument);
    if (argument->role == ARGUMENT_STRUCT) {
        size_t end = 0;
        for (size_t i = 0; i < argument->field_count; i++) {
            const struct field *field = &argument->fields[i];
            unsigned char element[8];
            size_t start = 0;
            if (!scalar_bytes(field->value, field->type, element))
                return error_set(error, STATUS_BAD_INPUT,
                                 "argument '%s': the value of field %zu does not fit %s",
                                 argument->name, i + 1, element_name(field->type));
            end = field_end(end, field->type, &start);
            memcpy(out + start, element, end - start);
        }
        return STATUS_OK;
    }
    if (!scalar_bytes(argument->scalar, argument->type, out))
        return error_set(error, STATUS_BAD_INPUT, "argument '%s': its value does not fit %s",
                         argument->name, element_name(argument->type));
    return STATUS_OK;
}

void argument_point(const struct argument *argument, size_t target, uint64_t address,
                    unsigned char packed[VALUE_BYTES_MAX])
{
    size_t end = 0;
    for (size_t i = 0; i < argument->field_count; i++) {
        const struct field *field = &argument->fields[i];
        size_t start = 0;
        end = field_end(end, field->type, &start);
        if (field->points_to != target + 1)
            continue;
        const uint64_t to = address + (uint64_t)field->value.integer;
        memcpy(packed + start, &to, sizeof to);
    }
}

uint64_t argument_contents(const struct argument *argument)
{
    const struct {
        uint64_t kind, seed, variant, few, ends, count;
        double low, high;
    } parts = {
        (uint64_t)argument->type << 32 | (uint64_t)argument->fill,
        argument->seed,
        argument->variant,
        argument->few,
        argument->ends,
        /* `few` elements are spread over `count`, and the last one is at its end */
        argument->few > 0 || argument->ends > 0 ? (uint64_t)argument->count : 0,
        argument->fill_low,
        argument->fill_high,
    };
    const char *text = argument->fill_text ? argument->fill_text : "";
    uint64_t hash = hash_u64(text, strlen(text), hash_u64(&parts, sizeof parts, 0));
    return hash ? hash : 1;
}
