/* What a source's kernel takes, asked with all that lies around the source. */
#ifndef TUNE_CLI_INIT_ASK_H
#define TUNE_CLI_INIT_ASK_H

#include "tuner/device/device.h"
#include "tuner/device/signature.h"

/* Adds to the question folders near the source that have what it includes, and asks another file
 * where the source is a piece of that or lacks the kernel: then `path` is that file. What was done
 * is told on the standard error. one_compiler: no other than the question's is tried. */
enum status init_ask(struct arena *arena, const struct device_api *api, bool one_compiler,
                     struct signature_question *question, struct source_signature *signature,
                     struct error *error);

#endif
