/* `tune capture`: runs a program with the recorder in front of its libraries, and shows what it
 * launched. */
#include "tuner/cli/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/process.h"
#include "tuner/base/temporary.h"
#include "tuner/cli/command.h"
#include "tuner/cli/style.h"

enum { WORDS_MAX = 4096 };

struct capture_request {
    const char *kernel, *output, *keep, *skip, *max_bytes, *list;
    bool sizes, times;
    const char *words[WORDS_MAX]; /* the program and its arguments, NULL behind the last */
    size_t word_count;
};

/* A number of bytes: 1048576, 512M, 2G. */
static enum status read_bytes(const char *text, struct arena *arena, const char **out,
                              struct error *error)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    const char *const units = "KMGT", *const unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (end == text || *text == '-' || errno != 0 || end[unit ? 1 : 0] != '\0' ||
        number > UINT64_MAX >> shift)
        return error_set(error, STATUS_USAGE, "--max-bytes %s: it is no number of bytes: 512M, 2G",
                         text);
    *out = arena_printf(arena, "%llu", number << shift);
    return *out ? STATUS_OK : error_no_memory(error);
}

/* The recorder: $TUNE_CAPTURE_LIBRARY, or what is installed or built with this program. */
static enum status find_library(struct arena *arena, const char **out, struct error *error)
{
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
        *out = arena_printf(arena, "%.*s%s/libtunecapture.so",
                            (int)(strrchr(program, '/') + 1 - program), program, folders[i]);
        if (!*out)
            return error_no_memory(error);
        if (file_exists(*out))
            return STATUS_OK;
    }
    return status != STATUS_OK ? status
                               : error_set(error, STATUS_UNAVAILABLE,
                                           "libtunecapture.so is not beside this program: build "
                                           "tune with CUDA's headers, "
                                           "or name the library with TUNE_CAPTURE_LIBRARY");
}

/* The environment of the program, in which the recorder finds what is wanted. */
static enum status set_environment(const struct capture_request *request, const char *folder,
                                   const char *library, struct arena *arena, struct error *error)
{
    const char *others = getenv("LD_PRELOAD"), *bytes = NULL;
    enum status status =
        request->max_bytes ? read_bytes(request->max_bytes, arena, &bytes, error) : STATUS_OK;
    const struct {
        const char *name, *value;
    } variables[] = {
        {CAP_FOLDER_VARIABLE, folder},
        {CAP_KERNEL_VARIABLE, request->kernel},
        {CAP_KEEP_VARIABLE, request->keep},
        {CAP_SKIP_VARIABLE, request->skip},
        {CAP_MAX_BYTES_VARIABLE, bytes},
        {CAP_SIZES_VARIABLE, request->sizes ? "1" : NULL},
        {CAP_TIMES_VARIABLE, request->times ? "1" : NULL},
        {"LD_PRELOAD", others && *others ? arena_printf(arena, "%s:%s", library, others) : library},
    };
    for (size_t i = 0; i < COUNT(variables) && status == STATUS_OK; i++) {
        const int failed = variables[i].value ? setenv(variables[i].name, variables[i].value, 1)
                                              : unsetenv(variables[i].name);
        if (failed != 0 || arena->failed)
            status = error_no_memory(error);
    }
    return status;
}

static volatile sig_atomic_t child;

/* What ends us ends the program, and is told afterwards; Ctrl-C reaches it by itself. */
static void pass_on(int number)
{
    if (child > 0)
        (void)kill((pid_t)child, number);
}

/* Runs the program in our place: our files, our terminal, our process group. *wait_status as
 * waitpid has it. */
