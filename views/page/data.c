/* What the page's script draws: one JSON object (docs/report.md has its members). Columns instead
 * of rows, and what repeats once, since there may be a hundred thousand launches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/json.h"
#include "tuner/base/version.h"
#include "tuner/device/traits.h"
#include "tuner/stats/estimate.h"
#include "tuner/stats/verdict.h"
#include "views/export/export.h"
#include "views/page/embedded.h"
#include "views/page/html.h"
#include "views/page/internal.h"
#include "views/plot/plot.h"

/* Launches on the page, about, and of one problem. */
enum { POINTS_MOST = 120000, POINTS_LEAST = 100, POINTS_ONE = 12000, PARAMETERS_MOST = 64 };

/* Where a row belongs; rows of each query begin with one. */
struct place {
    int64_t environment_id, problem_id;
    const char *l2_mode, *objective;
};
#define PLACE(member, kind) STORE_MEMBER(struct place, member, kind)
#define PLACE_COLUMNS                                                                              \
    PLACE(environment_id, INTEGER), PLACE(problem_id, INTEGER), PLACE(l2_mode, TEXT),              \
        PLACE(objective, TEXT)
enum { PLACE_COLUMN_COUNT = 4 };

/* A launch that was tried on a problem. */
struct launched {
    struct place place;
    int64_t configuration_id, launched_id; /* the trial of the sweep, where there is one */
    const char *parameters;                /* a JSON object */
    int64_t configuration;                 /* its place among those of the part */
    double sweep_ns, sweep_mad_ns, final_ns, final_mad_ns, occupancy_percent;
    double difference, difference_low, difference_high; /* to the fastest, of what raced */
    int64_t launch_count, grid, block, registers, shared_bytes, spill_bytes, threads, tied;
    const char *final_stage, *status, *detail, *out;
};
#define AT(member, kind) STORE_MEMBER(struct launched, member, kind)
static const struct store_column launched_columns[] = {
    PLACE_COLUMNS,
    AT(configuration_id, INTEGER),
    AT(launched_id, INTEGER),
    AT(parameters, TEXT),
    AT(sweep_ns, REAL),
    AT(sweep_mad_ns, REAL),
    AT(final_ns, REAL),
    AT(final_mad_ns, REAL),
    AT(final_stage, TEXT),
    AT(launch_count, INTEGER),
    AT(grid, INTEGER),
    AT(block, INTEGER),
    AT(occupancy_percent, REAL),
    AT(registers, INTEGER),
    AT(shared_bytes, INTEGER),
    AT(spill_bytes, INTEGER),
    AT(threads, INTEGER),
    AT(status, TEXT),
    AT(detail, TEXT),
};
/* Beyond those above, from PLACE_COLUMN_COUNT + 3 on, what a page has of a launch. */
static const struct store_column raced_columns[] = {
    AT(configuration, INTEGER), AT(difference, REAL), AT(difference_low, REAL),
    AT(difference_high, REAL),  AT(tied, INTEGER),    AT(out, TEXT)};
static const struct store_column contender_columns[] = {
    PLACE_COLUMNS,
    AT(launched_id, INTEGER),
    AT(difference, REAL),
    AT(difference_low, REAL),
    AT(difference_high, REAL),
    AT(tied, INTEGER),
    AT(out, TEXT),
};

/* A winner or a baseline. */
struct mark {
    struct place place;
    const char *name;
    int64_t launched_id;
};
static const struct store_column mark_columns[] = {
    PLACE_COLUMNS,
    STORE_MEMBER(struct mark, name, TEXT),
    STORE_MEMBER(struct mark, launched_id, INTEGER),
};

/* A problem with its size on a device. */
struct subject {
    struct place place;
    const char *device_uuid, *device, *kind, *experiment, *problem;
    int64_t unit_count, n;
    double bytes_moved, operations;
    const struct winner *winner; /* NULL: nothing was chosen yet */
    struct launched *launched;
    size_t launched_count;
    const struct mark *marks;
    size_t mark_count;
};
#define OF(member, kind) STORE_MEMBER(struct subject, member, kind)
static const struct store_column subject_columns[] = {
    PLACE_COLUMNS,         OF(device_uuid, TEXT), OF(device, TEXT),        OF(kind, TEXT),
    OF(experiment, TEXT),  OF(problem, TEXT),     OF(unit_count, INTEGER), OF(n, INTEGER),
    OF(bytes_moved, REAL), OF(operations, REAL)};

