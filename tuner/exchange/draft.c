/* An experiment file drafted from a kernel's source: its parameters by names and by what they are,
 * and the file. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tuner/base/array.h"
#include "tuner/exchange/draft_tunables.h"
#include "tuner/experiment/point.h"

enum { COMMENT_COLUMN = 64, STRUCT_BYTES_MAX = 4096, AXES_MAX = 6 };

/* ---- names ---- */

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
static bool names_size(const char *name)
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
static bool is_size(const struct draft *draft, const struct kernel_parameter *parameter)
{
    static const char *const others[] = {"m", "k"};
    if (!is_integer(parameter))
        return false;
    return names_size(parameter->name) ||
           (!draft->flat && is_one_of(parameter->name, others, COUNT(others)));
}

/* ---- lines ---- */

/* A line with what it means behind it. */
static void put_line(struct draft *draft, const char *comment, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put_line(struct draft *draft, const char *comment, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const char *last = strrchr(line, '\n');
    int length = (int)strlen(last ? last + 1 : line);
    if (comment)
        text_printf(draft->out, "%s%*s  # %s\n", line,
                    length < COMMENT_COLUMN ? COMMENT_COLUMN - length : 0, "", comment);
    else
        text_printf(draft->out, "%s\n", line);
}

/* "1", "n", "n * n", "n * n * n", "n**4" ... */
static const char *power(const struct draft *draft, uint32_t axes)
{
    const char *size = draft->size;
    const char *text = axes == 0   ? "1"
                       : axes == 1 ? size
                       : axes == 2 ? arena_printf(draft->arena, "%s * %s", size, size)
                       : axes == 3 ? arena_printf(draft->arena, "%s * %s * %s", size, size, size)
                                   : arena_printf(draft->arena, "%s**%u", size, axes);
    draft->out->failed |= !text;
    return text ? text : "";
}

/* All of a vector's, so many times. */
static const char *elements(const struct draft *draft, uint32_t times)
{
    const char *all = power(draft, draft->axes);
    return times > 1 ? arena_printf(draft->arena, "%u * %s", times, all) : all;
}

/* As a text of YAML, whatever it holds. */
static const char *quoted(const struct draft *draft, const char *text)
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
    const char *copy = out.failed ? NULL : arena_strdup(draft->arena, text_string(&out));
    text_free(&out);
    draft->out->failed |= !copy;
    return copy ? copy : "";
}

/* Within a comment: what ends a line ends it. */
static const char *plain(const struct draft *draft, const char *text)
{
    char *copy = arena_strdup(draft->arena, text);
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    return copy ? copy : "";
}

static void put_head(struct draft *draft)
{
    static const char *const sizes[AXES_MAX + 1] = {[1] = "[1048576, 16777216]",
                                                    "[1024, 4096]",
                                                    "[128, 256]",
                                                    "[32, 64]",
                                                    "[16, 32]",
                                                    "[8, 16]"};
    const struct draft_request *file = draft->request;
    text_printf(draft->out,
                "# Tunes %s of %s. Made by 'tune init': what it could not know is a guess, and "
                "marked\n# with a '?'. All that may stand in such a file: docs/experiment-files.md."
                "\nexperiment: %s\n%s%s",
                draft->kernel->name, plain(draft, file->source), file->experiment,
                file->unit_count > 0 ? "sources: [" : "source: ", quoted(draft, file->source));
    for (size_t i = 0; i < file->unit_count; i++)
        text_printf(draft->out, ", %s", quoted(draft, file->units[i]));
    text_append(draft->out, file->unit_count > 0 ? "]\n" : "\n");
    if (file->compiler)
        text_printf(draft->out, "compiler: %s%s\n", file->compiler,
                    file->compiler_found ? "  # ? NVRTC does not take this source" : "");
    for (size_t i = 0; i < file->folder_count; i++)
        text_printf(draft->out, "%s%s%s%s", i ? ", " : "include: [",
                    quoted(draft, file->folders[i]), i + 1 == file->folder_count ? "]" : "",
                    i + 1 < file->folder_count ? ""
                    : file->folders_found      ? "  # ? found near the source\n"
                                               : "\n");
    for (size_t i = 0; i < draft->kernel->template_count && !file->signature->instance; i++)
        if (draft->kernel->template[i].kind == TEMPLATE_TYPE) {
            if (!strstr(text_string(draft->out), "\naxes:"))
                put_line(draft, "each value is a problem of its own", "\naxes:");
            put_line(draft, "? more types: i32, f64, f16 ...", "  %s: [%s]",
                     draft->kernel->template[i].name,
                     element_name(draft->kernel->template[i].type));
        }
    if (file->captured) {
        text_append(draft->out, "\n# Each launch that was captured is a size.\n");
        captured_put_sizes(file->captured, draft->out);
        return;
    }
    put_line(draft, "each size is tuned by itself", "\nsizes:");
    if (draft->held > 0) {
        put_line(draft, "? as many as the variable that it writes holds", "  %s: [%zu]",
                 draft->size, draft->held);
        return;
    }
    put_line(draft, "?", "  %s: %s", draft->size, sizes[draft->axes]);
}

