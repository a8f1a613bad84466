/* The table of winners, and the ranges of sizes that production gets. */
#include <math.h>
#include <string.h>

#include "tuner/stats/estimate.h"
#include "tuner/stats/verdict.h"
#include "views/page/embedded.h"
#include "views/page/html.h"
#include "views/page/internal.h"

/* More winners than this on the page, and the tables of the experiments are folded. */
enum { OPEN_MOST = 80 };

/* With the name of what it is over, where the column's head does not say it. */
static void write_gain(struct text *out, const struct winner *winner, const struct gain *gain,
                       bool named)
{
    char shown[3][SHOWN_BYTES];
    if (!gain) {
        text_append(out, "<td class=\"n\">–</td>");
        return;
    }
    const enum ratio_report known = gain_told(winner, gain);
    if (known == RATIO_KNOWN && gain->tied)
        text_append(out, "<td class=\"n\" data-v=\"1\">none<small>as good</small>");
    else if (known == RATIO_KNOWN)
        html(out, "<td class=\"n%s\" data-v=\"%.9g\"><b>%s</b>", gain->ratio < 1 ? " slower" : "",
             gain->ratio, shown_gain(gain->ratio, shown[0]));
    else if (known == RATIO_AT_LEAST)
        html(out, "<td class=\"n\" data-v=\"%.9g\"><b>over %s</b>", gain->low,
             shown_gain(gain->low, shown[0]));
    else
        text_append(out, "<td class=\"n\">unknown");
    if (known == RATIO_KNOWN && !gain->tied && gain->low > 0 && gain->high > 0)
        write_interval(out, shown_gain(gain->low, shown[1]), shown_gain(gain->high, shown[2]));
    else if (gain->peer)
        text_append(out, "<small>of two medians</small>");
    if (named)
        html(out, "<small>%s</small>", gain->name);
    text_append(out, "</td>");
}

/* What the gains of a table are over: a column each, but of several other implementations one for
 * the fastest, since each problem has its own. */
struct over {
    struct gain names[GAINS_MAX];
    size_t count;
    bool peers_share;
};

static void find_over(const struct page *page, const struct part *part, struct over *out)
{
    size_t peers = 0;
    size_t all = gain_names(page, part->first, part->end, out->names);
    for (size_t i = 0; i < all; i++)
        peers += out->names[i].peer;
    out->peers_share = peers > 1;
    out->count = 0;
    for (size_t i = 0; i < all; i++)
        if (!out->peers_share || !out->names[i].peer)
            out->names[out->count++] = out->names[i];
}

static const struct gain *fastest_peer(const struct winner *winner)
{
    const struct gain *fastest = NULL;
    for (size_t i = 0; i < winner->gain_count; i++) {
        const struct gain *gain = &winner->gains[i];
        if (gain->peer && gain->ratio > 0 && (!fastest || gain->ratio < fastest->ratio))
            fastest = gain;
    }
    return fastest;
}

void write_launch(struct text *out, const struct winner *winner)
{
    struct text launches = {0};
    explain_append_launches(&launches, winner->launches);
    if (launches.length > 0)
        html(out, "<b>%s</b> ", text_string(&launches));
    out->failed = out->failed || launches.failed;
    text_free(&launches);
    write_configuration(out, winner->configuration);
}

static void write_row(struct page *page, const struct winner *winner, const struct over *over)
{
    struct text *out = &page->out;
    html(out, "<tr><th scope=\"row\">%s</th>", winner->problem);
    write_integer(out, winner->n);
    text_append(out, "<td>");
    write_launch(out, winner);
    text_append(out, "</td>");
    char shown[3][SHOWN_BYTES];
    html(out, "<td class=\"n\" data-v=\"%.9g\">%s", winner->time_ns,
         shown_time(winner->time_ns, shown[0]));
    if (bounds_are_narrow(winner->time_low_ns, winner->time_high_ns))
        write_interval(out, shown_time(winner->time_low_ns, shown[1]),
                       shown_time(winner->time_high_ns, shown[2]));
    else if (isfinite(winner->confidence))
        text_append(out, "<small>interval unknown</small>");
    text_append(out, "</td>");
    for (size_t i = 0; i < over->count; i++)
        write_gain(out, winner, gain_find(winner, over->names[i].name), false);
    if (over->peers_share)
        write_gain(out, winner, fastest_peer(winner), true);
    write_value(out, CELL_RATE, winner->gbs);
    write_value(out, CELL_PERCENT, winner->ceiling_percent);
    html(out, "<td>%s</td>", winner->explained ? explain_limit_name(winner->why.limit) : "unknown");
    html(out, "<td><b class=\"t-%s\">%s</b></td>", winner->trust,
         verdict_words(verdict_named(winner->trust)));
    write_integer(out, winner->as_fast);
    text_append(out, "</tr>\n");
}

