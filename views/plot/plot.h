/* Figures: runs plots/<figure>.sql on the database and feeds plots/<figure>.gp to gnuplot. A figure
 * is that pair of files; this room knows none by name (plots/README.md is the contract). */
#ifndef TUNE_PLOT_PLOT_H
#define TUNE_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/store/store.h"

/* Share of the best that counts as nearly as fast: `:near` of a statement, and in the pages of
 * reports. */
#define PLOT_NEAR "0.95"

enum plot_output {
    PLOT_PNG = 1 << 0,
    PLOT_SVG = 1 << 1,
    PLOT_DATA = 1 << 2, /* the rows, tab separated; without gnuplot */
    PLOT_PDF = 1 << 3,
    PLOT_TERMINAL = 1 << 4, /* as characters, passed to `print` instead of a file */
};

/* A request. Zero-initialise; NULL and 0 mean the default in brackets. Texts are borrowed for the
 * call. */
struct plot_request {
    const char *figure;         /* "occupancy" */
    const char *const *figures; /* or several [all] */
    size_t figure_count;
    int64_t environment_id;      /* [the one measured last, of `device` if given] */
    const char *device;          /* name, uuid, kind, or "cuda:0" [any] */
    const char *problem;         /* key: "reduce.sum.i32" [the one with the largest size] */
    int64_t n;                   /* [the largest measured] */
    const char *l2_mode;         /* "cold", "hot" ... [cold where measured, else hot ...] */
    const char *folder;          /* folder for the files, made if absent; "-": stdout [.] */
    unsigned outputs;            /* bits of enum plot_output */
    const char *device_in_names; /* appended to file names: "NVIDIA H200" [omitted] */
    const char *database;        /* database file, named on the figures [omitted] */
    int columns, rows;           /* PLOT_TERMINAL: characters, 60 x 24 at least [100 x 36] */
    bool colour;                 /* PLOT_TERMINAL: with the terminal's 256 colours */
    void *context;               /* passed to the callbacks below, which may be NULL */
    /* Called after each file with its path, valid during the call. */
    void (*wrote)(void *context, const char *path);
    /* PLOT_TERMINAL: called with a figure in UTF-8, lines of at most `columns` characters. */
    void (*print)(void *context, const char *figure, const char *text);
    /* Called for a figure of several that could not be drawn. STATUS_NOT_FOUND: this device has no
     * data for the figure, which is no fault. STATUS_UNAVAILABLE: gnuplot lacks a format, reported
     * once. */
    void (*failed)(void *context, const char *figure, const struct error *error);
};

/* A request with all defaults resolved. Texts belong to the arena. */
struct plot_subject {
    int64_t environment_id;
    int64_t experiment_id;
    int64_t n;
    const char *problem;
    const char *l2_mode;
    const char *device; /* device name */
    const char *date;   /* date of the last measurement: "2026-11-21" */
};
/* Resolves the request's defaults. STATUS_NOT_FOUND lists the measured alternatives. */
enum status plot_choose(struct store *store, const struct plot_request *request,
                        struct arena *arena, struct plot_subject *out, struct error *error);

/* A device with measurements. Texts belong to the arena. */
struct plot_device {
    int64_t environment_id; /* the one measured last */
    const char *name;       /* unique: "NVIDIA H200", "NVIDIA H200 2" */
};
/* Lists the devices of the database with data for the request (`device` and `environment_id` are
 * ignored), in the order recorded. STATUS_NOT_FOUND as plot_choose. */
enum status plot_devices(struct store *store, const struct plot_request *request,
                         struct arena *arena, const struct plot_device **out, size_t *count,
                         struct error *error);

struct plot_name {
    const char *name;
    const char *about; /* first comment line of the .sql */
};
/* Lists all figures, sorted by name. Texts belong to the arena. */
enum status plot_names(struct arena *arena, const struct plot_name **out, size_t *count,
                       struct error *error);

/* Draws figures: <folder>/<figure>-<problem>-<n>.png and so on, each written whole or not at all. A
 * format that fails does not stop the others; the failure of a single figure is returned, those of
 * several are reported through `failed`. Fails itself when no figure can be drawn at all: no
 * measurements, an unwritable folder. STATUS_NOT_FOUND: no such figure (with the nearest known), or
 * no data to draw. STATUS_UNAVAILABLE: gnuplot is missing, too old, or lacks the format.
 * STATUS_INTERNAL: gnuplot refused the figure; with its message. */
enum status plot_draw(struct store *store, const struct plot_request *request, struct error *error);

/* Checks that the figure exists: STATUS_NOT_FOUND, with the nearest name or all names. */
enum status check_figure(struct arena *arena, const char *name, struct error *error);

#endif
