/* T4 out of the database, whose queries make the JSON: db/queries/t4_problems.sql, t4.sql. */
#include "tuner/exchange/t4.h"

#include <string.h>

#include "tuner/base/array.h"
#include "tuner/device/traits.h"
#include "tuner/exchange/embedded.h"
#include "tuner/store/query.h"

static const char *const versions[] = {[T4_1_0_0] = "1.0.0", [T4_1_1_0] = "1.1.0"};

enum status t4_version_parse(const char *text, enum t4_version *out, struct error *error)
{
    *out = (enum t4_version)WORD_INDEX(text, versions, COUNT(versions));
    return *out <= T4_1_1_0
               ? STATUS_OK
               : error_set(error, STATUS_USAGE, "--t4-version %.20s: write 1.0.0 or 1.1.0", text);
}

/* A row of t4_problems.sql. */
struct tried_problem {
    const char *environment, *problem, *mode, *key, *n, *device, *kind, *metadata;
};
#define OF(member) STORE_MEMBER(struct tried_problem, member, TEXT)
static const struct store_column problem_columns[] = {
    OF(environment), OF(problem), OF(mode), OF(key), OF(n), OF(device), OF(kind), OF(metadata)};

/* Finds the problem, as tried last. */
static enum status choose(struct store *store, const struct t4_options *options,
                          struct arena *arena, const struct tried_problem **out,
                          struct error *error)
{
    const struct store_parameter parameters[] = {
        {"problem", options->problem}, {"n", options->n}, {"version", versions[options->version]}};
    const struct store_reading reading = {.sql = t4_problems_query,
                                          STORE_PARAMETERS(parameters),
                                          STORE_COLUMNS(problem_columns),
                                          .row_bytes = sizeof **out};
    struct tried_problem *rows = NULL;
    size_t count = 0, others = 0;
    TRY(store_read(store, &reading, arena, &rows, &count, error));
    if (count == 0)
        return error_set(
            error, STATUS_NOT_FOUND, "no trials of %s%s%s", options->problem ? "'" : "",
            options->problem ? options->problem : "any problem", options->problem ? "'" : "");
    struct text names = {0};
    text_printf(&names, "%s n=%s", rows->key, rows->n);
    for (size_t i = 1; i < count; i++) {
        /* Elsewhere, and longer ago. */
        if (strcmp(rows[i].key, rows->key) == 0 && strcmp(rows[i].n, rows->n) == 0)
            continue;
        others++;
        if (names.length < ERROR_TEXT_BYTES / 2)
            text_printf(&names, ", %s n=%s", rows[i].key, rows[i].n);
    }
    if (others > 0)
        (void)error_set(error, STATUS_NOT_FOUND,
                        "a file of T4 is about one problem, and there are %zu: %s; name one with "
                        "--problem and --n",
                        others + 1, text_string(&names));
    text_free(&names);
    *out = rows;
    return others > 0 ? STATUS_NOT_FOUND : STATUS_OK;
}

enum { PART_BYTES = 1 << 16 };

struct file {
    t4_take *take;
    void *context;
    struct text part;
};

/* Hands over a part of more than `least` bytes. */
static enum status hand_over(struct file *file, size_t least, struct error *error)
{
    TRY_MEMORY(!file->part.failed);
    if (file->part.length <= least)
        return STATUS_OK;
    utf8_repair(file->part.data, file->part.length);
    enum status status = file->take(file->context, file->part.data, file->part.length, error);
    text_clear(&file->part);
    return status;
}

enum status t4_write(struct store *store, const struct t4_options *options, t4_take *take,
                     void *context, struct t4_counts *counts, struct error *error)
{
    struct arena arena = {0};
    struct file file = {.take = take, .context = context};
    const struct tried_problem *chosen = NULL;
    struct store_query *query = NULL;
    bool row = true;
    enum status status = STATUS_OK;
    *counts = (struct t4_counts){.results = 0};
    TRY_OR_CLEANUP(choose(store, options, &arena, &chosen, error));
    (void)string_format(counts->what, sizeof counts->what, "%s n=%s on %s (%s)", chosen->key,
                        chosen->n, chosen->device, chosen->mode);
    const char *compute_api = device_traits(chosen->kind)->compute_api;
    text_printf(&file.part,
                "{\"schema_version\": \"%s\",\n\"metadata\": {%s%s%s%s,\n\"results\": [",
                versions[options->version], compute_api ? "\"compute_api\":\"" : "",
                compute_api ? compute_api : "", compute_api ? "\"," : "", chosen->metadata + 1);
    const struct store_parameter parameters[] = {
        {"environment", chosen->environment},
        {"problem", chosen->problem},
        {"l2_mode", chosen->mode},
        {"time_unit", options->version == T4_1_0_0 ? "s" : ""},
    };
    TRY_OR_CLEANUP(store_query_open(store, t4_query, parameters, COUNT(parameters), &query, error));
    for (;;) {
        TRY_OR_CLEANUP(store_query_next(query, &row, error));
        if (!row)
            break;
        text_append(&file.part, counts->results++ > 0 ? ",\n" : "\n");
        text_append(&file.part, store_query_text(query, 0));
        TRY_OR_CLEANUP(hand_over(&file, PART_BYTES, error));
    }
    text_append(&file.part, "\n]}\n");
    TRY_OR_CLEANUP(hand_over(&file, 0, error));
cleanup:
    store_query_close(query);
    text_free(&file.part);
    arena_free(&arena);
    return status;
}
