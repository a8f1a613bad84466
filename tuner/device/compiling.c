#include "tuner/device/compiling.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/process.h"
#include "tuner/device/functions.h"

void options_add(struct options *options, const char *prefix, const char *value)
{
    const char *option = value ? arena_printf(options->arena, "%s%s", prefix, value) : NULL;
    if (!option || options->count >= OPTIONS_MAX)
        options->failed = true;
    else
        options->items[options->count++] = option;
}

void options_add_libraries(struct options *options, const struct binary_request *request,
                           const char *rpath)
{
    for (size_t i = 0; i < request->flag_count; i++) {
        const char *flag = request->flags[i];
        if (!functions_is_library(flag))
            continue;
        options_add(options, "", flag);
        if (flag[0] == '/')
            options_add(options, rpath,
                        arena_strndup(options->arena, flag, (size_t)(path_file(flag) - flag - 1)));
    }
}

/* ---- units ---- */

const char *unit_path(const struct binary_request *request, size_t unit)
{
    return unit == 0 ? request->source_path : request->units[unit - 1];
}

enum status units_read(struct arena *arena, const struct binary_request *request, size_t first,
                       struct source *out, struct error *error)
{
    if (request->unit_count > UNITS_MAX)
        return error_set(error, STATUS_INTERNAL, "%zu sources", request->unit_count + 1);
    for (size_t i = first; i <= request->unit_count; i++) {
        TRY(source_read_in(arena, unit_path(request, i), request->folders, request->folder_count,
                           &out[i], error));
        TRY(source_check(&out[i], i == 0 ? request->source_hash : request->unit_hashes[i - 1],
                         error));
    }
    return STATUS_OK;
}

enum status units_write(struct options *options, const struct binary_request *request,
                        const char *binary_path, const char *ending, const char *const *texts,
                        const char *const *before, struct error *error)
{
    for (size_t i = 0; i <= request->unit_count; i++) {
        struct text text = {0};
        const char *path = arena_printf(options->arena, "%s.%zu.%s", binary_path, i, ending);
        if (before && before[i])
            text_append(&text, before[i]);
        source_put_line(&text, 1, unit_path(request, i));
        text_append(&text, texts[i]);
        if (i == 0 && functions_are_requested(request))
            functions_append(&text, request, strcmp(ending, "c") == 0);
        const enum status status =
            text.failed || !path ? error_no_memory(error)
                                 : file_write_derived(path, text_string(&text), text.length, error);
        text_free(&text);
        TRY(status);
        options_add(options, "", path);
    }
    return STATUS_OK;
}

void units_remove(const struct binary_request *request, const char *binary_path, const char *ending)
{
    struct arena arena = {0};
    for (size_t i = 0; i <= request->unit_count; i++) {
        const char *path = arena_printf(&arena, "%s.%zu.%s", binary_path, i, ending);
        if (path)
            (void)unlink(path);
    }
    arena_free(&arena);
}

/* ---- running ---- */

enum status compiler_run(const char *name, const char *const *argv, struct text *log, int *code,
                         struct error *error)
{
    enum { LOG_BYTES_MAX = 256 << 10, DAY_MS = 24 * 3600 * 1000 };
    /* Killed for memory or by hand, not for a fault of the source: our own limits end a compiler by
     * other signals. The driver (gcc, clang or nvcc) reports the end of its parts (cc1, as, ld). */
    static const char *const killed[] = {"Killed signal terminated program",
                                         "Terminated signal terminated program",
                                         "terminated with signal 9",
                                         "terminated with signal 15",
                                         "died due to signal 9",
                                         "died due to signal 15",
                                         "unable to execute command: Killed",
                                         "unable to execute command: Terminated",
                                         "fatal error: Killed"};
    const struct process_request request = {.path = argv[0],
                                            .argv = argv,
                                            .input = -1,
                                            .timeout_ms = DAY_MS,
                                            .output_max = LOG_BYTES_MAX,
                                            .in_english = true,
                                            .in_our_group = true};
    const size_t start = log->length;
    const enum status status = process_run(&request, log, code, error);
    if (status == STATUS_TIMED_OUT)
        return error->status = STATUS_COMPILE_FAILED;
    if (status != STATUS_OK || *code == 0)
        return status;
    const char *output = text_string(log) + start;
    bool was_killed = *code == 128 + SIGKILL || *code == 128 + SIGTERM;
    for (size_t i = 0; i < COUNT(killed); i++)
        was_killed = was_killed || strstr(output, killed[i]);
    if (was_killed)
        return error_set(error, STATUS_KILLED, "%s was killed", name);
    return strstr(output, "No space left on device")
               ? error_set(error, STATUS_IO, "%s: the disk is full", name)
               : STATUS_OK;
}

/* ---- settings ---- */

static void read_report(struct compiler_report *report, const char *const *argv)
{
    const struct process_request request = {.path = argv[0],
                                            .argv = argv,
                                            .folder = "/", /* clang tells the folder */
                                            .input = -1,
                                            .timeout_ms = 60000,
                                            .output_max = 1
                                                          << 30, /* nvcc's takes more than a MiB */
                                            .in_english = true};
    struct text output = {0}, kept = {0};
    int code = 0;
    (void)process_run(&request, &output, &code, &report->error);
    for (const char *line = text_string(&output); *line;) {
        const size_t length = strcspn(line, "\n");
        if (strncmp(line, "#$ PATH=", 8) != 0 && strncmp(line, "#$ LD_LIBRARY_PATH=", 19) != 0)
            text_append_bytes(&kept, line, length);
        line += length + (line[length] == '\n');
    }
    if (output.failed || kept.failed)
        (void)error_no_memory(&report->error);
    hash_bytes(text_string(&kept), kept.length, report->hash);
    text_free(&kept);
    text_free(&output);
    report->is_read = true;
}

enum status compiler_report_hash(struct compiler_report *report, const char *const *argv,
                                 const char **out, struct error *error)
{
    static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;
    (void)pthread_mutex_lock(&reading);
    if (!report->is_read)
        read_report(report, argv);
    (void)pthread_mutex_unlock(&reading);
    *out = report->hash;
    if (report->error.status != STATUS_OK)
        *error = report->error;
    return report->error.status;
}
