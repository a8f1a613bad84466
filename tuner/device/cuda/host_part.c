#include <ctype.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/host_part.h"
#include "tuner/device/gpu/tokens.h"

enum fate {
    KEPT,
    CUT,
    ENDED,             /* cut, but for a ; */
    MADE_DEVICE,       /* kept, with __host__ __device__ before it */
    MADE_TEXTURE,      /* `texture`, which has a name of ours */
    TEXTURE_REFERENCE, /* likewise, with __constant__ before it */
    TEXTURE_ALIAS,     /* another name of such a type, likewise */
};

struct cutter {
    struct arena *arena;
    struct tokens tokens;
    char *fates;               /* by token */
    struct text device_macros; /* a line each: those whose text makes something the device's */
    struct text call_macros;   /* likewise: those that take arguments */
    struct text host_macros;   /* of these: instances of the host's templates, what launches */
    struct text left_out;
    struct text left_types; /* those that were left out whole */
    struct text namespaces; /* those of the source */
    bool opens_std;         /* using namespace std */
    bool uses_std;
};

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

static bool has_line(const struct text *lines, const char *name, size_t length)
{
    const char *at = text_string(lines);
    for (; *at; at += strcspn(at, "\n") + 1)
        if (strcspn(at, "\n") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

static void add_line(struct text *lines, const char *name, size_t length)
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
                           has_line(&cutter->device_macros, at, length)))
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
            add_line(&cutter->device_macros, name, length);
        if (length == 0 || name + length >= end || name[length] != '(')
            continue;
        add_line(&cutter->call_macros, name, length);
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
            add_line(&cutter->host_macros, name, length);
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

/* `at::TensorAccessor`, for which a header of ours stands. */
static bool is_accessor(const struct cutter *cutter, size_t index)
{
    char name[64];
    return is_in(cutter, index, "at torch") && is(cutter, index + 1, "::") &&
           index + 2 < cutter->tokens.count &&
           !has_line(&cutter->namespaces, cutter->tokens.items[index].start,
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
           !has_line(&cutter->namespaces, cutter->tokens.items[index].start,
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
                 "logic_error invalid_argument out_of_range bad_alloc");
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
        if (is(cutter, i + 1, "(") && has_line(&cutter->left_out, cutter->tokens.items[i].start,
                                               cutter->tokens.items[i].length))
            return true;
    for (size_t i = d->head; i > d->start; i--)
        if (is(cutter, i - 1, "*"))
            return !is(cutter, i, "const");
    return false;
}

static void cut(struct cutter *cutter, size_t first, size_t end)
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

static void decide(struct cutter *cutter, const struct declaration *d, bool in_class)
{
    const struct token *name = d->call ? &cutter->tokens.items[d->call - 1] : NULL;
    bool defaulted = is(cutter, d->head, "=") && is_in(cutter, d->head + 1, "default delete");
    /* A pointer to a function among a type's members; a type behind a macro that nobody knows. */
    bool pointer = in_class && d->call && is(cutter, d->call + 1, "*");
    /* A function of the host's, which was left out: `friend float space::sum<T>(const T &);` */
    bool befriended = false;
    for (size_t i = d->start; is(cutter, d->start, "friend") && i < d->call; i++)
        befriended |= has_line(&cutter->left_out, cutter->tokens.items[i].start,
                               cutter->tokens.items[i].length);
    /* Another name of a type that was left out, or that no device has. */
    bool host_alias = false;
    for (size_t i = d->start; is_in(cutter, d->start, "typedef using") && i < d->end; i++) {
        host_alias = is_host_std(cutter, i);
        if (host_alias || has_line(&cutter->left_types, cutter->tokens.items[i].start,
                                   cutter->tokens.items[i].length)) {
            const struct token *alias =
                &cutter->tokens.items[is(cutter, d->start, "using") ? d->start + 1 : d->end - 2];
            add_line(&cutter->left_types, alias->start, alias->length);
            break;
        }
    }
    bool unclear = !d->call && is(cutter, d->head, "{") && names_type(cutter, d);
    if (host_alias || (d->foreign && !in_class)) {
        cut(cutter, d->first, d->end);
        return;
    }
    /* A template that is declared alone may be asked for its type: sizeof(test<T>(0)). */
    const bool asked =
        in_class && !befriended && d->start > d->first && d->call && !d->has_body && !d->host_std;
    if (d->device || (d->kept && !d->host_std && !befriended) || defaulted || pointer || unclear)
        return;
    if (asked || (d->call && d->is_constexpr && !d->host_std))
        cutter->fates[d->start] = MADE_DEVICE;
    else if (d->call) {
        add_line(&cutter->left_out, name->start, name->length);
        cut(cutter, d->first, d->end);
    } else if (!in_class && is_host_variable(cutter, d))
        cut(cutter, d->first, d->end);
}

/* ---- scopes ---- */

static void read_scope(struct cutter *cutter, size_t i, size_t end, bool in_class);

/* A member, or a base, of a type that was left out. */
static bool is_left_type(const struct cutter *cutter, size_t i, size_t open)
{
    const struct tokens *tokens = &cutter->tokens;
    if (!has_line(&cutter->left_types, tokens->items[i].start, tokens->items[i].length))
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
        if (tokens->items[i].kind == TOKEN_NAME && is_in(cutter, i + 1, ": { final"))
            name = i;
        host_std = host_std || is_host_std(cutter, i);
    }
    if (name < open)
        add_line(&cutter->left_types, tokens->items[name].start, tokens->items[name].length);
    if (name == open || host_std || !is(cutter, whole - 2, "}")) {
        cut(cutter, first, whole);
    } else {
        cut(cutter, name + 1, whole);
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
        has_line(&cutter->call_macros, token->start, token->length)) {
        const size_t behind = tokens_behind(&cutter->tokens, i + 1);
        if (has_line(&cutter->host_macros, token->start, token->length))
            cut(cutter, i, behind);
        return behind;
    }
    d.start = i;
    while (d.start + 1 < end && is(cutter, d.start, "template") && is(cutter, d.start + 1, "<"))
        d.start = tokens_behind_angle(&cutter->tokens, d.start + 1);
    while (d.start + 1 < end && cutter->tokens.items[d.start].kind == TOKEN_DIRECTIVE)
        d.start++; /* the #endif of `template <...>` */
    open = find_type_body(cutter, d.start, end, &d.enumeration);
    if (open < end)
        return read_type(cutter, i, open, end, d.enumeration);
    bool forward = is_in(cutter, d.start, type_keys) && is(cutter, d.start + 2, ";");
    read_declaration(cutter, &d, end);
    if (!forward)
        decide(cutter, &d, in_class);
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

static bool has_textures(const struct cutter *cutter)
{
    for (size_t i = 0; i < cutter->tokens.count; i++)
        if (cutter->fates[i] == MADE_TEXTURE || cutter->fates[i] == TEXTURE_REFERENCE)
            return true;
    return false;
}

/* ---- what is left, line by line where it was ---- */

static bool uses_std(const struct cutter *cutter)
{
    for (size_t i = 0; i < cutter->tokens.count; i++)
        if (cutter->fates[i] != CUT && is(cutter, i, "std") &&
            !(i > 0 && is_in(cutter, i - 1, ":: namespace")))
            return true;
    return false;
}

/* `using std::cout;` whose name only the host's part has. */
static void cut_using(struct cutter *cutter)
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
            cut(cutter, i, i + 5);
    }
}

