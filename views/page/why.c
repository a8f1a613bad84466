/* Why the winners win, and which parameters matter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/stats/estimate.h"
#include "views/page/html.h"
#include "views/page/internal.h"

/* What a point is like; of all points of a table, what none is known of is left out. */
#define OF(member) offsetof(struct explain_point, member)
static const struct trait {
    const char *label;
    size_t offset;
    bool is_real;    /* else an integer, below 0: unknown */
    bool in_percent; /* a share */
    int of_a_cpu;    /* 1: of a CPU alone, -1: of others, 0: of any */
} traits[] = {
    {"occupancy", OF(occupancy), true, true, 0},
    {"bytes in flight, SM", OF(bytes_in_flight_per_sm), true, false, 0},
    {"launches", OF(launches), false, false, 0},
    {"grid", OF(grid), false, false, 0},
    {"block", OF(block), false, false, -1},
    {"threads", OF(threads), false, false, 1},
    {"registers", OF(registers), false, false, 0},
    {"spilled bytes", OF(spill_bytes), false, false, 0},
    {"shared bytes", OF(shared_bytes), false, false, 0},
};

static double trait_of(const struct explain_point *point, const struct trait *trait)
{
    const void *member = (const char *)point + trait->offset;
    const int of_a_cpu = point->threads > 0 ? 1 : -1;
    if (trait->of_a_cpu != 0 && trait->of_a_cpu != of_a_cpu)
        return (double)NAN;
    if (trait->is_real)
        return (trait->in_percent ? 100 : 1) * *(const double *)member;
    const int64_t value = *(const int64_t *)member;
    return value < 0 ? (double)NAN : (double)value;
}

static bool has_trait(const struct explanation *why, const struct trait *trait)
{
    for (size_t i = 0; i < why->point_count; i++)
        if (!isnan(trait_of(&why->points[i], trait)))
            return true;
    return false;
}

static void write_slower(struct text *out, const struct explain_point *point, bool winner)
{
    char shown[2][SHOWN_BYTES];
    if (winner || isnan(point->slower)) {
        text_append(out, winner ? "<td class=\"n\" data-v=\"0\">–</td>" : "<td class=\"n\">–</td>");
        return;
    }
    const enum ratio_report known = ratio_report(1 + point->slower_low, 1 + point->slower_high);
    if (known == RATIO_AT_LEAST)
        html(out, "<td class=\"n\" data-v=\"%.9g\">over %s</td>", point->slower_low,
             shown_percent(100 * point->slower_low, shown[0]));
    else if (known == RATIO_UNKNOWN)
        text_append(out, "<td class=\"n\">unknown</td>");
    if (known != RATIO_KNOWN)
        return;
    html(out, "<td class=\"n\" data-v=\"%.9g\">%s", point->slower,
         shown_percent(100 * point->slower, shown[0]));
    if (!isnan(point->slower_low) && !isnan(point->slower_high))
        write_interval(out, shown_percent(100 * point->slower_low, shown[0]),
                       shown_percent(100 * point->slower_high, shown[1]));
    text_append(out, "</td>");
}

static void write_point(struct text *out, const struct explanation *why, size_t index)
{
    const struct explain_point *point = &why->points[index];
    html(out, "<tr><th scope=\"row\">%s</th><td>", point->role);
    write_configuration(out, point->configuration);
    text_append(out, "</td>");
    if (isnan(point->time_ns) && point->status)
        html(out, "<td>%s</td>", point->status);
    else
        write_value(out, CELL_TIME, point->time_ns);
    write_slower(out, point, index == 0);
    write_value(out, CELL_SHARE, point->ceiling_share);
    for (size_t i = 0; i < COUNT(traits); i++)
        if (has_trait(why, &traits[i]))
            write_value(out, traits[i].in_percent ? CELL_PERCENT : CELL_COUNT,
                        trait_of(point, &traits[i]));
    text_append(out, "</tr>\n");
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
    write_value(out, CELL_SHARE, loss);
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
    write_table_begin(out, "the winner beside others");
    text_append(out, "<th>who</th><th>launch</th><th class=\"n\">time</th>"
                     "<th class=\"n\">slower by</th><th class=\"n\">of ceiling</th>");
    for (size_t i = 0; i < COUNT(traits); i++)
        if (has_trait(why, &traits[i]))
            html(out, "<th class=\"n\">%s</th>", traits[i].label);
    text_append(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < why->point_count; i++)
        write_point(out, why, i);
    write_table_end(out);
    if (why->sensitivity_count == 0)
        return;
    text_append(out, "<p class=\"note\">What another value of one parameter of the winner costs, "
                     "all others kept where that is legal. Each was timed alone and once: a few "
                     "percent say little, and less than nothing is noise.</p>");
    write_table_begin(out, "sensitivity");
    text_append(out, "<th>parameter</th><th>winner’s</th><th>next best</th>"
                     "<th class=\"n\">costs</th><th>worst</th><th class=\"n\">costs</th>"
                     "<th class=\"n\">other values</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < why->sensitivity_count; i++) {
        const struct explain_sensitivity *of = &why->sensitivities[i];
        html(out, "<tr><th scope=\"row\">%s</th><td>%s</td>", of->parameter, of->value);
        write_other(out, of->best_other, of->best_other_with, of->best_other_loss);
        write_other(out, of->worst, of->worst_with, of->worst_loss);
        write_integer(out, of->values);
        text_append(out, "</tr>\n");
    }
    write_table_end(out);
}

