/* What can be told of a configuration before it costs the device anything: its binary says what a
 * kernel needs and what its machine code is, and the rest is arithmetic. */
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/session/internal.h"

/* Kernels of binaries that are alike may go by other names, as instances of a template do: there
 * they are told apart by their place among the kernels of the plan, as in the hash of the code. */
static void append_kernel(struct text *text, const struct launch_plan *plan, size_t index,
                          bool by_code)
{
    size_t first = 0; /* launch of the same kernel */
    size_t place = 0;
    while (strcmp(plan->launches[first].kernel, plan->launches[index].kernel) != 0)
        first++;
    for (size_t i = 0; i < first; i++) {
        size_t before = 0;
        while (strcmp(plan->launches[before].kernel, plan->launches[i].kernel) != 0)
            before++;
        place += before == i ? 1 : 0;
    }
    if (by_code)
        text_printf(text, "kernel %zu", place);
    else
        text_append(text, plan->launches[index].kernel);
}

static void append_launch(struct text *text, const struct launch *launch)
{
    text_printf(text, " %u,%u,%u %u,%u,%u %u %u %d %d %u", launch->grid[0], launch->grid[1],
                launch->grid[2], launch->block[0], launch->block[1], launch->block[2],
                launch->shared_bytes, launch->threads, (int)launch->schedule,
                (int)launch->dependent, launch->repeat > 1 ? launch->repeat : 1);
    for (size_t i = 0; i < launch->argument_count; i++)
        text_printf(text, " %u", launch->arguments[i]);
    text_append(text, ";");
}

static void append_value(struct text *text, struct value value)
{
    char scalar[VALUE_TEXT_BYTES] = "";
    (void)value_format(value, scalar, sizeof scalar);
    text_printf(text, "%s ", scalar);
}

uint64_t launch_hash(const struct launch_plan *plan, const struct binary *binary)
{
    struct text text = {0};
    bool by_code = binary->code_hash[0] != '\0';
    text_printf(&text, "%s;", by_code ? binary->code_hash : binary->hash);
    for (size_t i = 0; i < plan->launch_count; i++) {
        append_kernel(&text, plan, i, by_code);
        append_launch(&text, &plan->launches[i]);
    }
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        text_printf(&text, "%s=", argument->name);
        if (argument->role == ARGUMENT_SCALAR)
            append_value(&text, argument->scalar);
        for (size_t j = 0; j < argument->field_count; j++)
            append_value(&text, argument->fields[j].value);
    }
    uint64_t hash = text.failed ? 0 : hash_u64(text.data, text.length, 0);
    text_free(&text);
    return hash;
}

bool sweep_repeats(struct sweep *sweep, struct candidate *candidate, struct worker_outcome *outcome)
{
    struct candidate *twin = table_at_launch(&sweep->table, candidate->launch_hash);
    candidate->same_as = twin != candidate ? twin : NULL;
    if (!candidate->same_as)
        return false;
    outcome->status = TRIAL_SKIPPED;
    (void)string_format(outcome->detail, sizeof outcome->detail, "launches the same as '%s'",
                        candidate->same_as->key);
    sweep->duplicates++;
    return true;
}

/* What all kernels need, by the binary alone. False where that cannot be told. */
static bool tell_resources(struct sweep *sweep, const struct candidate *candidate,
                           const struct kernel_use *uses, size_t count,
                           struct kernel_resources *resources)
{
    struct group *group = sweep->group;
    const struct device_api *api = group->binaries.api;
    struct error ignored = {0};
    if (!api || !api->occupancy)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!binaries_tell(&group->binaries, candidate->binary, uses[i].kernel, &resources[i]) ||
            api->occupancy(group->facts, uses[i].block_threads, uses[i].shared_bytes, &resources[i],
                           &ignored) != STATUS_OK)
            return false;
    return count > 0;
}

/* Whether a kernel cannot be launched, and why. */
static bool does_not_fit(const struct kernel_use *uses, size_t count,
                         const struct kernel_resources *resources, struct worker_outcome *outcome)
{
    size_t i = 0;
    while (i < count && resources[i].active_blocks_per_sm != 0)
        i++;
    if (i == count)
        return false;
    outcome->status = TRIAL_LAUNCH_FAILED;
    (void)string_format(outcome->detail, sizeof outcome->detail,
                        "set aside: no block of %u threads with %d registers each, %d + %u bytes "
                        "of shared memory, fits on an SM",
                        uses[i].block_threads, resources[i].registers,
                        resources[i].static_shared_bytes, uses[i].shared_bytes);
    return true;
}

enum status sweep_foresee(struct sweep *sweep, struct arena *arena, struct candidate *candidate,
                          struct loaded *loaded, struct worker_outcome *outcome, bool *aside,
                          struct error *error)
{
    struct kernel_use uses[LAUNCHES_MAX];
    size_t count = 0;
    const struct binary *binary = candidate_binary(sweep, candidate);
    *aside = false;
    if (!binary || binary->state != BINARY_READY)
        return STATUS_OK;
    enum status status = sweep_kernels(sweep, arena, candidate, uses, &count, outcome, error);
    if (status != STATUS_OK || outcome->status != TRIAL_OK ||
        !tell_resources(sweep, candidate, uses, count, loaded->resources)) {
        *loaded = (struct loaded){0};
        *aside = outcome->status != TRIAL_OK;
        return status;
    }
    if (does_not_fit(uses, count, loaded->resources, outcome)) {
        sweep->unlaunchable++;
        *aside = true;
        return STATUS_OK;
    }
    status = sweep_plan(sweep, arena, candidate, &uses[0], loaded, outcome, error);
    if (status == STATUS_OK && outcome->status == TRIAL_OK) {
        candidate->launch_hash = launch_hash(&loaded->plan, candidate_binary(sweep, candidate));
        (void)sweep_repeats(sweep, candidate, outcome);
    }
    *aside = outcome->status != TRIAL_OK;
    if (!*aside)
        *loaded = (struct loaded){0}; /* the device has the last word */
    return status;
}
