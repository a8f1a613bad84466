/* Sum of n elements on a CPU.
 *
 * ELEMENT       element type: int, float, ...
 * WIDTH         lanes of a vector, a power of two; 1: scalars
 * ACCUMULATORS  independent partial sums of a block, so that additions need not wait for one another
 *
 * Arguments: 0 in, 1 out, 2 partials, 3 block, 4 n, 5 partial_count. */

#ifndef WIDTH
#define WIDTH 1
#endif
#ifndef ACCUMULATORS
#define ACCUMULATORS 1
#endif

/* Integers are added as unsigned ones: a sum that overflows wraps, as on a GPU. */
typedef __typeof__(_Generic((ELEMENT)0,
                   signed char: (unsigned char)0,
                   short: (unsigned short)0,
                   int: 0u,
                   long: 0ul,
                   long long: 0ull,
                   default: (ELEMENT)0)) element;

#if WIDTH > 1
/* Aligned as an element only, since a block may start anywhere. */
typedef element vector
    __attribute__((vector_size(WIDTH * sizeof(element)), aligned(sizeof(element)), may_alias));
#else
typedef element vector;
#endif

static element sum_of_lanes(vector value)
{
#if WIDTH > 1
    element sum = value[0];
    for (int lane = 1; lane < WIDTH; lane++)
        sum += value[lane];
    return sum;
#else
    return value;
#endif
}

static element sum(const element *x, long long count)
{
    enum { STEP = WIDTH * ACCUMULATORS };
    vector total[ACCUMULATORS];
    long long i = 0;
    for (int a = 0; a < ACCUMULATORS; a++)
        total[a] = (vector){0};
    for (; i + STEP <= count; i += STEP)
#pragma GCC unroll 16
        for (int a = 0; a < ACCUMULATORS; a++)
            total[a] += *(const vector *)(x + i + a * WIDTH);
    for (int a = 1; a < ACCUMULATORS; a++)
        total[0] += total[a];
    element result = sum_of_lanes(total[0]);
    for (; i < count; i++)
        result += x[i];
    return result;
}

/* Each block sums `block` elements; a grid of one block writes the result itself. */
void reduce_blocks(const struct tune_block *block, void *const *arguments)
{
    const element *in = arguments[0];
    element *result = block->count == 1 ? arguments[1] : arguments[2];
    const long long elements = *(const long long *)arguments[3];
    const long long n = *(const long long *)arguments[4];
    const long long start = block->index * elements;
    const long long left = n - start;
    result[block->index] = sum(in + start, left < elements ? left : elements);
}

/* Adds the partial sums in the order of the blocks, so that the result is the same each time. */
void reduce_partials(const struct tune_block *block, void *const *arguments)
{
    const element *partials = arguments[2];
    const long long count = *(const long long *)arguments[5];
    element result = 0;
    (void)block;
    for (long long i = 0; i < count; i++)
        result += partials[i];
    *(element *)arguments[1] = result;
}

/* What one writes first. */
void reduce_loop(const struct tune_block *block, void *const *arguments)
{
    const element *in = arguments[0];
    const long long n = *(const long long *)arguments[4];
    element result = 0;
    (void)block;
    for (long long i = 0; i < n; i++)
        result += in[i];
    *(element *)arguments[1] = result;
}
