/* n elements reduced to one on a CPU.
 *
 * OP            sum, product, min, max
 * TYPE          i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64
 * WIDTH         elements of a vector, a power of two; 1: scalars
 * ACCUMULATORS  independent partial results of a block, so that operations need not wait for one
 *               another
 *
 * Sums and products: integers of up to 4 bytes wrap in 32 bits, others in 64; f16 and bf16 are
 * combined in binary32, and the result is one. Of min and max NaN counts as missing, and -0 is less
 * than +0; they are those of integers in the same order as the reals.
 *
 * Arguments: 0 in, 1 out, 2 partials (8 bytes each), 3 block, 4 n, 5 partial_count. */
#include <string.h>

#ifndef WIDTH
#define WIDTH 1
#endif
#ifndef ACCUMULATORS
#define ACCUMULATORS 1
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

#define OP_sum     1
#define OP_product 2
#define OP_min     3
#define OP_max     4
#define IS(op)     (JOIN(OP_, OP) == OP_##op)
#define IS_EXTREME (IS(min) || IS(max))

/* 1: signed, 2: unsigned, 3: as C has it, 4: IEEE binary16, 5: bfloat16. */
#define KIND_i8   1
#define KIND_i16  1
#define KIND_i32  1
#define KIND_i64  1
#define KIND_u8   2
#define KIND_u16  2
#define KIND_u32  2
#define KIND_u64  2
#define KIND_f32  3
#define KIND_f64  3
#define KIND_f16  4
#define KIND_bf16 5
#define KIND      JOIN(KIND_, TYPE)
#define IS_REAL   (KIND >= 3)

#define BITS_i8   8
#define BITS_u8   8
#define BITS_i16  16
#define BITS_u16  16
#define BITS_f16  16
#define BITS_bf16 16
#define BITS_i32  32
#define BITS_u32  32
#define BITS_f32  32
#define BITS_i64  64
#define BITS_u64  64
#define BITS_f64  64
#define BITS      JOIN(BITS_, TYPE)

typedef signed char signed8;
typedef unsigned char unsigned8;
typedef short signed16;
typedef unsigned short unsigned16;
typedef int signed32;
typedef unsigned int unsigned32;
typedef long long signed64;
typedef unsigned long long unsigned64;

/* element: what is loaded; accumulator: what elements are combined in. Signed integers are added as
 * unsigned ones, which wrap. */
#if IS_EXTREME
#if KIND == 2
typedef JOIN(unsigned, BITS) element;
#else
typedef JOIN(signed, BITS) element;
#endif
typedef element accumulator;
#elif IS_REAL
#if KIND == 3 && BITS == 32
typedef float element;
#elif KIND == 3
typedef double element;
#else
typedef unsigned16 element;
#endif
typedef __typeof__(_Generic((element)0, double : (double)0, default : (float)0)) accumulator;
#elif BITS <= 16
#if KIND == 2
typedef JOIN(unsigned, BITS) element;
#else
typedef JOIN(signed, BITS) element;
#endif
typedef unsigned32 accumulator;
#else
typedef JOIN(unsigned, BITS) element;
typedef element accumulator;
#endif

#if WIDTH > 1
#define VECTOR_OF(type) type __attribute__((vector_size(WIDTH * sizeof(type))))
/* Aligned as an element only, since a block may start anywhere. */
typedef element elements
    __attribute__((vector_size(WIDTH * sizeof(element)), aligned(sizeof(element)), may_alias));
typedef VECTOR_OF(accumulator) accumulators;
typedef VECTOR_OF(signed16) halfwords;
typedef VECTOR_OF(signed32) words;
typedef VECTOR_OF(float) reals;
#define CONVERTED(value, type) __builtin_convertvector(value, type)
#define AS_BITS(value, type)   ((type)(value))
#define MASK(condition, type)  ((type)(condition)) /* all bits where it holds */
#else
typedef element elements;
typedef accumulator accumulators;
typedef signed16 halfwords;
typedef signed32 words;
typedef float reals;
#define CONVERTED(value, type) ((type)(value))
#define AS_BITS(value, type)                                                                       \
    (((union {                                                                                     \
         __typeof__(value) from;                                                                   \
         type to;                                                                                  \
     }){value})                                                                                    \
         .to)
#define MASK(condition, type) ((type)(condition) ? (type) ~(type)0 : (type)0)
#endif

#if IS_EXTREME && IS_REAL
/* The bits of a real as an integer of the same order, and back; that of a NaN is neutral. */
#if KIND == 5
#define INFINITY_BITS 0x7f80
#elif BITS == 16
#define INFINITY_BITS 0x7c00
#elif BITS == 32
#define INFINITY_BITS 0x7f800000
#else
#define INFINITY_BITS 0x7ff0000000000000
#endif
#define LOW_BITS ((element)(((unsigned64)1 << (BITS - 1)) - 1))
#define NEUTRAL  ((element)(IS(min) ? INFINITY_BITS : ~(signed64)INFINITY_BITS))

static accumulators swapped(accumulators bits)
{
    return bits ^ ((bits >> (BITS - 1)) & LOW_BITS);
}

static accumulators widened(elements bits)
{
    const accumulators missing = MASK((bits & LOW_BITS) > (element)INFINITY_BITS, accumulators);
    return (swapped(bits) & ~missing) | (NEUTRAL & missing);
}
#elif IS_EXTREME
#define MOST    ((unsigned64)-1 >> (64 - BITS + (KIND == 1)))
#define NEUTRAL ((element)(IS(min) ? MOST : KIND == 1 ? ~MOST : 0))

