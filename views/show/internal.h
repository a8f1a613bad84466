/* Between the files of tune show. */
#ifndef TUNE_SHOW_INTERNAL_H
#define TUNE_SHOW_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"
#include "tuner/terminal/rows.h"
#include "views/show/show.h"

enum { SHOW_WORDS_MAX = 64, SHOW_COLUMNS_MAX = 64 };

enum show_question {
    SHOW_WINNERS, /* the answer without a question */
    SHOW_TOP,
    SHOW_BASELINES,
    SHOW_FAILURES,
    SHOW_TIES,
    SHOW_RANGES,
    SHOW_SEARCHES,
    SHOW_RUNS,
    SHOW_ISSUES,
    SHOW_TABLES, /* questions before this one are a query and a table */
    SHOW_TRUST = SHOW_TABLES,
    SHOW_WHY,
    SHOW_COMPARE,
    SHOW_TRIAL,
    SHOW_QUESTIONS
};

/* The request. */
struct show {
    const char *db, *n, *top, *trial, *before;
    const char *objective; /* as given; NULL: time, or the first available */
    bool wanted[SHOW_QUESTIONS];
    bool wide, json, csv;
    bool of_run; /* shown below a run, whose last line gives the advice */
    const char *words[SHOW_WORDS_MAX];
    size_t word_count;
    char by[1024];    /* the objective meant */
    char n_text[24];  /* --n as a plain number; empty: all */
    char *words_json; /* owned; NULL: all */
    char *picks_json; /* owned; for ranges.sql: the configurations in tuned.conf instead; NULL:
                         none */
};

/* Checks that the words, the size and the objective exist in the database. Otherwise returns
 * STATUS_NOT_FOUND with the nearest that does. */
enum status show_check_names(struct show *show, struct store *store, struct error *error);
/* Reads a query's rows, with the request as parameters. */
enum status show_read(const struct show *show, struct store *store, const char *sql,
                      struct rows *rows, struct error *error);

/* Prints the runs behind the winners, and each verdict (--trust). */
enum status show_trust(const struct show *show, struct store *store, struct error *error);
/* Explains each winner (--why). */
enum status show_why(const struct show *show, struct store *store, struct error *error);
/* Prints environments and devices side by side (--compare). */
enum status show_compare(const struct show *show, struct store *store, struct error *error);
/* Prints each problem's winner first, then the next ones and the number of others (--ties). */
enum status show_ties(struct rows *rows, const struct row_column *columns, size_t column_count,
                      struct error *error);
/* Adds to winners the columns `picked`, the values that tuned.conf has otherwise, and
 * `picked_loss_percent`. */
enum status show_add_picks(const struct show *show, struct store *store, struct rows *rows,
                           struct error *error);
/* Sets `picks_json`, so that ranges are those that programs get. */
enum status show_find_picks(struct show *show, struct store *store, struct error *error);
/* Prints the winners in as many columns as the page has, and per device a line to forward.
 * `advises`: advice below the table if a choice is not sure. */
enum status show_winners(struct rows *rows, bool advises, struct error *error);
/* Meaning of a table's word, printed below the table. */
struct show_word {
    const char *word, *meaning;
};
void show_put_words(const struct show_word *words, size_t count);
/* Prints the words that occur in the table, as a label or in a cell. */
void show_put_words_used(const struct rows *rows, const struct row_column *columns,
                         size_t column_count, const struct show_word *words, size_t count);
/* Prints the line above a table: "NVIDIA H200, driver 580.1, NVRTC 13.0, L2 cold". */
void show_heading(const struct rows *rows, size_t row);
/* Prints the parameters shared by all configurations of the rows, and leaves the others in the
 * rows; does neither without a page width. Returns false if memory is short. */
bool show_share_configuration(struct rows *rows, size_t first, size_t end);
/* Returns the row after the last one below the heading of row `first`. */
size_t show_group_end(const struct rows *rows, size_t first);

/* Formats a value for users. Returns NULL if memory is short. */
const char *show_json_text(const json_t *value, struct arena *arena);
/* Loads the column's JSON in `count` rows from `first` on, `otherwise` for NULL. show_json_free
 * frees the array. Returns NULL if memory is short. */
json_t **show_json_load(const struct rows *rows, size_t first, size_t count, const char *column,
                        const char *otherwise);
void show_json_free(json_t **values, size_t count);

/* Turns the column of baselines (JSON) into two columns per baseline, time and winner's gain,
 * placed before the table's last column; `for_table`: gains as by show_mark_gains. */
enum status show_spread_baselines(struct rows *rows, struct row_column columns[SHOW_COLUMNS_MAX],
                                  size_t *column_count, bool for_table, struct error *error);
/* Replaces gains: SHOW_NO_GAIN if the baseline is as good, "> 2.90x" or "unknown" if the bounds are
 * too wide. Returns false if memory is short. */
#define SHOW_NO_GAIN "none"
bool show_mark_gains(struct rows *rows);

/* Replaces differences (in percent) with too wide bounds by "unknown". */
void show_mark_differences(struct rows *rows, const char *value);

/* Turns the experiments' own metrics into columns. */
enum status show_spread_metrics(struct rows *rows, struct row_column columns[SHOW_COLUMNS_MAX],
                                size_t *column_count, struct error *error);

#endif
