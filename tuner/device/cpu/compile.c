#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "tuner/device/compiling.h"
#include "tuner/device/cpu/compiler.h"
#include "tuner/device/cpu/device.h"
#include "tuner/device/functions.h"

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

/* Chooses the first line that states an error, else the first line. */
static enum status set_compile_error(const char *compiler, int code, const char *log,
                                     struct error *error)
{
    const char *chosen = NULL;
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

static void add_define(struct options *options, const struct named_value *define)
{
    char number[VALUE_TEXT_BYTES];
    const char *text = define->value.text;
    if (define->value.kind == VALUE_BOOLEAN)
        text = define->value.integer ? "1" : "0";
    else if (define->value.kind != VALUE_TEXT)
        text = value_format(define->value, number, sizeof number) ? number : NULL;
    options_add(options, "-D",
                text ? arena_printf(options->arena, "%s=%s", define->name, text) : NULL);
}

/* Returns whether the unit gets the prelude. */
static bool wants_prelude(const struct binary_request *request, const struct source *source)
{
    static const char word[] = "TUNE_NO_PRELUDE";
    bool wants = !strstr(source->text, "#define TUNE_NO_PRELUDE");
    for (size_t i = 0; i < request->define_count; i++)
        wants = wants && strcmp(request->defines[i].name, word) != 0;
    return wants;
}

/* Each source follows the prelude, with files included in quotes. No other file of the folder is
 * found, so the compiled text is the hashed one. */
static enum status run_compiler(const char *compiler, const struct binary_request *request,
                                const char *out, const char *ending, struct options *options,
                                struct text *log, struct error *error)
{
    struct source sources[UNITS_MAX + 1];
    const char *texts[UNITS_MAX + 1], *before[UNITS_MAX + 1];
    const char *architecture = request->architecture ? request->architecture : "native";
    const bool is_cpp = strcmp(ending, "c") != 0;
    int code = 0;
    TRY(units_read(options->arena, request, 0, sources, error));
    for (size_t i = 0; i <= request->unit_count; i++) {
        texts[i] = sources[i].text;
        before[i] = wants_prelude(request, &sources[i]) ? prelude : NULL;
    }
    options_add(options, "", compiler);
    options_add(options, "-std=", is_cpp ? "gnu++17" : "gnu17");
    options_add(options, "", "-O3");
    if (*architecture) /* else for any machine of the kind */
        options_add(options, "-march=", architecture);
    options_add(options, "", "-shared");
    options_add(options, "", "-fPIC");
    /* An undefined name fails now, with the name, rather than when loading. */
    options_add(options, "", "-Wl,-z,defs");
    for (size_t i = 0; i < request->define_count; i++)
        add_define(options, &request->defines[i]);
    for (size_t i = 0; i < request->flag_count; i++)
        if (!functions_is_library(request->flags[i]))
            options_add(options, "", request->flags[i]);
    for (size_t i = 0; i < request->folder_count; i++)
        options_add(options, "-I", request->folders[i]);
    options_add(options, "", "-o");
    options_add(options, "", out);
    TRY(units_write(options, request, out, ending, texts, before, error));
    options_add_libraries(options, request, "-Wl,-rpath,"); /* by name, behind the sources */
    if (is_cpp)
        options_add(options, "", "-lstdc++");
    options_add(options, "", "-lm");
    TRY_MEMORY(!options->failed);
    const size_t start = log->length;
    TRY(compiler_run(compiler, options->items, log, &code, error));
    return code == 0 ? STATUS_OK
                     : set_compile_error(compiler, code, text_string(log) + start, error);
}

enum status cpu_compile(const struct binary_request *request, const char *binary_path,
                        struct text *log, struct error *error)
{
    struct arena arena = {0};
    struct options options = {.arena = &arena};
    const char *compiler = NULL;
    const bool is_cpp = functions_are_requested(request) && !source_is_c(request->source_path);
    const char *ending = is_cpp ? "cpp" : "c";
    enum status status = compiler_find(&arena, &compiler, error);
    if (status == STATUS_OK)
        status = run_compiler(compiler, request, binary_path, ending, &options, log, error);
    units_remove(request, binary_path, ending);
    if (status != STATUS_OK)
        (void)unlink(binary_path);
    arena_free(&arena);
    return status;
}
