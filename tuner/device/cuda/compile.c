#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/source.h"
#include "tuner/base/temporary.h"
#include "tuner/base/text.h"
#include "tuner/base/tokens.h"
#include "tuner/device/cuda/compile.h"
#include "tuner/device/cuda/image.h"
#include "tuner/device/functions.h"

/* ---- a kernel's name that is not in the source ---- */

/* Finds the names of the source's kernels, without namespaces. */
static size_t kernels_of(struct arena *arena, const char *source, const char **out, size_t most)
{
    struct tokens tokens = {0};
    size_t count = 0;
    if (!tokens_read(arena, source, &tokens))
        return 0;
    for (size_t i = 0; i < tokens.count && count < most; i++) {
        if (!token_is(&tokens, i, "__global__"))
            continue;
        size_t name = 0;
        for (; i < tokens.count && !token_is_in(&tokens, i, "; {"); i++) {
            const size_t open =
                token_is(&tokens, i + 1, "<") ? tokens_behind_angle(&tokens, i + 1) : i + 1;
            if (tokens.items[i].kind == TOKEN_NAME && token_is(&tokens, open, "(") && !name &&
                !token_is_in(&tokens, i, "__launch_bounds__ __attribute__ __cluster_dims__"))
                name = i;
        }
        const char *copy = name ? tokens_text(arena, &tokens, name, name + 1) : NULL;
        for (size_t j = 0; copy && j < count; j++)
            if (strcmp(out[j], copy) == 0)
                copy = NULL;
        if (copy)
            out[count++] = copy;
    }
    return count;
}

/* Lists the source's kernels after a failure, where a requested one is missing. */
static void name_kernels(struct arena *arena, const char *source, const char *path,
                         const struct binary_request *request, struct error *error)
{
    enum { KERNELS_MAX = 64 };
    const char *kernels[KERNELS_MAX], *missing = NULL;
    struct text names = {0};
    const size_t count = kernels_of(arena, source, kernels, KERNELS_MAX);
    for (size_t i = 0; !missing && i < request->kernel_count; i++) {
        bool is_there = strstr(request->kernels[i], "::") != NULL;
        for (size_t j = 0; j < count; j++)
            is_there |= strlen(kernels[j]) == strcspn(request->kernels[i], "<") &&
                        strncmp(request->kernels[i], kernels[j], strlen(kernels[j])) == 0;
        missing = is_there ? NULL : request->kernels[i];
    }
    for (size_t i = 0; missing && i < count; i++)
        text_printf(&names, "%s%s", i ? ", " : "", kernels[i]);
    const char *nearest = missing ? nearest_word(missing, kernels, count) : NULL;
    if (names.length > 0)
        (void)error_set(error, STATUS_COMPILE_FAILED, "%s: no kernel '%s'%s%s%s; there %s: %s",
                        path, missing, nearest ? ", did you mean '" : "", nearest ? nearest : "",
                        nearest ? "'?" : "", count == 1 ? "is" : "are", text_string(&names));
    text_free(&names);
}

/* Finds the device variables that the source declares, by the words before and the sign after each
 * name. */
static size_t variables_of(struct arena *arena, const char *source, const char **out, size_t most)
{
    struct tokens tokens = {0};
    size_t count = 0;
    if (!tokens_read(arena, source, &tokens))
        return 0;
    for (size_t i = 0; i < tokens.count && count < most; i++) {
        if (!token_is_in(&tokens, i, "__constant__ __device__ __managed__"))
            continue;
        while (i + 1 < tokens.count && !token_is_in(&tokens, i + 1, "( [ { ; = ,"))
            i++;
        if (tokens.items[i].kind == TOKEN_NAME && !token_is(&tokens, i + 1, "("))
            out[count++] = arena_strndup(arena, tokens.items[i].start, tokens.items[i].length);
    }
    return arena->failed ? 0 : count;
}

/* ---- compiling ---- */

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
        options_add(options, prefix, value);
    else
        options->failed = true;
}