static void put_parameters(struct draft *draft)
{
    bool sides = false;
    put_line(draft, "what is tuned: every combination is a point", "\nparameters:");
    for (size_t i = 0; i < draft->tunable_count; i++)
        put_line(draft,
                 draft->tunables[i].fixed
                     ? "? values; the source has a #define of it, which gives way"
                     : "? values",
                 "  %s: [%s]", draft->tunables[i].name, draft->tunables[i].values);
    put_line(draft, "the configuration that nobody tuned", "defaults:");
    for (size_t i = 0; i < draft->tunable_count; i++)
        text_printf(draft->out, "  %s: %s\n", draft->tunables[i].name, draft->tunables[i].preset);
    sides = block_side(draft, 'x') && block_side(draft, 'y');
    if (draft->block)
        text_printf(draft->out, "constraints:\n  - 1 <= %s <= 1024\n", draft->block);
    else if (sides && block_side(draft, 'x') != block_side(draft, 'y'))
        put_line(draft, "? threads per block", "constraints:\n  - 32 <= %s * %s <= 1024",
                 block_side(draft, 'x')->name, block_side(draft, 'y')->name);
    bool first = true;
    for (size_t i = 0; i < draft->tunable_count; i++) {
        if (!draft->tunables[i].is_define)
            continue;
        if (first)
            put_line(draft, "given to the compiler as -DNAME=value", "\ndefines:");
        first = false;
        text_printf(draft->out, "  %s: %s\n", draft->tunables[i].name, draft->tunables[i].name);
    }
    const struct source_signature *signature = draft->request->signature;
    for (size_t i = 0; i < signature->macro_count; i++) {
        const struct macro_signature *macro = &signature->macros[i];
        bool number = is_number(macro->preset);
        if (!macro->guessed || (number && !macro->elsewhere))
            continue;
        if (first)
            put_line(draft, "given to the compiler as -DNAME=value", "\ndefines:");
        first = false;
        text_printf(draft->out, number ? "  %s: %s\n" : "  %s: \"'%s'\"\n", macro->name,
                    macro->preset);
    }
}

static const char *kernel_name(const struct draft *draft)
{
    const struct source_signature *signature = draft->request->signature;
    struct text text = {0};
    if (signature->instance)
        return signature->instance;
    text_append(&text, draft->kernel->name);
    for (size_t i = 0; i < draft->kernel->template_count; i++) {
        const struct template_parameter *parameter = &draft->kernel->template[i];
        bool word = parameter->preset && (strcmp(parameter->preset, "true") == 0 ||
                                          strcmp(parameter->preset, "false") == 0);
        text_append(&text, i ? ", " : "<");
        if (parameter->kind == TEMPLATE_TYPE)
            text_printf(&text, "${cuda_type(%s)}", parameter->name);
        else if (word || is_number(parameter->preset))
            text_printf(&text, "${%s}", parameter->name);
        else
            text_append(&text, parameter->preset);
    }
    text_append(&text, draft->kernel->template_count ? ">" : "");
    const char *copy = arena_strdup(draft->arena, text_string(&text));
    text_free(&text);
    return copy ? copy : draft->kernel->name;
}

/* The grid follows the block as it did in all launches. */
static void put_captured_launch(struct draft *draft)
{
    const struct captured_set *captured = draft->request->captured;
    const char *block[3], *grid[3];
    for (size_t axis = 0; axis < 3; axis++) {
        const struct tunable *side =
            draft->block ? NULL : block_side(draft, (char)('x' + (int)axis));
        int64_t sides[CAPTURED_LAUNCHES_MAX];
        for (size_t i = 0; i < captured->launch_count; i++)
            sides[i] = captured->launches[i]->is.block[axis];
        const char *name = side ? side->name : draft->block && axis == 0 ? draft->block : NULL;
        block[axis] = name ? name : captured_number(captured, sides);
        grid[axis] = captured_grid(captured, axis, name);
    }
    captured_put_launch(captured, grid, block, captured_shared(captured), draft->out);
}

