-- The environments that a recording can be made of, the last used first.
-- :l2_mode  trials of this mode
SELECT e.id AS environment_id, d.kind, d.name, d.uuid, d.facts, e.driver, e.compiler,
       substr(max(r.started_at), 1, 10) AS day
FROM environments AS e
JOIN devices AS d ON d.id = e.device_id
JOIN runs AS r ON r.environment_id = e.id
WHERE EXISTS (SELECT 1 FROM tried AS t WHERE t.environment_id = e.id AND t.l2_mode = :l2_mode)
GROUP BY e.id
ORDER BY max(r.started_at) DESC, e.id DESC
