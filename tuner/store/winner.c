/* What was chosen, of whom, and how sure that is. */
#include "tuner/store/internal.h"

#include "tuner/base/clock.h"

static const char winner_doing[] = "store a winner";

enum { STAGE_BYTES = 16 };

static void bind_evidence(sqlite3_stmt *put, const struct store_winner *winner)
{
    store_bind_from(put, 9, winner->space_count, 1);
    /* SQLite stores NaN as NULL. */
    (void)sqlite3_bind_double(put, 10, winner->value);
    (void)sqlite3_bind_double(put, 11, winner->time_low_ns);
    (void)sqlite3_bind_double(put, 12, winner->time_high_ns);
    (void)sqlite3_bind_double(put, 13, winner->delta);
    (void)sqlite3_bind_double(put, 14, winner->floor);
    (void)sqlite3_bind_double(put, 15, winner->claim);
    (void)sqlite3_bind_double(put, 16, winner->confidence);
    (void)sqlite3_bind_int(put, 17, winner->processes);
    (void)sqlite3_bind_int(put, 18, winner->rounds);
    (void)sqlite3_bind_int(put, 19, winner->rounds_dropped);
    store_bind_from(put, 20, winner->tied_count, 1);
    (void)sqlite3_bind_int(put, 21, winner->kept_incumbent);
    store_bind_text(put, 22, winner->trust);
    store_bind_text(put, 23, winner->trust_reason);
}

