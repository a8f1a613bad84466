-- migration 6: how contenders compare in the rounds that they shared, and the gains over the baselines; which
-- winners and ranges count; what was tried, so that no question has to read all trials for it
DROP INDEX trials_by_problem;

-- In the order of the ids, so that a problem's trials are read in the order in which they lie.
CREATE INDEX trials_by_problem ON trials (problem_id, environment_id);
CREATE INDEX trials_raced ON trials (
    environment_id, problem_id, l2_mode, objective, configuration_id) WHERE stage <> 'sweep';

-- What there are trials of, with the last run that has one. A sweep belongs to the objective of its
-- run. Of a million trials it says at once what else all of them would have to be read for.
CREATE TABLE tried (
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    problem_id INTEGER NOT NULL REFERENCES problems (id),
    l2_mode TEXT NOT NULL,
    objective TEXT NOT NULL,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    PRIMARY KEY (environment_id, problem_id, l2_mode, objective)
) STRICT, WITHOUT ROWID;

INSERT INTO tried
SELECT t.environment_id, t.problem_id, t.l2_mode,
       CASE t.stage WHEN 'sweep' THEN r.objective ELSE t.objective END, max(t.run_id)
FROM trials AS t
JOIN runs AS r ON r.id = t.run_id
GROUP BY 1, 2, 3, 4;

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
