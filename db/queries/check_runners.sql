-- Who came nearest to the newest winner of a problem on devices of one name: those that were chosen among,
-- then the fastest of the sweep.
-- :kind, :device, :problem, :n, :objective
-- :configuration  the entry's, which is left out
WITH newest AS (
    SELECT w.id, w.environment_id, w.problem_id, w.l2_mode
    FROM winners AS w
    JOIN environments AS e ON e.id = w.environment_id
    JOIN devices AS d ON d.id = e.device_id
    JOIN problems AS p ON p.id = w.problem_id
    WHERE d.kind = :kind AND d.name = :device AND p.key = :problem AND p.n = CAST(:n AS INTEGER)
        AND w.objective = :objective
    ORDER BY w.chosen_at DESC, w.id DESC LIMIT 1
),
near AS (
    SELECT k.configuration_id, 0 AS is_of_sweep, k.place AS place
    FROM newest
    JOIN contenders AS k ON k.winner_id = newest.id
    WHERE k.out IS NULL
    UNION ALL
    SELECT t.configuration_id, 1, t.median_ns
    FROM newest
    JOIN trials AS t ON t.environment_id = newest.environment_id
                    AND t.problem_id = newest.problem_id AND t.l2_mode = newest.l2_mode
    WHERE t.stage = 'sweep' AND t.status = 'ok'
        AND NOT EXISTS (
            SELECT 1 FROM gauntlets AS g
            WHERE g.environment_id = t.environment_id AND g.problem_id = t.problem_id
                AND g.configuration_id = t.configuration_id AND g.passed = 0
        )
)
SELECT c.key AS configuration
FROM near
JOIN configurations AS c ON c.id = near.configuration_id
WHERE c.key <> :configuration
GROUP BY c.key
ORDER BY MIN(near.is_of_sweep), MIN(near.place), c.key LIMIT 4;
