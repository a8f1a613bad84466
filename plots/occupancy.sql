-- Theoretical occupancy (CUDA Occupancy API) against throughput: every configuration, a series a variant.
-- needs: a device whose occupancy is known (a GPU)
-- Each reference to a name here costs SQLite a copy of all that stands behind it, before the first row: each is used as
-- seldom as possible.
, occupied AS (
    SELECT *, 100 * occupancy AS percent, iif(series = 'all configurations', (
               SELECT max(json_extract(t.metrics, '$.bytes_per_thread')) FROM trials AS t
               WHERE t.problem_id = m.problem_id AND t.configuration_id = m.configuration_id
                 AND t.environment_id = CAST(:environment AS INTEGER)), NULL) AS requested
    FROM named AS m WHERE occupancy IS NOT NULL
),
-- Without variants, configurations that differ in a thread's bytes at a time are distinguished by these (told).
known AS (
    SELECT n, configuration_id, gbs, low_gbs, high_gbs, configuration, percent, is_baseline,
           iif(told, requested, NULL) AS bytes, iif(told, place, rank) AS rank,
           CASE WHEN NOT told THEN series WHEN requested IS NULL THEN 'others'
                ELSE printf('%g bytes per thread at a time', requested) END AS series,
           dense_rank() OVER (ORDER BY iif(told, place, rank)) - 1 AS side,
           nullif(percent - lag(percent) OVER (ORDER BY percent), 0) AS step
    FROM (SELECT *, max(kinds) OVER () BETWEEN 2 AND 6 AS told
          FROM (SELECT *, max(place) OVER alike + min(requested IS NOT NULL) OVER alike AS kinds
                FROM (SELECT *, series = 'all configurations' AS is_one,
                             dense_rank() OVER (PARTITION BY series = 'all configurations'
                                                ORDER BY requested) - 1 AS place
                      FROM occupied)
                WINDOW alike AS (PARTITION BY is_one)))
    WHERE is_one OR NOT told
),
-- The configurations of one occupancy stand at the left of it, in 0.7 of the least step to the next: the series side
-- by side, each sorted by throughput.
drawn AS (
    SELECT *, max(gbs) OVER () AS most_gbs, 0.7 * min(6.25, coalesce(min(step) OVER (), 6.25))
               * ((side + (row_number() OVER slot - 0.5) / count(*) OVER (PARTITION BY percent, side))
                  / (max(side) OVER () + 1) - 1) AS shift
    FROM known
    WINDOW slot AS (PARTITION BY percent, side ORDER BY gbs, configuration_id)
),
-- Of many points those that would cover one another are drawn once: the fastest of a cell, less than a point
-- wide and high.
celled AS (
    SELECT *, count(*) OVER () > 5000 AND row_number() OVER (
               PARTITION BY CAST(2 * (percent + shift) AS INTEGER), CAST(150 * gbs / most_gbs AS INTEGER)
               ORDER BY gbs DESC) > 1 AS covered
    FROM drawn
),
-- The best at each occupancy, that with the fewest bytes at a time, and the winner there.
best AS (
    SELECT percent, max(gbs) AS gbs, least AS bytes, max(iif(bytes = least, gbs, NULL)) AS few_gbs,
           max(iif(configuration_id = winner, gbs, NULL)) AS winner_gbs
    FROM (SELECT *, min(bytes) OVER () AS least FROM known)
    LEFT JOIN (SELECT configuration_id AS winner FROM marked WHERE rank = 0 AND n = CAST(:n AS INTEGER))
    GROUP BY percent
),
-- The reference of the others: the winner, else the best. enough: the least occupancy that is nearly as fast.
compared AS (
    SELECT *, min(gbs / reference_gbs, 1) AS share, count(*) OVER () AS count,
           min(iif(gbs >= CAST(:near AS REAL) * reference_gbs, percent, NULL)) OVER () AS enough,
           min(iif(few_gbs >= CAST(:near AS REAL) * reference_gbs, percent, NULL)) OVER () AS few,
           max(iif(coalesce(winner_gbs, iif(is_won, NULL, gbs)) = reference_gbs, percent, NULL)) OVER () AS reference,
           lag(percent) OVER (ORDER BY percent) AS below,
           lag(gbs / reference_gbs) OVER (ORDER BY percent) AS below_share
    FROM (SELECT *, coalesce(max(winner_gbs) OVER (), max(gbs) OVER ()) AS reference_gbs,
                 max(winner_gbs) OVER () IS NOT NULL AS is_won FROM best)
),
-- Each series' best at each occupancy. A single launch, which shows nothing about its occupancy, has no line; those
-- that differ in bytes at a time are the points of an experiment.
curved AS (
    SELECT k.*, k.is_baseline OR (k.bytes IS NULL AND sum(NOT k.is_baseline) OVER place = 1) AS is_apart,
           row_number() OVER (PARTITION BY k.rank, k.percent ORDER BY k.is_baseline, k.gbs DESC) AS turn
    FROM known AS k
    WINDOW place AS (PARTITION BY k.rank, k.percent)
),
-- The occupancy that each limit of an SM would allow the winner's first launch.
limits AS (
    SELECT l.place, l.name, l.percent
    FROM marked AS m
    CROSS JOIN trials AS t ON t.problem_id = m.problem_id AND t.configuration_id = m.configuration_id
                          AND t.environment_id = CAST(:environment AS INTEGER)
    CROSS JOIN occupancy_limits AS l ON l.trial_id = t.id AND l.launch = 0
    WHERE m.rank = 0 AND m.n = CAST(:n AS INTEGER)
    ORDER BY t.id, l.place LIMIT 3
),
conclusion AS (
    SELECT CASE
        WHEN count = 1 THEN printf('Every configuration has an occupancy of %.3g %%', reference)
        WHEN enough < reference
        THEN printf('%.3g %% occupancy already reaches %.3g %% of %s, which has %.3g %%', enough, 100 * share, name,
                    reference)
        WHEN below IS NULL THEN printf('The lowest occupancy of all, %.3g %%, is that of %s', reference, name)
        ELSE printf('Nothing below %.3g %% occupancy reaches %.3g %% of %s: %.3g %% reaches %.3g %%', reference,
                    100 * CAST(:near AS REAL), name, below, 100 * below_share)
        END || iif(bytes IS NULL OR few IS enough OR count = 1, '',
                   printf('; with %g bytes per thread at a time ', bytes)
                   || iif(few IS NULL, 'no occupancy does', printf('it takes %.3g %%', few))) AS sentence
    FROM (SELECT *, iif(is_won, 'the winner', 'the best') AS name FROM compared)
    WHERE percent = enough
)
SELECT 'points' AS layer, series, rank, percent AS occupancy_percent, gbs, low_gbs, high_gbs,
       shift AS shift_percent, covered, configuration
