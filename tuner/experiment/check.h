/* Between the file that reads checks and those of its kinds. */
#ifndef TUNE_EXPERIMENT_CHECK_H
#define TUNE_EXPERIMENT_CHECK_H

#include "tuner/experiment/read.h"

enum { COMPANIONS_MAX = 2 };
struct check_kind {
    const char *key;                        /* of the check */
    const char *companions[COMPANIONS_MAX]; /* keys that go with it alone */
    enum reference_kind reference;
    enum argument_fill fill; /* REFERENCE_FILL: which */
    bool of_problem; /* what it means does not depend on the configuration nor on the device */
    /* `value` is the key's. */
    bool (*read)(struct file_reader *reader, const struct node *check, const struct node *value,
                 struct check_rule *out);
    /* `out` has all but what the kind makes of it. */
    bool (*make)(struct maker *maker, const struct point *point, const struct check_rule *rule,
                 enum element_type type, struct output_check *out);
};
/* A row each: NAME is the constant check_by_NAME. */
#define CHECK_KINDS(ROW)    ROW(function) ROW(launches) ROW(configuration) ROW(series) ROW(file)
#define CHECK_DECLARE(name) extern const struct check_kind check_by_##name;
CHECK_KINDS(CHECK_DECLARE)

/* Whether all parameters that it comes to need are among those of `per`. */
bool check_is_within_per(const struct experiment *experiment, struct slot_set uses,
                         const struct slot_set *per);
bool check_needs_per(struct file_reader *reader, const struct node *node, struct slot_set uses,
                     const struct check_rule *check);
/* Whether the output that it checks has one type and count for all configurations, or for all with
 * the same values of `per`. */
bool check_has_one_form(const struct experiment *experiment, const struct check_rule *check);
/* Of the magnitude, where the file says nothing and another plan is the reference; of integers 0.
 */
double usual_tolerance(enum element_type type);
/* The output's count in this configuration; 0 where that cannot be told: make_plan says why. */
int64_t check_known_count(struct maker *maker, const struct check_rule *rule);

#endif
