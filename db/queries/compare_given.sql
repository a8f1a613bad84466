-- The winners by time of an environment as one JSON array: what compare_winners.sql puts beside those of another, which may
-- lie in another database.
-- :environment
-- :place  1: the newest of each problem; 2: those before, of the same problem of an experiment that was changed since
-- :words  experiment names and problem keys (a JSON array; NULL: all)
-- :n      one size (NULL: all)
SELECT json_group_array(json_object(
           'experiment', experiment, 'definition', definition_hash, 'problem', key, 'n', n, 'l2_mode', l2_mode,
           'configuration', configuration, 'parameters', json(parameters), 'ns', median_ns, 'low_ns', time_low_ns,
           'high_ns', time_high_ns, 'trust', trust, 'delta', delta)) AS winners
FROM (SELECT w.*, x.name AS experiment, x.definition_hash, p.key, p.n, c.key AS configuration, c.parameters, m.median_ns,
             row_number() OVER (
                 PARTITION BY x.name, p.key, p.n, w.l2_mode
                 ORDER BY w.run_id DESC, w.chosen_at DESC, w.id DESC) AS place
      FROM winners AS w
      JOIN problems AS p ON p.id = w.problem_id
      JOIN experiments AS x ON x.id = p.experiment_id
      JOIN trials AS t ON t.id = w.trial_id
      JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)
      JOIN configurations AS c ON c.id = t.configuration_id
      WHERE w.objective = 'time' AND w.environment_id = CAST(:environment AS INTEGER)
        AND (:n IS NULL OR p.n = CAST(:n AS INTEGER))
        AND (:words IS NULL OR EXISTS (
            SELECT 1 FROM json_each(:words) AS word
            WHERE x.name = word.value OR p.key = word.value
               OR substr(p.key, 1, length(word.value) + 1) = word.value || '.')))
WHERE place = CAST(:place AS INTEGER);