FROM celled
UNION ALL
SELECT 'curves', series, rank, percent, gbs, low_gbs, high_gbs, 0, is_apart, configuration
FROM curved WHERE turn = 1
UNION ALL
SELECT 'family', printf('family occupancy, %g bytes per thread', bytes_per_thread),
       dense_rank() OVER (ORDER BY bytes_per_thread) - 1, percent, gbs, NULL, NULL, NULL, NULL, NULL
FROM occupancy_curves
WHERE l2_mode = :l2_mode AND (SELECT name FROM unit) = 'GB/s'
  AND device = (SELECT d.name FROM environments AS e JOIN devices AS d ON d.id = e.device_id
                WHERE e.id = CAST(:environment AS INTEGER))
  AND (SELECT name FROM experiments WHERE id = CAST(:experiment AS INTEGER)) <> 'occupancy'
UNION ALL
SELECT 'limits', name, place, percent, NULL, NULL, NULL, NULL, NULL, NULL
FROM limits
UNION ALL
SELECT 'marks', m.name, m.rank, d.percent, d.gbs, d.low_gbs, d.high_gbs, 0, 0,
       d.configuration
FROM marked AS m
JOIN drawn AS d ON d.n = m.n AND d.configuration_id = m.configuration_id
UNION ALL
SELECT 'ceiling', name, 0, NULL, gbs, NULL, NULL, NULL, NULL, NULL FROM ceiling
UNION ALL
SELECT 'conclusion', sentence, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM conclusion
UNION ALL
SELECT 'unit', name, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM unit
UNION ALL
SELECT 'whole', '', trials, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM whole
ORDER BY layer, rank, series, occupancy_percent, gbs;
