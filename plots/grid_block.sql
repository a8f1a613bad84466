-- Grid (blocks per SM) by block (threads) as a heat map: the best throughput of each cell.
-- needs: configurations whose grid and threads per block are known (a GPU)
, known AS (
    SELECT m.*, 1.0 * grid / unit_count AS blocks_per_sm,
           4 * length(printf('%x', grid)) - 4 AS grid_bits,
           4 * length(printf('%x', block)) - 4 AS block_bits
    FROM named AS m
    WHERE grid > 0 AND block > 0 AND sm_count AND unit_count > 0
),
counts AS (
    SELECT count(DISTINCT grid) > 48 AS is_grid_range, count(DISTINCT block) > 48 AS is_block_range
    FROM known
),
-- The whole part of the logarithm.
octaved AS (
    SELECT *, grid_bits + (grid >> grid_bits >= 2) + (grid >> grid_bits >= 4)
                  + (grid >> grid_bits >= 8) AS grid_octave,
           block_bits + (block >> block_bits >= 2) + (block >> block_bits >= 4)
                  + (block >> block_bits >= 8) AS block_octave
    FROM known
    CROSS JOIN counts
),
-- More than 48 grids, or blocks: each half of an octave makes one column, or row. Grids that differ from a whole number
-- of blocks per SM only by rounding to clusters are in that one's column.
cells AS (
    SELECT *,
           dense_rank() OVER (
               ORDER BY CASE WHEN is_grid_range THEN (grid << 1) >> grid_octave
                                                     | (grid_octave << 2)
                             WHEN abs(blocks_per_sm - round(blocks_per_sm)) <= 0.02 * blocks_per_sm
                             THEN round(blocks_per_sm) ELSE blocks_per_sm END) AS x,
           dense_rank() OVER (
               ORDER BY CASE WHEN is_block_range THEN (block << 1) >> block_octave
                                                      | (block_octave << 2) ELSE block END) AS y
    FROM octaved
),
bests AS (
    SELECT x, max(gbs) AS gbs, y, blocks_per_sm, block, count(*) AS configurations,
           -- a cell of baselines alone does not stretch the scale of colours
           -- (sum, since a second min or max would take away configuration's row, that of max(gbs))
           sum(configuration_id IN (SELECT configuration_id FROM marked WHERE n = CAST(:n AS INTEGER) AND rank > 0)
               AND configuration_id NOT IN (SELECT configuration_id FROM marked WHERE n = CAST(:n AS INTEGER) AND rank = 0))
               = count(*) AS is_apart, configuration
    FROM cells
    GROUP BY x, y
),
conclusion AS (
    SELECT iif(count(*) = 1, 'Every configuration launches ', 'Best: ')
           || printf('%.3g block%s of %d threads per SM', t.blocks_per_sm, iif(t.blocks_per_sm = 1, '', 's'), t.block)
           || iif(count(*) = 1, '',
                  printf('; %d of %d pairs of grid and block are within %.3g %%',
                         sum(b.gbs >= CAST(:near AS REAL) * t.gbs), count(*), 100 - 100 * CAST(:near AS REAL)))
               AS sentence
    FROM bests AS b CROSS JOIN (SELECT * FROM bests ORDER BY gbs DESC LIMIT 1) AS t
    HAVING count(*) > 0
)
SELECT 'points' AS layer, 'best of the cell' AS series, 0 AS rank, x, gbs, y, blocks_per_sm, block, configurations,
       NULL AS best_gbs, is_apart AS side, configuration
FROM bests
UNION ALL
SELECT 'cell_marks', m.name, m.rank, c.x, m.gbs, c.y, c.blocks_per_sm, c.block, NULL, b.gbs,
       row_number() OVER cell - (count(*) OVER cell + 1) / 2.0, m.configuration
FROM marked AS m
JOIN cells AS c ON c.n = m.n AND c.configuration_id = m.configuration_id
JOIN bests AS b ON b.x = c.x AND b.y = c.y
WINDOW cell AS (PARTITION BY c.x, c.y)
UNION ALL
SELECT 'columns', '', 0, x, NULL, NULL, min(blocks_per_sm), NULL, NULL, NULL, max(is_grid_range), NULL
FROM cells
GROUP BY x
UNION ALL
SELECT 'rows', '', 0, NULL, NULL, y, NULL, min(block), NULL, NULL, max(is_block_range), NULL
FROM cells
GROUP BY y
UNION ALL
SELECT 'conclusion', sentence, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM conclusion
UNION ALL
SELECT 'unit', name, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM unit
UNION ALL
SELECT 'whole', '', trials, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM whole
ORDER BY layer, rank, series, x, y;
