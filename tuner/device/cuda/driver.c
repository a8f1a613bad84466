#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/internal.h"

/* ---- opening a library ---- */

#if CUDA_VERSION >= 12030
_Static_assert(sizeof(struct cuda_edge) == sizeof(CUgraphEdgeData) &&
                   (int)CUDA_EDGE_PROGRAMMATIC == (int)CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC &&
                   (int)CUDA_PORT_PROGRAMMATIC == (int)CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
               "an edge as cuda.h has it");
#endif

static void *open_in(const struct library_files *files, const char *folder, const char *below)
{
    char path[1024];
    void *library = NULL;
    for (size_t i = 0; !library && i < files->count; i++)
        if (string_format(path, sizeof path, "%s%s%s", folder, below, files->names[i]))
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library;
}

void *library_open(const struct library_files *files, const char *const *places, size_t count)
{
    static const char *const below[] = {"/", "/lib64/", "/lib/"};
    void *library = NULL;
    for (size_t i = 0; !library && i < count; i++) {
        const char *place = places[i] ? places[i] : "";
        const bool is_folder = *place && strcmp(place, LIBRARY_LOADER) != 0;
        if (*place && !is_folder)
            library = open_in(files, "", "");
        for (size_t j = 0; !library && is_folder && j < COUNT(below); j++)
            library = open_in(files, place, below[j]);
        if (!library && is_folder && strstr(place, files->stem))
            library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

/* Symbols that older drivers have under another name with the same parameters. The old kernel node
 * takes a struct that is the beginning of the new one. */
static const struct {
    const char *name;
    const char *older;
} older_names[] = {
    {"cuEventElapsedTime_v2", "cuEventElapsedTime"},
    {"cuGraphAddKernelNode_v2", "cuGraphAddKernelNode"},
};

const char *library_resolve(void *library, const struct library_symbol *symbols, size_t count,
                            void *table)
{
    const char *missing = NULL;
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, symbols[i].name);
        for (size_t k = 0; !address && k < sizeof older_names / sizeof *older_names; k++)
            if (strcmp(symbols[i].name, older_names[k].name) == 0)
                address = dlsym(library, older_names[k].older);
        if (!address && !missing)
            missing = symbols[i].name;
        memcpy((char *)table + symbols[i].offset, &address, sizeof address);
    }
    return missing;
}

/* A library that is opened once in the life of the process. */
struct library {
    struct library_files files;
    const struct library_symbol *symbols;
    size_t symbol_count;
    const char *not_found; /* two sentences: the missing part, and the remedy */
    const char *name, *too_old;
};

static enum status lacks(const struct library *library, const char *what, struct error *error)
{
    return error_set(error, STATUS_UNAVAILABLE, "%s lacks %s: %s", library->name, what,
                     library->too_old);
}

/* Opens a library and fills its table; NULL with the reason when the library or a function is
 * missing. */
static void *open_table(const struct library *library, const char *const *places, size_t count,
                        void *table, struct error *error)
{
    void *opened = library_open(&library->files, places, count);
    if (!opened) {
        (void)error_set(error, STATUS_UNAVAILABLE, "%s", library->not_found);
        return NULL;
    }
    const char *missing = library_resolve(opened, library->symbols, library->symbol_count, table);
    if (!missing)
        return opened;
    (void)lacks(library, missing, error);
    (void)dlclose(opened);
    return NULL;
}

static const void *table_of(pthread_once_t *once, void (*start)(void), const struct error *failure,
                            const void *table, struct error *error)
{
    (void)pthread_once(once, start);
    if (failure->status == STATUS_OK)
        return table;
    *error = *failure;
    return NULL;
}

/* ---- the driver ---- */

#define CUDA_ROW(name) {LIBRARY_TEXT(name), offsetof(struct cuda_driver, name)},

static const struct library_symbol driver_symbols[] = {CUDA_FUNCTIONS(CUDA_ROW)};

static const struct library_symbol later_symbols[] = {
    CUDA_LATER_FUNCTIONS(CUDA_ROW){"cuGraphAddDependencies_v2",
                                   offsetof(struct cuda_driver, add_edges)},
    {"cuFuncGetParamInfo", offsetof(struct cuda_driver, get_parameter)},
};

static const char control_file[] = "/dev/nvidiactl";

static struct cuda_driver driver_table;
static struct error driver_failure; /* reason for a missing driver; STATUS_OK with one */
static pthread_once_t driver_once = PTHREAD_ONCE_INIT;