static void put_launch(struct draft *draft)
{
    const struct tunable *x = block_side(draft, 'x');
    const struct tunable *y = block_side(draft, 'y');
    const struct source_signature *signature = draft->request->signature;
    const char *name = kernel_name(draft);
    text_append(draft->out, "\nlaunches:\n");
    if (name[0] == '(')
        put_line(draft, "? the last of several of this name", "  - kernel: \"%s\"", name);
    else
        text_printf(draft->out, "  - kernel: \"%s\"\n", name);
    if (draft->request->captured) {
        put_captured_launch(draft);
        return;
    }
    if (draft->block) {
        put_line(draft, "? blocks: as many as cover the work", "    grid: ceil_div(%s, %s)",
                 elements(draft, 1), draft->block);
        put_line(draft, "threads per block, by __launch_bounds__", "    block: %s", draft->block);
    } else if (y) {
        put_line(draft, "? blocks: as many as cover the work",
                 "    grid: [\"ceil_div(%s, %s)\", \"ceil_div(%s, %s)\"%s%s]", draft->size, x->name,
                 draft->size, y->name, draft->kernel->uses_z ? ", " : "",
                 draft->kernel->uses_z ? draft->size : "");
        put_line(draft, "? threads per block", "    block: [%s, %s]", x->name, y->name);
    } else {
        put_line(draft, "? blocks: as many as cover the work", "    grid: ceil_div(%s, %s)",
                 elements(draft, 1), x->name);
        put_line(draft, "? threads per block", "    block: %s", x->name);
    }
    if (signature->dynamic_shared)
        put_line(draft, "? bytes of the extern __shared__ array", "    shared: 4 * %s",
                 draft->block ? arena_printf(draft->arena, "(%s)", draft->block) : x->name);
    if (signature->symbol_count == 0 || draft->kernel->parameter_count == 0)
        return;
    text_append(draft->out, "    arguments: [");
    for (size_t i = 0; i < draft->kernel->parameter_count; i++)
        text_printf(draft->out, "%s%s", i ? ", " : "", draft->kernel->parameters[i].name);
    text_append(draft->out, "]\n");
}

/* ---- arguments ---- */

static bool is_surface(const struct kernel_parameter *parameter)
{
    return parameter->kind == PARAMETER_SCALAR && parameter->type == ELEMENT_U64 &&
           strstr(parameter->text, "cudaSurfaceObject_t");
}

static bool is_output(const struct kernel_parameter *parameter)
{
    if (is_surface(parameter))
        return parameter->is_written || parameter->is_hidden || !parameter->is_seen;
    return parameter->kind == PARAMETER_POINTER && !parameter->constant &&
           (parameter->is_written || parameter->is_hidden || !parameter->is_seen);
}

/* Whose values count: a kernel that reads what it writes, or may do so where it cannot be seen. */
static bool is_update(const struct kernel_parameter *parameter)
{
    return is_output(parameter) &&
           (parameter->is_read || parameter->is_hidden || !parameter->is_written);
}

static const char *type_of(const struct draft *draft, const struct kernel_parameter *parameter)
{
    if (parameter->generic && parameter->lanes == 1 && !draft->request->signature->instance)
        return arena_printf(draft->arena, "\"${%s}\"", parameter->generic);
    return parameter->known ? element_name(parameter->type) : "u8";
}

static void put_pointer(struct draft *draft, const struct kernel_parameter *parameter)
{
    uint32_t times = parameter->known ? parameter->lanes : parameter->bytes;
    const char *type = type_of(draft, parameter);
    const bool whole = times > STRUCT_BYTES_MAX; /* a struct of arrays, and not many of them */
    const char *count =
        whole ? arena_printf(draft->arena, "%u", times) : elements(draft, times > 0 ? times : 1);
    const char *what = parameter->text;
    bool real = parameter->known && element_is_real(parameter->type);
    /* Integers may be places in another argument. */
    bool places = parameter->known && !real && element_bytes(parameter->type) >= 4;
    const char *fill = places
                           ? arena_printf(draft->arena, "fill: {uniform: [0, %s - 1]}", draft->size)
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
    const char *comment = arena_printf(draft->arena, "%s%s", sure ? "" : "? ", what);
    put_line(draft, comment, "  - {name: %s, type: %s, count: %s, %s}", parameter->name, type,
             count ? count : "", role ? role : "");
}

