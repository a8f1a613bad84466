/* Devices, drivers and versions side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/stats/estimate.h"
#include "views/explain/comparison.h"
#include "views/page/html.h"
#include "views/page/internal.h"

/* "−5.40 %" with the ends of its interval in small letters. */
static void write_share(struct text *out, double share, double low, double high)
{
    char shown[3][SHOWN_BYTES];
    if (!isfinite(share)) {
        text_append(out, "<td class=\"n\">–</td>");
        return;
    }
    html(out, "<td class=\"n\" data-v=\"%.9g\">%s", share, shown_percent(100 * share, shown[0]));
    if (bounds_are_narrow(1 + low, 1 + high))
        write_interval(out, shown_percent(100 * low, shown[1]),
                       shown_percent(100 * high, shown[2]));
    text_append(out, "</td>");
}

static void write_row(struct text *out, const struct compared_winner *winner)
{
    /* Only what is shown stands out. */
    const bool is_shown = winner->change == TIME_FASTER || winner->change == TIME_SLOWER;
    const bool loses = winner->move == WINNER_LOSES;
    html(out, "<tr><th scope=\"row\">%s</th>", winner->problem);
    write_integer(out, winner->n);
    write_value(out, CELL_TIME, winner->a_ns);
    write_value(out, CELL_TIME, winner->b_ns);
    write_share(out, winner->ratio - 1, winner->ratio_low - 1, winner->ratio_high - 1);
    html(out, is_shown ? "<td><b>%s</b></td>" : "<td>%s</td>", time_change_name(winner->change));
    html(out, loses ? "<td><b>%s</b></td>" : "<td>%s</td>", winner_move_name(winner->move));
    write_share(out, winner->loss, winner->loss_low, winner->loss_high);
    text_append(out, "<td>");
    write_configuration(out, winner->differences);
    text_append(out, "</td></tr>\n");
}

static void write_comparison(struct page *page, const struct comparison *comparison)
{
    struct text *out = &page->out;
    const char *const databases[] = {comparison->a.database, comparison->b.database};
    html(out, "<h3>a: %s, %s%s%s; b: %s, %s%s%s</h3>\n<ul>", comparison->a.device,
         comparison->a.day, databases[0] ? ", " : "", databases[0] ? databases[0] : "",
         comparison->b.device, comparison->b.day, databases[1] ? ", " : "",
         databases[1] ? databases[1] : "");
    for (size_t i = 0; i < comparison->sentence_count; i++)
        html(out, "<li>%s</li>\n", comparison->sentences[i]);
    text_append(out, "</ul>\n");
    write_table_begin(out, "winners side by side");
    text_append(out, "<th>problem</th><th class=\"n\">n</th><th class=\"n\">time a</th>"
                     "<th class=\"n\">time b</th><th class=\"n\">b takes more</th><th>b is</th>"
                     "<th>a’s winner</th><th class=\"n\">it takes more</th>"
                     "<th>b’s winner differs by</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < comparison->winner_count; i++)
        write_row(out, &comparison->winners[i]);
    write_table_end(out);
}

/* Those of the request's earlier database first, then what the database has by itself. */
static enum status compare_all(struct page *page, struct store *before, struct arena *arena,
                               size_t *written, struct error *error)
{
    const char *name = page->request->before_database;
    const struct comparison_request request = {.store = page->store,
                                               .before = before,
                                               .database = before ? page->database : NULL,
                                               .before_database = before ? path_file(name) : name,
                                               .words = page->words_json};
    struct comparison *comparisons = NULL;
    size_t count = 0;
    enum status status = explain_comparisons(&request, arena, &comparisons, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        if (!page_has_environment(page, comparisons[i].b.environment_id) ||
            (!before && !page_has_environment(page, comparisons[i].a.environment_id)))
            continue;
        if ((*written)++ == 0) {
            section_begin(page, "compare", "Side by side", "Side by side");
            text_append(
                &page->out,
                "<p>What another run, driver, board or version changed. <i>b is</i> faster or "
                "slower "
                "where both intervals say so, by more than what counts as a tie, and else "
                "alike: no more than noise. <i>a’s winner</i> is the <i>same</i>, or "
                "another one won at b, where it is <i>tied</i> (not shown to be slower), "
                "<i>loses</i> (shown to be, in rounds that both were in), was <i>timed once</i>, "
                "in the sweep, or <i>not tried</i>.</p>\n");
        }
        write_comparison(page, &comparisons[i]);
    }
    return status;
}

enum status write_compare(struct page *page, struct error *error)
{
    struct arena arena = {0};
    size_t written = 0;
    enum status status = STATUS_OK;
    if (page->request->before)
        status = compare_all(page, page->request->before, &arena, &written, error);
    if (status == STATUS_OK)
        status = compare_all(page, NULL, &arena, &written, error);
    if (written > 0)
        section_end(page);
    arena_free(&arena);
    return status;
}
