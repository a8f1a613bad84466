#include "tuner/device/compiler.h"

#ifdef TUNE_WITH_CUDA
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/process.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/compile.h"
#include "tuner/device/cuda/image.h"

enum { SYMBOL_BYTES_MAX = 1 << 16 };
static const int64_t patience_ns = INT64_C(120) * 1000000000;

struct answer {
    bool is_whole; /* else the process ended before the answer was there */
    struct error error;
    char symbol[SYMBOL_BYTES_MAX];
};

static void compile_answer(struct arena *arena, const char *text,
                           const struct binary_request *request, struct answer *out)
{
    struct container container = {0};
    struct text log = {0};
    if (cuda_compile_question(arena, text, request, &container, &log, &out->error) == STATUS_OK &&
        !string_format(out->symbol, sizeof out->symbol, "%s", container.kernels[0].lowered))
        (void)error_set(&out->error, STATUS_BAD_INPUT, "%s: the kernel's symbol is too long",
                        request->source_path);
    out->is_whole = true;
}

enum status device_symbol_of(struct arena *arena, const char *text,
                             const struct binary_request *request, const char **symbol,
                             struct error *error)
{
    int wait_status = 0;
    struct answer *answer =
        mmap(NULL, sizeof *answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (answer == MAP_FAILED)
        return error_set_errno(error, errno, "compiling");
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        compile_answer(arena, text, request, answer);
        _exit(0);
    }
    if (child > 0 && !process_ends(child, patience_ns, &wait_status)) {
        (void)kill(child, SIGKILL);
        while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
            continue;
    }
    *symbol = NULL;
    if (child < 0 || !answer->is_whole)
        (void)error_set(error, STATUS_COMPILE_FAILED, "%s: the compiler %s", request->source_path,
                        child < 0 ? "cannot be started" : "crashes, or does not end");
    else if (answer->error.status != STATUS_OK)
        *error = answer->error;
    else if (!(*symbol = arena_strdup(arena, answer->symbol)))
        (void)error_no_memory(error);
    (void)munmap(answer, sizeof *answer);
    return *symbol ? STATUS_OK : error->status;
}

enum status device_image(const void *data, size_t bytes, const char *architecture,
                         const char *kernel, struct image_kernel *out, struct error *error)
{
    return cuda_image(data, bytes, architecture, kernel, out, error);
}
#else
static enum status built_without(struct error *error)
{
    return error_set(error, STATUS_UNAVAILABLE, "this tune was built without CUDA");
}

enum status device_symbol_of(struct arena *arena, const char *text,
                             const struct binary_request *request, const char **symbol,
                             struct error *error)
{
    (void)arena, (void)text, (void)request, (void)symbol;
    return built_without(error);
}

enum status device_image(const void *data, size_t bytes, const char *architecture,
                         const char *kernel, struct image_kernel *out, struct error *error)
{
    (void)data, (void)bytes, (void)architecture, (void)kernel, (void)out;
    return built_without(error);
}
#endif
