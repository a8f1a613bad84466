/* Threads, one pinned on each hardware thread in the machine's order, that run one task together
 * again and again with little delay. */
#ifndef TUNE_DEVICE_CPU_POOL_H
#define TUNE_DEVICE_CPU_POOL_H

#include "tuner/base/error.h"
#include "tuner/device/cpu/machine.h"

struct pool;

/* Called by each thread that takes part: thread 0 .. threads - 1. */
typedef void pool_task(void *context, int thread, int threads);

/* Starts machine->hardware_threads - 1 threads; the calling thread is thread 0, pinned until
 * pool_stop, and the only one that may call the functions below. `machine` must outlive the pool.
 */
enum status pool_start(const struct machine *machine, struct pool **out, struct error *error);
/* Ends the threads and gives the calling thread the former processors back. Accepts NULL. */
void pool_stop(struct pool *pool);

/* Returns the number of threads, the caller included. */
int pool_size(const struct pool *pool);
/* Returns the number of running threads: the caller, and those that still spin or work. */
int pool_awake(const struct pool *pool);

/* Runs the task on the first `threads` threads (1 .. pool_size) and returns when all are through.
 * Idle threads spin for a moment, since the next run often comes at once, then sleep. */
void pool_run(struct pool *pool, int threads, pool_task *task, void *context);

/* Gives the calling thread the former processors back for a while, so that threads which it starts
 * may run on all of these; or pins it again. */
void pool_let_roam(struct pool *pool, bool roams);

/* Resets the calling thread's rounding and flushing of subnormal numbers to a program's start. */
void float_modes_reset(void);

#endif
