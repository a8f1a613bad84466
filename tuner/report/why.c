/* Why the winners win, and which parameters matter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/report/html.h"
#include "tuner/report/internal.h"

static void write_integer(struct text *out, int64_t value)
{
    char shown[SHOWN_BYTES];
    write_number(out, value < 0 ? (double)NAN : (double)value, shown_count(value, shown));
}

static void write_share(struct text *out, double share)
{
    char shown[SHOWN_BYTES];
    write_number(out, share, shown_percent(100 * share, shown));
}

static void write_point(struct text *out, const struct explain_point *point)
{
    char shown[2][SHOWN_BYTES];
    html(out, "<tr><th scope=\"row\">%s</th><td>", point->role);
    write_configuration(out, point->configuration);
    text_append(out, "</td>");
    write_number(out, point->time_ns, shown_time(point->time_ns, shown[0]));
    html(out, "<td class=\"n\" data-v=\"%.9g\">%s", point->slower,
         isnan(point->slower) ? "–" : shown_percent(100 * point->slower, shown[0]));
    if (!isnan(point->slower_low) && !isnan(point->slower_high) && point->slower > 0)
        html(out, "<small>%s – %s</small>", shown_percent(100 * point->slower_low, shown[0]),
             shown_percent(100 * point->slower_high, shown[1]));
    text_append(out, "</td>");
    write_share(out, point->ceiling_share);
    write_share(out, point->occupancy);
    write_number(out, point->bytes_in_flight_per_sm,
                 shown_count(isnan(point->bytes_in_flight_per_sm)
                                 ? -1
                                 : (int64_t)point->bytes_in_flight_per_sm,
                             shown[0]));
    write_integer(out, point->launches);
    write_integer(out, point->grid);
    write_integer(out, point->block);
    write_integer(out, point->registers);
    write_integer(out, point->spill_bytes);
    write_integer(out, point->shared_bytes);
    text_append(out, "</tr>\n");
}

static void write_points(struct text *out, const struct explanation *why)
{
    static const char *const labels[] = {"of ceiling", "occupancy", "bytes in flight an SM",
                                         "launches",   "grid",      "block",
                                         "registers",  "spilled",   "shared"};
    write_table_begin(out, "the winner beside others");
    text_append(out, "<th>who</th><th>launch</th><th class=\"n\">time</th>"
                     "<th class=\"n\">slower by</th>");
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
        html(out, "<th class=\"n\">%s</th>", labels[i]);
    text_append(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < why->point_count; i++)
        write_point(out, &why->points[i]);
    write_table_end(out);
}

/* A value with what it costs; `with`: what had to change as well. */
static void write_other(struct text *out, const char *value, const char *with, double loss)
{
    if (!value) {
        text_append(out, "<td>–</td><td class=\"n\">–</td>");
        return;
    }
    html(out, "<td>%s", value);
    if (with)
        html(out, "<small>with another %s</small>", with);
    text_append(out, "</td>");
    write_share(out, loss);
}

static void write_sensitivities(struct text *out, const struct explanation *why)
{
    if (why->sensitivity_count == 0)
        return;
    text_append(out, "<p class=\"note\">What another value of one parameter of the winner costs, "
                     "all others kept where that is legal (times of the sweep):</p>");
    write_table_begin(out, "sensitivity");
    text_append(out, "<th>parameter</th><th>winner’s</th><th>next best</th>"
                     "<th class=\"n\">costs</th><th>worst</th><th class=\"n\">costs</th>"
                     "<th class=\"n\">other values</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < why->sensitivity_count; i++) {
        const struct explain_sensitivity *of = &why->sensitivities[i];
        html(out, "<tr><th scope=\"row\">%s</th><td>%s</td>", of->parameter, of->value);
        write_other(out, of->best_other, of->best_other_with, of->best_other_loss);
        write_other(out, of->worst, of->worst_with, of->worst_loss);
        write_integer(out, (int64_t)of->values);
        text_append(out, "</tr>\n");
    }
    write_table_end(out);
}

static void write_explanation(struct page *page, const struct winner *winner)
{
    const struct explanation *why = &winner->why;
    struct text *out = &page->out;
    char n[SHOWN_BYTES];
    html(out, "<h4>%s, n = %s</h4>\n<p>", winner->problem, shown_count(winner->n, n));
    write_configuration(out, winner->configuration);
    text_append(out, "</p>\n<ul>");
    for (size_t i = 0; i < why->sentence_count; i++)
        html(out, "<li>%s</li>", why->sentences[i]);
    if (why->limit_text)
        html(out, "<li><b>%s</b></li>", why->limit_text);
    text_append(out, "</ul>\n");
    write_points(out, why);
    write_sensitivities(out, why);
}

void write_why(struct page *page)
{
    bool any = false;
    if (page->winner_count == 0)
        return;
    section_begin(page, "why", "Why it wins, and what limits it");
    for (size_t i = 0; i < page->setting_count; i++) {
        const struct setting *setting = &page->settings[i];
        setting_heading(page, setting);
        for (size_t k = setting->part_first; k < setting->part_end; k++) {
            const struct winner *winner = &page->winners[page->parts[k].telling];
            bool open = page->parts[k].telling == setting->telling;
            if (!winner->explained)
                continue;
            any = true;
            html(&page->out, "<details%s><summary><b>%s</b></summary>\n", open ? " open" : "",
                 page->parts[k].experiment);
            write_explanation(page, winner);
            text_append(&page->out, "</details>\n");
        }
    }
    if (!any)
        text_append(&page->out, "<p class=\"none\">The database does not tell.</p>\n");
    html(&page->out,
         "<p class=\"note\">Of every other problem: <code>tune show --why PROBLEM --db %s</code>."
         "</p>\n",
         page->database_word);
    section_end(page);
}