/* ---- JSON out of structs ---- */

static void append_real(struct text *out, double value, int digits)
{
    if (isfinite(value))
        text_printf(out, "%.*g", digits, value);
    else
        text_append(out, "null");
}

/* "low":1.5 */
static void append_named(struct text *out, const char *name, double value)
{
    text_printf(out, ",\"%s\":", name);
    append_real(out, value, 9);
}

static void append_member(struct text *out, const struct store_column *column, const void *row,
                          int digits)
{
    const void *at = (const char *)row + column->offset;
    if (column->kind == STORE_TEXT)
        json_append_string(out, *(const char *const *)at);
    else if (column->kind == STORE_REAL)
        append_real(out, *(const double *)at, digits);
    else if (column->kind == STORE_TRUTH)
        text_append(out, *(const bool *)at ? "true" : "false");
    else if (*(const int64_t *)at < 0)
        text_append(out, "null");
    else
        text_printf(out, "%lld", (long long)*(const int64_t *)at);
}

/* "name":value,... */
static void append_members(struct text *out, const struct store_column *columns, size_t count,
                           const void *row)
{
    for (size_t i = 0; i < count; i++) {
        text_printf(out, "%s\"%s\":", i > 0 ? "," : "", columns[i].name);
        append_member(out, &columns[i], row, 9);
    }
}

struct cell {
    const char *text;
    size_t row, code;
};

static int by_cell(const void *a, const void *b)
{
    const struct cell *left = a;
    const struct cell *right = b;
    const int order = strcmp(left->text, right->text);
    return order ? order : (left->row > right->row) - (left->row < right->row);
}

static int by_row(const void *a, const void *b)
{
    const size_t left = ((const struct cell *)a)->row;
    const size_t right = ((const struct cell *)b)->row;
    return (left > right) - (left < right);
}

/* The cells of a column, written as `texts` (each ended by a NUL): plainly, or where that is
 * shorter as {"values":[...],"codes":"..."}, of each row as few digits of base 64 as do (none where
 * all are alike). */
static void append_cells(struct text *out, const struct text *texts, struct cell *cells,
                         size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = text_string(texts);
    size_t code = 0;
    size_t distinct_bytes = 0;
    for (size_t i = 0; i < count; i++, at += strlen(at) + 1)
        cells[i] = (struct cell){at, i, 0};
    qsort(cells, count, sizeof *cells, by_cell);
    for (size_t i = 0; i < count; i++) {
        const bool differs = i > 0 && strcmp(cells[i].text, cells[i - 1].text) != 0;
        code += differs;
        distinct_bytes += i == 0 || differs ? strlen(cells[i].text) + 1 : 0;
        cells[i].code = code;
    }
    const unsigned width = code == 0 ? 0 : code < 64 ? 1 : code < 4096 ? 2 : 3;
    const bool is_coded = code < 262144 && distinct_bytes + width * count + 24 < texts->length;
    text_append(out, is_coded ? "{\"values\":[" : "[");
    for (size_t i = 0; is_coded && i < count; i++)
        if (i == 0 || cells[i].code != cells[i - 1].code)
            text_printf(out, "%s%s", i > 0 ? "," : "", cells[i].text);
    qsort(cells, count, sizeof *cells, by_row);
    if (is_coded)
        text_append(out, "],\"codes\":\"");
    for (size_t i = 0; i < count; i++) {
        if (!is_coded)
            text_printf(out, "%s%s", i > 0 ? "," : "", cells[i].text);
        for (unsigned digit = width; is_coded && digit-- > 0;)
            text_append_bytes(out, &digits[cells[i].code >> (6 * digit) & 63], 1);
    }
    text_append(out, is_coded ? "\"}" : "]");
}

