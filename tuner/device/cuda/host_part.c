/* The part of a source that NVRTC gets: code that only the host runs would be refused. Functions
 * and variables are judged by words alone; nvcc compiles sources beyond that (compiler: nvcc). */
#include <ctype.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/tokens.h"
#include "tuner/device/cuda/host_part.h"

/* The fate of a token. */
enum fate {
    KEPT,
    CUT,
    MADE_DEVICE,       /* kept, with __host__ __device__ in front */
    MADE_TEXTURE,      /* `texture`, which has a name of ours */
    TEXTURE_REFERENCE, /* kept, with __constant__ in front */
    TEXTURE_ALIAS,     /* another name of such a type, the same */
};

struct cutter {
    struct arena *arena;
    struct tokens tokens;
    char *fates;               /* by token */
    struct text device_macros; /* a line each: words that make a declaration the device's */
    struct text left_out;
    struct text left_headers;
};

static bool is(const struct cutter *cutter, size_t index, const char *text)
{
    return token_is(&cutter->tokens, index, text);
}

static bool is_in(const struct cutter *cutter, size_t index, const char *list)
{
    return token_is_in(&cutter->tokens, index, list);
}

static bool lines_have(const char *lines, const char *name, size_t length)
{
    for (const char *at = lines; *at; at += strcspn(at, "\n") + 1)
        if (strcspn(at, "\n") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

static void cut(struct cutter *cutter, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (cutter->tokens.items[i].kind != TOKEN_DIRECTIVE)
            cutter->fates[i] = CUT;
}

/* ---- device attributes ---- */

static bool names_device(const struct cutter *cutter, const char *at, const char *end)
{
    for (size_t length; at < end; at += length ? length : 1) {
        length = word_bytes(at, end);
        if (length > 0 && (word_is_in(at, length,
                                      "__device__ __global__ __constant__ __shared__ "
                                      "__managed__ __nv_pure__") ||
                           lines_have(text_string(&cutter->device_macros), at, length)))
            return true;
    }
    return false;
}

/* Tells whether the word makes a declaration the device's, as libraries do with LIBRARY_DEVICE. */
static bool is_device_word(const struct cutter *cutter, size_t index)
{
    const struct token *token = &cutter->tokens.items[index];
    if (token->kind != TOKEN_NAME)
        return false;
    if (names_device(cutter, token->start, token->start + token->length))
        return true;
    for (size_t i = 0; i < token->length; i++)
        if (islower((unsigned char)token->start[i]))
            return false;
    return memmem(token->start, token->length, "DEVICE", 6) != NULL;
}

/* ---- declarations ---- */

/* A declaration: a head, and a body or values. */
struct declaration {
    size_t first;
    size_t start; /* behind `template <...>` */
    size_t head;  /* the end of the head: where body, values or ; begin */
    size_t end;   /* the token behind the declaration */
    size_t call;  /* the bracket of a function's parameters; 0: none */
    bool device, is_constexpr, is_const, has_body, kept;
};

static bool takes_attribute(const struct cutter *cutter, size_t index)
{
    return is(cutter, index + 1, "(") &&
           is_in(cutter, index,
                 "__align__ alignas __attribute__ __declspec __builtin_align__ decltype "
                 "__launch_bounds__ noexcept asm");
}

static const char type_keys[] = "class struct union enum";

/* Finds the opening brace of a class, struct, union or enum; `end` when there is none. */
static size_t find_type_body(const struct cutter *cutter, size_t i, size_t end, bool *enumeration)
{
    while (i < end && (is_in(cutter, i, "typedef const static volatile extern friend") ||
                       takes_attribute(cutter, i)))
        i = takes_attribute(cutter, i) ? tokens_behind(&cutter->tokens, i + 1) : i + 1;
    if (i >= end || !is_in(cutter, i, type_keys))
        return end;
    *enumeration = is(cutter, i, "enum");
    for (; i < end && !is_in(cutter, i, "; ="); i++) {
        if (is(cutter, i, "{"))
            return i;
        if (takes_attribute(cutter, i))
            i = tokens_behind(&cutter->tokens, i + 1) - 1;
        else if (is(cutter, i, "<"))
            i = tokens_behind_angle(&cutter->tokens, i) - 1;
        else if (is(cutter, i, "("))
            return end;
    }
    return end;
}

/* Returns the token behind a constructor's member values: `: a(1), b{2}`. */
static size_t behind_initialisers(const struct cutter *cutter, size_t i, size_t end)
{
    const struct tokens *tokens = &cutter->tokens;
    for (i++; i < end; i++) {
        while (i < end && !is_in(cutter, i, "( {"))
            i = is(cutter, i, "<") ? tokens_behind_angle(tokens, i) : i + 1;
        i = tokens_behind(tokens, i);
        while (i < end && tokens->items[i].kind == TOKEN_DIRECTIVE)
            i++;
        if (!is(cutter, i, ","))
            return i;
    }
    return end;
}

/* Returns the token behind the statement. */
static size_t behind_statement(const struct cutter *cutter, size_t i, size_t end)
{
    while (i < end && !is(cutter, i, ";")) {
        i = is_in(cutter, i, "{ ( [") ? tokens_behind(&cutter->tokens, i) : i + 1;
    }
    return i < end ? i + 1 : end;
}

/* Looks at one word of a head; gives where to go on. */
static size_t take_word(const struct cutter *cutter, struct declaration *d, size_t i)
{
    d->device = d->device || is_device_word(cutter, i) || cutter->fates[i] >= TEXTURE_REFERENCE;
    d->is_constexpr = d->is_constexpr || is_in(cutter, i, "constexpr consteval");
    d->is_const = d->is_const || is(cutter, i, "const");
    if (is(cutter, i, "operator")) { /* operator()(...), operator=(...) */
        i += is(cutter, i + 1, "(") ? 3 : 1;
        while (i < cutter->tokens.count && !is_in(cutter, i, "( ;"))
            i++;
        return i;
    }
    if (takes_attribute(cutter, i))
        return tokens_behind(&cutter->tokens, i + 1);
    if (is(cutter, i, "(")) {
        d->call = d->call ? d->call : i;
        return tokens_behind(&cutter->tokens, i);
    }
    return is(cutter, i, "[") ? tokens_behind(&cutter->tokens, i) : i + 1;
}

/* Tells whether NVRTC would take the variable for the host's, as one that is not constant. */
static bool is_host_variable(const struct cutter *cutter, const struct declaration *d)
{
    if (!d->is_const && !d->is_constexpr)
        return true;
    for (size_t i = d->head; i < d->end; i++) /* whose value the host computes */
        if (is(cutter, i + 1, "(") &&
            lines_have(text_string(&cutter->left_out), cutter->tokens.items[i].start,
                       cutter->tokens.items[i].length))
            return true;
    for (size_t i = d->head; i > d->start; i--)
        if (is(cutter, i - 1, "*"))
            return !is(cutter, i, "const");
    return false;
}

static void decide(struct cutter *cutter, const struct declaration *d, bool in_class)
{
    const bool defaulted = is(cutter, d->head, "=") && is_in(cutter, d->head + 1, "default delete");
    /* A pointer to a function among a type's members; a type behind an unknown macro. */
    const bool pointer = in_class && d->call && is(cutter, d->call + 1, "*");
    bool unclear = false;
    for (size_t i = d->start; !d->call && is(cutter, d->head, "{") && i < d->head; i++)
        unclear = unclear || is_in(cutter, i, type_keys) || is(cutter, i, "namespace");
    const bool host_friend = d->has_body && is(cutter, d->start, "friend");
    /* A template that is only declared may serve as a type: sizeof(test<T>(0)). */
    const bool only_declared = in_class && d->start > d->first && d->call && !d->has_body;
    if (d->device || (d->kept && !host_friend) || defaulted || pointer || unclear)
        return;
    if (only_declared || (d->call && d->is_constexpr)) {
        cutter->fates[d->start] = MADE_DEVICE;
    } else if (d->call) {
        const struct token *name = &cutter->tokens.items[d->call - 1];
        text_printf(&cutter->left_out, "%.*s\n", (int)name->length, name->start);
        cut(cutter, d->first, d->end);
    } else if (!in_class && is_host_variable(cutter, d)) {
        cut(cutter, d->first, d->end);
    }
}

/* ---- scopes ---- */

/* Finds the brace of a namespace or an extern "C"; 0: none begins here. */
static size_t find_scope(const struct cutter *cutter, size_t i, size_t end)
{
    size_t at = i + (is(cutter, i, "inline") ? 1 : 0);
    if (is(cutter, i, "extern") && i + 2 < end && cutter->tokens.items[i + 1].kind == TOKEN_TEXT)
        return is(cutter, i + 2, "{") ? i + 2 : 0;
    if (!is(cutter, at, "namespace"))
        return 0;
    while (at < end && !is_in(cutter, at, "{ ; ="))
        at++;
    return is(cutter, at, "{") ? at : 0;
}

static void read_scope(struct cutter *cutter, size_t i, size_t end, bool in_class);

static size_t read_one(struct cutter *cutter, size_t i, size_t end, bool in_class)
{
    const struct tokens *tokens = &cutter->tokens;
    struct declaration d = {.first = i, .start = i};
    const size_t scope = find_scope(cutter, i, end);
    bool enumeration = false;
    if (tokens->items[i].kind == TOKEN_DIRECTIVE || is(cutter, i, ";"))
        return i + 1;
    if (scope > 0) {
        read_scope(cutter, scope + 1, tokens_behind(tokens, scope) - 1, false);
        return tokens_behind(tokens, scope);
    }
    if (in_class && is_in(cutter, i, "public private protected") && is(cutter, i + 1, ":"))
        return i + 2;
    /* A macro call that makes device code, MAKE(int), possibly with a body. */
    if (is_device_word(cutter, i) && is(cutter, i + 1, "(") && !takes_attribute(cutter, i)) {
        const size_t behind = tokens_behind(tokens, i + 1);
        return is(cutter, behind, "{") ? tokens_behind(tokens, behind) : behind;
    }
    while (d.start + 1 < end && is(cutter, d.start, "template") && is(cutter, d.start + 1, "<"))
        d.start = tokens_behind_angle(tokens, d.start + 1);
    while (d.start + 1 < end && tokens->items[d.start].kind == TOKEN_DIRECTIVE)
        d.start++; /* the #endif of `template <...>` */
    const size_t open = find_type_body(cutter, d.start, end, &enumeration);
    if (open < end) { /* variables defined with the type, `} name;`, stay */
        const size_t behind = tokens_behind(tokens, open);
        if (!enumeration)
            read_scope(cutter, open + 1, behind - 1, true);
        return behind_statement(cutter, behind, end);
    }
    size_t j = d.start;
    d.kept =
        is_in(cutter, j, "using typedef static_assert surface asm friend namespace __extension__");
    while (j < end && !is_in(cutter, j, "; { =") && !(is(cutter, j, ":") && d.call))
        j = take_word(cutter, &d, j);
    d.head = j;
    if (is(cutter, j, ":"))
        j = behind_initialisers(cutter, j, end);
    d.has_body = d.call && is(cutter, j, "{");
    d.end = d.has_body ? tokens_behind(&cutter->tokens, j) : behind_statement(cutter, j, end);
    if (!(is_in(cutter, d.start, type_keys) && is(cutter, d.start + 2, ";")))
        decide(cutter, &d, in_class);
    return d.end > i ? d.end : i + 1;
}

static void read_scope(struct cutter *cutter, size_t i, size_t end, bool in_class)
{
    while (i < end)
        i = read_one(cutter, i, end, in_class);
}

/* Tells whether the braces match; otherwise no function is left out. */
static bool is_balanced(const struct cutter *cutter)
{
    struct nesting nesting = {0};
    for (size_t i = 0; i < cutter->tokens.count;) {
        if (cutter->tokens.items[i].kind == TOKEN_DIRECTIVE) {
            i = nesting_pass(&cutter->tokens, &nesting, i);
            continue;
        }
        if (is(cutter, i, "}") && nesting.depth == 0)
            return false;
        nesting.depth += is(cutter, i, "{") ? 1 : 0;
        nesting.depth -= is(cutter, i, "}") ? 1 : 0;
        i++;
    }
    return nesting.depth == 0;
}

/* ---- texture references of old CUDA ---- */

/* Tells whether a declaration may begin here, possibly behind `static` or a macro. */
static bool begins(const struct tokens *tokens, size_t index)
{
    if (index == 0 || token_is_in(tokens, index - 1, "; { } ) static extern"))
        return true;
    const enum token_kind kind = tokens->items[index - 1].kind;
    return kind == TOKEN_DIRECTIVE || kind == TOKEN_TEXT; /* extern "C" */
}

static bool is_declared_name(const struct tokens *tokens, size_t index)
{
    const size_t open = index + 1;
    return (token_is_in(tokens, index + 1, "; , =") ||
            (token_is(tokens, open, "(") && open + 1 < tokens->count &&
             (tokens->items[open + 1].kind == TOKEN_NUMBER ||
              token_is_in(tokens, open + 1, "true false")))) &&
           tokens->items[index].kind == TOKEN_NAME;
}

/* Marks the texture references. None, where the source itself has a type of this name. */
static void mark_textures(struct cutter *cutter)
{
    const struct tokens *tokens = &cutter->tokens;
    for (size_t i = 1; i < tokens->count; i++)
        if (token_is(tokens, i, "texture") &&
            token_is_in(tokens, i - 1, "class struct union enum using namespace"))
            return;
    for (size_t i = 0; i < tokens->count; i++) {
        if (!token_is(tokens, i, "texture") || !token_is(tokens, i + 1, "<") ||
            (i > 0 && token_is_in(tokens, i - 1, ":: . ->")))
            continue;
        const size_t behind = tokens_behind_angle(tokens, i + 1);
        cutter->fates[i] = begins(tokens, i) && is_declared_name(tokens, behind) ? TEXTURE_REFERENCE
                                                                                 : MADE_TEXTURE;
        size_t alias = 0; /* another name of the type */
        if (i > 0 && token_is(tokens, i - 1, "typedef") && token_is(tokens, behind + 1, ";"))
            alias = behind;
        else if (i > 2 && token_is(tokens, i - 1, "=") && token_is(tokens, i - 3, "using"))
            alias = i - 2;
        const struct token *name = &tokens->items[alias];
        for (size_t k = i; alias > 0 && k < tokens->count; k++)
            if (tokens->items[k].length == name->length &&
                memcmp(tokens->items[k].start, name->start, name->length) == 0 &&
                begins(tokens, k) && is_declared_name(tokens, k + 1))
                cutter->fates[k] = TEXTURE_ALIAS;
    }
}

static bool has_textures(const struct cutter *cutter)
{
    for (size_t i = 0; i < cutter->tokens.count; i++)
        if (cutter->fates[i] == MADE_TEXTURE || cutter->fates[i] == TEXTURE_REFERENCE)
            return true;
    return false;
}

/* ---- headers ---- */

/* Leaves out `using std::cout;` whose name is used nowhere else, and `using namespace std;`. */
static void cut_using(struct cutter *cutter, bool has_std)
{
    for (size_t i = 0; i + 3 < cutter->tokens.count; i++) {
        if (!is(cutter, i, "using"))
            continue;
        const bool opens = is(cutter, i + 1, "namespace") && is(cutter, i + 2, "std");
        const bool one =
            is(cutter, i + 1, "std") && is(cutter, i + 2, "::") && is(cutter, i + 4, ";");
        bool used = opens && has_std;
        for (size_t j = 0; one && j < cutter->tokens.count && !used; j++)
            used = j != i + 3 && cutter->fates[j] != CUT &&
                   cutter->tokens.items[j].length == cutter->tokens.items[i + 3].length &&
                   memcmp(cutter->tokens.items[j].start, cutter->tokens.items[i + 3].start,
                          cutter->tokens.items[j].length) == 0;
        if ((opens || one) && !used)
            cut(cutter, i, i + (opens ? 4 : 5));
    }
}

/* Tells whether a header declares C functions but none of the device, in its own text or in
 * neighbours included in quotes, such as cublas_v2.h. */
static bool is_of_host(const struct cutter *cutter, const char *path, int depth)
{
    enum { HEADER_BYTES_MAX = 1 << 20, DEPTH_MAX = 2 };
    static const char include[] = "#include \"";
    struct error ignored = {0};
    char *text = NULL;
    if (file_read(cutter->arena, path, HEADER_BYTES_MAX, &text, NULL, &ignored) != STATUS_OK ||
        strstr(text, "__device__"))
        return false;
    if (strstr(text, "extern \"C\""))
        return true;
    for (const char *at = text; depth < DEPTH_MAX && (at = strstr(at, include)) != NULL;) {
        at += strlen(include);
        const char *beside = arena_printf(cutter->arena, "%.*s%.*s", (int)(path_file(path) - path),
                                          path, (int)strcspn(at, "\"\n"), at);
        if (beside && is_of_host(cutter, beside, depth + 1))
            return true;
    }
    return false;
}

/* Leaves out headers <...> that are installed nowhere, and the host's. */
static void cut_headers(struct cutter *cutter, const struct header_folders *folders, bool has_std)
{
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        const char *name = NULL, *end = NULL;
        if (!token_is_directive(&cutter->tokens.items[i], "include", &name, &end) || name == end ||
            *name != '<')
            continue;
        const char *close = memchr(name, '>', (size_t)(end - name));
        const size_t length = close ? (size_t)(close - name - 1) : 0;
        bool unused = false;
        const bool is_own = cuda_is_own_header(name + 1, length, &unused);
        unused = unused && !has_std;
        if (!unused && (is_own || folders->count == 0))
            continue;
        const char *path = NULL;
        for (size_t j = 0; !unused && !path && j < folders->count; j++) {
            path = arena_printf(cutter->arena, "%s/%.*s", folders->items[j], (int)length, name + 1);
            path = path && file_exists(path) ? path : NULL;
        }
        if (path && !is_of_host(cutter, path, 0))
            continue;
        cutter->fates[i] = CUT;
        if (!path && !unused)
            text_printf(&cutter->left_headers, "%.*s\n", (int)length, name + 1);
    }
}

/* ---- the whole ---- */

/* Leaves out the #defines (except with an #undef as well) and constants, `constexpr int NAME =
 * 16;`, that the experiment defines. */
static void cut_defines(struct cutter *cutter, const struct named_value *defines, size_t count)
{
    const struct tokens *tokens = &cutter->tokens;
    const char *name = NULL, *stop = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *wanted = defines[i].name;
        bool is_undefined = false;
        for (size_t j = 0; j < tokens->count; j++)
            is_undefined |= token_is_directive(&tokens->items[j], "undef", &name, &stop) &&
                            word_is_in(name, word_bytes(name, stop), wanted);
        for (size_t j = 0; !is_undefined && j < tokens->count; j++) {
            if (j > 1 && is(cutter, j, "=") && is(cutter, j - 1, wanted)) {
                bool is_constant = false;
                size_t first = j - 1, end = j;
                while (first > 0 && tokens->items[first - 1].kind == TOKEN_NAME)
                    is_constant |= is_in(cutter, --first, "constexpr const");
                while (end < tokens->count && !is_in(cutter, end, "; , {"))
                    end++;
                if (is_constant && is(cutter, end, ";"))
                    cut(cutter, first, end + 1);
            }
            if (!token_is_directive(&tokens->items[j], "define", &name, &stop))
                continue;
            const size_t length = word_bytes(name, stop);
            const bool takes_arguments = name + length < stop && name[length] == '(';
            if (word_is_in(name, length, wanted) && !takes_arguments)
                cutter->fates[j] = CUT;
        }
    }
}

