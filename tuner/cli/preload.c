/* Running a program with a library of ours in front. */
#include "tuner/cli/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/process.h"

enum { ROOM_BYTES = 256 << 20 }; /* for listings without vectors: images, mostly */

enum status preload_library(struct arena *arena, const char **out, struct error *error)
{
    static const char name[] = "libtunecapture.so";
    static const char *const folders[] = {TUNE_LIBDIR_FROM_BIN "/tune", "../lib/tune"};
    const char *named = getenv("TUNE_CAPTURE_LIBRARY"), *program = NULL;
    if (named && *named) {
        *out = arena_strdup(arena, named);
        return !*out               ? error_no_memory(error)
               : file_exists(*out) ? STATUS_OK
                                   : error_set(error, STATUS_NOT_FOUND,
                                               "TUNE_CAPTURE_LIBRARY: %s is not there", named);
    }
    enum status status = executable_path(arena, &program, error);
    for (size_t i = 0; i < COUNT(folders) && status == STATUS_OK; i++) {
        *out = arena_printf(arena, "%.*s%s/%s", (int)(strrchr(program, '/') + 1 - program), program,
                            folders[i], name);
        TRY_MEMORY(*out);
        if (file_exists(*out))
            return STATUS_OK;
    }
    return status != STATUS_OK ? status
                               : error_set(error, STATUS_UNAVAILABLE,
                                           "%s is not beside this program: build "
                                           "tune with CUDA's headers, "
                                           "or name the library with TUNE_CAPTURE_LIBRARY",
                                           name);
}

/* Returns a folder in memory, given enough room: on a disk, the first page of a mapped file takes
 * half a millisecond or more, during a program's first launch. */
static const char *folder_for_a_while(void)
{
    struct statvfs room;
    const char *named = getenv("TMPDIR");
    if (named && *named)
        return named;
    return statvfs("/dev/shm", &room) == 0 && access("/dev/shm", W_OK | X_OK) == 0 &&
                   (uint64_t)room.f_bavail * room.f_frsize >= ROOM_BYTES
               ? "/dev/shm"
               : "/tmp";
}

enum status preload_folder(const char *output, struct arena *arena, struct temporary *folder,
                           struct error *error)
{
    const char *above = folder_for_a_while();
    const char *slash = output ? strrchr(output, '/') : NULL;
    if (output)
        above = slash ? arena_strndup(arena, output, (size_t)(slash - output) + 1) : ".";
    char real[PATH_MAX];
    if (!above || !realpath(above, real))
        return above ? error_set_errno(error, errno, "%s", above) : error_no_memory(error);
    const char *prefix = arena_printf(arena, "%s/.tune-capture-", real);
    return prefix ? temporary_folder_make(prefix, folder, error) : error_no_memory(error);
}

static volatile sig_atomic_t child;

/* Passes a signal that ends us on to the program; the end is reported afterwards. Ctrl-C reaches
 * the program directly. */
static void pass_on(int number)
{
    if (child > 0)
        (void)kill((pid_t)child, number);
}

enum status preload_run(const char *const *words, const char *library,
                        const struct process_variable *variables, size_t count, int output,
                        int *wait_status, struct error *error)
{
    struct arena arena = {0};
    const int files[] = {STDIN_FILENO, output};
    const char *others = getenv("LD_PRELOAD");
    struct process_variable *all = arena_alloc(&arena, count + 1, sizeof *all);
    struct process_start start = {.path = program_find(&arena, words[0]),
                                  .argv = words,
                                  .variables = all,
                                  .variable_count = count,
                                  .files = files,
                                  .file_count = output < 0 ? 0 : COUNT(files)};
    pid_t started = 0;
    for (size_t i = 0; all && i < count; i++)
        all[i] = variables[i];
    if (library && others && *others)
        library = arena_printf(&arena, "%s:%s", library, others);
    if (all && library)
        all[start.variable_count++] = (struct process_variable){"LD_PRELOAD", library};
    enum status status =
        arena.failed  ? error_no_memory(error)
        : !start.path ? error_set(error, STATUS_NOT_FOUND, "%s: there is no such program", words[0])
                      : process_start(&start, &started, error);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_handler = pass_on}, before[4];
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    child = (sig_atomic_t)started;
    for (size_t i = 0; i < COUNT(numbers); i++)
        (void)sigaction(numbers[i], i < 2 ? &ignore : &pass, &before[i]);
    while (started > 0 && waitpid(started, wait_status, 0) < 0 && errno == EINTR)
        continue;
    child = 0;
    for (size_t i = 0; i < COUNT(numbers); i++)
        (void)sigaction(numbers[i], &before[i], NULL);
    arena_free(&arena);
    return status;
}

enum status preload_no_launch(const char *program, int wait_status, struct error *error)
{
    const bool is_signal = WIFSIGNALED(wait_status);
    const int code = is_signal                ? WTERMSIG(wait_status)
                     : WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
                                              : 0;
    if (code != 0)
        return error_set(error, STATUS_NOT_FOUND,
                         "%s: no kernel launch seen: it %s %d before its first: does it run by "
                         "itself, with these arguments and in this folder?",
                         program, is_signal ? "was ended by signal" : "ended with exit code", code);
    return error_set(
        error, STATUS_NOT_FOUND,
        "%s: no kernel launch seen: it does not use CUDA, is set-user-ID, or starts its "
        "children without LD_PRELOAD",
        program);
}
