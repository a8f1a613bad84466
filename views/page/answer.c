/* The head of the page: the four questions, answered. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/stats/estimate.h"
#include "tuner/stats/verdict.h"
#include "views/page/html.h"
#include "views/page/internal.h"

/* What the sentence compares with at most; the card has all. */
enum { LEAD_MOST = 3 };

static size_t count_verdict(const struct page *page, const struct setting *setting,
                            enum verdict verdict)
{
    size_t count = 0;
    for (size_t i = setting->first; i < setting->end; i++)
        count += verdict_named(page->winners[i].trust) == verdict;
    return count;
}

/* "each choice is sure", "60 choices are sure, 6 nearly sure". */
static void write_verdict(struct page *page, const struct setting *setting)
{
    size_t total = setting->end - setting->first;
    size_t said = 0;
    for (size_t i = 0; i <= VERDICTS; i++) {
        const enum verdict verdict = (enum verdict)i;
        const char *name = verdict == VERDICTS ? "unknown" : verdict_name(verdict);
        size_t count = count_verdict(page, setting, verdict);
        if (count == 0)
            continue;
        if (count == total)
            html(&page->out, "%s choice is <b class=\"t-%s\">%s</b>", total == 1 ? "the" : "each",
                 name, verdict_words(verdict));
        else
            html(&page->out, "%s%zu%s <b class=\"t-%s\">%s</b>", said > 0 ? ", " : "", count,
                 said > 0     ? ""
                 : count == 1 ? " choice is"
                              : " choices are",
                 name, verdict_words(verdict));
        said++;
    }
}

static void write_experiments(struct page *page, const struct setting *setting)
{
    size_t count = setting->part_end - setting->part_first;
    for (size_t i = 0; i < count; i++)
        html(&page->out, "%s<b>%s</b>",
             i == 0           ? ""
             : i + 1 == count ? " and "
                              : ", ",
             page->parts[setting->part_first + i].experiment);
}

/* The names that most winners are compared with come first. */
static void sort_names(const struct page *page, const struct setting *setting, struct gain *names,
                       size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0; k--) {
            struct gain later = names[k];
            size_t before = gain_mean(page, setting->first, setting->end, names[k - 1].name).count;
            if (gain_mean(page, setting->first, setting->end, later.name).count <= before)
                break;
            names[k] = names[k - 1];
            names[k - 1] = later;
        }
}

/* What there is no number of: never compared, or not well enough. */
static void write_no_gain(struct page *page, const struct setting *setting, const char *never)
{
    struct gain names[GAINS_MAX];
    const size_t count = gain_names(page, setting->first, setting->end, names);
    if (count == 0) {
        text_append(&page->out, never);
        return;
    }
    text_append(&page->out, "how much faster it is than ");
    for (size_t i = 0; i < count; i++)
        html(&page->out, "%s<b>%s</b>", i > 0 ? " or " : "", names[i].name);
    text_append(&page->out, " is not known: the timings do not tell them apart");
}

/* One sentence: what was tuned, where, how much faster, how sure. */
static void write_lead(struct page *page, const struct setting *setting)
{
    struct gain names[GAINS_MAX];
    char shown[SHOWN_BYTES];
    size_t count = gain_names_told(page, setting->first, setting->end, names);
    size_t total = setting->end - setting->first;
    size_t said = count < LEAD_MOST ? count : LEAD_MOST;
    html(&page->out, "<p class=\"lead\">On <b>%s</b>, the best launch configuration found for ",
         setting->label);
    if (total == 1)
        text_append(&page->out, "the problem of ");
    else
        html(&page->out, "each of the %zu problems of ", total);
    write_experiments(page, setting);
    sort_names(page, setting, names, count);
    for (size_t i = 0; i < said; i++) {
        struct mean mean = gain_mean(page, setting->first, setting->end, names[i].name);
        html(&page->out, "%s<b>%s</b> as fast as <b>%s</b>",
             i == 0          ? " runs on average "
             : i + 1 == said ? " and "
                             : ", ",
             shown_gain(mean.ratio, shown), names[i].name);
        if (mean.count < total)
            html(&page->out, " (%zu problems)", mean.count);
    }
    if (said == 0) {
        text_append(&page->out, " stands below (");
        write_no_gain(page, setting, "no baseline was measured to compare it with");
        text_append(&page->out, ")");
    }
    text_append(&page->out, "; ");
    write_verdict(page, setting);
    text_append(&page->out, ".</p>\n");
}

