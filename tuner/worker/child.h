/* Main loop and entry points of the children. */
#ifndef TUNE_WORKER_CHILD_H
#define TUNE_WORKER_CHILD_H

#include <jansson.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"

/* Limit of one compilation unless TUNE_COMPILE_TIMEOUT_MS is set: wall clock, and processor time of
 * each process. */
enum { COMPILE_LIMIT_S = 120 };
/* Bytes of compiler messages that are sent to the parent. */
enum { COMPILE_LOG_BYTES_MAX = 64 * 1024 };

/* Runs the measuring child: reads a first message with "protocol" (protocol_format), "cpus" (the
 * processors to pin to; "": none) and "uuid" (unless "", opens the device with that UUID, whatever
 * its current number), opens the device, describes it, then answers requests until its input ends.
 * Returns the exit code. */
int measure_child(const char *kind, int index);
/* Runs the compiling child. `cpus`: processors for the child and its compilers; NULL: any. */
int compile_child(const char *kind, const char *cpus);
/* Returns the path prefix of the compiling children's temporary folders; makes the parent
 * folder. */
enum status scratch_prefix(struct arena *arena, const char **prefix, struct error *error);

#endif