static bool is_texture(const struct kernel_parameter *parameter)
{
    return parameter->kind == PARAMETER_SCALAR && parameter->type == ELEMENT_U64 &&
           (parameter->texture_axes > 0 || strstr(parameter->text, "cudaTextureObject_t"));
}

/* A texture or surface object over data as the kernel has them, else over reals. */
static void put_texture(struct draft *draft, const struct kernel_parameter *parameter)
{
    const bool seen = parameter->texture_axes > 0;
    const bool two = seen ? parameter->texture_axes == 2 : draft->kernel->uses_y;
    const uint32_t channels = seen ? parameter->texture_channels : 1;
    const char *count = elements(draft, channels);
    struct text texture = {0};
    draft_sides(two ? 2 : 1, channels, draft->size, draft->flat, elements(draft, 1), &texture);
    put_line(draft, arena_printf(draft->arena, "? %s", parameter->text),
             "  - {name: %s, type: %s, count: %s, %s: {%s}}", parameter->name,
             element_name(seen ? parameter->texture_type : ELEMENT_F32), count ? count : "",
             !is_surface(parameter) ? "fill: random, texture"
             : is_update(parameter) ? "update: true, fill: random, surface"
             : is_output(parameter) ? "output: true, surface"
                                    : "fill: random, surface",
             text_string(&texture));
    text_free(&texture);
}

static bool is_stride(const struct signature_field *field)
{
    return strncasecmp(field->name, "stride", 6) == 0;
}

/* How many axes an array by value has, as PyTorch's accessors are: a place, and as many sizes as
 * strides. 0: it is none. */
static uint32_t accessor_axes(const struct kernel_parameter *parameter)
{
    uint32_t places = 0, sizes = 0, strides = 0;
    for (size_t i = 0; i < parameter->field_count; i++) {
        const struct signature_field *field = &parameter->fields[i];
        if (!field->name || (!field->is_pointer && element_is_real(field->type)))
            return 0;
        if (field->is_pointer)
            places += field->count;
        else if (is_stride(field))
            strides += field->count;
        else if (strncasecmp(field->name, "size", 4) == 0)
            sizes += field->count;
        else
            return 0;
    }
    return places == 1 && sizes == strides && sizes <= AXES_MAX ? sizes : 0;
}

static const char *scalar_value(const struct draft *draft, const struct kernel_parameter *parameter)
{
    return is_size(draft, parameter) ? draft->size : "1";
}

/* The name of an argument for the vector that a struct's member points to: "low_x" of "low.x". */
static const char *pointed_name(const struct draft *draft, const struct kernel_parameter *parameter,
                                const struct signature_field *field)
{
    char *name = arena_printf(draft->arena, "%s_%s", parameter->name, field->name);
    size_t kept = 0;
    for (const char *c = name; c && *c; c++)
        if (isalnum((unsigned char)*c) || *c == '_')
            name[kept++] = *c;
        else if (*c != ']')
            name[kept++] = '_';
    if (name)
        name[kept] = '\0';
    draft->out->failed |= !name;
    return name ? name : "";
}

/* One field: "{type: f32, value: 1, count: 3}". */
static const char *field_text(const struct draft *draft, const struct kernel_parameter *parameter,
                              const struct signature_field *field)
{
    const bool size = field->name && !element_is_real(field->type) && names_size(field->name);
    const char *value = !field->name ? "0" : size ? draft->size : "1";
    const char *count =
        field->count > 1 ? arena_printf(draft->arena, ", count: %u", field->count) : "";
    const char *text = field->is_pointer
                           ? arena_printf(draft->arena, "{pointer: %s%s}",
                                          pointed_name(draft, parameter, field), count ? count : "")
                           : arena_printf(draft->arena, "{type: %s, value: %s%s}",
                                          element_name(field->type), value, count ? count : "");
    draft->out->failed |= !count || !text;
    return text ? text : "";
}

/* The vector that a field points to. What is done with it the kernel's text shows of an accessor.
 */
