#include "tuner/worker/reference.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/worker/worker.h"

typedef void reference_function(void *const *arguments, struct tune_expected *expected);

/* Arguments of the function. Vectors that are read and written are copies, since the function may
 * work in place. */
struct bound {
    void *arguments[ARGUMENTS_MAX];
    void *copies[ARGUMENTS_MAX];
    unsigned char values[ARGUMENTS_MAX][VALUE_BYTES_MAX];
};

static enum status bind_argument(struct bound *bound, const struct argument *argument,
                                 const void *input, size_t i, struct error *error)
{
    size_t bytes = 0;
    if (argument->role == ARGUMENT_UPDATE) {
        bound->copies[i] = malloc(argument_bytes(argument) + 1);
        TRY_MEMORY(bound->copies[i]);
        memcpy(bound->copies[i], input, argument_bytes(argument));
        bound->arguments[i] = bound->copies[i];
    } else if (argument->role == ARGUMENT_INPUT) {
        memcpy(&bound->arguments[i], &input, sizeof bound->arguments[i]);
    } else if (!role_is_vector(argument->role)) {
        bound->arguments[i] = bound->values[i];
        return argument_pack(argument, bound->values[i], &bytes, error);
    }
    return STATUS_OK;
}

static enum status call(reference_function *function, const struct launch_plan *plan,
                        const void *const *inputs, struct tune_expected *expected,
                        struct error *error)
{
    struct bound bound = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < plan->argument_count; i++)
        status = bind_argument(&bound, &plan->arguments[i], inputs[i], i, error);
    for (size_t i = 0; i < plan->argument_count; i++)
        for (size_t j = 0; bound.arguments[i] && j < plan->argument_count; j++)
            argument_point(&plan->arguments[j], i, (uintptr_t)bound.arguments[i], bound.values[j]);
    if (status == STATUS_OK)
        function(bound.arguments, expected);
    for (size_t i = 0; i < plan->argument_count; i++)
        free(bound.copies[i]);
    return status;
}

enum status reference_compute(const char *path, const char *name, const struct launch_plan *plan,
                              const void *const *inputs, size_t output,
                              struct tune_expected *expected, struct error *error)
{
    if (output >= plan->argument_count || !argument_is_written(&plan->arguments[output]))
        return error_set(error, STATUS_INTERNAL, "the checked argument is no output");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(error, STATUS_BAD_INPUT, "reference: %s", dlerror());
    /* POSIX guarantees that a pointer from dlsym can be a function's; ISO C has no such cast. */
    reference_function *function = NULL;
    void *symbol = dlsym(library, name);
    memcpy(&function, &symbol, sizeof function);
    enum status status =
        function ? call(function, plan, inputs, expected, error)
                 : error_set(error, STATUS_BAD_INPUT, "reference '%s' is not in its source", name);
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
