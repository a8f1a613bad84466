-- Theoretical occupancy (CUDA Occupancy API) against throughput: every configuration, a series a variant.
-- needs: a device whose occupancy is known (a GPU)
SELECT 'points' AS layer,
       coalesce(json_extract(parameters, '$.variant'), 'all configurations') AS series, 0 AS rank,
       100 * occupancy AS occupancy_percent, gbs, low_gbs, high_gbs, configuration
FROM measured
WHERE n = CAST(:n AS INTEGER) AND occupancy IS NOT NULL
UNION ALL
SELECT 'marks', name, rank, 100 * occupancy, gbs, low_gbs, high_gbs, configuration
FROM marked
WHERE n = CAST(:n AS INTEGER) AND occupancy IS NOT NULL
UNION ALL
SELECT 'ceiling', 'measured read ceiling', 0, NULL, read_gbs, NULL, NULL, NULL FROM ceiling
ORDER BY layer, rank, series, occupancy_percent, gbs;
