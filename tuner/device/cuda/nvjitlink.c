#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/driver.h"

#define ROW(name, member)                                                                          \
    {                                                                                              \
        name, offsetof(struct cuda_linker, member)                                                 \
    }

static const struct library_symbol symbols[] = {
    ROW("nvJitLinkCreate", create),
    ROW("nvJitLinkDestroy", destroy),
    ROW("nvJitLinkAddData", add_data),
    ROW("nvJitLinkComplete", complete),
    ROW("nvJitLinkGetLinkedCubinSize", get_cubin_size),
    ROW("nvJitLinkGetLinkedCubin", get_cubin),
    ROW("nvJitLinkGetErrorLogSize", get_error_log_size),
    ROW("nvJitLinkGetErrorLog", get_error_log),
};
enum { SYMBOLS = sizeof symbols / sizeof *symbols };

static struct cuda_linker table;
static struct error failure;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* One of NVRTC's own version first: what it makes is what this must take. */
static void *open_library(const struct cuda_compiler *nvrtc)
{
    static const char *const names[] = {"libnvJitLink.so", "libnvJitLink.so.13",
                                        "libnvJitLink.so.12"};
    static const struct library_files files = {"libnvJitLink", names, sizeof names / sizeof *names};
    const char *const places[] = {
        getenv("TUNE_NVJITLINK_PATH"), nvrtc->folder,       LIBRARY_LOADER,
        getenv("CUDA_HOME"),           getenv("CUDA_PATH"), "/usr/local/cuda"};
    return library_open(&files, places, sizeof places / sizeof *places);
}

/* Libraries of CUDA 12 have their functions under the names of versions alone. */
static const char *resolve(void *library)
{
    static const char *const versions[] = {"13_0", "12_9", "12_8", "12_6", "12_5",
                                           "12_4", "12_3", "12_2", "12_1", "12_0"};
    char names[SYMBOLS][64];
    struct library_symbol versioned[SYMBOLS];
    const char *missing = library_resolve(library, symbols, SYMBOLS, &table);
    for (size_t v = 0; missing && v < sizeof versions / sizeof *versions; v++) {
        for (size_t i = 0; i < SYMBOLS; i++) {
            (void)string_format(names[i], sizeof names[i], "__%s_%s", symbols[i].name, versions[v]);
            versioned[i] = (struct library_symbol){names[i], symbols[i].offset};
        }
        if (!library_resolve(library, versioned, SYMBOLS, &table))
            missing = NULL;
    }
    return missing;
}

static void start(void)
{
    const struct cuda_compiler *nvrtc = cuda_compiler(&failure);
    if (!nvrtc)
        return;
    void *library = open_library(nvrtc);
    if (!library) {
        error_set(&failure, STATUS_UNAVAILABLE,
                  "libnvJitLink.so not found, which links kernels of several sources: install it "
                  "(Debian: libnvjitlink-13-0), set TUNE_NVJITLINK_PATH to where it is, or include "
                  "the sources in one");
        return;
    }
    const char *missing = resolve(library);
    if (missing) {
        error_set(&failure, STATUS_UNAVAILABLE,
                  "libnvJitLink.so lacks %s: install that of CUDA 12.0 or later", missing);
        (void)dlclose(library);
    }
}

const struct cuda_linker *cuda_linker(struct error *error)
{
    (void)pthread_once(&once, start);
    if (failure.status == STATUS_OK)
        return &table;
    *error = failure;
    return NULL;
}
