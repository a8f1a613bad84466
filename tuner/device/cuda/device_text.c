/* What is left of a source when the host's part is out, line by line where it was. */
#include <string.h>

#include "tuner/device/cuda/cutter.h"

static bool is(const struct cutter *cutter, size_t index, const char *text)
{
    return token_is(&cutter->tokens, index, text);
}

static bool uses_std(const struct cutter *cutter)
{
    for (size_t i = 0; i < cutter->tokens.count; i++)
        if (cutter->fates[i] != CUT && is(cutter, i, "std") &&
            !(i > 0 && (is(cutter, i - 1, "::") || is(cutter, i - 1, "namespace"))))
            return true;
    return false;
}

static void cut_headers(struct cutter *cutter)
{
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        const struct token *token = &cutter->tokens.items[i];
        const char *end = token->start + token->length;
        const char *name = NULL;
        if (is(cutter, i, "using") && is(cutter, i + 1, "namespace") && is(cutter, i + 2, "std") &&
            is(cutter, i + 3, ";") && !cutter->uses_std)
            cutter_cut(cutter, i, i + 4);
        if (!cutter_is_directive(token, "include", &name) || name == end)
            continue;
        const char *close = memchr(name + 1, *name == '<' ? '>' : '"', (size_t)(end - name - 1));
        size_t length = close ? (size_t)(close - name - 1) : 0;
        bool unused = !cutter->uses_std && cuda_is_std_header(name + 1, length);
        if (unused || cuda_is_host_header(name + 1, length))
            cutter->fates[i] = CUT;
    }
}

static bool has_directive(const struct cutter *cutter, const char *word, const char *name)
{
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        const struct token *token = &cutter->tokens.items[i];
        const char *rest = NULL;
        if (cutter_is_directive(token, word, &rest) &&
            cutter_word(rest, token->start + token->length) == strlen(name) &&
            strncmp(rest, name, strlen(name)) == 0)
            return true;
    }
    return false;
}

/* What the experiment defines, the source does not. */
static void cut_defines(struct cutter *cutter, const struct named_value *defines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(defines[i].name);
        if (has_directive(cutter, "undef", defines[i].name))
            continue;
        for (size_t j = 0; j < cutter->tokens.count; j++) {
            const struct token *token = &cutter->tokens.items[j];
            const char *end = token->start + token->length;
            const char *name = NULL;
            if (cutter_is_directive(token, "define", &name) && cutter_word(name, end) == length &&
                strncmp(name, defines[i].name, length) == 0 &&
                !(name + length < end && name[length] == '('))
                cutter->fates[j] = CUT;
        }
    }
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

/* Before the source: headers of what it names, as nvcc includes them for it. */
static void put_headers(const struct cutter *cutter, struct text *text)
{
    struct text put = {0};
    struct text seen = {0};
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        const struct token *token = &cutter->tokens.items[i];
        const char *header = token->kind == TOKEN_NAME && cutter->fates[i] != CUT
                                 ? cuda_header_of(token->start, token->length)
                                 : NULL;
        if (!header || cutter_has_line(&seen, token->start, token->length))
            continue;
        cutter_add_line(&seen, token->start, token->length);
        char name[32]; /* longer ones have no header */
        (void)string_format(name, sizeof name, "%.*s", (int)token->length, token->start);
        if (cutter_has_line(&put, header, strlen(header)) || is_declared(cutter, token) ||
            has_directive(cutter, "define", name))
            continue;
        cutter_add_line(&put, header, strlen(header));
        text_printf(text, "#include <%s>\n", header);
    }
    if (put.length > 0)
        text_append(text, "#line 1\n");
    text->failed = text->failed || put.failed || seen.failed;
    text_free(&put);
    text_free(&seen);
}

static bool write_text(struct cutter *cutter, const char *source, struct device_part *out)
{
    struct text text = {0};
    const char *at = source;
    put_headers(cutter, &text);
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        const struct token *token = &cutter->tokens.items[i];
        text_append_bytes(&text, at, (size_t)(token->start - at));
        if (cutter->fates[i] == MADE_DEVICE)
            text_append(&text, "__host__ __device__ ");
        if (cutter->fates[i] == CUT)
            put_newlines(&text, token);
        else
            text_append_bytes(&text, token->start, token->length);
        at = token->start + token->length;
    }
    text_append(&text, at);
    out->text = text.failed ? NULL : arena_strdup(cutter->arena, text_string(&text));
    out->left_out = arena_strdup(cutter->arena, text_string(&cutter->left_out));
    out->uses_std = cutter->uses_std;
    text_free(&text);
    return out->text && out->left_out && !cutter->left_out.failed &&
           !cutter->device_macros.failed && !cutter->call_macros.failed;
}

bool cutter_write(struct cutter *cutter, const char *source, const struct named_value *defines,
                  size_t define_count, struct device_part *out)
{
    cutter->uses_std = uses_std(cutter);
    cut_headers(cutter);
    cut_defines(cutter, defines, define_count);
    return write_text(cutter, source, out);
}
