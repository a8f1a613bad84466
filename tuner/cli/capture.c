/* `tune capture`: runs a program with the recorder in front of its libraries, and lists the
 * launches. */

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include "frontends/capture/capture.h"
#include "tuner/base/clock.h"
#include "tuner/base/shell.h"
#include "tuner/cli/commands.h"
#include "tuner/cli/preload.h"
#include "tuner/cli/unpack.h"
#include "tuner/terminal/style.h"

enum { WORDS_MAX = 4096 };

struct capture_request {
    const char *kernel, *output, *keep, *skip, *max_bytes, *list;
    bool sizes, times;
    bool for_draft; /* nothing is listed; the largest launch is wanted, in a file that need not be
                       small */
    const char *words[WORDS_MAX]; /* program and arguments, NULL behind the last */
    size_t word_count;
};

/* Reads a number of bytes: 1048576, 512M, 2G. */
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

/* Returns, as text, the default limit of bytes to keep of a launch: room for a draft, which writes
 * the bytes twice and holds all in memory. */
static const char *bytes_with_room(const char *folder, struct arena *arena)
{
    struct statvfs disk;
    uint64_t most = UINT64_C(16) << 30;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    if (memory > 0 && memory / 4 < most)
        most = memory / 4;
    if (statvfs(folder, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize / 5 < most)
        most = (uint64_t)disk.f_bavail * disk.f_frsize / 5;
    return arena_printf(arena, "%llu", (unsigned long long)most);
}

static enum status join_and_list(const struct capture_request *request,
                                 const struct temporary *folder, int wait_status,
                                 struct arena *arena, struct error *error)
{
    const char *output = request->kernel ? request->output : NULL;
    struct capture *capture = NULL;
    const char *path = output ? output : arena_printf(arena, "%s/listed.cap", folder->path);
    enum status status =
        path ? capture_join(folder->path, path, output && !request->for_draft, error)
             : error_no_memory(error);
    if (status == STATUS_NOT_FOUND)
        return preload_no_launch(request->words[request->for_draft ? 2 : 0], wait_status, error);
    /* Reports how the program ended, if not as intended. A shell tells a signal by an exit code.
     */
    const bool is_signal = WIFSIGNALED(wait_status);
    const int code = is_signal                ? WTERMSIG(wait_status)
                     : WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
                                              : 0;
    if (request->for_draft && code == (is_signal ? SIGTERM : 128 + SIGTERM))
        print_clean(stderr, "tune: the program was ended: no larger launch came in %d s\n",
                    CAP_ENOUGH_S);
    else if (is_signal)
        print_clean(stderr, "%s was ended by signal %d; its launches until then:\n",
                    request->words[0], code);
    else if (code != 0)
        print_clean(stderr, "%s ended with exit code %d; its launches:\n", request->words[0], code);
    if (request->for_draft)
        return status; /* read with the draft */
    if (status == STATUS_OK)
        status = capture_open(path, &capture, error);
    if (status == STATUS_OK)
        status = capture_list(capture, request->words, output, error);
    capture_close(capture);
    return status;
}

static enum status capture_program(const struct capture_request *request, int64_t *ran_ns,
                                   struct error *error)
{
    struct arena arena = {0};
    struct temporary folder = {.file = -1};
    const char *library = NULL;
    int wait_status = 0;
    *ran_ns = 0;
    enum status status = preload_library(&arena, &library, error);
    if (status == STATUS_OK)
        status = preload_folder(request->kernel ? request->output : NULL, &arena, &folder, error);
    const bool has_folder = status == STATUS_OK;
    if (has_folder) {
        /* The recorder reads the request from the program's environment. */
        const char *bytes = NULL;
        if (request->max_bytes)
            status = read_bytes(request->max_bytes, &arena, &bytes, error);
        else if (!(bytes = bytes_with_room(folder.path, &arena)))
            status = error_no_memory(error);
        const struct process_variable variables[] = {
            {CAP_FOLDER_VARIABLE, folder.path},
            {CAP_KERNEL_VARIABLE, request->kernel},
            {CAP_KEEP_VARIABLE, request->keep},
            {CAP_SKIP_VARIABLE, request->skip},
            {CAP_MAX_BYTES_VARIABLE, bytes},
            {CAP_SIZES_VARIABLE, request->sizes ? "1" : NULL},
            {CAP_GROWING_VARIABLE, request->for_draft ? "1" : NULL},
            {CAP_TIMES_VARIABLE, request->times ? "1" : NULL},
            {CAP_APPLY_FOLDER_VARIABLE, NULL},
        };
        const int64_t begun_ns = clock_now_ns();
        if (status == STATUS_OK)
            status = preload_run(request->words, library, variables, COUNT(variables), -1,
                                 &wait_status, error);
        *ran_ns = clock_now_ns() - begun_ns;
        if (status == STATUS_OK)
            status = join_and_list(request, &folder, wait_status, &arena, error);
        temporary_folder_remove(&folder);
    }
    arena_free(&arena);
    return status;
}

enum status capture_kernel(const char *command, const char *kernel, const char *output,
                           int64_t *ran_ns, struct error *error)
{
    const struct capture_request request = {.kernel = kernel,
                                            .output = output,
                                            .for_draft = true,
                                            .words = {"/bin/sh", "-c", command},
                                            .word_count = 3};
    return capture_program(&request, ran_ns, error);
}

static enum status check_request(struct capture_request *request, struct error *error)
{
    char room[SHELL_WORD_BYTES];
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
                         request->output, shell_word(request->output, room));
    if (request->keep)
        status = option_integer("keep", request->keep, 1, 1000, &number, error);
    if (status == STATUS_OK && request->skip)
        status = option_integer("skip", request->skip, 0, INT_MAX, &number, error);
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
    int64_t ran_ns = 0;
    const struct option_spec options[] = {
        OPTION_SHORT(
            'k', "kernel", "NAME", &request.kernel,
            "keep launches of this kernel: its name, mangled or not, or a pattern (`blur*`)"),
        OPTION_SHORT('o', "output", "FILE", &request.output,
                     "output file (default: `capture.cap`)"),
        OPTION_TEXT("keep", "N", &request.keep, "keep at most N launches of a kernel (default: 3)"),
        OPTION_FLAG(
            "sizes", &request.sizes,
            "of launches with the same grid, block and passed numbers, keep only the first"),
        OPTION_TEXT("skip", "N", &request.skip,
                    "keep none of the first N launches of a kernel (default: 0)"),
        OPTION_TEXT(
            "max-bytes", "BYTES", &request.max_bytes,
            "memory to keep per launch (default: 16G, or a quarter of the memory or a fifth "
            "of the free disk); a message names buffers left out"),
        OPTION_FLAG("times", &request.times, "time the launches, by events around them"),
        OPTION_TEXT("list", "FILE", &request.list, "list the contents of a capture; runs nothing"),
    };
    TRY(options_parse(command, options, COUNT(options), argc, argv, request.words, WORDS_MAX - 1,
                      &request.word_count, error));
    TRY(check_request(&request, error));
    if (!request.list)
        return capture_program(&request, &ran_ns, error);
    struct capture *capture = NULL;
    int64_t most_s = 0, deadline_ns = 0;
    TRY(draft_time(&most_s, &deadline_ns, error));
    enum status status = capture_open_by(request.list, deadline_ns, &capture, error);
    if (status == STATUS_TIMED_OUT)
        return error_set(error, status,
                         "%s: it is not unpacked in the %lld s of a draft: TUNE_DRAFT_S=300 gives "
                         "more",
                         request.list, (long long)most_s);
    if (status == STATUS_OK)
        status = capture_list(capture, NULL, request.list, error);
    capture_close(capture);
    return status;
}

const struct command command_capture = {
    .name = "capture",
    .usage = "[options] -- PROGRAM [ARGUMENT...]",
    .about = "Lists the kernels that a program launches, and records launches for tuning.",
    .more = "Runs the program, children included, with a library in front of the driver "
            "(LD_PRELOAD). Without --kernel: lists kernels, launches, grids, blocks, and the parts "
            "that may change. With it: records launches with their image, parameters and memory, "
            "before and after. The file holds data of the program; only you may read it.",
    .manual = "Launches that were not seen or not kept are named (docs/capture.md).",
    .run = capture_run,
};
