/* Declarations of a source: kernels and parameters. */
#include <string.h>

#include "frontends/init/source.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"

enum { SCOPES_MAX = 64 };

struct reader {
    struct arena *arena;
    struct tokens tokens;
    struct source_signature *out;
    /* Names of namespaces, "" of those of no name and of extern "C"; NULL: another block. */
    const char *scopes[SCOPES_MAX];
    struct nesting nesting; /* depth: number of open scopes */
    bool failed;            /* memory was short */
};

static const char *text_of(struct reader *reader, size_t first, size_t end)
{
    const char *text = tokens_text(reader->arena, &reader->tokens, first, end);
    reader->failed |= !text;
    return text ? text : "";
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
        if (token_is_name(&reader->tokens, i))
            name = i;
    }
    return name;
}

static void read_parameters(struct reader *reader, struct kernel_signature *kernel, size_t open)
{
    const struct tokens *tokens = &reader->tokens;
    const size_t close = tokens_behind(tokens, open) - 1;
    for (size_t i = open + 1, end; i < close && kernel->parameter_count < ARGUMENTS_MAX;
         i = end + 1) {
        end = item_end(tokens, i, close);
        if (end == i || (end == i + 1 && token_is(tokens, i, "void")))
            continue;
        struct kernel_parameter *parameter = &kernel->parameters[kernel->parameter_count];
        const size_t name = declared_name(reader, i, end);
        parameter->text = text_of(reader, i, end);
        parameter->name = text_of(reader, name, name + 1);
        kernel->parameter_count++;
    }
}

