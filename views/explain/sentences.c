/* Tells why a winner wins, in sentences. Differences are stated, not blamed: different registers do
 * not prove that registers make the difference. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/stats/estimate.h"
#include "tuner/stats/verdict.h"
#include "views/explain/internal.h"

enum { SENSITIVITIES_MAX = 3 };
static const double sensitive_least = 0.01; /* below the resolution of a sweep */

struct wording {
    struct explanation *explanation;
    const struct background *background;
    struct arena *arena;
    struct text text; /* the sentence in hand */
    size_t capacity;
    bool failed;
};

/* Takes the sentence in hand. */
static void end_sentence(struct wording *wording)
{
    struct explanation *out = wording->explanation;
    const char *copy = arena_strdup(wording->arena, text_string(&wording->text));
    if (wording->text.failed || !copy || out->sentence_count == wording->capacity)
        wording->failed = true;
    else
        out->sentences[out->sentence_count++] = copy;
    text_clear(&wording->text);
}

/* Appends the interval of a raced point: " (0.17 % less to 0.13 % more)". */
static void put_interval(struct text *text, double low, double high)
{
    if (!isfinite(low) || !isfinite(high))
        return;
    if (bounds_are_narrow(1 + low, 1 + high))
        append_sentence(text, " (%M to %M)", low, high);
    else
        append_sentence(text, " (interval unknown)");
}

static void put_factor(struct text *text, double factor)
{
    text_printf(text, "%.*f", factor < 9.995 ? 2 : factor < 99.95 ? 1 : 0, factor);
}

/* ---- differences ---- */

static void separate(struct text *text, size_t *count)
{
    text_append(text, (*count)++ == 0 ? ": " : ", ");
}

/* "1 launch against 2" */
static void put_counts(struct text *text, size_t *count, const char *noun, int64_t own,
                       int64_t other)
{
    if (own < 0 || other < 0 || own == other)
        return;
    separate(text, count);
    append_sentence(text, "%C against %D", own, noun, other);
}

static void put_resources(struct text *text, const struct explain_point *own,
                          const struct explain_point *other)
{
    size_t count = 0;
    put_counts(text, &count, "launch", own->launches, other->launches);
    put_counts(text, &count, "block", own->grid, other->grid);
    if (own->threads > 0) {
        put_counts(text, &count, "thread", own->threads, other->threads);
    } else if (own->block > 0 && other->block > 0 && own->block != other->block) {
        separate(text, &count);
        append_sentence(text, "%D threads per block against %D", own->block, other->block);
    }
    put_counts(text, &count, "register", own->registers, other->registers);
    if (own->spill_bytes >= 0 && other->spill_bytes >= 0 &&
        own->spill_bytes != other->spill_bytes) {
        separate(text, &count);
        append_sentence(text, "%D bytes spilled against %D", own->spill_bytes, other->spill_bytes);
    }
    if (fabs(own->occupancy - other->occupancy) > 0.0005) {
        separate(text, &count);
        append_sentence(text, "occupancy %P against %P", own->occupancy, other->occupancy);
    }
    if (fabs(own->bytes_in_flight_per_sm - other->bytes_in_flight_per_sm) > 0.5) {
        separate(text, &count);
        append_sentence(text, "%B in flight per SM against %B", own->bytes_in_flight_per_sm,
                        other->bytes_in_flight_per_sm);
    }
}

/* ---- comparison with a baseline ---- */

static void append_saved_launches(struct wording *wording, const struct explain_point *other)
{
    const struct explain_point *winner = &wording->explanation->points[0];
    const double saved = (double)(other->launches - winner->launches);
    const double saved_ns = wording->background->node_gap_ns;
    const double apart_ns = winner->time_ns * other->slower;
    if (winner->launches < 1 || !(saved >= 1) || !(saved_ns > 0) || saved_ns >= apart_ns ||
        !is_by_time(wording->explanation))
        return;
    append_sentence(&wording->text, "; %T lie between them, of which an empty launch more takes %T",
                    apart_ns, saved_ns);
}

