/* Declarations shared by the files of this room. */
#ifndef TUNE_PLOT_INTERNAL_H
#define TUNE_PLOT_INTERNAL_H

#include <stdbool.h>

#include "tuner/base/temporary.h"
#include "tuner/base/text.h"
#include "views/plot/plot.h"

/* Trials drawn at most, a sample of more: in a picture the rest is invisible. */
enum { LAYERS_MAX = 16, LAYER_NAME_BYTES = 32, DRAWN_MAX = 125000 };

/* Statistics of a layer, whose rows are in <layer>.tsv. */
struct layer {
    char name[LAYER_NAME_BYTES];
    size_t series_count;
    size_t row_count;
};

struct layers {
    struct layer items[LAYERS_MAX];
    size_t count;
    struct text conclusion; /* text of the layer of that name, cleaned; empty: none */
};

/* A figure being drawn. */
struct job {
    struct arena arena;
    const struct plot_request *request;
    const struct plot_subject *subject;
    const char *figure;
    const char *plots;        /* folder of the scripts */
    const char *needs;        /* data that a device must have; NULL: not given */
    const char *draws;        /* the configurations that are drawn; NULL: all */
    struct temporary scratch; /* file -1: no picture requested */
    struct text table;
    struct layers layers;
    unsigned lacking; /* outputs that cannot be made here, and the error for these */
    struct error lacks;
};

/* Queries the database and makes every requested output; request, subject and figure are set. Frees
 * the job's data in any case. */
enum status job_draw(struct job *job, struct store *store, struct error *error);
/* Returns whether the failure would affect all other figures, too. */
bool concerns_all(enum status status);

/* Returns the absolute path of plots/. */
enum status plots_folder(struct arena *arena, const char **out, struct error *error);
/* Reads plots/<name>. */
enum status plot_script(struct arena *arena, const char *folder, const char *name, char **text,
                        struct error *error);
/* Returns the text behind `start` ("-- needs: ") in the comment lines at the head of a script;
 * NULL: none. */
const char *comment_after(struct arena *arena, const char *sql, const char *start);

/* Makes a text safe inside a gnuplot string in single quotes, as a field of a data file, on a
 * figure and in XML: quotes, backquotes, backslashes and control characters become spaces; invalid
 * UTF-8 and invisible characters become '?'. */
void plot_clean(char *text);

/* Runs the statement for the subject; `draws` as in its head. If `folder` is given, writes
 * <folder>/<layer>.tsv, one gnuplot data set per series; if `table` is given, appends all rows
 * under one header. `where` names the statement in errors. */
enum status plot_rows(struct store *store, const char *where, const char *sql,
                      const struct plot_subject *subject, const char *draws, const char *folder,
                      struct text *table, struct layers *layers, struct error *error);

/* Runs gnuplot in `folder` on the scripts (ends with NULL) and waits for its end. `where` names the
 * figure in errors. STATUS_UNAVAILABLE: gnuplot is missing, or too old, or, with `*lacks_format`,
 * built without the format's terminal. */
enum status gnuplot_run(const char *where, const char *folder, const char *const *scripts,
                        bool *lacks_format, struct error *error);

/* Adapts gnuplot's SVG: common fonts, `title` in place of gnuplot's, and one of several similar
 * points that lie close together (SVG_MARKS_MAX at most; the picture says so). */
enum { SVG_MARKS_MAX = 20000 };
void svg_tidy(const char *svg, const char *title, struct text *out);

/* Tidies the output of gnuplot's character terminal: no form feeds, no blanks at the ends of lines,
 * no empty lines before and after. */
void characters_tidy(const char *characters, struct text *out);

#endif
