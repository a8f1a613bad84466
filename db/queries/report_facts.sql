-- All that is known of an environment's device.
-- :environment  which
SELECT fact.key, fact.value
FROM environments AS e
JOIN devices AS d ON d.id = e.device_id, json_each(d.facts) AS fact
WHERE e.id = CAST(:environment AS INTEGER);
