/* Kernels that stand as a text in a script of Python, as PyCUDA, CuPy and Kernel Tuner take them.
 */
#include <ctype.h>
#include <string.h>

#include "frontends/init/draft.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/device/gpu/tokens.h"

enum { SCRIPT_BYTES_MAX = 4 << 20 };

/* A text of the script, between its quotes. */
struct script_text {
    const char *start, *end;
    const char *behind; /* the closing quotes */
    bool raw, formatted;
};

/* From `at` on; false: there is none any more. One that is not closed ends with the script. */
static bool next_text(const char *script, const char *at, struct script_text *out)
{
    while (*at && *at != '"' && *at != '\'')
        at = *at == '#' ? at + strcspn(at, "\n") : at + 1;
    if (!*at)
        return false;
    *out = (struct script_text){0};
    for (const char *prefix = at; prefix > script && isalpha((unsigned char)prefix[-1]); prefix--) {
        out->raw |= prefix[-1] == 'r' || prefix[-1] == 'R';
        out->formatted |= prefix[-1] == 'f' || prefix[-1] == 'F';
    }
    const size_t quotes = at[1] == at[0] && at[2] == at[0] ? 3 : 1;
    const char quote[] = {at[0], quotes == 3 ? at[0] : '\0', quotes == 3 ? at[0] : '\0', '\0'};
    out->start = at += quotes;
    while (*at && strncmp(at, quote, quotes) != 0 && (quotes == 3 || *at != '\n'))
        at += at[0] == '\\' && at[1] ? 2 : 1;
    out->end = at;
    out->behind = *at && *at != '\n' ? at + quotes : at;
    return true;
}

/* Whether it has a kernel, of that name where there is one. */
static bool has_kernel(const struct script_text *text, const char *kernel)
{
    const size_t length = (size_t)(text->end - text->start);
    const char *at = memmem(text->start, length, "__global__", strlen("__global__"));
    const size_t name = kernel ? strcspn(kernel, "<") : 0;
    if (!at || !memchr(at, '{', (size_t)(text->end - at)))
        return false;
    for (; kernel && at + name < text->end; at++)
        if (strncmp(at, kernel, name) == 0 && !name_goes_on(at[-1]) &&
            at[name + strspn(at + name, " \t\r\n")] == '(')
            return true;
    return !kernel;
}

/* %(NAME)s, and {NAME} of a text that is formatted: the name, which is then one that nothing
 * defines. Gives how many bytes it takes; 0: none is there. */
static size_t placeholder(const struct script_text *text, const char *at, const char **name,
                          size_t *length)
{
    const bool percent = at[0] == '%' && at[1] == '(';
    if (!percent && !(text->formatted && at[0] == '{'))
        return 0;
    *name = at + (percent ? 2 : 1);
    *length = word_bytes(*name, text->end);
    const char *end = *name + *length;
    if (*length == 0 || *end != (percent ? ')' : '}'))
        return 0;
    return (size_t)(end - at) + (percent && isalpha((unsigned char)end[1]) ? 2 : 1);
}

/* Where `#define NAME %(NAME)s` begins, whose end is to come: who fills NAME in defines it then.
 * The text's length where no such line does. */
static size_t own_define(const struct text *out, const char *name, size_t length)
{
    const char *text = text_string(out);
    const char *line = strrchr(text, '\n');
    const char *first = line ? line + 1 : text;
    const char *at = first + strspn(first, " \t");
    if (*at != '#')
        return out->length;
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, "define", strlen("define")) != 0)
        return out->length;
    at += strlen("define");
    at += strspn(at, " \t");
    const bool same = strncmp(at, name, length) == 0 && !name_goes_on(at[length]) &&
                      !at[length + strspn(at + length, " \t(")];
    return same ? (size_t)(first - text) : out->length;
}

