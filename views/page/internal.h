/* Between the files of this room. */
#ifndef TUNE_PAGE_INTERNAL_H
#define TUNE_PAGE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/stats/estimate.h"
#include "tuner/store/query.h"
#include "views/explain/explain.h"
#include "views/page/report.h"

/* How many times as fast as something else. Reals are NaN where they are not known. */
struct gain {
    const char *name;  /* of a baseline or a peer */
    const char *about; /* NULL: not said */
    double ratio, low, high;
    bool peer;
    bool tied; /* it is as good: no gain, whatever the ratio */
};

/* Where something was measured. */
struct environment {
    int64_t id, device_id, memory_bytes, unit_count;
    const char *device, *kind, *uuid, *architecture, *driver, *compiler, *tool_version, *host;
    const char *first_day, *last_day; /* of what was measured there */
    double read_gbs, write_gbs, copy_gbs;
    const char *arithmetic; /* the ceilings of operations: "f32 60000, ..."; NULL: not known */
};

struct winner {
    int64_t id, environment_id, run_id, problem_id, n;
    const char *device, *device_kind, *device_uuid, *driver, *compiler;
    const char *l2_mode, *objective, *experiment, *problem;
    const char *stage, *configuration, *chosen_at;
    const char *parameters; /* the configuration as a JSON object */
    const char *trial_id;   /* the key of that it was chosen by */
    const char *baselines;  /* JSON, as db/queries/winners.sql gives it */
    const char *launches;   /* explain_append_launches writes them; NULL: not known */
    const char *trust,
        *trust_reason; /* of the headline; "unknown" and NULL when nothing is known */
    const char *coverage;
    double time_ns, time_low_ns, time_high_ns;
    double gbs, ceiling_percent, claim_percent, confidence;
    double floor_percent;
    int64_t rounds, rounds_dropped;
    int64_t compared;              /* results of its runs, all right; -1: not known */
    int64_t as_fast, not_compared; /* others; -1: not known */
    struct gain *gains;
    size_t gain_count;
    bool explained;
    struct explanation why;
};

/* An experiment's winners in a setting: winners [first, end). */
struct part {
    const char *experiment;
    size_t first, end;
    size_t telling; /* the one that stands for it: of the problem that moves most */
};
/* A device with its L2 mode and objective. */
struct setting {
    const char *label; /* "NVIDIA H200", with more where that names several */
    size_t first, end; /* winners */
    size_t part_first, part_end;
    size_t telling; /* that of its part with most sound winners */
};

struct page {
    struct store *store;
    const struct report_request *request;
    struct arena arena;
    struct text out;           /* the sections */
    struct text links;         /* to them */
    bool is_folded;            /* the section in hand */
    const char *database;      /* its file's name, without folders */
    const char *database_word; /* the same, as a shell takes it */
    const char *title;
    const char *words_json;           /* NULL: all */
    const char *environments_json;    /* those of the device that was asked for */
    const char *devices;              /* their names, "a, b" */
    const char *most;                 /* launches of a problem at most; NULL: all */
    struct environment *environments; /* by device */
    size_t environment_count;
    const char *first_day, *last_day; /* of what was measured */
    size_t device_count;
    struct winner *winners;
    size_t winner_count;
    struct part *parts;
    size_t part_count;
    struct setting *settings;
    size_t setting_count;
};

/* The parameters of this room's queries. */
enum { PAGE_PARAMETERS = 6 };
void page_parameters(const struct page *page, struct store_parameter out[PAGE_PARAMETERS]);

/* Rows of a query with these, which belong to the page's arena. */
enum status page_read(struct page *page, struct store_reading reading, void *rows, size_t *count,
                      struct error *error);

/* Which environments, days and words are meant; STATUS_NOT_FOUND as report_make says. */
enum status page_choose(struct page *page, struct error *error);
bool page_has_environment(const struct page *page, int64_t id);
/* NULL: no. */
bool page_has_device(const struct page *page, const char *uuid);
enum status page_collect(struct page *page, struct error *error);
/* For qsort, of doubles. */
int by_size(const void *a, const void *b);

