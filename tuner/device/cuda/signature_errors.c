/* What the compiler's words say of a source, and what a stranger is to do about it. */
#include "tuner/device/cuda/signature_errors.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/signature_headers.h"

/* The name in an error about one that is not defined; NULL when the error is another. */
const char *cuda_undefined_name(struct arena *arena, const char *message)
{
    static const char before[] = "identifier \"";
    const char *name = strstr(message, before);
    const char *end = name ? strstr(name, "\" is undefined") : NULL;
    return end ? arena_strndup(arena, name + strlen(before), (size_t)(end - name) - strlen(before))
               : NULL;
}

/* The last name of what C++ calls so in binaries: "scale" of "_ZN5space5scaleEf". */
static const char *plain_name(struct arena *arena, const char *symbol, size_t length)
{
    const char *end = symbol + length, *name = symbol;
    if (length < 3 || strncmp(symbol, "_Z", 2) != 0)
        return arena_strndup(arena, symbol, length);
    const char *at = symbol + 2;
    const bool is_nested = *at == 'N';
    for (at += is_nested; at < end && !isdigit((unsigned char)*at);)
        at++;
    do {
        char *behind = NULL;
        length = strtoul(at, &behind, 10);
        if (length == 0 || behind > end || length > (size_t)(end - behind))
            return NULL;
        name = behind;
        at = behind + length;
    } while (is_nested && at < end && isdigit((unsigned char)*at));
    return arena_strndup(arena, name, length);
}

/* What is declared and defined in another file; NULL: the error is another. */
const char *cuda_unresolved_name(struct arena *arena, const char *message)
{
    static const char *const before[] = {
        "Unresolved extern variable '", "Unresolved extern function '", "Undefined reference to '"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const char *name = strstr(message, before[i]);
        name = name ? name + strlen(before[i]) : NULL;
        if (name && strchr(name, '\''))
            return plain_name(arena, name, strcspn(name, "'"));
    }
    return NULL;
}

/* A macro that an #error names, and that the source asks about and gives no value: "WIDTH is
 * undefined". NULL: none. */
static const char *named_macro(const struct telling *telling, const char *message)
{
    const char *at = strstr(message, "#error directive: ");
    const char *rest = NULL, *end = NULL;
    for (at = at ? at + strlen("#error directive: ") : NULL; at && *at;) {
        const size_t length = word_bytes(at, at + strlen(at));
        for (size_t i = 0; length > 2 && i < telling->tokens->count; i++)
            if (token_is_directive(&telling->tokens->items[i], "ifndef", &rest, &end) &&
                (size_t)(end - rest) == length && strncmp(rest, at, length) == 0)
                return arena_strndup(telling->arena, at, length);
        at += length ? length : 1;
    }
    return NULL;
}

/* The macro in `defined(NAME)`, `!defined NAME` or the NAME of an #ifdef; *negated: it must not be
 * there. NULL: another condition. */
static const char *condition_macro(struct arena *arena, const struct token *condition,
                                   bool *negated)
{
    const char *rest = NULL, *end = NULL;
    *negated = token_is_directive(condition, "ifndef", &rest, &end);
    if (token_is_directive(condition, "if", &rest, &end)) {
        *negated = *rest == '!';
        rest += *negated;
        if ((size_t)(end - rest) < 8 || strncmp(rest, "defined", 7) != 0)
            return NULL;
        for (rest += 7; rest < end && (*rest == ' ' || *rest == '('); rest++)
            ;
    }
    const size_t length = rest ? word_bytes(rest, end) : 0;
    return length > 0 ? arena_strndup(arena, rest, length) : NULL;
}

/* The macro that would lead around the #error: the first of its #if. NULL: none. */
static const char *avoiding_macro(const struct telling *telling, const char *message)
{
    const struct tokens *tokens = telling->tokens;
    const char *rest = NULL, *end = NULL;
    size_t at = 0, depth = 0;
    bool is_else = false, negated = false;
    while (at < tokens->count &&
           !(token_is_directive(&tokens->items[at], "error", &rest, &end) && end > rest &&
             memmem(message, strlen(message), rest, (size_t)(end - rest))))
        at++;
    for (size_t i = at < tokens->count ? at : 0; i-- > 0;) {
        const struct token *token = &tokens->items[i];
        if (token_is_directive(token, "endif", &rest, &end))
            depth++;
        else if (depth == 0 && token_is_directive(token, "else elif", &rest, &end))
            is_else = true;
        else if (token_is_directive(token, "if ifdef ifndef", &rest, &end) && depth-- == 0) {
            const char *name = condition_macro(telling->arena, token, &negated);
            return negated == is_else ? NULL : name;
        }
    }
    return NULL;
}

/* Whether the error is that there are several kernels of that name. */
bool cuda_is_overloaded(const char *message)
{
    return (strstr(message, "instance of overloaded function") &&
            !strstr(message, "matches the argument list")) || /* of one that a kernel calls */
           strstr(message, "which instance of function template");
}

/* What a stranger is to do about it, behind the compiler's own words. */
enum status cuda_explain(const struct telling *telling, const char *undefined, const char *meant,
                         struct error *error)
{
    const char *path = telling->path;
    const char *name = telling->kernel;
    char text[ERROR_TEXT_BYTES];
    (void)string_format(text, sizeof text, "%.*s", ERROR_TEXT_BYTES / 2, error->text);
    telling->out->missing = cuda_missing_file(telling->arena, text);
    telling->out->unresolved = cuda_unresolved_name(telling->arena, text);
    if (telling->out->unresolved)
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s (%s only declares it: name the source that defines it behind this "
                         "one, tune init %s OTHER.cu)",
                         text, path, path_file(path));
    if (cuda_is_overloaded(text))
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s: there are several kernels '%s', which differ in what they take: give "
                         "the one to tune a name of its own",
                         path, name);
    if (strncmp(text, "what tune init asks", 19) == 0 && strstr(text, " has no "))
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s: an #if around kernel '%s' leaves it out: --define NAME what it asks "
                         "for",
                         path, name);
    if (strncmp(text, "what tune init asks", 19) == 0)
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s: the compiler cannot ask about the kernel behind the file's end: %s",
                         path, text);
    if (!undefined && !meant && !telling->out->missing)
        undefined = named_macro(telling, text);
    if (!undefined && !meant && !telling->out->missing && strstr(text, "#error"))
        undefined = avoiding_macro(telling, text);
    if (meant)
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s; did you mean '%s'? (Else say what it is: --define %s=...)", text,
                         meant, undefined);
    if (undefined)
        return error_set(error, STATUS_COMPILE_FAILED, "%s (say what it is: --define %s=...)", text,
                         undefined);
    if (telling->out->missing && strstr(text, "#error"))
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s (name the folder that has %s by --include)", text,
                         telling->out->missing);
    if (telling->out->missing)
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s (NVRTC compiles for the device alone, without the host's headers: "
                         "name the folder that has it by --include; where the kernel needs nothing "
                         "of it, an empty file of that name in such a folder will do; or have nvcc "
                         "compile it: --compiler nvcc)",
                         text);
    if (strstr(text, "host functions are not allowed"))
        return error_set(error, STATUS_COMPILE_FAILED,
                         "%s (NVRTC compiles for the device alone: put the host's part behind "
                         "#ifndef __CUDACC_RTC__, or have nvcc compile it: --compiler nvcc)",
                         text);
    return STATUS_COMPILE_FAILED;
}
