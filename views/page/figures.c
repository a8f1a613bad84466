/* gnuplot's figures, as SVG within the page. */
#include <string.h>

#include "tuner/base/json.h"
#include "views/page/internal.h"
#include "views/plot/plot.h"

/* Experiments that get the overview, and how much all figures may take. */
enum { EXPERIMENTS_MAX = 12, BYTES_MAX = 4 << 20, BYTES_ONE = 3 << 19, ABSENT_MAX = 512 };
/* Trials of a figure: so many points fit in BYTES_ONE. Of more a sample is drawn, and says so. */
enum { TRIALS_MAX = 12000 };

static const char *const overview[] = {"size", "gain", "roofline", "occupancy"};
enum { OVERVIEW = sizeof overview / sizeof overview[0] };

struct drawing {
    struct page *page;
    struct text *out;
    struct arena arena; /* the SVG in hand */
    const struct plot_name *names;
    size_t name_count;
    size_t done, total;
    size_t drawn; /* figures drawn; ids begin with this number */
    size_t bytes;
    bool ended;          /* no gnuplot: no use to go on */
    struct text *absent; /* JSON texts */
};

static void draw(struct drawing *drawing, const char *figure, const struct winner *winner)
{
    const struct report_request *request = drawing->page->request;
    const struct plot_request wanted = {
        .figure = figure,
        .environment_id = winner->environment_id,
        .problem = winner->problem,
        .n = winner->n,
        .l2_mode = winner->l2_mode,
        .most = TRIALS_MAX,
        .database = drawing->page->database,
    };
    const char *about = NULL; /* NULL: the name is unknown */
    for (size_t i = 0; i < drawing->name_count && !about; i++)
        if (strcmp(drawing->names[i].name, figure) == 0)
            about = drawing->names[i].about;
    const char *svg = NULL;
    const char *sentence = ""; /* text alternative of the picture, for screen readers */
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
        (strlen(svg) > BYTES_ONE || drawing->bytes + strlen(svg) > BYTES_MAX))
        (void)error_set(
            &error, STATUS_INTERNAL,
            "%s: too large for a page with the others; 'tune plot %s --problem %s --n %lld' "
            "draws it",
            figure, figure, winner->problem, (long long)winner->n);
    if (error.status == STATUS_OK) {
        struct text *out = drawing->out;
        struct text label = {0};
        drawing->drawn++;
        drawing->bytes += strlen(svg);
        text_printf(&label, "%s%s%s: %s, n = %lld, on %s", sentence, sentence[0] ? ". " : "", about,
                    winner->problem, (long long)winner->n, winner->device);
        text_printf(out,
                    "<figure data-figure=\"%s\"><div class=\"box\" tabindex=\"0\" "
                    "role=\"img\" aria-label=\"",
                    figure);
        page_escape(out, text_string(&label));
        text_append(out, "\">");
        text_append(out, svg);
        text_append(out, "</div><figcaption>");
        page_escape(out, about);
        text_append(out, "</figcaption></figure>\n");
        text_free(&label);
    } else {
        struct text words = {0};
        drawing->ended = drawing->ended || error.status == STATUS_UNAVAILABLE;
        text_printf(&words, "%s%s", drawing->ended ? "all figures: " : "", error.text);
        text_append(drawing->absent, drawing->absent->length > 0 ? "," : "");
        json_append_string(drawing->absent, text_string(&words));
        text_free(&words);
        if (request->left_out)
            request->left_out(request->context, figure, &error);
    }
    arena_free(&drawing->arena);
}

/* ---- which ---- */

static size_t drawn_parts(const struct setting *setting)
{
    size_t count = setting->part_end - setting->part_first;
    return count < EXPERIMENTS_MAX ? count : EXPERIMENTS_MAX;
}

/* Returns true if the setting has figures: these show time, no other objective. */
static bool is_drawn(const struct page *page, const struct setting *setting)
{
    return strcmp(page->winners[setting->first].objective, "time") == 0;
}

enum status page_append_figures(struct page *page, struct text *out, struct text *absent,
                                struct error *error)
{
    struct drawing drawing = {.page = page, .out = out, .absent = absent};
    struct arena names = {0};
    if (page->winner_count == 0)
        return STATUS_OK;
    TRY(plot_names(&names, &drawing.names, &drawing.name_count, error));
    for (size_t i = 0; i < page->setting_count; i++)
        if (is_drawn(page, &page->settings[i]))
            drawing.total += OVERVIEW * drawn_parts(&page->settings[i]);
    drawing.total += drawing.name_count > OVERVIEW ? drawing.name_count - OVERVIEW : 0;
    for (size_t i = 0; i < page->setting_count && !drawing.ended; i++)
        if (is_drawn(page, &page->settings[i])) {
            /* Draws a setting. Pictures are half of a page: the script takes each out of <noscript>
             * when the user looks. */
            const struct setting *setting = &page->settings[i];
            for (size_t j = 0; j < drawn_parts(setting); j++) {
                const struct part *part = &page->parts[setting->part_first + j];
                text_append(drawing.out, "<noscript data-setting=\"");
                page_escape(drawing.out, setting->label);
                text_append(drawing.out, "\" data-experiment=\"");
                page_escape(drawing.out, part->experiment);
                text_append(drawing.out, "\">");
                /* Draws a part's overview; with `all`, every figure. */
                const bool all = i == 0 && part->example == setting->example;
                const struct winner *winner = &page->winners[part->example];
                for (size_t k = 0; k < OVERVIEW; k++)
                    draw(&drawing, overview[k], winner);
                for (size_t k = 0; all && k < drawing.name_count; k++)
                    if (WORD_INDEX(drawing.names[k].name, overview, OVERVIEW) == OVERVIEW)
                        draw(&drawing, drawing.names[k].name, winner);
                text_append(drawing.out, "</noscript>\n");
            }
        }
    arena_free(&names);
    return STATUS_OK;
}
