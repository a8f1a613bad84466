/* Whether numbers deserve trust, and why not. */
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
                         nothing tried but baselines */
    VERDICTS
};
const char *verdict_name(enum verdict verdict); /* "sound", "noisy", "unstable" */
/* The verdict of that name; VERDICTS: none. Those below take VERDICTS, too. */
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
    size_t processes;      /* fresh processes that confirmed; 0: none */
    bool conditions_known; /* clocks and throttle reasons could be read */
    enum effort effort;    /* that it was measured with ... */
    bool has_budget;       /* ... and within one */
    bool only_baselines;   /* of several configurations no other was tried */
    uint64_t tried,
        planned; /* what a budget left of a search for all; planned 0: nothing was cut */
};

/* `reason`: one sentence for people, also when sound: "Not sure: ..." says what to do. */
enum { VERDICT_REASON_BYTES = 512 };
enum verdict verdict_of(const struct verdict_facts *facts, char *reason, size_t reason_bytes);
/* How much of a reason says what is wrong and what to do: up to what was found in numbers, or all.
 */
size_t verdict_advice_bytes(const char *reason);
/* That, without its "Not sure:"; a reason of an older tune, which gives no advice, gets some. */
void verdict_append_advice(struct text *text, const char *reason);
/* Only what is wrong; and only what to do, as "run the same command ...": nothing where there is
 * nothing to do, or the reason is of an older tune. */
void verdict_append_fault(struct text *text, const char *reason);
void verdict_append_step(struct text *text, const char *reason);

#endif
