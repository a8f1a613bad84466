#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cpu/device.h"

enum { UNKNOWN_MEMORY_SHARE_BYTES = 1 << 30 };

static struct placing placing_for(const struct device *device, const struct launch_plan *plan,
                                  size_t index)
{
    const struct machine *machine = &device->machine;
    struct placing placing = {
        .pool = device->pool,
        .nodes = machine->nodes,
        .layout = layout_for_argument(plan, index, machine->nodes, pool_size(device->pool)),
        .bytes_max = machine->memory_bytes > 0 ? (size_t)machine->memory_bytes / 4
                                               : UNKNOWN_MEMORY_SHARE_BYTES,
    };
    if (machine->numa_nodes > 1)
        placing.bytes_max /= LAYOUTS_KEPT;
    return placing;
}

/* Finds a variable; the size is in the binary's table of symbols. */
static enum status find_symbol(const struct device *device, const struct argument *argument,
                               void **out, struct error *error)
{
    if (device->current == 0)
        return error_set(error, STATUS_INTERNAL, "cpu: no binary is loaded");
    const struct binary *binary = &device->binaries[device->current - 1];
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;
    *out = dlsym(binary->handle, argument->symbol);
    if (!*out)
        return error_set(error, STATUS_BAD_INPUT,
                         "argument '%s': the kernel's source defines no variable '%s' (one that is "
                         "static is not seen)",
                         argument->name, argument->symbol);
    if (dladdr1(*out, &info, (void **)(uintptr_t)&symbol, RTLD_DL_SYMENT) != 0 && symbol)
        return argument_fits_symbol(argument, (size_t)symbol->st_size, error);
    return STATUS_OK;
}

enum status cpu_bind(struct device *device, const struct launch_plan *plan,
                     const void *const *inputs, uint32_t copies, const struct patch *patches,
                     struct error *error)
{
    device->argument_count = 0;
    device->varied = false;
    device->shown_copy = 0;
    device->copies = BLOCK_RUNS_MAX;
    watch_process(device);
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        const bool is_vector = role_is_vector(argument->role);
        struct placing placing = placing_for(device, plan, i);
        struct shelf *shelf = &device->shelves[i];
        void *variable = NULL;
        size_t bytes = argument_bytes(argument);
        shelf->variable_bytes = bytes;
        if (argument->symbol)
            TRY(find_symbol(device, argument, &variable, error));
        shelf->variable = argument_is_variable(argument) ? variable : NULL;
        if (argument->symbol && !shelf->variable) {
            unsigned char value[VALUE_BYTES_MAX];
            if (!is_vector)
                TRY(argument_pack(argument, value, &bytes, error));
            memcpy(variable, is_vector ? inputs[i] : value, bytes);
        } else if (argument_is_bound(argument) && !argument_rotates(argument)) {
            TRY(shelf_reserve(shelf, &placing, argument, error));
        } else if (argument_is_bound(argument)) {
            TRY(shelf_upload(shelf, &placing, argument, inputs[i], variable ? 1 : copies, error));
            struct vector *vector = shelf->bound;
            if (argument->role != ARGUMENT_UPDATE)
                continue;
            /* Copies that runs have written to are as the host's again. */
            for (uint32_t k = 0; k < vector->used_copies && k < vector->count; k++)
                fill_together(&placing, vector_data(vector, k), vector->host, 0, vector->bytes);
            vector->used_copies = 0;
        }
    }
    device->argument_count = plan->argument_count;
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        struct shelf *shelf = &device->shelves[i];
        if (!argument_rotates(argument))
            continue;
        /* In a run, all arguments have the same copy: as many as each has. */
        if (!shelf->variable && shelf->bound->count < device->copies)
            device->copies = shelf->bound->count;
        if (patches && argument->role == ARGUMENT_INPUT) {
            vector_vary(shelf->bound, &patches[i]);
            device->varied |= patches[i].count > 0;
        }
    }
    return STATUS_OK;
}

void set_vectors(struct device *device, const struct launch_plan *plan, enum argument_role role,
                 int value)
{
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        struct placing placing = placing_for(device, plan, i);
        if (argument->role == role && argument_is_bound(argument))
            fill_together(&placing, vector_data(device->shelves[i].bound, 0), NULL, value,
                          argument_bytes(argument));
    }
}

