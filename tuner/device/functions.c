#include "tuner/device/functions.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/base/pack.h"
#include "tuner/base/source.h"
#include "tuner/device/embedded.h"

enum { SYMBOL_BYTES = 48 };

/* Results of a caller that no function returns itself. */
static const long long threw = LLONG_MIN;

bool functions_are_requested(const struct binary_request *request)
{
    return request->compiler && strcmp(request->compiler, BINARY_OF_FUNCTIONS) == 0;
}

bool functions_is_library(const char *flag)
{
    return strncmp(flag, "-l", 2) == 0 || flag[0] == '/';
}

static void symbol_of(const char *purpose, const char *name, char out[SYMBOL_BYTES])
{
    (void)string_format(out, SYMBOL_BYTES, "tune_%s_%016" PRIx64, purpose,
                        hash_u64(name, strlen(name), 0));
}

void functions_append(struct text *source, const struct binary_request *request, bool is_c)
{
    text_append(source, "\n");
    source_put_line(source, 1, "callers of host functions");
    if (!is_c)
        text_append(source, functions_callers);
    for (size_t i = 0; i < request->kernel_count; i++) {
        const char *name = request->kernels[i];
        char call[SYMBOL_BYTES], describe[SYMBOL_BYTES];
        symbol_of("call", name, call);
        symbol_of("describe", name, describe);
        source_put_line(source, 1, "the function's name");
        if (is_c)
            text_printf(source,
                        "long long %s(void *const *arguments, void *stream) "
                        "{ (void)stream; return (long long)%s(arguments); }\n",
                        call, name);
        else
            text_printf(source,
                        "TUNE_SEEN long long %s(void *const *arguments, void *stream)\n"
                        "{ return tune_functions::call(%s, arguments, stream); }\n"
                        "TUNE_SEEN int %s(int *bytes, int most)\n"
                        "{ return tune_functions::describe(%s, bytes, most); }\n",
                        call, name, describe, name);
    }
}

bool functions_are_in(const char *path)
{
    char start[4] = "";
    FILE *file = fopen(path, "rbe");
    const bool read = file && fread(start, 1, sizeof start, file) == sizeof start;
    if (file)
        (void)fclose(file);
    return read && memcmp(start, "\177ELF", sizeof start) == 0;
}

enum status host_function_find(void *object, const char *name, struct host_function *out,
                               struct error *error)
{
    int (*describe)(int *bytes, int most) = NULL;
    char symbol[SYMBOL_BYTES];
    *out = (struct host_function){.parameter_count = -1};
    symbol_of("call", name, symbol);
    void *found = object ? dlsym(object, symbol) : NULL;
    if (!found)
        return error_set(error, STATUS_LAUNCH_FAILED, "the binary has no function '%s'", name);
    memcpy(&out->call, &found, sizeof found);
    symbol_of("describe", name, symbol);
    found = dlsym(object, symbol);
    memcpy(&describe, &found, sizeof found);
    if (describe)
        out->parameter_count = describe(out->parameters, ARGUMENTS_MAX + 1);
    return STATUS_OK;
}

