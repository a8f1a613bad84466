/* A problem's space, and candidates of its points as they are asked for. */
#include <math.h>
#include <string.h>

#include "tuner/session/internal.h"

/* How many points are looked at for one whose expressions all have a value. */
enum { ANY_TRIES = 64 };

uint64_t session_points(const struct session_options *options, uint64_t space_count)
{
    uint64_t points = space_count;
    if (options->only_count > 0)
        return 0;
    double share = options->points_share * (double)space_count;
    if (share > 0) /* 0.02 % of 110,000 are 22, whatever doubles make of that */
        points = (uint64_t)(fabs(share - round(share)) < 1e-9 * share ? round(share) : ceil(share));
    else if (options->points > 0)
        points = options->points;
    return points < space_count ? points : space_count;
}

/* What a problem's inputs are does not depend on the configuration, but an expression may fail for
 * some: the first point for which none does stands for all. */
static void choose_any(struct sweep *sweep)
{
    struct arena scratch = {0};
    enum status status = STATUS_BAD_INPUT;
    sweep->any = (struct candidate){.binary = NO_BINARY};
    for (uint64_t i = 0; status != STATUS_OK && i < ANY_TRIES && i < sweep->space_count; i++) {
        struct launch_plan plan;
        struct error ignored = {0};
        struct configuration room;
        sweep->any.point = i;
        struct point point = sweep_point(sweep, &sweep->any, 1, &room);
        status = point_plan(&point, &scratch, &plan, &ignored);
        arena_free(&scratch);
    }
    if (status != STATUS_OK)
        sweep->any.point = 0;
}

enum status sweep_open(struct sweep *sweep, struct error *error)
{
    enum status status =
        space_create(sweep->experiment, &sweep->problem, sweep->group->facts, &sweep->space, error);
    if (status != STATUS_OK)
        return status;
    sweep->space_count = space_count(sweep->space);
    if (sweep->space_count == 0)
        return error_set(error, STATUS_BAD_INPUT, "%s: %s n=%lld: the constraints leave nothing",
                         experiment_path(sweep->experiment), sweep->problem.key,
                         (long long)sweep->problem.n);
    for (size_t i = 0; i < space_dimension_count(sweep->space); i++)
        sweep->value_counts[i] = (uint16_t)space_value_count(sweep->space, i);
    sweep->points_most = session_points(sweep->group->session->options, sweep->space_count);
    choose_any(sweep);
    return STATUS_OK;
}

static enum status add(struct sweep *sweep, const struct configuration *configuration,
                       uint64_t point, struct candidate **out, struct error *error)
{
    char key[CONFIGURATION_KEY_BYTES];
    if (!configuration_key(configuration, key))
        return error_set(error, STATUS_BAD_INPUT, "%s: a configuration's values are too long",
                         experiment_path(sweep->experiment));
    *out = point == NO_POINT ? table_outside(&sweep->table, key) : NULL;
    if (*out)
        return STATUS_OK;
    *out = table_add(&sweep->table, configuration, key, point);
    if (!*out)
        return error_no_memory(error);
    return store_configuration(sweep->group->session->store, sweep->experiment_id, key,
                               configuration->values, configuration->count,
                               &(*out)->configuration_id, error);
}

enum status sweep_candidate(struct sweep *sweep, uint64_t point, struct candidate **out,
                            struct error *error)
{
    struct configuration configuration;
    *out = table_at_point(&sweep->table, point);
    if (*out)
        return STATUS_OK;
    space_configuration(sweep->space, point, &configuration);
    return add(sweep, &configuration, point, out, error);
}

enum status sweep_candidate_of(struct sweep *sweep, const struct configuration *configuration,
                               struct candidate **out, struct error *error)
{
    uint64_t point = 0;
    if (space_find(sweep->space, configuration, &point))
        return sweep_candidate(sweep, point, out, error);
    return add(sweep, configuration, NO_POINT, out, error);
}

/* What is wrong with one configuration is no reason to end: others may be right. */
static enum status is_broken(struct sweep *sweep, struct candidate *candidate, struct error *error)
{
    candidate->broken = arena_strdup(&sweep->arena, error->text);
    error_clear(error);
    return candidate->broken ? STATUS_OK : error_no_memory(error);
}

enum status sweep_binary(struct sweep *sweep, struct candidate *candidate, bool wanted,
                         struct error *error)
{
    struct arena scratch = {0};
    struct binary_request request;
    struct binaries *binaries = &sweep->group->binaries;
    if (candidate->broken || (candidate->binary != NO_BINARY &&
                              (!wanted || binaries_asked(binaries, candidate->binary))))
        return STATUS_OK;
    struct configuration room;
    struct point point = sweep_point(sweep, candidate, 0, &room);
    enum status status = point_binary(&point, &scratch, &request, error);
    if (status == STATUS_BAD_INPUT)
        status = is_broken(sweep, candidate, error);
    else if (status == STATUS_OK && wanted)
        status = binaries_request(binaries, &request, &candidate->binary, error);
    else if (status == STATUS_OK)
        status = binaries_know(binaries, &request, &candidate->binary, error);
    arena_free(&scratch);
    return status;
}

const struct binary *candidate_binary(const struct sweep *sweep, const struct candidate *candidate)
{
    return candidate->binary == NO_BINARY ? NULL : &sweep->group->binaries.items[candidate->binary];
}

void sweep_compare(struct sweep *sweep, struct candidate *candidate)
{
    if (candidate->done && candidate->status == TRIAL_OK && !candidate->rejected &&
        (!sweep->best || candidate->median_ns < sweep->best->median_ns))
        sweep->best = candidate;
}
