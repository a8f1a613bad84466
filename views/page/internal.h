/* Between the files of this room. */
#ifndef TUNE_PAGE_INTERNAL_H
#define TUNE_PAGE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/stats/verdict.h"
#include "tuner/store/query.h"
#include "tuner/terminal/rows.h"
#include "views/explain/explain.h"
#include "views/page/report.h"

/* A speed-up over another choice. Unknown reals are NaN. */
struct gain {
    const char *name;  /* a baseline's or a peer's */
    const char *about; /* NULL: not said */
    double ratio, low, high;
    bool peer;
    const char *standing; /* a baseline's: "as fast", "slower", "not compared"; NULL: unknown */
};

/* Where something was measured. */
struct environment {
    int64_t id, device_id;
    const char *device, *kind, *uuid;
    const char *first_day, *last_day; /* days of the measurements there */
};

struct winner {
    size_t row; /* index into page.rows, with all values of `tune show --json` */
    int64_t id, environment_id, run_id, problem_id, n, rounds, rounds_dropped;
    const char *device, *device_uuid, *l2_mode, *objective, *experiment, *problem;
    const char *setting; /* device, L2 mode and objective: "NVIDIA H200", as long as needed */
    enum verdict verdict;
    double time_ns, gbs;
    struct gain *gains;
    size_t gain_count;
    bool explained;
    struct explanation why;
};

struct page {
    struct store *store;
    const struct report_request *request;
    struct arena arena;
    const char *database;             /* file name without folders */
    const char *words_json;           /* NULL: all */
    const char *environments_json;    /* environments of the requested device */
    const char *devices;              /* names of the devices, "a, b" */
    const char *most;                 /* launches of a problem at most; NULL: all */
    struct environment *environments; /* by device */
    size_t environment_count;
    const char *first_day, *last_day; /* days of the measurements */
    size_t device_count;
    struct rows rows; /* winners.sql */
    struct winner *winners;
    size_t winner_count;
};

/* Reads rows of a query with the page's words, environments and device. */
enum status page_read(struct page *page, struct store_reading reading, void *rows, size_t *count,
                      struct error *error);
enum status page_rows(struct page *page, const char *sql, struct rows *rows, struct error *error);

/* Finds which environments, days, words and winners are meant; STATUS_NOT_FOUND as report_make
 * says. */
enum status page_collect(struct page *page, struct error *error);
bool page_has_environment(const struct page *page, int64_t id);

/* Appends the text escaped for an element or attribute. */
void page_escape(struct text *out, const char *text);

/* Appends JSON escaped for a <script>. */
void page_append_in_script(struct text *out, const char *json);

/* Appends JSON without blanks, numbers to nine digits, and without members that are null or of the
 * names `without` (separated by blanks; NULL: none). */
void page_append_json(struct text *out, const char *json, const char *without);

/* Appends parts[...], which the script draws launches of. */
enum status page_append_parts(struct page *page, struct text *out, struct error *error);
/* Appends the members that are tables: ranges, failures, comparisons and so on. */
enum status page_append_tables(struct page *page, struct text *out, struct error *error);

#endif
