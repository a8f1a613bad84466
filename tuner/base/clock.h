#ifndef TUNE_BASE_CLOCK_H
#define TUNE_BASE_CLOCK_H

#include <stdint.h>

/* Monotonic, from an arbitrary start. */
int64_t clock_now_ns(void);

#define CLOCK_TIMESTAMP_BYTES 32
/* UTC as "2026-11-21T02:35:00Z". */
void clock_timestamp(char out[CLOCK_TIMESTAMP_BYTES]);

#endif
