-- The samples of one trial, in the order in which they were taken.
-- :trial  its id
SELECT s.ordinal, s.process, s.round, s.runs, s.invalid, s.elapsed_ns, s.energy_j
FROM trials AS t
JOIN samples AS s ON s.trial_id = coalesce(t.same_as_trial_id, t.id)
WHERE t.id = :trial
ORDER BY s.ordinal;
