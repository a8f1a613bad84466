#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/source.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/internal.h"

enum { OPTIONS_MAX = DEFINES_MAX + FLAGS_MAX + 8 };

struct options {
    struct arena *arena;
    const char *items[OPTIONS_MAX];
    int count;
    bool failed; /* memory was short */
};

static void add_option(struct options *options, const char *prefix, const char *value)
{
    const char *option = value ? arena_printf(options->arena, "%s%s", prefix, value) : NULL;
    if (!option || options->count >= OPTIONS_MAX)
        options->failed = true;
    else
        options->items[options->count++] = option;
}

static void add_define(struct options *options, const struct named_value *define)
{
    char number[VALUE_TEXT_BYTES];
    const char *value = define->value.text;
    if (define->value.kind != VALUE_TEXT) {
        options->failed |= !value_format(define->value, number, sizeof number);
        value = number;
    }
    const char *prefix = arena_printf(options->arena, "-D%s=", define->name);
    if (prefix)
        add_option(options, prefix, value);
    else
        options->failed = true;
}

static bool is_standard(const char *flag)
{
    return strncmp(flag, "-std", 4) == 0 || strncmp(flag, "--std", 5) == 0;
}

/* The toolkit's headers, where NVRTC lies in a toolkit. What a source includes in quotes is part of
 * its text, and nothing else of its folder is found: what is compiled is what was hashed. */
static void add_include_folder(struct options *options, const char *library_folder)
{
    const char *headers = arena_printf(options->arena, "%s/../include", library_folder);
    if (*library_folder && headers && file_exists(headers))
        add_option(options, "-I", headers);
}

static void make_options(struct options *options, const struct binary_request *request,
                         const struct cuda_compiler *nvrtc)
{
    bool standard = false;
    for (size_t i = 0; i < request->flag_count; i++)
        standard |= is_standard(request->flags[i]);
    add_option(options, "--gpu-architecture=", request->architecture);
    add_option(options, "--ptxas-options=", "-v");
    if (!standard)
        add_option(options, "--std=", "c++17");
    for (size_t i = 0; i < request->define_count; i++)
        add_define(options, &request->defines[i]);
    for (size_t i = 0; i < request->flag_count; i++)
        add_option(options, "", request->flags[i]);
    add_include_folder(options, nvrtc->folder);
}

/* NVRTC answers an unknown architecture with "invalid value" only: say what it does know. */
static enum status check_architecture(const struct cuda_compiler *nvrtc, const char *architecture,
                                      struct error *error)
{
    int known[128];
    int count = 0;
    int wanted = 0;
    if (strncmp(architecture, "sm_", 3) == 0 && isdigit((unsigned char)architecture[3]))
        wanted = (int)strtol(architecture + 3, NULL, 10);
    else
        return error_set(error, STATUS_BAD_INPUT,
                         "architecture '%s': a GPU's is written sm_90, sm_120", architecture);
    if (nvrtc->nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count <= 0 || count > 128 ||
        nvrtc->nvrtcGetSupportedArchs(known) != NVRTC_SUCCESS)
        return STATUS_OK; /* then the compiler itself will tell */
    for (int i = 0; i < count; i++)
        if (known[i] == wanted)
            return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE,
                     "%s: NVRTC %d.%d compiles for sm_%d to sm_%d: install the NVRTC of %s CUDA",
                     architecture, nvrtc->major, nvrtc->minor, known[0], known[count - 1],
                     wanted > known[count - 1] ? "a later" : "an earlier");
}

static enum status take_log(const struct cuda_compiler *nvrtc, nvrtcProgram program,
                            struct arena *arena, const char **out, struct error *error)
{
    size_t bytes = 0;
    *out = "";
    if (nvrtc->nvrtcGetProgramLogSize(program, &bytes) != NVRTC_SUCCESS || bytes <= 1)
        return STATUS_OK;
    char *log = arena_alloc(arena, bytes + 1, 1);
    if (!log)
        return error_no_memory(error);
    if (nvrtc->nvrtcGetProgramLog(program, log) == NVRTC_SUCCESS)
        *out = log;
    return STATUS_OK;
}

static const char *line_with(const char *log, const char *word, size_t *length)
{
    const char *hit = strstr(log, word);
    if (!hit)
        return NULL;
    while (hit > log && hit[-1] != '\n')
        hit--;
    *length = strcspn(hit, "\r\n");
    return hit;
}

static enum status compile_failed(const struct cuda_compiler *nvrtc, nvrtcResult result,
                                  const char *log, struct error *error)
{
    size_t length = 0;
    const char *line = line_with(log, "error", &length);
    if (!line)
        line = line_with(log, "fatal", &length);
    if (line)
        return error_set(error, STATUS_COMPILE_FAILED, "%.*s", (int)length, line);
    return error_set(error, STATUS_COMPILE_FAILED, "%s", nvrtc->nvrtcGetErrorString(result));
}

