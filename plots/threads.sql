-- Threads against throughput: every configuration, a series a schedule.
-- needs: configurations that differ in threads (a CPU)
, named AS (
    SELECT m.*, r.threads,
           coalesce(json_extract(m.parameters, '$.schedule'), 'all configurations') AS series
    FROM measured AS m
    JOIN (SELECT trial_id, max(threads) AS threads FROM resources GROUP BY trial_id) AS r
        ON r.trial_id = m.trial_id
    WHERE m.n = CAST(:n AS INTEGER) AND r.threads > 0
),
drawn AS (SELECT *, dense_rank() OVER (ORDER BY series) - 1 AS side FROM named)
SELECT 'points' AS layer, series, 0 AS rank, threads, gbs, low_gbs, high_gbs, side, configuration
FROM drawn
UNION ALL
SELECT 'marks', m.name, m.rank, d.threads, d.gbs, d.low_gbs, d.high_gbs, d.side, d.configuration
FROM marked AS m
JOIN drawn AS d ON d.n = m.n AND d.configuration_id = m.configuration_id
UNION ALL
SELECT 'ceiling', name, 0, NULL, gbs, NULL, NULL, NULL, NULL FROM ceiling
ORDER BY layer, rank, series, threads, gbs;
