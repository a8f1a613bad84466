#include "tuner/device/recording.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"

static const char magic[8] = "tuneRP1";
static const size_t item_bytes[RECORDED_PARTS] = {
    [RECORDED_POINTS] = sizeof(struct recorded_point),
    [RECORDED_RESOURCES] = sizeof(struct recorded_resource),
    [RECORDED_SAMPLES] = sizeof(double),
    [RECORDED_BASELINES] = sizeof(struct recorded_baseline),
    [RECORDED_EXPERIMENTS] = sizeof(struct recorded_experiment),
    [RECORDED_FACTS] = sizeof(struct recorded_fact),
    [RECORDED_TEXTS] = 1,
};

/* Beginning of the file; the parts follow, each at a multiple of eight bytes. */
struct head {
    char magic[sizeof magic];
    uint64_t bytes; /* bytes of the file */
    struct recorded_device device;
    struct {
        uint64_t offset, count;
    } parts[RECORDED_PARTS];
};

uint64_t recording_hash(const char *key, int64_t n)
{
    return hash_u64(key, strlen(key), (uint64_t)n);
}

/* ---- reading ---- */

static bool is_whole(const struct head *head, size_t bytes)
{
    if (bytes < sizeof *head || memcmp(head->magic, magic, sizeof magic) != 0 ||
        head->bytes != bytes)
        return false;
    for (size_t i = 0; i < RECORDED_PARTS; i++)
        if (head->parts[i].offset > bytes ||
            head->parts[i].count > (bytes - head->parts[i].offset) / item_bytes[i])
            return false;
    return true;
}

enum status recording_open(const char *path, struct recording *out, struct error *error)
{
    struct stat info;
    *out = (struct recording){0};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) != 0) {
        file_close(file);
        return error_set(error, STATUS_NOT_FOUND, "%s: there is no such recording", path);
    }
    const size_t bytes = (size_t)info.st_size;
    char *data = bytes > 0 ? mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    (void)close(file);
    const struct head *head = (const void *)data;
    if (data == MAP_FAILED || !is_whole(head, bytes)) {
        if (data != MAP_FAILED)
            (void)munmap(data, bytes);
        return error_set(error, STATUS_BAD_INPUT, "%s: is no recording, or cut", path);
    }
    *out = (struct recording){.device = head->device, .mapped = data, .mapped_bytes = bytes};
    for (size_t i = 0; i < RECORDED_PARTS; i++) {
        out->parts[i].items = data + head->parts[i].offset;
        out->parts[i].count = (size_t)head->parts[i].count;
    }
    return STATUS_OK;
}

void recording_close(struct recording *recording)
{
    for (size_t i = 0; !recording->mapped && i < RECORDED_PARTS; i++)
        free(recording->parts[i].items);
    if (recording->mapped)
        (void)munmap(recording->mapped, recording->mapped_bytes);
    *recording = (struct recording){0};
}

const char *recording_text(const struct recording *recording, recorded_text text)
{
    const char *texts = recording->parts[RECORDED_TEXTS].items;
    return text < recording->parts[RECORDED_TEXTS].count ? texts + text : "";
}

const char *recording_kind(const struct recording *recording)
{
    const char *kind = recording_text(recording, recording->device.kind);
    return *kind ? kind : "replay";
}

static int compare_points(const void *left, const void *right)
{
    const struct recorded_point *a = left;
    const struct recorded_point *b = right;
    if (a->problem != b->problem)
        return a->problem < b->problem ? -1 : 1;
    return a->configuration < b->configuration ? -1 : a->configuration > b->configuration;
}

const struct recorded_point *recording_problem(const struct recording *recording, uint64_t problem,
                                               size_t *count)
{
    const struct recorded_point *points = recording->parts[RECORDED_POINTS].items;
    size_t low = 0;
    for (size_t high = recording->parts[RECORDED_POINTS].count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (points[middle].problem < problem)
            low = middle + 1;
        else
            high = middle;
    }
    size_t end = low;
    while (end < recording->parts[RECORDED_POINTS].count && points[end].problem == problem)
        end++;
    *count = end - low;
    return *count > 0 ? points + low : NULL;
}

