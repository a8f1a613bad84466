-- How far the winner of each device, problem, n and mode can be trusted: what it was chosen by, the
-- noise that was found, the verdict and its reason.
-- :words      experiment names and problem keys (a JSON array; NULL: all)
-- :n          one size (NULL: all)
-- :objective  what was made small (NULL: time)
WITH chosen AS (
    SELECT w.*, e.device_id, x.name AS experiment, p.key AS problem, p.n,
           row_number() OVER (
               PARTITION BY e.device_id, x.name, p.key, p.n, w.l2_mode
               ORDER BY w.run_id DESC, w.chosen_at DESC, w.id DESC) AS place
    FROM winners AS w
    JOIN environments AS e ON e.id = w.environment_id
    JOIN problems AS p ON p.id = w.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    WHERE (:n IS NULL OR p.n = :n)
      AND w.objective = coalesce(:objective, 'time')
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE x.name = word.value OR p.key = word.value
             OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
)
SELECT d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid, e.driver, e.compiler,
       chosen.l2_mode, chosen.objective, chosen.run_id AS run, chosen.experiment, chosen.problem,
       chosen.n, chosen.stage,
       m.median_ns AS time_ns, chosen.time_low_ns, chosen.time_high_ns, chosen.value,
       coalesce((SELECT verdict FROM verdicts WHERE verdicts.trust = chosen.trust), 'unknown') AS verdict,
       chosen.trust_reason AS verdict_reason, chosen.coverage, chosen.points AS points_tried, chosen.failures,
       100 * chosen.chance_of_better AS chance_percent, 100 * chosen.most_better AS most_percent, chosen.rounds,
       chosen.rounds_dropped, chosen.processes, 100 * chosen.floor AS floor_percent,
       100 * chosen.delta AS delta_percent, 100 * chosen.claim AS claim_percent,
       100 * chosen.confidence AS confidence_percent, counted.as_fast,
       counted.not_compared, iif(chosen.kept_incumbent, 'true', 'false') AS kept_incumbent,
       chosen.candidate_count, chosen.space_count, chosen.compared,
       -- of that many right ones, at 95 %
       nullif(chosen.compared / 3, 0) AS wrong_less_than_once_in, chosen.inputs, chosen.chosen_at, chosen.trial_id,
       -- in which states of the cache it was timed, and where another of the ties was faster
       CASE WHEN (SELECT k.state FROM conditions AS k WHERE k.l2_mode = chosen.l2_mode) = 'cold'
                 AND chosen.stage <> 'sweep' THEN 'clean' || coalesce((
           SELECT group_concat(told, '')
           FROM (SELECT ', ' || CASE WHEN k.tied THEN k.state
                                ELSE printf('%s +%.1f %%', k.state, 100 * k.difference) END AS told
                 FROM states AS k
                 WHERE k.winner_id = chosen.id AND k.configuration_id = t.configuration_id
                 ORDER BY k.state)), '')
       ELSE chosen.l2_mode END AS states,
       (SELECT o.median_ns FROM states AS k JOIN trials AS o ON o.id = k.trial_id
        WHERE k.winner_id = chosen.id AND k.configuration_id = t.configuration_id
          AND k.state = 'dirty') AS dirty_ns,
       (SELECT o.median_ns FROM states AS k JOIN trials AS o ON o.id = k.trial_id
        WHERE k.winner_id = chosen.id AND k.configuration_id = t.configuration_id
          AND k.state = 'hot') AS hot_ns,
       chosen.id AS winner_id, c.key AS configuration, c.parameters
FROM chosen
JOIN devices AS d ON d.id = chosen.device_id
JOIN environments AS e ON e.id = chosen.environment_id
JOIN trials AS t ON t.id = chosen.trial_id
JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)
JOIN configurations AS c ON c.id = t.configuration_id
LEFT JOIN equals AS counted ON counted.winner_id = chosen.id
WHERE chosen.place = 1
ORDER BY d.kind DESC, d.id, chosen.l2_mode, chosen.run_id, chosen.experiment, chosen.problem,
         chosen.n;
