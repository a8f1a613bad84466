#include "views/watch/snapshot.h"

#include "tuner/store/query.h"
#include "views/page/report.h"
#include "views/watch/embedded.h"

enum status snapshot_live(const char *database, struct text *json, struct text *revision,
                          struct error *error)
{
    struct store *store = NULL;
    struct store_query *query = NULL;
    bool row = false;
    enum status status = store_open(database, STORE_READ, &store, error);
    if (status != STATUS_OK)
        return status;
    status = store_query_open(store, watch_query, NULL, 0, &query, error);
    if (status == STATUS_OK)
        status = store_query_next(query, &row, error);
    if (status == STATUS_OK && row) {
        text_append(json, store_query_text(query, 0));
        text_append(revision, store_query_text(query, 1));
        if (json->failed || revision->failed)
            status = error_no_memory(error);
    }
    if (query)
        store_query_close(query);
    store_close(store);
    return status;
}

enum status snapshot_page(const char *database, const char *nonce, const char *revision,
                          struct text *page, struct error *error)
{
    struct text body = {0};
    text_printf(&body, "<aside id=\"watch\" aria-label=\"Live\" data-revision=\"%s\">", revision);
    text_append(&body, watch_body);
    text_append(&body, "</aside>\n");
    const struct report_live live = {
        .style = watch_style, .script = watch_script, .body = text_string(&body), .nonce = nonce};
    const struct report_request request = {.database = database, .no_figures = true, .live = &live};
    struct store *store = NULL;
    enum status status =
        body.failed ? error_no_memory(error) : store_open(database, STORE_READ, &store, error);
    if (status == STATUS_OK)
        status = report_make(store, &request, page, error);
    store_close(store);
    text_free(&body);
    return status;
}

enum status snapshot_data(const char *database, struct text *json, struct error *error)
{
    const struct report_request request = {.database = database};
    struct store *store = NULL;
    enum status status = store_open(database, STORE_READ, &store, error);
    if (status == STATUS_OK)
        status = report_data(store, &request, json, error);
    store_close(store);
    return status;
}