/* Lists the architectures that NVRTC knows, since its own error for an unknown one is only "invalid
 * value". */
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
    int meant = 0;        /* the largest known one with fewer digits that begins alike */
    for (int i = 0; i < count; i++) {
        if (known[i] == wanted)
            return STATUS_OK;
        if (meant == 0 && known[i] / 10 == wanted)
            meant = known[i];
    }
    if (meant != 0)
        return error_set(error, STATUS_BAD_INPUT, "architecture '%s': did you mean 'sm_%d'?",
                         architecture, meant);
    return error_set(error, STATUS_UNAVAILABLE,
                     "%s: NVRTC %d.%d compiles for sm_%d to sm_%d: install the NVRTC of %s CUDA",
                     architecture, nvrtc->major, nvrtc->minor, known[0], known[count - 1],
                     wanted > known[count - 1] ? "a later" : "an earlier");
}

/* Requests kernels and variables as name expressions, plain names too: the compiler then reports a
 * missing one, and finds one without extern "C". */
static enum status ask_for_names(const struct compilation *compilation, struct error *error)
{
    const struct cuda_compiler *nvrtc = compilation->nvrtc;
    const struct binary_request *request = compilation->request;
    for (size_t i = 0; i < request->kernel_count; i++)
        if (compilation->wanted->kernels[i] &&
            nvrtc->nvrtcAddNameExpression(compilation->program, request->kernels[i]) !=
                NVRTC_SUCCESS)
            return error_set(error, STATUS_COMPILE_FAILED, "kernel '%s': not a name of a kernel",
                             request->kernels[i]);
    for (size_t i = 0; i < request->symbol_count; i++) {
        const char *name = arena_printf(compilation->arena, "&%s", request->symbols[i]);
        TRY_MEMORY(name);
        if (compilation->wanted->symbols[i] &&
            nvrtc->nvrtcAddNameExpression(compilation->program, name) != NVRTC_SUCCESS)
            return error_set(error, STATUS_COMPILE_FAILED,
                             "variable '%s': not a name of a variable", request->symbols[i]);
    }
    return STATUS_OK;
}

/* Stores the symbol that NVRTC made of a name expression. */
static enum status take_name(const struct compilation *compilation, const char *role,
                             const char *expression, const char *name, struct container_name *out,
                             struct error *error)
{
    const char *lowered = NULL;
    const nvrtcResult result =
        compilation->nvrtc->nvrtcGetLoweredName(compilation->program, expression, &lowered);
    if (result != NVRTC_SUCCESS || !lowered)
        return error_set(error, STATUS_COMPILE_FAILED, "%s '%s': no such %s (%s)", role, name, role,
                         compilation->nvrtc->nvrtcGetErrorString(result));
    *out = (struct container_name){arena_strdup(compilation->arena, name),
                                   arena_strdup(compilation->arena, lowered), -1};
    return out->name && out->lowered ? STATUS_OK : error_no_memory(error);
}

/* Takes a product of the compiled program: its cubin or PTX. */
static enum status take_product(const struct compilation *compilation, const char *product,
                                nvrtcResult (*size)(nvrtcProgram, size_t *),
                                nvrtcResult (*get)(nvrtcProgram, char *), char **data,
                                size_t *bytes, struct error *error)
{
    nvrtcResult result = size(compilation->program, bytes);
    if (result == NVRTC_SUCCESS && *bytes > 0) {
        *data = arena_alloc(compilation->arena, *bytes, 1);
        TRY_MEMORY(*data);
        result = get(compilation->program, *data);
    }
    return result == NVRTC_SUCCESS && *bytes > 0
               ? STATUS_OK
               : error_set(error, STATUS_COMPILE_FAILED, "NVRTC gave no %s: %s", product,
                           compilation->nvrtc->nvrtcGetErrorString(result));
}

