/* Between the files of this room. */
#ifndef TUNE_PLOT_INTERNAL_H
#define TUNE_PLOT_INTERNAL_H

#include <stdbool.h>

#include "tuner/base/temporary.h"
#include "tuner/base/text.h"
#include "views/plot/plot.h"

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
    struct text conclusion; /* what the layer of that name says, cleaned; empty: there is none */
};

/* One figure being drawn. */
struct job {
    struct arena arena;
    const struct plot_request *request;
    const struct plot_subject *subject;
    const char *figure;
    const char *plots;        /* folder of the scripts */
    const char *needs;        /* what a device must have; NULL: not said */
    const char *draws;        /* what alone it draws; NULL: every configuration */
    struct temporary scratch; /* file -1: no picture is wanted */
    struct text table;
    struct layers layers;
    const char *svg_name;       /* plot_svg: what its identifiers begin with ... */
    struct arena *caller_arena; /* ... and the picture goes to `svg` there, and into no file */
    const char **svg;
    const char **conclusion; /* where that goes, there too; NULL: nowhere */
    unsigned lacking;        /* outputs that cannot be made here, and what is said of that */
    struct error lacks;
};

/* Asks the database and makes every output that the request has; request, subject and figure are
 * given. Frees what the job holds, whatever becomes of it. */
enum status job_draw(struct job *job, struct store *store, struct error *error);
/* Whether that would befall each of the other figures as well. */
bool concerns_all(enum status status);

/* The absolute path of plots/. */
enum status plots_folder(struct arena *arena, const char **out, struct error *error);
/* The text of plots/<name>. */
enum status plot_script(struct arena *arena, const char *folder, const char *name, char **text,
                        struct error *error);
/* What follows `start` ("-- needs: ") in the comment lines at the head of a script; NULL: none. */
const char *comment_after(struct arena *arena, const char *sql, const char *start);

/* A text that is safe inside a gnuplot string in single quotes, as a field of a data file, on a
 * figure and in XML: quotes, backquotes, backslashes and control characters become spaces; what is
 * no UTF-8, and characters that are not seen, become '?'. */
void plot_clean(char *text);
/* Puts '?' for each byte that is part of no UTF-8 character; the text ends with a NUL. */
void utf8_repair(char *text, size_t length);

/* Runs the statement for the subject; `draws` as in its head. When `folder` is given, writes
 * <folder>/<layer>.tsv, one gnuplot data set a series; when `table` is given, appends all rows to
 * it under one header. `where` names the statement in errors. */
enum status plot_rows(struct store *store, const char *where, const char *sql,
                      const struct plot_subject *subject, const char *draws, const char *folder,
                      struct text *table, struct layers *layers, struct error *error);

/* A new private folder, in which the scripts are seen as plots/: gnuplot works there on names that
 * hold nothing of the user's. */
enum status scratch_make(const char *plots, struct temporary *out, struct error *error);

/* Runs gnuplot in `folder` on the scripts (ends with NULL) and waits for it. `where` names the
 * figure in errors. STATUS_UNAVAILABLE: there is no gnuplot, or it is too old, or, with
 * `*lacks_format`, it was built without what the format needs. */
enum status gnuplot_run(const char *where, const char *folder, const char *const *scripts,
                        bool *lacks_format, struct error *error);

/* gnuplot's SVG made fit for pages: one way of writing colours (#rrggbb) and fonts that are
 * everywhere, `title` in place of gnuplot's, identifiers that begin with `name` and '-' (letters
 * and digits; no two pictures in a page have the same), and of many points that lie near to one
 * like them only that one (SVG_MARKS_MAX at most; the picture says so). */
enum { SVG_MARKS_MAX = 20000 };
void svg_tidy(const char *svg, const char *name, const char *title, struct text *out);

/* What gnuplot's terminal of characters wrote, without form feeds, blanks at the ends of lines, and
 * empty lines before and after. */
void characters_tidy(const char *characters, struct text *out);

#endif
