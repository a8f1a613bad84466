-- :environment
SELECT p.key AS problem, p.n, b.name, c.parameters
FROM baselines AS b
JOIN problems AS p ON p.id = b.problem_id
JOIN configurations AS c ON c.id = b.configuration_id
WHERE b.environment_id = CAST(:environment AS INTEGER)
  AND p.experiment_id = CAST(:experiment AS INTEGER)
