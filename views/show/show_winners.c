/* tune show without a question: the winners' launches, in as many columns as the page has. A table
 * per problem; values shared by all winners stand above it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/stats/estimate.h"
#include "tuner/stats/verdict.h"
#include "tuner/terminal/style.h"
#include "views/explain/explain.h"
#include "views/export/export.h"
#include "views/show/internal.h"

enum { GAINS_OVER_MAX = 16 };

static enum verdict verdict_at(const struct rows *rows, size_t row)
{
    return verdict_named(rows_text(rows, row, "verdict", ""));
}

/* Returns the verdict on the choice and on the part of the space tried. */
static enum verdict headline_at(const struct rows *rows, size_t row)
{
    return verdict_named(rows_text(rows, row, "headline", ""));
}

static const struct row_column columns[] = {
    {"n", "n"},
    {"time_ns", "time"},
    {"value", "value"},
    {"gain", "gain"},
    {"ceiling_percent", "of ceiling"},
    {"picked_loss_percent", "loss"},
    {"verdict", "verdict"},
    {"launch", "launch"},
};
enum {
    COLUMN_COUNT = COUNT(columns),
    LOSS_COLUMN = 5,
    LOSS_WIDTH = 100, /* narrower pages have no room for the loss beside long launches */
};

/* The winners of one problem on one device. */
struct problem_rows {
    struct rows *rows;
    size_t first, count;
    bool advises;
};

/* Appends the baselines of the gains: "over occupancy_api", "over the faster of occupancy_api and
 * textbook". */
static void append_over(struct text *out, const struct problem_rows *problem)
{
    const char *names[GAINS_OVER_MAX];
    size_t count = 0;
    for (size_t i = 0; i < problem->count; i++) {
        const char *name = rows_text(problem->rows, problem->first + i, "gain_over", NULL);
        size_t known = 0;
        while (name && known < count && strcmp(names[known], name) != 0)
            known++;
        if (name && known == count && count < GAINS_OVER_MAX)
            names[count++] = name;
    }
    if (count == 0)
        return;
    text_append(out, ": gain over ");
    text_append(out, count == 1 ? "" : count == 2 ? "the faster of " : "the fastest of ");
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", names[i]);
}

static bool fill_row(struct rows *table, const struct problem_rows *problem, size_t at)
{
    const struct rows *rows = problem->rows;
    const size_t row = problem->first + at;
    struct text launch = {0};
    const char *apart = rows_text(rows, row, "configuration", "");
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const int column = rows_column(rows, columns[i].name);
        if (column >= 0)
            table->cells[at][i] = rows->cells[row][column];
    }
    if (strcmp(rows_text(rows, row, "objective", "time"), "time") == 0)
        table->cells[at][rows_column(table, "value")] = (struct cell){0};
    explain_append_launches(&launch, rows_text(rows, row, "launches", NULL));
    text_printf(&launch, "%s%s", launch.length > 0 && *apart ? ": " : "", apart);
    const char *text = text_to_arena(&launch, &table->arena);
    table->cells[at][rows_column(table, "launch")] = (struct cell){.text = text};
    table->cells[at][rows_column(table, "verdict")] =
        (struct cell){.text = verdict_words(headline_at(rows, row))};
    return text != NULL;
}

/* Finds the noisiest row with the verdict. Returns false if there is none. */
static bool find_noisiest(const struct problem_rows *problem, enum verdict verdict, size_t *count,
                          size_t *noisiest)
{
    double most = -1;
    *count = 0;
    for (size_t i = 0; i < problem->count; i++) {
        const size_t row = problem->first + i;
        if (verdict_at(problem->rows, row) != verdict)
            continue;
        const double floor = fmax(0, rows_number(problem->rows, row, "floor_percent"));
        (*count)++;
        if (floor > most) {
            most = floor;
            *noisiest = row;
        }
    }
    return *count > 0;
}

/* Prints "nearly sure, worst at n = 1024: ...": the verdict's words, and the worst of `count` rows.
 */
