#include "tuner/base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/base/failpoint.h"
#include "tuner/base/files.h"

extern char **environ;

enum { PROCESS_FILES_MAX = 8 };
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

/* Makes a copy of our environment with start->variables. Freed with free(), including its texts. */
static char **make_environment(const struct process_start *start)
{
    size_t count = 0, bytes = 0, kept = 0;
    while (environ[count])
        count++;
    for (size_t i = 0; i < start->variable_count; i++)
        if (start->variables[i].value)
            bytes += strlen(start->variables[i].name) + strlen(start->variables[i].value) + 2;
    char **copy = malloc((count + start->variable_count + 1) * sizeof *copy + bytes);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(environ[i], "=");
        size_t v = 0;
        while (v < start->variable_count &&
               (strlen(start->variables[v].name) != length ||
                memcmp(start->variables[v].name, environ[i], length) != 0))
            v++;
        if (v == start->variable_count)
            copy[kept++] = environ[i];
    }
    char *text = (char *)(copy + count + start->variable_count + 1);
    for (size_t i = 0; i < start->variable_count; i++)
        if (start->variables[i].value) {
            copy[kept++] = text;
            text = stpcpy(stpcpy(stpcpy(text, start->variables[i].name), "="),
                          start->variables[i].value) +
                   1;
        }
    copy[kept] = NULL;
    return copy;
}

/* Becomes the program; only async-signal-safe calls, between fork and exec. Returns
 * on failure, with errno. */
static void become(const struct process_start *start, char *const *environment, int null_file)
{
    sigset_t none;
    int moved[PROCESS_FILES_MAX];
    const bool is_apart = start->place != PROCESS_IN_OUR_GROUP;
    if (start->place == PROCESS_LEADS_SESSION)
        (void)setsid();
    else if (is_apart)
        (void)setpgid(0, 0);
    if (start->ends_with_us)
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Reset our handlers, and signals that we ignore on purpose but another program should not. */
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 &&
            (is_apart || action.sa_handler != SIG_IGN || number == SIGPIPE || number == SIGXFSZ))
            (void)signal(number, SIG_DFL);
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (start->folder && chdir(start->folder) != 0)
        return;
    if (start->file_bytes_max > 0 &&
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){start->file_bytes_max, start->file_bytes_max}) !=
            0)
        return;
    /* Move all descriptors away first: one may have the number that another is to get. */
    for (size_t i = 0; i < start->file_count; i++) {
        moved[i] = fcntl(start->files[i] < 0 ? null_file : start->files[i], F_DUPFD_CLOEXEC,
                         PROCESS_FILES_MAX);
        if (moved[i] < 0)
            return;
    }
    for (size_t i = 0; i < start->file_count; i++)
        if (dup2(moved[i], (int)i) < 0)
            return;
    (void)execve(start->path, (char *const *)(uintptr_t)start->argv, environment);
}

enum status process_start(const struct process_start *start, pid_t *child, struct error *error)
{
    int trouble[2] = {-1, -1}; /* carries the child's errno; closed without a byte on success */
    sigset_t all, before;
    char **environment = start->variable_count > 0 ? make_environment(start) : environ;
    TRY_MEMORY(environment);
    const int null_file = open("/dev/null", O_RDWR | O_CLOEXEC);
    int failure = null_file < 0 || pipe2(trouble, O_CLOEXEC) != 0 ? errno : 0;
    *child = 0;
    if (failure == 0) {
        (void)sigfillset(&all);
        (void)pthread_sigmask(SIG_SETMASK, &all, &before);
        *child = fork();
        failure = errno;
        if (*child == 0) {
            become(start, environment, null_file);
            failure = errno;
            (void)!write(trouble[1], &failure, sizeof failure);
            _exit(127);
        }
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
        (void)close(trouble[1]);
        ssize_t got = 0;
        while (*child > 0 && (got = read(trouble[0], &failure, sizeof failure)) < 0 &&
               errno == EINTR)
            continue;
        if (*child > 0 && got == 0)
            failure = 0;
        else if (*child > 0)
            while (waitpid(*child, NULL, 0) < 0 && errno == EINTR)
                continue;
        (void)close(trouble[0]);
    }
    file_close(null_file);
    if (environment != environ)
        free(environment);
    if (failure == 0)
        return STATUS_OK;
    *child = 0;
    return error_set_errno(error, failure, "%s: cannot start", start->path);
}

/* Reads the program's output; true when the program closed its output before the deadline. */
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
        if (got > 0) {
            const size_t bytes = (size_t)got;
            size_t room = request->output_max - (output->length - start);
            text_append_bytes(output, part, bytes < room ? bytes : room);
        }
    }
}

enum status process_start_self(char *const *arguments, struct process_pipes *out,
                               struct error *error)
{
    struct arena arena = {0};
    int to_child[2] = {-1, -1};
    int from_child[2] = {-1, -1};
    /* This program even when its file was replaced; without /proc its path must do. */
    const char *program = "/proc/self/exe";
    enum status status = STATUS_OK;
    *out = (struct process_pipes){.input = -1, .output = -1};
    if (FAILPOINT_FAILS("worker.start"))
        status = error_set_errno(error, EAGAIN, "pipe");
    else if (pipe2(to_child, O_CLOEXEC) != 0 || pipe2(from_child, O_CLOEXEC) != 0)
        status = error_set_errno(error, errno, "pipe");
    else if (access(program, X_OK) != 0)
        status = executable_path(&arena, &program, error);
    const int files[] = {-1, -1, getenv("TUNE_WORKER_STDERR") ? STDERR_FILENO : -1,
                         [CHILD_INPUT] = to_child[0], [CHILD_OUTPUT] = from_child[1]};
    const struct process_start start = {.path = program,
                                        .argv = (const char *const *)arguments,
                                        .files = files,
                                        .file_count = COUNT(files),
                                        .place = PROCESS_LEADS_GROUP};
    if (status == STATUS_OK && process_start(&start, &out->pid, error) != STATUS_OK)
        status = error_prefix(error, "a worker process");
    arena_free(&arena);
    file_close(to_child[0]);
    file_close(from_child[1]);
    if (status != STATUS_OK) {
        file_close(to_child[1]);
        file_close(from_child[0]);
        out->pid = 0;
        return status;
    }
    out->input = to_child[1];
    out->output = from_child[0];
    FAILPOINT("worker.started");
    return STATUS_OK;
}

