-- Among which configurations each winner was chosen: how much slower each was than the fastest of
-- them, with its interval, and why it did not win. The winner first, then those that are as fast.
-- :words      experiment names and problem keys (a JSON array; NULL: all)
-- :n          one size (NULL: all)
-- :objective  what was made small (NULL: time)
WITH chosen AS (
    SELECT *
    FROM latest_winners AS w
    WHERE (:n IS NULL OR w.n = :n)
      AND w.objective = coalesce(:objective, 'time')
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE w.experiment = word.value OR w.problem = word.value
             OR substr(w.problem, 1, length(word.value) + 1) = word.value || '.'))
),
-- Candidates rejected before the choice, as compiled last, come after those in it.
rejected AS (
    SELECT chosen.id AS winner_id, g.configuration_id, s.id AS trial_id, g.detail,
           (SELECT count(*) FROM contenders AS k WHERE k.winner_id = chosen.id)
           + row_number() OVER (PARTITION BY chosen.id ORDER BY s.median_ns, s.id) AS place
    FROM chosen
    JOIN gauntlets AS g
        ON g.environment_id = chosen.environment_id AND g.problem_id = chosen.problem_id
        AND g.passed = 0
    JOIN trials AS s
        ON s.environment_id = g.environment_id AND s.problem_id = g.problem_id
        AND s.configuration_id = g.configuration_id AND s.stage = 'sweep'
        AND s.l2_mode = chosen.l2_mode AND s.binary_hash = g.binary_hash
    WHERE NOT EXISTS (SELECT 1 FROM contenders AS k
                      WHERE k.winner_id = chosen.id AND k.configuration_id = g.configuration_id)
),
compared AS (
    SELECT standings.winner_id, standings.configuration_id, standings.trial_id, standings.place, difference,
           difference_low, difference_high, out, standing
    FROM chosen
    CROSS JOIN standings ON standings.winner_id = chosen.id
    UNION ALL
    SELECT winner_id, configuration_id, trial_id, place, NULL, NULL, NULL, detail, 'out'
    FROM rejected
)
SELECT d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid, e.driver, e.compiler,
       chosen.l2_mode, chosen.objective, chosen.experiment, chosen.problem, chosen.n,
       k.place, m.median_ns AS time_ns, m.value, 100 * k.difference AS difference_percent,
       100 * k.difference_low AS low_percent, 100 * k.difference_high AS high_percent,
       100 * chosen.delta AS delta_percent, k.standing, k.out,
       -- also where another configuration that launches the same was raced for it
       (SELECT group_concat(b.name, ', ')
        FROM baselines AS b
        WHERE b.environment_id = chosen.environment_id AND b.problem_id = chosen.problem_id
          AND (b.configuration_id = k.configuration_id
               OR EXISTS (SELECT 1 FROM alike
                          WHERE alike.environment_id = b.environment_id AND alike.problem_id = b.problem_id
                            AND alike.l2_mode = chosen.l2_mode AND alike.configuration_id = b.configuration_id
                            AND alike.other_configuration_id = k.configuration_id))) AS baseline,
       m.metrics, k.trial_id, c.key AS configuration, c.parameters
FROM chosen
JOIN compared AS k ON k.winner_id = chosen.id
JOIN devices AS d ON d.id = chosen.device_id
JOIN environments AS e ON e.id = chosen.environment_id
JOIN trials AS t ON t.id = chosen.trial_id
JOIN configurations AS c ON c.id = k.configuration_id
LEFT JOIN trials AS own ON own.id = k.trial_id
LEFT JOIN trials AS m ON m.id = coalesce(own.same_as_trial_id, own.id)
ORDER BY d.kind DESC, d.id, chosen.l2_mode, chosen.experiment, chosen.problem, chosen.n,
         CASE k.standing WHEN 'winner' THEN 0 WHEN 'as fast' THEN 1 WHEN 'not compared' THEN 2
                         WHEN 'slower' THEN 3 ELSE 4 END,
         k.place, k.configuration_id;
