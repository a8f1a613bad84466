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
CREATE INDEX trials_wrong ON trials (problem_id) WHERE status = 'wrong_result';
CREATE INDEX gauntlets_failed ON gauntlets (environment_id, configuration_id) WHERE passed = 0;
