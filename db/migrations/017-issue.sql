-- migration 17: how launches were issued is part of a timing's condition, beside the state of the cache
-- Views that a user added may name the tables while they are made anew.
PRAGMA legacy_alter_table = ON;

CREATE TABLE new_peers (
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_key TEXT NOT NULL,
    n INTEGER NOT NULL,
    l2_mode TEXT NOT NULL CHECK (l2_mode IN (
        'cold', 'hot', 'stream', 'dirty', 'cold-stream', 'hot-stream', 'stream-stream', 'dirty-stream',
        'cold-eager', 'hot-eager', 'stream-eager', 'dirty-eager')),
    name TEXT NOT NULL,
    time_ns REAL NOT NULL,
    mad_ns REAL,
    tuned_ns REAL,
    ratio REAL,
    ratio_low REAL,
    ratio_high REAL,
    rounds INTEGER,
    source TEXT NOT NULL,
    imported_at TEXT NOT NULL,
    PRIMARY KEY (environment_id, problem_key, n, l2_mode, name)
) STRICT, WITHOUT ROWID;
INSERT INTO new_peers SELECT * FROM peers;
DROP TABLE peers;
ALTER TABLE new_peers RENAME TO peers;

CREATE TABLE new_runs (
    id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    started_at TEXT NOT NULL,
    ended_at TEXT,
    outcome TEXT CHECK (outcome IN ('complete', 'interrupted', 'failed')),
    seed INTEGER NOT NULL,
    l2_mode TEXT NOT NULL CHECK (l2_mode IN (
        'cold', 'hot', 'stream', 'dirty', 'cold-stream', 'hot-stream', 'stream-stream', 'dirty-stream',
        'cold-eager', 'hot-eager', 'stream-eager', 'dirty-eager')),
    tick_ns REAL NOT NULL,
    empty_pair_ns REAL NOT NULL,
    node_gap_ns REAL,
    effort TEXT,
    budget_ns INTEGER,
    objective TEXT NOT NULL DEFAULT 'time',
    protocol TEXT,
    worker_cpus TEXT,
    near TEXT,
    wall_ns INTEGER,
    measuring_ns INTEGER,
    compile_wait_ns INTEGER,
    binaries_compiled INTEGER,
    binaries_cached INTEGER
, command TEXT) STRICT;
INSERT INTO new_runs SELECT * FROM runs;
DROP TABLE runs;
ALTER TABLE new_runs RENAME TO runs;

CREATE TABLE new_trials (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    stage TEXT NOT NULL CHECK (stage IN ('sweep', 'race', 'confirm', 'dirty', 'hot')),
    objective TEXT NOT NULL DEFAULT 'time',
    l2_mode TEXT NOT NULL CHECK (l2_mode IN (
        'cold', 'hot', 'stream', 'dirty', 'cold-stream', 'hot-stream', 'stream-stream', 'dirty-stream',
        'cold-eager', 'hot-eager', 'stream-eager', 'dirty-eager')),
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
CREATE INDEX trials_wrong ON trials (problem_id) WHERE status = 'wrong_result';
CREATE INDEX trials_wrong_of ON trials (configuration_id) WHERE status = 'wrong_result';
CREATE INDEX trials_twins_of ON trials (configuration_id) WHERE same_as_trial_id IS NOT NULL;
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

CREATE TABLE new_winners (
    id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    l2_mode TEXT NOT NULL CHECK (l2_mode IN (
        'cold', 'hot', 'stream', 'dirty', 'cold-stream', 'hot-stream', 'stream-stream', 'dirty-stream',
        'cold-eager', 'hot-eager', 'stream-eager', 'dirty-eager')),
    objective TEXT NOT NULL DEFAULT 'time',
    trial_id INTEGER NOT NULL REFERENCES trials (id),
    run_id INTEGER NOT NULL REFERENCES runs (id),
    stage TEXT NOT NULL CHECK (stage IN ('sweep', 'race', 'confirm')),
    candidate_count INTEGER NOT NULL,
    space_count INTEGER,
    value REAL,
    time_low_ns REAL,
    time_high_ns REAL,
    delta REAL,
    floor REAL,
    claim REAL,
    confidence REAL,
    processes INTEGER,
    rounds INTEGER,
    rounds_dropped INTEGER,
    tied_count INTEGER,
    kept_incumbent INTEGER CHECK (kept_incumbent IN (0, 1)),
    trust TEXT CHECK (trust IN ('sound', 'noisy', 'unstable')),
    trust_reason TEXT,
    chosen_at TEXT NOT NULL, compared INTEGER, inputs TEXT CHECK (inputs IN ('changed', 'alike')), points INTEGER, failures INTEGER, chance_of_better REAL, most_better REAL, coverage TEXT
    CHECK (coverage IN ('whole', 'part', 'hardly seen', 'mostly failed')),
    UNIQUE (environment_id, problem_id, objective, l2_mode)
) STRICT;
INSERT INTO new_winners SELECT * FROM winners;
DROP TABLE winners;
ALTER TABLE new_winners RENAME TO winners;

CREATE TABLE new_ranges (
    id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    experiment_id INTEGER NOT NULL REFERENCES experiments (id),
    problem_key TEXT NOT NULL,
    l2_mode TEXT NOT NULL CHECK (l2_mode IN (
        'cold', 'hot', 'stream', 'dirty', 'cold-stream', 'hot-stream', 'stream-stream', 'dirty-stream',
        'cold-eager', 'hot-eager', 'stream-eager', 'dirty-eager')),
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
INSERT INTO new_ranges SELECT * FROM ranges;
DROP TABLE ranges;
ALTER TABLE new_ranges RENAME TO ranges;

PRAGMA legacy_alter_table = OFF;
