#include "tuner/cli/experiments.h"
#include "tuner/terminal/style.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/cli/commands.h"
#include "tuner/device/recording.h"
#include "tuner/device/traits.h"

static void free_item(struct experiment_list *list, size_t index)
{
    experiment_free(list->items[index]);
    free(list->wanted[index]);
    free(list->order[index]);
}

void experiments_free(struct experiment_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free_item(list, i);
    list->count = 0;
}

size_t experiments_of_kind(const struct experiment_list *list, const char *kind,
                           struct session_experiment out[EXPERIMENTS_MAX])
{
    size_t count = 0;
    const char *section = device_traits(kind)->section;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(experiment_head(list->items[i])->device->section, section) == 0)
            out[count++] =
                (struct session_experiment){list->items[i], list->wanted[i], list->order[i]};
    return count;
}

static bool is_t1(const char *path)
{
    return text_ends_with(path, ".json");
}

static void print_notes(const char *path, const struct t1 *t1)
{
    if (t1->ignored[0] != '\0')
        print_clean(stderr, "%s: ignored: %s\n", path, t1->ignored);
    if (t1->note[0] != '\0')
        print_clean(stderr, "%s: %s\n", path, t1->note);
}

static enum status load_t1(const char *path, const char *folder, const struct experiment_list *how,
                           struct experiment **out, struct error *error)
{
    struct t1 t1 = {.ignored = NULL};
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(
        t1_read(path, how->overlays.items, how->overlays.count, how->dialect, &t1, error));
    print_notes(path, &t1);
    TRY_OR_CLEANUP(experiment_load_document(&t1.document, folder, true, out, error));
    /* Reports a default configuration that is not legal; published defaults need not be. */
    const struct experiment *experiment = *out;
    struct arena arena = {0};
    struct error ignored = {0};
    struct problem problem;
    const char *reason = NULL;
    if (experiment_problem_count(experiment) > 0) {
        experiment_problem(experiment, 0, &problem);
        if (experiment_defaults_reason(experiment, &problem, NULL, &arena, &reason, &ignored) ==
                STATUS_OK &&
            reason)
            print_clean(
                stderr,
                "%s: the defaults are no point of the space: %s; the first point takes their "
                "place\n",
                path, reason);
    }
    arena_free(&arena);
cleanup:
    t1_free(&t1);
    return status;
}

enum status experiments_print(const struct experiment_list *how, const char *const *names,
                              size_t name_count, struct error *error)
{
    enum status status = STATUS_OK;
    if (name_count == 0)
        return error_set(error, STATUS_USAGE, "--show-experiment: name a file of T1, in JSON");
    for (size_t i = 0; i < name_count && status == STATUS_OK; i++) {
        struct t1 t1 = {.ignored = NULL};
        if (!is_t1(names[i]))
            return error_set(error, STATUS_USAGE,
                             "--show-experiment: '%s' is no file of T1 "
                             "(.json)",
                             names[i]);
        status =
            t1_read(names[i], how->overlays.items, how->overlays.count, how->dialect, &t1, error);
        const char *text = status == STATUS_OK ? document_text(&t1.document) : NULL;
        if (status == STATUS_OK && !text)
            status = error_no_memory(error);
        if (status == STATUS_OK) {
            print_clean(stdout, "%s%s", i > 0 ? "\n" : "", text);
            print_notes(names[i], &t1);
        }
        t1_free(&t1);
    }
    return status;
}

/* Loads a file with all problems deselected. `text`: from a recording; NULL: the file's, or that
 * of the experiment that this program wrote. */
static enum status load_file(const char *path, const char *text, const char *folder,
                             struct experiment_list *out, struct error *error)
{
    if (out->count == EXPERIMENTS_MAX)
        return error_set(error, STATUS_BAD_INPUT, "more than %d experiment files at once",
                         EXPERIMENTS_MAX);
    struct experiment *experiment = NULL;
    const bool is_own = out->unpacked_path && strcmp(path, out->unpacked_path) == 0;
    TRY(text          ? experiment_load_recorded(path, text, folder, &experiment, error)
        : is_t1(path) ? load_t1(path, folder, out, &experiment, error)
        : is_own      ? experiment_load_text(path, out->unpacked_text, strlen(out->unpacked_text),
                                             folder, &experiment, error)
                      : experiment_load(path, folder, &experiment, error));
    out->items[out->count] = experiment;
    out->order[out->count] = NULL;
    out->wanted[out->count] = calloc(experiment_problem_count(experiment), sizeof(bool));
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the list has it; freed by experiments_free */
    return out->wanted[out->count++] ? STATUS_OK : error_no_memory(error);
}