static void put_doubt(const struct problem_rows *problem, const char *words, size_t count,
                      size_t row, const char *text, int width)
{
    struct text lead = {0};
    text_append(&lead, words);
    if (problem->count > 1)
        text_printf(&lead, ", %sn = %s", count > 1 ? "worst at " : "",
                    rows_text(problem->rows, row, "n", ""));
    text_append(&lead, ": ");
    rows_put_paragraph(text_string(&lead), "  ", text, width);
    text_free(&lead);
}

/* Appends "10 of 3,400 points tried, 8 of them failed"; none if unknown. */
static void append_coverage(struct text *text, const struct rows *rows, size_t row)
{
    const double points = rows_number(rows, row, "points_tried");
    const double space = rows_number(rows, row, "space_count");
    if (!(points >= 0) || !(space >= 0))
        return;
    coverage_append(text, &(struct coverage_facts){
                              .points = (uint64_t)points,
                              .space = (uint64_t)space,
                              .failed = (uint64_t)fmax(0, rows_number(rows, row, "failures")),
                              .most_better = rows_number(rows, row, "most_percent") / 100});
}

/* Prints why choices are not sure, and the advice; --trust has the numbers. Then names choices in
 * spaces hardly tried or mostly failed. */
static void put_doubts(const struct problem_rows *problem, int width)
{
    struct text sentence = {0};
    for (size_t v = VERDICT_NOISY; v < VERDICTS; v++) {
        size_t count = 0;
        size_t row = 0;
        if (!find_noisiest(problem, (enum verdict)v, &count, &row))
            continue;
        const char *reason = rows_text(problem->rows, row, "verdict_reason", "no reason is stored");
        (problem->advises ? verdict_append_advice : verdict_append_fault)(&sentence, reason);
        text_append(&sentence, problem->advises ? "" : ".");
        put_doubt(problem, verdict_words((enum verdict)v), count, row, text_string(&sentence),
                  width);
        text_clear(&sentence);
    }
    for (size_t c = COVERAGE_LITTLE; c < COVERAGES; c++) {
        size_t count = 0;
        size_t worst = 0;
        for (size_t i = 0; i < problem->count; i++) {
            const size_t row = problem->first + i;
            if (coverage_named(rows_text(problem->rows, row, "coverage", NULL)) != c)
                continue;
            if (count++ == 0 || rows_number(problem->rows, row, "points_tried") <
                                    rows_number(problem->rows, worst, "points_tried"))
                worst = row;
        }
        if (count == 0)
            continue;
        append_coverage(&sentence, problem->rows, worst);
        text_append(&sentence, c == COVERAGE_FAILED
                                   ? ". 'tune show --failures' says why they failed."
                                   : ". A larger --budget, or --points, tries more.");
        put_doubt(problem, coverage_name((enum coverage)c), count, worst, text_string(&sentence),
                  width);
        text_clear(&sentence);
    }
    text_free(&sentence);
}

static bool print_problem(const struct problem_rows *problem, int width)
{
    const char *names[COLUMN_COUNT];
    struct rows table = {0};
    struct text over = {0};
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        names[i] = columns[i].name;
    append_over(&over, problem);
    rows_put_paragraph(rows_text(problem->rows, problem->first, "problem", ""), "  ",
                       text_string(&over), width);
    text_free(&over);
    bool good =
        rows_make(&table, names, COLUMN_COUNT, problem->count) &&
        show_share_configuration(problem->rows, problem->first, problem->first + problem->count);
    for (size_t i = 0; i < problem->count && good; i++)
        good = fill_row(&table, problem, i);
    if (good) {
        struct row_column shown[COLUMN_COUNT];
        size_t count = 0;
        for (size_t i = 0; i < COLUMN_COUNT; i++)
            if (i != LOSS_COLUMN || width >= LOSS_WIDTH)
                shown[count++] = columns[i];
        rows_print_table_within(&table, 0, table.row_count, shown, count, width);
        put_doubts(problem, width);
    }
    rows_free(&table);
    return good;
}

