-- The samples of the finalists: every timing that counts, with medians and intervals.
-- needs: a winner with its samples (recorded databases may be slimmed)
-- draws: of all configurations only what is marked
-- Twelve finalists at most, by place and the winner among them, of the stage that the winner was
-- chosen in: times of two stages do not compare. Those so slow that they would press the others into
-- a corner are counted, not drawn.
, chosen_winner AS (
    SELECT w.id, w.stage, w.time_low_ns, w.time_high_ns, t.id AS trial_id, t.configuration_id,
           t.median_ns, coalesce(t.mad_ns, 0) AS mad_ns
    FROM problems AS p
    JOIN winners AS w ON w.problem_id = p.id
    JOIN trials AS own ON own.id = w.trial_id
    JOIN trials AS t ON t.id = coalesce(own.same_as_trial_id, own.id)
    WHERE p.experiment_id = CAST(:experiment AS INTEGER) AND p.key = :problem
      AND p.n = CAST(:n AS INTEGER) AND w.environment_id = CAST(:environment AS INTEGER)
      AND w.l2_mode = :l2_mode AND w.objective = 'time'
),
entered AS (
    SELECT coalesce(t.same_as_trial_id, t.id) AS trial_id, c.configuration_id, c.place,
           c.difference, c.difference_low, c.difference_high, s.standing
    FROM chosen_winner AS w
    JOIN contenders AS c ON c.winner_id = w.id
    JOIN standings AS s ON s.winner_id = w.id AND s.configuration_id = c.configuration_id
    JOIN trials AS t ON t.id = c.trial_id
    UNION ALL
    SELECT w.trial_id, w.configuration_id, 1, NULL, NULL, NULL, 'as fast'
    FROM chosen_winner AS w
    WHERE NOT EXISTS (SELECT 1 FROM contenders AS c WHERE c.winner_id = w.id)
),
finalists AS (
    SELECT e.*, t.median_ns, e.trial_id = w.trial_id AS is_winner,
           t.median_ns <= w.median_ns + max(10 * w.mad_ns, 0.05 * w.median_ns) AS is_near,
           (SELECT b.name FROM chosen AS b
            WHERE b.n = CAST(:n AS INTEGER) AND b.rank > 0
              AND b.configuration_id = e.configuration_id
            ORDER BY b.rank LIMIT 1) AS baseline
    FROM chosen_winner AS w, entered AS e
    JOIN trials AS t ON t.id = e.trial_id AND t.stage = w.stage AND t.status = 'ok'
),
drawn AS (
    SELECT *, row_number() OVER (ORDER BY place, median_ns) AS row,
           CASE WHEN is_winner THEN 'winner' WHEN baseline IS NOT NULL THEN 'baseline'
                ELSE standing END AS role,
           CASE WHEN is_winner THEN 0 WHEN baseline IS NOT NULL THEN 3
                WHEN standing = 'as fast' THEN 1 WHEN standing = 'slower' THEN 2 WHEN standing = 'out' THEN 5 ELSE 4 END AS rank
    FROM (SELECT *, row_number() OVER (ORDER BY NOT is_winner, place, median_ns) AS turn
          FROM finalists WHERE is_near)
    WHERE turn <= 12
),
parts AS (
    SELECT d.row, j.id AS part, j.key, coalesce(j.value, '') AS value
    FROM drawn AS d
    JOIN configurations AS c ON c.id = d.configuration_id, json_each(c.parameters) AS j
),
-- The words that distinguish the rows; of one row alone all.
varied AS (
    SELECT key, count(DISTINCT value) > 1 OR (SELECT count(*) FROM drawn) = 1 AS varies
    FROM parts GROUP BY key
),
named_rows AS (
    SELECT row, group_concat(key || '=' || value, ' ') AS label, group_concat(value, ' ') AS short,
           group_concat(key, ' ') AS names
    FROM (SELECT p.* FROM parts AS p JOIN varied AS v ON v.key = p.key AND v.varies
          ORDER BY p.row, p.part)
    GROUP BY row
),
-- If two lines of a figure do not hold a name, the values stand alone and the figure names the
-- parameter.
labels AS (
    SELECT row, CASE WHEN is_long THEN short ELSE label END AS label, CASE WHEN is_long THEN names END AS names
    FROM (SELECT *, max(length(label)) OVER () > 92 AS is_long FROM named_rows)
),
alike AS (
    SELECT group_concat(key || '=' || value, ' ') AS label
    FROM (SELECT p.* FROM parts AS p JOIN varied AS v ON v.key = p.key AND NOT v.varies
          WHERE p.row = 1 ORDER BY p.part)
),
taken AS (
    SELECT d.row, d.role, d.rank, s.elapsed_ns, s.process, s.round,
           (row_number() OVER (PARTITION BY d.row ORDER BY s.ordinal) - 0.5)
               / count(*) OVER (PARTITION BY d.row) AS turn,
           percent_rank() OVER (PARTITION BY d.row ORDER BY s.elapsed_ns) AS quantile,
           count(*) OVER (PARTITION BY d.row) AS sample_count
    FROM drawn AS d
    JOIN samples AS s ON s.trial_id = d.trial_id AND s.invalid = 0 AND s.elapsed_ns > 0
),
quartiles AS (
    SELECT row, max(elapsed_ns) FILTER (WHERE quantile <= 0.25) AS low_ns,
           max(elapsed_ns) FILTER (WHERE quantile <= 0.75) AS high_ns
    FROM taken GROUP BY row
),
-- Differences are to the fastest in the same rounds, so they are drawn from its median on; where the
-- winner is the fastest itself, its interval is that of its time.
medians AS (
    SELECT d.*, coalesce(d.difference, 0) = 0 AND d.is_winner AS is_fastest,
           fastest.median_ns AS fastest_ns, w.time_low_ns, w.time_high_ns
    FROM drawn AS d, chosen_winner AS w,
         (SELECT median_ns FROM finalists ORDER BY abs(difference) NULLS LAST, place LIMIT 1) AS fastest
),
-- All finalists, also those too slow to be drawn.
conclusion AS (
    SELECT CASE
        WHEN count(*) = 1 THEN 'The winner alone was timed to the end'
        WHEN sum(is_other AND standing IN ('as fast', 'not compared')) = 0
        THEN printf('The winner is shown to be faster than the %d other finalists%s', count(*) - 1,
                    printf(', by %.3g %% and more', round(100 * min(iif(is_other, difference, NULL)), 2)))
        ELSE iif(sum(is_other AND standing = 'as fast') = 0, printf('None of %d other finalists is shown to be as fast as the winner',
                                                                    count(*) - 1),
                 printf('%d of %d other finalists %s as fast as the winner, within %.3g %%',
                        sum(is_other AND standing = 'as fast'), count(*) - 1,
                        iif(sum(is_other AND standing = 'as fast') = 1, 'is', 'are'),
                        round(100 * max(iif(is_other AND standing = 'as fast', abs(difference), 0)), 2)))
             || iif(sum(is_other AND standing = 'not compared') = 0, '',
                    printf('; %d %s not compared to the end', sum(is_other AND standing = 'not compared'),
                           iif(sum(is_other AND standing = 'not compared') = 1, 'was', 'were')))
        END AS sentence
    FROM (SELECT *, NOT is_winner AS is_other FROM finalists)
    HAVING count(*) > 0
)
SELECT 'points' AS layer, role AS series, rank, t.row AS row, elapsed_ns, turn, quantile,
       sample_count <= 4
       OR (quantile BETWEEN 0.02 AND 0.98
           AND (q.low_ns = q.high_ns
                OR elapsed_ns BETWEEN q.low_ns - 5 * (q.high_ns - q.low_ns)
                                  AND q.high_ns + 5 * (q.high_ns - q.low_ns))) AS is_inner,
       process, round, NULL AS low_ns,
       NULL AS high_ns, NULL AS difference, NULL AS difference_low, NULL AS difference_high,
       NULL AS configuration
