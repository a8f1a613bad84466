#include "tuner/base/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { LOOK_EVERY_MS = 200 };
static const int64_t gap_max_ns =
    500 * INT64_C(1000000); /* a longer gap between two observations is a stop */

/* Stops of this process, guarded by the mutex. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool on;
    int64_t looked_ns;
    int64_t stopped_ns;
    int64_t charged_ns;
    bool plays;
    int64_t slept_at_first_ns;
} watch;

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
        return 0;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

/* Returns how long the machine has slept since its start, which the monotonic clock leaves out. */
static int64_t slept_ns(void)
{
    return read_clock(CLOCK_BOOTTIME) - clock_now_ns();
}

/* Adds a stop since the last observation to the sum; the first caller after a stop adds the gap. */
static int64_t look(int64_t *stopped_ns)
{
    (void)pthread_mutex_lock(&guard);
    int64_t now_ns = clock_now_ns();
    if (watch.on && now_ns - watch.looked_ns > gap_max_ns)
        watch.stopped_ns += now_ns - watch.looked_ns;
    watch.looked_ns = now_ns;
    *stopped_ns = watch.stopped_ns;
    (void)pthread_mutex_unlock(&guard);
    return now_ns;
}

int64_t clock_running_ns(void)
{
    int64_t stopped_ns = 0;
    int64_t now_ns = look(&stopped_ns);
    (void)pthread_mutex_lock(&guard);
    const int64_t charged_ns = watch.charged_ns;
    (void)pthread_mutex_unlock(&guard);
    return now_ns - stopped_ns + charged_ns;
}

int64_t clock_budget_ns(void)
{
    (void)pthread_mutex_lock(&guard);
    const bool plays = watch.plays;
    const int64_t charged_ns = watch.charged_ns;
    (void)pthread_mutex_unlock(&guard);
    return plays ? charged_ns + 1 : clock_running_ns();
}

void clock_play(void)
{
    (void)pthread_mutex_lock(&guard);
    watch.plays = true;
    (void)pthread_mutex_unlock(&guard);
}

void clock_charge(int64_t ns)
{
    (void)pthread_mutex_lock(&guard);
    watch.charged_ns += ns;
    (void)pthread_mutex_unlock(&guard);
}

int64_t clock_stopped_ns(void)
{
    int64_t stopped_ns = 0;
    (void)look(&stopped_ns);
    return watch.on ? stopped_ns + slept_ns() - watch.slept_at_first_ns : 0;
}

bool clock_stopped_since(int64_t stopped_ns)
{
    const int64_t reading_ns = 100000000;
    return clock_stopped_ns() - stopped_ns > reading_ns;
}

static void *keep_looking(void *unused)
{
    const struct timespec pause = {.tv_nsec = LOOK_EVERY_MS * 1000000L};
    (void)unused;
    for (;;) {
        int64_t ignored = 0;
        (void)look(&ignored);
        (void)nanosleep(&pause, NULL);
    }
    return NULL;
}

void clock_watch(void)
{
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    if (watch.on)
        return;
    watch.on = true;
    watch.looked_ns = clock_now_ns();
    watch.slept_at_first_ns = slept_ns();
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main thread */
    int failure = pthread_create(&thread, NULL, keep_looking, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure == 0)
        (void)pthread_detach(thread);
    else
        watch.on = false;
}

void clock_timestamp(char out[CLOCK_TIMESTAMP_BYTES])
{
    time_t now = time(NULL);
    struct tm parts;
    memset(&parts, 0, sizeof parts);
    (void)gmtime_r(&now, &parts);
    if (strftime(out, CLOCK_TIMESTAMP_BYTES, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        out[0] = '\0';
}
