/* The figures, as SVG within the page. */
#include <string.h>

#include "views/page/html.h"
#include "views/page/internal.h"
#include "views/plot/plot.h"

/* Experiments that get the overview, and how much all figures may take. */
enum { EXPERIMENTS_MOST = 12, BYTES_MOST = 4 << 20, BYTES_ONE = 3 << 19, ABSENT_MAX = 512 };
/* Trials of a figure: so many points fit in BYTES_ONE. Of more a sample is drawn, and says so. */
enum { TRIALS_MOST = 12000 };

static const char *const overview[] = {"size", "gain", "roofline", "occupancy"};
enum { OVERVIEW = sizeof overview / sizeof overview[0] };

struct drawing {
    struct page *page;
    struct arena arena; /* the SVG in hand */
    const struct plot_name *names;
    size_t name_count;
    size_t done, total;
    size_t drawn; /* their ids begin with its number */
    size_t bytes;
    bool ended;         /* no gnuplot: no use to go on */
    struct text absent; /* list items */
};

/* NULL: there is none of that name. */
static const char *about_figure(const struct drawing *drawing, const char *figure)
{
    for (size_t i = 0; i < drawing->name_count; i++)
        if (strcmp(drawing->names[i].name, figure) == 0)
            return drawing->names[i].about;
    return NULL;
}

static void leave_out(struct drawing *drawing, const char *figure, const struct error *error)
{
    const struct report_request *request = drawing->page->request;
    if (error->status == STATUS_UNAVAILABLE) {
        drawing->ended = true;
        html(&drawing->absent, "<li>all figures: %s</li>", error->text);
    } else {
        html(&drawing->absent, "<li>%s</li>", error->text);
    }
    if (request->left_out)
        request->left_out(request->context, figure, error);
}

static void draw(struct drawing *drawing, const char *figure, const struct winner *winner)
{
    const struct report_request *request = drawing->page->request;
    const struct plot_request wanted = {
        .figure = figure,
        .environment_id = winner->environment_id,
        .problem = winner->problem,
        .n = winner->n,
        .l2_mode = winner->l2_mode,
        .most = TRIALS_MOST,
        .database = drawing->page->database,
    };
    const char *about = about_figure(drawing, figure);
    const char *svg = NULL;
    const char *sentence = ""; /* the picture shows it, and who does not see it hears it */
    char name[32];             /* figures do not take each other's points */
    struct error error = {0};
    if (drawing->ended || !about)
        return;
    if (request->progress)
        request->progress(request->context, drawing->done, drawing->total);
    drawing->done++;
    (void)string_format(name, sizeof name, "f%zu", drawing->drawn + 1);
    if (plot_svg(drawing->page->store, &wanted, name, &drawing->arena, &svg, &sentence, &error) ==
            STATUS_OK &&
        (strlen(svg) > BYTES_ONE || drawing->bytes + strlen(svg) > BYTES_MOST))
        (void)error_set(
            &error, STATUS_INTERNAL,
            "%s: too large for a page with the others; 'tune plot %s --problem %s --n %lld' "
            "draws it",
            figure, figure, winner->problem, (long long)winner->n);
    if (error.status == STATUS_OK) {
        struct text *out = &drawing->page->out;
        drawing->drawn++;
        drawing->bytes += strlen(svg);
        html(out,
             "<figure data-figure=\"%s\"><div class=\"box\" tabindex=\"0\" role=\"img\" "
             "aria-label=\"%s%s%s: %s, n = %lld, on %s\">",
             figure, sentence, sentence[0] ? ". " : "", about, winner->problem,
             (long long)winner->n, winner->device);
        text_append(out, svg);
        html(out, "</div><figcaption>%s</figcaption></figure>\n", about);
    } else {
        leave_out(drawing, figure, &error);
    }
    arena_free(&drawing->arena);
}

/* ---- which ---- */

static bool is_overview(const char *figure)
{
    for (size_t i = 0; i < OVERVIEW; i++)
        if (strcmp(overview[i], figure) == 0)
            return true;
    return false;
}

/* The overview of one experiment; of the one that tells most every figure. */
static void draw_part(struct drawing *drawing, const struct part *part, bool all)
{
    const struct winner *winner = &drawing->page->winners[part->telling];
    for (size_t i = 0; i < OVERVIEW; i++)
        draw(drawing, overview[i], winner);
    for (size_t i = 0; all && i < drawing->name_count; i++)
        if (!is_overview(drawing->names[i].name))
            draw(drawing, drawing->names[i].name, winner);
}

static size_t drawn_parts(const struct setting *setting)
{
    size_t count = setting->part_end - setting->part_first;
    return count < EXPERIMENTS_MOST ? count : EXPERIMENTS_MOST;
}

/* Figures are of time: other objectives have none of their own. */
static bool is_drawn(const struct page *page, const struct setting *setting)
{
    return strcmp(page->winners[setting->first].objective, "time") == 0;
}

static void draw_setting(struct drawing *drawing, const struct setting *setting, bool first)
{
    struct page *page = drawing->page;
    setting_heading(page, setting);
    for (size_t i = 0; i < drawn_parts(setting); i++) {
        const struct part *part = &page->parts[setting->part_first + i];
        bool all = first && part->telling == setting->telling;
        /* Pictures are most of a page: where the script runs it takes them out of <noscript> when
         * they are looked at. */
        html(&page->out, "<details%s><summary><b>%s</b></summary>\n<noscript>",
             first || drawn_parts(setting) == 1 ? " open" : "", part->experiment);
        draw_part(drawing, part, all);
        text_append(&page->out, "</noscript></details>\n");
    }
}

static void write_absent(struct drawing *drawing)
{
    struct text *out = &drawing->page->out;
    if (drawing->absent.length == 0)
        return;
    html(out, "<details%s><summary>Figures that are not here, and why</summary><ul>",
         drawing->drawn == 0 ? " open" : "");
    text_append(out, text_string(&drawing->absent));
    html(out, "</ul></details>\n");
    out->failed = out->failed || drawing->absent.failed;
}

enum status write_figures(struct page *page, struct error *error)
{
    struct drawing drawing = {.page = page};
    struct arena names = {0};
    if (page->winner_count == 0 || page->request->no_figures)
        return STATUS_OK;
    enum status status = plot_names(&names, &drawing.names, &drawing.name_count, error);
    if (status != STATUS_OK)
        return status;
    section_begin(page, "figures", "Figures", "Figures");
    for (size_t i = 0; i < page->setting_count; i++)
        if (is_drawn(page, &page->settings[i]))
            drawing.total += OVERVIEW * drawn_parts(&page->settings[i]);
    drawing.total += drawing.name_count > OVERVIEW ? drawing.name_count - OVERVIEW : 0;
    for (size_t i = 0; i < page->setting_count && !drawing.ended; i++)
        if (is_drawn(page, &page->settings[i]))
            draw_setting(&drawing, &page->settings[i], i == 0);
    write_absent(&drawing);
    html(&page->out,
         "<p class=\"note\">Any figure of any problem: <code>tune plot --list</code>, then "
         "<code>tune plot FIGURE --problem KEY --n N --db %s</code>.</p>\n",
         page->database_word);
    section_end(page);
    text_free(&drawing.absent);
    arena_free(&names);
    return STATUS_OK;
}
