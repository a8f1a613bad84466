/* Evidence around trials, and choices: rounds, the gauntlet, winners with their contenders, ranges
 * of sizes. */
#include "tuner/store/evidence.h"
#include "tuner/store/internal.h"

#include <string.h>

/* ---- rounds ---- */

#define CONDITION(member, kind_)                                                                   \
    ROW_COLUMN(#member, .kind = ROW_##kind_, ROW_MEMBER(struct store_round, conditions.member))

static const char *objective_of(const char *objective)
{
    return objective ? objective : "time";
}

/* Deletes all replaced groups first, so that the order of the rounds does not matter. */
enum status store_rounds(struct store *store, const struct store_round *items, size_t count,
                         struct error *error)
{
    static const char doing[] = "store the rounds";
    ROW_TABLE(struct store_round, rounds, doing, VALUE(run_id, INTEGER), VALUE(problem_id, INTEGER),
              VALUE(stage, TEXT), VALUE(objective, OBJECTIVE), VALUE(process, INTEGER),
              VALUE(ordinal, INTEGER), VALUE(fault, TEXT), VALUE(anchor_first_ns, REAL),
              VALUE(anchor_last_ns, REAL), VALUE(twin_configuration_id, INTEGER_FROM_1),
              VALUE(first_ns, REAL), VALUE(twin_ns, REAL), CONDITION(sm_clock_mhz, REAL),
              CONDITION(memory_clock_mhz, REAL), CONDITION(temperature_c, REAL),
              CONDITION(power_w, REAL), CONDITION(energy_j, REAL),
              CONDITION(throttle, INTEGER_FROM_0), CONDITION(ecc_errors, INTEGER_FROM_0),
              CONDITION(other_processes, INTEGER_FROM_0), VALUE(at_ns, INTEGER));
    TRY(store_begin(store, doing, error));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        const struct store_round *round = &items[i];
        const struct store_round *before = i > 0 ? round - 1 : NULL;
        if (before && round->run_id == before->run_id && round->problem_id == before->problem_id &&
            round->process == before->process && strcmp(round->stage, before->stage) == 0 &&
            strcmp(objective_of(round->objective), objective_of(before->objective)) == 0)
            continue; /* of one group */
        TRY_OR_CLEANUP(store_run(
            store,
            "DELETE FROM rounds WHERE run_id = ?1 AND problem_id = ?2 AND stage = ?3"
            " AND objective = ?4 AND process = ?5",
            doing,
            STORE_VALUES(value_integer(round->run_id), value_integer(round->problem_id),
                         value_text(round->stage), value_text(objective_of(round->objective)),
                         value_integer(round->process)),
            NULL, NULL, error));
    }
    for (size_t i = 0; i < count; i++)
        TRY_OR_CLEANUP(store_put(store, &rounds, STORE_SOURCES(&items[i]), NULL, error));
cleanup:
    return store_end(store, status, doing, error);
}

/* ---- the gauntlet ---- */

enum status store_gauntlet_put(struct store *store, const struct store_gauntlet *row,
                               struct error *error)
{
    ROW_TABLE(struct store_gauntlet, gauntlets, "store the gauntlet's results",
              KEY(environment_id, INTEGER), KEY(problem_id, INTEGER),
              KEY(configuration_id, INTEGER), KEY(binary_hash, TEXT), VALUE(passed, INTEGER),
              VALUE(cases, INTEGER), VALUE(detail, TEXT), WRITTEN_AT("checked_at", ROW_VALUE));
    return store_put(store, &gauntlets, STORE_SOURCES(row), NULL, error);
}

enum status store_gauntlet_get(struct store *store, int64_t environment_id, int64_t problem_id,
                               int64_t configuration_id, const char *binary_hash, bool *found,
                               bool *passed, char *detail, struct error *error)
{
    SELECTION(struct store_gauntlet, selection,
              "SELECT passed, detail FROM gauntlets WHERE environment_id = ?1 AND problem_id = ?2"
              " AND configuration_id = ?3 AND binary_hash = ?4",
              SELECTED(passed, TRUTH), SELECTED(detail, TEXT));
    struct arena arena = {0};
    struct store_gauntlet row = {0};
    enum status status =
        store_select_one(store, &selection,
                         STORE_VALUES(value_integer(environment_id), value_integer(problem_id),
                                      value_integer(configuration_id), value_text(binary_hash)),
                         &arena, &row, found, error);
    *passed = row.passed;
    if (detail)
        (void)string_format(detail, ERROR_TEXT_BYTES, "%s", row.detail ? row.detail : "");
    arena_free(&arena);
    return status;
}