static const char *const driver_names[] = {
    "libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/run/opengl-driver/lib/libcuda.so.1",
};
static const struct library driver_library = {
    {"libcuda", driver_names, sizeof driver_names / sizeof *driver_names},
    driver_symbols,
    sizeof driver_symbols / sizeof *driver_symbols,
    "libcuda.so.1 not found: install the NVIDIA driver (in a container, start it with --gpus all)",
    "libcuda.so.1",
    "the NVIDIA driver is too old, update it to 470 (CUDA 11.4) or later"};

static const char *advice(CUresult result)
{
    switch ((int)result) {
    case 2:
        return "the host is out of memory: close other programs";
    case 3:
        return "the process was forked after CUDA had been initialised: start a new one";
    case 34:
        return "this libcuda is the toolkit's stub, which only serves for linking: install the "
               "driver, or take the stubs folder out of LD_LIBRARY_PATH";
    case 100:
        return "the driver sees no GPU: check that nvidia-smi lists one, that CUDA_VISIBLE_DEVICES "
               "does not hide it, and that a container was started with --gpus all";
    case 802:
        return "the GPUs' switches are not ready: start the service nvidia-fabricmanager, or wait "
               "for it";
    case 803:
        return "libcuda and the kernel module are of different versions: restart after the "
               "driver's update, or install one version of both";
    case 804:
        return "a forward-compatible libcuda was found, which this GPU does not allow: take "
               "/usr/local/cuda/compat out of LD_LIBRARY_PATH, or update the driver";
    case 999:
        return "the kernel module nvidia_uvm does not answer (common after suspend): run "
               "nvidia-smi "
               "as root, load nvidia_uvm again, or restart";
    default:
        return "check that nvidia-smi works; if it does not, install the driver again or restart";
    }
}

static void start_driver(void)
{
    void *library = open_table(&driver_library, &(const char *){LIBRARY_LOADER}, 1, &driver_table,
                               &driver_failure);
    if (!library)
        return;
    (void)library_resolve(library, later_symbols, sizeof later_symbols / sizeof *later_symbols,
                          &driver_table);
    /* Lazy loading would add a kernel's load to the first timing. */
    (void)setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    const CUresult result = driver_table.cuInit(0);
    const char *name = NULL;
    if (result == CUDA_SUCCESS) {
        if (driver_table.cuDriverGetVersion(&driver_table.version) != CUDA_SUCCESS)
            driver_table.version = 0;
        return;
    }
    if (driver_table.cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
        name = "unknown error";
    if (access(control_file, R_OK | W_OK) != 0 && (errno == EACCES || errno == EPERM))
        error_set(&driver_failure, STATUS_PERMISSION,
                  "%s: no permission to use the GPU (%s): join the group that owns this file "
                  "(often 'video'), or ask the administrator",
                  control_file, name);
    else
        error_set(&driver_failure, STATUS_UNAVAILABLE,
                  "the NVIDIA driver does not start: %s (%d): %s", name, (int)result,
                  advice(result));
}

const struct cuda_driver *cuda_driver(struct error *error)
{
    return table_of(&driver_once, start_driver, &driver_failure, &driver_table, error);
}

/* ---- NVRTC ---- */

#define NVRTC_ROW(name) {LIBRARY_TEXT(name), offsetof(struct cuda_compiler, name)},

static const struct library_symbol compiler_symbols[] = {NVRTC_FUNCTIONS(NVRTC_ROW)};

static struct cuda_compiler compiler_table;
static struct error compiler_failure;
static pthread_once_t compiler_once = PTHREAD_ONCE_INIT;

static const char *const compiler_names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                             "libnvrtc.so.11.2"};
static const struct library compiler_library = {
    {"libnvrtc", compiler_names, sizeof compiler_names / sizeof *compiler_names},
    compiler_symbols,
    sizeof compiler_symbols / sizeof *compiler_symbols,
    "libnvrtc.so not found, the run-time compiler of CUDA: install it (Debian: cuda-nvrtc-13-0), "
    "set CUDA_HOME or TUNE_NVRTC_PATH to where it is, or run ./bootstrap --with-toolkit",
    "libnvrtc.so",
    "it is too old, install that of CUDA 11.4 or later"};