/* Waits at most `most_ns` for the end of a child of ours; when true, *wait_status is as from
 * waitpid. */
static bool ends_within(pid_t child, int64_t most_ns, int *wait_status)
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

int process_apart(void (*work)(void *context), void *context, int64_t most_ns)
{
    int wait_status = 0;
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        work(context);
        _exit(0);
    }
    if (!ends_within(child, most_ns, &wait_status)) {
        (void)kill(child, SIGKILL);
        while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
            continue;
    }
    return WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
}

void *process_shared(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void process_unshare(void *memory, size_t bytes)
{
    if (memory)
        (void)munmap(memory, bytes);
}

bool process_share(pid_t process, struct process_share *out)
{
    char path[64];
    *out = (struct process_share){0};
    (void)snprintf(path, sizeof path, "/proc/%ld/task", (long)process);
    DIR *threads = opendir(path);
    bool found = false;
    for (const struct dirent *entry; threads && (entry = readdir(threads));) {
        char text[96] = "";
        char *end = text;
        if (snprintf(path, sizeof path, "/proc/%ld/task/%.20s/schedstat", (long)process,
                     entry->d_name) >= (int)sizeof path)
            continue;
        FILE *file = fopen(path, "re");
        if (!file)
            continue;
        if (fgets(text, sizeof text, file)) {
            out->ran_ns += strtoll(text, &end, 10);
            out->waited_ns += strtoll(end, NULL, 10);
            found = true;
        }
        (void)fclose(file);
    }
    if (threads)
        (void)closedir(threads);
    return found;
}

/* Kills a child of ours, with its process group if the child leads one, and waits for its end. */
static void kill_and_wait(pid_t child, bool leads_group)
{
    if (leads_group)
        (void)kill(-child, SIGKILL);
    (void)kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
}

bool process_end(struct process_pipes *child, int64_t most_ns, int *wait_status)
{
    bool ended = false;
    file_close(child->input);
    if (child->pid > 0) {
        ended = most_ns > 0 && ends_within(child->pid, most_ns, wait_status);
        if (ended)
            (void)kill(-child->pid, SIGKILL); /* children of the child */
        else
            kill_and_wait(child->pid, true);
    }
    file_close(child->output);
    *child = (struct process_pipes){.input = -1, .output = -1};
    return ended;
}

struct guard {
    pid_t child; /* 0: none, because the group is not ours or fork failed */
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
        (void)close(output); /* process_run waits for its end */
        /* Guards as a process of its own: kills the group when its pipe closes, because a
         * compiler's own children do not get PR_SET_PDEATHSIG. Only the guarded process holds the
         * other end of the pipe, so any kind of exit closes it. */
        char byte = 0;
        (void)prctl(PR_SET_NAME, "compiler-guard");
        (void)close(ends[1]);
        while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
            ;
        (void)kill(0, SIGKILL);
        _exit(0);
    }
    (void)close(ends[0]);
    if (child < 0) {
        (void)close(ends[1]);
        return guard;
    }
    return (struct guard){.child = child, .pipe = ends[1]};
}

enum status process_run(const struct process_request *request, struct text *output, int *code,
                        struct error *error)
{
    static const struct process_variable path = {
        "PATH", DEFAULT_PATH}; /* searched by compilers for parts */
    struct process_variable variables[2];
    int ends[2];
    pid_t child = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set_errno(error, errno, "%s: no pipe for its output", request->path);
    const int files[] = {request->input, request->output_file > 0 ? request->output_file : ends[1],
                         ends[1]};
    struct process_start start = {
        .path = request->path,
        .argv = request->argv,
        .folder = request->folder,
        .files = files,
        .file_count = COUNT(files),
        .place = request->in_our_group ? PROCESS_IN_OUR_GROUP : PROCESS_LEADS_GROUP,
        .file_bytes_max = request->file_bytes_max,
        .ends_with_us = true,
        .variables = variables,
    };
    if (request->in_english)
        variables[start.variable_count++] = (struct process_variable){"LC_ALL", "C"};
    if (!getenv("PATH"))
        variables[start.variable_count++] = path;
    struct guard guard = start_guard(request, ends[1]);
    enum status status = process_start(&start, &child, error);
    (void)close(ends[1]);
    if (status == STATUS_OK) {
        const int64_t deadline_ns = clock_now_ns() + request->timeout_ms * 1000000;
        int state = 0;
        /* The program usually ends right after its output. */
        if (drain(ends[0], request, deadline_ns, output) &&
            ends_within(child, deadline_ns - clock_now_ns(), &state)) {
            *code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
        } else {
            kill_and_wait(child, !request->in_our_group);
            status =
                error_set(error, STATUS_TIMED_OUT, "%s: killed, since it ran longer than %lld s",
                          request->path, (long long)(request->timeout_ms / 1000));
        }
    }
    (void)close(ends[0]);
    if (guard.child != 0) {
        kill_and_wait(guard.child, false);
        (void)close(guard.pipe);
    }
    return status;
}
