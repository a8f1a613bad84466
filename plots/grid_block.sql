-- Grid (blocks an SM) by block (threads) as a heat map: the best throughput of each cell.
-- needs: configurations that differ in grid and threads a block (a GPU)
, cells AS (
    SELECT m.*, 1.0 * m.grid / d.unit_count AS blocks_per_sm,
           dense_rank() OVER (ORDER BY m.grid) AS x, dense_rank() OVER (ORDER BY m.block) AS y
    FROM measured AS m
    JOIN environments AS e ON e.id = CAST(:environment AS INTEGER)
    JOIN devices AS d ON d.id = e.device_id
    WHERE m.n = CAST(:n AS INTEGER) AND m.grid > 0 AND d.kind = 'cuda' AND d.unit_count > 0
)
SELECT 'points' AS layer, 'best of the cell' AS series, 0 AS rank, x, max(gbs) AS gbs, y,
       blocks_per_sm, block, count(*) AS configurations, 0 AS side, configuration
FROM cells
GROUP BY x, y
UNION ALL
SELECT 'cell_marks', m.name, m.rank, c.x, m.gbs, c.y, c.blocks_per_sm, c.block, NULL,
       row_number() OVER cell - (count(*) OVER cell + 1) / 2.0, m.configuration
FROM marked AS m
JOIN cells AS c ON c.configuration_id = m.configuration_id
WHERE m.n = CAST(:n AS INTEGER)
WINDOW cell AS (PARTITION BY c.x, c.y)
UNION ALL
SELECT 'columns', '', 0, x, NULL, NULL, blocks_per_sm, NULL, NULL, NULL, NULL FROM cells GROUP BY x
UNION ALL
SELECT 'rows', '', 0, NULL, NULL, y, NULL, block, NULL, NULL, NULL FROM cells GROUP BY y
UNION ALL
SELECT 'unit', name, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM unit
ORDER BY layer, rank, series, x, y;
