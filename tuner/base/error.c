#include "tuner/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/text.h"

enum status(error_set)(struct error *error, enum status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    (void)vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    text_make_printable(error->text);
    return status;
}

enum status(error_set_errno)(struct error *error, int errno_value, const char *format, ...)
{
    char context[ERROR_TEXT_BYTES];
    const char *why = strerror(errno_value);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(context, sizeof context, format, arguments);
    va_end(arguments);
    /* Cut a long name rather than the reason. */
    int room = (int)(sizeof context - sizeof ": ") - (int)strlen(why);
    const int e = errno_value;
    const enum status status = e == EACCES || e == EPERM || e == EROFS ? STATUS_PERMISSION
                               : e == ENOENT                           ? STATUS_NOT_FOUND
                               : e == ENAMETOOLONG || e == ELOOP       ? STATUS_BAD_INPUT
                               : e == ENOMEM                           ? STATUS_NO_MEMORY
                                                                       : STATUS_IO;
    return error_set(error, status, "%.*s: %s", room > 0 ? room : 0, context, why);
}

enum status(error_prefix)(struct error *error, const char *format, ...)
{
    char prefix[ERROR_TEXT_BYTES];
    char old[ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    memcpy(old, error->text, sizeof old);
    return error_set(error, error->status, "%s: %s", prefix, old);
}

enum status(error_no_memory)(struct error *error)
{
    return error_set(error, STATUS_NO_MEMORY, "out of memory: close other programs or tune less");
}

void error_clear(struct error *error)
{
    error->status = STATUS_OK;
    error->text[0] = '\0';
}
