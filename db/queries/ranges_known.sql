-- Whether a problem key has ranges, cut as narrowly as now, that all may be used.
SELECT count(*) > 0 AND min(id IN (SELECT id FROM valid_ranges)) AS known
FROM ranges
WHERE environment_id = :environment AND experiment_id = :experiment AND problem_key = :key
  AND l2_mode = :l2_mode AND objective = :objective
  AND within = CAST(:within AS REAL);
