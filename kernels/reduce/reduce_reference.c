/* n elements reduced to one, plainly. -DOP=sum -DTYPE=f16: sum, product, min, max of i8 u8 i16 u16
 * i32 u32 i64 u64 f16 bf16 f32 f64.
 *
 * Integers wrap: sums and products of up to 4 bytes are 32-bit. Reals are added and multiplied in
 * float64; what a tolerance is relative to is the sum of |x|, for products 1, which suits data
 * whose products are 1 or -1. Of min and max: NaN counts as missing, -0 is less than +0. No
 * elements give 0, 1, the largest, the smallest; of reals the infinities.
 *
 * Arguments: 0 in, 4 n. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

#define OP_sum     1
#define OP_product 2
#define OP_min     3
#define OP_max     4
#define IS(op)     (JOIN(OP_, OP) == OP_##op)

#define KIND_i8   1
#define KIND_u8   2
#define KIND_i16  1
#define KIND_u16  2
#define KIND_i32  1
#define KIND_u32  2
#define KIND_i64  1
#define KIND_u64  2
#define KIND_f32  3
#define KIND_f64  3
#define KIND_f16  4
#define KIND_bf16 5
#define KIND      JOIN(KIND_, TYPE)
#define IS_REAL   (KIND >= 3)

typedef int8_t i8;
typedef uint8_t u8;
typedef int16_t i16;
typedef uint16_t u16;
typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;
typedef float f32;
typedef double f64;
typedef struct {
    uint16_t bits;
} f16;
typedef struct {
    uint16_t bits;
} bf16;

enum { LANES = 64 }; /* results that do not wait for one another */

#define BITS (8 * sizeof(TYPE))

#if KIND == 4
static inline double real_of(f16 x)
{
    uint32_t bits = (uint32_t)(x.bits & 0x7fff) << 13;
    float real;
    memcpy(&real, &bits, sizeof real);
    real *= 0x1p112f; /* exponents count from another 0; subnormals become normal */
    memcpy(&bits, &real, sizeof bits);
    bits |= (x.bits & 0x7c00) == 0x7c00 ? 0x7f800000u : 0;
    bits |= (uint32_t)(x.bits & 0x8000) << 16;
    memcpy(&real, &bits, sizeof real);
    return real;
}
#elif KIND == 5
static inline double real_of(bf16 x)
{
    const uint32_t bits = (uint32_t)x.bits << 16;
    float real;
    memcpy(&real, &bits, sizeof real);
    return real;
}
#elif IS_REAL
static inline double real_of(TYPE x)
{
    return x;
}
#endif

#if IS_REAL && (IS(min) || IS(max))
/* Signed integers in the order of the reals whose bits they are made of, -0 before +0, and back. */
#define KEY_f16  i16
#define KEY_bf16 i16
#define KEY_f32  i32
#define KEY_f64  i64
typedef JOIN(KEY_, TYPE) key;
#define INFINITY_f16  INT16_C(0x7c00)
#define INFINITY_bf16 INT16_C(0x7f80)
#define INFINITY_f32  INT32_C(0x7f800000)
#define INFINITY_f64  INT64_C(0x7ff0000000000000)
static const key infinity = JOIN(INFINITY_, TYPE);
static const key missing = IS(min) ? JOIN(INFINITY_, TYPE) : (key)~JOIN(INFINITY_, TYPE);
static const key low_bits = (key)(((uint64_t)1 << (BITS - 1)) - 1);

static inline key swapped(key bits)
{
    return bits < 0 ? (key)(bits ^ low_bits) : bits;
}

static inline key key_of(TYPE x)
{
    key bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & low_bits) > infinity ? missing : swapped(bits);
}
#endif

/* A state is what a lane has; `empty` is that of no elements. */
#if IS_REAL && (IS(sum) || IS(product))
typedef double state;
#define state_of(x) real_of(x)
#elif IS_REAL
typedef key state;
#define state_of(x) key_of(x)
#elif IS(sum) || IS(product)
#define WRAPS_i8    u32
#define WRAPS_u8    u32
#define WRAPS_i16   u32
#define WRAPS_u16   u32
#define WRAPS_i32   u32
#define WRAPS_u32   u32
#define WRAPS_i64   u64
#define WRAPS_u64   u64
typedef JOIN(WRAPS_, TYPE) state;
#define state_of(x) ((state)(x))
#else
typedef TYPE state;
#define state_of(x) (x)
#endif

static state empty(void)
{
#if IS(sum)
    return 0;
#elif IS(product)
    return 1;
#elif IS_REAL
    return missing;
#elif KIND == 1
    const int64_t most = (int64_t)((UINT64_C(1) << (BITS - 1)) - 1);
    return (state)(IS(min) ? most : -1 - most);
#else
    return IS(min) ? (state)UINT64_MAX : 0;
#endif
}

static inline state combined(state a, state b)
{
#if IS(sum)
    return a + b;
#elif IS(product)
    return a * b;
#elif IS(min)
    return b < a ? b : a;
#else
    return a < b ? b : a;
#endif
}

static void put(struct tune_expected *expected, state value, double magnitude)
{
#if !IS_REAL
    (void)magnitude;
    expected->integer = (long long)value;
#elif IS(sum) || IS(product)
    expected->real = value;
    expected->magnitude = magnitude;
#else
    const key bits = swapped(value);
    TYPE x;
    (void)magnitude;
    memcpy(&x, &bits, sizeof x);
    expected->real = real_of(x);
    expected->magnitude = fabs(expected->real);
#endif
}

void reduce_reference(void *const *arguments, struct tune_expected *expected)
{
    const TYPE *in = arguments[0];
    const size_t n = (size_t) * (const long long *)arguments[4];
    state lanes[LANES];
    double magnitudes[LANES] = {0};
    size_t i = 0;

    for (size_t lane = 0; lane < LANES; lane++)
        lanes[lane] = empty();
    for (; i + LANES <= n; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++) {
            const state x = state_of(in[i + lane]);
            lanes[lane] = combined(lanes[lane], x);
            if (IS_REAL && IS(sum))
                magnitudes[lane] += fabs((double)x);
        }
    for (; i < n; i++) {
        lanes[0] = combined(lanes[0], state_of(in[i]));
        if (IS_REAL && IS(sum))
            magnitudes[0] += fabs((double)state_of(in[i]));
    }
    for (size_t lane = 1; lane < LANES; lane++) {
        lanes[0] = combined(lanes[0], lanes[lane]);
        magnitudes[0] += magnitudes[lane];
    }
    put(expected, lanes[0], IS(product) ? 1 : magnitudes[0]);
}
