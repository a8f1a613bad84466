-- The environment measured last, for each device with winners by time.
SELECT environment_id AS id, name AS device, uuid, driver, compiler, tool_version, host, substr(chosen_at, 1, 10) AS day, kind
FROM (SELECT w.environment_id, d.name, d.uuid, d.kind, e.driver, e.compiler, e.tool_version, e.host, e.device_id,
             max(w.chosen_at) AS chosen_at,
             row_number() OVER (
                 PARTITION BY e.device_id ORDER BY max(w.chosen_at) DESC, w.environment_id DESC) AS place
      FROM winners AS w
      JOIN environments AS e ON e.id = w.environment_id
      JOIN devices AS d ON d.id = e.device_id
      WHERE w.objective = 'time'
      GROUP BY w.environment_id)
WHERE place = 1
ORDER BY device_id;
