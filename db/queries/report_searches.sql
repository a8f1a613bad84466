-- How the spaces of each experiment were searched, over all problems and runs.
-- :words         experiment names and problem keys (a JSON array; NULL: all)
-- :environments  where (a JSON array of their ids)
WITH last AS (
    SELECT s.*, r.environment_id, r.l2_mode, r.effort,
           row_number() OVER (PARTITION BY r.environment_id, r.l2_mode, s.problem_id
                              ORDER BY s.run_id DESC) AS place
    FROM searches AS s
    JOIN runs AS r ON r.id = s.run_id
    WHERE r.environment_id IN (SELECT value FROM json_each(:environments))
)
SELECT d.name AS device, x.name AS experiment, last.l2_mode, count(*) AS problems,
       max(last.product_count) AS product_most, max(last.space_count) AS space_most,
       sum(last.space_count) AS legal, sum(last.points) AS points,
       100.0 * sum(last.points) / nullif(sum(last.space_count), 0) AS points_percent,
       sum(last.unlaunchable) AS unlaunchable, sum(last.duplicates) AS duplicates,
       sum(last.failures) AS failures, group_concat(DISTINCT last.strategy) AS strategies,
       group_concat(DISTINCT last.effort) AS efforts
FROM last
JOIN problems AS p ON p.id = last.problem_id
JOIN experiments AS x ON x.id = p.experiment_id
JOIN environments AS e ON e.id = last.environment_id
JOIN devices AS d ON d.id = e.device_id
WHERE last.place = 1
  AND (:words IS NULL OR EXISTS (
      SELECT 1 FROM json_each(:words) AS word
      WHERE x.name = word.value OR p.key = word.value
         OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
GROUP BY d.id, x.name, last.l2_mode
ORDER BY d.kind DESC, d.id, x.name, last.l2_mode;