static void add_baseline(struct wording *wording, const struct explain_point *point)
{
    const struct explanation *explanation = wording->explanation;
    const struct explain_point *winner = &explanation->points[0];
    struct text *text = &wording->text;
    if (point->trial_id >= 0 && point->trial_id == winner->trial_id) {
        text_printf(text, "It is the launch of the baseline %s.", point->role);
        end_sentence(wording);
        return;
    }
    if (!isfinite(point->slower)) {
        if (!point->status)
            text_printf(text, "The baseline %s was not tried.", point->role);
        else if (isfinite(point->time_ns))
            text_printf(text,
                        "The baseline %s shared no rounds with it: how much faster it is than that "
                        "is not known.",
                        point->role);
        else
            text_printf(text, "The baseline %s has no time to compare with: %s.", point->role,
                        point->status);
        end_sentence(wording);
        return;
    }
    const bool unstable = explanation->trust && strcmp(explanation->trust, "unstable") == 0;
    const enum ratio_report known =
        unstable ? RATIO_UNKNOWN : ratio_report(1 + point->slower_low, 1 + point->slower_high);
    const char *standing = point->standing ? point->standing : "";
    const bool is_open = strcmp(standing, "not compared") == 0;
    if (known == RATIO_UNKNOWN) {
        text_printf(text, "How it compares with the baseline %s is unknown: %s", point->role,
                    unstable ? "the measurement supports no choice" : "their times vary too much");
    } else if (known == RATIO_AT_LEAST && is_by_time(explanation)) {
        text_append(text, "At least ");
        put_factor(text, 1 + point->slower_low);
        text_printf(text, "x as fast as the baseline %s", point->role);
    } else if (is_open || strcmp(standing, "as fast") == 0) {
        append_sentence(text, "Not shown to be better than the baseline %s, which %s %M",
                        point->role, is_by_time(explanation) ? "takes" : "comes to", point->slower);
        put_interval(text, point->slower_low, point->slower_high);
        text_append(text, is_open ? ": not compared long enough to know" : ": as fast");
    } else if (is_by_time(explanation)) {
        put_factor(text, 1 + point->slower);
        text_printf(text, "x as fast as the baseline %s", point->role);
        if (isfinite(point->slower_low) && isfinite(point->slower_high)) {
            text_append(text, " (");
            put_factor(text, 1 + point->slower_low);
            text_append(text, "x to ");
            put_factor(text, 1 + point->slower_high);
            text_append(text, "x)");
        }
    } else {
        append_sentence(text, "The baseline %s is worse by %P", point->role, point->slower);
        put_interval(text, point->slower_low, point->slower_high);
    }
    put_resources(text, winner, point);
    append_saved_launches(wording, point);
    text_append(text, ".");
    end_sentence(wording);
}

/* ---- comparison with the runner-up ---- */

static void add_runner_up(struct wording *wording, const struct explain_point *point)
{
    const struct explanation *explanation = wording->explanation;
    const bool by_time = is_by_time(explanation);
    struct text *text = &wording->text;
    const char *standing = point->standing ? point->standing : "";
    if (!isfinite(point->slower))
        return;
    text_append(text, "The runner-up");
    struct text differing = {0};
    if (explain_put_differences(&differing, explanation->points[0].parameters, point->parameters) >
        0)
        text_printf(text, ", %s,", text_string(&differing));
    wording->failed = wording->failed || differing.failed;
    text_free(&differing);
    append_sentence(text, " %s %M", by_time ? "takes" : "comes to", point->slower);
    put_interval(text, point->slower_low, point->slower_high);
    /* Name the stage if the winner was chosen in a better one. */
    const char *own = explanation->points[0].stage;
    if (point->stage && (!own || strcmp(point->stage, own) != 0))
        text_printf(text, " in the %s", point->stage);
    if (strcmp(standing, "not compared") == 0)
        append_sentence(text, " (not compared long enough to show whether that is more than %P)",
                        explanation->delta);
    else if (strcmp(standing, "as fast") == 0)
        append_sentence(text, ": as fast (shown to be worse by no more than %P)",
                        explanation->delta);
    put_resources(text, &explanation->points[0], point);
    text_append(text, ".");
    end_sentence(wording);
}

