-- Sizes, as "1024x512", at which a problem with several size names was tuned; the file need not list them.
SELECT substr(key, length(family) + 2) AS shape
FROM problems
WHERE experiment_id = :experiment AND family = :key
ORDER BY id;
