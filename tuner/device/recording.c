#include "tuner/device/recording.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"

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

/* What the file begins with; the parts follow, each from a multiple of eight bytes on. */
struct head {
    char magic[sizeof magic];
    uint64_t bytes; /* of the file */
    struct recorded_device device;
    struct {
        uint64_t offset, count;
    } parts[RECORDED_PARTS];
};

struct recording {
    const struct head *head;
    size_t bytes;
};

uint64_t recording_problem_hash(const char *key, int64_t n)
{
    return hash_u64(key, strlen(key), (uint64_t)n);
}

uint64_t recording_configuration_hash(const char *key)
{
    return hash_u64(key, strlen(key), 0);
}

void recording_point_name(uint64_t problem, uint64_t configuration, char out[RECORDING_POINT_BYTES])
{
    (void)string_format(out, RECORDING_POINT_BYTES, "%016" PRIx64 ":%016" PRIx64, problem,
                        configuration);
}

bool recording_point_parse(const char *name, uint64_t *problem, uint64_t *configuration)
{
    char *end = NULL;
    *problem = strtoull(name, &end, 16);
    if (end == name || *end != ':')
        return false;
    const char *second = end + 1;
    *configuration = strtoull(second, &end, 16);
    return end != second && (*end == '\0' || *end == '\n');
}

/* ---- reading ---- */

static const void *part(const struct recording *recording, enum recording_part which, size_t *count)
{
    *count = (size_t)recording->head->parts[which].count;
    return (const char *)recording->head + recording->head->parts[which].offset;
}

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

enum status recording_open(const char *path, struct recording **out, struct error *error)
{
    struct stat info;
    *out = NULL;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) != 0) {
        if (file >= 0)
            (void)close(file);
        return error_set(error, STATUS_NOT_FOUND, "%s: there is no such recording", path);
    }
    const size_t bytes = (size_t)info.st_size;
    void *data = bytes > 0 ? mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    (void)close(file);
    struct recording *recording = calloc(1, sizeof *recording);
    if (recording && data != MAP_FAILED && is_whole(data, bytes)) {
        *recording = (struct recording){data, bytes};
        *out = recording;
        return STATUS_OK;
    }
    if (data != MAP_FAILED)
        (void)munmap(data, bytes);
    free(recording);
    return recording ? error_set(error, STATUS_BAD_INPUT, "%s: is no recording, or cut", path)
                     : error_no_memory(error);
}

void recording_close(struct recording *recording)
{
    if (recording)
        (void)munmap((void *)(uintptr_t)recording->head, recording->bytes);
    free(recording);
}

const struct recorded_device *recording_device(const struct recording *recording)
{
    return &recording->head->device;
}

const char *recording_kind(const struct recording *recording)
{
    const char *kind = recording_text(recording, recording_device(recording)->kind);
    return *kind ? kind : "replay";
}

const char *recording_text(const struct recording *recording, recorded_text text)
{
    size_t count = 0;
    const char *texts = part(recording, RECORDED_TEXTS, &count);
    return text < count ? texts + text : "";
}

const struct recorded_point *recording_problem(const struct recording *recording, uint64_t problem,
                                               size_t *count)
{
    size_t low = 0;
    size_t all = 0;
    const struct recorded_point *points = part(recording, RECORDED_POINTS, &all);
    for (size_t high = all; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (points[middle].problem < problem)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < all && points[low + *count].problem == problem;)
        ++*count;
    return *count > 0 ? points + low : NULL;
}

static int compare_points(const void *left, const void *right)
{
    const struct recorded_point *a = left;
    const struct recorded_point *b = right;
    if (a->problem != b->problem)
        return a->problem < b->problem ? -1 : 1;
    return a->configuration < b->configuration ? -1 : a->configuration > b->configuration;
}

const struct recorded_point *recording_find(const struct recording *recording, uint64_t problem,
                                            uint64_t configuration)
{
    size_t count = 0;
    const struct recorded_point *points = part(recording, RECORDED_POINTS, &count);
    const struct recorded_point wanted = {.problem = problem, .configuration = configuration};
    return bsearch(&wanted, points, count, sizeof *points, compare_points);
}

const double *recording_samples(const struct recording *recording,
                                const struct recorded_point *point)
{
    size_t count = 0;
    const double *samples = part(recording, RECORDED_SAMPLES, &count);
    return samples + point->first_sample;
}

const double *recording_energies(const struct recording *recording,
                                 const struct recorded_point *point)
{
    size_t count = 0;
    const double *samples = part(recording, RECORDED_SAMPLES, &count);
    return samples + point->first_energy;
}

const struct recorded_resource *recording_resources(const struct recording *recording,
                                                    const struct recorded_point *point)
{
    size_t count = 0;
    const struct recorded_resource *resources = part(recording, RECORDED_RESOURCES, &count);
    return resources + point->first_resource;
}

