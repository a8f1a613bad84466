#include "views/explain/comparison.h"

#include <math.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/stats/estimate.h"
#include "views/explain/embedded.h"
#include "views/explain/internal.h"

static bool is_unstable(const char *trust)
{
    return trust && strcmp(trust, "unstable") == 0;
}

void judge_winner(struct compared_winner *winner)
{
    const double least = fmax(fmax(winner->a_delta, winner->b_delta), 0); /* NaN: the other one */
    winner->ratio = winner->b_ns / winner->a_ns;
    winner->ratio_low = winner->b_low_ns / winner->a_high_ns;
    winner->ratio_high = winner->b_high_ns / winner->a_low_ns;
    if (!bounds_are_narrow(winner->ratio_low, winner->ratio_high) || is_unstable(winner->a_trust) ||
        is_unstable(winner->b_trust))
        winner->change = TIME_UNKNOWN;
    else if (winner->ratio_low > 1 + least)
        winner->change = TIME_SLOWER;
    else if (winner->ratio_high * (1 + least) < 1)
        winner->change = TIME_FASTER;
    else
        winner->change = TIME_ALIKE;
    winner->loss = winner->loss_low = winner->loss_high = (double)NAN;
    if (winner->same) {
        winner->move = WINNER_SAME;
    } else if (isfinite(winner->carried) &&
               bounds_are_narrow(winner->carried_low, winner->carried_high)) {
        winner->loss = winner->carried - 1;
        winner->loss_low = winner->carried_low - 1;
        winner->loss_high = winner->carried_high - 1;
        const double equal = fmax(winner->b_delta, 0);
        winner->move = winner->loss_low > equal     ? WINNER_SLOWER
                       : winner->loss_high <= equal ? WINNER_AS_FAST
                                                    : WINNER_OPEN;
    } else if (isfinite(winner->carried_once)) {
        winner->loss = winner->carried_once - 1;
        winner->move = WINNER_ONCE;
    } else {
        winner->move = WINNER_UNTRIED;
    }
}

/* ---- reading ---- */

