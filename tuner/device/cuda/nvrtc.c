#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/driver.h"

#define NVRTC_ROW(name) {LIBRARY_TEXT(name), offsetof(struct cuda_compiler, name)},

static const struct library_symbol symbols[] = {NVRTC_FUNCTIONS(NVRTC_ROW)};

static struct cuda_compiler table;
static struct error failure;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *open_library(void)
{
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                        "libnvrtc.so.11.2"};
    static const struct library_files files = {"libnvrtc", names, sizeof names / sizeof *names};
    const char *const places[] = {
        getenv("TUNE_NVRTC_PATH"),
#ifdef TUNE_TOOLKIT_DIR
        TUNE_TOOLKIT_DIR,
#endif
        LIBRARY_LOADER,
        getenv("CUDA_HOME"),
        getenv("CUDA_PATH"),
        "/usr/local/cuda",
        "/opt/cuda",
    };
    return library_open(&files, places, sizeof places / sizeof *places);
}

/* The headers of a toolkit lie beside its libraries. */
static void note_folder(void)
{
    Dl_info info;
    void *function = NULL;
    memcpy(&function, &table.nvrtcVersion, sizeof function);
    if (!dladdr(function, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    if (slash && !string_format(table.folder, sizeof table.folder, "%.*s",
                                (int)(slash - info.dli_fname), info.dli_fname))
        table.folder[0] = '\0';
}

/* The first of `base`/`places` that has `file`; `out` stays as it is where there is none. */
static void find_headers(const char *base, const char *const *places, const char *file,
                         char out[1024])
{
    char path[2048];
    for (; base && *base && *places && !out[0]; places++)
        if (string_format(path, sizeof path, "%s/%s/%s", base, *places, file) &&
            file_exists(path) && !string_format(out, 1024, "%s/%s", base, *places))
            out[0] = '\0';
}

/* Beside the library: in a toolkit (lib64, targets/NAME/lib), a distribution's folders, a Python
 * environment's wheels (a folder for each part), Conda's. Else in a toolkit that lies elsewhere. */
static void note_headers(void)
{
    static const char *const beside[] = {"../include",
                                         "../../include",
                                         "../targets/x86_64-linux/include",
                                         "../targets/sbsa-linux/include",
                                         "../../cuda_runtime/include",
                                         NULL};
    static const char *const below[] = {"include", "targets/x86_64-linux/include",
                                        "targets/sbsa-linux/include", NULL};
    static const char *const apart[] = {"../../cuda_cccl/include", "../../cu13/include/cccl",
                                        "../../cccl/include", NULL};
    const char *const roots[] = {
#ifdef TUNE_TOOLKIT_DIR
        TUNE_TOOLKIT_DIR,
#endif
        getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"};
    find_headers(table.folder, beside, "cuda_fp16.h", table.headers);
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        find_headers(roots[i], below, "cuda_fp16.h", table.headers);
    find_headers(table.folder, apart, "cub/cub.cuh", table.cccl);
}

/* NVRTC opens a second library by its bare name, which the loader finds only in its own places; one
 * that is loaded already is taken by that name. Where it fails, NVRTC itself says so. */
static void open_builtins(void)
{
    char path[sizeof table.folder + 64];
    if (table.folder[0] && string_format(path, sizeof path, "%s/libnvrtc-builtins.so.%d.%d",
                                         table.folder, table.major, table.minor))
        (void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void start(void)
{
    void *library = open_library();
    if (!library) {
        error_set(&failure, STATUS_UNAVAILABLE,
                  "libnvrtc.so not found, the run-time compiler of CUDA: install it (Debian: "
                  "cuda-nvrtc-13-0), set CUDA_HOME or TUNE_NVRTC_PATH to where it is, or run "
                  "./bootstrap --with-toolkit");
        return;
    }
    const char *missing =
        library_resolve(library, symbols, sizeof symbols / sizeof *symbols, &table);
    if (missing || table.nvrtcVersion(&table.major, &table.minor) != NVRTC_SUCCESS) {
        error_set(&failure, STATUS_UNAVAILABLE,
                  "libnvrtc.so lacks %s: it is too old, install that of CUDA 11.4 or later",
                  missing ? missing : "its version");
        (void)dlclose(library);
        return;
    }
    note_folder();
    note_headers();
    open_builtins();
}

const struct cuda_compiler *cuda_compiler(struct error *error)
{
    (void)pthread_once(&once, start);
    if (failure.status == STATUS_OK)
        return &table;
    *error = failure;
    return NULL;
}
