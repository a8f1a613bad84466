#include "tuner/device/compiler.h"

#ifdef TUNE_WITH_CUDA
#include "tuner/device/cuda/compile.h"
#include "tuner/device/cuda/image.h"

enum status device_symbol_of(struct arena *arena, const char *text,
                             const struct binary_request *request, const char **symbol,
                             struct error *error)
{
    struct container container = {0};
    struct text log = {0};
    const enum status status = cuda_compile_question(arena, text, request, &container, &log, error);
    text_free(&log);
    *symbol = status == STATUS_OK ? container.kernels[0].lowered : NULL;
    return status;
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
