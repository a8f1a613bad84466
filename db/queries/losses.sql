-- Of each size of a problem key that has a winner, and each configuration that was timed there: how
-- much worse than the winner, both from the finest stage that has seen both. NULL: nothing tells.
SELECT p.n AS n, c.id AS configuration_id, c.key AS key,
       CASE
           WHEN own.confirm_value > 0 AND best.confirm_value > 0
               THEN own.confirm_value / best.confirm_value - 1
           WHEN own.race_value > 0 AND best.race_value > 0
               THEN own.race_value / best.race_value - 1
           WHEN :objective = 'time' AND own.sweep_ns > 0 AND best.sweep_ns > 0
               THEN own.sweep_ns / best.sweep_ns - 1
       END AS loss,
       c.id = chosen.configuration_id AS is_winner,
       c.parameters AS parameters
FROM winners AS w
JOIN trials AS chosen ON chosen.id = w.trial_id
JOIN problems AS p ON p.id = w.problem_id
JOIN points AS best
    ON best.environment_id = w.environment_id AND best.problem_id = w.problem_id
    AND best.l2_mode = w.l2_mode AND best.objective = w.objective
    AND best.configuration_id = chosen.configuration_id
JOIN points AS own
    ON own.environment_id = w.environment_id AND own.problem_id = w.problem_id
    AND own.l2_mode = w.l2_mode AND own.objective = w.objective
JOIN configurations AS c ON c.id = own.configuration_id
WHERE w.environment_id = :environment AND p.experiment_id = :experiment AND p.key = :key
  AND w.l2_mode = :l2_mode AND w.objective = :objective
  AND w.trust IS NOT 'unstable'
  AND NOT EXISTS (SELECT 1 FROM gauntlets AS g
                  WHERE g.environment_id = w.environment_id AND g.configuration_id = c.id
                    AND g.passed = 0)
-- What launches the same as another somewhere is named last.
ORDER BY sum(own.measured_configuration_id <> c.id) OVER (PARTITION BY c.id), own.launch_count,
         own.block, c.key, p.n;
