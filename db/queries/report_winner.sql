-- The keys of a winner by its trial.
-- :trial      the trial that it was chosen by
-- :objective  for what
SELECT id, environment_id, run_id, 100 * floor AS floor_percent, rounds, rounds_dropped,
       problem_id, compared
FROM winners
WHERE trial_id = CAST(:trial AS INTEGER) AND objective = :objective;