/* As the script has it when it runs, line by line; what it fills in stands by its name. */
static void put_text(const struct script_text *text, struct text *out)
{
    const size_t whole = (size_t)(text->end - text->start);
    const bool percents = memmem(text->start, whole, "%(", 2) != NULL;
    const char *name = NULL;
    size_t length = 0, bytes = 0;
    for (const char *at = text->start; at < text->end; at += bytes) {
        bytes = placeholder(text, at, &name, &length);
        const bool twice = at + 1 < text->end && at[0] == at[1];
        const size_t define = bytes > 0 ? own_define(out, name, length) : out->length;
        if (define < out->length) {
            out->length = define;
            out->data[define] = '\0';
            continue;
        }
        if (bytes > 0) {
            text_append_bytes(out, name, length);
            continue;
        }
        if (!text->raw && at[0] == '\\' && at + 1 < text->end && strchr("\\\"'nt\n", at[1])) {
            bytes = 2;
            if (at[1] != '\n')
                text_append_bytes(out, at[1] == 'n' ? "\n" : at[1] == 't' ? "\t" : at + 1, 1);
        } else {
            bytes = twice && ((percents && *at == '%') || (text->formatted && strchr("{}", *at)))
                        ? 2
                        : 1;
            text_append_bytes(out, at, 1);
        }
    }
}

const char *draft_script_source(struct arena *arena, const char *path, const char *kernel)
{
    char *script = NULL, *contents = NULL;
    struct error ignored = {0};
    struct script_text text;
    struct tokens tokens;
    const int folder = (int)(path_file(path) - path);
    const char *name = kernel ? arena_strndup(arena, kernel, strcspn(kernel, "<")) : NULL;
    if (file_read(arena, path, SCRIPT_BYTES_MAX, &script, NULL, &ignored) != STATUS_OK)
        return NULL;
    for (const char *at = script; next_text(script, at, &text); at = text.behind) {
        const size_t length = (size_t)(text.end - text.start);
        if (length < 4 || length > 1024 || memcmp(text.end - 3, ".cu", 3) != 0)
            continue;
        const char *source = arena_printf(arena, "%.*s%.*s", *text.start == '/' ? 0 : folder, path,
                                          (int)length, text.start);
        if (source &&
            file_read(arena, source, SCRIPT_BYTES_MAX, &contents, NULL, &ignored) == STATUS_OK &&
            (!name || (tokens_read(arena, contents, &tokens) && kernel_has_body(&tokens, name))))
            return source;
    }
    return NULL;
}

enum status draft_take_script(struct arena *arena, const char *path, const char *kernel,
                              struct text *out, struct error *error)
{
    char *script = NULL;
    struct script_text found = {0};
    struct text lines = {0};
    size_t line = 1, count = 0;
    enum status status = file_read(arena, path, SCRIPT_BYTES_MAX, &script, NULL, error);
    if (status != STATUS_OK)
        return status;
    struct script_text text;
    const char *seen = script;
    for (const char *at = script; next_text(script, at, &text); at = text.behind) {
        if (!has_kernel(&text, kernel))
            continue;
        for (; seen < text.start; seen++)
            line += *seen == '\n';
        text_printf(&lines, "%s%zu", count++ ? ", " : "", line);
        if (count == 1)
            found = text;
    }
    if (count == 0)
        status = error_set(error, STATUS_NOT_FOUND,
                           "%s: no text in it has a __global__ function%s%s: put the kernel into a "
                           "file of its own, kernel.cu",
                           path, kernel ? " " : "", kernel ? kernel : "");
    else if (count > 1 && !kernel)
        status = error_set(error, STATUS_NOT_FOUND,
                           "%s: several texts with kernels, in lines %s; name one by --kernel",
                           path, text_string(&lines));
    text_free(&lines);
    if (status != STATUS_OK)
        return status;
    text_printf(out, "// From %s, by 'tune init'.\n", path_file(path));
    put_text(&found, out);
    return out->failed ? error_no_memory(error) : STATUS_OK;
}