static struct kernel_parameter vector_of(const struct draft *draft,
                                         const struct kernel_parameter *parameter,
                                         const struct signature_field *field)
{
    const uint32_t axes = accessor_axes(parameter);
    struct kernel_parameter vector = {
        .name = field->is_pointer ? pointed_name(draft, parameter, field) : NULL,
        .text = field->name ? field->name : "",
        .kind = PARAMETER_POINTER,
        .constant = field->constant,
        .known = field->known,
        .type = field->type,
        .lanes = field->lanes,
        .bytes = field->bytes,
        .is_hidden = true};
    if (axes == 0)
        return vector;
    for (size_t i = 0; i < draft->kernel->template_count; i++)
        if (parameter->generic && field->known && field->type == draft->kernel->template[i].type &&
            strcmp(parameter->generic, draft->kernel->template[i].name) == 0)
            vector.generic = parameter->generic;
    vector.text = parameter->name;
    vector.is_seen = parameter->is_seen;
    vector.is_read = parameter->is_read;
    vector.is_written = parameter->is_written;
    /* `auto row = x[i];` is another name of a part of it; a const one is meant to be read. */
    vector.is_hidden = parameter->is_hidden || parameter->least_indices < axes;
    vector.constant |= !vector.is_written && strncmp(parameter->text, "const ", 6) == 0;
    return vector;
}

static void put_vectors(struct draft *draft, const struct kernel_parameter *parameter)
{
    for (size_t i = 0; i < parameter->field_count; i++) {
        const struct kernel_parameter vector = vector_of(draft, parameter, &parameter->fields[i]);
        if (parameter->fields[i].is_pointer)
            put_pointer(draft, &vector);
    }
}

/* Its rows lie one behind the other. All have n elements but those of the first axis, of which
 * there are as many as the vector has. */
static void put_accessor(struct draft *draft, const struct kernel_parameter *parameter)
{
    const uint32_t axes = accessor_axes(parameter);
    put_line(draft, arena_printf(draft->arena, "? %s", parameter->text),
             "  - name: %s\n    fields:", parameter->name);
    for (size_t i = 0; i < parameter->field_count; i++) {
        const struct signature_field *field = &parameter->fields[i];
        const char *type = element_name(field->type);
        if (field->is_pointer) {
            put_line(draft, field->name, "      - %s", field_text(draft, parameter, field));
            continue;
        }
        for (uint32_t axis = 0; axis < axes; axis++)
            put_line(draft, axis > 0 ? NULL : field->name, "      - {type: %s, value: %s}", type,
                     power(draft, is_stride(field) ? axes - 1 - axis
                                  : axis > 0       ? 1
                                                   : draft->axes - axes + 1));
    }
    put_vectors(draft, parameter);
}

/* A few on one line, others each on its own, by name. */
static void put_fields(struct draft *draft, const struct kernel_parameter *parameter)
{
    enum { LINE_FIELDS = 4 };
    const bool lines = parameter->field_count > LINE_FIELDS;
    struct text fields = {0};
    for (size_t i = 0; i < parameter->field_count && !lines; i++)
        text_printf(&fields, "%s%s", i ? ", " : "",
                    field_text(draft, parameter, &parameter->fields[i]));
    const char *comment = arena_printf(draft->arena, "? %s", parameter->text);
    if (lines)
        put_line(draft, comment, "  - name: %s\n    fields:", parameter->name);
    else
        put_line(draft, comment, "  - {name: %s, fields: [%s]}", parameter->name,
                 text_string(&fields));
    text_free(&fields);
    for (size_t i = 0; i < parameter->field_count && lines; i++) {
        const char *name = parameter->fields[i].name;
        put_line(draft, name ? name : "bytes without a name", "      - %s",
                 field_text(draft, parameter, &parameter->fields[i]));
    }
    put_vectors(draft, parameter);
}

/* What the source gives a value is the kernel's own business, unless nothing else is written. */
static bool is_drafted(const struct draft *draft, const struct symbol_signature *symbol)
{
    return !symbol->has_value || (draft_is_result(symbol) && !draft->writes);
}

static enum status put_symbols(struct draft *draft, struct error *error)
{
    const struct source_signature *signature = draft->request->signature;
    for (size_t i = 0; i < signature->symbol_count; i++) {
        const char *argument = NULL, *comment = NULL;
        if (!is_drafted(draft, &signature->symbols[i]))
            continue;
        enum status status =
            draft_symbol(draft->arena, &signature->symbols[i], draft->size, draft->flat,
                         elements(draft, 1), &argument, &comment, error);
        if (status != STATUS_OK)
            return status;
        put_line(draft, comment, "  - %s", argument);
    }
    return STATUS_OK;
}