/* On how many of the winners that name is faster, beyond the interval or else beyond rounding. */
static size_t count_slower(const struct page *page, const struct setting *setting, const char *name)
{
    size_t count = 0;
    for (size_t i = setting->first; i < setting->end; i++) {
        const struct gain *gain = gain_find(&page->winners[i], name);
        count += gain && (gain->high > 0 ? gain->high < 1 : gain->ratio < 0.995);
    }
    return count;
}

static void write_faster_card(struct page *page, const struct setting *setting)
{
    struct gain names[GAINS_MAX];
    char shown[3][SHOWN_BYTES];
    size_t count = gain_names_told(page, setting->first, setting->end, names);
    sort_names(page, setting, names, count);
    text_append(&page->out, "<div class=\"card\"><h3>How much faster is it?</h3>");
    for (size_t i = 0; i < count; i++) {
        struct mean mean = gain_mean(page, setting->first, setting->end, names[i].name);
        size_t slower = count_slower(page, setting, names[i].name);
        html(&page->out, "<p><span class=\"big\">%s</span> as fast as <b>%s</b>",
             shown_gain(mean.ratio, shown[0]), names[i].name);
        html(&page->out, "<br><small>over %zu %s: %s to %s", mean.count,
             mean.count == 1 ? "problem" : "problems", shown_gain(mean.low, shown[1]),
             shown_gain(mean.high, shown[2]));
        if (slower > 0)
            html(&page->out, "; <b>on %zu it is slower</b>", slower);
        text_append(&page->out, "</small></p>");
    }
    if (count == 0) {
        text_append(&page->out, "<p>It stands by itself: ");
        write_no_gain(page, setting,
                      "no baseline was measured. The experiment can name one under "
                      "<code>baselines</code>");
        text_append(&page->out, ".</p>");
    } else {
        text_append(&page->out, "<p><small>Geometric means over the problems.</small></p>");
    }
    text_append(&page->out, "</div>\n");
}

/* What is claimed of the winners that were confirmed: half of the claims, and the weakest. */
static void write_claims(struct page *page, const struct setting *setting)
{
    double *claims = arena_alloc(&page->arena, setting->end - setting->first, sizeof *claims);
    double confidence = (double)NAN;
    char shown[2][SHOWN_BYTES];
    size_t count = 0;
    page->out.failed = page->out.failed || !claims;
    for (size_t i = setting->first; claims && i < setting->end; i++) {
        if (!bounds_are_narrow(1, 1 + page->winners[i].claim_percent / 100) ||
            strcmp(page->winners[i].stage, "confirm") != 0)
            continue;
        claims[count++] = page->winners[i].claim_percent;
        confidence = fmin(confidence, page->winners[i].confidence);
    }
    if (count == 0)
        return;
    qsort(claims, count, sizeof *claims, by_size);
    text_append(&page->out,
                "<p>No configuration that was compared is faster than the winner by more "
                "than ");
    if (claims[count - 1] > claims[count / 2])
        html(&page->out, "%s on half of the problems, and by more than %s on any",
             shown_percent(claims[count / 2], shown[0]),
             shown_percent(claims[count - 1], shown[1]));
    else
        html(&page->out, "%s", shown_percent(claims[count / 2], shown[0]));
    if (!isnan(confidence))
        html(&page->out, ", at %.3g&nbsp;%% confidence", 100 * confidence);
    text_append(&page->out, ".</p>");
}

/* Of the least sure winner, of those the noisiest: what is wrong and what to do. */
static void write_doubt(struct page *page, const struct setting *setting)
{
    const struct winner *worst = NULL;
    struct text advice = {0};
    char n[SHOWN_BYTES];
    for (size_t i = setting->first; i < setting->end; i++) {
        const struct winner *winner = &page->winners[i];
        const enum verdict verdict = verdict_named(winner->trust);
        if (verdict == VERDICT_SOUND || verdict == VERDICTS || !winner->trust_reason)
            continue;
        const enum verdict most = worst ? verdict_named(worst->trust) : VERDICT_SOUND;
        if (verdict > most || (verdict == most && winner->floor_percent > worst->floor_percent))
            worst = winner;
    }
    if (!worst)
        return;
    verdict_append_advice(&advice, worst->trust_reason);
    html(&page->out, "<p>Least sure is %s, n = %s: %s</p>", worst->problem,
         shown_count(worst->n, n), text_string(&advice));
    page->out.failed = page->out.failed || advice.failed;
    text_free(&advice);
}

