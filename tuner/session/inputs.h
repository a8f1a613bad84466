/* What the trials of a problem share: its inputs, and what their results are held against. Both are
 * made by each worker that works on the problem, and do not depend on the configuration. */
#ifndef TUNE_SESSION_INPUTS_H
#define TUNE_SESSION_INPUTS_H

#include "tuner/session/work.h"

/* What results are held against, for the values of the parameters that it depends on. */
struct check_set {
    struct check_set *next;
    const char *key; /* point_check_key */
    struct configuration configuration;
    struct worker_checks checks;
};

struct inputs {
    /* At what it is described: a configuration for which no expression fails. Borrowed. */
    const struct configuration *configuration;
    bool alike; /* no copy of the inputs is to differ from another */
    /* Made when a worker is first told. */
    struct arena arena;
    struct worker_task *problem; /* NULL: not yet */
    struct check_set *sets;      /* all that were asked for */
    int64_t setup_ns;            /* what it took the worker */
    int64_t reference_ns;        /* that the references took of that; 0: not known */
};

/* Has the lane's worker make the inputs and, with `check`, the expected results. */
enum status inputs_send(const struct work *work, struct inputs *inputs, struct lane *lane,
                        bool check, struct error *error);
/* Has an idle compiler call the problem's references, whose binaries are asked for, so that the
 * worker finds in the cache what they say. *taken false: not now. What is wrong is said when it is
 * the problem's turn. */
void inputs_ahead(const struct work *work, const struct configuration *configuration, bool *taken);
/* The checks of a configuration, whose references are compiled when they are first asked for. Both
 * belong to the inputs. */
enum status inputs_checks(const struct work *work, struct inputs *inputs,
                          const struct configuration *configuration, const struct check_set **out,
                          struct error *error);
/* References that somebody took out of the cache are compiled again: then *gone. */
enum status inputs_restore(const struct work *work, const struct inputs *inputs, bool *gone,
                           struct error *error);
/* Whether making the references again, for other inputs, takes no time worth speaking of. */
bool inputs_are_cheap(const struct inputs *inputs);
/* Whether some of the runs that are checked have changed inputs: "changed"; "alike": none has, as
 * *why says, so that a result which is remembered is right. NULL: not known. */
const char *inputs_kind(const struct work *work, const struct inputs *inputs, const char **why);
void inputs_clear(struct inputs *inputs);

/* What a worker is told of a check; compiles what that takes, and waits for it. */
enum status describe_check(const struct work *work, const struct output_check *check,
                           struct worker_reference *reference, struct error *error);

#endif
