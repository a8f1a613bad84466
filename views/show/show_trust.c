/* tune show --trust: the device's state while winners were chosen, and the conclusions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/conditions.h"
#include "tuner/base/json.h"
#include "tuner/device/traits.h"
#include "tuner/stats/clouds.h"
#include "tuner/stats/estimate.h"
#include "tuner/stats/protocol.h"
#include "tuner/terminal/style.h"
#include "views/explain/explain.h"
#include "views/show/embedded.h"
#include "views/show/internal.h"
#include "views/show/parts.h"

enum { LABEL_WIDTH = 17 };

static const struct row_column verdict_columns[] = {
    {"problem", "problem"},
    {"n", "n"},
    {"time_ns", "time"},
    {"time_low_ns", "at least"},
    {"time_high_ns", "at most"},
    {"verdict", "verdict"},
    {"coverage", "space"},
    {"points_tried", "tried"},
    {"space_count", "of"},
    {"failures", "failed"},
    {"stage", "chosen in"},
    {"states", "caches"},
    {"dirty_ns", "dirty"},
    {"hot_ns", "hot"},
    {"processes", "processes"},
    {"rounds", "rounds"},
    {"rounds_dropped", "dropped"},
    {"floor_percent", "A/A floor"},
    {"delta_percent", "equal up to"},
    {"claim_percent", "none faster by over"},
    {"as_fast", "as fast"},
    {"not_compared", "not compared"},
    {"compared", "results compared"},
    {"wrong_less_than_once_in", "wrong < 1 in"},
    {"inputs", "inputs"},
    {"verdict_reason", "why"},
};

static const struct show_word trust_words[] = {
    {"round",
     "every candidate timed once, in random order, between two timings of a reference kernel "
     "(the anchor). It is dropped when the anchor or the clock moved."},
    {"A/A floor",
     "how far two timings of the same configuration lie apart. Smaller differences mean "
     "nothing."},
    {"equal up to", "largest difference that counts as none; 'as fast' counts the other "
                    "configurations within it."},
    {"not compared",
     "number of others that left the rounds before they were shown to be as fast or slower."},
    {"none faster by over",
     "upper bound on how much faster any other measured configuration can be."},
    {"caches", "states of the cache in which the winner was timed: clean (flushed by reading), "
               "dirty (by writing, as an earlier kernel may leave it), hot (where the input fits). "
               "'dirty +2 %': another finalist is faster there; the winner is the fastest in the "
               "mean over the states."},
    {"results compared", "number of results of the winner's runs that were compared with the "
                         "reference; all were right. 'wrong < 1 in': with 95 % confidence fewer "
                         "results are wrong, if errors are equally likely at any time."},
    {"inputs",
     "changed: some runs had inputs that differ in a few elements; alike: none had, so that a "
     "kernel which remembers its result is not found out."},
    {"sure", "the choice among the measured configurations holds: use it."},
    {"nearly sure", "usable, but something as fast may have been missed; 'why' has the remedy."},
    {"not sure", "the measurement supports no choice, and tuned.conf has none."},
    {"space", "how much of it was tried, independent of the verdict: whole, part; hardly seen "
              "(little of it, or much better ones are expected); mostly failed."},
};

/* ---- conclusions from the columns ---- */

bool show_name_throttling(struct rows *runs)
{
    static const char *const added[] = {"throttling"};
    bool good = rows_add_columns(runs, added, 1);
    for (size_t i = 0; i < runs->row_count && good; i++) {
        char words[256];
        const double bits = rows_number(runs, i, "throttle");
        good = rows_set_text(runs, i, "throttling",
                             throttle_text(isnan(bits) ? -1 : (int64_t)bits, words, sizeof words));
    }
    return good;
}

