/* tune show --why: each winner against the runner-up and the baselines, its limit, and the cost of
 * changing a parameter. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json.h"
#include "tuner/device/traits.h"
#include "tuner/terminal/style.h"
#include "views/explain/explain.h"
#include "views/show/embedded.h"
#include "views/show/internal.h"
#include "views/show/parts.h"

/* ---- output: a row of CSV per point, an object of JSON per winner ---- */

/* A point with the winner of the comparison. */
struct point_row {
    struct explanation why;
    struct explain_point point;
    const char *limit, *verdict;
    int64_t wrong_less_than_once_in;
    const char *sentences, *points, *sensitivities; /* JSON */
};
#define MEMBER(key, column, member, kind)                                                          \
    {                                                                                              \
        key, column, offsetof(struct point_row, member), MEMBER_##kind, NULL                       \
    }
/* Members under their own names; a winner's in JSON alone (WHY), or in CSV too (WHY_TOO). */
#define WHY(member, kind)     MEMBER(#member, NULL, why.member, kind)
#define WHY_TOO(member, kind) MEMBER(#member, #member, why.member, kind)
#define ROW(member, kind)     MEMBER(#member, NULL, member, kind)
#define POINT(member, kind)   MEMBER(#member, #member, point.member, kind)

static const struct row_member members[] = {
    WHY(winner_id, INTEGER),
    WHY_TOO(device, TEXT),
    WHY(device_kind, TEXT),
    WHY(unit_count, INTEGER),
    WHY_TOO(driver, TEXT),
    WHY_TOO(compiler, TEXT),
    WHY_TOO(l2_mode, TEXT),
    WHY_TOO(objective, TEXT),
    WHY_TOO(experiment, TEXT),
    WHY_TOO(problem, TEXT),
    WHY_TOO(n, INTEGER),
    MEMBER(NULL, "winner_id", why.winner_id, INTEGER),
    WHY(ceiling, TEXT),
    WHY(ceiling_gbs, REAL),
    WHY(operations_type, TEXT),
    WHY(arithmetic_gops, REAL),
    WHY(launch_share, REAL),
    WHY(busy_units, INTEGER),
    WHY(delta, REAL),
    WHY(confidence, REAL),
    WHY(as_fast, INTEGER),
    WHY(not_compared, INTEGER),
    WHY(kept_incumbent, TRUTH),
    WHY(compared, INTEGER),
    ROW(wrong_less_than_once_in, INTEGER),
    MEMBER("verdict", NULL, verdict, TEXT),
    WHY(headline, TEXT),
    MEMBER("verdict_reason", NULL, why.trust_reason, TEXT),
    MEMBER("coverage", NULL, why.coverage, TEXT),
    MEMBER("points_tried", NULL, why.tried, INTEGER),
    MEMBER("space_count", NULL, why.space, INTEGER),
    MEMBER("failures", NULL, why.failures, INTEGER),
    MEMBER("limit", "limit", limit, TEXT),
    WHY(limit_text, TEXT),
    ROW(sentences, JSON),
    ROW(points, JSON),
    ROW(sensitivities, JSON),
    POINT(role, TEXT),
    MEMBER("about", NULL, point.about, TEXT),
    POINT(status, TEXT),
    POINT(standing, TEXT),
    POINT(stage, TEXT),
    POINT(time_ns, REAL),
    MEMBER("time_low_ns", "time_low_ns", point.low_ns, REAL),
    MEMBER("time_high_ns", "time_high_ns", point.high_ns, REAL),
    MEMBER("worse_by", "worse_percent", point.slower, SHARE),
    MEMBER("worse_by_low", "low_percent", point.slower_low, SHARE),
    MEMBER("worse_by_high", "high_percent", point.slower_high, SHARE),
    POINT(gbs, REAL),
    MEMBER("ceiling_share", "ceiling_percent", point.ceiling_share, SHARE),
    POINT(gops, REAL),
    MEMBER("arithmetic_share", "arithmetic_percent", point.arithmetic_share, SHARE),
    POINT(launches, INTEGER),
    POINT(grid, INTEGER),
    POINT(block, INTEGER),
    POINT(threads, INTEGER),
    POINT(blocks_per_sm, REAL),
    MEMBER("occupancy", "occupancy_percent", point.occupancy, SHARE),
    POINT(registers, INTEGER),
    POINT(spill_bytes, INTEGER),
    POINT(local_bytes, INTEGER),
    POINT(shared_bytes, INTEGER),
    POINT(bytes_per_thread, REAL),
    MEMBER("bytes_in_flight_per_sm", "in_flight_bytes", point.bytes_in_flight_per_sm, REAL),
    POINT(trial_id, INTEGER),
    POINT(configuration, TEXT),
    MEMBER("parameters", NULL, point.parameters, JSON),
};
enum { WINNER_MEMBERS = 37 }; /* members before the point's */

