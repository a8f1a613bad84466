-- What raced for each winner, by the trial of the sweep that launched the same; differences to the fastest.
-- :environments  where (a JSON array of their ids)
SELECT w.environment_id, w.problem_id, w.l2_mode, w.objective, coalesce(t.same_as_trial_id, t.id) AS launched_id,
       k.difference, k.difference_low, k.difference_high, k.standing = 'as fast' AS tied, k.out
FROM winners AS w
CROSS JOIN standings AS k ON k.winner_id = w.id
CROSS JOIN trials AS t
    ON t.environment_id = w.environment_id AND t.problem_id = w.problem_id
    AND t.configuration_id = k.configuration_id AND t.stage = 'sweep' AND t.objective = 'time'
    AND t.l2_mode = w.l2_mode
WHERE w.environment_id IN (SELECT value FROM json_each(:environments))
ORDER BY w.environment_id, w.problem_id, w.l2_mode, w.objective;
