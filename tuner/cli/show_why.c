/* tune show --why: each winner against the runner-up and the baselines, what limits it, and what
 * changing a parameter costs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/cli/show_why.h"
#include "tuner/cli/style.h"

extern const char show_query_why[];

/* ---- rows made of explanations ---- */

/* One cell after the other of a row. */
struct cursor {
    struct arena *arena;
    struct cell *cell;
    bool failed;
};

static void add_text(struct cursor *cursor, const char *text)
{
    *cursor->cell++ = (struct cell){.text = text};
}

static void add_real(struct cursor *cursor, double value)
{
    const char *text = isfinite(value) ? arena_printf(cursor->arena, "%.15g", value) : NULL;
    cursor->failed = cursor->failed || (isfinite(value) && !text);
    *cursor->cell++ = (struct cell){.text = text, .number = true};
}

static void add_integer(struct cursor *cursor, int64_t value)
{
    const char *text = value >= 0 ? arena_printf(cursor->arena, "%" PRId64, value) : NULL;
    cursor->failed = cursor->failed || (value >= 0 && !text);
    *cursor->cell++ = (struct cell){.text = text, .number = true};
}

static const char *const point_names[] = {
    "device",
    "driver",
    "compiler",
    "l2_mode",
    "objective",
    "experiment",
    "problem",
    "n",
    "winner_id",
    "limit",
    "role",
    "status",
    "standing",
    "stage",
    "time_ns",
    "time_low_ns",
    "time_high_ns",
    "worse_percent",
    "low_percent",
    "high_percent",
    "gbs",
    "ceiling_percent",
    "gops",
    "arithmetic_percent",
    "launches",
    "grid",
    "block",
    "threads",
    "blocks_per_sm",
    "occupancy_percent",
    "registers",
    "spill_bytes",
    "local_bytes",
    "shared_bytes",
    "bytes_per_thread",
    "in_flight_bytes",
    "trial_id",
    "configuration",
};
enum { POINT_NAMES = sizeof point_names / sizeof point_names[0] };

static void add_problem(struct cursor *cursor, const struct explanation *explanation)
{
    add_text(cursor, explanation->device);
    add_text(cursor, explanation->driver);
    add_text(cursor, explanation->compiler);
    add_text(cursor, explanation->l2_mode);
    add_text(cursor, explanation->objective);
    add_text(cursor, explanation->experiment);
    add_text(cursor, explanation->problem);
    add_integer(cursor, explanation->n);
    add_integer(cursor, explanation->winner_id);
    add_text(cursor, explain_limit_name(explanation->limit));
}

static void add_times(struct cursor *cursor, const struct explain_point *point)
{
    const bool is_winner = strcmp(point->role, "winner") == 0;
    add_text(cursor, point->role);
    add_text(cursor, point->status);
    add_text(cursor, point->standing);
    add_text(cursor, point->stage);
    add_real(cursor, point->time_ns);
    add_real(cursor, point->low_ns);
    add_real(cursor, point->high_ns);
    add_real(cursor, 100 * point->slower);
    add_real(cursor, is_winner ? (double)NAN : 100 * point->slower_low);
    add_real(cursor, is_winner ? (double)NAN : 100 * point->slower_high);
    add_real(cursor, point->gbs);
    add_real(cursor, 100 * point->ceiling_share);
    add_real(cursor, point->gops);
    add_real(cursor, 100 * point->arithmetic_share);
}

static void add_launch(struct cursor *cursor, const struct explain_point *point, bool cpu)
{
    add_integer(cursor, point->launches);
    add_integer(cursor, point->grid);
    add_integer(cursor, cpu ? -1 : point->block);
    add_integer(cursor, cpu ? point->threads : -1);
    add_real(cursor, cpu ? (double)NAN : point->blocks_per_sm);
    add_real(cursor, 100 * point->occupancy);
    add_integer(cursor, point->registers);
    add_integer(cursor, point->spill_bytes);
    add_integer(cursor, point->local_bytes);
    add_integer(cursor, cpu ? -1 : point->shared_bytes);
    add_real(cursor, point->bytes_per_thread);
    add_real(cursor, point->bytes_in_flight_per_sm);
    add_integer(cursor, point->trial_id);
    add_text(cursor, point->configuration);
}

