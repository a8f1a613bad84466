#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/source.h"
#include "tuner/device/cpu/compiler.h"
#include "tuner/device/cpu/process.h"

enum {
    LOG_BYTES_MAX = 64 << 10,
    COMPILE_TIMEOUT_MS = 24 * 3600 * 1000, /* whoever asked watches the time, and kills our group */
    FIXED_ARGUMENTS = 24,
};

/* What kernels/README.md promises to be there. */
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
    const char *items[FIXED_ARGUMENTS + DEFINES_MAX + FLAGS_MAX];
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

/* The source comes through standard input, behind the prelude, with what it includes in quotes. No
 * other file of its folder is found: what is compiled is what was hashed. */
static void build_arguments(struct arguments *arguments, struct arena *arena, const char *compiler,
                            const struct binary_request *request, const char *out)
{
    const char *architecture = request->architecture ? request->architecture : "native";
    add(arguments, compiler);
    add(arguments, "-std=gnu17");
    add(arguments, "-O3");
    add(arguments, arena_printf(arena, "-march=%s", architecture));
    add(arguments, "-shared");
    add(arguments, "-fPIC");
    /* An undefined name is told now, by its name, rather than when the binary is loaded. */
    add(arguments, "-Wl,-z,defs");
    for (size_t i = 0; i < request->define_count; i++)
        add_define(arguments, arena, &request->defines[i]);
    for (size_t i = 0; i < request->flag_count; i++)
        add(arguments, request->flags[i]);
    add(arguments, "-x");
    add(arguments, "c");
    add(arguments, "-o");
    add(arguments, out);
    add(arguments, "-");
    add(arguments, "-lm");
    arguments->items[arguments->count] = NULL;
}

static bool has_own_prelude(const struct binary_request *request, const char *source)
{
    for (size_t i = 0; i < request->define_count; i++)
        if (strcmp(request->defines[i].name, "TUNE_NO_PRELUDE") == 0)
            return true;
    return strstr(source, "#define TUNE_NO_PRELUDE") != NULL;
}

/* An unnamed file with prelude and source, the latter under its own name and line numbers. */
static enum status make_input(const struct binary_request *request, FILE **out, struct error *error)
{
    struct arena arena = {0};
    struct source source;
    struct text begin = {0};
    enum status status = source_read(&arena, request->source_path, &source, error);
    if (status == STATUS_OK)
        status = source_check(&source, request->source_hash, error);
    if (status == STATUS_OK && !has_own_prelude(request, source.text))
        text_append(&begin, prelude);
    source_put_line(&begin, 1, request->source_path);
    if (status == STATUS_OK && begin.failed)
        status = error_no_memory(error);
    FILE *file = status == STATUS_OK ? tmpfile() : NULL;
    if (status == STATUS_OK && !file)
        status = error_set_errno(error, errno, "no temporary file for the compiler's input");
    if (file) {
        (void)fwrite(text_string(&begin), 1, begin.length, file);
        (void)fwrite(source.text, 1, source.length, file);
        if (fflush(file) != 0 || ferror(file) || fseek(file, 0, SEEK_SET) != 0)
            status = error_set_errno(error, errno,
                                     "cannot write the compiler's input (is the "
                                     "disk full?)");
    }
    text_free(&begin);
    arena_free(&arena);
    if (status == STATUS_OK)
        *out = file;
    else if (file)
        (void)fclose(file);
    return status;
}

/* The first line that names an error, else the first line. */
static enum status set_compile_error(const char *compiler, int code, const char *log,
                                     struct error *error)
{
    const char *chosen = NULL;
    for (const char *line = log; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        bool tells = memmem(line, length, "error:", 6) != NULL ||
                     memmem(line, length, "undefined reference", 19) != NULL;
        if (tells || (!chosen && length > 0))
            chosen = line;
        if (tells)
            break;
    }
    if (!chosen)
        return error_set(error, STATUS_COMPILE_FAILED, "%s failed with exit code %d and no message",
                         compiler, code);
    return error_set(error, STATUS_COMPILE_FAILED, "%.*s", (int)strcspn(chosen, "\n"), chosen);
}

static enum status run_compiler(const char *compiler, const struct binary_request *request,
                                const char *out, FILE *input, struct text *log, struct error *error)
{
    struct arena arena = {0};
    struct arguments arguments = {0};
    build_arguments(&arguments, &arena, compiler, request, out);
    struct process_request process = {.path = compiler,
                                      .argv = arguments.items,
                                      .input = fileno(input),
                                      .timeout_ms = COMPILE_TIMEOUT_MS,
                                      .output_max = LOG_BYTES_MAX,
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

static enum status compile_to(const char *compiler, const struct binary_request *request,
                              const char *binary_path, FILE *input, struct text *log,
                              struct error *error)
{
    char temporary[PATH_MAX];
    if (!string_format(temporary, sizeof temporary, "%s.XXXXXX", binary_path))
        return error_set(error, STATUS_BAD_INPUT, "%s: the path is too long", binary_path);
    int file = mkstemp(temporary);
    if (file < 0)
        return error_set_errno(error, errno, "%s: cannot write", binary_path);
    (void)close(file);
    enum status status = run_compiler(compiler, request, temporary, input, log, error);
    if (status == STATUS_OK && rename(temporary, binary_path) != 0)
        status = error_set_errno(error, errno, "%s: cannot replace", binary_path);
    if (status != STATUS_OK)
        (void)unlink(temporary);
    return status;
}

enum status compiler_compile(const struct binary_request *request, const char *binary_path,
                             struct text *log, struct error *error)
{
    struct arena arena = {0};
    const char *compiler = NULL;
    FILE *input = NULL;
    enum status status = compiler_find(&arena, &compiler, error);
    if (status == STATUS_OK)
        status = make_input(request, &input, error);
    if (status == STATUS_OK) {
        status = compile_to(compiler, request, binary_path, input, log, error);
        (void)fclose(input);
    }
    arena_free(&arena);
    return status;
}