/* Writes the remaining text, each line at its old number. False: memory is short. */
static bool write_text(struct cutter *cutter, const char *source, enum leave leave,
                       struct device_part *out)
{
    struct text text = {0};
    const char *at = source;
    if (leave == LEAVE_HOST_PART)
        text_printf(&text, "%s%s#line 1\n", cuda_header_always,
                    has_textures(cutter) ? "#include <tune_textures.h>\n" : "");
    else if (has_textures(cutter)) /* nvcc takes headers from folders alone */
        text_printf(&text, "%s#line 1\n", cuda_header_textures);
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        const struct token *token = &cutter->tokens.items[i];
        text_append_bytes(&text, at, (size_t)(token->start - at));
        at = token->start + token->length;
        if (cutter->fates[i] == CUT) {
            for (size_t j = 0; j < token->length; j++)
                if (token->start[j] == '\n')
                    text_append(&text, "\n");
            text_append(&text, " ");
            continue;
        }
        if (cutter->fates[i] == MADE_DEVICE)
            text_append(&text, "__host__ __device__ ");
        if (cutter->fates[i] >= TEXTURE_REFERENCE)
            text_append(&text, "__constant__ ");
        if (cutter->fates[i] == MADE_TEXTURE || cutter->fates[i] == TEXTURE_REFERENCE)
            text_append(&text, "tune_texture");
        else
            text_append_bytes(&text, token->start, token->length);
    }
    text_append(&text, at);
    out->text = text_to_arena(&text, cutter->arena);
    out->left_out = arena_strdup(cutter->arena, text_string(&cutter->left_out));
    out->left_headers = arena_strdup(cutter->arena, text_string(&cutter->left_headers));
    return out->text && out->left_out && out->left_headers && !cutter->left_out.failed &&
           !cutter->device_macros.failed && !cutter->left_headers.failed;
}

