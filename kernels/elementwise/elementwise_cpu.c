/* Element by element on a CPU: out = a + b, out = a, or out = value.
 *
 * ELEMENT    element type: int, float, ...
 * INPUTS     2: out = a + b; 1: out = a; 0: out = value
 * WIDTH      lanes of a vector, a power of two; 1: scalars, and what the compiler makes of them
 * STREAMING  1: stores that pass by the caches, where the processor has them (x86)
 *
 * Arguments: 0 a, 1 b, 2 out, 3 value, 4 n, 5 block. */

#ifndef WIDTH
#define WIDTH 1
#endif
#if STREAMING && defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Integers are added as unsigned ones: what overflows wraps, as on a GPU. */
typedef __typeof__(_Generic((ELEMENT)0, signed char
                            : (unsigned char)0, short
                            : (unsigned short)0, int : 0u, long : 0ul, long long : 0ull, default
                            : (ELEMENT)0)) element;

#if WIDTH > 1
/* Aligned as an element only, since a block may start anywhere. */
typedef element vector
    __attribute__((vector_size(WIDTH * sizeof(element)), aligned(sizeof(element)), may_alias));
#else
typedef element vector;
#endif

static element one(const element *a, const element *b, element value, long long i)
{
    if (INPUTS == 0)
        return value;
    return INPUTS == 1 ? a[i] : a[i] + b[i];
}

static vector several(const element *a, const element *b, element value, long long i)
{
    if (INPUTS == 0)
        return value - (vector){0};
    if (INPUTS == 1)
        return *(const vector *)(a + i);
    return *(const vector *)(a + i) + *(const vector *)(b + i);
}

#if STREAMING && defined(__SSE2__)
enum { STORE_BYTES = 16 };

/* `to` is a multiple of STORE_BYTES. */
static void store(element *to, vector value)
{
    _Static_assert(WIDTH * sizeof(element) % STORE_BYTES == 0, "WIDTH: whole streaming stores");
    for (unsigned i = 0; i < sizeof value / STORE_BYTES; i++) {
        __m128i part;
        __builtin_memcpy(&part, (const char *)&value + i * STORE_BYTES, STORE_BYTES);
        _mm_stream_si128((__m128i *)to + i, part);
    }
}

/* Other threads see what was streamed once they see that this one is done. */
static void finish(void)
{
    _mm_sfence();
}
#else
enum { STORE_BYTES = sizeof(element) };

static void store(element *to, vector value)
{
    *(vector *)to = value;
}

static void finish(void)
{
}
#endif

/* Each block makes `block` elements. */
void elementwise_blocks(const struct tune_block *block, void *const *arguments)
{
    const element value = *(const element *)arguments[3];
    const long long n = *(const long long *)arguments[4];
    const long long elements = *(const long long *)arguments[5];
    const long long start = block->index * elements;
    const long long end = n - start < elements ? n : start + elements;
    const element *a = arguments[0];
    const element *b = arguments[1];
    element *out = arguments[2];
    long long i = start;

    for (; i < end && (unsigned long long)(out + i) % STORE_BYTES != 0; i++)
        out[i] = one(a, b, value, i);
    for (; i + WIDTH <= end; i += WIDTH)
        store(out + i, several(a, b, value, i));
    for (; i < end; i++)
        out[i] = one(a, b, value, i);
    finish();
}

/* What one writes first. */
void elementwise_loop(const struct tune_block *block, void *const *arguments)
{
    const element *a = arguments[0];
    const element *b = arguments[1];
    element *out = arguments[2];
    const element value = *(const element *)arguments[3];
    const long long n = *(const long long *)arguments[4];
    (void)block;
    for (long long i = 0; i < n; i++)
        out[i] = one(a, b, value, i);
}
