/* Experiments of the database, each read once and loaded on first use. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "views/export/elsewhere.h"

void experiments_forget(struct experiments *experiments)
{
    for (size_t i = 0; i < experiments->count; i++)
        experiment_free(experiments->items[i].experiment);
    free(experiments->items);
    arena_free(&experiments->arena);
    json_decref(experiments->kept);
    text_free(&experiments->question);
    if (experiments->answer)
        elsewhere_free(experiments->answer);
    free(experiments->answer);
    *experiments = (struct experiments){0};
}

/* Notes a failure. Missing or changed sources are none; unreadable ones are. */
static void note_failure(struct experiments *experiments, enum status status,
                         const struct error *error)
{
    experiments->short_of_memory |= status == STATUS_NO_MEMORY;
    if (status == STATUS_IO && experiments->unread.status == STATUS_OK)
        experiments->unread = *error;
}

enum status experiments_status(const struct experiments *experiments, bool failed,
                               struct error *error)
{
    if (experiments->unread.status != STATUS_OK)
        *error = experiments->unread;
    else if (failed || experiments->short_of_memory)
        return error_no_memory(error);
    return experiments->unread.status;
}

static bool read_experiment(struct experiments *experiments, int64_t id,
                            struct known_experiment *out)
{
    static const struct store_column columns[] = {
        {"text", offsetof(struct known_experiment, text), STORE_TEXT},
        {"path", offsetof(struct known_experiment, path), STORE_TEXT},
    };
    char number[24];
    (void)string_format(number, sizeof number, "%lld", (long long)id);
    const struct store_parameter parameter = {"id", number};
    const struct store_reading reading = {
        .sql = "SELECT text, path FROM experiments WHERE id = CAST(:id AS INTEGER)",
        .parameters = &parameter,
        .parameter_count = 1,
        STORE_COLUMNS(columns),
        .row_bytes = sizeof *out,
        .row_max = 1,
    };
    struct known_experiment *read = NULL;
    size_t count = 0;
    struct error error = {0};
    enum status status =
        store_read(experiments->store, &reading, &experiments->arena, &read, &count, &error);
    note_failure(experiments, status, &error);
    if (status != STATUS_OK)
        return false;
    *out = count > 0 ? *read : (struct known_experiment){0};
    out->id = id;
    out->text = out->text ? out->text : "";
    out->path = out->path ? out->path : "";
    experiment_flags_hash(out->text, out->flags);
    return true;
}

struct known_experiment *experiments_find(struct experiments *experiments, int64_t id)
{
    for (size_t i = 0; i < experiments->count; i++)
        if (experiments->items[i].id == id)
            return &experiments->items[i];
    if (!array_grow(&experiments->items, experiments->count, &experiments->capacity,
                    sizeof *experiments->items) ||
        !read_experiment(experiments, id, &experiments->items[experiments->count])) {
        experiments->short_of_memory = true;
        return NULL;
    }
    return &experiments->items[experiments->count++];
}

const struct experiment *experiments_loaded(struct experiments *experiments, int64_t id)
{
    struct error ignored = {0};
    struct known_experiment *known = experiments_find(experiments, id);
    enum status status = STATUS_OK;
    if (!known || known->is_loaded)
        return known ? known->experiment : NULL;
    known->is_loaded = true;
    if (!experiments->data_folder)
        status = data_folder(&experiments->arena, &experiments->data_folder, &ignored);
    if (status != STATUS_NO_MEMORY && known->text[0] != '\0')
        status = experiment_load_recorded(known->path, known->text, experiments->data_folder,
                                          &known->experiment, &ignored);
    note_failure(experiments, status, &ignored);
    return known->experiment;
}
