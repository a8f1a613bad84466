-- Of each size of a problem key that has a winner which was raced, and each configuration that was
-- timed there: how much worse than the winner it looks, both from the finest stage that has seen both;
-- and how much worse it is at most, as the rounds of the choice showed it. NULL: nothing tells.
-- Where another state of the cache than the winner's mode shows it to be slower, it loses that much.
-- is_barred: checks left it the measured sizes alone, so it serves no other one than those it won. multiple, least,
-- most: what else checks left. Who is refuted is not among them.
WITH out AS MATERIALIZED (
    SELECT DISTINCT configuration_id FROM refuted
    WHERE environment_id = :environment AND experiment_id = :experiment AND problem_key = :key
),
kept AS MATERIALIZED (
    SELECT configuration_id, multiple, least, most, is_listed, formula FROM domains
    WHERE environment_id = :environment AND experiment_id = :experiment AND problem_key = :key
),
chosen AS (
    SELECT w.*, t.configuration_id, p.n
    FROM winners AS w
    JOIN problems AS p ON p.id = w.problem_id
    JOIN trials AS t ON t.id = w.trial_id
    WHERE w.environment_id = :environment AND p.experiment_id = :experiment AND p.key = :key
      AND w.l2_mode = :l2_mode AND w.objective = :objective
      AND w.stage <> 'sweep' AND w.trust IS NOT 'unstable'
      AND t.configuration_id NOT IN (SELECT configuration_id FROM out)
),
against AS MATERIALIZED (
    SELECT paired.winner_id, paired.other_launched_trial_id, min(paired.ratio_high) AS ratio_high
    FROM chosen
    CROSS JOIN paired
        ON paired.winner_id = chosen.id AND paired.configuration_id = chosen.configuration_id
    CROSS JOIN contenders AS k
        ON k.winner_id = chosen.id AND k.configuration_id = paired.other_configuration_id
        AND k.out IS NULL
    GROUP BY 1, 2
),
elsewhere AS MATERIALIZED (
    SELECT k.winner_id, k.configuration_id, max(k.difference) AS loss, max(k.difference_high) AS bound
    FROM chosen CROSS JOIN states AS k ON k.winner_id = chosen.id
    WHERE NOT k.tied
    GROUP BY 1, 2
)
SELECT w.n AS n, c.id AS configuration_id, c.key AS key,
       max(coalesce(CASE WHEN c.id <> w.configuration_id THEN elsewhere.loss END, -1), CASE
           WHEN own.confirm_value > 0 AND best.confirm_value > 0
               THEN own.confirm_value / best.confirm_value - 1
           WHEN own.race_value > 0 AND best.race_value > 0
               THEN own.race_value / best.race_value - 1
           WHEN :objective = 'time' AND own.sweep_ns > 0 AND best.sweep_ns > 0
               THEN own.sweep_ns / best.sweep_ns - 1
       END) AS loss,
       c.id = w.configuration_id AS is_winner,
       c.parameters AS parameters,
       CASE WHEN c.id = w.configuration_id THEN 0
            ELSE max(against.ratio_high - 1, coalesce(elsewhere.bound, -1)) END AS bound,
       -- Also of its launch's representative.
       coalesce((SELECT max(kept.is_listed) FROM kept
                 WHERE kept.configuration_id IN (c.id, own.measured_configuration_id)), 0) AS is_barred,
       (SELECT max(kept.multiple) FROM kept
        WHERE kept.configuration_id IN (c.id, own.measured_configuration_id)) AS multiple,
       (SELECT max(kept.least) FROM kept
        WHERE kept.configuration_id IN (c.id, own.measured_configuration_id)) AS least,
       (SELECT min(nullif(kept.most, 0)) FROM kept
        WHERE kept.configuration_id IN (c.id, own.measured_configuration_id)) AS most,
       -- Of a tuple.
       (SELECT max(kept.formula) FROM kept
        WHERE kept.configuration_id IN (c.id, own.measured_configuration_id)) AS multiples
FROM chosen AS w
-- CROSS: in this order; points are looked up, not made of all trials.
CROSS JOIN points AS best
    ON best.environment_id = w.environment_id AND best.problem_id = w.problem_id
    AND best.l2_mode = w.l2_mode AND best.objective = w.objective
    AND best.configuration_id = w.configuration_id
CROSS JOIN points AS own
    ON own.environment_id = w.environment_id AND own.problem_id = w.problem_id
    AND own.l2_mode = w.l2_mode AND own.objective = w.objective
CROSS JOIN configurations AS c ON c.id = own.configuration_id
LEFT JOIN against
    ON against.winner_id = w.id AND against.other_launched_trial_id = own.sweep_trial_id
LEFT JOIN elsewhere
    ON elsewhere.winner_id = w.id AND elsewhere.configuration_id = own.measured_configuration_id
WHERE c.id NOT IN (SELECT configuration_id FROM out) AND (is_winner OR NOT is_barred)
-- A configuration that duplicates another's launch somewhere comes last.
ORDER BY sum(own.measured_configuration_id <> c.id) OVER (PARTITION BY c.id), own.launch_count,
         own.block, c.key, w.n;
