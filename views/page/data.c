/* Writes problems, winners and launches as JSON (docs/report.md has the members). Columns instead
 * of rows, and repeated texts once, as there may be a hundred thousand launches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/json.h"
#include "tuner/device/traits.h"
#include "tuner/stats/estimate.h"
#include "views/page/embedded.h"
#include "views/page/internal.h"
#include "views/show/parts.h"

/* Launches on the page, about, and of one problem. */
enum { POINTS_MAX = 120000, POINTS_MIN = 100, POINTS_ONE = 12000, PARAMETERS_MAX = 64 };

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
    int64_t configuration;                 /* place among the part's configurations */
    double sweep_ns, sweep_mad_ns, final_ns, final_mad_ns, occupancy_percent;
    double difference, difference_low, difference_high; /* to the fastest raced launch */
    int64_t launch_count, grid, block, registers, shared_bytes, spill_bytes, threads, tied;
    int64_t every; /* of the problem's launches that did not race; 1: all are here */
    const char *final_stage, *status, *detail, *out;
};
#define AT(member, kind) STORE_MEMBER(struct launched, member, kind)
static const struct store_column launched_columns[] = {
    PLACE_COLUMNS,
    AT(configuration_id, INTEGER),
    AT(launched_id, INTEGER),
    AT(parameters, TEXT),
    AT(every, INTEGER),
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
/* Further columns of a launch, from PLACE_COLUMN_COUNT + 4 on, filled from other queries. */
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

/* A problem at a size on a device. */
struct subject {
    struct place place;
    const char *device_uuid, *device, *kind, *experiment, *problem;
    int64_t unit_count, n;
    double bytes_moved, operations;
    const char *family;          /* curves of the family `occupancy`; JSON, as limits; NULL: none */
    const char *limits;          /* occupancies that each limit would allow the winner */
    const struct winner *winner; /* NULL: no winner yet */
    struct launched *launched;
    size_t launched_count;
    const struct mark *marks;
    size_t mark_count;
};
#define OF(member, kind) STORE_MEMBER(struct subject, member, kind)
static const struct store_column subject_columns[] = {
    PLACE_COLUMNS,         OF(device_uuid, TEXT), OF(device, TEXT),        OF(kind, TEXT),
    OF(experiment, TEXT),  OF(problem, TEXT),     OF(unit_count, INTEGER), OF(n, INTEGER),
    OF(bytes_moved, REAL), OF(operations, REAL),  OF(family, TEXT),        OF(limits, TEXT)};

/* ---- JSON from structs ---- */

static void append_member(struct text *out, const struct store_column *column, const void *row,
                          int digits)
{
    const void *at = (const char *)row + column->offset;
    if (column->kind == STORE_TEXT)
        json_append_string(out, *(const char *const *)at);
    else if (column->kind == STORE_REAL) {
        const double value = *(const double *)at;
        if (isfinite(value))
            text_printf(out, "%.*g", digits, value);
        else
            text_append(out, "null");
    } else if (column->kind == STORE_TRUTH)
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

struct coded {
    const char *text;
    size_t row, code;
};

static int by_cell(const void *a, const void *b)
{
    const struct coded *left = a;
    const struct coded *right = b;
    const int order = strcmp(left->text, right->text);
    return order ? order : (left->row > right->row) - (left->row < right->row);
}

static int by_row(const void *a, const void *b)
{
    const size_t left = ((const struct coded *)a)->row;
    const size_t right = ((const struct coded *)b)->row;
    return (left > right) - (left < right);
}

/* Appends a column's cells, given as `texts` (each ended by a NUL): plain, or as
 * {"values":[...],"codes":"..."} if shorter, with the fewest base-64 digits per row (none if all
 * cells are equal). */
static void append_cells(struct text *out, const struct text *texts, struct coded *cells,
                         size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = text_string(texts);
    size_t code = 0;
    size_t distinct_bytes = 0;
    for (size_t i = 0; i < count; i++, at += strlen(at) + 1)
        cells[i] = (struct coded){at, i, 0};
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
    /* As many digits as are told, and one: spreads and bounds have two. */
    const bool is_rough = strstr(column->name, "_mad_ns") || strstr(column->name, "difference_");
    const bool is_measured = strstr(column->name, "_ns") || strstr(column->name, "difference");
    const int digits = is_rough ? 3 : is_measured ? 5 : 6;
    struct text texts = {0};
    struct coded *cells = calloc(count + 1, sizeof *cells);
    for (size_t i = 0; i < count; i++) {
        append_member(&texts, column, (const char *)rows + i * row_bytes, digits);
        text_append_bytes(&texts, "", 1);
    }
    if (cells && !texts.failed)
        append_cells(out, &texts, cells, count);
    else
        out->failed = true;
    free(cells);
    text_free(&texts);
}

/* Returns true if any row has a value. */
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

/* ---- reading ---- */

static int by_place(const struct place *left, const struct place *right)
{
    int order = (left->environment_id > right->environment_id) -
                (left->environment_id < right->environment_id);
    order = order ? order
                  : (left->problem_id > right->problem_id) - (left->problem_id < right->problem_id);
    order = order ? order : strcmp(left->l2_mode, right->l2_mode);
    return order ? order : strcmp(left->objective, right->objective);
}

/* Finds a place's first row among rows sorted by place; *found is how many. */
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
    size_t most = POINTS_MAX / (*count > 0 ? *count : 1);
    most = most < POINTS_MIN ? POINTS_MIN : most > POINTS_ONE ? POINTS_ONE : most;
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
            /* The fastest has no bounds. */
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

/* Gathers the distinct configurations of subjects [first, end); each launch gets its place among
 * them. */
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

/* Appends "parameters":[{"name":"block","column":[...]},...], a cell per configuration. */
static void append_parameters(struct page *page, struct text *out, const struct configuration *list,
                              size_t count)
{
    const char *names[PARAMETERS_MAX];
    struct explain_settings settings;
    size_t name_count = 0;
    const char **values = arena_alloc(&page->arena, count * PARAMETERS_MAX + 1, sizeof *values);
    out->failed = out->failed || !values;
    for (size_t i = 0; values && i < count; i++) {
        if (!explain_read_settings(list[i].parameters, &page->arena, &settings))
            out->failed = true;
        for (size_t k = 0; k < settings.count; k++) {
            size_t at = 0;
            while (at < name_count && strcmp(names[at], settings.items[k].name) != 0)
                at++;
            if (at == name_count && name_count < PARAMETERS_MAX)
                names[name_count++] = settings.items[k].name;
            if (at < name_count)
                values[i * PARAMETERS_MAX + at] = settings.items[k].value;
        }
    }
    text_append(out, "\"parameters\":[");
    for (size_t i = 0; values && i < name_count; i++) {
        const struct store_column column = {names[i], i * sizeof *values, STORE_TEXT};
        text_append(out, i > 0 ? ",{\"name\":" : "{\"name\":");
        json_append_string(out, names[i]);
        text_append(out, ",\"column\":");
        append_column(out, &column, values, count, PARAMETERS_MAX * sizeof *values);
        text_append(out, "}");
    }
    text_append(out, "]");
}

/* ---- problems ---- */

/* Appends a gain as shown in tables: "ratio" alone or with bounds, or only "at_least". */
static void append_gain(struct text *out, const struct winner *winner, const struct gain *gain)
{
    const enum ratio_report known =
        winner->verdict == VERDICT_UNSTABLE ? RATIO_UNKNOWN : ratio_report(gain->low, gain->high);
    const bool is_known = known == RATIO_KNOWN && gain->ratio > 0;
    const struct {
        const char *name;
        double value;
        bool is_known;
    } reals[] = {{"ratio", gain->ratio, is_known},
                 {"low", gain->low, is_known},
                 {"high", gain->high, is_known},
                 {"at_least", gain->low, known == RATIO_AT_LEAST}};
    text_append(out, "{\"name\":");
    json_append_string(out, gain->name);
    text_append(out, gain->peer ? ",\"peer\":true" : "");
    if (gain->standing) {
        text_append(out, ",\"standing\":");
        json_append_string(out, gain->standing);
    }
    for (size_t i = 0; i < COUNT(reals); i++)
        if (reals[i].is_known && isfinite(reals[i].value))
            text_printf(out, ",\"%s\":%.7g", reals[i].name, reals[i].value);
    if (gain->about && gain->about[0]) {
        text_append(out, ",\"about\":");
        json_append_string(out, gain->about);
    }
    text_append(out, "}");
}

/* Members that the part, the problem or the winner says, or that are not drawn. */
static const char without_why[] =
    "device device_kind driver compiler l2_mode objective experiment problem n winner_id "
    "unit_count parameters trial_id gbs about verdict headline verdict_reason as_fast "
    "tied_count kept_incumbent confidence compared time_low_ns time_high_ns local_bytes "
    "bytes_per_thread blocks_per_sm version not_compared coverage points_tried space_count "
    "failures chance_percent most_percent worst_with alone wrong_less_than_once_in standing "
    "stage";

static const char without_winner[] =
    "device device_kind device_uuid driver compiler l2_mode objective experiment problem n "
    "trial_id winner_id baselines gain gain_low gain_high metrics gain_standing gain_over "
    "value chosen_at ceiling_gbs candidate_count kept_incumbent failures version ceiling "
    "gain_over_about";

/* Appends a winner: the rows of `tune show --json` and `--why --json`, without members known from
 * the part or problem and without too wide bounds; numbers that tables name in words are words
 * here. */
static void append_winner(struct page *page, struct text *out, const struct winner *winner)
{
    static const char *const bounds[] = {"time_low_ns", "time_high_ns", "claim_percent"};
    const struct rows *rows = &page->rows;
    const char *reason = rows_text(rows, winner->row, "verdict_reason", NULL);
    struct text json = {0};
    struct text without = {0};
    text_append(&without, without_winner);
    if (!bounds_are_narrow(1, 1 + rows_number(rows, winner->row, bounds[2]) / 100))
        text_printf(&without, " %s", bounds[2]);
    if (!bounds_are_narrow(rows_number(rows, winner->row, bounds[0]),
                           rows_number(rows, winner->row, bounds[1])))
        text_printf(&without, " %s %s", bounds[0], bounds[1]);
    rows_append_json(&json, rows, winner->row);
    text_append(out, ",\"winner\":");
    page_append_json(out, text_string(&json), text_string(&without));
    text_clear(&json);
    text_printf(out, ",\"rounds\":%lld,\"rounds_dropped\":%lld,\"gains\":[",
                (long long)winner->rounds, (long long)winner->rounds_dropped);
    for (size_t i = 0; i < winner->gain_count; i++) {
        text_append(out, i > 0 ? "," : "");
        append_gain(out, winner, &winner->gains[i]);
    }
    text_append(out, "],\"launch\":");
    explain_append_launches(&json, rows_text(rows, winner->row, "launches", NULL));
    json_append_string(out, text_string(&json));
    text_clear(&json);
    if (reason && winner->verdict != VERDICT_SOUND)
        verdict_append_advice(&json, reason);
    text_append(out, ",\"advice\":");
    json_append_string(out, text_string(&json));
    text_clear(&json);
    if (winner->explained) {
        /* Appends a winner's explanation, as in `tune show --why --json`. */
        struct text explained = {0};
        out->failed = !show_append_why(&explained, &winner->why, 1) || out->failed;
        text_append(out, ",\"why\":");
        page_append_json(out, text_string(&explained), without_why);
        text_free(&explained);
        if (winner->why.clouds.found) {
            char words[CLOUDS_TEXT_BYTES];
            clouds_text(&winner->why.clouds, words);
            text_append(out, ",\"groups\":");
            json_append_string(out, words);
        }
    }
    out->failed = out->failed || json.failed || without.failed;
    text_free(&json);
    text_free(&without);
}

static void append_subject(struct page *page, struct text *out, const struct subject *subject)
{
    static const struct store_column members[] = {OF(problem, TEXT), OF(n, INTEGER),
                                                  OF(bytes_moved, REAL), OF(operations, REAL)};
    text_append(out, "{");
    append_members(out, members, COUNT(members), subject);
    if (subject->winner)
        append_winner(page, out, subject->winner);
    if (subject->limits) {
        text_append(out, ",\"limits\":");
        page_append_json(out, subject->limits, NULL);
    }
    if (subject->launched && subject->launched->every > 1)
        text_printf(out, ",\"every\":%lld", (long long)subject->launched->every);
    const struct store_column *columns[COUNT(launched_columns) + COUNT(raced_columns)];
    size_t column_count = 0;
    for (size_t i = PLACE_COLUMN_COUNT + 4; i < COUNT(launched_columns); i++)
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
    for (size_t i = 0, written = 0; i < subject->mark_count; i++) {
        const struct launched *own = launched_of(subject, subject->marks[i].launched_id);
        if (!own)
            continue;
        text_append(out, written++ > 0 ? ",{\"name\":" : "{\"name\":");
        json_append_string(out, subject->marks[i].name);
        text_printf(out, ",\"point\":%zu}", (size_t)(own - subject->launched));
    }
    text_append(out, "]");
    text_append(out, "}");
}

/* ---- the whole ---- */

static const char *label_of(const struct subject *subjects, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (subjects[i].winner)
            return subjects[i].winner->setting;
    return subjects[first].device;
}

enum status page_append_parts(struct page *page, struct text *out, struct error *error)
{
    struct subject *subjects = NULL;
    size_t count = 0;
    TRY(read_subjects(page, &subjects, &count, error));
    text_append(out, ",\"parts\":[");
    for (size_t first = 0, end = 0; first < count; first = end) {
        const struct subject *head = &subjects[first];
        while (end < count && strcmp(head->device_uuid, subjects[end].device_uuid) == 0 &&
               strcmp(head->experiment, subjects[end].experiment) == 0 &&
               strcmp(head->place.l2_mode, subjects[end].place.l2_mode) == 0 &&
               strcmp(head->place.objective, subjects[end].place.objective) == 0)
            end++;
        text_append(out, first > 0 ? "," : "");
        size_t distinct = 0;
        const struct configuration *list =
            gather_configurations(page, subjects, first, end, &distinct);
        static const struct store_column members[] = {
            OF(experiment, TEXT), OF(device, TEXT),       OF(device_uuid, TEXT),   OF(kind, TEXT),
            PLACE(l2_mode, TEXT), PLACE(objective, TEXT), OF(unit_count, INTEGER),
        };
        text_append(out, "{\"setting\":");
        json_append_string(out, label_of(subjects, first, end));
        const struct device_traits *traits = device_traits(subjects[first].kind);
        text_printf(out, ",\"is_gpu\":%s,\"is_replayed\":%s,", traits->is_gpu ? "true" : "false",
                    traits->is_replayed ? "true" : "false");
        append_members(out, members, COUNT(members), &subjects[first]);
        text_append(out, ",\"family\":");
        page_append_json(out, subjects[first].family ? subjects[first].family : "[]", NULL);
        text_append(out, ",");
        out->failed = out->failed || !list;
        append_parameters(page, out, list, list ? distinct : 0);
        text_append(out, ",\"problems\":[");
        for (size_t i = first; i < end; i++) {
            text_append(out, i > first ? "," : "");
            append_subject(page, out, &subjects[i]);
        }
        text_append(out, "]}");
    }
    text_append(out, "]");
    return STATUS_OK;
}
