-- How the space of each problem was searched, over all runs since it is what it is now: how many
-- points there are, how many were tried or set aside, and by which strategy the last run did; the share
-- of its time that the sweep spent on points that ended within 2 % of its best; and by the model of the
-- last search how likely a better point is left, and how much better at most with 90 %.
-- :words  experiment names and problem keys (a JSON array; NULL: all)
-- :n      one size (NULL: all)
WITH asked AS (
    SELECT DISTINCT environment_id, problem_id, l2_mode FROM latest_problems
),
summed AS (
    SELECT asked.environment_id, asked.problem_id, asked.l2_mode, max(s.run_id) AS run_id,
           count(*) AS run_count, sum(s.trials) AS trials, sum(s.unlaunchable) AS unlaunchable,
           sum(s.duplicates) AS duplicates, sum(s.failures) AS failures,
           100.0 * sum(s.near_ns) / nullif(sum(s.sweep_ns), 0) AS near_percent
    FROM asked
    JOIN searches AS s ON s.problem_id = asked.problem_id
    JOIN runs AS r
        ON r.id = s.run_id AND r.environment_id = asked.environment_id
        AND r.l2_mode = asked.l2_mode
    GROUP BY 1, 2, 3
)
SELECT d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid, e.driver, e.compiler,
       summed.l2_mode, x.name AS experiment, p.key AS problem, p.n, last.product_count,
       last.space_count, last.points_most, last.points AS points_tried,
       100.0 * last.points / nullif(last.space_count, 0) AS points_percent, summed.run_count,
       summed.trials, summed.unlaunchable, summed.duplicates, summed.failures,
       last.asked, last.strategy, summed.run_id AS run, summed.near_percent,
       100.0 * last.chance_of_better AS chance_percent, 100.0 * last.most_better AS most_percent
FROM summed
JOIN searches AS last ON last.run_id = summed.run_id AND last.problem_id = summed.problem_id
JOIN environments AS e ON e.id = summed.environment_id
JOIN devices AS d ON d.id = e.device_id
JOIN problems AS p ON p.id = summed.problem_id
JOIN experiments AS x ON x.id = p.experiment_id
WHERE (:n IS NULL OR p.n = :n)
  AND (:words IS NULL OR EXISTS (
      SELECT 1 FROM json_each(:words) AS word
      WHERE x.name = word.value OR p.key = word.value
         OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
ORDER BY d.kind DESC, d.id, summed.l2_mode, x.name, p.key, p.n;
