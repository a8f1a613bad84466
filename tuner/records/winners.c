/* Winners that a tuned.conf has of an experiment, for searches to try. */
#include "tuner/records/winners.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tuner/base/text.h"
#include "tuner/device/traits.h"

static const double far_problem = 4, far_device = 4, far_like_device = 2;

/* Returns the name and ends of size number `index`, 0 being n; NULL: none. */
static const char *size_at(const struct tuned_entry *entry, size_t index, long long *low,
                           long long *high)
{
    if (index > 0)
        return tuned_entry_size_at(entry, index - 1, low, high);
    *low = tuned_entry_n_low(entry);
    *high = tuned_entry_n_high(entry);
    return "n";
}

/* Returns the measured value of size number `index`, 0 being n or the only size; -1: unknown. */
static long long measured_at(const struct tuned_entry *entry, size_t index)
{
    const char *at = tuned_evidence_text(entry, "at", "");
    long long low = 0, high = 0;
    for (size_t i = 0; at && i < index; i++)
        at = (at = strchr(at, ',')) ? at + 1 : NULL;
    if (at && *at)
        return strtoll(at, NULL, 10);
    return size_at(entry, index, &low, &high) && low == high ? low : -1;
}

/* Returns the entry's number of the experiment's size i; the number past the last when missing. */
static size_t find_size(const struct tuned_entry *entry, const char *const *names, size_t first,
                        size_t i)
{
    const char *name = NULL;
    long long low = 0, high = 0;
    size_t index = 0;
    for (; i != first && (name = size_at(entry, index, &low, &high)); index++)
        if (index > 0 && strcmp(name, names[i]) == 0)
            break;
    return index;
}

const char *entry_problem_key(const struct tuned_entry *entry, const struct experiment *experiment,
                              struct arena *arena)
{
    const char *names[SIZE_NAMES_MAX];
    const char *key = tuned_entry_problem(entry);
    size_t first = 0;
    const size_t count = experiment_size_names(experiment, names, &first);
    for (size_t i = 0; key && i < count; i++) {
        const long long size = measured_at(entry, find_size(entry, names, first, i));
        key = size < 0 ? NULL : arena_printf(arena, i == 0 ? "%s.%lld" : "%sx%lld", key, size);
    }
    return key;
}

/* Returns the product of the ratios of all sizes. */
static double distance(const struct tuned_entry *entry, const struct experiment *experiment,
                       const struct problem *problem, const struct facts *facts)
{
    const struct tuned_device *device = tuned_entry_device(entry);
    const char *names[SIZE_NAMES_MAX];
    int64_t sizes[SIZE_NAMES_MAX] = {problem->n};
    size_t first = 0;
    double far = 1;
    const size_t count = experiment_size_names(experiment, names, &first);
    (void)problem_sizes(problem, sizes);
    for (size_t i = 0; i == 0 || i < count; i++) {
        long long low = 0, high = 0;
        const double n = fmax((double)sizes[i], 1);
        if (size_at(entry, find_size(entry, names, first, i), &low, &high))
            far *= n < (double)low ? (double)low / n : n / fmin(n, fmax((double)high, 1));
    }
    const char *key = tuned_entry_problem(entry);
    const size_t length = count > 0 ? problem->family_length : strlen(problem->key);
    if (strlen(key) != length || strncmp(key, problem->key, length) != 0)
        far *= far_problem;
    if (strcmp(device->name, facts_text(facts, "name", "")) == 0)
        return far;
    const long major = strtol(facts_text(facts, "compute_capability", "0"), NULL, 10);
    return far *
           (major > 0 && device->compute_capability_major == major ? far_like_device : far_device);
}

struct ranked {
    struct winner_elsewhere winner;
    size_t place; /* in the file */
};
static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->winner.far < b->winner.far || a->winner.far > b->winner.far)
        return a->winner.far < b->winner.far ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

enum status winners_nearest(const struct tuned *tuned, const struct experiment *experiment,
                            const struct problem *problem, const struct facts *facts,
                            struct arena *arena, struct winner_elsewhere **out, size_t *count,
                            struct error *error)
{
    const size_t all = tuned_entry_count(tuned);
    const char *name = experiment_head(experiment)->name;
    const size_t length = strlen(name);
    struct ranked *ranked = calloc(all + 1, sizeof *ranked);
    enum status status = ranked ? STATUS_OK : error_no_memory(error);
    *count = 0;
    for (size_t i = 0; status == STATUS_OK && i < all; i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, i);
        const char *key = tuned_entry_problem(entry);
        struct ranked *next = &ranked[*count];
        if (strncmp(key, name, length) != 0 || (key[length] != '.' && key[length] != '\0') ||
            strcmp(tuned_entry_device(entry)->kind, experiment_head(experiment)->device->section) !=
                0)
            continue;
        *next = (struct ranked){.winner = {.device = tuned_entry_device(entry)->name,
                                           .far = distance(entry, experiment, problem, facts)},
                                .place = i};
        /* The entry's configuration; NULL: a parameter has no value there. */
        struct text written = {0};
        const char *value = "";
        next->winner.configuration = NULL;
        for (size_t j = 0; value && j < experiment_head(experiment)->parameter_count; j++) {
            const char *parameter = experiment_head(experiment)->parameter_names[j];
            value = tuned_text(entry, parameter, NULL);
            text_printf(&written, "%s%s=%s", j > 0 ? " " : "", parameter, value ? value : "");
        }
        const bool failed =
            written.failed ||
            (value && !(next->winner.configuration = arena_strdup(arena, text_string(&written))));
        text_free(&written);
        status = failed ? error_no_memory(error) : STATUS_OK;
        *count += next->winner.configuration ? 1 : 0;
    }
    *out = status == STATUS_OK ? arena_alloc(arena, *count + 1, sizeof **out) : NULL;
    if (status == STATUS_OK && !*out)
        status = error_no_memory(error);
    if (status == STATUS_OK) {
        qsort(ranked, *count, sizeof *ranked, compare_ranked);
        for (size_t i = 0; i < *count; i++)
            (*out)[i] = ranked[i].winner;
    }
    free(ranked);
    return status;
}
