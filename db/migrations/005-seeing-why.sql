-- migration 5: operations and their ceilings, times of other implementations, the command of a run
ALTER TABLE problems ADD COLUMN operations REAL;
ALTER TABLE problems ADD COLUMN operations_type TEXT;
ALTER TABLE runs ADD COLUMN command TEXT;

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
    l2_mode TEXT NOT NULL CHECK (l2_mode IN ('cold', 'hot', 'stream', 'dirty')),
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
