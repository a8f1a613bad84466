-- The samples of an environment's trials that count, a trial's one after the other.
-- :environment
SELECT s.trial_id, s.elapsed_ns
FROM trials AS t
CROSS JOIN samples AS s ON s.trial_id = t.id AND s.invalid = 0
WHERE t.environment_id = CAST(:environment AS INTEGER) AND t.objective = 'time'
ORDER BY t.id, s.ordinal
