/* Whether what is known elsewhere is believed. */
#include "synthetic.h"

enum { SEARCHES = 16, TRIALS = 60, TOLD = 300 };

/* Five levels, and noise that differs from device to device: most pairs of points are as good as
 * each other. */
static double level_time(const struct synthetic *synthetic, uint64_t point, uint64_t shift,
                         uint64_t device)
{
    const double level = floor(fmin(3 * log(landscape(synthetic, point, shift) / 1e5), 4));
    return 1e5 * exp(0.1 * level + 1e-5 * (double)(random_at(device, point) % 1000));
}

/* How many of the searches said that it did not hold. */
static size_t misled_searches(const struct synthetic *synthetic, bool turned_over)
{
    size_t misled = 0;
    for (uint64_t shift = 1; shift <= SEARCHES; shift++) {
        struct search *search = begin(synthetic, "surrogate", TRIALS, shift);
        uint64_t point;
        for (size_t i = 0; i < TOLD; i++) {
            uint16_t values[SEARCH_DIMENSIONS_MAX];
            const uint64_t told = random_at(shift, i) % synthetic->space.count;
            const double value = level_time(synthetic, told, shift, 1);
            synthetic_values(synthetic, told, values);
            search_tell_elsewhere(search, 3, values, turned_over ? 1e10 / value : value);
        }
        while (search_ask(search, &point))
            search_tell(search, point, level_time(synthetic, point, shift, 2));
        misled += search_was_misled(search) ? 1 : 0;
        search_free(search);
    }
    return misled;
}

/* The order of points that are as good as each other is noise: it is no sign that another device
 * misleads. One that does is seen through all the same. */
static void test_ties_are_no_sign(void **state)
{
    (void)state;
    struct synthetic synthetic;
    synthetic_make(&synthetic, 7, coupled_counts, coupled);
    const size_t held = misled_searches(&synthetic, false);
    const size_t turned_over = misled_searches(&synthetic, true);
    print_message("of %d: %zu misled by what holds, %zu by what is turned over\n", SEARCHES, held,
                  turned_over);
    assert_in_range(held, 0, SEARCHES / 8);
    assert_in_range(turned_over, SEARCHES - SEARCHES / 8, SEARCHES);
    synthetic_free(&synthetic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ties_are_no_sign)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