static enum status compile_program(const struct compilation *compilation, struct container *out,
                                   struct cuda_cubin *cubin, struct error *error)
{
    const struct cuda_compiler *nvrtc = compilation->nvrtc;
    const struct options *options = compilation->options;
    const char *messages = "";
    TRY(ask_for_names(compilation, error));
    nvrtcResult result =
        nvrtc->nvrtcCompileProgram(compilation->program, options->count, options->items);
    size_t log_bytes = 0;
    if (nvrtc->nvrtcGetProgramLogSize(compilation->program, &log_bytes) == NVRTC_SUCCESS &&
        log_bytes > 1) {
        char *log = arena_alloc(compilation->arena, log_bytes + 1, 1);
        TRY_MEMORY(log);
        if (nvrtc->nvrtcGetProgramLog(compilation->program, log) == NVRTC_SUCCESS)
            messages = log;
    }
    text_append(compilation->log, messages);
    /* Memory ran out for this kernel; the next may need less. */
    if (result == NVRTC_ERROR_OUT_OF_MEMORY)
        return error_set(error, STATUS_COMPILE_FAILED, "NVRTC ran out of memory");
    if (result != NVRTC_SUCCESS)
        return cuda_compile_failed(compilation, nvrtc->nvrtcGetErrorString(result), messages,
                                   error);
    const struct binary_request *request = compilation->request;
    for (size_t i = 0; i < request->kernel_count; i++) {
        const char *name = request->kernels[i];
        if (!compilation->wanted->kernels[i])
            continue;
        TRY(take_name(compilation, "kernel", name, name, &out->kernels[i], error));
        out->kernels[i].spill_bytes = ptxas_spill_bytes(messages, out->kernels[i].lowered);
    }
    for (size_t i = 0; i < request->symbol_count; i++) {
        const char *address = arena_printf(compilation->arena, "&%s", request->symbols[i]);
        TRY_MEMORY(address);
        if (compilation->wanted->symbols[i])
            TRY(take_name(compilation, "variable", address, request->symbols[i], &out->symbols[i],
                          error));
    }
    char *ptx = NULL, *data = NULL;
    size_t bytes = 0;
    if (request->wants_ptx && compilation->wanted->kernels[0])
        TRY(take_product(compilation, "PTX", nvrtc->nvrtcGetPTXSize, nvrtc->nvrtcGetPTX, &ptx,
                         &bytes, error));
    if (ptx)
        out->ptx = ptx;
    TRY(take_product(compilation, "cubin", nvrtc->nvrtcGetCUBINSize, nvrtc->nvrtcGetCUBIN, &data,
                     &cubin->bytes, error));
    cubin->data = data;
    return STATUS_OK;
}

static enum status compile_once(struct compilation *compilation, const char *source,
                                const char *name, struct container *out, struct cuda_cubin *cubin,
                                struct error *error)
{
    const struct cuda_compiler *nvrtc = compilation->nvrtc;
    const char *const *names = NULL;
    const char *const *texts = NULL;
    int headers = (int)cuda_own_headers(&names, &texts);
    nvrtcResult result =
        nvrtc->nvrtcCreateProgram(&compilation->program, source, name, headers, texts, names);
    if (result != NVRTC_SUCCESS)
        return error_set(error, STATUS_COMPILE_FAILED, "%s: %s", name,
                         nvrtc->nvrtcGetErrorString(result));
    enum status status = compile_program(compilation, out, cubin, error);
    (void)nvrtc->nvrtcDestroyProgram(&compilation->program);
    return status;
}

/* Compiles with the defines as options. Where one is also a name in the headers that NVRTC reads
 * before the source, the defines become the source's first lines, which those headers do not see.
 */
static enum status compile_with_nvrtc(struct compilation *compilation, const char *source,
                                      const char *name, struct container *out,
                                      struct cuda_cubin *cubin, struct error *error)
{
    const struct options *options = compilation->options;
    struct options others = {.arena = compilation->arena};
    struct text text = {0};
    const enum status status = compile_once(compilation, source, name, out, cubin, error);
    if (status != STATUS_COMPILE_FAILED || !strstr(error->text, CUDA_NAME_REPLACED))
        return status;
    for (int i = 0; i < options->count; i++) {
        const char *define = strncmp(options->items[i], "-D", 2) == 0 ? options->items[i] + 2 : "";
        const size_t length = strcspn(define, "=");
        if (*define)
            text_printf(&text, "#define %.*s %s\n", (int)length, define,
                        define[length] ? define + length + 1 : "1");
        else
            options_add(&others, "", options->items[i]);
    }
    text_append(&text, "#line 1\n");
    text_append(&text, source);
    const char *with_defines = text_to_arena(&text, compilation->arena);
    text_free(&text);
    TRY_MEMORY(with_defines && !others.failed);
    error_clear(error);
    text_clear(compilation->log);
    compilation->options = &others;
    const enum status second = compile_once(compilation, with_defines, name, out, cubin, error);
    compilation->options = options;
    return second;
}