static void append_column(struct text *out, const struct store_column *column, const void *rows,
                          size_t count, size_t row_bytes)
{
    struct text texts = {0};
    struct cell *cells = calloc(count + 1, sizeof *cells);
    for (size_t i = 0; i < count; i++) {
        append_member(&texts, column, (const char *)rows + i * row_bytes, 6);
        text_append_bytes(&texts, "", 1);
    }
    if (cells && !texts.failed)
        append_cells(out, &texts, cells, count);
    else
        out->failed = true;
    free(cells);
    text_free(&texts);
}

/* Whether the database says anything of it. */
static bool is_known(const struct store_column *column, const void *rows, size_t count,
                     size_t row_bytes)
{
    for (size_t i = 0; i < count; i++) {
        const void *at = (const char *)rows + i * row_bytes + column->offset;
        if (column->kind == STORE_TEXT    ? *(const char *const *)at != NULL
            : column->kind == STORE_REAL  ? isfinite(*(const double *)at) != 0
            : column->kind == STORE_TRUTH ? *(const bool *)at
                                          : *(const int64_t *)at >= 0)
            return true;
    }
    return false;
}

/* ---- what the database says ---- */

static int by_place(const struct place *left, const struct place *right)
{
    int order = (left->environment_id > right->environment_id) -
                (left->environment_id < right->environment_id);
    order = order ? order
                  : (left->problem_id > right->problem_id) - (left->problem_id < right->problem_id);
    order = order ? order : strcmp(left->l2_mode, right->l2_mode);
    return order ? order : strcmp(left->objective, right->objective);
}

/* Of rows in the order of their places, the first of one, and how many there are. */
static size_t rows_of(const void *rows, size_t count, size_t row_bytes, const struct place *place,
                      size_t *found)
{
    const char *base = rows;
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_place((const struct place *)(base + middle * row_bytes), place) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *found = 0;
    while (low + *found < count &&
           by_place((const struct place *)(base + (low + *found) * row_bytes), place) == 0)
        ++*found;
    return low;
}

static struct launched *launched_of(const struct subject *subject, int64_t launched_id)
{
    for (size_t i = 0; i < subject->launched_count; i++)
        if (subject->launched[i].launched_id == launched_id)
            return &subject->launched[i];
    return NULL;
}

static const struct winner *winner_of(const struct page *page, const struct subject *subject)
{
    for (size_t i = 0; i < page->winner_count; i++) {
        const struct winner *winner = &page->winners[i];
        if (winner->n == subject->n && strcmp(winner->problem, subject->problem) == 0 &&
            strcmp(winner->experiment, subject->experiment) == 0 &&
            strcmp(winner->device_uuid, subject->device_uuid) == 0 &&
            strcmp(winner->l2_mode, subject->place.l2_mode) == 0 &&
            strcmp(winner->objective, subject->place.objective) == 0)
            return winner;
    }
    return NULL;
}

