-- Threads against throughput: every configuration, a series a schedule.
-- needs: configurations that differ in threads (a CPU)
, counted AS (
    -- A sweep's trial says what it launches; one of a race need not.
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
-- At one number of threads the series stand side by side, each sorted by throughput: within 0.4 of an octave.
drawn AS (
    SELECT *, 0.4 * ((side + (row_number() OVER slot - 0.5) / count(*) OVER (PARTITION BY threads, side))
                     / (max(side) OVER () + 1) - 0.5) AS shift
    FROM known
    WINDOW slot AS (PARTITION BY threads, side ORDER BY gbs, configuration_id)
),
-- Of many points those that would cover one another are drawn once: the fastest of a cell, less than a point
-- wide and high.
celled AS (
    SELECT *, count(*) OVER () > 5000 AND row_number() OVER (
               PARTITION BY threads, CAST(200 * shift + 40 AS INTEGER),
                            CAST(150 * gbs / (SELECT max(gbs) FROM known) AS INTEGER)
               ORDER BY gbs DESC) > 1 AS covered
    FROM drawn
)
SELECT 'points' AS layer, series, rank, threads, gbs, low_gbs, high_gbs, shift AS shift_octaves,
       covered, configuration
FROM celled
UNION ALL
SELECT 'marks', m.name, m.rank, d.threads, d.gbs, d.low_gbs, d.high_gbs, d.shift, 0,
       d.configuration
FROM marked AS m
JOIN drawn AS d ON d.n = m.n AND d.configuration_id = m.configuration_id
UNION ALL
SELECT 'ceiling', name, 0, NULL, gbs, NULL, NULL, NULL, NULL, NULL FROM ceiling
UNION ALL
SELECT DISTINCT 'cores', 'cores', 0, unit_count, NULL, NULL, NULL, NULL, NULL, NULL FROM drawn
UNION ALL
SELECT 'unit', name, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM unit
UNION ALL
SELECT 'whole', '', trials, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM whole
ORDER BY layer, rank, series, threads, gbs;