/* Fills compilation->part with the source, less the parts that the compilation leaves out. */
static bool take_device_part(struct compilation *compilation, const char *source)
{
    const struct binary_request *request = compilation->request;
    const struct options *options = compilation->options;
    const char *items[OPTIONS_MAX];
    struct header_folders folders = {.items = items};
    for (int i = 0; i < options->count; i++)
        if (strncmp(options->items[i], "-I", 2) == 0)
            items[folders.count++] = options->items[i] + 2;
    return cuda_device_part(compilation->arena, source, compilation->leaves_out, request->defines,
                            request->define_count, &folders, &compilation->part);
}

/* Compiles one unit; names go to their places in the request. */
static enum status compile_unit(struct compilation *compilation, const char *source,
                                const char *name, struct container *out, struct cuda_cubin *cubin,
                                struct error *error)
{
    const struct binary_request *request = compilation->request;
    if (compilation->leaves_out != LEAVE_NONE) {
        TRY_MEMORY(take_device_part(compilation, source));
        source = compilation->part.text;
    }
    cubin->name = name;
    enum status status = compilation->nvrtc
                             ? compile_with_nvrtc(compilation, source, name, out, cubin, error)
                             : cuda_compile_with_nvcc(compilation, source, name, out, cubin, error);
    if (status == STATUS_COMPILE_FAILED && strstr(error->text, "name expression") &&
        request->unit_count == 0)
        name_kernels(compilation->arena, source, name, request, error);
    if (status == STATUS_COMPILE_FAILED && strstr(error->text, "name expression") &&
        request->unit_count == 0) {
        enum { VARIABLES_MAX = 256 };
        const char *names[VARIABLES_MAX];
        const char *named = strstr(error->text, "was: \"");
        const char *symbol = NULL;
        named = named ? named + 6 + strspn(named + 6, " &") : "";
        for (size_t i = 0; i < request->symbol_count; i++)
            if (strlen(request->symbols[i]) == strcspn(named, " \"") &&
                strncmp(request->symbols[i], named, strlen(request->symbols[i])) == 0)
                symbol = request->symbols[i];
        const size_t count =
            symbol ? variables_of(compilation->arena, source, names, VARIABLES_MAX) : 0;
        const char *nearest = symbol ? nearest_word(symbol, names, count) : NULL;
        if (symbol)
            (void)error_set(error, STATUS_COMPILE_FAILED,
                            "%s: no variable '%s'%s%s%s (a symbol is a __constant__ or __device__ "
                            "variable of the source)",
                            name, symbol, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                            nearest ? "'?" : "");
    }
    return status;
}

/* Prepares the parts common to all units. */
static enum status begin(struct compilation *compilation, struct options *options,
                         const struct binary_request *request, struct container *out,
                         struct error *error)
{
    const bool with_nvcc = request->compiler != NULL;
    compilation->request = request;
    options->arena = compilation->arena;
    compilation->options = options;
    compilation->nvrtc = with_nvcc ? NULL : cuda_compiler(error);
    compilation->nvcc = with_nvcc ? cuda_nvcc(error) : NULL;
    if (!compilation->nvrtc && !compilation->nvcc)
        return error->status;
    TRY(with_nvcc ? STATUS_OK
                  : check_architecture(compilation->nvrtc, request->architecture, error));
    /* All functions without attributes are the device's. */
    bool all_device = false;
    for (size_t i = 0; i < request->flag_count; i++)
        if (strstr(request->flags[i], "-default-device") ||
            strstr(request->flags[i], "-device-as-default-execution-space")) {
            all_device = true;
            break;
        }
    compilation->leaves_out = with_nvcc ? LEAVE_DEFINES : all_device ? LEAVE_NONE : LEAVE_HOST_PART;
    bool standard = false;
    for (size_t i = 0; i < request->flag_count; i++)
        standard |= strncmp(request->flags[i], "-std", 4) == 0 ||
                    strncmp(request->flags[i], "--std", 5) == 0;
    options_add(options, "--gpu-architecture=", request->architecture);
    options_add(options, "--ptxas-options=", "-v");
    if (!standard)
        options_add(options, "--std=", "c++17");
    for (size_t i = 0; i < request->define_count; i++)
        add_define(options, &request->defines[i]);
    for (size_t i = 0; i < request->flag_count; i++)
        if (!functions_are_requested(request) || !functions_is_library(request->flags[i]))
            options_add(options, "", request->flags[i]);
    if (request->unit_count > 0)
        options_add(options, "--relocatable-device-code=", "true");
    for (size_t i = 0; i < request->folder_count; i++)
        options_add(options, "-I", request->folders[i]);
    /* The toolkit's headers; nvcc knows its own. Files included in quotes are already part of the
     * text and no other file of the source's folder is found, so the compiled text is the hashed
     * one. */
    const struct cuda_compiler *nvrtc = compilation->nvrtc;
    if (nvrtc && nvrtc->headers[0]) {
        const char *more = arena_printf(options->arena, "%s/cccl", nvrtc->headers);
        options_add(options, "-I", nvrtc->headers);
        if (more && file_exists(more))
            options_add(options, "-I", more);
        if (nvrtc->cccl[0])
            options_add(options, "-I", nvrtc->cccl);
    }
    *out = (struct container){.kernel_count = request->kernel_count,
                              .symbol_count = request->symbol_count};
    return options->failed ? error_no_memory(error) : STATUS_OK;
}

