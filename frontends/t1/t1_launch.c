/* KernelSpecification: grid, block, shared memory, and the related defines. */
#include <string.h>

#include "frontends/t1/internal.h"

static const char axis_names[DIMENSIONS][2] = {"X", "Y", "Z"};
static const char *const block_names[DIMENSIONS] = {"block_size_x", "block_size_y", "block_size_z"};

/* An expression per dimension, with its origin. */
struct extent {
    const char *text[DIMENSIONS];
    const char *origin[DIMENSIONS];
};

/* Reads GlobalSize or LocalSize; *given is false if absent. */
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

/* Reads the block. By Kernel Tuner's convention, parameters with these names are the block. */
static bool read_block(struct translation *t, struct extent *out)
{
    bool given = false;
    bool named = false;
    for (size_t i = 0; i < DIMENSIONS; i++)
        named |= t->sized && t1_parameter(t, block_names[i]);
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

/* Reads the product of GridDiv's items; *out is NULL without items. */
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
        const char *text = json_formula(t, item);
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
        const char *text = size ? json_formula(t, size) : NULL;
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

/* Replaces `/` by `//`, because a grid must be an integer. */
static const char *whole_number(struct translation *t, const char *text)
{
    for (const char *c = text; c && *c; c++) {
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
        if (!threads || !block->text[i] || strcmp(block->text[i], "1") == 0)
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
    json_array_foreach(t->arguments, index, argument)
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

static void put_define(struct translation *t, struct node *defines, const char *origin,
                       const char *name, const char *value)
{
    if (!json_object_get(json_member(t->tune, "defines"), name))
        put_text(t, defines, name, origin, value);
}

static void put_defines(struct translation *t, const struct extent *grid,
                        const struct extent *block)
{
    static const char *const grid_names[DIMENSIONS] = {"grid_size_x", "grid_size_y", "grid_size_z"};
    struct node *defines = put_mapping(t, t->root_node, "defines", NULL);
    const json_t *parameter;
    const char *key;
    const json_t *value;
    size_t index;
    json_array_foreach(json_member(t->space, "TuningParameters"), index, parameter)
    {
        const char *name = json_word(parameter, "Name");
        bool real = t->dialect == T1_KTT && json_has_text(parameter, "Type", "float");
        put_define(t, defines, t1_printf(t, "ConfigurationSpace.TuningParameters[%zu]", index),
                   name, real ? t1_printf(t, "float(%s)", name) : name);
    }
    if (t->dialect == T1_KERNEL_TUNER) { /* this dialect defines more than the parameters */
        const char *source = t1_kernel_text(t);
        put_define(t, defines, NULL, "kernel_tuner", "1");
        for (size_t i = 0; i < DIMENSIONS && t->sized; i++)
            if (!t1_parameter(t, block_names[i]))
                put_define(t, defines, NULL, block_names[i], block->text[i]);
        for (size_t i = 0; i < DIMENSIONS; i++)
            if (grid->text[i] && !t1_parameter(t, grid_names[i]) && source &&
                strstr(source, grid_names[i]))
                put_define(t, defines, grid->origin[i], grid_names[i], grid->text[i]);
    }
    json_object_foreach((json_t *)json_member(t->tune, "defines"), key, value)
    {
        if (!json_is_null(value)) /* null leaves the file's define of this name out */
            put_json(t, defines, key, t1_printf(t, "tune.defines.%s", key), value, 0);
    }
}

/* ---- the launch ---- */

static void put_extent(struct translation *t, struct node *launch, const char *key,
                       const struct extent *extent)
{
    size_t used = 1;
    for (size_t i = 1; i < DIMENSIONS; i++)
        if (extent->text[i] && strcmp(extent->text[i], "1") != 0)
            used = i + 1;
    struct node *list = used > 1 ? put_list(t, launch, key, extent->origin[0]) : launch;
    for (size_t i = 0; i < used; i++)
        put_text(t, list, used > 1 ? NULL : key, extent->origin[i], extent->text[i]);
}

/* Adds the list of passed arguments, if some are not passed. */
static void put_passed(struct translation *t, struct node *launch)
{
    const char *origin = "KernelSpecification.Arguments";
    const json_t *argument;
    size_t index;
    bool all = true;
    if (json_member(t->tune, "arguments")) /* symbols among these are marked as such */
        return;
    json_array_foreach(t->arguments, index, argument)
    {
        all = all && !t1_is_symbol(t, argument) && !t1_is_local(argument);
    }
    if (all)
        return;
    struct node *list = put_list(t, launch, "arguments", origin);
    list->flow = true;
    json_array_foreach(t->arguments, index, argument)
    {
        if (t1_is_local(argument) || (t1_is_symbol(t, argument) && !t1_passes_symbols(t)))
            continue;
        put_text(t, list, NULL, origin, t1_argument_name(t, index));
    }
}

bool t1_translate_launch(struct translation *t)
{
    struct extent grid = {0};
    struct extent block = {0};
    const char *shared = NULL;
    const char *name = NULL;
    const char *origin = "KernelSpecification.KernelName";
    const bool ours = json_member(t->tune, "launches") != NULL;
    if (!ours) {
        if (!read_block(t, &block) ||
            !(t->sized ? grid_of_problem(t, &grid) : grid_of_global_size(t, &block, &grid)) ||
            !read_shared(t, &shared) || !json_text(t, t->kernel, "KernelName", origin, &name))
            return false;
        if (!name || name[0] == '\0')
            return t1_error(t, origin, "is missing");
    }
    t->sized = t->sized && !ours;
    put_defines(t, &grid, &block);
    if (put_ours(t, "launches"))
        return true;
    struct node *launches = put_list(t, t->root_node, "launches", origin);
    struct node *launch = put_mapping(t, launches, NULL, origin);
    put_text(t, launch, "kernel", origin, name);
    put_extent(t, launch, "grid", &grid);
    if (!t->device->is_gpu) { /* a block is a call of the kernel, and its threads share the grid */
        const char *product = NULL;
        for (size_t i = 0; i < DIMENSIONS; i++)
            if (block.text[i] && strcmp(block.text[i], "1") != 0)
                product = product ? t1_printf(t, "%s * (%s)", product, block.text[i])
                                  : t1_printf(t, "(%s)", block.text[i]);
        put_text(t, launch, "threads", block.origin[0], product ? product : "1");
    } else {
        put_extent(t, launch, "block", &block);
    }
    if (shared && t->device->is_gpu)
        put_text(t, launch, "shared", "KernelSpecification.SharedMemory", shared);
    put_passed(t, launch);
    return true;
}
