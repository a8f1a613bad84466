-- migration 15: whether a configuration is refuted is found by an index
CREATE INDEX trials_wrong_of ON trials (configuration_id) WHERE status = 'wrong_result';
CREATE INDEX trials_twins_of ON trials (configuration_id) WHERE same_as_trial_id IS NOT NULL;
DROP INDEX gauntlets_failed;
CREATE INDEX gauntlets_failed ON gauntlets (problem_id) WHERE passed = 0;
CREATE INDEX gauntlets_failed_of ON gauntlets (configuration_id) WHERE passed = 0;
CREATE INDEX gauntlets_by_binary ON gauntlets (binary_hash, passed);
DROP VIEW refuted;
CREATE VIEW refuted AS
SELECT +w.environment_id AS environment_id, p.experiment_id, p.key AS problem_key,
       w.configuration_id, p.n, w.detail
FROM trials AS w
JOIN problems AS p ON p.id = w.problem_id
WHERE w.status = 'wrong_result'
UNION ALL
SELECT +w.environment_id, p.experiment_id, p.key, t.configuration_id, p.n, w.detail
FROM trials AS w
JOIN problems AS p ON p.id = w.problem_id
JOIN trials AS t ON t.same_as_trial_id = w.id
WHERE likelihood(w.status = 'wrong_result', 0.001) AND t.same_as_trial_id IS NOT NULL
UNION ALL
SELECT +g.environment_id, p.experiment_id, p.key, g.configuration_id, p.n, g.detail
FROM gauntlets AS g
JOIN problems AS p ON p.id = g.problem_id
WHERE g.passed = 0
  AND NOT EXISTS (
      SELECT 1 FROM trials AS t
      WHERE t.environment_id = g.environment_id AND t.problem_id = g.problem_id
        AND t.configuration_id = g.configuration_id AND t.binary_hash <> g.binary_hash);
