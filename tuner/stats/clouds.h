/* Whether timings form two groups, "clouds", instead of one: then which of them a process or a
 * block lands in matters more than what a configuration differs by from others. */
#ifndef TUNE_STATS_CLOUDS_H
#define TUNE_STATS_CLOUDS_H

#include <stdbool.h>
#include <stddef.h>

struct cloud_sample {
    double elapsed_ns;    /* of one run; what is not above 0 counts as missing */
    double resolution_ns; /* the timer's, of one run; 0: fine */
    size_t process;
};

struct clouds {
    bool found;
    bool by_process;   /* whole processes land in one or the other; else blocks do */
    double apart;      /* medians: 0.008 is 0.8 % apart */
    double share[2];   /* of the timings; of the faster first */
    double time_ns[2]; /* medians */
};

enum { CLOUDS_SAMPLES_MIN = 20, CLOUDS_PROCESSES_MIN = 8 };

/* Two groups are found where the hypothesis of one is rejected by the dip test (J. A. Hartigan,
 * P. M. Hartigan: The Dip Test of Unimodality, Annals of Statistics 13, 1985, 70-84), of the
 * timings around their processes' means or of these means, at 1 % over both, and where they lie at
 * least `apart_least` (a share, say delta) apart. Of the unimodal the test knows the uniform
 * distribution as the hardest case, so that the chance of a false alarm is at most 1 %, and of
 * times that crowd around a centre far less. False: no memory. */
bool clouds_find(const struct cloud_sample *samples, size_t count, double apart_least,
                 struct clouds *clouds);

/* "times form two groups 0.8 % apart: 60 % at 89.0 us, 40 % at 89.7 us", "... by process ..."; ""
 * where none were found. */
enum { CLOUDS_TEXT_BYTES = 128 };
void clouds_text(const struct clouds *clouds, char out[CLOUDS_TEXT_BYTES]);

/* The dip of numbers in ascending order, all different: how far their distribution function lies
 * from the nearest one with a single mode. */
double dip_of(const double *sorted, size_t count);
/* What the dip of so many numbers (at least 4) of a unimodal distribution is above with a chance of
 * at most 0.5 %. */
double dip_critical(size_t count);

#endif
