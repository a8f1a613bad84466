-- Problems that were tried and have no winner on their device, with what their trials came to.
-- :words         experiment names and problem keys (a JSON array; NULL: all)
-- :environments  where (a JSON array of their ids)
WITH won AS MATERIALIZED (
    SELECT e.device_id, x.name AS experiment, p.key AS problem, p.n, w.l2_mode
    FROM winners AS w
    JOIN environments AS e ON e.id = w.environment_id
    JOIN problems AS p ON p.id = w.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
),
-- First the problems: of those that have a winner no trial is read.
without AS MATERIALIZED (
    SELECT DISTINCT l.environment_id, l.problem_id, l.l2_mode, d.id AS device_id, d.kind,
           d.name AS device, x.name AS experiment, p.key AS problem, p.n
    FROM latest_problems AS l
    JOIN environments AS e ON e.id = l.environment_id
    JOIN devices AS d ON d.id = e.device_id
    JOIN problems AS p ON p.id = l.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    WHERE l.environment_id IN (SELECT value FROM json_each(:environments))
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE x.name = word.value OR p.key = word.value
             OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
      AND (d.id, x.name, p.key, p.n, l.l2_mode) NOT IN (SELECT * FROM won)
)
SELECT device, experiment, problem, n, without.l2_mode, count(*) AS trials, sum(t.status = 'ok') AS timed,
       sum(t.status <> 'ok') AS failed
FROM without
CROSS JOIN trials AS t
    ON t.environment_id = without.environment_id AND t.problem_id = without.problem_id
    AND t.l2_mode = without.l2_mode AND t.stage = 'sweep'
GROUP BY device_id, experiment, problem, n, without.l2_mode
ORDER BY kind DESC, device_id, experiment, problem, n;
