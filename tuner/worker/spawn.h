/* Starting and ending children of the own executable. */
#ifndef TUNE_WORKER_SPAWN_H
#define TUNE_WORKER_SPAWN_H

#include <sys/types.h>

#include "tuner/base/error.h"

/* The child finds its pipes at these descriptors. */
enum { CHILD_INPUT = 3, CHILD_OUTPUT = 4 };

struct child {
    pid_t pid;  /* 0: none */
    int input;  /* we write here; -1: none */
    int output; /* we read here; -1: none */
};

/* Runs this very program with `arguments` (NULL-terminated, [0] the program's name) in a process
 * group of its own, so that Ctrl-C reaches only the parent. Its standard input and output are
 * /dev/null; its standard error too unless TUNE_WORKER_STDERR is set. */
enum status child_start(char *const *arguments, struct child *out, struct error *error);

enum child_end {
    CHILD_WAS_RUNNING, /* or nobody asked how it ended */
    CHILD_HAD_ENDED,   /* by an exit, or a signal that a fault in it raises */
    CHILD_WAS_KILLED,  /* SIGKILL or SIGTERM, which no fault raises: by a person, or for memory */
};

/* Kills the child and what it started, and waits for it. *how, if given, gets "signal 11
 * (Segmentation fault)" or "exit code 3": how it had ended before it was killed, or "". */
enum child_end child_kill(struct child *child, char *how, size_t how_bytes);

#endif
