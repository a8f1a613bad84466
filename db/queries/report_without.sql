-- Problems that were tried and have no winner on their device, with what their trials came to.
-- :words         experiment names and problem keys (a JSON array; NULL: all)
-- :environments  where (a JSON array of their ids)
WITH tried AS (
    SELECT d.id AS device_id, d.kind, d.name AS device, x.name AS experiment, p.key AS problem, p.n,
           l.l2_mode, t.status
    FROM (SELECT DISTINCT environment_id, problem_id, l2_mode FROM latest_problems) AS l
    JOIN trials AS t USING (environment_id, problem_id, l2_mode)
    JOIN environments AS e ON e.id = t.environment_id
    JOIN devices AS d ON d.id = e.device_id
    JOIN problems AS p ON p.id = t.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    WHERE t.stage = 'sweep' AND t.environment_id IN (SELECT value FROM json_each(:environments))
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE x.name = word.value OR p.key = word.value
             OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
),
won AS (
    SELECT e.device_id, x.name AS experiment, p.key AS problem, p.n, w.l2_mode
    FROM winners AS w
    JOIN environments AS e ON e.id = w.environment_id
    JOIN problems AS p ON p.id = w.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
)
SELECT device, experiment, problem, n, l2_mode, count(*) AS trials, sum(status = 'ok') AS timed,
       sum(status <> 'ok') AS failed
FROM tried
WHERE (device_id, experiment, problem, n, l2_mode) NOT IN (SELECT * FROM won)
GROUP BY device_id, experiment, problem, n, l2_mode
ORDER BY kind DESC, device_id, experiment, problem, n;
