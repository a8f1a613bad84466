#include <inttypes.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/store/query.h"
#include "views/plot/internal.h"

/* Rows measured, within constraints that may be NULL. An index alone ("0") is a GPU's, as on the
 * command line. */
#define MEASURED                                                                                   \
    " FROM (SELECT tried.environment_id, tried.problem_id, tried.l2_mode,"                         \
    "       max(coalesce(r.ended_at, r.started_at)) AS measured_at"                                \
    "       FROM tried JOIN runs r ON r.id = tried.run_id GROUP BY 1, 2, 3) t"                     \
    " JOIN problems p ON p.id = t.problem_id"                                                      \
    " JOIN environments e ON e.id = t.environment_id JOIN devices d ON d.id = e.device_id"         \
    " WHERE EXISTS (SELECT 1 FROM trials WHERE trials.problem_id = t.problem_id"                   \
    "   AND trials.environment_id = t.environment_id AND trials.l2_mode = t.l2_mode"               \
    "   AND status = 'ok' AND median_ns > 0 AND trials.objective = 'time')"                        \
    " AND (:l2_mode IS NULL OR t.l2_mode = :l2_mode)"                                              \
    " AND (:environment IS NULL OR e.id = CAST(:environment AS INTEGER))"                          \
    " AND (:device IS NULL OR lower(:device) IN (lower(d.name), lower(d.uuid), d.kind,"            \
    "     d.kind || ':' || json_extract(d.facts, '$.index')))"                                     \
    " AND (:problem IS NULL OR p.key = :problem)"                                                  \
    " AND (:n IS NULL OR p.n = CAST(:n AS INTEGER))"

/* Choose the environment and then the experiment measured last; there the largest size; there cold
 * before the other modes; there the problem that the experiment names first. */
static const char choose_sql[] =
    "SELECT t.environment_id, p.experiment_id, p.n, p.key AS problem, t.l2_mode, d.name AS device,"
    " substr(max(t.measured_at), 1, 10) AS date" MEASURED
    " GROUP BY t.environment_id, p.id, t.l2_mode"
    " ORDER BY max(max(t.measured_at)) OVER (PARTITION BY t.environment_id) DESC,"
    " t.environment_id DESC,"
    " max(max(t.measured_at)) OVER (PARTITION BY t.environment_id, p.experiment_id) DESC,"
    " p.experiment_id DESC, p.n DESC, (SELECT k.place FROM conditions AS k WHERE k.l2_mode = "
    "t.l2_mode),"
    " instr('cold hot stream dirty', t.l2_mode), p.id LIMIT 1";

enum { L2_MODE, ENVIRONMENT, DEVICE, PROBLEM, SIZE, CONSTRAINT_COUNT };

/* Constraints in the order in which they narrow the choice, with queries that list the
 * alternatives. */
static const struct constraint {
    const char *parameter;
    const char *noun;
    const char *list_sql;
} constraints[CONSTRAINT_COUNT] = {
    [L2_MODE] = {"l2_mode", "L2 mode", "SELECT DISTINCT t.l2_mode AS name" MEASURED " ORDER BY 1"},
    [ENVIRONMENT] = {"environment", "environment",
                     "SELECT DISTINCT e.id AS name" MEASURED " ORDER BY 1"},
    [DEVICE] = {"device", "device", "SELECT DISTINCT d.name AS name" MEASURED " ORDER BY 1"},
    [PROBLEM] = {"problem", "problem", "SELECT DISTINCT p.key AS name" MEASURED " ORDER BY 1"},
    [SIZE] = {"n", "n =", "SELECT DISTINCT p.n AS name" MEASURED " ORDER BY p.n"},
};

static const struct store_column subject_columns[] = {
    {"environment_id", offsetof(struct plot_subject, environment_id), STORE_INTEGER},
    {"experiment_id", offsetof(struct plot_subject, experiment_id), STORE_INTEGER},
    {"n", offsetof(struct plot_subject, n), STORE_INTEGER},
    {"problem", offsetof(struct plot_subject, problem), STORE_TEXT},
    {"l2_mode", offsetof(struct plot_subject, l2_mode), STORE_TEXT},
    {"device", offsetof(struct plot_subject, device), STORE_TEXT},
    {"date", offsetof(struct plot_subject, date), STORE_TEXT},
};

static enum status choose(struct store *store, const struct store_parameter *parameters,
                          struct arena *arena, struct plot_subject *out, bool *found,
                          struct error *error)
{
    const struct store_reading reading = {.sql = choose_sql,
                                          .parameters = parameters,
                                          .parameter_count = CONSTRAINT_COUNT,
                                          STORE_COLUMNS(subject_columns),
                                          .row_bytes = sizeof *out};
    struct plot_subject *rows = NULL;
    size_t count = 0;
    const enum status status = store_read(store, &reading, arena, &rows, &count, error);
    *found = count > 0;
    if (*found)
        *out = rows[0];
    return status;
}

enum { LISTED_MAX = 64 };

