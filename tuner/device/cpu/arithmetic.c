/* Arithmetic rates of the processor: functions that stay in registers, compiled like kernels. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/temporary.h"
#include "tuner/device/cpu/device.h"
#include "tuner/device/embedded.h"

enum { TIMINGS = 5, REPEATS_FIRST = 1 << 15 };
static const double wanted_ns = 3e6;
static const double repeats_most = 1e8;

static const struct function_kind {
    const char *name;
    enum element_type type;
} kinds[] = {
    {"tune_fused_f16", ELEMENT_F16}, /* only where the processor has the type */
    {"tune_fused_f32", ELEMENT_F32}, {"tune_fused_f64", ELEMENT_F64},
    {"tune_fused_i32", ELEMENT_I32}, {"tune_added_i32", ELEMENT_I32},
    {"tune_fused_i64", ELEMENT_I64}, {"tune_added_i64", ELEMENT_I64},
};

typedef double probe_function(long long repeats);

struct probe {
    probe_function *function;
    long long repeats;
    double operations; /* operations of a thread in one run */
};

static void run_probe(void *context, int thread, int threads)
{
    struct probe *probe = context;
    (void)threads;
    double operations = probe->function(probe->repeats);
    if (thread == 0)
        probe->operations = operations;
}

static double time_once(struct device *device, struct probe *probe)
{
    int64_t start_ns = clock_now_ns();
    pool_run(device->pool, device->machine.cores, run_probe, probe);
    double elapsed_ns = (double)(clock_now_ns() - start_ns);
    return elapsed_ns > 1 ? elapsed_ns : 1;
}

enum status cpu_arithmetic(struct device *device, struct arithmetic *out, struct error *error)
{
    struct arena arena = {0};
    struct text log = {0};
    struct temporary folder = {.file = -1};
    struct binary_request request = {.source_path = NULL};
    const char *binary = NULL;
    void *handle = NULL;
    const char *above = getenv("TMPDIR");
    const char *before = above ? arena_strdup(&arena, above) : NULL;
    enum status status = STATUS_OK;
    *out = (struct arithmetic){{0}};
    if (above && !before)
        return error_no_memory(error);
    TRY_OR_CLEANUP(temporary_folder_in_tmp("arithmetic", &folder, error));
    request.source_path = arena_printf(&arena, "%s/probe.c", folder.path);
    binary = arena_printf(&arena, "%s/probe.so", folder.path);
    /* The folder also holds leftovers of a killed compiler. */
    if (arena.failed || setenv("TMPDIR", folder.path, 1) != 0)
        TRY_OR_CLEANUP(error_no_memory(error));
    TRY_OR_CLEANUP(file_write_atomically(request.source_path, cpu_arithmetic_source,
                                         strlen(cpu_arithmetic_source), error));
    TRY_OR_CLEANUP(cpu_compile(&request, binary, &log, error));
    handle = dlopen(binary, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        TRY_OR_CLEANUP(error_set(error, STATUS_UNAVAILABLE, "%s", dlerror()));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        void *found = dlsym(handle, kinds[i].name);
        probe_function *function = NULL;
        memcpy(&function, &found, sizeof function);
        if (!function)
            continue;
        /* All cores at once, the best of a few times; short runs first find the repeats. */
        struct probe probe = {.function = function, .repeats = REPEATS_FIRST};
        (void)time_once(device, &probe);
        const double short_ns = time_once(device, &probe);
        probe.repeats = (long long)fmin(fmax(REPEATS_FIRST * wanted_ns / short_ns, REPEATS_FIRST),
                                        repeats_most);
        for (int j = 0; j < TIMINGS; j++) {
            const double elapsed_ns = time_once(device, &probe);
            out->gops[kinds[i].type] = fmax(out->gops[kinds[i].type],
                                            probe.operations * device->machine.cores / elapsed_ns);
        }
    }
cleanup:
    if (handle)
        (void)dlclose(handle);
    if (before)
        (void)setenv("TMPDIR", before, 1);
    else
        (void)unsetenv("TMPDIR");
    if (folder.file >= 0)
        temporary_folder_remove(&folder);
    text_free(&log);
    arena_free(&arena);
    return status;
}
