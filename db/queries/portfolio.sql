-- What tuned.conf may have in a winner's place: of each of them the configurations that were measured beside it, in the
-- processes that confirmed it or in its race, whose kernels passed every check, with what they lose to it, in the mean over the
-- states of the cache.
-- :winners  winners.id (a JSON array)
-- :most     they lose no more than this
WITH asked AS MATERIALIZED (
    SELECT w.id, w.environment_id, w.problem_id, w.l2_mode, w.objective, t.configuration_id,
           confirm.run_id AS confirm_run, confirm.value AS confirm_value,
           race.run_id AS race_run, race.value AS race_value
    FROM json_each(:winners) AS j
    JOIN winners AS w ON w.id = j.value
    JOIN trials AS t ON t.id = w.trial_id
    LEFT JOIN trials AS confirm
        ON confirm.environment_id = w.environment_id AND confirm.problem_id = w.problem_id
        AND confirm.configuration_id = t.configuration_id AND confirm.stage = 'confirm'
        AND confirm.objective = w.objective AND confirm.l2_mode = w.l2_mode AND confirm.value > 0
    LEFT JOIN trials AS race
        ON race.environment_id = w.environment_id AND race.problem_id = w.problem_id
        AND race.configuration_id = t.configuration_id AND race.stage = 'race'
        AND race.objective = w.objective AND race.l2_mode = w.l2_mode AND race.value > 0
),
timed AS (
    SELECT a.id AS winner, a.configuration_id AS winner_configuration, t.id AS trial_id,
           t.configuration_id, t.derived, t.environment_id, t.problem_id, t.objective, t.l2_mode,
           t.value / CASE t.stage WHEN 'confirm' THEN a.confirm_value ELSE a.race_value END AS ratio,
           row_number() OVER (PARTITION BY a.id, t.configuration_id ORDER BY t.stage) AS place
    FROM asked AS a
    CROSS JOIN trials AS t
        ON t.environment_id = a.environment_id AND t.problem_id = a.problem_id
        AND t.l2_mode = a.l2_mode AND t.objective = a.objective AND t.stage <> 'sweep'
        AND t.stage IN ('race', 'confirm')
        AND t.run_id = CASE t.stage WHEN 'confirm' THEN a.confirm_run
                                    WHEN 'race' THEN a.race_run END
    WHERE t.status = 'ok' AND (SELECT min(passed) FROM gauntlets WHERE binary_hash = t.binary_hash)
),
-- The mean is over the states of both: a race has no hot one. A configuration without a dirty time is not known to hold
-- there.
placed AS (
    SELECT timed.winner, timed.trial_id, timed.configuration_id, timed.derived,
           max(0.0, CASE WHEN timed.configuration_id = timed.winner_configuration THEN 0.0
                         ELSE (timed.ratio + total(o.value / e.value)) / (1 + count(o.id)) - 1
                    END) AS loss
    FROM timed
    -- The states of the cache that the winner was timed in besides, and its trial there.
    LEFT JOIN states AS k
        ON k.winner_id = timed.winner AND k.configuration_id = timed.winner_configuration
    LEFT JOIN trials AS e ON e.id = k.trial_id AND e.value > 0
    LEFT JOIN trials AS o
        ON o.environment_id = timed.environment_id AND o.problem_id = timed.problem_id
        AND o.configuration_id = timed.configuration_id AND o.stage = k.state
        AND o.objective = timed.objective AND o.l2_mode = timed.l2_mode AND o.run_id = e.run_id
        AND o.status = 'ok' AND o.value > 0
    WHERE timed.place = 1 AND timed.ratio IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM contenders AS out
        WHERE out.winner_id = timed.winner AND out.configuration_id = timed.configuration_id
          AND out.out IS NOT NULL)
    GROUP BY timed.winner, timed.trial_id
    HAVING count(CASE k.state WHEN 'dirty' THEN e.id END) = count(CASE o.stage WHEN 'dirty' THEN 1 END)
)
SELECT winner, placed.trial_id, placed.configuration_id, c.parameters, placed.derived, loss,
       max(d.multiple) AS multiple, max(d.least) AS least,
       min(nullif(d.most, 0)) AS most, max(d.is_listed) AS is_listed, max(d.formula) AS multiples
FROM placed
JOIN configurations AS c ON c.id = placed.configuration_id
JOIN trials AS t ON t.id = placed.trial_id
JOIN problems AS p ON p.id = t.problem_id
-- A domain is a binary's: configurations with another launch of it have it, too.
LEFT JOIN domains AS d
    ON d.environment_id = t.environment_id AND d.experiment_id = p.experiment_id AND d.problem_key = p.key
    AND (d.configuration_id = placed.configuration_id OR d.binary_hash = t.binary_hash)
WHERE loss <= CAST(:most AS REAL)
GROUP BY winner, placed.configuration_id
ORDER BY winner, loss, c.key;
