-- Theoretical occupancy (CUDA Occupancy API) against throughput: every configuration, a series a variant.
-- needs: a device whose occupancy is known (a GPU)
, named AS (
    SELECT *, coalesce(json_extract(parameters, '$.variant'), 'all configurations') AS series
    FROM measured
    WHERE n = CAST(:n AS INTEGER) AND occupancy IS NOT NULL
),
drawn AS (SELECT *, dense_rank() OVER (ORDER BY series) - 1 AS side FROM named)
SELECT 'points' AS layer, series, 0 AS rank, 100 * occupancy AS occupancy_percent, gbs, low_gbs,
       high_gbs, side, configuration
FROM drawn
UNION ALL
SELECT 'marks', m.name, m.rank, 100 * d.occupancy, d.gbs, d.low_gbs, d.high_gbs, d.side,
       d.configuration
FROM marked AS m
JOIN drawn AS d ON d.n = m.n AND d.configuration_id = m.configuration_id
UNION ALL
SELECT 'ceiling', name, 0, NULL, gbs, NULL, NULL, NULL, NULL FROM ceiling
ORDER BY layer, rank, series, occupancy_percent, gbs;
