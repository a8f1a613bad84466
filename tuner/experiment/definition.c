/* Hashes of an experiment: of the parts that determine a trial's meaning besides its configuration
 * and binary (not sizes, parameters, constraints and baselines: a new value makes no measurement
 * stale), and of the compiler options besides defines. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/source.h"
#include "tuner/experiment/plan.h"
#include "tuner/experiment/read.h"

static const char *const sections[] = {"experiment", "device",    "derived",
                                       "launches",   "arguments", "check"};

/* Hashes a tree. Kinds and counts distinguish ("a", ["b"]) from ("a", "b"). */
static void hash_node(struct hash_state *hash, const struct node *node)
{
    const int kind = (int)node->kind;
    hash_add(hash, &kind, sizeof kind);
    hash_add(hash, &node->count, sizeof node->count);
    if (node->kind == NODE_SCALAR)
        hash_add_string(hash, node->text);
    for (const struct node *item = node->first; item; item = item->next) {
        hash_node(hash, item);
        if (item->value)
            hash_node(hash, item->value);
    }
}

enum { CHUNK_BYTES = 1 << 20 };
static const off_t file_bytes_max = (off_t)64 << 30; /* takes half a minute to read */

/* Hashes the bytes of a file, which may be far larger than a source. */
static enum status hash_file(struct hash_state *hash, const char *path, struct error *error)
{
    struct stat info;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    if (!file || fstat(descriptor, &info) != 0) {
        int failure = errno;
        file_close(descriptor);
        return error_set_errno(error, failure, "%s", path);
    }
    if (!S_ISREG(info.st_mode) || info.st_size > file_bytes_max) {
        (void)fclose(file);
        return error_set(error, STATUS_BAD_INPUT, "%s: %s", path,
                         S_ISREG(info.st_mode) ? "larger than 64 GiB, the most taken"
                                               : "not a regular file");
    }
    char *chunk = malloc(CHUNK_BYTES);
    enum status status = chunk ? STATUS_OK : error_no_memory(error);
    size_t bytes = 0;
    while (chunk && (bytes = fread(chunk, 1, CHUNK_BYTES, file)) > 0)
        hash_add(hash, chunk, bytes);
    if (status == STATUS_OK && ferror(file))
        status = error_set_errno(error, errno, "%s", path);
    free(chunk);
    (void)fclose(file);
    return status;
}

/* Hashes the file of each problem; a file of consecutive problems only once. */
static enum status hash_named_files(const struct experiment *experiment,
                                    const struct template *name, struct hash_state *hash,
                                    struct error *error)
{
    struct arena arena = {0};
    const char *before = NULL;
    enum status status = STATUS_OK;
    size_t count = experiment_problem_count(experiment);
    if (name->count == 1 && name->parts[0].literal)
        count = 1;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct problem problem;
        struct maker maker;
        const char *path = NULL;
        experiment_problem(experiment, i, &problem);
        maker_start(&maker, experiment, &problem, NULL, &arena, error);
        if (!make_file_path(&maker, name, &path))
            status = error->status;
        if (status == STATUS_OK && (!before || strcmp(before, path) != 0))
            status = hash_file(hash, path, error);
        before = path;
    }
    arena_free(&arena);
    return status;
}

enum status experiment_hash_definition(struct experiment *experiment, const struct node *root,
                                       bool has_data, struct error *error)
{
    struct hash_state *hash = hash_start();
    enum status status = STATUS_OK;
    TRY_MEMORY(hash);
    const struct node *defaults = node_get(root, "defaults");
    bool uses_default = false;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        const struct node *node = node_get(root, sections[i]);
        hash_add_string(hash, sections[i]);
        if (node)
            hash_node(hash, node);
    }
    for (size_t i = 0; i < experiment->check_count; i++) {
        const struct check_rule *check = &experiment->checks[i];
        uses_default |= check_uses_default(check);
        if (check->source && !experiment->is_recorded) {
            struct arena arena = {0};
            struct source source;
            status = source_read_in(&arena, check->source, experiment->folders,
                                    experiment->folder_count, &source, error);
            if (status == STATUS_OK)
                hash_add(hash, source.contents, source.content_length);
            arena_free(&arena);
            TRY_OR_CLEANUP(status);
        }
    }
    if (defaults && uses_default)
        hash_node(hash, defaults);
    if (experiment->is_recorded || !has_data)
        goto cleanup;
    for (size_t i = 0; i < experiment->argument_count; i++)
        if (experiment->arguments[i].fill.kind == FILL_FILE)
            TRY_OR_CLEANUP(
                hash_named_files(experiment, &experiment->arguments[i].fill.file, hash, error));
    for (size_t i = 0; i < experiment->check_count; i++)
        if (experiment->checks[i].file.count > 0)
            TRY_OR_CLEANUP(hash_named_files(experiment, &experiment->checks[i].file, hash, error));
cleanup:
    hash_finish(hash, experiment->head.definition_hash);
    return status;
}

void experiment_flags_hash(const char *text, char out[HASH_TEXT_BYTES])
{
    struct document document = {.text = NULL};
    struct error ignored = {0};
    const struct node *root = NULL;
    out[0] = '\0';
    if (document_read(&document, "", text, strlen(text), &ignored) == STATUS_OK)
        root = document.root;
    const struct node *standard = root ? node_get(root, "std") : NULL;
    const struct node *flags = root ? node_get(root, "flags") : NULL;
    const struct node *compiler = root ? node_get(root, "compiler") : NULL;
    bool has_compiler = compiler && compiler->kind == NODE_SCALAR;
    bool has_standard = standard && standard->kind == NODE_SCALAR;
    bool has_flags = flags && flags->kind == NODE_LIST && flags->count > 0;
    struct hash_state *hash = has_standard || has_flags || has_compiler ? hash_start() : NULL;
    if (hash) {
        hash_add_string(hash, has_standard ? standard->text : "");
        for (const struct node *item = has_flags ? flags->first : NULL; item; item = item->next)
            if (item->kind == NODE_SCALAR)
                hash_add_string(hash, item->text);
            else
                hash_node(hash, item);
        if (has_compiler)
            hash_add_string(hash, compiler->text);
        hash_finish(hash, out);
    }
    arena_free(&document.arena);
}
