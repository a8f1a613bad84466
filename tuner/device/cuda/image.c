#include "tuner/device/cuda/image.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"
#include "tuner/device/cuda/cubin.h"
#include "tuner/device/cuda/internal.h"

/* ---- fatbins ---- */

static const uint32_t fatbin_magic = 0xba55ed50;
enum { ENTRY_PTX = 1, ENTRY_CUBIN = 2, ENTRY_LZ4 = 0x2000, ENTRY_ZSTD = 0x8000 };
/* Limit of one unpacked part, far above any kernel's code. */
static const uint64_t part_bytes_max = UINT64_C(1) << 28;

struct fatbin_head {
    uint32_t magic;
    uint16_t version, head_bytes;
    uint64_t bytes; /* behind this head */
};
/* Header of each part; head_bytes may exceed this struct. */
struct fatbin_entry {
    uint16_t kind, version;
    uint32_t head_bytes;
    uint64_t bytes; /* behind the head, padded */
    uint32_t packed_bytes, options_at;
    uint16_t minor, major;
    uint32_t capability; /* 90 */
    uint32_t name_at, name_bytes;
    uint64_t flags, none;
    uint64_t unpacked_bytes;
};
_Static_assert(sizeof(struct fatbin_head) == 16 && sizeof(struct fatbin_entry) == 64, "layout");

typedef int lz4_unpack(const char *from, char *to, int bytes, int room);
typedef size_t zstd_unpack(void *to, size_t room, const void *from, size_t bytes);

/* Unpacks a part; NULL, with the reason in image->unread. */
static const char *unpack(struct arena *arena, const char *data, size_t bytes, uint64_t flags,
                          uint64_t unpacked_bytes, struct image *image)
{
    const bool is_zstd = (flags & ENTRY_ZSTD) != 0;
    const char *library = is_zstd ? "libzstd.so.1" : "liblz4.so.1";
    /* Opened at need, as most images are not packed, so that no binary depends on this library. */
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *symbol =
        handle ? dlsym(handle, is_zstd ? "ZSTD_decompress" : "LZ4_decompress_safe") : NULL;
    char *out = NULL;
    bool whole = false;
    if (!symbol) {
        (void)string_format(image->unread, sizeof image->unread, "compressed: install %s", library);
        return NULL;
    }
    if (unpacked_bytes > 0 && unpacked_bytes <= part_bytes_max)
        out = arena_alloc(arena, unpacked_bytes + 1, 1);
    if (out && is_zstd) {
        zstd_unpack *run = NULL;
        memcpy(&run, &symbol, sizeof run);
        whole = run(out, unpacked_bytes, data, bytes) == unpacked_bytes;
    } else if (out && bytes <= INT32_MAX) {
        lz4_unpack *run = NULL;
        memcpy(&run, &symbol, sizeof run);
        whole = run(data, out, (int)bytes, (int)unpacked_bytes) == (int)unpacked_bytes;
    }
    if (!whole)
        (void)string_format(image->unread, sizeof image->unread, "compressed, and damaged");
    return whole ? out : NULL;
}

/* Tells whether an entry fits the device better: code runs on later minors of one major, PTX on
 * everything later. */
static bool is_better(const struct fatbin_entry *entry, int capability, uint32_t best)
{
    const uint32_t device = (uint32_t)capability;
    if (entry->capability <= best || (device && entry->capability > device))
        return false;
    return entry->kind == ENTRY_PTX || !device || entry->capability / 10 == device / 10;
}

struct part {
    struct fatbin_entry entry; /* capability 0: none */
    const char *data;
};

static enum status cut_short(struct error *error)
{
    return error_set(error, STATUS_BAD_INPUT, "the fatbin is cut short, or damaged");
}

