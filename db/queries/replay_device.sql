-- What an environment's device was like while it measured: its last run's timer, the round of the median
-- anchor, its ceilings.
-- :environment
WITH anchored AS (
    SELECT o.*, row_number() OVER (ORDER BY o.anchor_first_ns) AS place, count(*) OVER () AS count
    FROM rounds AS o
    JOIN runs AS r ON r.id = o.run_id
    WHERE r.environment_id = CAST(:environment AS INTEGER) AND o.anchor_first_ns > 0
)
SELECT r.tick_ns, r.empty_pair_ns, r.node_gap_ns, a.anchor_first_ns AS anchor_ns, a.sm_clock_mhz,
       a.memory_clock_mhz, a.temperature_c, a.power_w, c.buffer_bytes, c.host_to_device_gbs,
       c.device_to_host_gbs, c.copy_gbs, c.read_gbs, c.write_gbs
FROM runs AS r
LEFT JOIN anchored AS a ON a.place = (a.count + 1) / 2
LEFT JOIN latest_ceilings AS c ON c.environment_id = r.environment_id
WHERE r.environment_id = CAST(:environment AS INTEGER)
ORDER BY r.id DESC
LIMIT 1
