#include "tuner/device/cpu/pool.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tuner/base/clock.h"

enum {
    CACHE_LINE_BYTES = 64,
    PAUSES_A_LOOK = 64,
    /* The next launch of a timed block comes within microseconds. */
    IDLE_SPIN_NS = 100 * 1000,
    /* The waiting thread is being timed, and has a processor of its own. */
    JOIN_SPIN_NS = 10 * 1000 * 1000,
};

/* A line each, so that waking one does not disturb another. */
struct worker {
    alignas(CACHE_LINE_BYTES) atomic_uint calls; /* counts up: there is a task for this worker */
    atomic_bool asleep;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_t thread;
    struct pool *pool;
    int index;
};

struct pool {
    alignas(CACHE_LINE_BYTES) atomic_int remaining; /* workers still at the task */
    alignas(CACHE_LINE_BYTES) pool_task *task;      /* NULL: end */
    void *context;
    int threads;
    int size;
    int started; /* workers 1 .. started - 1 run */
    const struct machine *machine;
    struct worker *workers; /* 0 is the caller and unused */
    atomic_bool caller_asleep;
    pthread_mutex_t mutex;
    pthread_cond_t done;
    hwloc_bitmap_t caller_processors;
};

static void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool calls_changed(struct worker *worker, unsigned seen, int64_t spin_ns)
{
    int64_t end_ns = clock_now_ns() + spin_ns;
    do {
        for (int i = 0; i < PAUSES_A_LOOK; i++) {
            if (atomic_load_explicit(&worker->calls, memory_order_acquire) != seen)
                return true;
            pause_a_little();
        }
    } while (clock_now_ns() < end_ns);
    return false;
}

static void call(struct worker *worker)
{
    atomic_fetch_add(&worker->calls, 1);
    if (!atomic_load(&worker->asleep))
        return;
    (void)pthread_mutex_lock(&worker->mutex);
    (void)pthread_cond_signal(&worker->wake);
    (void)pthread_mutex_unlock(&worker->mutex);
}

void float_modes_reset(void)
{
#if defined(__x86_64__)
    enum { MXCSR_FLAGS = 0x3f, MXCSR_START = 0x1f80, X87_START = 0x37f };
    unsigned mxcsr = 0;
    unsigned short control = 0;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(control));
    if ((mxcsr & ~(unsigned)MXCSR_FLAGS) == MXCSR_START && control == X87_START)
        return;
    mxcsr = MXCSR_START;
    control = X87_START;
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    __asm__ volatile("fldcw %0" : : "m"(control));
#else
    (void)fesetenv(FE_DFL_ENV);
#endif
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct pool *pool = worker->pool;
    (void)machine_pin(pool->machine, worker->index);
    for (unsigned seen = 0;; seen++) {
        /* The worker sets `asleep` before reading `calls` again, and the caller increments `calls`
         * before reading `asleep`: at least one sees the other's change. */
        if (!calls_changed(worker, seen, IDLE_SPIN_NS)) {
            (void)pthread_mutex_lock(&worker->mutex);
            atomic_store(&worker->asleep, true);
            while (atomic_load(&worker->calls) == seen)
                (void)pthread_cond_wait(&worker->wake, &worker->mutex);
            atomic_store(&worker->asleep, false);
            (void)pthread_mutex_unlock(&worker->mutex);
        }
        if (!pool->task)
            return NULL;
        pool->task(pool->context, worker->index, pool->threads);
        if (atomic_fetch_sub(&pool->remaining, 1) == 1 && atomic_load(&pool->caller_asleep)) {
            (void)pthread_mutex_lock(&pool->mutex);
            (void)pthread_cond_signal(&pool->done);
            (void)pthread_mutex_unlock(&pool->mutex);
        }
        float_modes_reset();
    }
}

void pool_run(struct pool *pool, int threads, pool_task *task, void *context)
{
    if (threads > 1) {
        pool->task = task;
        pool->context = context;
        pool->threads = threads;
        atomic_store(&pool->remaining, threads - 1);
        for (int i = 1; i < threads; i++)
            call(&pool->workers[i]);
    }
    task(context, 0, threads);
    if (threads > 1) {
        int64_t end_ns = 0;
        for (int i = 1; atomic_load_explicit(&pool->remaining, memory_order_acquire) != 0; i++) {
            pause_a_little();
            if (i % PAUSES_A_LOOK != 0)
                continue;
            int64_t now_ns = clock_now_ns();
            if (end_ns == 0)
                end_ns = now_ns + JOIN_SPIN_NS;
            if (now_ns >= end_ns)
                break;
        }
        if (atomic_load(&pool->remaining) != 0) {
            (void)pthread_mutex_lock(&pool->mutex);
            atomic_store(&pool->caller_asleep, true);
            while (atomic_load(&pool->remaining) != 0)
                (void)pthread_cond_wait(&pool->done, &pool->mutex);
            atomic_store(&pool->caller_asleep, false);
            (void)pthread_mutex_unlock(&pool->mutex);
        }
    }
}

