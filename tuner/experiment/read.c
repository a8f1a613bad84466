/* Reading of an experiment file: its sections in the order of their dependencies. */
#include "tuner/experiment/read.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/source.h"
#include "tuner/base/text.h"
#include "tuner/device/traits.h"

static bool read_heading(struct file_reader *reader, const struct node *root)
{
    struct experiment *experiment = reader->experiment;
    const struct node *name = node_get(root, "experiment");
    const struct node *device = node_get(root, "device");
    TRY_OR_FALSE(need_name(reader, name, "the experiment's name"));
    experiment->head.name = name->text;
    const struct node *about = node_get(root, "about"); /* for readers of the file */
    const char *ignored = NULL;
    if (about && !read_text(reader, about, "about", &ignored))
        return false;
    TRY_OR_FALSE(read_boolean(reader, root, "all_sizes", &experiment->head.promises_all) &&
                 read_boolean(reader, root, "on_request", &experiment->head.is_on_request));
    const struct node *as = node_get(root, "as"); /* a name or a list of names */
    const bool several = as && as->kind == NODE_LIST;
    for (const struct node *item = several ? as->first : as; item;
         item = several ? item->next : NULL) {
        const char *names = NULL;
        TRY_OR_FALSE(read_text(reader, item, "as", &names));
        if (!issues_parse(names, &experiment->head.issues))
            return node_error(reader, item, "as is graph, stream or eager, not '%.60s'", names);
    }
    experiment->head.device = &device_traits_list[0];
    if (!device)
        return true;
    const char *kind = NULL;
    TRY_OR_FALSE(read_text(reader, device, "device", &kind));
    experiment->head.device = device_traits_of_section(kind);
    if (experiment->head.device)
        return true;
    const char *sections[DEVICE_SECTIONS_MAX];
    const size_t count = device_sections(sections);
    struct text list = {0};
    for (size_t i = 0; i < count; i++)
        text_printf(&list, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", sections[i]);
    const bool read = node_error(reader, device, "device is %s, not '%.60s'%s", text_string(&list),
                                 kind, suggest(kind, sections, count).text);
    text_free(&list);
    return read;
}

static bool read_sections(struct file_reader *reader, const struct node *root)
{
    struct experiment *experiment = reader->experiment;
    return CHECK_KEYS(reader, root, "an experiment", "!experiment", "about", "device", "on_request",
                      "all_sizes", "as", "usual", "source", "sources", "binary", "include", "std",
                      "compiler", "axes", "sizes", "!parameters", "defaults", "constraints",
                      "derived", "defines", "flags", "!launches", "!arguments", "check", "metrics",
                      "objectives", "baselines") &&
           read_heading(reader, root) && declare_names(reader, root) &&
           read_derived(reader, root) &&
           read_optional(reader, root, "usual", USE_PROBLEM, &experiment->usual) &&
           read_axes(reader, node_get(root, "axes")) &&
           read_sizes(reader, node_get(root, "sizes")) &&
           read_parameters(reader, node_get(root, "parameters")) &&
           read_setting(reader, node_get(root, "defaults"), "defaults", &experiment->defaults) &&
           read_sources(reader, root) && read_constraints(reader, node_get(root, "constraints")) &&
           read_defines(reader, node_get(root, "defines"), USE_CONFIGURATION,
                        &experiment->defines) &&
           read_flags(reader, node_get(root, "flags")) &&
           read_arguments(reader, node_get(root, "arguments")) &&
           read_launch_list(reader, node_get(root, "launches"), experiment->launches,
                            &experiment->launch_count) &&
           read_checks(reader, root) && read_objectives(reader, node_get(root, "objectives")) &&
           read_metrics(reader, node_get(root, "metrics")) &&
           read_baselines(reader, node_get(root, "baselines")) && check_whole(reader);
}

/* Hashes a source with all includes, as compiled. An error in its includes is reported by
 * compilation; until then the hash is of the file alone. */
static enum status hash_source(const struct experiment *experiment, const char *path,
                               struct hash_state *hash, struct error *error)
{
    struct arena arena = {0};
    struct source source = {0};
    enum status status =
        source_read_in(&arena, path, experiment->folders, experiment->folder_count, &source, error);
    if (status == STATUS_BAD_INPUT) {
        char *contents = NULL;
        error_clear(error);
        status = file_read(&arena, path, CODE_BYTES_MAX, &contents, &source.content_length, error);
        source.contents = contents;
    }
    if (status == STATUS_OK) {
        hash_add(hash, &source.content_length, sizeof source.content_length);
        hash_add(hash, source.contents, source.content_length);
    }
    arena_free(&arena);
    return status;
}

static enum status hash_content(struct experiment *experiment, struct error *error)
{
    struct hash_state *hash = hash_start();
    enum status status = STATUS_OK;
    TRY_MEMORY(hash);
    hash_add_string(hash, experiment->head.text);
    if (experiment->is_recorded)
        goto cleanup;
    TRY_OR_CLEANUP(hash_source(experiment, experiment->source, hash, error));
    for (size_t i = 0; i < experiment->unit_count; i++)
        TRY_OR_CLEANUP(hash_source(experiment, experiment->units[i], hash, error));
    for (size_t i = 0; i < experiment->check_count; i++)
        if (experiment->checks[i].source)
            TRY_OR_CLEANUP(hash_source(experiment, experiment->checks[i].source, hash, error));
cleanup:
    hash_finish(hash, experiment->head.content_hash);
    return status == STATUS_OK ? status : error_prefix(error, "%s", experiment->head.path);
}

enum status experiment_load_document(struct document *document, const char *data_folder,
                                     bool lenient_defaults, struct experiment **out,
                                     struct error *error)
{
    struct experiment *experiment = calloc(1, sizeof *experiment);
    const char *text = document_text(document);
    if (!experiment || !text) {
        free(experiment);
        arena_free(&document->arena);
        return error_no_memory(error);
    }
    *experiment = (struct experiment){.head = {.path = document->file->path, .text = text},
                                      .arena = document->arena,
                                      .file = document->file,
                                      .lenient_defaults = lenient_defaults,
                                      .is_recorded = document->is_recorded,
                                      .default_cache = default_cache_create()};
    document->arena = (struct arena){0};
    struct file_reader reader = {.experiment = experiment,
                                 .arena = &experiment->arena,
                                 .data_folder = data_folder,
                                 .scope = &experiment->scope,
                                 .error = error};
    enum status status = STATUS_OK;
    if (data_folder)
        experiment->data_folder = arena_strdup(&experiment->arena, data_folder);
    if (!experiment->default_cache || (data_folder && !experiment->data_folder))
        status = error_no_memory(error);
    else if (strlen(text) > DOCUMENT_BYTES_MAX)
        status =
            error_set(error, STATUS_BAD_INPUT, "%s: as an experiment it has more than %d bytes",
                      experiment->head.path, DOCUMENT_BYTES_MAX);
    else if (!read_sections(&reader, document->root))
        status = error->status;
    if (status == STATUS_OK)
        status = hash_content(experiment, error);
    if (status == STATUS_OK)
        status = experiment_hash_definition(experiment, document->root, !document->is_draft, error);
    if (status == STATUS_OK)
        *out = experiment;
    else
        experiment_free(experiment);
    return status;
}

enum origin { FROM_FILE, FROM_DATABASE, FROM_DRAFT };

static enum status load_text(const char *path, const char *text, size_t length,
                             const char *data_folder, enum origin origin, struct experiment **out,
                             struct error *error)
{
    const bool is_recorded = origin == FROM_DATABASE;
    struct document document = {.text = NULL};
    if (memchr(text, '\0', length))
        return error_set(error, STATUS_BAD_INPUT, "%s: not a text: a zero byte in it%s", path,
                         length > 1 && (!text[0] || !text[1] || (unsigned char)text[0] >= 0xfe)
                             ? " (UTF-16? Save it as UTF-8)"
                             : "");
    if (length > DOCUMENT_BYTES_MAX)
        return error_set(error, STATUS_BAD_INPUT, "%s: as an experiment it has more than %d bytes",
                         path, DOCUMENT_BYTES_MAX);
    enum status status = document_read(&document, path, text, length, error);
    document.is_recorded = is_recorded;
    document.is_draft = origin == FROM_DRAFT;
    if (status == STATUS_OK)
        status = experiment_load_document(&document, data_folder, is_recorded, out, error);
    arena_free(&document.arena);
    return status;
}

enum status experiment_load_text(const char *path, const char *text, size_t length,
                                 const char *data_folder, struct experiment **out,
                                 struct error *error)
{
    return load_text(path, text, length, data_folder, FROM_FILE, out, error);
}

enum status experiment_load_draft(const char *path, const char *text, size_t length,
                                  const char *data_folder, struct experiment **out,
                                  struct error *error)
{
    return load_text(path, text, length, data_folder, FROM_DRAFT, out, error);
}

enum status experiment_load_recorded(const char *path, const char *text, const char *data_folder,
                                     struct experiment **out, struct error *error)
{
    return load_text(path, text, strlen(text), data_folder, FROM_DATABASE, out, error);
}

enum status experiment_load(const char *path, const char *data_folder, struct experiment **out,
                            struct error *error)
{
    struct arena arena = {0};
    char *text = NULL;
    size_t length = 0;
    enum status status = file_read(&arena, path, DOCUMENT_BYTES_MAX, &text, &length, error);
    if (status == STATUS_OK)
        status = experiment_load_text(path, text, length, data_folder, out, error);
    arena_free(&arena);
    return status;
}

void experiment_free(struct experiment *experiment)
{
    if (!experiment)
        return;
    default_cache_free(experiment->default_cache);
    arena_free(&experiment->arena);
    free(experiment);
}
