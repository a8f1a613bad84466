/* What `tune init` takes for the parameters of an experiment, by names and by what they are. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tuner/cli/init.h"

/* ---- names ---- */

static bool has_word(const char *name, const char *word)
{
    size_t length = strlen(word);
    for (; *name; name++)
        if (strncasecmp(name, word, length) == 0)
            return true;
    return false;
}

static bool is_one_of(const char *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(name, words[i]) == 0)
            return true;
    return false;
}

static bool ends_as_one(const char *name, const char *const *ends, size_t count)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < count; i++)
        if (length > strlen(ends[i]) && strcasecmp(name + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

/* How many elements there are, by the name. */
bool init_names_size(const char *name)
{
    static const char *const words[] = {
        "n",     "size",  "count", "length", "len", "total",  "width",  "height",
        "rows",  "cols",  "nx",    "ny",     "nz",  "w",      "h",      "elements",
        "items", "dim",   "ni",    "nj",     "nk",  "imageW", "imageH", "dataW",
        "dataH", "numel", "pitch", "ld",     "lda", "ldb",    "ldc"};
    static const char *const ends[] = {"size",   "count", "rows",   "cols",     "width",  "height",
                                       "length", "dim",   "points", "elements", "columns"};
    return is_one_of(name, words, COUNT(words)) || strncasecmp(name, "num", 3) == 0 ||
           strncasecmp(name, "n_", 2) == 0 || ends_as_one(name, ends, COUNT(ends));
}

static bool is_integer(const struct kernel_parameter *parameter)
{
    return parameter->kind == PARAMETER_SCALAR && !element_is_real(parameter->type) &&
           parameter->bytes >= 4;
}

/* m and k are sizes where there is another. */
bool init_is_size(const struct init_writer *writer, const struct kernel_parameter *parameter)
{
    static const char *const others[] = {"m", "k"};
    if (!is_integer(parameter))
        return false;
    return init_names_size(parameter->name) ||
           (!writer->flat && is_one_of(parameter->name, others, COUNT(others)));
}

bool init_is_number(const char *text)
{
    char *end = NULL;
    if (!text || !*text)
        return false;
    (void)strtod(text, &end);
    return *end == '\0';
}

/* ---- parameters ---- */

static char block_axis(const char *name)
{
    bool block = has_word(name, "block") || has_word(name, "thread") || has_word(name, "tpb");
    if (!block || has_word(name, "per") || strncasecmp(name, "min", 3) == 0)
        return 0;
    char last = (char)tolower((unsigned char)name[strlen(name) - 1]);
    if (has_word(name, "row") || has_word(name, "height"))
        return 'y';
    return last == 'y' || last == 'z' ? last : 'x';
}

/* `values` and the preset among them, ascending. */
static void list_values(struct init_tunable *tunable, const long *values, size_t count)
{
    struct text text = {0};
    long preset = strtol(tunable->preset, NULL, 0);
    bool placed = false;
    for (size_t i = 0; i < count; i++) {
        if (!placed && preset < values[i])
            text_printf(&text, "%s%ld", i ? ", " : "", preset);
        bool before = !placed && preset < values[i];
        placed |= preset <= values[i];
        text_printf(&text, "%s%ld", i || before ? ", " : "", values[i]);
    }
    if (!placed)
        text_printf(&text, ", %ld", preset);
    (void)string_format(tunable->values, sizeof tunable->values, "%s", text_string(&text));
    text_free(&text);
}

static void choose_values(const struct init_writer *writer, struct init_tunable *tunable)
{
    static const long whole[] = {64, 128, 256, 512, 1024};
    static const long across[] = {8, 16, 32, 64};
    static const long down[] = {1, 2, 4, 8, 16};
    static const long few[] = {1, 2, 4, 8};
    static const long sides[] = {8, 16, 32};
    bool word = strcmp(tunable->preset, "true") == 0 || strcmp(tunable->preset, "false") == 0;
    bool real = strpbrk(tunable->preset, ".eEfF") && strncmp(tunable->preset, "0x", 2) != 0;
    bool on = strcmp(tunable->preset, "0") == 0 || strncasecmp(tunable->name, "use", 3) == 0;
    if (word)
        (void)string_format(tunable->values, sizeof tunable->values, "false, true");
    else if (real || tunable->axis == 'z')
        (void)string_format(tunable->values, sizeof tunable->values, "%s", tunable->preset);
    else if (on)
        (void)string_format(tunable->values, sizeof tunable->values, "0, 1");
    else if (tunable->square)
        list_values(tunable, sides, COUNT(sides));
    else if (tunable->axis == 'x' && writer->flat)
        list_values(tunable, whole, COUNT(whole));
    else if (tunable->axis == 'x')
        list_values(tunable, across, COUNT(across));
    else if (tunable->axis == 'y')
        list_values(tunable, down, COUNT(down));
    else
        list_values(tunable, few, COUNT(few));
}

static void add_tunable(struct init_writer *writer, const char *name, const char *preset,
                        bool define)
{
    struct init_tunable *tunable = &writer->tunables[writer->tunable_count++];
    const char *bounds = writer->kernel->bounds;
    *tunable = (struct init_tunable){.name = name, .preset = preset, .is_define = define};
    tunable->axis = bounds && strcmp(bounds, name) == 0 ? 'x' : block_axis(name);
    if (tunable->axis != 'x' && !writer->kernel->uses_y)
        tunable->axis = 0;
    for (size_t i = 0; i + 1 < writer->tunable_count; i++)
        if (writer->tunables[i].axis == tunable->axis)
            tunable->axis = 0;
}

/* The side of a square tile is that of the block, whatever it is called. */
static void make_square(struct init_writer *writer)
{
    struct init_tunable *tunable = &writer->tunables[writer->tunable_count - 1];
    tunable->square = writer->kernel->uses_y;
    if (tunable->square && tunable->axis == 0 && !init_side(writer, 'x'))
        tunable->axis = 'x';
}

static void add_macro(struct init_writer *writer, const struct macro_signature *macro)
{
    add_tunable(writer, macro->name, macro->preset, true);
    writer->tunables[writer->tunable_count - 1].fixed = macro->fixed;
    if (macro->square)
        make_square(writer);
}

struct init_tunable *init_side(struct init_writer *writer, char axis)
{
    struct init_tunable *square = NULL;
    for (size_t i = 0; i < writer->tunable_count; i++) {
        if (writer->tunables[i].axis == axis)
            return &writer->tunables[i];
        if (writer->tunables[i].axis == 'x' && writer->tunables[i].square && axis == 'y')
            square = &writer->tunables[i];
    }
    return square;
}

/* __launch_bounds__((BM * BN) / (TM * TN)): the block, where all that it names are parameters. */
static const char *block_of_bounds(const struct init_writer *writer)
{
    const char *bounds = writer->kernel->bounds;
    struct text out = {0};
    bool known = bounds && strpbrk(bounds, "*/+-");
    for (const char *at = bounds; known && at && *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        bool found = length == 0 || isdigit((unsigned char)*at);
        for (size_t i = 0; i < writer->tunable_count && !found; i++)
            found = strlen(writer->tunables[i].name) == length &&
                    strncmp(writer->tunables[i].name, at, length) == 0;
        known = found && *at != ':' && *at != '<';
        text_append_bytes(&out, at, length ? length : 1);
        if (*at == '/')
            text_append(&out, "/");
        at += length ? length : 1;
    }
    const char *copy = known && !out.failed ? arena_strdup(writer->arena, text_string(&out)) : NULL;
    text_free(&out);
    return copy;
}

/* A kernel whose block no macro gives takes any: the launch alone says. */
static void add_block(struct init_writer *writer)
{
    const char *bounds = writer->kernel->bounds;
    bool fixed = init_is_number(bounds);
    writer->block = block_of_bounds(writer);
    if (writer->block)
        return;
    if (!init_side(writer, 'x')) {
        const char *preset = writer->flat ? "256" : "32";
        add_tunable(writer, writer->flat ? "block_size" : "block_x", fixed ? bounds : preset,
                    false);
        struct init_tunable *block = &writer->tunables[writer->tunable_count - 1];
        block->axis = 'x';
        choose_values(writer, block);
        if (fixed)
            (void)string_format(block->values, sizeof block->values, "%s", bounds);
    }
    if (!writer->flat && writer->kernel->uses_y && !init_side(writer, 'y')) {
        long across = strtol(init_side(writer, 'x')->preset, NULL, 0);
        add_tunable(writer, "block_y", fixed || across > 128 ? "1" : "8", false);
        struct init_tunable *block = &writer->tunables[writer->tunable_count - 1];
        block->axis = 'y';
        choose_values(writer, block);
    }
}

void init_list_tunables(struct init_writer *writer)
{
    const struct source_signature *signature = writer->file->signature;
    for (size_t i = 0; i < writer->kernel->template_count && !signature->instance; i++) {
        const struct template_parameter *parameter = &writer->kernel->template[i];
        bool word =
            strcmp(parameter->preset, "true") == 0 || strcmp(parameter->preset, "false") == 0;
        if (parameter->kind != TEMPLATE_TYPE && (word || init_is_number(parameter->preset)))
            add_tunable(writer, parameter->name, parameter->preset, false);
        if (parameter->kind == TEMPLATE_NUMBER && parameter->square)
            make_square(writer);
    }
    for (size_t i = 0; i < signature->macro_count; i++)
        if (init_is_number(signature->macros[i].preset) && !signature->macros[i].elsewhere)
            add_macro(writer, &signature->macros[i]);
    for (size_t i = 0; i < writer->tunable_count; i++)
        choose_values(writer, &writer->tunables[i]);
    add_block(writer);
}
