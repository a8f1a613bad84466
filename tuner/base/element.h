/* The element types of kernel arguments, in one list. */
#ifndef TUNE_BASE_ELEMENT_H
#define TUNE_BASE_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(enumerator, name, C name, bytes, is a floating type). f16 (IEEE binary16) and bf16 (the upper
 * half of a binary32) have no C type: their bits are passed. */
#define ELEMENT_TYPE_LIST(X)                                                                       \
    X(ELEMENT_I8, "i8", "signed char", 1, 0)                                                       \
    X(ELEMENT_U8, "u8", "unsigned char", 1, 0)                                                     \
    X(ELEMENT_I16, "i16", "short", 2, 0)                                                           \
    X(ELEMENT_U16, "u16", "unsigned short", 2, 0)                                                  \
    X(ELEMENT_I32, "i32", "int", 4, 0)                                                             \
    X(ELEMENT_U32, "u32", "unsigned int", 4, 0)                                                    \
    X(ELEMENT_I64, "i64", "long long", 8, 0)                                                       \
    X(ELEMENT_U64, "u64", "unsigned long long", 8, 0)                                              \
    X(ELEMENT_F16, "f16", "unsigned short", 2, 1)                                                  \
    X(ELEMENT_BF16, "bf16", "unsigned short", 2, 1)                                                \
    X(ELEMENT_F32, "f32", "float", 4, 1)                                                           \
    X(ELEMENT_F64, "f64", "double", 8, 1)

enum element_type {
#define ELEMENT_ENUMERATOR(enumerator, name, c_name, bytes, real) enumerator,
    ELEMENT_TYPE_LIST(ELEMENT_ENUMERATOR)
#undef ELEMENT_ENUMERATOR
        ELEMENT_TYPE_COUNT
};

/* Inline for the device's compiler, too (element_bits.h). */
static inline size_t element_bytes(enum element_type type)
{
#define ELEMENT_WIDTH(enumerator, name, c_name, bytes, real)                                       \
    (((uint64_t)((bytes) > 1) + ((bytes) > 2) + ((bytes) > 4)) << 2 * (enumerator)) |
    return (size_t)1 << ((ELEMENT_TYPE_LIST(ELEMENT_WIDTH) 0) >> 2 * type & 3);
#undef ELEMENT_WIDTH
}

static inline bool element_is_real(enum element_type type)
{
#define ELEMENT_REAL(enumerator, name, c_name, bytes, real) ((real) << (enumerator)) |
    return ((ELEMENT_TYPE_LIST(ELEMENT_REAL) 0) >> type & 1) != 0;
#undef ELEMENT_REAL
}

static inline bool element_is_signed(enum element_type type)
{
    return type == ELEMENT_I8 || type == ELEMENT_I16 || type == ELEMENT_I32 || type == ELEMENT_I64;
}

#ifndef __CUDACC_RTC__ /* the host's */
extern const char *const element_names[ELEMENT_TYPE_COUNT];
extern const char *const element_c_names[ELEMENT_TYPE_COUNT];
static inline const char *element_name(enum element_type type)
{
    return element_names[type];
}
#endif
/* Returns the range of an integer type, as far as int64_t reaches. */
void element_integer_range(enum element_type type, int64_t *least, int64_t *most);
/* Finds the type; false when no type has that name, and *out is unchanged. */
bool element_from_name(const char *name, enum element_type *out);
/* Finds the type of an arithmetic type of C and CUDA, by any of its names: "unsigned", "size_t",
 * "uint8_t", "half". */
bool element_from_c_name(const char *name, enum element_type *out);

#endif
