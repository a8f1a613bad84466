-- Problem size against throughput: the winner, the baselines, other implementations and the device's ceiling.
-- needs: a winner, a baseline or another implementation's times (tune import)
-- draws: of all configurations only what is marked
SELECT 'points' AS layer, name AS series, rank, n, gbs, low_gbs, high_gbs, configuration,
       0 AS is_rival
FROM marked
WHERE n > 0
UNION ALL
SELECT 'points', name, 1000 + rank, n, gbs, low_gbs, high_gbs, NULL, 1 FROM rivals WHERE n > 0
UNION ALL
SELECT 'ceiling', name, 0, NULL, gbs, NULL, NULL, NULL, NULL FROM ceiling
UNION ALL
SELECT 'unit', name, 0, NULL, NULL, NULL, NULL, NULL, NULL FROM unit
ORDER BY layer, rank, series, n;
