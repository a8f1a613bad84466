-- migration 11: finalists in other states of the cache, as stages of their own, and what followed from it
-- Views that a user added may name the tables while they are made anew.
PRAGMA legacy_alter_table = ON;

CREATE TABLE new_trials (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    stage TEXT NOT NULL CHECK (stage IN ('sweep', 'race', 'confirm', 'dirty', 'hot')),
    objective TEXT NOT NULL DEFAULT 'time',
    l2_mode TEXT NOT NULL CHECK (l2_mode IN ('cold', 'hot', 'stream', 'dirty')),
    status TEXT NOT NULL,
    detail TEXT,
    compile_log TEXT,
    same_as_trial_id INTEGER REFERENCES trials (id),
    binary_hash TEXT,
    derived TEXT CHECK (derived IS NULL OR json_valid(derived)),
    launch_count INTEGER,
    grid INTEGER,
    block INTEGER,
    occupancy REAL,
    sample_count INTEGER NOT NULL,
    median_ns REAL,
    mad_ns REAL,
    min_ns REAL,
    max_ns REAL,
    energy_j REAL,
    value REAL,
    duration_ns INTEGER NOT NULL,
    measured_at TEXT NOT NULL, metrics TEXT CHECK (metrics IS NULL OR json_valid(metrics)),
    UNIQUE (environment_id, problem_id, configuration_id, stage, objective, l2_mode)
) STRICT;
INSERT INTO new_trials SELECT * FROM trials;
DROP TABLE trials;
ALTER TABLE new_trials RENAME TO trials;
CREATE INDEX trials_by_problem ON trials (problem_id, environment_id);
CREATE INDEX trials_by_twin ON trials (same_as_trial_id) WHERE same_as_trial_id IS NOT NULL;
CREATE INDEX trials_raced ON trials (
    environment_id, problem_id, l2_mode, objective, configuration_id) WHERE stage <> 'sweep';
CREATE TRIGGER trials_added AFTER INSERT ON trials BEGIN
    INSERT INTO tried (environment_id, problem_id, l2_mode, objective, run_id)
    SELECT new.environment_id, new.problem_id, new.l2_mode,
           CASE new.stage WHEN 'sweep' THEN runs.objective ELSE new.objective END, new.run_id
    FROM runs WHERE runs.id = new.run_id
    ON CONFLICT DO UPDATE SET run_id = excluded.run_id WHERE excluded.run_id > tried.run_id;
END;
CREATE TRIGGER trials_changed
AFTER UPDATE OF run_id, environment_id, problem_id, l2_mode, objective, stage ON trials BEGIN
    INSERT INTO tried (environment_id, problem_id, l2_mode, objective, run_id)
    SELECT new.environment_id, new.problem_id, new.l2_mode,
           CASE new.stage WHEN 'sweep' THEN runs.objective ELSE new.objective END, new.run_id
    FROM runs WHERE runs.id = new.run_id
    ON CONFLICT DO UPDATE SET run_id = excluded.run_id WHERE excluded.run_id > tried.run_id;
END;

CREATE TABLE new_rounds (
    run_id INTEGER NOT NULL REFERENCES runs (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    stage TEXT NOT NULL CHECK (stage IN ('race', 'confirm', 'dirty', 'hot')),
    objective TEXT NOT NULL,
    process INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    fault TEXT,
    anchor_first_ns REAL,
    anchor_last_ns REAL,
    twin_configuration_id INTEGER REFERENCES configurations (id),
    first_ns REAL,
    twin_ns REAL,
    sm_clock_mhz REAL,
    memory_clock_mhz REAL,
    temperature_c REAL,
    power_w REAL,
    energy_j REAL,
    throttle INTEGER,
    ecc_errors INTEGER,
    other_processes INTEGER,
    at_ns INTEGER NOT NULL,
    PRIMARY KEY (run_id, problem_id, stage, objective, process, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO new_rounds SELECT * FROM rounds;
DROP TABLE rounds;
ALTER TABLE new_rounds RENAME TO rounds;

PRAGMA legacy_alter_table = OFF;

CREATE TABLE states (
    winner_id INTEGER NOT NULL REFERENCES winners (id) ON DELETE CASCADE,
    state TEXT NOT NULL CHECK (state IN ('dirty', 'hot')),
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    trial_id INTEGER REFERENCES trials (id),
    difference REAL,
    difference_low REAL,
    difference_high REAL,
    tied INTEGER NOT NULL CHECK (tied IN (0, 1)),
    PRIMARY KEY (winner_id, state, configuration_id)
) STRICT, WITHOUT ROWID;
