/* A kernel's name that is not in the source: which are. */
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/internal.h"
#include "tuner/device/gpu/tokens.h"

/* "space::scale<float>" is asked for by `scale`, too, within that namespace. */
static bool is_declared(const struct source_signature *declared, const char *name)
{
    size_t length = strcspn(name, "<");
    for (size_t i = 0; i < declared->kernel_count; i++) {
        const char *whole = declared->kernels[i].name;
        size_t own = strlen(whole);
        if (own == length && strncmp(whole, name, length) == 0)
            return true;
    }
    return false;
}

static const char *nearest_of(const struct source_signature *declared, const char *name)
{
    const char *names[SIGNATURE_KERNELS_MAX];
    for (size_t i = 0; i < declared->kernel_count; i++)
        names[i] = declared->kernels[i].name;
    return nearest_word(name, names, declared->kernel_count);
}

enum status cuda_name_kernels(struct arena *arena, const char *source, const char *path,
                              const struct binary_request *request, struct error *error)
{
    struct source_signature *declared = arena_alloc(arena, 1, sizeof *declared);
    struct text names = {0};
    const char *missing = NULL;
    if (!declared || declarations_read(arena, source, declared, error) != STATUS_OK)
        return error_no_memory(error);
    for (size_t i = 0; i < declared->kernel_count; i++)
        text_printf(&names, "%s%s", i ? ", " : "", declared->kernels[i].name);
    for (size_t i = 0; !missing && i < request->kernel_count; i++)
        if (!strstr(request->kernels[i], "::") && !is_declared(declared, request->kernels[i]))
            missing = request->kernels[i];
    const char *nearest = missing ? nearest_of(declared, missing) : NULL;
    if (missing && names.length > 0)
        (void)error_set(error, STATUS_COMPILE_FAILED, "%s: no kernel '%s'%s%s%s; there %s: %s",
                        path, missing, nearest ? ", did you mean '" : "", nearest ? nearest : "",
                        nearest ? "'?" : "", declared->kernel_count == 1 ? "is" : "are",
                        text_string(&names));
    text_free(&names);
    return STATUS_COMPILE_FAILED;
}
