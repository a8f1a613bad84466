#include "tuner/base/launch.h"

#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/base/text.h"

const char *const schedule_names[] = {[SCHEDULE_STATIC] = "static", [SCHEDULE_QUEUED] = "queued"};
const char *const fill_names[] = {
    [FILL_ZERO] = "zero",
    [FILL_RANDOM] = "random",
    [FILL_RANDOM_EXACT] = "random_exact",
    [FILL_RANDOM_ODD] = "random_odd",
    [FILL_CONSTANT] = "constant",
    [FILL_UNIFORM] = "uniform",
    [FILL_NORMAL] = "normal",
    [FILL_SERIES] = "series",
    [FILL_FILE] = "file",
};

bool role_is_vector(enum argument_role role)
{
    return role != ARGUMENT_SCALAR && role != ARGUMENT_STRUCT;
}

bool role_is_filled(enum argument_role role)
{
    return role == ARGUMENT_INPUT || role == ARGUMENT_UPDATE;
}

bool argument_is_texture_symbol(const struct argument *argument)
{
    return argument->symbol && argument->texture.width > 0;
}

bool argument_is_passed(const struct argument *argument)
{
    return role_is_vector(argument->role) && !argument->symbol;
}

bool argument_is_bound(const struct argument *argument)
{
    const bool is_copied = argument->symbol && argument->role == ARGUMENT_INPUT &&
                           !argument_is_texture_symbol(argument);
    return role_is_vector(argument->role) && !is_copied;
}

bool argument_rotates(const struct argument *argument)
{
    return role_is_filled(argument->role) && argument_is_bound(argument);
}

bool argument_is_written(const struct argument *argument)
{
    return argument_is_bound(argument) && argument->role != ARGUMENT_INPUT;
}

bool argument_is_variable(const struct argument *argument)
{
    return argument_is_written(argument) && argument->symbol;
}

bool argument_is_variable_of_places(const struct argument *argument)
{
    bool points = false;
    for (size_t i = 0; argument->symbol && i < argument->field_count; i++)
        points |= argument->fields[i].points_to > 0;
    return points;
}

bool argument_stays(const struct launch_plan *plan, size_t index)
{
    bool stays = argument_is_texture_symbol(&plan->arguments[index]);
    for (size_t i = 0; i < plan->argument_count; i++)
        for (size_t j = 0; plan->arguments[i].symbol && j < plan->arguments[i].field_count; j++)
            stays |= plan->arguments[i].fields[j].points_to == index + 1;
    return stays;
}

void patch_vector(void *vector, enum element_type type, const struct patch *patch)
{
    const size_t bytes = element_bytes(type);
    for (uint32_t i = 0; i < patch->count; i++)
        memcpy((unsigned char *)vector + patch->at[i] * bytes, patch->values + i * bytes, bytes);
}

bool plan_has_updates(const struct launch_plan *plan)
{
    for (size_t i = 0; i < plan->argument_count; i++)
        if (plan->arguments[i].role == ARGUMENT_UPDATE)
            return true;
    return false;
}

uint32_t launch_repeats(const struct launch *launch)
{
    return launch->repeat > 0 ? launch->repeat : 1;
}

uint8_t launch_argument(const struct launch *launch, size_t place, uint32_t repeat)
{
    const uint8_t index = launch->arguments[place];
    if (repeat % 2 == 0)
        return index;
    return index == launch->swap_one     ? launch->swap_other
           : index == launch->swap_other ? launch->swap_one
                                         : index;
}

uint32_t launch_block_threads(const struct launch *launch)
{
    return launch->block[0] * launch->block[1] * launch->block[2];
}

uint32_t launch_cluster_blocks(const struct launch *launch)
{
    uint32_t blocks = 1;
    for (size_t i = 0; i < 3; i++)
        blocks *= launch->cluster[i] > 1 ? launch->cluster[i] : 1;
    return blocks;
}

struct kernel_resources resources_unknown(void)
{
    return (struct kernel_resources){.registers = -1,
                                     .static_shared_bytes = -1,
                                     .local_bytes = -1,
                                     .spill_bytes = -1,
                                     .max_threads_per_block = -1,
                                     .active_blocks_per_sm = -1,
                                     .occupancy = -1,
                                     .suggested_block = -1,
                                     .suggested_grid = -1};
}

void launch_want_workspace(struct launch_plan *plan, const struct launch *launch, int64_t bytes)
{
    struct argument *workspace = &plan->arguments[launch->arguments[launch->argument_count - 2]];
    struct argument *size = &plan->arguments[launch->arguments[launch->argument_count - 1]];
    if (bytes > workspace->count)
        workspace->count = bytes;
    size->scalar = value_integer(workspace->count);
}

bool plan_is_of_functions(const struct launch_plan *plan)
{
    return plan->launch_count > 0 && plan->launches[0].is_function;
}

uint64_t plan_launches(const struct launch_plan *plan)
{
    uint64_t launches = 0;
    for (size_t i = 0; i < plan->launch_count; i++)
        launches += launch_repeats(&plan->launches[i]);
    return launches;
}

/* Returns the kernel's place among the plan's kernels. Kernels of equal binaries may have different
 * names, as instances of a template do; there the place identifies the kernel, as in the hash of
 * the code. */
static size_t kernel_place(const struct launch_plan *plan, size_t index)
{
    size_t first = 0; /* first launch of the kernel */
    size_t place = 0;
    while (strcmp(plan->launches[first].kernel, plan->launches[index].kernel) != 0)
        first++;
    for (size_t i = 0; i < first; i++) {
        size_t before = 0;
        while (strcmp(plan->launches[before].kernel, plan->launches[i].kernel) != 0)
            before++;
        place += before == i ? 1 : 0;
    }
    return place;
}

static void append_value(struct text *text, struct value value)
{
    char scalar[VALUE_TEXT_BYTES] = "";
    (void)value_format(value, scalar, sizeof scalar);
    text_printf(text, "%s ", scalar);
}

uint64_t plan_hash(const struct launch_plan *plan, const char *binary_hash, bool by_code)
{
    struct text text = {0};
    text_printf(&text, "%s;", binary_hash);
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct launch *launch = &plan->launches[i];
        if (by_code)
            text_printf(&text, "kernel %zu", kernel_place(plan, i));
        else
            text_append(&text, launch->kernel);
#define ONE(member, least, most) text_printf(&text, " %u", (unsigned)launch->member);
#define THREE(member, least)                                                                       \
    text_printf(&text, " %u,%u,%u", launch->member[0], launch->member[1], launch->member[2]);
        LAUNCH_NUMBERS(ONE, THREE)
#undef ONE
#undef THREE
        for (size_t j = 0; j < launch->argument_count; j++)
            text_printf(&text, " %u", launch->arguments[j]);
        text_append(&text, ";");
    }
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        text_printf(&text, "%s=", argument->name);
        if (argument->role == ARGUMENT_SCALAR)
            append_value(&text, argument->scalar);
        for (size_t j = 0; j < argument->field_count; j++) {
            if (argument->fields[j].points_to)
                text_printf(&text, "&%u ", argument->fields[j].points_to);
            append_value(&text, argument->fields[j].value);
        }
    }
    uint64_t hash = text.failed ? 0 : hash_u64(text.data, text.length, 0);
    text_free(&text);
    return hash;
}
