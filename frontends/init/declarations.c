/* Declarations of a source: kernels, and macros with a value that the requested kernel uses. */
#include <string.h>

#include "frontends/init/source.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"

enum { SCOPES_MAX = 64, OWN_BYTES_MAX = 16 << 20 };

struct reader {
    struct arena *arena;
    struct tokens tokens;
    struct source_signature *out;
    /* Names of namespaces, "" of those of no name and of extern "C"; NULL: another block. */
    const char *scopes[SCOPES_MAX];
    struct nesting nesting; /* depth: number of open scopes */
    size_t template_at;     /* the last `template` that may still apply */
    bool has_template;
    bool failed; /* memory was short */
};

static bool is_name_at(const struct reader *reader, size_t index)
{
    return index < reader->tokens.count && reader->tokens.items[index].kind == TOKEN_NAME;
}

static const char *text_of(struct reader *reader, size_t first, size_t end)
{
    const char *text = tokens_text(reader->arena, &reader->tokens, first, end);
    reader->failed |= !text;
    return text ? text : "";
}

bool has_word(const char *text, const char *end, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; at < end && (at = memmem(at, (size_t)(end - at), name, length));
         at += length)
        if ((at + length == end || (!is_name_character(at[length]) && at[length] != '$')) &&
            (at == text || (!is_name_character(at[-1]) && at[-1] != '$')))
            return true;
    return false;
}

size_t item_end(const struct tokens *tokens, size_t first, size_t close)
{
    size_t i = first;
    while (i < close && !token_is(tokens, i, ",")) {
        const bool opens = token_is(tokens, i, "<") && i > first &&
                           tokens->items[i - 1].kind == TOKEN_NAME &&
                           tokens_behind_angle(tokens, i) <= close;
        i = token_is_in(tokens, i, "( [ {") ? tokens_behind(tokens, i)
            : opens                         ? tokens_behind_angle(tokens, i)
                                            : i + 1;
    }
    return i < close ? i : close;
}

/* ---- parameters ---- */

/* Finds the name of a declaration: the last word before an array's bounds or a default. */
static size_t declared_name(const struct reader *reader, size_t first, size_t end)
{
    size_t name = end;
    for (size_t i = first; i < end; i++) {
        if (token_is_in(&reader->tokens, i, "[ ="))
            break;
        if (is_name_at(reader, i))
            name = i;
    }
    return name;
}

static void read_parameter(struct reader *reader, struct kernel_signature *kernel, size_t first,
                           size_t end)
{
    struct kernel_parameter *parameter = &kernel->parameters[kernel->parameter_count];
    size_t name = declared_name(reader, first, end);
    bool nameless = name >= end || name == first ||
                    token_is_in(&reader->tokens, name,
                                "int long short char float double bool unsigned signed const");
    parameter->text = text_of(reader, first, end);
    parameter->name = nameless ? arena_printf(reader->arena, "p%zu", kernel->parameter_count)
                               : text_of(reader, name, name + 1);
    for (size_t i = first; i < end && !parameter->generic; i++)
        for (size_t j = 0; j < kernel->template_count; j++)
            if (kernel->template[j].kind == TEMPLATE_TYPE &&
                token_is(&reader->tokens, i, kernel->template[j].name))
                parameter->generic = kernel->template[j].name;
    reader->failed |= !parameter->name;
    kernel->parameter_count++;
}

static void read_parameters(struct reader *reader, struct kernel_signature *kernel, size_t open)
{
    const struct tokens *tokens = &reader->tokens;
    const size_t close = tokens_behind(tokens, open) - 1;
    for (size_t i = open + 1, end; i < close && kernel->parameter_count < ARGUMENTS_MAX;
         i = end + 1) {
        end = item_end(tokens, i, close);
        size_t last = end;
        while (i < last && reader->tokens.items[i].kind == TOKEN_DIRECTIVE)
            i++;
        while (last > i && reader->tokens.items[last - 1].kind == TOKEN_DIRECTIVE)
            last--;
        const bool none = last == i + 1 && token_is(&reader->tokens, i, "void");
        if (last > i && !none)
            read_parameter(reader, kernel, i, last);
    }
}

static enum template_kind kind_of_template(const struct tokens *tokens, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (token_is_in(tokens, i, "... template"))
            return TEMPLATE_OTHER;
    if (token_is_in(tokens, first, "typename class"))
        return TEMPLATE_TYPE;
    first += token_is(tokens, first, "const");
    if (token_is(tokens, first, "bool"))
        return TEMPLATE_BOOLEAN;
    return token_is_in(tokens, first,
                       "int unsigned long short char size_t int32_t uint32_t auto std")
               ? TEMPLATE_NUMBER
               : TEMPLATE_OTHER;
}

