-- The environments that a report is about: those in which something was tried, with their ceilings.
-- :device  its name, uuid, kind, or "cuda:0" (NULL: all)
-- :words   experiment names and problem keys (a JSON array; NULL: all)
WITH tried AS (
    SELECT t.environment_id, min(r.started_at) AS first_at,
           max(coalesce(r.ended_at, r.started_at)) AS last_at
    FROM (SELECT DISTINCT environment_id, problem_id, run_id FROM trials) AS t
    JOIN runs AS r ON r.id = t.run_id
    JOIN problems AS p ON p.id = t.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    WHERE :words IS NULL OR EXISTS (
        SELECT 1 FROM json_each(:words) AS word
        WHERE x.name = word.value OR p.key = word.value
           OR substr(p.key, 1, length(word.value) + 1) = word.value || '.')
    GROUP BY t.environment_id
)
SELECT e.id, d.id AS device_id, d.name AS device, d.kind, d.uuid, d.architecture, d.memory_bytes,
       d.unit_count, d.facts, e.driver, e.compiler, e.tool_version, e.host,
       substr(tried.first_at, 1, 10) AS first_day, substr(tried.last_at, 1, 10) AS last_day,
       c.read_gbs, c.write_gbs, c.copy_gbs,
       (SELECT group_concat(type || ' ' || CAST(round(gops) AS INTEGER), ', ')
        FROM latest_arithmetic AS a WHERE a.environment_id = e.id) AS arithmetic
FROM tried
JOIN environments AS e ON e.id = tried.environment_id
JOIN devices AS d ON d.id = e.device_id
LEFT JOIN latest_ceilings AS c ON c.environment_id = e.id
WHERE :device IS NULL OR lower(:device) IN (lower(d.name), lower(d.uuid), d.kind,
          d.kind || ':' || json_extract(d.facts, '$.index'))
ORDER BY d.kind DESC, d.id, e.id;
