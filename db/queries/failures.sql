-- The trials that came to no time, of the problems as they were tried last, and why.
-- :words  experiment names and problem keys (a JSON array; NULL: all)
-- :n      one size (NULL: all)
SELECT d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid, e.driver, e.compiler,
       t.l2_mode, x.name AS experiment, p.key AS problem, p.n, t.stage,
       t.objective, t.id AS trial_id, m.status, m.detail, c.key AS configuration, c.parameters
FROM (SELECT DISTINCT environment_id, problem_id, l2_mode FROM latest_problems) AS l
JOIN trials AS t USING (environment_id, problem_id, l2_mode)
JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)
JOIN environments AS e ON e.id = t.environment_id
JOIN devices AS d ON d.id = e.device_id
JOIN problems AS p ON p.id = t.problem_id
JOIN experiments AS x ON x.id = p.experiment_id
JOIN configurations AS c ON c.id = t.configuration_id
WHERE m.status <> 'ok'
  AND (:n IS NULL OR p.n = :n)
  AND (:words IS NULL OR EXISTS (
      SELECT 1 FROM json_each(:words) AS word
      WHERE x.name = word.value OR p.key = word.value
         OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
ORDER BY d.kind DESC, d.id, t.l2_mode, x.name, p.key, p.n, m.status, c.id,
         t.stage DESC, t.objective;
