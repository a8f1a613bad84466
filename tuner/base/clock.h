#ifndef TUNE_BASE_CLOCK_H
#define TUNE_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Monotonic, from an arbitrary start. */
int64_t clock_now_ns(void);

/* What limits of time go by: as clock_now_ns, but it stands still while this process is stopped
 * (SIGSTOP, Ctrl-Z, a frozen container, a virtual machine that is paused), since whoever it waits
 * for may have been stopped, too, or have answered long ago. That it was stopped shows in that a
 * thread of its own, which clock_watch starts, did not wake up for half a second; before that it
 * does not stand still. */
int64_t clock_running_ns(void);
/* From now on clock_running_ns is so much later: of what is replayed, what it took when it was
 * recorded. */
void clock_charge(int64_t ns);
/* What budgets, and what is learnt for them, go by: clock_running_ns; from clock_play on what was
 * charged alone, so that what is replayed comes out alike whatever this machine takes for it. Never
 * 0. */
int64_t clock_budget_ns(void);
void clock_play(void);
/* How long the process was stopped or the machine slept since clock_watch, in all; 0 before that.
 */
int64_t clock_stopped_ns(void);
/* Whether it was since clock_stopped_ns gave this, for longer than two clocks are read. */
bool clock_stopped_since(int64_t stopped_ns);
/* Once for the life of a process; without a thread nothing is noticed. */
void clock_watch(void);

#define CLOCK_TIMESTAMP_BYTES 32
/* UTC as "2026-11-21T02:35:00Z". */
void clock_timestamp(char out[CLOCK_TIMESTAMP_BYTES]);

#endif