static void write_sure_card(struct page *page, const struct setting *setting)
{
    size_t total = setting->end - setting->first;
    size_t confirmed = 0;
    for (size_t i = setting->first; i < setting->end; i++)
        confirmed += strcmp(page->winners[i].stage, "confirm") == 0;
    html(&page->out,
         "<div class=\"card\"><h3>How sure are we?</h3><p><span class=\"big\">%zu of %zu</span> "
         "%s sure; ",
         count_verdict(page, setting, VERDICT_SOUND), total,
         total == 1 ? "choice is" : "choices are");
    if (confirmed == 0)
        text_append(&page->out, "fresh processes confirmed none.</p>");
    else
        html(&page->out, "fresh processes confirmed %zu.</p>", confirmed);
    write_doubt(page, setting);
    write_claims(page, setting);
    /* Of the winner of whose results the fewest were compared; where that is known. */
    int64_t fewest = 0;
    char shown[2][SHOWN_BYTES];
    for (size_t i = setting->first; i < setting->end; i++) {
        int64_t compared = page->winners[i].compared;
        if (compared >= 3 && (fewest == 0 || compared < fewest))
            fewest = compared;
    }
    if (fewest > 0)
        html(
            &page->out,
            "<p>While they were timed and watched, %s results of each winner or more were compared "
            "with what is right, and were: it is wrong less than once in %s, at 95&nbsp;%% "
            "confidence.</p>",
            shown_count(fewest, shown[0]), shown_count(fewest / 3, shown[1]));
    text_append(&page->out, "<p><a href=\"#trust\">How that is known</a></p></div>\n");
}

static void write_limit_card(struct page *page, const struct setting *setting)
{
    enum { LIMITS = LIMIT_SPILLS + 1 };
    size_t counts[LIMITS] = {0};
    const struct winner *telling = &page->winners[setting->telling];
    for (size_t i = setting->first; i < setting->end; i++)
        counts[page->winners[i].explained ? page->winners[i].why.limit : LIMIT_UNKNOWN]++;
    text_append(&page->out, "<div class=\"card\"><h3>What limits it now?</h3><p>");
    for (size_t said = 0;; said++) {
        size_t most = 0;
        for (size_t i = 1; i < LIMITS; i++)
            most = counts[i] > counts[most] ? i : most;
        if (counts[most] == 0)
            break;
        text_append(&page->out, said > 0 ? ", <span>" : "<span class=\"big\">");
        html(&page->out, "%s</span> <small>%zu of %zu</small>",
             explain_limit_name((enum explain_limit)most), counts[most],
             setting->end - setting->first);
        counts[most] = 0;
    }
    html(&page->out, "</p>");
    if (telling->explained && telling->why.limit_text)
        html(&page->out, "<p>%s: %s</p>", telling->problem, telling->why.limit_text);
    text_append(&page->out, "<p><a href=\"#why\">Why it wins</a></p></div>\n");
}

void write_answer(struct page *page)
{
    section_begin(page, "answer", NULL, NULL);
    if (page->winner_count == 0)
        text_append(&page->out,
                    "<p class=\"lead\">Nothing was chosen yet: no problem has a winner. "
                    "What was tried stands below.</p>\n");
    for (size_t i = 0; i < page->setting_count; i++)
        write_lead(page, &page->settings[i]);
    for (size_t i = 0; i < page->setting_count; i++) {
        html(
            &page->out,
            "<details class=\"fold\" open><summary>All problems together%s%s: how much faster, how "
            "sure, what limits them</summary>\n",
            page->setting_count > 1 ? " on " : "",
            page->setting_count > 1 ? page->settings[i].label : "");
        text_append(&page->out, "<div class=\"cards\">\n");
        const struct winner *winner = &page->winners[page->settings[i].telling];
        char n[SHOWN_BYTES];
        char time[SHOWN_BYTES];
        html(&page->out,
             "<div class=\"card\"><h3>What should I launch?</h3><p>For <b>%s</b> with n = %s:</p>"
             "<p class=\"big\">",
             winner->problem, shown_count(winner->n, n));
        write_launch(&page->out, winner);
        html(&page->out, "</p><p>which takes %s. ", shown_time(winner->time_ns, time));
        if (page->settings[i].end - page->settings[i].first > 1)
            text_append(&page->out, "The others are in <a href=\"#winners\">the table</a>; ");
        html(&page->out,
             "<code>tune export --db %s</code> hands what won to programs, as tuned.conf.</p>"
             "</div>\n",
             page->database_word);
        write_faster_card(page, &page->settings[i]);
        write_sure_card(page, &page->settings[i]);
        write_limit_card(page, &page->settings[i]);
        text_append(&page->out, "</div></details>\n");
    }
    section_end(page);
}
