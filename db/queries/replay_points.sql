-- The points of an experiment in an environment: what became of them in the sweep, how long they take by
-- the finest stage that timed them, and what they cost. What launched the same as another has its times.
-- :environment, :l2_mode, :experiment
SELECT p.key AS problem, p.n, c.key AS configuration, c.parameters,
       twin.key AS twin, own.id AS own_trial, own.status, coalesce(own.compile_log, own.detail) AS detail,
       own.duration_ns, race.duration_ns AS race_ns, race.sample_count AS race_samples,
       coalesce(raced.status, 'ok') AS raced_status, raced.detail AS raced_detail,
       finest.id AS timed_trial, finest.median_ns, finest.mad_ns,
       (SELECT e.id FROM trials AS e
        WHERE e.environment_id = own.environment_id AND e.problem_id = own.problem_id
          AND e.configuration_id IN (own.configuration_id, t.configuration_id) AND e.objective <> 'time' AND e.l2_mode = own.l2_mode
          AND e.status = 'ok' AND e.energy_j > 0
        ORDER BY e.stage = 'confirm' DESC, e.id DESC LIMIT 1) AS energy_trial,
       (SELECT coalesce(g.detail, 'the checks found it wrong') FROM gauntlets AS g
        WHERE g.environment_id = t.environment_id AND g.problem_id = t.problem_id
          AND g.configuration_id = own.configuration_id AND g.passed = 0) AS checked_detail
FROM problems AS p
CROSS JOIN trials AS t
    ON t.problem_id = p.id AND t.environment_id = CAST(:environment AS INTEGER)
    AND t.stage = 'sweep' AND t.objective = 'time' AND t.l2_mode = :l2_mode
JOIN configurations AS c ON c.id = t.configuration_id
JOIN trials AS own ON own.id = coalesce(t.same_as_trial_id, t.id)
JOIN configurations AS twin ON twin.id = own.configuration_id
LEFT JOIN trials AS race
    ON race.environment_id = own.environment_id AND race.problem_id = own.problem_id
    AND race.configuration_id = own.configuration_id AND race.stage = 'race'
    AND race.objective = 'time' AND race.l2_mode = own.l2_mode
LEFT JOIN trials AS confirm
    ON confirm.environment_id = own.environment_id AND confirm.problem_id = own.problem_id
    AND confirm.configuration_id = own.configuration_id AND confirm.stage = 'confirm'
    AND confirm.objective = 'time' AND confirm.l2_mode = own.l2_mode
LEFT JOIN trials AS raced
    ON raced.id = CASE WHEN race.status <> 'ok' THEN race.id WHEN confirm.status <> 'ok' THEN confirm.id END
JOIN trials AS finest
    ON finest.id = CASE WHEN confirm.median_ns > 0 THEN confirm.id WHEN race.median_ns > 0 THEN race.id
                        ELSE own.id END
WHERE p.experiment_id = CAST(:experiment AS INTEGER)
  AND own.status <> 'skipped_by_constraint'
