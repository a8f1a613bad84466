/* KernelSpecification: grid, blocks, shared memory, and the defines that go with them. */
#include <string.h>

#include "tuner/exchange/internal.h"

static const char axis_names[DIMENSIONS][2] = {"X", "Y", "Z"};
static const char *const block_names[DIMENSIONS] = {"block_size_x", "block_size_y", "block_size_z"};

/* An expression of each dimension, with where it is from. */
struct extent {
    const char *text[DIMENSIONS];
    const char *origin[DIMENSIONS];
};

/* GlobalSize or LocalSize; *given false: absent. */
static bool read_extent(struct translation *t, const char *key, struct extent *out, bool *given)
{
    const json_t *object = json_member(t->kernel, key);
    const char *whole = t1_printf(t, "KernelSpecification.%s", key);
    *given = object != NULL;
    if (object && !json_is_object(object))
        return t1_error(t, whole, "must be {\"X\": ..., \"Y\": ..., \"Z\": ...}");
    for (size_t i = 0; i < DIMENSIONS && object; i++) {
        const char *text = NULL;
        out->origin[i] = t1_printf(t, "%s.%s", whole, axis_names[i]);
        if (!json_expression(t, object, axis_names[i], out->origin[i], &text))
            return false;
        if (!text && i == 0)
            return t1_error(t, out->origin[i], "is missing");
        out->text[i] = t1_expression(t, out->origin[i], text ? text : "1");
        if (!out->text[i])
            return false;
    }
    return true;
}

/* ---- blocks ---- */

static bool has_block_names(const struct translation *t)
{
    for (size_t i = 0; i < DIMENSIONS; i++)
        if (t1_parameter(t, block_names[i]))
            return true;
    return false;
}

/* By Kernel Tuner's convention parameters of these names are the block. */
static bool read_block(struct translation *t, struct extent *out)
{
    bool given = false;
    bool named = t->sized && has_block_names(t);
    if (!read_extent(t, "LocalSize", out, &given))
        return false;
    if (named && given)
        t1_ignore(t, "KernelSpecification.LocalSize (blocks are block_size_x, _y, _z)");
    if (!named && !given && !t->sized)
        return t1_error(t, "KernelSpecification.LocalSize",
                        "is missing: threads per block; give it in an overlay (--overlay)");
    for (size_t i = 0; i < DIMENSIONS && (named || !given); i++) {
        const char *otherwise = i == 0 ? "256" : "1";
        out->text[i] = t1_parameter(t, block_names[i]) ? block_names[i] : otherwise;
        out->origin[i] = "KernelSpecification.LocalSize";
    }
    return true;
}

/* ---- the grid ---- */

/* The product of GridDiv's items; NULL in *out: none. */
static bool read_divisor(struct translation *t, size_t dimension, const char **out)
{
    const char *key = t1_printf(t, "GridDiv%s", axis_names[dimension]);
    const char *origin = t1_printf(t, "KernelSpecification.%s", key);
    const json_t *list = json_member(t->kernel, key);
    bool single = list && !json_is_array(list);
    size_t count = single ? 1 : json_array_size(list);
    *out = !list && t1_parameter(t, block_names[dimension]) ? block_names[dimension] : NULL;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = single ? list : json_array_get(list, i);
        const char *text =
            json_is_string(item) ? json_string_value(item) : json_number_text(t, item, true);
        if (!text)
            return t1_error(t, origin, "item %zu is no text or number", i + 1);
        text = t1_expression(t, origin, text);
        if (!text)
            return false;
        if (!is_name(text))
            text = t1_printf(t, "(%s)", text);
        *out = *out ? t1_printf(t, "%s * %s", *out, text) : text;
    }
    return true;
}

static bool grid_of_problem(struct translation *t, struct extent *out)
{
    const char *whole = "KernelSpecification.ProblemSize";
    const json_t *sizes = json_member(t->kernel, "ProblemSize");
    if (json_is_array(sizes) && (json_array_size(sizes) == 0 || json_array_size(sizes) > 3))
        return t1_error(t, whole, "must be one to three numbers or texts");
    for (size_t i = 0; i < DIMENSIONS; i++) {
        const json_t *size = json_is_array(sizes) ? json_array_get(sizes, i)
                             : i == 0             ? sizes
                                                  : NULL;
        const char *text =
            json_is_string(size) ? json_string_value(size) : json_number_text(t, size, true);
        const char *divisor = NULL;
        if (size && !text)
            return t1_error(t, whole, "must be one to three numbers or texts");
        if (!read_divisor(t, i, &divisor))
            return false;
        text = text ? text : "1";
        out->origin[i] = whole;
        out->text[i] = divisor && size ? t1_printf(t, "ceil_div(%s, %s)", text, divisor) : text;
    }
    if (json_member(t->kernel, "GlobalSize"))
        t1_ignore(t, "KernelSpecification.GlobalSize (the grid is ProblemSize over GridDiv)");
    return true;
}

