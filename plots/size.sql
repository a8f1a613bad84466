-- Problem size against throughput: the winner, the baselines and the device's ceiling.
-- needs: a winner or a baseline
SELECT 'points' AS layer, name AS series, rank, n, gbs, low_gbs, high_gbs,
       configuration
FROM marked
WHERE n > 0
UNION ALL
SELECT 'ceiling', name, 0, NULL, gbs, NULL, NULL, NULL FROM ceiling
ORDER BY layer, rank, series, n;