static accumulators widened(elements values)
{
    return values;
}
#elif KIND == 4
static accumulators widened(elements bits)
{
    const words all = CONVERTED(bits, words);
    const words rest = (all & 0x7fff) << 13;
    /* Exponents count from another 0; subnormals become normal. */
    const reals real = AS_BITS(rest, reals) * 0x1p112f;
    const words scaled = AS_BITS(real, words);
    const words special = MASK(rest >= 0x7c00 << 13, words); /* infinity, NaN */
    return AS_BITS(scaled | (special & 0x7f800000) | ((all & 0x8000) << 16), reals);
}
#elif KIND == 5
static accumulators widened(elements bits)
{
    return AS_BITS(CONVERTED(bits, words) << 16, reals);
}
#elif BITS == 8
/* In two steps, which gcc 12 has instructions for. */
static accumulators widened(elements values)
{
    const halfwords wider = CONVERTED(values, halfwords);
    return CONVERTED(wider, accumulators);
}
#else
static accumulators widened(elements values)
{
    return CONVERTED(values, accumulators);
}
#endif

#if IS_EXTREME
#define IDENTITY NEUTRAL
#else
#define IDENTITY ((accumulator)IS(product))
#endif

static accumulator combined(accumulator a, accumulator b)
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

static accumulators combine(accumulators a, accumulators b)
{
#if WIDTH > 1 && IS_EXTREME
    const accumulators mask = MASK(IS(min) ? b < a : a < b, accumulators);
    return (b & mask) | (a & ~mask);
#elif IS(sum)
    return a + b;
#elif IS(product)
    return a * b;
#else
    return combined(a, b);
#endif
}

/* Not inlined: gcc 12 would keep what it looks into in memory all the while. */
static __attribute__((noinline)) accumulator combined_lanes(accumulators value)
{
#if WIDTH > 1
    accumulator result = value[0];
    for (int lane = 1; lane < WIDTH; lane++)
        result = combined(result, value[lane]);
    return result;
#else
    return value;
#endif
}

/* The last elements, fewer than a vector: the accumulators of others are neutral. */
static accumulators widened_some(const element *x, long long count)
{
#if WIDTH > 1
    elements some = (elements){0};
    memcpy(&some, x, (unsigned long long)count * sizeof(element));
    accumulators wide = widened(some);
    for (long long lane = count; lane < WIDTH; lane++)
        wide[lane] = IDENTITY;
    return wide;
#else
    (void)count;
    return widened(*x);
#endif
}

static accumulator reduced(const element *x, long long count)
{
    enum { STEP = WIDTH * ACCUMULATORS };
    accumulators total[ACCUMULATORS];
    long long i = 0;
    for (int a = 0; a < ACCUMULATORS; a++)
        total[a] = (accumulators){0} + IDENTITY;
    for (; i + STEP <= count; i += STEP)
#pragma GCC unroll 16
        for (int a = 0; a < ACCUMULATORS; a++)
            total[a] = combine(total[a], widened(*(const elements *)(x + i + a * WIDTH)));
    accumulators all = total[0];
    for (int a = 1; a < ACCUMULATORS; a++)
        all = combine(all, total[a]);
    for (; i < count; i += WIDTH)
        all = combine(all, widened_some(x + i, count - i < WIDTH ? count - i : WIDTH));
    return combined_lanes(all);
}

static void put(void *out, accumulator value)
{
#if IS_EXTREME && IS_REAL
    value = value ^ ((value >> (BITS - 1)) & LOW_BITS);
#endif
    memcpy(out, &value, sizeof value);
}

/* Each block reduces `block` elements; a grid of one block writes the result itself. */
void reduce_blocks(const struct tune_block *block, void *const *arguments)
{
    const element *in = arguments[0];
    const long long elements_of_block = *(const long long *)arguments[3];
    const long long n = *(const long long *)arguments[4];
    const long long start = block->index * elements_of_block;
    const long long left = n - start;
    const accumulator value =
        reduced(in + start, left < elements_of_block ? left : elements_of_block);
    if (block->count == 1)
        put(arguments[1], value);
    else
        memcpy((unsigned64 *)arguments[2] + block->index, &value, sizeof value);
}

/* Combines the partial results in the order of the blocks, so that the result is the same each
 * time. */
void reduce_partials(const struct tune_block *block, void *const *arguments)
{
    const unsigned64 *partials = arguments[2];
    const long long count = *(const long long *)arguments[5];
    accumulator result = IDENTITY;
    (void)block;
    for (long long i = 0; i < count; i++) {
        accumulator partial;
        memcpy(&partial, partials + i, sizeof partial);
        result = combined(result, partial);
    }
    put(arguments[1], result);
}

#if WIDTH == 1
/* What one writes first. */
void reduce_loop(const struct tune_block *block, void *const *arguments)
{
    const element *in = arguments[0];
    const long long n = *(const long long *)arguments[4];
    accumulator result = IDENTITY;
    (void)block;
    for (long long i = 0; i < n; i++)
        result = combined(result, widened(in[i]));
    put(arguments[1], result);
}
#endif

/* A program may include this for several WIDTHs, under other names. */
#undef CONVERTED
#undef AS_BITS
#undef MASK