enum status write_why(struct page *page, struct error *error)
{
    bool is_explained = false;
    (void)error;
    if (page->winner_count == 0)
        return STATUS_OK;
    section_begin(page, "why", "Why", "Why it wins, and what limits it");
    for (size_t i = 0; i < page->setting_count; i++) {
        const struct setting *setting = &page->settings[i];
        setting_heading(page, setting);
        for (size_t k = setting->part_first; k < setting->part_end; k++) {
            const struct winner *winner = &page->winners[page->parts[k].telling];
            bool open = page->parts[k].telling == setting->telling;
            if (!winner->explained)
                continue;
            is_explained = true;
            html(&page->out, "<details%s><summary><b>%s</b></summary>\n", open ? " open" : "",
                 page->parts[k].experiment);
            write_explanation(page, winner);
            text_append(&page->out, "</details>\n");
        }
    }
    if (!is_explained)
        text_append(&page->out, "<p class=\"none\">The database does not tell.</p>\n");
    html(&page->out,
         "<p class=\"note\">Of every other problem: <code>tune show --why PROBLEM --db %s</code>."
         "</p>\n",
         page->database_word);
    section_end(page);
    return STATUS_OK;
}

/* ---- which parameters matter ---- */

enum { PARAMETERS_MAX = 32, VALUES_MAX = 64 };

struct value_count {
    const char *value;
    size_t count;
};
/* Losses, one per winner. */
struct losses {
    double *next, *worst;
    size_t count;
};
/* A parameter over the winners of a part. */
struct influence {
    const char *name;
    struct value_count values[VALUES_MAX]; /* that winners have */
    size_t value_count;
    struct losses alone, tied; /* all others kept; not possible */
};
struct influences {
    struct page *page;
    struct influence *items;
    size_t count;
    size_t winners; /* of the part */
};

