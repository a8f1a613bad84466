-- The database of tune, version 1, as it was shipped, and rows as that version wrote them: what migrations
-- are tested on. Times are nanoseconds.

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
    definition_hash TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    path TEXT NOT NULL,
    text TEXT NOT NULL,
    first_seen_at TEXT NOT NULL,
    UNIQUE (name, device_kind, definition_hash)
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

CREATE TABLE in_flight (
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    run_id INTEGER NOT NULL REFERENCES runs (id),
    boot_id TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    PRIMARY KEY (environment_id, problem_id, configuration_id)
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

-- Each configuration that was tried, with what may be compared: its time in the sweep and its time
-- among the finalists, both looked up through same_as_trial_id, and NULL where it was not timed.
CREATE VIEW points AS
WITH own AS (
    SELECT environment_id, problem_id, configuration_id, l2_mode,
           max(CASE stage WHEN 'sweep' THEN coalesce(same_as_trial_id, id) END) AS sweep_id,
           max(CASE stage WHEN 'final' THEN coalesce(same_as_trial_id, id) END) AS final_id
    FROM trials
    GROUP BY environment_id, problem_id, configuration_id, l2_mode
)
SELECT own.environment_id, own.problem_id, own.configuration_id, own.l2_mode,
       coalesce(final.configuration_id, sweep.configuration_id) AS measured_configuration_id,
       sweep.id AS sweep_trial_id,
       CASE sweep.status WHEN 'ok' THEN sweep.median_ns END AS sweep_ns,
       CASE sweep.status WHEN 'ok' THEN sweep.mad_ns END AS sweep_mad_ns,
       final.id AS final_trial_id,
       CASE final.status WHEN 'ok' THEN final.median_ns END AS final_ns,
       CASE final.status WHEN 'ok' THEN final.mad_ns END AS final_mad_ns,
       coalesce(final.launch_count, sweep.launch_count) AS launch_count,
       coalesce(final.grid, sweep.grid) AS grid,
       coalesce(final.block, sweep.block) AS block,
       coalesce(final.occupancy, sweep.occupancy) AS occupancy
FROM own
LEFT JOIN trials AS sweep ON sweep.id = own.sweep_id
-- The finalist may be the twin that was really measured.
LEFT JOIN trials AS twin
    ON twin.environment_id = own.environment_id AND twin.problem_id = own.problem_id
    AND twin.configuration_id = sweep.configuration_id AND twin.stage = 'final'
    AND twin.l2_mode = own.l2_mode
LEFT JOIN trials AS final
    ON final.id = coalesce(own.final_id, twin.same_as_trial_id, twin.id);

-- Of each device, experiment name, problem key, n and mode: where it was tried last. An experiment
-- file that was changed, or a new driver, makes new rows beside the old ones.
CREATE VIEW latest_problems AS
SELECT environment_id, problem_id, l2_mode, run_id
FROM (
    SELECT t.environment_id, t.problem_id, t.l2_mode, t.run_id,
           row_number() OVER (
               PARTITION BY e.device_id, x.name, p.key, p.n, t.l2_mode
               ORDER BY t.run_id DESC, t.problem_id DESC) AS place
    FROM (SELECT environment_id, problem_id, l2_mode, max(run_id) AS run_id
          FROM trials GROUP BY environment_id, problem_id, l2_mode) AS t
    JOIN environments AS e ON e.id = t.environment_id
    JOIN problems AS p ON p.id = t.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
)
WHERE place = 1;

-- The ceilings to hold an environment's results against: its own newest, else the newest of its
-- device under another driver or version of tune.
CREATE VIEW latest_ceilings AS
SELECT environment_id, measured_at, buffer_bytes, host_to_device_gbs, device_to_host_gbs, copy_gbs,
       read_gbs, write_gbs
FROM (
    SELECT e.id AS environment_id, c.measured_at, c.buffer_bytes, c.host_to_device_gbs,
           c.device_to_host_gbs, c.copy_gbs, c.read_gbs, c.write_gbs,
           row_number() OVER (
               PARTITION BY e.id
               ORDER BY c.environment_id = e.id DESC, c.id DESC) AS place
    FROM environments AS e
    JOIN environments AS near ON near.device_id = e.device_id
    JOIN ceilings AS c ON c.environment_id = near.id
)
WHERE place = 1;

INSERT INTO devices VALUES (1, 'GPU-1', 'cuda', 'GPU', 'sm_90', 1, 2, '{}', '2026-01-01T00:00:00Z');
INSERT INTO environments VALUES (1, 1, '580', 'NVRTC 13.0', '0.1.0', 'host', '2026-01-01T00:00:00Z');
INSERT INTO ceilings VALUES (1, 1, '2026-01-01T00:00:00Z', 1, 1, 1, 1, 1000, 1);
INSERT INTO experiments VALUES
    (1, 'reduce', 'cuda', 'd', 'c', 'reduce.yaml', 'text', '2026-01-01T00:00:00Z');
INSERT INTO problems VALUES (1, 1, 'reduce.sum.i32', '{}', 1024, 4096), (2, 1, 'reduce.sum.i32', '{}', 4096, 16384);
INSERT INTO configurations VALUES (1, 1, 'block=64', '{}'), (2, 1, 'block=128', '{}'), (3, 1, 'block=256', '{}');
INSERT INTO runs VALUES
    (1, 1, '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z', 'complete', 7, 'cold', 32, 1248, 60, 50, 5, 4, 3),
    (2, 1, '2026-01-02T00:00:00Z', NULL, NULL, 8, 'hot', 32, 1248, NULL, NULL, NULL, NULL, NULL);
-- Problem 1: a sweep with a duplicate and a failure, and a final. Problem 2, hot: the winner's trial is a
-- duplicate; an unstable final.
INSERT INTO trials (
    id, run_id, environment_id, problem_id, configuration_id, stage, l2_mode, status, detail,
    same_as_trial_id, sample_count, median_ns, mad_ns, min_ns, max_ns, duration_ns, measured_at)
VALUES
    (1, 1, 1, 1, 1, 'sweep', 'cold', 'ok', NULL, NULL, 2, 100, 1, 99, 101, 5, '2026-01-01T00:00:01Z'),
    (2, 1, 1, 1, 2, 'sweep', 'cold', 'skipped_by_constraint', 'the same', 1, 0, NULL, NULL, NULL, NULL, 5,
     '2026-01-01T00:00:02Z'),
    (3, 1, 1, 1, 3, 'sweep', 'cold', 'crashed', 'error 700', NULL, 0, NULL, NULL, NULL, NULL, 5,
     '2026-01-01T00:00:03Z'),
    (5, 1, 1, 1, 1, 'final', 'cold', 'ok', NULL, NULL, 3, 110, 1, 109, 111, 5, '2026-01-01T00:00:04Z'),
    (6, 2, 1, 2, 1, 'sweep', 'hot', 'ok', NULL, NULL, 1, 80, 0, 80, 80, 5, '2026-01-02T00:00:04Z'),
    (7, 2, 1, 2, 2, 'sweep', 'hot', 'skipped_by_constraint', NULL, 6, 0, NULL, NULL, NULL, NULL, 5,
     '2026-01-02T00:00:05Z'),
    (8, 2, 1, 2, 1, 'final', 'hot', 'unstable', NULL, NULL, 1, 90, 40, 80, 170, 5, '2026-01-02T00:00:06Z');
INSERT INTO samples VALUES
    (1, 0, 0, 8, 99), (1, 1, 0, 8, 101), (5, 0, 0, 8, 109), (5, 1, 1, 8, 110), (5, 2, 2, 8, 111),
    (6, 0, 0, 8, 80), (8, 0, 0, 8, 90);
INSERT INTO resources (
    trial_id, launch, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, threads,
    dynamic_shared_bytes)
VALUES (1, 0, 'k', 1, 1, 1, 64, 1, 1, 0, 0), (5, 0, 'k', 1, 1, 1, 64, 1, 1, 0, 0);
INSERT INTO in_flight VALUES (1, 2, 3, 2, 'boot', 1, '2026-01-02T00:00:07Z');
INSERT INTO baselines VALUES (1, 1, 'textbook', 'as in the book', 2);
INSERT INTO winners VALUES
    (4, 1, 1, 'cold', 5, 1, 3, '2026-01-01T00:00:05Z'),
    (6, 1, 2, 'hot', 7, 2, 2, '2026-01-02T00:00:07Z');
