/* Failures, the search, and how far the numbers can be trusted. */
#include <math.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/conditions.h"
#include "tuner/stats/verdict.h"
#include "views/page/embedded.h"
#include "views/page/html.h"
#include "views/page/internal.h"

#define COLUMNS(array) (array), COUNT(array)

/* What a reader who looks for a problem among the winners does not find there. */
static enum status write_without(struct page *page, struct error *error)
{
    static const struct column columns[] = {
        {"device", "device", CELL_DEVICE},
        {"problem", "problem without a winner", CELL_TEXT},
        {"n", "n", CELL_COUNT},
        {"l2_mode", "L2", CELL_TEXT},
        {"trials", "trials", CELL_COUNT},
        {"timed", "with a time", CELL_COUNT},
        {"failed", "without one", CELL_COUNT},
    };
    static const struct table table = {
        .sql = report_query_without, COLUMNS(columns), .name = "problems without a winner"};
    return write_table(page, &table, error);
}

enum status write_failures(struct page *page, struct error *error)
{
    static const struct column columns[] = {
        {"device", "device", CELL_DEVICE},
        {"experiment", "experiment", CELL_TEXT},
        {"status", "what became of it", CELL_TEXT},
        {"trials", "trials", CELL_COUNT},
        {"configurations", "configurations", CELL_COUNT},
        {"detail", "the first one’s reason", CELL_TEXT},
        {"problem", "its problem", CELL_TEXT},
        {"n", "n", CELL_COUNT},
        {"configuration", "its configuration", CELL_CONFIGURATION},
    };
    static const struct table table = {
        report_query_failures, COLUMNS(columns), "kinds of failures",
        "None: every configuration that was tried compiled, ran and gave the right result.",
        "tune show --failures"};
    section_begin(page, "failures", "Failures", "What failed, and why");
    enum status status = write_table(page, &table, error);
    if (status == STATUS_OK)
        status = write_without(page, error);
    section_end(page);
    return status;
}

enum status write_search(struct page *page, struct error *error)
{
    static const struct column columns[] = {
        {"device", "device", CELL_DEVICE},
        {"experiment", "experiment", CELL_TEXT},
        {"problems", "problems", CELL_COUNT},
        {"legal_most", "legal configurations, of one at most", CELL_COUNT},
        {"legal", "of all", CELL_COUNT},
        {"tried", "tried or set aside", CELL_COUNT},
        {"tried_percent", "of legal", CELL_PERCENT},
        {"duplicates", "launch the same as another", CELL_COUNT},
        {"failed", "failed", CELL_COUNT},
        {"raced", "near the best: raced", CELL_COUNT},
        {"confirmed", "finalists: confirmed", CELL_COUNT},
        {"strategies", "searched by", CELL_TEXT},
        {"efforts", "effort", CELL_TEXT},
    };
    static const struct table table = {report_query_searches, COLUMNS(columns), "searches",
                                       "Nothing was tried yet.", "tune show --searches"};
    section_begin(page, "search", "Search", "How the space was searched");
    text_append(&page->out,
                "<p>Every configuration that was tried was first timed alone (the sweep); those "
                "near the best were raced against one another and the baselines; the best of "
                "these were timed again in fresh processes.</p>\n");
    enum status status = write_table(page, &table, error);
    section_end(page);
    return status;
}

/* ---- trust ---- */

