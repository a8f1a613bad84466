#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tuner/cli/init.h"

enum { COMMENT_COLUMN = 64 };

/* ---- lines ---- */

/* A line with what it means behind it. */
static void put(struct init_writer *writer, const char *comment, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put(struct init_writer *writer, const char *comment, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const char *last = strrchr(line, '\n');
    int length = (int)strlen(last ? last + 1 : line);
    if (comment)
        text_printf(writer->out, "%s%*s  # %s\n", line,
                    length < COMMENT_COLUMN ? COMMENT_COLUMN - length : 0, "", comment);
    else
        text_printf(writer->out, "%s\n", line);
}

/* "n", "n * n" or "n * n * n", so many times. */
static const char *elements(const struct init_writer *writer, uint32_t times)
{
    const char *size = writer->size;
    const char *all = writer->flat ? arena_strdup(writer->arena, size)
                      : writer->volume
                          ? arena_printf(writer->arena, "%s * %s * %s", size, size, size)
                          : arena_printf(writer->arena, "%s * %s", size, size);
    return times > 1 && all ? arena_printf(writer->arena, "%u * %s", times, all) : all;
}

/* As a text of YAML, whatever it holds. */
static const char *quoted(const struct init_writer *writer, const char *text)
{
    struct text out = {0};
    text_append(&out, "\"");
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (*c == '"' || *c == '\\')
            text_append(&out, "\\");
        if (byte < 0x20 || byte == 0x7f)
            text_printf(&out, "\\x%02x", byte);
        else
            text_append_bytes(&out, c, 1);
    }
    text_append(&out, "\"");
    const char *copy = out.failed ? NULL : arena_strdup(writer->arena, text_string(&out));
    text_free(&out);
    writer->out->failed |= !copy;
    return copy ? copy : "";
}

/* Within a comment: what ends a line ends it. */
static const char *plain(const struct init_writer *writer, const char *text)
{
    char *copy = arena_strdup(writer->arena, text);
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    return copy ? copy : "";
}

static void put_head(struct init_writer *writer)
{
    const struct init_file *file = writer->file;
    text_printf(writer->out,
                "# Tunes %s of %s. Made by 'tune init': what it could not know is a guess, and "
                "marked\n# with a '?'. All that may stand in such a file: docs/experiment-files.md."
                "\nexperiment: %s\nsource: %s\n",
                writer->kernel->name, plain(writer, file->source), file->experiment,
                quoted(writer, file->source));
    for (size_t i = 0; i < file->folder_count; i++)
        text_printf(writer->out, "%s%s%s", i ? ", " : "include: [",
                    quoted(writer, file->folders[i]), i + 1 == file->folder_count ? "]\n" : "");
    for (size_t i = 0; i < writer->kernel->template_count && !file->signature->instance; i++)
        if (writer->kernel->template[i].kind == TEMPLATE_TYPE) {
            if (!strstr(text_string(writer->out), "\naxes:"))
                put(writer, "each value is a problem of its own", "\naxes:");
            put(writer, "? more types: i32, f64, f16 ...", "  %s: [f32]",
                writer->kernel->template[i].name);
        }
    put(writer, "each size is tuned by itself", "\nsizes:");
    put(writer, "?", "  %s: %s", writer->size,
        writer->flat     ? "[1048576, 16777216]"
        : writer->volume ? "[128, 256]"
                         : "[1024, 4096]");
}

