/* Problems of a tune database, as spaces to play against. */
#include <inttypes.h>
#include <string.h>

#include "bench/strategies/recorded.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"
#include "tuner/store/query.h"

static const char list_query[] =
    "SELECT p.id, t.environment_id, t.l2_mode, p.key, p.n, count(*) AS points "
    "FROM trials AS t JOIN problems AS p ON p.id = t.problem_id "
    "WHERE t.stage = 'sweep' AND (:key IS NULL OR p.key = :key) AND (:n IS NULL OR p.n = :n) "
    "GROUP BY 1, 2, 3 ORDER BY points DESC, p.id LIMIT CAST(:most AS INTEGER)";

/* One row a parameter of a configuration, in the order of the file. */
static const char cells_query[] =
    "SELECT c.id, j.value, j.type IN ('integer', 'real') AS number,"
    "       CASE WHEN t.status = 'ok' THEN t.median_ns"
    "            WHEN twin.status = 'ok' THEN twin.median_ns END AS time_ns, t.binary_hash "
    "FROM trials AS t JOIN configurations AS c ON c.id = t.configuration_id "
    "LEFT JOIN trials AS twin ON twin.id = t.same_as_trial_id, json_each(c.parameters) AS j "
    "WHERE t.stage = 'sweep' AND t.problem_id = CAST(:problem AS INTEGER)"
    "  AND t.environment_id = CAST(:environment AS INTEGER) AND t.l2_mode = :l2_mode "
    "ORDER BY c.id, j.id";

enum status recorded_list(struct store *store, struct arena *arena, const char *key, const char *n,
                          size_t most, struct recorded_problem *problems, size_t *count,
                          struct error *error)
{
    char limit[24];
    struct store_query *query = NULL;
    bool row = false;
    (void)string_format(limit, sizeof limit, "%zu", most);
    const struct store_parameter parameters[] = {
        {.name = "key", .value = key}, {.name = "n", .value = n}, {.name = "most", .value = limit}};
    enum status status = store_query_open(store, list_query, parameters, 3, &query, error);
    for (*count = 0; status == STATUS_OK;) {
        status = store_query_next(query, &row, error);
        if (status != STATUS_OK || !row)
            break;
        struct recorded_problem *problem = &problems[(*count)++];
        *problem = (struct recorded_problem){
            .problem_id = store_query_integer(query, 0),
            .environment_id = store_query_integer(query, 1),
            .l2_mode = arena_strdup(arena, store_query_text(query, 2)),
            .key = arena_strdup(arena, store_query_text(query, 3)),
            .n = store_query_integer(query, 4),
        };
        if (!problem->l2_mode || !problem->key)
            status = error_no_memory(error);
    }
    store_query_close(query);
    return status;
}

static enum status read_cells(struct recorded_rows *rows, struct store_query *query,
                              struct error *error)
{
    int64_t configuration = -1;
    size_t dimension = 0;
    for (;;) {
        bool more = false;
        enum status status = store_query_next(query, &more, error);
        if (status != STATUS_OK || !more)
            return status;
        if (store_query_integer(query, 0) != configuration) {
            configuration = store_query_integer(query, 0);
            dimension = 0;
            status = recorded_add_row(rows, store_query_real(query, 3), error);
            const char *binary = store_query_text(query, 4);
            if (status == STATUS_OK && binary)
                rows->rows[rows->count - 1].binary = hash_u64(binary, strlen(binary), 0);
        }
        const char *text = store_query_text(query, 1);
        if (status == STATUS_OK)
            status = recorded_add_value(rows, dimension++, text ? text : "",
                                        store_query_integer(query, 2) != 0, error);
        if (status != STATUS_OK)
            return status;
    }
}

enum status recorded_read(struct store *store, const struct recorded_problem *problem,
                          struct arena *arena, struct recorded *recorded, struct error *error)
{
    char problem_id[24], environment_id[24];
    struct recorded_rows rows = {.arena = arena};
    struct store_query *query = NULL;
    (void)string_format(problem_id, sizeof problem_id, "%" PRId64, problem->problem_id);
    (void)string_format(environment_id, sizeof environment_id, "%" PRId64, problem->environment_id);
    const struct store_parameter parameters[] = {{.name = "problem", .value = problem_id},
                                                 {.name = "environment", .value = environment_id},
                                                 {.name = "l2_mode", .value = problem->l2_mode}};
    (void)string_format(recorded->name, sizeof recorded->name, "%s n=%" PRId64, problem->key,
                        problem->n);
    enum status status = store_query_open(store, cells_query, parameters, 3, &query, error);
    if (status == STATUS_OK)
        status = read_cells(&rows, query, error);
    store_query_close(query);
    if (status == STATUS_OK)
        status = recorded_finish(&rows, recorded, error);
    if (status != STATUS_OK)
        (void)error_prefix(error, "%s", recorded->name);
    recorded_rows_free(&rows);
    return status;
}
