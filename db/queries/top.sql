-- The best points of each problem as it was tried last, once for each objective that was asked for.
-- Those that fresh processes confirmed come first, by what was measured then; behind them what was
-- raced, by the race; behind these the others by their time in the sweep: the three are never
-- compared. (Baselines are measured in every stage whatever their time: one that is slower than all
-- others of a stage takes its place by the stage before.)
-- Configurations that launch exactly the same show once.
-- :words  experiment names and problem keys (a JSON array; NULL: all)
-- :n      one size (NULL: all)
-- :objective  what was made small (NULL: all)
-- :top    how many of each problem
WITH chosen AS (
    SELECT l.*, e.device_id, x.name AS experiment, p.key AS problem, p.n, p.bytes_moved,
           w.configuration_id AS winner_id
    FROM latest_problems AS l
    JOIN environments AS e ON e.id = l.environment_id
    JOIN problems AS p ON p.id = l.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    LEFT JOIN (SELECT winners.environment_id, winners.problem_id, winners.l2_mode,
                      winners.objective, m.configuration_id
               FROM winners
               JOIN trials AS t ON t.id = winners.trial_id
               JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)) AS w
        ON w.environment_id = l.environment_id AND w.problem_id = l.problem_id
        AND w.l2_mode = l.l2_mode AND w.objective = l.objective
    WHERE (:n IS NULL OR p.n = :n)
      AND (:objective IS NULL OR l.objective = :objective)
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE x.name = word.value OR p.key = word.value
             OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
),
-- Whatever raced and the baselines; of the others as many of the fastest as can be among the best: what
-- raced, and what launches the same as that, takes none of their places. (LIMIT may not name columns.)
candidates AS MATERIALIZED (
    SELECT chosen.environment_id, chosen.problem_id, chosen.l2_mode, chosen.objective,
           t.configuration_id
    FROM chosen
    CROSS JOIN trials AS t ON t.id IN (
        SELECT s.id FROM trials AS s
        WHERE s.problem_id = chosen.problem_id AND s.environment_id = chosen.environment_id
          AND s.l2_mode = chosen.l2_mode AND s.stage = 'sweep' AND s.status = 'ok'
          AND s.same_as_trial_id IS NULL AND s.median_ns IS NOT NULL
        ORDER BY s.median_ns, s.configuration_id
        LIMIT CAST(:top AS INTEGER) + (
            SELECT coalesce(max(raced), 0)
            FROM (SELECT count(*) AS raced FROM trials WHERE stage <> 'sweep'
                  GROUP BY environment_id, problem_id, l2_mode, objective)))
    UNION
    SELECT chosen.environment_id, chosen.problem_id, chosen.l2_mode, chosen.objective,
           t.configuration_id
    FROM chosen
    CROSS JOIN trials AS t
        ON t.environment_id = chosen.environment_id AND t.problem_id = chosen.problem_id
        AND t.l2_mode = chosen.l2_mode AND t.objective = chosen.objective AND t.stage <> 'sweep'
    UNION
    SELECT chosen.environment_id, chosen.problem_id, chosen.l2_mode, chosen.objective,
           b.configuration_id
    FROM chosen
    JOIN baselines AS b
        ON b.environment_id = chosen.environment_id AND b.problem_id = chosen.problem_id
),
-- CROSS: points are looked up, by their configurations, and no others are made.
tried AS MATERIALIZED (
    SELECT chosen.*, points.*,
           iif(chosen.objective = 'time', race_ns, race_value) AS race_by,
           iif(chosen.objective = 'time', confirm_ns, confirm_value) AS confirm_by
    FROM candidates
    JOIN chosen USING (environment_id, problem_id, l2_mode, objective)
    CROSS JOIN points USING (environment_id, problem_id, l2_mode, objective, configuration_id)
    WHERE coalesce(points.final_ns, points.sweep_ns) IS NOT NULL
),
named AS MATERIALIZED (
    SELECT tried.environment_id, tried.problem_id, tried.l2_mode, tried.objective,
           tried.measured_configuration_id, group_concat(b.name, ', ') AS baseline
    FROM baselines AS b
    JOIN tried USING (environment_id, problem_id, configuration_id)
    GROUP BY 1, 2, 3, 4, 5
),
marked AS (
    SELECT tried.*, named.baseline
    FROM tried
    LEFT JOIN named
        USING (environment_id, problem_id, l2_mode, objective, measured_configuration_id)
    WHERE tried.configuration_id = tried.measured_configuration_id
),
staged AS (
    SELECT marked.*,
           CASE WHEN confirm_by <= max(iif(baseline IS NULL, confirm_by, NULL)) OVER problem
                THEN 'confirm'
                WHEN race_by <= max(iif(baseline IS NULL, race_by, NULL)) OVER problem THEN 'race'
                WHEN sweep_ns IS NOT NULL THEN 'sweep'
                ELSE final_stage END AS stage
    FROM marked
    WINDOW problem AS (PARTITION BY environment_id, problem_id, l2_mode, objective)
),
timed AS (
    SELECT staged.*,
           CASE stage WHEN 'confirm' THEN confirm_by WHEN 'race' THEN race_by ELSE sweep_ns END
               AS ranked_by,
           CASE stage WHEN 'confirm' THEN confirm_ns WHEN 'race' THEN race_ns ELSE sweep_ns END
               AS time_ns,
           CASE stage WHEN 'confirm' THEN confirm_mad_ns WHEN 'race' THEN race_mad_ns
                      ELSE sweep_mad_ns END AS mad_ns,
           CASE stage WHEN 'confirm' THEN confirm_trial_id WHEN 'race' THEN race_trial_id
                      ELSE sweep_trial_id END AS trial_id,
           CASE stage WHEN 'confirm' THEN confirm_value WHEN 'race' THEN race_value END AS value
    FROM staged
),
ranked AS (
    SELECT timed.*,
           row_number() OVER (
               PARTITION BY environment_id, problem_id, l2_mode, objective
               ORDER BY stage = 'confirm' DESC, stage = 'race' DESC, ranked_by,
                        configuration_id) AS place
    FROM timed
)
SELECT d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid, e.driver, e.compiler,
       ranked.l2_mode, ceilings.ceiling, ceilings.gbs AS ceiling_gbs,
       ranked.experiment, ranked.problem, ranked.n, ranked.objective, ranked.place, ranked.stage,
       ranked.time_ns, 100 * ranked.mad_ns / ranked.time_ns AS spread_percent, ranked.value,
       nullif(ranked.bytes_moved, 0) / ranked.time_ns AS gbs,
       -- clearly above the ceiling it comes out of a cache, or the ceiling is wrong
       iif(ranked.bytes_moved / ranked.time_ns <= 1.02 * ceilings.gbs,
           100 * nullif(ranked.bytes_moved, 0) / ranked.time_ns / ceilings.gbs, NULL) AS ceiling_percent,
       100 * ranked.occupancy AS occupancy_percent,
       (SELECT r.registers FROM resources AS r
        WHERE r.trial_id IN (ranked.trial_id, ranked.sweep_trial_id) AND r.launch = 0
        ORDER BY r.registers IS NULL LIMIT 1) AS registers,
       ranked.grid, iif(json_extract(d.facts, '$.sm_count'), ranked.block, NULL) AS block, ranked.launch_count,
       CASE WHEN ranked.configuration_id = ranked.winner_id
            THEN 'winner' || coalesce(', ' || ranked.baseline, '')
            ELSE ranked.baseline END AS mark,
       (SELECT coalesce(t.deviation, m.deviation) FROM trials AS t LEFT JOIN trials AS m ON m.id = t.same_as_trial_id
        WHERE t.id = ranked.sweep_trial_id) AS deviation,
       (SELECT metrics FROM trials WHERE id = ranked.trial_id) AS metrics, ranked.trial_id,
       c.key AS configuration, c.parameters
FROM ranked
JOIN devices AS d ON d.id = ranked.device_id
JOIN environments AS e ON e.id = ranked.environment_id
LEFT JOIN problem_ceilings AS ceilings
    ON ceilings.environment_id = ranked.environment_id AND ceilings.problem_id = ranked.problem_id
JOIN configurations AS c ON c.id = ranked.configuration_id
WHERE ranked.place <= CAST(:top AS INTEGER)
ORDER BY d.kind DESC, d.id, ranked.l2_mode, ranked.objective <> 'time', ranked.objective,
         ranked.experiment, ranked.problem, ranked.n, ranked.place;
