-- How many times faster a trial (:trial) is than each baseline of its problem: the baseline's median
-- over the trial's. Compared are measurements of one stage where there are such (those that race or
-- confirm are interleaved), else the best there is, confirmed before raced before swept. A baseline that
-- launches exactly what another configuration does was measured as that one.
WITH winner AS (
    SELECT environment_id, problem_id, l2_mode, stage, objective, median_ns
    FROM trials
    WHERE id = CAST(:trial AS INTEGER)
),
launched_as AS (
    SELECT b.name, b.configuration_id
    FROM winner AS w
    JOIN baselines AS b ON b.environment_id = w.environment_id AND b.problem_id = w.problem_id
    UNION
    SELECT b.name, s.configuration_id
    FROM winner AS w
    JOIN baselines AS b ON b.environment_id = w.environment_id AND b.problem_id = w.problem_id
    JOIN trials AS t ON t.environment_id = w.environment_id AND t.problem_id = w.problem_id
                    AND t.configuration_id = b.configuration_id AND t.l2_mode = w.l2_mode
    JOIN trials AS s ON s.id = t.same_as_trial_id
),
measured AS (
    SELECT
        a.name,
        t.median_ns / w.median_ns AS gain,
        ROW_NUMBER() OVER (
            PARTITION BY a.name
            ORDER BY
                t.stage = w.stage AND t.objective = w.objective DESC,
                t.objective = w.objective DESC,
                t.stage = 'confirm' DESC,
                t.stage = 'race' DESC,
                t.measured_at DESC,
                t.id DESC
        ) AS place
    FROM winner AS w
    JOIN launched_as AS a
    JOIN trials AS t ON t.environment_id = w.environment_id AND t.problem_id = w.problem_id
                    AND t.configuration_id = a.configuration_id AND t.l2_mode = w.l2_mode
    WHERE t.status = 'ok' AND t.median_ns > 0 AND w.median_ns > 0
)
SELECT name, gain FROM measured WHERE place = 1 ORDER BY name;
