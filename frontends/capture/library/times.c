/* Times of launches by events: a finished pair is read at a later launch. */
#include <stdlib.h>

#include "frontends/capture/library/recorder.h"

enum { PAIRS_MAX = 4096, LOOKED_AT_MAX = 4 };

struct timing {
    struct timing *next;
    CUcontext context;
    CUevent begin, end;
    struct cap_kernel *kernel;
    struct cap_shape *shape;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timing *unused;                 /* free pairs of all contexts */
static struct timing *first, **last = &first; /* running pairs in launch order */
static uint32_t pair_count;
static pthread_once_t is_ended_later = PTHREAD_ONCE_INIT;

/* Registers the final reading now, so that it runs before the exit handlers of the runtime and the
 * driver, which registered earlier. */
static void end_later(void)
{
    (void)atexit(times_end);
}

/* Reads up to `most` oldest pairs, up to the first unfinished one. The caller holds the lock. */
static void take_ended(uint32_t most)
{
    const struct driver *driver = driver_get();
    for (uint32_t i = 0; first && i < most; i++) {
        struct timing *timing = first;
        float elapsed_ms = 0;
        const CUresult result = driver->event_query(timing->end);
        if (result == CUDA_ERROR_NOT_READY)
            return;
        if (result == CUDA_SUCCESS &&
            driver->event_elapsed(&elapsed_ms, timing->begin, timing->end) == CUDA_SUCCESS) {
            const uint64_t elapsed_ns = elapsed_ms > 0 ? (uint64_t)((double)elapsed_ms * 1e6) : 0;
            (void)__atomic_fetch_add(&timing->kernel->time_ns, elapsed_ns, __ATOMIC_RELAXED);
            (void)__atomic_fetch_add(&timing->kernel->timed, 1, __ATOMIC_RELAXED);
            if (timing->shape) {
                (void)__atomic_fetch_add(&timing->shape->time_ns, elapsed_ns, __ATOMIC_RELAXED);
                (void)__atomic_fetch_add(&timing->shape->timed, 1, __ATOMIC_RELAXED);
            }
        }
        first = timing->next;
        if (!first)
            last = &first;
        timing->next = unused;
        unused = timing;
    }
}

/* Returns a pair of events of this context. The caller holds the lock. */
static struct timing *take_pair(CUcontext context)
{
    const struct driver *driver = driver_get();
    for (struct timing **at = &unused; *at; at = &(*at)->next)
        if ((*at)->context == context) {
            struct timing *timing = *at;
            *at = timing->next;
            return timing;
        }
    struct timing *timing = pair_count < PAIRS_MAX ? calloc(1, sizeof *timing) : NULL;
    if (!timing)
        return NULL;
    timing->context = context;
    if (driver->event_create(&timing->begin, CU_EVENT_DEFAULT) != CUDA_SUCCESS ||
        driver->event_create(&timing->end, CU_EVENT_DEFAULT) != CUDA_SUCCESS) {
        free(timing);
        return NULL;
    }
    pair_count++;
    return timing;
}

struct timing *time_before(const struct launch_facts *launch)
{
    const struct driver *driver = driver_get();
    CUcontext context = NULL;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (!driver->event_create || !driver->event_record || !driver->event_query ||
        !driver->event_elapsed || launch->entry == CAP_GRAPH_NODE ||
        atomic_load(&recorder.capturing) > 0 ||
        (driver->current_context && driver->current_context(&context) != CUDA_SUCCESS))
        return NULL;
    (void)pthread_once(&is_ended_later, end_later);
    if (driver->exchange_mode)
        (void)driver->exchange_mode(&mode);
    (void)pthread_mutex_lock(&lock);
    take_ended(LOOKED_AT_MAX);
    struct timing *timing = take_pair(context);
    (void)pthread_mutex_unlock(&lock);
    if (timing && launch_event(launch, timing->begin) != CUDA_SUCCESS) {
        (void)pthread_mutex_lock(&lock);
        timing->next = unused;
        unused = timing;
        (void)pthread_mutex_unlock(&lock);
        timing = NULL;
    }
    if (driver->exchange_mode)
        (void)driver->exchange_mode(&mode);
    return timing;
}

void time_after(struct timing *timing, const struct launch_facts *launch, struct cap_kernel *kernel,
                struct cap_shape *shape, CUresult result)
{
    const bool good = result == CUDA_SUCCESS && launch_event(launch, timing->end) == CUDA_SUCCESS;
    timing->kernel = kernel;
    timing->shape = shape;
    timing->next = NULL;
    (void)pthread_mutex_lock(&lock);
    if (good) {
        *last = timing;
        last = &timing->next;
    } else {
        timing->next = unused;
        unused = timing;
    }
    (void)pthread_mutex_unlock(&lock);
}

void times_lock(void)
{
    (void)pthread_mutex_lock(&lock);
}

void times_unlock(void)
{
    (void)pthread_mutex_unlock(&lock);
}

void times_end(void)
{
    const struct driver *driver = driver_get();
    (void)pthread_mutex_lock(&lock);
    if (driver->event_query)
        take_ended(PAIRS_MAX);
    (void)pthread_mutex_unlock(&lock);
}

void times_forget(void)
{
    (void)pthread_mutex_lock(&lock);
    unused = first = NULL;
    last = &first;
    pair_count = 0;
    (void)pthread_mutex_unlock(&lock);
}
