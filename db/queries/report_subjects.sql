-- What the page is about, one row each: a problem with its size, as it was tried last on each device.
-- :words         experiment names and problem keys (a JSON array; NULL: all)
-- :environments  where (a JSON array of their ids)
WITH curves AS MATERIALIZED (
    SELECT device, l2_mode, json_group_array(json_array(bytes_per_thread, percent, round(gbs, 1))) AS family
    FROM occupancy_curves
    GROUP BY device, l2_mode
)
SELECT l.environment_id, l.problem_id, l.l2_mode, l.objective, d.uuid AS device_uuid, d.name AS device, d.kind,
       d.unit_count, x.name AS experiment, p.key AS problem, p.n, nullif(p.bytes_moved, 0) AS bytes_moved,
       p.operations, iif(x.name = 'occupancy', NULL, c.family) AS family,
       (SELECT json_group_array(json_array(o.name, o.percent))
        FROM winners AS w
        CROSS JOIN trials AS own ON own.id = w.trial_id
        CROSS JOIN trials AS t USING (environment_id, problem_id, configuration_id, l2_mode)
        CROSS JOIN occupancy_limits AS o ON o.trial_id = coalesce(t.same_as_trial_id, t.id) AND o.launch = 0
        WHERE t.stage = 'sweep' AND t.objective = 'time' AND w.environment_id = l.environment_id
          AND w.problem_id = l.problem_id AND w.l2_mode = l.l2_mode AND w.objective = l.objective) AS limits
FROM latest_problems AS l
JOIN environments AS e ON e.id = l.environment_id
JOIN devices AS d ON d.id = e.device_id
JOIN problems AS p ON p.id = l.problem_id
JOIN experiments AS x ON x.id = p.experiment_id
LEFT JOIN curves AS c ON c.device = d.name AND c.l2_mode = l.l2_mode
WHERE l.environment_id IN (SELECT value FROM json_each(:environments))
  AND (:words IS NULL OR EXISTS (
      SELECT 1 FROM json_each(:words) AS word
      WHERE x.name = word.value OR p.key = word.value
         OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
ORDER BY d.kind DESC, d.id, l.l2_mode, l.objective <> 'time', l.objective, x.name, p.key, p.n;