/* Tells ties: "4 others are as fast: ...; 305 were not compared to the end." */
static void add_equals(struct wording *wording)
{
    const struct explanation *explanation = wording->explanation;
    struct text *text = &wording->text;
    const int64_t fast = explanation->as_fast;
    const int64_t open = explanation->not_compared;
    if ((fast < 1 && open < 1) || !isfinite(explanation->delta))
        return;
    if (fast > 0)
        append_sentence(text, "%C %s as fast: shown to be worse by no more than %P", fast, "other",
                        fast == 1 ? "is" : "are", explanation->delta);
    if (open > 0 && fast > 0)
        append_sentence(text, "; %D %s not compared to the end", open, open == 1 ? "was" : "were");
    else if (open > 0)
        append_sentence(text, "%C %s not compared to the end", open, "other",
                        open == 1 ? "was" : "were");
    text_append(text,
                explanation->kept_incumbent ? "; the winner had won before, and was kept." : ".");
    end_sentence(wording);
}

/* Tells how much of the space was tried: the choice is among measured candidates. */
static void add_coverage(struct wording *wording)
{
    const struct explanation *explanation = wording->explanation;
    if (!explanation->coverage || explanation->tried < 1 || explanation->space < 1)
        return;
    coverage_append(&wording->text,
                    &(struct coverage_facts){
                        .points = (uint64_t)explanation->tried,
                        .space = (uint64_t)explanation->space,
                        .failed = explanation->failures > 0 ? (uint64_t)explanation->failures : 0,
                        .most_better = explanation->most_better});
    append_sentence(&wording->text, " (space: %s).", explanation->coverage);
    end_sentence(wording);
}

/* ---- sensitivity ---- */

/* Appends a value's loss, never negative: a configuration that lost in the rounds was not faster
 * earlier, whatever a single timing says. */
static void put_value(struct wording *wording, const char *value, double loss, const char *with)
{
    struct text *text = &wording->text;
    text_append(text, value);
    if (with)
        text_printf(text, isdigit((unsigned char)with[0]) ? " (with %s)" : " (with another %s)",
                    with);
    if (loss < fmax(sensitive_least, wording->explanation->delta))
        append_sentence(text, " takes about as long");
    else
        append_sentence(text, " takes %M", loss);
}

static void add_insensitive(struct wording *wording)
{
    const struct explanation *explanation = wording->explanation;
    size_t count = 0;
    for (size_t i = 0; i < explanation->sensitivity_count; i++) {
        const struct explain_sensitivity *item = &explanation->sensitivities[i];
        if (item->best_other_loss >= sensitive_least)
            continue;
        text_printf(&wording->text, "%s%s",
                    count++ == 0 ? "Another value is within 1 % in the sweep: " : ", ",
                    item->parameter);
    }
    if (count == 0)
        return;
    text_append(&wording->text, ".");
    end_sentence(wording);
}

bool make_sentences(struct explanation *explanation, const struct background *background,
                    struct arena *arena)
{
    struct wording wording = {.explanation = explanation,
                              .background = background,
                              .arena = arena,
                              .capacity = explanation->point_count + SENSITIVITIES_MAX + 4};
    explanation->sentence_count = 0;
    explanation->sentences = arena_alloc(arena, wording.capacity, sizeof *explanation->sentences);
    if (!explanation->sentences)
        return false;
    for (size_t i = 1; i < explanation->point_count; i++)
        if (strcmp(explanation->points[i].role, "runner-up") != 0)
            add_baseline(&wording, &explanation->points[i]);
    for (size_t i = 1; i < explanation->point_count; i++)
        if (strcmp(explanation->points[i].role, "runner-up") == 0)
            add_runner_up(&wording, &explanation->points[i]);
    add_equals(&wording);
    add_coverage(&wording);
    explanation->comparison_count = explanation->sentence_count;
    for (size_t i = 0; i < explanation->sensitivity_count && i < SENSITIVITIES_MAX; i++)
        if (explanation->sensitivities[i].best_other_loss >= sensitive_least) {
            const struct explain_sensitivity *item = &explanation->sensitivities[i];
            text_printf(&wording.text, "%s=%s: ", item->parameter, item->value);
            put_value(&wording, item->best_other, item->best_other_loss, item->best_other_with);
            if (item->values > 1) {
                text_append(&wording.text, ", ");
                put_value(&wording, item->worst, item->worst_loss, item->worst_with);
            }
            text_append(&wording.text, " in the sweep.");
            end_sentence(&wording);
        }
    add_insensitive(&wording);
    text_free(&wording.text);
    return !wording.failed;
}
