#include "tuner/device/cuda/container.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/seal.h"
#include "tuner/base/text.h"

/* Texts, each with a NUL: heading and version; how many kernels and variables, whether the code is
 * foreign, and its bytes; spills, name and symbol of each kernel, then of each variable. Behind
 * these, at a multiple of 16, the code. */
static const char heading[] =
    "tune's CUDA kernels 5"; /* raised with cache_version of tuner/worker/cache.c */
static const char damaged[] = "damaged: delete it, it will be compiled again";
enum { ALIGNMENT = 16 };

static void append_names(struct text *out, const struct container_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%d%c%s%c%s%c", names[i].spill_bytes, '\0', names[i].name, '\0',
                    names[i].lowered, '\0');
}

enum status container_write(struct arena *arena, const struct container *container, void **data,
                            size_t *bytes, struct error *error)
{
    static const char padding[ALIGNMENT];
    struct text file = {0};
    text_printf(&file, "%s%c%zu %zu %d %zu%c", heading, '\0', container->kernel_count,
                container->symbol_count, container->is_foreign, container->cubin_bytes, '\0');
    append_names(&file, container->kernels, container->kernel_count);
    append_names(&file, container->symbols, container->symbol_count);
    text_append_bytes(&file, padding, (ALIGNMENT - file.length % ALIGNMENT) % ALIGNMENT);
    text_append_bytes(&file, container->cubin, container->cubin_bytes);
    *bytes = file.length;
    *data = file.failed ? NULL : arena_copy(arena, file.data, file.length);
    text_free(&file);
    return *data ? STATUS_OK : error_no_memory(error);
}

struct reader {
    const char *at, *end;
};

/* Takes a text; "" with `end` NULL when there is none. */
static const char *take(struct reader *reader)
{
    const char *start = reader->at;
    const char *end = reader->end ? memchr(start, '\0', (size_t)(reader->end - start)) : NULL;
    reader->at = end ? end + 1 : start;
    reader->end = end ? reader->end : NULL;
    return end ? start : "";
}

/* Takes the names; false: there are too many, or too few in the file. */
static bool take_names(struct reader *reader, struct container_name *names, size_t count,
                       size_t most)
{
    for (size_t i = 0; i < count && count <= most && reader->end; i++) {
        names[i].spill_bytes = (int32_t)strtol(take(reader), NULL, 10);
        names[i].name = take(reader);
        names[i].lowered = take(reader);
    }
    return count <= most && reader->end;
}

enum status container_read(const void *data, size_t bytes, struct container *out,
                           struct error *error)
{
    struct reader reader = {data, (const char *)data + bytes};
    *out = (struct container){0};
    if (strcmp(take(&reader), heading) != 0)
        return error_set(error, STATUS_BAD_INPUT,
                         "not a kernel that this version of tune compiled for CUDA");
    char *numbers = (char *)(uintptr_t)take(&reader);
    out->kernel_count = strtoull(numbers, &numbers, 10);
    out->symbol_count = strtoull(numbers, &numbers, 10);
    out->is_foreign = strtoull(numbers, &numbers, 10) != 0;
    out->cubin_bytes = strtoull(numbers, &numbers, 10);
    bool whole = take_names(&reader, out->kernels, out->kernel_count, LAUNCHES_MAX) &&
                 take_names(&reader, out->symbols, out->symbol_count, ARGUMENTS_MAX);
    const size_t read = (size_t)(reader.at - (const char *)data);
    const size_t start = (read + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!whole || start > bytes || out->cubin_bytes != bytes - start || out->cubin_bytes == 0)
        return error_set(error, STATUS_BAD_INPUT, "%s", damaged);
    out->cubin = (const char *)data + start;
    return STATUS_OK;
}

enum status container_open(struct arena *arena, const char *path, struct container *out,
                           struct error *error)
{
    char *file = NULL;
    size_t bytes = 0, contents = 0;
    enum status status = file_read(arena, path, SEALED_BYTES_MAX, &file, &bytes, error);
    if (status != STATUS_OK)
        return status;
    status = seal_contents(file, bytes, &contents)
                 ? container_read(file, contents, out, error)
                 : error_set(error, STATUS_BAD_INPUT, "%s", damaged);
    return status == STATUS_OK ? status : error_prefix(error, "%s", path);
}

/* Returns the number before `word`, which ends the next field of a list; -1 when absent. */
static int32_t number_before(const char **at, const char *word)
{
    char *end = NULL;
    long number = strtol(*at, &end, 10);
    size_t length = strlen(word);
    if (end == *at || number < 0 || number > INT32_MAX / 2 || strncmp(end, word, length) != 0)
        return -1;
    *at = end + length;
    return (int32_t)number;
}

/* Finds "Function properties for NAME" and reads the next line, with the stack frame and the
 * spills; ptxas and NVRTC begin that line differently. */
int32_t ptxas_spill_bytes(const char *log, const char *lowered)
{
    static const char properties[] = "Function properties for ";
    static const char frame[] = "bytes stack frame, ";
    size_t length = strlen(lowered);
    for (const char *at = strstr(log, properties); at; at = strstr(at, properties)) {
        at += sizeof properties - 1;
        if (strncmp(at, lowered, length) != 0 || (at[length] != '\n' && at[length] != '\r'))
            continue;
        const char *numbers = strstr(at, frame);
        const char *next = strstr(at, properties);
        if (!numbers || (next && numbers > next))
            continue;
        numbers += sizeof frame - 1;
        int32_t stores = number_before(&numbers, " bytes spill stores, ");
        int32_t loads = number_before(&numbers, " bytes spill loads");
        if (stores >= 0 && loads >= 0)
            return stores + loads;
    }
    return -1;
}
