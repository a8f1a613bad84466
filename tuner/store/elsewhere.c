#include "tuner/store/elsewhere.h"

#include "tuner/store/internal.h"

struct elsewhere {
    struct store_trial_elsewhere trial;
    store_take_elsewhere *take;
    void *context;
};

static enum status take_elsewhere(void *context, struct error *error)
{
    struct elsewhere *elsewhere = context;
    return elsewhere->take(elsewhere->context, &elsewhere->trial, error);
}

enum status store_trials_elsewhere(struct store *store, const struct store_elsewhere *here,
                                   store_take_elsewhere *take, void *context, struct error *error)
{
    /* Reads only columns that all schemas have, and the shipped prior too (bench/prior.py). Where
     * launches are issued otherwise than in a graph, trials in a graph are of use, too. */
    const enum l2_mode in_graph = l2_mode_as(here->l2_mode, ISSUE_GRAPH);
    SELECTION(struct store_trial_elsewhere, selection,
              "WITH sources AS ("
              "SELECT e.id AS environment_id, p.id AS problem_id, d.name AS device, m.mode,"
              " max(p.n, ?5, 1) * iif(e.id = ?1, 1.0, iif(d.name = ?9, 2.0, 4.0)) * iif(p.key = "
              "?4, 1.0, 4.0)"
              " / max(min(p.n, ?5), 1) AS far "
              "FROM experiments AS x JOIN problems AS p ON p.experiment_id = x.id "
              "CROSS JOIN environments AS e JOIN devices AS d ON d.id = e.device_id "
              "CROSS JOIN (SELECT ?7 AS mode UNION SELECT ?11) AS m "
              "WHERE x.name = ?3 AND d.kind = ?6 AND (e.id <> ?1 OR p.id <> ?2 OR m.mode <> ?7) "
              "AND NOT (?10 AND d.name = ?9) "
              "AND EXISTS (SELECT 1 FROM trials AS t WHERE t.problem_id = p.id"
              " AND t.environment_id = e.id AND t.stage = 'sweep' AND t.l2_mode = m.mode) "
              "AND (m.mode = ?7 OR (e.id = ?1 AND p.id = ?2) OR NOT EXISTS ("
              "SELECT 1 FROM trials AS t WHERE t.problem_id = p.id"
              " AND t.environment_id = e.id AND t.stage = 'sweep' AND t.l2_mode = ?7)) "
              "ORDER BY far, p.id, e.id LIMIT ?8) "
              "SELECT s.environment_id, s.problem_id, s.device, c.parameters,"
              " CASE WHEN t.status = 'ok' THEN t.median_ns"
              "      WHEN twin.status = 'ok' THEN twin.median_ns END AS median_ns "
              "FROM sources AS s CROSS JOIN trials AS t ON t.problem_id = s.problem_id"
              " AND t.environment_id = s.environment_id "
              "JOIN configurations AS c ON c.id = t.configuration_id "
              "LEFT JOIN trials AS twin ON twin.id = t.same_as_trial_id "
              "WHERE t.stage = 'sweep' AND t.l2_mode = s.mode ORDER BY s.far, t.id",
              SELECTED(environment_id, INTEGER), SELECTED(problem_id, INTEGER),
              SELECTED(device, TEXT), SELECTED(parameters, TEXT), SELECTED(median_ns, REAL));
    struct elsewhere elsewhere = {.take = take, .context = context};
    return store_select_each(
        store, &selection,
        STORE_VALUES(value_integer(here->environment_id), value_integer(here->problem_id),
                     value_text(here->experiment), value_text(here->key), value_integer(here->n),
                     value_text(here->device_kind), value_text(l2_mode_name(here->l2_mode)),
                     value_integer(STORE_SOURCES_MAX), value_text(here->device),
                     value_integer(here->without_device ? 1 : 0),
                     value_text(l2_mode_name(in_graph))),
        &elsewhere.trial, take_elsewhere, &elsewhere, error);
}
