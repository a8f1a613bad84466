/* Processor lists as text, in the system's form: "0-3,8". */
#ifndef TUNE_BASE_CPUS_H
#define TUNE_BASE_CPUS_H

#include <stdbool.h>

/* Pins all threads of this process to the list; false when the list is malformed or the system
 * refuses. */
bool cpus_pin(const char *list);

#endif