static enum status put_winner(struct store *store, const struct store_winner *winner,
                              int64_t *winner_id, struct error *error)
{
    char now[CLOCK_TIMESTAMP_BYTES];
    clock_timestamp(now);
    sqlite3_stmt *put = NULL;
    enum status status = store_statement(store, STATEMENT_WINNER_PUT, &put, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(put, 1, winner->environment_id);
    (void)sqlite3_bind_int64(put, 2, winner->problem_id);
    store_bind_text(put, 3, l2_mode_name(winner->l2_mode));
    store_bind_objective(put, 4, winner->objective);
    (void)sqlite3_bind_int64(put, 5, winner->trial_id);
    (void)sqlite3_bind_int64(put, 6, winner->run_id);
    store_bind_text(put, 7, winner->stage);
    (void)sqlite3_bind_int64(put, 8, winner->candidate_count);
    bind_evidence(put, winner);
    store_bind_text(put, 24, now);
    store_bind_from(put, 25, winner->compared, 1);
    return store_take(store, put, winner_id, NULL, winner_doing, error);
}

static enum status drop_by_problem(struct store *store, enum statement_id which,
                                   int64_t environment_id, int64_t problem_id, enum l2_mode mode,
                                   const char *objective, struct error *error)
{
    sqlite3_stmt *drop = NULL;
    enum status status = store_statement(store, which, &drop, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(drop, 1, environment_id);
    (void)sqlite3_bind_int64(drop, 2, problem_id);
    store_bind_text(drop, 3, l2_mode_name(mode));
    store_bind_objective(drop, 4, objective);
    return store_take(store, drop, NULL, NULL, winner_doing, error);
}

/* Ranges that were made when another had won know nothing of this one. */
static enum status drop_its_ranges(struct store *store, const struct store_winner *winner,
                                   struct error *error)
{
    return drop_by_problem(store, STATEMENT_WINNER_RANGES_DROP, winner->environment_id,
                           winner->problem_id, winner->l2_mode, winner->objective, error);
}

enum status store_winner_drop(struct store *store, int64_t environment_id, int64_t problem_id,
                              enum l2_mode mode, const char *objective, struct error *error)
{
    enum status status = drop_by_problem(store, STATEMENT_WINNER_RANGES_DROP, environment_id,
                                         problem_id, mode, objective, error);
    return status == STATUS_OK ? drop_by_problem(store, STATEMENT_WINNER_DROP, environment_id,
                                                 problem_id, mode, objective, error)
                               : status;
}

static enum status drop_contenders(struct store *store, int64_t winner_id, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_statement(store, STATEMENT_CONTENDERS_DROP, &statement, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(statement, 1, winner_id);
    return store_take(store, statement, NULL, NULL, winner_doing, error);
}

static enum status add_contender(struct store *store, int64_t winner_id,
                                 const struct store_contender *contender, struct error *error)
{
    sqlite3_stmt *add = NULL;
    enum status status = store_statement(store, STATEMENT_CONTENDER_ADD, &add, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(add, 1, winner_id);
    (void)sqlite3_bind_int64(add, 2, contender->configuration_id);
    store_bind_from(add, 3, contender->trial_id, 1);
    (void)sqlite3_bind_int(add, 4, contender->place);
    (void)sqlite3_bind_double(add, 5, contender->difference);
    (void)sqlite3_bind_double(add, 6, contender->difference_low);
    (void)sqlite3_bind_double(add, 7, contender->difference_high);
    (void)sqlite3_bind_int(add, 8, contender->proven);
    (void)sqlite3_bind_int(add, 9, contender->tied);
    store_bind_text(add, 10, contender->out);
    return store_take(store, add, NULL, NULL, winner_doing, error);
}

enum status store_winner_put(struct store *store, const struct store_winner *winner,
                             struct error *error)
{
    int64_t winner_id = 0;
    enum status status = store_begin(store, winner_doing, error);
    if (status != STATUS_OK)
        return status;
    status = put_winner(store, winner, &winner_id, error);
    if (status == STATUS_OK)
        status = drop_contenders(store, winner_id, error);
    if (status == STATUS_OK)
        status = drop_its_ranges(store, winner, error);
    for (size_t i = 0; status == STATUS_OK && i < winner->contender_count; i++)
        status = add_contender(store, winner_id, &winner->contenders[i], error);
    return store_end(store, status, winner_doing, error);
}

enum status store_winner_get(struct store *store, int64_t environment_id, int64_t problem_id,
                             enum l2_mode mode, const char *objective, int64_t *trial_id,
                             char *stage, struct error *error)
{
    sqlite3_stmt *get = NULL;
    bool found = false;
    *trial_id = 0;
    if (stage)
        stage[0] = '\0';
    enum status status =
        store_prepare(store,
                      "SELECT trial_id, stage FROM winners WHERE environment_id = ?1 AND "
                      "problem_id = ?2 AND l2_mode = ?3 AND objective = ?4",
                      &get, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(get, 1, environment_id);
    (void)sqlite3_bind_int64(get, 2, problem_id);
    store_bind_text(get, 3, l2_mode_name(mode));
    store_bind_objective(get, 4, objective);
    status = store_step(store, get, &found, "find a winner", error);
    if (status == STATUS_OK && found) {
        const char *text = (const char *)sqlite3_column_text(get, 1);
        *trial_id = sqlite3_column_int64(get, 0);
        if (stage)
            (void)string_format(stage, STAGE_BYTES, "%s", text ? text : "");
    }
    (void)sqlite3_finalize(get);
    return status;
}

static const char incumbent_sql[] =
    "SELECT c.key, c.parameters FROM winners AS w "
    "JOIN environments AS e ON e.id = w.environment_id "
    "JOIN problems AS p ON p.id = w.problem_id "
    "JOIN experiments AS x ON x.id = p.experiment_id "
    "JOIN environments AS own_e ON own_e.id = ?1 AND own_e.device_id = e.device_id "
    "JOIN problems AS own_p ON own_p.id = ?2 AND own_p.key = p.key AND own_p.n = p.n "
    "JOIN experiments AS own_x ON own_x.id = own_p.experiment_id AND own_x.name = x.name "
    "JOIN trials AS t ON t.id = w.trial_id "
    "JOIN configurations AS c ON c.id = t.configuration_id "
    "WHERE w.l2_mode = ?3 AND w.objective = ?4 AND w.stage <> 'sweep' "
    "ORDER BY w.run_id DESC, w.chosen_at DESC, w.id DESC LIMIT 1";

enum status store_incumbent(struct store *store, int64_t environment_id, int64_t problem_id,
                            enum l2_mode mode, const char *objective, bool *found, struct text *key,
                            struct text *parameters, struct error *error)
{
    sqlite3_stmt *get = NULL;
    *found = false;
    enum status status = store_prepare(store, incumbent_sql, &get, error);
    if (status != STATUS_OK)
        return status;
    (void)sqlite3_bind_int64(get, 1, environment_id);
    (void)sqlite3_bind_int64(get, 2, problem_id);
    store_bind_text(get, 3, l2_mode_name(mode));
    store_bind_objective(get, 4, objective);
    status = store_step(store, get, found, "find the incumbent", error);
    if (status == STATUS_OK && *found) {
        const char *text = (const char *)sqlite3_column_text(get, 0);
        const char *values = (const char *)sqlite3_column_text(get, 1);
        text_append(key, text ? text : "");
        if (parameters)
            text_append(parameters, values ? values : "");
        if (!text || !values || key->failed || (parameters && parameters->failed))
            status = error_no_memory(error);
    }
    (void)sqlite3_finalize(get);
    return status;
}
