-- The winners that are to be explained: the newest of each device, problem, n, mode and objective.
-- :words      experiment names and problem keys (a JSON array; NULL: all)
-- :n          one size (NULL: all)
-- :objective  what was made small (NULL: time)
WITH chosen AS (
    SELECT *
    FROM latest_winners AS w
    WHERE (:n IS NULL OR w.n = :n)
      AND w.objective = coalesce(:objective, 'time')
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE w.experiment = word.value OR w.problem = word.value
             OR substr(w.problem, 1, length(word.value) + 1) = word.value || '.'))
)
SELECT chosen.id AS winner_id, d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid,
       e.driver, e.compiler, chosen.l2_mode, chosen.objective, ceilings.ceiling,
       ceilings.gbs AS ceiling_gbs
FROM chosen
JOIN devices AS d ON d.id = chosen.device_id
JOIN environments AS e ON e.id = chosen.environment_id
LEFT JOIN problem_ceilings AS ceilings
    ON ceilings.environment_id = chosen.environment_id AND ceilings.problem_id = chosen.problem_id
ORDER BY d.kind DESC, d.id, chosen.l2_mode, chosen.experiment, chosen.problem, chosen.n;