enum status host_function_fits(const struct host_function *function, const struct launch_plan *plan,
                               const struct launch *launch, size_t count, bool needs_stream,
                               struct error *error)
{
    int taken = function->parameter_count;
    if (taken < 0)
        return STATUS_OK;
    const bool has_stream = taken > 0 && taken <= ARGUMENTS_MAX + 1 &&
                            function->parameters[taken - 1] == PARAMETER_STREAM;
    taken -= has_stream;
    if (taken != (int)count)
        return error_set(error, STATUS_BAD_INPUT, "%s takes %s%s, and gets %zu%s", launch->kernel,
                         count_text((uint64_t)taken, "argument").text,
                         has_stream ? " besides the stream" : "", count,
                         launch->has_workspace ? " (the last two: workspace and its bytes)" : "");
    if (needs_stream && !has_stream)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: its last parameter must be a cudaStream_t, on which the work is "
                         "measured",
                         launch->kernel);
    for (size_t i = 0; i < count; i++) {
        const struct argument *argument = &plan->arguments[launch->arguments[i]];
        const int parameter = function->parameters[i];
        const bool is_vector = role_is_vector(argument->role) && argument->texture.width == 0;
        unsigned char packed[VALUE_BYTES_MAX];
        size_t bytes = sizeof(uint64_t); /* a texture's object */
        if (!role_is_vector(argument->role))
            TRY(argument_pack(argument, packed, &bytes, error));
        if (is_vector ? parameter == PARAMETER_POINTER : parameter == (int)bytes)
            continue;
        if (is_vector || parameter == PARAMETER_POINTER || parameter == PARAMETER_STREAM)
            return error_set(error, STATUS_BAD_INPUT,
                             "%s: argument %zu, '%s', is a %s, and the parameter is %s",
                             launch->kernel, i + 1, argument->name, is_vector ? "vector" : "value",
                             parameter == PARAMETER_POINTER  ? "a pointer"
                             : parameter == PARAMETER_STREAM ? "the stream"
                                                             : "a value");
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: argument %zu, '%s', has %zu bytes, and the parameter has %d",
                         launch->kernel, i + 1, argument->name, bytes, parameter);
    }
    return STATUS_OK;
}

enum status host_function_failed(void *object, const struct launch *launch, long long result,
                                 struct error *error)
{
    const char *(*thrown)(void) = NULL;
    void *found = object && result == threw ? dlsym(object, "tune_thrown") : NULL;
    memcpy(&thrown, &found, sizeof found);
    if (thrown)
        return error_set(error, STATUS_LAUNCH_FAILED, "function %.160s threw: %s", launch->kernel,
                         thrown());
    return error_set(error, STATUS_LAUNCH_FAILED, "function %.160s returned %lld, not 0",
                     launch->kernel, result);
}

bool functions_told(void *object, double *elapsed_ns)
{
    bool (*told)(double *elapsed_ns) = NULL;
    double taken_ns = 0;
    void *found = object ? dlsym(object, "tune_told") : NULL;
    memcpy(&told, &found, sizeof found);
    if (!told || !told(&taken_ns))
        return false;
    *elapsed_ns = taken_ns;
    return true;
}

void functions_forget_error(void *object)
{
    void (*forget)(void) = NULL;
    void *found = object ? dlsym(object, "tune_forget") : NULL;
    memcpy(&forget, &found, sizeof found);
    if (forget)
        forget();
}

enum status functions_want(void *object, struct launch_plan *plan, void *stream,
                           struct error *error)
{
    _Alignas(8) unsigned char values[ARGUMENTS_MAX][VALUE_BYTES_MAX];
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct launch *launch = &plan->launches[i];
        const size_t count = launch->argument_count - 2; /* without the workspace itself */
        void *arguments[ARGUMENTS_MAX] = {NULL};         /* vectors have no memory yet */
        struct host_function function;
        if (!launch->workspace_of || !launch->has_workspace)
            continue;
        struct launch sizing = *launch;
        sizing.kernel = launch->workspace_of;
        sizing.has_workspace = false;
        TRY(host_function_find(object, launch->workspace_of, &function, error));
        TRY(host_function_fits(&function, plan, &sizing, count, false, error));
        for (size_t j = 0; j < count; j++) {
            const struct argument *argument = &plan->arguments[launch->arguments[j]];
            size_t bytes = 0;
            if (role_is_vector(argument->role))
                continue;
            TRY(argument_pack(argument, values[j], &bytes, error));
            arguments[j] = values[j];
        }
        const long long bytes = function.call(arguments, stream);
        if (bytes == threw)
            return host_function_failed(object, &sizing, bytes, error);
        if (bytes < 0 || bytes > INT64_C(1) << 44)
            return error_set(error, STATUS_LAUNCH_FAILED,
                             "function %.160s wants a workspace of %lld bytes",
                             launch->workspace_of, bytes);
        launch_want_workspace(plan, launch, bytes);
    }
    return STATUS_OK;
}