/* Finds the best PTX and the best code. */
static enum status find_parts(const struct image *image, int capability,
                              struct part best[ENTRY_CUBIN + 1], struct error *error)
{
    const char *at = image->data;
    const char *end = at + image->bytes;
    struct fatbin_head head;
    while ((size_t)(end - at) >=
           sizeof head) { /* a file of several units has several fatbins in a row */
        memcpy(&head, at, sizeof head);
        if (head.magic != fatbin_magic)
            break;
        if (head.head_bytes < sizeof head || head.head_bytes > (size_t)(end - at) ||
            head.bytes > (size_t)(end - at) - head.head_bytes)
            return cut_short(error);
        const char *part = at + head.head_bytes;
        const char *last = part + head.bytes;
        while ((size_t)(last - part) >= sizeof(struct fatbin_entry)) {
            struct fatbin_entry entry;
            memcpy(&entry, part, sizeof entry);
            if (entry.head_bytes < sizeof entry || entry.head_bytes > (size_t)(last - part) ||
                entry.bytes > (size_t)(last - part) - entry.head_bytes)
                return cut_short(error);
            part += entry.head_bytes;
            if ((entry.kind == ENTRY_PTX || entry.kind == ENTRY_CUBIN) &&
                is_better(&entry, capability, best[entry.kind].entry.capability))
                best[entry.kind] = (struct part){entry, part};
            part += entry.bytes;
        }
        at = last;
    }
    return STATUS_OK;
}

/* Takes a part's bytes; NULL where none is readable. */
static const char *take_part(struct arena *arena, const struct part *part, struct image *image,
                             size_t *bytes)
{
    const struct fatbin_entry *entry = &part->entry;
    *bytes = 0;
    if (entry->capability == 0)
        return NULL;
    const bool packed = (entry->flags & (ENTRY_LZ4 | ENTRY_ZSTD)) != 0;
    if (packed && entry->packed_bytes > entry->bytes) {
        (void)string_format(image->unread, sizeof image->unread, "compressed, and damaged");
        return NULL;
    }
    const char *data = packed ? unpack(arena, part->data, entry->packed_bytes, entry->flags,
                                       entry->unpacked_bytes, image)
                              : part->data;
    *bytes = !data ? 0 : packed ? entry->unpacked_bytes : entry->bytes;
    return data;
}

static void take_ptx(struct arena *arena, const char *data, size_t bytes, struct image *image)
{
    image->ptx_bytes = data ? strnlen(data, bytes) : 0;
    image->ptx = data ? arena_strndup(arena, data, image->ptx_bytes) : NULL;
}

enum status image_open(struct arena *arena, const void *data, size_t bytes, int capability,
                       struct image *out, struct error *error)
{
    struct cubin cubin;
    /* PTX begins with a version, possibly behind comments. */
    const size_t looked_at = bytes < 65536 ? bytes : 65536;
    const char *version = memmem(data, looked_at, ".version", 8);
    *out = (struct image){.kind = IMAGE_OTHER, .data = data, .bytes = bytes};
    if (bytes >= sizeof fatbin_magic && memcmp(data, &fatbin_magic, sizeof fatbin_magic) == 0) {
        out->kind = IMAGE_FATBIN;
        struct part best[ENTRY_CUBIN + 1] = {0};
        size_t ptx_bytes = 0;
        TRY(find_parts(out, capability, best, error));
        const char *ptx = take_part(arena, &best[ENTRY_PTX], out, &ptx_bytes);
        take_ptx(arena, ptx, ptx_bytes, out);
        out->cubin = take_part(arena, &best[ENTRY_CUBIN], out, &out->cubin_bytes);
        TRY_MEMORY(!arena->failed);
    } else if (bytes >= SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0) {
        out->kind = IMAGE_CUBIN;
        out->cubin = data;
        out->cubin_bytes = bytes;
    } else if (version && !memchr(data, '\0', (size_t)(version - (const char *)data)) &&
               memmem(data, looked_at, ".target", 7)) {
        out->kind = IMAGE_PTX;
        take_ptx(arena, data, bytes, out);
        return out->ptx ? STATUS_OK : error_no_memory(error);
    }
    if (out->cubin && cubin_open(out->cubin, out->cubin_bytes, &cubin, error) != STATUS_OK)
        return error_set(error, STATUS_BAD_INPUT, "the image's machine code is damaged");
    return STATUS_OK;
}

