/* What is left of a source, with the headers that it names without including them. */
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/device/cuda/cutter.h"
#include "tuner/device/gpu/tokens.h"

static bool is(const struct cutter *cutter, size_t index, const char *text)
{
    return token_is(&cutter->tokens, index, text);
}

/* One of the list's words. */
static bool is_in(const struct cutter *cutter, size_t index, const char *list)
{
    return token_is_in(&cutter->tokens, index, list);
}

static bool has_textures(const struct cutter *cutter)
{
    for (size_t i = 0; i < cutter->tokens.count; i++)
        if (cutter->fates[i] == MADE_TEXTURE || cutter->fates[i] == TEXTURE_REFERENCE)
            return true;
    return false;
}

bool uses_std(const struct cutter *cutter)
{
    for (size_t i = 0; i < cutter->tokens.count; i++)
        if (cutter->fates[i] != CUT && is(cutter, i, "std") &&
            !(i > 0 && is_in(cutter, i - 1, ":: namespace")))
            return true;
    return false;
}

void cut_using(struct cutter *cutter)
{
    for (size_t i = 0; i + 4 < cutter->tokens.count; i++) {
        if (!is(cutter, i, "using") || !is(cutter, i + 1, "std") || !is(cutter, i + 2, "::") ||
            !is(cutter, i + 4, ";"))
            continue;
        const struct token *name = &cutter->tokens.items[i + 3];
        bool used = false;
        for (size_t j = 0; j < cutter->tokens.count && !used; j++)
            used = j != i + 3 && cutter->fates[j] != CUT &&
                   cutter->tokens.items[j].length == name->length &&
                   memcmp(cutter->tokens.items[j].start, name->start, name->length) == 0;
        if (!used)
            cutter_cut(cutter, i, i + 5);
    }
}

/* Whether one of the compiler's folders has it, or it is one of ours. */
static bool is_there(const struct device_roots *roots, const char *name, size_t length)
{
    char path[4096];
    if (cuda_is_own_header(name, length))
        return true;
    for (size_t i = 0; i < roots->folder_count; i++)
        if (string_format(path, sizeof path, "%s/%.*s", roots->folders[i], (int)length, name) &&
            file_exists(path))
            return true;
    return false;
}

void cut_headers(struct cutter *cutter, const struct device_roots *roots)
{
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        const char *name = NULL, *end = NULL;
        if (is(cutter, i, "using") && is(cutter, i + 1, "namespace") && is(cutter, i + 2, "std") &&
            is(cutter, i + 3, ";") && !cutter->uses_std)
            cutter_cut(cutter, i, i + 4);
        if (!token_is_directive(&cutter->tokens.items[i], "include", &name, &end) || name == end)
            continue;
        const char *close = memchr(name + 1, *name == '<' ? '>' : '"', (size_t)(end - name - 1));
        size_t length = close ? (size_t)(close - name - 1) : 0;
        bool unused = !cutter->uses_std && cuda_is_std_header(name + 1, length);
        if (unused || cuda_is_host_header(name + 1, length) ||
            (roots && !is_there(roots, name + 1, length)))
            cutter->fates[i] = CUT;
    }
}

bool has_directive(const struct cutter *cutter, const char *directive, const char *name)
{
    const char *rest = NULL, *end = NULL;
    for (size_t i = 0; i < cutter->tokens.count; i++)
        if (token_is_directive(&cutter->tokens.items[i], directive, &rest, &end) &&
            word_is_in(rest, word_bytes(rest, end), name))
            return true;
    return false;
}

/* Whether it has a #define of it outside of all conditions: M_PI's mostly stands behind an #ifdef
 * of another compiler's. */
static bool defines_always(const struct cutter *cutter, const char *name)
{
    const char *rest = NULL, *end = NULL;
    size_t depth = 0;
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        const struct token *token = &cutter->tokens.items[i];
        if (depth == 0 && token_is_directive(token, "define", &rest, &end) &&
            word_is_in(rest, word_bytes(rest, end), name))
            return true;
        depth += token_is_directive(token, "if ifdef ifndef", &rest, &end) ? 1 : 0;
        depth -= depth > 0 && token_is_directive(token, "endif", &rest, &end) ? 1 : 0;
    }
    return false;
}

/* A piece that is left out keeps its newlines. */
static void put_newlines(struct text *out, const struct token *token)
{
    for (size_t i = 0; i < token->length; i++)
        if (token->start[i] == '\n')
            text_append(out, "\n");
    text_append(out, " ");
}