/* Adds the columns `groups`, in words, and `groups_apart_percent`. */
static enum status add_groups(struct rows *problems, struct store *store, struct error *error)
{
    static const char *const added[] = {"groups", "groups_apart_percent"};
    enum status status = rows_add_columns(problems, added, 2) ? STATUS_OK : error_no_memory(error);
    for (size_t i = 0; i < problems->row_count && status == STATUS_OK; i++) {
        const int64_t winner_id = (int64_t)rows_number(problems, i, "winner_id");
        const double delta_percent = fmax(0, rows_number(problems, i, "delta_percent"));
        struct clouds clouds;
        char words[CLOUDS_TEXT_BYTES];
        status = explain_clouds(store, winner_id, delta_percent / 100, &clouds, error);
        if (status != STATUS_OK || !clouds.found)
            continue;
        clouds_text(&clouds, words);
        const double apart = 100 * clouds.apart;
        const char *number = arena_printf(&problems->arena, "%.4g", apart);
        problems->cells[i][rows_column(problems, added[1])] =
            (struct cell){.text = number, .number = apart, .kind = CELL_NUMBER};
        if (!number || !rows_set_text(problems, i, added[0], words))
            return error_no_memory(error);
    }
    return status;
}

/* ---- the report of a run ---- */

static bool is_known(const struct rows *rows, size_t row, const char *column)
{
    return rows_text(rows, row, column, NULL) != NULL;
}

/* Returns the number, 0 if unknown. */
static double number(const struct rows *rows, size_t row, const char *column)
{
    return is_known(rows, row, column) ? rows_number(rows, row, column) : 0;
}

/* Prints " label text" and clears the text. */
static void put_line(const char *label, struct text *text)
{
    static const char indent[LABEL_WIDTH + 3] = "                   ";
    print_clean(stdout, "  %-*s", LABEL_WIDTH, label);
    rows_put_paragraph("", indent, text->length > 0 ? text_string(text) : "unknown",
                       style_page_columns() > 0 ? style_page_columns() - LABEL_WIDTH - 2 : 0);
    text_clear(text);
}

/* Prints a range: "1965 to 1980 MHz, 0.8 % apart"; "1980 MHz" if constant. */
static void put_range(const struct rows *rows, size_t row, const char *label, const char *column,
                      const char *unit)
{
    char low[64];
    char high[64];
    struct text line = {0};
    (void)string_format(low, sizeof low, "%s_low", column);
    (void)string_format(high, sizeof high, "%s_high", column);
    const double least = rows_number(rows, row, low);
    const double most = number(rows, row, high);
    if (most - least < 0.5)
        text_printf(&line, "%.0f %s", most, unit);
    else if (!isnan(least))
        text_printf(&line, "%.0f to %.0f %s", least, most, unit);
    if (most - least >= 0.5 && strcmp(unit, "MHz") == 0)
        text_printf(&line, ", %.1f %% apart", 100 * (most - least) / most);
    put_line(label, &line);
    text_free(&line);
}

static void put_conditions(const struct rows *rows, size_t row)
{
    const struct device_traits *traits = device_traits(rows_text(rows, row, "device_kind", ""));
    const double throttled = number(rows, row, "throttled_rounds");
    const double rounds = number(rows, row, "rounds");
    const double ecc_errors = rows_number(rows, row, "ecc_errors_moved");
    const double others = rows_number(rows, row, "other_processes_most");
    struct text line = {0};
    put_range(rows, row, traits->clock_word, "sm_clock_mhz", "MHz");
    if (traits->is_gpu)
        put_range(rows, row, "memory clock", "memory_clock_mhz", "MHz");
    put_range(rows, row, "temperature", "temperature_c", "C");
    put_range(rows, row, "power", "power_w", "W");
    text_append(&line, rows_text(rows, row, "throttling", "unknown"));
    if (throttled > 0)
        text_printf(&line, ", in %.0f of %.0f rounds", throttled, rounds);
    put_line("throttled by", &line);
    if (ecc_errors > 0)
        text_printf(&line, "%.0f while measuring", ecc_errors);
    else if (!isnan(ecc_errors))
        text_append(&line, "none while measuring");
    put_line("ECC errors", &line);
    if (others > 0)
        text_printf(&line, "up to %.0f, in %.0f of %.0f rounds", others,
                    number(rows, row, "other_processes_rounds"), rounds);
    else if (!isnan(others))
        text_append(&line, "none");
    put_line("other processes", &line);
    if (traits->conditions_source && !is_known(rows, row, "sm_clock_mhz_low") &&
        !is_known(rows, row, "throttle")) {
        text_printf(&line, "(%s is missing here or has no data: rounds were judged by the anchor)",
                    traits->conditions_source);
        put_line("", &line);
    }
    text_free(&line);
}

