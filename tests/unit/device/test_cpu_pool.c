#include "cpu_test.h"

#include <sched.h>
#include <time.h>

#include "tuner/device/cpu/pool.h"

enum { THREADS_MAX = 1024 };

/* Plain integers: the pool itself must order their writes (checked by ThreadSanitizer). */
static int seen[THREADS_MAX];
static int reported[THREADS_MAX];

static void note(void *context, int thread, int threads)
{
    (void)context;
    seen[thread]++;
    reported[thread] = threads;
}

static void check_run(struct pool *pool, int threads)
{
    memset(seen, 0, sizeof seen);
    pool_run(pool, threads, note, NULL);
    for (int i = 0; i < threads; i++) {
        assert_int_equal(seen[i], 1);
        assert_int_equal(reported[i], threads);
    }
    for (int i = threads; i < pool_size(pool); i++)
        assert_int_equal(seen[i], 0);
}

static void sleep_ms(long ms)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void start_with(const char *topology, struct machine *machine, struct pool **pool)
{
    struct error error = {0};
    if (topology) {
        assert_int_equal(setenv("HWLOC_SYNTHETIC", topology, 1), 0);
        assert_int_equal(setenv("HWLOC_THISSYSTEM", "0", 1), 0);
    }
    enum status status = machine_load(machine, &error);
    (void)unsetenv("HWLOC_SYNTHETIC");
    (void)unsetenv("HWLOC_THISSYSTEM");
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(pool_start(machine, pool, &error), STATUS_OK);
}

TEST(each_thread_runs_once)
{
    struct machine machine;
    struct pool *pool;
    start_with("core:5 pu:1", &machine, &pool);
    assert_int_equal(pool_size(pool), 5);
    for (int round = 0; round < 300; round++)
        check_run(pool, 1 + round % 5);
    pool_stop(pool);
    machine_free(&machine);
}

/* A pause longer than any thread spins. */
TEST(sleepers_wake)
{
    struct machine machine;
    struct pool *pool;
    start_with("core:4 pu:1", &machine, &pool);
    for (int round = 0; round < 5; round++) {
        sleep_ms(20);
        check_run(pool, 4);
        sleep_ms(20);
        check_run(pool, 2);
    }
    pool_stop(pool);
    machine_free(&machine);
}

static void work_long(void *context, int thread, int threads)
{
    (void)context;
    if (thread != 0)
        sleep_ms(40);
    seen[thread] = threads;
}

TEST(the_caller_waits_for_all)
{
    struct machine machine;
    struct pool *pool;
    start_with("core:3 pu:1", &machine, &pool);
    for (int round = 0; round < 3; round++) {
        memset(seen, 0, sizeof seen);
        pool_run(pool, 3, work_long, NULL);
        for (int i = 0; i < 3; i++)
            assert_int_equal(seen[i], 3);
    }
    pool_stop(pool);
    machine_free(&machine);
}

static void note_processor(void *context, int thread, int threads)
{
    cpu_set_t mask;
    (void)context, (void)threads;
    seen[thread] = -1;
    reported[thread] = sched_getcpu();
    if (sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) == 1)
        for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, &mask))
                seen[thread] = (int)cpu;
}

TEST(threads_are_pinned_and_the_caller_is_let_go)
{
    struct machine machine;
    struct pool *pool;
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    start_with(NULL, &machine, &pool);
    pool_run(pool, pool_size(pool), note_processor, NULL);
    for (int i = 0; i < pool_size(pool); i++) {
        assert_int_equal(seen[i], (int)machine.units[i]->os_index);
        assert_int_equal(reported[i], seen[i]);
    }
    pool_stop(pool);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    machine_free(&machine);
}

TEST_MAIN(NULL, NULL)
