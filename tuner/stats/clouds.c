#include "tuner/stats/clouds.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "tuner/base/random.h"
#include "tuner/base/text.h"
#include "tuner/stats/estimate.h"

/* ---- the dip ---- */

/* Points (x[i], i) for i in [first, last], and the corners of their hull from below (the greatest
 * convex minorant) or above (the least concave majorant), by index. */
struct hull {
    size_t *corners;
    size_t count;
};

static bool turns_wrong(const double *x, size_t a, size_t b, size_t c, bool below)
{
    double slope_ab = (double)(b - a) * (x[c] - x[b]);
    double slope_bc = (double)(c - b) * (x[b] - x[a]);
    return below ? slope_ab >= slope_bc : slope_ab <= slope_bc;
}

static void make_hull(const double *x, size_t first, size_t last, bool below, struct hull *hull)
{
    hull->count = 0;
    for (size_t i = first; i <= last; i++) {
        while (hull->count >= 2 && turns_wrong(x, hull->corners[hull->count - 2],
                                               hull->corners[hull->count - 1], i, below))
            hull->count--;
        hull->corners[hull->count++] = i;
    }
}

/* Returns the corner at or after index i. */
static size_t corner_after(const struct hull *hull, size_t i)
{
    size_t at = 0;
    while (at + 1 < hull->count && hull->corners[at] < i)
        at++;
    return at;
}

static double height(const double *x, size_t a, size_t b, size_t i)
{
    return (double)a + (b > a ? (x[i] - x[a]) * (double)(b - a) / (x[b] - x[a]) : 0);
}

static double hull_height(const double *x, const struct hull *hull, size_t i)
{
    size_t at = corner_after(hull, i);
    return height(x, hull->corners[at > 0 ? at - 1 : 0], hull->corners[at], i);
}

/* Finds the place where both hulls lie farthest apart, in steps of the distribution function; the
 * part of the lower hull that ends there, and of the upper one that begins there. */
static double widest_gap(const double *x, const struct hull *below, const struct hull *above,
                         size_t *first, size_t *last)
{
    double widest = 0;
    for (size_t k = 0; k < below->count; k++) {
        size_t i = below->corners[k];
        double gap = hull_height(x, above, i) - (double)i + 1;
        if (gap < widest)
            continue;
        widest = gap;
        *first = i;
        *last = above->corners[corner_after(above, i)];
    }
    for (size_t k = 0; k < above->count; k++) {
        size_t i = above->corners[k];
        double gap = (double)i - hull_height(x, below, i) + 1;
        size_t at = corner_after(below, i);
        if (gap < widest)
            continue;
        widest = gap;
        *last = i;
        *first = below->corners[below->corners[at] > i ? at - 1 : at];
    }
    return widest;
}

/* Returns the distance of the distribution function from a hull between two corners. */
static double farthest_from(const double *x, const struct hull *hull, size_t first, size_t last)
{
    double farthest = 0;
    for (size_t k = 1; k < hull->count; k++) {
        size_t a = hull->corners[k - 1];
        size_t b = hull->corners[k];
        for (size_t i = a; a >= first && b <= last && i <= b; i++)
            farthest = fmax(farthest, fabs((double)i - height(x, a, b, i)) + 1);
    }
    return farthest;
}

/* Computes the dip by Hartigan's algorithm: left of the mode the nearest function is convex, right
 * of it concave; the interval that holds the mode is narrowed while that explains more. */
static double dip_steps(const double *x, size_t count, struct hull *below, struct hull *above)
{
    size_t first = 0;
    size_t last = count - 1;
    double dip = 1;
    for (;;) {
        size_t inner_first = first;
        size_t inner_last = last;
        make_hull(x, first, last, true, below);
        make_hull(x, first, last, false, above);
        if (widest_gap(x, below, above, &inner_first, &inner_last) <= dip)
            return dip;
        dip = fmax(dip, farthest_from(x, below, first, inner_first));
        dip = fmax(dip, farthest_from(x, above, inner_last, last));
        if (inner_first == first && inner_last == last)
            return dip;
        first = inner_first;
        last = inner_last;
    }
}

double dip_of(const double *sorted, size_t count)
{
    if (count < 2)
        return count == 1 ? 0.5 : (double)NAN;
    size_t *corners = malloc(2 * count * sizeof *corners);
    if (!corners)
        return (double)NAN;
    struct hull below = {corners, 0};
    struct hull above = {corners + count, 0};
    double dip = dip_steps(sorted, count, &below, &above) / (2 * (double)count);
    free(corners);
    return dip;
}

/* ---- ordinary dips ---- */

/* 0.5 % quantiles of the dip times the square root of the count, for uniform numbers, which are the
 * hardest case; test_clouds prints them, and fails when they are off. Between these counts the
 * quantile is taken to grow with the logarithm. */
static const struct {
    double count, scaled;
} quantiles[] = {{4, 0.475},   {8, 0.508},   {16, 0.553},  {32, 0.588},   {64, 0.608},
                 {128, 0.623}, {256, 0.637}, {512, 0.654}, {1024, 0.661}, {4096, 0.675}};
enum { QUANTILES = sizeof quantiles / sizeof *quantiles };

double dip_critical(size_t count)
{
    const double n = (double)count;
    size_t at = 1;
    while (at + 1 < QUANTILES && quantiles[at].count < n)
        at++;
    const double below = quantiles[at - 1].count;
    const double share = log(n / below) / log(quantiles[at].count / below);
    const double scaled = quantiles[at - 1].scaled +
                          fmin(share, 1) * (quantiles[at].scaled - quantiles[at - 1].scaled);
    return scaled / sqrt(n);
}

