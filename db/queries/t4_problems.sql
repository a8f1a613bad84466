-- What T4 can be written of: problems as they were tried last on each device, the newest first; the metadata of
-- the file as JSON, but for what a kind of device is called there.
-- :problem  the beginning of a problem's key, cut at a dot (NULL: all)
-- :n        one size (NULL: all)
-- :version  of T4: only 1.0.0 has an environment
SELECT l.environment_id AS environment, l.problem_id AS problem, l.l2_mode AS mode, p.key, p.n, d.name AS device, d.kind,
       json_patch(
           json_object('platform', e.driver, 'device', d.name, 'autotuner', 'tune', 'autotuner_version', e.tool_version,
                       'timestamp', r.started_at, 'timeunit', 'seconds', 'kernel', p.key, 'compiler', e.compiler, 'n', p.n),
           iif(:version = '1.0.0',
               json_object('environment', json_object('device_query', json_object('tune', json(d.facts)))), '{}')) AS metadata,
       max(l.run_id) AS run_id
FROM latest_problems AS l
JOIN problems AS p ON p.id = l.problem_id
JOIN environments AS e ON e.id = l.environment_id
JOIN devices AS d ON d.id = e.device_id
JOIN runs AS r ON r.id = l.run_id
WHERE (:n IS NULL OR p.n = :n)
  AND (:problem IS NULL OR p.key = :problem
       OR substr(p.key, 1, length(:problem) + 1) = :problem || '.')
GROUP BY l.environment_id, l.problem_id, l.l2_mode
ORDER BY run_id DESC, p.key, p.n;
