/* Between the files of this room. */
#ifndef TUNE_PLOT_INTERNAL_H
#define TUNE_PLOT_INTERNAL_H

#include <stdbool.h>

#include "tuner/base/temporary.h"
#include "tuner/plot/plot.h"

enum { LAYERS_MAX = 16, LAYER_NAME_BYTES = 32 };

/* What the rows of one layer came to; they are in <layer>.tsv. */
struct layer {
    char name[LAYER_NAME_BYTES];
    size_t series_count;
    size_t row_count;
};

struct layers {
    struct layer items[LAYERS_MAX];
    size_t count;
};

/* The absolute path of plots/. */
enum status plots_folder(struct arena *arena, const char **out, struct error *error);
/* The text of plots/<name>. */
enum status plot_script(struct arena *arena, const char *folder, const char *name, char **text,
                        struct error *error);
/* What follows `start` ("-- needs: ") in the comment lines at the head of a script; NULL: none. */
const char *comment_after(struct arena *arena, const char *sql, const char *start);
/* STATUS_NOT_FOUND with the nearest known when there is no such figure. */
enum status check_figure(struct arena *arena, const char *name, struct error *error);

/* A text that is safe inside a gnuplot string in single quotes, as a field of a data file and on a
 * figure: quotes, backquotes, backslashes and control characters become spaces, and bytes that are
 * no ASCII '?'. */
void plot_clean(char *text);

/* Runs the statement for the subject. When `folder` is given, writes <folder>/<layer>.tsv, one
 * gnuplot data set a series; when `table` is given, appends all rows to it under one header.
 * `where` names the statement in errors. */
enum status plot_rows(struct store *store, const char *where, const char *sql,
                      const struct plot_subject *subject, const char *folder, struct text *table,
                      struct layers *layers, struct error *error);

/* A new private folder, in which the scripts are seen as plots/: gnuplot works there on names that
 * hold nothing of the user's. */
enum status scratch_make(struct arena *arena, const char *plots, struct temporary *out,
                         struct error *error);

/* Runs gnuplot in `folder` on the scripts (ends with NULL) and waits for it. `where` names the
 * figure in errors. */
enum status gnuplot_run(const char *where, const char *folder, const char *const *scripts,
                        struct error *error);

#endif
