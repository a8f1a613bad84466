-- migration 12: where each configuration may be used; who was wrong at a size is out at all; ranges whose configuration stands for another
CREATE TABLE domains (
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    experiment_id INTEGER NOT NULL REFERENCES experiments (id),
    problem_key TEXT NOT NULL,
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    binary_hash TEXT NOT NULL,
    multiple INTEGER NOT NULL CHECK (multiple >= 1),
    least INTEGER NOT NULL,
    is_listed INTEGER NOT NULL CHECK (is_listed IN (0, 1)),
    reason TEXT,
    formula TEXT,
    found_at TEXT NOT NULL,
    PRIMARY KEY (environment_id, experiment_id, problem_key, configuration_id)
) STRICT, WITHOUT ROWID;
DROP VIEW valid_ranges;
DROP VIEW latest_winners;
CREATE INDEX trials_wrong ON trials (problem_id) WHERE status = 'wrong_result';
CREATE INDEX gauntlets_failed ON gauntlets (environment_id, configuration_id) WHERE passed = 0;
CREATE VIEW refuted AS
WITH wrong AS (
    SELECT m.id, m.environment_id, m.problem_id, m.configuration_id, m.detail
    FROM trials AS m
    WHERE m.status = 'wrong_result'
)
SELECT w.environment_id, p.experiment_id, p.key AS problem_key, w.configuration_id, p.n, w.detail
FROM wrong AS w
CROSS JOIN problems AS p ON p.id = w.problem_id
UNION ALL
SELECT w.environment_id, p.experiment_id, p.key, t.configuration_id, p.n, w.detail
FROM wrong AS w
CROSS JOIN problems AS p ON p.id = w.problem_id
CROSS JOIN trials AS t ON t.same_as_trial_id = w.id
UNION ALL
SELECT g.environment_id, p.experiment_id, p.key, g.configuration_id, p.n, g.detail
FROM gauntlets AS g
CROSS JOIN problems AS p ON p.id = g.problem_id
WHERE g.passed = 0
  AND NOT EXISTS (
      SELECT 1 FROM trials AS t
      WHERE t.environment_id = g.environment_id AND t.problem_id = g.problem_id
        AND t.configuration_id = g.configuration_id AND t.binary_hash <> g.binary_hash);
CREATE VIEW latest_winners AS
SELECT *
FROM (
    SELECT w.*, e.device_id, x.name AS experiment, p.experiment_id, p.key AS problem, p.n,
           t.configuration_id,
           row_number() OVER (
               PARTITION BY e.device_id, x.name, p.key, p.n, w.l2_mode, w.objective
               ORDER BY w.run_id DESC, w.chosen_at DESC, w.id DESC) AS place
    FROM winners AS w
    JOIN environments AS e ON e.id = w.environment_id
    JOIN problems AS p ON p.id = w.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    JOIN trials AS t ON t.id = w.trial_id
) AS latest
WHERE place = 1
  AND NOT EXISTS (
      SELECT 1 FROM refuted
      WHERE refuted.environment_id = latest.environment_id
        AND refuted.experiment_id = latest.experiment_id
        AND refuted.problem_key = latest.problem
        AND refuted.configuration_id = latest.configuration_id);
CREATE VIEW valid_ranges AS
SELECT r.*
FROM ranges AS r
WHERE NOT EXISTS (
    SELECT 1
    FROM problems AS p
    CROSS JOIN winners AS w
        ON w.environment_id = r.environment_id AND w.problem_id = p.id
        AND w.objective = r.objective AND w.l2_mode = r.l2_mode
        AND w.stage <> 'sweep' AND w.trust IS NOT 'unstable'
    CROSS JOIN trials AS t
        ON t.id = w.trial_id AND t.configuration_id <> r.configuration_id
    LEFT JOIN trials AS best
        ON best.environment_id = r.environment_id AND best.problem_id = p.id
        AND best.configuration_id = t.configuration_id AND best.stage = 'sweep'
        AND best.objective = 'time' AND best.l2_mode = r.l2_mode
    LEFT JOIN trials AS own
        ON own.environment_id = r.environment_id AND own.problem_id = p.id
        AND own.configuration_id = r.configuration_id AND own.stage = 'sweep'
        AND own.objective = 'time' AND own.l2_mode = r.l2_mode
    WHERE p.experiment_id = r.experiment_id AND p.key = r.problem_key
      AND p.n BETWEEN r.n_low AND r.n_high
      AND coalesce(own.same_as_trial_id, own.id, 0)
          <> coalesce(best.same_as_trial_id, best.id, -1)
      AND (r.n_low = r.n_high OR NOT (
          EXISTS (SELECT 1 FROM range_checks AS k
                  WHERE k.range_id = r.id AND k.n = p.n AND k.measured = 1)
          OR EXISTS (SELECT 1 FROM paired
                     WHERE paired.winner_id = w.id
                       AND paired.configuration_id = t.configuration_id
                       AND paired.other_launched_trial_id
                           = coalesce(own.same_as_trial_id, own.id)
                       AND paired.ratio_high - 1 <= r.bound + 1e-9))))
  AND NOT EXISTS (
      SELECT 1 FROM refuted
      WHERE refuted.environment_id = r.environment_id
        AND refuted.experiment_id = r.experiment_id
        AND refuted.problem_key = r.problem_key
        AND refuted.configuration_id = r.configuration_id);
