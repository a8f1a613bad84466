/* Reads a winner's data from the database. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/stats/estimate.h"
#include "views/explain/embedded.h"
#include "views/explain/internal.h"

enum status read_rows(struct store *store, struct store_reading reading, int64_t winner_id,
                      struct arena *arena, void *rows, size_t *count, struct error *error)
{
    const struct store_parameter winner = {.name = "winner", .value = STORE_NUMBER(winner_id)};
    reading.parameters = &winner;
    reading.parameter_count = 1;
    return store_read(store, &reading, arena, rows, count, error);
}

struct winner_row {
    struct explanation own;
    struct background background;
    double low_ns, high_ns;
};
#define OWN(member)        offsetof(struct winner_row, own.member)
#define BACKGROUND(member) offsetof(struct winner_row, background.member)

static const struct store_column winner_columns[] = {
    {"id", OWN(winner_id), STORE_INTEGER},
    {"problem_id", OWN(problem_id), STORE_INTEGER},
    {"environment_id", OWN(environment_id), STORE_INTEGER},
    {"experiment", OWN(experiment), STORE_TEXT},
    {"problem", OWN(problem), STORE_TEXT},
    {"l2_mode", OWN(l2_mode), STORE_TEXT},
    {"objective", OWN(objective), STORE_TEXT},
    {"device", OWN(device), STORE_TEXT},
    {"device_kind", OWN(device_kind), STORE_TEXT},
    {"driver", OWN(driver), STORE_TEXT},
    {"compiler", OWN(compiler), STORE_TEXT},
    {"unit_count", OWN(unit_count), STORE_INTEGER},
    {"n", OWN(n), STORE_INTEGER},
    {"ceiling", OWN(ceiling), STORE_TEXT},
    {"ceiling_gbs", OWN(ceiling_gbs), STORE_REAL},
    {"arithmetic_gops", OWN(arithmetic_gops), STORE_REAL},
    {"operations_type", OWN(operations_type), STORE_TEXT},
    {"delta", OWN(delta), STORE_REAL},
    {"confidence", OWN(confidence), STORE_REAL},
    {"as_fast", OWN(as_fast), STORE_INTEGER},
    {"not_compared", OWN(not_compared), STORE_INTEGER},
    {"coverage", OWN(coverage), STORE_TEXT},
    {"points", OWN(tried), STORE_INTEGER},
    {"space_count", OWN(space), STORE_INTEGER},
    {"failures", OWN(failures), STORE_INTEGER},
    {"most_better", OWN(most_better), STORE_REAL},
    {"kept_incumbent", OWN(kept_incumbent), STORE_TRUTH},
    {"compared", OWN(compared), STORE_INTEGER},
    {"trust", OWN(trust), STORE_TEXT},
    {"headline", OWN(headline), STORE_TEXT},
    {"trust_reason", OWN(trust_reason), STORE_TEXT},
    {"bytes_moved", BACKGROUND(bytes_moved), STORE_REAL},
    {"operations", BACKGROUND(operations), STORE_REAL},
    {"ceiling_given_up", BACKGROUND(ceiling_given_up), STORE_TRUTH},
    {"node_gap_ns", BACKGROUND(node_gap_ns), STORE_REAL},
    {"launches_overlap", BACKGROUND(launches_overlap), STORE_TRUTH},
    {"cache_bytes", BACKGROUND(cache_bytes), STORE_REAL},
    {"elsewhere_share", BACKGROUND(elsewhere_share), STORE_REAL},
    {"elsewhere_n", BACKGROUND(elsewhere_n), STORE_INTEGER},
    {"stage", BACKGROUND(stage), STORE_TEXT},
    {"time_low_ns", offsetof(struct winner_row, low_ns), STORE_REAL},
    {"time_high_ns", offsetof(struct winner_row, high_ns), STORE_REAL},
};

enum status read_winner(struct store *store, int64_t winner_id, struct arena *arena,
                        struct explanation *explanation, struct background *background,
                        struct error *error)
{
    const struct store_reading reading = {.sql = explain_query_winner,
                                          STORE_COLUMNS(winner_columns),
                                          .row_bytes = sizeof(struct winner_row)};
    struct winner_row *rows = NULL;
    size_t count = 0;
    enum status status = read_rows(store, reading, winner_id, arena, &rows, &count, error);
    if (status == STATUS_OK && count == 0)
        status =
            error_set(error, STATUS_NOT_FOUND, "no winner %" PRId64 " in the database", winner_id);
    if (status != STATUS_OK)
        return status;
    const bool has_bounds = bounds_are_narrow(rows->low_ns, rows->high_ns);
    *explanation = rows->own;
    *background = rows->background;
    background->low_ns = has_bounds ? rows->low_ns : (double)NAN;
    background->high_ns = has_bounds ? rows->high_ns : (double)NAN;
    background->busier_loss = (double)NAN;
    return STATUS_OK;
}

const char *const explain_stages[STAGES] = {"confirm", "race", "sweep"};

#define READ(member)  offsetof(struct read_point, member)
#define POINT(member) offsetof(struct read_point, point.member)

static const struct store_column point_columns[] = {
    {"role", POINT(role), STORE_TEXT},
    {"about", POINT(about), STORE_TEXT},
    {"configuration", POINT(configuration), STORE_TEXT},
    {"parameters", POINT(parameters), STORE_TEXT},
    {"status", POINT(status), STORE_TEXT},
    {"occupancy", POINT(occupancy), STORE_REAL},
    {"bytes_per_thread", POINT(bytes_per_thread), STORE_REAL},
    {"launches", POINT(launches), STORE_INTEGER},
    {"grid", POINT(grid), STORE_INTEGER},
    {"block", POINT(block), STORE_INTEGER},
    {"threads", POINT(threads), STORE_INTEGER},
    {"registers", POINT(registers), STORE_INTEGER},
    {"spill_bytes", POINT(spill_bytes), STORE_INTEGER},
    {"local_bytes", POINT(local_bytes), STORE_INTEGER},
    {"shared_bytes", POINT(shared_bytes), STORE_INTEGER},
    {"active_blocks_per_sm", READ(active_blocks), STORE_INTEGER},
    {"confirm_id", READ(trial_ids[0]), STORE_INTEGER},
    {"confirm_ns", READ(times_ns[0]), STORE_REAL},
    {"confirm_value", READ(values[0]), STORE_REAL},
    {"race_id", READ(trial_ids[1]), STORE_INTEGER},
    {"race_ns", READ(times_ns[1]), STORE_REAL},
    {"race_value", READ(values[1]), STORE_REAL},
    {"sweep_id", READ(trial_ids[2]), STORE_INTEGER},
    {"sweep_ns", READ(times_ns[2]), STORE_REAL},
    {"difference", READ(difference), STORE_REAL},
    {"ratio", READ(ratio), STORE_REAL},
    {"ratio_low", READ(ratio_low), STORE_REAL},
    {"ratio_high", READ(ratio_high), STORE_REAL},
    {"standing", POINT(standing), STORE_TEXT},
    {"paired_in", READ(paired_in), STORE_TEXT},
};

enum status read_points(struct store *store, int64_t winner_id, struct arena *arena,
                        struct read_point **point, size_t *count, struct error *error)
{
    const struct store_reading reading = {.sql = explain_query_points,
                                          STORE_COLUMNS(point_columns),
                                          .row_bytes = sizeof(struct read_point)};
    const enum status status = read_rows(store, reading, winner_id, arena, point, count, error);
    for (size_t i = 0; status == STATUS_OK && i < *count; i++) {
        struct read_point *read = &(*point)[i];
        read->values[2] = (double)NAN; /* a sweep has none */
        read->point.resident_threads = read->active_blocks > 0 && read->point.block > 0
                                           ? read->active_blocks * read->point.block
                                           : -1;
    }
    return status;
}

static const struct store_column sweep_columns[] = {
    {"id", offsetof(struct swept, id), STORE_INTEGER},
    {"parameters", offsetof(struct swept, parameters), STORE_TEXT},
    {"measured_id", offsetof(struct swept, measured_id), STORE_INTEGER},
    {"time_ns", offsetof(struct swept, time_ns), STORE_REAL},
    {"busy", offsetof(struct swept, busy), STORE_INTEGER},
};

static int by_id(const void *a, const void *b)
{
    const struct swept *x = a;
    const struct swept *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

enum status read_sweep(struct store *store, int64_t winner_id, struct arena *arena,
                       struct swept **swept, size_t *count, struct error *error)
{
    const struct store_reading reading = {.sql = explain_query_sweep,
                                          STORE_COLUMNS(sweep_columns),
                                          .row_bytes = sizeof(struct swept)};
    enum status status = read_rows(store, reading, winner_id, arena, swept, count, error);
    /* The first measured of equal times stands for the others. */
    if (status == STATUS_OK && *count > 0)
        qsort(*swept, *count, sizeof **swept, by_id);
    return status;
}