/* One row for each point of each explanation, in their order. */
static bool make_point_rows(const struct explanation *explanations, size_t count, struct rows *rows)
{
    size_t points = 0;
    for (size_t i = 0; i < count; i++)
        points += explanations[i].point_count;
    if (!rows_make(rows, point_names, POINT_NAMES, points))
        return false;
    size_t row = 0;
    for (size_t i = 0; i < count; i++) {
        const char *kind = explanations[i].device_kind;
        for (size_t k = 0; k < explanations[i].point_count; k++) {
            struct cursor cursor = {.arena = &rows->arena, .cell = rows->cells[row++]};
            add_problem(&cursor, &explanations[i]);
            add_times(&cursor, &explanations[i].points[k]);
            add_launch(&cursor, &explanations[i].points[k], kind && strcmp(kind, "cpu") == 0);
            if (cursor.failed)
                return false;
        }
    }
    return true;
}

static const char *const parameter_names[] = {
    "parameter", "value", "best_other", "best_percent", "worst", "worst_percent", "with",
};
enum { PARAMETER_NAMES = sizeof parameter_names / sizeof parameter_names[0] };

static const struct row_column parameter_columns[] = {
    {"parameter", "changing"}, {"value", "from"},        {"best_other", "best other"},
    {"best_percent", "costs"}, {"worst", "worst other"}, {"worst_percent", "costs"},
    {"with", "together with"},
};

static bool make_parameter_rows(const struct explanation *explanation, struct rows *rows)
{
    if (!rows_make(rows, parameter_names, PARAMETER_NAMES, explanation->sensitivity_count))
        return false;
    for (size_t i = 0; i < explanation->sensitivity_count; i++) {
        const struct explain_sensitivity *item = &explanation->sensitivities[i];
        struct cursor cursor = {.arena = &rows->arena, .cell = rows->cells[i]};
        const bool several = item->values > 1;
        add_text(&cursor, item->parameter);
        add_text(&cursor, item->value);
        add_text(&cursor, item->best_other);
        add_real(&cursor, 100 * item->best_other_loss);
        add_text(&cursor, several ? item->worst : NULL);
        add_real(&cursor, several ? 100 * item->worst_loss : (double)NAN);
        add_text(&cursor, item->best_other_with);
        if (cursor.failed)
            return false;
    }
    return true;
}

/* ---- for people ---- */

static const struct show_word why_words[] = {
    {"worse by",
     "how much more it takes than the winner, in the rounds that both were in; 'at least' and "
     "'at most' are the ends of its interval."},
    {"standing",
     "as fast: shown to be no slower, but for what counts as equal. tied: not shown to be "
     "slower. slower: shown to be. out: could not win."},
    {"costs",
     "how much more it takes when only this parameter is changed, or those 'together with' "
     "it too. Each was timed alone and once: a few percent say little, and less than nothing "
     "is noise."},
};

/* "reduce.sum.i32, n = 1024: 1.271 us (99 % interval 1.268 us to 1.273 us), sound" */
static void put_title(const struct explanation *explanation)
{
    const struct explain_point *winner = &explanation->points[0];
    char time[ROWS_TIME_BYTES];
    char high[ROWS_TIME_BYTES];
    style_begin(STYLE_BOLD);
    rows_put_text(explanation->problem);
    if (explanation->n > 1)
        printf(", n = %" PRId64, explanation->n);
    style_end(STYLE_BOLD);
    rows_format_time(winner->time_ns, time);
    printf(": %s", time);
    if (isfinite(winner->low_ns) && isfinite(winner->high_ns)) {
        rows_format_time(winner->low_ns, time);
        rows_format_time(winner->high_ns, high);
        printf(" (%g %% interval %s to %s)", 100 * explanation->confidence, time, high);
    } else if (isfinite(explanation->confidence)) {
        fputs(" (interval unknown)", stdout);
    }
    if (explanation->trust) {
        const enum style style = style_of("trust", explanation->trust);
        fputs(", ", stdout);
        style_begin(style);
        rows_put_text(explanation->trust);
        style_end(style);
    }
    putchar('\n');
}

/* Why the choice is not sure, and what to do. */
static void put_doubt(const struct explanation *explanation, int width)
{
    struct text advice = {0};
    if (!explanation->trust || !explanation->trust_reason ||
        strcmp(explanation->trust, "sound") == 0)
        return;
    verdict_append_advice(&advice, explanation->trust_reason);
    rows_put_paragraph("not sure: ", "  ", text_string(&advice), width);
    text_free(&advice);
}

