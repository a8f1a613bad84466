-- What a run took in joules, of an environment's trials by other objectives than time, a trial's one after the other.
-- :environment
SELECT s.trial_id, s.energy_j
FROM trials AS t
CROSS JOIN samples AS s ON s.trial_id = t.id AND s.invalid = 0 AND s.energy_j > 0
WHERE t.environment_id = CAST(:environment AS INTEGER) AND t.objective <> 'time' AND t.status = 'ok'
ORDER BY t.id, s.ordinal
