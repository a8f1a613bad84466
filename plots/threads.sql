-- Threads against throughput: every configuration, a series a schedule.
-- needs: configurations that differ in threads (a CPU)
, counted AS (
    -- A sweep's trial has its launch; one of a race may lack it.
    SELECT m.*, (SELECT max(r.threads)
                 FROM trials AS t
                 CROSS JOIN resources AS r ON r.trial_id = t.id
                 WHERE t.problem_id = m.problem_id AND t.configuration_id = m.configuration_id
                   AND t.environment_id = CAST(:environment AS INTEGER)) AS threads
    FROM named AS m
),
known AS (
    SELECT *, dense_rank() OVER (ORDER BY rank) - 1 AS side FROM counted WHERE threads > 0
),
-- At one number of threads the series stand side by side, each sorted by throughput: within a sixteenth of an octave, so
-- that none seems to be between two numbers.
drawn AS (
    SELECT *, 0.0625 * ((side + (row_number() OVER slot - 0.5) / count(*) OVER (PARTITION BY threads, side))
                     / (max(side) OVER () + 1) - 0.5) AS shift
    FROM known
    WINDOW slot AS (PARTITION BY threads, side ORDER BY gbs, configuration_id)
),
-- Of many points those that would cover one another are drawn once: the fastest of a cell, less than a point
-- wide and high.
celled AS (
    SELECT *, count(*) OVER () > 5000 AND row_number() OVER (
               PARTITION BY threads, CAST(1000 * shift + 40 AS INTEGER),
                            CAST(150 * gbs / (SELECT max(gbs) FROM known) AS INTEGER)
               ORDER BY gbs DESC) > 1 AS covered
    FROM drawn
),
best AS (SELECT threads, max(gbs) AS gbs FROM known GROUP BY threads),
-- The reference of the others: the winner, else the best.
reference AS (
    SELECT * FROM (
        SELECT 'winner' AS name, k.threads, k.gbs, 0 AS place
        FROM marked AS m
        JOIN known AS k ON k.n = m.n AND k.configuration_id = m.configuration_id
        WHERE m.rank = 0
        UNION ALL
        SELECT 'best', threads, max(gbs), 1 FROM known HAVING count(*) > 0)
    ORDER BY place LIMIT 1
),
other AS (
    SELECT b.threads, b.gbs FROM best AS b CROSS JOIN reference AS r
    WHERE b.threads <> r.threads ORDER BY b.threads = 1 DESC, b.gbs DESC LIMIT 1
),
conclusion AS (
    SELECT printf('The %s runs %d thread%s', r.name, r.threads, iif(r.threads = 1, '', 's'))
           || coalesce(
               (SELECT iif(o.threads = 1, printf(', %.3gx as fast as the best of one thread', r.gbs / o.gbs),
                           printf('; the best of %d reaches %.3g %% of it', o.threads, 100 * min(o.gbs / r.gbs, 1)))
                FROM other AS o),
               ', as every configuration does') AS sentence
    FROM reference AS r
)
SELECT 'points' AS layer, series, rank, threads, gbs, low_gbs, high_gbs, shift AS shift_octaves,
       covered, configuration
FROM celled
UNION ALL
-- Each series' best with each number of threads.
SELECT 'curves', series, rank, threads, gbs, low_gbs, high_gbs, 0, is_baseline, configuration
FROM (SELECT *, row_number() OVER (PARTITION BY rank, threads ORDER BY is_baseline, gbs DESC) AS turn FROM known)
WHERE turn = 1
UNION ALL
SELECT 'marks', m.name, m.rank, d.threads, d.gbs, d.low_gbs, d.high_gbs, 0, 0,
       d.configuration
FROM marked AS m
JOIN drawn AS d ON d.n = m.n AND d.configuration_id = m.configuration_id
UNION ALL
SELECT 'ceiling', name, 0, NULL, gbs, NULL, NULL, NULL, NULL, NULL FROM ceiling
UNION ALL
SELECT DISTINCT 'cores', 'cores', 0, unit_count, NULL, NULL, NULL, NULL, NULL, NULL FROM drawn
UNION ALL
SELECT 'conclusion', sentence, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM conclusion
UNION ALL
SELECT 'unit', name, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM unit
UNION ALL
SELECT 'whole', '', trials, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM whole
ORDER BY layer, rank, series, threads, gbs;
