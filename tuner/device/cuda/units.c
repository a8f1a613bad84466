/* Several translation units: finding the unit of a name, and linking to one cubin. */
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/compile.h"

/* Finds a whole word in [at, end); NULL when absent. Text right before `at` does not count. */
static const char *find_word(const char *at, const char *end, const char *word, size_t length)
{
    const char *begin = at;
    while ((size_t)(end - at) >= length && (at = memmem(at, (size_t)(end - at), word, length))) {
        bool whole = (at == begin || !is_name_character(at[-1])) && !is_name_character(at[length]);
        if (whole)
            return at;
        at++;
    }
    return NULL;
}

enum found { NOT_FOUND, DECLARED, DEFINED };

/* Searches `keyword` and, before the declaration ends, the name. A declaration with a body, or
 * without `extern`, is a definition. */
static enum found look_behind(const struct source *source, const char *keyword, const char *name,
                              size_t length, bool is_function)
{
    const char *end = source->contents + source->content_length;
    const char *at = source->contents;
    enum found found = NOT_FOUND;
    for (; (at = find_word(at, end, keyword, strlen(keyword))); at += strlen(keyword)) {
        size_t declaration = strcspn(at, "{;=");
        if (!find_word(at, at + declaration, name, length))
            continue;
        const char *line = at;
        while (line > source->contents && line[-1] != '\n' && line[-1] != ';')
            line--;
        bool is_extern = find_word(line, at, "extern", 6) != NULL;
        bool defines = is_function ? at[declaration] == '{' : !is_extern;
        if (defines)
            return DEFINED;
        found = DECLARED;
    }
    return found;
}

size_t cuda_defining_unit(const struct source *units, size_t count, const char *expression,
                          bool is_function)
{
    static const char *const keywords[] = {"__global__", "__constant__", "__device__",
                                           "__managed__"};
    enum found best = NOT_FOUND;
    size_t unit = 0;
    size_t end = strcspn(expression, "<");
    while (end > 0 && !is_name_character(expression[end - 1]))
        end--;
    size_t start = end;
    while (start > 0 && is_name_character(expression[start - 1]))
        start--;
    for (size_t i = 0; end > start && i < count; i++)
        for (size_t k = is_function ? 0 : 1; k < (is_function ? 1 : COUNT(keywords)); k++) {
            const enum found found =
                look_behind(&units[i], keywords[k], expression + start, end - start, is_function);
            if (found <= best)
                continue;
            best = found;
            unit = i;
        }
    return unit;
}

enum status cuda_link(struct arena *arena, const struct cuda_cubin *units, size_t count,
                      const struct binary_request *flags, struct cuda_cubin *out, struct text *log,
                      struct error *error)
{
    const char *options[FLAGS_MAX + 1];
    uint32_t option_count = 0;
    void *link = NULL;
    const struct cuda_linker *linker = cuda_linker(error);
    if (!linker)
        return error->status;
    options[option_count++] = arena_printf(arena, "-arch=%s", flags->architecture);
    TRY_MEMORY(options[0]);
    for (size_t i = 0; units[0].is_ptx && i < flags->flag_count; i++)
        options[option_count++] = flags->flags[i];
    if (linker->create(&link, option_count, options) != 0)
        return error_set(error, STATUS_COMPILE_FAILED, "nvJitLink does not link for %s%s%s",
                         flags->architecture, option_count > 1 ? " with the flag " : "",
                         option_count > 1 ? options[1] : "");
    int result = 0;
    char *cubin = NULL, *messages = NULL;
    size_t bytes = 0;
    for (size_t i = 0; result == 0 && i < count; i++)
        result = linker->add_data(link, units[i].is_ptx ? CUDA_LINK_PTX : CUDA_LINK_CUBIN,
                                  units[i].data, units[i].bytes, units[i].name);
    if (result == 0)
        result = linker->complete(link);
    if (result == 0)
        result = linker->get_cubin_size(link, &out->bytes);
    if (result == 0)
        out->data = cubin = arena_alloc(arena, out->bytes, 1);
    const bool is_linked = cubin && linker->get_cubin(link, cubin) == 0;
    if (!is_linked && linker->get_error_log_size(link, &bytes) == 0 && bytes > 0)
        messages = arena_alloc(arena, bytes + 1, 1);
    if (messages && (linker->get_error_log(link, messages) != 0 || !*messages))
        messages = NULL;
    (void)linker->destroy(&link);
    if (is_linked)
        return STATUS_OK;
    if (!messages)
        return error_set(error, STATUS_COMPILE_FAILED, "linking failed without a message");
    text_append(log, messages);
    return error_set(error, STATUS_COMPILE_FAILED, "linking: %.*s", (int)strcspn(messages, "\r\n"),
                     messages);
}
