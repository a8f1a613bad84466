-- Sizes with the configuration that programs get there: the ranges found last, and the sizes outside of them.
-- What it loses at most against the best at the sizes that were measured, and at those between that were
-- looked at. An interval without an upper end (of too few rounds) has none in `checks`: JSON knows no infinity.
-- :words      experiment names and problem keys (a JSON array; NULL: all)
-- :n          only the range that holds it (NULL: all)
-- :objective  what was made small (NULL: time)
-- :picks      [[ranges.id or -1, winners.id, trials.id, loss], ...]: what tuned.conf has in the place of a
--             range's or winner's configuration (NULL: nothing)
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
picks AS (
    SELECT json_extract(j.value, '$[0]') AS range_id, json_extract(j.value, '$[1]') AS winner_id,
           t.configuration_id, max(json_extract(j.value, '$[3]')) AS loss
    FROM json_each(coalesce(:picks, '[]')) AS j
    JOIN trials AS t ON t.id = json_extract(j.value, '$[2]')
    GROUP BY iif(json_extract(j.value, '$[0]') > 0, json_extract(j.value, '$[0]'), -json_extract(j.value, '$[1]'))
),
served AS (
    SELECT latest.device_id, latest.environment_id, latest.experiment_id, latest.experiment,
           latest.problem_key, latest.l2_mode, latest.objective, latest.n_low, latest.n_high, latest.further,
           latest.within, coalesce(picks.loss, latest.bound) AS bound, latest.chosen_at, latest.run_id,
           coalesce(picks.configuration_id, latest.configuration_id) AS configuration_id,
           iif(picks.loss IS NULL, latest.id, NULL) AS looked_id
    FROM latest
    LEFT JOIN picks ON picks.range_id = latest.id
    WHERE latest.place = 1
    UNION ALL
    SELECT w.device_id, w.environment_id, w.experiment_id, w.experiment, w.problem, w.l2_mode, w.objective,
           w.n, w.n, '', NULL, coalesce(picks.loss, 0), w.chosen_at, w.run_id,
           coalesce(picks.configuration_id, w.configuration_id), NULL
    FROM latest_winners AS w
    JOIN problems AS p ON p.id = w.problem_id
    LEFT JOIN picks ON picks.winner_id = w.id AND picks.range_id < 0
    WHERE w.objective = coalesce(:objective, 'time') AND w.stage <> 'sweep' AND w.trust IS NOT 'unstable'
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE w.experiment = word.value OR w.problem = word.value
             OR substr(w.problem, 1, length(word.value) + 1) = word.value || '.'))
      AND NOT EXISTS (
          SELECT 1 FROM latest
          WHERE latest.place = 1 AND latest.device_id = w.device_id AND latest.experiment = w.experiment
            AND latest.l2_mode = w.l2_mode AND latest.problem_key = coalesce(p.family, w.problem)
            AND (p.family IS NOT NULL OR w.n BETWEEN latest.n_low AND latest.n_high))
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
       served.l2_mode, served.objective, served.experiment, served.problem_key AS problem,
       served.n_low, served.n_high, nullif(served.further, '') AS further, 100 * served.within AS within_percent,
       100 * served.bound AS bound_percent, looked.sizes_measured,
       100 * max(0, looked.loss_measured) AS measured_loss_percent, looked.sizes_between,
       100 * max(0, looked.loss_between) AS between_loss_percent, looked.checks, served.chosen_at,
       served.run_id AS run, c.key AS configuration, c.parameters,
       -- A tuple of sizes has the numbers of its names.
       CASE WHEN k.formula GLOB '[0-9]*x*' AND k.formula NOT GLOB '*[^0-9x]*' THEN NULL ELSE k.formula END AS domain,
       k.reason AS domain_reason
FROM served
JOIN devices AS d ON d.id = served.device_id
JOIN environments AS e ON e.id = served.environment_id
JOIN configurations AS c ON c.id = served.configuration_id
LEFT JOIN domains AS k
    ON k.environment_id = served.environment_id AND k.experiment_id = served.experiment_id
    AND k.problem_key = served.problem_key AND k.configuration_id = served.configuration_id
LEFT JOIN looked ON looked.range_id = served.looked_id
WHERE (:n IS NULL OR CAST(:n AS INTEGER) BETWEEN served.n_low AND served.n_high)
ORDER BY d.kind DESC, d.id, served.l2_mode, served.experiment, served.problem_key, served.n_low,
         served.further;
