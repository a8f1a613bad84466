/* The kernels that tuned.conf files name, as lines for programs to compile in (docs/calls.md). */
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
    size_t lines;   /* that were written */
    size_t strange; /* entries of GPUs that were left out: of an experiment that configs/ of
                       `data_folder` does not have, or without a value that it compiles */
};

/* Appends lines TUNE_CONFIGURATION("KEY NAME=VALUE ..."), few that have for each entry of a GPU its
 * kernel or an alternative that it names: the values that tell kernels apart, by the experiments in
 * `data_folder`; sorted, none twice, so that equal winners give equal bytes. STATUS_BAD_INPUT: one
 * of the files is no tuned.conf, or an experiment is broken. `counts` may be NULL. */
enum status export_configurations(const struct conf_text *files, size_t count,
                                  const char *data_folder, struct text *out,
                                  struct configuration_counts *counts, struct error *error);

#endif
