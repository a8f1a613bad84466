/* Domains: the sizes at which configurations may be used, and configurations that are out at all
 * sizes. */
#include "tuner/store/evidence.h"
#include "tuner/store/internal.h"

enum status store_domain_put(struct store *store, const struct store_domain *row,
                             struct error *error)
{
    ROW_TABLE(struct store_domain, domains, "store a domain", KEY(environment_id, INTEGER),
              KEY(experiment_id, INTEGER), KEY(problem_key, TEXT), KEY(configuration_id, INTEGER),
              VALUE(binary_hash, TEXT), VALUE(multiple, INTEGER), VALUE(least, INTEGER),
              VALUE(most, INTEGER), VALUE(is_listed, INTEGER), VALUE(reason, TEXT),
              VALUE(formula, TEXT), WRITTEN_AT("found_at", ROW_VALUE));
    return store_put(store, &domains, STORE_SOURCES(row), NULL, error);
}

enum status store_domain_get(struct store *store, struct arena *arena, struct store_domain *row,
                             bool *found, struct error *error)
{
    SELECTION(struct store_domain, selection,
              "SELECT binary_hash, multiple, least, most, is_listed, reason, formula FROM domains"
              " WHERE environment_id = ?1 AND experiment_id = ?2 AND problem_key = ?3"
              " AND configuration_id = ?4",
              SELECTED(binary_hash, TEXT), SELECTED(multiple, INTEGER), SELECTED(least, INTEGER),
              SELECTED(most, INTEGER), SELECTED(is_listed, INTEGER), SELECTED(reason, TEXT),
              SELECTED(formula, TEXT));
    return store_select_one(
        store, &selection,
        STORE_VALUES(value_integer(row->environment_id), value_integer(row->experiment_id),
                     value_text(row->problem_key), value_integer(row->configuration_id)),
        arena, row, found, error);
}

enum status store_domain_of_family(struct store *store, struct arena *arena,
                                   struct store_domain *row, bool *found, struct error *error)
{
    SELECTION(struct store_domain, selection,
              "SELECT d.multiple, d.least, d.most, d.is_listed, d.reason, d.formula"
              " FROM problems AS own"
              " JOIN problems AS p ON p.experiment_id = own.experiment_id AND p.family = own.family"
              " JOIN domains AS d ON d.experiment_id = p.experiment_id AND d.problem_key = p.key"
              " WHERE d.environment_id = ?1 AND own.experiment_id = ?2 AND own.key = ?3"
              "  AND d.configuration_id = ?4 AND d.binary_hash = ?5 AND d.formula IS NOT NULL"
              " LIMIT 1",
              SELECTED(multiple, INTEGER), SELECTED(least, INTEGER), SELECTED(most, INTEGER),
              SELECTED(is_listed, INTEGER), SELECTED(reason, TEXT), SELECTED(formula, TEXT));
    return store_select_one(
        store, &selection,
        STORE_VALUES(value_integer(row->environment_id), value_integer(row->experiment_id),
                     value_text(row->problem_key), value_integer(row->configuration_id),
                     value_text(row->binary_hash)),
        arena, row, found, error);
}

enum status store_tuples_are_checked(struct store *store, const struct store_domain *row,
                                     bool *checked, struct error *error)
{
    /* A problem has three cases at most at its own sizes. */
    return store_run(store,
                     "SELECT 1 FROM gauntlets AS g JOIN problems AS p ON p.id = g.problem_id"
                     " WHERE g.environment_id = ?1 AND p.experiment_id = ?2 AND p.family = ?3"
                     " AND g.configuration_id = ?4 AND g.passed AND g.cases > 3",
                     "find checks of tuples",
                     STORE_VALUES(value_integer(row->environment_id),
                                  value_integer(row->experiment_id), value_text(row->problem_key),
                                  value_integer(row->configuration_id)),
                     NULL, checked, error);
}

enum status store_domains_spread(struct store *store, const struct store_domain *row,
                                 struct error *error)
{
    return store_run(store,
                     "INSERT INTO domains (environment_id, experiment_id, problem_key,"
                     " configuration_id, binary_hash, multiple, least, most, is_listed, reason,"
                     " formula, found_at)"
                     " SELECT d.environment_id, d.experiment_id, p.key, d.configuration_id, '',"
                     "  d.multiple, d.least, d.most, max(d.is_listed), d.reason, max(d.formula),"
                     "  d.found_at"
                     " FROM problems AS p JOIN problems AS o"
                     "  ON o.experiment_id = p.experiment_id AND o.family = p.family"
                     " JOIN domains AS d"
                     "  ON d.experiment_id = o.experiment_id AND d.problem_key = o.key"
                     " WHERE d.environment_id = ?1 AND p.experiment_id = ?2 AND p.family = ?3"
                     "  AND d.reason IS NOT NULL GROUP BY p.key, d.configuration_id"
                     " ON CONFLICT DO UPDATE SET is_listed = max(is_listed, excluded.is_listed),"
                     "  reason = coalesce(reason, excluded.reason),"
                     "  formula = coalesce(formula, excluded.formula)",
                     "spread domains",
                     STORE_VALUES(value_integer(row->environment_id),
                                  value_integer(row->experiment_id), value_text(row->problem_key)),
                     NULL, NULL, error);
}

enum status store_domains_forget(struct store *store, const struct store_domain *row, bool *due,
                                 struct error *error)
{
    return store_run(store,
                     "UPDATE domains SET is_listed = 0, reason = NULL"
                     " WHERE environment_id = ?1 AND experiment_id = ?2"
                     " AND substr(problem_key, 1, length(?3) + 1) = ?3 || '.' AND reason = ?4"
                     " AND binary_hash = '' RETURNING 1",
                     "forget a domain",
                     STORE_VALUES(value_integer(row->environment_id),
                                  value_integer(row->experiment_id), value_text(row->problem_key),
                                  value_text(row->reason)),
                     NULL, due, error);
}

