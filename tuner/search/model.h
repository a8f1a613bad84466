/* A Gaussian process (Rasmussen, Williams 2006) over the logarithms of the times that a search was
 * told of, and what it says of candidates that were not tried. The room's own. */
#ifndef TUNE_SEARCH_MODEL_H
#define TUNE_SEARCH_MODEL_H

#include "tuner/search/features.h"
#include "tuner/search/trail.h"

struct model;

/* NULL when memory is short. The trail must outlive it. */
struct model *model_create(struct trail *trail);
void model_free(struct model *model);
const struct features *model_features(const struct model *model);

/* Whether what is known elsewhere turned out not to hold here, and is not gone by any more. */
bool model_is_misled(const struct model *model);

/* Takes in what the trail has come to. Points whose result is missing count as what the model
 * expects of them. False: nothing to learn from yet, or memory is short. */
bool model_update(struct model *model);
/* The candidate with the greatest expected improvement (Jones, Schonlau, Welch 1998), times the
 * probability that it does not fail; false: none is left. After model_update. */
bool model_choose(struct model *model, uint64_t *point);
/* The same among those next to the best, of which a model may be too sure. */
bool model_choose_neighbour(struct model *model, uint64_t *point);
/* The same among those that differ from the best in one parameter of few values; false: none is
 * left. */
bool model_choose_of_few(struct model *model, uint64_t *point);
/* As search_chance_of_better. After model_update. */
double model_chance_of_better(const struct model *model, double share);

#endif
