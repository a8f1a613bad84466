/* nvcc in place of NVRTC, for sources that NVRTC refuses: PTX first, where the symbols of requested
 * kernels are found, then machine code from this PTX. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/process.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/compile.h"
#include "tuner/device/cuda/internal.h"

enum { PRODUCT_BYTES_MAX = 1 << 30, VERSION_TIMEOUT_MS = 10000 };

/* ---- which nvcc ---- */

static struct {
    pthread_once_t once;
    struct arena arena;
    const char *path;    /* NULL: there is none */
    const char *version; /* "nvcc 13.0.88" */
} found = {.once = PTHREAD_ONCE_INIT};

static const char *nvcc_in(const char *folder, const char *below)
{
    const char *path =
        folder && *folder ? arena_printf(&found.arena, "%s%s/nvcc", folder, below) : NULL;
    return path && access(path, X_OK) == 0 ? path : NULL;
}

/* Finds nvcc, first that of NVRTC's own toolkit: beside the library's folder (lib64,
 * targets/NAME/lib), or in a wheel of a Python environment. */
static const char *find_path(void)
{
    static const char *const beside[] = {"/../bin", "/../../bin", "/../../../bin",
                                         "/../../cuda_nvcc/bin"};
    struct error ignored = {0};
    const struct cuda_compiler *nvrtc = cuda_compiler(&ignored);
    const char *const roots[] = {
#ifdef TUNE_TOOLKIT_DIR
        TUNE_TOOLKIT_DIR,
#endif
        getenv("CUDA_HOME"), getenv("CUDA_PATH")};
    const char *wanted = getenv("TUNE_NVCC_PATH");
    const char *path = NULL;
    if (wanted && *wanted)
        return program_find(&found.arena, wanted);
    for (size_t i = 0; !path && nvrtc && i < sizeof beside / sizeof *beside; i++)
        path = nvcc_in(nvrtc->folder, beside[i]);
    for (size_t i = 0; !path && i < sizeof roots / sizeof *roots; i++)
        path = nvcc_in(roots[i], "/bin");
    if (!path)
        path = program_find(&found.arena, "nvcc");
    return path ? path : nvcc_in("/usr/local/cuda", "/bin");
}

static void find_nvcc(void)
{
    struct text output = {0};
    struct error ignored = {0};
    int code = 1;
    found.path = find_path();
    const char *const argv[] = {found.path, "--version", NULL};
    const struct process_request request = {.path = found.path,
                                            .argv = argv,
                                            .input = -1,
                                            .timeout_ms = VERSION_TIMEOUT_MS,
                                            .output_max = 4096,
                                            .in_english = true};
    if (!found.path || process_run(&request, &output, &code, &ignored) != STATUS_OK || code != 0)
        found.path = NULL;
    /* "Cuda compilation tools, release 13.0, V13.0.88" */
    const char *version = strstr(text_string(&output), ", V");
    if (found.path)
        found.version = arena_printf(&found.arena, "nvcc %.*s",
                                     version ? (int)strcspn(version + 3, " \r\n") : 0,
                                     version ? version + 3 : "");
    text_free(&output);
}

const char *cuda_nvcc(struct error *error)
{
    (void)pthread_once(&found.once, find_nvcc);
    if (!found.path || !found.version)
        (void)error_set(
            error, STATUS_UNAVAILABLE,
            "'compiler: nvcc', or a host function, and there is no nvcc that runs: install it "
            "(Debian: cuda-nvcc-13-0), set CUDA_HOME or TUNE_NVCC_PATH to where it is, "
            "or run ./bootstrap --with-toolkit");
    return found.version ? found.path : NULL;
}

enum status cuda_compiler_version(const char *compiler, const char **out, struct error *error)
{
    if (strcmp(compiler, BINARY_AS_IT_IS) == 0) {
        *out = ""; /* but for PTX, which the driver's and nvJitLink's compilers treat alike */
        return STATUS_OK;
    }
    const char *path = cuda_nvcc(error);
    *out = path ? found.version : "";
    return path ? STATUS_OK : error->status;
}

/* ---- its settings ---- */

/* Tells how nvcc and the host's compiler understand their files and our environment
 * (NVCC_PREPEND_FLAGS, CPATH ...): both report variables, folders and commands. */
