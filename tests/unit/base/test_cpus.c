#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/cpus.h"

static cpu_set_t mine(pid_t thread)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    assert_int_equal(sched_getaffinity(thread, sizeof set, &set), 0);
    return set;
}

/* Returns the last processor that this process may use. */
static int last_allowed(void)
{
    cpu_set_t set = mine(0);
    int last = -1;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)i, &set))
            last = i;
    return last;
}

TEST(malformed_lists_are_refused)
{
    static const char *const lists[] = {
        "",      ",",  "0,", ",0",  "0,,0", "a",  "0a",  "-1",  "0-",          "1-0",   "1-0,0",
        "0-0-0", " 0", "0 ", "0;0", "0x0",  "+0", "0.0", "0-a", "99999999999", "16384", "0\n"};
    cpu_set_t before = mine(0);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (cpus_pin(lists[i]))
            fail_msg("'%s' was taken", lists[i]);
        cpu_set_t after = mine(0);
        assert_true(CPU_EQUAL(&before, &after));
    }
}

TEST(processors_that_are_not_ours_are_refused)
{
    cpu_set_t before = mine(0);
    char list[64];
    assert_false(cpus_pin("16383"));
    /* The system would silently use the valid part. */
    (void)snprintf(list, sizeof list, "%d,16383", last_allowed());
    assert_false(cpus_pin(list));
    cpu_set_t after = mine(0);
    assert_true(CPU_EQUAL(&before, &after));
}

struct sleeper {
    sem_t ready, end;
    pid_t id;
};

static void *sleep_on(void *context)
{
    struct sleeper *sleeper = context;
    sleeper->id = gettid();
    (void)sem_post(&sleeper->ready);
    while (sem_wait(&sleeper->end) != 0)
        ;
    return NULL;
}

TEST(all_threads_are_pinned_and_let_go)
{
    struct sleeper sleeper = {0};
    pthread_t thread;
    char list[64];
    int last = last_allowed();
    cpu_set_t before = mine(0);
    assert_int_equal(sem_init(&sleeper.ready, 0, 0), 0);
    assert_int_equal(sem_init(&sleeper.end, 0, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, sleep_on, &sleeper), 0);
    while (sem_wait(&sleeper.ready) != 0)
        ;
    (void)snprintf(list, sizeof list, "%d", last);
    assert_true(cpus_pin(list));
    const pid_t threads[] = {0, sleeper.id};
    for (size_t i = 0; i < 2; i++) {
        cpu_set_t after = mine(threads[i]);
        assert_int_equal(CPU_COUNT(&after), 1);
        assert_true(CPU_ISSET((size_t)last, &after));
    }
    /* All processors again, in runs as the system writes them. */
    char all[4096];
    size_t length = 0;
    for (int i = 0; i < CPU_SETSIZE; i++) {
        int end = i;
        while (end < CPU_SETSIZE && CPU_ISSET((size_t)end, &before))
            end++;
        if (end > i)
            length += (size_t)snprintf(all + length, sizeof all - length, "%s%d-%d",
                                       length ? "," : "", i, end - 1);
        i = end;
    }
    assert_true(cpus_pin(all));
    cpu_set_t after = mine(sleeper.id);
    assert_true(CPU_EQUAL(&before, &after));
    (void)sem_post(&sleeper.end);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

TEST_MAIN(NULL, NULL)