static enum status read_subjects(struct page *page, struct subject **out, size_t *count,
                                 struct error *error)
{
    struct subject *subjects = NULL;
    struct launched *launched = NULL;
    struct launched *contenders = NULL;
    struct mark *marks = NULL;
    size_t launched_count = 0;
    size_t contender_count = 0;
    size_t mark_count = 0;
    const struct store_reading of_subjects = {.sql = report_query_subjects,
                                              STORE_COLUMNS(subject_columns),
                                              .row_bytes = sizeof *subjects};
    const struct store_reading of_points = {
        .sql = report_query_points, STORE_COLUMNS(launched_columns), .row_bytes = sizeof *launched};
    const struct store_reading of_contenders = {.sql = report_query_contenders,
                                                STORE_COLUMNS(contender_columns),
                                                .row_bytes = sizeof *contenders};
    const struct store_reading of_marks = {
        .sql = report_query_marks, STORE_COLUMNS(mark_columns), .row_bytes = sizeof *marks};
    enum status status = page_read(page, of_subjects, &subjects, count, error);
    size_t most = POINTS_MOST / (*count > 0 ? *count : 1);
    most = most < POINTS_LEAST ? POINTS_LEAST : most > POINTS_ONE ? POINTS_ONE : most;
    page->most = arena_printf(&page->arena, "%zu", most);
    if (status == STATUS_OK)
        status = page_read(page, of_points, &launched, &launched_count, error);
    if (status == STATUS_OK)
        status = page_read(page, of_contenders, &contenders, &contender_count, error);
    if (status == STATUS_OK)
        status = page_read(page, of_marks, &marks, &mark_count, error);
    for (size_t i = 0; status == STATUS_OK && i < launched_count; i++) {
        launched[i].difference = launched[i].difference_low = launched[i].difference_high =
            (double)NAN;
        launched[i].tied = -1;
    }
    for (size_t i = 0; status == STATUS_OK && i < *count; i++) {
        struct subject *subject = &subjects[i];
        size_t raced = 0;
        subject->winner = winner_of(page, subject);
        const size_t own = rows_of(launched, launched_count, sizeof *launched, &subject->place,
                                   &subject->launched_count);
        const size_t first =
            rows_of(contenders, contender_count, sizeof *contenders, &subject->place, &raced);
        const size_t mark =
            rows_of(marks, mark_count, sizeof *marks, &subject->place, &subject->mark_count);
        subject->launched = subject->launched_count > 0 ? &launched[own] : NULL;
        subject->marks = subject->mark_count > 0 ? &marks[mark] : NULL;
        for (size_t k = first; k < first + raced; k++) {
            struct launched *same = launched_of(subject, contenders[k].launched_id);
            if (!same)
                continue;
            same->tied = contenders[k].tied;
            same->out = contenders[k].out;
            /* Of the fastest both are none. */
            const double low = isnan(contenders[k].difference_low) ? contenders[k].difference
                                                                   : contenders[k].difference_low;
            const double high = isnan(contenders[k].difference_high)
                                    ? contenders[k].difference
                                    : contenders[k].difference_high;
            if (!bounds_are_narrow(1 + low, 1 + high))
                continue;
            same->difference = contenders[k].difference;
            same->difference_low = contenders[k].difference_low;
            same->difference_high = contenders[k].difference_high;
        }
    }
    *out = subjects;
    return status;
}

/* ---- configurations: of a part, an experiment on a device ---- */

struct configuration {
    int64_t id;
    const char *parameters;
};

static int by_id(const void *a, const void *b)
{
    const int64_t left = ((const struct configuration *)a)->id;
    const int64_t right = ((const struct configuration *)b)->id;
    return (left > right) - (left < right);
}

/* Those of subjects [first, end), none twice; each launch learns its place among them. */
static struct configuration *gather_configurations(struct page *page, struct subject *subjects,
                                                   size_t first, size_t end, size_t *count)
{
    size_t all = 0;
    for (size_t i = first; i < end; i++)
        all += subjects[i].launched_count;
    struct configuration *list = arena_alloc(&page->arena, all + 1, sizeof *list);
    *count = all = 0;
    if (!list)
        return NULL;
    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < subjects[i].launched_count; k++) {
            const struct launched *launched = &subjects[i].launched[k];
            list[all++] = (struct configuration){launched->configuration_id, launched->parameters};
        }
    qsort(list, all, sizeof *list, by_id);
    for (size_t i = 0; i < all; i++)
        if (i == 0 || list[i].id != list[*count - 1].id)
            list[(*count)++] = list[i];
    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < subjects[i].launched_count; k++) {
            struct launched *launched = &subjects[i].launched[k];
            const struct configuration wanted = {.id = launched->configuration_id};
            const struct configuration *found = bsearch(&wanted, list, *count, sizeof *list, by_id);
            launched->configuration = found ? found - list : -1;
        }
    return list;
}

