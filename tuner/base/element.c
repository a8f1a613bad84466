#include "tuner/base/element.h"

#include "tuner/base/array.h"
#include "tuner/base/text.h"

const char *const element_names[] = {
#define ELEMENT_NAME(enumerator, name, c_name, bytes, real) name,
    ELEMENT_TYPE_LIST(ELEMENT_NAME)
#undef ELEMENT_NAME
};

const char *const element_c_names[] = {
#define ELEMENT_C_NAME(enumerator, name, c_name, bytes, real) c_name,
    ELEMENT_TYPE_LIST(ELEMENT_C_NAME)
#undef ELEMENT_C_NAME
};

bool element_from_name(const char *name, enum element_type *out)
{
    const size_t index = WORD_INDEX(name, element_names, ELEMENT_TYPE_COUNT);
    if (index < ELEMENT_TYPE_COUNT)
        *out = (enum element_type)index;
    return index < ELEMENT_TYPE_COUNT;
}

bool element_from_c_name(const char *name, enum element_type *out)
{
    static const struct {
        const char *name;
        enum element_type type;
    } known[] = {{"int", ELEMENT_I32},
                 {"int32_t", ELEMENT_I32},
                 {"unsigned", ELEMENT_U32},
                 {"unsigned int", ELEMENT_U32},
                 {"uint", ELEMENT_U32},
                 {"uint32_t", ELEMENT_U32},
                 {"long", ELEMENT_I64},
                 {"long long", ELEMENT_I64},
                 {"int64_t", ELEMENT_I64},
                 {"unsigned long", ELEMENT_U64},
                 {"unsigned long long", ELEMENT_U64},
                 {"uint64_t", ELEMENT_U64},
                 {"size_t", ELEMENT_U64},
                 {"short", ELEMENT_I16},
                 {"int16_t", ELEMENT_I16},
                 {"unsigned short", ELEMENT_U16},
                 {"uint16_t", ELEMENT_U16},
                 {"char", ELEMENT_I8},
                 {"int8_t", ELEMENT_I8},
                 {"unsigned char", ELEMENT_U8},
                 {"uint8_t", ELEMENT_U8},
                 {"half", ELEMENT_F16},
                 {"__half", ELEMENT_F16},
                 {"nv_bfloat16", ELEMENT_BF16},
                 {"__nv_bfloat16", ELEMENT_BF16},
                 {"float", ELEMENT_F32},
                 {"double", ELEMENT_F64}};
    const size_t index = ROW_INDEX(name, known, name);
    if (index < COUNT(known))
        *out = known[index].type;
    return index < COUNT(known);
}

void element_integer_range(enum element_type type, int64_t *least, int64_t *most)
{
    unsigned bits = (unsigned)element_bytes(type) * 8;
    bool is_unsigned = !element_is_real(type) && !element_is_signed(type);
    *least = is_unsigned ? 0 : bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
    *most = bits == 64    ? INT64_MAX
            : is_unsigned ? (INT64_C(1) << bits) - 1
                          : (INT64_C(1) << (bits - 1)) - 1;
}
