-- Theoretical occupancy (CUDA Occupancy API) against throughput: every configuration, a series a variant.
-- needs: a device whose occupancy is known (a GPU)
, occupied AS (
    SELECT *, 100 * occupancy AS percent FROM named WHERE occupancy IS NOT NULL
),
-- Without variants, configurations that differ in a thread's bytes at a time are distinguished by these.
requested AS MATERIALIZED (
    SELECT m.configuration_id, max(json_extract(t.metrics, '$.bytes_per_thread')) AS bytes
    FROM occupied AS m
    JOIN trials AS t ON t.problem_id = m.problem_id AND t.configuration_id = m.configuration_id
                    AND t.environment_id = CAST(:environment AS INTEGER)
    WHERE m.series = 'all configurations'
    GROUP BY m.configuration_id
),
known AS (
    SELECT k.*, dense_rank() OVER (ORDER BY rank) - 1 AS side
    FROM (SELECT m.n, m.configuration_id, m.gbs, m.low_gbs, m.high_gbs, m.configuration, m.percent, NULL AS bytes,
                 m.rank, m.series, m.is_baseline
          FROM occupied AS m WHERE (SELECT count(DISTINCT bytes) FROM requested) NOT BETWEEN 2 AND 6
          UNION ALL
          SELECT m.n, m.configuration_id, m.gbs, m.low_gbs, m.high_gbs, m.configuration, m.percent, r.bytes,
                 dense_rank() OVER (ORDER BY r.bytes) - 1, coalesce(printf('%g bytes per thread at a time', r.bytes), 'others'),
                 m.is_baseline
          FROM occupied AS m JOIN requested AS r ON r.configuration_id = m.configuration_id
          WHERE (SELECT count(DISTINCT bytes) FROM requested) BETWEEN 2 AND 6) AS k
),
-- The configurations of one occupancy stand at the left of it, in 0.7 of the least step to the next: the series side
-- by side, each sorted by throughput.
steps AS (
    SELECT percent - lag(percent) OVER (ORDER BY percent) AS step
    FROM (SELECT DISTINCT percent FROM known)
),
drawn AS (
    SELECT *, 0.7 * min(6.25, coalesce((SELECT min(step) FROM steps), 6.25))
               * ((side + (row_number() OVER slot - 0.5) / count(*) OVER (PARTITION BY percent, side))
                  / (max(side) OVER () + 1) - 1) AS shift
    FROM known
    WINDOW slot AS (PARTITION BY percent, side ORDER BY gbs, configuration_id)
),
-- Of many points those that would cover one another are drawn once: the fastest of a cell, less than a point
-- wide and high.
celled AS (
    SELECT *, count(*) OVER () > 5000 AND row_number() OVER (
               PARTITION BY CAST(2 * (percent + shift) AS INTEGER),
                            CAST(150 * gbs / (SELECT max(gbs) FROM known) AS INTEGER)
               ORDER BY gbs DESC) > 1 AS covered
    FROM drawn
),
best AS (SELECT percent, max(gbs) AS gbs FROM known GROUP BY percent),
-- The reference of the others: the winner, else the best.
reference AS (
    SELECT * FROM (
        SELECT 'the winner' AS name, k.percent, k.gbs, 0 AS place
        FROM marked AS m
        JOIN known AS k ON k.n = m.n AND k.configuration_id = m.configuration_id
        WHERE m.rank = 0
        UNION ALL
        SELECT 'the best', percent, max(gbs), 1 FROM known HAVING count(*) > 0)
    ORDER BY place LIMIT 1
),
-- The least occupancy that is nearly as fast, and the next below it.
enough AS (
    SELECT b.percent, min(b.gbs / r.gbs, 1) AS share FROM best AS b CROSS JOIN reference AS r
    WHERE b.gbs >= CAST(:near AS REAL) * r.gbs ORDER BY b.percent LIMIT 1
),
below AS (
    SELECT b.percent, b.gbs / r.gbs AS share
    FROM best AS b CROSS JOIN enough AS e CROSS JOIN reference AS r
    WHERE b.percent < e.percent ORDER BY b.percent DESC LIMIT 1
),
-- Its time with the fewest bytes at a time.
few AS (
    SELECT k.bytes, min(iif(k.gbs >= CAST(:near AS REAL) * r.gbs, k.percent, NULL)) AS percent
    FROM known AS k CROSS JOIN reference AS r
    WHERE k.bytes = (SELECT min(bytes) FROM known) GROUP BY k.bytes
),
-- Each series' best at each occupancy. A single launch, which shows nothing about its occupancy, has no line; those that differ in bytes at a time are the points of an experiment.
curved AS (
    SELECT k.*, k.is_baseline OR (k.bytes IS NULL AND sum(NOT k.is_baseline) OVER place = 1) AS is_apart,
           row_number() OVER (PARTITION BY k.rank, k.percent ORDER BY k.is_baseline, k.gbs DESC) AS turn
    FROM known AS k
    WINDOW place AS (PARTITION BY k.rank, k.percent)
),
-- The occupancy that each limit of an SM would allow the winner's first launch.
limits AS (
    SELECT l.place, l.name, l.percent
    FROM marked AS m
    CROSS JOIN trials AS t ON t.problem_id = m.problem_id AND t.configuration_id = m.configuration_id
                          AND t.environment_id = CAST(:environment AS INTEGER)
    CROSS JOIN occupancy_limits AS l ON l.trial_id = t.id AND l.launch = 0
    WHERE m.rank = 0 AND m.n = CAST(:n AS INTEGER)
    ORDER BY t.id, l.place LIMIT 3
),
conclusion AS (
    SELECT CASE
        WHEN (SELECT count(*) FROM best) = 1
        THEN printf('Every configuration has an occupancy of %.3g %%', r.percent)
        WHEN e.percent < r.percent
        THEN printf('%.3g %% occupancy already reaches %.3g %% of %s, which has %.3g %%', e.percent,
                    100 * e.share, r.name, r.percent)
        WHEN (SELECT count(*) FROM below) = 0
        THEN printf('The lowest occupancy of all, %.3g %%, is that of %s', r.percent, r.name)
        ELSE (SELECT printf('Nothing below %.3g %% occupancy reaches %.3g %% of %s: %.3g %% reaches %.3g %%', r.percent,
                            100 * CAST(:near AS REAL), r.name, percent, 100 * share) FROM below)
        END || coalesce((SELECT printf('; with %g bytes per thread at a time ', f.bytes)
                                || iif(f.percent IS NULL, 'no occupancy does', printf('it takes %.3g %%', f.percent))
                         FROM few AS f WHERE f.percent IS NOT e.percent AND (SELECT count(*) FROM best) > 1), '') AS sentence
    FROM reference AS r CROSS JOIN enough AS e
)
SELECT 'points' AS layer, series, rank, percent AS occupancy_percent, gbs, low_gbs, high_gbs,
       shift AS shift_percent, covered, configuration
