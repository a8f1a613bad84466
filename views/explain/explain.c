/* Reads and explains a winner's data. */
#include "views/explain/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/stats/estimate.h"
#include "views/explain/embedded.h"
#include "views/explain/internal.h"

/* Reads the rows of a query with the parameter :winner. */
static enum status read_rows(struct store *store, struct store_reading reading, int64_t winner_id,
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

static enum status read_winner(struct store *store, int64_t winner_id, struct arena *arena,
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

/* Compares the sweep's points. The sweep is large and freed here: the explanation gets copies. */
static enum status compare_sweep(struct store *store, const struct read_point *winner,
                                 struct arena *arena, struct explanation *explanation,
                                 struct background *background, struct error *error)
{
    struct arena sweep = {0};
    struct swept *points = NULL;
    size_t count = 0;
    const struct store_reading reading = {.sql = explain_query_sweep,
                                          STORE_COLUMNS(sweep_columns),
                                          .row_bytes = sizeof(struct swept)};
    enum status status =
        read_rows(store, reading, explanation->winner_id, &sweep, &points, &count, error);
    /* The first measured of equal times stands for the others. */
    if (status == STATUS_OK && count > 0)
        qsort(points, count, sizeof *points, by_id);
    /* The winner's place in the sweep, or `count`. */
    const int64_t measured_id = winner->trial_ids[STAGES - 1];
    size_t own = status == STATUS_OK && measured_id > 0 ? 0 : count;
    while (own < count && (points[own].measured_id != measured_id ||
                           strcmp(points[own].parameters, winner->point.parameters) != 0))
        own++;
    if (own < count) {
        /* The best of the sweep that keeps more units busy than the winner does. */
        double best_ns = (double)INFINITY;
        for (size_t i = 0; i < count; i++)
            if (points[i].busy > points[own].busy && points[i].time_ns < best_ns)
                best_ns = points[i].time_ns;
        background->busier_loss =
            isfinite(best_ns) ? best_ns / points[own].time_ns - 1 : (double)NAN;
        if (!find_sensitivities(points, count, own, arena, explanation))
            status = error_no_memory(error);
    }
    arena_free(&sweep);
    return status;
}

/* ---- groups of times ---- */

struct sample_row {
    int64_t process;
    double elapsed_ns, resolution_ns;
};
static const struct store_column sample_columns[] = {
    {"process", offsetof(struct sample_row, process), STORE_INTEGER},
    {"elapsed_ns", offsetof(struct sample_row, elapsed_ns), STORE_REAL},
    {"resolution_ns", offsetof(struct sample_row, resolution_ns), STORE_REAL},
};

enum status explain_clouds(struct store *store, int64_t winner_id, double apart_least,
                           struct clouds *clouds, struct error *error)
{
    const struct store_reading reading = {.sql = explain_query_samples,
                                          STORE_COLUMNS(sample_columns),
                                          .row_bytes = sizeof(struct sample_row)};
    struct arena arena = {0};
    struct sample_row *rows = NULL;
    size_t count = 0;
    *clouds = (struct clouds){0};
    enum status status = read_rows(store, reading, winner_id, &arena, &rows, &count, error);
    struct cloud_sample *samples =
        status == STATUS_OK ? arena_alloc(&arena, count + 1, sizeof *samples) : NULL;
    for (size_t i = 0; samples && i < count; i++)
        samples[i] =
            (struct cloud_sample){.process = rows[i].process > 0 ? (size_t)rows[i].process : 0,
                                  .elapsed_ns = rows[i].elapsed_ns,
                                  .resolution_ns = rows[i].resolution_ns};
    if (status == STATUS_OK &&
        (!samples ||
         (count > 0 && !clouds_find(samples, count, isnan(apart_least) ? 0 : apart_least, clouds))))
        status = error_no_memory(error);
    arena_free(&arena);
    return status;
}

enum status explain_winner(struct store *store, int64_t winner_id, struct arena *arena,
                           struct explanation *explanation, struct error *error)
{
    struct background background;
    struct read_point *points = NULL;
    size_t count = 0;
    *explanation = (struct explanation){0};
    struct text limit = {0};
    TRY(read_winner(store, winner_id, arena, explanation, &background, error));
    /* Reads a winner's points, the winner first. */
    const struct store_reading reading = {.sql = explain_query_points,
                                          STORE_COLUMNS(point_columns),
                                          .row_bytes = sizeof(struct read_point)};
    const enum status status = read_rows(store, reading, winner_id, arena, &points, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct read_point *read = &points[i];
        read->values[2] = (double)NAN; /* a sweep has none */
        read->point.resident_threads = read->active_blocks > 0 && read->point.block > 0
                                           ? read->active_blocks * read->point.block
                                           : -1;
    }
    TRY(status);
    if (count == 0)
        return error_set(error, STATUS_INTERNAL, "a winner without a point");
    if (!compare_points(points, count, &background, arena, explanation))
        return error_no_memory(error);
    TRY(compare_sweep(store, &points[0], arena, explanation, &background, error));
    TRY(explain_clouds(store, winner_id, explanation->delta, &explanation->clouds, error));
    decide_limit(explanation, &background, &limit);
    explanation->limit_text = text_to_arena(&limit, arena);
    return explanation->limit_text && make_sentences(explanation, &background, arena)
               ? STATUS_OK
               : error_no_memory(error);
}