/* ---- winners ---- */

static const char winner_doing[] = "store a winner";

/* Key values of a winner: ?1 to ?4. */
#define WINNER_KEYS(environment_id, problem_id, mode, objective)                                   \
    STORE_VALUES(value_integer(environment_id), value_integer(problem_id),                         \
                 value_text(l2_mode_name(mode)), value_text(objective_of(objective)))

/* Drops the problem's ranges, since they were made for the previous winner. */
static enum status drop_ranges_of_problem(struct store *store, int64_t environment_id,
                                          int64_t problem_id, enum l2_mode mode,
                                          const char *objective, struct error *error)
{
    return store_run(store,
                     "DELETE FROM ranges WHERE environment_id = ?1 AND l2_mode = ?3"
                     " AND objective = ?4 AND (experiment_id, problem_key)"
                     " = (SELECT experiment_id, coalesce(family, key) FROM problems WHERE id = ?2)",
                     winner_doing, WINNER_KEYS(environment_id, problem_id, mode, objective), NULL,
                     NULL, error);
}

static enum status insert_contender(struct store *store, const struct store_contender *contender,
                                    int64_t winner_id, struct error *error)
{
    ROW_TABLE(struct store_contender, contenders, winner_doing, SHARED_ID("winner_id", ROW_VALUE),
              VALUE(configuration_id, INTEGER), VALUE(trial_id, INTEGER_FROM_1),
              VALUE(place, INTEGER), VALUE(difference, REAL), VALUE(difference_low, REAL),
              VALUE(difference_high, REAL), VALUE(proven, INTEGER), VALUE(tied, INTEGER),
              VALUE(out, TEXT));
    return store_put(store, &contenders, STORE_SOURCES(contender, &winner_id), NULL, error);
}

static enum status insert_state(struct store *store, const struct store_state *state,
                                int64_t winner_id, struct error *error)
{
    ROW_TABLE(struct store_state, states, winner_doing, SHARED_ID("winner_id", ROW_VALUE),
              VALUE(state, TEXT), VALUE(configuration_id, INTEGER), VALUE(trial_id, INTEGER_FROM_1),
              VALUE(difference, REAL), VALUE(difference_low, REAL), VALUE(difference_high, REAL),
              VALUE(tied, INTEGER));
    return store_put(store, &states, STORE_SOURCES(state, &winner_id), NULL, error);
}

enum status store_winner_put(struct store *store, const struct store_winner *winner,
                             struct error *error)
{
    ROW_TABLE(struct store_winner, winners, winner_doing, KEY(environment_id, INTEGER),
              KEY(problem_id, INTEGER), KEY(l2_mode, MODE), KEY(objective, OBJECTIVE),
              VALUE(trial_id, INTEGER), VALUE(run_id, INTEGER), VALUE(stage, TEXT),
              VALUE(candidate_count, INTEGER), VALUE(space_count, INTEGER_FROM_1),
              VALUE(value, REAL), VALUE(time_low_ns, REAL), VALUE(time_high_ns, REAL),
              VALUE(delta, REAL), VALUE(floor, REAL), VALUE(claim, REAL), VALUE(confidence, REAL),
              VALUE(processes, INTEGER), VALUE(rounds, INTEGER), VALUE(rounds_dropped, INTEGER),
              VALUE(tied_count, INTEGER_FROM_1), VALUE(kept_incumbent, INTEGER), VALUE(trust, TEXT),
              VALUE(trust_reason, TEXT), WRITTEN_AT("chosen_at", ROW_VALUE),
              VALUE(compared, INTEGER_FROM_1), VALUE(inputs, TEXT), VALUE(points, INTEGER_FROM_1),
              VALUE(failures, INTEGER), VALUE(chance_of_better, REAL), VALUE(most_better, REAL),
              VALUE(coverage, TEXT));
    int64_t winner_id = 0;
    TRY(store_begin(store, winner_doing, error));
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(store_put(store, &winners, STORE_SOURCES(winner), &winner_id, error));
    TRY_OR_CLEANUP(store_run(store, "DELETE FROM contenders WHERE winner_id = ?1", winner_doing,
                             STORE_VALUES(value_integer(winner_id)), NULL, NULL, error));
    TRY_OR_CLEANUP(store_run(store, "DELETE FROM states WHERE winner_id = ?1", winner_doing,
                             STORE_VALUES(value_integer(winner_id)), NULL, NULL, error));
    TRY_OR_CLEANUP(drop_ranges_of_problem(store, winner->environment_id, winner->problem_id,
                                          winner->l2_mode, winner->objective, error));
    for (size_t i = 0; i < winner->contender_count; i++)
        TRY_OR_CLEANUP(insert_contender(store, &winner->contenders[i], winner_id, error));
    for (size_t i = 0; i < winner->state_count; i++)
        TRY_OR_CLEANUP(insert_state(store, &winner->states[i], winner_id, error));
cleanup:
    return store_end(store, status, winner_doing, error);
}