FROM celled
UNION ALL
SELECT 'curves', series, rank, percent, gbs, low_gbs, high_gbs, 0, is_apart, configuration
FROM curved WHERE turn = 1
UNION ALL
SELECT 'family', printf('family occupancy, %g bytes per thread', bytes_per_thread),
       dense_rank() OVER (ORDER BY bytes_per_thread) - 1, percent, gbs, NULL, NULL, NULL, NULL, NULL
FROM occupancy_curves
WHERE l2_mode = :l2_mode AND (SELECT name FROM unit) = 'GB/s'
  AND device = (SELECT d.name FROM environments AS e JOIN devices AS d ON d.id = e.device_id
                WHERE e.id = CAST(:environment AS INTEGER))
  AND (SELECT name FROM experiments WHERE id = CAST(:experiment AS INTEGER)) <> 'occupancy'
UNION ALL
SELECT 'limits', name, place, percent, NULL, NULL, NULL, NULL, NULL, NULL
FROM limits
UNION ALL
SELECT 'marks', m.name, m.rank, d.percent, d.gbs, d.low_gbs, d.high_gbs, 0, 0,
       d.configuration
FROM marked AS m
JOIN drawn AS d ON d.n = m.n AND d.configuration_id = m.configuration_id
UNION ALL
SELECT 'ceiling', name, 0, NULL, gbs, NULL, NULL, NULL, NULL, NULL FROM ceiling
UNION ALL
SELECT 'conclusion', sentence, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM conclusion
UNION ALL
SELECT 'unit', name, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM unit
UNION ALL
SELECT 'whole', '', trials, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM whole
ORDER BY layer, rank, series, occupancy_percent, gbs;
