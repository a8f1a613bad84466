-- Where an experiment was read from last, and what it held.
-- :name, :kind
SELECT path, content_hash FROM experiments
WHERE name = :name AND device_kind = :kind
ORDER BY id DESC LIMIT 1;