enum status store_winner_drop(struct store *store, int64_t environment_id, int64_t problem_id,
                              enum l2_mode mode, const char *objective, struct error *error)
{
    TRY(drop_ranges_of_problem(store, environment_id, problem_id, mode, objective, error));
    return store_run(store,
                     "DELETE FROM winners WHERE environment_id = ?1 AND problem_id = ?2"
                     " AND l2_mode = ?3 AND objective = ?4",
                     winner_doing, WINNER_KEYS(environment_id, problem_id, mode, objective), NULL,
                     NULL, error);
}

enum status store_winner_get(struct store *store, int64_t environment_id, int64_t problem_id,
                             enum l2_mode mode, const char *objective, struct store_choice *out,
                             struct error *error)
{
    struct row {
        int64_t trial_id;
        const char *stage, *trust, *effort;
    } row = {0};
    bool found = false;
    SELECTION(
        struct row, selection,
        "SELECT w.trial_id, w.stage, w.trust, coalesce(r.effort, '') AS effort FROM winners AS w"
        " JOIN runs AS r ON r.id = w.run_id JOIN trials AS t ON t.id = w.trial_id"
        " JOIN problems AS p ON p.id = w.problem_id WHERE w.environment_id = ?1"
        " AND w.problem_id = ?2 AND w.l2_mode = ?3 AND w.objective = ?4"
        " AND NOT EXISTS (SELECT 1 FROM refuted AS f WHERE f.environment_id = w.environment_id"
        " AND f.experiment_id = p.experiment_id AND f.problem_key = p.key"
        " AND f.configuration_id = t.configuration_id)",
        SELECTED(trial_id, INTEGER), SELECTED(stage, TEXT), SELECTED(trust, TEXT),
        SELECTED(effort, TEXT));
    struct arena arena = {0};
    enum status status = store_select_one(store, &selection,
                                          WINNER_KEYS(environment_id, problem_id, mode, objective),
                                          &arena, &row, &found, error);
    *out = (struct store_choice){.trial_id = row.trial_id};
    if (status == STATUS_OK && found) {
        (void)string_format(out->stage, sizeof out->stage, "%s", row.stage);
        (void)string_format(out->trust, sizeof out->trust, "%s", row.trust);
        (void)string_format(out->effort, sizeof out->effort, "%s", row.effort);
    }
    arena_free(&arena);
    return status;
}

