#include "tuner/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tuner/base/clock.h"

extern char **environ;

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

static bool is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

const char *program_find(struct arena *arena, const char *name)
{
    if (strchr(name, '/'))
        return is_program(name) ? arena_strdup(arena, name) : NULL;
    const char *part = getenv("PATH");
    for (part = part ? part : DEFAULT_PATH; *part;) {
        size_t length = strcspn(part, ":");
        const char *path =
            length > 0 ? arena_printf(arena, "%.*s/%s", (int)length, part, name) : NULL;
        if (path && is_program(path))
            return path;
        part += length;
        part += *part == ':';
    }
    return NULL;
}

/* Ours, with a PATH, and as the request has it in English. Freed with free(). */
static char **make_environment(bool in_english)
{
    static char english[] = "LC_ALL=C";
    static char path[] = "PATH=" DEFAULT_PATH; /* compilers look for their parts */
    size_t count = 0;
    while (environ[count])
        count++;
    char **copy = calloc(count + 3, sizeof *copy);
    if (!copy)
        return NULL;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!in_english || strncmp(environ[i], "LC_ALL=", 7) != 0)
            copy[kept++] = environ[i];
    if (in_english)
        copy[kept++] = english;
    if (!getenv("PATH"))
        copy[kept] = path;
    return copy;
}

/* Between fork and exec: only calls that are safe there. It gets a process group of its own, unless
 * it stays in ours, so that its children can be killed with it, and ends when we do. */
static _Noreturn void become(const struct process_request *request, char *const *environment,
                             int input, int output)
{
    sigset_t none;
    if (!request->in_our_group)
        (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    if (request->folder && chdir(request->folder) != 0)
        _exit(127);
    const int standard_output = request->output_file > 0 ? request->output_file : output;
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(standard_output, STDOUT_FILENO) >= 0 &&
        dup2(output, STDERR_FILENO) >= 0)
        (void)execve(request->path, (char *const *)(uintptr_t)request->argv, environment);
    _exit(127);
}

static void append_bounded(struct text *output, size_t start, size_t max, const char *data,
                           size_t bytes)
{
    size_t room = max - (output->length - start);
    text_append_bytes(output, data, bytes < room ? bytes : room);
}

/* True when the program closed its output before the deadline. */
static bool drain(int pipe, const struct process_request *request, int64_t deadline_ns,
                  struct text *output)
{
    size_t start = output->length;
    for (;;) {
        int64_t left_ms = (deadline_ns - clock_now_ns()) / 1000000;
        if (left_ms <= 0)
            return false;
        struct pollfd wait = {.fd = pipe, .events = POLLIN};
        int ready = poll(&wait, 1, left_ms < 1000 ? (int)left_ms : 1000);
        if (ready <= 0)
            continue;
        char part[4096];
        ssize_t got = read(pipe, part, sizeof part);
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return true;
        if (got > 0)
            append_bounded(output, start, request->output_max, part, (size_t)got);
    }
}

bool process_ends(pid_t child, int64_t most_ns, int *wait_status)
{
    const int64_t deadline_ns = clock_running_ns() + most_ns;
    for (;;) {
        const pid_t got = waitpid(child, wait_status, WNOHANG);
        if (got == child)
            return true;
        if ((got < 0 && errno != EINTR) || clock_running_ns() >= deadline_ns)
            return false;
        (void)nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    }
}

void process_kill(pid_t child, bool leads_group)
{
    if (leads_group)
        (void)kill(-child, SIGKILL);
    (void)kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static enum status watch(const struct process_request *request, pid_t child, int pipe,
                         struct text *output, int *code, struct error *error)
{
    int64_t deadline_ns = clock_now_ns() + request->timeout_ms * 1000000;
    int state = 0;
    /* It has usually ended with its output. */
    if (drain(pipe, request, deadline_ns, output) &&
        process_ends(child, deadline_ns - clock_now_ns(), &state)) {
        *code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
        return STATUS_OK;
    }
    process_kill(child, !request->in_our_group);
    return error_set(error, STATUS_TIMED_OUT, "%s: killed, since it ran longer than %lld s",
                     request->path, (long long)(request->timeout_ms / 1000));
}

/* A compiler's own children hear of no parent's death. This one does: nobody else holds the other
 * end of its pipe than the process it guards, which closes it by ending, however that comes. */
static _Noreturn void guard_group(int pipe, int other_end)
{
    char byte = 0;
    (void)prctl(PR_SET_NAME, "compiler-guard");
    (void)close(other_end);
    while (read(pipe, &byte, 1) < 0 && errno == EINTR)
        ;
    (void)kill(0, SIGKILL);
    _exit(0);
}

struct guard {
    pid_t child; /* 0: there is none, for the group is not ours alone, or none could be had */
    int pipe;
};

static struct guard start_guard(const struct process_request *request, int output)
{
    int ends[2];
    struct guard guard = {.pipe = -1};
    if (!request->in_our_group || getpgrp() != getpid() || pipe2(ends, O_CLOEXEC) != 0)
        return guard;
    pid_t child = fork();
    if (child == 0) {
        (void)close(output); /* whose end is waited for */
        guard_group(ends[0], ends[1]);
    }
    (void)close(ends[0]);
    if (child < 0) {
        (void)close(ends[1]);
        return guard;
    }
    return (struct guard){.child = child, .pipe = ends[1]};
}

static void end_guard(const struct guard *guard)
{
    if (guard->child == 0)
        return;
    process_kill(guard->child, false);
    (void)close(guard->pipe);
}

static enum status start(const struct process_request *request, int input, struct text *output,
                         int *code, struct error *error)
{
    int ends[2];
    char **environment = make_environment(request->in_english);
    if (!environment)
        return error_no_memory(error);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        free(environment);
        return error_set_errno(error, errno, "%s: no pipe for its output", request->path);
    }
    struct guard guard = start_guard(request, ends[1]);
    pid_t child = fork();
    if (child == 0)
        become(request, environment, input, ends[1]);
    int failure = errno;
    (void)close(ends[1]);
    enum status status = child > 0
                             ? watch(request, child, ends[0], output, code, error)
                             : error_set_errno(error, failure, "%s: cannot start", request->path);
    (void)close(ends[0]);
    end_guard(&guard);
    free(environment);
    return status;
}

enum status process_run(const struct process_request *request, struct text *output, int *code,
                        struct error *error)
{
    if (request->input >= 0)
        return start(request, request->input, output, code, error);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0)
        return error_set_errno(error, errno, "/dev/null");
    enum status status = start(request, nothing, output, code, error);
    (void)close(nothing);
    return status;
}
