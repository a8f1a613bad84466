/* Declarations of a source: kernels, and macros with a value that the requested kernel uses. */
#include <ctype.h>
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

/* Finds the end of an item of a list: a comma or `close` outside of all brackets. */
static size_t item_end(const struct reader *reader, size_t first, size_t close)
{
    const struct tokens *tokens = &reader->tokens;
    size_t i = first;
    while (i < close && !token_is(tokens, i, ",")) {
        if (token_is_in(tokens, i, "( [ {"))
            i = tokens_behind(tokens, i);
        else if (token_is(tokens, i, "<") && i > first && is_name_at(reader, i - 1))
            i = tokens_behind_angle(tokens, i);
        else
            i++;
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

static const char *generic_of(const struct reader *reader, const struct kernel_signature *kernel,
                              size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        for (size_t j = 0; j < kernel->template_count; j++)
            if (kernel->template[j].kind == TEMPLATE_TYPE &&
                token_is(&reader->tokens, i, kernel->template[j].name))
                return kernel->template[j].name;
    return NULL;
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
    parameter->generic = generic_of(reader, kernel, first, end);
    reader->failed |= !parameter->name;
    kernel->parameter_count++;
}

static void read_parameters(struct reader *reader, struct kernel_signature *kernel, size_t open)
{
    const size_t close = tokens_behind(&reader->tokens, open) - 1;
    for (size_t i = open + 1, end; i < close && kernel->parameter_count < ARGUMENTS_MAX;
         i = end + 1) {
        end = item_end(reader, i, close);
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
        size_t end = item_end(reader, i, close);
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

/* Returns room for a kernel; a definition replaces its earlier declaration. */
static struct kernel_signature *place_for(struct reader *reader, const char *name)
{
    struct source_signature *out = reader->out;
    for (size_t i = 0; i < out->kernel_count; i++)
        if (strcmp(out->kernels[i].name, name) == 0)
            return &out->kernels[i];
    return out->kernel_count < KERNELS_MAX ? &out->kernels[out->kernel_count++] : NULL;
}

/* Reads how a specialisation uses its parameters. */
static size_t read_specialised(struct reader *reader, const char *name, size_t at)
{
    const size_t behind = tokens_behind(&reader->tokens, at);
    for (size_t i = 0; i < reader->out->kernel_count && token_is(&reader->tokens, behind, "{"); i++)
        if (strcmp(reader->out->kernels[i].name, name) == 0) {
            reader->out->kernels[i].is_defined = true;
            read_body(reader, &reader->out->kernels[i], behind);
        }
    return behind;
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
                text_of(reader, i + 2, item_end(reader, i + 2, tokens_behind(tokens, i + 1) - 1));
    for (; at < tokens->count && !token_is_in(tokens, at, "; {"); at++) {
        if (token_is_in(tokens, at,
                        "__launch_bounds__ __cluster_dims__ __attribute__ __block_size__ "
                        "__maxnreg__ __declspec alignas") &&
            token_is(tokens, at + 1, "(")) {
            size_t close = tokens_behind(tokens, at + 1) - 1;
            if (token_is(tokens, at, "__launch_bounds__"))
                kernel.bounds = text_of(reader, at + 2, item_end(reader, at + 2, close));
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
    if (specialised)
        return read_specialised(reader, kernel.name, at);
    if (reader->has_template)
        read_template(reader, &kernel);
    read_parameters(reader, &kernel, at);
    size_t behind = tokens_behind(tokens, at);
    kernel.end_token = (uint32_t)behind;
    if (token_is(tokens, behind, "{")) {
        kernel.end_token = (uint32_t)tokens_behind(tokens, behind);
        kernel.is_defined = true;
        read_body(reader, &kernel, behind);
    }
    struct kernel_signature *place = place_for(reader, kernel.name);
    if (place && (!place->name || token_is(tokens, behind, "{")))
        *place = kernel;
    return behind;
}

/* Finds the value of `#define NAME VALUE`, without comments. Returns the length, 0 without a value.
 */
static size_t macro_value(const char *behind_name, const char *end, const char **value)
{
    if (behind_name >= end || !isspace((unsigned char)*behind_name))
        return 0;
    const char *comment = memchr(behind_name, '/', (size_t)(end - behind_name));
    end = comment ? comment : end;
    *value = behind_name;
    while (*value < end && isspace((unsigned char)**value))
        ++*value;
    while (end > *value && isspace((unsigned char)end[-1]))
        end--;
    return (size_t)(end - *value);
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
    const char *guard = NULL, *guard_end = NULL, *name = NULL, *end = NULL, *value = NULL;
    if (out->macro_count == MACROS_MAX || at + 1 >= tokens->count ||
        !token_is_directive(&tokens->items[at], "ifndef", &guard, &guard_end) ||
        !token_is_directive(&tokens->items[at + 1], "define", &name, &end))
        return;
    const size_t length = word_bytes(name, end);
    const size_t value_length = macro_value(name + length, end, &value);
    const bool same = (size_t)(guard_end - guard) == length && strncmp(name, guard, length) == 0;
    /* Values other than numbers cannot be tuned; the source defines them best. */
    const bool number =
        value_length > 0 && (isdigit((unsigned char)*value) || strchr("-+.(", *value));
    if (length == 0 || *name == '_' || !number || !same || macro_is_listed(out, name, length) ||
        guards_file(tokens, at))
        return;
    struct macro_signature *macro = &out->macros[out->macro_count++];
    macro->name = arena_strndup(reader->arena, name, length);
    macro->preset = arena_strndup(reader->arena, value, value_length);
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

/* Rates how well a kernel's name fits the requested one: 3 equal, 2 without all of its namespaces,
 * 1 with some more; 0: another name. */
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

/* Finds the only kernel; NULL: there are several. Of the file's own, then of all that have a body,
 * then of all. */
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

/* Lists the file's own kernels, then those of included files; those only declared if there are no
 * others. */
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

enum status kernel_choose(struct arena *arena, const struct source_question *question,
                          struct source_signature *out, struct kernel_signature **chosen,
                          struct error *error)
{
    const char *path = question->path;
    mark_own(arena, path, out);
    *chosen = out->kernel_count == 0 ? NULL
              : question->kernel     ? find_kernel(out, question->kernel)
                                     : find_only(out);
    if (*chosen && (*chosen)->is_defined)
        return STATUS_OK;
    if (*chosen)
        return error_set(
            error, STATUS_NOT_FOUND,
            "%s: kernel '%s' is only declared in it: name the source that has its body", path,
            (*chosen)->name);
    if (out->kernel_count > 0)
        return list(out, path,
                    question->kernel ? "no such kernel; there are"
                                     : "several kernels; name one by --kernel",
                    error);
    return error_set(error, STATUS_NOT_FOUND,
                     "%s: no __global__ function in it: name the source that has the kernel", path);
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

static bool same_name(const struct token *a, const struct token *b)
{
    return a->kind == TOKEN_NAME && a->length == b->length &&
           strncmp(a->start, b->start, a->length) == 0;
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
            for (size_t j = 0; tokens->items[k].kind == TOKEN_NAME && j < count; j++)
                functions[j].is_reached |=
                    same_name(&tokens->items[k], &tokens->items[functions[j].name]);
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

/* Returns true if a directive, other than one that defines the name, contains it. */
static bool directive_names(const struct token *token, const char *name)
{
    const char *rest = NULL, *end = NULL;
    const size_t length = strlen(name);
    if (token_is_directive(token, "ifndef", &rest, &end))
        return false;
    const bool defines = token_is_directive(token, "define", &rest, &end);
    for (const char *at = defines ? rest + word_bytes(rest, end) : rest; at < end;) {
        const size_t own = word_bytes(at, end);
        if (own == length && strncmp(at, name, length) == 0)
            return true;
        at += own > 0 ? own : 1;
    }
    return false;
}

static bool is_used(const struct reach *reach, const char *name)
{
    const struct tokens *tokens = reach->tokens;
    for (size_t i = 0; i < tokens->count; i++)
        if (reach->is_live[i] &&
            (tokens->items[i].kind == TOKEN_DIRECTIVE ? directive_names(&tokens->items[i], name)
                                                      : token_is(tokens, i, name)))
            return true;
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