/* "parameters":[{"name":"block","column":[...]},...], a cell for each configuration. */
static void append_parameters(struct page *page, struct text *out, const struct configuration *list,
                              size_t count)
{
    const char *names[PARAMETERS_MOST];
    struct explain_settings settings;
    size_t name_count = 0;
    const char **values = arena_alloc(&page->arena, count * PARAMETERS_MOST + 1, sizeof *values);
    out->failed = out->failed || !values;
    for (size_t i = 0; values && i < count; i++) {
        if (!explain_read_settings(list[i].parameters, &page->arena, &settings))
            out->failed = true;
        for (size_t k = 0; k < settings.count; k++) {
            size_t at = 0;
            while (at < name_count && strcmp(names[at], settings.items[k].name) != 0)
                at++;
            if (at == name_count && name_count < PARAMETERS_MOST)
                names[name_count++] = settings.items[k].name;
            if (at < name_count)
                values[i * PARAMETERS_MOST + at] = settings.items[k].value;
        }
    }
    text_append(out, "\"parameters\":[");
    for (size_t i = 0; values && i < name_count; i++) {
        const struct store_column column = {names[i], i * sizeof *values, STORE_TEXT};
        text_append(out, i > 0 ? ",{\"name\":" : "{\"name\":");
        json_append_string(out, names[i]);
        text_append(out, ",\"column\":");
        append_column(out, &column, values, count, PARAMETERS_MOST * sizeof *values);
        text_append(out, "}");
    }
    text_append(out, "]");
}

/* ---- problems ---- */

#define WINNER(member, kind) STORE_MEMBER(struct winner, member, kind)
static const struct store_column winner_members[] = {WINNER(stage, TEXT),
                                                     WINNER(configuration, TEXT),
                                                     WINNER(chosen_at, TEXT),
                                                     WINNER(time_ns, REAL),
                                                     WINNER(gbs, REAL),
                                                     WINNER(ceiling_percent, REAL),
                                                     WINNER(floor_percent, REAL),
                                                     WINNER(confidence, REAL),
                                                     WINNER(rounds, INTEGER),
                                                     WINNER(as_fast, INTEGER),
                                                     WINNER(not_compared, INTEGER),
                                                     WINNER(coverage, TEXT),
                                                     WINNER(trust, TEXT)};
#define WHY(member, kind) STORE_MEMBER(struct explanation, member, kind)
static const struct store_column why_members[] = {
    {"text", offsetof(struct explanation, limit_text), STORE_TEXT},
    WHY(ceiling, TEXT),
    WHY(ceiling_gbs, REAL),
    WHY(arithmetic_gops, REAL),
    WHY(operations_type, TEXT),
    WHY(launch_share, REAL),
    WHY(busy_units, INTEGER),
    WHY(delta, REAL)};
#define POINT(member, kind) STORE_MEMBER(struct explain_point, member, kind)
static const struct store_column point_members[] = {
    POINT(ceiling_share, REAL), POINT(arithmetic_share, REAL), POINT(gops, REAL),
    POINT(occupancy, REAL), POINT(bytes_in_flight_per_sm, REAL)};

/* What the tables tell of it: "ratio" alone or with its bounds, or only "at_least". */
static void append_gain(struct text *out, const struct winner *winner, const struct gain *gain)
{
    const enum ratio_report known = gain_told(winner, gain);
    const bool is_known = known == RATIO_KNOWN && gain->ratio > 0;
    const double none = (double)NAN;
    text_append(out, "{\"name\":");
    json_append_string(out, gain->name);
    text_printf(out, ",\"peer\":%s,\"tied\":%s", gain->peer ? "true" : "false",
                gain->tied ? "true" : "false");
    append_named(out, "ratio", is_known ? gain->ratio : none);
    append_named(out, "low", is_known ? gain->low : none);
    append_named(out, "high", is_known ? gain->high : none);
    append_named(out, "at_least", known == RATIO_AT_LEAST ? gain->low : none);
    text_append(out, "}");
}

/* The line of tuned.conf that serves the problem's size, under its device's heading. */
static void append_conf_line(struct page *page, struct text *out, const char *conf,
                             const struct subject *subject)
{
    const char *heading = NULL;
    const char *own = arena_printf(&page->arena, "[%s \"%s\"]", subject->kind, subject->device);
    const char *key = arena_printf(&page->arena, "%s n=", subject->problem);
    text_append(out, ",\"conf\":");
    for (const char *line = conf; line && own && key && *line;) {
        const int length = (int)strcspn(line, "\n");
        if (line[0] == '[')
            heading = strncmp(line, own, strlen(own)) == 0 ? line : NULL;
        if (heading && strncmp(line, key, strlen(key)) == 0) {
            char *end = NULL;
            const long long low = strtoll(line + strlen(key), &end, 10);
            const long long high = *end == '-' ? strtoll(end + 1, &end, 10) : low;
            if (low <= subject->n && subject->n <= high) {
                json_append_string(out, arena_printf(&page->arena, "%.*s\n%.*s",
                                                     (int)strcspn(heading, "\n"), heading, length,
                                                     line));
                return;
            }
        }
        line += length + (line[length] == '\n');
    }
    text_append(out, "null");
}