static void cut_headers(struct cutter *cutter)
{
    for (size_t i = 0; i < cutter->tokens.count; i++) {
        const char *name = NULL, *end = NULL;
        if (is(cutter, i, "using") && is(cutter, i + 1, "namespace") && is(cutter, i + 2, "std") &&
            is(cutter, i + 3, ";") && !cutter->uses_std)
            cut(cutter, i, i + 4);
        if (!token_is_directive(&cutter->tokens.items[i], "include", &name, &end) || name == end)
            continue;
        const char *close = memchr(name + 1, *name == '<' ? '>' : '"', (size_t)(end - name - 1));
        size_t length = close ? (size_t)(close - name - 1) : 0;
        bool unused = !cutter->uses_std && cuda_is_std_header(name + 1, length);
        if (unused || cuda_is_host_header(name + 1, length))
            cutter->fates[i] = CUT;
    }
}

static bool has_directive(const struct cutter *cutter, const char *directive, const char *name)
{
    const char *rest = NULL, *end = NULL;
    for (size_t i = 0; i < cutter->tokens.count; i++)
        if (token_is_directive(&cutter->tokens.items[i], directive, &rest, &end) &&
            word_is_in(rest, word_bytes(rest, end), name))
            return true;
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
        char name[40]; /* longer ones have no header */
        if (token->kind != TOKEN_NAME || cutter->fates[i] == CUT || !may_be_type(cutter, i) ||
            !string_format(name, sizeof name, "%s%.*s",
                           in_std                                 ? "std::"
                           : i >= 2 && is_accessor(cutter, i - 2) ? "at::"
                                                                  : "",
                           (int)token->length, token->start))
            continue;
        const char *header = cuda_header_of(name, strlen(name));
        if (!header && in_std)
            header = cuda_header_of(name + strlen("std::"), token->length);
        if (!header || has_line(&seen, name, strlen(name)))
            continue;
        add_line(&seen, name, strlen(name));
        if (has_line(&included, header, strlen(header)) || is_declared(cutter, token) ||
            has_directive(cutter, "define", name) || (in_std && has_include(cutter, header)))
            continue;
        add_line(&included, header, strlen(header));
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

static bool write_text(struct cutter *cutter, const char *source, enum leave leave,
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

bool cuda_device_part(struct arena *arena, const char *source, enum leave leave,
                      const struct named_value *defines, size_t define_count,
                      struct device_part *out)
{
    struct cutter cutter = {.arena = arena};
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
            add_line(&cutter.namespaces, cutter.tokens.items[i + 1].start,
                     cutter.tokens.items[i + 1].length);
    if (leave == LEAVE_HOST_PART && is_balanced(&cutter)) {
        cutter.opens_std = opens_std(&cutter);
        read_macros(&cutter);
        read_scope(&cutter, 0, cutter.tokens.count, false);
    }
    if (leave == LEAVE_HOST_PART)
        cut_using(&cutter);
    cutter.uses_std = uses_std(&cutter);
    if (leave == LEAVE_HOST_PART)
        cut_headers(&cutter);
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
    bool done = write_text(&cutter, source, leave, out);
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
    return has_line(&lines, name, length);
}
