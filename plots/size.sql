-- Problem size against throughput: the winner, the baselines, other implementations and the device's ceiling.
-- needs: a winner, a baseline or another implementation's times (tune import)
-- draws: of all configurations only what is marked
-- The winner by size, else the first that there is.
, leading AS (
    SELECT name, n, gbs, max(gbs) OVER () AS most FROM marked
    WHERE n > 0 AND rank = (SELECT min(rank) FROM marked WHERE n > 0)
),
-- From where on it is within a tenth of its best.
near AS (
    SELECT min(n) AS n FROM leading
    WHERE n > coalesce((SELECT max(n) FROM leading WHERE gbs < 0.9 * most), 0)
),
conclusion AS (
    SELECT upper(substr(who, 1, 1)) || substr(who, 2) || ' reaches '
           || coalesce((SELECT printf('%.3g %% of the %s', 100 * min(l.most / c.gbs, 1), c.name)
                        FROM ceiling AS c WHERE l.most <= 1.02 * c.gbs),
                       printf('%.4g %s', l.most, (SELECT name FROM unit)))
           || CASE WHEN l.sizes = 1 THEN '' WHEN near.n IS NULL THEN printf(' at n = %d, and less at larger sizes', l.n)
              ELSE printf(', and nine tenths of that from n = %d on', near.n) END AS sentence
    FROM (SELECT iif(name = 'winner', 'the winner', name) AS who, n, max(gbs) AS most, count(*) AS sizes FROM leading
          HAVING count(*) > 0) AS l
    CROSS JOIN near
)
SELECT 'points' AS layer, name AS series, rank, n, gbs, low_gbs, high_gbs, configuration,
       0 AS is_rival
FROM marked
WHERE n > 0
UNION ALL
SELECT 'points', name, 1000 + rank, n, gbs, low_gbs, high_gbs, NULL, 1 FROM rivals WHERE n > 0
UNION ALL
SELECT 'ceiling', name, 0, NULL, gbs, NULL, NULL, NULL, NULL FROM ceiling
UNION ALL
SELECT 'conclusion', sentence, 0, NULL, NULL, NULL, NULL, NULL, NULL FROM conclusion
UNION ALL
SELECT 'unit', name, 0, NULL, NULL, NULL, NULL, NULL, NULL FROM unit
ORDER BY layer, rank, series, n;