/* Compiles a request's units, and links several; intermediate files may lie beside binary_path. */
static enum status compile_units(struct arena *arena, const struct binary_request *request,
                                 const struct source *sources, const char *binary_path,
                                 struct container *out, struct text *log, struct error *error)
{
    struct options options = {0};
    struct wanted wanted[UNITS_MAX + 1] = {0};
    struct cuda_cubin cubins[UNITS_MAX + 1] = {0};
    struct cuda_cubin linked = {0};
    struct compilation compilation = {.arena = arena, .binary_path = binary_path, .log = log};
    size_t count = request->unit_count + 1;
    for (size_t i = 0; i < request->kernel_count; i++)
        wanted[cuda_defining_unit(sources, count, request->kernels[i], true)].kernels[i] = true;
    for (size_t i = 0; i < request->symbol_count; i++)
        wanted[cuda_defining_unit(sources, count, request->symbols[i], false)].symbols[i] = true;
    TRY(begin(&compilation, &options, request, out, error));
    for (size_t i = 0; i < count; i++) {
        compilation.wanted = &wanted[i];
        TRY(compile_unit(&compilation, sources[i].text, unit_path(request, i), out, &cubins[i],
                         error));
    }
    if (count > 1)
        TRY(cuda_link(arena, cubins, count, request, &linked, log, error));
    else
        linked = cubins[0];
    out->cubin = linked.data;
    out->cubin_bytes = linked.bytes;
    return STATUS_OK;
}

enum status cuda_compile_text(struct arena *arena, const char *source, const char *name,
                              const struct binary_request *request, struct container *out,
                              struct text *log, struct error *error)
{
    struct temporary folder = {.file = -1};
    struct source sources[UNITS_MAX + 1];
    struct binary_request named = *request;
    const char *path = NULL;
    enum status status = STATUS_OK;
    named.source_path = name;
    sources[0] = (struct source){.text = source,
                                 .length = strlen(source),
                                 .contents = source,
                                 .content_length = strlen(source)};
    TRY(units_read(arena, &named, 1, sources, error));
    if (request->compiler) {
        TRY(temporary_folder_in_tmp("nvcc", &folder, error));
        if (!(path = arena_printf(arena, "%s/binary", folder.path)))
            TRY_OR_CLEANUP(error_no_memory(error));
    }
    status = compile_units(arena, &named, sources, path, out, log, error);
cleanup:
    if (folder.file >= 0)
        temporary_folder_remove(&folder);
    return status;
}

/* Takes a program's kernel image in place of compiling, with the request's architecture, names and
 * flags. Code stays as is; PTX is compiled with the flags where nvJitLink is installed, else left
 * to the driver. `data`, with a NUL behind, must live as long as `out`. */
