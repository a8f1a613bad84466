-- migration 13: problems, ranges and their checks of sizes of several names
ALTER TABLE problems ADD COLUMN family TEXT;

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