#define OF(member) offsetof(struct explain_sensitivity, member)
static const struct row_member sensitivity_members[] = {
    {"parameter", "parameter", OF(parameter), MEMBER_TEXT, "changing"},
    {"value", "value", OF(value), MEMBER_TEXT, "from"},
    {"alone", NULL, OF(alone), MEMBER_TRUTH, NULL},
    {"values", NULL, OF(values), MEMBER_INTEGER, NULL},
    {"best_other", "best_other", OF(best_other), MEMBER_TEXT, "best other"},
    {"best_other_loss", "best_percent", OF(best_other_loss), MEMBER_SHARE, "costs"},
    {"best_other_with", NULL, OF(best_other_with), MEMBER_TEXT, NULL},
    {"worst", "worst", OF(worst), MEMBER_TEXT, "worst other"},
    {"worst_loss", "worst_percent", OF(worst_loss), MEMBER_SHARE, "costs"},
    {"worst_with", NULL, OF(worst_with), MEMBER_TEXT, NULL},
    {NULL, "with", OF(best_other_with), MEMBER_TEXT, "together with"},
};

/* Makes a row for each point of each explanation, in order. Members meaningless for a point are
 * left out. */
static bool make_point_rows(const struct explanation *explanations, size_t count, struct rows *rows)
{
    size_t points = 0;
    for (size_t i = 0; i < count; i++)
        points += explanations[i].point_count;
    struct point_row *all = calloc(points + 1, sizeof *all);
    struct point_row *next = all;
    for (size_t i = 0; all && i < count; i++) {
        const bool is_gpu = device_traits(explanations[i].device_kind)->is_gpu;
        for (size_t k = 0; k < explanations[i].point_count; k++, next++) {
            *next = (struct point_row){.why = explanations[i],
                                       .point = explanations[i].points[k],
                                       .limit = explain_limit_name(explanations[i].limit)};
            struct explain_point *point = &next->point;
            if (k == 0)
                point->slower_low = point->slower_high = (double)NAN;
            if (is_gpu) {
                point->threads = -1;
            } else {
                point->block = point->shared_bytes = -1;
                point->blocks_per_sm = (double)NAN;
            }
        }
    }
    const bool good = all && rows_make_of(rows, members, COUNT(members), MEMBERS_FOR_TABLE, all,
                                          sizeof *all, points);
    free(all);
    return good;
}

/* Returns nested JSON: "[\n {...},\n {...}]"; NULL if memory is short. */
static const char *nested_json(const struct row_member *of, size_t of_count, const void *structs,
                               size_t struct_bytes, size_t count, struct arena *arena)
{
    struct rows rows = {0};
    struct text out = {0};
    const bool good =
        rows_make_of(&rows, of, of_count, MEMBERS_FOR_JSON, structs, struct_bytes, count);
    text_append(&out, "[");
    for (size_t i = 0; good && i < count; i++) {
        text_append(&out, i == 0 ? "\n    " : ",\n    ");
        rows_append_json(&out, &rows, i);
    }
    text_append(&out, "]");
    const char *text = good && !out.failed ? arena_strdup(arena, text_string(&out)) : NULL;
    text_free(&out);
    rows_free(&rows);
    return text;
}

