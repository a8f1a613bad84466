-- Theoretical occupancy (CUDA Occupancy API) against throughput: every configuration, a series a variant.
-- needs: a device whose occupancy is known (a GPU)
, known AS (
    SELECT *, 100 * occupancy AS percent, dense_rank() OVER (ORDER BY rank) - 1 AS side
    FROM named
    WHERE occupancy IS NOT NULL
),
-- At one occupancy the series stand side by side, each sorted by throughput: within 0.7 of the least
-- step to the next.
steps AS (
    SELECT percent - lag(percent) OVER (ORDER BY percent) AS step
    FROM (SELECT DISTINCT percent FROM known)
),
drawn AS (
    SELECT *, 0.7 * min(6.25, coalesce((SELECT min(step) FROM steps), 6.25))
               * ((side + (row_number() OVER slot - 0.5) / count(*) OVER (PARTITION BY percent, side))
                  / (max(side) OVER () + 1) - 0.5) AS shift
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
)
SELECT 'points' AS layer, series, rank, percent AS occupancy_percent, gbs, low_gbs, high_gbs,
       shift AS shift_percent, covered, configuration
FROM celled
UNION ALL
SELECT 'marks', m.name, m.rank, d.percent, d.gbs, d.low_gbs, d.high_gbs, d.shift, 0,
       d.configuration
FROM marked AS m
JOIN drawn AS d ON d.n = m.n AND d.configuration_id = m.configuration_id
UNION ALL
SELECT 'ceiling', name, 0, NULL, gbs, NULL, NULL, NULL, NULL, NULL FROM ceiling
UNION ALL
SELECT 'unit', name, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM unit
UNION ALL
SELECT 'whole', '', trials, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM whole
ORDER BY layer, rank, series, occupancy_percent, gbs;
