/* The driver that the program uses, found with the program's own dlsym and dlopen. */
#include "frontends/capture/library/driver.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void *(*tune_capture_next_dlsym)(void *, const char *);
void *(*tune_capture_next_dlopen)(const char *, int);

/* Runs before the program has threads; constructors of its libraries may run earlier. */
__attribute__((constructor)) void find_next(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5", "GLIBC_2.27",
                                           "GLIBC_2.36"};
    void *(*next_dlsym)(void *, const char *) = NULL;
    void *found = NULL;
    if (tune_capture_next_dlsym)
        return;
    for (size_t i = 0; i < sizeof versions / sizeof *versions && !found; i++)
        found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    if (!found)
        abort(); /* there is no C library that we know */
    memcpy(&next_dlsym, &found, sizeof found);
    found = next_dlsym(RTLD_NEXT, "dlopen");
    memcpy(&tune_capture_next_dlopen, &found, sizeof found);
    tune_capture_next_dlsym = next_dlsym;
}

anything look_up(void *library, const char *symbol)
{
    anything function = NULL;
    void *found = tune_capture_next_dlsym(library, symbol);
    memcpy(&function, &found, sizeof found);
    return function;
}

void *driver_library(void)
{
    static void *_Atomic library;
    void *found = atomic_load(&library);
    if (!found) {
        find_next();
        found = tune_capture_next_dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (!found)
            found = tune_capture_next_dlopen("libcuda.so", RTLD_LAZY | RTLD_NOLOAD);
        atomic_store(&library, found);
    }
    return found;
}

const struct driver *driver_get(void)
{
    static struct driver driver;
    static _Atomic bool is_filled;
    if (atomic_load_explicit(&is_filled, memory_order_acquire))
        return &driver;
    void *library = driver_library();
    if (!library)
        return &driver;
    const struct {
        const char *symbol;
        void *member;
    } members[] = {
#define DRIVER_ROW(member, symbol, parameters) {symbol, &driver.member},
        DRIVER_FUNCTIONS(DRIVER_ROW)
#undef DRIVER_ROW
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        anything function = look_up(library, members[i].symbol);
        char older[64] = "";
        const size_t length = strlen(members[i].symbol);
        if (!function && length > 3 && length < sizeof older &&
            strcmp(members[i].symbol + length - 3, "_v2") == 0) {
            memcpy(older, members[i].symbol, length - 3);
            function = look_up(library, older);
        }
        memcpy(members[i].member, &function, sizeof function);
    }
    atomic_store_explicit(&is_filled, true, memory_order_release);
    return &driver;
}
