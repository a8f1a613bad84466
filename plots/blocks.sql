-- Grid in blocks per SM against throughput, #SM x 2 marked: every configuration, a series a variant.
-- needs: configurations whose grid is known (a GPU)
, known AS (
    SELECT *, 1.0 * grid / unit_count AS blocks_per_sm,
           dense_rank() OVER (ORDER BY rank) - 1 AS side,
           4 * length(printf('%x', grid)) - 4 AS bits
    FROM named
    WHERE grid > 0 AND sm_count AND unit_count > 0
),
-- At one grid the series stand side by side, each sorted by throughput: within a quarter of an octave.
drawn AS (
    SELECT *, 0.24 * ((side + (row_number() OVER slot - 0.5) / count(*) OVER (PARTITION BY grid, side))
                      / (max(side) OVER () + 1) - 0.5) AS shift
    FROM known
    WINDOW slot AS (PARTITION BY grid, side ORDER BY gbs, configuration_id)
),
-- Of many points those that would cover one another are drawn once: the fastest of a cell, less than a point
-- wide and high. octave: of the grid, the whole part of its logarithm.
octaved AS (
    SELECT *, bits + (grid >> bits >= 2) + (grid >> bits >= 4) + (grid >> bits >= 8) AS octave
    FROM drawn
),
celled AS (
    SELECT *, count(*) OVER () > 5000 AND row_number() OVER (
               PARTITION BY CAST(16 * (octave + 1.0 * grid / (1 << octave) + shift) AS INTEGER),
                            CAST(150 * gbs / (SELECT max(gbs) FROM known) AS INTEGER)
               ORDER BY gbs DESC) > 1 AS covered
    FROM octaved
),
best AS (SELECT blocks_per_sm, max(gbs) AS gbs FROM known GROUP BY grid),
-- The reference of the others: the winner, else the best.
reference AS (
    SELECT * FROM (
        SELECT 'winner' AS name, k.blocks_per_sm, k.gbs, 0 AS place
        FROM marked AS m
        JOIN known AS k ON k.n = m.n AND k.configuration_id = m.configuration_id
        WHERE m.rank = 0
        UNION ALL
        SELECT 'best', blocks_per_sm, max(gbs), 1 FROM known HAVING count(*) > 0)
    ORDER BY place LIMIT 1
),
other AS (
    SELECT b.blocks_per_sm, b.gbs FROM best AS b CROSS JOIN reference AS r
    WHERE b.blocks_per_sm <> r.blocks_per_sm ORDER BY b.gbs DESC LIMIT 1
),
twice AS (
    SELECT b.gbs FROM best AS b CROSS JOIN reference AS r WHERE b.blocks_per_sm = 2 AND r.blocks_per_sm <> 2
),
conclusion AS (
    SELECT printf('The %s launches %.3g block%s per SM', r.name, r.blocks_per_sm, iif(r.blocks_per_sm = 1, '', 's'))
           || iif(r.blocks_per_sm = 2, ' (#SM x 2)', '')
           || coalesce(
               (SELECT printf('; 2 per SM (#SM x 2) reach %.3g %% of it', 100 * min(t.gbs / r.gbs, 1)) FROM twice AS t),
               (SELECT printf('; the best other grid, %.3g per SM, reaches %.3g %% of it', o.blocks_per_sm,
                              100 * min(o.gbs / r.gbs, 1)) FROM other AS o),
               ', as every configuration does') AS sentence
    FROM reference AS r
)
SELECT 'points' AS layer, series, rank, blocks_per_sm, gbs, low_gbs, high_gbs,
       shift AS shift_octaves, covered, grid, configuration
FROM celled
UNION ALL
-- Each series' best with each grid.
SELECT 'curves', series, rank, blocks_per_sm, gbs, low_gbs, high_gbs, 0, is_baseline, grid, configuration
FROM (SELECT *, row_number() OVER (PARTITION BY rank, grid ORDER BY is_baseline, gbs DESC) AS turn FROM known)
WHERE turn = 1
UNION ALL
SELECT 'marks', m.name, m.rank, d.blocks_per_sm, d.gbs, d.low_gbs, d.high_gbs, 0, 0, d.grid,
       d.configuration
FROM marked AS m
JOIN drawn AS d ON d.n = m.n AND d.configuration_id = m.configuration_id
UNION ALL
SELECT 'ceiling', name, 0, NULL, gbs, NULL, NULL, NULL, NULL, NULL, NULL FROM ceiling
UNION ALL
SELECT DISTINCT 'double', '#SM x 2', 0, 2, NULL, NULL, NULL, NULL, NULL, 2 * unit_count,
                NULL
FROM drawn
UNION ALL
SELECT 'conclusion', sentence, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM conclusion
UNION ALL
SELECT 'unit', name, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM unit
UNION ALL
SELECT 'whole', '', trials, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM whole
ORDER BY layer, rank, series, blocks_per_sm, gbs;