void begin_run(struct device *device, const struct launch_plan *plan, enum run_start start)
{
    device->turn++;
    note_updates(device, plan, 1);
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        struct vector *vector = device->shelves[i].bound;
        const size_t bytes = argument_bytes(argument);
        if (!argument_is_bound(argument))
            continue;
        const struct placing placing = placing_for(device, plan, i);
        if (argument->role == ARGUMENT_INPUT)
            vector_turn_bands(vector, device->turn);
        else if (argument->role == ARGUMENT_UPDATE)
            fill_together(&placing, vector_data(vector, 0), vector->host, 0, bytes);
        else if (argument->role == ARGUMENT_OUTPUT || start == RUN_FIRST)
            fill_together(&placing, vector_data(vector, 0), NULL,
                          argument->role == ARGUMENT_OUTPUT ? POISON : 0, bytes);
        if (start == RUN_FIRST && argument_is_written(argument))
            vector_guard(vector, bytes);
    }
}

void carry_variables(struct device *device, bool back)
{
    for (size_t i = 0; i < device->argument_count; i++) {
        const struct shelf *shelf = &device->shelves[i];
        char *data = shelf->variable ? vector_data(shelf->bound, 0) : NULL;
        if (data)
            memcpy(back ? data : shelf->variable, back ? shelf->variable : data,
                   shelf->variable_bytes);
    }
}

void note_updates(struct device *device, const struct launch_plan *plan, uint32_t copies)
{
    for (size_t i = 0; i < plan->argument_count; i++) {
        struct vector *vector = device->shelves[i].bound;
        if (plan->arguments[i].role == ARGUMENT_UPDATE && vector->used_copies < copies)
            vector->used_copies = copies;
    }
}

static void describe_breach(const struct argument *argument, int64_t at, char *detail, size_t bytes)
{
    int64_t size = (int64_t)argument_bytes(argument);
    const char *role = argument->role == ARGUMENT_OUTPUT    ? "output"
                       : argument->role == ARGUMENT_INPUT   ? "input"
                       : argument->role == ARGUMENT_SCRATCH ? "scratch"
                                                            : "argument";
    long long away = (long long)(at < 0 ? -at : at - size + 1);
    (void)string_format(detail, bytes, "%s '%s' of %lld bytes was written %s: byte %lld %s it",
                        role, argument->name, (long long)size,
                        at < 0 ? "before its start" : "behind its end", away,
                        at < 0 ? "before" : "behind");
}

enum status cpu_guards_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                              char *detail, size_t detail_bytes, struct error *error)
{
    *intact = true;
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "cpu: the plan is not bound");
    for (size_t i = 0; *intact && i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        int64_t at = 0;
        if (!argument_is_written(argument) ||
            vector_guarded(device->shelves[i].bound, argument_bytes(argument), &at))
            continue;
        *intact = false;
        describe_breach(argument, at, detail, detail_bytes);
    }
    return STATUS_OK;
}

enum status cpu_look(struct device *device, size_t index, const void **out, size_t bytes,
                     struct error *error)
{
    const struct vector *vector =
        index < device->argument_count ? device->shelves[index].bound : NULL;
    if (!vector || bytes > vector->bytes)
        return error_set(error, STATUS_INTERNAL, "cpu: argument %zu has no %zu bytes to be read",
                         index, bytes);
    *out = vector_data(vector, device->shown_copy < vector->count ? device->shown_copy : 0);
    return STATUS_OK;
}

enum status cpu_read(struct device *device, size_t index, void *out, size_t bytes,
                     struct error *error)
{
    const void *data = NULL;
    TRY(cpu_look(device, index, &data, bytes, error));
    memcpy(out, data, bytes);
    return STATUS_OK;
}

enum status cpu_inputs_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                              bool *worn, char *detail, size_t detail_bytes, struct error *error)
{
    const char *changed = watch_changed(device);
    *worn = changed != NULL;
    *intact = !changed;
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "cpu: the plan is not bound");
    if (changed)
        (void)string_format(detail, detail_bytes, "it changes its process: %s", changed);
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        int64_t at = 0;
        if (argument->role != ARGUMENT_INPUT || !argument_is_bound(argument) ||
            vector_kept(device->shelves[i].bound, &at) || !*intact)
            continue;
        *intact = false;
        if (at < 0 || at >= (int64_t)argument_bytes(argument))
            describe_breach(argument, at, detail, detail_bytes);
        else
            (void)string_format(detail, detail_bytes, "it writes its input: %s[%zu] is changed",
                                argument->name, (size_t)at / element_bytes(argument->type));
    }
    return STATUS_OK;
}
