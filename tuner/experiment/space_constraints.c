/* What each constraint rules out of the product, by itself. */
#include <stdlib.h>

#include "tuner/experiment/space.h"

size_t experiment_constraint_count(const struct experiment *experiment)
{
    return experiment->constraint_count;
}

const char *experiment_constraint_text(const struct experiment *experiment, size_t index)
{
    return experiment->constraints[index].text;
}

enum status space_constraint_keeps(const struct experiment *experiment,
                                   const struct problem *problem, const struct facts *facts,
                                   size_t index, uint64_t *kept, struct error *error)
{
    struct space *space = NULL;
    struct experiment *alone = malloc(sizeof *alone);
    if (!alone)
        return error_no_memory(error);
    *alone = *experiment;
    alone->constraints[0] = experiment->constraints[index];
    alone->constraint_count = 1;
    enum status status = space_create(alone, problem, facts, &space, error);
    if (status == STATUS_OK)
        *kept = space_count(space);
    space_free(space);
    free(alone);
    return status;
}

struct value space_value(const struct space *space, size_t dimension, size_t index)
{
    return space->lists[dimension].values[index];
}
