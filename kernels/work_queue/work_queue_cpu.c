/* n items of unequal cost on a CPU; an item is a recurrence over its seed, as many steps as the
 * item costs. What thread takes which is up to the launch: a grid of chunks, shared out or queued.
 *
 * SKEWED  0: every item costs the same. 1: one item in 256 costs 1024 times as much as the others.
 *         2: one in 32 costs 128 times as much. Dear items lie together: clusters of 256, all of
 *         them in the first quarter
 *
 * Arguments: 0 seeds, 1 out, 2 chunk, 3 chunk_count, 4 n. */

enum { CLUSTER = 256, REGION = SKEWED == 2 ? 8 : 64, DEAR_STEPS = SKEWED == 2 ? 1024 : 8192 };

/* In the first quarter one cluster in REGION is dear; which, a hash of the region's number says. */
static unsigned int steps_of(long long item, long long n)
{
#if SKEWED
    const unsigned int cluster = (unsigned int)(item / CLUSTER);
    const unsigned int dear = (cluster / REGION + 1) * 0x9e3779b1u >> 26;
    return item < n / 4 && cluster % REGION == dear % REGION ? DEAR_STEPS : 8;
#else
    (void)item;
    (void)n;
    return 40;
#endif
}

static void do_chunk(void *const *arguments, long long index)
{
    const unsigned int *seeds = arguments[0];
    unsigned int *out = arguments[1];
    const long long chunk = *(const long long *)arguments[2];
    const long long n = *(const long long *)arguments[4];
    const long long first = index * chunk;
    const long long end = n - first < chunk ? n : first + chunk;
    for (long long item = first; item < end; item++) {
        const unsigned int steps = steps_of(item, n);
        unsigned int x = seeds[item];
        for (unsigned int step = 0; step < steps; step++)
            x = (x ^ x >> 15) * 0x2c1b3c6du + 0x9e3779b9u;
        out[item] = x;
    }
}

/* A chunk a block. */
void work_chunk(const struct tune_block *block, void *const *arguments)
{
    do_chunk(arguments, block->index);
}

/* Fewer blocks than chunks: blocks take chunks in turn. */
void work_stride(const struct tune_block *block, void *const *arguments)
{
    const long long count = *(const long long *)arguments[3];
    for (long long index = block->index; index < count; index += block->count)
        do_chunk(arguments, index);
}
