/* T4, the autotuning community's format of results, out of the database (docs/t1.md): every trial
 * of the sweep of one problem. Times are seconds, and say so. */
#ifndef TUNE_EXCHANGE_T4_H
#define TUNE_EXCHANGE_T4_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/store/store.h"

enum t4_version { T4_1_0_0, T4_1_1_0 };
/* Parses a version; STATUS_USAGE when unknown. */
enum status t4_version_parse(const char *text, enum t4_version *out, struct error *error);

struct t4_options {
    enum t4_version version;
    const char *problem; /* key of a problem, or its beginning up to a dot; NULL: the only one */
    const char *n;       /* a size, in digits; NULL: the only one */
};

struct t4_counts {
    size_t results;
    char what[256]; /* "bat_gemm n=1 on NVIDIA H200 (cold)" */
};

/* Takes the file a part at a time. */
typedef enum status t4_take(void *context, const char *data, size_t bytes, struct error *error);

/* Writes the file in parts, never holding all of the text. For a problem tried on several devices
 * or in several modes, takes the last. STATUS_NOT_FOUND: no such problem, or several, with names.
 */
enum status t4_write(struct store *store, const struct t4_options *options, t4_take *take,
                     void *context, struct t4_counts *counts, struct error *error);

#endif