/* Finds the first of `base`/`places` that has `file`; `out` stays unchanged where none has. */
static void find_headers(const char *base, const char *const *places, const char *file,
                         char out[1024])
{
    char path[2048];
    for (; base && *base && *places && !out[0]; places++)
        if (string_format(path, sizeof path, "%s/%s/%s", base, *places, file) &&
            file_exists(path) && !string_format(out, 1024, "%s/%s", base, *places))
            out[0] = '\0';
}

static void start_compiler(void)
{
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
    void *library = open_table(&compiler_library, places, sizeof places / sizeof *places,
                               &compiler_table, &compiler_failure);
    if (!library)
        return;
    if (compiler_table.nvrtcVersion(&compiler_table.major, &compiler_table.minor) !=
        NVRTC_SUCCESS) {
        (void)lacks(&compiler_library, "its version", &compiler_failure);
        (void)dlclose(library);
        return;
    }
    /* A toolkit's headers lie beside the compiler's library. */
    Dl_info info;
    void *function = NULL;
    memcpy(&function, &compiler_table.nvrtcVersion, sizeof function);
    if (dladdr(function, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        if (slash && !string_format(compiler_table.folder, sizeof compiler_table.folder, "%.*s",
                                    (int)(slash - info.dli_fname), info.dli_fname))
            compiler_table.folder[0] = '\0';
    }
    /* The folder of the headers. Beside the library: a toolkit (lib64, targets/NAME/lib), a
     * distribution's folders, wheels of a Python environment (one folder each), Conda's. Then other
     * toolkits. */
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
    find_headers(compiler_table.folder, beside, "cuda_fp16.h", compiler_table.headers);
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        find_headers(roots[i], below, "cuda_fp16.h", compiler_table.headers);
    find_headers(compiler_table.folder, apart, "cub/cub.cuh", compiler_table.cccl);
    /* NVRTC opens a second library by bare name, which the loader finds only in its own places,
     * unless already loaded. NVRTC itself reports a failure. */
    char path[sizeof compiler_table.folder + 64];
    if (compiler_table.folder[0] &&
        string_format(path, sizeof path, "%s/libnvrtc-builtins.so.%d.%d", compiler_table.folder,
                      compiler_table.major, compiler_table.minor))
        (void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

const struct cuda_compiler *cuda_compiler(struct error *error)
{
    return table_of(&compiler_once, start_compiler, &compiler_failure, &compiler_table, error);
}

/* ---- nvJitLink ---- */

#define ROW(name, member)                                                                          \
    {                                                                                              \
        name, offsetof(struct cuda_linker, member)                                                 \
    }

static const struct library_symbol linker_symbols[] = {
    ROW("nvJitLinkCreate", create),
    ROW("nvJitLinkDestroy", destroy),
    ROW("nvJitLinkAddData", add_data),
    ROW("nvJitLinkComplete", complete),
    ROW("nvJitLinkGetLinkedCubinSize", get_cubin_size),
    ROW("nvJitLinkGetLinkedCubin", get_cubin),
    ROW("nvJitLinkGetErrorLogSize", get_error_log_size),
    ROW("nvJitLinkGetErrorLog", get_error_log),
};
enum { SYMBOLS = sizeof linker_symbols / sizeof *linker_symbols };

static struct cuda_linker linker_table;
static struct error linker_failure;
static pthread_once_t linker_once = PTHREAD_ONCE_INIT;

static const char *const linker_names[] = {"libnvJitLink.so", "libnvJitLink.so.13",
                                           "libnvJitLink.so.12"};
static const struct library linker_library = {
    .files = {"libnvJitLink", linker_names, sizeof linker_names / sizeof *linker_names},
    .not_found = "libnvJitLink.so not found, which links kernels of several sources: install it "
                 "(Debian: libnvjitlink-13-0), set TUNE_NVJITLINK_PATH to where it is, or include "
                 "the sources in one",
    .name = "libnvJitLink.so",
    .too_old = "install that of CUDA 12.0 or later"};

static void start_linker(void)
{
    const struct cuda_compiler *nvrtc = cuda_compiler(&linker_failure);
    if (!nvrtc)
        return;
    /* A linker of NVRTC's own version comes first: only that surely reads NVRTC's output. */
    const char *const places[] = {
        getenv("TUNE_NVJITLINK_PATH"), nvrtc->folder,       LIBRARY_LOADER,
        getenv("CUDA_HOME"),           getenv("CUDA_PATH"), "/usr/local/cuda"};
    void *library = open_table(&linker_library, places, sizeof places / sizeof *places,
                               &linker_table, &linker_failure);
    if (!library)
        return;
    const char *missing = library_resolve(library, linker_symbols, SYMBOLS, &linker_table);
    /* CUDA 12's libraries export the functions only under versioned names. */
    static const char *const versions[] = {"13_0", "12_9", "12_8", "12_6", "12_5",
                                           "12_4", "12_3", "12_2", "12_1", "12_0"};
    for (size_t v = 0; missing && v < COUNT(versions); v++) {
        char names[SYMBOLS][64];
        struct library_symbol versioned[SYMBOLS];
        for (size_t i = 0; i < SYMBOLS; i++) {
            (void)string_format(names[i], sizeof names[i], "__%s_%s", linker_symbols[i].name,
                                versions[v]);
            versioned[i] = (struct library_symbol){names[i], linker_symbols[i].offset};
        }
        if (!library_resolve(library, versioned, SYMBOLS, &linker_table))
            missing = NULL;
    }
    if (!missing)
        return;
    (void)lacks(&linker_library, missing, &linker_failure);
    (void)dlclose(library);
}

const struct cuda_linker *cuda_linker(struct error *error)
{
    return table_of(&linker_once, start_linker, &linker_failure, &linker_table, error);
}

/* ---- status of an open device ---- */

enum status cuda_error(struct device *device, CUresult result, struct error *error,
                       const char *format, ...)
{
    char what[ERROR_TEXT_BYTES / 2];
    const char *name = NULL;
    const char *text = NULL;
    va_list arguments;
    if (result == CUDA_SUCCESS)
        return STATUS_OK;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (device) {
        (void)device->driver->cuGetErrorName(result, &name);
        (void)device->driver->cuGetErrorString(result, &text);
    }
    const int code = (int)result;
    bool is_lost = code == 214 || code == 220 || code == 226 || code == 700 || code == 702 ||
                   code == 710 || (code >= 714 && code <= 719) || code == 721 || code == 810 ||
                   code == 911;
    /* A code of a later driver that is not known here: ask whether the context still answers. */
    if (!is_lost && device && device->context)
        is_lost = device->driver->cuCtxSynchronize() != CUDA_SUCCESS;
    return error_set(error,
                     is_lost                              ? STATUS_DEVICE_LOST
                     : result == CUDA_ERROR_OUT_OF_MEMORY ? STATUS_NO_MEMORY
                                                          : STATUS_LAUNCH_FAILED,
                     "%s: %s (%d): %s", what, name ? name : "CUDA error", code,
                     text ? text : "unknown to the driver");
}

CUresult cuda_launch(struct device *device, CUfunction function, uint32_t grid, uint32_t block,
                     void **arguments)
{
    return device->driver->cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, device->stream,
                                          arguments, NULL);
}

/* ---- launches in messages ---- */

static void dimensions(const uint32_t size[3], char *out, size_t bytes)
{
    if (size[1] == 1 && size[2] == 1)
        (void)string_format(out, bytes, "%u", size[0]);
    else
        (void)string_format(out, bytes, "%ux%ux%u", size[0], size[1], size[2]);
}

enum { KERNEL_SHOWN = 160 };

void cuda_launch_text(const struct launch *launch, char *out, size_t bytes)
{
    char grid[40];
    char block[40];
    if (launch->is_function) {
        (void)string_format(out, bytes, "function %.*s", KERNEL_SHOWN, launch->kernel);
        return;
    }
    dimensions(launch->grid, grid, sizeof grid);
    dimensions(launch->block, block, sizeof block);
    /* A template's name can be as long as all that the text has room for. */
    bool whole = strlen(launch->kernel) <= KERNEL_SHOWN;
    const uint32_t clustered = launch_cluster_blocks(launch);
    char cluster[32] = "";
    if (clustered > 1)
        (void)string_format(cluster, sizeof cluster, " in clusters of %u", clustered);
    (void)string_format(out, bytes, "kernel %.*s%s <<<%s, %s, %u>>>%s", KERNEL_SHOWN,
                        launch->kernel, whole ? "" : "...", grid, block, launch->shared_bytes,
                        cluster);
}

void cuda_plan_text(const struct launch_plan *plan, char *out, size_t bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < plan->launch_count && used + 3 < bytes; i++) {
        char one[256];
        cuda_launch_text(&plan->launches[i], one, sizeof one);
        int length = snprintf(out + used, bytes - used, "%s%s", i ? ", " : "", one);
        used += length > 0 ? (size_t)length : 0;
    }
}
