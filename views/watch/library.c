#include "views/watch/library.h"

#include <dlfcn.h>
#include <string.h>

enum status http_open(struct http *http, struct error *error)
{
    /* All of 0.9 and 1.0 have this name. */
    static const char file[] = "libmicrohttpd.so.12";
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(
            error, STATUS_UNAVAILABLE,
            "a page is served by libmicrohttpd, and %s is not here: install "
            "libmicrohttpd12 (Debian, Ubuntu), libmicrohttpd12t64 (newer) or libmicrohttpd",
            file);
#define HTTP_LOAD(name)                                                                            \
    {                                                                                              \
        void *const symbol = dlsym(library, "MHD_" #name);                                         \
        if (!symbol)                                                                               \
            return error_set(error, STATUS_UNAVAILABLE, "%s has no MHD_%s: update it", file,       \
                             #name);                                                               \
        memcpy(&http->name, &symbol, sizeof symbol);                                               \
    }
    HTTP_FUNCTIONS(HTTP_LOAD)
#undef HTTP_LOAD
    return STATUS_OK;
}
