-- Roofline: operations per byte against operations per second, with the device's measured ceilings.
-- needs: an experiment that says its operations and bytes, a ceiling that was measured, and a winner or a baseline
-- draws: of all configurations only what is marked
-- Winner and baselines of every problem of the experiment, at the chosen size where they were measured
-- at it, else at their largest.
, sized AS (
    SELECT p.id AS problem_id, p.key, p.n, p.bytes_moved, p.operations, p.operations_type, p.ceiling,
           row_number() OVER (PARTITION BY p.key ORDER BY p.n = CAST(:n AS INTEGER) DESC, p.n DESC)
               AS place
    FROM problems AS p
    WHERE p.experiment_id = CAST(:experiment AS INTEGER) AND p.operations > 0 AND p.bytes_moved > 0
      AND EXISTS (SELECT 1 FROM trials AS t
                  WHERE t.problem_id = p.id AND t.environment_id = CAST(:environment AS INTEGER)
                    AND t.l2_mode = :l2_mode AND t.status = 'ok')
),
kernels AS (
    SELECT *, key = :problem AND n = CAST(:n AS INTEGER) AS is_chosen FROM sized WHERE place = 1
),
all_chosen AS (
    SELECT k.problem_id, 0 AS rank, 'winner' AS name, t.configuration_id
    FROM kernels AS k
    JOIN winners AS w ON w.problem_id = k.problem_id
    JOIN trials AS t ON t.id = w.trial_id
    WHERE w.environment_id = CAST(:environment AS INTEGER) AND w.l2_mode = :l2_mode
      AND w.objective = 'time'
    UNION ALL
    SELECT k.problem_id, dense_rank() OVER (ORDER BY b.name DESC), b.name, b.configuration_id
    FROM kernels AS k
    JOIN baselines AS b ON b.problem_id = k.problem_id
    WHERE b.environment_id = CAST(:environment AS INTEGER)
),
timed_kernels AS (
    SELECT k.*, c.rank, c.name, coalesce(t.final_ns, t.sweep_ns) AS time_ns,
           coalesce(CASE WHEN t.final_ns IS NULL THEN t.sweep_mad_ns ELSE t.final_mad_ns END, 0)
               AS mad_ns,
           g.key AS configuration
    FROM all_chosen AS c
    JOIN kernels AS k ON k.problem_id = c.problem_id
    JOIN points AS t ON t.problem_id = c.problem_id AND t.configuration_id = c.configuration_id
        AND t.environment_id = CAST(:environment AS INTEGER) AND t.l2_mode = :l2_mode
        AND t.objective = 'time'
    JOIN configurations AS g ON g.id = c.configuration_id
    WHERE coalesce(t.final_ns, t.sweep_ns) > 0
),
memory AS (
    SELECT DISTINCT c.ceiling, c.gbs
    FROM kernels AS k
    JOIN problem_ceilings AS c ON c.problem_id = k.problem_id
    WHERE c.environment_id = CAST(:environment AS INTEGER) AND c.gbs > 0
),
arithmetic AS (
    SELECT type, gops FROM latest_arithmetic
    WHERE environment_id = CAST(:environment AS INTEGER) AND gops > 0
      AND type IN (SELECT operations_type FROM kernels)
),
-- The first roof of each kernel.
roofed AS (
    SELECT k.*, k.operations / k.bytes_moved AS intensity, k.operations / k.time_ns AS gops,
           k.operations / (k.time_ns + k.mad_ns) AS low_gops,
           k.operations / max(k.time_ns - k.mad_ns, k.time_ns / 10) AS high_gops,
           (SELECT m.gbs * k.operations / k.bytes_moved FROM memory AS m WHERE m.ceiling = k.ceiling) AS memory_gops,
           (SELECT a.gops FROM arithmetic AS a WHERE a.type = k.operations_type) AS arithmetic_gops
    FROM timed_kernels AS k
),
roofs AS (
    SELECT *, CASE WHEN memory_gops IS NULL OR arithmetic_gops < memory_gops THEN arithmetic_gops
                   ELSE memory_gops END AS roof_gops
    FROM roofed
),
-- The winner's, else the first baseline's.
conclusion AS (
    SELECT CASE
        WHEN roof_gops IS NULL THEN printf('%s does %.4g Gop/s; its roof was not measured', who, gops)
        WHEN gops > 1.02 * roof_gops AND roof_gops = memory_gops
        THEN printf('%s is above its roof, %s (%.3gx), as data from a cache can be', who, roof, gops / roof_gops)
        WHEN gops > 1.02 * roof_gops THEN printf('%s is above its roof, %s (%.3gx)', who, roof, gops / roof_gops)
        ELSE printf('%s reaches %.3g %% of its roof, %s', who, 100 * min(gops / roof_gops, 1), roof) END AS sentence
    FROM (SELECT *, iif(rank = 0, 'The winner', name) AS who, iif(roof_gops = memory_gops, printf('the measured %s ceiling of the memory', ceiling),
                        printf('the measured arithmetic of %s', operations_type)) AS roof
          FROM roofs WHERE is_chosen ORDER BY rank LIMIT 1)
),
-- Problems of one intensity stand above one another: their names go together.
intensities AS (
    SELECT intensity, max(max(gops, coalesce(roof_gops, 0))) AS gops, group_concat(name, ', ') AS names
    FROM (SELECT intensity, max(gops) AS gops, max(roof_gops) AS roof_gops,
                 substr(key, 1 + instr(key, '.')) AS name
          FROM roofs GROUP BY intensity, key ORDER BY intensity, key)
    GROUP BY intensity
)
SELECT * FROM (
SELECT 'points' AS layer, name AS series, rank, intensity, gops, low_gops, high_gops, roof_gops, n,
       key AS problem, operations_type AS type, is_chosen, configuration
FROM roofs
WHERE EXISTS (SELECT 1 FROM memory UNION ALL SELECT 1 FROM arithmetic)
UNION ALL
SELECT 'marks', name, rank, intensity, gops, low_gops, high_gops, roof_gops, n, key, operations_type,
       1, configuration
FROM roofs
WHERE is_chosen
UNION ALL
SELECT 'names', '', 0, intensity, gops, NULL, NULL, NULL, NULL, names, NULL, NULL, NULL
FROM intensities
WHERE (SELECT count(*) FROM kernels) > 1
UNION ALL
SELECT 'conclusion', sentence, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM conclusion
UNION ALL
SELECT 'memory', 'measured ' || ceiling || ' ceiling',
       ceiling <> coalesce((SELECT ceiling FROM kernels WHERE is_chosen), ''), NULL, gbs, NULL,
       NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM memory
UNION ALL
SELECT 'arithmetic', type, 0, NULL, gops, NULL, NULL, NULL, NULL, NULL, type, NULL, NULL
FROM arithmetic WHERE type = (SELECT operations_type FROM kernels WHERE is_chosen)
)
-- The winner is drawn last, on top of the others.
ORDER BY layer, CASE layer WHEN 'marks' THEN -rank ELSE rank END, series, intensity, gops;
