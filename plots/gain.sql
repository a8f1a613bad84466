-- How many times faster the winner is than each baseline and each other implementation, by size.
-- needs: a winner, and a baseline or another implementation's times (tune import)
-- draws: of all configurations only what is marked
-- Of rounds that both were in, with the interval. Another implementation that was merely timed has raced = 0: its
-- median to the winner's.
, best AS (
    SELECT c.n, c.winner_id, c.configuration_id, t.time_ns
    FROM chosen AS c
    JOIN timed AS t ON t.n = c.n AND t.configuration_id = c.configuration_id
    WHERE c.rank = 0
),
over AS (
    SELECT c.name, c.rank, b.n, g.gain AS ratio, g.gain_low AS ratio_low, g.gain_high AS ratio_high
    FROM best AS b
    CROSS JOIN gains AS g ON g.winner_id = b.winner_id AND g.configuration_id = b.configuration_id
    JOIN chosen AS c ON c.n = b.n AND c.rank > 0 AND c.name = g.baseline
    -- an unstable winner's are not known
    WHERE (SELECT w.trust FROM winners AS w WHERE w.id = b.winner_id) IS NOT 'unstable'
    UNION ALL
    SELECT r.name, 1000 + r.rank, r.n, coalesce(r.ratio, r.time_ns / b.time_ns),
           CASE WHEN r.ratio > 0 THEN r.ratio_low END, CASE WHEN r.ratio > 0 THEN r.ratio_high END
    FROM rivals AS r
    LEFT JOIN best AS b ON b.n = r.n
),
shown AS (
    SELECT *, coalesce(ratio_low > 0 AND ratio_high > 0, 0) AS raced
    FROM over
    WHERE n > 0 AND ratio > 0
      -- unknown bounds: not drawn
      AND (coalesce(ratio_low, ratio_high) IS NULL OR ratio_high <= 4 * ratio_low)
),
-- faster: at how many sizes the winner is, shown by the interval where there is one.
spans AS (
    SELECT name, rank, printf('%.2f', min(ratio)) AS least, printf('%.2f', max(ratio)) AS most, count(*) AS sizes,
           sum(iif(raced, ratio_low, ratio) > 1) AS faster
    FROM shown GROUP BY rank, name
),
conclusion AS (
    SELECT 'The winner is ' || group_concat(
               least || iif(least = most, 'x', 'x to ' || most || 'x') || ' as fast as ' || name
               || iif(sizes = faster, '', printf(' (faster at %d of %d sizes)', faster, sizes)), ', ')
           || (SELECT iif(count(*) > 3, printf(', and %d more', count(*) - 3), '') FROM spans) AS sentence
    FROM (SELECT * FROM spans ORDER BY rank, name LIMIT 3)
    HAVING count(*) > 0
)
SELECT 'points' AS layer, name AS series, rank, n, ratio, ratio_low, ratio_high, raced
FROM shown
UNION ALL
SELECT 'conclusion', sentence, 0, NULL, NULL, NULL, NULL, NULL FROM conclusion
ORDER BY layer, rank, series, n;
