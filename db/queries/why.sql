-- The winners that are to be explained: the newest of each device, problem, n, mode and objective.
-- :words      experiment names and problem keys (a JSON array; NULL: all)
-- :n          one size (NULL: all)
-- :objective  what was made small (NULL: time)
WITH chosen AS (
    SELECT w.*, e.device_id, x.name AS experiment, p.key AS problem, p.n,
           row_number() OVER (
               PARTITION BY e.device_id, x.name, p.key, p.n, w.l2_mode
               ORDER BY w.run_id DESC, w.chosen_at DESC, w.id DESC) AS place
    FROM winners AS w
    JOIN environments AS e ON e.id = w.environment_id
    JOIN problems AS p ON p.id = w.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    WHERE (:n IS NULL OR p.n = :n)
      AND w.objective = coalesce(:objective, 'time')
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE x.name = word.value OR p.key = word.value
             OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
)
SELECT chosen.id AS winner_id, d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid,
       e.driver, e.compiler, chosen.l2_mode, chosen.objective, ceilings.ceiling,
       ceilings.gbs AS ceiling_gbs
FROM chosen
JOIN devices AS d ON d.id = chosen.device_id
JOIN environments AS e ON e.id = chosen.environment_id
LEFT JOIN problem_ceilings AS ceilings
    ON ceilings.environment_id = chosen.environment_id AND ceilings.problem_id = chosen.problem_id
WHERE chosen.place = 1
ORDER BY d.kind DESC, d.id, chosen.l2_mode, chosen.experiment, chosen.problem, chosen.n;