bool show_append_why(struct text *out, const struct explanation *explanations, size_t count)
{
    struct arena arena = {0};
    struct rows rows = {0};
    struct point_row *winners = arena_alloc(&arena, count + 1, sizeof *winners);
    bool good = winners != NULL;
    for (size_t i = 0; i < count && good; i++) {
        winners[i].why = explanations[i];
        struct point_row *row = &winners[i];
        const struct explanation *why = &row->why;
        struct text sentences = {0};
        struct point_row *points = arena_alloc(&arena, why->point_count + 1, sizeof *points);
        for (size_t k = 0; points && k < why->point_count; k++)
            points[k].point = why->points[k];
        for (size_t k = 0; k < why->sentence_count; k++) {
            text_append(&sentences, k == 0 ? "[" : ", ");
            json_append_string(&sentences, why->sentences[k]);
        }
        text_append(&sentences, why->sentence_count > 0 ? "]" : "[]");
        row->limit = explain_limit_name(why->limit);
        row->verdict = verdict_words(verdict_named(why->trust ? why->trust : ""));
        row->wrong_less_than_once_in = why->compared >= 3 ? why->compared / 3 : -1;
        row->sentences = sentences.failed ? NULL : arena_strdup(&arena, text_string(&sentences));
        row->points = !points
                          ? NULL
                          : nested_json(members + WINNER_MEMBERS, COUNT(members) - WINNER_MEMBERS,
                                        points, sizeof *points, why->point_count, &arena);
        row->sensitivities =
            nested_json(sensitivity_members, COUNT(sensitivity_members), why->sensitivities,
                        sizeof *why->sensitivities, why->sensitivity_count, &arena);
        text_free(&sentences);
        good = row->sentences && row->points && row->sensitivities;
    }
    good = good && rows_make_of(&rows, members, WINNER_MEMBERS, MEMBERS_FOR_JSON, winners,
                                sizeof *winners, count);
    if (good)
        rows_append_array(out, &rows);
    rows_free(&rows);
    arena_free(&arena);
    return good && !out->failed;
}

static enum status print_json(const struct explanation *explanations, size_t count,
                              struct error *error)
{
    struct text json = {0};
    const bool good = show_append_why(&json, explanations, count);
    if (good)
        puts(text_string(&json));
    text_free(&json);
    return good ? STATUS_OK : error_no_memory(error);
}

/* ---- the points side by side: a column each, so that numbers to compare stand beside one another
 * and fit on a screen ---- */

/* A baseline more is in the sentences and in --json. */
enum { POINTS_MAX = 12 };

static const char *const column_names[1 + POINTS_MAX] = {
    "label",  "point0", "point1", "point2", "point3",  "point4",  "point5",
    "point6", "point7", "point8", "point9", "point10", "point11",
};

static const struct row_column lines[] = {
    {"time_ns", "time"},
    {"worse_percent", "worse by"},
    {"low_percent", "at least"},
    {"high_percent", "at most"},
    {"standing", "standing"},
    {"stage", "stage"},
    {"status", "status"},
    {"gbs", "GB/s"},
    {"ceiling_percent", "of ceiling"},
    {"gops", "10^9 operations/s"},
    {"arithmetic_percent", "of arithmetic"},
    {"launches", "launches"},
    {"grid", "blocks"},
    {"block", "threads per block"},
    {"threads", "threads"},
    {"occupancy_percent", "occupancy"},
    {"registers", "registers"},
    {"spill_bytes", "spilled bytes"},
    {"shared_bytes", "shared bytes"},
    {"in_flight_bytes", "bytes in flight per SM"},
};

/* Returns true if the line is printed: the stage and the status if the points differ, others if
 * known. */
static bool is_printed(const struct row_column *line, const struct rows *points, size_t first,
                       size_t count)
{
    const int column = rows_column(points, line->name);
    bool is_known = false;
    bool differ = false;
    for (size_t i = 0; i < count; i++) {
        const char *text = points->cells[first + i][column].text;
        is_known = is_known || text;
        differ = differ || (text && strcmp(text, rows_text(points, first, line->name, "")) != 0);
    }
    if (strcmp(line->name, "stage") == 0 || strcmp(line->name, "status") == 0)
        return is_known && differ;
    return is_known;
}

/* Adds a line to the table; texts are right-aligned, as numbers are. */
static struct cell *add_line(struct rows *table, const char *label, size_t count)
{
    struct cell *row = table->cells[table->row_count++];
    row[0].text = label;
    for (size_t i = 0; i < count; i++)
        row[1 + i].kind = CELL_NUMBER;
    return row;
}

static bool fill_numbers(struct rows *table, const struct rows *points, size_t first, size_t count)
{
    for (size_t i = 0; i < COUNT(lines); i++) {
        const int column = rows_column(points, lines[i].name);
        if (!is_printed(&lines[i], points, first, count))
            continue;
        struct cell *row = add_line(table, lines[i].label, count);
        for (size_t k = 0; k < count; k++) {
            char number[ROWS_CELL_BYTES];
            const struct cell *cell = &points->cells[first + k][column];
            if (!cell->text)
                continue;
            row[1 + k].text = arena_strdup(&table->arena, rows_shown(lines[i].name, cell, number));
            if (!row[1 + k].text)
                return false;
        }
    }
    return true;
}