static void read_template(struct reader *reader, struct kernel_signature *kernel, size_t open)
{
    const struct tokens *tokens = &reader->tokens;
    size_t close = tokens_behind_angle(tokens, open) - 1;
    for (size_t i = open + 1; i < close && kernel->template_count < TEMPLATE_MAX;) {
        size_t end = item_end(tokens, i, close);
        size_t name = declared_name(reader, i, end);
        struct template_parameter *parameter = &kernel->template[kernel->template_count++];
        parameter->name = text_of(reader, name, name + 1);
        for (size_t j = name; j + 1 < end; j++)
            if (token_is(tokens, j, "="))
                parameter->preset = text_of(reader, j + 1, end);
        i = end + 1;
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

/* Reads the kernel declared with the __global__ at the token. Returns the next token. */
static size_t read_kernel(struct reader *reader, size_t global)
{
    const struct tokens *tokens = &reader->tokens;
    struct kernel_signature kernel = {.first_token = (uint32_t)global + 1};
    size_t name = tokens->count, list = 0, at = global;
    bool specialised = false; /* `scale<float>(`: the template is declared before */
    while (at > 0 && !token_is_in(tokens, at - 1, "; { }"))
        at--;
    for (; at < tokens->count && !token_is_in(tokens, at, "; {"); at++) {
        if (token_is_in(tokens, at,
                        "__launch_bounds__ __cluster_dims__ __attribute__ __block_size__ "
                        "__maxnreg__ __declspec alignas") &&
            token_is(tokens, at + 1, "(")) {
            size_t close = tokens_behind(tokens, at + 1) - 1;
            if (token_is(tokens, at, "__launch_bounds__"))
                kernel.bounds_token = (uint32_t)at + 2;
            at = close;
        } else if (token_is(tokens, at, "(")) {
            if (at > global)
                break;
            at = tokens_behind(tokens, at) - 1;
        } else if (token_is(tokens, at, "<")) {
            list = token_is(tokens, at - 1, "template") ? at : list;
            at = tokens_behind_angle(tokens, at) - 1;
            specialised = name < at;
        } else if (token_is_name(&reader->tokens, at) && at > global) {
            name = at;
            specialised = false;
        }
    }
    if (!token_is(tokens, at, "(") || name >= at)
        return at;
    const size_t plain = name;
    while (name >= 2 && token_is(tokens, name - 1, "::") && token_is_name(tokens, name - 2))
        name -= 2; /* `void sorting::scan(`, declared in a namespace of a header */
    kernel.name = qualified(reader, text_of(reader, name, plain + 1));
    struct kernel_signature *place = NULL;
    for (size_t i = 0; i < reader->out->kernel_count && !place; i++)
        if (strcmp(reader->out->kernels[i].name, kernel.name) == 0)
            place = &reader->out->kernels[i];
    const size_t behind = tokens_behind(tokens, at);
    kernel.is_defined = token_is(tokens, behind, "{");
    kernel.end_token = (uint32_t)(kernel.is_defined ? tokens_behind(tokens, behind) : behind);
    if (specialised) {
        if (place)
            place->is_defined |= kernel.is_defined;
        return behind;
    }
    if (list > 0)
        read_template(reader, &kernel, list);
    read_parameters(reader, &kernel, at);
    for (size_t i = behind; i < kernel.end_token; i++) {
        for (size_t axis = 0; axis < 3; axis++)
            kernel.uses[axis] |= axis == 0 || (token_is_in(tokens, i, "threadIdx blockIdx") &&
                                               token_is(tokens, i + 1, ".") &&
                                               token_is(tokens, i + 2, axis == 1 ? "y" : "z"));
        kernel.uses_block_size |= token_is(tokens, i, "blockDim");
        for (size_t j = 0; j < kernel.parameter_count && token_is_name(tokens, i); j++)
            if (token_is(tokens, i, kernel.parameters[j].name))
                kernel.parameters[j].is_bound |= token_is_in(tokens, i - 1, "< <= > >= * [") ||
                                                 token_is_in(tokens, i + 1, "< <= > >= *");
    }
    if (place && kernel.is_defined)
        *place = kernel;
    else if (!place && reader->out->kernel_count < KERNELS_MAX)
        reader->out->kernels[reader->out->kernel_count++] = kernel;
    return behind;
}

/* Names the scope that the brace opens: "a::b" of `namespace a::b {`. */
static const char *scope_name(struct reader *reader, size_t brace)
{
    const struct tokens *tokens = &reader->tokens;
    size_t first = brace;
    while (first > 0 &&
           (token_is_name(&reader->tokens, first - 1) || token_is(tokens, first - 1, "::")) &&
           !token_is(tokens, first - 1, "namespace"))
        first--;
    if (brace > 0 && token_is(tokens, brace - 1, "\"C\""))
        return "";
    if (first == 0 || !token_is(tokens, first - 1, "namespace"))
        return NULL;
    return first < brace ? text_of(reader, first, brace) : "";
}

enum status declarations_read(struct arena *arena, const struct tokens *tokens,
                              struct source_signature *out, struct error *error)
{
    struct reader reader = {.arena = arena, .out = out, .tokens = *tokens};
    *out = (struct source_signature){0};
    out->kernels = arena_alloc(arena, KERNELS_MAX, sizeof *out->kernels);
    if (!out->kernels)
        return error_no_memory(error);
    for (size_t i = 0, next; i < tokens->count && !reader.failed; i = next) {
        next = i + 1;
        if (tokens->items[i].kind == TOKEN_DIRECTIVE) {
            next = nesting_pass(tokens, &reader.nesting, i);
        } else if (token_is(tokens, i, "__global__")) {
            next = read_kernel(&reader, i);
            for (size_t j = i + 1; j < next; j++)
                if (tokens->items[j].kind == TOKEN_DIRECTIVE)
                    (void)nesting_pass(tokens, &reader.nesting, j);
        } else if (token_is(tokens, i, "{")) {
            if (reader.nesting.depth < SCOPES_MAX)
                reader.scopes[reader.nesting.depth] = scope_name(&reader, i);
            reader.nesting.depth++;
        } else if (token_is(tokens, i, "}") && reader.nesting.depth > 0) {
            reader.nesting.depth--;
        }
    }
    return reader.failed ? error_no_memory(error) : STATUS_OK;
}

/* ---- which kernel ---- */

bool kernel_has_body(struct arena *arena, const char *path, const char *name)
{
    struct source_signature *own = arena_alloc(arena, 1, sizeof *own);
    const char *plain = arena_strndup(arena, name, strcspn(name, "<"));
    struct tokens tokens;
    struct error ignored = {0};
    char *text = NULL;
    if (!own || !plain ||
        file_read(arena, path, SOURCE_BYTES_MAX, &text, NULL, &ignored) != STATUS_OK ||
        !tokens_read(arena, text, &tokens) ||
        declarations_read(arena, &tokens, own, &ignored) != STATUS_OK)
        return false;
    for (size_t i = 0; i < own->kernel_count; i++)
        if (own->kernels[i].is_defined &&
            strcmp(unqualified_name(own->kernels[i].name), unqualified_name(plain)) == 0)
            return true;
    return false;
}

/* Rates how well a kernel's name fits the wanted one, which may have arguments of a template: 3
 * equal, 2 without all namespaces, 1 with some more; 0: another name. */
static size_t fit(const char *name, const char *wanted)
{
    const size_t own = strlen(name), length = strcspn(wanted, "<");
    const size_t same = own < length ? own : length;
    const char *before = own > length ? name + own - same : wanted + length - same;
    if (strncmp(name + own - same, wanted + length - same, same) != 0 ||
        (own != length && before[-1] != ':'))
        return 0;
    return own == length ? 3 : own > length ? 2 : 1;
}

enum status kernel_choose(const struct source_question *question, struct source_signature *out,
                          struct kernel_signature **chosen, struct error *error)
{
    const char *path = question->binary.source_path, *wanted = question->kernel;
    struct text names = {0};
    size_t best = 0, defined = 0;
    *chosen = NULL;
    for (size_t i = 0; i < out->kernel_count; i++) {
        struct kernel_signature *kernel = &out->kernels[i];
        const size_t fits = wanted ? fit(kernel->name, wanted) : 1;
        const size_t value = fits > 0 ? 2 * fits + kernel->is_defined : 0;
        *chosen = value > best ? kernel : *chosen;
        best = value > best ? value : best;
        defined += kernel->is_defined;
        if (kernel->is_defined)
            text_printf(&names, "%s%s", names.length ? ", " : "", kernel->name);
    }
    if (!wanted && defined > 1)
        *chosen = NULL;
    if (*chosen && !(*chosen)->is_defined)
        (void)error_set(error, STATUS_NOT_FOUND,
                        "%s: kernel '%s' is only declared in it: name the source that has its body",
                        path, (*chosen)->name);
    else if (!*chosen && defined > 0)
        (void)error_set(error, STATUS_NOT_FOUND, "%s: %s: %s", path,
                        wanted ? "no such kernel; there are"
                               : "several kernels; name one by --kernel",
                        text_string(&names));
    else if (!*chosen)
        (void)error_set(error, STATUS_NOT_FOUND,
                        "%s: no __global__ function in it: name the source that has the kernel",
                        path);
    text_free(&names);
    return error->status;
}
