-- The parameters and then the derived values of one trial (:trial), in the order of the experiment
-- file; a derived value that has a parameter's name is left out.
WITH trial AS (
    SELECT c.parameters, COALESCE(t.derived, '{}') AS derived
    FROM trials AS t
    JOIN configurations AS c ON c.id = t.configuration_id
    WHERE t.id = CAST(:trial AS INTEGER)
),
given AS (
    SELECT 0 AS part, j.id AS place, j.key AS name, j.atom AS value, j.type
    FROM trial, json_each(trial.parameters) AS j
    UNION ALL
    SELECT 1, j.id, j.key, j.atom, j.type
    FROM trial, json_each(trial.derived) AS j
    WHERE NOT EXISTS (SELECT 1 FROM json_each(trial.parameters) AS p WHERE p.key = j.key)
)
SELECT name, CASE type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE value END AS value
FROM given
ORDER BY part, place;