static void append_winner(struct page *page, struct text *out, const char *conf,
                          const struct subject *subject)
{
    const struct winner *winner = subject->winner;
    struct text words = {0};
    if (!winner) {
        text_append(out, ",\"winner\":null");
        return;
    }
    text_append(out, ",\"winner\":{");
    append_members(out, winner_members, COUNT(winner_members), winner);
    const bool has_bounds = bounds_are_narrow(winner->time_low_ns, winner->time_high_ns);
    append_named(out, "time_low_ns", has_bounds ? winner->time_low_ns : (double)NAN);
    append_named(out, "time_high_ns", has_bounds ? winner->time_high_ns : (double)NAN);
    if (strcmp(winner->objective, "time") == 0)
        append_conf_line(page, out, conf, subject);
    text_append(out, ",\"sure\":");
    json_append_string(out, verdict_words(verdict_named(winner->trust)));
    if (winner->trust_reason)
        verdict_append_advice(&words, winner->trust_reason);
    text_append(out, ",\"advice\":");
    json_append_string(out, text_string(&words));
    out->failed = out->failed || words.failed;
    text_clear(&words);
    explain_append_launches(&words, winner->launches);
    text_append(out, ",\"launch\":");
    json_append_string(out, text_string(&words));
    text_printf(out, ",\"launches\":%s,\"parameters\":%s,\"gains\":[",
                winner->launches ? winner->launches : "[]",
                winner->parameters ? winner->parameters : "{}");
    for (size_t i = 0; i < winner->gain_count; i++) {
        text_append(out, i > 0 ? "," : "");
        append_gain(out, winner, &winner->gains[i]);
    }
    text_append(out, "]");
    if (winner->explained) {
        /* What limits it, in numbers; the rule that decided, and its sentence. */
        text_printf(out, ",\"limit\":{\"name\":\"%s\",", explain_limit_name(winner->why.limit));
        append_members(out, why_members, COUNT(why_members), &winner->why);
        text_append(out, ",");
        append_members(out, point_members, COUNT(point_members), &winner->why.points[0]);
        text_append(out, "},\"reasons\":[");
        for (size_t i = 0; i < winner->why.sentence_count; i++) {
            text_append(out, i > 0 ? "," : "");
            json_append_string(out, winner->why.sentences[i]);
        }
        text_append(out, "]");
    }
    text_append(out, "}");
    out->failed = out->failed || words.failed;
    text_free(&words);
}

static void append_launched(struct text *out, const struct subject *subject)
{
    const struct store_column *columns[COUNT(launched_columns) + COUNT(raced_columns)];
    size_t column_count = 0;
    for (size_t i = PLACE_COLUMN_COUNT + 3; i < COUNT(launched_columns); i++)
        columns[column_count++] = &launched_columns[i];
    for (size_t i = 0; i < COUNT(raced_columns); i++)
        columns[column_count++] = &raced_columns[i];
    text_printf(out, ",\"points\":{\"count\":%zu", subject->launched_count);
    for (size_t i = 0; i < column_count; i++) {
        if (!is_known(columns[i], subject->launched, subject->launched_count,
                      sizeof *subject->launched))
            continue;
        text_printf(out, ",\"%s\":", columns[i]->name);
        append_column(out, columns[i], subject->launched, subject->launched_count,
                      sizeof *subject->launched);
    }
    text_append(out, "},\"marks\":[");
    for (size_t i = 0, said = 0; i < subject->mark_count; i++) {
        const struct launched *own = launched_of(subject, subject->marks[i].launched_id);
        if (!own)
            continue;
        text_append(out, said++ > 0 ? ",{\"name\":" : "{\"name\":");
        json_append_string(out, subject->marks[i].name);
        text_printf(out, ",\"point\":%zu}", (size_t)(own - subject->launched));
    }
    text_append(out, "]");
}