/* How the device was while a run's winners were chosen. */
struct condition_row {
    const char *device, *device_uuid, *faults;
    int64_t run, rounds, rounds_dropped, throttle, throttled_rounds;
    double floor_percent;
    double sm_clock_mhz_low, sm_clock_mhz_high, memory_clock_mhz_low, memory_clock_mhz_high;
    double temperature_c_low, temperature_c_high, power_w_low, power_w_high;
    double other_processes_most, other_processes_rounds, ecc_errors_moved;
};
#define OF(member, kind) STORE_MEMBER(struct condition_row, member, kind)
static const struct store_column condition_columns[] = {
    OF(device, TEXT),
    OF(device_uuid, TEXT),
    OF(faults, TEXT),
    OF(run, INTEGER),
    OF(rounds, INTEGER),
    OF(rounds_dropped, INTEGER),
    OF(throttle, INTEGER),
    OF(throttled_rounds, INTEGER),
    OF(floor_percent, REAL),
    OF(sm_clock_mhz_low, REAL),
    OF(sm_clock_mhz_high, REAL),
    OF(memory_clock_mhz_low, REAL),
    OF(memory_clock_mhz_high, REAL),
    OF(temperature_c_low, REAL),
    OF(temperature_c_high, REAL),
    OF(power_w_low, REAL),
    OF(power_w_high, REAL),
    OF(other_processes_most, REAL),
    OF(other_processes_rounds, REAL),
    OF(ecc_errors_moved, REAL),
};

static void write_conditions(struct text *out, const struct condition_row *row)
{
    const struct {
        const char *label, *unit;
        double low, high;
    } bands[] = {{"clock", "MHz", row->sm_clock_mhz_low, row->sm_clock_mhz_high},
                 {"memory clock", "MHz", row->memory_clock_mhz_low, row->memory_clock_mhz_high},
                 {"temperature", "°C", row->temperature_c_low, row->temperature_c_high},
                 {"power", "W", row->power_w_low, row->power_w_high}};
    char words[256];
    html(out,
         "<div class=\"card\"><h4>Run %lld on %s</h4><dl>"
         "<dt>rounds</dt><dd>%lld, %lld dropped",
         (long long)row->run, row->device, (long long)row->rounds, (long long)row->rounds_dropped);
    if (row->faults)
        html(out, " (%s)", row->faults);
    text_append(out, "</dd>");
    if (!isnan(row->floor_percent))
        html(out, "<dt>A/A floor</dt><dd>at most %.3g&nbsp;%%</dd>", row->floor_percent);
    for (size_t i = 0; i < COUNT(bands); i++)
        if (bands[i].high > bands[i].low)
            html(out, "<dt>%s</dt><dd>%.4g – %.4g %s</dd>", bands[i].label, bands[i].low,
                 bands[i].high, bands[i].unit);
        else if (!isnan(bands[i].low))
            html(out, "<dt>%s</dt><dd>%.4g %s throughout</dd>", bands[i].label, bands[i].low,
                 bands[i].unit);
    html(out, "<dt>clock held back by</dt><dd>%s",
         throttle_text(row->throttle, words, sizeof words));
    if (row->throttle > 0)
        html(out, ", in %lld rounds", (long long)row->throttled_rounds);
    text_append(out, "</dd>");
    if (row->other_processes_most > 0)
        html(out, "<dt>others on the device</dt><dd>at most %.3g, in %.6g rounds</dd>",
             row->other_processes_most, row->other_processes_rounds);
    if (row->ecc_errors_moved > 0)
        html(out, "<dt>memory errors</dt><dd>%.6g</dd>", row->ecc_errors_moved);
    text_append(out, "</dl></div>\n");
}

struct verdicts {
    int64_t count, confirmed, rounds, dropped;
    double floor;
};

/* A line for each verdict that winners of the part have. */
static void write_verdicts(struct page *page, const struct setting *setting,
                           const struct part *part)
{
    static const char *const verdicts[] = {"sound", "noisy", "unstable", "unknown"};
    struct text *out = &page->out;
    char shown[SHOWN_BYTES];
    for (size_t v = 0; v < COUNT(verdicts); v++) {
        const struct winner *example = NULL;
        struct verdicts sum = {.floor = (double)NAN};
        for (size_t i = part->first; i < part->end; i++) {
            const struct winner *winner = &page->winners[i];
            if (strcmp(winner->trust, verdicts[v]) != 0)
                continue;
            if (!example || winner->floor_percent > example->floor_percent)
                example = winner;
            sum.count++;
            sum.confirmed += strcmp(winner->stage, "confirm") == 0;
            sum.rounds += winner->rounds;
            sum.dropped += winner->rounds_dropped;
            sum.floor = fmax(sum.floor, winner->floor_percent);
        }
        if (!example)
            continue;
        text_append(out, "<tr>");
        if (page->setting_count > 1)
            html(out, "<td>%s</td>", setting->label);
        html(out, "<td>%s</td><td><b class=\"t-%s\">%s</b></td>", part->experiment, verdicts[v],
             verdict_words(verdict_named(verdicts[v])));
        write_integer(out, sum.count);
        write_integer(out, sum.confirmed);
        write_integer(out, sum.rounds);
        write_integer(out, sum.dropped);
        write_value(out, CELL_PERCENT, sum.floor);
        html(out, "<td>%s, n = %s: %s</td></tr>\n", example->problem,
             shown_count(example->n, shown),
             example->trust_reason ? example->trust_reason : "no reason is stored");
    }
}

