#include "views/explain/explain.h"

#include <math.h>
#include <string.h>

#include "views/explain/internal.h"

/* Returns the winner's place in the sweep, or `count`. */
static size_t find_own(const struct swept *points, size_t count, const struct read_point *winner)
{
    const int64_t measured_id = winner->trial_ids[STAGES - 1];
    for (size_t i = 0; i < count; i++)
        if (measured_id > 0 && points[i].measured_id == measured_id &&
            strcmp(points[i].parameters, winner->point.parameters) == 0)
            return i;
    return count;
}

/* Compares the sweep's points. The sweep is large and freed here: the explanation gets copies. */
static enum status compare_sweep(struct store *store, const struct read_point *winner,
                                 struct arena *arena, struct explanation *explanation,
                                 struct background *background, struct error *error)
{
    struct arena sweep = {0};
    struct swept *points = NULL;
    size_t count = 0;
    enum status status = read_sweep(store, explanation->winner_id, &sweep, &points, &count, error);
    const size_t own = status == STATUS_OK ? find_own(points, count, winner) : count;
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

enum status explain_winner(struct store *store, int64_t winner_id, struct arena *arena,
                           struct explanation *explanation, struct error *error)
{
    struct background background;
    struct read_point *points = NULL;
    size_t count = 0;
    *explanation = (struct explanation){0};
    struct text limit = {0};
    TRY(read_winner(store, winner_id, arena, explanation, &background, error));
    TRY(read_points(store, winner_id, arena, &points, &count, error));
    if (count == 0)
        return error_set(error, STATUS_INTERNAL, "a winner without a point");
    if (!compare_points(points, count, &background, arena, explanation))
        return error_no_memory(error);
    TRY(compare_sweep(store, &points[0], arena, explanation, &background, error));
    TRY(explain_clouds(store, winner_id, explanation->delta, &explanation->clouds, error));
    decide_limit(explanation, &background, &limit);
    explanation->limit_text = limit.failed ? NULL : arena_strdup(arena, text_string(&limit));
    text_free(&limit);
    return explanation->limit_text && make_sentences(explanation, &background, arena)
               ? STATUS_OK
               : error_no_memory(error);
}