const struct recorded_point *recording_find(const struct recording *recording, uint64_t problem,
                                            uint64_t configuration)
{
    const struct recorded_point wanted = {.problem = problem, .configuration = configuration};
    return recording->parts[RECORDED_POINTS].count == 0
               ? NULL
               : bsearch(&wanted, recording->parts[RECORDED_POINTS].items,
                         recording->parts[RECORDED_POINTS].count, sizeof wanted, compare_points);
}

enum status recording_facts(const struct recording *recording, struct facts *facts,
                            struct error *error)
{
    const struct recorded_fact *items = recording->parts[RECORDED_FACTS].items;
    for (size_t i = 0; i < recording->parts[RECORDED_FACTS].count; i++) {
        const char *key = recording_text(recording, items[i].key);
        struct value value = {.kind = (enum value_kind)items[i].kind};
        if (value.kind == VALUE_TEXT)
            value.text = recording_text(recording, items[i].text);
        else if (value.kind == VALUE_REAL)
            value.real = items[i].real;
        else
            value.integer = items[i].integer;
        facts_add(facts, key, value);
    }
    return facts->failed ? error_no_memory(error) : STATUS_OK;
}

/* ---- making ---- */

static size_t append(struct recording *recording, enum recording_part which, const void *items,
                     size_t more)
{
    const size_t bytes = item_bytes[which];
    const size_t at = recording->parts[which].count;
    if (recording->failed || !array_grow_by(&recording->parts[which].items, at, more,
                                            &recording->parts[which].capacity, bytes)) {
        recording->failed = true;
        return 0;
    }
    memcpy((char *)recording->parts[which].items + at * bytes, items, more * bytes);
    recording->parts[which].count += more;
    return at;
}

size_t recording_add(struct recording *recording, enum recording_part which, const void *item)
{
    return append(recording, which, item, 1);
}

recorded_text recording_add_text(struct recording *recording, const char *text)
{
    if (recording->parts[RECORDED_TEXTS].count == 0)
        (void)append(recording, RECORDED_TEXTS, "", 1);
    if (!text || !*text)
        return 0;
    if (recording->parts[RECORDED_TEXTS].count > UINT32_MAX - strlen(text) - 1)
        recording->failed = true;
    return (recorded_text)append(recording, RECORDED_TEXTS, text, strlen(text) + 1);
}

void recording_add_fact(struct recording *recording, const char *key, struct value value)
{
    struct recorded_fact item = {.key = recording_add_text(recording, key),
                                 .kind = (uint32_t)value.kind};
    if (value.kind == VALUE_TEXT)
        item.text = recording_add_text(recording, value.text);
    else if (value.kind == VALUE_REAL)
        item.real = value.real;
    else
        item.integer = value.integer;
    (void)recording_add(recording, RECORDED_FACTS, &item);
}

enum status recording_write(struct recording *recording, const char *path, char *hash,
                            struct error *error)
{
    struct head head = {.device = recording->device};
    struct recorded_point *points = recording->parts[RECORDED_POINTS].items;
    const size_t count = recording->parts[RECORDED_POINTS].count;
    size_t bytes = (sizeof head + 7) / 8 * 8;
    TRY_MEMORY(!recording->failed);
    if (count > 0)
        qsort(points, count, sizeof *points, compare_points);
    for (size_t i = 1; i < count; i++)
        if (compare_points(&points[i - 1], &points[i]) == 0)
            return error_set(error, STATUS_BAD_INPUT, "'%s' is recorded twice for one problem",
                             recording_text(recording, points[i].key));
    memcpy(head.magic, magic, sizeof magic);
    for (size_t i = 0; i < RECORDED_PARTS; i++) {
        head.parts[i].offset = bytes;
        head.parts[i].count = recording->parts[i].count;
        bytes += (recording->parts[i].count * item_bytes[i] + 7) / 8 * 8;
    }
    head.bytes = bytes;
    char *file = calloc(1, bytes);
    TRY_MEMORY(file);
    memcpy(file, &head, sizeof head);
    for (size_t i = 0; i < RECORDED_PARTS; i++)
        if (recording->parts[i].count > 0)
            memcpy(file + head.parts[i].offset, recording->parts[i].items,
                   recording->parts[i].count * item_bytes[i]);
    enum status status = file_write_atomically(path, file, bytes, error);
    hash_bytes(file, bytes, hash);
    free(file);
    return status;
}
