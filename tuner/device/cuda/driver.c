#include "tuner/device/cuda/driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#define CUDA_ROW(name) {LIBRARY_TEXT(name), offsetof(struct cuda_driver, name)},

static const struct library_symbol symbols[] = {CUDA_FUNCTIONS(CUDA_ROW)};

static const struct library_symbol later_symbols[] = {
    CUDA_LATER_FUNCTIONS(CUDA_ROW){"cuGraphAddDependencies_v2",
                                   offsetof(struct cuda_driver, add_edges)},
    {"cuFuncGetParamInfo", offsetof(struct cuda_driver, get_parameter)},
};

static const char control_file[] = "/dev/nvidiactl";

static struct cuda_driver table;
static struct error failure; /* why there is no driver; STATUS_OK when there is one */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *open_library(void)
{
    static const char *const names[] = {
        "libcuda.so.1",
        "/usr/lib/wsl/lib/libcuda.so.1",
        "/usr/local/nvidia/lib64/libcuda.so.1",
        "/run/opengl-driver/lib/libcuda.so.1",
    };
    static const struct library_files files = {"libcuda", names, sizeof names / sizeof *names};
    return library_open(&files, &(const char *){LIBRARY_LOADER}, 1);
}

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

static void explain_failed_start(CUresult result)
{
    const char *name = NULL;
    if (table.cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
        name = "unknown error";
    if (access(control_file, R_OK | W_OK) != 0 && (errno == EACCES || errno == EPERM)) {
        error_set(
            &failure, STATUS_PERMISSION,
            "%s: no permission to use the GPU (%s): join the group that owns this file (often "
            "'video'), or ask the administrator",
            control_file, name);
        return;
    }
    error_set(&failure, STATUS_UNAVAILABLE, "the NVIDIA driver does not start: %s (%d): %s", name,
              (int)result, advice(result));
}

static void start(void)
{
    void *library = open_library();
    if (!library) {
        error_set(
            &failure, STATUS_UNAVAILABLE,
            "libcuda.so.1 not found: install the NVIDIA driver (in a container, start it with "
            "--gpus all), or use --device cpu");
        return;
    }
    const char *missing =
        library_resolve(library, symbols, sizeof symbols / sizeof *symbols, &table);
    if (missing) {
        error_set(&failure, STATUS_UNAVAILABLE,
                  "libcuda.so.1 lacks %s: the NVIDIA driver is too old, update it to 470 (CUDA "
                  "11.4) or later",
                  missing);
        (void)dlclose(library);
        return;
    }
    (void)library_resolve(library, later_symbols, sizeof later_symbols / sizeof *later_symbols,
                          &table);
    /* Lazy loading would put the load of a kernel into its first timing. */
    (void)setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    CUresult result = table.cuInit(0);
    if (result != CUDA_SUCCESS)
        explain_failed_start(result);
    else if (table.cuDriverGetVersion(&table.version) != CUDA_SUCCESS)
        table.version = 0;
}

const struct cuda_driver *cuda_driver(struct error *error)
{
    (void)pthread_once(&once, start);
    if (failure.status == STATUS_OK)
        return &table;
    *error = failure;
    return NULL;
}
