/* The fixed order: of configurations that are as fast as one another, the one that asks for less.
 * It depends on nothing that was measured, so that ties are broken alike everywhere. */
#include <stdlib.h>
#include <string.h>

#include "tuner/session/internal.h"

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int64_t shared_of(const struct finalist *finalist)
{
    const struct loaded *loaded = &finalist->runner.loaded;
    int64_t most = 0;
    for (size_t i = 0; i < loaded->plan.launch_count; i++) {
        int64_t bytes =
            (int64_t)loaded->plan.launches[i].shared_bytes +
            (loaded->resources[i].static_shared_bytes > 0 ? loaded->resources[i].static_shared_bytes
                                                          : 0);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static int64_t registers_of(const struct finalist *finalist)
{
    const struct loaded *loaded = &finalist->runner.loaded;
    int64_t most = 0;
    for (size_t i = 0; i < loaded->plan.launch_count; i++)
        most = loaded->resources[i].registers > most ? loaded->resources[i].registers : most;
    return most;
}

/* GPU: threads per block; CPU: threads in all. */
static int64_t block_of(const struct finalist *finalist)
{
    const struct launch *launch = &finalist->runner.loaded.plan.launches[0];
    return (int64_t)launch->block[0] * launch->block[1] * launch->block[2] +
           (int64_t)launch->threads;
}

static int compare_values(const struct value *a, const struct value *b)
{
    double x = 0;
    double y = 0;
    char left[VALUE_TEXT_BYTES] = "";
    char right[VALUE_TEXT_BYTES] = "";
    if (value_number(*a, &x) && value_number(*b, &y))
        return (x > y) - (x < y);
    (void)value_format(*a, left, sizeof left);
    (void)value_format(*b, right, sizeof right);
    return strcmp(left, right);
}

struct ordered {
    struct finalist *finalist;
    struct configuration room;
    const struct configuration *configuration;
};

static int by_order(const void *left, const void *right)
{
    const struct configuration *x = (*(const struct ordered *const *)left)->configuration;
    const struct configuration *y = (*(const struct ordered *const *)right)->configuration;
    const struct finalist *a = (*(const struct ordered *const *)left)->finalist;
    const struct finalist *b = (*(const struct ordered *const *)right)->finalist;
    int result = compare((int64_t)a->runner.loaded.plan.launch_count,
                         (int64_t)b->runner.loaded.plan.launch_count);
    if (result == 0)
        result = compare(shared_of(a), shared_of(b));
    if (result == 0)
        result = compare(registers_of(a), registers_of(b));
    if (result == 0)
        result = compare(block_of(a), block_of(b));
    for (size_t i = 0; result == 0 && i < x->count && i < y->count; i++)
        result = compare_values(&x->values[i].value, &y->values[i].value);
    return result != 0 ? result : strcmp(a->runner.candidate->key, b->runner.candidate->key);
}

void contest_order(const struct sweep *sweep, struct finalist *finalists, size_t count)
{
    struct ordered *items = malloc((count + 1) * sizeof *items);
    struct ordered **order = malloc((count + 1) * sizeof *order);
    for (size_t i = 0; i < count; i++) {
        finalists[i].contender.order = i;
        if (!items || !order)
            continue;
        items[i].finalist = &finalists[i];
        items[i].configuration =
            candidate_configuration(sweep, finalists[i].runner.candidate, &items[i].room);
        order[i] = &items[i];
    }
    if (items && order) {
        qsort(order, count, sizeof(struct ordered *), by_order);
        for (size_t i = 0; i < count; i++)
            order[i]->finalist->contender.order = i;
    }
    free(order);
    free(items);
}
