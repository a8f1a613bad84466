#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/process.h"
#include "tuner/base/source.h"
#include "tuner/device/cpu/compiler.h"
#include "tuner/device/cpu/device.h"
#include "tuner/device/functions.h"

enum {
    LOG_BYTES_MAX = 64 << 10,
    COMPILE_TIMEOUT_MS =
        24 * 3600 * 1000, /* a day: the requester watches the time, and kills our group */
    FIXED_ARGUMENTS = 28,
};

/* Declarations promised by kernels/README.md. */
static const char prelude[] = "struct tune_block {\n"
                              "    long long index;\n"
                              "    long long count;\n"
                              "    int thread;\n"
                              "    int threads;\n"
                              "};\n"
                              "struct tune_expected {\n"
                              "    long long integer;\n"
                              "    double real;\n"
                              "    double magnitude;\n"
                              "};\n";

struct arguments {
    const char *items[FIXED_ARGUMENTS + DEFINES_MAX + 2 * FLAGS_MAX + 2 * UNITS_MAX];
    size_t count;
    bool failed;
};

static void add(struct arguments *arguments, const char *item)
{
    if (!item || arguments->count + 1 >= sizeof arguments->items / sizeof arguments->items[0])
        arguments->failed = true;
    else
        arguments->items[arguments->count++] = item;
}

/* Inputs of the compiler: the first source as standard input, the others as files. */
struct inputs {
    FILE *first;
    const char *units[UNITS_MAX]; /* paths, removed by inputs_free */
    size_t unit_count;
};

/* Writes prelude and source, the latter under its own name and line numbers; behind the first
 * source the callers of its host functions. */
static enum status write_source(const struct binary_request *request, const char *path,
                                const char *hash, FILE *file, struct error *error)
{
    struct arena arena = {0};
    struct source source;
    struct text begin = {0}, end = {0};
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(
        source_read_in(&arena, path, request->folders, request->folder_count, &source, error));
    TRY_OR_CLEANUP(source_check(&source, hash, error));
    bool has_prelude = strstr(source.text, "#define TUNE_NO_PRELUDE") != NULL;
    for (size_t i = 0; i < request->define_count; i++)
        has_prelude = has_prelude || strcmp(request->defines[i].name, "TUNE_NO_PRELUDE") == 0;
    if (!has_prelude)
        text_append(&begin, prelude);
    source_put_line(&begin, 1, path);
    if (functions_are_requested(request) && path == request->source_path)
        functions_append(&end, request, source_is_c(path));
    if (begin.failed || end.failed)
        TRY_OR_CLEANUP(error_no_memory(error));
    (void)fwrite(text_string(&begin), 1, begin.length, file);
    (void)fwrite(source.text, 1, source.length, file);
    (void)fwrite(text_string(&end), 1, end.length, file);
    if (fflush(file) != 0 || ferror(file) || fseek(file, 0, SEEK_SET) != 0)
        status =
            error_set_errno(error, errno, "cannot write the compiler's input (is the disk full?)");
cleanup:
    text_free(&begin);
    text_free(&end);
    arena_free(&arena);
    return status;
}

/* Makes the compiler's inputs: first an unnamed file; the others lie beside the binary until the
 * end. */
static enum status make_inputs(struct arena *arena, const struct binary_request *request,
                               const char *beside, struct inputs *out, struct error *error)
{
    *out = (struct inputs){.first = tmpfile()};
    if (!out->first)
        return error_set_errno(error, errno, "no temporary file for the compiler's input");
    if (request->unit_count > UNITS_MAX)
        return error_set(error, STATUS_INTERNAL, "%zu sources", request->unit_count + 1);
    TRY(write_source(request, request->source_path, request->source_hash, out->first, error));
    for (size_t i = 0; i < request->unit_count; i++) {
        char *path = arena_printf(arena, "%s.XXXXXX", beside);
        TRY_MEMORY(path);
        int descriptor = mkstemp(path);
        if (descriptor < 0)
            return error_set_errno(error, errno, "%s: cannot write", path);
        out->units[out->unit_count++] = path;
        FILE *file = fdopen(descriptor, "w");
        if (!file) {
            (void)close(descriptor);
            return error_no_memory(error);
        }
        enum status status =
            write_source(request, request->units[i], request->unit_hashes[i], file, error);
        if (fclose(file) != 0 && status == STATUS_OK)
            status = error_set_errno(error, errno, "%s: cannot write", path);
        TRY(status);
    }
    return STATUS_OK;
}

/* Chooses the first line that states an error, else the first line. */
static enum status set_compile_error(const char *compiler, int code, const char *log,
                                     struct error *error)
{
    const char *chosen = NULL;
    /* Killed for memory or by hand, not for a fault of the source: our own limits end a compiler by
     * other signals. The driver (gcc or clang) reports the end of its parts (cc1, as, ld). */
    static const char *const words[] = {"Killed signal terminated program",
                                        "Terminated signal terminated program",
                                        "terminated with signal 9",
                                        "terminated with signal 15",
                                        "unable to execute command: Killed",
                                        "unable to execute command: Terminated",
                                        "fatal error: Killed"};
    if (code == 128 + SIGKILL || code == 128 + SIGTERM)
        return error_set(error, STATUS_KILLED, "%s was killed", compiler);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(log, words[i]))
            return error_set(error, STATUS_KILLED, "%s was killed", compiler);
    if (strstr(log, "No space left on device"))
        return error_set(error, STATUS_IO, "%s: the disk is full", compiler);
    for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        bool is_error = memmem(line, length, "error:", 6) != NULL ||
                        memmem(line, length, "undefined reference", 19) != NULL;
        if (is_error || (!chosen && length > 0))
            chosen = line;
        if (is_error)
            break;
    }
    if (!chosen)
        return error_set(error, STATUS_COMPILE_FAILED, "%s failed with exit code %d and no message",
                         compiler, code);
    return error_set(error, STATUS_COMPILE_FAILED, "%.*s", (int)strcspn(chosen, "\n"), chosen);
}

