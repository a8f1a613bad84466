#include "tuner/cli/experiments.h"

#include <glob.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"

void experiments_free(struct experiment_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        experiment_free(list->items[i]);
    list->count = 0;
}

size_t experiments_of_kind(const struct experiment_list *list, const char *kind,
                           struct experiment *out[EXPERIMENTS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(experiment_device_kind(list->items[i]), kind) == 0)
            out[count++] = list->items[i];
    return count;
}

static enum status load_file(const char *path, const char *folder, struct experiment_list *out,
                             struct error *error)
{
    if (out->count == EXPERIMENTS_MAX)
        return error_set(error, STATUS_BAD_INPUT, "more than %d experiment files at once",
                         EXPERIMENTS_MAX);
    enum status status = experiment_load(path, folder, &out->items[out->count], error);
    out->count += status == STATUS_OK ? 1 : 0;
    return status;
}

static bool is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".yaml") == 0);
}

static enum status load_shipped(struct arena *arena, const char *folder,
                                struct experiment_list *out, struct error *error)
{
    const char *pattern = arena_printf(arena, "%s/configs/*.yaml", folder);
    glob_t found;
    if (!pattern)
        return error_no_memory(error);
    enum status status = STATUS_OK;
    if (glob(pattern, 0, NULL, &found) != 0)
        return error_set(error, STATUS_NOT_FOUND, "no experiment files in %s/configs", folder);
    for (size_t i = 0; status == STATUS_OK && i < found.gl_pathc; i++)
        status = load_file(found.gl_pathv[i], folder, out, error);
    globfree(&found);
    return status;
}

/* What is meant where nothing is named. */
static enum status leave_out_on_request(struct experiment_list *list, const char *folder,
                                        struct error *error)
{
    size_t kept = 0;
    size_t all = list->count;
    for (size_t i = 0; i < all; i++) {
        if (experiment_is_on_request(list->items[i]))
            experiment_free(list->items[i]);
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
    if (kept == 0 && all > 0)
        return error_set(error, STATUS_NOT_FOUND,
                         "all experiments in %s/configs are on_request; name those to run", folder);
    return STATUS_OK;
}

static enum status unknown_name(const char *name, const struct experiment_list *shipped,
                                struct error *error)
{
    const char *names[EXPERIMENTS_MAX];
    for (size_t i = 0; i < shipped->count; i++)
        names[i] = experiment_name(shipped->items[i]);
    const char *nearest = nearest_word(name, names, shipped->count);
    if (nearest)
        return error_set(error, STATUS_NOT_FOUND, "no experiment '%s'; did you mean '%s'?", name,
                         nearest);
    return error_set(error, STATUS_NOT_FOUND,
                     "no experiment '%s'; give the path of a .yaml file, or one of configs/", name);
}

/* Moves the shipped experiments of that name to `out`. */
static enum status take_named(const char *name, struct experiment_list *shipped,
                              struct experiment_list *out, struct error *error)
{
    size_t kept = 0;
    size_t taken = 0;
    for (size_t i = 0; i < shipped->count; i++) {
        bool wanted =
            strcmp(experiment_name(shipped->items[i]), name) == 0 && out->count < EXPERIMENTS_MAX;
        if (wanted)
            out->items[out->count++] = shipped->items[i];
        else
            shipped->items[kept++] = shipped->items[i];
        taken += wanted ? 1 : 0;
    }
    shipped->count = kept;
    for (size_t i = 0; taken == 0 && i < out->count; i++)
        if (strcmp(experiment_name(out->items[i]), name) == 0)
            return STATUS_OK; /* named twice */
    return taken > 0 ? STATUS_OK : unknown_name(name, shipped, error);
}

enum status experiments_load(const char *const *names, size_t name_count,
                             struct experiment_list *out, struct error *error)
{
    struct arena arena = {0};
    struct experiment_list shipped = {.count = 0};
    const char *folder = NULL;
    bool shipped_loaded = false;
    out->count = 0;
    enum status status = data_folder(&arena, &folder, error);
    if (status == STATUS_OK && name_count == 0)
        status = load_shipped(&arena, folder, out, error);
    if (status == STATUS_OK && name_count == 0)
        status = leave_out_on_request(out, folder, error);
    for (size_t i = 0; status == STATUS_OK && i < name_count; i++) {
        if (is_path(names[i])) {
            status = load_file(names[i], folder, out, error);
            continue;
        }
        if (!shipped_loaded)
            status = load_shipped(&arena, folder, &shipped, error);
        shipped_loaded = true;
        if (status == STATUS_OK)
            status = take_named(names[i], &shipped, out, error);
    }
    experiments_free(&shipped);
    arena_free(&arena);
    return status;
}