static void read_template(struct reader *reader, struct kernel_signature *kernel)
{
    const struct tokens *tokens = &reader->tokens;
    size_t open = reader->template_at + 1;
    size_t close = tokens_behind_angle(tokens, open) - 1;
    for (size_t i = open + 1; i < close && kernel->template_count < TEMPLATE_MAX;) {
        size_t end = item_end(tokens, i, close);
        size_t name = declared_name(reader, i, end);
        struct template_parameter *parameter = &kernel->template[kernel->template_count++];
        parameter->name = text_of(reader, name, name + 1);
        parameter->kind = kind_of_template(tokens, i, end);
        for (size_t j = name; j + 1 < end; j++)
            if (token_is(tokens, j, "="))
                parameter->preset = text_of(reader, j + 1, end);
        i = end + 1;
    }
    /* Drop final arguments such as functions that have defaults: their names may be invalid outside
     * of the namespace. */
    while (kernel->template_count > 0 &&
           kernel->template[kernel->template_count - 1].kind == TEMPLATE_OTHER &&
           kernel->template[kernel->template_count - 1].preset)
        kernel->template_count--;
}

static void read_body(struct reader *reader, struct kernel_signature *kernel, size_t open)
{
    const struct tokens *tokens = &reader->tokens;
    size_t close = tokens_behind(tokens, open);
    for (size_t i = open + 1; i < close; i++) {
        if (tokens->items[i].kind != TOKEN_NAME)
            continue;
        if (token_is_in(tokens, i, "threadIdx blockIdx") && token_is(tokens, i + 1, ".")) {
            kernel->uses_y |= token_is(tokens, i + 2, "y");
            kernel->uses_z |= token_is(tokens, i + 2, "z");
        }
        kernel->uses_block_size |= token_is(tokens, i, "blockDim");
        for (size_t j = 0; j < kernel->parameter_count; j++)
            if (token_is(tokens, i, kernel->parameters[j].name))
                kernel->parameters[j].is_bound |= token_is_in(tokens, i - 1, "< <= > >= * [") ||
                                                  token_is_in(tokens, i + 1, "< <= > >= *");
    }
}

/* ---- declarations ---- */

static const char *qualified(struct reader *reader, const char *name)
{
    struct text text = {0};
    for (size_t i = 0; i < reader->nesting.depth && i < SCOPES_MAX; i++)
        if (reader->scopes[i] && *reader->scopes[i])
            text_printf(&text, "%s::", reader->scopes[i]);
    text_append(&text, name);
    const char *copy = text_to_arena(&text, reader->arena);
    reader->failed |= !copy;
    return copy ? copy : "";
}

/* Reads a kernel, from behind __global__ on. Returns the next token. */
static size_t read_kernel(struct reader *reader, size_t at)
{
    const struct tokens *tokens = &reader->tokens;
    struct kernel_signature kernel = {.line = tokens->items[at - 1].line,
                                      .first_token = (uint32_t)at};
    size_t name = tokens->count;
    bool specialised = false; /* `scale<float>(`: the template is declared before */
    for (size_t i = at - 1; i > 0 && !token_is_in(tokens, i, "; { }"); i--) /* before it */
        if (token_is(tokens, i, "__launch_bounds__") && token_is(tokens, i + 1, "("))
            kernel.bounds =
                text_of(reader, i + 2, item_end(tokens, i + 2, tokens_behind(tokens, i + 1) - 1));
    for (; at < tokens->count && !token_is_in(tokens, at, "; {"); at++) {
        if (token_is_in(tokens, at,
                        "__launch_bounds__ __cluster_dims__ __attribute__ __block_size__ "
                        "__maxnreg__ __declspec alignas") &&
            token_is(tokens, at + 1, "(")) {
            size_t close = tokens_behind(tokens, at + 1) - 1;
            if (token_is(tokens, at, "__launch_bounds__"))
                kernel.bounds = text_of(reader, at + 2, item_end(tokens, at + 2, close));
            at = close;
        } else if (token_is(tokens, at, "(")) {
            break;
        } else if (token_is(tokens, at, "<")) {
            at = tokens_behind_angle(tokens, at) - 1;
            specialised = name < at;
        } else if (is_name_at(reader, at)) {
            name = at;
            specialised = false;
        }
    }
    if (!token_is(tokens, at, "(") || name >= at)
        return at;
    const size_t plain = name;
    while (name >= 2 && token_is(tokens, name - 1, "::") && is_name_at(reader, name - 2))
        name -= 2; /* `void sorting::scan(`, declared in a namespace of a header */
    kernel.name = qualified(reader, text_of(reader, name, plain + 1));
    struct kernel_signature *place = NULL;
    for (size_t i = 0; i < reader->out->kernel_count && !place; i++)
        if (strcmp(reader->out->kernels[i].name, kernel.name) == 0)
            place = &reader->out->kernels[i];
    const size_t behind = tokens_behind(tokens, at);
    const bool has_body = token_is(tokens, behind, "{");
    if (specialised) {
        if (place)
            place->is_defined |= has_body;
        return behind;
    }
    if (reader->has_template)
        read_template(reader, &kernel);
    read_parameters(reader, &kernel, at);
    kernel.end_token = (uint32_t)behind;
    if (has_body) {
        kernel.end_token = (uint32_t)tokens_behind(tokens, behind);
        kernel.is_defined = true;
        read_body(reader, &kernel, behind);
    }
    if (place && has_body)
        *place = kernel;
    else if (!place && reader->out->kernel_count < KERNELS_MAX)
        reader->out->kernels[reader->out->kernel_count++] = kernel;
    return behind;
}

