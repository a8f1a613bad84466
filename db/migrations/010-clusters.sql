-- migration 10: the clusters of launches, and whether they are cooperative; points find what was raced for others by an index
ALTER TABLE resources ADD COLUMN cluster_x INTEGER;
ALTER TABLE resources ADD COLUMN cluster_y INTEGER;
ALTER TABLE resources ADD COLUMN cluster_z INTEGER;
ALTER TABLE resources ADD COLUMN cooperative INTEGER;
DROP VIEW points;
CREATE VIEW points AS
WITH asked AS (
    SELECT environment_id, problem_id, l2_mode, objective FROM tried
    UNION
    SELECT environment_id, problem_id, l2_mode, 'time' FROM tried
),
-- Few of all: by configuration, with what its trial of the sweep was measured as.
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
-- Of configurations that launch the same one was raced: it stands for the others.
shared AS (
    SELECT environment_id, problem_id, l2_mode, objective, sweep_id, max(race_id) AS race_id,
           max(confirm_id) AS confirm_id
    FROM raced
    WHERE sweep_id IS NOT NULL
    GROUP BY environment_id, problem_id, l2_mode, objective, sweep_id
)
-- asked.*: what is asked of one problem finds its row here, and looks at no other problem's.
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
