/* Covers the sizes of a problem key with few configurations: each serves boxes of sizes. A range is
 * a box of one dimension. */
#ifndef TUNE_SESSION_COVERING_H
#define TUNE_SESSION_COVERING_H

#include "tuner/session/look.h"
#include "tuner/session/losses.h"
#include "tuner/stats/ranges.h"

enum { CUTS_MAX = 12 };

/* A look at a configuration, which may leave its box later. */
struct taken_look {
    size_t configuration;
    int64_t sizes[SIZE_NAMES_MAX];
    bool is_measured;
    struct interval loss; /* relative to the best configuration of the look */
    int64_t best_configuration_id;
};

struct covering {
    struct work work;  /* gives the key by its problem */
    struct lane *lane; /* measures looks; NULL: none */
    struct losses losses;
    struct size_box boxes[SPOTS_MAX]; /* ascending if of one dimension */
    size_t box_count;
    size_t box_of[SPOTS_MAX]; /* box of each spot; box_count or more: none */
    struct taken_look *looks;
    size_t look_count, look_capacity;
    struct arena arena;
};

/* ranges.c: Cuts the boxes anew: by the apparent losses before looks, by the bounds for the stored
 * result. */
void covering_cut(struct covering *covering, const double *loss);
bool covering_is_listed(const struct covering *covering, size_t box);
bool covering_holds(const struct covering *covering, size_t box, const int64_t *sizes);

/* Looks at configurations at sizes. At sizes that the run did not measure an expression may have no
 * value: then there is no look. Configurations that are wrong there keep only sizes that were won,
 * or none if sizes have several names; *wrong: some are. */
enum status covering_look(struct covering *covering, const int64_t *sizes, bool is_measured,
                          const size_t *configurations, size_t count, struct look *look,
                          bool *wrong, struct error *error);
/* Looks at configurations and the winner at a spot, and keeps their losses: upper bounds at a
 * measured spot, estimates between. Leaves out configurations without a launch there. */
enum status covering_look_at_spot(struct covering *covering, size_t spot,
                                  const size_t *configurations, size_t count, struct error *error);
/* Keeps a look's result of one configuration; false: memory is short. */
bool covering_keep(struct covering *covering, const int64_t *sizes, bool is_measured,
                   const struct look *look, const size_t *configurations, size_t index);
size_t add_distinct(size_t list[LOOK_MAX], size_t count, size_t configuration, size_t most);
/* Orders the measured spots by their distance from the sizes. */
void covering_order(const struct covering *covering, const int64_t *sizes, size_t out[SPOTS_MAX]);

/* between.c: Looks between the sizes and cuts the boxes anew where a look calls for that. */
enum status covering_look_between(struct covering *covering, struct error *error);

/* Covers the sizes of each requested problem key that has a new winner, or no valid ranges. */
enum status group_ranges(struct group *group, const struct session_experiment *at,
                         int64_t experiment_id, const struct objective *objective,
                         struct error *error);

#endif
