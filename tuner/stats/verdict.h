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
/* Returns the verdict of that name or of these words; VERDICTS: none. Functions below accept
 * VERDICTS, too. */
enum verdict verdict_named(const char *name);
const char *verdict_words(enum verdict verdict); /* "sure", "nearly sure", "not sure", "unknown" */

/* How much of its space a winner was chosen from: the other half of an answer, since a verdict is
 * on the choice among candidates that were measured. docs/glossary.md has the rule. */
enum coverage {
    COVERAGE_WHOLE,
    COVERAGE_PART,
    COVERAGE_LITTLE, /* "hardly seen" */
    COVERAGE_FAILED, /* "mostly failed" */
    COVERAGES
};
struct coverage_facts {
    uint64_t points, space;     /* tried or set aside; legal ones */
    uint64_t measured, failed;  /* points not set aside, and the failed ones of these */
    double chance, most_better; /* as search.h has them; NaN: unknown */
};
enum coverage coverage_of(const struct coverage_facts *facts);
const char *coverage_name(enum coverage coverage); /* COVERAGES: NULL */
/* Finds a coverage by name. COVERAGES: none, also for NULL. */
enum coverage coverage_named(const char *name);
/* Appends "10 of 3,400 points tried, 8 of them failed; with 90 % none left is better by more than
 * 23 %". */
void coverage_append(struct text *text, const struct coverage_facts *facts);
/* Returns the verdict that a headline may give: none is sure of a space that was hardly seen or
 * mostly failed. */
enum verdict verdict_headline(enum verdict verdict, enum coverage coverage);

struct verdict_facts {
    size_t rounds, rounds_dropped;
    const char *most_frequent_fault; /* name of a round_fault; NULL: none */
    double dropped_most;             /* the protocol's */
    double floor;                    /* A/A, relative; NaN: unknown, which is noisy */
    double delta, floor_most;        /* the protocol's */
    bool biased;
    size_t processes;        /* fresh processes that confirmed; 0: none */
    bool conditions_known;   /* clocks and throttle reasons could be read */
    bool beside_others;      /* another process stayed on the device */
    size_t rounds_beside;    /* rounds with other processes on the device */
    enum effort effort;      /* effort of the run ... */
    bool has_budget;         /* ... and whether under a budget */
    bool only_baselines;     /* only baselines were tried of several configurations */
    uint64_t tried, planned; /* points of a search cut by a budget; planned 0: not cut */
};

/* Judges the facts. `reason`: one sentence for people, even if sure: "Nearly sure: ...", "Not sure:
 * ..." include advice. */
enum { VERDICT_REASON_BYTES = 512 };
enum verdict verdict_of(const struct verdict_facts *facts, char *reason, size_t reason_bytes);
/* Returns the length of the fault and the advice in a reason, up to the finding in numbers, or the
 * whole. */
size_t verdict_advice_bytes(const char *reason);
/* Returns the first reason in a text that doubts; NULL: none. */
const char *verdict_doubt(const char *text);
/* Formats that without "Not sure:" or "Nearly sure:"; adds advice to a reason of an older tune,
 * which has none. */
void verdict_append_advice(struct text *text, const char *reason);
/* Format only the fault, or only the advice, such as "run the same command ...": "" if there is
 * none, or if the reason is of an older tune. */
void verdict_append_fault(struct text *text, const char *reason);
void verdict_append_step(struct text *text, const char *reason);

#endif