static enum status put_arguments(struct draft *draft, struct error *error)
{
    put_line(draft, "in the order in which the kernel takes them; ? every count", "\narguments:");
    for (size_t i = 0; i < draft->kernel->parameter_count; i++) {
        const struct kernel_parameter *parameter = &draft->kernel->parameters[i];
        if (parameter->kind == PARAMETER_OTHER)
            return error_set(
                error, STATUS_BAD_INPUT,
                "kernel %s: parameter '%s' is passed by value, and is neither a number "
                "nor a struct: pass its parts, or a pointer",
                draft->kernel->name, parameter->text);
        if (parameter->kind == PARAMETER_POINTER)
            put_pointer(draft, parameter);
        else if (accessor_axes(parameter) > 0)
            put_accessor(draft, parameter);
        else if (parameter->kind == PARAMETER_STRUCT)
            put_fields(draft, parameter);
        else if (is_texture(parameter) || is_surface(parameter))
            put_texture(draft, parameter);
        else
            put_line(draft,
                     arena_printf(draft->arena, "%s%s", is_size(draft, parameter) ? "" : "? ",
                                  parameter->text),
                     "  - {name: %s, type: %s, value: %s}", parameter->name,
                     type_of(draft, parameter), scalar_value(draft, parameter));
    }
    return put_symbols(draft, error);
}

/* What the kernel writes, and how much of it there is to say. */
static enum status look_at_results(struct draft *draft, struct error *error)
{
    const struct source_signature *signature = draft->request->signature;
    bool vectors = false, results = false;
    size_t held = 0;
    for (size_t i = 0; i < draft->kernel->parameter_count; i++) {
        const struct kernel_parameter *parameter = &draft->kernel->parameters[i];
        draft->writes |= is_output(parameter);
        for (size_t j = 0; j < parameter->field_count; j++) {
            const struct kernel_parameter vector =
                vector_of(draft, parameter, &parameter->fields[j]);
            draft->writes |= parameter->fields[j].is_pointer && is_output(&vector);
            vectors |= parameter->fields[j].is_pointer;
        }
        vectors |= parameter->kind == PARAMETER_POINTER || is_size(draft, parameter);
    }
    for (size_t i = 0; i < signature->symbol_count; i++) {
        const struct symbol_signature *symbol = &signature->symbols[i];
        draft->writes |= draft_is_result(symbol) && !symbol->has_value;
        results |= draft_is_result(symbol);
        if (draft_is_result(symbol) && draft_symbol_elements(symbol) > held)
            held = draft_symbol_elements(symbol);
    }
    draft->held = vectors ? 0 : held;
    if (draft->writes || results)
        return STATUS_OK;
    return error_set(error, STATUS_BAD_INPUT,
                     "kernel %s writes neither to what it is given nor to a variable of the "
                     "source: there is nothing to check; let it leave its result in an array",
                     draft->kernel->name);
}

/* What one run moves at least of each element: "4 + 8". */
static void put_element_bytes(const struct draft *draft, struct text *bytes)
{
    const struct source_signature *signature = draft->request->signature;
    for (size_t i = 0; i < draft->kernel->parameter_count; i++) {
        const struct kernel_parameter *parameter = &draft->kernel->parameters[i];
        if (parameter->kind != PARAMETER_POINTER || !parameter->known)
            continue;
        uint32_t times = is_update(parameter) ? 2 : 1;
        text_printf(bytes, "%s%u", bytes->length ? " + " : "",
                    times * parameter->lanes * (uint32_t)element_bytes(parameter->type));
    }
    for (size_t i = 0; i < signature->symbol_count; i++)
        if (signature->symbols[i].texture_axes > 0 && !signature->symbols[i].is_row)
            text_printf(bytes, "%s%u", bytes->length ? " + " : "", signature->symbols[i].bytes);
}