FROM taken AS t
JOIN quartiles AS q ON q.row = t.row
UNION ALL
SELECT 'medians', m.role, m.rank, m.row, m.median_ns, NULL, NULL, NULL, NULL, NULL,
       CASE WHEN m.is_fastest THEN iif(m.time_low_ns > 0 AND m.time_high_ns <= 4 * m.time_low_ns, m.time_low_ns, NULL)
            ELSE m.fastest_ns * (1 + m.difference_low) END,
       CASE WHEN m.is_fastest THEN iif(m.time_low_ns > 0 AND m.time_high_ns <= 4 * m.time_low_ns, m.time_high_ns, NULL)
            ELSE m.fastest_ns * (1 + m.difference_high) END,
       m.difference, m.difference_low, m.difference_high,
       coalesce(m.baseline || ': ', '') || l.label
FROM medians AS m
LEFT JOIN labels AS l ON l.row = m.row
WHERE EXISTS (SELECT 1 FROM taken AS t WHERE t.row = m.row)
UNION ALL
SELECT 'alike', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, label
FROM alike WHERE label IS NOT NULL
UNION ALL
SELECT 'conclusion', sentence, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM conclusion
UNION ALL
-- The rows by their values alone: as text there is one line for each.
SELECT 'short', names, 0, row, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, short
FROM named_rows AS l
WHERE EXISTS (SELECT 1 FROM taken AS t WHERE t.row = l.row)
UNION ALL
SELECT 'names', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, names
FROM labels WHERE row = 1 AND names IS NOT NULL
UNION ALL
SELECT 'left_out', '', 0, count(*), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       NULL, NULL
FROM finalists
WHERE trial_id NOT IN (SELECT trial_id FROM drawn)
HAVING count(*) > 0
ORDER BY layer, rank, series, row, turn;