static void put_parameters(struct init_writer *writer)
{
    bool sides = false;
    put(writer, "what is tuned: every combination is a point", "\nparameters:");
    for (size_t i = 0; i < writer->tunable_count; i++)
        put(writer,
            writer->tunables[i].fixed ? "? values; the source has a #define of it, which gives way"
                                      : "? values",
            "  %s: [%s]", writer->tunables[i].name, writer->tunables[i].values);
    put(writer, "the configuration that nobody tuned", "defaults:");
    for (size_t i = 0; i < writer->tunable_count; i++)
        text_printf(writer->out, "  %s: %s\n", writer->tunables[i].name,
                    writer->tunables[i].preset);
    sides = init_side(writer, 'x') && init_side(writer, 'y');
    if (writer->block)
        text_printf(writer->out, "constraints:\n  - 1 <= %s <= 1024\n", writer->block);
    else if (sides && init_side(writer, 'x') != init_side(writer, 'y'))
        text_printf(writer->out, "constraints:\n  - 32 <= %s * %s <= 1024\n",
                    init_side(writer, 'x')->name, init_side(writer, 'y')->name);
    bool first = true;
    for (size_t i = 0; i < writer->tunable_count; i++) {
        if (!writer->tunables[i].is_define)
            continue;
        if (first)
            put(writer, "given to the compiler as -DNAME=value", "\ndefines:");
        first = false;
        text_printf(writer->out, "  %s: %s\n", writer->tunables[i].name, writer->tunables[i].name);
    }
    const struct source_signature *signature = writer->file->signature;
    for (size_t i = 0; i < signature->macro_count; i++) {
        const struct macro_signature *macro = &signature->macros[i];
        bool number = init_is_number(macro->preset);
        if (!macro->guessed || (number && !macro->elsewhere))
            continue;
        if (first)
            put(writer, "given to the compiler as -DNAME=value", "\ndefines:");
        first = false;
        text_printf(writer->out, number ? "  %s: %s\n" : "  %s: \"'%s'\"\n", macro->name,
                    macro->preset);
    }
}

static const char *kernel_name(const struct init_writer *writer)
{
    const struct source_signature *signature = writer->file->signature;
    struct text text = {0};
    if (signature->instance)
        return signature->instance;
    text_append(&text, writer->kernel->name);
    for (size_t i = 0; i < writer->kernel->template_count; i++) {
        const struct template_parameter *parameter = &writer->kernel->template[i];
        bool word = parameter->preset && (strcmp(parameter->preset, "true") == 0 ||
                                          strcmp(parameter->preset, "false") == 0);
        text_append(&text, i ? ", " : "<");
        if (parameter->kind == TEMPLATE_TYPE)
            text_printf(&text, "${c_type(%s)}", parameter->name);
        else if (word || init_is_number(parameter->preset))
            text_printf(&text, "${%s}", parameter->name);
        else
            text_append(&text, parameter->preset);
    }
    text_append(&text, writer->kernel->template_count ? ">" : "");
    const char *copy = arena_strdup(writer->arena, text_string(&text));
    text_free(&text);
    return copy ? copy : writer->kernel->name;
}

static void put_launch(struct init_writer *writer)
{
    const struct init_tunable *x = init_side(writer, 'x');
    const struct init_tunable *y = init_side(writer, 'y');
    const struct source_signature *signature = writer->file->signature;
    text_printf(writer->out, "\nlaunches:\n  - kernel: \"%s\"\n", kernel_name(writer));
    if (writer->block) {
        put(writer, "? blocks: as many as cover the work", "    grid: ceil_div(%s, %s)",
            elements(writer, 1), writer->block);
        put(writer, "threads per block, by __launch_bounds__", "    block: %s", writer->block);
    } else if (y) {
        put(writer, "? blocks: as many as cover the work",
            "    grid: [\"ceil_div(%s, %s)\", \"ceil_div(%s, %s)\"%s%s]", writer->size, x->name,
            writer->size, y->name, writer->volume ? ", " : "", writer->volume ? writer->size : "");
        put(writer, "threads per block", "    block: [%s, %s]", x->name, y->name);
    } else {
        put(writer, "? blocks: as many as cover the work", "    grid: ceil_div(%s, %s)",
            elements(writer, 1), x->name);
        put(writer, "threads per block", "    block: %s", x->name);
    }
    if (signature->dynamic_shared)
        put(writer, "? bytes of the extern __shared__ array", "    shared: 4 * %s",
            writer->block ? arena_printf(writer->arena, "(%s)", writer->block) : x->name);
    if (signature->symbol_count == 0)
        return;
    text_append(writer->out, "    arguments: [");
    for (size_t i = 0; i < writer->kernel->parameter_count; i++)
        text_printf(writer->out, "%s%s", i ? ", " : "", writer->kernel->parameters[i].name);
    text_append(writer->out, "]\n");
}

