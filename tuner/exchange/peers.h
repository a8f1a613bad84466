/* Times of other implementations of a problem (a vendor's library, say), measured by another
 * program and imported into the database for figures and reports. */
#ifndef TUNE_EXCHANGE_PEERS_H
#define TUNE_EXCHANGE_PEERS_H

#include <stddef.h>

#include "tuner/base/error.h"
#include "tuner/store/store.h"

/* Zero-initialise; texts are borrowed for the call. */
struct peers_request {
    const char *path;   /* CSV (RFC 4180) with a header line */
    const char *device; /* as for plot_request [the one measured last] */
    const char *prefix; /* text before each problem's key: "reduce." [none] */
    /* "name=rival,time_ns=rival_ns": the file's columns for known names: problem, n, l2_mode, name,
     * time_ns, mad_ns, tuned_ns, ratio, ratio_low, ratio_high, rounds; the first two, name and
     * time_ns are needed. [columns have these names] */
    const char *columns;
};
struct peers_result {
    size_t rows;    /* taken in */
    size_t unknown; /* rows of problems that the database lacks: left out */
};

/* Imports all rows or none: the error names the first wrong line. A row replaces one of the same
 * device, problem, n, mode and name. */
enum status peers_import(struct store *store, const struct peers_request *request,
                         struct peers_result *result, struct error *error);

#endif