static enum status print_parameters(const struct explanation *explanation, struct error *error)
{
    struct rows rows = {0};
    const bool good = make_parameter_rows(explanation, &rows);
    if (good && rows.row_count > 0) {
        putchar('\n');
        rows_print_table(&rows, 0, rows.row_count, parameter_columns,
                         sizeof parameter_columns / sizeof parameter_columns[0]);
    }
    rows_free(&rows);
    return good ? STATUS_OK : error_no_memory(error);
}

/* Three over the number is what 95 % confidence leaves. */
static void put_compared(const struct explanation *explanation, int width)
{
    char text[192];
    if (explanation->compared < 3)
        return;
    (void)string_format(text, sizeof text,
                        "%" PRId64 " of its runs were compared with what is right, and were: it is "
                        "wrong less than once in %" PRId64 ", at 95 %% confidence",
                        explanation->compared, explanation->compared / 3);
    rows_put_paragraph("results: ", "  ", text, width);
}

static enum status print_one(const struct explanation *explanation, const struct rows *points,
                             size_t first, struct error *error)
{
    const int width = style_terminal_columns();
    char limit[32];
    put_title(explanation);
    put_doubt(explanation, width);
    rows_put_paragraph("configuration: ", "  ", explanation->points[0].configuration, width);
    enum status status = show_why_table(explanation, points, first, error);
    if (status != STATUS_OK)
        return status;
    putchar('\n');
    (void)string_format(limit, sizeof limit, "limit: %s. ", explain_limit_name(explanation->limit));
    rows_put_paragraph(limit, "  ", explanation->limit_text, width);
    put_compared(explanation, width);
    for (size_t i = 0; i < explanation->comparison_count; i++)
        rows_put_paragraph("- ", "  ", explanation->sentences[i], width);
    return print_parameters(explanation, error);
}

static enum status print_all(const struct rows *winners, const struct explanation *explanations,
                             struct error *error)
{
    struct rows points = {0};
    enum status status = make_point_rows(explanations, winners->row_count, &points)
                             ? STATUS_OK
                             : error_no_memory(error);
    size_t end = 0;
    size_t point = 0;
    if (status == STATUS_OK)
        show_tell_differences(&points, "worse_percent");
    for (size_t i = 0; i < winners->row_count && status == STATUS_OK; i++) {
        if (i > 0)
            putchar('\n');
        if (i == end) {
            show_heading(winners, i);
            putchar('\n');
            end = show_group_end(winners, i);
        }
        status = print_one(&explanations[i], &points, point, error);
        point += explanations[i].point_count;
    }
    if (status == STATUS_OK && winners->row_count > 0)
        show_put_words(why_words, sizeof why_words / sizeof why_words[0]);
    rows_free(&points);
    return status;
}

static enum status print_csv(const struct explanation *explanations, size_t count,
                             struct error *error)
{
    struct rows points = {0};
    const bool good = make_point_rows(explanations, count, &points);
    if (good)
        rows_print_csv(&points);
    rows_free(&points);
    return good ? STATUS_OK : error_no_memory(error);
}

enum status show_why(const struct show *show, struct store *store, struct error *error)
{
    struct rows winners = {0};
    struct arena arena = {0};
    struct explanation *explanations = NULL;
    struct store_parameter parameters[SHOW_PARAMETERS];
    show_parameters(show, parameters);
    enum status status =
        rows_read(store, show_query_why, parameters, SHOW_PARAMETERS, &winners, error);
    if (status == STATUS_OK) {
        explanations = arena_alloc(&arena, winners.row_count + 1, sizeof *explanations);
        status = explanations ? STATUS_OK : error_no_memory(error);
    }
    for (size_t i = 0; i < winners.row_count && status == STATUS_OK; i++)
        status = explain_winner(store, strtoll(rows_text(&winners, i, "winner_id", "0"), NULL, 10),
                                &arena, &explanations[i], error);
    if (status == STATUS_OK && winners.row_count == 0)
        fprintf(stderr, "%s: no winner yet\n", show->db);
    if (status == STATUS_OK)
        status = show->json  ? show_why_json(explanations, winners.row_count, error)
                 : show->csv ? print_csv(explanations, winners.row_count, error)
                             : print_all(&winners, explanations, error);
    arena_free(&arena);
    rows_free(&winners);
    return status;
}
