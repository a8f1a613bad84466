/* Times of other implementations of a problem (a vendor's library, say), measured by another
 * program and brought into the database beside tune's own, so that figures and reports can show
 * them. */
#ifndef TUNE_EXCHANGE_PEERS_H
#define TUNE_EXCHANGE_PEERS_H

#include <stddef.h>

#include "tuner/base/error.h"
#include "tuner/store/store.h"

/* Zero-initialise; texts are borrowed for the call. */
struct peers_request {
    const char *path;   /* CSV (RFC 4180) with a header line */
    const char *device; /* as for plot_request [the one measured last] */
    const char *prefix; /* put before each problem's key: "reduce." [nothing] */
    /* "name=rival,time_ns=rival_ns": which column of the file holds what. Known: problem, n,
     * l2_mode, name, time_ns, mad_ns, tuned_ns, ratio, ratio_low, ratio_high, rounds; the first
     * two, name and time_ns are needed. [each has its own name] */
    const char *columns;
};
struct peers_result {
    size_t rows;    /* taken in */
    size_t unknown; /* of problems that the database does not have: left out */
};

/* All rows or none: the first wrong one is named with its line. A row replaces one of the same
 * device, problem, n, mode and name. */
enum status peers_import(struct store *store, const struct peers_request *request,
                         struct peers_result *result, struct error *error);

#endif
