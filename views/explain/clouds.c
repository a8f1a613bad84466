/* Finds out whether a winner's times form two groups. */
#include <math.h>

#include "views/explain/embedded.h"
#include "views/explain/internal.h"

struct sample_row {
    int64_t process;
    double elapsed_ns, resolution_ns;
};
static const struct store_column sample_columns[] = {
    {"process", offsetof(struct sample_row, process), STORE_INTEGER},
    {"elapsed_ns", offsetof(struct sample_row, elapsed_ns), STORE_REAL},
    {"resolution_ns", offsetof(struct sample_row, resolution_ns), STORE_REAL},
};

static enum status read_samples(struct store *store, int64_t winner_id, struct arena *arena,
                                struct cloud_sample **sample, size_t *count, struct error *error)
{
    const struct store_reading reading = {.sql = explain_query_samples,
                                          STORE_COLUMNS(sample_columns),
                                          .row_bytes = sizeof(struct sample_row)};
    struct sample_row *rows = NULL;
    enum status status = read_rows(store, reading, winner_id, arena, &rows, count, error);
    *sample = status == STATUS_OK ? arena_alloc(arena, *count + 1, sizeof **sample) : NULL;
    if (status == STATUS_OK && !*sample)
        return error_no_memory(error);
    for (size_t i = 0; status == STATUS_OK && i < *count; i++)
        (*sample)[i] =
            (struct cloud_sample){.process = rows[i].process > 0 ? (size_t)rows[i].process : 0,
                                  .elapsed_ns = rows[i].elapsed_ns,
                                  .resolution_ns = rows[i].resolution_ns};
    return status;
}

enum status explain_clouds(struct store *store, int64_t winner_id, double apart_least,
                           struct clouds *clouds, struct error *error)
{
    struct arena arena = {0};
    struct cloud_sample *samples = NULL;
    size_t count = 0;
    *clouds = (struct clouds){0};
    enum status status = read_samples(store, winner_id, &arena, &samples, &count, error);
    if (status == STATUS_OK && count > 0 &&
        !clouds_find(samples, count, isnan(apart_least) ? 0 : apart_least, clouds))
        status = error_no_memory(error);
    arena_free(&arena);
    return status;
}
