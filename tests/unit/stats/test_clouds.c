/* Groups of timings whose truth is known: how often two are found where there is one, and missed
 * where there are two. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulation.h"
#include "tests/unit/suite.h"
#include "tuner/stats/clouds.h"

enum { PROCESSES = 8, ROUNDS = 20, BLOCKS = 2, MOST = PROCESSES * ROUNDS * BLOCKS, REPEATS = 400 };

struct source {
    struct random random;
    double level; /* level of the process */
    double gap, share, sigma;
};

typedef double (*make_off)(struct source *source, size_t round);

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- the dip ---- */

/* The worked example of the paper's authors: 63 faculties, whose dip is 0.05952381. */
TEST(the_dip_is_that_of_the_literature)
{
    double faculties[] = {30, 33, 35, 36, 37, 37, 39, 39, 39, 39, 39, 40, 40, 40, 40, 41,
                          42, 43, 43, 43, 44, 44, 45, 45, 46, 46, 47, 47, 48, 48, 48, 49,
                          50, 50, 51, 52, 52, 53, 53, 53, 53, 53, 54, 54, 57, 57, 59, 60,
                          60, 60, 61, 61, 61, 61, 62, 62, 62, 62, 63, 66, 70, 72, 72};
    enum { FACULTIES = sizeof faculties / sizeof *faculties };
    for (size_t i = 0; i < FACULTIES; i++)
        faculties[i] += 1e-9 * (double)i; /* all different */
    assert_true(fabs(dip_of(faculties, FACULTIES) - 0.05952381) < 1e-7);
}

TEST(the_dip_of_plain_cases_is_known)
{
    double even[100];
    double halves[100];
    for (size_t i = 0; i < 100; i++) {
        even[i] = (double)i;
        halves[i] = (i < 50 ? 0 : 1e6) + (double)i;
    }
    assert_true(fabs(dip_of(even, 100) - 1.0 / 200) < 1e-12); /* the smallest possible */
    assert_true(fabs(dip_of(halves, 100) - 0.25) < 0.01);     /* the largest possible */
    assert_true(isnan(dip_of(even, 0)));
}

/* The table of critical values, made anew: 0.5 % of uniform numbers lie above. */
TEST(uniform_numbers_are_rejected_as_often_as_is_said)
{
    static const size_t counts[] = {4, 8, 12, 20, 40, 80, 160, 320, 640};
    struct random random = {5, 0};
    double numbers[640];
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        size_t repeats = counts[k] <= 40 ? 20000 : 4000;
        size_t above = 0;
        for (size_t repeat = 0; repeat < repeats; repeat++) {
            for (size_t i = 0; i < counts[k]; i++)
                numbers[i] = uniform(&random);
            qsort(numbers, counts[k], sizeof *numbers, compare_doubles);
            above += dip_of(numbers, counts[k]) > dip_critical(counts[k]) ? 1 : 0;
        }
        double share = (double)above / (double)repeats;
        print_message("%zu uniform numbers: rejected %.2f %%\n", counts[k], 100 * share);
        assert_true(share <= 0.0075 && share >= 0.0015);
    }
}

/* ---- one group ---- */

static double normal_off(struct source *source, size_t round)
{
    (void)round;
    return source->level + source->sigma * normal(&source->random);
}

/* Drifts by about 1 % over forty rounds. */
static double walking_off(struct source *source, size_t round)
{
    (void)round;
    source->level += 0.0011 * normal(&source->random);
    return source->level + source->sigma * normal(&source->random);
}

static double skewed_off(struct source *source, size_t round)
{
    (void)round;
    return source->level - 0.004 * log(uniform(&source->random));
}

static double spiked_off(struct source *source, size_t round)
{
    return normal_off(source, round) + (uniform(&source->random) < 0.05 ? log(3.0) : 0);
}

static double flat_off(struct source *source, size_t round)
{
    (void)round;
    return source->level + 0.02 * uniform(&source->random);
}

/* ---- two groups ---- */

static double mixed_off(struct source *source, size_t round)
{
    double off = normal_off(source, round);
    return off + (uniform(&source->random) < source->share ? source->gap : 0);
}

/* Fills `samples`, read with a timer of `tick_ns`; `spread`: of processes. */
static void fill(struct source *source, make_off make, double spread, bool by_process,
                 double tick_ns, struct cloud_sample samples[MOST])
{
    size_t count = 0;
    for (size_t p = 0; p < PROCESSES; p++) {
        bool slow = by_process && uniform(&source->random) < source->share;
        source->level = spread * normal(&source->random) + (slow ? source->gap : 0);
        for (size_t i = 0; i < ROUNDS * BLOCKS; i++) {
            double ns = 20000 * exp(make(source, i / BLOCKS));
            if (tick_ns > 0)
                ns = tick_ns * floor(ns / tick_ns + 0.5);
            samples[count++] = (struct cloud_sample){ns, tick_ns, p + 1};
        }
    }
}

