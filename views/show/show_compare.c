/* tune show --compare: environments and devices side by side. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tuner/terminal/command.h"
#include "tuner/terminal/reading.h"
#include "tuner/terminal/style.h"
#include "views/explain/comparison.h"
#include "views/show/internal.h"
#include "views/show/parts.h"

/* A winner with the two sides compared. */
struct compared_row {
    struct comparison sides;
    struct compared_winner winner;
    const char *change, *move;
    double more, more_low, more_high; /* extra cost of b's winner, as a share of a's */
};
#define MEMBER(key, column, member, kind, label)                                                   \
    {                                                                                              \
        key, column, offsetof(struct compared_row, member), MEMBER_##kind, label                   \
    }
/* Members of the side `a` or `b`, under its names; not in tables. */
#define SIDE(side, member)                                                                         \
    MEMBER(#side "_" #member, #side "_" #member, sides.side.member, TEXT, NULL)
#define SIDES(side)                                                                                \
    SIDE(side, device),                                                                            \
        MEMBER(#side "_device_uuid", #side "_device_uuid", sides.side.uuid, TEXT, NULL),           \
        SIDE(side, driver), SIDE(side, compiler), SIDE(side, tool_version), SIDE(side, host),      \
        SIDE(side, day), SIDE(side, database)
#define WINNER(member, kind, label) MEMBER(#member, #member, winner.member, kind, label)
#define OWN(member, kind, label)    MEMBER(#member, #member, member, kind, label)

static const struct row_member members[] = {
    MEMBER("device_kind", "device_kind", sides.device_kind, TEXT, NULL),
    SIDES(a),
    SIDES(b),
    WINNER(experiment, TEXT, NULL),
    WINNER(problem, TEXT, "problem"),
    WINNER(n, INTEGER, "n"),
    WINNER(l2_mode, TEXT, "L2"),
    WINNER(a_ns, REAL, "time a"),
    WINNER(b_ns, REAL, "time b"),
    MEMBER("more", "more_percent", more, SHARE, "b against a"),
    MEMBER("more_low", "more_low_percent", more_low, SHARE, "at least"),
    MEMBER("more_high", "more_high_percent", more_high, SHARE, "at most"),
    OWN(change, TEXT, "b is"),
    OWN(move, TEXT, "a's winner"),
    MEMBER("loss", "loss_percent", winner.loss, SHARE, "it takes more"),
    MEMBER("loss_low", "loss_low_percent", winner.loss_low, SHARE, "at least"),
    MEMBER("loss_high", "loss_high_percent", winner.loss_high, SHARE, NULL),
    WINNER(redefined, TRUTH, NULL),
    WINNER(a_configuration, TEXT, NULL),
    WINNER(b_configuration, TEXT, NULL),
    MEMBER(NULL, "differences", winner.differences, TEXT, "b's winner differs by"),
};

static const struct show_word compare_words[] = {
    {"b is",
     "by both intervals, and by more than a tie: faster, slower, or alike (no more than noise)."},
    {"a's winner",
     "same: it won at b, too. as fast: another won, and it is shown to be no slower there. slower: "
     "it is shown to be, by 'it takes more', 'at least' the lower end of the interval. not "
     "compared: "
     "neither is shown. timed once: in the sweep alone, where a few percent say little. not tried: "
     "it has no time at b."},
};

static const char *const changes[] = {[TIME_UNKNOWN] = "unknown",
                                      [TIME_ALIKE] = "alike",
                                      [TIME_FASTER] = "faster",
                                      [TIME_SLOWER] = "slower"};
static const char *const moves[] = {
    [WINNER_SAME] = "same",         [WINNER_AS_FAST] = "as fast", [WINNER_SLOWER] = "slower",
    [WINNER_OPEN] = "not compared", [WINNER_ONCE] = "timed once", [WINNER_UNTRIED] = "not tried"};

static bool make_rows(const struct comparison *comparisons, size_t count, enum members_for printing,
                      struct rows *rows)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += comparisons[i].winner_count;
    struct compared_row *all = calloc(total + 1, sizeof *all);
    struct compared_row *next = all;
    for (size_t i = 0; all && i < count; i++)
        for (size_t k = 0; k < comparisons[i].winner_count; k++, next++) {
            const struct compared_winner *winner = &comparisons[i].winners[k];
            *next = (struct compared_row){.sides = comparisons[i],
                                          .winner = *winner,
                                          .change = changes[winner->change],
                                          .move = moves[winner->move],
                                          .more = winner->ratio - 1,
                                          .more_low = winner->ratio_low - 1,
                                          .more_high = winner->ratio_high - 1};
        }
    const bool good =
        all && rows_make_of(rows, members, COUNT(members), printing, all, sizeof *all, total);
    free(all);
    return good;
}

bool show_append_compare(struct text *out, const struct comparison *comparisons, size_t count)
{
    struct rows rows = {0};
    const bool good = make_rows(comparisons, count, MEMBERS_FOR_JSON, &rows);
    if (good)
        rows_append_array(out, &rows);
    rows_free(&rows);
    return good && !out->failed;
}

static void print_database(const struct comparison_side *side)
{
    if (!side->database)
        return;
    printf(", ");
    rows_put_text(side->database);
}

enum status show_compare(const struct show *show, struct store *store, struct error *error)
{
    struct arena arena = {0};
    struct rows rows = {0};
    struct comparison *comparisons = NULL;
    size_t count = 0;
    struct comparison_request request = {.store = store,
                                         .database = show->db,
                                         .before_database = show->before,
                                         .words = show->words_json,
                                         .n = show->n_text[0] ? show->n_text : NULL};
    enum status status = STATUS_OK;
    if (show->before)
        status = reading_open(&request.before_database, &request.before, error);
    if (status == STATUS_OK)
        status = explain_comparisons(&request, &arena, &comparisons, &count, error);
    if (status == STATUS_OK && count == 0 && show->before)
        print_clean(stderr, "%s: nothing to compare: no problem that has a winner in %s, too\n",
                    show->db, show->before);
    else if (status == STATUS_OK && count == 0)
        print_clean(stderr,
                    "%s: nothing to compare: it has one device under one driver; 'tune merge' "
                    "joins databases, --before OLD.db adds an earlier run\n",
                    show->db);
    if (status == STATUS_OK &&
        !make_rows(comparisons, count, show->json ? MEMBERS_FOR_JSON : MEMBERS_FOR_TABLE, &rows))
        status = error_no_memory(error);
    if (status == STATUS_OK && show->json) {
        rows_print_json(&rows);
        putchar('\n');
    } else if (status == STATUS_OK && show->csv) {
        rows_print_csv(&rows);
    } else if (status == STATUS_OK) {
        const int width = style_page_columns();
        size_t first = 0;
        for (size_t i = 0; i < count; i++) {
            const struct comparison *comparison = &comparisons[i];
            if (i > 0)
                putchar('\n');
            style_begin(STYLE_BOLD);
            rows_put_text("a: ");
            rows_put_text(comparison->a.device);
            print_clean(stdout, ", %s", comparison->a.day);
            print_database(&comparison->a);
            printf("; b: ");
            rows_put_text(comparison->b.device);
            print_clean(stdout, ", %s", comparison->b.day);
            print_database(&comparison->b);
            style_end(STYLE_BOLD);
            putchar('\n');
            for (size_t k = 0; k < comparison->sentence_count; k++)
                rows_put_paragraph("- ", "  ", comparison->sentences[k], width);
            rows_print_members(&rows, first, first + comparison->winner_count, members,
                               COUNT(members), true);
            first += comparison->winner_count;
        }
        if (count > 0)
            show_put_words(compare_words, COUNT(compare_words));
    }
    store_close(request.before);
    rows_free(&rows);
    arena_free(&arena);
    return status;
}