static void leave_out_unwanted(struct experiment_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool wants_any = false;
        for (size_t j = 0; j < experiment_problem_count(list->items[i]); j++)
            wants_any = wants_any || list->wanted[i][j];
        if (!wants_any) {
            free_item(list, i);
            continue;
        }
        list->wanted[kept] = list->wanted[i];
        list->order[kept] = list->order[i];
        list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

static bool is_path(const char *name)
{
    return strchr(name, '/') || name[0] == '.' || text_ends_with(name, ".yaml") ||
           text_ends_with(name, ".yml") || is_t1(name);
}

static enum status load_shipped(struct arena *arena, const char *folder,
                                struct experiment_list *out, struct error *error)
{
    const char *pattern = arena_printf(arena, "%s/configs/*.yaml", folder);
    glob_t found;
    TRY_MEMORY(pattern);
    enum status status = STATUS_OK;
    if (glob(pattern, 0, NULL, &found) != 0)
        return error_set(error, STATUS_NOT_FOUND, "no experiment files in %s/configs", folder);
    for (size_t i = 0; status == STATUS_OK && i < found.gl_pathc; i++)
        status = load_file(found.gl_pathv[i], NULL, folder, out, error);
    globfree(&found);
    return status;
}

/* Loads experiments as recorded, and selects all problems where none is named. */
static enum status load_recorded(struct arena *arena, const char *folder, bool all,
                                 struct experiment_list *out, struct error *error)
{
    const struct recorded_experiment *items = out->recording->parts[RECORDED_EXPERIMENTS].items;
    const size_t count = out->recording->parts[RECORDED_EXPERIMENTS].count;
    for (size_t i = 0; i < count; i++) {
        const char *name = recording_text(out->recording, items[i].name);
        const char *path = arena_printf(arena, "%s.yaml, as it was recorded", name);
        TRY_MEMORY(path);
        TRY(load_file(path, recording_text(out->recording, items[i].text), folder, out, error));
        if (all)
            TRY(experiment_select(out->items[out->count - 1], name, out->wanted[out->count - 1],
                                  error));
    }
    return STATUS_OK;
}

static enum status leave_out_unrecorded(struct experiment_list *list, struct error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = 0; k < experiment_problem_count(list->items[i]); k++) {
            struct problem problem;
            size_t points = 0;
            experiment_problem(list->items[i], k, &problem);
            (void)recording_problem(list->recording, recording_hash(problem.key, problem.n),
                                    &points);
            list->wanted[i][k] = list->wanted[i][k] && points > 0;
        }
    }
    leave_out_unwanted(list);
    if (list->count == 0)
        return error_set(
            error, STATUS_NOT_FOUND,
            "the recording has no such problem; without a name, all of it is replayed");
    return STATUS_OK;
}

/* Selects the usual problems where none is named. */
static enum status select_usual(struct experiment_list *list, const char *folder,
                                struct error *error)
{
    enum status status = STATUS_OK;
    size_t all = list->count;
    for (size_t i = 0; status == STATUS_OK && i < all; i++)
        if (!experiment_head(list->items[i])->is_on_request)
            TRY(experiment_select_usual(list->items[i], list->wanted[i], error));
    leave_out_unwanted(list);
    if (list->count == 0 && all > 0)
        return error_set(error, STATUS_NOT_FOUND,
                         "all experiments in %s/configs are on_request; name those to run", folder);
    return STATUS_OK;
}