/* Rows [first, end) are of one device; a table for each problem. */
static bool print_group(struct rows *rows, size_t first, size_t end, bool advises, int width)
{
    bool good = true;
    while (first < end && good) {
        struct problem_rows problem = {.rows = rows, .first = first, .advises = advises};
        while (first + problem.count < end &&
               rows_same_text(rows, first, first + problem.count, "problem") &&
               rows_same_text(rows, first, first + problem.count, "experiment"))
            problem.count++;
        putchar('\n');
        good = print_problem(&problem, width);
        first += problem.count;
    }
    return good;
}

/* ---- where tuned.conf has another configuration ---- */

enum status show_add_picks(const struct show *show, struct store *store, struct rows *rows,
                           struct error *error)
{
    static const char *const added[] = {"picked", "picked_loss_percent"};
    const struct export_options options = {.objective = show->objective};
    struct export_pick *picks = NULL;
    size_t count = 0;
    enum status status = export_picks(store, &options, &rows->arena, &picks, &count, error);
    if (status == STATUS_OK && !rows_add_columns(rows, added, COUNT(added)))
        return error_no_memory(error);
    for (size_t row = 0; row < rows->row_count && status == STATUS_OK; row++) {
        const int64_t winner = (int64_t)rows_number(rows, row, "winner_id");
        size_t at = 0;
        while (at < count && picks[at].winner != winner)
            at++;
        if (at == count)
            continue;
        struct text out = {0};
        (void)explain_put_differences(&out, rows_text(rows, row, "parameters", "{}"),
                                      picks[at].parameters);
        const char *values = text_to_arena(&out, &rows->arena);
        rows->cells[row][rows_column(rows, added[0])] = (struct cell){.text = values};
        if (!values ||
            !rows_set_number(rows, row, (size_t)rows_column(rows, added[1]), 100 * picks[at].loss))
            status = error_no_memory(error);
    }
    return status;
}

