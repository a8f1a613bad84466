#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
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

/* ---- lines of names ---- */

bool lines_have(const struct text *lines, const char *name, size_t length)
{
    const char *at = text_string(lines);
    for (; *at; at += strcspn(at, "\n") + 1)
        if (strcspn(at, "\n") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

void lines_add(struct text *lines, const char *name, size_t length)
{
    text_append_bytes(lines, name, length);
    text_append(lines, "\n");
}

/* ---- macros ---- */

static bool names_device(const struct cutter *cutter, const char *at, const char *end)
{
    for (size_t length; at < end; at += length ? length : 1) {
        length = word_bytes(at, end);
        if (length > 0 && (word_is_in(at, length,
                                      "__device__ __global__ __constant__ __shared__ "
                                      "__managed__ __nv_pure__") ||
                           lines_have(&cutter->device_macros, at, length)))
            return true;
    }
    return false;
}

static void read_macros(struct cutter *cutter)
{
    const char *name = NULL, *end = NULL;
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        if (!token_is_directive(&cutter->tokens.items[i], "define", &name, &end))
            continue;
        const size_t length = word_bytes(name, end);
        if (length > 0 && names_device(cutter, name + length, end))
            lines_add(&cutter->device_macros, name, length);
        if (length == 0 || name + length >= end || name[length] != '(')
            continue;
        lines_add(&cutter->call_macros, name, length);
        const char *close = memchr(name, ')', (size_t)(end - name));
        const char *body = close ? close + 1 : end;
        while (body < end && (isspace((unsigned char)*body) || *body == '\\'))
            body++;
        const char *behind = skip_blanks(body + word_bytes(body, end), end);
        const bool instantiates =
            word_is_in(body, word_bytes(body, end), "template") && behind < end && *behind != '<';
        const bool launches = memmem(body, (size_t)(end - body), "<<<", 3) ||
                              memmem(body, (size_t)(end - body), "torch::", 7);
        if ((instantiates || launches) && !names_device(cutter, body, end))
            lines_add(&cutter->host_macros, name, length);
    }
}

/* The headers of libraries call theirs LIBRARY_DEVICE and the like. */
static bool is_device_word(const struct cutter *cutter, size_t index)
{
    const struct token *token = &cutter->tokens.items[index];
    if (token->kind != TOKEN_NAME)
        return false;
    if (names_device(cutter, token->start, token->start + token->length))
        return true;
    bool capital = true;
    for (size_t i = 0; i < token->length; i++)
        capital = capital && !islower((unsigned char)token->start[i]);
    return capital && memmem(token->start, token->length, "DEVICE", 6) != NULL;
}

/* ---- declarations ---- */

/* One declaration: a head, and its body or values. */
struct declaration {
    size_t first;
    size_t start; /* behind `template <...>` */
    size_t head;  /* the end of the head: where body, values or ; begin */
    size_t end;   /* behind all of it */
    size_t call;  /* the bracket of a function's parameters; 0: none */
    bool device, is_constexpr, is_const, type, enumeration, has_body, kept, host_std;
    bool foreign; /* of a library whose headers only the host has, and which were left out */
};

bool is_accessor(const struct cutter *cutter, size_t index)
{
    char name[64];
    return is_in(cutter, index, "at torch") && is(cutter, index + 1, "::") &&
           index + 2 < cutter->tokens.count &&
           !lines_have(&cutter->namespaces, cutter->tokens.items[index].start,
                       cutter->tokens.items[index].length) &&
           string_format(name, sizeof name, "at::%.*s", (int)cutter->tokens.items[index + 2].length,
                         cutter->tokens.items[index + 2].start) &&
           cuda_header_of(name, strlen(name));
}

/* `torch::Tensor`, where the source does not have that namespace. */
static bool is_foreign(const struct cutter *cutter, size_t index)
{
    return is_in(cutter, index, "torch at c10 boost gflags google pybind11 nvinfer1") &&
           (is(cutter, index + 1, "::") ||
            (is(cutter, index - 1, "=") && is(cutter, index + 1, ";"))) &&
           !is_in(cutter, index - 1, ":: . ->") && !is_accessor(cutter, index) &&
           !lines_have(&cutter->namespaces, cutter->tokens.items[index].start,
                       cutter->tokens.items[index].length);
}

/* Of the standard library, what no device has. */
static bool is_host_std(const struct cutter *cutter, size_t index)
{
    const bool within = is_in(cutter, index - 1, ":: .");
    const bool named = is(cutter, index, "std") && is(cutter, index + 1, "::");
    const bool bare =
        cutter->opens_std && (is(cutter, index + 1, "<") || is(cutter, index, "string"));
    return !within && (named || bare) &&
           is_in(cutter, index + (named ? 2 : 0),
                 "vector string map set list deque queue unordered_map unordered_set ostream "
                 "istream fstream ifstream ofstream stringstream shared_ptr unique_ptr function "
                 "thread mutex chrono mt19937 random_device stack ostringstream istringstream "
                 "default_random_engine uniform_real_distribution exception runtime_error "
                 "logic_error invalid_argument out_of_range bad_alloc allocator");
}

static bool takes_attribute(const struct cutter *cutter, size_t index)
{
    return is(cutter, index + 1, "(") &&
           is_in(cutter, index,
                 "__align__ alignas __attribute__ __declspec __builtin_align__ decltype "
                 "__launch_bounds__ noexcept asm");
}

static const char type_keys[] = "class struct union enum";

/* Where the braces of a class, struct, union or enum open; `end` when it is none. */
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

/* Behind the values of members in front of a constructor's body: `: a(1), b{2}`. */
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

/* Up to the end of the statement. */
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
    d->host_std = d->host_std || is_host_std(cutter, i);
    if (is(cutter, i, "operator")) {
        /* operator()(...), operator=(...) */
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
    if (is(cutter, i, "["))
        return tokens_behind(&cutter->tokens, i);
    return i + 1;
}

static void read_declaration(const struct cutter *cutter, struct declaration *d, size_t end)
{
    size_t i = d->start;
    d->kept =
        is_in(cutter, i, "using typedef static_assert surface asm friend namespace __extension__");
    while (i < end && !is_in(cutter, i, "; { =") && !(is(cutter, i, ":") && d->call))
        i = take_word(cutter, d, i);
    d->head = i;
    if (is(cutter, i, ":"))
        i = behind_initialisers(cutter, i, end);
    d->has_body = d->call && is(cutter, i, "{");
    d->end = d->has_body ? tokens_behind(&cutter->tokens, i) : behind_statement(cutter, i, end);
    bool kernel = false; /* which stays: that it takes such a thing is for the compiler to say */
    for (i = d->start; i < (d->has_body ? d->head : d->end); i++) {
        d->foreign = d->foreign || is_foreign(cutter, i);
        kernel = kernel || is(cutter, i, "__global__");
    }
    d->foreign = d->foreign && !kernel;
}

/* A variable that NVRTC would take for the host's: not constant. */
static bool is_host_variable(const struct cutter *cutter, const struct declaration *d)
{
    if (d->host_std || (!d->is_const && !d->is_constexpr))
        return true;
    for (size_t i = d->head; i < d->end; i++) /* whose value the host computes */
        if (is(cutter, i + 1, "(") && lines_have(&cutter->left_out, cutter->tokens.items[i].start,
                                                 cutter->tokens.items[i].length))
            return true;
    for (size_t i = d->head; i > d->start; i--)
        if (is(cutter, i - 1, "*"))
            return !is(cutter, i, "const");
    return false;
}

void cutter_cut(struct cutter *cutter, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (cutter->tokens.items[i].kind != TOKEN_DIRECTIVE)
            cutter->fates[i] = CUT;
}

static bool names_type(const struct cutter *cutter, const struct declaration *d)
{
    for (size_t i = d->start; i < d->head; i++)
        if (is_in(cutter, i, type_keys) || is(cutter, i, "namespace"))
            return true;
    return false;
}

/* Another name of a type that was left out, or that no device has; such a name is noted. */
static bool is_host_alias(struct cutter *cutter, const struct declaration *d)
{
    const struct token *tokens = cutter->tokens.items;
    const bool renames = is(cutter, d->start, "using") && is(cutter, d->start + 2, "=");
    const size_t name = renames ? d->start + 1 : d->end - 2; /* `using space::name;` has one, too */
    if (!is_in(cutter, d->start, "typedef using") || is(cutter, d->start + 1, "namespace"))
        return false;
    for (size_t i = d->start; i < d->end; i++) {
        const bool is_left = lines_have(&cutter->left_types, tokens[i].start, tokens[i].length);
        const bool host_std = is_host_std(cutter, i);
        if (!host_std && !is_left)
            continue;
        lines_add(&cutter->left_types, tokens[name].start, tokens[name].length);
        return host_std || is(cutter, i + 1, "::");
    }
    return false;
}

static void decide(struct cutter *cutter, const struct declaration *d, bool in_class)
{
    const struct token *name = d->call ? &cutter->tokens.items[d->call - 1] : NULL;
    bool defaulted = is(cutter, d->head, "=") && is_in(cutter, d->head + 1, "default delete");
    /* Of a type that is left out, and what is called by way of a table that only the host has. */
    for (size_t i = d->start; defaulted && i < d->call; i++)
        defaulted = !is(cutter, i, "virtual") &&
                    (in_class || !lines_have(&cutter->left_types, cutter->tokens.items[i].start,
                                             cutter->tokens.items[i].length));
    /* A pointer to a function among a type's members; a type behind a macro that nobody knows. */
    bool pointer = in_class && d->call && is(cutter, d->call + 1, "*");
    /* A function of the host's, which was left out: `friend float space::sum<T>(const T &);` */
    bool befriended = false;
    for (size_t i = d->start; is(cutter, d->start, "friend") && i < d->call; i++)
        befriended |= lines_have(&cutter->left_out, cutter->tokens.items[i].start,
                                 cutter->tokens.items[i].length);
    const bool host_friend = d->has_body && is(cutter, d->start, "friend");
    const bool host_alias = is_host_alias(cutter, d);
    bool unclear = !d->call && is(cutter, d->head, "{") && names_type(cutter, d);
    if (host_alias || (d->foreign && !in_class)) {
        cutter_cut(cutter, d->first, d->end);
        return;
    }
    /* A template that is declared alone may be asked for its type: sizeof(test<T>(0)). */
    const bool asked =
        in_class && !befriended && d->start > d->first && d->call && !d->has_body && !d->host_std;
    if (d->device || (d->kept && !d->host_std && !befriended && !host_friend) || defaulted ||
        pointer || unclear)
        return;
    if (asked || (d->call && d->is_constexpr && !d->host_std))
        cutter->fates[d->start] = MADE_DEVICE;
    else if (d->call) {
        lines_add(&cutter->left_out, name->start, name->length);
        cutter_cut(cutter, d->first, d->end);
    } else if (!in_class && is_host_variable(cutter, d))
        cutter_cut(cutter, d->first, d->end);
}

/* ---- scopes ---- */

static void read_scope(struct cutter *cutter, size_t i, size_t end, bool in_class);

/* A member, or a base, of a type that was left out. */
static bool is_left_type(const struct cutter *cutter, size_t i, size_t open)
{
    const struct tokens *tokens = &cutter->tokens;
    if (!lines_have(&cutter->left_types, tokens->items[i].start, tokens->items[i].length))
        return false;
    if (i < open)
        return is_in(cutter, i - 1, "public protected private virtual : , ::");
    const size_t name = is(cutter, i + 1, "<") ? tokens_behind_angle(tokens, i + 1) : i + 1;
    return name < tokens->count && tokens->items[name].kind == TOKEN_NAME &&
           is_in(cutter, name + 1, "; , = [ {");
}

/* Of a type with a name of its own the declaration alone stays: others may point to it. */
static void leave_type(struct cutter *cutter, size_t first, size_t open, size_t whole)
{
    const struct tokens *tokens = &cutter->tokens;
    size_t name = open;
    bool host_std = is(cutter, first, "typedef");
    for (size_t i = first; i < open && name == open; i++) {
        if (tokens->items[i].kind == TOKEN_NAME && is_in(cutter, i + 1, ": { final") &&
            !is_in(cutter, i, type_keys))
            name = i;
        host_std = host_std || is_host_std(cutter, i);
    }
    if (name < open)
        lines_add(&cutter->left_types, tokens->items[name].start, tokens->items[name].length);
    if (name == open || host_std || !is(cutter, whole - 2, "}")) {
        cutter_cut(cutter, first, whole);
    } else {
        cutter_cut(cutter, name + 1, whole);
        cutter->fates[open] = ENDED;
    }
}

/* A type's members; what it defines with it (`} name;`) stays. A type with a member that only a
 * host has is left out whole. */
static size_t read_type(struct cutter *cutter, size_t first, size_t open, size_t end,
                        bool enumeration)
{
    size_t behind = tokens_behind(&cutter->tokens, open);
    size_t whole = behind_statement(cutter, behind, end);
    struct declaration d = {.first = first};
    for (size_t i = first + 1; i + 1 < behind; i += i > open && is(cutter, i, "{") ? 0 : 1) {
        if (i > open && is_in(cutter, i, "{ ("))
            i = tokens_behind(&cutter->tokens, i);
        d.host_std = d.host_std || is_host_std(cutter, i) || is_left_type(cutter, i, open);
    }
    if (d.host_std)
        leave_type(cutter, first, open, whole);
    else if (!enumeration)
        read_scope(cutter, open + 1, behind - 1, true);
    return whole;
}

/* A namespace or extern "C" {; 0: none begins here. */
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

/* `DEPRECATED(void scale(float));` among a type's members. */
static bool wraps_host_function(const struct cutter *cutter, size_t i, size_t behind)
{
    bool function = false;
    for (size_t k = i; k < behind; k++) {
        if (is_device_word(cutter, k))
            return false;
        function |= k > i + 2 && is(cutter, k, "(");
    }
    return function && is(cutter, behind, ";");
}

static void note_piece(struct cutter *cutter, const struct declaration *d, size_t end,
                       enum piece_kind kind)
{
    if (!array_grow(&cutter->pieces, cutter->piece_count, &cutter->piece_capacity,
                    sizeof *cutter->pieces)) {
        cutter->failed = true;
        return;
    }
    cutter->pieces[cutter->piece_count++] = (struct piece){.kind = kind,
                                                           .parent = cutter->type,
                                                           .first = d->first,
                                                           .end = end,
                                                           .start = d->start,
                                                           .head = d->head,
                                                           .call = d->call};
}

/* Of a function whose head is a macro's call: `KERNEL(scale) { ... }`. */
static size_t read_body(struct cutter *cutter, const struct declaration *d)
{
    const size_t behind = tokens_behind(&cutter->tokens, d->first);
    const struct piece *last =
        cutter->piece_count > 0 ? &cutter->pieces[cutter->piece_count - 1] : NULL;
    const bool device = last && last->kind == PIECE_MACRO_CALL && last->end == d->first &&
                        is_device_word(cutter, last->first);
    note_piece(cutter, d, behind, PIECE_DECLARATION);
    if (!device)
        cutter_cut(cutter, d->first, behind);
    return behind;
}

static size_t read_whole_type(struct cutter *cutter, const struct declaration *d, size_t end,
                              bool in_class)
{
    if (in_class)
        return read_type(cutter, d->first, d->head, end, d->enumeration);
    const size_t piece = cutter->piece_count;
    note_piece(cutter, d, end, PIECE_TYPE);
    cutter->type = (long)piece;
    const size_t whole = read_type(cutter, d->first, d->head, end, d->enumeration);
    cutter->type = NO_PIECE;
    if (!cutter->failed)
        cutter->pieces[piece].end = whole;
    return whole;
}

static size_t read_one(struct cutter *cutter, size_t i, size_t end, bool in_class)
{
    struct declaration d = {.first = i};
    size_t open = find_scope(cutter, i, end);
    if (cutter->tokens.items[i].kind == TOKEN_DIRECTIVE || is(cutter, i, ";"))
        return i + 1;
    if (open > 0) {
        size_t behind = tokens_behind(&cutter->tokens, open);
        read_scope(cutter, open + 1, behind - 1, false);
        return behind;
    }
    if (in_class && is_in(cutter, i, "public private protected") && is(cutter, i + 1, ":"))
        return i + 2;
    const struct token *token = &cutter->tokens.items[i];
    if (token->kind == TOKEN_NAME && is(cutter, i + 1, "(") &&
        lines_have(&cutter->call_macros, token->start, token->length)) {
        const size_t behind = tokens_behind(&cutter->tokens, i + 1);
        if (lines_have(&cutter->host_macros, token->start, token->length) ||
            (in_class && wraps_host_function(cutter, i, behind)))
            cutter_cut(cutter, i, behind);
        d.start = d.head = i;
        if (!in_class)
            note_piece(cutter, &d, behind, PIECE_MACRO_CALL);
        return behind;
    }
    if (!in_class && is(cutter, i, "{")) {
        d.start = d.head = i;
        return read_body(cutter, &d);
    }
    d.start = i;
    while (d.start + 1 < end && is(cutter, d.start, "template") && is(cutter, d.start + 1, "<"))
        d.start = tokens_behind_angle(&cutter->tokens, d.start + 1);
    while (d.start + 1 < end && cutter->tokens.items[d.start].kind == TOKEN_DIRECTIVE)
        d.start++; /* the #endif of `template <...>` */
    open = find_type_body(cutter, d.start, end, &d.enumeration);
    if (open < end) {
        d.head = open;
        return read_whole_type(cutter, &d, end, in_class);
    }
    bool forward = is_in(cutter, d.start, type_keys) && is(cutter, d.start + 2, ";");
    read_declaration(cutter, &d, end);
    if (!forward)
        decide(cutter, &d, in_class);
    if (!in_class || (!forward && d.call && !is(cutter, d.call + 1, "*")))
        note_piece(cutter, &d, d.end > i ? d.end : i + 1, PIECE_DECLARATION);
    return d.end > i ? d.end : i + 1;
}

static void read_scope(struct cutter *cutter, size_t i, size_t end, bool in_class)
{
    while (i < end)
        i = read_one(cutter, i, end, in_class);
}

/* ---- texture references ---- */

static void mark_textures(struct cutter *cutter)
{
    const struct tokens *tokens = &cutter->tokens;
    const size_t count = texture_references_exist(tokens) ? tokens->count : 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_texture_type(tokens, i))
            continue;
        const size_t alias = texture_alias(tokens, i);
        cutter->fates[i] = declares_texture_reference(tokens, i) ? TEXTURE_REFERENCE : MADE_TEXTURE;
        for (size_t k = i; alias > 0 && k < count; k++)
            if (declares_by_alias(tokens, alias, k))
                cutter->fates[k] = TEXTURE_ALIAS;
    }
}

