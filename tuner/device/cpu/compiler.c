#include "tuner/device/cpu/compiler.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/process.h"
#include "tuner/device/compiling.h"
#include "tuner/device/cpu/device.h"
#include "tuner/device/device.h"

enum status compiler_find(struct arena *arena, const char **path, struct error *error)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    const char *wanted = getenv("CC");
    if (wanted && *wanted) {
        *path = program_find(arena, wanted);
        if (*path)
            return STATUS_OK;
        return error_set(error, STATUS_UNAVAILABLE,
                         "the C compiler '%s', named by CC, is not on this machine: set CC to a "
                         "program's name or path without options, or unset it",
                         wanted);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        *path = program_find(arena, names[i]);
        if (*path)
            return STATUS_OK;
    }
    return error_set(error, STATUS_UNAVAILABLE,
                     "no C compiler (cc, gcc or clang) is in PATH, and kernels for the CPU need "
                     "one: install it (Debian, Ubuntu: apt install gcc) or set CC");
}

static const char *first_token(struct arena *arena, const char *prefix, const char *text)
{
    return arena_printf(arena, "%s %.*s", prefix, (int)strcspn(text, " \t\r\n"), text);
}

/* Reads a version from "Debian clang version 14.0.6" or "cc (Debian 12.2.0-14) 12.2.0" with the
 * Foundation's copyright below. */
static const char *read_version(struct arena *arena, const char *output)
{
    static const char clang[] = "clang version ";
    const char *found = strstr(output, clang);
    if (found)
        return first_token(arena, "clang", found + sizeof clang - 1);
    size_t line = strcspn(output, "\n");
    found = strstr(output, ") ");
    if (found && found < output + line && isdigit((unsigned char)found[2]) &&
        strstr(output, "Free Software Foundation"))
        return first_token(arena, "gcc", found + 2);
    return arena_strndup(arena, output, line);
}

const char *compiler_version(struct arena *arena, const char *path)
{
    const char *const argv[] = {path, "--version", NULL};
    struct process_request request = {.path = path,
                                      .argv = argv,
                                      .input = -1,
                                      .timeout_ms = 10000,
                                      .output_max = 4096,
                                      .in_english = true};
    struct text output = {0};
    struct error ignored = {0};
    int code = 1;
    const char *version = NULL;
    if (process_run(&request, &output, &code, &ignored) == STATUS_OK && code == 0)
        version = read_version(arena, text_string(&output));
    text_free(&output);
    return version ? version : "";
}

/* ---- settings ---- */

/* Reports the folders that the compiler searches for C and C++, and the commands behind both. */
enum status cpu_compiler_settings(const char *compiler, const struct facts *facts, const char **out,
                                  struct error *error)
{
    static struct compiler_report report;
    const char *argv[] = {NULL, "-v", "-E", "-x", "c", "/dev/null", "-x", "c++", "/dev/null", NULL};
    struct arena arena = {0};
    struct error missing = {0}; /* the compilation tells */
    (void)compiler;
    *out = facts ? facts_text(facts, COMPILER_SETTINGS, NULL) : NULL;
    if (*out)
        return STATUS_OK;
    *out = "";
    enum status status = STATUS_OK;
    if (compiler_find(&arena, &argv[0], &missing) == STATUS_OK)
        status = compiler_report_hash(&report, argv, out, error);
    else if (arena.failed)
        status = error_no_memory(error);
    arena_free(&arena);
    return status;
}
