/* Figures: runs plots/<figure>.sql on the database and feeds plots/<figure>.gp to gnuplot. A figure
 * is that pair of files; nothing here knows one by name (plots/README.md is the contract). */
#ifndef TUNE_PLOT_PLOT_H
#define TUNE_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/store/store.h"

/* What is said to be nearly as fast as something reaches this share of it: `:near` of a statement,
 * and in the pages of reports. */
#define PLOT_NEAR "0.95"

enum plot_output {
    PLOT_PNG = 1 << 0,
    PLOT_SVG = 1 << 1,
    PLOT_DATA = 1 << 2, /* the rows themselves, tab separated; needs no gnuplot */
    PLOT_PDF = 1 << 3,
    PLOT_TERMINAL = 1 << 4, /* as characters; goes to no file but to `said` */
};

/* Zero-initialise; NULL and 0 mean what stands in brackets. Texts are borrowed for the call. */
struct plot_request {
    const char *figure;         /* plot_figure and plot_svg: "occupancy" */
    const char *const *figures; /* plot_all: these [all there are] */
    size_t figure_count;
    int64_t environment_id;      /* [the one measured last, of `device` if given] */
    const char *device;          /* its name, uuid, kind, or "cuda:0" [any] */
    const char *problem;         /* its key: "reduce.sum.i32" [the one that has the largest size] */
    int64_t n;                   /* [the largest measured] */
    int64_t most;                /* trials that are drawn: of more a sample [125,000] */
    const char *l2_mode;         /* "cold", "hot" ... [cold where measured, else hot ...] */
    const char *folder;          /* where the files go, made if absent; "-": stdout [.] */
    unsigned outputs;            /* of enum plot_output */
    const char *device_in_names; /* stands in files' names, too: "NVIDIA H200" [not named] */
    const char *database;        /* its file, whose name is on the figures [not named] */
    int columns, rows;           /* PLOT_TERMINAL: characters, 60 x 24 at least [100 x 36] */
    bool colour;                 /* PLOT_TERMINAL: with the terminal's 256 colours */
    void *context;               /* handed to the two below, which may be NULL */
    /* After each file: its path, valid during the call. */
    void (*wrote)(void *context, const char *path);
    /* PLOT_TERMINAL: a figure in UTF-8, lines of at most `columns` characters. */
    void (*said)(void *context, const char *figure, const char *text);
    /* plot_all: a figure that could not be drawn. STATUS_NOT_FOUND: this device has no data for
     * it, which is no fault. STATUS_UNAVAILABLE: gnuplot lacks a format, which is said once. */
    void (*failed)(void *context, const char *figure, const struct error *error);
};

/* What a request comes to. Texts belong to the arena. */
struct plot_subject {
    int64_t environment_id;
    int64_t experiment_id;
    int64_t n;
    int64_t most; /* trials that are drawn */
    const char *problem;
    const char *l2_mode;
    const char *device; /* its name */
    const char *date;   /* of the last measurement: "2026-11-21" */
};
/* Completes what the request leaves open. STATUS_NOT_FOUND says what is measured instead. */
enum status plot_choose(struct store *store, const struct plot_request *request,
                        struct arena *arena, struct plot_subject *out, struct error *error);

/* A device that has measurements. Texts belong to the arena. */
struct plot_device {
    int64_t environment_id; /* the one measured last */
    const char *name;       /* no two have the same: "NVIDIA H200", "NVIDIA H200 2" */
};
/* The devices of the database that have what the request asks for (`device` and `environment_id`
 * are not looked at), the one recorded first first. STATUS_NOT_FOUND as plot_choose. */
enum status plot_devices(struct store *store, const struct plot_request *request,
                         struct arena *arena, const struct plot_device **out, size_t *count,
                         struct error *error);

struct plot_name {
    const char *name;
    const char *about; /* the first comment line of its .sql */
};
/* The figures there are, sorted by name. Texts belong to the arena. */
enum status plot_names(struct arena *arena, const struct plot_name **out, size_t *count,
                       struct error *error);

/* Draws one figure: <folder>/<figure>-<problem>-<n>.png and so on, each written whole or not at
 * all; a format that fails does not keep the others from being made, and the first that failed is
 * returned. STATUS_NOT_FOUND: no such figure (with the nearest known), or nothing to draw.
 * STATUS_UNAVAILABLE: no gnuplot, too old a one, or one without the format.
 * STATUS_INTERNAL: gnuplot refused the figure; its words. */
enum status plot_figure(struct store *store, const struct plot_request *request,
                        struct error *error);

/* One figure as an <svg> element (UTF-8, no outside links), for a page that holds several, whose
 * identifiers begin with `name` and '-' (letters and digits; no two figures of a page have the
 * same): writes no file. `sentence`: as of plot_conclusion (NULL: not asked for). Both belong to
 * the arena. Fails as plot_figure does. */
enum status plot_svg(struct store *store, const struct plot_request *request, const char *name,
                     struct arena *arena, const char **svg, const char **sentence,
                     struct error *error);

/* What a figure shows, in one sentence out of its rows: "12.5 % occupancy already reaches 97.8 % of
 * the winner, which has 75 %". It is the first line of the figure's title. Needs no gnuplot. "": it
 * says none. Belongs to the arena. Fails as plot_figure does. */
enum status plot_conclusion(struct store *store, const struct plot_request *request,
                            struct arena *arena, const char **sentence, struct error *error);

/* Draws the figures; what fails is told through `failed`, and the others are still drawn. Fails
 * itself when nothing can be drawn at all: no measurements, no gnuplot, an unwritable folder. */
enum status plot_all(struct store *store, const struct plot_request *request, struct error *error);

/* STATUS_NOT_FOUND, with the nearest name or all of them, where there is no such figure. */
enum status check_figure(struct arena *arena, const char *name, struct error *error);

#endif
