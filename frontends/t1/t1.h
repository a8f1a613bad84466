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
    T1_DETECT, /* by what the file has */
    T1_KERNEL_TUNER,
    T1_KTT,
};
/* "kernel_tuner", "ktt"; else STATUS_USAGE. */
enum status t1_dialect_parse(const char *name, enum t1_dialect *out, struct error *error);

/* What a T1 file means. Zero-initialise; freed by t1_free, also after a failure. */
struct t1 {
    struct document document; /* for experiment_load_document, leniently, or document_text */
    struct arena arena;       /* of what follows */
    enum t1_dialect dialect;
    const char *ignored; /* what the file says and nothing became of: "Budget, Search"; or "" */
    const char *note;    /* what a person should know before running it; or "" */
};
void t1_free(struct t1 *t1);

/* A file that was read: the path is for errors, and its folder is where names of files are
 * looked for. */
struct t1_file {
    const char *path;
    const char *json;
    size_t length;
};

/* Overlays are merged over the file in their order (RFC 7396; an object over an array of named
 * objects changes those of these names); what one says of nothing that there is, is an error.
 * Errors are STATUS_BAD_INPUT: "FILE: PATH.IN.IT: what is
 * wrong". */
enum status t1_translate(const struct t1_file *file, const struct t1_file *overlays,
                         size_t overlay_count, enum t1_dialect dialect, struct t1 *out,
                         struct error *error);

/* The same of files. */
enum status t1_read(const char *path, const char *const *overlay_paths, size_t overlay_count,
                    enum t1_dialect dialect, struct t1 *out, struct error *error);

#endif