static void put_harness(const struct rows *rows, size_t row)
{
    const char *cpus = rows_text(rows, row, "worker_cpus", "");
    const char *near = rows_text(rows, row, "near", "");
    const char *changes = rows_text(rows, row, "protocol_changes", "");
    struct text line = {0};
    text_printf(&line, "%s%s", cpus[0] ? "processor " : "nothing", cpus);
    if (near[0])
        text_printf(&line, "; the device is near %s", near);
    put_line("pinned to", &line);
    text_printf(&line, "tick %.4g ns, empty pair %.4g ns", number(rows, row, "tick_ns"),
                number(rows, row, "empty_pair_ns"));
    if (is_known(rows, row, "node_gap_ns"))
        text_printf(&line, ", gap between launches %.4g ns", number(rows, row, "node_gap_ns"));
    put_line("timer", &line);
    text_append(&line, rows_text(rows, row, "l2_mode", ""));
    put_line("L2", &line);
    text_append(&line, rows_text(rows, row, "effort", "unknown"));
    if (is_known(rows, row, "budget_ns"))
        text_printf(&line, ", budget %.0f s", number(rows, row, "budget_ns") * 1e-9);
    if (changes[0])
        text_printf(&line, ", but %s", changes);
    put_line("effort", &line);
    text_free(&line);
}

/* Prints the run's conditions, then the verdicts of its problems. */
static void print_run(const struct rows *runs, size_t run, const struct rows *problems)
{
    size_t first = 0;
    const char *id = rows_text(runs, run, "run", "");
    show_heading(runs, run);
    print_clean(stdout, "run %s, started %s\n", id, rows_text(runs, run, "started_at", ""));
    static const struct {
        const char *column, *word;
    } verdicts[] = {{"sure_count", "sure"},
                    {"nearly_sure_count", "nearly sure"},
                    {"not_sure_count", "not sure"},
                    {"hardly_seen_count", "in a space that was hardly seen"},
                    {"mostly_failed_count", "in a space that mostly failed"}};
    struct text line = {0};
    const char *separator = ": ";
    text_append(&line, rows_text(runs, run, "verdict", "unknown"));
    for (size_t i = 0; i < COUNT(verdicts); i++) {
        const double count = number(runs, run, verdicts[i].column);
        if (count > 0) {
            text_printf(&line, "%s%.0f %s", separator, count, verdicts[i].word);
            separator = ", ";
        }
    }
    const double not_alone = number(runs, run, "not_alone_count");
    if (not_alone > 0)
        text_printf(&line, "; %.0f with others as fast", not_alone);
    put_line("verdict", &line);
    const double rounds = number(runs, run, "rounds");
    const double dropped = number(runs, run, "rounds_dropped");
    text_printf(&line, "%.0f, %.0f dropped", rounds, dropped);
    if (dropped > 0)
        text_printf(&line, " (%.1f %%): %s", 100 * dropped / rounds,
                    rows_text(runs, run, "faults", ""));
    put_line("rounds", &line);
    if (is_known(runs, run, "floor_percent"))
        text_printf(&line, "at most %.2g %%", number(runs, run, "floor_percent"));
    put_line("A/A floor", &line);
    put_conditions(runs, run);
    put_harness(runs, run);
    putchar('\n');
    while (first < problems->row_count && strcmp(rows_text(problems, first, "run", ""), id) != 0)
        first++;
    size_t end = first;
    while (end < problems->row_count && strcmp(rows_text(problems, end, "run", ""), id) == 0)
        end++;
    rows_print_page(problems, first, end, verdict_columns, COUNT(verdict_columns));
    /* "reduce.sum.i32, n = 1024: times form two groups ..." */
    for (size_t i = first; i < end; i++) {
        const char *groups = rows_text(problems, i, "groups", NULL);
        if (!groups)
            continue;
        if (rows_number(problems, i, "n") != 1)
            text_printf(&line, ", n = %s", rows_text(problems, i, "n", ""));
        text_printf(&line, ": %s", groups);
        rows_put_paragraph(rows_text(problems, i, "problem", ""), "  ", text_string(&line),
                           style_page_columns());
        text_clear(&line);
    }
    text_free(&line);
}