static enum status run_program(const struct capture_request *request, const char *folder,
                               const char *library, int *wait_status, struct error *error)
{
    struct arena arena = {0};
    const char *path = program_find(&arena, request->words[0]);
    int told[2];
    if (!path) {
        arena_free(&arena);
        return error_set(error, STATUS_NOT_FOUND, "%s: there is no such program",
                         request->words[0]);
    }
    if (pipe2(told, O_CLOEXEC) != 0) {
        arena_free(&arena);
        return error_set_errno(error, errno, "%s: cannot start", path);
    }
    struct error failed = {0};
    const pid_t started = fork();
    if (started == 0) {
        (void)signal(SIGXFSZ, SIG_DFL);
        if (set_environment(request, folder, library, &arena, &failed) == STATUS_OK) {
            (void)execv(path, (char *const *)(uintptr_t)request->words);
            (void)error_set_errno(&failed, errno, "%s", path);
        }
        (void)!write(told[1], &failed, sizeof failed);
        _exit(127);
    }
    const int number = errno;
    (void)close(told[1]);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_handler = pass_on}, before[4];
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    child = (sig_atomic_t)started;
    for (size_t i = 0; i < COUNT(numbers); i++)
        (void)sigaction(numbers[i], i < 2 ? &ignore : &pass, &before[i]);
    enum status status = STATUS_OK;
    if (started < 0)
        status = error_set_errno(error, number, "%s: cannot start", path);
    while (started > 0 && waitpid(started, wait_status, 0) < 0 && errno == EINTR)
        continue;
    child = 0;
    for (size_t i = 0; i < COUNT(numbers); i++)
        (void)sigaction(numbers[i], &before[i], NULL);
    if (started > 0 && read(told[0], &failed, sizeof failed) == (ssize_t)sizeof failed) {
        *error = failed;
        status = failed.status;
    }
    (void)close(told[0]);
    arena_free(&arena);
    return status;
}

static void say_how_it_ended(const char *program, int wait_status)
{
    if (WIFSIGNALED(wait_status))
        print_clean(stderr, "%s was ended by signal %d; what it launched until then:\n", program,
                    WTERMSIG(wait_status));
    else if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) != 0)
        print_clean(stderr, "%s ended with exit code %d; what it launched:\n", program,
                    WEXITSTATUS(wait_status));
}

/* The folder for what processes write: beside the file that becomes of it, or where temporary files
 * go. Absolute, as the program may go elsewhere. */
static enum status make_folder(const char *output, struct arena *arena, struct temporary *folder,
                               struct error *error)
{
    const char *above = getenv("TMPDIR");
    const char *slash = output ? strrchr(output, '/') : NULL;
    if (output)
        above = slash ? arena_strndup(arena, output, (size_t)(slash - output) + 1) : ".";
    else if (!above || !*above)
        above = "/tmp";
    char real[PATH_MAX];
    if (!above || !realpath(above, real))
        return above ? error_set_errno(error, errno, "%s", above) : error_no_memory(error);
    const char *prefix = arena_printf(arena, "%s/.tune-capture-", real);
    return prefix ? temporary_folder_make(prefix, folder, error) : error_no_memory(error);
}

static enum status join_and_list(const struct capture_request *request,
                                 const struct temporary *folder, struct arena *arena,
                                 struct error *error)
{
    const char *output = request->kernel ? request->output : NULL;
    struct capture *capture = NULL;
    const char *path = output ? output : arena_printf(arena, "%s/listed.cap", folder->path);
    enum status status =
        path ? capture_join(folder->path, path, output != NULL, error) : error_no_memory(error);
    if (status == STATUS_NOT_FOUND)
        return error_set(error, STATUS_NOT_FOUND,
                         "%s: no launch was seen: does it use CUDA, is it no set-user-ID program, "
                         "and does it keep its "
                         "environment?",
                         request->words[0]);
    if (status == STATUS_OK)
        status = capture_open(path, &capture, error);
    if (status == STATUS_OK)
        status = capture_list(capture, request->words, output, error);
    capture_close(capture);
    return status;
}