static enum status unknown_name(const char *name, const struct experiment_list *shipped,
                                struct error *error)
{
    const char *names[EXPERIMENTS_MAX];
    for (size_t i = 0; i < shipped->count; i++)
        names[i] = experiment_head(shipped->items[i])->name;
    const char *nearest = nearest_word(name, names, shipped->count);
    if (nearest)
        return error_set(error, STATUS_NOT_FOUND, "no experiment '%s'; did you mean '%s'?", name,
                         nearest);
    return error_set(
        error, STATUS_NOT_FOUND,
        "no experiment '%s'; give the path of a .yaml file (or a .json file of T1), or one "
        "of configs/",
        name);
}

/* Moves the shipped experiments of that name to `out`. */
static enum status take_named(const char *name, struct experiment_list *shipped,
                              struct experiment_list *out, struct error *error)
{
    size_t kept = 0;
    size_t taken = 0;
    for (size_t i = 0; i < shipped->count; i++) {
        bool wanted = strcmp(experiment_head(shipped->items[i])->name, name) == 0 &&
                      out->count < EXPERIMENTS_MAX;
        struct experiment_list *to = wanted ? out : shipped;
        size_t at = wanted ? out->count++ : kept++;
        to->items[at] = shipped->items[i];
        to->wanted[at] = shipped->wanted[i];
        to->order[at] = shipped->order[i];
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): moved; one of the lists has it */
        taken += wanted ? 1 : 0;
    }
    shipped->count = kept;
    for (size_t i = 0; taken == 0 && i < out->count; i++)
        if (strcmp(experiment_head(out->items[i])->name, name) == 0)
            return STATUS_OK; /* named before */
    return taken > 0 ? STATUS_OK : unknown_name(name, shipped, error);
}

/* Selects the named problems, which at least one file of the name must have. */
static enum status select_named(const char *name, const char *beginning,
                                struct experiment_list *list, struct error *error)
{
    struct error first = {0};
    bool found = false;
    for (size_t i = 0; i < list->count; i++) {
        struct error here = {0};
        if (strcmp(experiment_head(list->items[i])->name, name) != 0)
            continue;
        if (experiment_select(list->items[i], beginning, list->wanted[i], &here) == STATUS_OK)
            found = true;
        else if (first.status == STATUS_OK)
            first = here;
    }
    if (!found)
        *error = first;
    return found ? STATUS_OK : first.status;
}

/* Restricts a parameter's values in the experiments that have these: one name may have an
 * experiment for GPUs and one for CPUs. */
static enum status restrict_values(struct experiment_list *list, struct error *error)
{
    for (size_t i = 0; i < list->limits.count; i++) {
        const char *text = list->limits.items[i];
        const char *equals = strchr(text, '=');
        char name[VALUE_TEXT_BYTES];
        enum status status = STATUS_NOT_FOUND;
        if (!equals || equals[1] == '\0' ||
            !string_format(name, sizeof name, "%.*s", (int)(equals - text), text))
            return error_set(error, STATUS_USAGE, "--only %.60s: write NAME=VALUE,VALUE", text);
        error_clear(error);
        for (size_t j = 0; j < list->count; j++) {
            struct error here = {0};
            const enum status one = experiment_restrict(list->items[j], name, equals + 1, &here);
            if (one == STATUS_USAGE || (one == STATUS_NOT_FOUND && error->status != STATUS_USAGE))
                *error = here;
            if (one != STATUS_OK && one != STATUS_USAGE && one != STATUS_NOT_FOUND) {
                *error = here;
                return error_prefix(error, "--only %.60s", text);
            }
            status = one == STATUS_OK ? STATUS_OK : status;
        }
        if (status != STATUS_OK) {
            error->status = STATUS_USAGE;
            return error_prefix(error, "--only %.60s", text);
        }
    }
    error_clear(error);
    return STATUS_OK;
}

static bool has_size(const struct experiment_list *list, const char *word, long long n)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; j < experiment_problem_count(list->items[i]); j++) {
            struct problem problem;
            experiment_problem(list->items[i], j, &problem);
            if (list->wanted[i][j] &&
                (problem.shape ? strcmp(problem.shape, word) == 0 : problem.n == n))
                return true;
        }
    return false;
}