/* typedef ... NAME; using NAME = ...; */
static bool is_declared(const struct cutter *cutter, const struct token *name)
{
    const struct tokens *tokens = &cutter->tokens;
    bool declares = false; /* within a typedef */
    for (size_t i = 0; i < tokens->count; i++) {
        const struct token *token = &tokens->items[i];
        bool same =
            token->length == name->length && memcmp(token->start, name->start, name->length) == 0;
        declares = is(cutter, i, "typedef") || (declares && !is(cutter, i, ";"));
        if (same && ((declares && is(cutter, i + 1, ";")) || (i > 0 && is(cutter, i - 1, "using"))))
            return true;
    }
    return false;
}

static bool has_include(const struct cutter *cutter, const char *header)
{
    const char *rest = NULL, *end = NULL;
    const size_t length = strlen(header);
    for (size_t i = 0; i < cutter->tokens.count; i++)
        if (token_is_directive(&cutter->tokens.items[i], "include", &rest, &end) &&
            (size_t)(end - rest) == length + 2 && memcmp(rest + 1, header, length) == 0)
            return true;
    return false;
}

/* A type's name, and not that of a variable, as `half` often is: `half *`, `half x`. */
static bool may_be_type(const struct cutter *cutter, size_t i)
{
    if (!is_in(cutter, i, "half half2"))
        return true;
    return is(cutter, i + 1, "*") ||
           (i + 1 < cutter->tokens.count && cutter->tokens.items[i + 1].kind == TOKEN_NAME);
}

/* Before the source: headers of what it names, as nvcc includes them for it. */
static void put_headers(const struct cutter *cutter, struct text *text)
{
    struct text included = {0};
    struct text seen = {0};
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        const struct token *token = &cutter->tokens.items[i];
        const bool in_std = i >= 2 && is(cutter, i - 1, "::") && is(cutter, i - 2, "std");
        const bool is_global = i >= 1 && is(cutter, i - 1, "::") &&
                               (is_in(cutter, i - 2, "using ; { } ( ,") || i == 1);
        char name[40]; /* longer ones have no header */
        if (token->kind != TOKEN_NAME || cutter->fates[i] == CUT || !may_be_type(cutter, i) ||
            !string_format(name, sizeof name, "%s%.*s",
                           in_std                                 ? "std::"
                           : i >= 2 && is_accessor(cutter, i - 2) ? "at::"
                           : is_global                            ? "::"
                                                                  : "",
                           (int)token->length, token->start))
            continue;
        const char *header = cuda_header_of(name, strlen(name));
        if (!header && (in_std || is_global))
            header = cuda_header_of(strrchr(name, ':') + 1, token->length);
        if (!header || lines_have(&seen, name, strlen(name)))
            continue;
        lines_add(&seen, name, strlen(name));
        if (lines_have(&included, header, strlen(header)) || is_declared(cutter, token) ||
            defines_always(cutter, name) || (in_std && has_include(cutter, header)))
            continue;
        lines_add(&included, header, strlen(header));
        text_printf(text, "#include <%s>\n", header);
    }
    if (has_textures(cutter))
        text_append(text, "#include <tune_textures.h>\n");
    if (text->length > 0)
        text_append(text, "#line 1\n");
    text->failed = text->failed || included.failed || seen.failed;
    text_free(&included);
    text_free(&seen);
}

bool write_text(struct cutter *cutter, const char *source, enum leave leave,
                struct device_part *out)
{
    struct text text = {0};
    const char *at = source;
    if (leave == LEAVE_HOST_PART)
        put_headers(cutter, &text);
    else if (has_textures(cutter)) /* nvcc takes headers from folders alone */
        text_printf(&text, "%s#line 1\n", cuda_header_textures);
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        const struct token *token = &cutter->tokens.items[i];
        text_append_bytes(&text, at, (size_t)(token->start - at));
        if (cutter->fates[i] == MADE_DEVICE)
            text_append(&text, "__host__ __device__ ");
        if (cutter->fates[i] >= TEXTURE_REFERENCE)
            text_append(&text, "__constant__ ");
        if (cutter->fates[i] == ENDED)
            text_append(&text, ";");
        if (cutter->fates[i] == CUT || cutter->fates[i] == ENDED)
            put_newlines(&text, token);
        else if (cutter->fates[i] == MADE_TEXTURE || cutter->fates[i] == TEXTURE_REFERENCE)
            text_append(&text, "tune_texture");
        else
            text_append_bytes(&text, token->start, token->length);
        at = token->start + token->length;
    }
    text_append(&text, at);
    out->text = text_to_arena(&text, cutter->arena);
    out->left_out = arena_strdup(cutter->arena, text_string(&cutter->left_out));
    out->uses_std = cutter->uses_std;
    return out->text && out->left_out && !cutter->left_out.failed && !cutter->left_types.failed &&
           !cutter->device_macros.failed && !cutter->call_macros.failed &&
           !cutter->host_macros.failed && !cutter->namespaces.failed;
}
