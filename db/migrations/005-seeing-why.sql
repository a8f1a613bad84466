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

DROP VIEW points;
CREATE VIEW points AS
WITH asked AS (
    SELECT DISTINCT t.environment_id, t.problem_id, t.l2_mode,
           CASE t.stage WHEN 'sweep' THEN r.objective ELSE t.objective END AS objective
    FROM trials AS t
    JOIN runs AS r ON r.id = t.run_id
    UNION
    SELECT environment_id, problem_id, l2_mode, 'time' FROM trials
),
own AS (
    SELECT t.environment_id, t.problem_id, t.configuration_id, t.l2_mode, asked.objective,
           max(CASE t.stage WHEN 'sweep' THEN coalesce(t.same_as_trial_id, t.id) END) AS sweep_id,
           max(CASE WHEN t.stage = 'race' AND t.objective = asked.objective
                    THEN coalesce(t.same_as_trial_id, t.id) END) AS race_id,
           max(CASE WHEN t.stage = 'confirm' AND t.objective = asked.objective
                    THEN coalesce(t.same_as_trial_id, t.id) END) AS confirm_id
    FROM trials AS t
    JOIN asked
        ON asked.environment_id = t.environment_id AND asked.problem_id = t.problem_id
        AND asked.l2_mode = t.l2_mode
    GROUP BY t.environment_id, t.problem_id, t.configuration_id, t.l2_mode, asked.objective
),
-- Of configurations that launch the same one was raced: it stands for the others.
shared AS (
    SELECT *, max(race_id) OVER alike AS alike_race_id, max(confirm_id) OVER alike AS alike_confirm_id
    FROM own
    WINDOW alike AS (
        PARTITION BY environment_id, problem_id, l2_mode, objective,
                     coalesce(sweep_id, -configuration_id))
)
SELECT own.environment_id, own.problem_id, own.configuration_id, own.l2_mode, own.objective,
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
FROM shared AS own
LEFT JOIN trials AS sweep ON sweep.id = own.sweep_id
LEFT JOIN trials AS race ON race.id = coalesce(own.race_id, own.alike_race_id)
LEFT JOIN trials AS confirm ON confirm.id = coalesce(own.confirm_id, own.alike_confirm_id)
LEFT JOIN trials AS final
    ON final.id = CASE WHEN confirm.status = 'ok' THEN confirm.id
                       ELSE coalesce(race.id, confirm.id) END;
