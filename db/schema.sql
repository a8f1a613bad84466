-- The database of tune, version 1. Every table, column and unit is explained in db/README.md; a
-- test holds that page against this file. Times are nanoseconds, sizes bytes, dates UTC in ISO 8601.

PRAGMA application_id = 0x54756e65; -- "Tune"
PRAGMA user_version = 1;

CREATE TABLE devices (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('cuda', 'cpu')),
    name TEXT NOT NULL,
    architecture TEXT NOT NULL,
    memory_bytes INTEGER NOT NULL,
    unit_count INTEGER NOT NULL,
    facts TEXT NOT NULL CHECK (json_valid(facts)),
    first_seen_at TEXT NOT NULL
) STRICT;

CREATE TABLE environments (
    id INTEGER PRIMARY KEY,
    device_id INTEGER NOT NULL REFERENCES devices (id),
    driver TEXT NOT NULL,
    compiler TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    host TEXT NOT NULL,
    first_seen_at TEXT NOT NULL,
    UNIQUE (device_id, driver, compiler, tool_version, host)
) STRICT;

CREATE TABLE ceilings (
    id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    measured_at TEXT NOT NULL,
    buffer_bytes INTEGER NOT NULL,
    host_to_device_gbs REAL,
    device_to_host_gbs REAL,
    copy_gbs REAL,
    read_gbs REAL,
    write_gbs REAL
) STRICT;

CREATE TABLE experiments (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    device_kind TEXT NOT NULL,
    content_hash TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL,
    text TEXT NOT NULL,
    first_seen_at TEXT NOT NULL
) STRICT;

CREATE TABLE problems (
    id INTEGER PRIMARY KEY,
    experiment_id INTEGER NOT NULL REFERENCES experiments (id),
    key TEXT NOT NULL,
    axes TEXT NOT NULL CHECK (json_valid(axes)),
    n INTEGER NOT NULL,
    bytes_moved REAL NOT NULL,
    UNIQUE (experiment_id, key, n)
) STRICT;

CREATE TABLE configurations (
    id INTEGER PRIMARY KEY,
    experiment_id INTEGER NOT NULL REFERENCES experiments (id),
    key TEXT NOT NULL,
    parameters TEXT NOT NULL CHECK (json_valid(parameters)),
    UNIQUE (experiment_id, key)
) STRICT;

CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    started_at TEXT NOT NULL,
    ended_at TEXT,
    outcome TEXT CHECK (outcome IN ('complete', 'interrupted', 'failed')),
    seed INTEGER NOT NULL,
    l2_mode TEXT NOT NULL CHECK (l2_mode IN ('cold', 'hot')),
    tick_ns REAL NOT NULL,
    empty_pair_ns REAL NOT NULL,
    wall_ns INTEGER,
    measuring_ns INTEGER,
    compile_wait_ns INTEGER,
    binaries_compiled INTEGER,
    binaries_cached INTEGER
) STRICT;

CREATE TABLE trials (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    stage TEXT NOT NULL CHECK (stage IN ('sweep', 'final')),
    l2_mode TEXT NOT NULL CHECK (l2_mode IN ('cold', 'hot')),
    status TEXT NOT NULL,
    detail TEXT,
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
    duration_ns INTEGER NOT NULL,
    measured_at TEXT NOT NULL,
    UNIQUE (environment_id, problem_id, configuration_id, stage, l2_mode)
) STRICT;

CREATE INDEX trials_by_problem ON trials (problem_id, environment_id, status, median_ns);
CREATE INDEX trials_by_twin ON trials (same_as_trial_id) WHERE same_as_trial_id IS NOT NULL;

CREATE TABLE samples (
    trial_id INTEGER NOT NULL REFERENCES trials (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    round INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    elapsed_ns REAL NOT NULL,
    PRIMARY KEY (trial_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE resources (
    trial_id INTEGER NOT NULL REFERENCES trials (id) ON DELETE CASCADE,
    launch INTEGER NOT NULL,
    kernel TEXT NOT NULL,
    grid_x INTEGER NOT NULL,
    grid_y INTEGER NOT NULL,
    grid_z INTEGER NOT NULL,
    block_x INTEGER NOT NULL,
    block_y INTEGER NOT NULL,
    block_z INTEGER NOT NULL,
    threads INTEGER NOT NULL,
    dynamic_shared_bytes INTEGER NOT NULL,
    static_shared_bytes INTEGER,
    registers INTEGER,
    local_bytes INTEGER,
    spill_bytes INTEGER,
    active_blocks_per_sm INTEGER,
    occupancy REAL,
    PRIMARY KEY (trial_id, launch)
) STRICT, WITHOUT ROWID;

CREATE TABLE baselines (
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    name TEXT NOT NULL,
    about TEXT NOT NULL,
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    PRIMARY KEY (environment_id, problem_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE winners (
    id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    l2_mode TEXT NOT NULL CHECK (l2_mode IN ('cold', 'hot')),
    trial_id INTEGER NOT NULL REFERENCES trials (id),
    run_id INTEGER NOT NULL REFERENCES runs (id),
    candidate_count INTEGER NOT NULL,
    chosen_at TEXT NOT NULL,
    UNIQUE (environment_id, problem_id, l2_mode)
) STRICT;
