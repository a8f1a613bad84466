/* The page: frame, data, and the script's drawings. */
#include <jansson.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/json.h"
#include "tuner/base/shell.h"
#include "tuner/base/version.h"
#include "tuner/stats/estimate.h"
#include "views/page/embedded.h"
#include "views/page/internal.h"
#include "views/plot/plot.h"

/* Version of the data, whose members are in docs/report.md; rises if a member's meaning changes. */
#define DATA_VERSION "1"

/* Appends the title: "reduce on NVIDIA H200", at most three experiments by name. */
static void append_title(const struct page *page, struct text *out)
{
    size_t shown = 0;
    if (page->request->title) {
        text_append(out, page->request->title);
        return;
    }
    for (size_t i = 0; i < page->winner_count; i++) {
        const char *experiment = page->winners[i].experiment;
        bool is_named = false;
        for (size_t k = 0; k < i && !is_named; k++)
            is_named = strcmp(page->winners[k].experiment, experiment) == 0;
        if (!is_named && shown++ < 3)
            text_printf(out, "%s%s", shown == 1 ? "" : ", ", experiment);
    }
    if (shown > 3)
        text_printf(out, " and %zu more", shown - 3);
    text_printf(out, "%s%s", shown > 0 ? " on " : "", page->devices ? page->devices : "tune");
}

static void append_string(struct text *out, const char *name, const char *value)
{
    text_printf(out, ",\"%s\":", name);
    json_append_string(out, value);
}

static enum status append_data(struct page *page, struct text *out, struct error *error)
{
    static const struct store_column columns[] = {{"user_version", 0, STORE_INTEGER}};
    const struct store_reading reading = {.sql = "SELECT user_version FROM pragma_user_version",
                                          STORE_COLUMNS(columns),
                                          .row_bytes = sizeof(int64_t)};
    struct text json = {0};
    int64_t *schema = NULL;
    size_t count = 0;
    enum status status = page_read(page, reading, &schema, &count, error);
    if (status == STATUS_OK) {
        /* Appends the page's origin: title, data, and the version of tune. */
        struct text words = {0};
        text_printf(&json,
                    "{\"version\":" DATA_VERSION ",\"near\":" PLOT_NEAR
                    ",\"schema\":%lld,\"device_count\":%zu,\"apart_most\":%d",
                    count > 0 ? (long long)*schema : 0LL, page->device_count, BOUNDS_APART_MAX);
        append_string(&json, "tune", TUNE_VERSION);
        append_title(page, &words);
        append_string(&json, "title", text_string(&words));
        append_string(&json, "first_day", page->first_day);
        append_string(&json, "last_day", page->last_day);
        append_string(&json, "database", page->database);
        text_clear(&words);
        shell_append_word(&words, page->database);
        append_string(&json, "database_word", text_string(&words));
        text_append(&json, ",\"words\":");
        text_append(&json, page->words_json ? page->words_json : "[]");
        json.failed = json.failed || words.failed;
        text_free(&words);
        status = page_append_parts(page, &json, error);
    }
    if (status == STATUS_OK)
        status = page_append_tables(page, &json, error);
    text_append(&json, "}");
    page_append_in_script(out, text_string(&json));
    if (status == STATUS_OK && (json.failed || out->failed || page->arena.failed))
        status = error_no_memory(error);
    text_free(&json);
    return status;
}

/* Appends the frame. The policy allows only the page's own scripts and data, whatever a name
 * contains. */
static void append_frame(const struct page *page, const char *title, const struct text *data,
                         struct text *out)
{
    const struct report_live *live = page->request->live;
    const char *nonce = live ? live->nonce : "tune";
    struct text word = {0};
    shell_append_word(&word, page->database);
    text_printf(out,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'unsafe-inline'; script-src 'nonce-%s'; img-src data:%s\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<meta name=\"generator\" content=\"tune " TUNE_VERSION "\">\n<title>",
                nonce, live ? "; connect-src 'self'" : "");
    page_escape(out, title);
    text_append(out, "</title>\n<style>\n");
    text_append(out, report_style);
    text_append(out, live ? live->style : "");
    text_append(out, "</style>\n</head>\n<body>\n<header id=\"head\">\n<h1>");
    page_escape(out, title);
    text_append(out, "</h1>\n</header>\n<noscript><p class=\"lead\">This page is drawn by its own "
                     "script, which your browser does not run: JavaScript is off. In a terminal, "
                     "<code>tune show --db ");
    page_escape(out, text_string(&word));
    text_append(out, "</code> prints the winners, and <code>tune show --help</code> names the "
                     "other tables.</p></noscript>\n");
    text_append(out, live ? live->body : "");
    text_append(out, "<main id=\"page\"></main>\n<footer id=\"foot\"></footer>\n"
                     "<script type=\"application/json\" id=\"data\">");
    text_append(out, data->length > 0 ? text_string(data) : "null");
    text_printf(out, "</script>\n<script nonce=\"%s\">\n", nonce);
    text_append(out, report_script);
    text_append(out, live ? live->script : "");
    text_append(out, "</script>\n</body>\n</html>\n");
    out->failed = out->failed || word.failed;
    text_free(&word);
}

static void close_page(struct page *page)
{
    rows_free(&page->rows);
    arena_free(&page->arena);
}

enum status report_make(struct store *store, const struct report_request *request, struct text *out,
                        struct error *error)
{
    struct page page = {.store = store, .request = request};
    struct text data = {0};
    struct text title = {0};
    enum status status = store_hold(store, error);
    if (status == STATUS_OK)
        status = page_collect(&page, error);
    if (status == STATUS_OK)
        status = append_data(&page, &data, error);
    if (status == STATUS_NOT_FOUND && request->live && !page.first_day) {
        error_clear(error);
        text_clear(&data);
        status = STATUS_OK;
    }
    append_title(&page, &title);
    if (status == STATUS_OK)
        append_frame(&page, text_string(&title), &data, out);
    if (status == STATUS_OK && (out->failed || data.failed || title.failed))
        status = error_no_memory(error);
    text_free(&data);
    text_free(&title);
    close_page(&page);
    return status;
}

enum status report_data(struct store *store, const struct report_request *request, struct text *out,
                        struct error *error)
{
    struct page page = {.store = store, .request = request};
    enum status status = store_hold(store, error);
    if (status == STATUS_OK)
        status = page_collect(&page, error);
    if (status == STATUS_OK)
        status = append_data(&page, out, error);
    close_page(&page);
    return status;
}
