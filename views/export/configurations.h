/* tuned.conf in other forms: the kernels that it names, as lines for programs to compile in
 * (docs/calls.md); a C header, for programs that load no file; JSON. */
#ifndef TUNE_EXPORT_CONFIGURATIONS_H
#define TUNE_EXPORT_CONFIGURATIONS_H

#include <stddef.h>

#include "tuner/base/error.h"
#include "tuner/base/text.h"

/* A tuned.conf that was read; `name` is for errors. */
struct conf_text {
    const char *name;
    const char *text;
    size_t bytes;
};

struct configuration_counts {
    size_t lines;   /* written lines */
    size_t strange; /* entries of GPUs left out: experiment missing from configs/ of `data_folder`,
                       or a compiled value missing */
};

/* Appends lines TUNE_CONFIGURATION("KEY NAME=VALUE ..."), as few as give every entry of a GPU its
 * kernel or an alternative named there: the values that distinguish kernels, by the experiments in
 * `data_folder`. Sorted, without duplicates, so that equal winners give equal bytes. Returns
 * STATUS_BAD_INPUT if a file is no tuned.conf or an experiment is broken. `counts` may be NULL. */
enum status export_configurations(const struct conf_text *files, size_t count,
                                  const char *data_folder, struct text *out,
                                  struct configuration_counts *counts, struct error *error);

/* Appends a header for C99 and C++11: per problem a struct of values, a list of configurations for
 * templates, and a function that returns the configuration for a device and n (docs/tuned-conf.md).
 * Returns STATUS_BAD_INPUT if the text is no tuned.conf, or two names give one identifier.
 * `problems` may be NULL. */
enum status export_header(const struct conf_text *file, struct text *out, size_t *problems,
                          struct error *error);

/* Appends an array of entries, one per line (docs/tuned-conf.md). Returns STATUS_BAD_INPUT if the
 * text is no tuned.conf. */
enum status export_json(const struct conf_text *file, struct text *out, size_t *entries,
                        struct error *error);

#endif
