-- The fastest points of each problem as it was tried last. Finalists come first, by their time in
-- the finals; behind them the others by their time in the sweep, since the two are never compared.
-- (Baselines are measured in the finals whatever their time: one that is slower than every finalist
-- takes its place by its time in the sweep.)
-- Configurations that launch exactly the same show once.
-- :words  experiment names and problem keys (a JSON array; NULL: all)
-- :n      one size (NULL: all)
-- :top    how many of each problem
WITH chosen AS (
    SELECT l.*, e.device_id, x.name AS experiment, p.key AS problem, p.n, p.bytes_moved,
           w.configuration_id AS winner_id
    FROM latest_problems AS l
    JOIN environments AS e ON e.id = l.environment_id
    JOIN problems AS p ON p.id = l.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    LEFT JOIN (SELECT winners.environment_id, winners.problem_id, winners.l2_mode,
                      m.configuration_id
               FROM winners
               JOIN trials AS t ON t.id = winners.trial_id
               JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)) AS w
        ON w.environment_id = l.environment_id AND w.problem_id = l.problem_id
        AND w.l2_mode = l.l2_mode
    WHERE (:n IS NULL OR p.n = :n)
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE x.name = word.value OR p.key = word.value
             OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
),
tried AS MATERIALIZED (
    SELECT chosen.*, points.*
    FROM chosen
    JOIN points USING (environment_id, problem_id, l2_mode)
    WHERE coalesce(points.final_ns, points.sweep_ns) IS NOT NULL
),
named AS MATERIALIZED (
    SELECT tried.environment_id, tried.problem_id, tried.l2_mode, tried.measured_configuration_id,
           group_concat(b.name, ', ') AS baseline
    FROM baselines AS b
    JOIN tried USING (environment_id, problem_id, configuration_id)
    GROUP BY 1, 2, 3, 4
),
marked AS (
    SELECT tried.*, named.baseline
    FROM tried
    LEFT JOIN named USING (environment_id, problem_id, l2_mode, measured_configuration_id)
    WHERE tried.configuration_id = tried.measured_configuration_id
),
raced AS (
    SELECT marked.*,
           final_ns IS NOT NULL AND final_ns <= max(CASE WHEN baseline IS NULL THEN final_ns END)
               OVER (PARTITION BY environment_id, problem_id, l2_mode) AS finalist
    FROM marked
),
ranked AS (
    SELECT raced.*,
           row_number() OVER (
               PARTITION BY environment_id, problem_id, l2_mode
               ORDER BY coalesce(finalist, 0) DESC,
                        CASE WHEN finalist THEN final_ns ELSE coalesce(sweep_ns, final_ns) END,
                        configuration_id) AS place,
           CASE WHEN finalist OR sweep_ns IS NULL THEN 'final' ELSE 'sweep' END AS stage,
           CASE WHEN finalist OR sweep_ns IS NULL THEN final_ns ELSE sweep_ns END AS time_ns,
           CASE WHEN finalist OR sweep_ns IS NULL THEN final_mad_ns ELSE sweep_mad_ns END AS mad_ns,
           CASE WHEN finalist OR sweep_ns IS NULL THEN final_trial_id ELSE sweep_trial_id END
               AS trial_id
    FROM raced
)
SELECT d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid, e.driver, e.compiler,
       ranked.l2_mode, ceilings.read_gbs AS read_ceiling_gbs,
       ranked.experiment, ranked.problem, ranked.n, ranked.place, ranked.stage, ranked.time_ns,
       100 * ranked.mad_ns / ranked.time_ns AS spread_percent,
       nullif(ranked.bytes_moved, 0) / ranked.time_ns AS gbs,
       100 * nullif(ranked.bytes_moved, 0) / ranked.time_ns / ceilings.read_gbs
           AS read_ceiling_percent,
       100 * ranked.occupancy AS occupancy_percent,
       (SELECT r.registers FROM resources AS r
        WHERE r.trial_id IN (ranked.trial_id, ranked.sweep_trial_id) AND r.launch = 0
        ORDER BY r.registers IS NULL LIMIT 1) AS registers,
       ranked.grid, CASE d.kind WHEN 'cuda' THEN ranked.block END AS block, ranked.launch_count,
       CASE WHEN ranked.configuration_id = ranked.winner_id
            THEN 'winner' || coalesce(', ' || ranked.baseline, '')
            ELSE ranked.baseline END AS mark,
       ranked.trial_id, c.key AS configuration, c.parameters
FROM ranked
JOIN devices AS d ON d.id = ranked.device_id
JOIN environments AS e ON e.id = ranked.environment_id
LEFT JOIN latest_ceilings AS ceilings ON ceilings.environment_id = ranked.environment_id
JOIN configurations AS c ON c.id = ranked.configuration_id
WHERE ranked.place <= CAST(:top AS INTEGER)
ORDER BY d.kind DESC, d.id, ranked.l2_mode, ranked.experiment, ranked.problem, ranked.n,
         ranked.place;
