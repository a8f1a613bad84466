/* One line with the error, its place and the remedy. */
#ifndef TUNE_BASE_ERROR_H
#define TUNE_BASE_ERROR_H

#include "tuner/base/status.h"

#define ERROR_TEXT_BYTES 1024

/* Provided by the caller, filled by the function that fails; never NULL. `text` has no newline
 * (control characters are replaced), and is empty when status is STATUS_OK. */
struct error {
    enum status status;
    char text[ERROR_TEXT_BYTES];
};

/* Fills the error and returns `status`, so that a failing function can end with `return
 * error_set(error, STATUS_IO, "...")`. A long text is cut. */
enum status error_set(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills the error as error_set does and appends ": " and the text of errno. Turns STATUS_IO into
 * STATUS_PERMISSION for EACCES, EPERM and EROFS, into STATUS_NOT_FOUND for ENOENT, and into
 * STATUS_BAD_INPUT for a name that is too long or has a cycle of links. */
enum status error_set_errno(struct error *error, int errno_value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts a prefix and ": " before the text: "configs/a.yaml:3:5: ...". Keeps the status. */
enum status error_prefix(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

enum status error_no_memory(struct error *error);

/* Returns STATUS_NO_MEMORY, with the local `error` filled, when an allocation failed:
 * TRY_MEMORY(path && name); */
#define TRY_MEMORY(allocated)                                                                      \
    do {                                                                                           \
        if (!(allocated))                                                                          \
            return error_no_memory(error);                                                         \
    } while (0)

void error_clear(struct error *error);

/* Tells analyzers, which see one file at a time, that these functions never return STATUS_OK. */
#ifdef __clang_analyzer__
static inline enum status error_failure(enum status status)
{
    if (status == STATUS_OK)
        __builtin_unreachable();
    return status;
}
#define error_set(...)       error_failure(error_set(__VA_ARGS__))
#define error_set_errno(...) error_failure(error_set_errno(__VA_ARGS__))
#define error_prefix(...)    error_failure(error_prefix(__VA_ARGS__))
#define error_no_memory(...) error_failure(error_no_memory(__VA_ARGS__))
#endif

#endif
