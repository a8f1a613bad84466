-- Comparison of devices: the winner's throughput against size, a series a device, with each one's ceiling.
-- needs: measurements of two devices
-- draws: of all configurations only what is marked
, everywhere AS (
    SELECT d.id AS device_id, d.uuid, d.name AS device, p.n, w.environment_id, w.problem_id,
           w.trial_id, substr(t.measured_at, 1, 10) AS date,
           CASE unit.name WHEN 'GB/s' THEN p.bytes_moved WHEN 'runs/s' THEN 1e9
                          ELSE p.operations END AS amount,
           t.median_ns, t.mad_ns,
           row_number() OVER (PARTITION BY d.id, p.n ORDER BY w.chosen_at DESC, w.id DESC) AS place
    FROM winners AS w
    JOIN trials AS t ON t.id = w.trial_id
    JOIN problems AS p ON p.id = w.problem_id
    JOIN environments AS e ON e.id = w.environment_id
    JOIN devices AS d ON d.id = e.device_id
    CROSS JOIN unit
    WHERE p.key = :problem AND w.l2_mode = :l2_mode AND w.objective = 'time'
),
newest AS (SELECT * FROM everywhere WHERE place = 1 AND amount > 0 AND median_ns > 0 AND n > 0),
-- Devices of one name also have their UUIDs.
devices_drawn AS (
    SELECT device_id,
           CASE WHEN count(*) OVER (PARTITION BY device) > 1
                THEN device || ' (' || substr(uuid, 1, 12) || ')' ELSE device END AS name,
           date, problem_id, environment_id, dense_rank() OVER (ORDER BY device, uuid) - 1 AS rank,
           count(*) OVER () AS device_count
    FROM (SELECT *, max(n), max(date) AS date FROM newest GROUP BY device_id)
),
-- At the largest of the sizes that most of them have.
compared AS (
    SELECT w.n, d.name, w.amount / w.median_ns AS gbs,
           row_number() OVER (ORDER BY w.amount / w.median_ns DESC) AS place
    FROM newest AS w
    JOIN devices_drawn AS d ON d.device_id = w.device_id
    WHERE w.n = (SELECT n FROM newest GROUP BY n ORDER BY count(*) DESC, n DESC LIMIT 1)
),
conclusion AS (
    SELECT printf('At n = %d %s is fastest: %.3gx as fast as %s', a.n, a.name, a.gbs / b.gbs, b.name) AS sentence
    FROM compared AS a JOIN compared AS b ON a.place = 1 AND b.place = 2
    UNION ALL
    SELECT printf('No size was measured on two of the %d devices', count(*)) FROM devices_drawn
    WHERE (SELECT count(*) FROM compared) < 2 HAVING count(*) > 1
)
SELECT 'points' AS layer, d.name || ', ' || d.date AS series, d.rank, w.n,
       w.amount / w.median_ns AS gbs,
       w.amount / (w.median_ns + coalesce(w.mad_ns, 0)) AS low_gbs,
       w.amount / max(w.median_ns - coalesce(w.mad_ns, 0), w.median_ns / 10) AS high_gbs,
       c.key AS configuration
FROM newest AS w
JOIN devices_drawn AS d ON d.device_id = w.device_id
JOIN trials AS t ON t.id = w.trial_id
JOIN configurations AS c ON c.id = t.configuration_id
WHERE d.device_count > 1
UNION ALL
SELECT 'limits', d.name, d.rank, NULL, c.gbs, NULL, NULL, c.ceiling
FROM devices_drawn AS d
JOIN problem_ceilings AS c
    ON c.problem_id = d.problem_id AND c.environment_id = d.environment_id
CROSS JOIN unit
WHERE d.device_count > 1 AND c.gbs > 0 AND unit.name = 'GB/s'
UNION ALL
SELECT 'conclusion', sentence, 0, NULL, NULL, NULL, NULL, NULL FROM conclusion
UNION ALL
SELECT 'unit', name, 0, NULL, NULL, NULL, NULL, NULL FROM unit
ORDER BY layer, rank, series, n;
