-- The runs behind the winners: how the device was while they were raced and confirmed. What was not
-- known in any round is NULL. `throttle` has the bits (tuner/base/conditions.h) of all rounds.
-- :words      experiment names and problem keys (a JSON array; NULL: all)
-- :n          one size (NULL: all)
-- :objective  what was made small (NULL: time)
WITH chosen AS (
    SELECT w.*, p.key AS problem, p.n,
           row_number() OVER (
               PARTITION BY e.device_id, x.name, p.key, p.n, w.l2_mode
               ORDER BY w.run_id DESC, w.chosen_at DESC, w.id DESC) AS place
    FROM winners AS w
    JOIN environments AS e ON e.id = w.environment_id
    JOIN problems AS p ON p.id = w.problem_id
    JOIN experiments AS x ON x.id = p.experiment_id
    WHERE (:n IS NULL OR p.n = :n)
      AND w.objective = coalesce(:objective, 'time')
      AND (:words IS NULL OR EXISTS (
          SELECT 1 FROM json_each(:words) AS word
          WHERE x.name = word.value OR p.key = word.value
             OR substr(p.key, 1, length(word.value) + 1) = word.value || '.'))
),
judged AS (
    SELECT run_id, count(*) AS winner_count, sum(trust = 'sound') AS sure_count,
           sum(trust = 'noisy') AS nearly_sure_count, sum(trust = 'unstable') AS not_sure_count,
           sum(coverage IS 'hardly seen') AS hardly_seen_count,
           sum(coverage IS 'mostly failed') AS mostly_failed_count,
           sum(counted.as_fast > 0) AS not_alone_count, max(floor) AS floor
    FROM chosen
    LEFT JOIN equals AS counted ON counted.winner_id = chosen.id
    WHERE place = 1
    GROUP BY run_id
),
measured AS MATERIALIZED (
    SELECT r.*
    FROM chosen
    JOIN rounds AS r
        ON r.run_id = chosen.run_id AND r.problem_id = chosen.problem_id
        AND r.objective = chosen.objective AND r.stage IN ('race', 'confirm')
    WHERE chosen.place = 1
),
conditions AS (
    SELECT run_id, count(*) AS rounds, count(fault) AS rounds_dropped,
           min(sm_clock_mhz) AS sm_clock_mhz_low, max(sm_clock_mhz) AS sm_clock_mhz_high,
           min(memory_clock_mhz) AS memory_clock_mhz_low,
           max(memory_clock_mhz) AS memory_clock_mhz_high,
           min(temperature_c) AS temperature_c_low, max(temperature_c) AS temperature_c_high,
           min(power_w) AS power_w_low, max(power_w) AS power_w_high,
           max(throttle & 1) | max(throttle & 2) | max(throttle & 4) | max(throttle & 8)
               | max(throttle & 16) | max(throttle & 32) AS throttle,
           sum(throttle > 0) AS throttled_rounds,
           max(ecc_errors) - min(ecc_errors) AS ecc_errors_moved,
           max(other_processes) AS other_processes_most,
           sum(other_processes > 0) AS other_processes_rounds
    FROM (SELECT run_id, fault, sm_clock_mhz, memory_clock_mhz, temperature_c, power_w,
                 nullif(throttle, -1) AS throttle, nullif(ecc_errors, -1) AS ecc_errors,
                 nullif(other_processes, -1) AS other_processes
          FROM measured)
    GROUP BY run_id
),
dropped AS (
    SELECT run_id, group_concat(rounds || ' ' || replace(fault, '_', ' '), ', ') AS faults
    FROM (SELECT run_id, fault, count(*) AS rounds FROM measured
          WHERE fault IS NOT NULL GROUP BY run_id, fault ORDER BY run_id, rounds DESC, fault)
    GROUP BY run_id
)
SELECT d.name AS device, d.kind AS device_kind, d.uuid AS device_uuid, e.driver, e.compiler,
       e.tool_version, e.host, r.id AS run, r.started_at, r.l2_mode, r.objective, r.effort,
       r.budget_ns, r.worker_cpus, r.near, r.tick_ns, r.empty_pair_ns, r.node_gap_ns,
       -- the worst of both: a choice, and how much of its space was seen
       CASE WHEN judged.not_sure_count + judged.hardly_seen_count + judged.mostly_failed_count > 0 THEN 'not sure'
            WHEN judged.nearly_sure_count > 0 THEN 'nearly sure'
            WHEN judged.sure_count > 0 THEN 'sure' ELSE 'unknown' END AS verdict,
       judged.winner_count, judged.sure_count, judged.nearly_sure_count, judged.not_sure_count,
       judged.hardly_seen_count, judged.mostly_failed_count, judged.not_alone_count, 100 * judged.floor AS floor_percent,
       coalesce(c.rounds, 0) AS rounds, coalesce(c.rounds_dropped, 0) AS rounds_dropped,
       dropped.faults, c.sm_clock_mhz_low, c.sm_clock_mhz_high, c.memory_clock_mhz_low,
       c.memory_clock_mhz_high, c.temperature_c_low, c.temperature_c_high, c.power_w_low,
       c.power_w_high, c.throttle, c.throttled_rounds, c.ecc_errors_moved,
       c.other_processes_most, c.other_processes_rounds, r.protocol
FROM judged
JOIN runs AS r ON r.id = judged.run_id
JOIN environments AS e ON e.id = r.environment_id
JOIN devices AS d ON d.id = e.device_id
LEFT JOIN conditions AS c ON c.run_id = r.id
LEFT JOIN dropped ON dropped.run_id = r.id
ORDER BY d.kind DESC, d.id, r.l2_mode, r.id;