static bool counts_threads(struct translation *t, bool *out)
{
    const char *origin = "KernelSpecification.GlobalSizeType";
    const char *type = NULL;
    if (!json_text(t, t->kernel, "GlobalSizeType", origin, &type))
        return false;
    *out = type && strcasecmp(type, "OpenCL") == 0;
    if (type && !*out && strcasecmp(type, "CUDA") != 0 && strcasecmp(type, "Vulkan") != 0)
        return t1_error(t, origin,
                        "'%.40s' is neither CUDA, which counts blocks, nor OpenCL, "
                        "which counts threads",
                        type);
    return true;
}

/* Division with one stroke gives a real, which no grid is. */
static const char *whole_number(struct translation *t, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c != '/')
            continue;
        if (c[1] != '/')
            return t1_printf(t, "int(%s)", text);
        c++;
    }
    return text;
}

static bool grid_of_global_size(struct translation *t, const struct extent *block,
                                struct extent *out)
{
    bool given = false;
    bool threads = false;
    if (!read_extent(t, "GlobalSize", out, &given) || !counts_threads(t, &threads))
        return false;
    if (!given)
        return t1_error(t, "KernelSpecification",
                        "neither GlobalSize nor ProblemSize says how many blocks there are; give "
                        "one of them in an overlay (--overlay)");
    for (size_t i = 0; i < DIMENSIONS; i++) {
        out->text[i] = whole_number(t, out->text[i]);
        if (!threads || strcmp(block->text[i], "1") == 0)
            continue;
        out->text[i] = t->dialect == T1_KTT
                           ? t1_printf(t, "(%s) // (%s)", out->text[i], block->text[i])
                           : t1_printf(t, "ceil_div(%s, %s)", out->text[i], block->text[i]);
    }
    return true;
}

/* ---- shared memory ---- */

static bool read_shared(struct translation *t, const char **out)
{
    const char *text = NULL;
    const json_t *argument;
    size_t index;
    *out = NULL;
    if (t->dialect == T1_KTT) {
        const char *origin = "KernelSpecification.SharedMemory";
        if (!json_expression(t, t->kernel, "SharedMemory", origin, &text))
            return false;
        *out = text && strcmp(text, "0") != 0 ? text : NULL;
    } else if (json_member(t->kernel, "SharedMemory")) {
        t1_ignore(t, "KernelSpecification.SharedMemory");
    }
    json_array_foreach(t1_arguments(t), index, argument)
    {
        const char *origin = t1_printf(t, "KernelSpecification.Arguments[%zu].Size", index);
        struct t1_type type = {.element = NULL};
        if (!t1_is_local(argument))
            continue;
        if (!json_expression(t, argument, "Size", origin, &text) ||
            !t1_type_of(t, argument, origin, &type))
            return false;
        if (!text)
            return t1_error(t, origin, "is missing: how much dynamic shared memory a block has");
        text = t1_expression(t, origin, text);
        if (!text)
            return false;
        text = t1_printf(t, "(%s) * %zu", text, type.bytes * type.components);
        *out = *out ? t1_printf(t, "%s + %s", *out, text) : text;
    }
    return true;
}

/* ---- defines ---- */

static bool is_ours(const struct translation *t, const char *name)
{
    return json_member(json_member(t->tune, "defines"), name) != NULL;
}

static void define(struct translation *t, const char *origin, const char *name, const char *value)
{
    if (!is_ours(t, name))
        yaml_line(t, origin, "  %s: %s", yaml_scalar(t, name), yaml_scalar(t, value));
}

/* Whether the kernel's file names it; one that cannot be read names nothing. */
static bool source_names(struct translation *t, const char *word)
{
    const char *text = t1_kernel_text(t);
    return text && strstr(text, word);
}

/* What Kernel Tuner defines beside the parameters. */
static void define_extras(struct translation *t, const struct extent *grid,
                          const struct extent *block)
{
    static const char *const grid_names[DIMENSIONS] = {"grid_size_x", "grid_size_y", "grid_size_z"};
    define(t, NULL, "kernel_tuner", "1");
    for (size_t i = 0; i < DIMENSIONS && t->sized; i++)
        if (!t1_parameter(t, block_names[i]))
            define(t, NULL, block_names[i], block->text[i]);
    for (size_t i = 0; i < DIMENSIONS; i++)
        if (grid->text[i] && !t1_parameter(t, grid_names[i]) && source_names(t, grid_names[i]))
            define(t, grid->origin[i], grid_names[i], grid->text[i]);
}

