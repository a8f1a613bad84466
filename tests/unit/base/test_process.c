/* Starting programs: files, signals and environment of a child. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/array.h"
#include "tuner/base/process.h"

/* Moves a file beyond the numbers that a program receives. */
static int move_up(int file)
{
    const int high = fcntl(file, F_DUPFD_CLOEXEC, 10);
    assert_true(high >= 10);
    (void)close(file);
    return high;
}

/* Runs a shell script and reads its output at descriptor 4, a pipe of ours. */
static void run_script(const char *script, struct process_start start, char *output,
                       size_t said_bytes)
{
    const char *const words[] = {"sh", "-c", script, NULL};
    struct error error = {0};
    pid_t child = 0;
    int ends[2], state = 0;
    const int zero = move_up(open("/dev/zero", O_RDONLY));
    assert_int_equal(pipe(ends), 0);
    const int from = move_up(ends[0]), to = move_up(ends[1]);
    /* Each has the number that the other one is to get there. */
    const int files[] = {-1, -1, -1, dup2(zero, 4), dup2(to, 3)};
    start.path = "/bin/sh";
    start.argv = words;
    start.files = files;
    start.file_count = COUNT(files);
    assert_int_equal(process_start(&start, &child, &error), STATUS_OK);
    const int ours[] = {3, 4, zero, to};
    for (size_t i = 0; i < COUNT(ours); i++)
        (void)close(ours[i]);
    size_t have = 0;
    for (ssize_t got = 1; got > 0 && have + 1 < said_bytes; have += (size_t)got)
        got = read(from, output + have, said_bytes - 1 - have);
    output[have] = '\0';
    (void)close(from);
    assert_int_equal(waitpid(child, &state, 0), child);
    assert_true(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

TEST(descriptors_are_what_was_given)
{
    char output[256];
    run_script("cat <&0 >&4; head -c 3 <&3 | od -An -tx1 >&4", (struct process_start){0}, output,
               sizeof output);
    assert_string_equal(output, " 00 00 00\n");
}

TEST(groups_and_signals)
{
    char output[256];
    /* A signal ignored at our start (SIGHUP by nohup) is ignored by the child, too. SIGPIPE is
     * ignored by this process alone. */
    static const char script[] =
        "kill -HUP $$; echo alive >&4; cut -d' ' -f5 /proc/$$/stat >&4; echo $$ >&4";
    assert_true(signal(SIGHUP, SIG_IGN) != SIG_ERR && signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    run_script(script, (struct process_start){.place = PROCESS_IN_OUR_GROUP}, output,
               sizeof output);
    assert_memory_equal(output, "alive\n", 6);
    assert_int_equal(strtol(output + 6, NULL, 10), getpgrp());
    run_script("trap 'echo heard >&4' HUP PIPE; kill -HUP $$; kill -PIPE $$; "
               "cut -d' ' -f5 /proc/$$/stat >&4; echo $$ >&4",
               (struct process_start){.place = PROCESS_LEADS_GROUP}, output, sizeof output);
    char *end = NULL;
    assert_memory_equal(output, "heard\nheard\n", 12);
    const long group = strtol(output + 12, &end, 10);
    assert_int_equal(group, strtol(end, NULL, 10));
    assert_true(signal(SIGHUP, SIG_DFL) != SIG_ERR && signal(SIGPIPE, SIG_DFL) != SIG_ERR);
}

TEST(variables_come_and_go)
{
    char output[256];
    const struct process_variable variables[] = {
        {"TUNE_A", "a b"}, {"TUNE_B", NULL}, {"TUNE_NEW", ""}};
    const struct process_start start = {.variables = variables, .variable_count = COUNT(variables)};
    assert_int_equal(setenv("TUNE_A", "old", 1), 0);
    assert_int_equal(setenv("TUNE_B", "old", 1), 0);
    assert_int_equal(setenv("TUNE_AB", "stays", 1), 0);
    run_script("echo \"$TUNE_A ${TUNE_B-gone} ${TUNE_NEW-none}$TUNE_AB\" >&4", start, output,
               sizeof output);
    assert_string_equal(output, "a b gone stays\n");
    assert_string_equal(getenv("TUNE_A"), "old");
}

TEST(what_cannot_be_started_is_an_error)
{
    const char *const words[] = {"x", NULL};
    const struct process_start starts[] = {
        {.path = "/nowhere/x", .argv = words},
        {.path = "/bin/sh", .argv = words, .folder = "/nowhere"}};
    for (size_t i = 0; i < COUNT(starts); i++) {
        struct error error = {0};
        pid_t child = -1;
        assert_int_not_equal(process_start(&starts[i], &child, &error), STATUS_OK);
        assert_int_equal(child, 0);
        assert_non_null(strstr(error.text, strerror(ENOENT)));
        assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
    }
}

static void leave_mark(void *context)
{
    *(int *)context = 7;
}
static void crash(void *context)
{
    *(int *)context = 8;
    (void)raise(SIGKILL);
}
static void hang(void *context)
{
    *(int *)context = 9;
    for (;;)
        (void)pause();
}

TEST(work_apart_leaves_shared_memory_alone)
{
    int *mark = process_shared(sizeof *mark), own = 0;
    assert_non_null(mark);
    assert_int_equal(*mark, 0);
    assert_int_equal(process_apart(leave_mark, mark, INT64_C(60000000000)), 0);
    assert_int_equal(*mark, 7);
    assert_int_equal(process_apart(leave_mark, &own, INT64_C(60000000000)), 0);
    assert_int_equal(own, 0);
    assert_int_equal(process_apart(crash, mark, INT64_C(60000000000)), SIGKILL);
    assert_int_equal(*mark, 8);
    *mark = 0;
    assert_int_equal(process_apart(hang, mark, 200000000), SIGKILL);
    process_unshare(mark, sizeof *mark);
    assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

TEST_MAIN(NULL, NULL)