static void write_part(struct page *page, const struct part *part)
{
    struct over over;
    struct text *out = &page->out;
    find_over(page, part, &over);
    write_table_begin(out, part->experiment);
    text_append(out, "<th>problem</th><th class=\"n\">n</th><th>launch</th>"
                     "<th class=\"n\">time</th>");
    for (size_t i = 0; i < over.count; i++)
        html(out, "<th class=\"n\">over %s</th>", over.names[i].name);
    if (over.peers_share)
        text_append(out, "<th class=\"n\">over others</th>");
    text_append(out, "<th class=\"n\">GB/s</th><th class=\"n\">of ceiling</th><th>limited by</th>"
                     "<th>sure?</th><th class=\"n\">as good</th></tr></thead><tbody>\n");
    for (size_t i = part->first; i < part->end; i++)
        write_row(page, &page->winners[i], &over);
    write_table_end(out);
    for (size_t i = 0; i < over.count; i++)
        if (over.names[i].about && over.names[i].about[0])
            html(out, "<p class=\"note\"><b>%s</b>: %s.</p>\n", over.names[i].name,
                 over.names[i].about);
    if (over.peers_share)
        text_append(out, "<p class=\"note\"><b>Others</b>: the fastest other implementation of the "
                         "problem that was measured.</p>\n");
}

/* What the fold says: "reduce: 66 problems, 1.31× as fast as textbook". */
static void write_summary(struct page *page, const struct part *part)
{
    struct gain names[GAINS_MAX];
    char shown[SHOWN_BYTES];
    size_t count = gain_names_told(page, part->first, part->end, names);
    size_t problems = part->end - part->first;
    html(&page->out, "<b>%s</b>: %zu %s", part->experiment, problems,
         problems == 1 ? "problem" : "problems");
    for (size_t i = 0; i < count; i++) {
        struct mean mean = gain_mean(page, part->first, part->end, names[i].name);
        html(&page->out, "%s %s %s",
             i == 0           ? ","
             : i + 1 == count ? " and"
                              : ",",
             shown_gain(mean.ratio, shown), names[i].name);
    }
}

void write_winners(struct page *page)
{
    if (page->winner_count == 0)
        return;
    section_begin(page, "winners", "What to launch", "What to launch");
    text_append(&page->out,
                "<p>The fastest correct configuration of each problem. Times are medians with "
                "their intervals; a gain of 1.50× over something means that it takes "
                "1.5 times as long. <i>As good</i> counts the configurations that could not be "
                "told from the winner, itself among them.</p>\n");
    for (size_t i = 0; i < page->setting_count; i++) {
        const struct setting *setting = &page->settings[i];
        setting_heading(page, setting);
        for (size_t k = setting->part_first; k < setting->part_end; k++) {
            html(&page->out, "<details%s><summary>",
                 page->winner_count > OPEN_MOST && page->part_count > 1 ? "" : " open");
            write_summary(page, &page->parts[k]);
            text_append(&page->out, "</summary>\n");
            write_part(page, &page->parts[k]);
            text_append(&page->out, "</details>\n");
        }
    }
    section_end(page);
}

enum status write_ranges(struct page *page, struct error *error)
{
    static const struct column columns[] = {
        {"device", "device", CELL_DEVICE},
        {"problem", "problem", CELL_TEXT},
        {"n_low", "from n", CELL_COUNT},
        {"n_high", "to n", CELL_COUNT},
        {"further", "other sizes", CELL_TEXT},
        {"configuration", "launch", CELL_CONFIGURATION},
        {"bound_percent", "loses at most", CELL_PERCENT},
        {"sizes_measured", "sizes measured", CELL_COUNT},
        {"sizes_between", "checked between", CELL_COUNT},
        {"between_loss_percent", "lost there", CELL_PERCENT},
    };
    static const struct table table = {
        .sql = report_query_ranges,
        .columns = columns,
        .column_count = sizeof columns / sizeof columns[0],
        .name = "ranges of sizes",
        .none = "No ranges of sizes: they are made when a problem was tuned at several sizes.",
    };
    section_begin(page, "ranges", "By size", "What production gets, size by size");
    text_append(
        &page->out,
        "<p>Programs ask libtuned for a problem and its size; the answer is the "
        "configuration of the range that holds the size. At the sizes that were measured it "
        "loses at most so much to the best there. Between them nothing is promised: the last "
        "column has the most that was lost at the sizes where that was tried.</p>\n");
    enum status status = write_table(page, &table, error);
    section_end(page);
    return status;
}