enum status cuda_compiler_settings(const char *compiler, const struct facts *facts,
                                   const char **out, struct error *error)
{
    static struct compiler_report report;
    struct error ignored = {0};
    *out = "";
    if (!compiler || strcmp(compiler, BINARY_AS_IT_IS) == 0) /* NVRTC takes none */
        return STATUS_OK;
    *out = facts ? facts_text(facts, COMPILER_SETTINGS, "") : "";
    if (**out || !cuda_nvcc(&ignored))
        return STATUS_OK;
    const char *const argv[] = {found.path, "-E", "-v",        "-Xcompiler", "-v",
                                "-x",       "cu", "/dev/null", NULL};
    return compiler_report_hash(&report, argv, out, error);
}

/* ---- running ---- */

/* Returns an option as nvcc takes it, which would split a define's value at each comma. */
static const char *whole_option(struct arena *arena, const char *option)
{
    struct text text = {0};
    if (strncmp(option, "-D", 2) != 0 || !strchr(option, ','))
        return option;
    for (const char *at = option; *at; at++) {
        if (*at == ',')
            text_append(&text, "\\");
        text_append_bytes(&text, at, 1);
    }
    const char *whole = text.failed ? NULL : arena_strdup(arena, text_string(&text));
    text_free(&text);
    return whole;
}

/* Runs nvcc with arguments behind the options, the last one NULL. */
static enum status run_nvcc(const struct compilation *compilation, const char *const *arguments,
                            struct error *error)
{
    const char *argv[2 * OPTIONS_MAX + 4] = {compilation->nvcc};
    size_t count = 1;
    for (int i = 0; i < compilation->options->count; i++)
        if (!(argv[count++] = whole_option(compilation->arena, compilation->options->items[i])))
            return error_no_memory(error);
    /* As with NVRTC: device lambdas, and constexpr functions for the device, too. */
    argv[count++] = "--extended-lambda";
    argv[count++] = "--expt-relaxed-constexpr";
    while (*arguments)
        argv[count++] = *arguments++;
    int code = 0;
    const size_t start = compilation->log->length;
    TRY(compiler_run("nvcc", argv, compilation->log, &code, error));
    const char *log = text_string(compilation->log) + start;
    if (code == 0)
        return STATUS_OK;
    if (strstr(log, "Unsupported gpu architecture"))
        return error_set(error, STATUS_UNAVAILABLE, "%s does not compile for %s: install another",
                         found.version, compilation->request->architecture);
    return cuda_compile_failed(compilation, "nvcc failed without a message", log, error);
}

/* ---- names ---- */

/* Variables that hold the addresses of requested names: the compiler then instantiates templates,
 * and the PTX has each symbol. These variables are removed before the PTX becomes machine code. The
 * line of an error about a name tells the name. */
static const char variable[] = "tune_name_";

static bool is_wanted(const struct compilation *compilation, size_t i)
{
    const size_t kernels = compilation->request->kernel_count;
    return i < kernels ? compilation->wanted->kernels[i]
                       : compilation->wanted->symbols[i - kernels];
}

/* Takes each symbol from ".global .align 8 .u64 tune_name_0 = SYMBOL;", or generic(SYMBOL), and
 * blanks the line. */
static enum status take_names(const struct compilation *compilation, char *ptx,
                              struct container *out, struct error *error)
{
    const struct binary_request *request = compilation->request;
    for (size_t i = 0; i < request->kernel_count + request->symbol_count; i++) {
        const bool is_kernel = i < request->kernel_count;
        const size_t symbol = i - request->kernel_count;
        const char *name = is_kernel ? request->kernels[i] : request->symbols[symbol];
        if (!is_wanted(compilation, i))
            continue;
        const char *own = arena_strdup(compilation->arena, name);
        char text[64];
        (void)string_format(text, sizeof text, " %s%zu = ", variable, i);
        char *at = strstr(ptx, text), *line = at;
        TRY_MEMORY(own);
        if (!at)
            return error_set(error, STATUS_COMPILE_FAILED,
                             "nvcc made nothing of the name expression '%s'", name);
        while (line > ptx && line[-1] != '\n')
            line--;
        at += strlen(text);
        if (strncmp(at, "generic(", 8) == 0)
            at += 8;
        const char *lowered = arena_strndup(compilation->arena, at, strcspn(at, ");\n"));
        TRY_MEMORY(lowered);
        memset(line, ' ', (size_t)(at - line) + strcspn(at, "\n"));
        *(is_kernel ? &out->kernels[i] : &out->symbols[symbol]) =
            (struct container_name){own, lowered, -1};
    }
    return STATUS_OK;
}