/* ---- the whole ---- */

static bool opens_std(const struct cutter *cutter)
{
    for (size_t i = 0; i < cutter->tokens.count; i++)
        if (is(cutter, i, "using") && is(cutter, i + 1, "namespace") && is(cutter, i + 2, "std"))
            return true;
    return false;
}

/* Of braces alone. */
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

/* Of the declarations that are not reached nothing is left. */
static bool cut_unreached(struct cutter *cutter, const struct device_roots *roots)
{
    bool *is_cut = arena_alloc(cutter->arena, cutter->tokens.count + 1, sizeof *is_cut);
    for (size_t i = 0; is_cut && i < cutter->tokens.count; i++)
        is_cut[i] = cutter->fates[i] == CUT || cutter->fates[i] == ENDED;
    if (!is_cut || cutter->failed ||
        !reached_mark(cutter->arena, &cutter->tokens, is_cut, cutter->pieces, cutter->piece_count,
                      roots->names, roots->count))
        return false;
    for (size_t i = 0; i < cutter->piece_count; i++)
        if (!cutter->pieces[i].is_reached)
            cutter_cut(cutter, cutter->pieces[i].first, cutter->pieces[i].end);
    return true;
}

bool cuda_device_part(struct arena *arena, const char *source, enum leave leave,
                      const struct named_value *defines, size_t define_count,
                      const struct device_roots *roots, struct device_part *out)
{
    struct cutter cutter = {.arena = arena, .type = NO_PIECE};
    bool done = true;
    *out = (struct device_part){0};
    if (!tokens_read(arena, source, &cutter.tokens))
        return false;
    cutter.fates = arena_alloc(arena, cutter.tokens.count + 1, 1);
    if (!cutter.fates)
        return false;
    memset(cutter.fates, KEPT, cutter.tokens.count + 1);
    mark_textures(&cutter);
    for (size_t i = 0; i + 2 < cutter.tokens.count; i++)
        if (is(&cutter, i, "namespace") && is_in(&cutter, i + 2, "{ ::"))
            lines_add(&cutter.namespaces, cutter.tokens.items[i + 1].start,
                      cutter.tokens.items[i + 1].length);
    if (leave == LEAVE_HOST_PART && is_balanced(&cutter)) {
        cutter.opens_std = opens_std(&cutter);
        read_macros(&cutter);
        read_scope(&cutter, 0, cutter.tokens.count, false);
        done = !roots || cut_unreached(&cutter, roots);
    }
    if (leave == LEAVE_HOST_PART)
        cut_using(&cutter);
    cutter.uses_std = uses_std(&cutter);
    if (leave == LEAVE_HOST_PART)
        cut_headers(&cutter, roots);
    /* What the experiment defines, the source does not. */
    const char *name = NULL, *end = NULL;
    for (size_t i = 0; i < define_count; i++) {
        if (has_directive(&cutter, "undef", defines[i].name))
            continue;
        for (size_t j = 0; j < cutter.tokens.count; j++) {
            if (!token_is_directive(&cutter.tokens.items[j], "define", &name, &end))
                continue;
            const size_t length = word_bytes(name, end);
            const bool takes_arguments = name + length < end && name[length] == '(';
            if (word_is_in(name, length, defines[i].name) && !takes_arguments)
                cutter.fates[j] = CUT;
        }
    }
    done = done && write_text(&cutter, source, leave, out);
    free(cutter.pieces);
    text_free(&cutter.device_macros);
    text_free(&cutter.call_macros);
    text_free(&cutter.host_macros);
    text_free(&cutter.namespaces);
    text_free(&cutter.left_out);
    text_free(&cutter.left_types);
    return done;
}

bool cuda_left_out(const struct device_part *part, const char *name, size_t length)
{
    const struct text lines = {.data = (char *)part->left_out, .length = strlen(part->left_out)};
    return lines_have(&lines, name, length);
}
