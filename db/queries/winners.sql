-- The winner of each device, problem, n and mode, with the baselines beside it. Gains compare the
-- times of the finals when both have one, else those of the sweep.
-- :words  experiment names and problem keys (a JSON array; NULL: all); "reduce.sum" takes in
--         "reduce.sum.i32"
-- :n      one size (NULL: all)
WITH chosen AS (
    SELECT w.*, e.device_id, x.name AS experiment, p.key AS problem, p.n, p.bytes_moved,
           row_number() OVER (
               PARTITION BY e.device_id, x.name, p.key, p.n, w.l2_mode
               ORDER BY w.run_id DESC, w.chosen_at DESC, w.id DESC) AS place
    FROM winners AS w
    JOIN environments AS e ON e.id = w.environment_id
    JOIN problems AS p ON p.id = w.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    WHERE (:n IS NULL OR p.n = :n)
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE x.name = word.value OR p.key = word.value
             OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
),
timed AS (
    SELECT chosen.*, t.configuration_id, points.sweep_ns, points.final_ns,
           coalesce(points.final_ns, points.sweep_ns) AS time_ns,
           CASE WHEN points.final_ns IS NULL THEN 'sweep' ELSE 'final' END AS stage
    FROM chosen
    JOIN trials AS t ON t.id = chosen.trial_id
    JOIN points USING (environment_id, problem_id, configuration_id, l2_mode)
    WHERE chosen.place = 1
)
SELECT d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid, e.driver, e.compiler,
       timed.l2_mode, ceilings.read_gbs AS read_ceiling_gbs,
       timed.experiment, timed.problem, timed.n, timed.stage, timed.time_ns,
       nullif(timed.bytes_moved, 0) / timed.time_ns AS gbs,
       100 * nullif(timed.bytes_moved, 0) / timed.time_ns / ceilings.read_gbs
           AS read_ceiling_percent,
       timed.candidate_count, timed.chosen_at, timed.trial_id,
       (SELECT json_group_array(json_object(
                   'name', b.name, 'about', b.about, 'configuration', bc.key,
                   'time_ns', CASE WHEN timed.final_ns IS NULL
                                   THEN coalesce(bp.sweep_ns, bp.final_ns)
                                   ELSE coalesce(bp.final_ns, bp.sweep_ns) END,
                   'gain', coalesce(bp.final_ns / timed.final_ns, bp.sweep_ns / timed.sweep_ns)))
        FROM baselines AS b
        JOIN configurations AS bc ON bc.id = b.configuration_id
        LEFT JOIN points AS bp
            ON bp.environment_id = b.environment_id AND bp.problem_id = b.problem_id
            AND bp.configuration_id = b.configuration_id AND bp.l2_mode = timed.l2_mode
        WHERE b.environment_id = timed.environment_id AND b.problem_id = timed.problem_id)
           AS baselines,
       c.key AS configuration, c.parameters
FROM timed
JOIN devices AS d ON d.id = timed.device_id
JOIN environments AS e ON e.id = timed.environment_id
LEFT JOIN latest_ceilings AS ceilings ON ceilings.environment_id = timed.environment_id
JOIN configurations AS c ON c.id = timed.configuration_id
ORDER BY d.kind DESC, d.id, timed.l2_mode, timed.experiment, timed.problem, timed.n;
