/* One page that tells a colleague what was found: a file of HTML with nothing outside it. */
#ifndef TUNE_PAGE_REPORT_H
#define TUNE_PAGE_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/store/store.h"

/* What a page that is served while its database grows has besides. Ours: put in as it is. */
struct report_live {
    const char *style, *script;
    const char *body;  /* markup, in front of the sections */
    const char *nonce; /* of the scripts: letters and digits */
};

/* Zero-initialise; NULL means what stands in brackets. Texts are borrowed for the call. */
struct report_request {
    const char *database;     /* its file, as the page names it and its commands use it */
    const char *device;       /* name, uuid, kind or "cuda:0" [all that have winners] */
    const char *const *words; /* experiments or beginnings of problem keys [all] */
    size_t word_count;
    struct store *before;        /* another database, of an earlier run, to be put beside [none] */
    const char *before_database; /* its file */
    const char *title;           /* [made of the device and the experiments] */
    bool no_figures;             /* without gnuplot */
    /* The page may ask where it comes from for more [a file that asks for nothing]. With it a
     * database without measurements gives a page that has nothing but this. */
    const struct report_live *live;
    void *context; /* handed to the two below, which may be NULL */
    /* A figure that is not on the page, and why; the page says it too. */
    void (*left_out)(void *context, const char *figure, const struct error *error);
    /* Between figures, which take seconds: done of total. */
    void (*progress)(void *context, size_t done, size_t total);
};

/* Appends the page, UTF-8, to an empty text. STATUS_NOT_FOUND: the database has no measurements, or
 * none of what was asked for (with the nearest that has). Figures that cannot be drawn are no
 * failure. */
enum status report_make(struct store *store, const struct report_request *request, struct text *out,
                        struct error *error);

/* Appends to an empty text what the page draws, as JSON: what stands in its <script id="data">, and
 * what its function render() takes. Fails as report_make does. */
enum status report_data(struct store *store, const struct report_request *request, struct text *out,
                        struct error *error);

#endif
