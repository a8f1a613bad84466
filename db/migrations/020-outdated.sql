-- migration 20: wrong results of binaries that are mended since; no claims that say nothing
CREATE TABLE outdated (
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    configuration_id INTEGER NOT NULL REFERENCES configurations (id),
    binary_hash TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (problem_id, configuration_id, environment_id, binary_hash)
) STRICT, WITHOUT ROWID;
UPDATE winners SET claim = NULL WHERE claim > 3;
