-- Configurations that were wrong at some size of a problem whose sizes have several names.
-- :environment, :experiment  where, of which
-- :family                    problems.family
SELECT DISTINCT configuration_id FROM refuted
WHERE environment_id = :environment AND experiment_id = :experiment
  AND problem_key IN (SELECT key FROM problems WHERE experiment_id = :experiment AND family = :family);
