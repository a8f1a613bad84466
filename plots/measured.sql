-- What every figure starts from; it stands before the figure's own statement.
-- Winners and races are those about time, whatever else was asked for.
--   measured  each launch that was timed, once: where it was raced or confirmed, that time. low_gbs and high_gbs are the throughput at the median plus and minus the
--             median absolute deviation.
--   marked    the winner and the baselines among them: rank 0 is the winner.
--   ceiling   the measured bandwidth that the problem is held against; no row when there is none.
WITH timed AS (
    SELECT p.n, p.bytes_moved, t.configuration_id, t.measured_configuration_id, t.grid, t.block,
           t.occupancy, coalesce(t.final_trial_id, t.sweep_trial_id) AS trial_id,
           coalesce(t.final_ns, t.sweep_ns) AS time_ns,
           CASE WHEN t.final_ns IS NULL THEN t.sweep_mad_ns ELSE t.final_mad_ns END AS mad_ns,
           t.problem_id
    FROM problems AS p
    JOIN points AS t ON t.problem_id = p.id
    WHERE p.experiment_id = CAST(:experiment AS INTEGER) AND p.key = :problem
      AND t.environment_id = CAST(:environment AS INTEGER) AND t.l2_mode = :l2_mode
      AND t.objective = 'time'
      AND coalesce(t.final_ns, t.sweep_ns) > 0 AND p.bytes_moved > 0
),
measured AS (
    SELECT t.n, t.configuration_id, t.measured_configuration_id, t.trial_id, t.grid, t.block,
           t.occupancy, t.bytes_moved / t.time_ns AS gbs,
           t.bytes_moved / (t.time_ns + coalesce(t.mad_ns, 0)) AS low_gbs,
           t.bytes_moved / max(t.time_ns - coalesce(t.mad_ns, 0), t.time_ns / 10) AS high_gbs,
           c.parameters, c.key AS configuration, t.problem_id
    FROM timed AS t
    JOIN configurations AS c ON c.id = t.configuration_id
    WHERE t.configuration_id = t.measured_configuration_id
),
chosen AS (
    SELECT p.n, 0 AS rank, 'winner' AS name, t.configuration_id
    FROM problems AS p
    JOIN winners AS w ON w.problem_id = p.id
    JOIN trials AS t ON t.id = w.trial_id
    WHERE p.experiment_id = CAST(:experiment AS INTEGER) AND p.key = :problem
      AND w.environment_id = CAST(:environment AS INTEGER) AND w.l2_mode = :l2_mode
      AND w.objective = 'time'
    UNION ALL
    SELECT p.n, dense_rank() OVER (ORDER BY b.name DESC), b.name, b.configuration_id
    FROM problems AS p
    JOIN baselines AS b ON b.problem_id = p.id
    WHERE p.experiment_id = CAST(:experiment AS INTEGER) AND p.key = :problem
      AND b.environment_id = CAST(:environment AS INTEGER)
),
marked AS (
    SELECT chosen.rank, chosen.name, m.*
    FROM chosen
    JOIN timed AS t ON t.n = chosen.n AND t.configuration_id = chosen.configuration_id
    JOIN measured AS m
        ON m.n = chosen.n AND m.configuration_id = t.measured_configuration_id
),
ceiling AS (
    SELECT 'measured ' || c.ceiling || ' ceiling' AS name, c.gbs
    FROM problems AS p
    JOIN problem_ceilings AS c ON c.problem_id = p.id
    WHERE p.experiment_id = CAST(:experiment AS INTEGER) AND p.key = :problem
      AND c.environment_id = CAST(:environment AS INTEGER) AND c.gbs > 0
    ORDER BY p.n = CAST(:n AS INTEGER) DESC, p.n DESC
    LIMIT 1
)