static const char *worst_verdict(const struct rows *runs)
{
    static const char *const order[] = {"not sure", "nearly sure", "unknown", "sure"};
    for (size_t i = 0; i < COUNT(order); i++)
        for (size_t row = 0; row < runs->row_count; row++)
            if (strcmp(rows_text(runs, row, "verdict", ""), order[i]) == 0)
                return order[i];
    return "unknown";
}

static void print_trust(const struct show *show, const struct rows *runs,
                        const struct rows *problems)
{
    if (problems->row_count == 0)
        print_clean(stderr, "%s: no winner yet\n", show->db);
    if (show->json) {
        print_clean(stdout, "{\"version\": %d, \"verdict\": \"%s\",\n\"runs\": ", JSON_VERSION,
                    worst_verdict(runs));
        rows_print_json_within(runs, "");
        fputs(",\n\"winners\": ", stdout);
        rows_print_json_within(problems, "");
        fputs("}\n", stdout);
    } else if (show->csv) {
        rows_print_csv(problems);
    } else {
        for (size_t run = 0; run < runs->row_count; run++) {
            if (run > 0)
                putchar('\n');
            print_run(runs, run, problems);
        }
        if (runs->row_count > 0)
            show_put_words_used(problems, verdict_columns, COUNT(verdict_columns), trust_words,
                                COUNT(trust_words));
    }
}

enum status show_trust(const struct show *show, struct store *store, struct error *error)
{
    struct rows runs = {0};
    struct rows problems = {0};
    enum status status = show_read(show, store, show_query_trust_runs, &runs, error);
    if (status == STATUS_OK) {
        static const char *const added[] = {"protocol_changes"};
        bool good = show_name_throttling(&runs) && rows_add_columns(&runs, added, 1);
        for (size_t i = 0; i < runs.row_count && good; i++) {
            struct text changes = {0};
            bool known = protocol_changes(
                rows_text(&runs, i, "protocol", NULL), rows_text(&runs, i, "effort", ""),
                device_traits(rows_text(&runs, i, "device_kind", ""))->is_shared, &changes);
            good =
                rows_set_text(&runs, i, "protocol_changes", known ? text_string(&changes) : NULL);
            text_free(&changes);
        }
        status = good ? STATUS_OK : error_no_memory(error);
    }
    if (status == STATUS_OK)
        status = show_read(show, store, show_query_trust, &problems, error);
    if (status == STATUS_OK)
        status = add_groups(&problems, store, error);
    if (status == STATUS_OK) {
        /* Too wide bounds are "unknown" in a table, else null or empty. */
        const char *word = show->json || show->csv ? NULL : "unknown";
        const int low = rows_column(&problems, "time_low_ns");
        const int high = rows_column(&problems, "time_high_ns");
        for (size_t i = 0; i < problems.row_count && low >= 0 && high >= 0; i++) {
            struct cell *cells = problems.cells[i];
            if (!bounds_are_narrow(rows_number(&problems, i, "time_low_ns"),
                                   rows_number(&problems, i, "time_high_ns")))
                cells[low] = cells[high] = (struct cell){.text = word};
        }
        const int claim = rows_column(&problems, "claim_percent");
        for (size_t i = 0; i < problems.row_count && claim >= 0; i++) {
            struct cell *cell = &problems.cells[i][claim];
            if (cell->text && !bounds_are_narrow(1, 1 + cell->number / 100))
                *cell = (struct cell){.text = word};
        }
        print_trust(show, &runs, &problems);
    }
    rows_free(&runs);
    rows_free(&problems);
    return status;
}
