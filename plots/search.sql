-- Best so far against time of the search, with every trial of the sweep.
-- needs: a sweep with a time
-- draws: of all configurations only what is marked
-- Seconds are those that the problem's trials took, one after the other (of several like devices as
-- if they were one): what the run spent on other problems in between is not in them.
, subject AS (
    SELECT id AS problem_id FROM problems
    WHERE experiment_id = CAST(:experiment AS INTEGER) AND key = :problem
      AND n = CAST(:n AS INTEGER)
),
winner AS (
    SELECT w.*, t.configuration_id, t.median_ns
    FROM subject AS s
    JOIN winners AS w ON w.problem_id = s.problem_id
    JOIN trials AS own ON own.id = w.trial_id
    JOIN trials AS t ON t.id = coalesce(own.same_as_trial_id, own.id)
    WHERE w.environment_id = CAST(:environment AS INTEGER) AND w.l2_mode = :l2_mode
      AND w.objective = 'time'
),
-- Baselines outside the space cannot win: they are no best so far.
outside AS (
    SELECT c.configuration_id FROM winner AS w
    JOIN contenders AS c ON c.winner_id = w.id AND c.out = 'baseline'
),
trials_of_sweep AS MATERIALIZED (
    SELECT count(*) AS trials
    FROM subject AS s
    JOIN trials AS t ON t.problem_id = s.problem_id
    WHERE t.environment_id = CAST(:environment AS INTEGER) AND t.l2_mode = :l2_mode
      AND t.stage = 'sweep'
),
tried AS (
    SELECT id, configuration_id, time_ns, may_win, sum(duration_ns) OVER turns / 1e9 AS seconds,
           row_number() OVER turns AS turn,
           min(CASE WHEN may_win THEN time_ns END) OVER turns AS best_ns
    FROM (SELECT t.run_id, t.id, t.configuration_id, t.duration_ns,
                 CASE t.status WHEN 'ok' THEN t.median_ns END AS time_ns,
                 t.configuration_id NOT IN (SELECT configuration_id FROM outside) AS may_win
          FROM subject AS s
          JOIN trials AS t ON t.problem_id = s.problem_id
          WHERE t.environment_id = CAST(:environment AS INTEGER) AND t.l2_mode = :l2_mode
            AND t.stage = 'sweep')
    WINDOW turns AS (ORDER BY run_id, id ROWS UNBOUNDED PRECEDING)
),
-- Drawn points, of very many: every k-th turn, those that were best so far, the last, and the marked.
best AS MATERIALIZED (
    SELECT *, turn % (SELECT every FROM thinned) = 0 AS is_drawn,
           may_win AND time_ns = best_ns AS is_best
    FROM tried
    WHERE is_drawn OR is_best OR turn = (SELECT trials FROM trials_of_sweep)
       OR configuration_id IN (SELECT configuration_id FROM marked WHERE n = CAST(:n AS INTEGER))
),
-- The first of several equally fast ones.
records AS (
    SELECT * FROM (SELECT *, lag(best_ns) OVER (ORDER BY turn) AS before_ns FROM best WHERE is_best)
    WHERE best_ns > 0 AND (before_ns IS NULL OR best_ns < before_ns)
),
swept AS (SELECT max(seconds) AS seconds, max(turn) AS trials, min(best_ns) AS best_ns FROM best),
-- The rounds of race and confirmation, without the time between processes; at_ns is the end of a
-- round, so one round is added to what lies between the first and the last.
processes AS (
    SELECT r.stage, r.process,
           (max(r.at_ns) - min(r.at_ns)) * count(*) / max(count(*) - 1, 1) / 1e9 AS seconds
    FROM subject AS s
    JOIN rounds AS r ON r.problem_id = s.problem_id AND r.objective = 'time'
    WHERE r.run_id = (
        SELECT max(t.run_id) FROM subject AS s JOIN trials AS t ON t.problem_id = s.problem_id
        WHERE t.environment_id = CAST(:environment AS INTEGER) AND t.l2_mode = :l2_mode
          AND t.objective = 'time' AND t.stage IN ('race', 'confirm'))
    GROUP BY r.stage, r.process
),
stages AS (
    SELECT 'race' AS stage, 1 AS rank, sum(seconds) AS seconds FROM processes
    WHERE stage = 'race' HAVING sum(seconds) > 0
    UNION ALL
    SELECT 'confirmation', 2, sum(seconds) FROM processes
    WHERE stage = 'confirm' HAVING sum(seconds) > 0
),
spans AS (
    SELECT stage, rank, swept.seconds + sum(s.seconds) OVER (ORDER BY rank) AS end_seconds,
           s.seconds AS length
    FROM stages AS s, swept
),
-- When the sweep came to the winner, and when it had something within 1 % of its best.
found AS (
    SELECT b.turn, b.seconds FROM marked AS m JOIN best AS b ON b.configuration_id = m.configuration_id
    WHERE m.rank = 0 AND m.n = CAST(:n AS INTEGER) AND b.time_ns > 0 LIMIT 1
),
near AS (
    SELECT r.seconds FROM records AS r CROSS JOIN swept AS s
    WHERE r.best_ns <= 1.01 * s.best_ns ORDER BY r.turn LIMIT 1
),
conclusion AS (
    SELECT coalesce(
               (SELECT printf('The sweep came to the winner after %.3g of %.3g s, as trial %d of %d', f.seconds,
                              s.seconds, f.turn, s.trials) FROM found AS f),
               printf('The sweep took %.3g s for %d trials', s.seconds, s.trials))
           || (SELECT printf('; it was within 1 %% of its best after %.3g s', n.seconds) FROM near AS n) AS sentence
    FROM swept AS s
)
SELECT * FROM (
SELECT 'points' AS layer, 'a trial of the sweep' AS series, 0 AS rank, b.seconds, b.time_ns AS time_ns,
       b.best_ns, b.turn AS trial, NULL AS end_seconds, c.key AS configuration
FROM best AS b JOIN configurations AS c ON c.id = b.configuration_id
WHERE b.time_ns > 0 AND b.is_drawn
UNION ALL
SELECT 'whole', '', trials, NULL, NULL, NULL, NULL, NULL, NULL
FROM whole
UNION ALL
SELECT 'best', 'best so far', 0, seconds, time_ns, best_ns, turn, NULL, NULL
FROM records
UNION ALL
SELECT 'best', 'best so far', 0, seconds, NULL, best_ns, trials, NULL, NULL
FROM swept WHERE best_ns > 0
UNION ALL
SELECT 'marks', m.name, m.rank, b.seconds, b.time_ns, NULL, b.turn, NULL, c.key
FROM marked AS m
JOIN best AS b ON b.configuration_id = m.configuration_id AND b.time_ns > 0
JOIN configurations AS c ON c.id = b.configuration_id
WHERE m.n = CAST(:n AS INTEGER)
UNION ALL
SELECT 'final', CASE stage WHEN 'confirm' THEN 'confirmed' WHEN 'race' THEN 'in the race'
                                         ELSE 'in the sweep' END, 0,
       NULL, median_ns, NULL, NULL, NULL, NULL
FROM winner WHERE median_ns > 0
UNION ALL
SELECT 'stages', stage, rank, end_seconds - length, NULL, NULL, NULL, end_seconds, NULL
FROM spans
UNION ALL
SELECT 'conclusion', sentence, 0, NULL, NULL, NULL, NULL, NULL, NULL FROM conclusion WHERE sentence IS NOT NULL
UNION ALL
SELECT 'left', printf('not tried: at most %.2g %% better with 90 %%, by the model of the search', 100 * most_better), 0,
       NULL, NULL, NULL, NULL, NULL, NULL
FROM (SELECT l.most_better
      FROM searches AS l
      JOIN runs AS r ON r.id = l.run_id AND r.environment_id = CAST(:environment AS INTEGER) AND r.l2_mode = :l2_mode
      WHERE l.problem_id = (SELECT problem_id FROM subject)
      ORDER BY l.run_id DESC LIMIT 1)
WHERE most_better >= 0
)
-- The winner is drawn last, on top of the others.
ORDER BY layer, CASE layer WHEN 'marks' THEN -rank ELSE rank END, series, seconds, trial;
