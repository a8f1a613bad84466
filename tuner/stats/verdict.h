/* Whether numbers deserve trust, and the reason. */
#ifndef TUNE_STATS_VERDICT_H
#define TUNE_STATS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/text.h"
#include "tuner/stats/protocol.h"

enum verdict {
    VERDICT_SOUND,
    VERDICT_NOISY,    /* usable, with a wider tie band than asked for, or not confirmed */
    VERDICT_UNSTABLE, /* not to be used: dropped rounds, a biased harness, a floor above floor_most,
                         or trials of baselines only */
    VERDICTS
};
const char *verdict_name(enum verdict verdict); /* "sound", "noisy", "unstable" */
/* Returns the verdict of that name; VERDICTS: none. Functions below accept VERDICTS, too. */
enum verdict verdict_named(const char *name);
const char *verdict_answer(enum verdict verdict); /* sure? "yes", "nearly", "no", "unknown" */
const char *
verdict_words(enum verdict verdict); /* "sure", "nearly sure", "not sure", "not known" */

struct verdict_facts {
    size_t rounds, rounds_dropped;
    const char *most_frequent_fault; /* name of a round_fault; NULL: none */
    double dropped_most;             /* the protocol's */
    double floor;                    /* A/A, relative; NaN: unknown, which is noisy */
    double delta, floor_most;        /* the protocol's */
    bool biased;
    size_t processes;        /* fresh processes that confirmed; 0: none */
    bool conditions_known;   /* clocks and throttle reasons could be read */
    enum effort effort;      /* effort of the run ... */
    bool has_budget;         /* ... and whether under a budget */
    bool only_baselines;     /* only baselines were tried of several configurations */
    uint64_t tried, planned; /* points of a search cut by a budget; planned 0: not cut */
};

/* Judges the facts. `reason`: one sentence for people, even if sound: "Not sure: ..." includes
 * advice. */
enum { VERDICT_REASON_BYTES = 512 };
enum verdict verdict_of(const struct verdict_facts *facts, char *reason, size_t reason_bytes);
/* Returns the length of the fault and the advice in a reason, up to the finding in numbers, or the
 * whole. */
size_t verdict_advice_bytes(const char *reason);
/* Formats that without "Not sure:"; adds advice to a reason of an older tune, which has none. */
void verdict_append_advice(struct text *text, const char *reason);
/* Format only the fault, or only the advice, such as "run the same command ...": "" if there is
 * none, or if the reason is of an older tune. */
void verdict_append_fault(struct text *text, const char *reason);
void verdict_append_step(struct text *text, const char *reason);

#endif