/* ---- the whole ---- */

enum { SOURCE, PTX, CUBIN, FILES };

static enum status make_ptx(const struct compilation *compilation, const char *source,
                            const char *name, const char *const files[FILES], struct container *out,
                            struct error *error)
{
    struct text text = {0};
    char *ptx = NULL;
    size_t bytes = 0;
    source_put_line(&text, 1, name);
    text_append(&text, source);
    const struct binary_request *request = compilation->request;
    text_append(&text, "\n");
    for (size_t i = 0; i < request->kernel_count + request->symbol_count; i++) {
        const bool is_kernel = i < request->kernel_count;
        if (is_wanted(compilation, i))
            text_printf(&text,
                        "#line %zu \"name expression\"\n"
                        "extern \"C\" { __device__ const void *%s%zu = (const void *)%s(%s); }\n",
                        i + 1, variable, i, is_kernel ? "" : "&",
                        is_kernel ? request->kernels[i]
                                  : request->symbols[i - request->kernel_count]);
    }
    enum status status =
        text.failed ? error_no_memory(error)
                    : file_write_derived(files[SOURCE], text_string(&text), text.length, error);
    text_free(&text);
    TRY(status);
    TRY(run_nvcc(compilation, (const char *const[]){"-ptx", "-o", files[PTX], files[SOURCE], NULL},
                 error));
    TRY(file_read(compilation->arena, files[PTX], PRODUCT_BYTES_MAX, &ptx, &bytes, error));
    TRY(take_names(compilation, ptx, out, error));
    if (compilation->wanted->kernels[0])
        out->ptx = ptx;
    return file_write_derived(files[PTX], ptx, bytes, error);
}

enum status cuda_compile_with_nvcc(const struct compilation *compilation, const char *source,
                                   const char *name, struct container *out,
                                   struct cuda_cubin *cubin, struct error *error)
{
    static const char *const ends[FILES] = {"cu", "ptx", "cubin"};
    const char *files[FILES];
    char *data = NULL;
    size_t start = 0;
    for (size_t i = 0; i < FILES; i++) {
        files[i] =
            arena_printf(compilation->arena, "%s.nvcc.%s", compilation->binary_path, ends[i]);
        TRY_MEMORY(files[i]);
    }
    enum status status = make_ptx(compilation, source, name, files, out, error);
    if (status == STATUS_OK) {
        start = compilation->log->length;
        status =
            run_nvcc(compilation,
                     (const char *const[]){"-cubin", "-o", files[CUBIN], files[PTX], NULL}, error);
    }
    if (status == STATUS_OK)
        status = file_read(compilation->arena, files[CUBIN], PRODUCT_BYTES_MAX, &data,
                           &cubin->bytes, error);
    cubin->data = data;
    for (size_t i = 0; status == STATUS_OK && i < compilation->request->kernel_count; i++)
        if (compilation->wanted->kernels[i])
            out->kernels[i].spill_bytes =
                ptxas_spill_bytes(text_string(compilation->log) + start, out->kernels[i].lowered);
    for (size_t i = 0; i < FILES; i++)
        (void)unlink(files[i]);
    return status;
}

/* ---- host functions ---- */

enum status cuda_compile_functions(const struct compilation *compilation, const char *const *texts,
                                   struct error *error)
{
    const struct binary_request *request = compilation->request;
    struct options arguments = {.arena = compilation->arena};
    static const char *const fixed[] = {"-shared", "-Xcompiler=-fPIC", "-Xlinker", "-z,defs", "-o"};
    for (size_t i = 0; i < COUNT(fixed); i++)
        options_add(&arguments, "", fixed[i]);
    options_add(&arguments, "", compilation->binary_path);
    enum status status =
        units_write(&arguments, request, compilation->binary_path, "cu", texts, NULL, error);
    options_add_libraries(&arguments, request, "-Xlinker=-rpath,");
    if (status == STATUS_OK)
        status = arguments.failed ? error_no_memory(error)
                                  : run_nvcc(compilation, arguments.items, error);
    units_remove(request, compilation->binary_path, "cu");
    return status;
}
