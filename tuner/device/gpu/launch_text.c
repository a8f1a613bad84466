#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/gpu/gpu.h"

enum status gpu_error(struct device *device, int code, struct error *error, const char *format, ...)
{
    char what[ERROR_TEXT_BYTES / 2];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return device->driver->fail(device, code, what, error);
}

static void dimensions(const uint32_t size[3], char *out, size_t bytes)
{
    if (size[1] == 1 && size[2] == 1)
        (void)string_format(out, bytes, "%u", size[0]);
    else
        (void)string_format(out, bytes, "%ux%ux%u", size[0], size[1], size[2]);
}

enum { KERNEL_SHOWN = 160 };

void gpu_launch_text(const struct launch *launch, char *out, size_t bytes)
{
    char grid[40];
    char block[40];
    if (launch->is_function) {
        (void)string_format(out, bytes, "function %.*s", KERNEL_SHOWN, launch->kernel);
        return;
    }
    dimensions(launch->grid, grid, sizeof grid);
    dimensions(launch->block, block, sizeof block);
    /* A template's name can be as long as all that the text has room for. */
    bool whole = strlen(launch->kernel) <= KERNEL_SHOWN;
    const uint32_t clustered = launch_cluster_blocks(launch);
    char cluster[32] = "";
    if (clustered > 1)
        (void)string_format(cluster, sizeof cluster, " in clusters of %u", clustered);
    (void)string_format(out, bytes, "kernel %.*s%s <<<%s, %s, %u>>>%s", KERNEL_SHOWN,
                        launch->kernel, whole ? "" : "...", grid, block, launch->shared_bytes,
                        cluster);
}

void gpu_plan_text(const struct launch_plan *plan, char *out, size_t bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < plan->launch_count && used + 3 < bytes; i++) {
        char one[256];
        gpu_launch_text(&plan->launches[i], one, sizeof one);
        int length = snprintf(out + used, bytes - used, "%s%s", i ? ", " : "", one);
        used += length > 0 ? (size_t)length : 0;
    }
}
