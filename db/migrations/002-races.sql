-- migration 2: races, confirmation, objectives and ranges of sizes
-- What was the stage 'final' is a race about time. What only the new stages know stays NULL.

CREATE TABLE new_runs (
    id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    started_at TEXT NOT NULL,
    ended_at TEXT,
    outcome TEXT CHECK (outcome IN ('complete', 'interrupted', 'failed')),
    seed INTEGER NOT NULL,
    l2_mode TEXT NOT NULL CHECK (l2_mode IN ('cold', 'hot', 'stream', 'dirty')),
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
) STRICT;
INSERT INTO new_runs (
    id, environment_id, started_at, ended_at, outcome, seed, l2_mode, tick_ns, empty_pair_ns,
    wall_ns, measuring_ns, compile_wait_ns, binaries_compiled, binaries_cached)
SELECT
    id, environment_id, started_at, ended_at, outcome, seed, l2_mode, tick_ns, empty_pair_ns,
    wall_ns, measuring_ns, compile_wait_ns, binaries_compiled, binaries_cached
FROM runs;
DROP TABLE runs;
ALTER TABLE new_runs RENAME TO runs;

CREATE TABLE new_trials (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    stage TEXT NOT NULL CHECK (stage IN ('sweep', 'race', 'confirm')),
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
    measured_at TEXT NOT NULL,
    UNIQUE (environment_id, problem_id, configuration_id, stage, objective, l2_mode)
) STRICT;
INSERT INTO new_trials (
    id, run_id, environment_id, problem_id, configuration_id, stage, l2_mode, status, detail,
    compile_log, same_as_trial_id, binary_hash, derived, launch_count, grid, block, occupancy,
    sample_count, median_ns, mad_ns, min_ns, max_ns, value, duration_ns, measured_at)
SELECT
    id, run_id, environment_id, problem_id, configuration_id,
    CASE stage WHEN 'final' THEN 'race' ELSE stage END, l2_mode, status, detail, compile_log,
    same_as_trial_id, binary_hash, derived, launch_count, grid, block, occupancy, sample_count,
    median_ns, mad_ns, min_ns, max_ns, median_ns, duration_ns, measured_at
FROM trials;
DROP TABLE trials;
ALTER TABLE new_trials RENAME TO trials;

CREATE INDEX trials_by_problem ON trials (problem_id, environment_id, status, median_ns);
CREATE INDEX trials_by_twin ON trials (same_as_trial_id) WHERE same_as_trial_id IS NOT NULL;

CREATE TABLE new_samples (
    trial_id INTEGER NOT NULL REFERENCES trials (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    process INTEGER NOT NULL DEFAULT 0,
    round INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    invalid INTEGER NOT NULL DEFAULT 0 CHECK (invalid IN (0, 1)),
    elapsed_ns REAL NOT NULL,
    energy_j REAL,
    PRIMARY KEY (trial_id, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO new_samples (
    trial_id, ordinal, round, runs, elapsed_ns)
SELECT
    trial_id, ordinal, round, runs, elapsed_ns
FROM samples;
DROP TABLE samples;
ALTER TABLE new_samples RENAME TO samples;

CREATE TABLE new_winners (
    id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    l2_mode TEXT NOT NULL CHECK (l2_mode IN ('cold', 'hot', 'stream', 'dirty')),
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
    chosen_at TEXT NOT NULL,
    UNIQUE (environment_id, problem_id, objective, l2_mode)
) STRICT;
INSERT INTO new_winners (
    id, environment_id, problem_id, l2_mode, trial_id, run_id, stage, candidate_count, value,
    chosen_at)
SELECT
    w.id, w.environment_id, w.problem_id, w.l2_mode, w.trial_id, w.run_id, chosen.stage,
    w.candidate_count, measured.median_ns, w.chosen_at
FROM winners AS w
JOIN trials AS chosen ON chosen.id = w.trial_id
JOIN trials AS measured ON measured.id = coalesce(chosen.same_as_trial_id, chosen.id);
DROP TABLE winners;
ALTER TABLE new_winners RENAME TO winners;

CREATE TABLE rounds (
    run_id INTEGER NOT NULL REFERENCES runs (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    stage TEXT NOT NULL CHECK (stage IN ('race', 'confirm')),
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

CREATE TABLE gauntlets (
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    binary_hash TEXT NOT NULL,
    passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
    cases INTEGER NOT NULL,
    detail TEXT,
    checked_at TEXT NOT NULL,
    PRIMARY KEY (environment_id, problem_id, configuration_id, binary_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE contenders (
    winner_id INTEGER NOT NULL REFERENCES winners (id) ON DELETE CASCADE,
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    trial_id INTEGER REFERENCES trials (id),
    place INTEGER NOT NULL,
    difference REAL,
    difference_low REAL,
    difference_high REAL,
    proven INTEGER NOT NULL CHECK (proven IN (0, 1)),
    tied INTEGER NOT NULL CHECK (tied IN (0, 1)),
    out TEXT,
    PRIMARY KEY (winner_id, configuration_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE ranges (
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
    UNIQUE (environment_id, experiment_id, problem_key, objective, l2_mode, n_low),
    CHECK (n_low <= n_high)
) STRICT;

CREATE TABLE range_checks (
    range_id INTEGER NOT NULL REFERENCES ranges (id) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    measured INTEGER NOT NULL CHECK (measured IN (0, 1)),
    loss REAL,
    loss_low REAL,
    loss_high REAL,
    best_configuration_id INTEGER REFERENCES configurations (id),
    PRIMARY KEY (range_id, n)
) STRICT, WITHOUT ROWID;
