/* Present meaning of tuned.conf's entries, and the contestants. */
#include <stdio.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/base/trust.h"
#include "tuner/cli/check.h"
#include "tuner/cli/embedded.h"
#include "tuner/device/traits.h"
#include "tuner/records/winners.h"
#include "tuner/store/query.h"

static const struct experiment *find_loaded(const struct check *check, const char *name,
                                            const char *kind)
{
    const struct experiment_list *list = &check->run.experiments;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(experiment_head(list->items[i])->name, name) == 0 &&
            strcmp(experiment_head(list->items[i])->device->section,
                   device_traits(kind)->section) == 0)
            return list->items[i];
    return NULL;
}

/* Loads an experiment into the run's list. `content_hash`: hash required of a file named by a
 * database, which may come from another host or person: only the file that was measured runs
 * unasked; NULL: any contents. */
static enum status load(struct check *check, const char *name, const char *content_hash,
                        struct error *error)
{
    struct experiment_list *all = &check->run.experiments;
    struct experiment_list loaded = {.count = 0};
    enum status status = experiments_load(&name, 1, &loaded, error);
    if (status == STATUS_OK && all->count + loaded.count > EXPERIMENTS_MAX)
        status = error_set(error, STATUS_BAD_INPUT, "more than %d experiments", EXPERIMENTS_MAX);
    for (size_t i = 0; status == STATUS_OK && content_hash && i < loaded.count; i++)
        if (strcmp(experiment_head(loaded.items[i])->content_hash, content_hash) != 0)
            status = error_set(error, STATUS_PERMISSION,
                               "%.600s is another than was measured: name it on the command line "
                               "to have it run",
                               experiment_head(loaded.items[i])->path);
    if (status != STATUS_OK) {
        experiments_free(&loaded);
        return status;
    }
    for (size_t i = 0; i < loaded.count; i++) {
        all->items[all->count] = loaded.items[i];
        all->wanted[all->count++] = loaded.wanted[i];
    }
    return STATUS_OK;
}

/* The file that earlier runs read, and a hash of its contents. */
struct recorded_row {
    const char *path, *content_hash;
};
static const struct store_column recorded_columns[] = {
    {"path", offsetof(struct recorded_row, path), STORE_TEXT},
    {"content_hash", offsetof(struct recorded_row, content_hash), STORE_TEXT},
};

/* Finds the experiment of a name: among the command line's, the earlier runs', the shipped ones. A
 * file of earlier runs is run unasked only if no one else can have put the file there. */
static enum status find_experiment(struct check *check, const char *name, const char *kind,
                                   const struct experiment **out, struct error *error)
{
    const struct store_parameter parameters[] = {{"name", name}, {"kind", kind}};
    const struct store_reading reading = {.sql = show_query_check_experiments,
                                          STORE_PARAMETERS(parameters),
                                          STORE_COLUMNS(recorded_columns),
                                          .row_bytes = sizeof(struct recorded_row),
                                          .row_max = 1};
    struct recorded_row *recorded = NULL;
    size_t count = 0;
    enum status status = STATUS_OK;
    *out = find_loaded(check, name, kind);
    if (*out)
        return STATUS_OK;
    if (check->known)
        status = store_read(check->known, &reading, &check->arena, &recorded, &count, error);
    if (status != STATUS_OK)
        return status;
    if (count == 0 || !recorded->path || !file_exists(recorded->path))
        status = load(check, name, NULL, error);
    else if (path_is_open_to_others(recorded->path))
        status = error_set(error, STATUS_PERMISSION,
                           "%.600s: others may write there: name it on the command line to have it "
                           "run",
                           recorded->path);
    else
        status = load(check, recorded->path, recorded->content_hash ? recorded->content_hash : "",
                      error);
    *out = find_loaded(check, name, kind);
    if (status == STATUS_OK && !*out)
        status =
            error_set(error, STATUS_NOT_FOUND, "no experiment '%s' for %s devices", name, kind);
    return status;
}

static bool has_problem(const struct experiment *experiment, const char *key, int64_t n)
{
    for (size_t i = 0; i < experiment_problem_count(experiment); i++) {
        struct problem problem;
        experiment_problem(experiment, i, &problem);
        if (problem.n == n && strcmp(problem.key, key) == 0)
            return true;
    }
    return false;
}

/* Formats the entry's configuration, "variant=last_block block=256", with the experiment's present
 * parameters, in its order. */