static void append_subject(struct page *page, struct text *out, const char *conf,
                           const struct subject *subject)
{
    static const struct store_column members[] = {OF(problem, TEXT), OF(n, INTEGER),
                                                  OF(bytes_moved, REAL), OF(operations, REAL)};
    text_append(out, "{");
    append_members(out, members, COUNT(members), subject);
    append_winner(page, out, conf, subject);
    append_launched(out, subject);
    text_append(out, "}");
}

/* ---- the whole ---- */

static bool same_part(const struct subject *a, const struct subject *b)
{
    return strcmp(a->device_uuid, b->device_uuid) == 0 &&
           strcmp(a->experiment, b->experiment) == 0 &&
           strcmp(a->place.l2_mode, b->place.l2_mode) == 0 &&
           strcmp(a->place.objective, b->place.objective) == 0;
}

static const char *label_of(const struct page *page, const struct subject *subjects, size_t first,
                            size_t end)
{
    for (size_t i = first; i < end; i++)
        for (size_t k = 0; subjects[i].winner && k < page->setting_count; k++)
            if (subjects[i].winner >= &page->winners[page->settings[k].first] &&
                subjects[i].winner < &page->winners[page->settings[k].first] +
                                         (page->settings[k].end - page->settings[k].first))
                return page->settings[k].label;
    return subjects[first].device;
}

static void append_part(struct page *page, struct text *out, const char *conf,
                        struct subject *subjects, size_t first, size_t end)
{
    size_t count = 0;
    const struct configuration *list = gather_configurations(page, subjects, first, end, &count);
    static const struct store_column members[] = {
        OF(experiment, TEXT), OF(device, TEXT),       OF(kind, TEXT),
        PLACE(l2_mode, TEXT), PLACE(objective, TEXT), OF(unit_count, INTEGER),
    };
    text_append(out, "{\"setting\":");
    json_append_string(out, label_of(page, subjects, first, end));
    text_printf(out, ",\"is_gpu\":%s,",
                device_traits(subjects[first].kind)->is_gpu ? "true" : "false");
    append_members(out, members, COUNT(members), &subjects[first]);
    text_append(out, ",");
    out->failed = out->failed || !list;
    append_parameters(page, out, list, list ? count : 0);
    text_append(out, ",\"problems\":[");
    for (size_t i = first; i < end; i++) {
        text_append(out, i > first ? "," : "");
        append_subject(page, out, conf, &subjects[i]);
    }
    text_append(out, "]}");
}

enum status page_data(struct page *page, struct text *out, struct error *error)
{
    struct subject *subjects = NULL;
    struct text json = {0};
    struct text conf = {0};
    size_t count = 0;
    enum status status = read_subjects(page, &subjects, &count, error);
    if (status == STATUS_OK)
        status = export_conf_text(page->store, &conf, NULL, NULL, error);
    if (status != STATUS_OK && status != STATUS_NO_MEMORY && subjects) {
        /* Without winners, or with such as no tuned.conf can have, the page goes without. */
        error_clear(error);
        text_clear(&conf);
        status = STATUS_OK;
    }
    text_append(&json, "{\"version\":");
    json_append_string(&json, TUNE_VERSION);
    text_append(&json, ",\"near\":" PLOT_NEAR ",\"parts\":[");
    for (size_t first = 0, end = 0; status == STATUS_OK && first < count; first = end) {
        while (end < count && same_part(&subjects[first], &subjects[end]))
            end++;
        text_append(&json, first > 0 ? "," : "");
        append_part(page, &json, text_string(&conf), subjects, first, end);
    }
    text_append(&json, "]}");
    html_json(out, text_string(&json));
    if (status == STATUS_OK && (json.failed || out->failed || page->arena.failed))
        status = error_no_memory(error);
    text_free(&json);
    text_free(&conf);
    return status;
}