enum status show_find_picks(struct show *show, struct store *store, struct error *error)
{
    const struct export_options options = {.objective = show->objective};
    struct arena arena = {0};
    struct text json = {0};
    struct export_pick *picks = NULL;
    size_t count = 0;
    enum status status = export_picks(store, &options, &arena, &picks, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        text_printf(&json, "%c[%lld,%lld,%lld,%.17g]", i == 0 ? '[' : ',',
                    (long long)picks[i].range, (long long)picks[i].winner,
                    (long long)picks[i].trial, picks[i].loss);
    if (count > 0)
        text_append(&json, "]");
    if (status == STATUS_OK && json.failed)
        status = error_no_memory(error);
    show->picks_json = json.data;
    arena_free(&arena);
    return status;
}

static void put_pick_words(const struct rows *rows, int width)
{
    for (size_t row = 0; row < rows->row_count && width >= LOSS_WIDTH; row++)
        if (!isnan(rows_number(rows, row, "picked_loss_percent"))) {
            rows_put_paragraph("loss", "  ",
                               ": tuned.conf has another configuration at this size, which is "
                               "slower by at most this: its kernel serves other sizes or devices, "
                               "too ('tune show --csv': picked).",
                               width);
            return;
        }
}

/* Reports the winner whose results are furthest from the expected ones, beyond twice the baseline's
 * distance: fast arithmetic, another order of a sum. */
static void put_deviation(const struct rows *rows, int width)
{
    size_t worst = rows->row_count;
    double most = 2;
    for (size_t row = 0; row < rows->row_count; row++) {
        const double own = rows_number(rows, row, "deviation");
        const double ratio = own / rows_number(rows, row, "baseline_deviation");
        if (!(own > 0) || !(ratio > most))
            continue;
        worst = row;
        most = ratio;
    }
    if (worst == rows->row_count)
        return;
    struct text line = {0};
    text_printf(
        &line,
        ": of %s n=%s they differ from the expected ones by up to %.2g, the baseline's by %.2g",
        rows_text(rows, worst, "problem", ""), rows_text(rows, worst, "n", ""),
        rows_number(rows, worst, "deviation"), rows_number(rows, worst, "baseline_deviation"));
    rows_put_paragraph("results", "  ", text_string(&line), width);
    text_free(&line);
}

/* ---- a line per device, ready to forward ---- */

static bool same_batch(const struct rows *rows, size_t a, size_t b)
{
    static const char *const names[] = {"device_uuid", "driver", "compiler", "l2_mode",
                                        "objective"};
    bool same = true;
    for (size_t i = 0; i < COUNT(names); i++)
        same = same && rows_same_text(rows, a, b, names[i]);
    return same;
}

void show_append_verdicts(struct text *line, const size_t counts[VERDICTS], size_t total)
{
    const char *separator = "";
    size_t judged = 0;
    for (size_t i = 0; i <= VERDICTS; i++) {
        const size_t count = i < VERDICTS ? counts[i] : total - judged;
        judged += count;
        if (count == 0)
            continue;
        text_printf(line, "%s%zu", separator, count);
        if (!separator[0])
            text_printf(line, " of %s:", count_text(total, "problem").text);
        text_printf(line, " %s", verdict_words((enum verdict)i));
        separator = "; ";
    }
}

static bool gains_nothing(const struct rows *rows, size_t row)
{
    return strcmp(rows_text(rows, row, "gain", ""), SHOW_NO_GAIN) == 0;
}

/* Returns how well a problem serves as example: first a choice that the measurement supports, then
 * a known comparison with a baseline. */
static int worth(const struct rows *rows, size_t row)
{
    const bool compared = !isnan(rows_number(rows, row, "gain")) || gains_nothing(rows, row);
    return 2 * (headline_at(rows, row) != VERDICT_UNSTABLE) + compared;
}

/* Appends a winner: " reduce.sum.i32 n=2^28: 234.4 us, 1.77x over occupancy_api [1.76, 1.78], 99.6
 * % of the read ceiling."; without n if there is only one size. */
static void append_winner(struct text *line, const struct rows *rows, size_t row)
{
    char time[TIME_TEXT_BYTES];
    const long long n = (long long)rows_number(rows, row, "n");
    const double gain = rows_number(rows, row, "gain");
    const double low = rows_number(rows, row, "gain_low");
    const double high = rows_number(rows, row, "gain_high");
    const double ceiling_percent = rows_number(rows, row, "ceiling_percent");
    text_printf(line, " %s", rows_text(rows, row, "problem", ""));
    if (n >= 1024 && (n & (n - 1)) == 0)
        text_printf(line, " n=2^%d", __builtin_ctzll((unsigned long long)n));
    else if (n > 1)
        text_printf(line, " n=%lld", n);
    (void)time_text(rows_number(rows, row, "time_ns"), "us", time);
    text_printf(line, ": %s", time);
    if (gains_nothing(rows, row))
        text_printf(line, ", no faster than %s", rows_text(rows, row, "gain_over", ""));
    else if (!isnan(gain))
        text_printf(line, ", %.2fx over %s", gain, rows_text(rows, row, "gain_over", ""));
    if (!gains_nothing(rows, row) && !isnan(gain) && bounds_are_narrow(low, high))
        text_printf(line, " [%.2f, %.2f]", low, high);
    if (!isnan(ceiling_percent))
        text_printf(line, ", %.1f %% of the %s ceiling", ceiling_percent,
                    rows_text(rows, row, "ceiling", "read"));
    const enum verdict headline = headline_at(rows, row);
    if (headline != VERDICT_SOUND)
        text_printf(line, " (%s", verdict_words(headline));
    if (headline != verdict_at(rows, row)) {
        text_append(line, ": ");
        append_coverage(line, rows, row);
    }
    text_append(line, headline != VERDICT_SOUND ? ")." : ".");
}

/* Prints the line for winners [first, end) of one device, driver, compiler, mode and objective: the
 * number of sure choices, and the gain of the best example, the largest size among equals. */
static bool put_batch(const struct rows *rows, size_t first, size_t end)
{
    size_t counts[VERDICTS + 1] = {0};
    size_t telling = first;
    const char *objective = rows_text(rows, first, "objective", "time");
    const char *mode = rows_text(rows, first, "l2_mode", "cold");
    const char *latest = "";
    struct text line = {0};
    for (size_t row = first; row < end; row++) {
        const int more = worth(rows, row) - worth(rows, telling);
        const char *date = rows_text(rows, row, "chosen_at", "");
        counts[headline_at(rows, row)]++;
        if (more > 0 ||
            (more == 0 && rows_number(rows, row, "n") > rows_number(rows, telling, "n")))
            telling = row;
        latest = strcmp(date, latest) > 0 ? date : latest;
    }
    show_append_verdicts(&line, counts, end - first);
    /* "; 12,406 of 12,406 points tried, 3 of them failed", over all spaces, if all are known. */
    struct coverage_facts all = {.most_better = (double)NAN};
    bool are_known = true;
    for (size_t row = first; row < end; row++) {
        const double points = rows_number(rows, row, "points_tried");
        are_known = points > 0;
        if (!are_known)
            break;
        all.points += (uint64_t)points;
        all.space += (uint64_t)fmax(points, rows_number(rows, row, "space_count"));
        all.failed += (uint64_t)fmax(0, rows_number(rows, row, "failures"));
    }
    if (are_known) {
        text_append(&line, "; ");
        coverage_append(&line, &all);
    }
    text_append(&line, ".");
    append_winner(&line, rows, telling);
    text_printf(&line, " %s", rows_text(rows, first, "device", ""));
    if (strcmp(mode, "cold") != 0)
        text_printf(&line, ", L2 %s", mode);
    if (strcmp(objective, "time") != 0)
        text_printf(&line, ", by %s", objective);
    /* A replayed device's name contains the date. */
    text_printf(&line,
                strstr(rows_text(rows, first, "device", ""), ", replayed from ") ? "." : ", %.10s.",
                latest);
    const bool good = !line.failed;
    rows_put_paragraph("", "  ", text_string(&line), style_terminal_columns());
    text_free(&line);
    return good;
}

enum status show_winners(struct rows *rows, bool advises, struct error *error)
{
    const int width = style_page_columns();
    bool good = true;
    for (size_t first = 0; first < rows->row_count && good;) {
        const size_t end = show_group_end(rows, first);
        if (first > 0)
            putchar('\n');
        show_heading(rows, first);
        good = print_group(rows, first, end, advises, width);
        first = end;
    }
    /* "occupancy_api: block and grid as ...": the baselines of the gains, each explained once. */
    bool has_printed = false;
    for (size_t row = 0; row < rows->row_count; row++) {
        const char *name = rows_text(rows, row, "gain_over", "");
        const char *about = rows_text(rows, row, "gain_over_about", "");
        bool is_printed = !about[0];
        for (size_t earlier = 0; earlier < row && !is_printed; earlier++)
            is_printed = strcmp(rows_text(rows, earlier, "gain_over", ""), name) == 0 &&
                         strcmp(rows_text(rows, earlier, "gain_over_about", ""), about) == 0;
        if (is_printed)
            continue;
        struct text line = {0};
        text_printf(&line, ": %s", about);
        fputs(has_printed ? "" : "\n", stdout);
        rows_put_paragraph(name, "  ", text_string(&line), width);
        text_free(&line);
        has_printed = true;
    }
    /* Explains the words used in place of numbers in the column of gains. */
    static const struct {
        const char *begin, *meaning;
    } words[] = {
        {SHOW_NO_GAIN,
         ": no gain is shown: the baseline is not shown to be slower. Keep it, or take "
         "the launch."},
        {"unknown", ": the baseline was not compared well enough."},
        {">", ": at least this much faster; how much more is unknown."},
    };
    for (size_t i = 0; i < COUNT(words); i++) {
        bool met = false;
        for (size_t row = 0; row < rows->row_count && !met; row++)
            met = strncmp(rows_text(rows, row, "gain", ""), words[i].begin,
                          strlen(words[i].begin)) == 0;
        if (met)
            rows_put_paragraph(words[i].begin, "  ", words[i].meaning, width);
    }
    put_deviation(rows, width);
    put_pick_words(rows, width);
    if (rows->row_count > 0)
        putchar('\n');
    for (size_t first = 0; first < rows->row_count && good;) {
        size_t end = first + 1;
        while (end < rows->row_count && same_batch(rows, first, end))
            end++;
        good = put_batch(rows, first, end);
        first = end;
    }
    return good ? STATUS_OK : error_no_memory(error);
}
