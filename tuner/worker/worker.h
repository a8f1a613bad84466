/* The process boundary. Filled in below. */
#ifndef TUNE_WORKER_WORKER_H
#define TUNE_WORKER_WORKER_H
#include <stdbool.h>
/* True when argv[1] asks for a child process of ours ("__measure", "__compile"). */
bool worker_is_entry(const char *argument);
/* The child's main; returns its exit code. */
int worker_main(int argc, char **argv);
#endif
