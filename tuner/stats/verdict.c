#include "tuner/stats/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/text.h"

static const char *const names[VERDICTS] = {
    [VERDICT_SOUND] = "sound", [VERDICT_NOISY] = "noisy", [VERDICT_UNSTABLE] = "unstable"};

const char *verdict_name(enum verdict verdict)
{
    return names[verdict];
}

const char *verdict_words(enum verdict verdict)
{
    static const char *const words[VERDICTS + 1] = {"sure", "nearly sure", "not sure", "unknown"};
    return words[verdict];
}

enum verdict verdict_named(const char *name)
{
    size_t i = 0;
    while (i < VERDICTS && strcmp(names[i], name) != 0 &&
           strcmp(verdict_words((enum verdict)i), name) != 0)
        i++;
    return (enum verdict)i;
}

/* ---- how much of a space was seen ---- */

/* A search with fewer results, and less than half of the points, has hardly seen its space: its
 * model gives no estimate before. So has one
 * whose model expects, with a chance of more than a tenth, something better by more than half; in
 * large spaces the model's estimates are cautious (docs/search.md). */
static const uint64_t results_min = 32;
static const double much_better = 0.5;

static const char *const coverages[COVERAGES + 1] = {[COVERAGE_WHOLE] = "whole",
                                                     [COVERAGE_PART] = "part",
                                                     [COVERAGE_LITTLE] = "hardly seen",
                                                     [COVERAGE_FAILED] = "mostly failed"};

enum coverage coverage_of(const struct coverage_facts *facts)
{
    if (facts->points == 0 || facts->space == 0)
        return COVERAGES;
    if (2 * facts->failed > facts->measured)
        return COVERAGE_FAILED;
    if (facts->points >= facts->space)
        return COVERAGE_WHOLE;
    const bool few = facts->points < results_min && 2 * facts->points < facts->space;
    const bool little = few || (!isnan(facts->most_better) && facts->most_better > much_better);
    return little ? COVERAGE_LITTLE : COVERAGE_PART;
}

const char *coverage_name(enum coverage coverage)
{
    return coverages[coverage];
}

enum coverage coverage_named(const char *name)
{
    size_t i = 0;
    while (i < COVERAGES && (!name || strcmp(coverages[i], name) != 0))
        i++;
    return (enum coverage)i;
}

void coverage_append(struct text *text, const struct coverage_facts *facts)
{
    text_append_count(text, facts->points);
    text_append(text, " of ");
    text_append_count(text, facts->space);
    text_append(text, facts->space == 1 ? " point tried" : " points tried");
    if (facts->failed > 0) {
        text_append(text, ", ");
        text_append_count(text, facts->failed);
        text_append(text, " of them failed");
    }
    if (facts->points < facts->space && !isnan(facts->most_better))
        text_printf(text, "; with 90 %% none left is better by more than %.2g %%",
                    100 * facts->most_better);
}

enum verdict verdict_headline(enum verdict verdict, enum coverage coverage)
{
    const bool unseen = coverage == COVERAGE_LITTLE || coverage == COVERAGE_FAILED;
    return unseen && verdict < VERDICTS ? VERDICT_UNSTABLE : verdict;
}

static bool drops_too_many(const struct verdict_facts *facts)
{
    return (double)facts->rounds_dropped > facts->dropped_most * (double)facts->rounds;
}

static void append_percent(struct text *text, double share)
{
    text_printf(text, "%.3g %%", share * 100);
}

/* ---- the finding ---- */

/* ---- the gravest fault, and the remedy ---- */

static void append_differs(struct text *text, double floor)
{
    text_append(text, "the same configuration timed twice differs by up to ");
    append_percent(text, floor);
}

/* Remedies: an idle machine, another run, one without the budget's end, or only a longer one. */
struct help {
    bool idle_machine, another_run, more_time, same_command;
};

static struct help append_untried(struct text *text, const struct verdict_facts *facts)
{
    if (facts->only_baselines)
        text_append(text, "nothing was measured but the baseline");
    else
        text_printf(text,
                    "the budget ended the search after %" PRIu64 " of %" PRIu64 " configurations",
                    facts->tried, facts->planned);
    return (struct help){.same_command = true, .more_time = true};
}

static struct help append_weakness(struct text *text, const struct verdict_facts *facts)
{
    const char *beside =
        2 * facts->rounds_beside > facts->rounds ? ", while other processes ran on the device" : "";
    if (facts->only_baselines)
        return append_untried(text, facts);
    if (drops_too_many(facts)) {
        text_append(text, "more than ");
        append_percent(text, facts->dropped_most);
        text_printf(text, " of the rounds were disturbed%s", beside);
    } else if (facts->floor > facts->floor_most) {
        append_differs(text, facts->floor);
        text_printf(text, ", so that no two configurations can be distinguished%s", beside);
    } else if (facts->biased) {
        append_differs(text, facts->floor);
        text_printf(text, ", and not by chance: the measurement is biased%s", beside);
    } else if (facts->tried < facts->planned) {
        return append_untried(text, facts);
    } else if (facts->rounds == 0 || isnan(facts->floor)) {
        text_append(text, "there were too few rounds to know the noise");
        return (struct help){.another_run = true, .more_time = true};
    } else if (facts->processes == 0) {
        /* A run of this effort would have confirmed it, had it not ended before: another goes on.
         */
        const bool was_ended = facts->effort != EFFORT_QUICK;
        text_append(text, "it was measured in one process only");
        return (struct help){.idle_machine = facts->floor > facts->delta,
                             .another_run = !was_ended,
                             .same_command = was_ended,
                             .more_time = facts->has_budget};
    } else if (facts->beside_others) {
        text_append(text, "another process was on the device while it was measured");
    } else if (facts->floor > facts->delta) {
        append_differs(text, facts->floor);
        text_append(text, ", more than the ");
        append_percent(text, facts->delta);
        text_printf(text, " up to which all count as equal%s", beside);
    } else {
        text_append(text, "a change of clocks or throttling would not have been seen");
        return (struct help){0};
    }
    return (struct help){.idle_machine = true, .another_run = true};
}

