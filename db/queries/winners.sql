-- The winner of each device, problem, n, mode and objective, with the baselines beside it: their times
-- in the winner's own stage before others, and the gain, which is of the rounds that both were in.
-- :words  experiment names and problem keys (a JSON array; NULL: all); "reduce.sum" takes in
--         "reduce.sum.i32"
-- :n      one size (NULL: all)
-- :objective  what was made small (NULL: all)
WITH chosen AS (
    SELECT w.*, p.bytes_moved
    FROM latest_winners AS w
    JOIN problems AS p ON p.id = w.problem_id
    WHERE (:n IS NULL OR w.n = :n)
      AND (:objective IS NULL OR w.objective = :objective)
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE w.experiment = word.value OR w.problem = word.value
             OR substr(w.problem, 1, length(word.value) + 1) = word.value || '.'))
),
reached AS (
    SELECT chosen.*, points.sweep_ns, points.race_ns, points.confirm_ns,
           points.sweep_trial_id, points.race_trial_id, points.confirm_trial_id,
           CASE WHEN chosen.stage = 'confirm' AND points.confirm_ns IS NOT NULL THEN 'confirm'
                WHEN chosen.stage = 'sweep' AND points.sweep_ns IS NOT NULL THEN 'sweep'
                WHEN points.race_ns IS NOT NULL THEN 'race'
                WHEN points.confirm_ns IS NOT NULL THEN 'confirm'
                ELSE 'sweep' END AS timed_in
    FROM chosen
    -- CROSS: a point is looked up, by its configuration, and no other is made.
    CROSS JOIN points USING (environment_id, problem_id, configuration_id, l2_mode, objective)
),
timed AS (
    SELECT *, CASE timed_in WHEN 'confirm' THEN confirm_ns WHEN 'race' THEN race_ns
                            ELSE sweep_ns END AS time_ns
    FROM reached
),
gained AS MATERIALIZED (
    SELECT gains.*
    FROM timed
    CROSS JOIN gains
        ON gains.winner_id = timed.id AND gains.configuration_id = timed.configuration_id
),
-- Baselines not shown to be slower than the fastest, and whether they are shown to be as fast (the view `standings`).
-- Duplicates of a launch represent them.
as_good AS MATERIALIZED (
    SELECT timed.id AS winner_id, b.name AS baseline,
           max(k.configuration_id = timed.configuration_id
               OR (k.proven AND k.difference_low > -9e999 AND k.difference_high < 9e999)) AS is_shown
    FROM timed
    CROSS JOIN baselines AS b
        ON b.environment_id = timed.environment_id AND b.problem_id = timed.problem_id
    CROSS JOIN contenders AS k ON k.winner_id = timed.id AND k.tied = 1
    CROSS JOIN alike
        ON alike.environment_id = b.environment_id AND alike.problem_id = b.problem_id
        AND alike.l2_mode = timed.l2_mode AND alike.configuration_id = b.configuration_id
        AND alike.other_configuration_id = k.configuration_id
    GROUP BY 1, 2
),
beside AS MATERIALIZED (
    SELECT timed.id, points.configuration_id, points.sweep_ns, points.race_ns, points.confirm_ns
    FROM timed
    CROSS JOIN baselines AS b
        ON b.environment_id = timed.environment_id AND b.problem_id = timed.problem_id
    CROSS JOIN points
        ON points.environment_id = b.environment_id AND points.problem_id = b.problem_id
        AND points.configuration_id = b.configuration_id AND points.l2_mode = timed.l2_mode
        AND points.objective = timed.objective
),
compared AS (
    SELECT timed.id, b.name, b.about, bc.key AS configuration,
           CASE timed.timed_in
               WHEN 'confirm' THEN coalesce(bp.confirm_ns, bp.race_ns, bp.sweep_ns)
               WHEN 'race' THEN coalesce(bp.race_ns, bp.confirm_ns, bp.sweep_ns)
               ELSE coalesce(bp.sweep_ns, bp.race_ns, bp.confirm_ns) END AS time_ns,
           gained.gain, gained.gain_low, gained.gain_high,
           CASE WHEN gained.gain IS NULL THEN NULL
                WHEN as_good.is_shown THEN 'as fast'
                WHEN as_good.winner_id IS NOT NULL THEN 'not compared'
                WHEN gained.gain_low > 1 THEN 'slower' END AS standing
    FROM timed
    JOIN baselines AS b
        ON b.environment_id = timed.environment_id AND b.problem_id = timed.problem_id
    JOIN configurations AS bc ON bc.id = b.configuration_id
    LEFT JOIN beside AS bp ON bp.id = timed.id AND bp.configuration_id = b.configuration_id
    LEFT JOIN gained ON gained.winner_id = timed.id AND gained.baseline = b.name
    LEFT JOIN as_good ON as_good.winner_id = timed.id AND as_good.baseline = b.name
),
-- The nearest baseline: the best without tuning.
nearest AS (
    SELECT id, name, about, gain, gain_low, gain_high, standing,
           row_number() OVER (PARTITION BY id ORDER BY coalesce(standing <> 'slower', 0) DESC, gain, name) AS place
    FROM compared
    WHERE gain IS NOT NULL
)
SELECT d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid, e.driver, e.compiler,
       timed.l2_mode, ceilings.ceiling, ceilings.gbs AS ceiling_gbs,
       timed.experiment, timed.problem, timed.n, timed.objective, timed.timed_in AS stage,
       timed.time_ns, nullif(timed.bytes_moved, 0) / timed.time_ns AS gbs,
       -- clearly above the ceiling it comes out of a cache, or the ceiling is wrong
       iif(timed.bytes_moved / timed.time_ns <= 1.02 * ceilings.gbs,
           100 * nullif(timed.bytes_moved, 0) / timed.time_ns / ceilings.gbs, NULL) AS ceiling_percent,
       timed.time_low_ns, timed.time_high_ns, timed.value, 100 * timed.claim AS claim_percent,
       timed.confidence,
       counted.as_fast, counted.not_compared, iif(timed.kept_incumbent, 'true', 'false') AS kept_incumbent,
       headlines.verdict, headlines.headline,
       timed.trust_reason AS verdict_reason, 100 * timed.floor AS floor_percent,
       timed.candidate_count, timed.coverage, timed.points AS points_tried, timed.space_count, timed.failures,
       100 * timed.chance_of_better AS chance_percent, 100 * timed.most_better AS most_percent, timed.compared,
       nullif(timed.compared / 3, 0) AS wrong_less_than_once_in, timed.chosen_at, timed.trial_id, timed.id AS winner_id,
       nearest.gain, nearest.gain_low, nearest.gain_high, nearest.standing AS gain_standing,
       nearest.name AS gain_over,
       nearest.about AS gain_over_about,
       (SELECT json_group_array(json_object(
                   'name', compared.name, 'about', compared.about,
                   'configuration', compared.configuration, 'time_ns', compared.time_ns,
                   'gain', compared.gain, 'gain_low', compared.gain_low,
                   'gain_high', compared.gain_high,
                   'standing', compared.standing))
        FROM compared WHERE compared.id = timed.id) AS baselines,
       (SELECT metrics FROM trials
        WHERE id = CASE timed.timed_in WHEN 'confirm' THEN timed.confirm_trial_id
                                       WHEN 'race' THEN timed.race_trial_id
                                       ELSE timed.sweep_trial_id END) AS metrics,
       (SELECT coalesce(t.deviation, m.deviation) FROM trials AS t LEFT JOIN trials AS m ON m.id = t.same_as_trial_id
        WHERE t.id = timed.sweep_trial_id) AS deviation,
       (SELECT min(t.deviation) FROM baselines AS b
        CROSS JOIN trials AS t
            ON t.environment_id = b.environment_id AND t.problem_id = b.problem_id
            AND t.configuration_id = b.configuration_id AND t.stage = 'sweep' AND t.objective = 'time'
            AND t.l2_mode = timed.l2_mode
        WHERE b.environment_id = timed.environment_id AND b.problem_id = timed.problem_id) AS baseline_deviation,
       c.key AS configuration, c.parameters,
       (SELECT json_group_array(json_object(
                   'kernel', r.kernel, 'grid', json_array(r.grid_x, r.grid_y, r.grid_z),
                   'block', json_array(r.block_x, r.block_y, r.block_z),
                   'dynamic_shared_bytes', r.dynamic_shared_bytes,
                   'cluster', json(iif(r.cluster_x * r.cluster_y * r.cluster_z > 1,
                                       json_array(r.cluster_x, r.cluster_y, r.cluster_z), NULL)),
                   'cooperative', json(iif(r.cooperative, 'true', NULL)),
                   'threads', nullif(r.threads, 0)))
        FROM (SELECT * FROM resources
              WHERE trial_id = (SELECT min(trial_id) FROM resources
                                WHERE trial_id IN (timed.sweep_trial_id, timed.race_trial_id,
                                                   timed.confirm_trial_id))
              ORDER BY launch) AS r) AS launches
FROM timed
JOIN devices AS d ON d.id = timed.device_id
JOIN environments AS e ON e.id = timed.environment_id
LEFT JOIN problem_ceilings AS ceilings
    ON ceilings.environment_id = timed.environment_id AND ceilings.problem_id = timed.problem_id
JOIN configurations AS c ON c.id = timed.configuration_id
JOIN headlines ON headlines.winner_id = timed.id
LEFT JOIN nearest ON nearest.id = timed.id AND nearest.place = 1
LEFT JOIN equals AS counted ON counted.winner_id = timed.id
ORDER BY d.kind DESC, d.id, timed.l2_mode, timed.objective <> 'time', timed.objective,
         timed.experiment, timed.problem, timed.n;
