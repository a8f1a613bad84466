#include "views/export/configurations.h"

#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tuner/base/arena.h"
#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/device/traits.h"
#include "tuner/experiment/experiment.h"
#include "views/export/internal.h"

enum { EXPERIMENTS_MAX = 64 };

/* An experiment named by a key; NULL: no file. */
struct known {
    const char *name;
    struct experiment *experiment;
};

/* A kernel that entries name. */
struct line {
    const char *text; /* in the arena */
    bool is_kept;
};

/* Kernels that serve an entry, by the index of their lines: its own, and those as fast. */
struct wish {
    size_t lines[1 + EXPORT_ALTERNATIVES];
    size_t count;
    bool is_served;
};

struct collector {
    struct arena arena;
    const char *data_folder;
    struct known known[EXPERIMENTS_MAX];
    size_t known_count;
    struct line *lines;
    size_t line_count, line_capacity;
    struct wish *wishes;
    size_t wish_count, wish_capacity;
    size_t strange;
};

/* Finds an experiment, read on first use. */
static enum status find_experiment(struct collector *collector, const char *key,
                                   const struct experiment **out, struct error *error)
{
    const size_t length = strcspn(key, ".");
    *out = NULL;
    for (size_t i = 0; i < collector->known_count; i++)
        if (strncmp(collector->known[i].name, key, length) == 0 &&
            collector->known[i].name[length] == '\0') {
            *out = collector->known[i].experiment;
            return STATUS_OK;
        }
    if (collector->known_count == EXPERIMENTS_MAX)
        return error_set(error, STATUS_BAD_INPUT, "entries of more than %d experiments",
                         EXPERIMENTS_MAX);
    struct known known = {.name = arena_strndup(&collector->arena, key, length)};
    const char *path = arena_printf(&collector->arena, "%s/configs/%.*s.yaml",
                                    collector->data_folder, (int)length, key);
    if (!known.name || !path)
        return error_no_memory(error);
    enum status status = STATUS_OK;
    if (file_exists(path))
        status = experiment_load(path, collector->data_folder, &known.experiment, error);
    if (status == STATUS_OK)
        collector->known[collector->known_count++] = known;
    *out = known.experiment;
    return status;
}

/* Appends text escaped for a C string. */
static void append_escaped(struct text *line, const char *value, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (value[i] == '"' || value[i] == '\\')
            text_append(line, "\\");
        text_append_bytes(line, value + i, 1);
    }
}

/* Finds a value in "name=value name=value", and its length. Returns NULL if there is none. */
static const char *find_value(const char *text, const char *name, size_t *length)
{
    const size_t name_length = strlen(name);
    for (; *text; text += strspn(text, " ")) {
        *length = strcspn(text, " ");
        if (*length > name_length && strncmp(text, name, name_length) == 0 &&
            text[name_length] == '=') {
            *length -= name_length + 1;
            return text + name_length + 1;
        }
        text += *length;
    }
    return NULL;
}

/* Writes an entry's kernel, with values from `also` first. Returns false if a compiled value is
 * missing. */
static bool describe_kernel(const struct experiment *experiment, const struct tuned_entry *entry,
                            const char *also, struct text *line)
{
    const char *problem = tuned_entry_problem(entry);
    text_clear(line);
    append_escaped(line, problem, strlen(problem));
    const char *name = NULL;
    for (size_t i = 0; (name = experiment_compiled_name(experiment, i)); i++) {
        size_t length = 0;
        const char *value = find_value(also, name, &length);
        if (!value && (value = tuned_text(entry, name, NULL)))
            length = strlen(value);
        if (!value)
            return false;
        text_printf(line, " %s=", name);
        append_escaped(line, value, length);
    }
    return true;
}

static enum status find_line(struct collector *collector, const struct text *text, size_t *index,
                             struct error *error)
{
    if (text->failed)
        return error_no_memory(error);
    for (*index = 0; *index < collector->line_count; ++*index)
        if (strcmp(collector->lines[*index].text, text_string(text)) == 0)
            return STATUS_OK;
    const char *kept = arena_strdup(&collector->arena, text_string(text));
    TRY_MEMORY(kept && array_grow(&collector->lines, collector->line_count,
                                  &collector->line_capacity, sizeof *collector->lines));
    collector->lines[collector->line_count++] = (struct line){.text = kept};
    return STATUS_OK;
}

