-- migration 13: problems, ranges and their checks of sizes of several names
ALTER TABLE problems ADD COLUMN family TEXT;

DROP VIEW valid_ranges;
CREATE TABLE new_ranges (
    id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    experiment_id INTEGER NOT NULL REFERENCES experiments (id),
    problem_key TEXT NOT NULL,
    l2_mode TEXT NOT NULL CHECK (l2_mode IN ('cold', 'hot', 'stream', 'dirty')),
    objective TEXT NOT NULL,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    n_low INTEGER NOT NULL,
    n_high INTEGER NOT NULL,
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    within REAL NOT NULL,
    bound REAL,
    chosen_at TEXT NOT NULL,
    further TEXT NOT NULL DEFAULT '',
    UNIQUE (environment_id, experiment_id, problem_key, objective, l2_mode, n_low, further),
    CHECK (n_low <= n_high)
) STRICT;
INSERT INTO new_ranges
SELECT id, environment_id, experiment_id, problem_key, l2_mode, objective, run_id, n_low, n_high,
       configuration_id, within, bound, chosen_at, ''
FROM ranges;
CREATE TABLE new_range_checks (
    range_id INTEGER NOT NULL REFERENCES ranges (id) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    shape TEXT NOT NULL DEFAULT '',
    measured INTEGER NOT NULL CHECK (measured IN (0, 1)),
    loss REAL,
    loss_low REAL,
    loss_high REAL,
    best_configuration_id INTEGER REFERENCES configurations (id),
    PRIMARY KEY (range_id, n, shape)
) STRICT, WITHOUT ROWID;
INSERT INTO new_range_checks
SELECT range_id, n, '', measured, loss, loss_low, loss_high, best_configuration_id
FROM range_checks;
DROP TABLE range_checks;
DROP TABLE ranges;
ALTER TABLE new_ranges RENAME TO ranges;
ALTER TABLE new_range_checks RENAME TO range_checks;

-- Ranges that may be used: their configuration is not refuted, and at each size in them that has a
-- winner it launches what that launches, or was held against it in rounds. (Others were made by older
-- versions of tune out of single times.)
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
        AND (refuted.problem_key = r.problem_key
             OR (r.further <> ''
                 AND substr(refuted.problem_key, 1, length(r.problem_key) + 1)
                     = r.problem_key || '.'))
        AND refuted.configuration_id = r.configuration_id);