static enum status capture_program(const struct capture_request *request, struct error *error)
{
    struct arena arena = {0};
    struct temporary folder = {.file = -1};
    const char *library = NULL;
    int wait_status = 0;
    enum status status = find_library(&arena, &library, error);
    if (status == STATUS_OK)
        status = make_folder(request->kernel ? request->output : NULL, &arena, &folder, error);
    const bool has_folder = status == STATUS_OK;
    if (has_folder) {
        status = run_program(request, folder.path, library, &wait_status, error);
        if (status == STATUS_OK) {
            say_how_it_ended(request->words[0], wait_status);
            status = join_and_list(request, &folder, &arena, error);
        }
        temporary_folder_remove(&folder);
    }
    arena_free(&arena);
    return status;
}

static enum status list_file(const char *path, struct error *error)
{
    struct capture *capture = NULL;
    enum status status = capture_open(path, &capture, error);
    if (status == STATUS_OK)
        status = capture_list(capture, NULL, path, error);
    capture_close(capture);
    return status;
}

static enum status check_request(struct capture_request *request, struct error *error)
{
    long long number = 0;
    struct arena arena = {0};
    const char *bytes = NULL;
    enum status status = STATUS_OK;
    if (request->list)
        return request->word_count == 0
                   ? STATUS_OK
                   : error_set(error, STATUS_USAGE, "--list %s: it runs no program", request->list);
    if (request->word_count == 0)
        return error_set(error, STATUS_USAGE, "name the program: tune capture -- ./app ARGUMENTS");
    if (request->output && !request->kernel)
        return error_set(error, STATUS_USAGE,
                         "-o %s: which kernel? tune capture --kernel NAME -o %s -- ...",
                         request->output, request->output);
    if (request->keep)
        status = option_integer("--keep", request->keep, 1, 1000, &number, error);
    if (status == STATUS_OK && request->skip)
        status = option_integer("--skip", request->skip, 0, INT_MAX, &number, error);
    if (status == STATUS_OK && request->max_bytes)
        status = read_bytes(request->max_bytes, &arena, &bytes, error);
    arena_free(&arena);
    if (request->kernel && !request->output)
        request->output = "capture.cap";
    if (!request->keep)
        request->keep = "3";
    return status;
}

static enum status capture_run(const struct command *command, int argc, char **argv,
                               struct error *error)
{
    struct capture_request request = {0};
    const struct option_spec options[] = {
        OPTION_SHORT('k', "kernel", "NAME", &request.kernel,
                     "keep launches of this kernel whole: its name, or a pattern (blur*)"),
        OPTION_SHORT('o', "output", "FILE", &request.output, "where they go (default capture.cap)"),
        OPTION_TEXT("keep", "N", &request.keep, "at most so many launches of a kernel (default 3)"),
        OPTION_FLAG("sizes", &request.sizes,
                    "of launches alike in grid, block and numbers passed only the first"),
        OPTION_TEXT("skip", "N", &request.skip,
                    "so many launches of a kernel pass first (default 0)"),
        OPTION_TEXT(
            "max-bytes", "BYTES", &request.max_bytes,
            "of memory behind a launch (default 2G); what is\nbeyond it is left out, and told"),
        OPTION_FLAG("times", &request.times, "time launches, by events around them"),
        OPTION_TEXT("list", "FILE", &request.list, "show what is in a capture; runs nothing"),
    };
    bool helped = false;
    enum status status = options_parse(command, options, COUNT(options), argc, argv, request.words,
                                       WORDS_MAX - 1, &request.word_count, &helped, error);
    if (status != STATUS_OK || helped)
        return status;
    status = check_request(&request, error);
    if (status != STATUS_OK)
        return status;
    return request.list ? list_file(request.list, error) : capture_program(&request, error);
}

const struct command command_capture = {
    .name = "capture",
    .usage = "[options] -- PROGRAM [ARGUMENT...]",
    .about = "Shows which kernels a program launches, and keeps launches whole.",
    .more =
        "The program runs as it is, with a library in front of the driver (LD_PRELOAD). Without\n"
        "--kernel it is only listed: kernels, launches, grids, blocks, and what may change. With "
        "it\n"
        "launches are kept with their parameters and the memory behind them, before and after:\n"
        "the file holds data of the program, and is readable by you alone.",
    .run = capture_run,
};