static enum status take_kernels(const struct cuda_compiler *nvrtc, nvrtcProgram program,
                                const struct binary_request *request, const char *log,
                                struct arena *arena, struct container *out, struct error *error)
{
    out->kernel_count = request->kernel_count;
    for (size_t i = 0; i < request->kernel_count; i++) {
        struct container_kernel *kernel = &out->kernels[i];
        const char *lowered = NULL;
        nvrtcResult result = nvrtc->nvrtcGetLoweredName(program, request->kernels[i], &lowered);
        if (result != NVRTC_SUCCESS || !lowered)
            return error_set(error, STATUS_COMPILE_FAILED, "kernel '%s': no such kernel (%s)",
                             request->kernels[i], nvrtc->nvrtcGetErrorString(result));
        kernel->name = arena_strdup(arena, request->kernels[i]);
        kernel->lowered = arena_strdup(arena, lowered);
        if (!kernel->name || !kernel->lowered)
            return error_no_memory(error);
        kernel->spill_bytes = ptxas_spill_bytes(log, lowered);
    }
    return STATUS_OK;
}

static enum status take_cubin(const struct cuda_compiler *nvrtc, nvrtcProgram program,
                              struct arena *arena, struct container *out, struct error *error)
{
    size_t bytes = 0;
    nvrtcResult result = nvrtc->nvrtcGetCUBINSize(program, &bytes);
    if (result != NVRTC_SUCCESS || bytes == 0)
        return error_set(error, STATUS_COMPILE_FAILED, "NVRTC gave no cubin: %s",
                         nvrtc->nvrtcGetErrorString(result));
    char *cubin = arena_alloc(arena, bytes, 1);
    if (!cubin)
        return error_no_memory(error);
    result = nvrtc->nvrtcGetCUBIN(program, cubin);
    if (result != NVRTC_SUCCESS)
        return error_set(error, STATUS_COMPILE_FAILED, "NVRTC gave no cubin: %s",
                         nvrtc->nvrtcGetErrorString(result));
    out->cubin = cubin;
    out->cubin_bytes = bytes;
    return STATUS_OK;
}

/* Kernels are asked for as name expressions, plain names too: then one that is not there is an
 * error of the compiler, and one without extern "C" is found nevertheless. */
static enum status compile_program(const struct cuda_compiler *nvrtc, nvrtcProgram program,
                                   const struct binary_request *request,
                                   const struct options *options, struct container *out,
                                   struct text *log, struct error *error)
{
    const char *messages = "";
    for (size_t i = 0; i < request->kernel_count; i++)
        if (nvrtc->nvrtcAddNameExpression(program, request->kernels[i]) != NVRTC_SUCCESS)
            return error_set(error, STATUS_COMPILE_FAILED, "kernel '%s': not a name of a kernel",
                             request->kernels[i]);
    nvrtcResult result = nvrtc->nvrtcCompileProgram(program, options->count, options->items);
    enum status status = take_log(nvrtc, program, options->arena, &messages, error);
    if (status != STATUS_OK)
        return status;
    text_append(log, messages);
    /* It is this kernel that needs so much: the next may not. */
    if (result == NVRTC_ERROR_OUT_OF_MEMORY)
        return error_set(error, STATUS_COMPILE_FAILED, "NVRTC ran out of memory");
    if (result != NVRTC_SUCCESS)
        return compile_failed(nvrtc, result, messages, error);
    status = take_kernels(nvrtc, program, request, messages, options->arena, out, error);
    if (status == STATUS_OK)
        status = take_cubin(nvrtc, program, options->arena, out, error);
    return status;
}

enum status cuda_compile_text(struct arena *arena, const char *source, const char *name,
                              const struct binary_request *request, struct container *out,
                              struct text *log, struct error *error)
{
    const struct cuda_compiler *nvrtc = cuda_compiler(error);
    if (!nvrtc)
        return error->status;
    enum status status = check_architecture(nvrtc, request->architecture, error);
    if (status != STATUS_OK)
        return status;
    struct options options = {.arena = arena};
    make_options(&options, request, nvrtc);
    if (options.failed)
        return error_no_memory(error);
    nvrtcProgram program = NULL;
    nvrtcResult result = nvrtc->nvrtcCreateProgram(&program, source, name, 0, NULL, NULL);
    if (result != NVRTC_SUCCESS)
        return error_set(error, STATUS_COMPILE_FAILED, "%s: %s", name,
                         nvrtc->nvrtcGetErrorString(result));
    *out = (struct container){0};
    status = compile_program(nvrtc, program, request, &options, out, log, error);
    (void)nvrtc->nvrtcDestroyProgram(&program);
    return status;
}

static enum status compile_file(struct arena *arena, const struct binary_request *request,
                                const char *binary_path, struct text *log, struct error *error)
{
    struct source source;
    struct container container;
    void *file = NULL;
    size_t bytes = 0;
    enum status status = source_read(arena, request->source_path, &source, error);
    if (status == STATUS_OK)
        status = source_check(&source, request->source_hash, error);
    if (status == STATUS_OK)
        status = cuda_compile_text(arena, source.text, request->source_path, request, &container,
                                   log, error);
    if (status == STATUS_OK)
        status = container_write(arena, &container, &file, &bytes, error);
    if (status == STATUS_OK)
        status = file_write_atomically(binary_path, file, bytes, error);
    return status;
}

enum status cuda_compile(const struct binary_request *request, const char *binary_path,
                         struct text *log, struct error *error)
{
    struct arena arena = {0};
    enum status status = compile_file(&arena, request, binary_path, log, error);
    arena_free(&arena);
    if (status == STATUS_OK && log->failed)
        return error_no_memory(error);
    return status;
}
