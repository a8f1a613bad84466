-- What 'tune check' measured of one problem: those that raced, the fastest first.
-- :environment    of the run
-- :problem, :n    which
-- :configuration  whose entry is checked: it, or what launches the same, is_entry
-- :objective      of the run
WITH chosen AS (
    SELECT w.*
    FROM winners AS w
    JOIN problems AS p ON p.id = w.problem_id
    WHERE w.environment_id = CAST(:environment AS INTEGER) AND p.key = :problem
        AND p.n = CAST(:n AS INTEGER) AND w.objective = :objective
    ORDER BY w.run_id DESC, w.id DESC LIMIT 1
),
-- Configurations with one root launch the same.
roots AS (
    SELECT t.configuration_id, COALESCE(t.same_as_trial_id, t.id) AS root
    FROM chosen
    JOIN trials AS t ON t.environment_id = chosen.environment_id
                    AND t.problem_id = chosen.problem_id AND t.l2_mode = chosen.l2_mode
    WHERE t.stage = 'sweep'
),
entry AS (
    SELECT r.root FROM roots AS r
    JOIN configurations AS c ON c.id = r.configuration_id
    WHERE c.key = :configuration
)
SELECT
    c.key AS configuration,
    r.root IN (SELECT root FROM entry) AS is_entry,
    m.median_ns AS time_ns,
    k.difference,
    k.difference_low,
    k.difference_high,
    k.tied,
    k.out,
    chosen.delta,
    chosen.processes > 1 AS is_confirmed,
    chosen.trust,
    chosen.trust_reason,
    (
        SELECT group_concat(b.name, ', ')
        FROM baselines AS b
        JOIN roots AS s ON s.configuration_id = b.configuration_id
        WHERE b.environment_id = chosen.environment_id AND b.problem_id = chosen.problem_id
            AND s.root = r.root
    ) AS baselines
FROM chosen
JOIN contenders AS k ON k.winner_id = chosen.id
JOIN configurations AS c ON c.id = k.configuration_id
LEFT JOIN roots AS r ON r.configuration_id = k.configuration_id
LEFT JOIN trials AS own ON own.id = k.trial_id
LEFT JOIN trials AS m ON m.id = COALESCE(own.same_as_trial_id, own.id)
ORDER BY k.place;