/* The names of what part of the winners is compared with, in the order in which they come. */
enum { GAINS_MAX = 12 };
size_t gain_names(const struct page *page, size_t first, size_t end, struct gain out[GAINS_MAX]);
/* Only those of which a mean can be told: some gain has bounds that say something. */
size_t gain_names_told(const struct page *page, size_t first, size_t end,
                       struct gain out[GAINS_MAX]);
/* What is known of a gain: nothing where no choice is supported. */
enum ratio_report gain_told(const struct winner *winner, const struct gain *gain);
/* NULL: not compared with that. */
const struct gain *gain_find(const struct winner *winner, const char *name);
/* The geometric mean, least and most of the gains over that name; how many there are. */
struct mean {
    double ratio, low, high;
    size_t count;
};
struct mean gain_mean(const struct page *page, size_t first, size_t end, const char *name);

/* ---- what a cell or a sentence shows ---- */
enum { SHOWN_BYTES = 64 };
const char *shown_time(double ns, char out[SHOWN_BYTES]);
const char *shown_gain(double ratio, char out[SHOWN_BYTES]);
const char *shown_rate(double gbs, char out[SHOWN_BYTES]);
const char *shown_percent(double percent, char out[SHOWN_BYTES]);
const char *shown_count(int64_t count, char out[SHOWN_BYTES]); /* 268,435,456 */
/* "variant=last_block block=256" with each parameter set apart. */
/* "1.28 – 1.29 µs" in small letters: a unit that both have is written once. */
void write_interval(struct text *out, const char *low, const char *high);
void write_configuration(struct text *out, const char *key);
/* Grid and block as numbers, then the configuration. */
void write_launch(struct text *out, const struct winner *winner);
enum cell_kind {
    CELL_TEXT,
    CELL_DEVICE, /* left out where the page is about one */
    CELL_COUNT,
    CELL_TIME,
    CELL_PERCENT,
    CELL_SHARE, /* as a percentage */
    CELL_RATE,  /* GB/s */
    CELL_NUMBER,
    CELL_CONFIGURATION,
};
/* A cell that sorts by its number; NaN, and an integer below 0: an empty one. */
void write_value(struct text *out, enum cell_kind kind, double value);
void write_integer(struct text *out, int64_t value);

/* A box that scrolls on a narrow screen and a table that sorts, up to its first <th>; the caller
 * writes these, "</tr></thead><tbody>" and the rows. */
void write_table_begin(struct text *out, const char *name);
void write_table_end(struct text *out);

/* ---- tables out of a query ---- */
struct column {
    const char *name; /* in the query */
    const char *label;
    enum cell_kind kind;
};
struct table {
    const char *sql;
    const struct column *columns;
    size_t column_count;
    const char *name;    /* of what the rows are: for the fold and for readers of screens */
    const char *none;    /* said when there are no rows; NULL: nothing is */
    const char *command; /* that tells of each: "tune show --failures"; NULL: none */
};
/* A long table is folded. */
enum status write_table(struct page *page, const struct table *table, struct error *error);

/* data.c: appends what the script draws, as JSON that may stand in a <script>. */
enum status page_data(struct page *page, struct text *out, struct error *error);

/* ---- sections: each writes one, heading included ---- */
/* A section with a heading is linked at the head of the page by its short name. */
void section_begin(struct page *page, const char *id, const char *link, const char *heading);
void section_end(struct page *page);
/* The setting's heading, where there are several. */
void setting_heading(struct page *page, const struct setting *setting);
void write_answer(struct page *page);
void write_winners(struct page *page);
/* Nothing where the database has nothing to compare. */
enum status write_compare(struct page *page, struct error *error);
enum status write_ranges(struct page *page, struct error *error);
enum status write_figures(struct page *page, struct error *error);
enum status write_why(struct page *page, struct error *error);
enum status write_parameters(struct page *page, struct error *error);
enum status write_failures(struct page *page, struct error *error);
enum status write_search(struct page *page, struct error *error);
enum status write_trust(struct page *page, struct error *error);
enum status write_repeat(struct page *page, struct error *error);

#endif
