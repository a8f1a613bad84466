#ifndef TUNE_BASE_CLOCK_H
#define TUNE_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the monotonic clock, whose origin is arbitrary. */
int64_t clock_now_ns(void);

/* Reads the clock for time limits: as clock_now_ns, but the clock stands still while this process
 * is stopped (SIGSTOP, Ctrl-Z, a frozen container, a paused virtual machine), since the process
 * that the caller waits for may have been stopped, too, or have answered long ago. A stop is
 * detected when the thread that clock_watch starts did not wake up for half a second; without
 * clock_watch the clock never stands still. */
int64_t clock_running_ns(void);
/* Moves clock_running_ns forward by `ns`: a replay charges the time that a step took when it was
 * recorded. */
void clock_charge(int64_t ns);
/* Reads the clock for budgets and for estimates that budgets use: clock_running_ns, but from
 * clock_play on only charged time, so that a replay does not depend on this machine's speed. Never
 * 0. */
int64_t clock_budget_ns(void);
void clock_play(void);
/* Returns how long the process was stopped or the machine slept since clock_watch, in all; 0 before
 * clock_watch. */
int64_t clock_stopped_ns(void);
/* Returns whether the process was stopped since clock_stopped_ns returned `stopped_ns`, for longer
 * than reading two clocks takes. */
bool clock_stopped_since(int64_t stopped_ns);
/* Starts the thread that detects stops, once in a process; without a thread no stop is detected. */
void clock_watch(void);

#define CLOCK_TIMESTAMP_BYTES 32
/* Writes UTC as "2026-11-21T02:35:00Z". */
void clock_timestamp(char out[CLOCK_TIMESTAMP_BYTES]);

#endif