bool cuda_device_part(struct arena *arena, const char *source, enum leave leave,
                      const struct named_value *defines, size_t define_count,
                      const struct header_folders *folders, struct device_part *out)
{
    struct cutter cutter = {.arena = arena};
    *out = (struct device_part){0};
    if (!tokens_read(arena, source, &cutter.tokens) ||
        !(cutter.fates = arena_alloc(arena, cutter.tokens.count + 1, 1)))
        return false;
    memset(cutter.fates, KEPT, cutter.tokens.count + 1);
    mark_textures(&cutter);
    if (leave == LEAVE_HOST_PART) {
        if (is_balanced(&cutter)) {
            const char *name = NULL, *end = NULL;
            for (size_t i = 0; i < cutter.tokens.count; i++) {
                if (!token_is_directive(&cutter.tokens.items[i], "define", &name, &end))
                    continue;
                const size_t length = word_bytes(name, end);
                if (length > 0 && names_device(&cutter, name + length, end))
                    text_printf(&cutter.device_macros, "%.*s\n", (int)length, name);
            }
            read_scope(&cutter, 0, cutter.tokens.count, false);
        }
        cut_using(&cutter, true);
        bool has_std = false;
        for (size_t i = 0; i < cutter.tokens.count; i++)
            if (cutter.fates[i] != CUT && is(&cutter, i, "std") &&
                !(i > 0 && is_in(&cutter, i - 1, ":: namespace")) &&
                !(is(&cutter, i + 1, ";") && is(&cutter, i - 1, "namespace"))) {
                has_std = true;
                break;
            }
        cut_using(&cutter, has_std);
        cut_headers(&cutter, folders, has_std);
    }
    cut_defines(&cutter, defines, define_count);
    const bool done = write_text(&cutter, source, leave, out);
    text_free(&cutter.device_macros);
    text_free(&cutter.left_out);
    text_free(&cutter.left_headers);
    return done;
}

bool cuda_left_out(const struct device_part *part, const char *name, size_t length)
{
    return lines_have(part->left_out, name, length);
}
