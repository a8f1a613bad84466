/* Compares an explanation's points with the winner, by times of the same stage only. */
#include <math.h>
#include <string.h>

#include "tuner/stats/ceiling.h"
#include "views/explain/internal.h"

bool is_by_time(const struct explanation *explanation)
{
    return !explanation->objective || strcmp(explanation->objective, "time") == 0;
}

/* Returns the stage in which the winner was chosen, if timed there; else the first with a time. */
static size_t own_stage(const struct read_point *winner, const struct background *background)
{
    for (size_t i = 0; i < STAGES; i++)
        if (background->stage && strcmp(background->stage, explain_stages[i]) == 0 &&
            isfinite(winner->times_ns[i]))
            return i;
    for (size_t i = 0; i < STAGES; i++)
        if (isfinite(winner->times_ns[i]))
            return i;
    return STAGES;
}

/* Compares a point with the winner. A gain over a baseline needs shared rounds; the runner-up may
 * be compared by two times of one stage. */
static void compare(const struct read_point *winner, const struct read_point *other, size_t own,
                    bool by_time, struct explain_point *point)
{
    /* The winner's stage if both were timed in it, else the first stage in which both were. */
    size_t stage = own;
    if (own == STAGES || !isfinite(other->times_ns[own]))
        for (stage = 0; stage < STAGES; stage++)
            if (isfinite(winner->times_ns[stage]) && isfinite(other->times_ns[stage]))
                break;
    point->slower = point->slower_low = point->slower_high = (double)NAN;
    point->time_ns = (double)NAN;
    point->trial_id = -1;
    if (stage == STAGES)
        return;
    point->stage = explain_stages[stage];
    point->time_ns = other->times_ns[stage];
    point->trial_id = other->trial_ids[stage];
    if (stage == own && other->paired_in && strcmp(other->paired_in, point->stage) == 0) {
        point->slower = other->ratio - 1;
        point->slower_low = other->ratio_low - 1;
        point->slower_high = other->ratio_high - 1;
    } else if (strcmp(point->role, "runner-up") != 0) {
        return;
    } else if (by_time) {
        point->slower = other->times_ns[stage] / winner->times_ns[stage] - 1;
    } else {
        point->slower = other->values[stage] / winner->values[stage] - 1;
    }
}

bool compare_points(const struct read_point *read, size_t count,
                    const struct background *background, struct arena *arena,
                    struct explanation *explanation)
{
    const size_t own = own_stage(&read[0], background);
    explanation->points = arena_alloc(arena, count, sizeof *explanation->points);
    if (!explanation->points)
        return false;
    for (size_t i = 0; i < count; i++) {
        struct explain_point *point = &explanation->points[i];
        *point = read[i].point;
        point->low_ns = i == 0 ? background->low_ns : (double)NAN;
        point->high_ns = i == 0 ? background->high_ns : (double)NAN;
        if (i == 0)
            point->standing = "winner";
        compare(&read[0], &read[i], own, is_by_time(explanation), point);
        const bool spread = point->grid > 0 && explanation->unit_count > 0;
        point->gbs = background->bytes_moved / point->time_ns;
        point->ceiling_share = ceiling_is_broken(point->gbs, explanation->ceiling_gbs)
                                   ? (double)NAN
                                   : point->gbs / explanation->ceiling_gbs;
        point->gops = background->operations / point->time_ns;
        point->arithmetic_share = ceiling_is_broken(point->gops, explanation->arithmetic_gops)
                                      ? (double)NAN
                                      : point->gops / explanation->arithmetic_gops;
        point->blocks_per_sm =
            spread ? (double)point->grid / (double)explanation->unit_count : (double)NAN;
        /* The threads resident at once, as far as the grid fills the units. */
        const double threads = fmin((double)point->resident_threads,
                                    ceil(point->blocks_per_sm) * (double)point->block);
        point->bytes_in_flight_per_sm = spread && threads >= 1 && point->bytes_per_thread > 0
                                            ? threads * point->bytes_per_thread
                                            : (double)NAN;
    }
    explanation->points[0].slower = explanation->points[0].slower_low =
        explanation->points[0].slower_high = 0;
    explanation->point_count = count;
    return true;
}
