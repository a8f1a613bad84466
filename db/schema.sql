-- The database of tune. Every table, column and unit is explained in db/README.md; a test holds
-- that page against this file. Times are nanoseconds, sizes bytes, dates UTC in ISO 8601.

PRAGMA application_id = 0x54756e65; -- "Tune"
PRAGMA user_version = 20;

CREATE TABLE devices (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
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
CREATE INDEX ceilings_by_environment ON ceilings (environment_id);

CREATE TABLE arithmetic_ceilings (
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    type TEXT NOT NULL,
    measured_at TEXT NOT NULL,
    gops REAL NOT NULL,
    PRIMARY KEY (environment_id, type, measured_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE peers (
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
    ceiling TEXT NOT NULL DEFAULT 'read' CHECK (ceiling IN ('read', 'write', 'copy')), operations REAL, operations_type TEXT, family TEXT,
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

CREATE TABLE trials (
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
    measured_at TEXT NOT NULL, metrics TEXT CHECK (metrics IS NULL OR json_valid(metrics)), deviation REAL,
    UNIQUE (environment_id, problem_id, configuration_id, stage, objective, l2_mode)
) STRICT;

-- In the order of the ids, so that a problem's trials are read in the order in which they lie.
CREATE INDEX trials_by_problem ON trials (problem_id, environment_id);
CREATE INDEX trials_by_twin ON trials (same_as_trial_id) WHERE same_as_trial_id IS NOT NULL;
CREATE INDEX trials_raced ON trials (
    environment_id, problem_id, l2_mode, objective, configuration_id) WHERE stage <> 'sweep';

CREATE INDEX trials_wrong ON trials (problem_id) WHERE status = 'wrong_result';
CREATE INDEX trials_wrong_of ON trials (configuration_id) WHERE status = 'wrong_result';
CREATE INDEX trials_twins_of ON trials (configuration_id) WHERE same_as_trial_id IS NOT NULL;

-- Tried configurations, with the last run that has a trial. A sweep belongs to the objective of its
-- run. Of a million trials this gives at once an answer for which all of them would have to be read.
CREATE TABLE tried (
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    l2_mode TEXT NOT NULL,
    objective TEXT NOT NULL,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    PRIMARY KEY (environment_id, problem_id, l2_mode, objective)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE samples (
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
    occupancy REAL, cluster_x INTEGER, cluster_y INTEGER, cluster_z INTEGER, cooperative INTEGER,
    PRIMARY KEY (trial_id, launch)
) STRICT, WITHOUT ROWID;

CREATE TABLE searches (
    run_id INTEGER NOT NULL REFERENCES runs (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    asked TEXT NOT NULL,
    strategy TEXT NOT NULL,
    product_count INTEGER,
    space_count INTEGER NOT NULL,
    points_most INTEGER NOT NULL,
    points INTEGER NOT NULL,
    trials INTEGER NOT NULL,
    unlaunchable INTEGER NOT NULL,
    duplicates INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    chance_of_better REAL,
    most_better REAL,
    sweep_ns INTEGER,
    near_ns INTEGER,
    PRIMARY KEY (run_id, problem_id)
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

CREATE TABLE rounds (
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

CREATE INDEX gauntlets_failed ON gauntlets (problem_id) WHERE passed = 0;
CREATE INDEX gauntlets_failed_of ON gauntlets (configuration_id) WHERE passed = 0;
CREATE INDEX gauntlets_by_binary ON gauntlets (binary_hash, passed);

-- Wrong results of a binary that the configuration no longer has at this size: the source was mended since.
CREATE TABLE outdated (
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    binary_hash TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (problem_id, configuration_id, environment_id, binary_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE winners (
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

CREATE TABLE ranges (
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

CREATE TABLE range_checks (
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
    found_at TEXT NOT NULL, most INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (environment_id, experiment_id, problem_key, configuration_id)
) STRICT, WITHOUT ROWID;

-- Each tried configuration with its comparable times, once for each requested objective: in the
-- sweep, in the race about that objective and in the confirming processes, all looked up through
-- same_as_trial_id, and NULL if not timed. final is the confirmation if it has a time, else the
-- race.
CREATE VIEW points AS
WITH asked AS (
    SELECT environment_id, problem_id, l2_mode, objective FROM tried
    UNION
    SELECT environment_id, problem_id, l2_mode, 'time' FROM tried
),
-- Few of all: by configuration, with the representative of its trial of the sweep.
raced AS (
    SELECT r.environment_id, r.problem_id, r.l2_mode, r.objective, r.configuration_id,
           CAST(coalesce(s.same_as_trial_id, s.id) AS INTEGER) AS sweep_id,
           max(CASE r.stage WHEN 'race' THEN coalesce(r.same_as_trial_id, r.id) END) AS race_id,
           max(CASE r.stage WHEN 'confirm' THEN coalesce(r.same_as_trial_id, r.id) END) AS confirm_id
    FROM trials AS r
    LEFT JOIN trials AS s
        ON s.environment_id = r.environment_id AND s.problem_id = r.problem_id
        AND s.configuration_id = r.configuration_id AND s.stage = 'sweep' AND s.objective = 'time'
        AND s.l2_mode = r.l2_mode
    WHERE r.stage <> 'sweep'
    GROUP BY r.environment_id, r.problem_id, r.l2_mode, r.objective, r.configuration_id
),
-- Of duplicates of a launch one was raced: it represents the others.
shared AS (
    SELECT environment_id, problem_id, l2_mode, objective, sweep_id, max(race_id) AS race_id,
           max(confirm_id) AS confirm_id
    FROM raced
    WHERE sweep_id IS NOT NULL
    GROUP BY environment_id, problem_id, l2_mode, objective, sweep_id
)
-- asked.*: a condition on one problem finds its row here, and reads no other problem's.
SELECT asked.environment_id, asked.problem_id, own.configuration_id, asked.l2_mode, asked.objective,
       coalesce(confirm.configuration_id, race.configuration_id, sweep.configuration_id)
           AS measured_configuration_id,
       sweep.id AS sweep_trial_id,
       CASE sweep.status WHEN 'ok' THEN sweep.median_ns END AS sweep_ns,
       CASE sweep.status WHEN 'ok' THEN sweep.mad_ns END AS sweep_mad_ns,
       race.id AS race_trial_id,
       CASE race.status WHEN 'ok' THEN race.median_ns END AS race_ns,
       CASE race.status WHEN 'ok' THEN race.mad_ns END AS race_mad_ns,
       CASE race.status WHEN 'ok' THEN race.value END AS race_value,
       confirm.id AS confirm_trial_id,
       CASE confirm.status WHEN 'ok' THEN confirm.median_ns END AS confirm_ns,
       CASE confirm.status WHEN 'ok' THEN confirm.mad_ns END AS confirm_mad_ns,
       CASE confirm.status WHEN 'ok' THEN confirm.value END AS confirm_value,
       final.id AS final_trial_id,
       final.stage AS final_stage,
       CASE final.status WHEN 'ok' THEN final.median_ns END AS final_ns,
       CASE final.status WHEN 'ok' THEN final.mad_ns END AS final_mad_ns,
       CASE final.status WHEN 'ok' THEN final.value END AS final_value,
       CASE final.status WHEN 'ok' THEN final.energy_j END AS final_energy_j,
       coalesce(final.launch_count, sweep.launch_count) AS launch_count,
       coalesce(final.grid, sweep.grid) AS grid,
       coalesce(final.block, sweep.block) AS block,
       coalesce(final.occupancy, sweep.occupancy) AS occupancy
FROM asked
-- A row a configuration: its trial of the sweep, or its first one without such a trial. CROSS:
-- never before the row that it belongs to.
CROSS JOIN trials AS own
    ON own.environment_id = asked.environment_id AND own.problem_id = asked.problem_id
    AND own.l2_mode = asked.l2_mode
    AND (own.stage = 'sweep' OR NOT EXISTS (
        SELECT 1 FROM trials AS other
        WHERE other.environment_id = own.environment_id AND other.problem_id = own.problem_id
          AND other.configuration_id = own.configuration_id AND other.l2_mode = own.l2_mode
          AND (other.stage = 'sweep' OR other.id < own.id)))
LEFT JOIN trials AS sweep
    ON sweep.id = CASE own.stage WHEN 'sweep' THEN coalesce(own.same_as_trial_id, own.id) END
LEFT JOIN raced
    ON raced.environment_id = own.environment_id AND raced.problem_id = own.problem_id
    AND raced.l2_mode = own.l2_mode AND raced.objective = asked.objective
    AND raced.configuration_id = own.configuration_id
LEFT JOIN shared
    ON shared.environment_id = own.environment_id AND shared.problem_id = own.problem_id
    AND shared.l2_mode = own.l2_mode AND shared.objective = asked.objective
    AND shared.sweep_id = sweep.id
LEFT JOIN trials AS race ON race.id = coalesce(raced.race_id, shared.race_id)
LEFT JOIN trials AS confirm ON confirm.id = coalesce(raced.confirm_id, shared.confirm_id)
LEFT JOIN trials AS final
    ON final.id = CASE WHEN confirm.status = 'ok' THEN confirm.id
                       ELSE coalesce(race.id, confirm.id) END;

-- Last trials by device, experiment name, problem key, n, mode and objective. A changed experiment
-- file, or a new driver, makes new rows beside the old ones. A sweep belongs to the objective of its
-- run.
CREATE VIEW latest_problems AS
SELECT environment_id, problem_id, l2_mode, objective, run_id
FROM (
    SELECT t.*, row_number() OVER (
               PARTITION BY e.device_id, x.name, p.key, p.n, t.l2_mode, t.objective
               ORDER BY t.run_id DESC, t.problem_id DESC) AS place
    FROM tried AS t
    JOIN environments AS e ON e.id = t.environment_id
    JOIN problems AS p ON p.id = t.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    WHERE EXISTS (SELECT 1 FROM trials
                  WHERE trials.problem_id = t.problem_id
                    AND trials.environment_id = t.environment_id AND trials.l2_mode = t.l2_mode)
)
WHERE place = 1;

-- The ceilings to hold an environment's results against: its own newest, else the newest of its
-- device under another driver or version of tune.
CREATE VIEW latest_ceilings AS
SELECT e.id AS environment_id, c.measured_at, c.buffer_bytes, c.host_to_device_gbs,
       c.device_to_host_gbs, c.copy_gbs, c.read_gbs, c.write_gbs
FROM environments AS e
JOIN ceilings AS c
    ON c.id = coalesce(
        (SELECT max(k.id) FROM ceilings AS k WHERE k.environment_id = e.id),
        (SELECT max(k.id)
         FROM environments AS near
         CROSS JOIN ceilings AS k ON k.environment_id = near.id
         WHERE near.device_id = e.device_id));

-- The most operations a second that a device was seen to do, of each type: its environment's own
-- newest, else the newest of its device.
CREATE VIEW latest_arithmetic AS
SELECT environment_id, type, gops, measured_at
FROM (
    SELECT e.id AS environment_id, c.type, c.gops, c.measured_at,
           row_number() OVER (
               PARTITION BY e.id, c.type
               ORDER BY c.environment_id = e.id DESC, c.measured_at DESC) AS place
    FROM environments AS e
    JOIN environments AS near ON near.device_id = e.device_id
    JOIN arithmetic_ceilings AS c ON c.environment_id = near.id
)
WHERE place = 1;

-- The ceiling of a problem's throughput on a device: the one that the experiment names.
CREATE VIEW problem_ceilings AS
SELECT c.environment_id, p.id AS problem_id, p.ceiling,
       CASE p.ceiling WHEN 'write' THEN c.write_gbs WHEN 'copy' THEN c.copy_gbs
                      ELSE c.read_gbs END AS gbs
FROM problems AS p
CROSS JOIN latest_ceilings AS c;

-- The family `occupancy` of each model of device and L2 mode: of its largest size, measured last, the best at each occupancy,
-- for each number of bytes that a thread asks for at a time. A background for other problems there.
CREATE VIEW occupancy_curves AS
SELECT device, l2_mode, bytes_per_thread, 100 * occupancy AS percent, max(gbs) AS gbs
FROM (SELECT d.name AS device, t.l2_mode, t.occupancy, p.bytes_moved / t.median_ns AS gbs,
             json_extract(t.metrics, '$.bytes_per_thread') AS bytes_per_thread,
             rank() OVER (PARTITION BY d.name, t.l2_mode ORDER BY p.n DESC, t.environment_id DESC, p.id DESC) AS place
      FROM experiments AS x
      CROSS JOIN problems AS p ON p.experiment_id = x.id AND p.bytes_moved > 0
      CROSS JOIN trials AS t ON t.problem_id = p.id AND t.stage = 'sweep' AND t.status = 'ok' AND t.median_ns > 0
                            AND t.occupancy > 0
      CROSS JOIN environments AS e ON e.id = t.environment_id
      CROSS JOIN devices AS d ON d.id = e.device_id
      WHERE x.name = 'occupancy')
WHERE place = 1 AND bytes_per_thread > 0
GROUP BY device, l2_mode, bytes_per_thread, percent;

-- The occupancy that each limit of an SM would allow a launch: registers are given to warps in units of 256, four warps
-- at a time, shared memory to blocks in units of 128 bytes. Only launches whose blocks per SM, as reported by the
-- device, these limits explain (a smaller carve-out of shared memory is another limit).
CREATE VIEW occupancy_limits AS
WITH launched AS (
    SELECT r.trial_id, r.launch, r.occupancy, r.registers, r.active_blocks_per_sm AS blocks,
           r.block_x * r.block_y * r.block_z AS threads, (r.block_x * r.block_y * r.block_z + 31) / 32 AS warps,
           json_extract(d.facts, '$.max_threads_per_sm') / 32 AS warps_of_sm,
           json_extract(d.facts, '$.max_blocks_per_sm') AS blocks_of_sm,
           json_extract(d.facts, '$.registers_per_sm') AS registers_of_sm,
           json_extract(d.facts, '$.shared_bytes_per_sm') AS shared_of_sm,
           r.dynamic_shared_bytes + r.static_shared_bytes AS shared,
           (r.dynamic_shared_bytes + r.static_shared_bytes
            + coalesce(json_extract(d.facts, '$.shared_bytes_reserved_per_block'), 0) + 127) / 128 * 128 AS given
    FROM resources AS r
    CROSS JOIN trials AS t ON t.id = r.trial_id
    CROSS JOIN environments AS e ON e.id = t.environment_id
    CROSS JOIN devices AS d ON d.id = e.device_id
    WHERE r.registers > 0 AND r.active_blocks_per_sm > 0 AND r.static_shared_bytes IS NOT NULL
),
allowed AS (
    SELECT *, registers_of_sm / ((registers * 32 + 255) / 256 * 256) / 4 * 4 / warps AS by_registers,
           iif(given > 0, shared_of_sm / max(given, 1), blocks_of_sm) AS by_shared,
           min(blocks_of_sm, warps_of_sm / warps) AS by_blocks
    FROM launched
)
SELECT trial_id, launch, 100 * occupancy AS own_percent, k.place,
       CASE k.place
           WHEN 0 THEN printf('registers (%d)', registers)
           WHEN 1 THEN iif(shared < 1024, printf('shared memory (%d B)', shared),
                           printf('shared memory (%.3g KiB)', shared / 1024.0))
           ELSE printf('blocks (of %d)', threads)
       END AS name,
       min(100.0, 100.0 * warps / warps_of_sm
                  * CASE k.place WHEN 0 THEN by_registers WHEN 1 THEN by_shared ELSE by_blocks END) AS percent
FROM allowed
CROSS JOIN (SELECT 0 AS place UNION ALL SELECT 1 UNION ALL SELECT 2) AS k
WHERE min(by_registers, by_shared, by_blocks) = blocks;

-- The words for winners.trust.
CREATE VIEW verdicts AS
SELECT 'sound' AS trust, 'sure' AS verdict
UNION ALL SELECT 'noisy', 'nearly sure'
UNION ALL SELECT 'unstable', 'not sure';

-- The words of trials.l2_mode: the cache's state, and how launches were issued, in the order of preference.
CREATE VIEW conditions AS
SELECT s.state || i.suffix AS l2_mode, s.state, i.issue, i.place
FROM (SELECT 'cold' AS state UNION ALL SELECT 'hot' UNION ALL SELECT 'stream' UNION ALL SELECT 'dirty') AS s
CROSS JOIN (SELECT '' AS suffix, 'graph' AS issue, 1 AS place
            UNION ALL SELECT '-stream', 'stream', 2
            UNION ALL SELECT '-eager', 'eager', 3) AS i;

-- The words for each winner: of the choice among measured configurations, and in a headline, which is not sure of a
-- space that was hardly seen or mostly failed (as verdict_headline in tuner/stats/verdict.h).
CREATE VIEW headlines AS
SELECT w.id AS winner_id, coalesce(v.verdict, 'unknown') AS verdict,
       iif(v.verdict IS NOT NULL AND w.coverage IN ('hardly seen', 'mostly failed'), 'not sure',
           coalesce(v.verdict, 'unknown')) AS headline
FROM winners AS w
LEFT JOIN verdicts AS v ON v.trust = w.trust;

-- The standing of each contender with the fastest of its choice. 'as fast' and 'slower' are shown by an interval on one
-- side of the difference that counts as equal; without an interval, or with one on both sides, it was not compared to
-- the end. A baseline of another space has a standing, too, though it is out.
CREATE VIEW standings AS
SELECT k.winner_id, k.configuration_id, k.trial_id, k.place, k.difference, k.difference_low, k.difference_high, k.out,
       CASE WHEN k.configuration_id = t.configuration_id THEN 'winner'
            WHEN k.out <> 'baseline' THEN 'out'
            WHEN k.proven AND k.difference_low > -9e999 AND k.difference_high < 9e999 THEN 'as fast'
            WHEN NOT k.tied AND k.difference_low > 0 THEN 'slower'
            ELSE 'not compared' END AS standing
FROM contenders AS k
CROSS JOIN winners AS w ON w.id = k.winner_id
CROSS JOIN trials AS t ON t.id = w.trial_id;

-- The number of others by standing, for each winner.
CREATE VIEW equals AS
SELECT winner_id, sum(standing = 'as fast' AND out IS NULL) AS as_fast,
       sum(standing = 'slower' AND out IS NULL) AS slower,
       sum(standing = 'not compared' AND out IS NULL) AS not_compared
FROM standings
GROUP BY winner_id;

-- Every two configurations of a problem that launch the same machine code in the same way, and each with
-- itself: of such one was measured for all.
CREATE VIEW alike AS
SELECT own.environment_id, own.problem_id, own.l2_mode, own.configuration_id,
       other.configuration_id AS other_configuration_id
FROM trials AS own
CROSS JOIN trials AS other
    ON other.environment_id = own.environment_id AND other.problem_id = own.problem_id
    AND other.stage = 'sweep' AND other.objective = 'time' AND other.l2_mode = own.l2_mode
WHERE own.stage = 'sweep' AND own.objective = 'time'
  AND coalesce(own.same_as_trial_id, own.id) = coalesce(other.same_as_trial_id, other.id);

-- For each winner, every two of its contenders that shared rounds: the ratio of their values of the
-- objective, from differences paired round by round. Contenders have their differences to the fastest.
-- If neither of the two is that, the interval contains the one that the two would have, and may be
-- wider. launched_trial_id: the trial of the sweep with the same launch.
CREATE VIEW paired AS
WITH raced AS NOT MATERIALIZED (
    SELECT k.*, t.stage, coalesce(s.same_as_trial_id, s.id) AS launched_trial_id
    FROM contenders AS k
    CROSS JOIN trials AS t ON t.id = k.trial_id
    CROSS JOIN trials AS s
        ON s.environment_id = t.environment_id AND s.problem_id = t.problem_id
        AND s.configuration_id = k.configuration_id AND s.stage = 'sweep'
        AND s.objective = 'time' AND s.l2_mode = t.l2_mode
    WHERE k.difference IS NOT NULL
)
SELECT own.winner_id, own.stage, own.configuration_id, own.launched_trial_id,
       other.configuration_id AS other_configuration_id,
       other.launched_trial_id AS other_launched_trial_id,
       iif(own.configuration_id = other.configuration_id, 1.0,
           (1 + other.difference) / (1 + own.difference)) AS ratio,
       iif(own.configuration_id = other.configuration_id, 1.0,
           nullif((1 + other.difference_low) / (1 + own.difference_high), 0)) AS ratio_low,
       iif(own.configuration_id = other.configuration_id, 1.0,
           nullif((1 + other.difference_high) / (1 + own.difference_low), 9e999)) AS ratio_high
FROM raced AS own
CROSS JOIN raced AS other ON other.winner_id = own.winner_id AND other.stage = own.stage;

-- The one gain there is: how many times as much a baseline takes (of the objective) as a
-- configuration, in the rounds by which the problem's winner was chosen. No row where no round had
-- both. Of configurations that launch the same one was raced, and stands for the others. CROSS JOIN:
-- each step finds its rows by a key.
CREATE VIEW gains AS
SELECT w.id AS winner_id, own.configuration_id, b.name AS baseline,
       b.configuration_id AS baseline_configuration_id, paired.stage, paired.ratio AS gain,
       paired.ratio_low AS gain_low, paired.ratio_high AS gain_high
FROM winners AS w
CROSS JOIN trials AS own
    ON own.environment_id = w.environment_id AND own.problem_id = w.problem_id
    AND own.stage = 'sweep' AND own.objective = 'time' AND own.l2_mode = w.l2_mode
CROSS JOIN baselines AS b
    ON b.environment_id = w.environment_id AND b.problem_id = w.problem_id
CROSS JOIN trials AS base
    ON base.environment_id = w.environment_id AND base.problem_id = w.problem_id
    AND base.configuration_id = b.configuration_id AND base.stage = 'sweep'
    AND base.objective = 'time' AND base.l2_mode = w.l2_mode
CROSS JOIN paired
    ON paired.winner_id = w.id
    AND paired.launched_trial_id = coalesce(own.same_as_trial_id, own.id)
    AND paired.other_launched_trial_id = coalesce(base.same_as_trial_id, base.id);

-- Configurations that gave a wrong result at a size that was asked for, or failed a check that they were
-- to pass: out at all sizes of the problem key. Of configurations that launch the same one was measured.
-- A check counts while the binary is the one that was tried, and no result of a binary that a run found `outdated`. Rows
-- are found by the configuration or by the problem, whichever is given: an environment (hence +) has too many.
CREATE VIEW refuted AS
SELECT +w.environment_id AS environment_id, p.experiment_id, p.key AS problem_key,
       w.configuration_id, p.n, w.detail
FROM trials AS w
JOIN problems AS p ON p.id = w.problem_id
WHERE w.status = 'wrong_result'
  AND NOT EXISTS (
      SELECT 1 FROM outdated AS o
      WHERE o.problem_id = w.problem_id AND o.configuration_id = w.configuration_id
        AND o.environment_id = w.environment_id AND o.binary_hash = w.binary_hash)
UNION ALL
SELECT +w.environment_id, p.experiment_id, p.key, t.configuration_id, p.n, w.detail
FROM trials AS w
JOIN problems AS p ON p.id = w.problem_id
JOIN trials AS t ON t.same_as_trial_id = w.id
WHERE likelihood(w.status = 'wrong_result', 0.001) AND t.same_as_trial_id IS NOT NULL
  AND NOT EXISTS (
      SELECT 1 FROM outdated AS o
      WHERE o.problem_id = w.problem_id AND o.configuration_id = w.configuration_id
        AND o.environment_id = w.environment_id AND o.binary_hash = w.binary_hash)
UNION ALL
SELECT +g.environment_id, p.experiment_id, p.key, g.configuration_id, p.n, g.detail
FROM gauntlets AS g
JOIN problems AS p ON p.id = g.problem_id
WHERE g.passed = 0
  AND NOT EXISTS (
      SELECT 1 FROM outdated AS o
      WHERE o.problem_id = g.problem_id AND o.configuration_id = g.configuration_id
        AND o.environment_id = g.environment_id AND o.binary_hash = g.binary_hash)
  AND NOT EXISTS (
      SELECT 1 FROM trials AS t
      WHERE t.environment_id = g.environment_id AND t.problem_id = g.problem_id
        AND t.configuration_id = g.configuration_id AND t.binary_hash <> g.binary_hash);

-- The winner: of each device, experiment name, problem key, n, mode and objective the newest, unless its configuration is
-- refuted by now, has a parameter that the newest winner of the problem lacks (of an earlier file, whose kernel had it), or
-- is wrong by a later version of the file (another reference, say) that ran since. All that names winners has them from here.
CREATE VIEW latest_winners AS
SELECT *
FROM (
    SELECT w.*, e.device_id, x.name AS experiment, p.experiment_id, p.key AS problem, p.n,
           t.configuration_id,
           first_value(p.experiment_id) OVER newest_first AS newest_experiment_id,
           first_value(t.configuration_id) OVER newest_first AS newest_configuration_id,
           row_number() OVER (
               PARTITION BY e.device_id, x.name, p.key, p.n, w.l2_mode, w.objective
               ORDER BY w.run_id DESC, w.chosen_at DESC, w.id DESC) AS place
    FROM winners AS w
    JOIN environments AS e ON e.id = w.environment_id
    JOIN devices AS d ON d.id = e.device_id
    JOIN problems AS p ON p.id = w.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    JOIN trials AS t ON t.id = w.trial_id
    WINDOW newest_first AS (
        PARTITION BY d.kind, d.name, coalesce(json_extract(d.facts, '$.compute_capability'), ''), d.unit_count,
            coalesce(p.family, p.key), w.objective
        ORDER BY w.run_id DESC, w.chosen_at DESC, w.id DESC)
) AS latest
WHERE place = 1
  AND NOT EXISTS (
      SELECT 1 FROM refuted
      WHERE refuted.environment_id = latest.environment_id
        AND refuted.experiment_id = latest.experiment_id
        AND refuted.problem_key = latest.problem
        AND refuted.configuration_id = latest.configuration_id)
  AND (latest.experiment_id = latest.newest_experiment_id OR NOT EXISTS (
      SELECT 1
      FROM configurations AS given
      CROSS JOIN configurations AS newest ON newest.id = latest.newest_configuration_id
      CROSS JOIN json_each(given.parameters) AS own
      WHERE given.id = latest.configuration_id
        AND own.key NOT IN (SELECT other.key FROM json_each(newest.parameters) AS other)))
  AND NOT EXISTS (
      SELECT 1
      FROM experiments AS later
      CROSS JOIN configurations AS given ON given.id = latest.configuration_id
      CROSS JOIN configurations AS same ON same.experiment_id = later.id AND same.key = given.key
      CROSS JOIN trials AS wrong ON wrong.configuration_id = same.id AND wrong.status = 'wrong_result'
      CROSS JOIN problems AS there ON there.id = wrong.problem_id
      WHERE later.name = latest.experiment AND later.id <> latest.experiment_id AND there.key = latest.problem
        AND wrong.environment_id = latest.environment_id
        AND wrong.run_id > coalesce(
            (SELECT max(s.run_id) FROM searches AS s WHERE s.problem_id = latest.problem_id), 0));

-- Usable ranges: their configuration is not refuted, and at each size in them that has a winner it
-- makes the winner's launch, or was compared with it in rounds. (Others were made by older versions of
-- tune from single times.)
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
