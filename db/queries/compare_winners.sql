-- The winners by time of an environment beside others, and what those take here, over the winner of here.
-- :b      the environment
-- :given  the others, as compare_given.sql has them
-- :words  experiment names and problem keys (a JSON array; NULL: all)
-- :n      one size (NULL: all)
WITH given AS MATERIALIZED (
    SELECT value ->> 'experiment' AS experiment, value ->> 'definition' AS definition, value ->> 'problem' AS problem,
           value ->> 'n' AS n, value ->> 'l2_mode' AS l2_mode, value ->> 'configuration' AS configuration,
           value ->> 'parameters' AS parameters, value ->> 'ns' AS median_ns, value ->> 'low_ns' AS time_low_ns,
           value ->> 'high_ns' AS time_high_ns, value ->> 'trust' AS trust, value ->> 'delta' AS delta
    FROM json_each(:given)
),
newest AS MATERIALIZED (
    SELECT *
    FROM (SELECT w.*, x.name AS experiment, x.definition_hash, p.experiment_id, p.key AS problem, p.n, t.configuration_id,
                 c.key AS configuration, c.parameters, m.median_ns,
                 row_number() OVER (
                     PARTITION BY x.name, p.key, p.n, w.l2_mode
                     ORDER BY w.run_id DESC, w.chosen_at DESC, w.id DESC) AS place
          FROM winners AS w
          JOIN problems AS p ON p.id = w.problem_id
          JOIN experiments AS x ON x.id = p.experiment_id
          JOIN trials AS t ON t.id = w.trial_id
          JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)
          JOIN configurations AS c ON c.id = t.configuration_id
          WHERE w.objective = 'time' AND w.environment_id = CAST(:b AS INTEGER)
            AND (:n IS NULL OR p.n = CAST(:n AS INTEGER))
            AND (:words IS NULL OR EXISTS (
                SELECT 1 FROM json_each(:words) AS word
                WHERE x.name = word.value OR p.key = word.value
                   OR substr(p.key, 1, length(word.value) + 1) = word.value || '.')))
    WHERE place = 1
),
-- carried: a's configuration among b's trials; launched: the trial of the sweep that was measured for it, and for b's
-- winner.
sides AS MATERIALIZED (
    SELECT a.configuration AS a_configuration, a.parameters AS a_parameters, a.median_ns AS a_ns,
           a.time_low_ns AS a_low_ns, a.time_high_ns AS a_high_ns, a.trust AS a_trust, a.delta AS a_delta,
           a.definition <> b.definition_hash AS redefined, b.*,
           coalesce(own.same_as_trial_id, own.id) AS launched_id, coalesce(s.same_as_trial_id, s.id) AS carried_id
    FROM given AS a
    JOIN newest AS b
        ON b.experiment = a.experiment AND b.problem = a.problem AND b.n = a.n AND b.l2_mode = a.l2_mode
    LEFT JOIN configurations AS c ON c.experiment_id = b.experiment_id AND c.key = a.configuration
    LEFT JOIN trials AS s
        ON s.environment_id = b.environment_id AND s.problem_id = b.problem_id AND s.configuration_id = c.id
        AND s.stage = 'sweep' AND s.objective = 'time' AND s.l2_mode = b.l2_mode
    LEFT JOIN trials AS own
        ON own.environment_id = b.environment_id AND own.problem_id = b.problem_id
        AND own.configuration_id = b.configuration_id AND own.stage = 'sweep' AND own.objective = 'time'
        AND own.l2_mode = b.l2_mode
)
SELECT r.experiment, r.problem, r.n, r.l2_mode, r.a_configuration, r.a_parameters, r.a_ns, r.a_low_ns, r.a_high_ns,
       r.a_trust, r.configuration AS b_configuration, r.parameters AS b_parameters, r.median_ns AS b_ns,
       r.time_low_ns AS b_low_ns, r.time_high_ns AS b_high_ns, r.trust AS b_trust, r.redefined,
       r.a_delta, r.delta AS b_delta,
       r.a_configuration = r.configuration OR coalesce(r.carried_id = r.launched_id, 0) AS same,
       -- From common rounds; a LEFT JOIN would compute all of `paired` for it.
       (SELECT p.ratio FROM paired AS p WHERE p.winner_id = r.id AND p.configuration_id = r.configuration_id
        AND p.other_launched_trial_id = r.carried_id) AS carried,
       (SELECT p.ratio_low FROM paired AS p WHERE p.winner_id = r.id AND p.configuration_id = r.configuration_id
        AND p.other_launched_trial_id = r.carried_id) AS carried_low,
       (SELECT p.ratio_high FROM paired AS p WHERE p.winner_id = r.id AND p.configuration_id = r.configuration_id
        AND p.other_launched_trial_id = r.carried_id) AS carried_high,
       -- two trials of the sweep
       iif(s.status = 'ok' AND o.status = 'ok', s.median_ns / o.median_ns, NULL) AS carried_once,
       s.status AS carried_status
FROM sides AS r
LEFT JOIN trials AS s ON s.id = r.carried_id
LEFT JOIN trials AS o ON o.id = r.launched_id
ORDER BY r.experiment, r.problem, r.l2_mode, r.n;