#define SIDE_COLUMNS(side)                                                                         \
    {#side "_id", offsetof(struct comparison, side.environment_id), STORE_INTEGER},                \
        {#side "_device", offsetof(struct comparison, side.device), STORE_TEXT},                   \
        {#side "_uuid", offsetof(struct comparison, side.uuid), STORE_TEXT},                       \
        {#side "_driver", offsetof(struct comparison, side.driver), STORE_TEXT},                   \
        {#side "_compiler", offsetof(struct comparison, side.compiler), STORE_TEXT},               \
        {#side "_tool_version", offsetof(struct comparison, side.tool_version), STORE_TEXT},       \
        {#side "_host", offsetof(struct comparison, side.host), STORE_TEXT},                       \
    {                                                                                              \
#side "_day", offsetof(struct comparison, side.day), STORE_TEXT                            \
    }

static const struct store_column pair_columns[] = {
    SIDE_COLUMNS(a),
    SIDE_COLUMNS(b),
    {"device_kind", offsetof(struct comparison, device_kind), STORE_TEXT},
    {"a_place", offsetof(struct comparison, a_place), STORE_INTEGER},
};

/* The newest environment of a device. */
struct newest {
    struct comparison_side side;
    const char *kind;
};
#define NEWEST(member) offsetof(struct newest, member)
static const struct store_column newest_columns[] = {
    {"id", NEWEST(side.environment_id), STORE_INTEGER},
    {"device", NEWEST(side.device), STORE_TEXT},
    {"uuid", NEWEST(side.uuid), STORE_TEXT},
    {"driver", NEWEST(side.driver), STORE_TEXT},
    {"compiler", NEWEST(side.compiler), STORE_TEXT},
    {"tool_version", NEWEST(side.tool_version), STORE_TEXT},
    {"host", NEWEST(side.host), STORE_TEXT},
    {"day", NEWEST(side.day), STORE_TEXT},
    {"kind", NEWEST(kind), STORE_TEXT},
};

#define OF(member) offsetof(struct compared_winner, member)
static const struct store_column winner_columns[] = {
    {"experiment", OF(experiment), STORE_TEXT},
    {"problem", OF(problem), STORE_TEXT},
    {"l2_mode", OF(l2_mode), STORE_TEXT},
    {"n", OF(n), STORE_INTEGER},
    {"a_configuration", OF(a_configuration), STORE_TEXT},
    {"b_configuration", OF(b_configuration), STORE_TEXT},
    {"a_parameters", OF(a_parameters), STORE_TEXT},
    {"b_parameters", OF(b_parameters), STORE_TEXT},
    {"a_trust", OF(a_trust), STORE_TEXT},
    {"b_trust", OF(b_trust), STORE_TEXT},
    {"a_ns", OF(a_ns), STORE_REAL},
    {"a_low_ns", OF(a_low_ns), STORE_REAL},
    {"a_high_ns", OF(a_high_ns), STORE_REAL},
    {"b_ns", OF(b_ns), STORE_REAL},
    {"b_low_ns", OF(b_low_ns), STORE_REAL},
    {"b_high_ns", OF(b_high_ns), STORE_REAL},
    {"a_delta", OF(a_delta), STORE_REAL},
    {"b_delta", OF(b_delta), STORE_REAL},
    {"same", OF(same), STORE_TRUTH},
    {"redefined", OF(redefined), STORE_TRUTH},
    {"carried", OF(carried), STORE_REAL},
    {"carried_low", OF(carried_low), STORE_REAL},
    {"carried_high", OF(carried_high), STORE_REAL},
    {"carried_once", OF(carried_once), STORE_REAL},
    {"carried_status", OF(carried_status), STORE_TEXT},
};
#undef OF

/* Reads a's winners as JSON, possibly from another database. */
static enum status read_given(const struct comparison_request *request,
                              const struct comparison *comparison, struct arena *arena,
                              const char **given, struct error *error)
{
    static const struct store_column columns[] = {{"winners", 0, STORE_TEXT}};
    const char **rows = NULL;
    size_t count = 0;
    const struct store_parameter parameters[] = {
        {"environment", STORE_NUMBER(comparison->a.environment_id)},
        {"place", comparison->a_place == 2 ? "2" : "1"},
        {"words", request->words},
        {"n", request->n}};
    const struct store_reading reading = {.sql = explain_query_compare_given,
                                          STORE_PARAMETERS(parameters),
                                          STORE_COLUMNS(columns),
                                          .row_bytes = sizeof *rows};
    enum status status = store_read(request->before ? request->before : request->store, &reading,
                                    arena, &rows, &count, error);
    *given = status == STATUS_OK && count > 0 ? rows[0] : "[]";
    return status;
}

static enum status read_winners(const struct comparison_request *request, struct arena *arena,
                                struct comparison *comparison, struct error *error)
{
    const char *given = NULL;
    enum status status = read_given(request, comparison, arena, &given, error);
    const struct store_parameter parameters[] = {{"given", given},
                                                 {"b", STORE_NUMBER(comparison->b.environment_id)},
                                                 {"words", request->words},
                                                 {"n", request->n}};
    const struct store_reading reading = {.sql = explain_query_compare_winners,
                                          STORE_PARAMETERS(parameters),
                                          STORE_COLUMNS(winner_columns),
                                          .row_bytes = sizeof(struct compared_winner)};
    if (status == STATUS_OK)
        status = store_read(request->store, &reading, arena, &comparison->winners,
                            &comparison->winner_count, error);
    for (size_t i = 0; status == STATUS_OK && i < comparison->winner_count; i++) {
        struct compared_winner *winner = &comparison->winners[i];
        struct text text = {0};
        judge_winner(winner);
        if (!winner->same)
            (void)explain_put_differences(&text, winner->a_parameters, winner->b_parameters);
        winner->differences = text_to_arena(&text, arena);
        if (!winner->differences)
            status = error_no_memory(error);
    }
    return status;
}

/* ---- sentences ---- */

static void put_change(struct text *text, size_t *count, const char *what, const char *a,
                       const char *b, bool of_two)
{
    if (!a || !b || strcmp(a, b) == 0)
        return;
    text_printf(text, "%s%s %s%s %s", (*count)++ == 0 ? "" : "; ", what, a,
                of_two ? " against" : ", now", b);
}

/* Tells changes: "driver 580.1, now 590.2; tune 0.1.0, now 0.2.0"; for two devices "against". */
static void append_changes(struct text *text, const struct comparison *comparison)
{
    const struct comparison_side *a = &comparison->a;
    const struct comparison_side *b = &comparison->b;
    const bool of_two = strcmp(a->uuid, b->uuid) != 0;
    size_t count = 0;
    text_append(text, "Changes: ");
    if (of_two && strcmp(a->device, b->device) == 0)
        put_change(text, &count, "board", a->uuid, b->uuid, of_two);
    else
        put_change(text, &count, "device", a->device, b->device, of_two);
    put_change(text, &count, "driver", a->driver, b->driver, of_two);
    put_change(text, &count, "compiler", a->compiler, b->compiler, of_two);
    put_change(text, &count, "tune", a->tool_version, b->tool_version, of_two);
    put_change(text, &count, "host", a->host, b->host, of_two);
    put_change(text, &count, "measured", a->day, b->day, of_two);
    put_change(text, &count, "database", a->database, b->database, of_two);
    if (comparison->a_place == 2)
        text_printf(text, "%san experiment: its file or its sources", count++ > 0 ? "; " : "");
    text_append(text, count > 0 ? "." : "nothing that is recorded.");
}

/* Tells factors between times: "1.05x to 1.42x, 1.3x in the mean". */
static void append_factors(struct text *text, const struct comparison *comparison,
                           enum time_change change)
{
    double low = (double)INFINITY;
    double high = 0;
    double logs = 0;
    size_t count = 0;
    for (size_t i = 0; i < comparison->winner_count; i++) {
        const struct compared_winner *winner = &comparison->winners[i];
        if (winner->change != change)
            continue;
        const double factor = change == TIME_FASTER ? 1 / winner->ratio : winner->ratio;
        low = fmin(low, factor);
        high = fmax(high, factor);
        logs += log(factor);
        count++;
    }
    if (count == 1)
        text_printf(text, " (%.3gx)", low);
    else if (count > 1)
        text_printf(text, " (%.3gx to %.3gx, in the geometric mean %.3gx)", low, high,
                    exp(logs / (double)count));
}

static size_t count_changes(const struct comparison *comparison, enum time_change change)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->winner_count; i++)
        count += comparison->winners[i].change == change;
    return count;
}

static void append_times(struct text *text, const struct comparison *comparison)
{
    text_printf(text, "Of %s %s is faster for %zu",
                count_text(comparison->winner_count, "problem").text, comparison->names[1],
                count_changes(comparison, TIME_FASTER));
    append_factors(text, comparison, TIME_FASTER);
    text_printf(text, " and slower for %zu", count_changes(comparison, TIME_SLOWER));
    append_factors(text, comparison, TIME_SLOWER);
    text_printf(text, "; %zu %s by no more than noise", count_changes(comparison, TIME_ALIKE),
                count_changes(comparison, TIME_ALIKE) == 1 ? "differs" : "differ");
    const size_t unknown = count_changes(comparison, TIME_UNKNOWN);
    if (unknown > 0)
        text_printf(text, "; of %zu that is not known", unknown);
    text_append(text, ".");
}

static void append_winners(struct text *text, const struct comparison *comparison)
{
    size_t counts[WINNER_UNTRIED + 1] = {0};
    double most = 0;
    for (size_t i = 0; i < comparison->winner_count; i++) {
        const struct compared_winner *winner = &comparison->winners[i];
        counts[winner->move]++;
        if (winner->move == WINNER_SLOWER)
            most = fmax(most, winner->loss);
    }
    text_printf(text, "%s %s the same", count_text(counts[WINNER_SAME], "winner").text,
                counts[WINNER_SAME] == 1 ? "is" : "are");
    if (counts[WINNER_AS_FAST] > 0)
        text_printf(text, "; %zu moved within noise: the winner %s is as fast",
                    counts[WINNER_AS_FAST], comparison->names[0]);
    if (counts[WINNER_OPEN] > 0)
        text_printf(text, "; %zu moved, and the winner %s was not compared to the end",
                    counts[WINNER_OPEN], comparison->names[0]);
    if (counts[WINNER_SLOWER] > 0)
        append_sentence(text, "; %D moved by more than noise: the winner %s takes up to %M",
                        (int64_t)counts[WINNER_SLOWER], comparison->names[0], most);
    if (counts[WINNER_ONCE] > 0)
        text_printf(text, "; %zu moved, and the winner %s was timed only once", counts[WINNER_ONCE],
                    comparison->names[0]);
    if (counts[WINNER_UNTRIED] > 0)
        text_printf(text, "; %zu moved, and the winner %s has no time", counts[WINNER_UNTRIED],
                    comparison->names[0]);
    text_append(text, ".");
}

static void append_redefined(struct text *text, const struct comparison *comparison)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->winner_count; i++)
        count += comparison->winners[i].redefined;
    if (count > 0)
        text_printf(text,
                    "For %zu the experiment was changed in between: their times need not be of the "
                    "same work.",
                    count);
}

/* Pairs each device of the database with the most similar device of the other one. */
static enum status pair_databases(const struct comparison_request *request, struct arena *arena,
                                  struct comparison **comparisons, size_t *count,
                                  struct error *error)
{
    const struct store_reading reading = {.sql = explain_query_compare_sides,
                                          STORE_COLUMNS(newest_columns),
                                          .row_bytes = sizeof(struct newest)};
    struct newest *olds = NULL;
    struct newest *news = NULL;
    size_t old_count = 0;
    size_t new_count = 0;
    *count = 0;
    *comparisons = NULL;
    TRY(store_read(request->before, &reading, arena, &olds, &old_count, error));
    TRY(store_read(request->store, &reading, arena, &news, &new_count, error));
    *comparisons = arena_alloc(arena, new_count + 1, sizeof **comparisons);
    if (!*comparisons)
        return error_no_memory(error);
    for (size_t i = 0; i < new_count; i++) {
        const struct newest *best = NULL;
        int most = 0;
        for (size_t k = 0; k < old_count; k++) {
            const int alike = strcmp(olds[k].kind, news[i].kind) != 0                 ? 0
                              : strcmp(olds[k].side.uuid, news[i].side.uuid) == 0     ? 3
                              : strcmp(olds[k].side.device, news[i].side.device) == 0 ? 2
                                                                                      : 1;
            if (alike > most) {
                most = alike;
                best = &olds[k];
            }
        }
        if (!best)
            continue;
        struct comparison *comparison = &(*comparisons)[(*count)++];
        *comparison = (struct comparison){
            .a = best->side, .b = news[i].side, .device_kind = news[i].kind, .a_place = 1};
        comparison->a.database = request->before_database;
        comparison->b.database = request->database;
    }
    return STATUS_OK;
}

enum status explain_comparisons(const struct comparison_request *request, struct arena *arena,
                                struct comparison **comparisons, size_t *count, struct error *error)
{
    const struct store_parameter parameters[] = {{"words", request->words}, {"n", request->n}};
    const struct store_reading reading = {.sql = explain_query_compare_pairs,
                                          STORE_PARAMETERS(parameters),
                                          STORE_COLUMNS(pair_columns),
                                          .row_bytes = sizeof(struct comparison)};
    enum status status =
        request->before ? pair_databases(request, arena, comparisons, count, error)
                        : store_read(request->store, &reading, arena, comparisons, count, error);
    size_t kept = 0;
    for (size_t i = 0; status == STATUS_OK && i < *count; i++) {
        struct comparison *comparison = &(*comparisons)[i];
        status = read_winners(request, arena, comparison, error);
        if (status != STATUS_OK || comparison->winner_count == 0)
            continue;
        static void (*const sayings[])(struct text *, const struct comparison *) = {
            append_changes, append_times, append_winners, append_redefined};
        const bool of_two = strcmp(comparison->a.uuid, comparison->b.uuid) != 0;
        const bool alike = strcmp(comparison->a.device, comparison->b.device) == 0;
        comparison->names[0] = !of_two ? "from before"
                               : alike ? "on the first board"
                                       : arena_printf(arena, "on %s", comparison->a.device);
        comparison->names[1] = !of_two ? "it" : alike ? "the second board" : comparison->b.device;
        bool good = comparison->names[0] && comparison->names[1];
        for (size_t k = 0; good && k < sizeof sayings / sizeof sayings[0]; k++) {
            struct text text = {0};
            sayings[k](&text, comparison);
            if (text.length > 0)
                comparison->sentences[comparison->sentence_count++] =
                    arena_strdup(arena, text_string(&text));
            good = !text.failed &&
                   (text.length == 0 || comparison->sentences[comparison->sentence_count - 1]);
            text_free(&text);
        }
        if (!good)
            status = error_no_memory(error);
        (*comparisons)[kept++] = *comparison;
    }
    *count = kept;
    return status;
}