enum status store_incumbent(struct store *store, int64_t environment_id, int64_t problem_id,
                            enum l2_mode mode, const char *objective, bool *found, struct text *key,
                            struct text *parameters, struct error *error)
{
    struct row {
        const char *key, *parameters;
    } row = {0};
    SELECTION(
        struct row, newest,
        "SELECT c.key, c.parameters FROM problems AS own_p "
        "CROSS JOIN experiments AS own_x ON own_x.id = own_p.experiment_id "
        "CROSS JOIN experiments AS x ON x.name = own_x.name "
        "CROSS JOIN problems AS p ON p.experiment_id = x.id AND p.key = own_p.key AND p.n = "
        "own_p.n "
        "CROSS JOIN environments AS own_e ON own_e.id = ?1 "
        "CROSS JOIN environments AS e ON e.device_id = own_e.device_id "
        "CROSS JOIN winners AS w ON w.environment_id = e.id AND w.problem_id = p.id "
        " AND w.objective = ?4 AND w.l2_mode IN (?3, ?5, ?6, ?7) AND w.stage <> 'sweep' "
        "CROSS JOIN trials AS t ON t.id = w.trial_id "
        "CROSS JOIN configurations AS c ON c.id = t.configuration_id WHERE own_p.id = ?2 "
        "ORDER BY w.l2_mode = ?3 DESC, w.l2_mode = ?5 DESC, w.l2_mode = ?6 DESC, w.run_id DESC,"
        " w.chosen_at DESC, w.id DESC LIMIT 1",
        SELECTED(key, TEXT), SELECTED(parameters, TEXT));
    struct arena arena = {0};
    enum status status = store_select_one(
        store, &newest,
        STORE_VALUES(value_integer(environment_id), value_integer(problem_id),
                     value_text(l2_mode_name(mode)), value_text(objective_of(objective)),
                     value_text(l2_mode_name(l2_mode_as(mode, ISSUE_GRAPH))),
                     value_text(l2_mode_name(l2_mode_as(mode, ISSUE_STREAM))),
                     value_text(l2_mode_name(l2_mode_as(mode, ISSUE_EAGER)))),
        &arena, &row, found, error);
    if (*found) {
        text_append(key, row.key);
        if (parameters)
            text_append(parameters, row.parameters);
        if (key->failed || (parameters && parameters->failed))
            status = error_no_memory(error);
    }
    arena_free(&arena);
    return status;
}

/* ---- ranges of sizes ---- */

static const char ranges_doing[] = "store ranges of sizes";

static enum status insert_range_check(struct store *store, const struct store_range_check *check,
                                      int64_t range_id, struct error *error)
{
    ROW_TABLE(struct store_range_check, range_checks, ranges_doing,
              SHARED_ID("range_id", ROW_VALUE), VALUE(n, INTEGER), VALUE(shape, TEXT),
              VALUE(measured, INTEGER), VALUE(loss, REAL), VALUE(loss_low, REAL),
              VALUE(loss_high, REAL), VALUE(best_configuration_id, INTEGER_FROM_1));
    struct store_range_check row = *check;
    row.shape = row.shape ? row.shape : "";
    return store_put(store, &range_checks, STORE_SOURCES(&row, &range_id), NULL, error);
}

enum status store_ranges_put(struct store *store, const struct store_ranges *group,
                             struct error *error)
{
    ROW_TABLE(struct store_range, ranges, ranges_doing,
              SHARED(struct store_ranges, environment_id, INTEGER),
              SHARED(struct store_ranges, experiment_id, INTEGER),
              SHARED(struct store_ranges, problem_key, TEXT),
              SHARED(struct store_ranges, l2_mode, MODE),
              SHARED(struct store_ranges, objective, OBJECTIVE),
              SHARED(struct store_ranges, run_id, INTEGER), VALUE(n_low, INTEGER),
              VALUE(n_high, INTEGER), VALUE(further, TEXT), VALUE(configuration_id, INTEGER),
              SHARED(struct store_ranges, within, REAL), VALUE(bound, REAL),
              WRITTEN_AT("chosen_at", ROW_VALUE));
    TRY(store_begin(store, ranges_doing, error));
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(store_run(
        store,
        "DELETE FROM ranges WHERE environment_id = ?1 AND experiment_id = ?2"
        " AND problem_key = ?3 AND l2_mode = ?4 AND objective = ?5",
        ranges_doing,
        STORE_VALUES(value_integer(group->environment_id), value_integer(group->experiment_id),
                     value_text(group->problem_key), value_text(l2_mode_name(group->l2_mode)),
                     value_text(objective_of(group->objective))),
        NULL, NULL, error));
    for (size_t i = 0; i < group->count; i++) {
        struct store_range range = group->ranges[i];
        int64_t range_id = 0;
        range.further = range.further ? range.further : "";
        TRY_OR_CLEANUP(store_put(store, &ranges, STORE_SOURCES(&range, group), &range_id, error));
        for (size_t k = 0; k < range.check_count; k++)
            TRY_OR_CLEANUP(insert_range_check(store, &range.checks[k], range_id, error));
    }
cleanup:
    return store_end(store, status, ranges_doing, error);
}
