#include "tuner/device/compiler.h"

#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/process.h"
#include "tuner/base/text.h"

#ifdef TUNE_WITH_CUDA
#include "tuner/device/cuda/compile.h"
#include "tuner/device/cuda/driver.h"
#include "tuner/device/cuda/image.h"

enum { SYMBOL_BYTES_MAX = 1 << 16, PTX_BYTES_MAX = 64 << 20 };

struct question {
    struct arena *arena;
    const char *text;
    const struct binary_request *request;
    struct answer {
        bool is_whole; /* else the process ended before the answer was there */
        struct error error;
        char symbol[SYMBOL_BYTES_MAX];
        char ptx[PTX_BYTES_MAX];
    } * answer;
};

static void compile_answer(void *context)
{
    const struct question *question = context;
    struct answer *answer = question->answer;
    struct container container = {0};
    struct text log = {0};
    /* As fast as the compiler can, since the caller waits for names alone. */
    enum { QUICK_SINCE = 13 };
    struct binary_request quick = *question->request;
    quick.wants_ptx = true;
    struct error ignored = {0};
    const struct cuda_compiler *nvrtc = quick.compiler ? NULL : cuda_compiler(&ignored);
    if (nvrtc && nvrtc->major >= QUICK_SINCE && quick.flag_count < FLAGS_MAX)
        quick.flags[quick.flag_count++] = "--Ofast-compile=mid";
    if (cuda_compile_text(question->arena, question->text, quick.source_path, &quick, &container,
                          &log, &answer->error) == STATUS_OK) {
        if (!string_format(answer->ptx, sizeof answer->ptx, "%s", container.ptx) ||
            !string_format(answer->symbol, sizeof answer->symbol, "%s",
                           container.kernels[0].lowered))
            (void)error_set(&answer->error, STATUS_BAD_INPUT,
                            "%s: the kernel's symbol or its PTX is too long",
                            question->request->source_path);
    }
    answer->is_whole = true;
}

enum status device_ask_compiler(struct arena *arena, const char *text,
                                const struct binary_request *request, int64_t most_ns,
                                struct compiler_answer *out, struct error *error)
{
    struct question question = {arena, text, request, process_shared(sizeof(struct answer))};
    const struct answer *answer = question.answer;
    TRY_MEMORY(answer);
    const int64_t deadline_ns = clock_now_ns() + most_ns;
    (void)process_apart(compile_answer, &question, most_ns);
    if (!answer->is_whole && clock_now_ns() >= deadline_ns)
        (void)error_set(error, STATUS_TIMED_OUT, "%s: the compiler does not end in %.0f s",
                        request->source_path, (double)most_ns * 1e-9);
    else if (!answer->is_whole)
        (void)error_set(error, STATUS_COMPILE_FAILED, "%s: the compiler crashes",
                        request->source_path);
    else if (answer->error.status != STATUS_OK)
        *error = answer->error;
    *out = (struct compiler_answer){arena_strdup(arena, answer->symbol),
                                    arena_strdup(arena, answer->ptx)};
    process_unshare(question.answer, sizeof *answer);
    return error->status == STATUS_OK && arena->failed ? error_no_memory(error) : error->status;
}

enum status device_image(const void *data, size_t bytes, const char *architecture,
                         const char *kernel, struct image_kernel *out, struct error *error)
{
    struct arena arena = {0};
    struct image image;
    enum status status =
        image_open(&arena, data, bytes, image_capability(architecture), &image, error);
    if (status == STATUS_OK && !image.cubin && !image.ptx)
        status = error_set(error, STATUS_UNAVAILABLE, "the image is nothing that is known%s%s",
                           *image.unread ? ": " : "", image.unread);
    if (status == STATUS_OK)
        status = image_kernel(&image, kernel, out, error);
    arena_free(&arena);
    return status;
}
#else
static enum status built_without(struct error *error)
{
    return error_set(error, STATUS_UNAVAILABLE,
                     "this tune was built without CUDA; "
                     "'./bootstrap --with-toolkit tune' among its sources builds one with it");
}

enum status device_ask_compiler(struct arena *arena, const char *text,
                                const struct binary_request *request, int64_t most_ns,
                                struct compiler_answer *out, struct error *error)
{
    (void)arena, (void)text, (void)request, (void)most_ns, (void)out;
    return built_without(error);
}

enum status device_image(const void *data, size_t bytes, const char *architecture,
                         const char *kernel, struct image_kernel *out, struct error *error)
{
    (void)data, (void)bytes, (void)architecture, (void)kernel, (void)out;
    return built_without(error);
}
#endif