static double share_found(struct source source, make_off make, double spread, bool by_process,
                          double tick_ns, const char *name)
{
    static struct cloud_sample samples[MOST];
    size_t found = 0;
    for (size_t repeat = 0; repeat < REPEATS; repeat++) {
        struct clouds clouds;
        fill(&source, make, spread, by_process, tick_ns, samples);
        assert_true(clouds_find(samples, MOST, 0, &clouds));
        found += clouds.found ? 1 : 0;
    }
    print_message("%s: two groups found in %.1f %% of %d\n", name, 100.0 * (double)found / REPEATS,
                  REPEATS);
    return (double)found / REPEATS;
}

TEST(one_group_is_hardly_ever_told_as_two)
{
    const struct source plain = {.random = {11, 0}, .sigma = 0.0025};
    assert_true(share_found(plain, normal_off, 0, false, 0, "normal") <= 0.015);
    assert_true(share_found(plain, normal_off, 0.003, false, 0, "processes differ") <= 0.015);
    assert_true(share_found(plain, walking_off, 0, false, 0, "a device that drifts") <= 0.015);
    assert_true(share_found(plain, skewed_off, 0.001, false, 0, "skewed") <= 0.015);
    assert_true(share_found(plain, spiked_off, 0.001, false, 0, "5 % of accidents") <= 0.015);
    assert_true(share_found(plain, flat_off, 0, false, 0, "flat, the hardest") <= 0.02);
    /* A timer that is coarser than the noise makes crowds that are none. */
    assert_true(share_found(plain, normal_off, 0, false, 200, "a coarse timer") <= 0.015);
}

TEST(two_groups_are_found)
{
    struct source source = {.random = {12, 0}, .sigma = 0.0015, .gap = 0.008, .share = 0.6};
    assert_true(share_found(source, mixed_off, 0.001, false, 0, "60 and 40 %, 0.8 % apart") > 0.98);
    source.share = 0.75;
    source.gap = 0.01;
    assert_true(share_found(source, mixed_off, 0.001, false, 0, "25 and 75 %, 1 % apart") > 0.9);
    source.share = 0.5;
    source.sigma = 0.001;
    assert_true(share_found(source, normal_off, 0.0002, true, 0, "half of the processes") > 0.3);
}

TEST(what_is_found_is_told_with_its_numbers)
{
    static struct cloud_sample samples[MOST];
    struct source source = {.random = {13, 0}, .sigma = 0.0015, .gap = 0.008, .share = 0.4};
    struct clouds clouds;
    char text[CLOUDS_TEXT_BYTES];
    fill(&source, mixed_off, 0, false, 32, samples);
    assert_true(clouds_find(samples, MOST, 0.0025, &clouds));
    assert_true(clouds.found && !clouds.by_process);
    assert_true(fabs(clouds.apart - 0.008) < 0.0005);
    assert_true(fabs(clouds.share[0] - 0.6) < 0.06);
    assert_true(fabs(clouds.share[0] + clouds.share[1] - 1) < 1e-12);
    assert_true(fabs(clouds.time_ns[0] - 20000) < 10 && fabs(clouds.time_ns[1] - 20161) < 10);
    clouds_text(&clouds, text);
    assert_memory_equal(text, "times form two groups 0.8 % apart: ", 35);
    assert_non_null(strstr(text, " % at 20.0"));
    assert_true(clouds_find(samples, MOST, 0.0095, &clouds)); /* nearer than the least distance */
    assert_false(clouds.found);
    clouds_text(&clouds, text);
    assert_string_equal(text, "");
    /* Processes: five in the faster group, three in the other. */
    for (size_t i = 0; i < MOST; i++)
        samples[i].elapsed_ns = (samples[i].process <= 3 ? 20200 : 20000) + (double)(i * 37 % 41);
    assert_true(clouds_find(samples, MOST, 0.0025, &clouds));
    assert_true(clouds.found && clouds.by_process && fabs(clouds.share[0] - 0.625) < 1e-12);
    clouds_text(&clouds, text);
    assert_non_null(
        strstr(text, "two groups 1.0 % apart, by process: 62 % at 20.02 us, 38 % at 20.22 us"));
    /* Few, none, and such as cannot be. */
    assert_true(clouds_find(samples, CLOUDS_SAMPLES_MIN - 1, 0, &clouds));
    assert_false(clouds.found);
    assert_true(clouds_find(samples, 0, 0, &clouds));
    assert_false(clouds.found);
    for (size_t i = 0; i < MOST; i++)
        samples[i].elapsed_ns = i % 2 ? -1 : (double)NAN;
    assert_true(clouds_find(samples, MOST, 0, &clouds));
    assert_false(clouds.found);
    for (size_t i = 0; i < MOST; i++)
        samples[i] = (struct cloud_sample){1000, 0, 0}; /* all alike */
    assert_true(clouds_find(samples, MOST, 0, &clouds));
    assert_false(clouds.found);
}

TEST_MAIN(NULL, NULL)
