/* Which of a source's kernels is asked about. */
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/device/gpu/tokens.h"

enum { OWN_BYTES_MAX = 16 << 20 };

bool kernel_has_body(const struct tokens *tokens, const char *name)
{
    for (size_t i = 0; i < tokens->count; i++) {
        if (!token_is(tokens, i, "__global__"))
            continue;
        for (; i < tokens->count && !token_is_in(tokens, i, "; {"); i++) {
            const size_t open =
                token_is(tokens, i + 1, "<") ? tokens_behind_angle(tokens, i + 1) : i + 1;
            if (token_is(tokens, i, name) && token_is(tokens, open, "(") &&
                token_is(tokens, tokens_behind(tokens, open), "{"))
                return true;
        }
    }
    return false;
}

/* What the file has itself, and not one that it includes. */
static void mark_own(struct arena *arena, const char *path, struct source_signature *out)
{
    struct tokens tokens;
    struct error ignored = {0};
    char *text = NULL;
    if (out->kernel_count < 2 ||
        file_read(arena, path, OWN_BYTES_MAX, &text, NULL, &ignored) != STATUS_OK ||
        !tokens_read(arena, text, &tokens))
        return;
    for (size_t i = 0; i < out->kernel_count; i++)
        out->kernels[i].is_own = kernel_has_body(&tokens, unqualified_name(out->kernels[i].name));
}

/* How well a name that was asked for fits a kernel's: 3 the same, 2 without all of its namespaces,
 * 1 with some around them; 0: it is another's. */
static int fit(const char *name, const char *wanted, size_t length)
{
    const size_t own = strlen(name);
    const bool is_longer = own > length;
    const size_t rest = is_longer ? own - length : length - own;
    const char *const tail = is_longer ? name + rest : name;
    const char *const wanted_tail = is_longer ? wanted : wanted + rest;
    const size_t common = is_longer ? length : own;
    if (common == 0 || strncmp(tail, wanted_tail, common) != 0)
        return 0;
    if (rest == 0)
        return 3;
    const char *before = (is_longer ? name : wanted) + rest;
    return rest > 2 && before[-1] == ':' && before[-2] == ':' ? 1 + is_longer : 0;
}

static struct kernel_signature *find_kernel(struct source_signature *out, const char *wanted)
{
    struct kernel_signature *found = NULL;
    int best = 0;
    for (size_t i = 0; i < out->kernel_count; i++) {
        struct kernel_signature *kernel = &out->kernels[i];
        const int fits = fit(kernel->name, wanted, strcspn(wanted, "<"));
        if (fits > best || (fits > 0 && fits == best && kernel->is_defined && !found->is_defined)) {
            best = fits;
            found = kernel;
        }
    }
    return found;
}

/* The only one; NULL: there are several. Of the file's own, then of all that have a body, then of
 * all. */
static struct kernel_signature *find_only(struct source_signature *out)
{
    struct kernel_signature *last[3] = {NULL};
    size_t count[3] = {0};
    for (size_t i = 0; i < out->kernel_count; i++) {
        struct kernel_signature *kernel = &out->kernels[i];
        const bool is_of[3] = {kernel->is_defined && kernel->is_own, kernel->is_defined, true};
        for (size_t j = 0; j < 3; j++)
            if (is_of[j]) {
                last[j] = kernel;
                count[j]++;
            }
    }
    for (size_t j = 0; j < 3; j++)
        if (count[j] > 0)
            return count[j] == 1 ? last[j] : NULL;
    return NULL;
}

/* The file's own, then those that it includes; what is only declared where nothing else is there.
 */
static enum status list(const struct source_signature *out, const char *path, const char *what,
                        struct error *error)
{
    struct text names = {0};
    for (size_t round = 0; round < 3; round++)
        for (size_t i = 0; out->kernels && i < out->kernel_count; i++) {
            const struct kernel_signature *kernel = &out->kernels[i];
            const size_t of = !kernel->is_defined ? 2 : !kernel->is_own;
            if (of == round && (round < 2 || !names.length))
                text_printf(&names, "%s%s", names.length ? ", " : "", kernel->name);
        }
    const enum status status =
        error_set(error, STATUS_NOT_FOUND, "%s: %s: %s", path, what, text_string(&names));
    text_free(&names);
    return status;
}

void unread_add(struct source_signature *out, const char *name)
{
    for (size_t i = 0; i < out->unread_count; i++)
        if (strcmp(out->unread[i], name) == 0)
            return;
    if (out->unread_count < SIGNATURE_UNREAD_MAX)
        out->unread[out->unread_count++] = name;
}

/* The files in quotes that are nowhere where the source is read: a kernel may be in one. */
static bool list_unread(struct arena *arena, const char *source, struct source_signature *out)
{
    struct tokens tokens;
    const char *rest = NULL, *end = NULL;
    if (!tokens_read(arena, source, &tokens))
        return false;
    for (size_t i = 0; i < tokens.count; i++) {
        if (!token_is_directive(&tokens.items[i], "include", &rest, &end) || rest == end ||
            *rest != '"')
            continue;
        const char *close = memchr(rest + 1, '"', (size_t)(end - rest - 1));
        const char *name =
            close ? arena_strndup(arena, rest + 1, (size_t)(close - rest - 1)) : NULL;
        if (name)
            unread_add(out, name);
    }
    return true;
}

enum status kernel_choose(struct arena *arena, const struct signature_question *question,
                          const char *contents, struct source_signature *out,
                          struct kernel_signature **chosen, struct error *error)
{
    const char *path = question->path;
    *chosen = NULL;
    if (out->kernels)
        mark_own(arena, path, out);
    if (out->kernels && out->kernel_count > 0)
        *chosen = question->kernel ? find_kernel(out, question->kernel) : find_only(out);
    if (*chosen && (*chosen)->is_defined)
        return STATUS_OK;
    if ((question->kernel || *chosen || out->kernel_count == 0) &&
        !list_unread(arena, contents, out))
        return error_no_memory(error);
    if (*chosen)
        return error_set(
            error, STATUS_NOT_FOUND,
            "%s: kernel '%s' is only declared in it: name the source that has its body", path,
            (*chosen)->name);
    if (out->kernels && out->kernel_count > 0)
        return list(out, path,
                    question->kernel ? "no such kernel; there are"
                                     : "several kernels; name one by --kernel",
                    error);
    return error_set(error, STATUS_NOT_FOUND, "%s: no __global__ function in it%s", path,
                     strstr(contents, "__global__") ? ", but the word, in a text or a comment: a "
                                                      "kernel within another language's source "
                                                      "goes into a file of its own"
                     : strstr(contents, "__kernel") ? ": its kernels are OpenCL's, and only those "
                                                      "in CUDA can be run"
                                                    : ": name the source that has the kernel");
}
