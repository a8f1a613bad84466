-- Winners and baselines, each by the trial of the sweep that launched the same.
-- :environments  where (a JSON array of their ids)
WITH named AS (
    SELECT w.environment_id, w.problem_id, w.l2_mode, w.objective, 0 AS place, 'winner' AS name, t.configuration_id
    FROM winners AS w JOIN trials AS t ON t.id = w.trial_id
    UNION ALL
    SELECT b.environment_id, b.problem_id, l.l2_mode, l.objective, 1, b.name, b.configuration_id
    FROM baselines AS b JOIN latest_problems AS l USING (environment_id, problem_id)
)
SELECT m.environment_id, m.problem_id, m.l2_mode, m.objective, m.name,
       coalesce(t.same_as_trial_id, t.id) AS launched_id
FROM named AS m
CROSS JOIN trials AS t USING (environment_id, problem_id, configuration_id, l2_mode)
WHERE t.stage = 'sweep' AND m.environment_id IN (SELECT value FROM json_each(:environments))
ORDER BY m.environment_id, m.problem_id, m.l2_mode, m.objective, m.place, m.name;