const struct recorded_baseline *recording_baselines(const struct recording *recording,
                                                    size_t *count)
{
    return part(recording, RECORDED_BASELINES, count);
}

const struct recorded_experiment *recording_experiments(const struct recording *recording,
                                                        size_t *count)
{
    return part(recording, RECORDED_EXPERIMENTS, count);
}

enum status recording_facts(const struct recording *recording, struct facts *facts,
                            struct error *error)
{
    size_t count = 0;
    const struct recorded_fact *items = part(recording, RECORDED_FACTS, &count);
    for (size_t i = 0; i < count; i++) {
        struct value value = {.kind = (enum value_kind)items[i].kind};
        if (value.kind == VALUE_TEXT)
            value.text = recording_text(recording, items[i].text);
        else if (value.kind == VALUE_REAL)
            value.real = items[i].real;
        else
            value.integer = items[i].integer;
        facts_add(facts, recording_text(recording, items[i].key),
                  recording_text(recording, items[i].label),
                  recording_text(recording, items[i].unit), value);
    }
    return facts->failed ? error_no_memory(error) : STATUS_OK;
}

/* ---- making ---- */

static size_t append(struct recording_draft *draft, enum recording_part which, const void *items,
                     size_t more)
{
    const size_t bytes = item_bytes[which];
    const size_t at = draft->parts[which].count;
    if (draft->failed || !array_grow_by(&draft->parts[which].items, at, more,
                                        &draft->parts[which].capacity, bytes)) {
        draft->failed = true;
        return 0;
    }
    memcpy((char *)draft->parts[which].items + at * bytes, items, more * bytes);
    draft->parts[which].count += more;
    return at;
}

recorded_text draft_text(struct recording_draft *draft, const char *text)
{
    if (draft->parts[RECORDED_TEXTS].count == 0)
        (void)append(draft, RECORDED_TEXTS, "", 1);
    if (!text || !*text)
        return 0;
    if (draft->parts[RECORDED_TEXTS].count > UINT32_MAX - strlen(text) - 1)
        draft->failed = true;
    return (recorded_text)append(draft, RECORDED_TEXTS, text, strlen(text) + 1);
}

size_t draft_add(struct recording_draft *draft, enum recording_part which, const void *item)
{
    return append(draft, which, item, 1);
}

void draft_fact(struct recording_draft *draft, const struct fact *fact)
{
    struct recorded_fact item = {
        .key = draft_text(draft, fact->key),
        .label = draft_text(draft, fact->label),
        .unit = draft_text(draft, fact->unit),
        .kind = (uint32_t)fact->value.kind,
    };
    if (fact->value.kind == VALUE_TEXT)
        item.text = draft_text(draft, fact->value.text);
    else if (fact->value.kind == VALUE_REAL)
        item.real = fact->value.real;
    else
        item.integer = fact->value.integer;
    (void)draft_add(draft, RECORDED_FACTS, &item);
}

enum status recording_write(struct recording_draft *draft, const char *path, struct error *error)
{
    struct head head = {.device = draft->device};
    struct recorded_point *points = draft->parts[RECORDED_POINTS].items;
    const size_t count = draft->parts[RECORDED_POINTS].count;
    size_t bytes = (sizeof head + 7) / 8 * 8;
    if (draft->failed)
        return error_no_memory(error);
    if (count > 0)
        qsort(points, count, sizeof *points, compare_points);
    for (size_t i = 1; i < count; i++)
        if (compare_points(&points[i - 1], &points[i]) == 0)
            return error_set(error, STATUS_BAD_INPUT, "'%s' is recorded twice for one problem",
                             (const char *)draft->parts[RECORDED_TEXTS].items + points[i].key);
    memcpy(head.magic, magic, sizeof magic);
    for (size_t i = 0; i < RECORDED_PARTS; i++) {
        head.parts[i].offset = bytes;
        head.parts[i].count = draft->parts[i].count;
        bytes += (draft->parts[i].count * item_bytes[i] + 7) / 8 * 8;
    }
    head.bytes = bytes;
    char *file = calloc(1, bytes);
    if (!file)
        return error_no_memory(error);
    memcpy(file, &head, sizeof head);
    for (size_t i = 0; i < RECORDED_PARTS; i++)
        if (draft->parts[i].count > 0)
            memcpy(file + head.parts[i].offset, draft->parts[i].items,
                   draft->parts[i].count * item_bytes[i]);
    enum status status = file_write_atomically(path, file, bytes, error);
    free(file);
    return status;
}

void draft_free(struct recording_draft *draft)
{
    for (size_t i = 0; i < RECORDED_PARTS; i++)
        free(draft->parts[i].items);
    *draft = (struct recording_draft){0};
}