static enum status report_absent(struct store *store, const struct constraint *constraint,
                                 const char *given, const struct store_parameter *before,
                                 struct error *error)
{
    struct arena arena = {0};
    const char **words = NULL;
    size_t count = 0;
    static const struct store_column column = {"name", 0, STORE_TEXT};
    const struct store_reading reading = {.sql = constraint->list_sql,
                                          .parameters = before,
                                          .parameter_count = CONSTRAINT_COUNT,
                                          .columns = &column,
                                          .column_count = 1,
                                          .row_bytes = sizeof *words,
                                          .row_max = LISTED_MAX};
    enum status status = store_read(store, &reading, &arena, &words, &count, error);
    if (status == STATUS_OK) {
        struct text list = {0};
        for (size_t i = 0; i < count; i++)
            text_printf(&list, "%s%s", i > 0 ? ", " : "", words[i]);
        bool is_name = constraint != &constraints[SIZE] && constraint != &constraints[ENVIRONMENT];
        const char *nearest = is_name ? nearest_word(given, words, count) : NULL;
        status =
            error_set(error, STATUS_NOT_FOUND, "nothing is measured for %s %s%s%s%s; measured: %s",
                      constraint->noun, given, nearest ? "; did you mean '" : "",
                      nearest ? nearest : "", nearest ? "'?" : "", text_string(&list));
        text_free(&list);
    }
    arena_free(&arena);
    return status;
}

/* Finds the constraint without matches by adding one constraint after the other. */
static enum status explain(struct store *store, const struct store_parameter *given,
                           struct error *error)
{
    struct store_parameter narrowed[CONSTRAINT_COUNT];
    struct arena arena = {0};
    struct plot_subject ignored;
    enum status status = STATUS_OK;
    bool found = false;
    for (size_t i = 0; i < CONSTRAINT_COUNT; i++)
        narrowed[i] = (struct store_parameter){given[i].name, NULL};
    TRY_OR_CLEANUP(choose(store, narrowed, &arena, &ignored, &found, error));
    if (!found)
        TRY_OR_CLEANUP(error_set(error, STATUS_NOT_FOUND,
                                 "the database has no times yet: run 'tune' first; 'tune show "
                                 "--failures' lists failures"));
    for (size_t i = 0; i < CONSTRAINT_COUNT; i++) {
        if (!given[i].value)
            continue;
        narrowed[i].value = given[i].value;
        TRY_OR_CLEANUP(choose(store, narrowed, &arena, &ignored, &found, error));
        if (!found) {
            narrowed[i].value = NULL;
            TRY_OR_CLEANUP(report_absent(store, &constraints[i], given[i].value, narrowed, error));
        }
    }
cleanup:
    arena_free(&arena);
    return status;
}

/* Turns a request's constraints into parameters; `numbers` gets the texts of sizes and ids. */
static void parameters_of(const struct plot_request *request, char numbers[2][24],
                          struct store_parameter out[CONSTRAINT_COUNT])
{
    (void)string_format(numbers[0], 24, "%" PRId64, request->environment_id);
    (void)string_format(numbers[1], 24, "%" PRId64, request->n);
    out[L2_MODE].value = request->l2_mode;
    out[ENVIRONMENT].value = request->environment_id ? numbers[0] : NULL;
    out[DEVICE].value = request->device;
    out[PROBLEM].value = request->problem;
    out[SIZE].value = request->n ? numbers[1] : NULL;
    for (size_t i = 0; i < CONSTRAINT_COUNT; i++)
        out[i].name = constraints[i].parameter;
}

enum status plot_choose(struct store *store, const struct plot_request *request,
                        struct arena *arena, struct plot_subject *out, struct error *error)
{
    char numbers[2][24];
    struct store_parameter parameters[CONSTRAINT_COUNT];
    parameters_of(request, numbers, parameters);
    bool found = false;
    enum status status = choose(store, parameters, arena, out, &found, error);
    if (status == STATUS_OK && !found)
        status = explain(store, parameters, error);
    return status;
}

static const char devices_sql[] =
    "SELECT e.id AS environment_id, d.name, max(t.measured_at) AS measured_at" MEASURED
    " GROUP BY d.id ORDER BY d.id";

enum { DEVICES_MAX = 64 };

static const struct store_column device_columns[] = {
    {"environment_id", offsetof(struct plot_device, environment_id), STORE_INTEGER},
    {"name", offsetof(struct plot_device, name), STORE_TEXT},
};

enum status plot_devices(struct store *store, const struct plot_request *request,
                         struct arena *arena, const struct plot_device **out, size_t *count,
                         struct error *error)
{
    char numbers[2][24];
    struct store_parameter parameters[CONSTRAINT_COUNT];
    struct plot_request of_all_devices = *request;
    of_all_devices.device = NULL;
    of_all_devices.environment_id = 0;
    parameters_of(&of_all_devices, numbers, parameters);
    const struct store_reading reading = {.sql = devices_sql,
                                          .parameters = parameters,
                                          .parameter_count = CONSTRAINT_COUNT,
                                          STORE_COLUMNS(device_columns),
                                          .row_bytes = sizeof **out,
                                          .row_max = DEVICES_MAX};
    struct plot_device *devices = NULL;
    enum status status = store_read(store, &reading, arena, &devices, count, error);
    for (size_t i = 0; status == STATUS_OK && i < *count; i++) {
        /* Makes the name unique: the second device of a name is "NAME 2". */
        const char *name = devices[i].name;
        size_t length = strlen(name);
        size_t same = 1;
        for (size_t k = 0; k < i; k++)
            same += strncmp(devices[k].name, name, length) == 0 &&
                    (devices[k].name[length] == '\0' || devices[k].name[length] == ' ');
        devices[i].name =
            same > 1 ? arena_printf(arena, "%s %zu", name, same) : arena_strdup(arena, name);
        if (!devices[i].name)
            status = error_no_memory(error);
    }
    *out = devices;
    return status == STATUS_OK && *count == 0 ? explain(store, parameters, error) : status;
}
