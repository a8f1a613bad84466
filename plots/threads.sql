-- Threads against throughput: every configuration, a series a schedule.
-- needs: configurations that differ in threads (a CPU)
SELECT 'points' AS layer,
       coalesce(json_extract(m.parameters, '$.schedule'), 'all configurations') AS series, 0 AS rank,
       r.threads, m.gbs, m.low_gbs, m.high_gbs, m.configuration
FROM measured AS m
JOIN resources AS r ON r.trial_id = m.trial_id AND r.launch = 0 AND r.threads > 0
WHERE m.n = CAST(:n AS INTEGER)
UNION ALL
SELECT 'marks', m.name, m.rank, r.threads, m.gbs, m.low_gbs, m.high_gbs,
       m.configuration
FROM marked AS m
JOIN resources AS r ON r.trial_id = m.trial_id AND r.launch = 0 AND r.threads > 0
WHERE m.n = CAST(:n AS INTEGER)
UNION ALL
SELECT 'ceiling', 'measured read ceiling', 0, NULL, read_gbs, NULL, NULL, NULL FROM ceiling
ORDER BY layer, rank, series, threads, gbs;
