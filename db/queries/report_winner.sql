-- The keys of a winner by its trial.
-- :trial      the trial that it was chosen by
-- :objective  for what
SELECT w.id, w.environment_id, w.run_id, 100 * w.floor AS floor_percent, w.rounds, w.rounds_dropped,
       w.problem_id, w.compared
FROM trials AS t
CROSS JOIN winners AS w
    ON w.environment_id = t.environment_id AND w.problem_id = t.problem_id
    AND w.objective = :objective AND w.l2_mode = t.l2_mode AND w.trial_id = t.id
WHERE t.id = CAST(:trial AS INTEGER);
