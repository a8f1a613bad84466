/* Headers that a source names and that are not there. */
#include "tuner/device/cuda/signature_headers.h"

#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/driver.h"
#include "tuner/device/cuda/host_part.h"

/* The header that the text of an #error names: "config.h is not there"; NULL: none. */
static const char *named_header(struct arena *arena, const char *message)
{
    const char *at = strstr(message, "#error directive: ");
    for (at = at ? strstr(at, ".h") : NULL; at; at = strstr(at + 1, ".h")) {
        const char *name = at;
        while (name > message && (name_goes_on(name[-1]) || strchr("/.-", name[-1])))
            name--;
        const char *end = at + strlen(".h");
        if (name < at && !name_goes_on(*end) && *end != '/')
            return arena_strndup(arena, name, (size_t)(end - name));
    }
    return NULL;
}

const char *cuda_missing_file(struct arena *arena, const char *message)
{
    const char *name = strstr(message, "open source file \"");
    const char *end = strstr(message, ": No such file or directory");
    if (name) {
        name += strlen("open source file \"");
        end = strchr(name, '"');
    } else if (end) {
        for (name = end; name > message && name[-1] != ' ';)
            name--;
    }
    return name && end ? arena_strndup(arena, name, (size_t)(end - name))
                       : named_header(arena, message);
}

/* Whether the compiler has it, or is given one of ours, or nobody compiles what needs it. */
static bool is_known(struct arena *arena, const struct cuda_compiler *nvrtc, const char *name)
{
    const size_t length = strlen(name);
    const char *path = nvrtc ? arena_printf(arena, "%s/%s", nvrtc->headers, name) : NULL;
    return cuda_is_own_header(name, length) || cuda_is_host_header(name, length) ||
           (path && file_exists(path));
}

bool cuda_list_unread(struct arena *arena, const char *text, struct source_signature *out)
{
    struct tokens tokens;
    struct error ignored = {0};
    const struct cuda_compiler *nvrtc = cuda_compiler(&ignored);
    const char *rest = NULL, *end = NULL;
    if (!tokens_read(arena, text, &tokens))
        return false;
    out->unread_count = 0;
    for (size_t i = 0; i < tokens.count; i++) {
        if (!token_is_directive(&tokens.items[i], "include", &rest, &end) || rest == end)
            continue;
        const char *close = memchr(rest + 1, *rest == '<' ? '>' : '"', (size_t)(end - rest - 1));
        const char *name =
            close ? arena_strndup(arena, rest + 1, (size_t)(close - rest - 1)) : NULL;
        if (name && !is_known(arena, nvrtc, name))
            unread_add(out, name);
    }
    return true;
}
