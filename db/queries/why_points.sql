-- The winner, the runner-up and the baselines of one winner: their times in each stage, and what
-- their launch of most threads takes. The runner-up is the best of the other contenders that could
-- have won; where there are none, the next of the race, and without a race the next of the sweep.
-- :winner  winners.id
-- CROSS JOIN keeps SQLite from beginning with the larger table.
WITH chosen AS MATERIALIZED (
    SELECT w.*, t.configuration_id, coalesce(t.same_as_trial_id, t.id) AS measured_id
    FROM winners AS w
    JOIN trials AS t ON t.id = w.trial_id
    WHERE w.id = CAST(:winner AS INTEGER)
),
contender AS (
    SELECT k.configuration_id
    FROM chosen
    JOIN contenders AS k ON k.winner_id = chosen.id
    JOIN trials AS t ON t.id = k.trial_id
    WHERE k.configuration_id <> chosen.configuration_id AND k.out IS NULL
      AND k.difference IS NOT NULL
    ORDER BY t.stage = chosen.stage DESC, k.place
    LIMIT 1
),
next AS (
    SELECT t.configuration_id
    FROM chosen
    JOIN trials AS t
        ON t.environment_id = chosen.environment_id AND t.problem_id = chosen.problem_id
        AND t.l2_mode = chosen.l2_mode AND t.status = 'ok'
        AND (t.stage = 'sweep' OR (t.stage = 'race' AND t.objective = chosen.objective))
    JOIN trials AS w ON w.id = chosen.measured_id
    WHERE NOT EXISTS (SELECT 1 FROM contender)
      AND t.configuration_id NOT IN (chosen.configuration_id, w.configuration_id)
      AND t.median_ns IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM baselines AS b
                      WHERE b.environment_id = t.environment_id AND b.problem_id = t.problem_id
                        AND b.configuration_id = t.configuration_id)
      AND NOT EXISTS (SELECT 1 FROM gauntlets AS g
                      WHERE g.environment_id = t.environment_id AND g.problem_id = t.problem_id
                        AND g.configuration_id = t.configuration_id AND g.passed = 0)
    ORDER BY t.stage = 'race' DESC, iif(t.stage = 'race', coalesce(t.value, t.median_ns), NULL),
             t.median_ns, t.id
    LIMIT 1
),
roles AS (
    SELECT 0 AS place, 'winner' AS role, NULL AS about, configuration_id FROM chosen
    UNION ALL
    SELECT 1, 'runner-up', NULL, configuration_id FROM contender
    UNION ALL
    SELECT 1, 'runner-up', NULL, configuration_id FROM next
    UNION ALL
    SELECT 2, b.name, b.about, b.configuration_id
    FROM chosen
    JOIN baselines AS b
        ON b.environment_id = chosen.environment_id AND b.problem_id = chosen.problem_id
),
-- The measured representative replaces a duplicate.
swept AS MATERIALIZED (
    SELECT roles.*, chosen.environment_id, chosen.problem_id, chosen.l2_mode, chosen.objective,
           chosen.id AS winner_id, m.id AS sweep_id, m.status AS sweep_status,
           CASE m.status WHEN 'ok' THEN m.median_ns END AS sweep_ns
    FROM roles
    CROSS JOIN chosen
    LEFT JOIN trials AS s
        ON s.environment_id = chosen.environment_id AND s.problem_id = chosen.problem_id
        AND s.configuration_id = roles.configuration_id AND s.stage = 'sweep'
        AND s.l2_mode = chosen.l2_mode
    LEFT JOIN trials AS m ON m.id = coalesce(s.same_as_trial_id, s.id)
),
-- All that launch the same: any of them may be the one that was raced. Itself first.
alike AS MATERIALIZED (
    SELECT place, role, configuration_id, 0 AS other FROM swept
    UNION
    SELECT swept.place, swept.role, t.configuration_id, 1
    FROM swept
    JOIN trials AS t ON t.id = swept.sweep_id OR t.same_as_trial_id = swept.sweep_id
    WHERE t.configuration_id <> swept.configuration_id
),
raced AS (
    SELECT alike.place, alike.role, t.stage, t.id, t.median_ns, t.value, t.metrics,
           row_number() OVER (PARTITION BY alike.place, alike.role, t.stage
                              ORDER BY alike.other, t.id) AS pick
    FROM alike
    CROSS JOIN chosen
    CROSS JOIN trials AS t
        ON t.environment_id = chosen.environment_id AND t.problem_id = chosen.problem_id
        AND t.configuration_id = alike.configuration_id AND t.stage IN ('race', 'confirm')
        AND t.objective = chosen.objective AND t.l2_mode = chosen.l2_mode AND t.status = 'ok'
        AND t.same_as_trial_id IS NULL
),
against AS MATERIALIZED (
    SELECT paired.*
    FROM chosen
    CROSS JOIN paired
        ON paired.winner_id = chosen.id AND paired.configuration_id = chosen.configuration_id
),
stood AS (
    SELECT alike.place, alike.role, k.difference, k.standing, against.ratio,
           against.ratio_low, against.ratio_high, against.stage AS paired_in,
           row_number() OVER (PARTITION BY alike.place, alike.role ORDER BY alike.other) AS pick
    FROM alike
    CROSS JOIN chosen
    CROSS JOIN standings AS k
        ON k.winner_id = chosen.id AND k.configuration_id = alike.configuration_id
    LEFT JOIN against ON against.other_configuration_id = k.configuration_id
),
timed AS (
    SELECT swept.*,
           (SELECT r.launch FROM resources AS r
            WHERE r.trial_id = swept.sweep_id
            ORDER BY r.grid_x * r.grid_y * r.grid_z * r.block_x * r.block_y * r.block_z
                     * max(r.threads, 1) DESC, r.launch
            LIMIT 1) AS main_launch
    FROM swept
)
SELECT timed.role, timed.about, c.key AS configuration, c.parameters, timed.sweep_id,
       timed.sweep_ns, race.id AS race_id, race.median_ns AS race_ns, race.value AS race_value,
       confirm.id AS confirm_id, confirm.median_ns AS confirm_ns,
       confirm.value AS confirm_value,
       CASE WHEN race.id IS NOT NULL OR confirm.id IS NOT NULL THEN 'ok'
            ELSE timed.sweep_status END AS status,
       k.difference, k.ratio, k.ratio_low, k.ratio_high, k.paired_in, k.standing,
       s.launch_count AS launches, nullif(r.grid_x * r.grid_y * r.grid_z, 0) AS grid,
       nullif(r.block_x * r.block_y * r.block_z, 0) AS block, iif(r.grid_x > 0, r.threads, NULL) AS threads, r.occupancy,
       r.active_blocks_per_sm, r.registers, r.spill_bytes, r.local_bytes,
       coalesce(r.static_shared_bytes, 0) + r.dynamic_shared_bytes AS shared_bytes,
       coalesce(json_extract(s.metrics, '$.bytes_per_thread'),
                json_extract(race.metrics, '$.bytes_per_thread'),
                json_extract(confirm.metrics, '$.bytes_per_thread'),
                json_extract(s.derived, '$.bytes_per_thread')) AS bytes_per_thread
FROM timed
CROSS JOIN configurations AS c ON c.id = timed.configuration_id
LEFT JOIN trials AS s ON s.id = timed.sweep_id
LEFT JOIN raced AS race
    ON race.place = timed.place AND race.role = timed.role AND race.stage = 'race'
    AND race.pick = 1
LEFT JOIN raced AS confirm
    ON confirm.place = timed.place AND confirm.role = timed.role AND confirm.stage = 'confirm'
    AND confirm.pick = 1
LEFT JOIN resources AS r ON r.trial_id = timed.sweep_id AND r.launch = timed.main_launch
LEFT JOIN stood AS k ON k.place = timed.place AND k.role = timed.role AND k.pick = 1
ORDER BY timed.place, timed.role;
