/* Whether a winner's times form two groups. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"
#include "tuner/explain/internal.h"

extern const char explain_query_samples[];

struct list {
    struct cloud_sample *items;
    size_t count, capacity;
};

static bool add(struct list *list, const struct cloud_sample *sample)
{
    if (!array_grow(&list->items, list->count, &list->capacity, sizeof *list->items))
        return false;
    list->items[list->count++] = *sample;
    return true;
}

static enum status read_samples(struct store *store, int64_t winner_id, struct list *out,
                                struct error *error)
{
    char id[24];
    bool row = true;
    struct store_query *query = NULL;
    (void)string_format(id, sizeof id, "%" PRId64, winner_id);
    const struct store_parameter winner = {.name = "winner", .value = id};
    enum status status = store_query_open(store, explain_query_samples, &winner, 1, &query, error);
    while (status == STATUS_OK) {
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        const int64_t process = store_query_integer(query, 0);
        const struct cloud_sample sample = {.process = process > 0 ? (size_t)process : 0,
                                            .elapsed_ns = store_query_real(query, 1),
                                            .resolution_ns = store_query_real(query, 2)};
        if (!add(out, &sample))
            status = error_no_memory(error);
    }
    store_query_close(query);
    return status;
}

enum status explain_clouds(struct store *store, int64_t winner_id, double apart_least,
                           struct clouds *out, struct error *error)
{
    struct list samples = {0};
    *out = (struct clouds){0};
    enum status status = read_samples(store, winner_id, &samples, error);
    if (status == STATUS_OK && samples.count > 0 &&
        !clouds_find(samples.items, samples.count, isnan(apart_least) ? 0 : apart_least, out))
        status = error_no_memory(error);
    free(samples.items);
    return status;
}