bool macro_is_listed(const struct source_signature *out, const char *name, size_t length)
{
    for (size_t i = 0; i < out->macro_count; i++)
        if (word_is_in(name, length, out->macros[i].name))
            return true;
    return false;
}

/* Returns true for an include guard: an #ifndef around more than macros. */
static bool guards_file(const struct tokens *tokens, size_t at)
{
    size_t depth = 0;
    const char *rest = NULL, *end = NULL;
    for (size_t i = at + 1; i < tokens->count; i++) {
        const struct token *token = &tokens->items[i];
        if (token->kind != TOKEN_DIRECTIVE ||
            token_is_directive(token, "include include_next", &rest, &end))
            return true;
        depth += token_is_directive(token, "if ifdef ifndef", &rest, &end) ? 1 : 0;
        if (depth == 0 && token_is_directive(token, "else elif endif", &rest, &end))
            return false;
        depth -= token_is_directive(token, "endif", &rest, &end) ? 1 : 0;
    }
    return false;
}

/* Reads #ifndef NAME, then #define NAME VALUE: a value that others may give. */
static void read_macro(struct reader *reader, size_t at)
{
    const struct tokens *tokens = &reader->tokens;
    struct source_signature *out = reader->out;
    const char *guard = NULL, *guard_end = NULL, *name = NULL, *end = NULL;
    if (out->macro_count == MACROS_MAX || at + 1 >= tokens->count ||
        !token_is_directive(&tokens->items[at], "ifndef", &guard, &guard_end) ||
        !token_is_directive(&tokens->items[at + 1], "define", &name, &end))
        return;
    const size_t length = word_bytes(name, end);
    const char *value = skip_blanks(name + length, end);
    const bool same = (size_t)(guard_end - guard) == length && strncmp(name, guard, length) == 0;
    /* Values other than numbers cannot be tuned; the source defines them best. */
    const bool number = value > name + length && value < end && strchr("0123456789-+.(", *value);
    if (length == 0 || *name == '_' || !number || !same || macro_is_listed(out, name, length) ||
        guards_file(tokens, at))
        return;
    struct macro_signature *macro = &out->macros[out->macro_count++];
    macro->name = arena_strndup(reader->arena, name, length);
    macro->preset = arena_strndup(reader->arena, value, (size_t)(end - value));
    reader->failed |= !macro->name || !macro->preset;
}

/* Names the scope that the brace opens: "a::b" of `namespace a::b {`. */
static const char *scope_name(struct reader *reader, size_t brace)
{
    const struct tokens *tokens = &reader->tokens;
    size_t first = brace;
    while (first > 0 && (is_name_at(reader, first - 1) || token_is(tokens, first - 1, "::")) &&
           !token_is(tokens, first - 1, "namespace"))
        first--;
    if (brace > 0 && token_is(tokens, brace - 1, "\"C\""))
        return "";
    if (first == 0 || !token_is(tokens, first - 1, "namespace"))
        return NULL;
    return first < brace ? text_of(reader, first, brace) : "";
}

