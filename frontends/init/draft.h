/* An experiment file drafted from a CUDA source and its launches, to be edited. */
#ifndef TUNE_FRONTENDS_INIT_DRAFT_H
#define TUNE_FRONTENDS_INIT_DRAFT_H

#include "frontends/capture/captured.h"
#include "frontends/init/source.h"
#include "tuner/base/text.h"

struct draft_request {
    const char *experiment; /* its name */
    const char *source;     /* as the file names it */
    size_t unit_count;      /* further sources, likewise */
    const char *units[UNITS_MAX];
    const char *compiler; /* "nvcc"; NULL: the device's own */
    bool compiler_found;  /* nobody named it: the device's own does not take the source */
    size_t flag_count;    /* of the project's build */
    const char *flags[FLAGS_MAX];
    const char
        *build; /* the compile_commands.json that says so, as the file names it; NULL: none */
    size_t folder_count;
    const char *folders[UNITS_MAX];
    bool folders_found; /* some of them nobody named: they have a header of the source */
    const struct source_signature *signature;
    struct captured_set *captured; /* launches of it; NULL: none. Is told the name of its size */
    const char *captured_folder;   /* where they are unpacked, as the file names it */
};

/* Appends the experiment file. STATUS_BAD_INPUT when the kernel takes something that none can give.
 */
enum status draft_experiment(struct arena *arena, const struct draft_request *request,
                             struct text *out, struct error *error);

#endif