static void write_defines(struct translation *t, const struct extent *grid,
                          const struct extent *block)
{
    const json_t *parameters = json_member(t->space, "TuningParameters");
    const json_t *parameter;
    const char *key;
    const json_t *value;
    size_t index;
    yaml_line(t, NULL, "defines:");
    json_array_foreach(parameters, index, parameter)
    {
        const char *name = json_string_value(json_object_get(parameter, "Name"));
        const char *type = json_string_value(json_object_get(parameter, "Type"));
        bool real = t->dialect == T1_KTT && type && strcmp(type, "float") == 0;
        define(t, t1_printf(t, "ConfigurationSpace.TuningParameters[%zu]", index), name,
               real ? t1_printf(t, "float(%s)", name) : name);
    }
    if (t->dialect == T1_KERNEL_TUNER)
        define_extras(t, grid, block);
    json_object_foreach((json_t *)json_member(t->tune, "defines"), key, value)
    {
        yaml_line(t, t1_printf(t, "tune.defines.%s", key), "  %s: %s", yaml_scalar(t, key),
                  yaml_of_json(t, value));
    }
}

/* ---- the launch ---- */

static void write_extent(struct translation *t, const char *key, const struct extent *extent)
{
    size_t used = 1;
    for (size_t i = 1; i < DIMENSIONS; i++)
        if (strcmp(extent->text[i], "1") != 0)
            used = i + 1;
    if (used == 1) {
        yaml_line(t, extent->origin[0], "    %s: %s", key, yaml_scalar(t, extent->text[0]));
        return;
    }
    yaml_line(t, extent->origin[0], "    %s:", key);
    for (size_t i = 0; i < used; i++)
        yaml_line(t, extent->origin[i], "      - %s", yaml_scalar(t, extent->text[i]));
}

/* On the CPU a block is a turn of the kernel, and its threads share the grid. */
static void write_threads(struct translation *t, const struct extent *block)
{
    const char *product = NULL;
    for (size_t i = 0; i < DIMENSIONS; i++)
        if (strcmp(block->text[i], "1") != 0)
            product = product ? t1_printf(t, "%s * (%s)", product, block->text[i])
                              : t1_printf(t, "(%s)", block->text[i]);
    yaml_line(t, block->origin[0], "    threads: %s", yaml_scalar(t, product ? product : "1"));
}

/* Those that are passed, when not all are. */
static void write_passed(struct translation *t)
{
    const json_t *argument;
    size_t index;
    const char *list = NULL;
    bool all = true;
    json_array_foreach(t1_arguments(t), index, argument)
    {
        bool symbol = t1_is_symbol(t, argument);
        all = all && !symbol && !t1_is_local(argument);
        if (t1_is_local(argument) || (symbol && !t1_passes_symbols(t)))
            continue;
        const char *name = t1_argument_name(t, index);
        list = list ? t1_printf(t, "%s, %s", list, name) : name;
    }
    if (!all)
        yaml_line(t, "KernelSpecification.Arguments", "    arguments: [%s]", list ? list : "");
}

bool t1_write_launch(struct translation *t)
{
    struct extent grid = {0};
    struct extent block = {0};
    const char *shared = NULL;
    const char *name = NULL;
    bool ours = json_member(t->tune, "launches") != NULL;
    const char *origin = "KernelSpecification.KernelName";
    if (!ours && (!read_block(t, &block) ||
                  !(t->sized ? grid_of_problem(t, &grid) : grid_of_global_size(t, &block, &grid))))
        return false;
    if (!ours &&
        (!read_shared(t, &shared) || !json_text(t, t->kernel, "KernelName", origin, &name)))
        return false;
    if (!ours && (!name || name[0] == '\0'))
        return t1_error(t, origin, "is missing");
    t->sized = t->sized && !ours;
    write_defines(t, &grid, &block);
    if (yaml_overridden(t, "launches"))
        return true;
    yaml_line(t, origin, "launches:");
    yaml_line(t, origin, "  - kernel: %s", yaml_scalar(t, name));
    write_extent(t, "grid", &grid);
    if (t->cpu)
        write_threads(t, &block);
    else
        write_extent(t, "block", &block);
    if (shared && !t->cpu)
        yaml_line(t, "KernelSpecification.SharedMemory", "    shared: %s", yaml_scalar(t, shared));
    write_passed(t);
    return true;
}