static size_t read_one(struct reader *reader, size_t i)
{
    const struct tokens *tokens = &reader->tokens;
    if (tokens->items[i].kind == TOKEN_DIRECTIVE) {
        read_macro(reader, i);
        return nesting_pass(tokens, &reader->nesting, i);
    }
    if (token_is(tokens, i, "__global__"))
        return read_kernel(reader, i + 1);
    if (token_is(tokens, i, "template") && token_is(tokens, i + 1, "<")) {
        reader->has_template = true;
        reader->template_at = i;
        return tokens_behind_angle(tokens, i + 1);
    } else if (token_is(tokens, i, "{")) {
        if (reader->nesting.depth < SCOPES_MAX)
            reader->scopes[reader->nesting.depth] = scope_name(reader, i);
        reader->nesting.depth++;
    } else if (token_is(tokens, i, "}") && reader->nesting.depth > 0)
        reader->nesting.depth--;
    if (token_is_in(tokens, i, "{ } ;"))
        reader->has_template = false;
    return i + 1;
}

enum status declarations_read(struct arena *arena, const struct tokens *tokens,
                              struct source_signature *out, struct error *error)
{
    struct reader reader = {.arena = arena, .out = out, .tokens = *tokens};
    *out = (struct source_signature){0};
    out->kernels = arena_alloc(arena, KERNELS_MAX, sizeof *out->kernels);
    if (!out->kernels)
        return error_no_memory(error);
    for (size_t i = 0; i < tokens->count && !reader.failed;) {
        const size_t next = read_one(&reader, i);
        for (size_t j = i + 1; j < next && tokens->items[i].kind != TOKEN_DIRECTIVE; j++)
            if (tokens->items[j].kind == TOKEN_DIRECTIVE)
                (void)nesting_pass(tokens, &reader.nesting, j);
        i = next;
    }
    return reader.failed ? error_no_memory(error) : STATUS_OK;
}

/* ---- which kernel ---- */

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

/* Marks the kernels of the file itself, which no included file has. */
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

/* Returns true if the name ends as the other one does, behind "::". */
static bool ends_as(const char *name, size_t length, const char *end, size_t end_length)
{
    return length > end_length + 2 && memcmp(name + length - end_length, end, end_length) == 0 &&
           memcmp(name + length - end_length - 2, "::", 2) == 0;
}

/* Rates how well a kernel's name fits the requested one: 3 equal, 2 without all of its namespaces,
 * 1 with some more; 0: another name. */
static int fit(const char *name, const char *wanted)
{
    const size_t own = strlen(name), length = strcspn(wanted, "<");
    return own == length && strncmp(name, wanted, length) == 0 ? 3
           : ends_as(name, own, wanted, length)                ? 2
           : ends_as(wanted, length, name, own)                ? 1
                                                               : 0;
}

enum status kernel_choose(struct arena *arena, const struct source_question *question,
                          struct source_signature *out, struct kernel_signature **chosen,
                          struct error *error)
{
    const char *path = question->path;
    struct text names = {0};
    size_t alike = 0, first_rank = 0;
    int best = 0;
    *chosen = NULL;
    mark_own(arena, path, out);
    /* The file's own, then those of included files, then those only declared. */
    for (size_t rank = 0; rank < 3; rank++) {
        const bool is_listed = rank < 2 || names.length == 0;
        for (size_t i = 0; i < out->kernel_count; i++) {
            struct kernel_signature *kernel = &out->kernels[i];
            const int fits = question->kernel ? fit(kernel->name, question->kernel) : 0;
            if (rank != (!kernel->is_defined ? 2 : !kernel->is_own))
                continue;
            if (is_listed)
                text_printf(&names, "%s%s", names.length ? ", " : "", kernel->name);
            if (alike == 0)
                first_rank = rank;
            alike += rank == first_rank;
            if (fits > best || (!question->kernel && alike == 1 && rank == first_rank))
                *chosen = kernel;
            best = fits > best ? fits : best;
        }
    }
    if (!question->kernel && alike > 1)
        *chosen = NULL;
    if (*chosen && !(*chosen)->is_defined)
        (void)error_set(error, STATUS_NOT_FOUND,
                        "%s: kernel '%s' is only declared in it: name the source that has its body",
                        path, (*chosen)->name);
    else if (!*chosen && out->kernel_count > 0)
        (void)error_set(error, STATUS_NOT_FOUND, "%s: %s: %s", path,
                        question->kernel ? "no such kernel; there are"
                                         : "several kernels; name one by --kernel",
                        text_string(&names));
    else if (!*chosen)
        (void)error_set(error, STATUS_NOT_FOUND,
                        "%s: no __global__ function in it: name the source that has the kernel",
                        path);
    text_free(&names);
    return error->status;
}

