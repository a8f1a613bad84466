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

enum status store_trials_elsewhere(struct store *store, int64_t environment_id, int64_t problem_id,
                                   enum l2_mode mode, store_take_elsewhere *take, void *context,
                                   struct error *error)
{
    /* Another environment counts as four times as far in size. */
    SELECTION(
        struct store_trial_elsewhere, selection,
        "WITH sources AS ("
        "SELECT e.id AS environment_id, p.id AS problem_id,"
        " max(p.n, own.n, 1) * iif(e.id = ?1, 1.0, 4.0) / max(min(p.n, own.n), 1) AS far "
        "FROM problems AS own JOIN problems AS p ON p.key = own.key CROSS JOIN environments AS e "
        "JOIN devices AS d ON d.id = e.device_id "
        "WHERE own.id = ?2 AND (e.id <> ?1 OR p.id <> ?2) AND d.kind = ("
        "SELECT kind FROM devices JOIN environments AS here ON here.device_id = devices.id "
        "WHERE here.id = ?1) AND EXISTS (SELECT 1 FROM trials AS t WHERE t.problem_id = p.id"
        " AND t.environment_id = e.id AND t.stage = 'sweep' AND t.l2_mode = ?3) "
        "ORDER BY far, p.id, e.id LIMIT ?4) "
        "SELECT s.environment_id, s.problem_id, c.parameters,"
        " CASE WHEN t.status = 'ok' THEN t.median_ns"
        "      WHEN twin.status = 'ok' THEN twin.median_ns END AS median_ns "
        "FROM sources AS s CROSS JOIN trials AS t ON t.problem_id = s.problem_id"
        " AND t.environment_id = s.environment_id "
        "JOIN configurations AS c ON c.id = t.configuration_id "
        "LEFT JOIN trials AS twin ON twin.id = t.same_as_trial_id "
        "WHERE t.stage = 'sweep' AND t.l2_mode = ?3 ORDER BY s.far, t.id",
        SELECTED(environment_id, INTEGER), SELECTED(problem_id, INTEGER),
        SELECTED(parameters, TEXT), SELECTED(median_ns, REAL));
    struct elsewhere elsewhere = {.take = take, .context = context};
    return store_select_each(store, &selection,
                             STORE_VALUES(value_integer(environment_id), value_integer(problem_id),
                                          value_text(l2_mode_name(mode)),
                                          value_integer(STORE_SOURCES_MOST)),
                             &elsewhere.trial, take_elsewhere, &elsewhere, error);
}
