/* Conditions of timed runs: state of the last-level cache, and issue of launches. */
#ifndef TUNE_BASE_L2_MODE_H
#define TUNE_BASE_L2_MODE_H

#include <stdbool.h>

/* How a device is given the launches of timed runs. */
enum issue {
    ISSUE_GRAPH,  /* together, as a graph behind a gate: the host's pace is not measured */
    ISSUE_STREAM, /* one by one on a stream, behind a gate */
    ISSUE_EAGER,  /* one by one to an idle device: the host's pace is measured */
    ISSUES,
};
extern const char *const issue_names[ISSUES]; /* "graph", "stream", "eager" */
/* Adds the bits (1 << issue) of names such as "graph, eager". Returns false at a word that is no
 * such name. */
bool issues_parse(const char *names, unsigned *bits);

/* Condition of timed runs: state of the last-level cache, and issue. The states listed are of
 * ISSUE_GRAPH; those of another issue follow in the same order (l2_mode_as). Stored by name; times
 * of different modes are never mixed. */
enum l2_mode {
    L2_COLD, /* a clean buffer of twice the cache was read; inputs rotate over copies */
    L2_HOT,  /* equal buffers every run, after two untimed runs */
    /* Streaming: inputs rotate over copies of at least five times the cache's size, and the cache
     * is not flushed between blocks; as L2_COLD if memory is too short for these copies. */
    L2_STREAM,
    /* As L2_COLD, but flushed by writing, as other harnesses do: shows the cost of dirty lines. */
    L2_DIRTY,
};
enum { L2_STATES = 4, L2_MODES = L2_STATES * ISSUES };

const char *l2_mode_name(enum l2_mode mode); /* "cold", "cold-stream", "cold-eager" ... */
/* Finds the mode; false when no mode has that name. */
bool l2_mode_parse(const char *name, enum l2_mode *out);
enum issue l2_issue(enum l2_mode mode);
enum l2_mode l2_state(enum l2_mode mode); /* the cache's state alone: L2_COLD to L2_DIRTY */
/* Returns the mode with the state of `mode`, issued so. */
enum l2_mode l2_mode_as(enum l2_mode mode, enum issue issue);

#endif
