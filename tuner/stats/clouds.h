/* Whether timings form two groups, "clouds", instead of one: then the group in which a process or a
 * block lands matters more than the differences between configurations. */
#ifndef TUNE_STATS_CLOUDS_H
#define TUNE_STATS_CLOUDS_H

#include <stdbool.h>
#include <stddef.h>

struct cloud_sample {
    double elapsed_ns;    /* times of one run; values of 0 and below count as missing */
    double resolution_ns; /* the timer's tick, per run; 0: fine */
    size_t process;
};

struct clouds {
    bool found;
    bool by_process;   /* whole processes land in one or the other; else blocks do */
    double apart;      /* distance of medians: 0.008 is 0.8 % */
    double share[2];   /* shares of the timings, the faster group first */
    double time_ns[2]; /* medians */
};

enum { CLOUDS_SAMPLES_MIN = 20, CLOUDS_PROCESSES_MIN = 8 };

/* Finds two groups if the dip test rejects the hypothesis of one (J. A. Hartigan, P. M. Hartigan:
 * The Dip Test of Unimodality, Annals of Statistics 13, 1985, 70-84), for the timings around their
 * processes' means or for these means, at 1 % over both, and if they lie at least `apart_least` (a
 * share, say delta) apart. The uniform distribution is the test's hardest unimodal one, so that the
 * chance of a false alarm is at most 1 %, and far less for times that crowd around a centre. False:
 * no memory. */
bool clouds_find(const struct cloud_sample *samples, size_t count, double apart_least,
                 struct clouds *clouds);

/* Formats "times form two groups 0.8 % apart: 60 % at 89.0 us, 40 % at 89.7 us", "... by process
 * ..."; "" if there are none. */
enum { CLOUDS_TEXT_BYTES = 128 };
void clouds_text(const struct clouds *clouds, char out[CLOUDS_TEXT_BYTES]);

/* Returns the dip of numbers in ascending order, all different: the distance of their distribution
 * function from the nearest one with a single mode. */
double dip_of(const double *sorted, size_t count);
/* Returns the dip that `count` numbers (at least 4) of a unimodal distribution exceed with a chance
 * of at most 0.5 %. */
double dip_critical(size_t count);

#endif
