-- Every trial of the sweep of a problem as a result of T4, an object of JSON. A trial that launches exactly
-- what another one does has that one's samples. What a run waited for its compilers, and what it spent
-- neither so nor measuring, is shared evenly by the trials that it swept. Times are seconds, 0 where unknown.
-- compilation_time stands in the schema of 1.0.0, compilation is what readers look for: without that
-- repetition, the sum of the times is the trial's cost.
-- :environment, :problem  ids
-- :l2_mode
-- :time_unit              '', or 's' where the metadata do not tell it (1.0.0)
WITH counted AS (
    SELECT run_id, count(*) AS trials FROM trials WHERE stage = 'sweep' GROUP BY run_id
),
shares AS MATERIALIZED (
    SELECT r.id AS run_id,
           max(0.0, coalesce(r.compile_wait_ns, 0)) / counted.trials * 1e-9 AS compile_s,
           max(0.0, coalesce(r.wall_ns - r.measuring_ns - r.compile_wait_ns, 0)) / counted.trials * 1e-9
               AS search_s
    FROM counted
    JOIN runs AS r ON r.id = counted.run_id
),
-- A trial's status in T4's terms, and the word in place of its time. Readers know only these three words.
outcomes(status, invalidity, instead) AS (
    VALUES ('ok', 'correct', NULL), ('unstable', 'correct', NULL), ('compile_failed', 'compile', 'CompilationFailedConfig'),
           ('timed_out', 'timeout', 'RuntimeFailedConfig'), ('wrong_result', 'correctness', 'InvalidConfig'),
           ('skipped_by_constraint', 'constraints', 'InvalidConfig'), ('launch_failed', 'runtime', 'RuntimeFailedConfig'),
           ('crashed', 'runtime', 'RuntimeFailedConfig')
),
tried AS (
    SELECT t.id, t.measured_at, t.duration_ns, t.id = m.id AS own, t.run_id, c.parameters,
           m.id AS measured_id, m.median_ns, m.energy_j, m.metrics, m.occupancy,
           CASE WHEN o.instead IS NULL AND m.median_ns IS NULL THEN 'runtime' ELSE o.invalidity END AS invalidity,
           CASE WHEN o.instead IS NULL AND m.median_ns IS NULL THEN 'RuntimeFailedConfig' ELSE o.instead END AS instead
    FROM trials AS t
    JOIN trials AS m ON m.id = coalesce(t.same_as_trial_id, t.id)
    JOIN configurations AS c ON c.id = t.configuration_id
    LEFT JOIN outcomes AS o ON o.status = m.status
    WHERE t.environment_id = :environment AND t.problem_id = :problem AND t.l2_mode = :l2_mode
      AND t.stage = 'sweep'
),
timed AS (
    SELECT tried.*, shares.compile_s, shares.search_s,
           (SELECT json_group_array(elapsed_ns * 1e-9)
            FROM (SELECT elapsed_ns FROM samples WHERE trial_id = measured_id AND invalid = 0 ORDER BY ordinal)) AS runtimes,
           max(0.0, coalesce(duration_ns, 0) - iif(own AND instead IS NULL, (
               SELECT total(elapsed_ns) FROM samples WHERE trial_id = measured_id AND invalid = 0), 0)) * 1e-9 AS framework_s
    FROM tried
    JOIN shares USING (run_id)
)
SELECT json_object(
           'timestamp', measured_at,
           'configuration', json(parameters),
           'objectives', json_array('time'),
           'times', json_patch(
               json_object('compilation_time', compile_s, 'compilation', compile_s, 'framework', framework_s,
                           'search_algorithm', search_s, 'validation', 0.0), -- within framework
               iif(instead IS NULL, json_object('runtimes', json(runtimes)), '{}')),
           'invalidity', invalidity,
           'correctness', instead IS NULL,
           'measurements', (
               SELECT json_group_array(json_object('name', name, 'value', value, 'unit', unit))
               FROM (SELECT 'time' AS name, coalesce(instead, median_ns * 1e-9) AS value, iif(instead IS NULL, :time_unit, '') AS unit
                     UNION ALL SELECT 'energy', energy_j, 'J' WHERE instead IS NULL
                     UNION ALL SELECT key, CAST(value AS REAL), '' FROM json_each(metrics)
                               WHERE instead IS NULL AND type IN ('integer', 'real') AND key <> 'time'
                     UNION ALL SELECT 'occupancy', occupancy, ''
                     UNION ALL SELECT 'registers', CAST(registers AS REAL), '' FROM resources WHERE trial_id = measured_id AND launch = 0)
               WHERE value IS NOT NULL)) AS result
FROM timed
ORDER BY id;
