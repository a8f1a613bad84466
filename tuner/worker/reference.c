#include "tuner/worker/reference.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/worker/worker.h"

typedef void reference_function(void *const *arguments, struct tune_expected *expected);

enum status reference_compute(const char *path, const char *name, const struct launch_plan *plan,
                              const void *const *inputs, size_t output,
                              struct tune_expected *expected, struct error *error)
{
    void *arguments[ARGUMENTS_MAX] = {NULL};
    void *copies[ARGUMENTS_MAX] = {NULL};
    _Alignas(8) unsigned char values[ARGUMENTS_MAX][VALUE_BYTES_MAX];
    enum status status = STATUS_OK;
    if (output >= plan->argument_count || !argument_is_written(&plan->arguments[output]))
        return error_set(error, STATUS_INTERNAL, "the checked argument is no output");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(error, STATUS_BAD_INPUT, "reference: %s", dlerror());
    /* POSIX guarantees that a pointer from dlsym can be a function's; ISO C has no such cast. */
    reference_function *function = NULL;
    void *symbol = dlsym(library, name);
    memcpy(&function, &symbol, sizeof function);
    if (!function)
        TRY_OR_CLEANUP(
            error_set(error, STATUS_BAD_INPUT, "reference '%s' is not in its source", name));
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        size_t bytes = argument_bytes(argument);
        if (argument->role == ARGUMENT_UPDATE) { /* a copy, as the function may work in place */
            if (!(copies[i] = malloc(bytes + 1)))
                TRY_OR_CLEANUP(error_no_memory(error));
            arguments[i] = memcpy(copies[i], inputs[i], bytes);
        } else if (argument->role == ARGUMENT_INPUT) {
            memcpy(&arguments[i], &inputs[i], sizeof arguments[i]);
        } else if (!role_is_vector(argument->role)) {
            TRY_OR_CLEANUP(argument_pack(argument, values[i], &bytes, error));
            arguments[i] = values[i];
        }
    }
    for (size_t i = 0; i < plan->argument_count; i++)
        for (size_t j = 0; arguments[i] && j < plan->argument_count; j++)
            argument_point(&plan->arguments[j], i, (uintptr_t)arguments[i], values[j]);
    function(arguments, expected);
cleanup:
    for (size_t i = 0; i < plan->argument_count; i++)
        free(copies[i]);
    (void)dlclose(library);
    return status;
}

bool checks_follow_inputs(const struct worker_checks *checks)
{
    bool follow = checks->count > 0;
    for (size_t i = 0; i < checks->count; i++)
        follow = follow && checks->items[i].kind != REFERENCE_FILL;
    return follow;
}

bool checks_are_recorded(const struct worker_checks *checks)
{
    bool recorded = false;
    for (size_t i = 0; i < checks->count; i++)
        recorded = recorded || checks->items[i].fill == FILL_FILE;
    return recorded;
}
