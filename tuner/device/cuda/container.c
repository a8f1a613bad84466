#include "tuner/device/cuda/container.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/seal.h"
#include "tuner/base/text.h"

/* Numbers are in the machine's byte order: the file is a cache of this machine, and a foreign one
 * fails at `magic`. The header is followed by name_row, name and NUL, symbol and NUL of each
 * kernel; then likewise of each variable; then the cubin, at a multiple of 16. */
struct header {
    uint64_t magic;
    uint32_t version;
    uint32_t kernel_count;
    uint32_t symbol_count;
    uint32_t is_foreign;  /* 0 or 1 */
    uint64_t bytes;       /* bytes of the whole file */
    uint64_t cubin_start; /* in the file */
    uint64_t cubin_bytes;
};

struct name_row {
    uint32_t name_bytes; /* without NUL */
    uint32_t lowered_bytes;
    int32_t spill_bytes;
};

static const uint64_t container_magic = UINT64_C(0x4e494255436e5554); /* "TUnCUBIN" */
static const char damaged[] = "damaged: delete it, it will be compiled again";
/* Raise cache_version (tuner/worker/cache.c) together with this: files of other versions are not
 * read. */
static const uint32_t container_version = 4;

static void append_names(struct text *out, const struct container_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct name_row row = {
            .name_bytes = (uint32_t)strlen(names[i].name),
            .lowered_bytes = (uint32_t)strlen(names[i].lowered),
            .spill_bytes = names[i].spill_bytes,
        };
        text_append_bytes(out, &row, sizeof row);
        text_append_bytes(out, names[i].name, row.name_bytes + (size_t)1);
        text_append_bytes(out, names[i].lowered, row.lowered_bytes + (size_t)1);
    }
}

enum status container_write(struct arena *arena, const struct container *container, void **data,
                            size_t *bytes, struct error *error)
{
    struct text names = {0};
    append_names(&names, container->kernels, container->kernel_count);
    append_names(&names, container->symbols, container->symbol_count);
    struct header header = {
        .magic = container_magic,
        .version = container_version,
        .kernel_count = (uint32_t)container->kernel_count,
        .symbol_count = (uint32_t)container->symbol_count,
        .is_foreign = container->is_foreign,
        .cubin_start = (sizeof(struct header) + names.length + 15) / 16 * 16,
        .cubin_bytes = container->cubin_bytes,
    };
    header.bytes = header.cubin_start + header.cubin_bytes;
    char *file = names.failed ? NULL : arena_alloc(arena, header.bytes, 1);
    if (!file) {
        text_free(&names);
        return error_no_memory(error);
    }
    memcpy(file + sizeof header, text_string(&names), names.length);
    text_free(&names);
    memcpy(file + header.cubin_start, container->cubin, container->cubin_bytes);
    memcpy(file, &header, sizeof header);
    *data = file;
    *bytes = header.bytes;
    return STATUS_OK;
}

struct reader {
    const char *at;
    size_t rest_bytes;
};

/* Takes `bytes` from the file; NULL when fewer are left. */
static const char *take(struct reader *reader, size_t bytes)
{
    if (bytes > reader->rest_bytes)
        return NULL;
    const char *start = reader->at;
    reader->at += bytes;
    reader->rest_bytes -= bytes;
    return start;
}

/* Takes a row and two texts. */
static bool take_name(struct reader *reader, struct container_name *out)
{
    struct name_row row;
    const char *bytes = take(reader, sizeof row);
    if (!bytes)
        return false;
    memcpy(&row, bytes, sizeof row);
    out->spill_bytes = row.spill_bytes;
    out->name = take(reader, row.name_bytes + (size_t)1);
    out->lowered = out->name ? take(reader, row.lowered_bytes + (size_t)1) : NULL;
    return out->lowered && strnlen(out->name, row.name_bytes + (size_t)1) == row.name_bytes &&
           strnlen(out->lowered, row.lowered_bytes + (size_t)1) == row.lowered_bytes;
}

enum status container_read(const void *data, size_t bytes, struct container *out,
                           struct error *error)
{
    struct header header;
    *out = (struct container){0};
    if (bytes < sizeof header)
        return error_set(error, STATUS_BAD_INPUT, "not a kernel of tune: only %zu bytes", bytes);
    memcpy(&header, data, sizeof header);
    if (header.magic != container_magic)
        return error_set(error, STATUS_BAD_INPUT, "not a kernel that tune compiled for CUDA");
    if (header.version != container_version)
        return error_set(error, STATUS_BAD_INPUT,
                         "compiled by another version of tune (format %u, this one reads %u)",
                         header.version, container_version);
    const char *file = data;
    if (!(header.bytes == bytes && header.kernel_count <= LAUNCHES_MAX &&
          header.symbol_count <= ARGUMENTS_MAX && header.is_foreign <= 1 &&
          header.cubin_start >= sizeof header && header.cubin_start <= bytes &&
          header.cubin_bytes == bytes - header.cubin_start && header.cubin_bytes > 0))
        return error_set(error, STATUS_BAD_INPUT, "%s", damaged);
    struct reader reader = {file + sizeof header, header.cubin_start - sizeof header};
    bool whole = true;
    for (uint32_t i = 0; whole && i < header.kernel_count; i++)
        whole = take_name(&reader, &out->kernels[i]);
    for (uint32_t i = 0; whole && i < header.symbol_count; i++)
        whole = take_name(&reader, &out->symbols[i]);
    if (!whole)
        return error_set(error, STATUS_BAD_INPUT, "%s", damaged);
    out->kernel_count = header.kernel_count;
    out->symbol_count = header.symbol_count;
    out->is_foreign = header.is_foreign != 0;
    out->cubin = file + header.cubin_start;
    out->cubin_bytes = header.cubin_bytes;
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
    static const char heading[] = "Function properties for ";
    static const char frame[] = "bytes stack frame, ";
    size_t length = strlen(lowered);
    for (const char *at = strstr(log, heading); at; at = strstr(at, heading)) {
        at += sizeof heading - 1;
        if (strncmp(at, lowered, length) != 0 || (at[length] != '\n' && at[length] != '\r'))
            continue;
        const char *numbers = strstr(at, frame);
        const char *next = strstr(at, heading);
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
