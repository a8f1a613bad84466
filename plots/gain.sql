-- How many times faster the winner is than each baseline and each other implementation, by size.
-- needs: a winner, and a baseline or another implementation's times (tune import)
-- Raced side by side: the race's ratio with its interval. Else (raced = 0) that of the sweep's medians, or of
-- another implementation's median to the winner's.
, best AS (
    SELECT c.n, c.winner_id, t.measured_configuration_id, t.time_ns, t.sweep_ns,
           s.difference, s.difference_low, s.difference_high
    FROM chosen AS c
    JOIN timed AS t ON t.n = c.n AND t.configuration_id = c.configuration_id
    LEFT JOIN contenders AS s
        ON s.winner_id = c.winner_id
        AND s.configuration_id IN (t.configuration_id, t.measured_configuration_id)
    WHERE c.rank = 0
    GROUP BY c.n
),
-- Differences are those to the fastest, which the winner need not be: it is tied with it.
raced AS (
    SELECT b.n, c.name, c.rank, b.sweep_ns AS best_sweep_ns, t.sweep_ns,
           t.measured_configuration_id = b.measured_configuration_id AS is_itself,
           (1 + s.difference) / (1 + b.difference) AS ratio,
           (1 + s.difference_low) / (1 + b.difference_high) AS ratio_low,
           (1 + s.difference_high) / (1 + b.difference_low) AS ratio_high, t.time_ns
    FROM best AS b
    JOIN chosen AS c ON c.n = b.n AND c.rank > 0
    JOIN timed AS t ON t.n = c.n AND t.configuration_id = c.configuration_id
    LEFT JOIN contenders AS s
        ON s.winner_id = b.winner_id
        AND s.configuration_id IN (t.configuration_id, t.measured_configuration_id)
    GROUP BY b.n, c.rank
),
gains AS (
    SELECT name, rank, n,
           CASE WHEN is_itself THEN 1.0 ELSE coalesce(ratio, sweep_ns / best_sweep_ns) END AS ratio,
           CASE WHEN is_itself THEN 1.0 ELSE ratio_low END AS ratio_low,
           CASE WHEN is_itself THEN 1.0 ELSE ratio_high END AS ratio_high
    FROM raced
    UNION ALL
    SELECT r.name, 1000 + r.rank, r.n, coalesce(r.ratio, r.time_ns / b.time_ns),
           CASE WHEN r.ratio > 0 THEN r.ratio_low END, CASE WHEN r.ratio > 0 THEN r.ratio_high END
    FROM rivals AS r
    LEFT JOIN best AS b ON b.n = r.n
)
SELECT 'points' AS layer, name AS series, rank, n, ratio, ratio_low, ratio_high,
       coalesce(ratio_low > 0 AND ratio_high > 0, 0) AS raced
FROM gains
WHERE n > 0 AND ratio > 0
ORDER BY layer, rank, series, n;
