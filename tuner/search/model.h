/* A Gaussian process (Rasmussen, Williams 2006) over the logarithms of the results, and its
 * predictions of untried candidates. Used by this room only. */
#ifndef TUNE_SEARCH_MODEL_H
#define TUNE_SEARCH_MODEL_H

#include "tuner/search/features.h"
#include "tuner/search/trail.h"

struct model;

/* Creates a model of the trail, which must outlive the model. NULL: no memory. */
struct model *model_create(struct trail *trail);
void model_free(struct model *model);
const struct features *model_features(const struct model *model);

/* Returns whether results of elsewhere proved misleading and were dropped. */
bool model_is_misled(const struct model *model);

/* Takes in the trail's new results; pending points count with their expected value. False: no
 * results yet, or no memory. */
bool model_update(struct model *model);
/* Finds the candidate with the greatest expected improvement (Jones, Schonlau, Welch 1998), times
 * the probability of success; false: none is left. After model_update. */
bool model_choose(struct model *model, uint64_t *point);
/* Finds the most promising neighbour of the best points, of which a model may be too sure. */
bool model_choose_neighbour(struct model *model, uint64_t *point);
/* Finds the most promising point that differs from the best ones in one parameter of few values;
 * false: none is left. */
bool model_choose_of_few(struct model *model, uint64_t *point);
/* Returns search_chance_of_better. After model_update. */
double model_chance_of_better(const struct model *model, double share);

#endif
