-- migration 6: how contenders compare in the rounds that they shared, and the gains over the baselines; which
-- winners and ranges count; what was tried, so that no question has to read all trials for it
DROP VIEW points;
DROP VIEW latest_problems;
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

-- Each configuration that was tried, with what may be compared, once for each objective that was
-- asked for: its time in the sweep, in the race about that objective and in the processes that
-- confirmed, all looked up through same_as_trial_id, and NULL where it was not timed. final is the
-- confirmation where that came to a time, else the race.
CREATE VIEW points AS
WITH asked AS (
    SELECT environment_id, problem_id, l2_mode, objective FROM tried
    UNION
    SELECT environment_id, problem_id, l2_mode, 'time' FROM tried
),
-- Few of all: by configuration, with what its trial of the sweep was measured as.
raced AS (
    SELECT r.environment_id, r.problem_id, r.l2_mode, r.objective, r.configuration_id,
           coalesce(s.same_as_trial_id, s.id) AS sweep_id,
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
-- Of configurations that launch the same one was raced: it stands for the others.
shared AS (
    SELECT environment_id, problem_id, l2_mode, objective, sweep_id, max(race_id) AS race_id,
           max(confirm_id) AS confirm_id
    FROM raced
    WHERE sweep_id IS NOT NULL
    GROUP BY environment_id, problem_id, l2_mode, objective, sweep_id
)
SELECT own.environment_id, own.problem_id, own.configuration_id, own.l2_mode, asked.objective,
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
-- A row a configuration: its trial of the sweep, or the first it has where there is none. CROSS:
-- never before what it is asked of.
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

-- Of each device, experiment name, problem key, n, mode and objective: where it was tried last. An
-- experiment file that was changed, or a new driver, makes new rows beside the old ones. A sweep
-- belongs to the objective of its run.
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

CREATE VIEW latest_winners AS
SELECT *
FROM (
    SELECT w.*, e.device_id, x.name AS experiment, p.experiment_id, p.key AS problem, p.n,
           t.configuration_id,
           row_number() OVER (
               PARTITION BY e.device_id, x.name, p.key, p.n, w.l2_mode, w.objective
               ORDER BY w.run_id DESC, w.chosen_at DESC, w.id DESC) AS place
    FROM winners AS w
    JOIN environments AS e ON e.id = w.environment_id
    JOIN problems AS p ON p.id = w.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    JOIN trials AS t ON t.id = w.trial_id
)
WHERE place = 1;

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
    WHERE p.experiment_id = r.experiment_id AND p.key = r.problem_key
      AND p.n BETWEEN r.n_low AND r.n_high
      AND (r.n_low = r.n_high OR NOT (
          EXISTS (SELECT 1 FROM range_checks AS k
                  WHERE k.range_id = r.id AND k.n = p.n AND k.measured = 1)
          OR EXISTS (SELECT 1 FROM paired
                     WHERE paired.winner_id = w.id
                       AND paired.configuration_id = t.configuration_id
                       AND paired.other_configuration_id = r.configuration_id
                       AND paired.ratio_high - 1 <= r.bound + 1e-9))));