/* More outputs than a check compares: the last of those that stand there are left out. */
static void put_unchecked(struct draft *draft)
{
    static const char before[] = "  - {name: ";
    struct text names = {0};
    size_t count = 0;
    for (const char *line = text_string(draft->out); *line; line += *line == '\n') {
        const char *start = line;
        line += strcspn(line, "\n");
        const char *name = start + strlen(before);
        if (strncmp(start, before, strlen(before)) == 0 &&
            (memmem(start, (size_t)(line - start), ", output: true", 14) ||
             memmem(start, (size_t)(line - start), ", update: true", 14)) &&
            ++count > CHECKS_MAX)
            text_printf(&names, "%s%.*s", names.length ? ", " : "", (int)strcspn(name, ","), name);
    }
    if (names.length > 0)
        put_line(draft, "? no more are compared", "check: {unchecked: [%s]}", text_string(&names));
    text_free(&names);
}

static void put_tail(struct draft *draft)
{
    struct text bytes = {0};
    put_element_bytes(draft, &bytes);
    text_append(
        draft->out,
        "\n# Without a check every output is held against what the default configuration "
        "leaves. Better:\n# check:\n#   output: NAME\n#   reference: my_reference   # a C "
        "function in my_reference.c (kernels/README.md)\n#   source: my_reference.c\n#   "
        "tolerance: 1e-5\n# or series: \"2 * i + 1\", file: expected.bin, launches: [another "
        "kernel]\n");
    put_unchecked(draft);
    if (bytes.length > 0) {
        put_line(draft, "from it GB/s and % of the device's ceiling follow", "\nmetrics:");
        put_line(draft, "? what one run must move at least", "  bytes: (%s) * %s",
                 text_string(&bytes), elements(draft, 1));
    }
    text_free(&bytes);
}

static const char *choose_size_name(const struct draft *draft)
{
    static const char *const names[] = {"n", "size", "elements", "problem_size"};
    for (size_t i = 0; i < COUNT(names); i++) {
        bool taken = false;
        for (size_t j = 0; j < draft->tunable_count; j++)
            taken |= strcmp(draft->tunables[j].name, names[i]) == 0;
        if (!taken)
            return names[i];
    }
    return "tune_size";
}

/* What launches were given, and what they left. */
static void put_captured(struct draft *draft)
{
    const struct draft_request *request = draft->request;
    text_append(draft->out, "\n");
    captured_put_derived(request->captured, draft->out);
    captured_put_arguments(request->captured, request->captured_folder, draft->out);
    text_append(
        draft->out,
        "\n# What the program's own launch left. ? Other launches may add in another order.\n");
    captured_put_checks(request->captured, request->captured_folder, false, draft->out);
    text_append(draft->out,
                "baselines:\n  - {name: program, about: As the program launches it, set: {");
    for (size_t i = 0; i < draft->tunable_count; i++)
        text_printf(draft->out, "%s%s: %s", i ? ", " : "", draft->tunables[i].name,
                    draft->tunables[i].preset);
    text_append(draft->out, "}}\n");
}

enum status draft_experiment(struct arena *arena, const struct draft_request *request,
                             struct text *out, struct error *error)
{
    struct draft *draft = arena_alloc(arena, 1, sizeof *draft);
    if (!draft)
        return error_no_memory(error);
    *draft = (struct draft){.arena = arena,
                            .request = request,
                            .kernel = request->signature->asked,
                            .out = out,
                            .flat = true};
    size_t sizes = 0;
    for (size_t i = 0; i < draft->kernel->parameter_count; i++)
        sizes += is_size(draft, &draft->kernel->parameters[i]);
    draft->flat = !draft->kernel->uses_y && (sizes < 2 || request->captured);
    draft->axes = draft->flat ? 1 : draft->kernel->uses_y && draft->kernel->uses_z ? 3 : 2;
    for (size_t i = 0; i < draft->kernel->parameter_count; i++) {
        const uint32_t axes = accessor_axes(&draft->kernel->parameters[i]);
        draft->axes = axes > draft->axes ? axes : draft->axes;
    }
    enum status status = request->captured ? STATUS_OK : look_at_results(draft, error);
    if (status != STATUS_OK)
        return status;
    list_tunables(draft);
    draft->size = choose_size_name(draft);
    if (request->captured)
        request->captured->question.size = draft->size;
    put_head(draft);
    put_parameters(draft);
    put_launch(draft);
    if (request->captured) {
        put_captured(draft);
    } else {
        status = put_arguments(draft, error);
        put_tail(draft);
    }
    if (status == STATUS_OK && out->failed)
        status = error_no_memory(error);
    return status;
}