/* Adds lines for the parameters that differ. */
static bool fill_parameters(struct rows *table, json_t *const *parameters, size_t count)
{
    const char *name = NULL;
    json_t *own = NULL;
    json_object_foreach(parameters[0], name, own)
    {
        bool differ = false;
        for (size_t i = 1; i < count; i++)
            differ = differ || !json_equal(own, json_object_get(parameters[i], name));
        if (!differ)
            continue;
        struct cell *row = add_line(table, arena_strdup(&table->arena, name), count);
        for (size_t i = 0; i < count; i++) {
            const json_t *value = json_object_get(parameters[i], name);
            row[1 + i].text = value ? show_json_text(value, &table->arena) : NULL;
            if (!row[0].text || (value && !row[1 + i].text))
                return false;
        }
    }
    return true;
}

/* ---- for people ---- */

static const struct show_word why_words[] = {
    {"worse by",
     "how much more it takes than the winner, in the rounds that both were in, in the mean over "
     "the states of the cache (--trust --wide: caches), of which 'time' is the first; 'at least' "
     "and 'at most' are the ends of its interval."},
    {"standing",
     "as fast, slower: shown in the rounds that both were in. not compared: not long enough to "
     "show either. out: could not win."},
    {"costs", "how much slower the fastest launch with another value is than the fastest of all; "
              "'together with': other differences of that launch. Each was timed once, alone, in "
              "the sweep, so a few percent mean little."},
};

/* Prints the reason if the choice is not sure, and the advice. */
static void put_doubt(const struct explanation *explanation, int width)
{
    struct text advice = {0};
    if (!explanation->trust || !explanation->trust_reason ||
        verdict_named(explanation->trust) == VERDICT_SOUND)
        return;
    text_append(&advice, ": ");
    verdict_append_advice(&advice, explanation->trust_reason);
    rows_put_paragraph(verdict_words(verdict_named(explanation->trust)), "  ", text_string(&advice),
                       width);
    text_free(&advice);
}

static enum status print_parameters(const struct explanation *explanation, struct error *error)
{
    const size_t count = explanation->sensitivity_count;
    struct explain_sensitivity *items = calloc(count + 1, sizeof *items);
    struct rows rows = {0};
    for (size_t i = 0; items && i < count; i++) {
        items[i] = explanation->sensitivities[i];
        if (items[i].values > 1) /* else the worst is the best other one */
            continue;
        items[i].worst = NULL;
        items[i].worst_loss = (double)NAN;
    }
    const bool good = items && rows_make_of(&rows, sensitivity_members, COUNT(sensitivity_members),
                                            MEMBERS_FOR_TABLE, items, sizeof *items, count);
    if (good && rows.row_count > 0) {
        putchar('\n');
        rows_print_members(&rows, 0, rows.row_count, sensitivity_members,
                           COUNT(sensitivity_members), true);
    }
    rows_free(&rows);
    free(items);
    return good ? STATUS_OK : error_no_memory(error);
}

/* Prints the bound on wrong results: without a failure in n runs, 3 / n at 95 % confidence. */
static void put_compared(const struct explanation *explanation, int width)
{
    char text[192];
    if (explanation->compared < 3)
        return;
    (void)string_format(text, sizeof text,
                        "%" PRId64 " of its results were compared with the reference, all right: "
                        "it is wrong less than once in %" PRId64 ", at 95 %% confidence",
                        explanation->compared, explanation->compared / 3);
    rows_put_paragraph("results: ", "  ", text, width);
}

