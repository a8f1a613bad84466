#include "tuner/worker/reference.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef void reference_function(void *const *arguments, struct tune_expected *expected);

/* POSIX lets a pointer from dlsym be a function's; ISO C has no cast for it. */
static reference_function *find_function(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    reference_function *function = NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

static enum status call(reference_function *function, const struct launch_plan *plan,
                        const void *const *inputs, struct tune_expected *expected,
                        struct error *error)
{
    void *arguments[ARGUMENTS_MAX] = {0};
    unsigned char scalars[ARGUMENTS_MAX][8];
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        if (argument->role == ARGUMENT_INPUT)
            memcpy(&arguments[i], &inputs[i], sizeof arguments[i]);
        if (argument->role != ARGUMENT_SCALAR)
            continue;
        if (!scalar_bytes(argument->scalar, argument->type, scalars[i]))
            return error_set(error, STATUS_BAD_INPUT, "argument '%s': its value does not fit %s",
                             argument->name, element_name(argument->type));
        arguments[i] = scalars[i];
    }
    function(arguments, expected);
    return STATUS_OK;
}

enum status reference_compute(const char *path, const char *name, const struct launch_plan *plan,
                              const void *const *inputs, size_t output,
                              struct tune_expected **expected, struct error *error)
{
    if (output >= plan->argument_count || plan->arguments[output].role != ARGUMENT_OUTPUT)
        return error_set(error, STATUS_INTERNAL, "the checked argument is no output");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(error, STATUS_BAD_INPUT, "reference: %s", dlerror());
    reference_function *function = find_function(library, name);
    enum status status = STATUS_OK;
    size_t count = (size_t)plan->arguments[output].count;
    *expected = calloc(count > 0 ? count : 1, sizeof **expected);
    if (!function)
        status = error_set(error, STATUS_BAD_INPUT, "reference '%s' is not in its source", name);
    else if (!*expected)
        status = error_no_memory(error);
    else
        status = call(function, plan, inputs, *expected, error);
    (void)dlclose(library);
    if (status != STATUS_OK) {
        free(*expected);
        *expected = NULL;
    }
    return status;
}
