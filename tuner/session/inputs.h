/* Inputs and expected results that the trials of a problem share. Each worker on the problem makes
 * both, which do not depend on the configuration. */
#ifndef TUNE_SESSION_INPUTS_H
#define TUNE_SESSION_INPUTS_H

#include "tuner/session/work.h"

/* The checks of results, for the parameter values on which these depend. */
struct check_set {
    struct check_set *next;
    const char *key; /* point_check_key */
    struct configuration configuration;
    struct worker_checks checks;
};

struct inputs {
    /* Configuration that describes the inputs, without a failing expression. Borrowed. */
    const struct configuration *configuration;
    bool alike; /* all copies of the inputs are equal */
    /* Made for the first worker. */
    struct arena arena;
    struct worker_task *problem; /* NULL: not yet */
    struct check_set *sets;      /* all requested so far */
    int64_t setup_ns;            /* a worker's time for both */
    int64_t reference_ns;        /* the references' part of that; 0: not known */
};

/* Makes the lane's worker create the inputs and, with `check`, the expected results. */
enum status inputs_send(const struct work *work, struct inputs *inputs, struct lane *lane,
                        bool check, struct error *error);
/* Makes an idle compiler call the problem's references, whose binaries are requested, so that the
 * worker finds the results in the cache. *taken false: not now. Errors are reported when the
 * problem is measured. */
void inputs_ahead(const struct work *work, const struct configuration *configuration, bool *taken);
/* Finds the checks of a configuration, and compiles the references at the first request. Both
 * belong to the inputs. */
enum status inputs_checks(const struct work *work, struct inputs *inputs,
                          const struct configuration *configuration, const struct check_set **out,
                          struct error *error);
/* Compiles references again that are missing from the cache: then *gone. */
enum status inputs_restore(const struct work *work, const struct inputs *inputs, bool *gone,
                           struct error *error);
/* Returns whether making the references again, for other inputs, takes little time. */
bool inputs_are_cheap(const struct inputs *inputs);
/* Returns "changed" if some checked runs have changed inputs; "alike" if none has, for the reason
 * *why, so that a remembered result would pass; NULL: unknown. */
const char *inputs_kind(const struct work *work, const struct inputs *inputs, const char **why);

/* Describes a check for a worker; compiles the reference, and waits for the compilation. */
enum status describe_check(const struct work *work, const struct output_check *check,
                           struct worker_reference *reference, struct error *error);

#endif
