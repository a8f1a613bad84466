/* Between the child's loop and what it serves. */
#ifndef TUNE_WORKER_CHILD_H
#define TUNE_WORKER_CHILD_H

#include <jansson.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"

/* One compilation, unless TUNE_COMPILE_TIMEOUT_MS says otherwise: wall clock, and processor time of
 * each process in it. */
enum { COMPILE_LIMIT_S = 120 };
/* Of the compiler's messages, what is passed on. */
enum { COMPILE_LOG_BYTES_MAX = 64 * 1024 };

/* The measuring child: reads a first message with "protocol" (protocol_format), "cpus" (where it is
 * pinned; "": nowhere) and "uuid" (unless it is "", the device of that UUID is opened, whatever its
 * number is now), opens the device, says what it is, then answers until its input ends. Returns the
 * exit code. */
int measure_child(const char *kind, int index);
/* Tells how many devices there are, and ends. */
int count_child(const char *kind);
/* Says what a device is, without opening it, and ends. */
int describe_child(const char *kind, int index);
/* The compiling child. `cpus`: where it and its compilers run; NULL: anywhere. */
int compile_child(const char *kind, const char *cpus);
/* What the names of the compiling children's temporary folders begin with; the folder above is
 * made.
 */
enum status scratch_prefix(struct arena *arena, const char **prefix, struct error *error);

/* Answers one message after the other with `serve` until the pipe closes; a failure of serve
 * becomes an error answer, which keeps the "log" of the answer that serve gave with it, and after
 * STATUS_DEVICE_LOST the child ends so that a new one takes its place. */
typedef enum status child_serve(void *context, const json_t *request, json_t **answer,
                                struct error *error);
int child_loop(child_serve *serve, void *context);

#endif
