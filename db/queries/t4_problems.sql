-- What T4 can be written of: problems as they were tried last on each device, the newest first.
-- :problem  the beginning of a problem's key, cut at a dot (NULL: all)
-- :n        one size (NULL: all)
SELECT l.environment_id, l.problem_id, l.l2_mode, max(l.run_id) AS run_id, p.key AS problem, p.n,
       x.name AS experiment, d.name AS device, d.kind, d.facts, e.driver, e.compiler,
       e.tool_version, r.started_at
FROM latest_problems AS l
JOIN problems AS p ON p.id = l.problem_id
JOIN experiments AS x ON x.id = p.experiment_id
JOIN environments AS e ON e.id = l.environment_id
JOIN devices AS d ON d.id = e.device_id
JOIN runs AS r ON r.id = l.run_id
WHERE (:n IS NULL OR p.n = :n)
  AND (:problem IS NULL OR p.key = :problem
       OR substr(p.key, 1, length(:problem) + 1) = :problem || '.')
GROUP BY l.environment_id, l.problem_id, l.l2_mode
ORDER BY run_id DESC, p.key, p.n;