/* ---- arguments ---- */

static bool is_output(const struct kernel_parameter *parameter)
{
    return parameter->kind == PARAMETER_POINTER && !parameter->constant &&
           (parameter->is_written || parameter->is_hidden || !parameter->is_seen);
}

/* Whose values count: a kernel that reads what it writes, or may do so where it cannot be seen. */
static bool is_update(const struct kernel_parameter *parameter)
{
    return is_output(parameter) &&
           (parameter->is_read || parameter->is_hidden || !parameter->is_written);
}

static const char *type_of(const struct init_writer *writer,
                           const struct kernel_parameter *parameter)
{
    if (parameter->generic && parameter->lanes == 1 && !writer->file->signature->instance)
        return arena_printf(writer->arena, "\"${%s}\"", parameter->generic);
    return parameter->known ? element_name(parameter->type) : "u8";
}

static void put_pointer(struct init_writer *writer, const struct kernel_parameter *parameter)
{
    uint32_t times = parameter->known ? parameter->lanes : parameter->bytes;
    const char *type = type_of(writer, parameter);
    const char *count = elements(writer, times > 0 ? times : 1);
    const char *what = parameter->text;
    bool real = parameter->known && element_is_real(parameter->type);
    /* Integers may be places in another argument. */
    bool places = parameter->known && !real && element_bytes(parameter->type) >= 4;
    const char *fill =
        places ? arena_printf(writer->arena, "fill: {uniform: [0, %s - 1]}", writer->size)
               : "fill: random";
    const char *role = fill;
    if (!parameter->known)
        role = is_output(parameter) ? "update: true, fill: zero" : "fill: zero";
    else if (is_update(parameter))
        role = real ? "update: true, fill: random" : "update: true, fill: zero";
    else if (is_output(parameter))
        role = "output: true";
    bool sure = parameter->known && !parameter->is_hidden && parameter->is_seen &&
                (!places || is_output(parameter));
    const char *comment = arena_printf(writer->arena, "%s%s", sure ? "" : "? ", what);
    put(writer, comment, "  - {name: %s, type: %s, count: %s, %s}", parameter->name, type,
        count ? count : "", role ? role : "");
}

static const char *scalar_value(const struct init_writer *writer,
                                const struct kernel_parameter *parameter)
{
    return init_is_size(writer, parameter) ? writer->size : "1";
}

static void put_fields(struct init_writer *writer, const struct kernel_parameter *parameter)
{
    struct text fields = {0};
    for (size_t i = 0; i < parameter->field_count; i++) {
        const struct signature_field *field = &parameter->fields[i];
        bool size = !element_is_real(field->type) && init_names_size(field->name);
        text_printf(&fields, "%s{type: %s, value: %s}", i ? ", " : "", element_name(field->type),
                    size ? writer->size : "1");
    }
    put(writer, arena_printf(writer->arena, "? %s", parameter->text),
        "  - {name: %s, fields: [%s]}", parameter->name, text_string(&fields));
    text_free(&fields);
}

static void put_symbols(struct init_writer *writer)
{
    const struct source_signature *signature = writer->file->signature;
    for (size_t i = 0; i < signature->symbol_count; i++) {
        const struct symbol_signature *symbol = &signature->symbols[i];
        const char *last = strrchr(symbol->name, ':');
        const char *type = symbol->known ? element_name(symbol->type) : "u8";
        size_t element = symbol->known ? element_bytes(symbol->type) : 1;
        put(writer, "? copied into the __constant__ variable before the first run",
            "  - {name: %s, type: %s, count: %zu, fill: random, symbol: \"%s\"}",
            last ? last + 1 : symbol->name, type, symbol->bytes / element, symbol->name);
    }
}

