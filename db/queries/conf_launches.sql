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
    SELECT s.id
    FROM trials AS t
    JOIN trials AS s ON s.environment_id = t.environment_id AND s.problem_id = t.problem_id
                    AND s.configuration_id = t.configuration_id
    WHERE t.id = :trial AND EXISTS (SELECT 1 FROM resources AS k WHERE k.trial_id = s.id)
    ORDER BY s.id DESC LIMIT 1
)
ORDER BY r.launch;