static enum status take_image(struct arena *arena, const struct binary_request *request,
                              const void *data, size_t bytes, struct container *out,
                              struct text *log, struct error *error)
{
    struct image image;
    struct cuda_cubin linked = {0};
    struct error ignored = {0};
    enum status status =
        image_open(arena, data, bytes, image_capability(request->architecture), &image, error);
    *out = (struct container){.kernel_count = request->kernel_count,
                              .symbol_count = request->symbol_count};
    for (size_t i = 0; status == STATUS_OK && i < request->kernel_count; i++) {
        struct image_kernel kernel;
        out->kernels[i] =
            (struct container_name){request->kernels[i], request->kernels[i], .spill_bytes = -1};
        if (image.cubin || image.ptx) /* the image must have the kernel, as far as can be known */
            status = image_kernel(&image, request->kernels[i], &kernel, error);
    }
    for (size_t i = 0; i < request->symbol_count; i++)
        out->symbols[i] = (struct container_name){request->symbols[i], request->symbols[i], -1};
    if (status != STATUS_OK) {
        (void)error_prefix(error, "%s", request->source_path);
        error->status = status == STATUS_NO_MEMORY ? status : STATUS_COMPILE_FAILED;
        return error->status;
    }
    /* No limit is none. */
    const bool has_flags =
        request->flag_count > 1 ||
        (request->flag_count == 1 && strcmp(request->flags[0], "-maxrregcount=0") != 0);
    if (has_flags && !image.ptx)
        return error_set(error, STATUS_COMPILE_FAILED, "%s: %s needs PTX, and there is none%s%s",
                         request->source_path, request->flags[0],
                         *image.unread ? " that can be read: " : "", image.unread);
    const struct cuda_cubin ptx = {.name = request->source_path,
                                   .data = image.ptx,
                                   .bytes = image.ptx_bytes + 1,
                                   .is_ptx = true};
    const bool as_it_is = image.cubin && !has_flags;
    if (!as_it_is && image.ptx && (has_flags || cuda_linker(&ignored))) {
        status = cuda_link(arena, &ptx, 1, request, &linked, log, error);
        out->cubin = linked.data;
        out->cubin_bytes = linked.bytes;
        for (size_t i = 0; status == STATUS_OK && i < out->kernel_count; i++)
            out->kernels[i].spill_bytes =
                ptxas_spill_bytes(text_string(log), out->kernels[i].lowered);
        return status;
    }
    /* The driver compiles a text with a final NUL. */
    out->is_foreign = !as_it_is;
    out->cubin = as_it_is ? image.cubin : image.ptx ? image.ptx : data;
    out->cubin_bytes = as_it_is ? image.cubin_bytes : image.ptx ? image.ptx_bytes + 1 : bytes + 1;
    return STATUS_OK;
}

enum status cuda_compile(const struct binary_request *request, const char *binary_path,
                         struct text *log, struct error *error)
{
    struct arena arena = {0};
    struct source sources[UNITS_MAX + 1];
    struct container container;
    void *file = NULL;
    size_t bytes = 0;
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(units_read(&arena, request, 0, sources, error));
    if (functions_are_requested(request)) {
        struct options options = {0};
        struct container none;
        struct compilation compilation = {.arena = &arena, .binary_path = binary_path, .log = log};
        const char *texts[UNITS_MAX + 1];
        TRY_OR_CLEANUP(begin(&compilation, &options, request, &none, error));
        for (size_t i = 0; i <= request->unit_count; i++) {
            if (!take_device_part(&compilation, sources[i].text))
                TRY_OR_CLEANUP(error_no_memory(error));
            texts[i] = compilation.part.text;
        }
        status = cuda_compile_functions(&compilation, texts, error);
        goto cleanup;
    }
    if (request->compiler && strcmp(request->compiler, BINARY_AS_IT_IS) == 0)
        TRY_OR_CLEANUP(take_image(&arena, request, sources[0].contents, sources[0].content_length,
                                  &container, log, error));
    else
        TRY_OR_CLEANUP(
            compile_units(&arena, request, sources, binary_path, &container, log, error));
    TRY_OR_CLEANUP(container_write(&arena, &container, &file, &bytes, error));
    status = file_write_derived(binary_path, file, bytes, error);
cleanup:
    arena_free(&arena);
    return status == STATUS_OK && log->failed ? error_no_memory(error) : status;
}
