/* The error that a compiler's log names. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/device/cuda/compile.h"

static const char *line_with(const char *log, const char *word, size_t *length)
{
    const char *hit = strstr(log, word);
    if (!hit)
        return NULL;
    while (hit > log && hit[-1] != '\n')
        hit--;
    *length = strcspn(hit, "\r\n");
    return hit;
}

enum { STATIC_SHARED_MAX = 48 * 1024 }; /* on every architecture so far */

/* Advises on an unknown name: a function called by kernels may have been taken for the host's, and
 * NVRTC refuses host-only code. */
static const char *advice(const struct compilation *compilation, const char *line, size_t length)
{
    static const char before[] = "identifier \"";
    const struct device_part *part = &compilation->part;
    if (compilation->nvrtc &&
        (memmem(line, length, "JIT mode", 8) || memmem(line, length, "dynamic initialization", 22)))
        return " (nvcc takes it: 'compiler: nvcc')";
    if (compilation->nvrtc && compilation->binary_path && /* not a question */
        memmem(line, length, "cannot open source file", 23))
        return " (name its folder by 'include', or have nvcc compile it: 'compiler: nvcc')";
    const char *name = memmem(line, length, before, strlen(before));
    const size_t name_length = name ? strcspn(name += strlen(before), "\"") : 0;
    if (name && part->left_out && cuda_left_out(part, name, name_length))
        return ": it lacks __device__, and is taken for a function of the host";
    /* One of these headers may define the name. */
    struct text headers = {0};
    for (const char *at = part->left_headers; name && at && *at; at += strcspn(at, "\n") + 1)
        if (memchr(at, '.', strcspn(at, "\n")))
            text_printf(&headers, "%s%.*s", headers.length ? ", " : "", (int)strcspn(at, "\n"), at);
    const char *note = headers.length == 0
                           ? NULL
                           : arena_printf(compilation->arena,
                                          " (compiled without %s, which %s not there: name the "
                                          "folder by 'include')",
                                          text_string(&headers),
                                          strchr(text_string(&headers), ',') ? "are" : "is");
    text_free(&headers);
    return note ? note : "";
}

/* Returns the define that the compiler met at the error's mark, in one of CUDA's own headers; NULL
 * for any other error. */
static const char *replaced_name(const struct compilation *compilation, const char *line)
{
    const char *text = strchr(line, '\n');
    const char *mark = text ? strchr(text + 1, '\n') : NULL;
    if (strncmp(line, "__nv_nvrtc_builtin_header", 25) != 0 || !mark)
        return NULL;
    const size_t column = strspn(mark + 1, " ");
    const char *name = ++text + column;
    if (mark[1 + column] != '^' || name >= mark)
        return NULL;
    for (size_t i = 0; i < compilation->request->define_count; i++) {
        const char *define = compilation->request->defines[i].name;
        const size_t length = strlen(define);
        if (strncmp(name, define, length) == 0 && !isalnum((unsigned char)name[length]) &&
            name[length] != '_')
            return define;
    }
    return NULL;
}

enum status cuda_compile_failed(const struct compilation *compilation, const char *otherwise,
                                const char *log, struct error *error)
{
    size_t length = 0;
    const char *line = line_with(log, "error", &length);
    if (!line)
        line = line_with(log, "fatal", &length);
    const char *replaced = line ? replaced_name(compilation, line) : NULL;
    if (replaced)
        return error_set(error, STATUS_COMPILE_FAILED,
                         "the define '%s' " CUDA_NAME_REPLACED ": call it something else",
                         replaced);
    /* For a requested name that is defined nowhere, a later line has the name. */
    if (line && strncmp(line, "__nv_name_map", 13) == 0 && strstr(log, "name expression was"))
        line = line_with(log, "name expression was", &length);
    /* The compiler's own advice would make all functions the device's. */
    const char *advised =
        line ? memmem(line, length, ". Consider using -default-device", 32) : NULL;
    if (advised)
        length = (size_t)(advised - line);
    if (line)
        return error_set(error, STATUS_COMPILE_FAILED, "%.*s%s", (int)length, line,
                         advice(compilation, line, length));
    /* Finds the kernel with the most static shared memory in the log, which states no error when a
     * kernel has too much. */
    static const char unit[] = " bytes smem";
    int64_t shared = 0;
    for (const char *at = strstr(log, unit); at; at = strstr(at + 1, unit)) {
        const char *number = at;
        while (number > log && isdigit((unsigned char)number[-1]))
            number--;
        int64_t bytes = strtoll(number, NULL, 10);
        shared = bytes > shared ? bytes : shared;
    }
    if (shared > STATIC_SHARED_MAX)
        return error_set(
            error, STATUS_COMPILE_FAILED,
            "%lld bytes in static __shared__ variables, more than %d: make them dynamic",
            (long long)shared, STATIC_SHARED_MAX);
    return error_set(error, STATUS_COMPILE_FAILED, "%s", otherwise);
}
