-- The launches of a trial's configuration, as they were at its size: in order, the first has number 0.
-- :trial  any trial of it
SELECT
    r.launch,
    r.grid_x,
    r.grid_y,
    r.grid_z,
    r.block_x,
    r.block_y,
    r.block_z,
    r.dynamic_shared_bytes
FROM resources AS r
WHERE r.trial_id = (
    -- CROSS: in this order, each found by a key.
    SELECT MAX(k.trial_id)
    FROM trials AS t
    CROSS JOIN trials AS s ON s.environment_id = t.environment_id AND s.problem_id = t.problem_id
                          AND s.configuration_id = t.configuration_id
    CROSS JOIN resources AS k ON k.trial_id = s.id
    WHERE t.id = :trial
)
ORDER BY r.launch;