/* Reports a size of --sizes that no selected problem has. */
static enum status check_sizes(const struct experiment_list *list, struct error *error)
{
    struct session_experiment experiments[EXPERIMENTS_MAX];
    for (size_t i = 0; i < list->count; i++)
        experiments[i] = (struct session_experiment){list->items[i], list->wanted[i], NULL};
    for (const char *next = list->sizes; next && *next; next += *next == ',') {
        char word[32];
        long long n = 0;
        next += strspn(next, " ");
        (void)string_format(word, sizeof word, "%.*s", (int)strcspn(next, ","), next);
        next += strcspn(next, ",");
        if (!strchr(word, 'x'))
            TRY(option_size("sizes", word, &n, error));
        if (!has_size(list, word, n)) {
            (void)session_no_such_size(experiments, list->count, error);
            return error_prefix(error, "--sizes %s", word);
        }
    }
    return STATUS_OK;
}

enum status experiments_load(const char *const *names, size_t name_count,
                             struct experiment_list *out, struct error *error)
{
    struct arena arena = {0};
    struct experiment_list shipped = {.recording = out->recording};
    const char *folder = NULL;
    bool shipped_loaded = false;
    enum status status = STATUS_OK;
    out->count = 0;
    TRY_OR_CLEANUP(data_folder(&arena, &folder, error));
    if (name_count == 0)
        TRY_OR_CLEANUP(out->recording ? load_recorded(&arena, folder, true, out, error)
                                      : load_shipped(&arena, folder, out, error));
    for (size_t i = 0; name_count == 0 && out->record && i < out->count; i++)
        TRY_OR_CLEANUP(experiment_select(out->items[i], experiment_head(out->items[i])->name,
                                         out->wanted[i], error));
    if (name_count == 0 && !out->record && !out->recording)
        TRY_OR_CLEANUP(select_usual(out, folder, error));
    for (size_t i = 0; i < name_count; i++) {
        if (is_path(names[i])) {
            TRY_OR_CLEANUP(load_file(names[i], NULL, folder, out, error));
            const struct experiment *experiment = out->items[out->count - 1];
            TRY_OR_CLEANUP(experiment_select(experiment, experiment_head(experiment)->name,
                                             out->wanted[out->count - 1], error));
            continue;
        }
        if (!shipped_loaded)
            TRY_OR_CLEANUP(shipped.recording ? load_recorded(&arena, folder, false, &shipped, error)
                                             : load_shipped(&arena, folder, &shipped, error));
        shipped_loaded = true;
        /* A name, or the beginning of a problem's key, whose first part is the name. */
        char name[VALUE_TEXT_BYTES];
        (void)string_format(name, sizeof name, "%.*s", (int)strcspn(names[i], "."), names[i]);
        TRY_OR_CLEANUP(take_named(name, &shipped, out, error));
        TRY_OR_CLEANUP(select_named(name, names[i], out, error));
    }
    if (out->record)
        TRY_OR_CLEANUP(misses_select(out, error));
    TRY_OR_CLEANUP(check_sizes(out, error));
    for (size_t i = 0; out->sizes && i < out->count; i++)
        experiment_keep_shapes(out->items[i], out->sizes, out->wanted[i]);
    leave_out_unwanted(out);
    if (out->recording)
        TRY_OR_CLEANUP(leave_out_unrecorded(out, error));
    if (out->count > 0)
        TRY_OR_CLEANUP(restrict_values(out, error));
cleanup:
    experiments_free(&shipped);
    arena_free(&arena);
    return status;
}

static void print_word(void *context, const char *word)
{
    (void)context;
    print_clean(stdout, "%s\n", word);
}

void experiments_complete(const char *typed)
{
    static struct experiment_list shipped; /* large, and emptied again below */
    struct arena arena = {0};
    const char *folder = NULL;
    struct error ignored = {0};
    if (data_folder(&arena, &folder, &ignored) == STATUS_OK)
        (void)load_shipped(&arena, folder, &shipped, &ignored);
    for (size_t i = 0; i < shipped.count; i++)
        experiment_complete(shipped.items[i], typed, print_word, NULL);
    experiments_free(&shipped);
    arena_free(&arena);
}
