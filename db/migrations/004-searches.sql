-- migration 4: how spaces were searched, and the experiments' own metrics
ALTER TABLE trials ADD COLUMN metrics TEXT CHECK (metrics IS NULL OR json_valid(metrics));

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
    PRIMARY KEY (run_id, problem_id)
) STRICT, WITHOUT ROWID;
