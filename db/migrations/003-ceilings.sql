-- migration 3: problems say which of the device's ceilings their throughput is held against
-- All were held against the read ceiling. The table is made anew, as a new database has it.

CREATE TABLE new_problems (
    id INTEGER PRIMARY KEY,
    experiment_id INTEGER NOT NULL REFERENCES experiments (id),
    key TEXT NOT NULL,
    axes TEXT NOT NULL CHECK (json_valid(axes)),
    n INTEGER NOT NULL,
    bytes_moved REAL NOT NULL,
    ceiling TEXT NOT NULL DEFAULT 'read' CHECK (ceiling IN ('read', 'write', 'copy')),
    UNIQUE (experiment_id, key, n)
) STRICT;
INSERT INTO new_problems (id, experiment_id, key, axes, n, bytes_moved)
SELECT id, experiment_id, key, axes, n, bytes_moved FROM problems;
DROP TABLE problems;
ALTER TABLE new_problems RENAME TO problems;
