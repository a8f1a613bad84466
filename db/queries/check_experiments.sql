-- Where an experiment was read from last.
-- :name, :kind
SELECT path FROM experiments
WHERE name = :name AND device_kind = :kind
ORDER BY id DESC LIMIT 1;
