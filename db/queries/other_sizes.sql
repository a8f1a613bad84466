-- Candidates for sizes that the domain of a winner's configuration excludes: the finalists, whose kernels passed every
-- check, with their losses to the winner. One that is there for its domain has the sweep's time where none was confirmed.
-- :winners  winners.id (a JSON array)
SELECT w.id AS winner, t.id AS trial_id, k.configuration_id, c.parameters, t.derived,
       iif(t.stage = won.stage, max(0.0, (1 + k.difference) / (1 + best.difference) - 1), NULL) AS loss,
       max(d.multiple) AS multiple, max(d.least) AS least,
       min(nullif(d.most, 0)) AS most, max(d.is_listed) AS is_listed, max(d.formula) AS multiples
FROM json_each(:winners) AS j
CROSS JOIN winners AS w ON w.id = j.value
CROSS JOIN trials AS won ON won.id = w.trial_id
CROSS JOIN contenders AS best ON best.winner_id = w.id AND best.configuration_id = won.configuration_id
CROSS JOIN contenders AS k ON k.winner_id = w.id AND k.out IS NULL
CROSS JOIN trials AS t ON t.id = coalesce(k.trial_id, (
    SELECT s.id FROM trials AS s
    WHERE s.environment_id = w.environment_id AND s.problem_id = w.problem_id AND s.configuration_id = k.configuration_id
        AND s.stage = 'sweep' AND s.objective = 'time' AND s.l2_mode = w.l2_mode))
    AND t.stage IN (won.stage, 'sweep') AND t.status = 'ok' AND t.median_ns > 0
CROSS JOIN problems AS p ON p.id = t.problem_id
CROSS JOIN configurations AS c ON c.id = k.configuration_id
-- A domain is a binary's: configurations with another launch of it have it, too.
LEFT JOIN domains AS d
    ON d.environment_id = t.environment_id AND d.experiment_id = p.experiment_id AND d.problem_key = p.key
    AND (d.configuration_id = k.configuration_id OR d.binary_hash = t.binary_hash)
WHERE (SELECT min(passed) FROM gauntlets AS g
       WHERE g.environment_id = t.environment_id AND g.problem_id = t.problem_id
           AND g.configuration_id = k.configuration_id AND g.binary_hash = t.binary_hash)
    AND NOT EXISTS (
        SELECT 1 FROM refuted AS r
        WHERE r.environment_id = t.environment_id AND r.experiment_id = p.experiment_id
            AND r.problem_key = p.key AND r.configuration_id = k.configuration_id)
GROUP BY w.id, k.configuration_id
ORDER BY w.id, loss IS NULL, loss, t.median_ns, c.key;