static enum status key_of(struct check *check, struct check_entry *entry, struct error *error)
{
    struct text key = {0};
    for (size_t i = 0; i < experiment_head(entry->experiment)->parameter_count; i++) {
        const char *name = experiment_head(entry->experiment)->parameter_names[i];
        const char *value = tuned_text(entry->entry, name, NULL);
        if (!value) {
            entry->state = CHECK_UNKNOWN;
            (void)string_format(entry->reason, sizeof entry->reason,
                                "%s has a parameter '%s', and the entry has none",
                                experiment_head(entry->experiment)->path, name);
            text_free(&key);
            return STATUS_OK;
        }
        text_printf(&key, "%s%s=%s", i > 0 ? " " : "", name, value);
    }
    entry->configuration = text_to_arena(&key, &check->arena);
    return entry->configuration ? STATUS_OK : error_no_memory(error);
}

static enum status find_one(struct check *check, const char *kind, struct check_entry *entry,
                            struct error *error)
{
    char name[VALUE_TEXT_BYTES];
    char flags[HASH_TEXT_BYTES];
    struct error why = {0};
    (void)string_format(name, sizeof name, "%.*s", (int)strcspn(entry->problem, "."),
                        entry->problem);
    enum status status = find_experiment(check, name, kind, &entry->experiment, &why);
    if (status == STATUS_NO_MEMORY)
        return error_no_memory(error);
    entry->state = CHECK_UNKNOWN;
    if (status != STATUS_OK) {
        entry->experiment = NULL;
        (void)string_format(entry->reason, sizeof entry->reason, "%s", why.text);
        return STATUS_OK;
    }
    experiment_flags_hash(experiment_head(entry->experiment)->text, flags);
    const struct tuned_build have = {
        .source = experiment_head(entry->experiment)->content_hash,
        .flags = flags[0] ? flags : NULL,
        .driver = facts_text(check->facts, "driver", NULL),
        .compiler = facts_text(check->facts, "compiler", NULL),
    };
    entry->is_stale = tuned_stale(entry->entry, &have, entry->stale, sizeof entry->stale) != 0;
    long long low = 0, high = 0;
    if (tuned_entry_size_at(entry->entry, 0, &low, &high)) {
        const char *key = entry_problem_key(entry->entry, entry->experiment, &check->arena);
        entry->n = 1;
        if (!key) {
            (void)string_format(entry->reason, sizeof entry->reason,
                                "nothing was measured at its sizes: it serves them for others");
            return check->arena.failed ? error_no_memory(error) : STATUS_OK;
        }
        entry->problem = key;
    }
    if (!has_problem(entry->experiment, entry->problem, entry->n)) {
        (void)string_format(entry->reason, sizeof entry->reason, "%s has no such problem of n=%lld",
                            experiment_head(entry->experiment)->path, (long long)entry->n);
        return STATUS_OK;
    }
    entry->state = CHECK_HOLDS;
    return key_of(check, entry, error);
}

enum status check_find(struct check *check, const char *kind, struct error *error)
{
    for (size_t i = 0; i < check->entry_count; i++)
        TRY(find_one(check, kind, &check->entries[i], error));
    return STATUS_OK;
}

/* ---- who races ---- */

enum { RIVALS_MAX = 4 }; /* as check_runners.sql gives */

bool check_concerns(const struct check *check, const struct check_entry *entry)
{
    return entry->configuration && (!check->in_doubt_only || entry->in_doubt);
}

enum status check_rivals(struct check *check, const char *kind, struct session_pick **out,
                         size_t *count, struct error *error)
{
    *count = 0;
    *out = arena_alloc(&check->arena, check->entry_count * (RIVALS_MAX + 1) + 1, sizeof **out);
    TRY_MEMORY(*out);
    for (size_t i = 0; i < check->entry_count; i++) {
        const struct check_entry *entry = &check->entries[i];
        if (!check_concerns(check, entry))
            continue;
        (*out)[(*count)++] =
            (struct session_pick){entry->problem, entry->n, entry->configuration, true};
        if (check->known) {
            static const struct store_column columns[] = {{"configuration", 0, STORE_TEXT}};
            const struct store_parameter parameters[] = {
                {"kind", kind},
                {"device", facts_text(check->facts, "name", "")},
                {"problem", entry->problem},
                {"n", STORE_NUMBER(entry->n)},
                {"objective", "time"},
                {"configuration", entry->configuration}};
            const struct store_reading reading = {.sql = show_query_check_runners,
                                                  STORE_PARAMETERS(parameters),
                                                  STORE_COLUMNS(columns),
                                                  .row_bytes = sizeof(const char *),
                                                  .row_max = RIVALS_MAX};
            const char **runners = NULL;
            size_t found = 0;
            const enum status status =
                store_read(check->known, &reading, &check->arena, &runners, &found, error);
            for (size_t k = 0; k < found; k++)
                (*out)[(*count)++] =
                    (struct session_pick){entry->problem, entry->n, runners[k], false};
            TRY(status);
        }
    }
    return STATUS_OK;
}
