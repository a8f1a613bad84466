/* An experiment file drafted from what a compiler tells of a CUDA source, to be edited. */
#ifndef TUNE_EXCHANGE_DRAFT_H
#define TUNE_EXCHANGE_DRAFT_H

#include "tuner/base/text.h"
#include "tuner/device/signature.h"
#include "tuner/exchange/captured.h"

struct draft_request {
    const char *experiment; /* its name */
    const char *source;     /* as the file names it */
    const char *compiler;   /* "nvcc"; NULL: the device's own */
    size_t folder_count;
    const char *folders[UNITS_MAX];
    const struct source_signature *signature;
    struct captured_set *captured; /* launches of it; NULL: none. Is told what its size is called */
    const char *captured_folder;   /* where they are unpacked, as the file names it */
};

/* Appends the experiment file. STATUS_BAD_INPUT when the kernel takes what none can give. */
enum status draft_experiment(struct arena *arena, const struct draft_request *request,
                             struct text *out, struct error *error);

#endif
