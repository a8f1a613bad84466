-- The sizes of the problems, to tell what there is when one was asked for that is not.
-- :words  experiment names and problem keys (a JSON array; NULL: all)
SELECT DISTINCT p.n
FROM problems AS p
JOIN experiments AS x ON x.id = p.experiment_id
WHERE :words IS NULL OR EXISTS (
    SELECT 1 FROM json_each(:words) AS word
    WHERE x.name = word.value OR p.key = word.value
       OR substr(p.key, 1, length(word.value) + 1) = word.value || '.')
ORDER BY p.n;
