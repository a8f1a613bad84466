/* n elements combined by an operator that is associative and not commutative, in their order, on a
 * CPU. A block of the grid takes neighbouring elements, as CHAINS runs of neighbours at once, so
 * that one combination need not wait for another.
 *
 * OPERATOR  0 affine_u32, 1 matrix_u32, 2 matrix_f32; operator.cuh says what elements are, and how
 *           those of any bits become some that do not hide one another
 * CHAINS    independent partial results of a block
 *
 * Arguments: 0 in, 1 out, 2 partials, 3 block, 4 n, 5 partial_count. */

#ifndef CHAINS
#define CHAINS 1
#endif

#if OPERATOR == 0
struct element {
    unsigned int factor, offset;
};
static const struct element identity = {1, 0};

static struct element value_of(struct element of)
{
    return (struct element){of.factor | 1, of.offset};
}

/* left comes first. */
static struct element combine(struct element left, struct element right)
{
    return (struct element){left.factor * right.factor, left.factor * right.offset + left.offset};
}
#else
#if OPERATOR == 1
typedef unsigned int number;
#else
typedef float number;
#endif
struct element {
    number at[4];
};
static const struct element identity = {{1, 0, 0, 1}};

static struct element value_of(struct element of)
{
#if OPERATOR == 1
    return (struct element){{of.at[0] | 1, of.at[1] & ~1u, of.at[2], of.at[3] | 1}};
#else
    return (struct element){{of.at[0] < 0 ? -1 : 1, of.at[1], 0, of.at[3] < 0 ? -1 : 1}};
#endif
}

static struct element combine(struct element left, struct element right)
{
    const number *a = left.at, *b = right.at;
    return (struct element){{a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                             a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]}};
}
#endif

static struct element combined(const struct element *x, long long count)
{
    const long long run = count / CHAINS;
    struct element part[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        part[c] = identity;
    for (long long i = 0; i < run; i++)
#pragma GCC unroll 16
        for (int c = 0; c < CHAINS; c++)
            part[c] = combine(part[c], value_of(x[c * run + i]));
    for (int c = 1; c < CHAINS; c++)
        part[0] = combine(part[0], part[c]);
    for (long long i = CHAINS * run; i < count; i++)
        part[0] = combine(part[0], value_of(x[i]));
    return part[0];
}

/* Each block takes `block` elements; a grid of one block writes the result itself. */
void reduce_ordered_blocks(const struct tune_block *block, void *const *arguments)
{
    const struct element *in = arguments[0];
    struct element *result = block->count == 1 ? arguments[1] : arguments[2];
    const long long elements = *(const long long *)arguments[3];
    const long long n = *(const long long *)arguments[4];
    const long long start = block->index * elements;
    const long long left = n - start;
    result[block->index] = combined(in + start, left < elements ? left : elements);
}

/* The partial results in the order of their blocks. */
void reduce_ordered_partials(const struct tune_block *block, void *const *arguments)
{
    const struct element *partials = arguments[2];
    const long long count = *(const long long *)arguments[5];
    struct element result = identity;
    (void)block;
    for (long long i = 0; i < count; i++)
        result = combine(result, partials[i]);
    *(struct element *)arguments[1] = result;
}
