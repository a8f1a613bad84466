/* One line of each device that can be forwarded as it is: of how many problems the choice is sure,
 * and how much faster the largest one has become. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/cli/show.h"
#include "tuner/stats/estimate.h"

static enum verdict verdict_at(const struct rows *rows, size_t row)
{
    return verdict_named(rows_text(rows, row, "trust", ""));
}

/* The winners of one device, driver, compiler, mode and objective. */
struct batch {
    const struct rows *rows;
    size_t first, end;
};

static bool same_batch(const struct rows *rows, size_t a, size_t b)
{
    static const char *const names[] = {"device_uuid", "driver", "compiler", "l2_mode",
                                        "objective"};
    bool same = true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        same =
            same && strcmp(rows_text(rows, a, names[i], ""), rows_text(rows, b, names[i], "")) == 0;
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
            text_printf(line, " of %zu problem%s:", total, total == 1 ? "" : "s");
        text_printf(line, " %s", verdict_words((enum verdict)i));
        separator = "; ";
    }
}

static void append_verdicts(struct text *line, const struct batch *batch)
{
    size_t counts[VERDICTS + 1] = {0};
    for (size_t row = batch->first; row < batch->end; row++)
        counts[verdict_at(batch->rows, row)]++;
    show_append_verdicts(line, counts, batch->end - batch->first);
    text_append(line, ".");
}

static long long size_of(const struct rows *rows, size_t row)
{
    return strtoll(rows_text(rows, row, "n", "0"), NULL, 10);
}

/* False: there is none, or a word in its place ("unknown"). */
static bool number_at(const struct rows *rows, size_t row, const char *column, double *out)
{
    const char *text = rows_text(rows, row, column, "");
    char *end = NULL;
    *out = strtod(text, &end);
    return end != text && *end == '\0';
}

static bool gains_nothing(const struct rows *rows, size_t row)
{
    return strcmp(rows_text(rows, row, "gain", ""), SHOW_NO_GAIN) == 0;
}

/* How much a problem tells: whether it is known how its winner compares with a baseline, before all
 * where the measurement supports a choice. */
static int worth(const struct rows *rows, size_t row)
{
    double gain = 0;
    const bool compared = number_at(rows, row, "gain", &gain) || gains_nothing(rows, row);
    return 2 * (verdict_at(rows, row) != VERDICT_UNSTABLE) + compared;
}

/* Of the largest problems that tell most, the first. */
static size_t telling(const struct batch *batch)
{
    const struct rows *rows = batch->rows;
    size_t best = batch->first;
    for (size_t row = batch->first + 1; row < batch->end; row++) {
        const int more = worth(rows, row) - worth(rows, best);
        if (more > 0 || (more == 0 && size_of(rows, row) > size_of(rows, best)))
            best = row;
    }
    return best;
}

/* "n=2^28", "n=100000000"; nothing where there is but one size. */
static void append_size(struct text *line, long long n)
{
    int power = 0;
    while (n > 1 && power < 62 && (1LL << power) < n)
        power++;
    if (n >= 1024 && (1LL << power) == n)
        text_printf(line, " n=2^%d", power);
    else if (n > 1)
        text_printf(line, " n=%lld", n);
}

/* " reduce.sum.i32 n=2^28: 234.4 us, 1.77x over occupancy_api [1.76, 1.78], 99.6 % of the read
 * ceiling." */
static void append_winner(struct text *line, const struct rows *rows, size_t row)
{
    char time[ROWS_TIME_BYTES];
    double value = 0;
    double low = 0;
    double high = 0;
    text_printf(line, " %s", rows_text(rows, row, "problem", ""));
    append_size(line, size_of(rows, row));
    number_at(rows, row, "time_ns", &value);
    rows_format_time(value, time);
    text_printf(line, ": %s", time);
    if (gains_nothing(rows, row))
        text_printf(line, ", no faster than %s", rows_text(rows, row, "gain_over", ""));
    else if (number_at(rows, row, "gain", &value))
        text_printf(line, ", %.2fx over %s", value, rows_text(rows, row, "gain_over", ""));
    if (!gains_nothing(rows, row) && number_at(rows, row, "gain_low", &low) &&
        number_at(rows, row, "gain_high", &high) && bounds_tell(low, high))
        text_printf(line, " [%.2f, %.2f]", low, high);
    if (number_at(rows, row, "ceiling_percent", &value))
        text_printf(line, ", %.1f %% of the %s ceiling", value,
                    rows_text(rows, row, "ceiling", "read"));
    if (verdict_at(rows, row) != VERDICT_SOUND)
        text_printf(line, " (%s)", verdict_words(verdict_at(rows, row)));
    text_append(line, ".");
}

static bool put_batch(const struct batch *batch)
{
    const struct rows *rows = batch->rows;
    const char *objective = rows_text(rows, batch->first, "objective", "time");
    const char *mode = rows_text(rows, batch->first, "l2_mode", "cold");
    const char *latest = "";
    struct text line = {0};
    append_verdicts(&line, batch);
    append_winner(&line, rows, telling(batch));
    for (size_t row = batch->first; row < batch->end; row++) {
        const char *date = rows_text(rows, row, "chosen_at", "");
        latest = strcmp(date, latest) > 0 ? date : latest;
    }
    text_printf(&line, " %s", rows_text(rows, batch->first, "device", ""));
    if (strcmp(mode, "cold") != 0)
        text_printf(&line, ", L2 %s", mode);
    if (strcmp(objective, "time") != 0)
        text_printf(&line, ", by %s", objective);
    text_printf(&line, ", %.10s.", latest);
    const bool good = !line.failed;
    rows_put_text(text_string(&line));
    putchar('\n');
    text_free(&line);
    return good;
}

bool show_lines(const struct rows *rows)
{
    bool good = true;
    for (size_t first = 0; first < rows->row_count && good;) {
        struct batch batch = {.rows = rows, .first = first, .end = first + 1};
        while (batch.end < rows->row_count && same_batch(rows, first, batch.end))
            batch.end++;
        good = put_batch(&batch);
        first = batch.end;
    }
    return good;
}
