-- What every figure starts from; it stands before the figure's own statement.
-- Winners and races are those about time, whatever else was asked for.
--   unit      what throughput is counted in: GB/s; where the experiment does not say which bytes a run moves,
--             10^9 operations/s, and where it says neither, runs/s. Its columns are called gbs all the same.
--   timed     each configuration that has a time and is drawn: where it was raced or confirmed, that time. Of
--             other sizes than n those that are marked.
--   measured  each launch that was timed, once. low_gbs and high_gbs are the throughput at the median plus and
--             minus the median absolute deviation.
--   named     those at the size n, with a series: the variant (of a CPU the schedule). Of more than 12 the
--             rarest are 'others' (rank 12). rank: the place in the order of the names, from 0.
--   whole     of how many trials, where not all are drawn; else no row.
--   chosen    the winner and the baselines of each size: rank 0 is the winner.
--   marked    what was measured of them.
--   rivals    other implementations (a library): rank from 1. Their ratio is their time over the winner's.
--   ceiling   the measured limit that the problem is held against; no row when there is none.
WITH unit AS (
    SELECT CASE WHEN bytes_moved > 0 THEN 'GB/s'
                WHEN operations > 0 THEN '10^9 operations/s'
                ELSE 'runs/s' END AS name
    FROM problems
    WHERE experiment_id = CAST(:experiment AS INTEGER) AND key = :problem
      AND n = CAST(:n AS INTEGER)
),
-- amount: the work of one run, such that amount over ns has that unit.
sizes AS (
    SELECT p.id AS problem_id, p.n, p.bytes_moved,
           CASE unit.name WHEN 'GB/s' THEN p.bytes_moved WHEN 'runs/s' THEN 1e9
                          ELSE p.operations END AS amount
    FROM problems AS p
    CROSS JOIN unit
    WHERE p.experiment_id = CAST(:experiment AS INTEGER) AND p.key = :problem
),
-- Points drawn of the size n: of more than :most trials every k-th, the fastest 1,000, and raced ones. A picture
-- shows no more; a figure that omits some has the layer `whole`. Only marked points if a figure declares that it
-- draws no more (:draws, its line "-- draws: ").
here AS (
    SELECT problem_id, CAST(:environment AS INTEGER) AS environment_id FROM sizes
    WHERE n = CAST(:n AS INTEGER)
),
thinned AS MATERIALIZED (
    SELECT 1 + count(*) / CAST(:most AS INTEGER) AS every, count(*) AS trials
    FROM here CROSS JOIN trials AS t USING (problem_id, environment_id)
    WHERE t.l2_mode = :l2_mode
),
whole AS (SELECT trials FROM thinned WHERE every > 1),
sampled AS (
    SELECT t.configuration_id FROM here CROSS JOIN trials AS t USING (problem_id, environment_id)
    WHERE t.l2_mode = :l2_mode AND t.stage <> 'sweep' AND :draws IS NULL
    UNION
    SELECT t.configuration_id FROM here CROSS JOIN trials AS t USING (problem_id, environment_id)
    WHERE t.l2_mode = :l2_mode AND t.id % (SELECT every FROM thinned) = 0 AND :draws IS NULL
    UNION
    SELECT configuration_id
    FROM (SELECT t.configuration_id FROM here CROSS JOIN trials AS t USING (problem_id, environment_id)
          WHERE t.l2_mode = :l2_mode AND t.status = 'ok' AND t.median_ns > 0 AND :draws IS NULL
            AND (SELECT every FROM thinned) > 1
          ORDER BY t.median_ns LIMIT 1000)
),
chosen AS (
    SELECT p.problem_id, p.n, 0 AS rank, 'winner' AS name, t.configuration_id, w.id AS winner_id
    FROM sizes AS p
    JOIN winners AS w ON w.problem_id = p.problem_id
    JOIN trials AS t ON t.id = w.trial_id
    WHERE w.environment_id = CAST(:environment AS INTEGER) AND w.l2_mode = :l2_mode
      AND w.objective = 'time'
    UNION ALL
    SELECT p.problem_id, p.n, dense_rank() OVER (ORDER BY b.name DESC), b.name, b.configuration_id, NULL
    FROM sizes AS p
    JOIN baselines AS b ON b.problem_id = p.problem_id
    WHERE b.environment_id = CAST(:environment AS INTEGER)
),
-- CROSS: points are looked up, by their configurations, and no others are made.
reached AS (
    SELECT c.problem_id, t.measured_configuration_id
    FROM chosen AS c
    CROSS JOIN points AS t ON t.problem_id = c.problem_id AND t.configuration_id = c.configuration_id
    WHERE t.environment_id = CAST(:environment AS INTEGER) AND t.l2_mode = :l2_mode
      AND t.objective = 'time'
),
wanted AS MATERIALIZED (
    SELECT p.problem_id, sampled.configuration_id FROM sizes AS p CROSS JOIN sampled
    WHERE p.n = CAST(:n AS INTEGER)
    UNION
    SELECT problem_id, configuration_id FROM chosen
    UNION
    SELECT problem_id, measured_configuration_id FROM reached
),
timed AS (
    SELECT p.n, p.bytes_moved, t.configuration_id, t.measured_configuration_id, t.grid, t.block,
           t.occupancy, coalesce(t.final_trial_id, t.sweep_trial_id) AS trial_id,
           coalesce(t.final_ns, t.sweep_ns) AS time_ns,
           CASE WHEN t.final_ns IS NULL THEN t.sweep_mad_ns ELSE t.final_mad_ns END AS mad_ns,
           p.problem_id, p.amount, t.sweep_ns
    FROM wanted
    CROSS JOIN sizes AS p ON p.problem_id = wanted.problem_id
    CROSS JOIN points AS t
        ON t.problem_id = wanted.problem_id AND t.configuration_id = wanted.configuration_id
    WHERE t.environment_id = CAST(:environment AS INTEGER) AND t.l2_mode = :l2_mode
      AND t.objective = 'time'
      AND coalesce(t.final_ns, t.sweep_ns) > 0 AND p.amount > 0
),
measured AS (
    SELECT t.n, t.configuration_id, t.measured_configuration_id, t.trial_id, t.grid, t.block,
           t.occupancy, t.amount / t.time_ns AS gbs,
           t.amount / (t.time_ns + coalesce(t.mad_ns, 0)) AS low_gbs,
           t.amount / max(t.time_ns - coalesce(t.mad_ns, 0), t.time_ns / 10) AS high_gbs,
           c.parameters, c.key AS configuration, t.problem_id
    FROM timed AS t
    JOIN configurations AS c ON c.id = t.configuration_id
    WHERE t.configuration_id = t.measured_configuration_id
),
device AS MATERIALIZED (
    SELECT d.unit_count, json_extract(d.facts, '$.sm_count') AS sm_count
    FROM environments AS e
    JOIN devices AS d ON d.id = e.device_id
    WHERE e.id = CAST(:environment AS INTEGER)
),
labelled AS (
    SELECT m.*, device.sm_count, device.unit_count,
           coalesce(iif(sm_count, NULL, json_extract(m.parameters, '$.schedule')),
                    json_extract(m.parameters, '$.variant'), 'all configurations') AS label
    FROM measured AS m
    CROSS JOIN device
    WHERE m.n = CAST(:n AS INTEGER)
),
kinds AS (
    SELECT label, row_number() OVER (ORDER BY count(*) DESC, label) AS place,
           count(*) OVER () AS kind_count
    FROM labelled
    GROUP BY label
),
kept AS (
    SELECT label, kind_count > 12 AND place > 11 AS is_rare,
           CASE WHEN kind_count > 12 AND place > 11 THEN 12
                ELSE row_number() OVER (ORDER BY kind_count > 12 AND place > 11, label) - 1
           END AS rank
    FROM kinds
),
-- A baseline that is not the winner: no point of a curve, which is of what was tuned.
plain AS MATERIALIZED (
    SELECT t.measured_configuration_id AS id
    FROM chosen
    JOIN timed AS t ON t.n = chosen.n AND t.configuration_id = chosen.configuration_id
    WHERE chosen.n = CAST(:n AS INTEGER)
    GROUP BY 1 HAVING min(chosen.rank) > 0
),
named AS (
    SELECT l.*, k.rank, CASE WHEN k.is_rare THEN 'others' ELSE l.label END AS series,
           l.configuration_id IN (SELECT id FROM plain) AS is_baseline
    FROM labelled AS l
    JOIN kept AS k ON k.label = l.label
),
marked AS (
    SELECT chosen.rank, chosen.name, m.*
    FROM chosen
    JOIN timed AS t ON t.n = chosen.n AND t.configuration_id = chosen.configuration_id
    JOIN measured AS m
        ON m.n = chosen.n AND m.configuration_id = t.measured_configuration_id
),
rivals AS (
    SELECT r.n, dense_rank() OVER (ORDER BY r.name) AS rank, r.name, r.time_ns,
           p.amount / r.time_ns AS gbs,
           p.amount / (r.time_ns + coalesce(r.mad_ns, 0)) AS low_gbs,
           p.amount / max(r.time_ns - coalesce(r.mad_ns, 0), r.time_ns / 10) AS high_gbs,
           coalesce(r.ratio, r.time_ns / r.tuned_ns) AS ratio, r.ratio_low, r.ratio_high
    FROM peers AS r
    JOIN sizes AS p ON p.n = r.n
    WHERE r.environment_id = CAST(:environment AS INTEGER) AND r.problem_key = :problem
      AND r.l2_mode = :l2_mode AND r.time_ns > 0 AND p.amount > 0
),
ceiling AS (
    SELECT 'measured ' || c.ceiling || ' ceiling' AS name, c.gbs
    FROM sizes AS p
    JOIN problem_ceilings AS c ON c.problem_id = p.problem_id
    CROSS JOIN unit
    WHERE p.n = CAST(:n AS INTEGER) AND c.environment_id = CAST(:environment AS INTEGER)
      AND c.gbs > 0 AND unit.name = 'GB/s'
    UNION ALL
    SELECT 'measured ceiling of ' || a.type, a.gops
    FROM problems AS p
    JOIN latest_arithmetic AS a ON a.type = p.operations_type
    CROSS JOIN unit
    WHERE p.experiment_id = CAST(:experiment AS INTEGER) AND p.key = :problem
      AND p.n = CAST(:n AS INTEGER)
      AND a.environment_id = CAST(:environment AS INTEGER) AND unit.name LIKE '%operations%'
    LIMIT 1
)
