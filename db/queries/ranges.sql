-- Ranges of sizes with one configuration, as they were found last: what it loses at most against the
-- best at the sizes that were measured, and at those between that were looked at. An interval without an
-- upper end (of too few rounds) has none in `checks`: JSON knows no infinity.
-- :words      experiment names and problem keys (a JSON array; NULL: all)
-- :n          only the range that holds it (NULL: all)
-- :objective  what was made small (NULL: time)
WITH latest AS (
    SELECT g.*, e.device_id, x.name AS experiment,
           dense_rank() OVER (
               PARTITION BY e.device_id, x.name, g.problem_key, g.l2_mode
               ORDER BY g.run_id DESC, g.environment_id DESC, g.experiment_id DESC) AS place
    FROM valid_ranges AS g
    JOIN environments AS e ON e.id = g.environment_id
    JOIN experiments AS x ON x.id = g.experiment_id
    WHERE g.objective = coalesce(:objective, 'time')
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE x.name = word.value OR g.problem_key = word.value
             OR substr(g.problem_key, 1, length(word.value) + 1) = word.value || '.'))
),
-- In older databases a look at a measured size that exceeds the bound was at a configuration which did not hold there,
-- and the sizes were cut anew: the range has another.
looked AS (
    SELECT range_id, sum(measured) AS sizes_measured, sum(NOT measured) AS sizes_between,
           max(CASE WHEN measured THEN loss END) AS loss_measured,
           max(CASE WHEN NOT measured THEN loss END) AS loss_between,
           json_group_array(json_object(
               'n', n, 'sizes', nullif(shape, ''), 'measured', json(iif(measured, 'true', 'false')), 'loss', loss,
               'loss_low', loss_low, 'loss_high',
               iif(loss_high < 9e999, loss_high, NULL), 'best', best)) AS checks
    FROM (SELECT k.*, c.key AS best
          FROM range_checks AS k
          JOIN latest ON latest.id = k.range_id
          LEFT JOIN configurations AS c ON c.id = k.best_configuration_id
          WHERE NOT k.measured OR latest.bound IS NULL OR k.loss_high <= latest.bound + 1e-9
                OR k.loss_high <= 0
          ORDER BY k.range_id, k.n, k.shape)
    GROUP BY range_id
)
SELECT d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid, e.driver, e.compiler,
       latest.l2_mode, latest.objective, latest.experiment, latest.problem_key AS problem,
       latest.n_low, latest.n_high, nullif(latest.further, '') AS further, 100 * latest.within AS within_percent,
       100 * latest.bound AS bound_percent, looked.sizes_measured,
       100 * max(0, looked.loss_measured) AS measured_loss_percent, looked.sizes_between,
       100 * max(0, looked.loss_between) AS between_loss_percent, looked.checks, latest.chosen_at,
       latest.run_id AS run, c.key AS configuration, c.parameters, k.formula AS domain, k.reason AS domain_reason
FROM latest
JOIN devices AS d ON d.id = latest.device_id
JOIN environments AS e ON e.id = latest.environment_id
JOIN configurations AS c ON c.id = latest.configuration_id
LEFT JOIN domains AS k
    ON k.environment_id = latest.environment_id AND k.experiment_id = latest.experiment_id
    AND k.problem_key = latest.problem_key AND k.configuration_id = latest.configuration_id
LEFT JOIN looked ON looked.range_id = latest.id
WHERE latest.place = 1 AND (:n IS NULL OR CAST(:n AS INTEGER) BETWEEN latest.n_low AND latest.n_high)
ORDER BY d.kind DESC, d.id, latest.l2_mode, latest.experiment, latest.problem_key, latest.n_low,
         latest.further;