/* ---- uses by the kernel ---- */

/* The source's functions, and those that the kernel may call, found by name alone. */
struct function {
    size_t name, end; /* tokens */
    bool is_reached, is_read;
};
struct reach {
    const struct tokens *tokens;
    bool *is_live; /* tokens of the kernel or of a function that it may call */
};

size_t function_end(const struct tokens *tokens, size_t name)
{
    if (tokens->items[name].kind != TOKEN_NAME || !token_is(tokens, name + 1, "("))
        return 0;
    size_t body = tokens_behind(tokens, name + 1);
    while (token_is_in(tokens, body, "const noexcept override final"))
        body++;
    return token_is(tokens, body, "{") ? tokens_behind(tokens, body) : 0;
}

/* Marks the functions that the reached ones name, until there are no more. */
static void reach_all(const struct tokens *tokens, struct function *functions, size_t count)
{
    for (size_t i = 0; i < count;) {
        struct function *by = &functions[i++];
        if (!by->is_reached || by->is_read)
            continue;
        by->is_read = true;
        for (size_t k = by->name; k < by->end; k++)
            for (size_t j = 0; tokens->items[k].kind == TOKEN_NAME && j < count; j++) {
                const struct token *name = &tokens->items[functions[j].name];
                functions[j].is_reached |=
                    name->length == tokens->items[k].length &&
                    strncmp(name->start, tokens->items[k].start, name->length) == 0;
            }
        i = 0;
    }
}

/* Marks the tokens that the kernel may run. False: memory is short. */
static bool reach_read(struct arena *arena, const struct tokens *tokens,
                       const struct kernel_signature *kernel, struct reach *out)
{
    size_t count = 0;
    struct function *functions = arena_alloc(arena, tokens->count + 1, sizeof *functions);
    *out = (struct reach){tokens, arena_alloc(arena, tokens->count + 1, sizeof *out->is_live)};
    if (!functions || !out->is_live)
        return false;
    for (size_t i = 0, behind; i < tokens->count; i = behind ? behind : i + 1) {
        behind = function_end(tokens, i);
        if (behind > 0)
            functions[count++] = (struct function){.name = i,
                                                   .end = behind,
                                                   .is_reached = i >= kernel->first_token &&
                                                                 behind <= kernel->end_token};
    }
    reach_all(tokens, functions, count);
    memset(out->is_live, true, tokens->count);
    for (size_t i = 0; i < count; i++)
        if (!functions[i].is_reached)
            memset(out->is_live + functions[i].name, false, functions[i].end - functions[i].name);
    return true;
}

/* Returns true if the kernel may use the name, also by a directive other than one that defines it.
 */
static bool is_used(const struct reach *reach, const char *name)
{
    const struct tokens *tokens = reach->tokens;
    for (size_t i = 0; i < tokens->count; i++) {
        const struct token *token = &tokens->items[i];
        const char *rest = NULL, *end = NULL;
        if (!reach->is_live[i])
            continue;
        if (token->kind != TOKEN_DIRECTIVE && token_is(tokens, i, name))
            return true;
        if (token->kind != TOKEN_DIRECTIVE || token_is_directive(token, "ifndef", &rest, &end))
            continue;
        if (token_is_directive(token, "define", &rest, &end))
            rest += word_bytes(rest, end);
        if (has_word(rest, end, name))
            return true;
    }
    return false;
}

/* Looks for [NAME][NAME], [NAME][NAME + 1], [NAME * NAME]. */
bool uses_as_square(const struct tokens *tokens, const char *name)
{
    for (size_t i = 0; i < tokens->count; i++)
        if (token_is(tokens, i, "[") && token_is(tokens, i + 1, name) &&
            ((token_is(tokens, i + 2, "]") && token_is(tokens, i + 3, "[") &&
              token_is(tokens, i + 4, name)) ||
             (token_is(tokens, i + 2, "*") && token_is(tokens, i + 3, name))))
            return true;
    return false;
}

bool uses_mark(struct arena *arena, const struct tokens *tokens, struct source_signature *out)
{
    struct reach reach;
    if (!reach_read(arena, tokens, out->chosen, &reach))
        return false;
    for (size_t i = 0; i < out->macro_count; i++) {
        out->macros[i].elsewhere = !is_used(&reach, out->macros[i].name);
        out->macros[i].square = uses_as_square(tokens, out->macros[i].name);
    }
    return true;
}
