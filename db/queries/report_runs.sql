-- The runs that the page is about, oldest first, with what is needed to do them again.
-- :words         experiment names and problem keys (a JSON array; NULL: all)
-- :environments  where (a JSON array of their ids)
WITH counted AS MATERIALIZED (SELECT run_id, count(*) AS trials FROM trials GROUP BY run_id),
tried AS MATERIALIZED (SELECT DISTINCT run_id, problem_id, environment_id FROM trials),
wanted AS (
    SELECT DISTINCT run_id FROM tried AS t
    JOIN problems AS p ON p.id = t.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    WHERE t.environment_id IN (SELECT value FROM json_each(:environments))
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE x.name = word.value OR p.key = word.value
             OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
),
named AS MATERIALIZED (
    SELECT run_id, group_concat(name, ' ') AS experiments
    FROM (SELECT DISTINCT tried.run_id, x.name
          FROM tried
          JOIN problems AS p ON p.id = tried.problem_id
          JOIN experiments AS x ON x.id = p.experiment_id
          ORDER BY tried.run_id, x.name)
    GROUP BY run_id
)
SELECT r.id AS run, r.command, d.kind, r.effort, r.budget_ns, r.l2_mode, r.objective, r.seed,
       r.protocol, r.started_at, coalesce(r.outcome, 'not ended') AS outcome, r.wall_ns,
       r.measuring_ns, r.compile_wait_ns, r.binaries_compiled, r.binaries_cached, d.name AS device,
       e.driver, e.compiler, e.tool_version, e.host,
       counted.trials, named.experiments
FROM wanted
JOIN runs AS r ON r.id = wanted.run_id
JOIN counted ON counted.run_id = r.id
JOIN named ON named.run_id = r.id
JOIN environments AS e ON e.id = r.environment_id
JOIN devices AS d ON d.id = e.device_id
ORDER BY r.id;
