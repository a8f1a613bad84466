/* `tune init`: between init.c, which asks, and init_write.c. */
#ifndef TUNE_CLI_INIT_H
#define TUNE_CLI_INIT_H

#include "tuner/base/text.h"
#include "tuner/device/signature.h"

struct init_file {
    const char *experiment; /* its name */
    const char *source;     /* as the file names it */
    size_t folder_count;
    const char *folders[UNITS_MAX];
    const struct source_signature *signature;
};

/* The experiment file. STATUS_BAD_INPUT when the kernel takes what none can give. */
enum status init_write(struct arena *arena, const struct init_file *file, struct text *out,
                       struct error *error);

#endif
