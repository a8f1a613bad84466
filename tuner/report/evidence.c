/* Failures, the search, and how far the numbers can be trusted. */
#include <math.h>
#include <string.h>

#include "tuner/base/conditions.h"
#include "tuner/report/html.h"
#include "tuner/report/internal.h"

extern const char report_query_failures[];
extern const char report_query_searches[];
extern const char report_query_without[];
extern const char report_query_trust_runs[];

#define COLUMNS(array) (array), sizeof(array) / sizeof((array)[0])

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

static int at(const struct store_query *query, const char *name)
{
    int count = store_query_columns(query);
    for (int i = 0; i < count; i++)
        if (strcmp(store_query_name(query, i), name) == 0)
            return i;
    return 0;
}

static double real(struct store_query *row, const char *name)
{
    return store_query_real(row, at(row, name));
}

static void write_band(struct text *out, struct store_query *row, const char *label,
                       const char *column, const char *unit)
{
    char name[64];
    (void)string_format(name, sizeof name, "%s_low", column);
    double low = real(row, name);
    (void)string_format(name, sizeof name, "%s_high", column);
    double high = real(row, name);
    if (isnan(low))
        return;
    if (high > low)
        html(out, "<dt>%s</dt><dd>%.4g – %.4g %s</dd>", label, low, high, unit);
    else
        html(out, "<dt>%s</dt><dd>%.4g %s throughout</dd>", label, low, unit);
}

/* How the device was while a run's winners were chosen. */
static void write_run(struct text *out, struct store_query *row)
{
    char words[256];
    double throttle = real(row, "throttle");
    const char *faults = store_query_text(row, at(row, "faults"));
    html(out, "<div class=\"card\"><h4>Run %lld on %s</h4><dl>",
         (long long)store_query_integer(row, at(row, "run")),
         store_query_text(row, at(row, "device")));
    html(out, "<dt>rounds</dt><dd>%lld, %lld dropped",
         (long long)store_query_integer(row, at(row, "rounds")),
         (long long)store_query_integer(row, at(row, "rounds_dropped")));
    if (faults)
        html(out, " (%s)", faults);
    text_append(out, "</dd>");
    if (!isnan(real(row, "floor_percent")))
        html(out, "<dt>A/A floor</dt><dd>at most %.3g&nbsp;%%</dd>", real(row, "floor_percent"));
    write_band(out, row, "clock", "sm_clock_mhz", "MHz");
    write_band(out, row, "memory clock", "memory_clock_mhz", "MHz");
    write_band(out, row, "temperature", "temperature_c", "°C");
    write_band(out, row, "power", "power_w", "W");
    html(out, "<dt>clock held back by</dt><dd>%s",
         throttle_text(isnan(throttle) ? -1 : (int64_t)throttle, words, sizeof words));
    if (throttle > 0)
        html(out, ", in %lld rounds",
             (long long)store_query_integer(row, at(row, "throttled_rounds")));
    text_append(out, "</dd>");
    if (real(row, "other_processes_most") > 0)
        html(out, "<dt>others on the device</dt><dd>at most %.3g, in %.6g rounds</dd>",
             real(row, "other_processes_most"), real(row, "other_processes_rounds"));
    if (real(row, "ecc_errors_moved") > 0)
        html(out, "<dt>memory errors</dt><dd>%.6g</dd>", real(row, "ecc_errors_moved"));
    text_append(out, "</dl></div>\n");
}

static enum status write_runs(struct page *page, struct error *error)
{
    struct store_parameter parameters[PAGE_PARAMETERS];
    struct store_query *query = NULL;
    bool row = true;
    page_parameters(page, parameters);
    enum status status = store_query_open(page->store, report_query_trust_runs, parameters,
                                          PAGE_PARAMETERS, &query, error);
    text_append(&page->out, "<div class=\"cards\">\n");
    while (status == STATUS_OK) {
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        if (page_has_device(page, store_query_text(query, at(query, "device_uuid"))))
            write_run(&page->out, query);
    }
    store_query_close(query);
    text_append(&page->out, "</div>\n");
    return status;
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
    char shown[2][SHOWN_BYTES];
    for (size_t v = 0; v < sizeof verdicts / sizeof verdicts[0]; v++) {
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
             verdicts[v]);
        write_number(out, (double)sum.count, shown_count(sum.count, shown[0]));
        write_number(out, (double)sum.confirmed, shown_count(sum.confirmed, shown[0]));
        write_number(out, (double)sum.rounds, shown_count(sum.rounds, shown[0]));
        write_number(out, (double)sum.dropped, shown_count(sum.dropped, shown[0]));
        write_number(out, sum.floor, shown_percent(sum.floor, shown[0]));
        html(out, "<td>%s, n = %s: %s</td></tr>\n", example->problem,
             shown_count(example->n, shown[1]),
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
        "<b class=\"t-sound\">sound</b> (sure): use it. <b class=\"t-noisy\">noisy</b> (nearly "
        "sure): "
        "it is usable, but something as fast may have been missed; the reason says what to do. "
        "<b class=\"t-unstable\">unstable</b> (not sure): the measurement supports no choice, and "
        "tuned.conf "
        "has none.</p>\n");
    if (page->winner_count > 0) {
        write_table_begin(out, "verdicts");
        text_append(out, page->setting_count > 1 ? "<th>device</th>" : "");
        text_append(out, "<th>experiment</th><th>verdict</th>");
        for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
            html(out, "<th class=\"n\">%s</th>", labels[i]);
        text_append(out, "<th>the noisiest one’s reason</th></tr></thead><tbody>\n");
        for (size_t i = 0; i < page->setting_count; i++)
            for (size_t k = page->settings[i].part_first; k < page->settings[i].part_end; k++)
                write_verdicts(page, &page->settings[i], &page->parts[k]);
        write_table_end(out);
        write_groups(page);
    }
    enum status status = write_runs(page, error);
    section_end(page);
    return status;
}
