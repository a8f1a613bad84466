/* Each row of LENGTH elements reduced to one on a CPU; a block of the grid takes `block` rows.
 *
 * ELEMENT       element type: int, float, ...
 * AFFINE        0: the sum. 1: composition, in their order, of the maps x -> a x + b mod 2^32
 *               (a: high half of a u64, made odd; b: low half)
 * LENGTH        elements of a row
 * WIDTH         lanes of a vector, a power of two; 1: scalars. Sums only
 * ACCUMULATORS  independent partial results of a row; where order counts, each of a part of the row
 *
 * Arguments: 0 in, 1 out, 2 rows, 3 block. */

#ifndef WIDTH
#define WIDTH 1
#endif
#ifndef ACCUMULATORS
#define ACCUMULATORS 1
#endif

/* Integers are added as unsigned ones: a sum that overflows wraps, as on a GPU. */
typedef __typeof__(_Generic((ELEMENT)0, signed char
                            : (unsigned char)0, short
                            : (unsigned short)0, int : 0u, long : 0ul, long long : 0ull, default
                            : (ELEMENT)0)) element;

#if AFFINE
struct map {
    unsigned int a, b;
};

static struct map map_of(element bits)
{
    return (struct map){(unsigned int)(bits >> 32) | 1, (unsigned int)bits};
}

/* left comes first in the order of the row. */
static struct map compose(struct map left, struct map right)
{
    return (struct map){left.a * right.a, left.a * right.b + left.b};
}

static element reduce_row(const element *row)
{
    enum { PART = LENGTH / ACCUMULATORS };
    struct map part[ACCUMULATORS];
    for (int p = 0; p < ACCUMULATORS; p++)
        part[p] = (struct map){1, 0};
    for (int i = 0; i < PART; i++)
#pragma GCC unroll 16
        for (int p = 0; p < ACCUMULATORS; p++)
            part[p] = compose(part[p], map_of(row[p * PART + i]));
    for (int p = 1; p < ACCUMULATORS; p++)
        part[0] = compose(part[0], part[p]);
    for (int i = PART * ACCUMULATORS; i < LENGTH; i++)
        part[0] = compose(part[0], map_of(row[i]));
    return (element)part[0].a << 32 | part[0].b;
}
#else
#if WIDTH > 1
/* Aligned as an element only, since a row may start anywhere. */
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

static element reduce_row(const element *row)
{
    enum { STEP = WIDTH * ACCUMULATORS };
    vector total[ACCUMULATORS];
    int i = 0;
    for (int a = 0; a < ACCUMULATORS; a++)
        total[a] = (vector){0};
    for (; i + STEP <= LENGTH; i += STEP)
#pragma GCC unroll 16
        for (int a = 0; a < ACCUMULATORS; a++)
            total[a] += *(const vector *)(row + i + a * WIDTH);
    for (int a = 1; a < ACCUMULATORS; a++)
        total[0] += total[a];
    element result = sum_of_lanes(total[0]);
    for (; i < LENGTH; i++)
        result += row[i];
    return result;
}
#endif

void reduce_rows(const struct tune_block *block, void *const *arguments)
{
    const element *in = arguments[0];
    element *out = arguments[1];
    const long long rows = *(const long long *)arguments[2];
    const long long of_block = *(const long long *)arguments[3];
    const long long first = block->index * of_block;
    const long long end = rows - first < of_block ? rows : first + of_block;
    for (long long row = first; row < end; row++)
        out[row] = reduce_row(in + row * LENGTH);
}
