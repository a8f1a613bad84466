-- Whether winners depend on how launches are issued: of each problem that was tuned in several ways, the winner of
-- each, and how much more the first way's winner takes there, with its interval.
-- :words      experiment names and problem keys (a JSON array; NULL: all)
-- :n          one size (NULL: all)
-- :objective  what was made small (NULL: time)
WITH chosen AS (
    SELECT w.*, k.state, k.issue, k.place AS issue_place,
           count(*) OVER same_problem AS ways,
           first_value(w.id) OVER (same_problem ORDER BY k.place) AS first_id,
           first_value(k.issue) OVER (same_problem ORDER BY k.place) AS first_issue,
           first_value(w.configuration_id) OVER (same_problem ORDER BY k.place) AS first_configuration_id
    FROM latest_winners AS w
    JOIN conditions AS k ON k.l2_mode = w.l2_mode
    WHERE (:n IS NULL OR w.n = :n)
      AND w.objective = coalesce(:objective, 'time')
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE w.experiment = word.value OR w.problem = word.value
             OR substr(w.problem, 1, length(word.value) + 1) = word.value || '.'))
    WINDOW same_problem AS (PARTITION BY w.device_id, w.experiment, w.problem, w.n, k.state)
),
-- The first way's winner in the rounds of this one: itself, or its duplicate.
held AS (
    SELECT chosen.id AS winner_id, s.difference, s.difference_low, s.difference_high, s.standing,
           row_number() OVER (
               PARTITION BY chosen.id
               ORDER BY s.configuration_id = chosen.first_configuration_id DESC, s.place) AS place
    FROM chosen
    JOIN standings AS s ON s.winner_id = chosen.id
    WHERE s.configuration_id = chosen.first_configuration_id
       OR EXISTS (SELECT 1 FROM alike
                  WHERE alike.environment_id = chosen.environment_id AND alike.problem_id = chosen.problem_id
                    AND alike.l2_mode = chosen.l2_mode AND alike.configuration_id = chosen.first_configuration_id
                    AND alike.other_configuration_id = s.configuration_id)
)
SELECT d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid, e.driver, e.compiler,
       chosen.state AS l2_mode, chosen.objective, chosen.experiment, chosen.problem, chosen.n, chosen.issue,
       chosen.first_issue, coalesce(m.median_ns, t.median_ns) AS time_ns,
       CASE WHEN chosen.id = chosen.first_id THEN NULL
            WHEN held.standing = 'winner' THEN 'same'
            WHEN held.standing IN ('slower', 'out') THEN 'differs'
            ELSE 'not shown' END AS choice,
       CASE WHEN chosen.id <> chosen.first_id AND held.standing <> 'winner'
            THEN 100 * held.difference END AS difference_percent,
       CASE WHEN chosen.id <> chosen.first_id AND held.standing <> 'winner'
            THEN 100 * held.difference_low END AS low_percent,
       CASE WHEN chosen.id <> chosen.first_id AND held.standing <> 'winner'
            THEN 100 * held.difference_high END AS high_percent,
       c.key AS configuration, c.parameters
FROM chosen
JOIN devices AS d ON d.id = chosen.device_id
JOIN environments AS e ON e.id = chosen.environment_id
JOIN trials AS t ON t.id = chosen.trial_id
LEFT JOIN trials AS m ON m.id = t.same_as_trial_id
JOIN configurations AS c ON c.id = chosen.configuration_id
LEFT JOIN held ON held.winner_id = chosen.id AND held.place = 1
WHERE chosen.ways > 1
ORDER BY d.kind DESC, d.id, chosen.state, chosen.experiment, chosen.problem, chosen.n, chosen.issue_place;
