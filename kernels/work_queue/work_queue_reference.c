/* What the items' recurrences come to, one after the other; costs as in work_queue.cu and
 * work_queue_cpu.c. Arguments: 0 seeds, 4 n. */
#include <stddef.h>
#include <stdint.h>

enum { REGION = SKEWED == 2 ? 8 : 64, DEAR_STEPS = SKEWED == 2 ? 1024 : 8192 };

static uint32_t steps_of(size_t item, size_t n)
{
#if SKEWED
    const uint32_t cluster = (uint32_t)(item / 256);
    const uint32_t dear = (cluster / REGION + 1) * UINT32_C(0x9e3779b1) >> 26;
    return item < n / 4 && cluster % REGION == dear % REGION ? DEAR_STEPS : 8;
#else
    (void)item;
    (void)n;
    return 40;
#endif
}

void work_queue_reference(void *const *arguments, struct tune_expected *expected)
{
    const uint32_t *seeds = arguments[0];
    const size_t n = (size_t) * (const long long *)arguments[4];

    for (size_t item = 0; item < n; item++) {
        const uint32_t steps = steps_of(item, n);
        uint32_t x = seeds[item];
        for (uint32_t step = 0; step < steps; step++)
            x = (x ^ x >> 15) * UINT32_C(0x2c1b3c6d) + UINT32_C(0x9e3779b9);
        expected[item] = (struct tune_expected){.integer = x};
    }
}
