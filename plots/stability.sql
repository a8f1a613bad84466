-- Stability over the rounds of race and confirmation: the anchor, clocks, temperature, power.
-- needs: rounds of a race
-- draws: of all configurations only what is marked
-- Seconds run from the first round; between processes, where other problems had their turn, they
-- are cut (at_ns, since the start of the run, is not).
, subject AS (
    SELECT id AS problem_id FROM problems
    WHERE experiment_id = CAST(:experiment AS INTEGER) AND key = :problem
      AND n = CAST(:n AS INTEGER)
),
-- The last run that raced; a group of equal devices may have raced on another than the first.
raced AS (
    SELECT r.*, (r.anchor_first_ns + coalesce(r.anchor_last_ns, r.anchor_first_ns)) / 2 AS anchor_ns,
           r.stage = 'confirm' AS rank
    FROM subject AS s
    JOIN rounds AS r ON r.problem_id = s.problem_id AND r.objective = 'time'
    WHERE r.run_id = (
        SELECT max(t.run_id) FROM subject AS s JOIN trials AS t ON t.problem_id = s.problem_id
        WHERE t.environment_id = CAST(:environment AS INTEGER) AND t.l2_mode = :l2_mode
          AND t.objective = 'time' AND t.stage IN ('race', 'confirm'))
),
-- at_ns is the end of a round: the first of a process takes as long as its others on average.
processes AS (
    SELECT stage, rank, process, min(at_ns) AS first_ns, count(*) AS round_count,
           CASE WHEN count(*) > 1 THEN (max(at_ns) - min(at_ns)) * 1.0 / (count(*) - 1)
                ELSE 1e6 END AS round_ns
    FROM raced
    GROUP BY stage, process
),
spans AS (
    SELECT *, sum(round_count * round_ns) OVER (ORDER BY rank, process) AS end_ns FROM processes
),
placed AS (
    SELECT r.*, (s.end_ns - (s.round_count - 1) * s.round_ns + r.at_ns - s.first_ns) / 1e9
               AS seconds
    FROM raced AS r
    JOIN spans AS s ON s.stage = r.stage AND s.process = r.process
),
middle AS (
    SELECT avg(anchor_ns) AS anchor_ns
    FROM (SELECT anchor_ns, row_number() OVER (ORDER BY anchor_ns) AS place, count(*) OVER () AS n
          FROM placed WHERE anchor_ns > 0)
    WHERE place IN ((n + 1) / 2, (n + 2) / 2)
),
relative AS (
    SELECT p.*, p.anchor_ns / m.anchor_ns - 1 AS anchor,
           p.anchor_first_ns / m.anchor_ns - 1 AS anchor_first,
           p.anchor_last_ns / m.anchor_ns - 1 AS anchor_last
    FROM placed AS p
    LEFT JOIN middle AS m
),
conclusion AS (
    SELECT iif(max(off) IS NULL, printf('%d rounds', count(*)),
               printf('Over %d rounds the anchor stayed within %.3g %% of its median', count(*), round(100 * max(off), 2)))
           || iif(sum(fault IS NOT NULL) > 0, printf('; left out for a fault: %d', sum(fault IS NOT NULL)), '')
           || CASE WHEN sum(throttle > 0) > 0 THEN printf('; with a clock held back: %d', sum(throttle > 0))
              WHEN max(sm_clock_mhz) > min(sm_clock_mhz)
              THEN printf('; the core clock went from %d to %d MHz', min(sm_clock_mhz), max(sm_clock_mhz))
              WHEN max(sm_clock_mhz) > 0 THEN '; the core clock did not move' ELSE '' END AS sentence
    FROM (SELECT *, iif(fault IS NULL, max(abs(anchor_first), coalesce(abs(anchor_last), 0)), NULL) AS off FROM relative)
    HAVING count(*) > 0
)
SELECT 'points' AS layer, CASE stage WHEN 'confirm' THEN 'confirmation' ELSE stage END AS series,
       rank, seconds, 100 * anchor_first AS anchor_first_percent,
       100 * anchor_last AS anchor_last_percent, sm_clock_mhz, memory_clock_mhz, temperature_c,
       power_w, throttle, process, ordinal AS round, at_ns, NULL AS end_seconds, fault
FROM relative
UNION ALL
SELECT 'faults', CASE WHEN fault IS NULL THEN 'clock held back' ELSE replace(fault, '_', ' ') END,
       fault IS NULL, seconds, 100 * anchor_first, 100 * anchor_last, sm_clock_mhz, memory_clock_mhz,
       temperature_c, power_w, throttle, process, ordinal, at_ns, NULL, fault
FROM relative
WHERE fault IS NOT NULL OR throttle > 0
UNION ALL
SELECT 'conclusion', sentence, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM conclusion
UNION ALL
SELECT 'processes', CASE stage WHEN 'confirm' THEN 'confirmation' ELSE stage END, rank,
       (end_ns - round_count * round_ns) / 1e9, NULL, NULL, NULL, NULL, NULL, NULL, NULL, process,
       round_count, first_ns, end_ns / 1e9, NULL
FROM spans
ORDER BY layer, rank, series, seconds;
