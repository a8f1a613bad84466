/* What a source declares: kernels, macros with a value of their own, symbols. */
#include <ctype.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/tokens.h"

enum { SCOPES_MAX = 64, NAME_BYTES = 256 };

struct reader {
    struct arena *arena;
    struct tokens tokens;
    struct source_signature *out;
    const char *scopes[SCOPES_MAX]; /* names of namespaces; "": of no name, or another block */
    size_t depth;
    size_t template_at; /* of the last `template`, while it may still belong to what follows */
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

/* The end of an item of a list: a comma or `close` outside of all brackets. */
static size_t item_end(const struct reader *reader, size_t first, size_t close)
{
    const struct tokens *tokens = &reader->tokens;
    size_t i = first;
    while (i < close && !token_is(tokens, i, ",")) {
        if (token_is(tokens, i, "(") || token_is(tokens, i, "[") || token_is(tokens, i, "{"))
            i = tokens_behind(tokens, i);
        else if (token_is(tokens, i, "<") && i > first && is_name_at(reader, i - 1))
            i = tokens_behind_angle(tokens, i);
        else
            i++;
    }
    return i < close ? i : close;
}

/* ---- parameters ---- */

/* The name of a declaration: the last word before an array's bounds or a default. */
static size_t declared_name(const struct reader *reader, size_t first, size_t end)
{
    size_t name = end;
    for (size_t i = first; i < end; i++) {
        if (token_is(&reader->tokens, i, "[") || token_is(&reader->tokens, i, "="))
            break;
        if (is_name_at(reader, i))
            name = i;
    }
    return name;
}

static bool is_word_of_type(const struct reader *reader, size_t index)
{
    static const char *const words[] = {"int",    "long", "short",    "char",   "float",
                                        "double", "bool", "unsigned", "signed", "const"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is(&reader->tokens, index, words[i]))
            return true;
    return false;
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
    bool nameless = name >= end || name == first || is_word_of_type(reader, name);
    parameter->text = text_of(reader, first, end);
    parameter->name = nameless ? arena_printf(reader->arena, "p%zu", kernel->parameter_count)
                               : text_of(reader, name, name + 1);
    parameter->generic = generic_of(reader, kernel, first, end);
    reader->failed |= !parameter->name;
    kernel->parameter_count++;
}

static void read_parameters(struct reader *reader, struct kernel_signature *kernel, size_t open)
{
    size_t close = tokens_behind(&reader->tokens, open) - 1;
    for (size_t i = open + 1; i < close && kernel->parameter_count < ARGUMENTS_MAX;) {
        size_t end = item_end(reader, i, close);
        bool none = end == i + 1 && token_is(&reader->tokens, i, "void");
        if (end > i && !none)
            read_parameter(reader, kernel, i, end);
        i = end + 1;
    }
}

static enum template_kind kind_of_template(const struct reader *reader, size_t first, size_t end)
{
    static const char *const numbers[] = {"int",    "unsigned", "long",     "short", "char",
                                          "size_t", "int32_t",  "uint32_t", "auto",  "std"};
    for (size_t i = first; i < end; i++)
        if (token_is(&reader->tokens, i, "...") || token_is(&reader->tokens, i, "template"))
            return TEMPLATE_OTHER;
    if (token_is(&reader->tokens, first, "typename") || token_is(&reader->tokens, first, "class"))
        return TEMPLATE_TYPE;
    first += token_is(&reader->tokens, first, "const");
    if (token_is(&reader->tokens, first, "bool"))
        return TEMPLATE_BOOLEAN;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (token_is(&reader->tokens, first, numbers[i]))
            return TEMPLATE_NUMBER;
    return TEMPLATE_OTHER;
}

static void read_template(struct reader *reader, struct kernel_signature *kernel)
{
    const struct tokens *tokens = &reader->tokens;
    size_t open = reader->template_at + 1;
    size_t close = tokens_behind_angle(tokens, open) - 1;
    for (size_t i = open + 1; i < close && kernel->template_count < SIGNATURE_TEMPLATE_MAX;) {
        size_t end = item_end(reader, i, close);
        size_t name = declared_name(reader, i, end);
        struct template_parameter *parameter = &kernel->template[kernel->template_count++];
        parameter->name = text_of(reader, name, name + 1);
        parameter->kind = kind_of_template(reader, i, end);
        for (size_t j = name; j + 1 < end; j++)
            if (token_is(tokens, j, "="))
                parameter->preset = text_of(reader, j + 1, end);
        i = end + 1;
    }
}

/* ---- how a kernel uses what it is given ---- */

static bool is_change(const struct reader *reader, size_t index)
{
    static const char *const signs[] = {
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "<<=", ">>="};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (token_is(&reader->tokens, index, signs[i]))
            return true;
    return false;
}

static bool begins_atomic(const struct reader *reader, size_t index)
{
    const struct token *token = &reader->tokens.items[index];
    return token->kind == TOKEN_NAME && token->length > 6 &&
           strncmp(token->start, "atomic", 6) == 0;
}

/* Behind what is picked out of an element: [i], .x, ->x; *member says whether a part of it is. */
static size_t behind_element(const struct tokens *tokens, size_t at, bool *member)
{
    for (;;) {
        if (token_is(tokens, at, "[")) {
            at = tokens_behind(tokens, at);
        } else if (token_is(tokens, at, ".") || token_is(tokens, at, "->")) {
            *member = true;
            at += 2;
        } else {
            return at;
        }
    }
}

/* The pointer itself is moved or looked at. */
static bool is_of_pointer(const struct reader *reader, size_t at)
{
    const struct tokens *tokens = &reader->tokens;
    return is_change(reader, at + 1) || is_change(reader, at - 1) ||
           token_is(tokens, at + 1, "==") || token_is(tokens, at + 1, "!=") ||
           token_is(tokens, at - 1, "!");
}

/* *p = ..., not a * p. */
static bool is_starred(const struct tokens *tokens, size_t at)
{
    static const char *const before[] = {";", "{", ")", "}", "=", "(", ",", "return"};
    bool starred = at >= 2 && token_is(tokens, at - 1, "*");
    for (size_t i = 0; starred && i < sizeof before / sizeof *before; i++)
        if (token_is(tokens, at - 2, before[i]))
            return true;
    return false;
}

static void read_use(const struct reader *reader, struct kernel_parameter *parameter, size_t at)
{
    const struct tokens *tokens = &reader->tokens;
    if (token_is(tokens, at - 1, ".") || token_is(tokens, at - 1, "->"))
        return; /* a member */
    bool address = token_is(tokens, at - 1, "&") && at >= 2 &&
                   tokens->items[at - 2].kind == TOKEN_SIGN && !token_is(tokens, at - 2, ")") &&
                   !token_is(tokens, at - 2, "]");
    size_t before = address ? at - 1 : at;
    bool member = false;
    bool starred = is_starred(tokens, at);
    size_t behind = behind_element(tokens, at + 1, &member);
    parameter->is_seen = true;
    if (before >= 2 && token_is(tokens, before - 1, "(") && begins_atomic(reader, before - 2)) {
        parameter->is_read = parameter->is_written = true;
    } else if (address || (behind == at + 1 && !starred)) {
        parameter->is_hidden = parameter->is_hidden || address || !is_of_pointer(reader, at);
    } else {
        bool changed = is_change(reader, behind) || is_change(reader, at - 1);
        bool set = token_is(tokens, behind, "=");
        parameter->is_written |= set || changed;
        /* What a kernel sets a part of keeps the rest. */
        parameter->is_read |= !set || member;
    }
}

static void read_body(struct reader *reader, struct kernel_signature *kernel, size_t open)
{
    const struct tokens *tokens = &reader->tokens;
    size_t close = tokens_behind(tokens, open);
    for (size_t i = open + 1; i < close; i++) {
        if (tokens->items[i].kind != TOKEN_NAME)
            continue;
        bool index = token_is(tokens, i, "threadIdx") || token_is(tokens, i, "blockIdx");
        if (index && token_is(tokens, i + 1, ".")) {
            kernel->uses_y |= token_is(tokens, i + 2, "y");
            kernel->uses_z |= token_is(tokens, i + 2, "z");
        }
        kernel->uses_block_size |= token_is(tokens, i, "blockDim");
        for (size_t j = 0; j < kernel->parameter_count; j++)
            if (token_is(tokens, i, kernel->parameters[j].name))
                read_use(reader, &kernel->parameters[j], i);
    }
}

/* ---- declarations ---- */

static bool takes_brackets(const struct reader *reader, size_t index)
{
    static const char *const words[] = {
        "__launch_bounds__", "__cluster_dims__", "__attribute__", "__block_size__",
        "__maxnreg__",       "__declspec",       "alignas"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is(&reader->tokens, index, words[i]))
            return true;
    return false;
}

static const char *qualified(struct reader *reader, const char *name)
{
    char whole[NAME_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i < reader->depth && i < SCOPES_MAX; i++) {
        size_t length = strlen(reader->scopes[i]);
        if (length == 0 || used + length + 3 > sizeof whole)
            continue;
        memcpy(whole + used, reader->scopes[i], length);
        memcpy(whole + used + length, "::", 3);
        used += length + 2;
    }
    const char *text = arena_printf(reader->arena, "%s%s", whole, name);
    reader->failed |= !text;
    return text ? text : "";
}

/* A kernel that was declared before is taken as it is defined. */
static struct kernel_signature *place_for(struct reader *reader, const char *name)
{
    struct source_signature *out = reader->out;
    for (size_t i = 0; i < out->kernel_count; i++)
        if (strcmp(out->kernels[i].name, name) == 0)
            return &out->kernels[i];
    return out->kernel_count < SIGNATURE_KERNELS_MAX ? &out->kernels[out->kernel_count++] : NULL;
}

/* From behind __global__ on. Gives where to go on. */
static size_t read_kernel(struct reader *reader, size_t at)
{
    const struct tokens *tokens = &reader->tokens;
    struct kernel_signature kernel = {.line = tokens->items[at - 1].line,
                                      .first_token = (uint32_t)at};
    size_t name = tokens->count;
    for (; at < tokens->count && !token_is(tokens, at, ";") && !token_is(tokens, at, "{"); at++) {
        if (takes_brackets(reader, at) && token_is(tokens, at + 1, "(")) {
            size_t close = tokens_behind(tokens, at + 1) - 1;
            if (token_is(tokens, at, "__launch_bounds__"))
                kernel.bounds = text_of(reader, at + 2, item_end(reader, at + 2, close));
            at = close;
        } else if (token_is(tokens, at, "(")) {
            break;
        } else if (is_name_at(reader, at)) {
            name = at;
        }
    }
    if (!token_is(tokens, at, "(") || name >= at)
        return at;
    kernel.name = qualified(reader, text_of(reader, name, name + 1));
    if (reader->has_template)
        read_template(reader, &kernel);
    read_parameters(reader, &kernel, at);
    size_t behind = tokens_behind(tokens, at);
    kernel.end_token = (uint32_t)behind;
    if (token_is(tokens, behind, "{")) {
        kernel.end_token = (uint32_t)tokens_behind(tokens, behind);
        read_body(reader, &kernel, behind);
    }
    struct kernel_signature *place = place_for(reader, kernel.name);
    if (place && (!place->name || token_is(tokens, behind, "{")))
        *place = kernel;
    return behind;
}

/* __constant__ TYPE NAME [...]; one with an initialiser has its values. */
static void read_symbol(struct reader *reader, size_t at)
{
    const struct tokens *tokens = &reader->tokens;
    size_t end = at;
    while (end < tokens->count && !token_is(tokens, end, ";") && !token_is(tokens, end, "=") &&
           !token_is(tokens, end, "{"))
        end++;
    size_t name = declared_name(reader, at + 1, end);
    struct source_signature *out = reader->out;
    if (!token_is(tokens, end, ";") || name >= end || reader->has_template ||
        out->symbol_count == SIGNATURE_SYMBOLS_MAX)
        return;
    out->symbols[out->symbol_count++].name = qualified(reader, text_of(reader, name, name + 1));
}

/* The words of a directive: "#ifndef", NAME, rest. */
static size_t split_directive(const struct token *token, const char **word, size_t *length)
{
    const char *at = token->start + 1;
    const char *end = token->start + token->length;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    *word = at;
    while (at < end && name_goes_on(*at))
        at++;
    *length = (size_t)(at - *word);
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return (size_t)(at - token->start);
}

static bool is_directive(const struct token *token, const char *name, const char **rest,
                         size_t *length)
{
    const char *word = NULL;
    size_t word_length = 0;
    if (token->kind != TOKEN_DIRECTIVE)
        return false;
    size_t used = split_directive(token, &word, &word_length);
    *rest = token->start + used;
    *length = token->length - used;
    while (*length > 0 && isspace((unsigned char)(*rest)[*length - 1]))
        --*length;
    return word_length == strlen(name) && strncmp(word, name, word_length) == 0;
}

/* The value of `#define NAME VALUE`, without comments; its length, 0: none. */
static size_t macro_value(const char *definition, size_t length, size_t name_length,
                          const char **value)
{
    if (length <= name_length + 1 || !isspace((unsigned char)definition[name_length]))
        return 0;
    *value = definition + name_length;
    size_t value_length = length - name_length;
    while (value_length > 0 && isspace((unsigned char)**value))
        ++*value, value_length--;
    const char *comment = memchr(*value, '/', value_length);
    if (comment)
        value_length = (size_t)(comment - *value);
    while (value_length > 0 && isspace((unsigned char)(*value)[value_length - 1]))
        value_length--;
    return value_length;
}

static bool is_listed(const struct source_signature *out, const char *name, size_t length)
{
    bool found = false;
    for (size_t i = 0; i < out->macro_count; i++)
        found |= strlen(out->macros[i].name) == length &&
                 strncmp(out->macros[i].name, name, length) == 0;
    return found;
}

/* What authors call the sides of blocks and tiles, in capitals. */
static bool names_tile(const char *name, size_t length)
{
    static const char *const words[] = {"BLOCK", "THREAD", "TILE", "TPB", "UNROLL", "COARS", "WPT"};
    static const char *const counts[] = {"MAX", "MIN", "NUM_BLOCK", "NUMBER_OF_BLOCK", "BLOCKS"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (length >= strlen(counts[i]) && strncmp(name, counts[i], strlen(counts[i])) == 0)
            return false;
    bool found = false;
    for (size_t i = 0; i < length; i++) {
        if (islower((unsigned char)name[i]))
            return false;
        for (size_t j = 0; j < sizeof words / sizeof *words; j++)
            found |= length - i >= strlen(words[j]) &&
                     strncmp(name + i, words[j], strlen(words[j])) == 0;
    }
    return found;
}

static bool is_small_number(const char *value, size_t length)
{
    long number = 0;
    for (size_t i = 0; i < length && number <= 1024; i++) {
        if (!isdigit((unsigned char)value[i]))
            return false;
        number = 10 * number + (value[i] - '0');
    }
    return number > 0 && number <= 1024;
}

/* #ifndef NAME, then #define NAME VALUE: a value that others may give. Or a lone #define of a
 * tile's side. */
static void read_macro(struct reader *reader, size_t at)
{
    const struct tokens *tokens = &reader->tokens;
    struct source_signature *out = reader->out;
    const char *guard = NULL, *definition = NULL, *value = NULL;
    size_t guard_length = 0, length = 0, name_length = 0;
    bool guarded =
        at + 1 < tokens->count && is_directive(&tokens->items[at], "ifndef", &guard, &guard_length);
    if (out->macro_count == SIGNATURE_MACROS_MAX ||
        !is_directive(&tokens->items[at + (guarded ? 1 : 0)], "define", &definition, &length))
        return;
    while (name_length < length && name_goes_on(definition[name_length]))
        name_length++;
    size_t value_length = macro_value(definition, length, name_length, &value);
    bool same = name_length == guard_length && strncmp(definition, guard, guard_length) == 0;
    bool tile =
        !guarded && is_small_number(value, value_length) && names_tile(definition, name_length);
    if (value_length == 0 || name_length == 0 || (guarded ? !same : !tile) ||
        is_listed(out, definition, name_length))
        return;
    struct macro_signature *macro = &out->macros[out->macro_count++];
    macro->name = arena_strndup(reader->arena, definition, name_length);
    macro->preset = arena_strndup(reader->arena, value, value_length);
    macro->fixed = !guarded;
    reader->failed |= !macro->name || !macro->preset;
}

static void open_scope(struct reader *reader, size_t at)
{
    const char *name = "";
    if (at >= 2 && token_is(&reader->tokens, at - 2, "namespace") && is_name_at(reader, at - 1))
        name = text_of(reader, at - 1, at);
    if (reader->depth < SCOPES_MAX)
        reader->scopes[reader->depth] = name;
    reader->depth++;
}

static size_t read_one(struct reader *reader, size_t i)
{
    const struct tokens *tokens = &reader->tokens;
    if (tokens->items[i].kind == TOKEN_DIRECTIVE)
        read_macro(reader, i);
    else if (token_is(tokens, i, "__global__"))
        return read_kernel(reader, i + 1);
    else if (token_is(tokens, i, "__constant__"))
        read_symbol(reader, i);
    else if (token_is(tokens, i, "template") && token_is(tokens, i + 1, "<")) {
        reader->has_template = true;
        reader->template_at = i;
        return tokens_behind_angle(tokens, i + 1);
    } else if (token_is(tokens, i, "{"))
        open_scope(reader, i);
    else if (token_is(tokens, i, "}") && reader->depth > 0)
        reader->depth--;
    if (token_is(tokens, i, "{") || token_is(tokens, i, "}") || token_is(tokens, i, ";"))
        reader->has_template = false;
    return i + 1;
}

enum status declarations_read(struct arena *arena, const char *text, struct source_signature *out,
                              struct error *error)
{
    struct reader reader = {.arena = arena, .out = out};
    *out = (struct source_signature){0};
    out->kernels = arena_alloc(arena, SIGNATURE_KERNELS_MAX, sizeof *out->kernels);
    if (!out->kernels || !tokens_read(arena, text, &reader.tokens))
        return error_no_memory(error);
    for (size_t i = 0; i < reader.tokens.count && !reader.failed;)
        i = read_one(&reader, i);
    return reader.failed ? error_no_memory(error) : STATUS_OK;
}
