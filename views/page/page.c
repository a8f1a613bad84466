/* The page: its frame, and the order of its sections. */
#include <string.h>

#include "tuner/base/version.h"
#include "views/page/embedded.h"
#include "views/page/html.h"
#include "views/page/internal.h"

void section_begin(struct page *page, const char *id, const char *link, const char *heading)
{
    html(&page->out, "<section id=\"%s\">\n", id);
    page->is_folded = heading != NULL;
    if (!heading)
        return;
    /* The table of winners is open where nothing else tells them: without the script. */
    html(&page->out, "<details class=\"fold\"%s><summary><h2>%s</h2></summary>\n",
         strcmp(id, "winners") == 0 ? " open" : "", heading);
    html(&page->links, "<a href=\"#%s\">%s</a> ", id, link);
}

void section_end(struct page *page)
{
    text_append(&page->out, page->is_folded ? "</details></section>\n" : "</section>\n");
}

void setting_heading(struct page *page, const struct setting *setting)
{
    if (page->setting_count > 1)
        html(&page->out, "<h3 class=\"where\">%s</h3>\n", setting->label);
}

/* "reduce on NVIDIA H200": at most three experiments by name. */
static enum status make_title(struct page *page, struct error *error)
{
    struct text title = {0};
    size_t shown = 0;
    if (page->request->title) {
        page->title = page->request->title;
        return STATUS_OK;
    }
    for (size_t i = 0; i < page->part_count; i++) {
        bool is_named = false;
        for (size_t k = 0; k < i && !is_named; k++)
            is_named = strcmp(page->parts[k].experiment, page->parts[i].experiment) == 0;
        if (!is_named && shown++ < 3)
            text_printf(&title, "%s%s", shown == 1 ? "" : ", ", page->parts[i].experiment);
    }
    if (shown > 3)
        text_printf(&title, " and %zu more", shown - 3);
    text_printf(&title, "%s%s", shown > 0 ? " on " : "", page->devices);
    page->title = arena_strdup(&page->arena, text_string(&title));
    bool failed = title.failed || !page->title;
    text_free(&title);
    return failed ? error_no_memory(error) : STATUS_OK;
}

static const char *page_nonce(const struct page *page)
{
    return page->request->live ? page->request->live->nonce : "tune";
}

static void write_header(const struct page *page, struct text *out)
{
    html(out, "<header>\n<p class=\"kicker\">tune report</p>\n<h1>%s</h1>\n<p class=\"meta\">",
         page->title);
    if (!page->first_day)
        text_append(out, "Nothing is measured yet");
    else if (strcmp(page->first_day, page->last_day) == 0)
        html(out, "Measured on %s", page->first_day);
    else
        html(out, "Measured from %s to %s", page->first_day, page->last_day);
    html(out, " · database %s", page->database);
    if (page->request->word_count > 0)
        text_append(out, " · only");
    for (size_t i = 0; i < page->request->word_count; i++)
        html(out, " %s", page->request->words[i]);
    text_append(out, "</p>\n<nav aria-label=\"Sections\">");
    text_append(out, text_string(&page->links));
    text_append(out, "</nav>\n</header>\n");
    if (page->request->live)
        text_append(out, page->request->live->body);
    text_append(out, "<main>\n");
}

static void write_foot(const struct page *page, const struct text *data, struct text *out)
{
    html(out,
         "</main>\n<footer><p>Made by tune %s out of %s. Times are medians; GB/s are 10<sup>9</sup>"
         " bytes per second; <i>ceiling</i> is the bandwidth that was measured on the device.</p>"
         "</footer>\n<script type=\"application/json\" id=\"data\">",
         TUNE_VERSION, page->database);
    text_append(out, data->length > 0 ? text_string(data) : "null");
    html(out, "</script>\n<script nonce=\"%s\">\n", page_nonce(page));
    text_append(out, report_script);
    if (page->request->live)
        text_append(out, page->request->live->script);
    text_append(out, "</script>\n</body>\n</html>\n");
}

/* Where the script draws. */
static void write_live(struct page *page)
{
    if (page->setting_count == 0) {
        text_append(&page->out, "<div id=\"drawn\"></div>\n");
        return;
    }
    const struct winner *telling = &page->winners[page->settings[0].telling];
    html(&page->out, "<div id=\"drawn\" data-telling=\"%s %lld\"></div>\n", telling->problem,
         (long long)telling->n);
}

static enum status write_sections(struct page *page, struct error *error)
{
    static enum status (*const sections[])(struct page * page, struct error * error) = {
        write_compare,  write_ranges, write_why,   write_parameters, write_figures,
        write_failures, write_search, write_trust, write_repeat,
    };
    enum status status = STATUS_OK;
    write_answer(page);
    write_live(page);
    write_winners(page);
    for (size_t i = 0; status == STATUS_OK && i < sizeof sections / sizeof sections[0]; i++)
        status = sections[i](page, error);
    return status;
}

enum status report_make(struct store *store, const struct report_request *request, struct text *out,
                        struct error *error)
{
    struct page page = {.store = store, .request = request};
    struct text data = {0};
    enum status status = page_choose(&page, error);
    if (status == STATUS_OK)
        status = page_collect(&page, error);
    if (status == STATUS_OK)
        status = make_title(&page, error);
    if (status == STATUS_OK)
        status = page_data(&page, &data, error);
    if (status == STATUS_OK)
        status = write_sections(&page, error);
    if (status == STATUS_NOT_FOUND && request->live && !page.first_day) {
        error_clear(error);
        page.title = "tune";
        status = STATUS_OK;
    }
    if (status == STATUS_OK) {
        const struct report_live *live = page.request->live;
        /* Nothing but what stands in the page may run or be loaded, whatever a name holds. */
        html(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
             "style-src 'unsafe-inline'; script-src 'nonce-%s'; img-src data:%s\">\n",
             page_nonce(&page), live ? "; connect-src 'self'" : "");
        html(out,
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n"
             "<meta name=\"generator\" content=\"tune %s\">\n<title>%s</title>\n<style>\n",
             TUNE_VERSION, page.title);
        text_append(out, report_style);
        if (live)
            text_append(out, live->style);
        text_append(out, "</style>\n</head>\n<body>\n");
        write_header(&page, out);
        text_append(out, text_string(&page.out));
        write_foot(&page, &data, out);
        if (page.out.failed || data.failed || page.links.failed || out->failed)
            status = error_no_memory(error);
    }
    text_free(&data);
    text_free(&page.links);
    text_free(&page.out);
    arena_free(&page.arena);
    return status;
}

enum status report_data(struct store *store, const struct report_request *request, struct text *out,
                        struct error *error)
{
    struct page page = {.store = store, .request = request};
    enum status status = page_choose(&page, error);
    if (status == STATUS_OK)
        status = page_collect(&page, error);
    if (status == STATUS_OK)
        status = page_data(&page, out, error);
    arena_free(&page.arena);
    return status;
}