int image_capability(const char *architecture)
{
    if (strncmp(architecture, "sm_", 3) != 0 && strncmp(architecture, "compute_", 8) != 0)
        return 0;
    const long number = strtol(strchr(architecture, '_') + 1, NULL, 10);
    return number > 0 && number < 10000 ? (int)number : 0;
}

/* ---- PTX ---- */

struct scan {
    const char *at, *end;
    const char *word; /* the token */
    size_t length;    /* 0: the end */
};

/* Scans the next word, with PTX's prefix (.entry, %ntid.x), or a single sign; for a text in quotes,
 * the first sign. */
static bool scan_next(struct scan *scan)
{
    for (;;) {
        while (scan->at < scan->end && isspace((unsigned char)*scan->at))
            scan->at++;
        const size_t rest_bytes = (size_t)(scan->end - scan->at);
        const bool opens = rest_bytes >= 2 && scan->at[0] == '/';
        if (!opens || (scan->at[1] != '/' && scan->at[1] != '*'))
            break;
        const bool line = scan->at[1] == '/';
        const char *close = line ? memchr(scan->at, '\n', rest_bytes)
                                 : memmem(scan->at + 2, rest_bytes - 2, "*/", 2);
        scan->at = close ? close + (line ? 1 : 2) : scan->end;
    }
    scan->word = scan->at;
    if (scan->at < scan->end && *scan->at == '"') {
        const char *close = memchr(scan->at + 1, '"', (size_t)(scan->end - scan->at) - 1);
        scan->at = close ? close + 1 : scan->end;
        scan->length = 1;
        return true;
    }
    static const char marks[] = {'_', '$', '.', '%'}; /* of PTX names */
    while (scan->at < scan->end &&
           (isalnum((unsigned char)*scan->at) || memchr(marks, *scan->at, sizeof marks)))
        scan->at++;
    if (scan->at == scan->word && scan->at < scan->end)
        scan->at++;
    scan->length = (size_t)(scan->at - scan->word);
    return scan->length > 0;
}

static bool scan_is(const struct scan *scan, const char *word)
{
    return scan->length == strlen(word) && memcmp(scan->word, word, scan->length) == 0;
}

