/* nvcc in place of NVRTC, for sources that NVRTC refuses: PTX first, where the symbols of requested
 * kernels are found, then machine code from this PTX. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/process.h"
#include "tuner/base/text.h"
#include "tuner/device/compiler.h"
#include "tuner/device/cuda/compile.h"
#include "tuner/device/cuda/internal.h"
#include "tuner/device/functions.h"

enum {
    LOG_BYTES_MAX = 256 << 10,
    PRODUCT_BYTES_MAX = 1 << 30,
    COMPILE_TIMEOUT_MS =
        24 * 3600 * 1000, /* a day: the requester watches the time, and kills our group */
    VERSION_TIMEOUT_MS = 10000,
    FIXED_ARGUMENTS = 12 + UNITS_MAX + 2 * FLAGS_MAX,
};

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

static struct {
    pthread_once_t once;
    char hash[HASH_TEXT_BYTES];
    struct error error; /* a run without them would take their absence for other settings */
} settings = {.once = PTHREAD_ONCE_INIT};

/* Reads how nvcc and the host's compiler understand their files and our environment
 * (NVCC_PREPEND_FLAGS, CPATH ...): both report variables, folders and commands. */
static void read_settings(void)
{
    const char *const argv[] = {found.path, "-E", "-v",        "-Xcompiler", "-v",
                                "-x",       "cu", "/dev/null", NULL};
    (void)compiler_report_hash(argv, settings.hash, &settings.error);
}

enum status cuda_compiler_settings(const char *compiler, const struct facts *facts,
                                   const char **out, struct error *error)
{
    struct error ignored = {0};
    *out = "";
    if (!compiler || strcmp(compiler, BINARY_AS_IT_IS) == 0) /* NVRTC takes none */
        return STATUS_OK;
    *out = facts ? facts_text(facts, COMPILER_SETTINGS, "") : "";
    if (**out || !cuda_nvcc(&ignored))
        return STATUS_OK;
    (void)pthread_once(&settings.once, read_settings);
    *out = settings.hash;
    if (settings.error.status != STATUS_OK)
        *error = settings.error;
    return settings.error.status;
}

/* ---- running it ---- */

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
    const char *argv[OPTIONS_MAX + FIXED_ARGUMENTS] = {compilation->nvcc};
    size_t count = 1;
    for (int i = 0; i < compilation->options->count; i++)
        if (!(argv[count++] = whole_option(compilation->arena, compilation->options->items[i])))
            return error_no_memory(error);
    /* As with NVRTC: device lambdas, and constexpr functions for the device, too. */
    argv[count++] = "--extended-lambda";
    argv[count++] = "--expt-relaxed-constexpr";
    while (*arguments)
        argv[count++] = *arguments++;
    const struct process_request process = {.path = compilation->nvcc,
                                            .argv = argv,
                                            .input = -1,
                                            .timeout_ms = COMPILE_TIMEOUT_MS,
                                            .output_max = LOG_BYTES_MAX,
                                            .in_english = true,
                                            .in_our_group = true};
    int code = 0;
    const size_t start = compilation->log->length;
    enum status status = process_run(&process, compilation->log, &code, error);
    const char *log = text_string(compilation->log) + start;
    if (status == STATUS_TIMED_OUT)
        return error->status = STATUS_COMPILE_FAILED;
    if (status != STATUS_OK || code == 0)
        return status;
    /* Killed for memory or by hand, not for a fault of the source. */
    if (code == 128 + SIGKILL || code == 128 + SIGTERM || strstr(log, "died due to signal 9") ||
        strstr(log, "died due to signal 15") || strstr(log, "fatal error: Killed"))
        return error_set(error, STATUS_KILLED, "nvcc was killed");
    if (strstr(log, "No space left on device"))
        return error_set(error, STATUS_IO, "nvcc: the disk is full");
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
                    : file_write_atomically(files[SOURCE], text_string(&text), text.length, error);
    text_free(&text);
    TRY(status);
    TRY(run_nvcc(compilation, (const char *const[]){"-ptx", "-o", files[PTX], files[SOURCE], NULL},
                 error));
    TRY(file_read(compilation->arena, files[PTX], PRODUCT_BYTES_MAX, &ptx, &bytes, error));
    TRY(take_names(compilation, ptx, out, error));
    if (compilation->wanted->kernels[0])
        out->ptx = ptx;
    return file_write_atomically(files[PTX], ptx, bytes, error);
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
    const size_t units = request->unit_count + 1;
    const char *arguments[FIXED_ARGUMENTS] = {
        "-shared", "-Xcompiler=-fPIC", "-Xlinker", "-z,defs", "-o", compilation->binary_path};
    size_t count = 6;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < units; i++) {
        struct text text = {0};
        source_put_line(&text, 1, i == 0 ? request->source_path : request->units[i - 1]);
        text_append(&text, texts[i]);
        if (i == 0)
            functions_append(&text, request, false);
        const char *path =
            arena_printf(compilation->arena, "%s.%zu.cu", compilation->binary_path, i);
        status = text.failed || !path
                     ? error_no_memory(error)
                     : file_write_atomically(path, text_string(&text), text.length, error);
        text_free(&text);
        arguments[count++] = path;
    }
    for (size_t i = 0; i < request->flag_count; i++) {
        const char *flag = request->flags[i];
        if (!functions_is_library(flag))
            continue;
        arguments[count++] = flag;
        if (flag[0] == '/' &&
            !(arguments[count++] = arena_printf(compilation->arena, "-Xlinker=-rpath,%.*s",
                                                (int)(strrchr(flag, '/') - flag), flag)))
            status = error_no_memory(error);
    }
    if (status == STATUS_OK)
        status = run_nvcc(compilation, arguments, error);
    for (size_t i = 0; i < units; i++)
        if (arguments[6 + i])
            (void)unlink(arguments[6 + i]);
    return status;
}
