-- Each baseline of the problems as they were tried last, beside the winner, once for each objective
-- that was asked for: both times of one stage, of the processes that confirmed, else of the race, else
-- of the sweep; and the winner's gain, which is of the rounds that both were in.
-- :words  experiment names and problem keys (a JSON array; NULL: all)
-- :n      one size (NULL: all)
-- :objective  what was made small (NULL: all)
WITH needed AS (
    SELECT l.environment_id, l.problem_id, l.l2_mode, l.objective, b.configuration_id
    FROM latest_problems AS l
    JOIN baselines AS b ON b.environment_id = l.environment_id AND b.problem_id = l.problem_id
    UNION
    SELECT w.environment_id, w.problem_id, w.l2_mode, w.objective, t.configuration_id
    FROM winners AS w
    JOIN trials AS t ON t.id = w.trial_id
),
-- CROSS: points are looked up, by their configurations, and no others are made.
near AS MATERIALIZED (
    SELECT points.*
    FROM needed
    CROSS JOIN points USING (environment_id, problem_id, l2_mode, objective, configuration_id)
),
chosen AS (
    SELECT l.*, e.device_id, x.name AS experiment, p.key AS problem, p.n, p.bytes_moved,
           w.id AS winner_id, w.trust, t.configuration_id AS winner_configuration_id, wp.sweep_ns,
           wp.race_ns, wp.confirm_ns
    FROM latest_problems AS l
    JOIN environments AS e ON e.id = l.environment_id
    JOIN problems AS p ON p.id = l.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    LEFT JOIN winners AS w
        ON w.environment_id = l.environment_id AND w.problem_id = l.problem_id
        AND w.l2_mode = l.l2_mode AND w.objective = l.objective
    LEFT JOIN trials AS t ON t.id = w.trial_id
    LEFT JOIN near AS wp
        ON wp.environment_id = l.environment_id AND wp.problem_id = l.problem_id
        AND wp.configuration_id = t.configuration_id AND wp.l2_mode = l.l2_mode
        AND wp.objective = l.objective
    WHERE (:n IS NULL OR p.n = :n)
      AND (:objective IS NULL OR l.objective = :objective)
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE x.name = word.value OR p.key = word.value
             OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
),
gained AS MATERIALIZED (
    SELECT gains.*
    FROM chosen
    CROSS JOIN gains
        ON gains.winner_id = chosen.winner_id
        AND gains.configuration_id = chosen.winner_configuration_id
),
-- Baselines not shown to be slower than the fastest, and whether they are shown to be as fast (the view `standings`).
-- Duplicates of a launch represent them.
as_good AS MATERIALIZED (
    SELECT chosen.winner_id AS winner_id, b.name AS baseline,
           max(k.configuration_id = chosen.winner_configuration_id
               OR (k.proven AND k.difference_low > -9e999 AND k.difference_high < 9e999)) AS is_shown
    FROM chosen
    CROSS JOIN baselines AS b
        ON b.environment_id = chosen.environment_id AND b.problem_id = chosen.problem_id
    CROSS JOIN contenders AS k ON k.winner_id = chosen.winner_id AND k.tied = 1
    CROSS JOIN alike
        ON alike.environment_id = b.environment_id AND alike.problem_id = b.problem_id
        AND alike.l2_mode = chosen.l2_mode AND alike.configuration_id = b.configuration_id
        AND alike.other_configuration_id = k.configuration_id
    GROUP BY 1, 2
),
beside AS (
    SELECT chosen.*, b.name AS baseline, b.about, bc.key AS configuration,
           bp.sweep_ns AS own_sweep_ns, bp.race_ns AS own_race_ns, bp.confirm_ns AS own_confirm_ns,
           CASE WHEN chosen.confirm_ns IS NOT NULL AND bp.confirm_ns IS NOT NULL THEN 'confirm'
                WHEN chosen.race_ns IS NOT NULL AND bp.race_ns IS NOT NULL THEN 'race'
                WHEN chosen.sweep_ns IS NOT NULL AND bp.sweep_ns IS NOT NULL THEN 'sweep'
                END AS shared, t.status, t.detail, bp.sweep_trial_id AS own_sweep_trial_id,
           bp.race_trial_id AS own_race_trial_id, bp.confirm_trial_id AS own_confirm_trial_id
    FROM chosen
    JOIN baselines AS b
        ON b.environment_id = chosen.environment_id AND b.problem_id = chosen.problem_id
    JOIN configurations AS bc ON bc.id = b.configuration_id
    LEFT JOIN near AS bp
        ON bp.environment_id = b.environment_id AND bp.problem_id = b.problem_id
        AND bp.configuration_id = b.configuration_id AND bp.l2_mode = chosen.l2_mode
        AND bp.objective = chosen.objective
    LEFT JOIN trials AS t ON t.id = coalesce(bp.final_trial_id, bp.sweep_trial_id)
),
timed AS (
    SELECT *,
           CASE shared WHEN 'confirm' THEN own_confirm_ns WHEN 'race' THEN own_race_ns
                       WHEN 'sweep' THEN own_sweep_ns
                       ELSE coalesce(own_confirm_ns, own_race_ns, own_sweep_ns) END AS time_ns,
           CASE coalesce(shared, CASE WHEN own_confirm_ns IS NOT NULL THEN 'confirm'
                                      WHEN own_race_ns IS NOT NULL THEN 'race' END)
                WHEN 'confirm' THEN own_confirm_trial_id WHEN 'race' THEN own_race_trial_id
                ELSE own_sweep_trial_id END AS timed_trial_id,
           CASE shared WHEN 'confirm' THEN confirm_ns WHEN 'race' THEN race_ns
                       WHEN 'sweep' THEN sweep_ns
                       ELSE coalesce(confirm_ns, race_ns, sweep_ns) END AS winner_ns
    FROM beside
)
SELECT d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid, e.driver, e.compiler,
       timed.l2_mode, ceilings.ceiling, ceilings.gbs AS ceiling_gbs,
       timed.experiment, timed.problem, timed.n, timed.objective, timed.baseline, timed.status,
       timed.time_ns, nullif(timed.bytes_moved, 0) / timed.time_ns AS gbs,
       -- clearly above the ceiling it comes out of a cache, or the ceiling is wrong
       iif(timed.bytes_moved / timed.time_ns <= 1.02 * ceilings.gbs,
           100 * nullif(timed.bytes_moved, 0) / timed.time_ns / ceilings.gbs, NULL) AS ceiling_percent,
       timed.winner_ns, gained.gain AS winner_gain, gained.gain_low AS winner_gain_low,
       gained.gain_high AS winner_gain_high,
       CASE WHEN gained.gain IS NULL THEN NULL
            WHEN as_good.is_shown THEN 'as fast'
            WHEN as_good.winner_id IS NOT NULL THEN 'not compared'
            WHEN gained.gain_low > 1 THEN 'slower' END AS winner_gain_standing,
       timed.shared AS stage,
       coalesce((SELECT verdict FROM verdicts WHERE verdicts.trust = timed.trust), 'unknown') AS verdict,
       (SELECT metrics FROM trials WHERE id = timed.timed_trial_id) AS metrics, timed.configuration, timed.about, timed.detail
FROM timed
JOIN devices AS d ON d.id = timed.device_id
JOIN environments AS e ON e.id = timed.environment_id
LEFT JOIN gained
    ON gained.winner_id = timed.winner_id AND gained.baseline = timed.baseline
LEFT JOIN as_good
    ON as_good.winner_id = timed.winner_id AND as_good.baseline = timed.baseline
LEFT JOIN problem_ceilings AS ceilings
    ON ceilings.environment_id = timed.environment_id AND ceilings.problem_id = timed.problem_id
ORDER BY d.kind DESC, d.id, timed.l2_mode, timed.objective <> 'time', timed.objective,
         timed.experiment, timed.problem, timed.n, timed.baseline;