static uint32_t scan_number(const struct scan *scan)
{
    uint64_t number = 0;
    for (size_t i = 0; i < scan->length && isdigit((unsigned char)scan->word[i]); i++)
        number = number < UINT32_MAX ? number * 10 + (uint64_t)(scan->word[i] - '0') : number;
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* ".b8", ".u64", ".f32" ...; 0: no type. */
static uint32_t type_bytes(const struct scan *scan)
{
    const char *digits = scan->length >= 3 ? scan->word + 2 : "";
    if (scan->length < 3 || !scan->word[1] || !strchr("bsuf", scan->word[1]) ||
        !isdigit((unsigned char)digits[0]))
        return 0;
    const struct scan number = {.word = digits, .length = scan->length - 2};
    return scan_number(&number) / 8;
}

/* Takes parameters up to the parenthesis: ".param .u64 .ptr .global .align 1 x, .param .align 8 .b8
 * v[24])". */
static bool take_ptx_parameters(struct scan *scan, struct image_kernel *out)
{
    uint64_t end = 0;
    uint32_t bytes = 0, align = 0, count = 1;
    bool open = false, behind_ptr = false;
    out->parameter_count = 0;
    while (scan_next(scan)) {
        if (scan_is(scan, ".param")) {
            open = true;
            behind_ptr = false;
            bytes = align = 0;
            count = 1;
        } else if (open && scan_is(scan, ".ptr")) {
            behind_ptr = true; /* this .align is that of the target */
        } else if (open && scan_is(scan, ".align")) {
            (void)scan_next(scan);
            align = behind_ptr ? align : scan_number(scan);
        } else if (open && scan_is(scan, "[")) {
            (void)scan_next(scan);
            count = scan_number(scan);
        } else if (open && bytes == 0 && type_bytes(scan) > 0) {
            bytes = type_bytes(scan);
        } else if (open && (scan_is(scan, ",") || scan_is(scan, ")"))) {
            const uint32_t step = align > bytes ? align : bytes;
            if (bytes == 0 || (step & (step - 1)) || out->parameter_count == IMAGE_PARAMETERS_MAX)
                return false;
            end = (end + step - 1) / step * step;
            if (end + (uint64_t)bytes * count > INT32_MAX)
                return false;
            out->parameters[out->parameter_count++] =
                (struct image_parameter){(uint32_t)end, bytes * count};
            end += (uint64_t)bytes * count;
            open = false;
        }
        if (scan_is(scan, ")"))
            return true;
    }
    return false;
}

static void take_extents(struct scan *scan, uint32_t out[3])
{
    struct scan ahead = *scan;
    for (size_t i = 0; i < 3; i++)
        out[i] = 1;
    for (size_t i = 0; i < 3 && scan_next(&ahead) && isdigit((unsigned char)*ahead.word); i++) {
        out[i] = scan_number(&ahead);
        *scan = ahead;
        if (!scan_next(&ahead) || !scan_is(&ahead, ","))
            return;
    }
}

/* Arrays in shared memory that have no size: `.extern .shared .align 16 .b8 name[];`. */
struct dynamic_names {
    struct scan names[8];
    size_t count;
};

static void find_dynamic(const struct image *image, struct dynamic_names *out)
{
    static const char words[] = ".extern .shared";
    const char *at = image->ptx;
    const char *end = image->ptx + image->ptx_bytes;
    out->count = 0;
    while (out->count < COUNT(out->names) &&
           (at = memmem(at, (size_t)(end - at), words, sizeof words - 1))) {
        struct scan scan = {.at = at + sizeof words - 1, .end = end};
        struct scan name = scan;
        while (scan_next(&scan) && !scan_is(&scan, "[") && !scan_is(&scan, ";"))
            name = scan;
        if (scan_is(&scan, "[") && name.length > 0)
            out->names[out->count++] = name;
        at += sizeof words - 1;
    }
}

/* Scans up to the closing brace, from behind the opening one. */
static unsigned read_body(struct scan *scan, const struct dynamic_names *dynamic)
{
    static const struct {
        const char *word;
        unsigned reads;
    } registers[] = {{"%ntid", IMAGE_READS_BLOCK},
                     {"%nwarpid", IMAGE_READS_BLOCK},
                     {"%nctaid", IMAGE_READS_GRID},
                     {"%cluster", IMAGE_READS_CLUSTER},
                     {"%nclusterid", IMAGE_READS_CLUSTER},
                     {"%is_explicit_cluster", IMAGE_READS_CLUSTER},
                     {"mapa", IMAGE_READS_CLUSTER},
                     {"barrier.cluster", IMAGE_READS_CLUSTER},
                     {"%dynamic_smem_size", IMAGE_READS_SHARED},
                     {"%total_smem_size", IMAGE_READS_SHARED},
                     {"%aggr_smem_size", IMAGE_READS_SHARED},
                     {"call", IMAGE_CALLS}};
    unsigned reads = 0;
    for (int depth = 1; depth > 0 && scan_next(scan);) {
        depth += scan_is(scan, "{") ? 1 : scan_is(scan, "}") ? -1 : 0;
        for (size_t i = 0; i < COUNT(registers); i++)
            if (scan->length >= strlen(registers[i].word) &&
                memcmp(scan->word, registers[i].word, strlen(registers[i].word)) == 0)
                reads |= registers[i].reads;
        for (size_t i = 0; i < dynamic->count; i++)
            if (scan->length == dynamic->names[i].length &&
                memcmp(scan->word, dynamic->names[i].word, scan->length) == 0)
                reads |= IMAGE_USES_DYNAMIC;
    }
    return reads;
}

/* Reads the kernel from PTX. False: the PTX does not define the kernel. */
static bool take_from_ptx(const struct image *image, const char *name, struct image_kernel *out)
{
    struct scan scan = {.at = image->ptx, .end = image->ptx + image->ptx_bytes};
    struct dynamic_names dynamic;
    bool found = false;
    while (!found && scan_next(&scan))
        found = scan_is(&scan, ".entry") && scan_next(&scan) && scan_is(&scan, name);
    if (!found)
        return false;
    struct scan ahead = scan;
    out->parameter_count = 0; /* one without parameters may have no parentheses */
    if (scan_next(&ahead) && scan_is(&ahead, "(")) {
        scan = ahead;
        if (!take_ptx_parameters(&scan, out))
            out->parameter_count = -1;
    }
    while (scan_next(&scan) && !scan_is(&scan, "{")) {
        uint32_t threads[3];
        if (scan_is(&scan, ".reqntid"))
            take_extents(&scan, out->required_block);
        if (scan_is(&scan, ".reqnctapercluster"))
            take_extents(&scan, out->required_cluster);
        if (scan_is(&scan, ".maxntid")) {
            take_extents(&scan, threads);
            const uint64_t product = (uint64_t)threads[0] * threads[1];
            out->max_threads = product * threads[2] <= 4096 ? (uint32_t)(product * threads[2]) : 0;
        }
        if (scan_is(&scan, ";")) /* declared only */
            return false;
    }
    out->has_ptx = true;
    find_dynamic(image, &dynamic);
    out->reads = read_body(&scan, &dynamic);
    /* Functions that kernels may call read special registers too. */
    scan = (struct scan){.at = image->ptx, .end = image->ptx + image->ptx_bytes};
    while ((out->reads & IMAGE_CALLS) && scan_next(&scan)) {
        if (!scan_is(&scan, ".func"))
            continue;
        while (scan_next(&scan) && !scan_is(&scan, "{") && !scan_is(&scan, ";"))
            ;
        if (scan_is(&scan, "{"))
            out->reads |= read_body(&scan, &dynamic);
    }
    return true;
}

/* ---- cubins ---- */

static bool take_from_cubin(const struct image *image, const char *name, struct image_kernel *out)
{
    struct cubin cubin;
    struct kernel_resources resources;
    struct error ignored = {0};
    if (cubin_open(image->cubin, image->cubin_bytes, &cubin, &ignored) != STATUS_OK ||
        cuda_cubin_resources(&cubin, name, &resources, &ignored) != STATUS_OK)
        return false;
    struct cubin_rows rows = cubin_rows(&cubin, ".nv.info.", name);
    struct cubin_attribute_row row;
    if (rows.at) {
        out->parameter_count = 0;
        while (cubin_next(&rows, &row)) {
            uint32_t numbers[3] = {0};
            uint16_t ordinal = 0;
            uint32_t offset = 0, bytes = 0;
            if (row.bytes == sizeof numbers)
                memcpy(numbers, row.value, sizeof numbers);
            if (row.attribute == CUBIN_REQUIRED_THREADS && row.bytes == sizeof numbers)
                memcpy(out->required_block, numbers, sizeof numbers);
            if (row.attribute == CUBIN_CLUSTER && row.bytes == sizeof numbers &&
                (uint64_t)numbers[0] * numbers[1] * numbers[2] > 1)
                memcpy(out->required_cluster, numbers, sizeof numbers);
            if (!cubin_parameter(&row, &ordinal, &offset, &bytes) ||
                ordinal >= IMAGE_PARAMETERS_MAX)
                continue;
            out->parameters[ordinal] = (struct image_parameter){offset, bytes};
            if (ordinal >= out->parameter_count)
                out->parameter_count = ordinal + 1;
        }
    }
    out->registers = resources.registers;
    out->static_shared_bytes = resources.static_shared_bytes;
    out->local_bytes = resources.local_bytes;
    if (resources.max_threads_per_block > 0 && out->required_block[0] == 0)
        out->max_threads = (uint32_t)resources.max_threads_per_block;
    return true;
}

enum status image_kernel(const struct image *image, const char *name, struct image_kernel *out,
                         struct error *error)
{
    *out = (struct image_kernel){
        .parameter_count = -1, .registers = -1, .static_shared_bytes = -1, .local_bytes = -1};
    const bool in_ptx = image->ptx && take_from_ptx(image, name, out);
    const bool in_cubin = image->cubin && take_from_cubin(image, name, out);
    return in_ptx || in_cubin
               ? STATUS_OK
               : error_set(error, STATUS_NOT_FOUND,
                           "kernel %s: not among the readable kernels of the image%s%s", name,
                           *image->unread ? ", which is " : "", image->unread);
}
