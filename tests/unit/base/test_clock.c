/* A stopped process: its time limits stand still. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/clock.h"

enum { STOP_MS = 1500, WATCHED = 1 };

static void sleep_ms(int ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    while (nanosleep(&left, &left) != 0)
        continue;
}

struct seen {
    int64_t now_ns, running_ns, stopped_ns;
    int stopped_since;
};

/* Stops itself, and tells how long that was by each clock. */
static void stop_and_tell(int pipe, int flags)
{
    if (flags & WATCHED)
        clock_watch();
    sleep_ms(50);
    struct seen seen = {clock_now_ns(), clock_running_ns(), clock_stopped_ns(), 0};
    int64_t before_ns = seen.stopped_ns;
    (void)kill(getpid(), SIGSTOP);
    seen.now_ns = clock_now_ns() - seen.now_ns;
    seen.running_ns = clock_running_ns() - seen.running_ns;
    seen.stopped_ns = clock_stopped_ns() - seen.stopped_ns;
    seen.stopped_since = clock_stopped_since(before_ns);
    (void)!write(pipe, &seen, sizeof seen);
    _exit(0);
}

static struct seen stop_child(int flags)
{
    int ends[2];
    int state = 0;
    struct seen seen = {0};
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        stop_and_tell(ends[1], flags);
    assert_int_equal(waitpid(child, &state, WUNTRACED), child);
    assert_true(WIFSTOPPED(state));
    sleep_ms(STOP_MS);
    assert_int_equal(kill(child, SIGCONT), 0);
    assert_int_equal(read(ends[0], &seen, sizeof seen), sizeof seen);
    assert_int_equal(waitpid(child, &state, 0), child);
    (void)close(ends[0]);
    (void)close(ends[1]);
    return seen;
}

TEST(limits_stand_still_while_the_process_is_stopped)
{
    struct seen seen = stop_child(WATCHED);
    assert_true(seen.now_ns >= STOP_MS * INT64_C(1000000));
    assert_true(seen.stopped_ns >= (STOP_MS - 300) * INT64_C(1000000));
    assert_true(seen.running_ns <= seen.now_ns - (STOP_MS - 300) * INT64_C(1000000));
    assert_true(seen.stopped_since);
}

TEST(without_a_watch_nothing_is_noticed)
{
    struct seen seen = stop_child(0);
    assert_true(seen.running_ns >= STOP_MS * INT64_C(1000000));
    assert_int_equal(seen.stopped_ns, 0);
    assert_false(seen.stopped_since);
}

/* However often the clock is read, and beside a working thread. */
TEST(a_process_that_runs_is_never_stopped)
{
    clock_watch();
    clock_watch();
    int64_t last_ns = clock_running_ns();
    for (int i = 0; i < 100; i++) {
        int64_t now_ns = clock_running_ns();
        assert_true(now_ns >= last_ns);
        last_ns = now_ns;
        sleep_ms(1);
    }
}

/* Budgets of replays count recorded time alone; the last test, because the switch is final. */
TEST(what_is_played_takes_what_is_charged)
{
    const int64_t before_ns = clock_budget_ns();
    sleep_ms(1);
    assert_true(clock_budget_ns() > before_ns);
    clock_charge(5);
    clock_play();
    const int64_t played_ns = clock_budget_ns();
    assert_true(played_ns > 0);
    sleep_ms(1);
    assert_int_equal(clock_budget_ns(), played_ns);
    clock_charge(7);
    assert_int_equal(clock_budget_ns(), played_ns + 7);
}

TEST_MAIN(NULL, NULL)
