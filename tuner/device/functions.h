/* Host functions in place of kernels: C++ functions of any parameters, or C functions of one list,
 * in a shared object that each kind of device compiles with a caller for each function. */
#ifndef TUNE_DEVICE_FUNCTIONS_H
#define TUNE_DEVICE_FUNCTIONS_H

#include "tuner/base/error.h"
#include "tuner/base/launch.h"
#include "tuner/base/text.h"

/* Calls a function with its arguments: vectors as pointers, scalars and structs as pointers to
 * their values. Returns the result of the function; 0: nothing, or success. */
typedef long long function_caller(void *const *arguments, void *stream);

struct host_function {
    function_caller *call;
    int parameter_count; /* -1: unknown, as in C */
    /* Bytes of each; PARAMETER_POINTER, PARAMETER_STREAM. */
    int parameters[ARGUMENTS_MAX + 1];
};
enum { PARAMETER_POINTER = 0, PARAMETER_STREAM = -1 };

/* Returns whether the request is for host functions. */
bool functions_are_requested(const struct binary_request *request);
/* Returns whether a flag names a library, which stands behind the sources: "-lm", a path. */
bool functions_is_library(const char *flag);
/* Appends the callers to a source, whose functions are named in the request. */
void functions_append(struct text *source, const struct binary_request *request, bool is_c);

/* Tells whether a file is a shared object with host functions, which begins as no binary of kernels
 * does. */
bool functions_are_in(const char *path);
/* Finds a function of an opened object by its name in the request. */
enum status host_function_find(void *object, const char *name, struct host_function *out,
                               struct error *error);
/* Compares the launch's first `count` arguments with the function's parameters, as far as these are
 * known. STATUS_BAD_INPUT names the first that differs. `needs_stream`: its last parameter is the
 * stream. */
enum status host_function_fits(const struct host_function *function, const struct launch_plan *plan,
                               const struct launch *launch, size_t count, bool needs_stream,
                               struct error *error);
/* Sets STATUS_LAUNCH_FAILED with a result other than 0, or the text of an exception. */
enum status host_function_failed(void *object, const struct launch *launch, long long result,
                                 struct error *error);
/* Tells whether a function of the object measures itself, and has been called. Then *elapsed_ns is
 * the time that its calls took since this was asked, and otherwise stays. */
bool functions_told(void *object, double *elapsed_ns);
/* Clears the CUDA runtime's last error within the object; nothing without that runtime. */
void functions_forget_error(void *object);
/* Asks the functions that tell workspaces, and raises the plan's to these bytes. */
enum status functions_want(void *object, struct launch_plan *plan, void *stream,
                           struct error *error);

#endif