static enum status put_arguments(struct init_writer *writer, struct error *error)
{
    bool writes = false;
    put(writer, "in the order in which the kernel takes them", "\narguments:");
    for (size_t i = 0; i < writer->kernel->parameter_count; i++) {
        const struct kernel_parameter *parameter = &writer->kernel->parameters[i];
        writes |= is_output(parameter);
        if (parameter->kind == PARAMETER_OTHER)
            return error_set(
                error, STATUS_BAD_INPUT,
                "kernel %s: parameter '%s' is passed by value, and is neither a number "
                "nor a struct of numbers: pass its parts, or a pointer",
                writer->kernel->name, parameter->text);
        if (parameter->kind == PARAMETER_POINTER)
            put_pointer(writer, parameter);
        else if (parameter->kind == PARAMETER_STRUCT)
            put_fields(writer, parameter);
        else
            put(writer,
                arena_printf(writer->arena, "%s%s", init_is_size(writer, parameter) ? "" : "? ",
                             parameter->text),
                "  - {name: %s, type: %s, value: %s}", parameter->name, type_of(writer, parameter),
                scalar_value(writer, parameter));
    }
    put_symbols(writer);
    return writes ? STATUS_OK
                  : error_set(error, STATUS_BAD_INPUT,
                              "kernel %s writes to nothing that it is given: there is nothing to "
                              "check",
                              writer->kernel->name);
}

static void put_tail(struct init_writer *writer)
{
    struct text bytes = {0};
    for (size_t i = 0; i < writer->kernel->parameter_count; i++) {
        const struct kernel_parameter *parameter = &writer->kernel->parameters[i];
        if (parameter->kind != PARAMETER_POINTER || !parameter->known)
            continue;
        uint32_t times = is_update(parameter) ? 2 : 1;
        text_printf(&bytes, "%s%u", bytes.length ? " + " : "",
                    times * parameter->lanes * (uint32_t)element_bytes(parameter->type));
    }
    text_append(
        writer->out,
        "\n# Without a check every output is held against what the default configuration "
        "leaves. Better:\n# check:\n#   output: NAME\n#   reference: my_reference   # a C "
        "function in my_reference.c (kernels/README.md)\n#   source: my_reference.c\n#   "
        "tolerance: 1e-5\n# or series: \"2 * i + 1\", file: expected.bin, launches: [another "
        "kernel]\n");
    if (bytes.length > 0) {
        put(writer, "from it GB/s and % of the device's ceiling follow", "\nmetrics:");
        put(writer, "? what one run must move at least", "  bytes: (%s) * %s", text_string(&bytes),
            elements(writer, 1));
    }
    text_free(&bytes);
}

static const char *choose_size_name(const struct init_writer *writer)
{
    static const char *const names[] = {"n", "size", "elements", "problem_size"};
    for (size_t i = 0; i < COUNT(names); i++) {
        bool taken = false;
        for (size_t j = 0; j < writer->tunable_count; j++)
            taken |= strcmp(writer->tunables[j].name, names[i]) == 0;
        if (!taken)
            return names[i];
    }
    return "tune_size";
}

enum status init_write(struct arena *arena, const struct init_file *file, struct text *out,
                       struct error *error)
{
    struct init_writer *writer = arena_alloc(arena, 1, sizeof *writer);
    if (!writer)
        return error_no_memory(error);
    *writer = (struct init_writer){
        .arena = arena, .file = file, .kernel = file->signature->asked, .out = out, .flat = true};
    size_t sizes = 0;
    for (size_t i = 0; i < writer->kernel->parameter_count; i++)
        sizes += init_is_size(writer, &writer->kernel->parameters[i]);
    writer->flat = !writer->kernel->uses_y && sizes < 2;
    writer->volume = writer->kernel->uses_y && writer->kernel->uses_z;
    init_list_tunables(writer);
    writer->size = choose_size_name(writer);
    put_head(writer);
    put_parameters(writer);
    put_launch(writer);
    enum status status = put_arguments(writer, error);
    put_tail(writer);
    if (status == STATUS_OK && out->failed)
        status = error_no_memory(error);
    return status;
}