enum status store_domain_is_checked(struct store *store, const struct store_domain *row,
                                    bool *checked, struct error *error)
{
    return store_run(store,
                     "SELECT 1 FROM gauntlets AS g JOIN problems AS p ON p.id = g.problem_id"
                     " WHERE g.environment_id = ?1 AND p.experiment_id = ?2 AND p.key = ?3"
                     " AND g.configuration_id = ?4 AND g.binary_hash = ?5 AND g.passed",
                     "find a check",
                     STORE_VALUES(value_integer(row->environment_id),
                                  value_integer(row->experiment_id), value_text(row->problem_key),
                                  value_integer(row->configuration_id),
                                  value_text(row->binary_hash)),
                     NULL, checked, error);
}

enum status store_refuted(struct store *store, const struct store_domain *of, struct arena *arena,
                          struct store_refutation **rows, size_t *count, struct error *error)
{
    SELECTION(struct store_refutation, selection,
              "SELECT configuration_id, n, coalesce(detail, '') AS detail, coalesce(("
              "  SELECT t.binary_hash FROM problems AS p JOIN trials AS t ON t.problem_id = p.id"
              "  WHERE p.experiment_id = ?2 AND p.key = ?3 AND p.n = r.n AND t.environment_id = ?1"
              "   AND t.configuration_id = r.configuration_id"
              "  ORDER BY t.status = 'wrong_result' DESC, t.id DESC LIMIT 1), '') AS binary_hash,"
              " 0 AS is_outdated FROM refuted AS r"
              " WHERE environment_id = ?1 AND experiment_id = ?2 AND problem_key = ?3"
              " UNION ALL SELECT o.configuration_id, p.n, o.detail, o.binary_hash, 1"
              " FROM problems AS p JOIN outdated AS o ON o.problem_id = p.id"
              " WHERE p.experiment_id = ?2 AND p.key = ?3 AND o.environment_id = ?1"
              " ORDER BY configuration_id, n",
              SELECTED(configuration_id, INTEGER), SELECTED(n, INTEGER), SELECTED(detail, TEXT),
              SELECTED(binary_hash, TEXT), SELECTED(is_outdated, INTEGER));
    return store_select(store, &selection,
                        STORE_VALUES(value_integer(of->environment_id),
                                     value_integer(of->experiment_id), value_text(of->problem_key)),
                        arena, rows, count, error);
}

enum status store_refutation_mark(struct store *store, const struct store_domain *of,
                                  const struct store_refutation *row, bool is_outdated,
                                  struct error *error)
{
    return store_run(store,
                     is_outdated
                         ? "INSERT OR IGNORE INTO outdated (environment_id, problem_id,"
                           " configuration_id, binary_hash, detail)"
                           " SELECT ?1, id, ?5, ?6, ?7 FROM problems"
                           " WHERE experiment_id = ?2 AND key = ?3 AND n = ?4"
                         : "DELETE FROM outdated WHERE environment_id = ?1 AND problem_id ="
                           " (SELECT id FROM problems WHERE experiment_id = ?2 AND key = ?3"
                           "  AND n = ?4)"
                           " AND configuration_id = ?5 AND binary_hash = ?6 AND detail = ?7",
                     "mark an outdated result",
                     STORE_VALUES(value_integer(of->environment_id),
                                  value_integer(of->experiment_id), value_text(of->problem_key),
                                  value_integer(row->n), value_integer(row->configuration_id),
                                  value_text(row->binary_hash), value_text(row->detail)),
                     NULL, NULL, error);
}

struct main_failure {
    const char *words;
};

enum status store_main_failure(struct store *store, int64_t environment_id, int64_t problem_id,
                               struct arena *arena, const char **out, struct error *error)
{
    /* Details of one cause begin alike, and then name files or values. */
    SELECTION(struct main_failure, selection,
              "SELECT status || ': ' || min(detail) AS words FROM trials"
              " WHERE environment_id = ?1 AND problem_id = ?2 AND stage = 'sweep'"
              " AND status NOT IN ('ok', 'skipped', 'unstable') AND detail IS NOT NULL"
              " GROUP BY status, substr(detail, 1, 30) ORDER BY count(*) DESC, words LIMIT 1",
              SELECTED(words, TEXT));
    struct main_failure row = {.words = NULL};
    bool found = false;
    TRY(store_select_one(store, &selection,
                         STORE_VALUES(value_integer(environment_id), value_integer(problem_id)),
                         arena, &row, &found, error));
    *out = found && row.words ? row.words : "";
    return STATUS_OK;
}

enum status store_failed_sizes(struct store *store, const struct store_domain *of,
                               struct arena *arena, struct store_failed_size **rows, size_t *count,
                               struct error *error)
{
    SELECTION(struct store_failed_size, selection,
              "WITH failures AS (SELECT reason FROM domains"
              "  WHERE experiment_id = ?1 AND problem_key = ?2"
              " UNION ALL SELECT g.detail FROM problems AS p"
              "  JOIN gauntlets AS g ON g.problem_id = p.id"
              "  WHERE p.experiment_id = ?1 AND p.key = ?2 AND NOT g.passed)"
              " SELECT DISTINCT CAST(substr(reason, length('" STORE_FAILED_AT "') + 1) AS INTEGER)"
              " AS n FROM failures WHERE reason LIKE '" STORE_FAILED_AT "%' ORDER BY n",
              SELECTED(n, INTEGER));
    return store_select(store, &selection,
                        STORE_VALUES(value_integer(of->experiment_id), value_text(of->problem_key)),
                        arena, rows, count, error);
}