/* Winners whose times form two groups: which of them a program meets is not the launch's doing. */
static void write_groups(struct page *page)
{
    size_t said = 0;
    for (size_t i = 0; i < page->winner_count; i++) {
        const struct winner *winner = &page->winners[i];
        char words[CLOUDS_TEXT_BYTES];
        char n[SHOWN_BYTES];
        if (!winner->explained || !winner->why.clouds.found)
            continue;
        if (said++ == 0)
            text_append(&page->out, "<p>The times of some winners are of two kinds, so that a "
                                    "median tells little; what was chosen is best on average "
                                    "over both:</p>\n<ul>\n");
        clouds_text(&winner->why.clouds, words);
        html(&page->out, "<li>%s, n = %s: %s</li>\n", winner->problem, shown_count(winner->n, n),
             words);
    }
    if (said > 0)
        text_append(&page->out, "</ul>\n");
}

enum status write_trust(struct page *page, struct error *error)
{
    static const char *const labels[] = {"winners", "confirmed", "rounds", "dropped",
                                         "A/A floor, most"};
    struct text *out = &page->out;
    section_begin(page, "trust", "Trust", "How far this can be trusted");
    text_append(
        out,
        "<p>The best configurations were compared in rounds. A round times each of them once, in "
        "random order, between two timings of a reference (the <i>anchor</i>); one of them is "
        "timed "
        "twice. A round in which the anchor or a clock moved was dropped. The <i>A/A floor</i> is "
        "how far two timings of the same configuration lie apart: smaller differences mean "
        "nothing. "
        "<b class=\"t-sound\">sure</b>: use it. <b class=\"t-noisy\">nearly sure</b>: "
        "it is usable, but something as fast may have been missed; the reason says what to do. "
        "<b class=\"t-unstable\">not sure</b>: the measurement supports no choice, and "
        "tuned.conf "
        "has none.</p>\n");
    if (page->winner_count > 0) {
        write_table_begin(out, "verdicts");
        text_append(out, page->setting_count > 1 ? "<th>device</th>" : "");
        text_append(out, "<th>experiment</th><th>verdict</th>");
        for (size_t i = 0; i < COUNT(labels); i++)
            html(out, "<th class=\"n\">%s</th>", labels[i]);
        text_append(out, "<th>the noisiest one’s reason</th></tr></thead><tbody>\n");
        for (size_t i = 0; i < page->setting_count; i++)
            for (size_t k = page->settings[i].part_first; k < page->settings[i].part_end; k++)
                write_verdicts(page, &page->settings[i], &page->parts[k]);
        write_table_end(out);
        write_groups(page);
    }
    const struct store_reading reading = {.sql = report_query_trust_runs,
                                          STORE_COLUMNS(condition_columns),
                                          .row_bytes = sizeof(struct condition_row)};
    struct condition_row *rows = NULL;
    size_t count = 0;
    const enum status status = page_read(page, reading, &rows, &count, error);
    text_append(&page->out, "<div class=\"cards\">\n");
    for (size_t i = 0; i < count; i++)
        if (page_has_device(page, rows[i].device_uuid))
            write_conditions(&page->out, &rows[i]);
    text_append(&page->out, "</div>\n");
    section_end(page);
    return status;
}
