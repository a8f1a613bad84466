#include "tuner/export/configurations.h"

#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tuner/base/arena.h"
#include "tuner/base/files.h"
#include "tuner/device/traits.h"
#include "tuner/experiment/experiment.h"

enum { EXPERIMENTS_MAX = 64 };

/* An experiment that a key named; NULL: there is no file of it. */
struct known {
    const char *name;
    struct experiment *experiment;
};

struct collector {
    struct arena arena;
    const char *data_folder;
    struct known known[EXPERIMENTS_MAX];
    size_t known_count;
    const char **lines; /* in the arena */
    size_t line_count, line_capacity;
    size_t strange;
};

/* Reads the experiment at its first use. */
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

/* As the inside of a C string. */
static void append_escaped(struct text *line, const char *value)
{
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            text_append(line, "\\");
        text_append_bytes(line, value, 1);
    }
}

/* False: the entry lacks a value that the experiment compiles. */
static bool describe_kernel(const struct experiment *experiment, const struct tuned_entry *entry,
                            struct text *line)
{
    text_clear(line);
    append_escaped(line, tuned_entry_problem(entry));
    const char *name = NULL;
    for (size_t i = 0; (name = experiment_compiled_name(experiment, i)); i++) {
        const char *value = tuned_text(entry, name, NULL);
        if (!value)
            return false;
        text_printf(line, " %s=", name);
        append_escaped(line, value);
    }
    return true;
}

static enum status keep_line(struct collector *collector, const struct text *line,
                             struct error *error)
{
    if (collector->line_count == collector->line_capacity) {
        const size_t capacity = collector->line_capacity ? 2 * collector->line_capacity : 64;
        const char **grown = arena_alloc(&collector->arena, capacity, sizeof *grown);
        if (!grown)
            return error_no_memory(error);
        if (collector->line_count > 0)
            memcpy(grown, collector->lines, collector->line_count * sizeof *grown);
        collector->lines = grown;
        collector->line_capacity = capacity;
    }
    const char *kept = line->failed ? NULL : arena_strdup(&collector->arena, text_string(line));
    if (!kept)
        return error_no_memory(error);
    collector->lines[collector->line_count++] = kept;
    return STATUS_OK;
}

static enum status collect_entry(struct collector *collector, const struct tuned_entry *entry,
                                 struct text *line, struct error *error)
{
    const struct experiment *experiment = NULL;
    enum status status = find_experiment(collector, tuned_entry_problem(entry), &experiment, error);
    if (status != STATUS_OK)
        return status;
    if (!experiment || !describe_kernel(experiment, entry, line)) {
        collector->strange++;
        return STATUS_OK;
    }
    return keep_line(collector, line, error);
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

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t append_lines(struct collector *collector, struct text *out)
{
    size_t written = 0;
    text_append(out, "// Written by 'tune export --configurations': the kernels that tuned.conf "
                     "names, for\n// programs to compile in (docs/calls.md).\n");
    if (collector->line_count > 0)
        qsort(collector->lines, collector->line_count, sizeof *collector->lines, compare_lines);
    for (size_t i = 0; i < collector->line_count; i++) {
        if (i > 0 && strcmp(collector->lines[i], collector->lines[i - 1]) == 0)
            continue;
        text_printf(out, "TUNE_CONFIGURATION(\"%s\")\n", collector->lines[i]);
        written++;
    }
    return written;
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
        counted.lines = append_lines(&collector, out);
    if (status == STATUS_OK && out->failed)
        status = error_no_memory(error);
    for (size_t i = 0; i < collector.known_count; i++)
        experiment_free(collector.known[i].experiment);
    arena_free(&collector.arena);
    if (counts)
        *counts = counted;
    return status;
}
