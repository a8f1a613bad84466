-- migration 3: problems say which of the device's ceilings their throughput is held against
-- All were held against the read ceiling. The table is made anew, as a new database has it; views that
-- mention it must be away meanwhile.
DROP VIEW latest_problems;

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

-- Of each device, experiment name, problem key, n, mode and objective: where it was tried last. An
-- experiment file that was changed, or a new driver, makes new rows beside the old ones. A sweep
-- belongs to the objective of its run.
CREATE VIEW latest_problems AS
SELECT environment_id, problem_id, l2_mode, objective, run_id
FROM (
    SELECT t.environment_id, t.problem_id, t.l2_mode, t.objective, t.run_id,
           row_number() OVER (
               PARTITION BY e.device_id, x.name, p.key, p.n, t.l2_mode, t.objective
               ORDER BY t.run_id DESC, t.problem_id DESC) AS place
    FROM (SELECT trials.environment_id, problem_id, trials.l2_mode,
                 CASE stage WHEN 'sweep' THEN runs.objective ELSE trials.objective END
                     AS objective,
                 max(run_id) AS run_id
          FROM trials
          JOIN runs ON runs.id = trials.run_id
          GROUP BY 1, 2, 3, 4) AS t
    JOIN environments AS e ON e.id = t.environment_id
    JOIN problems AS p ON p.id = t.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
)
WHERE place = 1;

-- What a problem's throughput is held against on a device: the one of its ceilings that the
-- experiment names.
CREATE VIEW problem_ceilings AS
SELECT c.environment_id, p.id AS problem_id, p.ceiling,
       CASE p.ceiling WHEN 'write' THEN c.write_gbs WHEN 'copy' THEN c.copy_gbs
                      ELSE c.read_gbs END AS gbs
FROM problems AS p
CROSS JOIN latest_ceilings AS c;
