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
    SHOW_WINNERS, /* what is answered without a question */
    SHOW_TOP,
    SHOW_BASELINES,
    SHOW_FAILURES,
    SHOW_TIES,
    SHOW_RANGES,
    SHOW_SEARCHES,
    SHOW_RUNS,
    SHOW_TABLES, /* those before are a query and a table */
    SHOW_TRUST = SHOW_TABLES,
    SHOW_WHY,
    SHOW_COMPARE,
    SHOW_TRIAL,
    SHOW_QUESTIONS
};

/* What was asked. */
struct show {
    const char *db, *n, *top, *trial, *before;
    const char *objective; /* as given; NULL: time, or what there is */
    bool asked[SHOW_QUESTIONS];
    bool wide, json, csv;
    bool of_run; /* below a run, whose last line says what to do */
    const char *words[SHOW_WORDS_MAX];
    size_t word_count;
    char by[1024];    /* the objective meant */
    char n_text[24];  /* --n as a plain number; empty: all */
    char *words_json; /* owned; NULL: all */
};

/* The words, the size and the objective name something in the database: if not, STATUS_NOT_FOUND
 * with the nearest that does. */
enum status show_check_names(struct show *show, struct store *store, struct error *error);
/* The rows of a query with what was asked as its parameters. */
enum status show_read(const struct show *show, struct store *store, const char *sql,
                      struct rows *rows, struct error *error);

/* --trust: the runs behind the winners, and the verdict on each. */
enum status show_trust(const struct show *show, struct store *store, struct error *error);
/* --why: each winner explained. */
enum status show_why(const struct show *show, struct store *store, struct error *error);
/* --compare: environments and devices side by side. */
enum status show_compare(const struct show *show, struct store *store, struct error *error);
/* --ties: the winner of each problem first, those next to it, and how many are left. */
enum status show_ties(struct rows *rows, const struct row_column *columns, size_t column_count,
                      struct error *error);
/* Adds to winners the columns `picked`, the values that tuned.conf has otherwise, and
 * `picked_loss_percent`. */
enum status show_add_picks(const struct show *show, struct store *store, struct rows *rows,
                           struct error *error);
/* The winners in as many columns as a page has, and of each device a line to forward. `advises`:
 * below a table stands what to do where a choice is not sure. */
enum status show_winners(const struct rows *rows, bool advises, struct error *error);
/* "10 of 3,400 points tried, 8 of them failed"; nothing where it is not known. */
void show_append_coverage(struct text *text, const struct rows *rows, size_t row);
/* What words of a table mean, below it. */
struct show_word {
    const char *word, *meaning;
};
void show_put_words(const struct show_word *words, size_t count);
/* Those that the table tells: as a label, or in a cell. */
void show_put_told_words(const struct rows *rows, const struct row_column *columns,
                         size_t column_count, const struct show_word *words, size_t count);
/* The line above a table: "NVIDIA H200, driver 580.1, NVRTC 13.0, L2 cold". */
void show_heading(const struct rows *rows, size_t row);
/* Prints the parameters that all configurations of the rows have, and leaves the others in them,
 * unless the page is unbound. False: no memory. */
bool show_share_configuration(struct rows *rows, size_t first, size_t end);
/* The row after the last that stands below the same heading as row `first`. */
size_t show_group_end(const struct rows *rows, size_t first);

/* A value as people read it; NULL when memory is short. */
const char *show_json_text(const json_t *value, struct arena *arena);
/* The JSON of the column in `count` rows from `first` on, `otherwise` where it is NULL; the array
 * is released by show_json_free; NULL when memory is short. */
json_t **show_json_load(const struct rows *rows, size_t first, size_t count, const char *column,
                        const char *otherwise);
void show_json_free(json_t **values, size_t count);

/* Turns the column of baselines (JSON) into two columns of each baseline, its time and the winner's
 * gain over it, and puts them into the table before its last column; `for_table`: gains are as
 * show_tell_gains has them. */
enum status show_spread_baselines(struct rows *rows, struct row_column columns[SHOW_COLUMNS_MAX],
                                  size_t *column_count, bool for_table, struct error *error);
/* A gain becomes SHOW_NO_GAIN where the baseline is as good, "> 2.90x" or "unknown" where its
 * bounds say no more. False: no memory. */
#define SHOW_NO_GAIN "none"
bool show_tell_gains(struct rows *rows);

/* Of differences in percent, the cells that their bounds say nothing of become "unknown". */
void show_tell_differences(struct rows *rows, const char *value);

/* The same of the experiments' own metrics: a column each. */
enum status show_spread_metrics(struct rows *rows, struct row_column columns[SHOW_COLUMNS_MAX],
                                size_t *column_count, struct error *error);

#endif
