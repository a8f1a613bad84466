-- What became of the trials that came to no time, of the problems as they were tried last, by
-- experiment and reason, with the first that says so.
-- :words         experiment names and problem keys (a JSON array; NULL: all)
-- :environments  where (a JSON array of their ids)
WITH failed AS (
    SELECT t.id, e.device_id, d.kind, d.name AS device, x.name AS experiment, p.key AS problem, p.n,
           t.status, t.detail, c.key AS configuration,
           -- Duplicates of a launch are no failures, but worth a count.
           iif(t.same_as_trial_id IS NOT NULL, 'duplicate', t.status) AS reason
    FROM (SELECT DISTINCT environment_id, problem_id, l2_mode FROM latest_problems) AS l
    -- CROSS: of each problem its trials, in the order in which they lie (+: those of its environment, not of all).
    CROSS JOIN trials AS t USING (environment_id, problem_id, l2_mode)
    CROSS JOIN environments AS e ON e.id = t.environment_id
    CROSS JOIN devices AS d ON d.id = e.device_id
    CROSS JOIN problems AS p ON p.id = t.problem_id
    CROSS JOIN experiments AS x ON x.id = p.experiment_id
    CROSS JOIN configurations AS c ON c.id = t.configuration_id
    WHERE t.status <> 'ok' AND t.same_as_trial_id IS NULL
      AND +l.environment_id IN (SELECT value FROM json_each(:environments))
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE x.name = word.value OR p.key = word.value
             OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
)
SELECT device, experiment, reason AS status, count(*) AS trials, count(DISTINCT configuration)
           AS configurations, problem, n, detail, configuration, min(id) AS first_id
FROM failed
GROUP BY device_id, experiment, reason
ORDER BY kind DESC, device_id, experiment, trials DESC;
