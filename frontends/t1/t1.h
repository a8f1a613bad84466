/* T1, the autotuning community's input format, in the dialects of Kernel Tuner and KTT, as an
 * experiment file (docs/t1.md). */
#ifndef TUNE_T1_T1_H
#define TUNE_T1_T1_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/experiment/document.h"
#include "tuner/experiment/experiment.h"

enum t1_dialect {
    T1_DETECT, /* the file's keys decide */
    T1_KERNEL_TUNER,
    T1_KTT,
};
/* Parses "kernel_tuner" or "ktt". Returns STATUS_USAGE for other names. */
enum status t1_dialect_parse(const char *name, enum t1_dialect *out, struct error *error);

/* A translated T1 file. Zero-initialise; t1_free frees it, also after a failure. */
struct t1 {
    struct document document; /* for experiment_load_document, leniently, or document_text */
    struct arena arena;       /* owner of the texts below */
    enum t1_dialect dialect;
    const char *ignored; /* ignored keys: "Budget, Search"; or "" */
    const char *note;    /* advice before the first run; or "" */
};
void t1_free(struct t1 *t1);

/* A file in memory. The path is for errors, and its folder is searched for named files. */
struct t1_file {
    const char *path;
    const char *json;
    size_t length;
};

/* Translates a file with overlays, merged in order (RFC 7396; an object over an array of named
 * objects changes those with its names). Unknown names in an overlay are errors. Errors are
 * STATUS_BAD_INPUT: "FILE: PATH.IN.IT: problem". */
enum status t1_translate(const struct t1_file *file, const struct t1_file *overlays,
                         size_t overlay_count, enum t1_dialect dialect, struct t1 *out,
                         struct error *error);

/* Reads the files, then translates them. */
enum status t1_read(const char *path, const char *const *overlay_paths, size_t overlay_count,
                    enum t1_dialect dialect, struct t1 *out, struct error *error);

#endif