static enum status collect_entry(struct collector *collector, const struct tuned_entry *entry,
                                 struct text *line, struct error *error)
{
    const struct experiment *experiment = NULL;
    enum status status = find_experiment(collector, tuned_entry_problem(entry), &experiment, error);
    if (status != STATUS_OK)
        return status;
    if (!experiment || !describe_kernel(experiment, entry, "", line)) {
        collector->strange++;
        return STATUS_OK;
    }
    struct wish wish = {0};
    char name[] = "also0";
    for (const char *also = ""; also && wish.count < COUNT(wish.lines) && status == STATUS_OK;) {
        if (describe_kernel(experiment, entry, also, line))
            status = find_line(collector, line, &wish.lines[wish.count++], error);
        name[4]++;
        also = tuned_evidence_text(entry, name, NULL);
    }
    if (status != STATUS_OK)
        return status;
    TRY_MEMORY(array_grow(&collector->wishes, collector->wish_count, &collector->wish_capacity,
                          sizeof *collector->wishes));
    collector->wishes[collector->wish_count++] = wish;
    return STATUS_OK;
}

static enum status collect_file(struct collector *collector, const struct conf_text *file,
                                struct error *error)
{
    struct tuned_error refused;
    struct tuned *tuned = tuned_load_memory(file->text, file->bytes, file->name, &refused);
    if (!tuned)
        return error_set(error, STATUS_BAD_INPUT, "%s", refused.text);
    enum status status = STATUS_OK;
    struct text line = {0};
    for (size_t i = 0; i < tuned_entry_count(tuned) && status == STATUS_OK; i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, i);
        if (device_traits(tuned_entry_device(entry)->kind)->compute_api)
            status = collect_entry(collector, entry, &line, error);
    }
    text_free(&line);
    tuned_free(tuned);
    return status;
}

/* Keeps few lines that serve all entries: repeatedly the line that serves the most unserved
 * entries, among equals the one that is the own line of the most entries. */
static enum status keep_lines(struct collector *collector, struct error *error)
{
    size_t *served = arena_alloc(&collector->arena, collector->line_count + 1, sizeof *served);
    size_t left = collector->wish_count;
    if (!served)
        return error_no_memory(error);
    while (left > 0) {
        memset(served, 0, collector->line_count * sizeof *served);
        size_t best = 0;
        for (size_t i = 0; i < collector->wish_count; i++) {
            const struct wish *wish = &collector->wishes[i];
            for (size_t k = 0; k < wish->count && !wish->is_served; k++)
                served[wish->lines[k]] +=
                    k == 0 ? collector->wish_count + 1 : collector->wish_count;
        }
        for (size_t i = 1; i < collector->line_count; i++)
            if (served[i] > served[best] ||
                (served[i] == served[best] &&
                 strcmp(collector->lines[i].text, collector->lines[best].text) < 0))
                best = i;
        collector->lines[best].is_kept = true;
        for (size_t i = 0; i < collector->wish_count; i++) {
            struct wish *wish = &collector->wishes[i];
            for (size_t k = 0; k < wish->count && !wish->is_served; k++)
                if (wish->lines[k] == best) {
                    wish->is_served = true;
                    left--;
                }
        }
    }
    return STATUS_OK;
}

static int compare_lines(const void *a, const void *b)
{
    const struct line *left = a;
    const struct line *right = b;
    return strcmp(left->text, right->text);
}

enum status export_configurations(const struct conf_text *files, size_t count,
                                  const char *data_folder, struct text *out,
                                  struct configuration_counts *counts, struct error *error)
{
    struct collector collector = {.data_folder = data_folder};
    struct configuration_counts counted = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = collect_file(&collector, &files[i], error);
    counted.strange = collector.strange;
    if (status == STATUS_OK)
        status = keep_lines(&collector, error);
    if (status == STATUS_OK) {
        size_t written = 0;
        text_append(out,
                    "// Written by 'tune export --configurations': the kernels that tuned.conf "
                    "names, for\n// programs to compile in (docs/calls.md).\n");
        if (collector.line_count > 0)
            qsort(collector.lines, collector.line_count, sizeof *collector.lines, compare_lines);
        for (size_t k = 0; k < collector.line_count; k++)
            if (collector.lines[k].is_kept) {
                text_printf(out, "TUNE_CONFIGURATION(\"%s\")\n", collector.lines[k].text);
                written++;
            }
        counted.lines = written;
    }
    if (status == STATUS_OK && out->failed)
        status = error_no_memory(error);
    for (size_t i = 0; i < collector.known_count; i++)
        experiment_free(collector.known[i].experiment);
    free(collector.lines);
    free(collector.wishes);
    arena_free(&collector.arena);
    if (counts)
        *counts = counted;
    return status;
}