static enum status print_one(const struct explanation *explanation, const struct rows *points,
                             size_t first, struct error *error)
{
    const int width = style_page_columns();
    char limit[32];
    /* Prints "reduce.sum.i32, n = 1024: 1.271 us (99 % interval 1.268 us to 1.273 us), sure". */
    const struct explain_point *winner = &explanation->points[0];
    char time[TIME_TEXT_BYTES];
    char high[TIME_TEXT_BYTES];
    struct text title = {0};
    struct text result = {0};
    text_append(&title, explanation->problem);
    if (explanation->n > 1)
        text_printf(&title, ", n = %" PRId64, explanation->n);
    text_append(&title, ": ");
    (void)time_text(winner->time_ns, "us", time);
    text_append(&result, time);
    if (isfinite(winner->low_ns) && isfinite(winner->high_ns)) {
        (void)time_text(winner->low_ns, "us", time);
        (void)time_text(winner->high_ns, "us", high);
        text_printf(&result, " (%g %% interval %s to %s)", 100 * explanation->confidence, time,
                    high);
    } else if (isfinite(explanation->confidence)) {
        text_append(&result, " (interval unknown)");
    }
    if (explanation->trust)
        text_printf(&result, ", %s", explanation->headline);
    rows_put_paragraph(text_string(&title), "  ", text_string(&result), width);
    text_free(&title);
    text_free(&result);
    put_doubt(explanation, width);
    rows_put_paragraph("configuration: ", "  ", explanation->points[0].configuration, width);
    const size_t count =
        explanation->point_count < POINTS_MAX ? explanation->point_count : POINTS_MAX;
    struct row_column columns[1 + POINTS_MAX] = {{column_names[0], ""}};
    json_t *parameters[POINTS_MAX] = {0};
    struct rows table = {0};
    for (size_t i = 0; i < count; i++) {
        const struct explain_point *point = &explanation->points[i];
        columns[1 + i] = (struct row_column){column_names[1 + i], point->role};
        parameters[i] = json_read(point->parameters ? point->parameters : "{}", 0, NULL);
    }
    const size_t rows = COUNT(lines) + json_object_size(parameters[0]);
    bool good = rows_make(&table, column_names, 1 + count, rows);
    table.row_count = 0; /* counted up while filled */
    good = good && fill_numbers(&table, points, first, count) &&
           fill_parameters(&table, parameters, count);
    if (good)
        rows_print_page(&table, 0, table.row_count, columns, 1 + count);
    for (size_t i = 0; i < count; i++)
        json_decref(parameters[i]);
    rows_free(&table);
    TRY(good ? STATUS_OK : error_no_memory(error));
    putchar('\n');
    (void)string_format(limit, sizeof limit, "limit: %s. ", explain_limit_name(explanation->limit));
    rows_put_paragraph(limit, "  ", explanation->limit_text, width);
    put_compared(explanation, width);
    for (size_t i = 0; i < explanation->comparison_count; i++)
        rows_put_paragraph("- ", "  ", explanation->sentences[i], width);
    return print_parameters(explanation, error);
}

static enum status print_all(const struct show *show, const struct rows *winners,
                             const struct explanation *explanations, struct error *error)
{
    struct rows points = {0};
    enum status status = make_point_rows(explanations, winners->row_count, &points)
                             ? STATUS_OK
                             : error_no_memory(error);
    size_t end = 0;
    size_t point = 0;
    if (status == STATUS_OK && show->csv)
        rows_print_csv(&points);
    else if (status == STATUS_OK)
        show_mark_differences(&points, "worse_percent");
    for (size_t i = 0; i < winners->row_count && status == STATUS_OK && !show->csv; i++) {
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
    if (status == STATUS_OK && winners->row_count > 0 && !show->csv)
        show_put_words(why_words, COUNT(why_words));
    rows_free(&points);
    return status;
}

enum status show_why(const struct show *show, struct store *store, struct error *error)
{
    struct rows winners = {0};
    struct arena arena = {0};
    struct explanation *explanations = NULL;
    enum status status = show_read(show, store, show_query_why, &winners, error);
    if (status == STATUS_OK) {
        explanations = arena_alloc(&arena, winners.row_count + 1, sizeof *explanations);
        status = explanations ? STATUS_OK : error_no_memory(error);
    }
    for (size_t i = 0; i < winners.row_count && status == STATUS_OK; i++)
        status = explain_winner(store, (int64_t)rows_number(&winners, i, "winner_id"), &arena,
                                &explanations[i], error);
    if (status == STATUS_OK && winners.row_count == 0)
        print_clean(stderr, "%s: no winner yet\n", show->db);
    if (status == STATUS_OK)
        status = show->json ? print_json(explanations, winners.row_count, error)
                            : print_all(show, &winners, explanations, error);
    arena_free(&arena);
    rows_free(&winners);
    return status;
}