/* "Not sure: ", "Nearly sure: ": how a reason begins that doubts. */
static const char *const leads[VERDICTS] = {
    [VERDICT_NOISY] = "Nearly sure: ", [VERDICT_UNSTABLE] = "Not sure: "};

enum verdict verdict_of(const struct verdict_facts *facts, char *reason, size_t reason_bytes)
{
    struct text out = {0};
    const bool is_unstable = facts->only_baselines || facts->biased || drops_too_many(facts) ||
                             facts->floor > facts->floor_most;
    const bool is_noisy = facts->rounds == 0 || !(facts->floor <= facts->delta) ||
                          facts->processes == 0 || facts->tried < facts->planned ||
                          !facts->conditions_known || facts->beside_others;
    const enum verdict verdict = is_unstable ? VERDICT_UNSTABLE
                                 : is_noisy  ? VERDICT_NOISY
                                             : VERDICT_SOUND;
    if (verdict != VERDICT_SOUND) {
        text_append(&out, leads[verdict]);
        const struct help help = append_weakness(&out, facts);
        if (help.same_command)
            text_printf(&out, ". Run the same command again%s: it continues from there",
                        help.more_time ? ", with a larger --budget or none" : "");
        if (help.another_run)
            text_printf(
                &out, ". Run the same command with `--effort %s`%s",
                effort_name(facts->effort == EFFORT_THOROUGH ? EFFORT_THOROUGH : EFFORT_NORMAL),
                help.idle_machine ? " when the machine is idle" : "");
        /* This effort would have been enough. */
        if (help.another_run && help.more_time && facts->has_budget &&
            facts->effort != EFFORT_QUICK)
            text_append(&out, ", with a larger --budget or none");
        text_append(&out, ". Found: ");
    }
    if (facts->rounds == 0)
        text_append(&out, "no rounds");
    else if (facts->rounds_dropped == 0)
        text_printf(&out, "none of %s dropped", count_text(facts->rounds, "round").text);
    else
        text_printf(&out, "%zu of %s dropped", facts->rounds_dropped,
                    count_text(facts->rounds, "round").text);
    if (facts->rounds_dropped > 0 && facts->most_frequent_fault)
        text_printf(&out, " (%s)", facts->most_frequent_fault);
    text_append(&out, ", A/A floor ");
    if (isnan(facts->floor))
        text_append(&out, "unknown");
    else
        append_percent(&out, facts->floor);
    if (facts->processes == 0)
        text_append(&out, ", not confirmed by fresh processes");
    else
        text_printf(&out, ", confirmed by %s", count_text(facts->processes, "fresh process").text);
    if (!facts->conditions_known)
        text_append(&out, ", clocks and throttling could not be read");
    (void)string_format(reason, reason_bytes, "%s", text_string(&out));
    text_free(&out);
    return verdict;
}

size_t verdict_advice_bytes(const char *reason)
{
    const char *found = strstr(reason, " Found: ");
    return found ? (size_t)(found - reason) : strlen(reason);
}

/* Finds the advice in a reason; the end of that: none. */
static const char *step_in(const char *reason)
{
    static const char lead[] = ". Run the same command";
    const char *at = strstr(reason, lead);
    return at && at < reason + verdict_advice_bytes(reason) ? at
                                                            : reason + verdict_advice_bytes(reason);
}

const char *verdict_doubt(const char *text)
{
    const char *first = NULL;
    for (size_t i = 0; i < VERDICTS; i++) {
        const char *at = leads[i] ? strstr(text, leads[i]) : NULL;
        first = at && (!first || at < first) ? at : first;
    }
    return first;
}

/* Returns where a reason goes on behind its lead; NULL: it has none. */
static const char *behind_lead(const char *reason)
{
    return verdict_doubt(reason) == reason ? strchr(reason, ':') + 2 : NULL;
}

void verdict_append_fault(struct text *text, const char *reason)
{
    const char *behind = behind_lead(reason);
    const char *from = behind ? behind : reason;
    size_t bytes = (size_t)(step_in(reason) - from);
    bytes -= bytes > 0 && from[bytes - 1] == '.' ? 1 : 0;
    text_append_bytes(text, from, bytes);
}

void verdict_append_step(struct text *text, const char *reason)
{
    const char *at = step_in(reason);
    const char *end = reason + verdict_advice_bytes(reason);
    if (at == end)
        return;
    at += strlen(". R");
    end -= end[-1] == '.' ? 1 : 0;
    text_append(text, "r");
    text_append_bytes(text, at, (size_t)(end - at));
}

void verdict_append_advice(struct text *text, const char *reason)
{
    const char *behind = behind_lead(reason);
    if (behind)
        text_append_bytes(text, behind, verdict_advice_bytes(reason) - (size_t)(behind - reason));
    else
        text_printf(text,
                    "%s. Run the same command with `--effort normal` when the machine is idle.",
                    reason);
}
