/* A report on one page: a self-contained HTML file. */
#ifndef TUNE_PAGE_REPORT_H
#define TUNE_PAGE_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/store/store.h"

/* Additions of a page served while its database grows. Trusted text, inserted unescaped. */
struct report_live {
    const char *style, *script;
    const char *body;  /* markup, in front of the sections */
    const char *nonce; /* the scripts' nonce: letters and digits */
};

/* A request. Zero-initialise; NULL means the value in brackets. Texts are borrowed for the call. */
struct report_request {
    const char *database;     /* path of the database, for the page's text and commands */
    const char *device;       /* name, uuid, kind or "cuda:0" [all that have winners] */
    const char *const *words; /* experiments or beginnings of problem keys [all] */
    size_t word_count;
    struct store *before;        /* another database, of an earlier run, to be put beside [none] */
    const char *before_database; /* its file */
    const char *title;           /* [made of the device and the experiments] */
    /* Permits the page to request more from its server [no requests]. A database without
     * measurements then gives a page with these additions alone. */
    const struct report_live *live;
};

/* Appends the page, UTF-8, to an empty text. Returns STATUS_NOT_FOUND if the database has no
 * measurements, or none for the request (with the nearest name). */
enum status report_make(struct store *store, const struct report_request *request, struct text *out,
                        struct error *error);

/* Appends the page's data to an empty text, as JSON: the content of <script id="data"> and the
 * argument of the page's function render(). Fails as report_make does. */
enum status report_data(struct store *store, const struct report_request *request, struct text *out,
                        struct error *error);

#endif