static void add_define(struct arguments *arguments, struct arena *arena,
                       const struct named_value *define)
{
    char number[VALUE_TEXT_BYTES];
    const char *text = define->value.text;
    if (define->value.kind == VALUE_BOOLEAN)
        text = define->value.integer ? "1" : "0";
    else if (define->value.kind != VALUE_TEXT)
        text = value_format(define->value, number, sizeof number) ? number : NULL;
    add(arguments, text ? arena_printf(arena, "-D%s=%s", define->name, text) : NULL);
}

static enum status run_compiler(const char *compiler, const struct binary_request *request,
                                const char *out, const struct inputs *inputs, struct text *log,
                                struct error *error)
{
    struct arena arena = {0};
    struct arguments arguments = {0};
    /* Each source follows the prelude, with files included in quotes. No other file of the folder
     * is found, so the compiled text is the hashed one. */
    const char *architecture = request->architecture ? request->architecture : "native";
    const bool is_cpp = functions_are_requested(request) && !source_is_c(request->source_path);
    add(&arguments, compiler);
    add(&arguments, is_cpp ? "-std=gnu++17" : "-std=gnu17");
    add(&arguments, "-O3");
    if (*architecture) /* else for any machine of the kind */
        add(&arguments, arena_printf(&arena, "-march=%s", architecture));
    add(&arguments, "-shared");
    add(&arguments, "-fPIC");
    /* An undefined name fails now, with the name, rather than when loading. */
    add(&arguments, "-Wl,-z,defs");
    for (size_t i = 0; i < request->define_count; i++)
        add_define(&arguments, &arena, &request->defines[i]);
    for (size_t i = 0; i < request->flag_count; i++)
        if (!functions_is_library(request->flags[i]))
            add(&arguments, request->flags[i]);
    for (size_t i = 0; i < request->folder_count; i++)
        add(&arguments, arena_printf(&arena, "-I%s", request->folders[i]));
    add(&arguments, "-o");
    add(&arguments, out);
    add(&arguments, "-x");
    add(&arguments, is_cpp ? "c++" : "c");
    add(&arguments, "-");
    for (size_t i = 0; i < inputs->unit_count; i++)
        add(&arguments, inputs->units[i]);
    add(&arguments, "-x"); /* libraries follow, by name */
    add(&arguments, "none");
    for (size_t i = 0; i < request->flag_count; i++)
        if (functions_is_library(request->flags[i])) {
            add(&arguments, request->flags[i]);
            if (request->flags[i][0] == '/') /* found again at that place when loaded */
                add(&arguments,
                    arena_printf(&arena, "-Wl,-rpath,%.*s",
                                 (int)(strrchr(request->flags[i], '/') - request->flags[i]),
                                 request->flags[i]));
        }
    if (is_cpp)
        add(&arguments, "-lstdc++");
    add(&arguments, "-lm");
    arguments.items[arguments.count] = NULL;
    struct process_request process = {.path = compiler,
                                      .argv = arguments.items,
                                      .input = fileno(inputs->first),
                                      .timeout_ms = COMPILE_TIMEOUT_MS,
                                      .output_max = LOG_BYTES_MAX,
                                      .in_english = true,
                                      .in_our_group = true};
    int code = 0;
    size_t start = log->length;
    enum status status =
        arguments.failed ? error_no_memory(error) : process_run(&process, log, &code, error);
    if (status == STATUS_TIMED_OUT)
        error->status = status = STATUS_COMPILE_FAILED;
    else if (status == STATUS_OK && code != 0)
        status = set_compile_error(compiler, code, text_string(log) + start, error);
    arena_free(&arena);
    return status;
}

enum status cpu_compile(const struct binary_request *request, const char *binary_path,
                        struct text *log, struct error *error)
{
    struct arena arena = {0};
    char temporary[PATH_MAX] = "";
    const char *compiler = NULL;
    struct inputs inputs = {0};
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(compiler_find(&arena, &compiler, error));
    TRY_OR_CLEANUP(make_inputs(&arena, request, binary_path, &inputs, error));
    if (!string_format(temporary, sizeof temporary, "%s.XXXXXX", binary_path))
        TRY_OR_CLEANUP(error_set(error, STATUS_BAD_INPUT, "%s: the path is too long", binary_path));
    const int file = mkstemp(temporary);
    if (file < 0)
        TRY_OR_CLEANUP(error_set_errno(error, errno, "%s: cannot write", binary_path));
    (void)close(file);
    status = run_compiler(compiler, request, temporary, &inputs, log, error);
    if (status == STATUS_OK && rename(temporary, binary_path) != 0)
        status = error_set_errno(error, errno, "%s: cannot replace", binary_path);
    if (status != STATUS_OK)
        (void)unlink(temporary);
cleanup:
    if (inputs.first)
        (void)fclose(inputs.first);
    for (size_t i = 0; i < inputs.unit_count; i++)
        (void)unlink(inputs.units[i]);
    arena_free(&arena);
    return status;
}
