-- The samples of one trial, in the order in which they were taken.
-- :trial  its id
SELECT s.ordinal, s.round, s.runs, s.elapsed_ns
FROM trials AS t
JOIN samples AS s ON s.trial_id = coalesce(t.same_as_trial_id, t.id)
WHERE t.id = :trial
ORDER BY s.ordinal;
