-- What the page is about, one row each: a problem with its size, as it was tried last on each device.
-- :words         experiment names and problem keys (a JSON array; NULL: all)
-- :environments  where (a JSON array of their ids)
SELECT l.environment_id, l.problem_id, l.l2_mode, l.objective, d.uuid AS device_uuid, d.name AS device, d.kind,
       d.unit_count, x.name AS experiment, p.key AS problem, p.n, nullif(p.bytes_moved, 0) AS bytes_moved,
       p.operations
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
ORDER BY d.kind DESC, d.id, l.l2_mode, l.objective <> 'time', l.objective, x.name, p.key, p.n;
