/* Declarations shared by the reader of checks and the files of their kinds. */
#ifndef TUNE_EXPERIMENT_CHECK_H
#define TUNE_EXPERIMENT_CHECK_H

#include "tuner/experiment/read.h"

enum { COMPANIONS_MAX = 2 };
struct check_kind {
    const char *key;                        /* key of the check */
    const char *companions[COMPANIONS_MAX]; /* keys allowed with this kind only */
    enum reference_kind reference;
    enum argument_fill fill; /* REFERENCE_FILL: kind of fill */
    bool of_problem;         /* independent of configuration and device */
    /* Reads the check; `value` is the key's value. */
    bool (*read)(struct file_reader *reader, const struct node *check, const struct node *value,
                 struct check_rule *out);
    /* Fills the parts of `out` that depend on the kind. */
    bool (*make)(struct maker *maker, const struct point *point, const struct check_rule *rule,
                 enum element_type type, struct output_check *out);
};
/* One row for each kind: NAME is the constant check_by_NAME. */
#define CHECK_KINDS(ROW)    ROW(function) ROW(launches) ROW(configuration) ROW(series) ROW(file)
#define CHECK_DECLARE(name) extern const struct check_kind check_by_##name;
CHECK_KINDS(CHECK_DECLARE)

/* Returns whether all parameters in `uses` are among those of `per`. */
bool check_per_covers(const struct experiment *experiment, struct slot_set uses,
                      const struct slot_set *per);
bool check_require_per(struct file_reader *reader, const struct node *node, struct slot_set uses,
                       const struct check_rule *check);
/* Returns the default tolerance, in magnitudes, for a reference by another plan; 0 for integers. */
double default_tolerance(enum element_type type);
/* Returns the output's count in this configuration; 0 if unknown, in which case make_plan reports
 * the reason. */
int64_t check_known_count(struct maker *maker, const struct check_rule *rule);

#endif