/* ---- which parameters matter ---- */

enum { PARAMETERS_MAX = 32, VALUES_MAX = 64 };

struct value_count {
    const char *value;
    size_t count;
};
/* A parameter over the winners of a part. */
struct influence {
    const char *name;
    struct value_count values[VALUES_MAX]; /* that winners have */
    size_t value_count;
    double *next, *worst; /* losses, one a winner that has neighbours in it */
    size_t next_count, worst_count;
};

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, size_t count)
{
    if (count == 0)
        return (double)NAN;
    qsort(values, count, sizeof *values, by_size);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void count_value(struct influence *influence, const char *value)
{
    for (size_t i = 0; i < influence->value_count; i++)
        if (strcmp(influence->values[i].value, value) == 0) {
            influence->values[i].count++;
            return;
        }
    if (influence->value_count < VALUES_MAX)
        influence->values[influence->value_count++] = (struct value_count){value, 1};
}

static struct influence *influence_of(struct page *page, struct influence *list, size_t *count,
                                      const char *name, size_t winners)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    if (*count == PARAMETERS_MAX)
        return NULL;
    struct influence *new = &list[*count];
    new->name = name;
    new->next = arena_alloc(&page->arena, winners, sizeof *new->next);
    new->worst = arena_alloc(&page->arena, winners, sizeof *new->worst);
    if (!new->next || !new->worst) {
        page->out.failed = true;
        return NULL;
    }
    (*count)++;
    return new;
}

static size_t gather(struct page *page, const struct part *part, struct influence *list)
{
    size_t count = 0;
    for (size_t i = part->first; i < part->end; i++) {
        const struct explanation *why = &page->winners[i].why;
        for (size_t k = 0; page->winners[i].explained && k < why->sensitivity_count; k++) {
            const struct explain_sensitivity *of = &why->sensitivities[k];
            struct influence *to =
                influence_of(page, list, &count, of->parameter, part->end - part->first);
            if (!to)
                continue;
            count_value(to, of->value);
            if (of->best_other && isfinite(of->best_other_loss))
                to->next[to->next_count++] = of->best_other_loss;
            if (of->worst && isfinite(of->worst_loss))
                to->worst[to->worst_count++] = of->worst_loss;
        }
    }
    return count;
}

/* "256 (40), 512 (20)", the most frequent first. */
static void write_values(struct text *out, struct influence *influence)
{
    for (size_t said = 0; said < influence->value_count; said++) {
        size_t most = 0;
        for (size_t i = 1; i < influence->value_count; i++)
            most = influence->values[i].count > influence->values[most].count ? i : most;
        html(out, "%s<b>%s</b> <small class=\"in\">(%zu)</small>", said > 0 ? ", " : "",
             influence->values[most].value, influence->values[most].count);
        influence->values[most].count = 0;
    }
}

static int by_cost(const void *a, const void *b)
{
    const struct influence *left = a;
    const struct influence *right = b;
    double left_cost = median(left->worst, left->worst_count);
    double right_cost = median(right->worst, right->worst_count);
    left_cost = isnan(left_cost) ? -1 : left_cost;
    right_cost = isnan(right_cost) ? -1 : right_cost;
    int order = (right_cost > left_cost) - (right_cost < left_cost);
    return order ? order : strcmp(left->name, right->name);
}

static void write_part(struct page *page, const struct part *part)
{
    struct influence *list = arena_alloc(&page->arena, PARAMETERS_MAX, sizeof *list);
    size_t count = list ? gather(page, part, list) : 0;
    page->out.failed = page->out.failed || !list;
    if (count == 0)
        return;
    qsort(list, count, sizeof *list, by_cost);
    html(&page->out, "<details open><summary><b>%s</b>, over %zu winners</summary>\n",
         part->experiment, part->end - part->first);
    write_table_begin(&page->out, "parameters");
    text_append(&page->out,
                "<th>parameter</th><th>the winners’ values</th><th class=\"n\">the next best "
                "costs</th><th class=\"n\">the worst costs</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < count; i++) {
        html(&page->out, "<tr><th scope=\"row\">%s</th><td>", list[i].name);
        write_values(&page->out, &list[i]);
        text_append(&page->out, "</td>");
        write_share(&page->out, median(list[i].next, list[i].next_count));
        write_share(&page->out, median(list[i].worst, list[i].worst_count));
        text_append(&page->out, "</tr>\n");
    }
    write_table_end(&page->out);
    text_append(&page->out, "</details>\n");
}

void write_parameters(struct page *page)
{
    bool any = false;
    for (size_t i = 0; i < page->winner_count; i++)
        any = any || (page->winners[i].explained && page->winners[i].why.sensitivity_count > 0);
    if (!any)
        return;
    section_begin(page, "parameters", "The parameters that matter");
    text_append(&page->out, "<p>How much slower a winner becomes when one of its parameters alone "
                            "takes another value (medians over the winners, times of the sweep). "
                            "Behind each value stands how many winners have it.</p>\n");
    for (size_t i = 0; i < page->setting_count; i++) {
        setting_heading(page, &page->settings[i]);
        for (size_t k = page->settings[i].part_first; k < page->settings[i].part_end; k++)
            write_part(page, &page->parts[k]);
    }
    section_end(page);
}
