-- migration 9: how likely a search has left a better point, by how much at most, and what its time went to
CREATE TABLE new_searches (
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
INSERT INTO new_searches SELECT *, NULL, NULL, NULL, NULL FROM searches;
DROP TABLE searches;
ALTER TABLE new_searches RENAME TO searches;