/* ---- two groups ---- */

/* A timing: the tested value, and the values of the report. */
struct point {
    double off; /* ln, around the mean of its process; or the mean of a process */
    double ln_ns;
    size_t process;
};

static int by_off(const void *left, const void *right)
{
    const struct point *a = left;
    const struct point *b = right;
    return (a->off > b->off) - (a->off < b->off);
}

static double middle(const struct point *sorted, size_t first, size_t end)
{
    return (sorted[(first + end - 1) / 2].off + sorted[(first + end) / 2].off) / 2;
}

/* Sorts the points, and describes two groups that are `apart_least` apart; centre_ln: origin of
 * `off`. */
static void split(struct point *points, size_t count, double centre_ln, double apart_least,
                  struct clouds *clouds)
{
    qsort(points, count, sizeof *points, by_off);
    double *values = malloc(count * sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        values[i] = points[i].off;
    bool rejected = values && dip_of(values, count) > dip_critical(count);
    free(values);
    if (!rejected)
        return;
    /* The points are cut into two groups, so that the sum of squares within them is least. */
    double total = 0;
    double below = 0;
    double best = -1;
    size_t at = 1;
    for (size_t j = 0; j < count; j++)
        total += points[j].off;
    for (size_t j = 1; j < count; j++) {
        below += points[j - 1].off;
        double lower = below / (double)j;
        double upper = (total - below) / (double)(count - j);
        double between = (double)j * (double)(count - j) * (upper - lower) * (upper - lower);
        if (between > best) {
            best = between;
            at = j;
        }
    }
    double lower = middle(points, 0, at);
    double upper = middle(points, at, count);
    clouds->apart = expm1(upper - lower);
    clouds->share[0] = (double)at / (double)count;
    clouds->share[1] = 1 - clouds->share[0];
    clouds->time_ns[0] = exp(centre_ln + lower);
    clouds->time_ns[1] = exp(centre_ln + upper);
    clouds->found = clouds->apart >= apart_least;
}

/* ---- around the processes' means ---- */

static void find_groups(struct point *points, size_t count, struct point *means, double *buffer,
                        double apart_least, struct clouds *clouds)
{
    size_t processes = 0;
    size_t last = 0;
    double centre_ln = 0;
    for (size_t i = 0; i < count; i++)
        last = points[i].process > last ? points[i].process : last;
    for (size_t p = 0; p <= last && processes < count; p++) {
        /* The process's mean without accidents, which are removed from its points; NaN: none. */
        size_t own = 0;
        for (size_t j = 0; j < count; j++)
            if (points[j].process == p)
                buffer[own++] = points[j].ln_ns;
        const double median = median_of(buffer, own);
        const double reach = core_reach(buffer, own);
        const double mean = core_mean(buffer, own);
        for (size_t j = 0; j < count; j++)
            if (points[j].process == p)
                points[j].off =
                    fabs(points[j].ln_ns - median) <= reach ? points[j].ln_ns - mean : (double)NAN;
        if (isnan(mean))
            continue;
        centre_ln += mean;
        means[processes++] = (struct point){.off = mean};
    }
    centre_ln /= (double)processes;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(points[i].off))
            points[kept++] = points[i];
    count = kept;
    if (count >= CLOUDS_SAMPLES_MIN)
        split(points, count, centre_ln, apart_least, clouds);
    if (clouds->found || processes < CLOUDS_PROCESSES_MIN)
        return;
    split(means, processes, 0, apart_least, clouds);
    clouds->by_process = clouds->found;
}

bool clouds_find(const struct cloud_sample *samples, size_t count, double apart_least,
                 struct clouds *clouds)
{
    struct point *points = malloc(2 * (count + 1) * sizeof *points);
    double *buffer = malloc((count + 1) * sizeof *buffer);
    *clouds = (struct clouds){0};
    size_t kept = 0;
    for (size_t i = 0; points && buffer && i < count; i++) {
        const struct cloud_sample *sample = &samples[i];
        if (!(sample->elapsed_ns > 0))
            continue;
        /* Readings within a tick of the timer are not distinguishable: equal ones are no crowd. */
        double within = (double)(random_at(UINT64_C(0x636c6f756473), i) >> 11) * 0x1p-53 - 0.5;
        double ln_ns = log(sample->elapsed_ns + within * fmax(sample->resolution_ns, 0));
        points[kept++] = (struct point){.ln_ns = ln_ns, .process = sample->process};
    }
    if (kept > 0)
        find_groups(points, kept, points + count + 1, buffer, apart_least, clouds);
    bool good = points && buffer;
    free(points);
    free(buffer);
    return good;
}

/* ---- in words ---- */

void clouds_text(const struct clouds *clouds, char out[CLOUDS_TEXT_BYTES])
{
    struct text text = {0};
    char time[TIME_TEXT_BYTES];
    out[0] = '\0';
    if (!clouds->found)
        return;
    text_printf(&text, "times form two groups %.*f %% apart%s: ", clouds->apart < 0.0995 ? 1 : 0,
                100 * clouds->apart, clouds->by_process ? ", by process" : "");
    for (int i = 0; i < 2; i++) {
        text_printf(&text, "%s%.0f %% at ", i > 0 ? ", " : "", 100 * clouds->share[i]);
        text_append(&text, time_text(clouds->time_ns[i], "us", time));
    }
    (void)string_format(out, CLOUDS_TEXT_BYTES, "%s", text_string(&text));
    text_free(&text);
}
