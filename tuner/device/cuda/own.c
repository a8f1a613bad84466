/* Kernels of tune's own. Compiled ones stay in the cache, sealed, so that later processes need not
 * wait for the compiler. */
#include <stdio.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/seal.h"
#include "tuner/base/temporary.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/compile.h"
#include "tuner/device/embedded.h"

/* Returns the kernel's path in the cache; NULL without a cache. */
static const char *place_of(struct arena *arena, const char *source,
                            const struct binary_request *request)
{
    struct error ignored = {0};
    const char *folder = NULL;
    char text[VALUE_TEXT_BYTES];
    char digits[HASH_TEXT_BYTES];
    const struct cuda_compiler *nvrtc = cuda_compiler(&ignored);
    struct hash_state *hash = nvrtc ? hash_start() : NULL;
    if (!hash)
        return NULL;
    hash_add_string(hash, source);
    hash_add_string(hash, request->architecture);
    (void)string_format(text, sizeof text, "%d.%d", nvrtc->major, nvrtc->minor);
    hash_add_string(hash, text);
    for (size_t i = 0; i < request->define_count; i++) {
        hash_add_string(hash, request->defines[i].name);
        if (request->defines[i].value.kind == VALUE_TEXT)
            hash_add_string(hash, request->defines[i].value.text);
        else if (value_format(request->defines[i].value, text, sizeof text))
            hash_add_string(hash, text);
    }
    for (size_t i = 0; i < request->flag_count; i++)
        hash_add_string(hash, request->flags[i]);
    hash_finish(hash, digits);
    return cache_folder(arena, &folder, &ignored) == STATUS_OK
               ? arena_printf(arena, "%s/%s.own", folder, digits)
               : NULL;
}

enum status cuda_load_own(struct device *device, const char *source, const char *name,
                          const struct binary_request *request, const char *what, CUmodule *out,
                          struct error *error)
{
    struct arena arena = {0};
    struct text log = {0};
    struct error ignored = {0};
    struct container compiled;
    struct binary_request whole = *request;
    enum status status = STATUS_OK;
    whole.architecture = device->architecture;
    const char *path = place_of(&arena, source, &whole);
    if (!path || seal_check(path, &ignored) != STATUS_OK ||
        container_open(&arena, path, &compiled, &ignored) != STATUS_OK) {
        struct temporary fresh;
        void *data = NULL;
        size_t bytes = 0;
        status = cuda_compile_text(&arena, source, name, &whole, &compiled, &log, error);
        /* Kept whole or not at all; a failure to keep is none to the caller. */
        if (status == STATUS_OK && path &&
            container_write(&arena, &compiled, &data, &bytes, &ignored) == STATUS_OK &&
            temporary_file_make(path, &fresh, &ignored) == STATUS_OK) {
            if (write(fresh.file, data, bytes) != (ssize_t)bytes ||
                seal_file(fresh.path, &ignored) != STATUS_OK || rename(fresh.path, path) != 0)
                (void)unlink(fresh.path);
            (void)close(fresh.file);
        }
    }
    if (status != STATUS_OK) {
        (void)error_prefix(error, "the %s", what);
    } else {
        CUresult result = device->driver->cuModuleLoadData(out, compiled.cubin);
        if (result != CUDA_SUCCESS)
            status = cuda_error(device, result, error, "loading the %s", what);
    }
    text_free(&log);
    arena_free(&arena);
    return status;
}

/* ---- kernels that are the host's text as well ---- */

/* Fails the kernel for good, unless the device was lost. */
static enum status fail(struct own_kernel *own, struct error *error)
{
    if (error->status == STATUS_DEVICE_LOST)
        return error->status;
    error->status = STATUS_UNAVAILABLE;
    own->function = NULL;
    own->failure = *error;
    return STATUS_UNAVAILABLE;
}

/* Loads the kernel if not yet loaded. STATUS_UNAVAILABLE, each time with the first failure. */
static enum status ensure(struct device *device, struct own_kernel *own, const char *source,
                          const char *file, const struct named_value *define, const char *what,
                          const char *name, struct error *error)
{
    struct binary_request request = {
        .define_count = define ? 1 : 0,
        .flag_count = 3, /* the host's text unchanged, with the host's arithmetic */
        .flags = {"--device-as-default-execution-space", "--diag-suppress=177", "--fmad=false"}};
    if (own->function)
        return STATUS_OK;
    if (own->failure.status != STATUS_OK) {
        *error = own->failure;
        return error->status;
    }
    if (define)
        request.defines[0] = *define;
    enum status status = cuda_load_own(device, source, file, &request, what, &own->module, error);
    if (status == STATUS_OK) {
        CUresult result = device->driver->cuModuleGetFunction(&own->function, own->module, name);
        if (result != CUDA_SUCCESS)
            status = cuda_error(device, result, error, "loading the %s", what);
    }
    return status == STATUS_OK ? STATUS_OK : fail(own, error);
}

static enum status start(struct device *device, struct own_kernel *own, uint64_t blocks,
                         uint32_t threads, void **arguments, const char *what, struct error *error)
{
    CUresult result = cuda_launch(device, own->function, (uint32_t)blocks, threads, arguments);
    if (result == CUDA_SUCCESS)
        return STATUS_OK;
    (void)cuda_error(device, result, error, "starting the %s", what);
    return fail(own, error);
}

enum status cuda_compare_chunks(struct device *device, enum element_type type,
                                const struct comparing *what, uint64_t chunks, CUdeviceptr findings,
                                struct error *error)
{
    static const char *const types[] = {
#define ELEMENT_ENUMERATOR_NAME(enumerator, name, c_name, bytes, real) #enumerator,
        ELEMENT_TYPE_LIST(ELEMENT_ENUMERATOR_NAME)
#undef ELEMENT_ENUMERATOR_NAME
    };
    const struct named_value define = {"CHECK_TYPE", value_text(types[type])};
    struct own_kernel *own = &device->checks[type];
    struct comparing passed = *what;
    void *arguments[] = {&passed, &findings};
    TRY(ensure(device, own, cuda_check_source, "check.cu", &define, "checking kernels",
               "tune_compare", error));
    return start(device, own, chunks, COMPARE_LANES, arguments, "checking kernel", error);
}

static enum status ensure_fill(struct device *device, struct error *error)
{
    return ensure(device, &device->fill, cuda_fill_source, "fill.cu", NULL,
                  "kernel that makes inputs", "tune_fill", error);
}

bool cuda_can_generate(struct device *device, struct error *why)
{
    return ensure_fill(device, why) == STATUS_OK;
}

enum status cuda_generate(struct device *device, CUdeviceptr to, const struct filling *filling,
                          uint64_t count, struct error *error)
{
    struct filling passed = *filling;
    void *arguments[] = {&to, &passed, &count};
    TRY(ensure_fill(device, error));
    return start(device, &device->fill, (count + FILL_THREADS - 1) / FILL_THREADS, FILL_THREADS,
                 arguments, "kernel that makes inputs", error);
}
