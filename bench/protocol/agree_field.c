/* The field: the fastest of a random part of the space. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/protocol/agree.h"

enum { SCREEN_BLOCKS = 3 };

static enum status add_configuration(struct bench *bench, const struct space *space, size_t index,
                                     struct entry *out, struct error *error)
{
    *out = (struct entry){.index = index, .time_ns = (double)NAN};
    space_configuration(space, index, &out->configuration);
    for (size_t i = 0; i < out->configuration.count; i++) {
        struct value *value = &out->configuration.values[i].value;
        if (value->kind == VALUE_TEXT && !(value->text = arena_strdup(&bench->arena, value->text)))
            return error_no_memory(error);
    }
    return configuration_key(&out->configuration, out->key)
               ? STATUS_OK
               : error_set(error, STATUS_BAD_INPUT, "a configuration's key is too long");
}

static bool was_given(const struct options *options, const struct space *space, size_t index)
{
    struct configuration configuration;
    char key[CONFIGURATION_KEY_BYTES];
    space_configuration(space, index, &configuration);
    if (!configuration_key(&configuration, key))
        return false;
    for (size_t i = 0; i < options->configuration_count; i++)
        if (strcmp(options->configurations[i], key) == 0)
            return true;
    return false;
}

/* Draws the given ones first, then as many others as the screen takes. */
static enum status draw(struct bench *bench, const struct space *space, struct entry *entries,
                        size_t *count, struct error *error)
{
    const size_t points = space_count(space);
    const size_t most = (size_t)bench->options->screen;
    size_t *order = calloc(points, sizeof *order);
    size_t drawn = 0;
    enum status status = order ? STATUS_OK : error_no_memory(error);
    *count = 0;
    for (size_t i = 0; order && i < points; i++)
        order[i] = i;
    if (order)
        random_shuffle(&bench->random, order, points);
    for (size_t i = 0; i < points && status == STATUS_OK; i++) {
        const bool given = was_given(bench->options, space, order[i]);
        if (!given && drawn == most)
            continue;
        drawn += !given;
        status = add_configuration(bench, space, order[i], &entries[(*count)++], error);
    }
    free(order);
    return status;
}

static int by_time(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (isnan(x->time_ns) || isnan(y->time_ns))
        return isnan(x->time_ns) - isnan(y->time_ns);
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static int by_index(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

/* Takes the fastest with different launches, in the order of the space. */
static void take_fastest(struct candidates *field, struct entry *entries, size_t count, size_t most)
{
    qsort(entries, count, sizeof *entries, by_time);
    field->count = 0;
    for (size_t i = 0; i < count && field->count < most && !isnan(entries[i].time_ns); i++) {
        bool seen = false;
        for (size_t j = 0; j < field->count && !seen; j++)
            seen = entries_launch_alike(&entries[i], &field->entries[j]);
        if (!seen)
            field->entries[field->count++] = entries[i];
    }
    qsort(field->entries, field->count, sizeof *field->entries, by_index);
}

/* Compares by fewer launches, less shared memory, fewer registers, a smaller block, then the
 * space's order. */
static bool goes_before(const struct entry *a, const struct entry *b)
{
    const struct launch *x = &a->plan.launches[0], *y = &b->plan.launches[0];
    const int64_t left[] = {
        (int64_t)a->plan.launch_count, (int64_t)a->resources.static_shared_bytes + x->shared_bytes,
        a->resources.registers, (int64_t)launch_block_threads(x), (int64_t)a->index};
    const int64_t right[] = {
        (int64_t)b->plan.launch_count, (int64_t)b->resources.static_shared_bytes + y->shared_bytes,
        b->resources.registers, (int64_t)launch_block_threads(y), (int64_t)b->index};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i];
    return false;
}

static void make_order(struct candidates *field)
{
    for (size_t i = 0; i < field->count; i++) {
        field->order[i] = 0;
        for (size_t j = 0; j < field->count; j++)
            field->order[i] += goes_before(&field->entries[j], &field->entries[i]);
    }
}

enum status field_make(struct bench *bench, int64_t n, struct candidates *out, struct error *error)
{
    const size_t most = (size_t)bench->options->candidates;
    struct problem problem;
    struct space *space = NULL;
    size_t count = 0;
    out->n = n;
    out->entries = arena_alloc(&bench->arena, most, sizeof *out->entries);
    struct entry *entries =
        calloc((size_t)bench->options->screen + CONFIGURATIONS_MAX, sizeof *entries);
    enum status status = out->entries && entries ? STATUS_OK : error_no_memory(error);
    if (status == STATUS_OK)
        status = bench_problem(bench, n, &problem, error);
    if (status == STATUS_OK)
        status = space_create(bench->experiment, &problem, bench->facts, &space, error);
    if (status == STATUS_OK)
        status = draw(bench, space, entries, &count, error);
    if (status == STATUS_OK)
        status = entries_prepare(bench, &problem, entries, count, SCREEN_BLOCKS, error);
    if (status == STATUS_OK) {
        take_fastest(out, entries, count, most);
        make_order(out);
        if (out->count == 0)
            status = error_set(error, STATUS_NO_WINNER, "nothing of %s can be measured at n = %lld",
                               problem.key, (long long)n);
    }
    space_free(space);
    free(entries);
    return status;
}
