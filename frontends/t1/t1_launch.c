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

/* Reads GlobalSize or LocalSize; its texts are NULL if it is absent. */
static bool read_extent(struct translation *t, const char *key, struct extent *out)
{
    const json_t *object = json_member(t->kernel, key);
    const char *whole = t1_printf(t, "KernelSpecification.%s", key);
    if (object && !json_is_object(object))
        return t1_error(t, whole, "must be {\"X\": ..., \"Y\": ..., \"Z\": ...}");
    for (size_t i = 0; i < DIMENSIONS && object; i++) {
        const char *text = NULL;
        out->origin[i] = t1_printf(t, "%s.%s", whole, axis_names[i]);
        TRY_OR_FALSE(t1_formula(t, json_member(object, axis_names[i]), out->origin[i], &text));
        if (!text && i == 0)
            return t1_error(t, out->origin[i], "is missing");
        out->text[i] = text ? text : "1";
    }
    return true;
}

/* ---- blocks ---- */

/* Reads the block. By Kernel Tuner's convention, parameters with these names are the block. */
static bool read_block(struct translation *t, struct extent *out)
{
    bool named = false;
    for (size_t i = 0; i < DIMENSIONS; i++)
        named |= t->sized && t1_parameter(t, block_names[i]);
    TRY_OR_FALSE(read_extent(t, "LocalSize", out));
    const bool given = out->text[0] != NULL;
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
    const json_t *item;
    *out = !list && t1_parameter(t, block_names[dimension]) ? block_names[dimension] : NULL;
    for (size_t i = 0; (item = json_item(list, i)); i++) {
        const char *text = NULL;
        TRY_OR_FALSE(t1_formula(t, item, t1_printf(t, "%s[%zu]", origin, i), &text));
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
        const json_t *size = json_item(sizes, i);
        const char *text = NULL, *divisor = NULL;
        TRY_OR_FALSE(t1_formula(t, size, whole, &text) && read_divisor(t, i, &divisor));
        text = text ? text : "1";
        out->origin[i] = whole;
        out->text[i] = divisor && size ? t1_printf(t, "ceil_div(%s, %s)", text, divisor) : text;
    }
    if (json_member(t->kernel, "GlobalSize"))
        t1_ignore(t, "KernelSpecification.GlobalSize (the grid is ProblemSize over GridDiv)");
    return true;
}

static bool grid_of_global_size(struct translation *t, const struct extent *block,
                                struct extent *out)
{
    const char *origin = "KernelSpecification.GlobalSizeType", *type = NULL;
    TRY_OR_FALSE(read_extent(t, "GlobalSize", out) &&
                 json_text(t, t->kernel, "GlobalSizeType", origin, &type));
    const bool threads = type && strcasecmp(type, "OpenCL") == 0;
    if (type && !threads && strcasecmp(type, "CUDA") != 0 && strcasecmp(type, "Vulkan") != 0)
        return t1_error(t, origin,
                        "'%.40s' is neither CUDA, which counts blocks, nor OpenCL, "
                        "which counts threads",
                        type);
    if (!out->text[0])
        return t1_error(t, "KernelSpecification",
                        "neither GlobalSize nor ProblemSize says how many blocks there are; give "
                        "one of them in an overlay (--overlay)");
    for (size_t i = 0; i < DIMENSIONS && out->text[i] && block->text[i]; i++) {
        const char *slash = strchr(out->text[i], '/');
        while (slash && slash[1] == '/')
            slash = strchr(slash + 2, '/');
        if (slash) /* a real quotient, and a grid must be an integer */
            out->text[i] = t1_printf(t, "int(%s)", out->text[i]);
        if (threads && strcmp(block->text[i], "1") != 0)
            out->text[i] = t1_printf(t, t->dialect == T1_KTT ? "(%s) // (%s)" : "ceil_div(%s, %s)",
                                     out->text[i], block->text[i]);
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
        TRY_OR_FALSE(t1_formula(t, json_member(t->kernel, "SharedMemory"), origin, &text));
        *out = text && strcmp(text, "0") != 0 ? text : NULL;
    } else if (json_member(t->kernel, "SharedMemory")) {
        t1_ignore(t, "KernelSpecification.SharedMemory");
    }
    json_array_foreach(t->arguments, index, argument)
    {
        const char *origin = t1_printf(t, "KernelSpecification.Arguments[%zu].Size", index);
        enum element_type type = ELEMENT_U8;
        size_t components = 1;
        if (!t1_is_local(argument))
            continue;
        TRY_OR_FALSE(t1_formula(t, json_member(argument, "Size"), origin, &text) &&
                     t1_type_of(t, argument, origin, &type, &components));
        if (!text)
            return t1_error(t, origin, "is missing: how much dynamic shared memory a block has");
        text = t1_printf(t, "(%s) * %zu", text, element_bytes(type) * components);
        *out = *out ? t1_printf(t, "%s + %s", *out, text) : text;
    }
    return true;
}

/* ---- defines ---- */

static void put_defines(struct translation *t, const struct extent *grid,
                        const struct extent *block)
{
    static const char *const grid_names[DIMENSIONS] = {"grid_size_x", "grid_size_y", "grid_size_z"};
    struct node *defines = put_mapping(t, t->root_node, "defines", NULL);
    const json_t *ours = json_member(t->tune, "defines"); /* replace the file's */
    const json_t *parameter;
    const char *key;
    const json_t *value;
    size_t index;
    json_array_foreach(json_member(t->space, "TuningParameters"), index, parameter)
    {
        const char *name = json_word(parameter, "Name");
        const bool real = t->dialect == T1_KTT && json_has_text(parameter, "Type", "float");
        if (!json_object_get(ours, name))
            put_text(t, defines, name,
                     t1_printf(t, "ConfigurationSpace.TuningParameters[%zu]", index),
                     real ? t1_printf(t, "float(%s)", name) : name);
    }
    if (t->dialect == T1_KERNEL_TUNER) { /* this dialect defines more than the parameters */
        if (!json_object_get(ours, "kernel_tuner"))
            put_text(t, defines, "kernel_tuner", NULL, "1");
        for (size_t i = 0; i < DIMENSIONS && t->sized; i++)
            if (!t1_parameter(t, block_names[i]) && !json_object_get(ours, block_names[i]))
                put_text(t, defines, block_names[i], NULL, block->text[i]);
        for (size_t i = 0; i < DIMENSIONS; i++)
            if (grid->text[i] && !t1_parameter(t, grid_names[i]) &&
                !json_object_get(ours, grid_names[i]) && t1_kernel_names(t, grid_names[i]))
                put_text(t, defines, grid_names[i], grid->origin[i], grid->text[i]);
    }
    json_object_foreach((json_t *)ours, key, value)
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
        if (t1_is_passed(t, argument))
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
        TRY_OR_FALSE(
            read_block(t, &block) &&
            (t->sized ? grid_of_problem(t, &grid) : grid_of_global_size(t, &block, &grid)) &&
            read_shared(t, &shared) && json_text(t, t->kernel, "KernelName", origin, &name));
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
