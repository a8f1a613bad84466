-- How many ranges of a problem key there are, cut as narrowly as now.
SELECT count(*) AS ranges
FROM ranges
WHERE environment_id = :environment AND experiment_id = :experiment AND problem_key = :key
  AND l2_mode = :l2_mode AND objective = :objective
  AND within = CAST(:within AS REAL);
