#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"
#include "tuner/plot/internal.h"

extern char **environ;

enum { SCRIPTS_MAX = 4, TIME_LIMIT_S = 120, WORDS_MAX = 16384 };

enum status scratch_make(struct arena *arena, const char *plots, struct temporary *out,
                         struct error *error)
{
    const char *above = getenv("TMPDIR");
    if (!above || *above != '/')
        above = "/tmp";
    const char *prefix = arena_printf(arena, "%s/tune-plot.", above);
    if (!prefix)
        return error_no_memory(error);
    enum status status = temporary_folder_make(prefix, out, error);
    if (status != STATUS_OK)
        return error_prefix(error, "set TMPDIR to a folder that can be written");
    if (symlinkat(plots, out->file, "plots") == 0)
        return STATUS_OK;
    status = error_set_errno(error, errno, "%s/plots", out->path);
    temporary_folder_remove(out);
    return status;
}

/* An argument vector and no shell; nothing to read; what it says comes back through `pipe_end`. -d:
 * without the user's own settings. */
static int start(const char *folder, const char *const *scripts, int pipe_end, pid_t *pid)
{
    char *arguments[SCRIPTS_MAX + 3] = {(char *)"gnuplot", (char *)"-d"};
    for (size_t i = 0; i < SCRIPTS_MAX && scripts[i]; i++)
        arguments[i + 2] = (char *)scripts[i];
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0)
        return failure;
    failure = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (failure == 0)
        failure = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (failure == 0)
        failure = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (failure == 0)
        failure = posix_spawn_file_actions_adddup2(&actions, pipe_end, 2);
    if (failure == 0)
        failure = posix_spawnp(pid, "gnuplot", &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return failure;
}

/* Takes what it says (the first WORDS_MAX bytes) until it ends or its time is over. */
static bool listen_until_end(int pipe_end, struct text *words)
{
    int64_t end_ns = clock_now_ns() + (int64_t)TIME_LIMIT_S * 1000000000;
    char part[4096];
    for (;;) {
        int64_t left_ms = (end_ns - clock_now_ns()) / 1000000;
        if (left_ms <= 0)
            return false;
        struct pollfd wait = {.fd = pipe_end, .events = POLLIN};
        int ready = poll(&wait, 1, (int)left_ms);
        if (ready <= 0)
            continue;
        ssize_t got = read(pipe_end, part, sizeof part);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        if (words->length < WORDS_MAX)
            text_append_bytes(words, part, (size_t)got);
    }
}

/* gnuplot prints the line it stumbled on, a caret, and then what is wrong as '"file" line 3: ...':
 * that line says most, if it is no
 * mere warning; else the first that is not empty. */
static const char *telling_line(struct text *words)
{
    const char *first = NULL;
    char *rest = words->data;
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        line += strspn(line, " \t\r");
        if (line[0] == '"' && strstr(line, "\" line ") && !strstr(line, " warning: "))
            return line;
        if (!first && line[0])
            first = line;
    }
    return first ? first : "it gave no reason";
}

/* The line in which style.gp says what this gnuplot lacks, without its start; NULL: nothing. */
static char *after_start(const char *words, const char *start)
{
    const char *line = strstr(words, start);
    if (!line || (line > words && line[-1] != '\n'))
        return NULL;
    line += strlen(start);
    return strndup(line, strcspn(line, "\n"));
}

static enum status say_lacking(const char *words, bool *lacks_format, struct error *error)
{
    char *old = after_start(words, "tune old: ");
    char *format = after_start(words, "tune lacks: ");
    enum status status = STATUS_OK;
    *lacks_format = format && !old;
    if (old || format)
        status = error_set(error, STATUS_UNAVAILABLE, "%s", old ? old : format);
    free(old);
    free(format);
    return status;
}

static enum status run_with_pipe(const char *where, const char *folder, const char *const *scripts,
                                 int ends[2], bool *lacks_format, struct error *error)
{
    pid_t pid = 0;
    int failure = start(folder, scripts, ends[1], &pid);
    (void)close(ends[1]);
    if (failure == ENOENT || failure == EACCES)
        return error_set(error, STATUS_UNAVAILABLE,
                         "gnuplot is not installed: apt-get install gnuplot-nox, or use --data");
    if (failure != 0)
        return error_set_errno(error, failure, "%s: cannot start gnuplot", where);
    struct text words = {0};
    bool ended = listen_until_end(ends[0], &words);
    if (!ended)
        (void)kill(pid, SIGKILL);
    int state = 0;
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
        continue;
    enum status status = say_lacking(text_string(&words), lacks_format, error);
    if (status != STATUS_OK)
        ;
    else if (!ended)
        status = error_set(error, STATUS_TIMED_OUT, "%s: gnuplot took longer than %d s", where,
                           (int)TIME_LIMIT_S);
    else if (WIFSIGNALED(state))
        status = error_set(error, STATUS_INTERNAL, "%s: gnuplot was ended by signal %d", where,
                           WTERMSIG(state));
    else if (WEXITSTATUS(state) != 0)
        status = error_set(error, STATUS_INTERNAL, "%s: gnuplot: %s", where, telling_line(&words));
    text_free(&words);
    return status;
}

enum status gnuplot_run(const char *where, const char *folder, const char *const *scripts,
                        bool *lacks_format, struct error *error)
{
    int ends[2];
    *lacks_format = false;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set_errno(error, errno, "%s: cannot start gnuplot", where);
    enum status status = run_with_pipe(where, folder, scripts, ends, lacks_format, error);
    (void)close(ends[0]);
    return status;
}
