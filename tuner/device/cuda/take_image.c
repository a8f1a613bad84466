/* A program's kernel image as the measured binary. */
#include <string.h>

#include "tuner/device/cuda/compile.h"
#include "tuner/device/cuda/image.h"

/* Stores for each kernel whether the image has one, as far as that can be known. */
static enum status name_kernels(const struct binary_request *request, const struct image *image,
                                struct container *out, struct error *error)
{
    enum status status = STATUS_OK;
    *out = (struct container){.kernel_count = request->kernel_count,
                              .symbol_count = request->symbol_count};
    for (size_t i = 0; status == STATUS_OK && i < request->kernel_count; i++) {
        struct image_kernel kernel;
        out->kernels[i] =
            (struct container_name){request->kernels[i], request->kernels[i], .spill_bytes = -1};
        if (image->cubin || image->ptx)
            status = image_kernel(image, request->kernels[i], &kernel, error);
    }
    for (size_t i = 0; i < request->symbol_count; i++)
        out->symbols[i] = (struct container_name){request->symbols[i], request->symbols[i], -1};
    return status;
}

enum status cuda_take_image(struct arena *arena, const struct binary_request *request,
                            const void *data, size_t bytes, struct container *out, struct text *log,
                            struct error *error)
{
    struct image image;
    struct cuda_cubin linked = {0};
    struct error ignored = {0};
    enum status status =
        image_open(arena, data, bytes, image_capability(request->architecture), &image, error);
    if (status == STATUS_OK)
        status = name_kernels(request, &image, out, error);
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
