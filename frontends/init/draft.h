/* Draft of an experiment file, from a CUDA source and launches, to be edited. */
#ifndef TUNE_FRONTENDS_INIT_DRAFT_H
#define TUNE_FRONTENDS_INIT_DRAFT_H

#include "frontends/capture/captured.h"
#include "frontends/init/source.h"
#include "tuner/base/text.h"

struct draft_request {
    const char *experiment;       /* its name */
    struct binary_request binary; /* of the question, with paths as written in the file */
    bool compiler_found;          /* found by trial: the device's own compiler rejects the source */
    const char *build;  /* compile_commands.json of the flags, as in the file; NULL: none */
    bool folders_found; /* some were found by missing headers, not given */
    const struct source_signature *signature;
    struct captured_set *captured; /* the kernel's launches; NULL: none. Receives the size's name */
    const char *captured_folder;   /* folder of captured contents, as written in the file */
    struct value_trials values;
};

/* Appends the experiment file. STATUS_BAD_INPUT when the kernel takes something that none can give.
 */
enum status draft_experiment(struct arena *arena, const struct draft_request *request,
                             struct text *out, struct error *error);

#endif