static void start_thread(void *context, int thread, int threads)
{
    (void)context, (void)thread, (void)threads;
}

enum status pool_start(const struct machine *machine, struct pool **out, struct error *error)
{
    struct pool *pool = aligned_alloc(CACHE_LINE_BYTES, sizeof *pool);
    size_t bytes = sizeof(struct worker) * (size_t)machine->hardware_threads;
    struct worker *workers = aligned_alloc(CACHE_LINE_BYTES, bytes);
    if (!pool || !workers) {
        free(pool);
        free(workers);
        return error_no_memory(error);
    }
    *pool = (struct pool){
        .machine = machine, .workers = workers, .size = machine->hardware_threads, .started = 1};
    for (int i = 0; i < pool->size; i++)
        workers[i] = (struct worker){.index = i};
    (void)pthread_mutex_init(&pool->mutex, NULL);
    (void)pthread_cond_init(&pool->done, NULL);
    enum status status = STATUS_OK;
    for (int i = 1; status == STATUS_OK && i < pool->size; i++) {
        /* Signals are the caller's business, except those caused by the worker's own writes to
         * inputs. */
        struct worker *worker = &pool->workers[i];
        sigset_t all, before;
        worker->pool = pool;
        worker->index = i;
        (void)pthread_mutex_init(&worker->mutex, NULL);
        (void)pthread_cond_init(&worker->wake, NULL);
        (void)sigfillset(&all);
        (void)sigdelset(&all, SIGSEGV);
        (void)pthread_sigmask(SIG_SETMASK, &all, &before);
        int failure = pthread_create(&worker->thread, NULL, work, worker);
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
        status = STATUS_OK;
        if (failure != 0) {
            (void)pthread_cond_destroy(&worker->wake);
            (void)pthread_mutex_destroy(&worker->mutex);
            status =
                error_set_errno(error, failure, "cpu: cannot start thread %d of %d (see ulimit -u)",
                                i + 1, pool->size);
        }
        pool->started += status == STATUS_OK;
    }
    if (status != STATUS_OK) {
        pool_stop(pool);
        return status;
    }
    pool->caller_processors = hwloc_bitmap_alloc();
    if (pool->caller_processors) {
        if (hwloc_get_cpubind(pool->machine->topology, pool->caller_processors,
                              HWLOC_CPUBIND_THREAD) == 0)
            (void)machine_pin(pool->machine, 0);
    }
    pool_run(pool, pool->size, start_thread, NULL); /* all are up, each on a processor */
    *out = pool;
    return STATUS_OK;
}

void pool_stop(struct pool *pool)
{
    if (!pool)
        return;
    pool->task = NULL;
    for (int i = 1; i < pool->started; i++) {
        struct worker *worker = &pool->workers[i];
        call(worker);
        (void)pthread_join(worker->thread, NULL);
        (void)pthread_cond_destroy(&worker->wake);
        (void)pthread_mutex_destroy(&worker->mutex);
    }
    if (pool->caller_processors && pool->machine->real)
        (void)hwloc_set_cpubind(pool->machine->topology, pool->caller_processors,
                                HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(pool->caller_processors);
    (void)pthread_cond_destroy(&pool->done);
    (void)pthread_mutex_destroy(&pool->mutex);
    free(pool->workers);
    free(pool);
}

void pool_let_roam(struct pool *pool, bool roams)
{
    if (!roams)
        (void)machine_pin(pool->machine, 0);
    else if (pool->caller_processors && pool->machine->real)
        (void)hwloc_set_cpubind(pool->machine->topology, pool->caller_processors,
                                HWLOC_CPUBIND_THREAD);
}

int pool_size(const struct pool *pool)
{
    return pool->size;
}

int pool_awake(const struct pool *pool)
{
    int awake = 1;
    for (int i = 1; i < pool->started; i++)
        awake += !atomic_load(&pool->workers[i].asleep);
    return awake;
}