static double median(double *values, size_t count)
{
    if (count == 0)
        return (double)NAN;
    qsort(values, count, sizeof *values, by_size);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* NULL: one too many, or memory is short. */
static struct influence *influence_of(struct influences *list, const char *name)
{
    struct arena *arena = &list->page->arena;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    if (list->count == PARAMETERS_MAX)
        return NULL;
    double *losses = arena_alloc(arena, 4 * list->winners, sizeof *losses);
    if (!losses) {
        list->page->out.failed = true;
        return NULL;
    }
    struct influence *influence = &list->items[list->count++];
    influence->name = name;
    influence->alone = (struct losses){.next = losses, .worst = losses + list->winners};
    influence->tied =
        (struct losses){.next = losses + 2 * list->winners, .worst = losses + 3 * list->winners};
    return influence;
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

static void gather(struct influences *list, const struct winner *winner)
{
    struct explain_settings settings;
    const struct explanation *why = &winner->why;
    if (!explain_read_settings(winner->parameters, &list->page->arena, &settings))
        list->page->out.failed = true;
    for (size_t i = 0; i < settings.count; i++) {
        struct influence *influence = influence_of(list, settings.items[i].name);
        if (influence && settings.items[i].value)
            count_value(influence, settings.items[i].value);
    }
    for (size_t i = 0; winner->explained && i < why->sensitivity_count; i++) {
        const struct explain_sensitivity *of = &why->sensitivities[i];
        struct influence *influence = influence_of(list, of->parameter);
        if (!influence || !of->best_other || !of->worst || !isfinite(of->best_other_loss) ||
            !isfinite(of->worst_loss))
            continue;
        struct losses *losses = of->alone ? &influence->alone : &influence->tied;
        losses->next[losses->count] = of->best_other_loss;
        losses->worst[losses->count++] = of->worst_loss;
    }
}

/* Where it could be changed alone for some winner, those tell. */
static const struct losses *telling_losses(const struct influence *influence)
{
    return influence->alone.count > 0 ? &influence->alone : &influence->tied;
}

static int by_cost(const void *a, const void *b)
{
    const struct influence *left = a;
    const struct influence *right = b;
    double left_cost = median(telling_losses(left)->worst, telling_losses(left)->count);
    double right_cost = median(telling_losses(right)->worst, telling_losses(right)->count);
    left_cost = isnan(left_cost) ? -1 : left_cost;
    right_cost = isnan(right_cost) ? -1 : right_cost;
    int order = (right_cost > left_cost) - (right_cost < left_cost);
    return order ? order : strcmp(left->name, right->name);
}

static void write_influence(struct text *out, struct influence *influence)
{
    const struct losses *losses = telling_losses(influence);
    html(out, "<tr><th scope=\"row\">%s</th><td>", influence->name);
    /* "256 (40), 512 (20)", the most frequent first. */
    for (size_t said = 0; said < influence->value_count; said++) {
        size_t most = 0;
        for (size_t i = 1; i < influence->value_count; i++)
            most = influence->values[i].count > influence->values[most].count ? i : most;
        html(out, "%s<b>%s</b> <small class=\"in\">(%zu)</small>", said > 0 ? ", " : "",
             influence->values[most].value, influence->values[most].count);
        influence->values[most].count = 0;
    }
    text_append(out, "</td>");
    write_value(out, CELL_SHARE, median(losses->next, losses->count));
    write_value(out, CELL_SHARE, median(losses->worst, losses->count));
    write_integer(out, (int64_t)losses->count);
    html(out, "<td>%s</td></tr>\n",
         losses->count == 0            ? "–"
         : losses == &influence->alone ? "alone"
                                       : "with others");
}

static void write_part(struct page *page, const struct part *part)
{
    struct influences list = {.page = page, .winners = part->end - part->first};
    list.items = arena_alloc(&page->arena, PARAMETERS_MAX, sizeof *list.items);
    page->out.failed = page->out.failed || !list.items;
    for (size_t i = part->first; list.items && i < part->end; i++)
        gather(&list, &page->winners[i]);
    if (!list.items || list.count == 0)
        return;
    qsort(list.items, list.count, sizeof *list.items, by_cost);
    html(&page->out, "<details open><summary><b>%s</b>, over %zu %s</summary>\n", part->experiment,
         part->end - part->first, part->end - part->first == 1 ? "winner" : "winners");
    write_table_begin(&page->out, "parameters");
    text_append(&page->out,
                "<th>parameter</th><th>the winners’ values</th><th class=\"n\">next best costs</th>"
                "<th class=\"n\">worst costs</th><th class=\"n\">of winners</th><th>changed</th>"
                "</tr></thead><tbody>\n");
    for (size_t i = 0; i < list.count; i++)
        write_influence(&page->out, &list.items[i]);
    write_table_end(&page->out);
    text_append(&page->out, "</details>\n");
}

enum status write_parameters(struct page *page, struct error *error)
{
    bool is_explained = false;
    (void)error;
    for (size_t i = 0; i < page->winner_count; i++)
        is_explained = is_explained ||
                       (page->winners[i].explained && page->winners[i].why.sensitivity_count > 0);
    if (!is_explained)
        return STATUS_OK;
    section_begin(page, "parameters", "Parameters", "The parameters that matter");
    text_append(&page->out,
                "<p>How much slower a winner becomes when one of its parameters takes another "
                "value: the median over the winners, by the times of the sweep, the parameter that "
                "costs most first. Behind each value stands how many winners have it. Where "
                "the constraints never let it change alone, others changed with it.</p>\n");
    for (size_t i = 0; i < page->setting_count; i++) {
        setting_heading(page, &page->settings[i]);
        for (size_t k = page->settings[i].part_first; k < page->settings[i].part_end; k++)
            write_part(page, &page->parts[k]);
    }
    section_end(page);
    return STATUS_OK;
}
